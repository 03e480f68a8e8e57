// A model's answer as it is meant: the few forms of Markdown that models write, made of elements.
// A library would be a thousand times the size and turn text into markup, which nothing on this page does.

import { element } from "./elements.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|(?<!\w)_([^_\s][^_]*)_(?!\w)|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/s;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const MOST = 200_000; // what is longer stays as it was written

/** The text as elements; everything that is no form of Markdown stays text. */
export function markdown(text) {
  const root = element("div", { class: "text markdown" });
  if (text.length > MOST) root.append(element("p", { class: "text" }, text));
  else root.append(...blocks(text.split("\n")));
  return root;
}

function blocks(lines) {
  const made = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at);
    if (block) made.push(block);
    at = next;
  }
  return made;
}

function blockAt(lines, at) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence[1]);
  if (!line.trim()) return [null, at + 1];
  const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line);
  if (heading) return [element("h4", {}, ...inline(heading[1])), at + 1];
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return [element("hr"), at + 1];
  if (/^ {0,3}>/.test(line)) return quoted(lines, at);
  return ITEM.test(line) ? listed(lines, at) : paragraph(lines, at);
}

function fenced(lines, at, mark) {
  let end = at + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(mark) && /^[`~]+$/.test(lines[end].trim()))) end++;
  const code = lines.slice(at + 1, end).join("\n");
  return [element("pre", { tabindex: "0" }, element("code", {}, code)), end + 1];
}

function quoted(lines, at) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end++;
  return [element("blockquote", {}, ...blocks(lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, "")))), end];
}

/** One list; lines that are indented deeper belong to the item above them. */
function listed(lines, at) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const isOrdered = /\d/.test(mark);
  const items = [];
  let end = at;
  for (; end < lines.length; end++) {
    const item = ITEM.exec(lines[end]);
    const isSame = item && item[1].length <= indent.length + 1 && /\d/.test(item[2]) === isOrdered;
    if (isSame) items.push([item[3]]);
    else if (lines[end].trim() && lines[end].length - lines[end].trimStart().length > indent.length) items.at(-1).push(lines[end].slice(indent.length + 2));
    else break;
  }
  const rows = items.map(([first, ...rest]) => element("li", {}, ...inline(first), ...blocks(rest)));
  return [element(isOrdered ? "ol" : "ul", isOrdered ? { start: parseInt(mark, 10) } : {}, ...rows), end];
}

function paragraph(lines, at) {
  let end = at;
  while (end < lines.length && lines[end].trim() && (end === at || !(FENCE.test(lines[end]) || ITEM.test(lines[end]) || /^ {0,3}(#{1,6}\s|>)/.test(lines[end])))) end++;
  return [element("p", { class: "text" }, ...inline(lines.slice(at, end).join("\n"))), end];
}

function inline(text) {
  const made = [];
  for (let rest = text; rest; ) {
    const found = INLINE.exec(rest);
    if (!found) return [...made, rest];
    const [all, , code, strong, strong2, soft, soft2, words, address] = found;
    made.push(rest.slice(0, found.index));
    if (code !== undefined) made.push(element("code", {}, code));
    else if (strong ?? strong2) made.push(element("strong", {}, ...inline(strong ?? strong2)));
    else if (soft ?? soft2) made.push(element("em", {}, ...inline(soft ?? soft2)));
    else made.push(element("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, words));
    rest = rest.slice(found.index + all.length);
  }
  return made;
}
