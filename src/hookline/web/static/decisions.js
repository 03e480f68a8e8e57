// Decisions: every event that was asked about, by whom, with the verdict and why; and one in full.

import { count, element, quoted, say, short, span, when } from "./elements.js";
import { outputOf } from "./output.js";
import { ask } from "./server.js";
import { runLink, store } from "./store.js";

const VERDICTS = { deny: "⊘", halt: "⊘", ask: "?", allow: "✓", defer: "–", none: "·" };
const CHOSEN = [["event", "Event"], ["verdict", "Verdict"], ["tool", "Tool"], ["agent", "Agent"], ["session", "Session"], ["workspace", "Workspace"]];
const SPANS = [["", "any time"], ["3600", "the last hour"], ["86400", "the last day"], ["604800", "the last week"]];
const SILENT = ["not_matched", "no_such_event", "duplicate", "not_reached"];
const OURSELVES = /^hookline itself\b/; // the entry by which an agent calls us
const TYPING_MS = 150;

/** One decision as a row of a list. */
export function runRow(run) {
  const mark = run.failed && run.verdict === "none" ? "✗" : VERDICTS[run.verdict] ?? "·";
  const names = run.hooks.map((hook) => nameIn(run, hook)).join(", ");
  const asked = [run.tool, run.summary].filter(Boolean).join(" ") || names;
  return element("li", { "data-verdict": run.verdict, "data-failed": String(run.failed), "data-run": run.run },
    element("a", { class: "run", href: runLink(run.run) },
      element("span", { class: "mark", "aria-hidden": "true" }, mark),
      element("span", { class: "what" }, element("strong", {}, run.event), " ", element("span", { class: "asked" }, short(asked, 160))),
      element("span", { class: "verdict-word" }, wordsOf(run))),
    element("p", { class: "quiet" }, when(run.at), ` · ${run.agent}${store.workspaces.length > 1 ? ` in ${run.workspace}` : ""} · ${run.hooks.length ? count(run.hooks.length, "hook") : "no hook"} asked · ${span(run.durationMs)}`,
      ...(run.reason ? [" · ", ...quoted(short(run.reason, 200))] : [])));
}

const nameIn = (run, hook) => (hook.name === hook.id ? `${hook.dialect} ${run.event}` : hook.name);

function wordsOf(run) {
  const words = { deny: "denied", halt: "stopped the agent", ask: "asks the user", allow: "allowed", defer: "left to the agent", none: "no objection" };
  const lost = run.degraded ? `, ${run.degraded} let through` : "";
  const judges = run.hooks.filter((hook) => hook.verdict === run.verdict && run.verdict !== "none").map((hook) => nameIn(run, hook));
  const by = judges.length ? `${["ask", "defer"].includes(run.verdict) ? ", says" : " by"} ${short(judges[0], 60)}${judges.length > 1 ? ` and ${judges.length - 1} more` : ""}` : "";
  return `${words[run.verdict] ?? run.verdict}${by}${run.failed && run.verdict === "none" ? ", a hook failed" : ""}${lost}`;
}

// -- the list -----------------------------------------------------------------------------------------------------

export function drawDecisions(root, route, trying) {
  const text = element("input", { type: "search", id: "run-text", autocomplete: "off", spellcheck: "false", value: route.query.get("text") ?? "", placeholder: "Command, file, reason, hook" });
  const failed = element("input", { type: "checkbox", id: "run-failed", checked: route.query.get("failed") === "true" });
  const time = chooser("run-since", SPANS, "");
  const choosers = new Map(CHOSEN.map(([key]) => [key, element("select", { id: `run-${key}` })]));
  const hook = route.query.get("hook") ?? "";
  const list = element("ul", { class: "runs" });
  const found = element("p", { class: "quiet", role: "status" });
  const more = element("button", { type: "button", onclick: () => load(true) }, "Older ones");
  let rows = [];
  let asked = 0;
  const load = async (older = false) => {
    const turn = ++asked;
    const answer = await trying(() => ask("GET", `/records/decisions?${queryOf(older)}`));
    if (!answer || turn !== asked) return;
    rows = older ? [...rows, ...answer.decisions] : answer.decisions;
    for (const [key, words] of CHOSEN) fill(choosers.get(key), words, answer.choices[key], route.query.get(key));
    say(found, `${count(answer.count, "decision")}${answer.count > rows.length ? `, the newest ${rows.length} shown` : ""}`);
    list.replaceChildren(...rows.map(runRow));
    if (!rows.length) list.replaceChildren(element("li", { class: "quiet" }, "Nothing fits. Decisions come here as agents, git and `hookline fire` ask."));
    more.hidden = answer.count <= rows.length;
  };
  const queryOf = (older) => {
    const query = new URLSearchParams();
    for (const [key] of CHOSEN) if (choosers.get(key).value || route.query.get(key)) query.set(key, choosers.get(key).value || route.query.get(key));
    if (text.value.trim()) query.set("text", text.value.trim());
    if (failed.checked) query.set("failed", "true");
    if (hook) query.set("hook", hook);
    if (time.value) query.set("since", Math.floor(Date.now() / 1000 - Number(time.value)));
    if (older && rows.length) query.set("before", rows.at(-1).n);
    return query;
  };
  let timer = null;
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(load, TYPING_MS);
  });
  for (const box of [failed, time]) box.addEventListener("change", () => load());
  for (const [key, box] of choosers) box.addEventListener("change", () => {
    route.query.delete(key);
    void load();
  });
  root.replaceChildren(
    element("h2", { class: "hidden" }, "Decisions"),
    element("div", { class: "filters", role: "search" },
      element("label", { for: "run-text" }, "Search"), text,
      ...CHOSEN.map(([key, words]) => element("label", { class: "choice", "data-key": key }, words, choosers.get(key))),
      element("label", { class: "choice" }, "Since", time),
      element("label", { class: "choice" }, failed, "a hook failed"),
      hook ? element("a", { class: "button", href: "#/decisions" }, `hook ${hook} ✕`) : null, found),
    list, more);
  more.hidden = true;
  void load();
  return (fresh) => fresh.length && load();
}

function chooser(id, pairs, chosen) {
  return element("select", { id }, ...pairs.map(([value, words]) => element("option", { value, selected: value === chosen }, words)));
}

/** The values there are; one that is chosen stays, and so does an open list. */
function fill(box, words, values, first) {
  const chosen = box.value || first || "";
  const all = [...new Set([...(chosen ? [chosen] : []), ...values])].sort();
  if (box.options.length === all.length + 1) return;
  box.replaceChildren(element("option", { value: "" }, "any"), ...all.map((value) => element("option", { value, selected: value === chosen }, short(value, 60))));
  box.closest("label").hidden = all.length < 2 && !chosen;
}

// -- one of them ----------------------------------------------------------------------------------------------------

export function drawDecision(root, route, trying) {
  void (async () => {
    const run = await trying(() => ask("GET", `/records/decisions/${encodeURIComponent(route.id)}`));
    if (!run) return root.replaceChildren(element("p", {}, "This decision is not kept any more. ", element("a", { href: "#/decisions" }, "All decisions")));
    root.replaceChildren(...whole(run, trying));
  })();
}

function whole(run, trying) {
  const isSilent = (hook) => SILENT.includes(hook.status) || OURSELVES.test(hook.why);
  const asked = run.hooks.filter((hook) => !isSilent(hook));
  const silent = run.hooks.filter(isSilent);
  const state = ["deny", "halt"].includes(run.verdict) ? "paused" : asked.some(hasFailed) ? "failed" : "passed";
  return [
    element("h2", { class: "title" }, `${run.event}${run.asked?.tool ? ` · ${run.asked.tool}` : ""}`),
    element("section", { class: "verdict", "data-state": state, "aria-label": "Verdict" },
      element("p", { class: "verdict-line" }, `${VERDICTS[run.verdict] ?? "·"} ${wordsOf({ ...run, degraded: 0, failed: asked.some(hasFailed) })}`),
      run.reason ? element("p", { class: "next" }, ...quoted(run.reason)) : null),
    actions(run, trying),
    question(run, asked),
    ...asked.map(judge),
    ...extras(run),
    silent.length ? element("details", { class: "panel" }, element("summary", {}, `${count(silent.length, "hook")} not concerned, and why`),
      element("ul", { class: "plain" }, ...silent.map((hook) => element("li", {}, hookName(hook), element("span", { class: "quiet" }, " ", ...quoted(hook.why)))))) : "",
  ];
}

const hasFailed = (hook) => ["timed_out", "launch_failed", "bad_output"].includes(hook.status) || (hook.exit_code && !["deny", "halt"].includes(hook.verdict)) || Boolean(hook.signal);

function hookName(hook) {
  const known = store.hooks.find((each) => each.hookId === hook.id);
  const name = hook.name === hook.id ? [hook.dialect, hook.event, hook.matcher].filter(Boolean).join(" ") : hook.name;
  return known ? element("a", { href: `#/hooks/${encodeURIComponent(hook.id)}` }, name) : element("span", {}, name);
}

function actions(run, trying) {
  const said = element("p", { class: "quiet", role: "status" });
  const again = element("button", { type: "button", onclick: () => trying(async () => {
    again.setAttribute("aria-busy", "true");
    try {
      const { changed, now, notes } = await ask("POST", `/records/decisions/${run.run}/rerun`);
      const words = changed === null ? (notes ?? []).join(" ") : changed ? `It is answered otherwise now: ${now.stdout || "silence"}` : "It is answered the same today.";
      say(said, words);
    } finally {
      again.removeAttribute("aria-busy");
    }
  }) }, "Run again by today's hooks");
  const note = run.recordable
    ? "This call cannot be run again, as its payload was not kept. From `hookline record start` on, payloads are."
    : "Only calls of bridged agents can be run again.";
  const today = run.question ? [" What today's hooks would say of it, as far as it is kept, and without running any: ", element("code", {}, run.question)] : [];
  return element("div", { class: "actions" },
    ...(run.recorded ? [again, element("a", { class: "button", href: `/records/decisions/${run.run}/case`, download: "" }, "Test case of it")] : [element("span", { class: "quiet" }, ...quoted(note), ...today)]), said);
}

function question(run, asked) {
  const at = new Date(run.at).toLocaleString();
  const facts = [at, run.host ?? "hookline", `session ${run.session_id}`, span(run.duration_ms), `run ${run.run}`];
  const text = run.asked?.summary ?? "";
  const parts = asked.flatMap((hook) => hook.derivation ?? []);
  return element("section", { class: "panel", "aria-label": "What was asked" },
    text ? element("pre", { class: "asked" }, ...marked(text, parts)) : null,
    element("p", { class: "quiet" }, facts.join(" · ")));
}

/** The text with the columns marked that a guard's verdict goes back to. */
function marked(text, parts) {
  const pieces = [];
  let at = 0;
  for (const { start, end, command } of [...parts].sort((a, b) => a.start - b.start)) {
    if (!(start >= at && end <= text.length && end > start)) continue;
    pieces.push(text.slice(at, start), element("mark", { title: command }, text.slice(start, end)));
    at = end;
  }
  return [...pieces, text.slice(at)];
}

function judge(hook) {
  const state = ["deny", "halt"].includes(hook.verdict) ? "stopped" : hasFailed(hook) ? "failed" : hook.status === "ran" ? "passed" : "untrusted";
  const isRule = hook.handler === "answer"; // nothing of it runs
  const ended = [
    hook.status === "ran" ? hook.verdict === "none" ? "ran" : hook.verdict : hook.status.replaceAll("_", " "),
    !isRule && hook.exit_code !== null && `exit ${hook.exit_code}`, hook.signal && `ended by signal ${hook.signal}`,
    !isRule && hook.timings_ms && span(hook.duration_ms),
  ];
  const derived = (hook.derivation ?? []).map((part) => element("li", {}, element("code", {}, part.command),
    part.via?.length ? ` by way of ${part.via.join(", ")}` : "", part.certain === false ? " (perhaps)" : ""));
  return element("section", { class: "panel judge", "data-state": state, "aria-label": hook.name },
    element("h3", {}, hookName(hook), element("span", { class: "quiet" }, ` ${ended.filter(Boolean).join(" · ")}`)),
    hook.reason || hook.why ? element("p", { class: "why" }, ...quoted(hook.reason || hook.why)) : null,
    derived.length ? element("ul", { class: "plain" }, ...derived) : null,
    element("p", { class: "quiet" }, [hook.line ? `${hook.source}:${hook.line}` : hook.source, hook.matcher && `on ${hook.matcher}`].filter(Boolean).join(" · ")),
    hook.timings_ms && !isRule ? outputOf(hook) : null);
}

function extras(run) {
  const lists = [["Let through", run.degraded], ["For the model", run.context], ["For the user", run.messages]];
  const rewritten = run.updated_input ? [["Rewritten to", [JSON.stringify(run.updated_input, null, 2)]]] : [];
  return [...lists, ...rewritten].filter(([, texts]) => texts?.length).map(([title, texts]) =>
    element("section", { class: "panel", "aria-label": title }, element("h3", {}, title), ...texts.map((text) => element("pre", {}, text))));
}
