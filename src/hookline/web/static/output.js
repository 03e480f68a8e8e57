// What a hook printed: with line numbers, and a way to the first line that looks like an error.

import { count, element, plain } from "./elements.js";

const MOST_LINES = 2_000;
const CUT = /^\[\.\.\. \d+ bytes omitted \.\.\.\]$/;
const ERROR = /\b(error|fail(ed|ure)?|exception|traceback|fatal|panic|denied|not found|cannot|no such)\b/i;

/** The number of the first line that looks like an error, from 0; -1 for none. */
export const firstError = (lines) => lines.findIndex((line) => ERROR.test(line));

/** What one hook of a decision printed; what is left out of it can be fetched where it is kept. */
export function outputOf(run, hook, name = hook.name) {
  const streams = [["stdout", hook.stdout], ["stderr", hook.stderr]].filter(([, text]) => text);
  if (!streams.length) return element("p", { class: "quiet" }, "It printed nothing.");
  return element("div", { class: "streams" }, ...streams.map(([stream, text]) => streamOf(stream, text, name)),
    hook.truncated ? element("p", { class: "quiet" }, ...middle(run, hook)) : null);
}

function middle(run, hook) {
  if (!hook.output_path) return ["The middle is left out here."];
  const href = `/records/decisions/${encodeURIComponent(run.run)}/output?hook=${encodeURIComponent(hook.id)}`;
  return ["The middle is left out here; ", run.kept.includes(hook.id) ? element("a", { href, download: "" }, "all of it") : "all of it", ` is in ${hook.output_path}.`];
}

function streamOf(stream, text, name) {
  const lines = plain(text).replace(/\n$/, "").split("\n");
  const error = firstError(lines);
  const cut = lines.findIndex((line) => CUT.test(line)); // how many lines are missing there nobody knows
  const rows = lines.slice(0, MOST_LINES).map((line, place) =>
    element("div", { class: place === error ? "line error" : "line" },
      element("span", { class: "number", "data-number": cut < 0 || place < cut ? place + 1 : "" }), element("span", {}, line)));
  const box = element("div", { class: "output part", tabindex: "0", role: "region", "aria-label": `${stream} of ${name} with line numbers` }, ...rows);
  const jump = element("button", { type: "button", onclick: () => rows[error].scrollIntoView({ block: "center" }) }, cut < 0 || error < cut ? `First error: line ${error + 1}` : "First error");
  return element("div", {}, element("p", { class: "quiet stream-head" }, `${stream}, ${count(lines.length, "line")}${cut < 0 ? "" : " here"} `,
    error >= 0 && lines.length > 10 ? jump : null), box);
}
