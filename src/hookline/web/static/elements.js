// Elements and words made of values. Nothing here reads a string as markup: a hook's output stays text.

const SVG = "http://www.w3.org/2000/svg";
const CONTROL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

// They turn the reading direction of what follows: a name must not look like another one.
const NAMING = ["aria-label", "title", "placeholder"];
const TURNING = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Text with everything seen that steers how text is shown. */
export const shown = (text) => String(text).replace(TURNING, (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

export const byId = (id) => document.getElementById(id);

/** `element("p", {class: "quiet"}, "text", child, [more])`; `on...` properties are listeners, null ones are left out. */
export function element(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function drawn(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : NAMING.includes(name) ? shown(value) : value);
  }
  const given = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  made.append(...given.map((child) => (typeof child === "string" ? shown(child) : child)));
  return made;
}

/** Sets text only when it differs, so that live regions speak once. */
export function say(target, words) {
  const text = shown(words);
  if (target.textContent !== text) target.textContent = text;
}

export function show(target, words) {
  target.hidden = !words;
  say(target, words);
}

/** Makes these the children of a box; those that stay are not touched, and keep the focus. */
export function placeIn(box, children) {
  const is = box.children;
  if (is.length === children.length && children.every((child, place) => child === is[place])) return;
  for (const old of [...is]) if (!children.includes(old)) old.remove();
  children.forEach((child, place) => { if (is[place] !== child) box.insertBefore(child, is[place] ?? null); });
}

/**
 * Makes these the children of a box, as `placeIn`; of those that were made anew each that looks as one that stands there
 * is not taken, so that what somebody reads, marks or has the focus on stays.
 */
export function renew(box, children) {
  age(box);
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const old = [...box.children];
  const take = (fits) => old.splice(old.findIndex(fits) >>> 0, 1)[0];
  const same = children.map((child) => take((each) => each.isEqualNode(child)));
  const next = children.map((child, place) => same[place] ?? merged(take((each) => isLike(each, child)), child));
  placeIn(box, next);
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

const nameIn = (each) => [each.tagName, each.id, each.dataset?.hook, each.dataset?.run, each.getAttribute("aria-label")].join();
const isLike = (one, other) => nameIn(one) === nameIn(other);
/** Of elements only, so nobody listens to it; a picture is one thing. */
const isBox = (each) => each.children.length > 0 && each.namespaceURI !== SVG && [...each.childNodes].every((child) => child.nodeType === Node.ELEMENT_NODE);

function merged(old, made) {
  if (old && isBox(old) && isBox(made)) {
    for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    renew(old, [...made.children]);
    return old;
  }
  if (old && old === document.activeElement) queueMicrotask(() => made.focus({ preventScroll: true }));
  return made;
}

/** Output as a terminal would show it, without its colours and other orders. */
export const plain = (text) => text.replace(/\r\n?/g, "\n").replace(CONTROL, "");

/** Words with what stands between backticks as code, for `element`. */
export const quoted = (text) => String(text).split(/`([^`\n]+)`/).map((part, place) => (place % 2 ? element("code", {}, part) : part)).filter((part) => part !== "");

export const short = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

export function span(milliseconds) {
  if (milliseconds === null || Number.isNaN(milliseconds)) return "";
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

export function ago(iso) {
  const seconds = Math.round((Date.now() - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return "";
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const words = seconds > 0 ? "ago" : "ahead of the clock";
  if (size < 60) return `${size} s ${words}`;
  if (size < 3600) return `${Math.floor(size / 60)} min ${words}`;
  if (size < 86_400) return `${Math.floor(size / 3600)} h ${words}`;
  return `${Math.floor(size / 86_400)} d ${words}`;
}

/** Seconds since 1970 as words: how long ago, with the exact time to be seen by pointing at it. */
export function when(seconds) {
  if (!seconds) return null;
  const at = new Date(seconds * 1000);
  return element("time", { datetime: at.toISOString(), title: at.toLocaleString() }, ago(at.toISOString()));
}

/** What was written by `when` says how long ago it is by now. */
export function age(root = document) {
  for (const time of root.querySelectorAll("time")) say(time, ago(time.dateTime));
}

const ENDS = { timed_out: "timed out", launch_failed: "could not start", bad_output: "unreadable answer", cancelled: "ended from outside" };

/** How a hook ended, in words: an exit code only where there was one. */
export const endWords = (status, code) => ENDS[status] ?? `exit code ${code}`;

export const count = (number, word, words = `${word}s`) => `${number} ${number === 1 ? word : words}`;

/** File names as chips, `extra` more of them in words. */
export function fileList(files, extra = 0) {
  const list = element("ul", { class: "files", "aria-label": "Files" });
  list.append(...files.map((file) => element("li", {}, element("code", {}, file))));
  if (extra > 0) list.append(element("li", { class: "quiet" }, `and ${extra} more`));
  return list;
}
