// A true scale: every pixel stands for the same time, and the axis says for how much.

import { drawn, short } from "./elements.js";

const STEPS = [1, 2, 5];
const CLOCK_MS = [1, 2, 5, 10, 15, 30].flatMap((each) => [each * 1000, each * 60_000]).concat([1, 2, 3, 6, 12, 24].map((each) => each * 3_600_000)).sort((a, b) => a - b);
const TICK_PX = 90;

/** Milliseconds between `from` and `to` over the pixels between `left` and `right`. */
export function scaleOf(from, to, left, right) {
  const length = Math.max(to - from, 1);
  return {
    left, right, from, to,
    x: (time) => left + ((right - left) * (Math.min(Math.max(time, from), to) - from)) / length,
    ticks: ticksOf(length, Math.max(1, Math.floor((right - left) / TICK_PX))),
  };
}

/** Round times from 0 on, as a clock has them, at most `most` of them besides 0. */
function ticksOf(length, most) {
  const step = stepOf((each) => length / each <= most);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
}

function stepOf(fits) {
  const found = [1, 10, 100].flatMap((power) => STEPS.map((each) => each * power)).concat(CLOCK_MS).find(fits);
  if (found) return found;
  for (let days = 2; ; days *= 2) if (fits(days * CLOCK_MS.at(-1))) return days * CLOCK_MS.at(-1);
}

/** The name before a lane, cut where the lane begins. */
export function laneName(name, scale, y, height) {
  const text = drawn("text", { class: "lane", x: 0, y: 15 }, short(name, scale.left > 120 ? 25 : 14), drawn("title", {}, name));
  return drawn("svg", { x: 0, y, width: scale.left - 6, height }, text);
}

/** The axis with its lines down to `height`. */
export function axis(scale, height) {
  return scale.ticks.flatMap((tick) => {
    const x = scale.x(scale.from + tick);
    return [
      drawn("line", { class: "rule", x1: x, x2: x, y1: 14, y2: height }),
      drawn("text", { class: "axis", x, y: 10, "text-anchor": tick ? "middle" : "start" }, tick ? round(tick) : "0"),
    ];
  });
}

function round(tick) {
  if (tick < 1000) return `${tick} ms`;
  if (tick < 60_000) return `${tick / 1000} s`;
  const [hours, minutes, seconds] = [Math.floor(tick / 3_600_000), Math.floor(tick / 60_000) % 60, (tick / 1000) % 60];
  return [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`].filter(Boolean).join(" ");
}
