// The output of one hook: numbered lines, a search, and the whole log to take away.

import { ago, byId, count, element, plain, say } from "./elements.js";
import { ask, hookPath } from "./server.js";

const dialog = byId("viewer");
const output = byId("viewer-output");
const field = byId("viewer-search");
const matches = byId("viewer-matches");

let lines = [];
let found = [];
let at = -1;
let opener = null;
let shownId = "";
let entryOf = () => ({});

export function setUpViewer(entries) {
  entryOf = entries;
  byId("viewer-close").addEventListener("click", () => dialog.close());
  byId("viewer-next").addEventListener("click", () => go(1));
  byId("viewer-previous").addEventListener("click", () => go(-1));
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  dialog.addEventListener("close", () => opener?.focus());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

export async function openViewer(id, name) {
  opener = document.activeElement;
  shownId = id;
  say(byId("viewer-title"), `Output of ${name}`);
  byId("viewer-download").href = hookPath(id, "output/download");
  field.value = "";
  showFacts();
  fill("");
  dialog.showModal();
  await refreshViewer(id);
}

/** The hook has run again: its new output, with the search as it was. */
export async function refreshViewer(id) {
  if (!dialog.open && id !== shownId) return;
  try {
    const answer = await ask("GET", hookPath(id, "output"));
    if (id !== shownId) return;
    showFacts(answer);
    fill(answer.output);
  } catch (error) {
    fill(`The output cannot be shown: ${error.message}`);
  }
  search();
}

export const isViewing = (id) => dialog.open && id === shownId;

function showFacts(answer) {
  const entry = entryOf(shownId);
  const facts = [
    entry.lastResult && `last run: ${entry.lastResult}`,
    entry.lastExitCode !== undefined && `exit code ${entry.lastExitCode}`,
    entry.runCount && `${count(entry.runCount, "run")}, ${entry.failCount ?? 0} failed`,
    entry.lastRunAt && ago(entry.lastRunAt),
    answer?.tooLarge && `the last ${answer.displayedBytes} of ${answer.sizeBytes} bytes; download the log for all`,
  ];
  say(byId("viewer-facts"), facts.filter(Boolean).join(" · "));
}

function fill(text) {
  const shown = plain(text).replace(/\n$/, "");
  lines = (shown ? shown.split("\n") : ["(no output)"]).map((line) => ({ line, root: element("span", {}, line) }));
  output.replaceChildren(...lines.map(({ root }, place) =>
    element("div", { class: "line" }, element("span", { class: "number", "data-number": place + 1 }), root)));
}

function search() {
  const wanted = field.value.toLowerCase();
  found = [];
  at = -1;
  for (const { line, root } of lines) mark(root, line, wanted);
  if (found.length) go(1);
  else say(matches, wanted ? "no match" : "");
}

function mark(root, line, wanted) {
  const low = line.toLowerCase();
  let from = 0;
  let next = wanted && low.length === line.length ? low.indexOf(wanted) : -1;
  if (next < 0) return root.replaceChildren(line);
  root.replaceChildren();
  for (; next >= 0; next = low.indexOf(wanted, from)) {
    const hit = element("mark", {}, line.slice(next, next + wanted.length));
    root.append(line.slice(from, next), hit);
    found.push(hit);
    from = next + wanted.length;
  }
  root.append(line.slice(from));
}

function go(step) {
  if (!found.length) return;
  found[at]?.classList.remove("current");
  at = (at + step + found.length) % found.length;
  found[at].classList.add("current");
  found[at].scrollIntoView({ block: "center" });
  say(matches, `${at + 1} of ${found.length}`);
}
