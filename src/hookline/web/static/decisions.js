// Decisions: every event that was asked about, by whom, with the verdict and why; and one in full.

import { count, element, quoted, renew, say, short, span, when } from "./elements.js";
import { outputOf } from "./output.js";
import { ask } from "./server.js";
import { hookLink, nameThen, runLink, store } from "./store.js";

const VERDICTS = { deny: "⊘", halt: "⊘", ask: "?", allow: "✓", defer: "–", none: "·" };
const CHOSEN = [["event", "Event"], ["verdict", "Verdict"], ["tool", "Tool"], ["agent", "Agent"], ["session", "Session"], ["workspace", "Workspace"]];
const SPANS = [["", "any time"], ["3600", "the last hour"], ["86400", "the last day"], ["604800", "the last week"]];
const SILENT = ["not_matched", "no_such_event", "duplicate", "not_reached"];
const OURSELVES = /^hookline itself\b/; // the entry by which an agent calls us
const TYPING_MS = 150;
const LINE_END = "⏎"; // stands for one where a text is kept in one line

/** One decision as a row of a list; with a hook's id what that hook had to say to it. */
export function runRow(run, id = "") {
  const part = run.hooks.find((hook) => hook.id === id);
  const { verdict, failed } = part ?? run;
  const names = run.hooks.map((hook) => nameThen(hook, run.event)).join(", ");
  const asked = [run.tool, run.summary].filter(Boolean).join(" ") || names;
  return element("li", { "data-verdict": verdict, "data-failed": String(Boolean(failed)), "data-run": run.run },
    element("a", { class: "run", href: runLink(run.run) },
      element("span", { class: "mark", "aria-hidden": "true" }, markOf(verdict, failed)),
      element("span", { class: "what" }, element("strong", {}, run.event), " ", element("span", { class: "asked" }, short(asked, 160))),
      element("span", { class: "verdict-word" }, part ? partWords(part) : wordsOf(run))),
    element("p", { class: "quiet" }, when(run.at), ` · ${run.agent}${store.workspaces.length > 1 ? ` in ${run.workspace}` : ""} · ${askedWords(run)} · ${span(run.durationMs)}`,
      part && part.verdict !== run.verdict ? ` · the call: ${wordsOf(run)}` : null,
      ...(run.reason ? [" · ", ...quoted(short(run.reason, 200))] : [])));
}

/** How many were asked, and how many should have been. */
function askedWords(run) {
  const missing = (state) => run.hooks.filter((hook) => hook.status === state).length;
  const [untrusted, invalid] = [missing("untrusted"), missing("invalid")];
  const asked = run.hooks.length - untrusted - invalid;
  return [`${asked ? count(asked, "hook") : "no hook"} asked`, untrusted && `${untrusted} not trusted`, invalid && `${invalid} broken`].filter(Boolean).join(", ");
}

const markOf = (verdict, failed) => (failed && verdict === "none" ? "✗" : VERDICTS[verdict] ?? "·");

const WORDS = { deny: "denied", halt: "stopped the agent", ask: "asks the user", allow: "allowed", defer: "left to the agent", none: "no objection" };

/** What one hook did. */
function partWords(part) {
  if (part.verdict === "none" && part.failed) return part.status === "ran" ? "failed" : part.status.replaceAll("_", " ");
  return part.ran || part.verdict !== "none" ? WORDS[part.verdict] ?? part.verdict : part.status.replaceAll("_", " ");
}

function wordsOf(run) {
  if (!run.hooks.length) return "no hook asked";
  const lost = run.degraded ? `, ${count(run.degraded, "warning")}` : "";
  const judges = run.hooks.filter((hook) => hook.verdict === run.verdict && run.verdict !== "none").map((hook) => nameThen(hook, run.event));
  const failed = run.verdict === "none" ? run.hooks.filter((hook) => hook.failed).map((hook) => nameThen(hook, run.event)) : [];
  const fault = failed.length ? `, ${short(failed[0], 60)}${failed.length > 1 ? ` and ${failed.length - 1} more` : ""} failed` : "";
  const by = judges.length ? `${["ask", "defer"].includes(run.verdict) ? ", says" : " by"} ${short(judges[0], 60)}${judges.length > 1 ? ` and ${judges.length - 1} more` : ""}` : "";
  return `${WORDS[run.verdict] ?? run.verdict}${by}${fault}${lost}`;
}

// -- the list -----------------------------------------------------------------------------------------------------

export function drawDecisions(root, route, trying) {
  const wish = route.query; // what is chosen stands in the address, so that it can be gone back to and sent to others
  const choose = (key, value) => {
    if (value) wish.set(key, value);
    else wish.delete(key);
    history.replaceState(history.state, "", `#/decisions${wish.size ? `?${wish}` : ""}`);
    rows = [];
    load();
  };
  const text = element("input", { type: "search", id: "run-text", autocomplete: "off", spellcheck: "false", value: wish.get("text") ?? "", placeholder: "Command, file, reason, hook" });
  const failed = element("input", { type: "checkbox", id: "run-failed", checked: wish.get("failed") === "true" });
  const time = chooser("run-since", SPANS, wish.get("since"));
  const choosers = new Map(CHOSEN.map(([key]) => [key, element("select", { id: `run-${key}` })]));
  const hook = wish.get("hook") ?? "";
  const list = element("ul", { class: "runs" });
  const found = element("p", { class: "quiet", role: "status" });
  const more = element("button", { type: "button", hidden: true, onclick: () => load(true) }, "Older ones");
  let rows = [];
  let last = Promise.resolve();
  // One after another: news must not take the place of what somebody asked for
  const load = (older = false) => { last = last.then(() => fetchRows(older)); };
  const fetchRows = async (older) => {
    const chosen = String(wish);
    const answer = await trying(() => ask("GET", `/records/decisions?${queryOf(wish, older ? rows.at(-1) : null)}`));
    if (!answer || chosen !== String(wish)) return;
    rows = older ? [...rows, ...answer.decisions] : [...answer.decisions, ...olderOf(rows, answer.decisions)];
    for (const [key] of CHOSEN) fill(choosers.get(key), answer.choices[key], wish.get(key));
    say(found, `${count(answer.count, "decision")}${answer.count > rows.length ? `, the newest ${rows.length} shown` : ""}`);
    renew(list, rows.length ? rows.map((run) => runRow(run)) : [element("li", { class: "quiet" }, ...quoted("Nothing fits. Decisions come here as agents, git and `hookline fire` ask."))]);
    more.hidden = answer.count <= rows.length;
  };
  let timer = null;
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => choose("text", text.value.trim()), TYPING_MS);
  });
  failed.addEventListener("change", () => choose("failed", failed.checked && "true"));
  time.addEventListener("change", () => choose("since", time.value));
  for (const [key, box] of choosers) box.addEventListener("change", () => choose(key, box.value));
  const ofHook = element("button", { type: "button", onclick: () => { ofHook.remove(); choose("hook", ""); } }, `hook ${nameThen({ id: hook, name: hook }, "")} ✕`);
  root.replaceChildren(
    element("h2", { class: "hidden" }, "Decisions"),
    element("div", { class: "filters", role: "search" },
      element("label", { for: "run-text" }, "Search"), text,
      ...CHOSEN.map(([key, words]) => element("label", { class: "choice", "data-key": key }, words, choosers.get(key))),
      element("label", { class: "choice" }, "Since", time),
      element("label", { class: "choice" }, failed, "a hook failed"),
      hook ? ofHook : "", found),
    list, more);
  load();
  return (fresh) => (fresh === null || fresh.length) && load();
}

/** What the server is asked for: the newest that fit, or those older than a row. */
function queryOf(wish, last) {
  const query = new URLSearchParams();
  for (const key of [...CHOSEN.map(([name]) => name), "hook", "text"]) if (wish.get(key)) query.set(key, wish.get(key));
  if (wish.get("failed") === "true") query.set("failed", "true");
  const seconds = Number(wish.get("since"));
  if (seconds > 0) query.set("since", Math.floor(Date.now() / 1000 - seconds));
  if (last) query.set("before", last.n);
  return query;
}

/** The rows that stand below the newest ones: none when there is a gap, as after a break. */
function olderOf(rows, newest) {
  const last = newest.at(-1)?.n;
  return rows.some(({ n }) => n === last) ? rows.filter(({ n }) => n < last) : [];
}

function chooser(id, pairs, chosen) {
  return element("select", { id }, ...pairs.map(([value, words]) => element("option", { value, selected: value === chosen }, words)));
}

/** The values there are; one that is chosen stays, and so does an open list. */
function fill(box, values, chosen) {
  const all = [...new Set([...(chosen ? [chosen] : []), ...values])].sort();
  if (box.options.length !== all.length + 1) {
    box.replaceChildren(element("option", { value: "" }, "any"), ...all.map((value) => element("option", { value }, short(value, 60))));
  }
  box.value = chosen ?? "";
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
  const hooks = asked.filter(({ status }) => status !== "disabled").map((hook) => ({ ...hook, failed: hasFailed(hook) }));
  const fails = hooks.some(({ failed }) => failed);
  const state = ["deny", "halt"].includes(run.verdict) ? "paused" : fails ? "failed" : hooks.length ? "passed" : "unknown";
  return [
    element("h2", { class: "title" }, `${run.event}${run.asked?.tool ? ` · ${run.asked.tool}` : ""}`),
    element("section", { class: "verdict", "data-state": state, "aria-label": "Verdict" },
      element("p", { class: "verdict-line" }, `${markOf(run.verdict, fails)} ${wordsOf({ ...run, degraded: 0, hooks })}`),
      run.reason ? element("p", { class: "next" }, ...quoted(run.reason)) : null),
    actions(run, trying),
    question(run, asked),
    ...asked.map((hook) => judge(run, hook)),
    ...extras(run),
    silent.length ? element("details", { class: "panel" }, element("summary", {}, `${count(silent.length, "hook")} not concerned, and why`),
      element("ul", { class: "plain" }, ...silent.map((hook) => element("li", {}, hookName(run, hook), element("span", { class: "quiet" }, " ", ...quoted(hook.why)))))) : "",
  ];
}

const hasFailed = (hook) => ["timed_out", "launch_failed", "bad_output"].includes(hook.status) || (hook.exit_code && !["deny", "halt"].includes(hook.verdict)) || Boolean(hook.signal);

function hookName(run, hook) {
  const known = store.hooks.find((each) => each.hookId === hook.id && each.workspace === run.workspace);
  const name = nameThen(hook, hook.event);
  return known ? element("a", { href: hookLink(known) }, name) : element("span", {}, name);
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

/** The text in its lines, with the columns marked that a guard's verdict goes back to; what was redacted has moved them. */
function marked(text, parts) {
  const letters = Array.from(text, (letter) => (letter === LINE_END ? "\n" : letter));
  const piece = (from, to) => letters.slice(from, to).join("");
  const pieces = [];
  let at = 0;
  for (const { start, end, command } of text.includes("[redacted") ? [] : [...parts].sort((a, b) => a.start - b.start)) {
    if (!(start >= at && end <= letters.length && end > start)) continue;
    pieces.push(piece(at, start), element("mark", { title: command }, piece(start, end)));
    at = end;
  }
  return [...pieces, piece(at)];
}

function judge(run, hook) {
  const state = ["deny", "halt"].includes(hook.verdict) ? "stopped" : hasFailed(hook) ? "failed" : hook.status === "ran" ? "passed" : "untrusted";
  const isRule = hook.handler === "answer"; // nothing of it runs
  const ended = [
    hook.status === "ran" ? hook.verdict === "none" ? "ran" : hook.verdict : hook.status.replaceAll("_", " "),
    !isRule && hook.exit_code !== null && `exit ${hook.exit_code}`, hook.signal && `ended by signal ${hook.signal}`,
    !isRule && hook.timings_ms && span(hook.duration_ms),
  ];
  const derived = (hook.derivation ?? []).map((part) => element("li", {}, element("code", {}, part.command),
    part.via?.length ? ` by way of ${part.via.join(", ")}` : "", part.certain === false ? " (perhaps)" : ""));
  return element("section", { class: "panel judge", "data-state": state, "aria-label": nameThen(hook, hook.event) },
    element("h3", {}, hookName(run, hook), element("span", { class: "quiet" }, ` ${ended.filter(Boolean).join(" · ")}`)),
    hook.reason || hook.why ? element("p", { class: "why" }, ...quoted(hook.reason || hook.why)) : null,
    derived.length ? element("ul", { class: "plain" }, ...derived) : null,
    element("p", { class: "quiet" }, [hook.line ? `${hook.source}:${hook.line}` : hook.source, hook.matcher && `on ${hook.matcher}`].filter(Boolean).join(" · ")),
    hook.timings_ms && !isRule ? outputOf(run, hook, nameThen(hook, hook.event)) : null);
}

function extras(run) {
  const named = (text) => run.hooks.reduce((words, hook) => words.replaceAll(hook.id, nameThen(hook, run.event)), text);
  const lists = [["Warnings", run.degraded.map(named)], ["For the model", run.context], ["For the user", run.messages.map(named)]];
  const rewritten = run.updated_input ? [["Rewritten to", [JSON.stringify(run.updated_input, null, 2)]]] : [];
  return [...lists, ...rewritten].filter(([, texts]) => texts?.length).map(([title, texts]) =>
    element("section", { class: "panel", "aria-label": title }, element("h3", {}, title), ...texts.map((text) => (title === "Warnings" ? element("p", { class: "why" }, ...quoted(text)) : element("pre", {}, text)))));
}
