// The conversation: messages as they stream in, tool calls, and a card for each hook that failed.

import { byId, element, endWords, fileList, plain, quoted, say, short, shown } from "./elements.js";
import { markdown } from "./markdown.js";
import { openViewer } from "./viewer.js";

const NEAR_PX = 120;
const TOOL_STATES = {
  running: ["…", "runs"],
  done: ["✓", "done"],
  failed: ["✗", "failed"],
  stopped: ["⊘", "stopped by a hook"],
};

const messages = byId("messages");
const announcer = byId("announcer");
let current = null; // the message that streams in: {body, texts, tools}
const cards = new Map(); // hook id -> badges of its failure cards
const past = []; // failed tool calls of earlier turns

export const announce = (words) => say(announcer, words);

export function clearChat() {
  messages.replaceChildren();
  cards.clear();
  past.length = 0;
  current = null;
}

export function addMessage(message) {
  if (message.metadata?.kind === "hook-failure") return addCard(message);
  const body = bubble(message.role === "user" ? "you" : "agent", message.role === "user" ? "You" : "Agent");
  for (const part of message.parts) addPart(body, part, message.role);
  if (message.metadata?.kind === "turn-failed") body.append(failed(message.metadata.error));
  settle();
}

const failed = (why) => element("p", { class: "note problem" }, `The turn failed: ${why}`);

function addPart(body, part, role) {
  if (part.type === "text") return void body.append(role === "user" ? element("p", { class: "text" }, part.text) : markdown(part.text));
  if (part.type !== "dynamic-tool") return;
  const tool = addTool(body, part.toolName);
  tool.take(part.input);
  if (part.state === "output-available") tool.end("done", part.output);
  if (part.state === "output-error") {
    tool.end("failed", part.errorText);
    past.push(tool);
  }
}

export function addNotice(words, kind = "notice") {
  note(messages, words, kind);
  settle();
}

/** What is said again and again stands there once, with how often. */
function note(box, words, kind) {
  const last = box.lastElementChild;
  if (last?.dataset.said === words) {
    last.dataset.times = Number(last.dataset.times ?? 1) + 1;
    return;
  }
  box.append(element("p", { class: `note ${kind}`, "data-said": words }, ...quoted(words)));
}

/** One chunk of a completion under way. */
export function hearChunk(chunk) {
  if (chunk.type === "start" || current === null) {
    current = { body: bubble("agent", "Agent"), texts: new Map(), tools: new Map() };
  }
  HEARD[chunk.type]?.(chunk);
  settle();
}

const HEARD = {
  "text-start": ({ id }) => {
    const text = document.createTextNode("");
    current.texts.set(id, text);
    current.body.append(element("p", { class: "text streaming" }, text));
  },
  "text-delta": ({ id, delta }) => current.texts.get(id)?.appendData(shown(delta)),
  "text-end": ({ id }) => {
    const text = current.texts.get(id);
    text?.parentElement.replaceWith(markdown(text.data));
    if (text) announce(`Agent: ${short(text.data, 300)}`);
  },
  "tool-input-start": ({ toolCallId, toolName }) => {
    current.tools.set(toolCallId, addTool(current.body, toolName));
  },
  "tool-input-available": ({ toolCallId, input }) => current.tools.get(toolCallId)?.take(input),
  "tool-output-available": ({ toolCallId, output }) => current.tools.get(toolCallId)?.end("done", output),
  "tool-output-error": ({ toolCallId, errorText }) => current.tools.get(toolCallId)?.end("failed", errorText),
  "data-notice": ({ data }) => note(current.body, data.text, data.role),
  error: ({ errorText }) => {
    current.body.append(failed(errorText));
    announce(`The turn failed: ${errorText}`);
  },
  finish: () => {
    if (!current.body.hasChildNodes()) current.body.append(element("p", { class: "text quiet" }, "(no answer)"));
    current = null;
  },
};

const stops = (row) => row.endedAt !== null && ["deny", "halt"].includes(row.verdict);

/** A hook had its say: one that stopped a tool call is named at that call. */
export function hearHook(row) {
  if (!stops(row) || current === null) return;
  const tool = [...current.tools.values()].reverse().find((each) => each.name === row.subject);
  tool?.stop(row.name);
}

/** Calls of the past that were stopped: their answer holds the reason of the hook that did it. */
export function nameStoppers(turns) {
  const rows = turns.flatMap((turn) => turn.hooks).filter((row) => stops(row) && row.reason);
  for (const tool of past) {
    const row = rows.find((each) => each.subject === tool.name && tool.said.includes(each.reason));
    if (row) tool.stop(row.name);
  }
}

/** Marks the failure cards of hooks that pass by now. */
export function markPassing(passing) {
  for (const [id, badges] of cards) {
    for (const badge of badges) badge.hidden = !passing.has(id);
  }
}

// -- parts -------------------------------------------------------------------------------------------------

function bubble(kind, speaker) {
  const body = element("div", { class: "message-body" });
  const head = element("h3", { class: "speaker" }, speaker);
  messages.append(element("article", { class: `message ${kind}` }, head, body));
  return body;
}

function addTool(body, name) {
  const icon = element("span", { class: "icon", "aria-hidden": "true" });
  const subject = element("code", { class: "subject" });
  const state = element("span", { class: "state" });
  const input = element("pre", { tabindex: "0" });
  const output = element("pre", { tabindex: "0" });
  const summary = element("summary", {}, icon, element("strong", {}, name), subject, state);
  const root = element("details", { class: "tool" }, summary, input, output);
  let stopper = "";
  const set = (key) => {
    root.dataset.state = key;
    say(icon, TOOL_STATES[key][0]);
    say(state, stopper && key === "stopped" ? `stopped by ${stopper}` : TOOL_STATES[key][1]);
  };
  set("running");
  body.append(root);
  return {
    name,
    get said() {
      return output.textContent;
    },
    take(given) {
      say(subject, short(subjectOf(given), 90));
      say(input, JSON.stringify(given, null, 2));
    },
    stop(hook) {
      stopper = hook;
      set("stopped");
    },
    end(key, text) {
      if (!stopper) set(key);
      root.open = key === "failed";
      say(output, plain(typeof text === "string" ? text : JSON.stringify(text, null, 2)));
    },
  };
}

function subjectOf(input) {
  const given = input ?? {};
  const found = given.file_path ?? given.command ?? given.pattern ?? given.description ?? given.path ?? "";
  return String(found).trim().replaceAll("\n", "⏎");
}

function addCard(message) {
  const card = message.metadata;
  const badge = element("span", { class: "badge passed", hidden: true }, "✓ passes now");
  cards.set(card.hookId, [...(cards.get(card.hookId) ?? []), badge]);
  const isAgain = card.runAgain === false;
  const title = element("h3", {}, element("span", { class: "icon", "aria-hidden": "true" }, "✗"),
    isAgain ? ` Told again: ${card.hookName} ` : ` Hook failed: ${card.hookName} `, badge);
  const tries = `${isAgain ? "not run again, as nothing had changed; told again, " : ""}attempt ${card.attempt} of ${card.maxAttempts}, sent back to the agent`;
  const facts = [card.pattern && `watches ${card.pattern}`, endWords(card.status, card.exitCode), tries];
  const said = plain(card.output || card.outputTail || "") || "(no output)";
  const whole = element("button", { type: "button", onclick: () => openViewer(card.hookId, card.hookName) },
    "Whole output");
  const told = element("details", {}, element("summary", {}, "What the agent was told"),
    element("pre", {}, message.parts.map((part) => part.text ?? "").join("\n")));
  messages.append(element("article", { class: "message card", "data-hook": card.hookId },
    title,
    card.files.length ? element("div", { class: "on" }, "on ", fileList(card.files, card.extraFileCount)) : null,
    element("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    card.outputTruncated ? element("p", { class: "quiet" }, "The end of its output:") : null,
    element("pre", { class: "said", tabindex: "0", role: "region", "aria-label": `What ${card.hookName} printed, attempt ${card.attempt}` }, said),
    element("div", { class: "card-foot" }, whole, told)));
  announce(`Hook ${card.hookName} failed on ${card.files.join(", ") || "no files"}: ${short(said, 200)}`);
  settle();
}

let isAtEnd = true;
messages.addEventListener("scroll", () => {
  isAtEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < NEAR_PX;
});

new ResizeObserver(settle).observe(messages);

/** Stays at the newest message, unless the reader has scrolled up. */
function settle() {
  if (isAtEnd) messages.scrollTop = messages.scrollHeight;
}
