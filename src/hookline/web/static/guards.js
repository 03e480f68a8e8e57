// Hooks of other events, of every agent: what each guards, what it did, and whether it runs at all.

import { byId, count, element, placeIn, quoted, short, span, when } from "./elements.js";
import { failure } from "./now.js";
import { MARKS, aboutOf, nameOf, placeOf, stateOf } from "./store.js";

const URGENT = ["failed", "broken", "waits", "off"];

const box = byId("guards");
const groups = new Map(); // name -> details, so that an open one stays open, also over a moment without its hooks, as while a file is written

export const isUrgent = (hook) => URGENT.includes(stateOf(hook));
export const recordLink = (hook) => `/records#/hooks/${encodeURIComponent(hook.hookId)}`;

/** Agent by agent and event by event, those that need somebody first. */
export function drawGuards(hooks, text) {
  const found = new Map();
  for (const hook of hooks.filter((each) => fits(each, text))) {
    const name = hook.dialect ? `${hook.dialect} · ${hook.event}` : "Broken entries";
    found.set(name, [...(found.get(name) ?? []), hook]);
  }
  const ordered = [...found].sort(([, a], [, b]) => b.some(isUrgent) - a.some(isUrgent));
  placeIn(box, ordered.map(([name, members]) => groupOf(name, members, text)));
}

function fits(hook, text) {
  const words = [hook.hookId, nameOf(hook), hook.dialect, hook.event, hook.matcher, hook.condition, hook.source, MARKS[stateOf(hook)][1]];
  return words.join("\n").toLowerCase().includes(text);
}

function groupOf(name, hooks, text) {
  const known = groups.get(name) ?? element("details", { class: "guards", open: hooks.some(isUrgent) }, element("summary", {}), element("ul", { class: "hooks" }));
  groups.set(name, known);
  const [summary, list] = known.children;
  const sum = (key) => hooks.reduce((all, hook) => all + hook[key], 0);
  const urgent = hooks.filter(isUrgent).length;
  const facts = [count(hooks.length, "hook"), sum("denials") && `denied ${sum("denials")}×`, urgent && `${urgent} need${urgent === 1 ? "s" : ""} you`];
  summary.replaceChildren(element("strong", {}, name), element("span", { class: "quiet" }, ` ${facts.filter(Boolean).join(", ")}`));
  list.replaceChildren(...[...hooks].sort((a, b) => isUrgent(b) - isUrgent(a)).map(row));
  if (text) known.open = true;
  return known;
}

function row(hook) {
  const state = stateOf(hook);
  const did = hook.runs
    ? [count(hook.runs, "run"), hook.denials ? `denied ${hook.denials}×` : "", hook.failures ? `failed ${hook.failures}×` : "", `p50 ${span(hook.p50Ms)}`, when(hook.lastAt)]
    : [state !== "idle" && "has not run yet"];
  const facts = [aboutOf(hook) && `on ${short(aboutOf(hook), 80)}`, placeOf(hook), ...did].filter(Boolean);
  return element("li", { "data-state": state, "data-guard": hook.hookId },
    element("div", { class: "hook-head" },
      element("span", { class: "icon", "aria-hidden": "true" }, MARKS[state][0]),
      element("a", { href: recordLink(hook) }, element("strong", {}, nameOf(hook))),
      hook.guard ? element("span", { class: "badge guard" }, "guard") : null,
      element("span", { class: "state" }, MARKS[state][1])),
    element("p", { class: "quiet" }, ...facts.flatMap((fact, place) => (place ? [" · ", fact] : [fact]))),
    state === "failed" ? element("p", {}, ...failure(hook, "/records")) : isUrgent(hook) && hook.why ? element("p", {}, ...quoted(hook.why)) : null);
}
