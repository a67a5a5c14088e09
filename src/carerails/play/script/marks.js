// The text with every hit marked in it. Hits may overlap: a piece is marked as the gravest of those that have it.

import { byId, make } from "./dom.js";

const { precedence } = JSON.parse(byId("data").textContent);

/** Text and marks for a text and the hits in it; spans count code points, which emoji are one of. */
export function markedText(text, hits) {
  const points = Array.from(text);
  const spans = hits.flatMap(({ spans: own }, number) => own.map(([start, end]) => ({ start, end, number })));
  const edges = [...new Set([0, points.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  return edges.slice(1).map((end, at) => piece(points, edges[at], end, spans, hits));
}

function piece(points, start, end, spans, hits) {
  const said = points.slice(start, end).join("");
  const over = [...new Set(spans.filter((span) => span.start < end && span.end > start).map(({ number }) => number))];
  if (!over.length) return said;
  const ending = [...new Set(spans.filter((span) => span.end === end && over.includes(span.number)).map(({ number }) => number))];
  const gravest = precedence.find((outcome) => over.some((number) => hits[number].outcome === outcome));
  const numbers = ending.map((number) => number + 1).join(" ");
  return make("mark", { class: gravest, title: over.map((number) => hits[number].rule).join(", ") }, said, numbers && make("sup", {}, numbers));
}
