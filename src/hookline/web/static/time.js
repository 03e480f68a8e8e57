// Time: the decisions of a session as they followed each other, on a true scale; hooks against the agent.

import { count, drawn, element, renew, short, span } from "./elements.js";
import { ask } from "./server.js";
import { nameThen, runLink } from "./store.js";
import { axis, laneName, scaleOf } from "./time_axis.js";

const ROW = 24;
const TOP = 20;
const MOST = 300;
const TURN_BEGINS = ["UserPromptSubmit", "SessionStart"];
const PAUSE_MS = 5 * 60_000; // what lies further apart is another turn
const LEAST_PX = 2;

export function drawTime(root, route, trying) {
  const sessions = element("select", { id: "time-session" });
  const turns = element("select", { id: "time-turn" });
  const box = element("div", { class: "panel timeline" });
  let parts = [];
  const load = async () => {
    const chosen = sessions.value || route.query.get("session") || "";
    const first = await trying(() => ask("GET", `/records/decisions?limit=1`));
    if (!first) return;
    const session = chosen || first.decisions[0]?.session || "";
    offer(sessions, first.choices.session.map((name) => [name, short(name, 50)]), session);
    if (!session) return box.replaceChildren(element("p", { class: "quiet" }, "No decision yet."));
    const answer = await trying(() => ask("GET", `/records/decisions?${new URLSearchParams({ session, limit: MOST })}`));
    if (!answer) return;
    const isNewest = turns.selectedIndex <= 0; // then a new turn is followed
    const kept = parts.length === 0 || isNewest ? "" : turns.value;
    parts = turnsOf(answer.decisions.sort((one, other) => startOf(one) - startOf(other)));
    offer(turns, parts.map((part) => [part[0].run, titleOf(part)]).reverse(), kept);
    draw();
  };
  const draw = () => {
    const part = parts.find(([first]) => first.run === turns.value) ?? parts.at(-1);
    if (part) renew(box, [heading(part), picture(part, Math.floor(box.clientWidth || 600) - 2), table(part)]);
  };
  sessions.addEventListener("change", () => {
    parts = [];
    void load();
  });
  turns.addEventListener("change", draw);
  root.replaceChildren(
    element("h2", { class: "hidden" }, "Time"),
    element("div", { class: "filters" },
      element("label", { class: "choice" }, "Session", sessions), element("label", { class: "choice" }, "Turn", turns)),
    box);
  new ResizeObserver(draw).observe(box);
  void load();
  return (fresh) => (fresh === null || fresh.length) && load();
}

/** Fills a list with [value, words]; one that says the same already stays as it is, open or not. */
function offer(list, pairs, chosen) {
  const options = pairs.map(([value, words]) => element("option", { value }, words));
  renew(list, options);
  list.value = pairs.some(([value]) => value === chosen) ? chosen : pairs[0]?.[0];
}

const startOf = (run) => run.at * 1000;
const endOf = (run) => run.at * 1000 + (run.durationMs ?? 0);

function turnsOf(runs) {
  const turns = [];
  for (const run of runs) {
    const last = turns.at(-1)?.at(-1);
    if (!last || TURN_BEGINS.includes(run.event) && last.event !== run.event && last.event !== "SessionStart" || startOf(run) - endOf(last) > PAUSE_MS) turns.push([]);
    turns.at(-1).push(run);
  }
  return turns;
}

const titleOf = (part) => `${new Date(startOf(part[0])).toLocaleString()}, ${count(part.length, "decision")}`;

/** From when to when hooks were at work: decisions of calls made at once overlap, and count once. */
function stretches(part) {
  const found = [];
  for (const run of part) {
    const last = found.at(-1);
    if (last && startOf(run) <= last[1]) last[1] = Math.max(last[1], endOf(run));
    else found.push([startOf(run), endOf(run)]);
  }
  return found;
}

function heading(part) {
  const worked = stretches(part);
  const all = Math.max(worked.at(-1)[1] - worked[0][0], 1);
  const hooks = worked.reduce((sum, [from, to]) => sum + to - from, 0);
  return element("p", {}, `Hooks took ${span(hooks)} of ${span(all)}: ${(100 * Math.min(1, hooks / all)).toFixed(1)} %. The rest is the agent and its tools.`);
}

function picture(part, width) {
  const lanes = new Map();
  for (const run of part) for (const hook of run.hooks.filter((each) => each.ran)) {
    lanes.set(hook.id, [...(lanes.get(hook.id) ?? []), { run, hook, name: nameThen(hook, run.event) }]);
  }
  const left = width > 440 ? 170 : 96;
  const scale = scaleOf(startOf(part[0]), Math.max(...part.map(endOf)), left, width - 12);
  const height = TOP + ROW * (lanes.size + 1) + 4;
  const svg = drawn("svg", { class: "picture", role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": `${count(part.length, "decision")}, ${count(lanes.size, "hook")}. The table below says it in words.` });
  svg.append(...axis(scale, height));
  svg.append(...agentLane(part, scale));
  [...lanes.values()].forEach((bars, place) => svg.append(...lane(bars[0].name, bars, scale, TOP + ROW * (place + 1))));
  return svg;
}

/** The agent works between the hooks: what is left of its line when they are taken out. */
function agentLane(part, scale) {
  const worked = stretches(part);
  const bars = worked.slice(1).map(([next], place) => [worked[place][1], next]);
  return [label("agent", scale, TOP), ...bars.map(([from, to]) => bar("agent", from, to, scale, TOP, `the agent, ${span(to - from)}`))];
}

function lane(name, bars, scale, y) {
  const drawnBars = bars.map(({ run, hook }) => {
    const kind = ["deny", "halt"].includes(hook.verdict) ? "stopped" : hook.failed ? "failed" : "passed";
    const rect = bar(kind, startOf(run), startOf(run) + hook.durationMs, scale, y, `${name}: ${run.event} ${run.tool}, ${kind}, ${span(hook.durationMs)}`);
    rect.addEventListener("click", () => { location.hash = runLink(run.run); });
    return rect;
  });
  return [label(name, scale, y), ...drawnBars];
}

const label = (name, scale, y) => laneName(name, scale, y, ROW);

function bar(kind, from, to, scale, y, words) {
  const x = scale.x(from);
  return drawn("rect", { class: `bar ${kind}`, x, y: y + 4, width: Math.max(LEAST_PX, scale.x(to) - x), height: ROW - 9, rx: 1 }, drawn("title", {}, words));
}

function table(part) {
  const first = startOf(part[0]);
  const rows = part.map((run) => element("tr", {},
    element("td", { class: "took" }, `+${span(startOf(run) - first)}`),
    element("th", { scope: "row" }, element("a", { href: runLink(run.run) }, `${run.event} ${run.tool}`)),
    element("td", {}, run.verdict), element("td", { class: "took" }, span(run.durationMs)),
    element("td", {}, run.hooks.map((hook) => nameThen(hook, run.event)).join(", "))));
  const heads = ["At", "Event", "Verdict", "Took", "Hooks"].map((words) => element("th", { scope: "col" }, words));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Decisions of the turn" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
}
