// The cases as columns. A case is named by its number in them, a run by its number among the labels.

import { byId } from "./dom.js";

const raw = JSON.parse(byId("data").textContent);

export const { labels, flips, left, words, cases, runs, more, bits } = raw;
export const size = cases.id.length;
export const every = Array.from({ length: size }, (_, number) => number);

/** A word that stands for many cases: slice, locale, category, gold (the outcome) or label (all of the gold label). */
export const word = (column, number) => words[column][cases[column][number]];

export const place = (number) => `${word("slice", number)}/${cases.id[number]}`;

const numbers = new Map(every.map((number) => [place(number), number]));

/** The case of a place such as `scope/en-7`; undefined where this page does not list it. */
export const caseAt = (name) => numbers.get(name);

/** What a run decided on a case; undefined where it did not decide it. */
export function decision(run, number) {
  const [outcome, slug, template, category, ...subcategories] = words.decision[runs[run].decision[number]] ?? [];
  return outcome && { outcome, slug, template, category, subcategories };
}

export const outcome = (run, number) => words.decision[runs[run].decision[number]]?.[0];

/** The decision in a few words. */
export function say(run, number) {
  const made = decision(run, number);
  return made ? [made.outcome, made.slug].filter(Boolean).join(" ") : "–";
}

/** The rule that decided and where it stands; empty where none did. */
export function rule(run, number) {
  const [name, file, line] = words.rule[runs[run].rule[number]];
  return { name, where: file && `${file}:${line}` };
}

export const marked = (run, number, mark) => outcome(run, number) !== undefined && (runs[run].marks[number] & bits.marks[mark]) !== 0;
export const shared = (number, mark) => (cases.shared[number] & bits.shared[mark]) !== 0;

/** Start and end of each matched term in the text. */
export function spans(run, number) {
  const flat = runs[run].spans[number] || [];
  return flat.filter((_, at) => at % 2 === 0).map((start, at) => [start, flat[2 * at + 1]]);
}
