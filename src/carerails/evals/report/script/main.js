// Brings the parts together: whatever changes the state, the page is shown anew from it.

import { caseAt, place } from "./data.js";
import { openCase, showDetail } from "./detail.js";
import { byId } from "./dom.js";
import { setUpFields, showFields } from "./facets.js";
import { ordered, passing } from "./filters.js";
import { setUpKeys, showHelp } from "./keys.js";
import { focusCase, listed, neighbour, showList } from "./list.js";
import { FILTERS, change, noFilters, readState, state } from "./state.js";
import { setUpTheme } from "./theme.js";

let asked; // the filters and the order that the list shows

function show() {
  const now = JSON.stringify([...FILTERS, "sort"].map((key) => state[key]));
  if (now !== asked) {
    if (asked !== undefined) state.page = 0;
    asked = now;
    const found = ordered(passing(state), state.sort, state);
    showList(found);
    showFields(found);
  }
  showCase();
}

function showCase() {
  const number = caseAt(state.case);
  if (number !== undefined) {
    if (number !== openCase()) showDetail(number);
    return;
  }
  if (byId("detail").open) byId("detail").close();
  if (state.case) byId("count").textContent = `${state.case} is not on this page; look in results.jsonl`;
}

function changed(changes) {
  change(changes);
  show();
}

function step(by) {
  const next = neighbour(openCase(), by);
  if (next !== undefined) changed({ case: place(next) });
}

/** After the dialog the focus goes back to the case in the list, also if another one was opened meanwhile. */
function closed() {
  const number = Number(byId("detail").dataset.number);
  if (state.case) change({ case: "" });
  if (!focusCase(number)) byId("cases").focus();
}

function turn(by) {
  state.page += by;
  showList(listed());
  byId("cases").scrollIntoView();
}

/** A click anywhere on a row opens it, unless text is being selected. */
function clickedInTable(event) {
  const sort = event.target.closest("[data-sort]");
  if (sort) {
    changed({ sort: sort.dataset.sort });
    document.querySelector(`#table [data-sort$="${sort.dataset.sort.replace("-", "")}"]`)?.focus();
    return;
  }
  const link = event.target.closest("tbody tr")?.querySelector("a");
  if (link && !event.target.closest("a") && getSelection().isCollapsed) link.click();
}

/** A link in the figures or the matrices filters the list: then the list is what to look at. */
function clickedInPage(event) {
  const link = event.target.closest("#verdict a, #figures a, #matrices a");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    byId("cases").scrollIntoView();
    byId("cases").focus({ preventScroll: true });
  }
}

function setUpDialogs() {
  byId("detail").addEventListener("close", closed);
  byId("detail-close").addEventListener("click", () => byId("detail").close());
  byId("detail-previous").addEventListener("click", () => step(-1));
  byId("detail-next").addEventListener("click", () => step(1));
  byId("help-open").addEventListener("click", showHelp);
  byId("help-close").addEventListener("click", () => byId("help").close());
  for (const id of ["detail", "help"]) {
    byId(id).addEventListener("pointerdown", (event) => isOutside(event, byId(id)) && byId(id).close());
  }
}

/** Whether a press is on the backdrop, which belongs to the dialog as far as events can tell. */
function isOutside({ target, clientX, clientY }, dialog) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

function setUp() {
  setUpTheme();
  setUpFields(changed);
  setUpKeys({ step, clear: () => changed({ q: "" }) });
  setUpDialogs();
  byId("clear").addEventListener("click", () => changed(noFilters()));
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  byId("table").addEventListener("click", clickedInTable);
  document.addEventListener("click", clickedInPage);
  addEventListener("hashchange", () => {
    readState();
    show();
  });
  byId("no-script").hidden = true; // not <noscript>: some places that show reports allow scripts, but not this one
  byId("filters").hidden = byId("list").hidden = false;
  for (const key of [...FILTERS, "sort", "case"]) state[key] = "";
  readState();
  show();
}

setUp();
