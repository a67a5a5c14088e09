// The controls above the list: fields, and one button for each thing that can come of a case, with how many there are.

import { flips, labels, left, size, words } from "./data.js";
import { byId, fill, make } from "./dom.js";
import { holds, passing } from "./filters.js";
import { state } from "./state.js";

const FIELDS = ["slice", "locale", "category", "gold", "decision", "engine", "sort"];
const SORTS = [["", "as in the data"], ["case", "case"], ["locale", "locale"], ["gold", "gold"], ["decision", "decision"], ["-latency", "slowest first"], ["latency", "quickest first"], ["text", "text"]];
const SINGLE = [["right", "right"], ["wrong", "wrong"], ["missed", "missed"], ["false-alarm", "false alarm"], ["over-refusal", "over-refusal"], ["failed", "failed"]];
const SEVERAL = flips ? [["differs", "flipped"], ["worse", "got worse"], ["better", "got better"]] : [["differs", "disagree"]];
const FACETS = labels.length > 1 ? [...SINGLE, ...SEVERAL] : SINGLE;

/** Fills the fields and hands every change on: `changed` gets what is new. */
export function setUpFields(changed) {
  for (const name of ["slice", "locale", "category", "gold"]) fillWith(name, words[name]);
  fillWith("decision", words.decision.map(([outcome]) => outcome));
  fillWith("engine", labels, labels.length > 1 ? "any run" : labels[0]);
  byId("engine").closest("label").hidden = labels.length < 2;
  fill(byId("sort"), SORTS);
  for (const name of FIELDS) byId(name).addEventListener("change", (event) => changed({ [name]: event.target.value }));
  byId("q").addEventListener("input", (event) => changed({ q: event.target.value }));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("facets").append(...FACETS.map((facet) => facetButton(facet, changed)));
}

function fillWith(name, values, any = "any") {
  const sorted = [...new Set(values)].filter(Boolean).sort();
  fill(byId(name), [["", any], ...sorted.map((value) => [value, value])]);
}

function facetButton([name, title], changed) {
  const button = make("button", { type: "button", "data-facet": name }, title, " ", make("span", { class: "tally" }));
  button.addEventListener("click", () => changed({ is: state.is === name ? "" : name }));
  return button;
}

/** Shows the state in the fields, and how many cases each button would list. */
export function showFields(found) {
  for (const name of FIELDS) showValue(byId(name), state[name]);
  if (byId("q").value !== state.q) byId("q").value = state.q;
  const others = passing(state, "is");
  for (const button of byId("facets").children) {
    const test = holds(button.dataset.facet, state);
    button.setAttribute("aria-pressed", String(state.is === button.dataset.facet));
    button.lastChild.textContent = others.filter(test).length.toLocaleString("en");
  }
  byId("count").textContent = countOf(found);
}

function showValue(select, value) {
  // A link may ask for what no field offers, such as the reverse of an order: then the field says that it is another.
  if (![...select.options].some((option) => option.value === value)) select.append(make("option", { value }, value));
  select.value = value;
}

function countOf(found) {
  const pair = state.pair && `, where ${state.pair.replace("~", " and ")} differ${state.cross && `: ${state.cross.replace("~", " and ")}`}`;
  const elsewhere = left ? `; ${left.toLocaleString("en")} more are not on this page` : "";
  return `${found.length.toLocaleString("en")} of ${size.toLocaleString("en")} cases${pair}${elsewhere}`;
}
