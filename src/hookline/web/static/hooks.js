// The hook panel: what each hook last did, running it again, pausing, and what fails right now.

import { ago, byId, count, element, fileList, placeIn, plain, say, show } from "./elements.js";
import { ask, hookPath, hooksPath } from "./server.js";
import { isViewing, openViewer, refreshViewer } from "./viewer.js";

const TAIL_LINES = 6;
const STATES = {
  failed: ["✗", "failed"],
  running: ["…", "running"],
  pending: ["○", "waits"],
  passed: ["✓", "passed"],
  idle: ["–", "has not run"],
  paused: ["‖", "paused"],
  disabled: ["–", "switched off"],
  untrusted: ["!", "not trusted, does not run"],
};
const NEXT = {
  reprompt: ({ attempt }) => `The agent was told to fix it (attempt ${attempt} of 3).`,
  capped: () => "The agent was told three times; now it is up to you.",
  failed: () => "The agent is not told about this hook.",
  inconclusive: () => "A hook that should have run could not; what it says is not known.",
  paused: () => "Hooks are paused.",
};

const list = byId("hooks");
const failures = byId("failures");
const pauseAll = byId("pause-all");

let hooks = new Map(); // id -> what /hooks/state tells of it
let status = { hooks: {}, pendingHooks: [] };
let turns = [];
const rows = new Map(); // id -> {root, update}
const shownFailures = new Map(); // id -> {root, update}

export const entryOf = (id) => status.hooks[id] ?? {};

export async function loadHooks() {
  const state = await ask("GET", hooksPath("state"));
  hooks = new Map(state.hooks.map((hook) => [hook.hookId, hook]));
  takeStatus(state.status);
}

/** The status object came, by the stream or as an answer. */
export function takeStatus(given) {
  const before = status;
  status = given;
  const unknown = Object.keys(status.hooks).find((id) => !hooks.has(id));
  for (const id of Object.keys(status.hooks)) {
    if (isViewing(id) && entryOf(id).lastRunAt !== before.hooks[id]?.lastRunAt) void refreshViewer(id);
  }
  draw();
  return unknown;
}

export function takeTurns(given) {
  turns = given;
  drawVerdict();
}

export function passingHooks() {
  return new Set([...hooks.keys()].filter((id) => stateOf(id) === "passed"));
}

export function setUpHooks() {
  pauseAll.addEventListener("click", () => pause(null, !status.executionPaused));
  setInterval(() => { for (const row of rows.values()) row.update(); }, 5000); // "3 s ago" ages
}

/** "Passed" is a success that is owed no further run. */
function stateOf(id) {
  const entry = entryOf(id);
  const hook = hooks.get(id);
  if (entry.lastResult === "running") return "running";
  if (entry.lastResult === "failure") return "failed";
  if (hook && !hook.enabled) return "disabled";
  if (hook && !["trusted", "managed"].includes(hook.trust)) return "untrusted";
  if (entry.executionPaused || status.executionPaused) return "paused";
  if (status.pendingHooks.includes(id)) return "pending";
  return entry.lastResult === "success" ? "passed" : "idle";
}

const nameOf = (id) => hooks.get(id)?.hookName ?? entryOf(id).hookName ?? id;

function idsOf() {
  return [...new Set([...hooks.keys(), ...Object.keys(status.hooks)])];
}

// -- the panel ---------------------------------------------------------------------------------------------

function draw() {
  const ids = idsOf();
  for (const id of ids) if (!rows.has(id)) rows.set(id, panelRow(id));
  for (const id of rows.keys()) if (!ids.includes(id)) rows.delete(id);
  placeIn(list, ids.map((id) => rows.get(id).root));
  for (const row of rows.values()) row.update();
  const passed = ids.filter((id) => stateOf(id) === "passed").length;
  say(byId("hook-count"), ids.length ? `${passed} of ${ids.length} passed` : "none here");
  pauseAll.hidden = ids.length === 0;
  pauseAll.setAttribute("aria-pressed", String(Boolean(status.executionPaused)));
  say(pauseAll, status.executionPaused ? "Resume all" : "Pause all");
  drawVerdict();
}

function panelRow(id) {
  const icon = element("span", { class: "icon", "aria-hidden": "true" });
  const name = element("strong", {});
  const state = element("span", { class: "state" });
  const facts = element("p", { class: "quiet" });
  const button = (words, act) => element("button", { type: "button", onclick: act, "aria-label": `${words} ${nameOf(id)}` }, words);
  const again = button("Run again", () => rerun(id, again));
  const pausing = button("Pause", () => pause(id, !entryOf(id).executionPaused));
  const root = element("li", { "data-hook": id },
    element("div", { class: "hook-head" }, icon, name, state),
    facts,
    element("div", { class: "hook-buttons" }, button("Output", () => openViewer(id, nameOf(id))), again, pausing));
  const update = () => {
    const key = stateOf(id);
    const hook = hooks.get(id) ?? { type: entryOf(id).type ?? "", pattern: "" };
    root.dataset.state = key;
    root.title = hook.source ?? "";
    say(icon, STATES[key][0]);
    say(name, nameOf(id));
    say(state, key === "failed" && status.pendingHooks.includes(id) ? "failed, runs again" : STATES[key][1]);
    say(facts, factsOf(hook, entryOf(id)));
    again.hidden = !["file", "session"].includes(hook.type);
    const words = entryOf(id).executionPaused ? "Resume" : "Pause";
    say(pausing, words);
    pausing.setAttribute("aria-label", `${words} ${nameOf(id)}`);
    pausing.setAttribute("aria-pressed", String(Boolean(entryOf(id).executionPaused)));
  };
  return { root, update };
}

function factsOf(hook, entry) {
  const what = hook.type === "file" ? `file ${hook.pattern}` : hook.type;
  const runs = entry.runCount ? `${count(entry.runCount, "run")}, ${entry.failCount} failed` : "";
  const code = entry.lastResult === "failure" ? `exit ${entry.lastExitCode}` : "";
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
  return attempt(async () => takeStatus(await ask("PATCH", path, { paused })));
}

async function attempt(act) {
  show(byId("hook-problem"), "");
  try {
    await act();
  } catch (error) {
    const words = error.message === "hooks_paused" ? "Hooks are paused: resume them first." : error.message;
    show(byId("hook-problem"), words);
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
  const [state, words] = verdict(ids, failing);
  byId("verdict").dataset.state = state;
  say(byId("verdict-line"), words);
  document.title = failing.length ? `✗ ${failing.map(nameOf).join(", ")} – hookline` : "hookline";
}

function verdict(ids, failing) {
  const of = (state) => ids.filter((id) => stateOf(id) === state);
  const names = (some) => some.map(nameOf).join(", ");
  if (failing.length) return ["failed", `✗ ${count(failing.length, "hook")} ${failing.length === 1 ? "fails" : "fail"}: ${names(failing)}`];
  if (of("running").length) return ["running", `… Runs now: ${names(of("running"))}`];
  if (status.executionPaused) return ["paused", "‖ All hooks are paused; what changes meanwhile is owed to them."];
  if (of("untrusted").length) {
    return ["paused", `! Not trusted, so not run: ${names(of("untrusted"))}. Review with \`hookline trust\`.`];
  }
  if (of("pending").length) return ["pending", `○ Waits for the end of the turn: ${names(of("pending"))}`];
  if (of("passed").length) return ["passed", `✓ Nothing fails: ${count(of("passed").length, "hook")} passed`];
  if (ids.length) return ["unknown", `– ${count(ids.length, "hook")} known, none has run yet`];
  return ["unknown", "No file, session or commit hooks here yet: put one into .discobot/hooks/"];
}

function failure(id) {
  const name = element("strong", {});
  const on = element("span", { class: "on" });
  const next = element("p", { class: "next" });
  const said = element("pre", { class: "said" });
  const button = element("button", { type: "button", onclick: () => openViewer(id, nameOf(id)) }, "Whole output");
  const root = element("li", {}, element("div", { class: "failure-head" }, name, on, button), said, next);
  let run = "";
  const update = () => {
    const entry = entryOf(id);
    const row = lastRow(id);
    say(name, `${nameOf(id)} · exit ${entry.lastExitCode}`);
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
