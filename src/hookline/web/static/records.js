// The page on hooks and history: which view is open, and the news it is drawn from.

import { byId, element, say, show } from "./elements.js";
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

const title = () => { document.title = `${failing() ? "✗ " : ""}${TITLES[routeOf().name]} – hookline`; };

const failing = () => store.hooks.some((hook) => hook.state === "broken" || (hook.state === "on" && hook.lastState === "failed"));

onChange(() => {
  show(byId("waiting-count"), store.waiting.length ? String(store.waiting.length) : "");
  title();
});
addEventListener("hashchange", () => {
  open();
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
});

await trying(loadHooks);
open();
followNews((state) => {
  const connection = byId("connection");
  connection.dataset.state = state;
  say(connection, CONNECTION[state]);
});
