// Which cases pass, and in which order.

import { cases, every, labels, marked, outcome, place, runs, say, shared, word, words } from "./data.js";
import { FILTERS } from "./state.js";

/** For search: without accents, case, and the difference between apostrophes. */
export function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replace(/[\u2019\u02bc\u2032]/g, "'").toLowerCase();
}

let searched; // folded once, when the first search asks for it

function searchTexts() {
  searched ??= every.map((number) => fold(`${place(number)} ${cases.text[number]}`));
  return searched;
}

/** The runs that a filter is about: the chosen one, or all. */
function chosen(filters) {
  const run = labels.indexOf(filters.engine);
  return run < 0 ? [...labels.keys()] : [run];
}

function column(name) {
  return (wanted) => {
    const number = words[name].indexOf(wanted);
    return (at) => cases[name][at] === number;
  };
}

/** Whether something holds of a case: of the case itself, or of what any of the chosen runs decided. */
export function holds(mark, filters) {
  if (mark === "differs" || mark === "worse" || mark === "better") return (at) => shared(at, mark);
  const of = chosen(filters);
  if (mark === "right") return (at) => of.every((run) => marked(run, at, mark));
  return (at) => of.some((run) => marked(run, at, mark));
}

function pairOf(text) {
  const [one, other] = text.split("~").map((label) => labels.indexOf(label));
  return { one, other };
}

/** For each filter, the test that its value asks for. */
const TESTS = {
  q: (wanted) => {
    const texts = searchTexts();
    const parts = fold(wanted).split(/\s+/).filter(Boolean);
    return (at) => parts.every((part) => texts[at].includes(part));
  },
  slice: column("slice"),
  locale: column("locale"),
  category: column("category"),
  gold: column("gold"),
  decision: (wanted, filters) => (at) => chosen(filters).some((run) => outcome(run, at) === wanted),
  engine: (wanted) => {
    const run = labels.indexOf(wanted);
    return (at) => outcome(run, at) !== undefined;
  },
  is: holds,
  pair: (wanted) => {
    const { one, other } = pairOf(wanted);
    return (at) => outcome(one, at) && outcome(other, at) && say(one, at) !== say(other, at);
  },
  cross: (wanted, filters) => {
    const { one, other } = pairOf(filters.pair);
    const [x, y] = wanted.split("~");
    return (at) => outcome(one, at) === x && outcome(other, at) === y;
  },
};

/** The numbers of the cases that pass every filter, `without` one of them. */
export function passing(filters, without = "") {
  const tests = FILTERS.filter((key) => filters[key] && key !== without).map((key) => TESTS[key](filters[key], filters));
  return every.filter((at) => tests.every((test) => test(at)));
}

/** What cases can be ordered by: the value that is compared. */
const ORDERS = {
  case: place,
  locale: (at) => word("locale", at),
  gold: (at) => word("label", at),
  text: (at) => cases.text[at],
  latency: (at, filters) => Math.max(...chosen(filters).map((run) => runs[run].latency[at] ?? -1)),
  decision: (at, filters) => chosen(filters).map((run) => say(run, at)).join(),
};

/** The same cases in the order that `sort` names: a key, with - in front for the reverse. */
export function ordered(numbers, sort, filters) {
  const key = ORDERS[sort.replace(/^-/, "")];
  if (!key) return numbers;
  const values = new Map(numbers.map((at) => [at, key(at, filters)]));
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const by = (a, b) => (typeof a === "number" ? a - b : compare(a, b));
  return [...numbers].sort((a, b) => sign * by(values.get(a), values.get(b)));
}
