// The rails in the page. Edits live in the page until they are saved; each file keeps the stamp that it was read with.

import { ask } from "./api.js";
import { byId, fill, make } from "./dom.js";

const files = new Map(); // name -> { saved, stamp, text }
let current = "";
let errors = [];

const source = byId("source");
const gutter = byId("gutter");

/** The edits that are not saved, by file. */
export function drafts() {
  const edited = [...files].filter(([, { saved, text }]) => saved !== text);
  return Object.fromEntries(edited.map(([name, { text }]) => [name, text]));
}

export const stamps = () => Object.fromEntries([...files].map(([name, { stamp }]) => [name, stamp]));

export function showNames(names) {
  const select = byId("file");
  const known = [...select.options].map(({ value }) => value);
  if (JSON.stringify(known) === JSON.stringify(["", ...names])) return;
  fill(select, [["", "choose a file"], ...names.map((name) => [name, name])]);
  select.value = current;
}

/** A file as it is on disk now; an edit of it is gone. */
export function took({ name, text, stamp }) {
  const read = text.replaceAll("\r\n", "\n"); // as a text field has it; the server keeps the file's line ends
  files.set(name, { saved: read, stamp, text: read });
  if (name === current) showText();
}

export async function openFile(name, line) {
  if (!files.has(name)) took(await ask(`file?name=${encodeURIComponent(name)}`));
  current = name;
  byId("file").value = name;
  showText();
  if (line) goTo(line, 1);
}

/** Reads a file again; what was edited of it is dropped. */
export async function reread(name) {
  took(await ask(`file?name=${encodeURIComponent(name)}`));
}

export const currentFile = () => current;

function showText() {
  source.disabled = !current;
  source.setAttribute("aria-label", current ? `Source of ${current}` : "Source");
  source.value = files.get(current)?.text ?? "";
  showGutter();
}

export function showEdited() {
  const names = Object.keys(drafts());
  byId("edited").textContent = names.length ? `Not saved: ${names.join(", ")}` : "Nothing is edited.";
  byId("discard").disabled = !names.includes(current);
  for (const option of byId("file").options) {
    if (option.value) option.textContent = names.includes(option.value) ? `${option.value} (edited)` : option.value;
  }
}

/** Marks errors at their lines and lists them. */
export function showErrors(found) {
  errors = found;
  byId("errors").replaceChildren(
    ...found.map(({ file, line, column, what, mend }) => {
      const button = make("button", { type: "button", class: "link" }, `${file}:${line}:${column}`);
      button.addEventListener("click", () => openFile(file).then(() => goTo(line, column)));
      return make("li", {}, button, ` ${what} `, mend && make("small", {}, `(${mend})`));
    }),
  );
  showGutter();
}

/** Goes to the error behind the cursor, round and round. */
export async function nextError() {
  if (!errors.length) return;
  const here = source.value.slice(0, source.selectionStart).split("\n").length;
  const next = errors.find(({ file, line }) => file === current && line > here) ?? errors[0];
  await openFile(next.file);
  goTo(next.line, next.column);
}

function goTo(line, column) {
  const lines = source.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const at = start + Array.from(lines[line - 1] ?? "").slice(0, column - 1).join("").length; // columns count code points
  source.focus();
  source.setSelectionRange(at, at);
  source.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(source).lineHeight));
  source.scrollLeft = 0;
  showGutter(line);
}

function showGutter(here = 0) {
  const wrong = new Set(errors.filter(({ file }) => file === current).map(({ line }) => line));
  const size = current ? source.value.split("\n").length : 0;
  const kind = (line) => (wrong.has(line) ? "wrong" : line === here ? "here" : "");
  gutter.replaceChildren(...Array.from({ length: size }, (_, at) => make("div", { class: kind(at + 1) }, `${at + 1}`)));
  gutter.scrollTop = source.scrollTop;
}

export function setUpEditor(changed) {
  source.addEventListener("scroll", () => (gutter.scrollTop = source.scrollTop));
  source.addEventListener("input", () => {
    files.get(current).text = source.value;
    showGutter();
    changed();
  });
  byId("discard").addEventListener("click", async () => {
    await reread(current);
    changed();
  });
  addEventListener("beforeunload", (event) => Object.keys(drafts()).length && event.preventDefault());
}
