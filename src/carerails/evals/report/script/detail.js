// One case with all that is known of it.

import { cases, decision, flips, labels, marked, more, place, rule, runs, shared, spans, word } from "./data.js";
import { byId, facts, make } from "./dom.js";
import { neighbour, tag } from "./list.js";

const WORDS = [["right", "right"], ["wrong", "wrong"], ["missed", "missed"], ["false-alarm", "false alarm"], ["over-refusal", "over-refusal"], ["failed", "check failed"]];

/** Opens a case, or shows it in place of the open one. */
export function showDetail(number) {
  const dialog = byId("detail");
  byId("detail-title").textContent = place(number);
  byId("detail-body").replaceChildren(...body(number));
  byId("detail-previous").disabled = neighbour(number, -1) === undefined;
  byId("detail-next").disabled = neighbour(number, 1) === undefined;
  dialog.dataset.number = number;
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  byId("detail-title").focus(); // so that its name is read out, and keys work wherever the focus was
}

export const openCase = () => (byId("detail").open ? Number(byId("detail").dataset.number) : undefined);

function body(number) {
  const made = [...labels.keys()].filter((run) => decision(run, number));
  // Matched terms are marked once where no two runs matched different ones, else for each run.
  const matched = made.map((run) => spans(run, number)).filter((found) => found.length);
  const agreed = new Set(matched.map((found) => JSON.stringify(found))).size < 2;
  return [
    make("p", { class: "said" }, agreed ? highlighted(cases.text[number], matched[0] ?? []) : cases.text[number]),
    facts([
      ["gold", word("label", number) || "unlabelled"],
      ["category", word("category", number)],
      ["locale", word("locale", number)],
      [flips ? "flip" : "runs", comparedWords(number)],
    ]),
    ...labels.map((_, run) => box(run, number, agreed)),
  ];
}

function comparedWords(number) {
  if (!shared(number, "differs")) return labels.length > 1 ? "decide alike" : "";
  if (!flips) return "decide differently";
  return shared(number, "worse") ? "got worse" : shared(number, "better") ? "got better" : "neither better nor worse";
}

/** A text with its spans marked. */
function highlighted(text, found) {
  const parts = [];
  let at = 0;
  for (const [start, end] of found) {
    parts.push(text.slice(at, start), make("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}

/** What an agent replied, step by step; of a record that we do not know, the record itself. */
function replies(record) {
  if (!Array.isArray(record.said)) return make("pre", {}, JSON.stringify(record, null, 1));
  const lines = record.said.map((said, step) => {
    const cites = said.citations?.length ? `cites ${said.citations.join(", ")}` : "";
    const flags = [said.waited && "waited for a person", said.failed && "failed", record.right?.[step] === false && "wrong"];
    return make("li", {}, [said.kind ?? "no reply", said.template ?? said.slug, cites, ...flags].filter(Boolean).join(" · "));
  });
  return make("ol", { "aria-label": "replies" }, lines);
}

function box(run, number, agreed) {
  const made = decision(run, number);
  if (!made) return make("section", { class: "decision" }, make("h3", {}, labels[run]), make("p", { class: "muted" }, "not decided in this run"));
  const { failure, repeats, record } = more[run][number] ?? {};
  const { name, where } = rule(run, number);
  const latency = runs[run].latency[number];
  return make(
    "section",
    { class: "decision", "aria-label": labels[run] },
    make("h3", {}, labels[run], tag(run, number)),
    agreed ? "" : make("p", { class: "said" }, highlighted(cases.text[number], spans(run, number))),
    facts([
      ["verdict", WORDS.filter(([mark]) => marked(run, number, mark)).map(([, title]) => title).join(", ")],
      ["rule", name],
      ["where", where && make("span", { class: "where" }, where)],
      ["template", made.template],
      ["category", [made.category, ...made.subcategories].filter(Boolean).join(", ")],
      ["matched", spans(run, number).map(([start, end]) => `“${cases.text[number].slice(start, end)}”`).join(", ")],
      ["latency", latency === null ? "not timed" : `${latency.toLocaleString("en")} µs`],
      ["failure", failure && `${failure.seam}: ${failure.kind}`],
      ["repeats", repeats && `decided otherwise: ${repeats.join(", ")}`],
    ]),
    record && replies(record),
  );
}
