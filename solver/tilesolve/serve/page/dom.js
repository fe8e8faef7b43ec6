// Small pieces of the page that everything is made of.

/** An HTML element; `on*` attributes are listeners, `true` and `false` set or leave out. */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith("on")) made.addEventListener(attribute.slice(2), value);
    else if (value === true) made.setAttribute(attribute, "");
    else if (value !== false && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return made;
}

export const button = (text, onclick, attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, text);

/** A labelled select; `options` are values or [value, text]. */
export function select(label, options, chosen, onchange) {
  const made = h("select", { onchange: () => onchange?.(made.value) },
    options.map((option) => {
      const [value, text] = Array.isArray(option) ? option : [option, option];
      return h("option", { value, selected: value === chosen }, text);
    }));
  return { field: h("label", {}, label, " ", made), input: made };
}

/** A labelled number field. */
export function numberField(label, value, least, most, onchange) {
  const made = h("input", { type: "number", value, min: least, max: most, required: true,
    onchange: () => made.checkValidity() && onchange?.(Number(made.value)) });
  return { field: h("label", {}, label, " ", made), input: made };
}

/** Let the user save a value as a JSON file. */
export function save(value, name) {
  const link = h("a", {
    href: URL.createObjectURL(new Blob([`${JSON.stringify(value, null, 1)}\n`], { type: "application/json" })),
    download: name,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A button that loads a JSON file; `loaded` gets the value, `failed` a sentence. */
export function loadButton(text, loaded, failed) {
  const input = h("input", { type: "file", accept: ".json,.txt,application/json", hidden: true,
    onchange: async () => {
      const [file] = input.files;
      input.value = "";
      if (!file) return;
      const content = await file.text();
      try {
        loaded(file.name.endsWith(".txt") ? rowsOfText(content) : JSON.parse(content));
      } catch (error) {
        failed(`${file.name}: ${error.message}`);
      }
    } });
  return h("span", {}, button(text, () => input.click()), input);
}

const rowsOfText = (text) =>
  text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n").filter((line) => !line.startsWith(";"));

/** A line for news that is read aloud. */
export function news() {
  const line = h("p", { class: "news", role: "status", "aria-live": "polite" });
  return {
    line,
    say(text, bad = false) {
      line.textContent = text;
      line.classList.toggle("bad", bad);
    },
  };
}
