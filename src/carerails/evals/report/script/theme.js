// Light, dark, or as the system has it. What is chosen is kept where the browser keeps things; a file may have no such place.

import { byId } from "./dom.js";

export function kept(name) {
  try {
    return localStorage.getItem(`carerails-${name}`);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`carerails-${name}`, value);
  } catch {
    // Then it holds until the page is closed.
  }
}

export function setUpTheme() {
  const select = byId("theme");
  select.value = kept("theme") ?? "system";
  const show = () => (document.documentElement.dataset.theme = select.value);
  select.addEventListener("change", () => {
    keep("theme", select.value);
    show();
  });
  show();
}
