// Trust: what is new or changed, with the difference to what was accepted before; accept it or refuse it.

import { byId, count, element, quoted, renew, say } from "./elements.js";
import { ask } from "./server.js";
import { nameThen, store, take } from "./store.js";

export function drawTrust(root, route, trying) {
  let shown = null;
  const draw = () => {
    const key = store.waiting.map((item) => item.fingerprint).join();
    if (key === shown) return; // what somebody reads stays as it is
    shown = key;
    const words = store.waiting.length ? `${count(store.waiting.length, "hook")} ${store.waiting.length === 1 ? "waits" : "wait"} for you; until then ${store.waiting.length === 1 ? "it does" : "they do"} not run.` : "Every hook here is trusted, or needs no trust.";
    renew(root, [element("h2", {}, "Trust"), element("p", { class: "quiet" }, words), ...store.waiting.map((item) => review(item, trying))]);
  };
  draw();
  return draw;
}

function review(item, trying) {
  const name = nameThen({ id: item.hookId, name: item.hookName, dialect: item.dialect }, item.event);
  const decide = (accept) => trying(async () => {
    take(await ask("POST", "/records/decide", { workspace: item.workspace, fingerprint: item.fingerprint, accept }));
    say(byId("announcer"), `${name} ${accept ? "is trusted" : "is refused"}`);
    byId("view").focus({ preventScroll: true });
  });
  const place = item.line ? `${item.source}:${item.line}` : item.source;
  const facts = [item.event, item.matcher && `on ${item.matcher}`, place, store.workspaces.length > 1 && item.workspace];
  const lines = item.diff.length ? item.diff : item.definition.split("\n");
  return element("section", { class: "panel review", "data-hook": item.hookId, "aria-label": `${name}, ${place}` },
    element("h3", {}, `${item.change === "changed" ? "Changed" : "New"}: ${name}`),
    element("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    element("p", {}, "Runs ", element("code", {}, item.command)),
    ...item.risks.map((risk) => element("p", { class: "risk" }, "! ", ...quoted(risk))),
    ...item.touches.map((fact) => element("p", { class: "quiet" }, fact)),
    element("div", { class: "diff", tabindex: "0", role: "region", "aria-label": `Difference of ${name}, ${place}` }, ...lines.map(diffLine)),
    element("div", { class: "actions" },
      element("button", { type: "button", class: "primary", onclick: () => decide(true) }, "Accept"),
      element("button", { type: "button", onclick: () => decide(false) }, "Refuse"),
      element("code", { class: "quiet" }, item.fingerprint.slice(0, 19))));
}

function diffLine(line) {
  const kind = line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@") ? "head" : { "+": "added", "-": "gone" }[line[0]] ?? "same";
  return element("div", { class: kind }, line || " ");
}
