// What is shown: the filters, the order, the page of the list and the open case. All of it stands in the URL behind
// the #, so that a link or a bookmark brings any view back, and so that links in the static part of the page filter.

export const FILTERS = ["q", "slice", "locale", "category", "gold", "decision", "engine", "is", "pair", "cross"];
const KEYS = [...FILTERS, "sort", "case"];

export const state = { page: 0 };

/** Takes the state from the URL. A plain anchor such as #figures says nothing of it. */
export function readState() {
  if (location.hash && !location.hash.includes("=")) return;
  const found = new URLSearchParams(location.hash.slice(1));
  for (const key of KEYS) state[key] = found.get(key) ?? "";
}

/** The link to this state with some of it changed. */
export function linkTo(changes) {
  const wanted = { ...state, ...changes };
  const found = new URLSearchParams(KEYS.filter((key) => wanted[key]).map((key) => [key, wanted[key]]));
  return `#${found.toString().replaceAll("%2F", "/")}`; // a case's place stays readable
}

/** Changes the state and the URL, without a step in the history: typing should not fill it. */
export function change(changes) {
  Object.assign(state, changes);
  history.replaceState(null, "", linkTo({}));
}

export const noFilters = () => Object.fromEntries(FILTERS.map((key) => [key, ""]));
