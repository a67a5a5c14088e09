// Making elements. Whatever a case says becomes text and never markup: nothing here parses HTML.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; children are elements or text, and what is missing is left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== "") element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

/** A list of facts; those without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return make("dl", { class: "facts" }, known.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

/** Options of a select: pairs of value and words. */
export function fill(select, options) {
  select.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
  select.options[0].value = options[0][0]; // an empty value has to be there, or the words would be the value
}
