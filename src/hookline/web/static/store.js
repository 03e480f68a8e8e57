// What the records page knows: hooks with their counts, what waits for trust, and news as they come.

import { short } from "./elements.js";
import { ask, follow } from "./server.js";

const FRESHEN_MS = 300;

export const store = { workspaces: [], hooks: [], waiting: [], problems: [], trouble: "", last: 0 };
const listeners = new Set();

/** Calls `listener` after each change with the decisions that are new, null when nobody knows which; until the function it returns is called. */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export async function loadHooks() {
  const [found, trust] = await Promise.all([ask("GET", "/records/hooks"), ask("GET", "/records/trust")]);
  Object.assign(store, found, trust);
  tell([]);
  take(await ask("GET", "/records/problems")); // takes longer, as every file is looked at
}

export function take(given) {
  Object.assign(store, given);
  tell([]);
}

function tell(fresh) {
  for (const listener of [...listeners]) listener(fresh);
}

/** What a hook is to a reader: broken, waits, off, failed, denied, passed or idle. */
export function stateOf(hook) {
  if (hook.state !== "on") return hook.state;
  if (hook.lastState === "failed") return "failed";
  return hook.runs ? "passed" : "idle";
}

export const MARKS = {
  failed: ["✗", "failed last"],
  broken: ["✗", "broken, never runs"],
  waits: ["!", "waits for trust, does not run"],
  off: ["‖", "switched off"],
  passed: ["✓", "works"],
  idle: ["–", "has not run"],
};

/** A hook of a file is known by its name; others by what they are. */
const nameless = (hook) => hook.hookName === hook.hookId;
export const nameOf = (hook) => nameless(hook) ? [hook.dialect, hook.event, short(hook.matcher, 40)].filter(Boolean).join(" ") : hook.hookName;
/** Whether its command says more than its name does. */
export const hasCommand = (hook) => nameless(hook) && hook.state !== "broken";
/** The name of a hook of the past: as it is known today, else as it was then. */
export function nameThen({ id, name, dialect }, event) {
  const known = store.hooks.find((hook) => hook.hookId === id);
  return known ? nameOf(known) : name === id ? [dialect, event].filter(Boolean).join(" ") : name;
}
/** What it is about within its event, in words; empty for all of it. */
export const aboutOf = (hook) => [hook.matcher && hook.matcherWords, hook.condition].filter(Boolean).join(", ");
export const placeOf = (hook) => (hook.line ? `${hook.source}:${hook.line}` : hook.source);
export const hookLink = (hook) => `#/hooks/${encodeURIComponent(hook.hookId)}${spaceOf(hook.workspace)}`;
export const decisionsLink = (hook) => `#/decisions?hook=${encodeURIComponent(hook.hookId)}${spaceOf(hook.workspace).replace("?", "&")}`;
export const runLink = (run) => `#/decisions/${encodeURIComponent(run)}`;
const spaceOf = (workspace) => (store.workspaces.length > 1 ? `?workspace=${encodeURIComponent(workspace)}` : "");

/** Follows the server's news; after a break everything is loaded anew. */
export function followNews(onState) {
  let fresh = [];
  let timer = null;
  const freshen = (row) => {
    if (row?.run) fresh?.push(row);
    timer ??= setTimeout(async () => {
      const rows = fresh;
      fresh = [];
      timer = null;
      await loadHooks().catch(() => null);
      tell(rows);
    }, FRESHEN_MS);
  };
  follow({ hooks: freshen, decision: freshen }, (state) => {
    onState(state);
    if (state !== "live") return;
    fresh = null; // there may be more than is told from now on
    freshen(null);
  }, "/records/stream");
}
