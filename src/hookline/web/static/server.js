// The server: one session's routes, and its event stream. Nothing is asked for on a clock.

const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 15_000;
const SILENCE_MS = 45_000; // the server speaks every 15 s
const STAYING = 3; // tabs whose stream stays open while nobody looks: a browser opens six connections to a server

export const CONNECTION = {
  live: "live",
  lost: "connection lost, trying again …",
  locked: "the server wants its token: open the address it printed when it started",
};

const session = new URLSearchParams(location.search).get("session");
const chatPath = session ? `/default/sessions/${encodeURIComponent(session)}/chat` : "/default/chat";
const query = session ? `?session=${encodeURIComponent(session)}` : "";

export const hookPath = (id, rest) => `/hooks/${encodeURIComponent(id)}/${rest}${query}`;
export const hooksPath = (rest) => `/hooks/${rest}${query}`;
export const chat = (rest = "") => chatPath + rest;
export const sessionName = session ?? "";

/** The JSON of an answer; an Error with the server's words for anything but success. */
export async function ask(method, path, body) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const given = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: given }).catch(() => { throw new Error("The server does not answer."); });
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw Object.assign(new Error(words(answer.status, content)), { status: answer.status, content });
  }
  return content;
}

const WORDS = {
  completion_in_progress: "The agent still works on the last message: wait, or stop it.",
  no_active_completion: "Nothing is running any more.",
  hooks_paused: "Hooks are paused: resume them first.",
  not_running: "It has ended already.",
};

function words(status, content) {
  if (status === 401) return "The server wants its token: open this page as /?token=… once.";
  return content.why || WORDS[content.error] || content.error || `The server answered ${status}.`;
}

/**
 * Follows a stream, the session's own unless told. After a break it begins anew (with the whole conversation):
 * that is right also when the server was started again meanwhile, and its event ids mean something else.
 */
export async function follow(handlers, onState, path = chat("/stream")) {
  const isStaying = await takesPlace();
  let wait = FIRST_WAIT_MS;
  let silence;
  let again;
  let source = null;
  const close = () => {
    clearTimeout(silence);
    clearTimeout(again);
    source?.close();
    source = null;
  };
  const open = () => {
    if (source || (document.hidden && !isStaying)) return;
    source = new EventSource(path);
    const lost = () => {
      close();
      onState("lost");
      void fetch("/health").then(({ status }) => status === 401 && onState("locked"), () => null);
      again = setTimeout(open, wait);
      wait = Math.min(wait * 2, LAST_WAIT_MS);
    };
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(lost, SILENCE_MS);
    };
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      heard();
      onState("live");
    };
    source.onerror = lost;
    source.addEventListener("ping", heard);
    for (const [name, handler] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        heard();
        handler(JSON.parse(event.data));
      });
    }
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) open();
    else if (!isStaying) close();
  });
  open();
}

/** Whether this tab may keep its stream while it is hidden; its place is free again when the tab is gone. */
async function takesPlace() {
  for (let place = 1; navigator.locks && place <= STAYING; place++) {
    const isMine = await new Promise((done) => {
      void navigator.locks.request(`hookline stream ${place}`, { ifAvailable: true }, (lock) => {
        done(lock !== null);
        return lock && new Promise(() => null);
      });
    });
    if (isMine) return true;
  }
  return false;
}
