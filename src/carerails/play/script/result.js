// What becomes of the text: hits, views, the engines side by side, and what the user would read.

import { byId, facts, make } from "./dom.js";
import { markedText } from "./marks.js";

const STATES = { starting: "starting …", failed: "cannot be started", silent: "gives no answer" };
const LANGUAGES = { en: "en", "es-419": "es", "pt-BR": "pt-BR" };

export const outcomeTag = (outcome) => make("span", { class: `tag ${outcome}` }, outcome);

/** Shows an answer; `open` opens a place in the rails. */
export function showResult(text, answer, open) {
  byId("seen").hidden = false;
  byId("marked").replaceChildren(...markedText(text, answer.hits));
  byId("hits").replaceChildren(...answer.hits.map((hit) => hitItem(hit, answer.engines, open)));
  byId("no-hits").hidden = answer.hits.length > 0;
  byId("views").replaceChildren(...answer.views.map((view) => make("li", {}, make("code", {}, view || " "))));
  byId("engines").replaceChildren(...answer.engines.map(engineCard));
  byId("templates").replaceChildren(...answer.templates.map((template) => templateBlock(template, answer.locale)));
  showApart(answer.engines);
}

export function showNothing(engines) {
  byId("seen").hidden = true;
  byId("apart").hidden = true;
  byId("engines").replaceChildren(...engines.map((engine) => engineCard({ ...engine, idle: engine.state === "ready" })));
  byId("templates").replaceChildren();
}

function hitItem(hit, engines, open) {
  const place = make("button", { type: "button", class: "link" }, `${hit.file}:${hit.line}`);
  place.addEventListener("click", () => open(hit.file, hit.line));
  const asked = engines.filter(({ state }) => state === "ready");
  const only = hit.engines.length < asked.length ? make("small", {}, ` only ${hit.engines.join(", ")}`) : "";
  const terms = hit.matched_terms.map((term) => `“${term}”`).join(" ");
  return make("li", {}, outcomeTag(hit.outcome), ` ${hit.rule} `, place, only, terms && make("br"), terms && make("small", {}, terms));
}

function engineCard(engine) {
  const head = make("h3", {}, engine.name, make("small", {}, duration(engine.latency_us)));
  const card = make("article", { class: engine.name === "your edit" ? "card engine edit" : "card engine" }, head);
  if (engine.idle) card.append(make("p", { class: "muted" }, "ready"));
  else if (engine.state !== "ready") card.append(make("p", { class: "muted" }, STATES[engine.state], engine.why && make("br"), engine.why));
  else card.append(make("p", { class: "outcome" }, outcomeTag(engine.outcome)), facts(factsOf(engine)));
  return card;
}

function factsOf({ category, subcategories, template, slug, failure, evidence }) {
  return [
    ["failed", failure],
    ["category", category],
    ["also", subcategories.join(", ")],
    ["template", template],
    ["refusal", slug !== template ? slug : ""],
    ["rules", evidence.map(({ rule }) => rule).join(", ")],
  ];
}

function duration(microseconds) {
  if (microseconds === null || microseconds === undefined) return "";
  return microseconds < 1000 ? `${microseconds} µs` : `${(microseconds / 1000).toFixed(microseconds < 10000 ? 1 : 0)} ms`;
}

/** Says where engines that could be asked do not agree; an edit is expected to differ, and is not counted. */
function showApart(engines) {
  const asked = engines.filter(({ name, state }) => state === "ready" && name !== "your edit");
  const said = new Set(asked.map(({ outcome, slug }) => `${outcome} ${slug}`));
  byId("apart").hidden = said.size < 2;
  byId("apart").textContent = `The engines disagree: ${asked.map(({ name, outcome }) => `${name} says ${outcome}`).join(", ")}.`;
}

function templateBlock({ slug, texts }, locale) {
  const said = Object.entries(texts).flatMap(([name, text]) => [
    make("small", {}, name === locale ? `${name}, for this text` : name),
    make("p", { lang: LANGUAGES[name] }, text),
  ]);
  return make("div", {}, make("h3", {}, "The user reads ", make("code", {}, slug)), make("div", { class: "template" }, said));
}
