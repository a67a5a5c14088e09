// The keyboard. Single keys can be switched off: a voice that dictates would set them off.

import { byId } from "./dom.js";
import { moveFocus } from "./list.js";
import { keep, kept } from "./theme.js";

const inField = (element) => element.matches("input, select, textarea");

/** Hands keys on: `step` moves the open case, `clear` empties the search. */
export function setUpKeys({ step, clear }) {
  const box = byId("single-keys");
  box.checked = kept("single-keys") !== "off";
  box.addEventListener("change", () => keep("single-keys", box.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const act = actionOf(event, { step, clear, single: box.checked });
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function actionOf(event, handlers) {
  if (byId("help").open) return undefined; // the browser closes it on Esc
  if (byId("detail").open) return inDetail(event, handlers);
  if (inField(event.target)) return inSearch(event, handlers);
  return inPage(event, handlers);
}

function inDetail({ key }, { step, single }) {
  if (key === "ArrowRight" || (single && key === "j")) return () => step(1);
  if (key === "ArrowLeft" || (single && key === "k")) return () => step(-1);
  return single && key === "?" ? showHelp : undefined;
}

function inSearch({ key, target }, { clear }) {
  if (target.id !== "q") return undefined;
  if (key === "Escape") return clear;
  return key === "ArrowDown" || key === "Enter" ? () => moveFocus(1) : undefined;
}

function inPage({ key, target }, { single }) {
  const onCase = target.dataset.number !== undefined; // elsewhere arrows scroll, as everywhere
  if ((onCase && key === "ArrowDown") || (single && key === "j")) return () => moveFocus(1);
  if ((onCase && key === "ArrowUp") || (single && key === "k")) return () => moveFocus(-1);
  if (single && key === "/") return () => byId("q").focus();
  return single && key === "?" ? showHelp : undefined;
}

export function showHelp() {
  byId("help").showModal();
  byId("help-title").focus();
}
