// What the edit would flip on the cases, before it is saved.

import { byId, make } from "./dom.js";

/** Shows what was considered; `retry` puts a case's text into the text field. */
export function showFlips(found, retry) {
  if (!found) byId("flips").replaceChildren();
  else if (found.errors.length) byId("flips").replaceChildren(make("p", { class: "muted" }, "Flips are shown when the rails compile."));
  else if (!found.ready) byId("flips").replaceChildren(make("p", { class: "muted" }, "The cases are being decided on the saved rails. One moment …"));
  else byId("flips").replaceChildren(...summary(found), ...found.flips.map((flip) => flipItem(flip, retry)));
}

function summary({ counts, flips, rules, again, seconds }) {
  const all = counts.worse + counts.safer + counts.other;
  const asked = `${count(rules.length, "rule")} touched, ${count(again, "case")} decided again, ${seconds.toFixed(2)} s`;
  const said = all ? `${counts.worse} worse, ${counts.safer} safer${counts.other ? `, ${counts.other} other` : ""}` : "Nothing flips";
  const rest = all > flips.length ? [make("p", { class: "muted" }, `The first ${flips.length} of ${all} are listed.`)] : [];
  return [make("p", { class: "counts" }, make("b", {}, said), " ", make("small", {}, asked)), ...rest];
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function flipItem({ grade, kind, place, locale, text, was, now }, retry) {
  const button = make("button", { type: "button", class: "link" }, "try it");
  button.setAttribute("aria-label", `Try the text of ${place}`);
  button.addEventListener("click", () => retry(text));
  return make(
    "article",
    { class: "flip" },
    make("p", { class: "head" }, make("span", { class: `tag ${grade}` }, kind === "other" ? grade : kind), make("small", {}, `${place}, ${locale}`), button),
    make("p", {}, text),
    make("p", { class: "change" }, `${was} → ${now}`),
  );
}
