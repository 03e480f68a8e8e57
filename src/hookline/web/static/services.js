// The workspace's services: start, stop, and the way to their pages, which lies at an origin of their own.

import { byId, element, show } from "./elements.js";
import { ask } from "./server.js";

const panel = byId("services-panel");
const list = byId("services");
const MOVING = ["starting", "stopping"];
const LOOKS = 40; // a service that does not want to end is killed after 5 s
const LOOK_MS = 200;

export function setUpServices() {
  // A service ends by itself without a word to this page: whoever comes back to it sees how things are.
  addEventListener("focus", () => void loadServices().catch(() => null));
}

export async function loadServices() {
  const { services } = await ask("GET", "/services");
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.service : null;
  panel.hidden = !services.length;
  list.replaceChildren(...services.map(row));
  if (focused) list.querySelector(`button[data-service="${CSS.escape(focused)}"]`)?.focus();
  return services;
}

function row(service) {
  const runs = service.status !== "stopped";
  const path = `/services/${encodeURIComponent(service.id)}`;
  const page = `${path}/http/${service.urlPath.replace(/^\/+/, "")}`;
  const isOpen = (service.http || service.https) && (runs || service.passive);
  const link = { class: "button", href: page, target: "_blank", rel: "noopener", "aria-label": `Open ${service.name}` };
  const order = runs ? "Stop" : "Start";
  const button = {
    type: "button", "data-service": service.id, "aria-label": `${order} ${service.name}`,
    "aria-busy": MOVING.includes(service.status) ? "true" : null,
  };
  const click = () => carryOut(`${path}/${order.toLowerCase()}`);
  return element(
    "li", { class: "service", "data-service": service.id },
    element("span", { class: "service-name" }, service.name),
    element("span", { class: "quiet" }, service.passive ? "run by others" : service.status),
    element(
      "span", { class: "service-buttons" },
      isOpen ? element("a", link, "Open") : null,
      service.passive ? null : element("button", { ...button, onclick: click }, order),
    ),
  );
}

async function carryOut(path) {
  show(byId("service-problem"), "");
  try {
    await ask("POST", path);
  } catch (error) {
    show(byId("service-problem"), error.message);
  }
  for (let look = 0; look < LOOKS; look++) {
    const services = await loadServices().catch(() => []);
    if (!services.some((service) => MOVING.includes(service.status))) return;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}
