// The frame of the page: one tab for puzzles, one for each game.

import { games } from "./api.js";
import { h } from "./dom.js";
import { PlayPage } from "./play.js";
import { PuzzlePage } from "./puzzle.js";

const HIDDEN = new Set(["null"]);
const pages = new Map();
let current;

async function main() {
  const { games: offered } = await games();
  const listed = offered.filter((game) => !HIDDEN.has(game.game));
  listed.sort((a, b) => (b.game === "polyform") - (a.game === "polyform"));
  document.getElementById("games").replaceChildren(...listed.map((game) =>
    h("a", { href: `#${game.game}`, "data-game": game.game }, game.game === "polyform" ? "Puzzles" : game.title.split(":")[0])));
  const show = () => {
    const wanted = location.hash.slice(1) || "polyform";
    const game = listed.find((each) => each.game === wanted) ?? listed[0];
    if (!pages.has(game.game)) {
      pages.set(game.game, game.game === "polyform" ? new PuzzlePage(game) : new PlayPage(game));
    }
    current = pages.get(game.game);
    document.getElementById("main").replaceChildren(current.root);
    for (const link of document.querySelectorAll("#games a")) {
      if (link.dataset.game === game.game) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("hashchange", show);
  show();
}

addEventListener("keydown", (event) => current?.typed(event));
main().catch((error) => {
  document.getElementById("main").replaceChildren(h("p", { role: "alert" }, `The server does not answer: ${error.message}`));
});
