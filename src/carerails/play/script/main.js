// Brings the parts together: what is typed is decided, what is edited is considered, and nothing is kept.

import { ask, calm, latest } from "./api.js";
import { byId } from "./dom.js";
import { drafts, openFile, setUpEditor, showEdited, showErrors, showNames, stamps, took } from "./editor.js";
import { showFlips } from "./flips.js";
import { setUpKeys } from "./keys.js";
import { showNothing, showResult } from "./result.js";
import { setUpTheme } from "./theme.js";

const SOON = 250; // milliseconds without a key
const AGAIN = 1000; // between looks at engines that start and cases that are decided
const SELDOM = 5000; // between looks when all is ready: files may change on disk
let engines = [];
let compiles = true;
let waiting = false; // for the cases to be decided

function trouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = !text;
}

/** Does something and says what went wrong. */
async function trying(run) {
  try {
    await run();
    trouble("");
  } catch (wrong) {
    trouble(wrong.message);
  }
}

const decide = latest(() =>
  trying(async () => {
    const text = byId("said").value;
    if (!text) return showNothing(engines);
    const chosen = { locale: byId("locale").value || null, country: byId("country").value || null };
    const answer = await ask("decide", { text, ...chosen, drafts: compiles ? drafts() : {} });
    if (byId("said").value === text) showResult(text, answer, (file, line) => trying(() => openFile(file, line)));
    return undefined;
  }),
);

const consider = latest(() =>
  trying(async () => {
    const edited = drafts();
    showEdited();
    const found = Object.keys(edited).length ? await ask("consider", { drafts: edited }) : undefined;
    compiles = !found?.errors.length;
    waiting = found?.ready === false;
    showErrors(found?.errors ?? []);
    showFlips(found, tryText);
    byId("save").disabled = !found || !compiles;
    decide();
  }),
);

function tryText(text) {
  byId("said").value = text;
  byId("said").scrollIntoView({ block: "nearest" });
  decide();
}

/** Writes the edits; where a file changed on disk meanwhile, nothing is written and the edit stays in the page. */
const save = latest(() =>
  trying(async () => {
    const edited = drafts();
    if (!Object.keys(edited).length) return;
    const { files } = await ask("save", { drafts: edited, stamps: stamps() });
    files.forEach(took);
    byId("edited").textContent = "Saved.";
    await look();
    await consider();
  }),
);

/** Looks at what has come to be ready, and comes again. */
async function look() {
  const state = await ask("state");
  const changed = JSON.stringify(state.engines) !== JSON.stringify(engines);
  engines = state.engines;
  showNames(state.files);
  if (state.broken && !Object.keys(drafts()).length) throw new Error(`The saved rails do not compile: ${state.broken}`);
  if (changed) decide();
  if (waiting && state.cases) consider();
}

async function keepLooking() {
  await trying(look);
  const busy = waiting || engines.some(({ state }) => state === "starting");
  setTimeout(keepLooking, busy ? AGAIN : SELDOM);
}

function setUp() {
  setUpTheme();
  setUpEditor(calm(SOON, consider));
  setUpKeys({ save });
  byId("said").addEventListener("input", calm(SOON, decide));
  byId("locale").addEventListener("change", decide);
  byId("country").addEventListener("change", decide);
  byId("file").addEventListener("change", () => trying(async () => {
    if (byId("file").value) await openFile(byId("file").value);
    showEdited();
  }));
  byId("save").addEventListener("click", save);
  keepLooking();
}

setUp();
