// Questions to the server: answered at once, or followed as jobs.

/** A question the server refuses, with the place in the body that is to blame. */
export class Refused extends Error {
  constructor({ code, message, path }) {
    super(path ? `${path}: ${message}` : message);
    this.code = code;
    this.path = path;
  }
}

async function read(response) {
  const body = await response.json();
  if (!response.ok) throw new Refused(body.error);
  return body;
}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Ask and wait for the answer. */
export async function ask(game, operation, body) {
  return read(await post(`/v1/${game}/${operation}`, body));
}

/** What the server offers. */
export async function games() {
  return read(await fetch("/v1/games"));
}

/**
 * Ask what may take long. `heard` is called with progress; the job returned has the promise of
 * its answer and can be cancelled, after which the answer says what is known.
 */
export async function start(game, operation, body, heard) {
  const { job } = await read(await post(`/v1/${game}/${operation}?job=true`, body));
  const path = `/v1/jobs/${job}`;
  const events = new EventSource(`${path}/events`);
  const answer = new Promise((resolve, reject) => {
    events.addEventListener("progress", (event) => heard(JSON.parse(event.data)));
    events.addEventListener("answer", (event) => resolve(JSON.parse(event.data)));
    events.addEventListener("refusal", (event) => reject(new Refused(JSON.parse(event.data))));
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) reject(new Error("the server is gone"));
    });
  });
  answer.catch(() => {}).finally(() => events.close());
  return { answer, cancel: () => fetch(path, { method: "DELETE" }) };
}
