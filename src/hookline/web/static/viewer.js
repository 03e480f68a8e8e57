// The output of one hook: numbered lines, a search, and the whole log to take away.

import { ago, byId, count, element, endWords, plain, say, shown, span } from "./elements.js";
import { firstError } from "./output.js";
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
let sinceOf = () => null;
let live = null; // while the hook runs: the next look at what it has printed
let last = "";

const LOOK_MS = 500;
const NEAR_PX = 40;

export function setUpViewer(entries, since) {
  entryOf = entries;
  sinceOf = since;
  byId("viewer-end").addEventListener("click", () => { output.scrollTop = output.scrollHeight; });
  byId("viewer-error").addEventListener("click", () => rowOf(firstError(lines.map(({ line }) => line)))?.scrollIntoView({ block: "center" }));
  byId("viewer-wrap").addEventListener("change", (event) => output.classList.toggle("unwrapped", !event.target.checked));
  byId("viewer-close").addEventListener("click", () => dialog.close());
  byId("viewer-next").addEventListener("click", () => go(1));
  byId("viewer-previous").addEventListener("click", () => go(-1));
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  dialog.addEventListener("close", () => {
    clearTimeout(live);
    opener?.focus();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

const rowOf = (place) => output.children[place];

export async function openViewer(id, name) {
  opener = document.activeElement;
  shownId = id;
  last = "";
  say(byId("viewer-title"), `Output of ${name}`);
  byId("viewer-download").href = hookPath(id, "output/download");
  field.value = "";
  showFacts();
  fill({ output: "" });
  dialog.showModal();
  await refreshViewer(id);
  if (entryOf(id).lastResult === "failure") output.scrollTop = output.scrollHeight; // errors are at the end
}

/** Loads the output; while the hook runs it is looked at again and again, and its end stays in view. */
export async function refreshViewer(id) {
  clearTimeout(live);
  try {
    const answer = await ask("GET", hookPath(id, "output"));
    if (id !== shownId || !dialog.open) return;
    showFacts(answer);
    if (answer.output !== last) {
      const isAtEnd = output.scrollHeight - output.scrollTop - output.clientHeight < NEAR_PX;
      last = answer.output;
      fill(answer);
      search();
      if (isAtEnd && isRunning(id)) output.scrollTop = output.scrollHeight;
    }
  } catch (error) {
    fill({ output: `The output cannot be shown: ${error.message}` });
  }
  if (dialog.open && id === shownId && isRunning(id)) live = setTimeout(() => refreshViewer(id), LOOK_MS);
}

export const isViewing = (id) => dialog.open && id === shownId;
const isRunning = (id) => entryOf(id).lastResult === "running";

function showFacts(answer) {
  const entry = entryOf(shownId);
  const from = sinceOf(shownId);
  const now = `runs now${from === null ? "" : `, for ${span(Math.max(0, Date.now() - from))}`}`;
  const done = entry.lastResult && [`last run: ${entry.lastResult}`, entry.lastExitCode !== undefined && endWords(entry.lastEnd, entry.lastExitCode)];
  const facts = [
    ...(isRunning(shownId) ? [now] : done || ["has not run yet"]),
    entry.runCount && `${count(entry.runCount, "run")}, ${entry.failCount ?? 0} failed`,
    !isRunning(shownId) && entry.lastRunAt && ago(entry.lastRunAt),
    answer?.tooLarge && `the last ${answer.displayedBytes} of ${answer.sizeBytes} bytes; download the log for all`,
  ];
  say(byId("viewer-facts"), facts.filter(Boolean).join(" · "));
}

function fill({ output: text, firstLine = 1 }) {
  const whole = shown(plain(text)).replace(/\n$/, "");
  lines = (whole ? whole.split("\n") : ["(no output)"]).map((line) => ({ line, root: element("span", {}, line) }));
  const error = firstError(lines.map(({ line }) => line));
  byId("viewer-error").hidden = error < 0;
  output.replaceChildren(...lines.map(({ root }, place) =>
    element("div", { class: "line" }, element("span", { class: "number", "data-number": firstLine + place }), root)));
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
