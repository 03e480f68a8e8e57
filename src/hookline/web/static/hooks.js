// The hook panel: what each hook last did, running it again, pausing, and what fails right now.

import { age, ago, byId, count, element, endWords, fileList, placeIn, plain, say, show, span } from "./elements.js";
import { drawGuards } from "./guards.js";
import { ask, hookPath, hooksPath } from "./server.js";
import { nameOf as guardName, stateOf as guardState } from "./store.js";
import { isViewing, openViewer, refreshViewer } from "./viewer.js";

const TAIL_LINES = 6;
const MOST_NAMED = 5;
const STATES = {
  failed: ["✗", "failed"],
  running: ["…", "running"],
  pending: ["○", "waits"],
  passed: ["✓", "passed"],
  idle: ["–", "has not run"],
  paused: ["‖", "paused"],
  disabled: ["–", "switched off"],
  untrusted: ["!", "not trusted, does not run"],
  modified: ["!", "changed since it was trusted, does not run"],
  broken: ["✗", "broken, never runs"],
  removed: ["–", "no longer there"],
};
const ORDER = ["failed", "running", "broken", "modified", "untrusted", "paused", "pending"];
const MANY = 8; // from here on there is a filter
const EXAMPLE = `#!/bin/sh
#---
# name: No to-dos
# type: file
# pattern: "*.py"
#---
! grep -n TODO $DISCOBOT_CHANGED_FILES`;
const NEXT = {
  reprompt: ({ attempt }) => `The agent was told to fix it (attempt ${attempt} of 3).`,
  capped: () => "The agent was told three times; now it is up to you. It runs again after your next message.",
  failed: () => "The agent is not told about this hook.",
  inconclusive: ({ messages }) => ["A hook that should have run could not; what it says is not known.", ...(messages ?? [])].join(" "),
  paused: () => "Hooks are paused.",
};

const list = byId("hooks");
const failures = byId("failures");
const pauseAll = byId("pause-all");

let hooks = new Map(); // id -> what /hooks/state tells of it
let guards = []; // hooks of other events, of every agent
let isKnown = false; // what hooks there are
let removed = new Set(); // ids of hooks that ran and are no longer there
let isBusy = false; // a turn or an evaluation is under way
let status = { hooks: {}, pendingHooks: [] };
let turns = [];
const rows = new Map(); // id -> {root, update}
const shownFailures = new Map(); // id -> {root, update}

export const entryOf = (id) => status.hooks[id] ?? {};

let heard = 0; // how often the stream has brought a status

export async function loadHooks() {
  const before = heard;
  const state = await ask("GET", hooksPath("state"));
  hooks = new Map(state.hooks.map((hook) => [hook.hookId, hook]));
  guards = state.guards;
  isKnown = true;
  removed = new Set(Object.keys(state.status.hooks).filter((id) => !hooks.has(id)));
  takeStatus(heard === before ? state.status : status); // the stream's is newer than what was asked for before it
}

/** The status object came, by the stream or as an answer. */
export function hearStatus(given) {
  heard++;
  return takeStatus(given);
}

function takeStatus(given) {
  const before = status;
  status = given;
  const unknown = Object.keys(status.hooks).find((id) => !hooks.has(id));
  for (const id of Object.keys(status.hooks)) {
    const was = before.hooks[id];
    const isNew = entryOf(id).lastRunAt !== was?.lastRunAt || entryOf(id).lastResult !== was?.lastResult;
    if (isNew && isViewing(id)) void refreshViewer(id);
  }
  draw();
  return unknown;
}

export function takeTurns(given) {
  turns = given;
  drawVerdict();
}

/** Whether the agent or an evaluation works: what is owed runs at its end, or only after the next message. */
export function takeActivity(given) {
  if (isBusy === given) return;
  isBusy = given;
  draw();
}

/** When the hook's run under way began, in milliseconds; null when none is known. */
export function runningSince(id) {
  if (stateOf(id) !== "running") return null;
  const row = turns.flatMap((turn) => turn.hooks).findLast((each) => each.id === id && each.endedAt === null);
  return row ? Date.parse(row.startedAt) : null;
}

export function passingHooks() {
  return new Set([...hooks.keys()].filter((id) => stateOf(id) === "passed"));
}

export function setUpHooks() {
  pauseAll.addEventListener("click", () => pause(null, !status.executionPaused));
  setInterval(() => { for (const row of rows.values()) row.update(); age(); }, 1000); // "3 s ago" ages, clocks run
  byId("hook-filter").addEventListener("input", draw);
}

/** "Passed" is a success that is owed no further run. */
function stateOf(id) {
  const entry = entryOf(id);
  const hook = hooks.get(id);
  if (entry.lastResult === "running") return "running";
  if (removed.has(id)) return "removed";
  if (hook && !hook.enabled) return "disabled";
  if (hook?.runs === "waits") return hook.trust === "modified" ? "modified" : "untrusted";
  if (hook?.runs === "broken") return "broken";
  if (entry.lastResult === "failure") return "failed";
  if (entry.executionPaused || status.executionPaused) return "paused";
  if (status.pendingHooks.includes(id)) return "pending";
  return entry.lastResult === "success" ? "passed" : "idle";
}

const nameOf = (id) => (hooks.has(id) ? nameIn(hooks.get(id)) : entryOf(id).hookName ?? id);
/** A run with the name by which its hook is known everywhere else on the page. */
export function withName(row) {
  const guard = guards.find((hook) => hook.hookId === row.id);
  const name = guard ? guardName(guard) : hooks.has(row.id) ? nameOf(row.id) : row.name;
  const twins = guards.filter((hook) => guardName(hook) === name);
  return { ...row, name: twins.length > 1 ? `${name} ${row.id.split(":").pop()}` : name };
}
const nameIn = (hook) => guardName({ ...hook, matcher: hook.pattern });

function idsOf() {
  return [...new Set([...hooks.keys(), ...Object.keys(status.hooks)])];
}

// -- the panel ---------------------------------------------------------------------------------------------

function draw() {
  const ids = idsOf();
  for (const id of ids) if (!rows.has(id)) rows.set(id, panelRow(id));
  for (const id of rows.keys()) if (!ids.includes(id)) rows.delete(id);
  const text = byId("hook-filter").value.trim().toLowerCase();
  const shown = inOrder(ids.filter((id) => wordsOf(id).includes(text)));
  placeIn(list, shown.map((id) => rows.get(id).root));
  for (const row of rows.values()) row.update();
  drawGuards(guards, text);
  const all = ids.length + guards.length;
  byId("hook-tools").hidden = all < MANY;
  say(byId("hook-found"), text ? `${shown.length} of ${ids.length}` : "");
  const passed = ids.filter((id) => stateOf(id) === "passed").length;
  const more = guards.length ? `${ids.length ? ", " : ""}${count(guards.length, ids.length ? "other" : "hook")}` : "";
  say(byId("hook-count"), !isKnown ? "" : all ? `${ids.length ? `${passed} of ${ids.length} passed` : ""}${more}` : "none here");
  pauseAll.hidden = ids.length === 0;
  pauseAll.setAttribute("aria-pressed", String(Boolean(status.executionPaused)));
  say(pauseAll, status.executionPaused ? "Resume all" : "Pause all");
  drawVerdict();
}

/** What needs somebody first, all others as their files are ordered; few of them stay where they are. */
function inOrder(ids) {
  if (ids.length < MANY) return ids;
  const rank = (id) => (ORDER.indexOf(stateOf(id)) + ORDER.length + 1) % (ORDER.length + 1);
  return [...ids].sort((a, b) => rank(a) - rank(b));
}

function wordsOf(id) {
  const hook = hooks.get(id);
  return [id, nameOf(id), hook?.pattern, hook?.source, STATES[stateOf(id)][1]].join("\n").toLowerCase();
}

function panelRow(id) {
  const icon = element("span", { class: "icon", "aria-hidden": "true" });
  const name = element("strong", {});
  const state = element("span", { class: "state" });
  const facts = element("p", { class: "quiet" });
  const button = (words, act) => element("button", { type: "button", onclick: act, "aria-label": `${words} ${nameOf(id)}` }, words);
  const again = button("Run again", () => rerun(id, again));
  const stopping = button("Stop", () => attempt(() => ask("POST", hookPath(id, "stop"))));
  const pausing = button("Pause", () => pause(id, !entryOf(id).executionPaused));
  const root = element("li", { "data-hook": id },
    element("div", { class: "hook-head" }, icon, name, state),
    facts,
    element("div", { class: "hook-buttons" }, button("Output", () => openViewer(id, nameOf(id))), again, stopping, pausing));
  const update = () => {
    const key = stateOf(id);
    const hook = hooks.get(id) ?? { type: entryOf(id).type ?? "", pattern: "" };
    root.dataset.state = key;
    root.title = hook.source ?? "";
    say(icon, STATES[key][0]);
    say(name, nameOf(id));
    say(state, stateWords(id, key));
    say(facts, factsOf(hook, entryOf(id)));
    again.hidden = key === "running" || !hook.type;
    stopping.hidden = key !== "running";
    const words = entryOf(id).executionPaused ? "Resume" : "Pause";
    say(pausing, words);
    pausing.setAttribute("aria-label", `${words} ${nameOf(id)}`);
    pausing.setAttribute("aria-pressed", String(Boolean(entryOf(id).executionPaused)));
  };
  return { root, update };
}

/** The state, and when it becomes another one. */
function stateWords(id, key) {
  const owed = status.pendingHooks.includes(id);
  const entry = entryOf(id);
  if (key === "failed" && owed) return isBusy ? "failed, runs again" : "failed; runs after your next message";
  if (key === "running") return ["running", span(sinceStart(id))].filter(Boolean).join(" for ");
  if (key === "paused" && (entry.pausedBy ?? status.pausedBy)) {
    return `paused by ${entry.pausedBy ?? status.pausedBy} ${ago(entry.pausedAt ?? status.pausedAt)}`;
  }
  if (key !== "pending") return STATES[key][1];
  const failing = idsOf().find((each) => stateOf(each) === "failed" && status.pendingHooks.includes(each));
  if (failing) return `waits behind ${nameOf(failing)}, which failed`;
  return isBusy ? "waits for the end of the turn" : "runs after your next message";
}

function sinceStart(id) {
  const from = runningSince(id);
  return from === null ? null : Math.max(1, Math.floor((Date.now() - from) / 1000)) * 1000;
}

function factsOf(hook, entry) {
  const what = hook.type === "file" ? `file ${hook.pattern}` : hook.type;
  const runs = entry.runCount ? `${count(entry.runCount, "run")}, ${entry.failCount} failed` : "";
  const code = entry.lastResult === "failure" ? endWords(entry.lastEnd, entry.lastExitCode) : "";
  return [what, code, runs, entry.lastRunAt && ago(entry.lastRunAt)].filter(Boolean).join(" · ");
}

async function rerun(id, button) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  await attempt(() => ask("POST", hookPath(id, "rerun")));
  button.removeAttribute("aria-busy");
}

function pause(id, paused) {
  const path = id === null ? hooksPath("execution") : hookPath(id, "execution");
  return attempt(async () => hearStatus(await ask("PATCH", path, { paused })));
}

async function attempt(act) {
  show(byId("hook-problem"), "");
  try {
    await act();
  } catch (error) {
    show(byId("hook-problem"), error.message);
  }
}

// -- what fails now ------------------------------------------------------------------------------------------

function drawVerdict() {
  const ids = idsOf();
  const failing = ids.filter((id) => stateOf(id) === "failed");
  for (const id of shownFailures.keys()) if (!failing.includes(id)) shownFailures.delete(id);
  for (const id of failing) if (!shownFailures.has(id)) shownFailures.set(id, failure(id));
  placeIn(failures, failing.map((id) => shownFailures.get(id).root));
  for (const each of shownFailures.values()) each.update();
  const [state, words, ...next] = verdict(ids, failing);
  const line = element("div", {}, ...next);
  byId("verdict-next").hidden = !next.length;
  // What says the same stays, so that a link keeps the focus and a box stays open.
  if (byId("verdict-next").textContent !== line.textContent) byId("verdict-next").replaceChildren(...line.childNodes);
  byId("verdict").dataset.state = state;
  say(byId("verdict-line"), words);
  const faulty = [...failing.map(nameOf), ...guardsThat("failed")];
  document.title = faulty.length ? `✗ ${faulty.slice(0, MOST_NAMED).join(", ")} – hookline` : "hookline";
}

/** What stands at the top: a state, a line, and what to do next. */
function verdict(ids, failing) {
  const of = (state) => ids.filter((id) => stateOf(id) === state);
  const names = (some) => some.map(nameOf).join(", ");
  const waiting = [...of("untrusted"), ...of("modified")].map(nameOf).concat(guardsThat("waits"));
  const broken = of("broken").map(nameOf).concat(guardsThat("broken"));
  const faulty = guardsThat("failed");
  const unsafe = [named("! Not trusted, so not run", waiting), named("✗ Broken, so never run", broken), named("✗ Failed when last asked", faulty)].filter(Boolean).join(" ");
  const next = unsafe ? [`${unsafe} `, ...review(waiting)] : [];
  if (failing.length) return ["failed", `✗ ${count(failing.length, "hook")} ${failing.length === 1 ? "fails" : "fail"}: ${names(failing)}`, ...next];
  if (of("running").length) return ["running", `… Runs now: ${names(of("running"))}`, ...next];
  if (status.executionPaused) return ["paused", `‖ All hooks are paused${pauser()}; what changes meanwhile is owed to them.`, ...next];
  if (unsafe) return [broken.length || faulty.length ? "failed" : "paused", unsafe, ...review(waiting)];
  const turn = turns.at(-1);
  if (turn?.status === "failed") return ["failed", `✗ The last turn failed${turn.reason ? `: ${turn.reason}` : ""}`];
  if (of("pending").length) return ["pending", `○ ${isBusy ? "Waits for the end of the turn" : "Runs after your next message"}: ${names(of("pending"))}`];
  if (turn?.evaluation?.action === "inconclusive") return ["paused", `? ${NEXT.inconclusive(turn.evaluation)}`];
  if (of("passed").length) return ["passed", `✓ Nothing fails: ${count(of("passed").length, "hook")} passed`];
  if (ids.length) return ["unknown", `– ${count(ids.length, "hook")} known, none has run yet`];
  if (guards.length) return ["unknown", `– ${count(guards.length, "hook")} of ${[...new Set(guards.map((hook) => hook.dialect))].join(", ")}; none of them fails`];
  if (!isKnown) return ["unknown", "… looking at the hooks"];
  return ["unknown", "No hooks here yet: put one into .discobot/hooks/", example()];
}

const guardsThat = (state) => guards.filter((hook) => guardState(hook) === state).map(guardName);
const named = (words, names) => (names.length ? `${words}: ${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : ""}.` : "");
const review = (waiting) => (waiting.length ? [element("a", { href: "/records#/trust" }, "Review"), " here, or with ", element("code", {}, "hookline trust"), "."] : [element("a", { href: "/records" }, "See them"), ", or run ", element("code", {}, "hookline check"), "."]);
const pauser = () => (status.pausedBy ? ` by ${status.pausedBy}` : "");

function example() {
  return element("details", { class: "example" }, element("summary", {}, "A hook to begin with"),
    element("p", { class: "quiet" }, ".discobot/hooks/todo.sh, executable:"), element("pre", { tabindex: "0" }, EXAMPLE));
}

function failure(id) {
  const name = element("strong", {});
  const on = element("span", { class: "on" });
  const next = element("p", { class: "next" });
  const said = element("pre", { class: "said", tabindex: "0", role: "region", "aria-label": `End of the output of ${nameOf(id)}` });
  const button = element("button", { type: "button", onclick: () => openViewer(id, nameOf(id)) }, "Whole output");
  const root = element("li", {}, element("div", { class: "failure-head" }, name, on, button), said, next);
  let run = "";
  const update = () => {
    const entry = entryOf(id);
    const row = lastRow(id);
    say(name, `${nameOf(id)} · ${endWords(entry.lastEnd, entry.lastExitCode).replace("exit code", "exit")}`);
    const files = row?.files ?? [];
    if (on.textContent !== `on ${files.join("")}`) {
      on.replaceChildren(...(files.length ? ["on ", fileList(files, row.extraFileCount)] : []));
    }
    say(next, nextOf());
    if (run !== entry.lastRunAt) {
      run = entry.lastRunAt;
      void tail(id, said);
    }
  };
  return { root, update };
}

function lastRow(id) {
  for (const turn of [...turns].reverse()) {
    const row = [...turn.hooks].reverse().find((each) => each.id === id && each.failed && each.files?.length);
    if (row) return row;
  }
  return null;
}

function nextOf() {
  const evaluation = [...turns].reverse().find((turn) => turn.evaluation?.endedAt)?.evaluation;
  return NEXT[evaluation?.action]?.(evaluation) ?? "";
}

async function tail(id, target) {
  try {
    const answer = await ask("GET", hookPath(id, "output"));
    const lines = plain(answer.output).trim().split("\n");
    const cut = lines.length > TAIL_LINES ? ["…", ...lines.slice(-TAIL_LINES)] : lines;
    say(target, cut.join("\n") || "(no output)");
  } catch (error) {
    say(target, `(its output cannot be read: ${error.message})`);
  }
}
