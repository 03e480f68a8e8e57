// A true scale: every pixel stands for the same time, and the axis says for how much.

import { drawn, span } from "./elements.js";

const STEPS = [1, 2, 5];
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

/** Round times from 0 on, at most `most` of them besides 0. */
function ticksOf(length, most) {
  for (let power = 1; ; power *= 10) {
    const step = STEPS.map((each) => each * power).find((each) => length / each <= most);
    if (step) return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
  }
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

const round = (tick) => (tick < 1000 ? `${tick} ms` : tick < 60_000 ? `${tick / 1000} s` : span(tick));
