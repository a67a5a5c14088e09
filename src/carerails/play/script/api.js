// Questions to the server. Each carries the token that stood in the address; it is taken out of there, so that neither
// the history nor a copied address has it.

const KEY = "carerails-token";

function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem(KEY, found);
    history.replaceState(null, "", location.pathname);
  }
  return found ?? sessionStorage.getItem(KEY) ?? "";
}

const token = takeToken();

/** What went wrong, in the server's words. */
export class Wrong extends Error {
  constructor(status, { what, mend, where }) {
    super([[where, what].filter(Boolean).join(" "), mend].filter(Boolean).join(": "));
    this.status = status;
  }
}

/** The answer to a question; a body makes it a POST. */
export async function ask(name, body) {
  const how = { headers: { "x-carerails-token": token }, cache: "no-store" };
  if (body) Object.assign(how, { method: "POST", body: JSON.stringify(body) });
  let response;
  try {
    response = await fetch(`/api/${name}`, how);
  } catch {
    throw new Wrong(0, { what: "the server does not answer", mend: "start carerails rails play again" });
  }
  const answer = await response.json();
  if (!response.ok) throw new Wrong(response.status, answer.error);
  return answer;
}

/** Runs one call at a time; of those that are asked for meanwhile, only the last. */
export function latest(run) {
  let running = false;
  let next = false;
  return async function call() {
    next = true;
    if (running) return;
    running = true;
    try {
      while (next) {
        next = false;
        await run();
      }
    } finally {
      running = false;
    }
  };
}

/** Waits until nobody has asked for some milliseconds. */
export function calm(milliseconds, run) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}
