// Now: what fails, what is off and why, what waits for trust; failed first; and what was decided last.

import { runRow } from "./decisions.js";
import { count, element, endWords, quoted, renew, short, when } from "./elements.js";
import { MARKS, aboutOf, hookLink, hasCommand, nameOf, placeOf, runLink, stateOf, store } from "./store.js";
import { ask } from "./server.js";

const LATEST = 5;
const PARTS = [
  ["failed", "Fails"],
  ["broken", "Broken: never runs"],
  ["waits", "Waits for trust: does not run"],
  ["off", "Switched off"],
];

export function drawNow(root, route, trying) {
  let latest = [];
  const draw = () => {
    const of = (state) => store.hooks.filter((hook) => stateOf(hook) === state);
    const parts = PARTS.map(([state, title]) => [state, title, of(state)]).filter(([, , found]) => found.length);
    renew(root, [
      element("h2", { class: "hidden" }, "Now"),
      verdict(parts),
      store.trouble ? element("p", { class: "problem" }, `The history: ${store.trouble}`) : null,
      ...parts.map(([state, title, found]) => section(state, title, found)),
      problems(),
      decided(latest),
      recent(),
    ].filter(Boolean));
  };
  const look = async () => {
    latest = (await trying(() => ask("GET", `/records/decisions?limit=${LATEST}`)))?.decisions ?? latest;
    if (root.isConnected) draw();
  };
  draw();
  look();
  return (fresh) => {
    draw();
    if (fresh === null || fresh.length) look();
  };
}

function verdict(parts) {
  const [state, , found] = parts[0] ?? (store.problems.length ? ["weak", "", []] : ["passed", "", []]);
  const guards = found.filter((hook) => hook.guard).length;
  const among = guards ? `, ${count(guards, "guard")} among them` : "";
  const heads = {
    failed: () => `✗ ${count(found.length, "hook")} failed when last run${among}`,
    broken: () => `✗ ${count(found.length, "entry", "entries")} never ${found.length === 1 ? "runs" : "run"}${among}`,
    waits: () => `! ${count(found.length, "hook")} ${found.length === 1 ? "waits" : "wait"} for trust${among}`,
    weak: () => `✗ ${count(store.problems.length, "mistake")} in the hooks' files`,
    off: () => `‖ ${count(found.length, "hook")} switched off${among}`,
    passed: () => (store.hooks.length ? `✓ Nothing fails: ${count(store.hooks.length, "hook")}` : "There are no hooks here yet"),
  };
  const kind = { broken: "failed", weak: "failed", waits: "paused", off: "paused" }[state] ?? state;
  return element("section", { class: "verdict", "data-state": kind, "aria-label": "What fails now" },
    element("p", { class: "verdict-line", id: "verdict-line" }, heads[state]()),
    element("p", { class: "next", id: "next" }, ...quoted(nextOf(state, found))));
}

/** What happens next, in one sentence. */
function nextOf(state, found) {
  const first = found[0];
  if (state === "failed") return found.length === 1 ? `It runs again at its next ${first.event}${aboutOf(first) ? ` on ${short(aboutOf(first), 120)}` : ""}.` : "Each runs again at its next event.";
  if (state === "broken") return `Nothing asks ${found.length === 1 ? "it" : "them"} until the file is mended; \`hookline check\` says how.`;
  if (state === "weak") return "Such a hook does less than it says until its file is mended; `hookline check` says more.";
  if (state === "waits") return "It runs at the next event after you accept it under Trust.";
  if (state === "off") return "It is asked again once somebody switches it on.";
  if (!store.hooks.length) return "`hookline init` writes a first one; this page shows it as soon as it is there.";
  return "Every hook is asked at its next event.";
}

function section(state, title, found) {
  const id = `part-${state}`;
  return element("section", { class: "panel", "aria-labelledby": id },
    element("h3", { id }, `${title} (${found.length})`),
    element("ul", { class: "hooks" }, ...found.map((hook) => item(hook, state))));
}

function item(hook, state) {
  const why = state === "failed" ? failure(hook) : quoted(hook.why);
  const act = state === "waits" ? element("a", { class: "button", href: "#/trust" }, "Review") : null;
  return element("li", { "data-state": state, "data-hook": hook.hookId },
    element("div", { class: "hook-head" }, element("span", { class: "icon", "aria-hidden": "true" }, MARKS[state][0]),
      element("a", { href: hookLink(hook) }, element("strong", {}, nameOf(hook))),
      hook.guard ? element("span", { class: "badge guard" }, "guard") : null,
      element("span", { class: "quiet" }, [hook.event, short(aboutOf(hook), 80), hasCommand(hook) && short(hook.command, 80), placeOf(hook), store.workspaces.length > 1 && hook.workspace].filter(Boolean).join(" · "))),
    element("p", { class: "why" }, ...why),
    act ? element("div", { class: "hook-buttons" }, act) : null);
}

/** How it failed last, and since when. */
export function failure(hook, page = "") {
  const run = element("a", { href: page + runLink(hook.firstFailedRun || hook.lastRun) }, "first failure");
  const passed = hook.lastPassedAt ? [", passed last ", when(hook.lastPassedAt)] : [", has not passed yet"];
  const { status, exitCode, words = "" } = hook.lastEnd ?? {};
  const end = status ? endWords(status, exitCode) : "";
  const why = words.includes("`") ? quoted(words) : [words ? element("code", {}, words) : ""];
  return [end ? `${end}, ` : "failed ", when(hook.lastAt), words ? ": " : "", ...why, "; ", run, ...passed];
}

/** What reads like a guard and is none, or a weaker one. */
function problems() {
  const rows = store.problems.map((found) => element("li", { "data-state": "broken" },
    element("div", { class: "hook-head" }, element("span", { class: "icon", "aria-hidden": "true" }, "✗"), element("code", {}, placeOf(found))),
    element("p", { class: "why" }, found.path ? `${found.path}: ` : "", ...quoted(found.message), found.hint ? element("span", { class: "quiet" }, "; ", ...quoted(found.hint)) : null)));
  return rows.length ? element("section", { class: "panel", "aria-labelledby": "part-problems" },
    element("h3", { id: "part-problems" }, `Never meant, or weaker than it reads (${rows.length})`), element("ul", { class: "hooks" }, ...rows)) : null;
}

/** The newest decisions: what the agent is at while somebody watches. */
function decided(runs) {
  return runs.length ? element("section", { class: "panel", "aria-labelledby": "part-latest" },
    element("h3", { id: "part-latest" }, "Decided last"),
    element("ul", { class: "runs" }, ...runs.map((run) => runRow(run)))) : null;
}

function recent() {
  const denied = store.hooks.filter((hook) => hook.denials);
  const words = denied.length ? denied.map((hook) => `${nameOf(hook)} denied ${hook.denials}×`).join(", ") : "None of the guards that are here now has denied anything yet";
  return element("p", { class: "quiet footnote" }, `${words}. `, element("a", { href: "#/decisions" }, "All decisions"));
}
