// Hooks: all of them, by agent and event, with a filter; and one with all that is known of it.

import { count, element, quoted, renew, say, short, span, when } from "./elements.js";
import { ask } from "./server.js";
import { failure } from "./now.js";
import { MARKS, aboutOf, decisionsLink, hookLink, hasCommand, nameOf, placeOf, runLink, stateOf, store, take } from "./store.js";
import { runRow } from "./decisions.js";
import { outputOf } from "./output.js";

const ATTENTION = ["failed", "broken", "waits", "off"];
const URGENT = "Need attention";
const SHOWN = { all: "All", attention: URGENT, failed: "Failed", waits: "Wait for trust", broken: "Broken", off: "Off", guards: "Guards", denied: "Denied something" };
const LAST_RUNS = 15;

let wanted = { text: "", kind: "all" };

export function drawHooks(root) {
  const field = element("input", { type: "search", id: "hook-filter", value: wanted.text, autocomplete: "off", spellcheck: "false", placeholder: "Name, event, matcher, file" });
  const kinds = element("select", { id: "hook-kind" }, ...Object.entries(SHOWN).map(([key, words]) =>
    element("option", { value: key, selected: key === wanted.kind }, words)));
  const found = element("p", { class: "quiet", role: "status" });
  const list = element("div", { class: "groups" });
  const draw = () => {
    wanted = { text: field.value, kind: kinds.value };
    const hooks = store.hooks.filter(fits);
    say(found, hooks.length === store.hooks.length ? count(hooks.length, "hook") : `${hooks.length} of ${count(store.hooks.length, "hook")}`);
    renew(list, groupsOf(hooks).map(group));
  };
  field.addEventListener("input", draw);
  kinds.addEventListener("change", draw);
  root.replaceChildren(
    element("h2", { class: "hidden" }, "Hooks"),
    element("div", { class: "filters", role: "search" },
      element("label", { for: "hook-filter" }, "Filter"), field,
      element("label", { for: "hook-kind" }, "Show"), kinds, found),
    list);
  draw();
  return draw;
}

function fits(hook) {
  const state = stateOf(hook);
  const kind = {
    all: true, attention: ATTENTION.includes(state), guards: hook.guard, denied: hook.denials > 0,
  }[wanted.kind] ?? state === wanted.kind;
  const words = [hook.hookId, nameOf(hook), hook.dialect, hook.event, hook.matcher, hook.condition, hook.source, hook.command, hook.workspace];
  return kind && words.join("\n").toLowerCase().includes(wanted.text.trim().toLowerCase());
}

/** What needs a person first, then agent by agent and event by event. */
function groupsOf(hooks) {
  const groups = new Map();
  const urgent = hooks.filter((hook) => ATTENTION.includes(stateOf(hook)));
  urgent.sort((a, b) => ATTENTION.indexOf(stateOf(a)) - ATTENTION.indexOf(stateOf(b)));
  if (urgent.length) groups.set(URGENT, urgent);
  for (const hook of hooks) {
    if (urgent.includes(hook)) continue;
    const name = `${hook.dialect} · ${hook.event}`;
    groups.set(name, [...(groups.get(name) ?? []), hook]);
  }
  return [...groups];
}

function group([name, hooks]) {
  const denied = hooks.reduce((sum, hook) => sum + hook.denials, 0);
  const facts = [count(hooks.length, "hook"), denied && `denied ${denied}×`].filter(Boolean).join(", ");
  return element("section", { class: `panel${name === URGENT ? " urgent" : ""}`, "aria-label": name },
    element("h3", {}, name, element("span", { class: "quiet" }, ` ${facts}`)),
    element("ul", { class: "hooks compact" }, ...hooks.map(row)));
}

function row(hook) {
  const state = stateOf(hook);
  return element("li", { "data-state": state, "data-hook": hook.hookId },
    element("div", { class: "hook-head" },
      element("span", { class: "icon", "aria-hidden": "true" }, MARKS[state][0]),
      element("a", { href: hookLink(hook) }, element("strong", {}, nameOf(hook))),
      hook.guard ? element("span", { class: "badge guard" }, "guard") : null,
      element("span", { class: "state" }, MARKS[state][1])),
    element("p", { class: "quiet" }, ...joined([spaceOf(hook), aboutOf(hook) && `on ${short(aboutOf(hook), 80)}`, hasCommand(hook) && short(hook.command, 60), placeOf(hook), ...countsOf(hook)])));
}

function countsOf(hook) {
  if (!hook.runs) return ["idle", "broken"].includes(stateOf(hook)) ? [] : ["has not run yet"];
  return [
    count(hook.runs, "run"), hook.denials ? `denied ${hook.denials}×` : "", hook.failures ? `failed ${hook.failures}×` : "",
    `p50 ${span(hook.p50Ms)}, p95 ${span(hook.p95Ms)}`, when(hook.lastAt),
  ];
}

const spaceOf = (hook) => (store.workspaces.length > 1 ? hook.workspace : "");
const joined = (parts) => parts.filter(Boolean).flatMap((part, place) => (place ? [" · ", part] : [part]));

// -- one hook --------------------------------------------------------------------------------------------------

export function drawHook(root, route, trying) {
  const find = () => store.hooks.find((hook) => hook.hookId === route.id && (!route.query.get("workspace") || hook.workspace === route.query.get("workspace")));
  const head = element("div", {});
  const runs = element("section", { class: "panel", "aria-label": "Last runs" });
  const last = element("div", {});
  let shownRun = "";
  const draw = () => {
    const hook = find();
    if (!hook) return void root.replaceChildren(element("p", {}, `There is no hook ${route.id} any more. `, element("a", { href: "#/hooks" }, "All hooks")));
    renew(head, facts(hook, trying));
    void loadRuns(hook);
  };
  const loadRuns = async (hook) => {
    const query = new URLSearchParams({ hook: hook.hookId, workspace: hook.workspace, limit: LAST_RUNS });
    const answer = await trying(() => ask("GET", `/records/decisions?${query}`));
    if (!answer) return;
    renew(runs, [
      element("h3", {}, `Last runs (${answer.count})`),
      answer.count ? element("ul", { class: "runs" }, ...answer.decisions.map((run) => runRow(run, hook.hookId))) : element("p", { class: "quiet" }, "It has not run yet."),
      answer.count > LAST_RUNS ? element("a", { href: decisionsLink(hook) }, "All of them") : null,
    ].filter(Boolean));
    if (!hook.lastRun || hook.lastRun === shownRun) return;
    shownRun = hook.lastRun;
    const run = await trying(() => ask("GET", `/records/decisions/${hook.lastRun}`));
    const said = run?.hooks.find((each) => each.id === hook.hookId);
    if (said) last.replaceChildren(element("section", { class: "panel" }, element("h3", {}, "Last output"), outputOf(run, said)));
  };
  root.replaceChildren(head, runs, last);
  draw();
  return draw;
}

function facts(hook, trying) {
  const state = stateOf(hook);
  const line = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
  const canSwitch = hook.state === "on" || hook.state === "waits" || hook.why.startsWith("disabled by");
  const on = hook.state === "off";
  const button = element("button", { type: "button", onclick: () => trying(async () => {
    take(await ask("POST", "/records/switch", { workspace: hook.workspace, hook: hook.hookId, on }));
  }) }, on ? "Switch on" : "Switch off");
  const isBroken = state === "broken";
  const isRule = hook.handler === "answer"; // nothing of it runs
  const why = state === "failed" ? failure(hook) : hook.why ? quoted(hook.why) : [];
  return [
    element("h2", { class: "title" }, nameOf(hook)),
    element("section", { class: "verdict", "data-state": { failed: "failed", broken: "failed", waits: "paused", off: "paused", passed: "passed" }[state] ?? "unknown", "aria-label": "State" },
      element("p", { class: "verdict-line" }, `${MARKS[state][0]} ${MARKS[state][1]}`),
      why.length ? element("p", { class: "next" }, ...why) : null),
    element("div", { class: "actions" }, canSwitch ? button : null,
      state === "waits" ? element("a", { class: "button", href: "#/trust" }, "Review") : null,
      element("a", { class: "button", href: decisionsLink(hook) }, "Its decisions")),
    element("section", { class: "panel", "aria-label": "Definition" }, element("dl", { class: "facts" },
      ...line("Id", element("code", {}, hook.hookId)),
      ...line("Asked at", `${hook.event}${hook.nativeEvent !== hook.event ? ` (${hook.nativeEvent})` : ""}`),
      ...line("About", hook.matcher && hook.matcher !== hook.matcherWords ? `${hook.matcherWords} (${hook.matcher})` : hook.matcherWords || "everything"),
      ...(hook.condition ? line("Only for", element("code", {}, hook.condition)) : []),
      ...line("Can deny", hook.guard ? "yes: it is a guard" : "no"),
      ...(isBroken ? [] : isRule ? line("Answers", ...quoted(hook.command)) : line("Runs", element("span", {}, `${hook.handler}: `, element("code", {}, hook.command)))),
      ...line("Written in", `${placeOf(hook)} (${hook.dialect}, ${hook.scope})`),
      ...(isBroken || isRule ? [] : line("Time limit", `${hook.timeoutS} s`)),
      ...(isBroken ? [] : line("Trust", hook.trust)),
      ...(countsOf(hook).length ? line("So far", ...joined(countsOf(hook))) : []),
      ...(hook.runs ? line("Passed last", ...passing(hook)) : []),
    )),
  ];
}

/** What is known to differ between the last time it passed and the first time it failed. */
function passing(hook) {
  if (!hook.lastPassedAt) return ["never, as far as the history goes"];
  const passed = [when(hook.lastPassedAt), " ", element("a", { href: runLink(hook.lastPassedRun) }, "that run")];
  if (!hook.firstFailedRun) return passed;
  const failed = element("a", { href: runLink(hook.firstFailedRun) }, "the first failure since");
  return [...passed, "; compare ", failed, " (", when(hook.firstFailedAt), "). Its definition is the same: a changed one is another hook."];
}
