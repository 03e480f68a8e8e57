// The page on hooks and history: which view is open, and the news it is drawn from.

import { age, byId, element, say, show } from "./elements.js";
import { drawDecision, drawDecisions } from "./decisions.js";
import { drawHook, drawHooks } from "./hook_views.js";
import { drawNow } from "./now.js";
import { CONNECTION } from "./server.js";
import { followNews, loadHooks, onChange, store } from "./store.js";
import { drawTime } from "./time.js";
import { drawTrust } from "./trust.js";

const VIEWS = { now: drawNow, hooks: drawHooks, decisions: drawDecisions, trust: drawTrust, time: drawTime };
const DETAILS = { hooks: drawHook, decisions: drawDecision };
const TITLES = { now: "Now", hooks: "Hooks", decisions: "Decisions", trust: "Trust", time: "Time" };

const RETURN_MS = 2000;
const SECOND_MS = 1000;

const view = byId("view");
let leave = () => null; // what the open view wants done before it goes

/** `#/hooks/ID?workspace=W` as {name, id, query}. */
function routeOf() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, id = ""] = path.split("/");
  return { name: VIEWS[name] ? name : "now", id: decodeURIComponent(id), query: new URLSearchParams(query) };
}

/** Problems of a view's own requests are said at the top, not lost. */
export async function trying(act) {
  show(byId("problem"), "");
  try {
    return await act();
  } catch (error) {
    show(byId("problem"), error.message);
    return null;
  }
}

function open() {
  const route = routeOf();
  leave();
  for (const link of byId("tabs").children) {
    if (link.getAttribute("href") === `#/${route.name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  view.setAttribute("aria-label", TITLES[route.name]);
  const root = element("div", { class: `view-${route.name}` });
  view.replaceChildren(root);
  const draw = route.id ? (DETAILS[route.name] ?? VIEWS[route.name]) : VIEWS[route.name];
  const redraw = draw(root, route, trying) ?? (() => null);
  leave = onChange(redraw);
  title();
}

/** Of one hook or one decision its own title, so that several tabs and steps back can be told from each other. */
function title() {
  const own = view.querySelector("h2.title")?.textContent;
  document.title = `${failing() ? "✗ " : ""}${own ?? TITLES[routeOf().name]} – hookline`;
}

const failing = () => store.hooks.some((hook) => hook.state === "broken" || (hook.state === "on" && hook.lastState === "failed"));

onChange(() => {
  show(byId("waiting-count"), store.waiting.length ? String(store.waiting.length) : "");
  title();
});
addEventListener("hashchange", ({ oldURL }) => {
  const isBack = history.state !== null; // each place that was open is marked
  history.replaceState({}, "");
  open();
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
  if (isBack) returnTo(new URL(oldURL).hash);
});

/** Whoever comes back stands at the link they left by, as soon as it is drawn. */
function returnTo(hash) {
  const found = () => document.activeElement === view && view.querySelector(`a[href="${CSS.escape(hash)}"]`);
  const drawn = new MutationObserver(() => {
    if (!found()) return;
    drawn.disconnect();
    found().focus();
  });
  drawn.observe(view, { childList: true, subtree: true });
  setTimeout(() => drawn.disconnect(), RETURN_MS);
}

await trying(loadHooks);
history.replaceState({}, "");
open();
new MutationObserver(title).observe(view, { childList: true, subtree: true });
setInterval(() => age(), SECOND_MS);
followNews((state) => {
  const connection = byId("connection");
  connection.dataset.state = state;
  say(connection, CONNECTION[state]);
  if (state === "live") show(byId("problem"), ""); // what it was about is asked for again
});
