// The keyboard. Single keys can be switched off: a voice that dictates would set them off.

import { byId } from "./dom.js";
import { nextError } from "./editor.js";
import { keep, kept } from "./theme.js";

const inField = (element) => element.matches("input, select, textarea");
const SINGLE = { "/": () => byId("said").focus(), e: () => byId("source").focus(), "?": showHelp };

/** Hands keys on: `save` saves. */
export function setUpKeys({ save }) {
  const box = byId("single-keys");
  box.checked = kept("single-keys") !== "off";
  box.addEventListener("change", () => keep("single-keys", box.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    const act = actionOf(event, box.checked, save);
    if (!act) return;
    event.preventDefault();
    act();
  });
  byId("help-open").addEventListener("click", showHelp);
  byId("help-close").addEventListener("click", () => byId("help").close());
}

function actionOf({ key, ctrlKey, metaKey, altKey, target }, single, save) {
  if (byId("help").open) return undefined; // the browser closes it on Esc
  if ((ctrlKey || metaKey) && key === "s") return save;
  if (key === "F8") return nextError;
  if (key === "Escape" && inField(target)) return () => target.blur();
  return single && !ctrlKey && !metaKey && !altKey && !inField(target) ? SINGLE[key] : undefined;
}

function showHelp() {
  byId("help").showModal();
  byId("help-title").focus();
}
