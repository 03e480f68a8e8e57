// Wires the page: one stream of events in, a few requests out.

import { addMessage, addNotice, announce, clearChat, hearChunk, hearHook, markPassing, nameStoppers } from "./chat.js";
import { byId, say, show } from "./elements.js";
import { entryOf, loadHooks, passingHooks, runningSince, hearStatus as takeStatus, setUpHooks, takeActivity, takeTurns, withName } from "./hooks.js";
import { CONNECTION, ask, chat, follow, hooksPath, sessionName } from "./server.js";
import { loadServices, setUpServices } from "./services.js";
import { setUpTimeline, takeTimeline } from "./timeline.js";
import { setUpViewer } from "./viewer.js";

const prompt = byId("prompt");
const draftName = `hookline draft ${sessionName}`;
const stop = byId("stop");
let running = false;
let evaluating = false;
let action = ""; // what the last evaluation came to

// -- what comes in -------------------------------------------------------------------------------------------

follow(
  {
    "history-start": () => {
      clearChat();
      void begin();
    },
    "history-message": ({ message }) => {
      addMessage(message);
      freshen();
    },
    "history-end": () => markPassing(passingHooks()),
    chunk: (chunk) => {
      if (chunk.type === "start") setActivity(true, evaluating);
      hearChunk(chunk);
    },
    "completion-end": () => {
      setActivity(false, evaluating);
      freshen();
    },
    evaluation: (news) => {
      action = news.action ?? "";
      setActivity(running, news.evaluating);
      freshen();
    },
    hook: (row) => {
      hearHook(withName(row));
      freshen();
    },
    "hooks-status": ({ data }) => hearStatus(data),
    "hooks-changed": () => void orNothing(loadHooks()),
    notice: ({ text }) => {
      if (action === "reprompt") return; // the card that follows says it better
      addNotice(text);
      announce(text);
    },
  },
  (state) => {
    const connection = byId("connection");
    connection.dataset.state = state;
    say(connection, CONNECTION[state]);
  },
);

/** What the stream does not begin with. */
async function begin() {
  const state = await orNothing(ask("GET", chat("/status")));
  if (state) setActivity(state.isRunning, state.evaluating);
  await orNothing(loadHooks());
  await orNothing(loadServices());
  markPassing(passingHooks());
  freshen();
}

function hearStatus(status) {
  if (takeStatus(status) !== undefined) void orNothing(loadHooks());
  markPassing(passingHooks());
}

let isFresh = true;

/** Asks for the timeline once for all news that come together. */
function freshen() {
  if (!isFresh) return;
  isFresh = false;
  setTimeout(async () => {
    isFresh = true;
    const answer = await orNothing(ask("GET", hooksPath("timeline")));
    if (!answer) return;
    const turns = answer.turns.map((turn) => ({ ...turn, hooks: turn.hooks.map(withName) }));
    takeTimeline(turns);
    takeTurns(turns);
    nameStoppers(turns);
  }, 80);
}

/** The stream's own state says when the server is away. */
const orNothing = (promise) => promise.catch(() => null);

function setActivity(isRunning, isEvaluating) {
  if (running && !isRunning) void orNothing(loadHooks()); // guards have counts of their own
  running = isRunning;
  evaluating = isEvaluating;
  takeActivity(running || evaluating);
  const words = running ? "The agent works …" : evaluating ? "The file hooks run …" : "";
  say(byId("activity"), words);
  const hadFocus = document.activeElement === stop;
  stop.hidden = !running && !evaluating;
  if (hadFocus && stop.hidden) prompt.focus();
}

// -- what goes out -------------------------------------------------------------------------------------------

byId("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = prompt.value.trim();
  if (!text) return prompt.focus();
  await trying(async () => {
    const message = { role: "user", parts: [{ type: "text", text }] };
    await ask("POST", chat(), { messages: [message], mode: byId("plan").checked ? "plan" : "" });
    prompt.value = "";
    keepDraft();
  });
  prompt.focus();
});

/** What is not sent yet survives a reload; the field grows with it. */
function keepDraft() {
  sessionStorage.setItem(draftName, prompt.value);
  prompt.rows = Math.min(10, Math.max(2, prompt.value.split("\n").length));
}

prompt.value = sessionStorage.getItem(draftName) ?? "";
prompt.addEventListener("input", keepDraft);
prompt.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("composer").requestSubmit();
});

stop.addEventListener("click", () => trying(() => ask("POST", chat("/cancel"))));

async function trying(act) {
  show(byId("send-problem"), "");
  try {
    await act();
  } catch (error) {
    show(byId("send-problem"), error.message);
  }
}

setUpViewer(entryOf, runningSince);
setUpHooks();
setUpTimeline();
setUpServices();
say(byId("place"), sessionName ? `session ${sessionName}` : location.host);
