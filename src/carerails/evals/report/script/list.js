// The list, a page at a time: 20,000 rows at once would be slow to lay out, and no one reads them at once.

import { cases, labels, marked, outcome, place, rule, say, word } from "./data.js";
import { byId, make } from "./dom.js";
import { linkTo, state } from "./state.js";

export const PAGE = 50;
const HEADS = [["case", "case", "at"], ["gold", "gold", "short"], ["text", "text", ""]];

let shown = []; // the numbers of all cases that pass, in order

export const listed = () => shown;

/** Shows the page of `numbers` that the state names. */
export function showList(numbers) {
  shown = numbers;
  const last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
  state.page = Math.min(Math.max(0, state.page), last);
  const first = state.page * PAGE;
  byId("table").replaceChildren(head(), make("tbody", { role: "rowgroup" }, shown.slice(first, first + PAGE).map(row)));
  byId("table").style.setProperty("--runs", labels.length);
  byId("page").textContent = `Page ${state.page + 1} of ${(last + 1).toLocaleString("en")}`;
  byId("previous").disabled = state.page === 0;
  byId("next").disabled = state.page === last;
  byId("pages").hidden = last === 0;
}

// The roles are those that a table has anyway; as cards, on a phone, it would lose them.
function head() {
  const decisions = labels.map((label) => ["decision", label, "short"]);
  const [at, gold, text] = HEADS;
  return make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, [at, text, gold, ...decisions].map(headCell)));
}

function headCell([key, title, kind]) {
  const down = state.sort === `-${key}`;
  const sorted = down ? "descending" : state.sort === key ? "ascending" : "none";
  const button = make("button", { type: "button", "data-sort": sorted === "ascending" ? `-${key}` : key }, title, down ? " ↓" : sorted === "none" ? "" : " ↑");
  return make("th", { scope: "col", role: "columnheader", "aria-sort": sorted, class: kind }, button);
}

function row(number) {
  const about = [word("locale", number), word("category", number)].filter(Boolean).join(", ");
  const link = make("a", { href: linkTo({ case: place(number) }), "data-number": number }, place(number));
  return make(
    "tr",
    { role: "row" },
    make("td", { role: "cell" }, link, make("small", { class: "sub" }, about)),
    make("td", { role: "cell" }, make("span", { class: "cut" }, cases.text[number])),
    make("td", { role: "cell", "data-name": "gold" }, word("label", number) || "–"),
    labels.map((label, run) => make("td", { role: "cell", "data-name": label }, tag(run, number), make("small", { class: "sub where" }, breakable(rule(run, number).where)))),
  );
}

/** A path that may be broken behind its slashes. */
function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, make("wbr")]);
}

/** A decision in a few words, tinted by how good it is. */
export function tag(run, number) {
  return make("span", { class: `tag ${tone(run, number) || "plain-tag"}` }, say(run, number));
}

function tone(run, number) {
  if (outcome(run, number) === undefined) return "";
  if (marked(run, number, "missed") || marked(run, number, "failed")) return "miss";
  if (marked(run, number, "false-alarm") || marked(run, number, "over-refusal")) return "alarm";
  return marked(run, number, "wrong") ? "off" : "";
}

const linkOf = (number) => document.querySelector(`#table a[data-number="${number}"]`);

/** Brings a case of the list into view and puts the focus on it; false where the list does not have it. */
export function focusCase(number) {
  const at = shown.indexOf(number);
  if (at < 0) return false;
  if (!linkOf(number)) {
    state.page = Math.floor(at / PAGE);
    showList(shown);
  }
  linkOf(number).focus();
  return true;
}

/** The case that is `by` places from this one in the list. */
export const neighbour = (number, by) => shown[shown.indexOf(number) + by];

/** Moves the focus up or down the list, over its pages; from elsewhere it starts with the first case in sight. */
export function moveFocus(by) {
  const current = document.activeElement?.dataset?.number;
  const next = current === undefined ? shown[state.page * PAGE] : neighbour(Number(current), by);
  if (next !== undefined) focusCase(next);
}
