// The last turns as pictures: what ran when, what ran side by side, how long, and to what end.

import { byId, count, drawn, element, endWords, placeIn, quoted, say, short, span } from "./elements.js";
import { axis, laneName, scaleOf } from "./time_axis.js";

const ROW = 24;
const TOP = 20;
const NARROW = 440;
const TAIL = 98;
const LEAST_PX = 3;
const MARKS = { passed: "✓", failed: "✗", stopped: "⊘", running: "…", skipped: "–" };

const NOTHING = {
  reprompt: "No hook ran: nothing had changed, so the agent was told the same again.",
  capped: "No hook ran: nothing had changed, and the agent has been told three times.",
};

const box = byId("timeline");
let turns = [];
const articles = new Map(); // completion id -> {root, table, key, width}
let ticking = null;

export function takeTimeline(given) {
  turns = given;
  draw();
}

export function setUpTimeline() {
  new ResizeObserver(draw).observe(box);
}

function draw() {
  const width = Math.floor(box.clientWidth);
  if (width < 100) return;
  const shown = [...turns].reverse().map((turn) => articleOf(turn, width));
  for (const id of articles.keys()) if (!turns.some((turn) => turn.completionId === id)) articles.delete(id);
  placeIn(box, shown.length ? shown : [element("p", { class: "quiet" }, "No turn yet.")]);
  clearTimeout(ticking);
  if (turns.some(isOpen)) ticking = setTimeout(draw, 300); // bars of what runs grow
}

/** The turn's article, drawn again only when there is something new to see in it. */
function articleOf(turn, width) {
  const known = articles.get(turn.completionId) ?? { root: element("article", { class: "turn" }), table: null };
  const key = JSON.stringify(turn);
  if (known.key !== key || known.width !== width || isOpen(turn)) {
    if (known.key !== key) known.table = tableOf(turn, known.table);
    placeIn(known.root, [...drawTurn(turn, width), known.table]);
    Object.assign(known, { key, width });
  }
  articles.set(turn.completionId, known);
  return known.root;
}

const isOpen = (turn) => turn.endedAt === null || turn.evaluation?.endedAt === null || turn.hooks.some((row) => row.endedAt === null);

export function kindOf(row) {
  if (row.endedAt === null) return "running";
  if (row.status === "ran" && ["deny", "halt"].includes(row.verdict)) return "stopped";
  if (row.failed) return "failed";
  return row.status === "ran" ? "passed" : "skipped";
}

function drawTurn(turn, width) {
  const lanes = lanesOf(turn);
  const origin = turn.origin === "hook" ? "a failed hook" : "you";
  const time = new Date(turn.startedAt).toLocaleTimeString([], { hour12: false });
  const head = element("h3", {}, time, element("span", { class: "quiet" }, ` by ${origin} · ${turn.status}`));
  const prompt = element("p", { class: "quiet prompt" }, promptOf(turn));
  return [head, prompt, picture(turn, lanes, summaryOf(turn, time, lanes), width)];
}

/** What the turn was about: a hook's own instruction begins with its name. */
function promptOf(turn) {
  const hook = /^\[[^\]]*Hook Failed\] "([^"]*)"/.exec(turn.prompt);
  const words = hook && turn.origin === "hook" ? `to mend what ${hook[1]} found` : turn.prompt.split("\n")[0];
  return short(turn.reason ? `${words} – failed: ${turn.reason}` : words, 200);
}

/** One lane per hook and event, in the order they first ran. */
function lanesOf(turn) {
  const lanes = new Map();
  for (const row of turn.hooks) {
    const key = `${row.id}\n${row.event}`;
    if (!lanes.has(key)) lanes.set(key, { name: nameOf(row), event: row.event, rows: [] });
    lanes.get(key).rows.push(row);
  }
  return [...lanes.values()];
}

/** A hook without a name of its own is known by its dialect, event and number. */
const nameOf = (row) => (row.name === row.id ? row.id.replaceAll(":", " ") : row.name);
const subjectOf = (row) => (row.files.length ? row.files.join(", ") : row.subject);

// -- the picture -----------------------------------------------------------------------------------------

const startOf = (each) => Date.parse(each.startedAt);
/** A run's own clock is finer than the time stamps around it. */
function endOf(each) {
  if (each.endedAt === null) return Math.max(Date.now(), startOf(each));
  return Math.max(startOf(each) + (each.durationMs ?? 0), Date.parse(each.endedAt));
}

function picture(turn, lanes, words, width) {
  const spans = [turn, ...(turn.evaluation ? [turn.evaluation] : [])];
  const from = Math.min(...spans.map(startOf));
  const to = Math.max(...spans.map(endOf), ...turn.hooks.map(endOf));
  const scale = scaleOf(from, to, width > NARROW ? 150 : 92, width - TAIL);
  const height = TOP + ROW * (lanes.length + 1) + 6;
  const svg = drawn("svg", { class: "picture", role: "img", "aria-label": words, width, height, viewBox: `0 0 ${width} ${height}` });
  if (turn.evaluation) svg.append(band(turn.evaluation, scale, height));
  svg.append(...axis(scale, height));
  svg.append(...laneOf("agent", 0, [{ each: turn, kind: "agent", words: `the agent's turn, ${span(endOf(turn) - startOf(turn))}` }], scale, span(endOf(turn) - startOf(turn))));
  lanes.forEach((lane, place) => {
    const bars = lane.rows.map((row) => ({ each: row, kind: kindOf(row), words: rowWords(row) }));
    svg.append(...laneOf(lane.name, place + 1, bars, scale, tailOf(lane)));
  });
  return svg;
}

function laneOf(name, place, bars, scale, tail) {
  const y = TOP + ROW * place;
  const label = laneName(name, scale, y, ROW);
  const drawnBars = bars.map(({ each, kind, words }) => {
    const from = scale.x(startOf(each));
    const wide = Math.max(LEAST_PX, scale.x(endOf(each)) - from);
    return drawn("rect", { class: `bar ${kind}`, x: from, y: y + 4, width: wide, height: ROW - 9, rx: 2 }, drawn("title", {}, words));
  });
  const end = drawn("text", { class: `tail ${worstOf(bars.map((bar) => bar.kind))}`, x: scale.right + 8, y: y + 15 }, tail);
  return [drawn("line", { class: "rule", x1: scale.left, x2: scale.right, y1: y + ROW, y2: y + ROW }), label, ...drawnBars, end];
}

function tailOf(lane) {
  const last = lane.rows.at(-1);
  const worst = worstOf(lane.rows.map(kindOf));
  const times = lane.rows.length > 1 ? `${lane.rows.length}× ` : "";
  if (worst === "skipped") return `${MARKS[worst]} ${times}${verdictOf(last)}`;
  return `${MARKS[worst]} ${times}${last.endedAt === null ? "" : span(last.durationMs)}`;
}

const worstOf = (kinds) => ["failed", "stopped", "running"].find((kind) => kinds.includes(kind)) ?? kinds.at(-1);

function band(evaluation, scale, height) {
  const x = scale.x(startOf(evaluation));
  const wide = Math.max(2, scale.x(endOf(evaluation)) - x);
  return drawn("rect", { class: "band", x, y: 14, width: wide, height: height - 14 }, drawn("title", {}, "file hooks are judged"));
}

// -- in words ------------------------------------------------------------------------------------------------

/** The names of hooks that ran while this one did. */
export function besides(row, rows) {
  const others = rows.filter((each) => each !== row && startOf(each) < endOf(row) && startOf(row) < endOf(each));
  return [...new Set(others.map((each) => nameOf(each)))];
}

function rowWords(row) {
  const on = subjectOf(row) ? ` (${subjectOf(row)})` : "";
  const code = row.exitCode === null || row.status !== "ran" ? "" : `, exit ${row.exitCode}`;
  return `${nameOf(row)}: ${row.event}${on}: ${verdictOf(row)}${code}, ${span(row.durationMs)}${row.reason ? `\n${row.reason}` : ""}`;
}

function verdictOf(row) {
  const kind = kindOf(row);
  if (kind === "failed" && row.status !== "ran") return endWords(row.status, row.exitCode);
  if (kind === "stopped") return row.verdict === "halt" ? "stopped the agent" : "stopped it";
  return kind === "running" ? "runs" : kind === "skipped" ? row.status.replaceAll("_", " ") : kind;
}

function summaryOf(turn, time, lanes) {
  const bad = turn.hooks.filter((row) => ["failed", "stopped"].includes(kindOf(row)));
  const worst = bad.map((row) => `${nameOf(row)} ${verdictOf(row)}`).join(", ") || "nothing failed";
  return `Turn of ${time}, ${turn.status}: ${count(lanes.length, "hook")} ran ${count(turn.hooks.length, "time")}; ${worst}. The table below says it in words.`;
}

/** The same in words; the open one stays open, with the focus where it was. */
function tableOf(turn, before) {
  if (!turn.hooks.length) return element("p", { class: "quiet" }, NOTHING[turn.evaluation?.action] ?? "No hook ran.");
  const cell = (words, properties = {}) => element("td", properties, words);
  const body = turn.hooks.map((row) => element("tr", { class: kindOf(row) },
    element("th", { scope: "row" }, nameOf(row)),
    cell(`${MARKS[kindOf(row)]} ${verdictOf(row)}${row.exitCode && row.status === "ran" ? `, exit ${row.exitCode}` : ""}`, { class: "verdict-cell" }),
    cell(quoted(row.reason || "–"), { class: "why" }), cell(subjectOf(row)), cell(span(row.durationMs), { class: "took" }),
    cell(besides(row, turn.hooks).join(", ") || "–"), cell(row.event)));
  const heads = ["Hook", "Verdict", "Why", "On", "Took", "At the same time as", "Event"];
  const head = element("tr", {}, ...heads.map((words) => element("th", { scope: "col" }, words)));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  const words = `${count(turn.hooks.length, "run")} in words`;
  if (before?.tagName === "DETAILS") {
    say(before.querySelector("summary"), words);
    before.querySelector("table").replaceWith(table);
    return before;
  }
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Runs of the turn of ${new Date(turn.startedAt).toLocaleTimeString()}` }, table);
  return element("details", {}, element("summary", {}, words), scroll);
}
