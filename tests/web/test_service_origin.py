"""`ID.localhost`: each service's pages under an origin of their own, out of reach of our API."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from tests.web.browser import Browser
from tests.web.services import WebService, heard
from tests.web.serving import DEADLINE_S, Serving

PAGE = """<!doctype html><title>mine</title><p id=it>service page</p><script>
const main = "http://127.0.0.1:" + location.port;
document.cookie = "own=1";
async function reach(path, options) {
  try { return (await fetch(main + path, options)).status; } catch { return "refused"; }
}
const asked = {method: "POST", credentials: "include", mode: "no-cors", body: "{}"};
Promise.all([
  reach("/hooks/status", {credentials: "include"}), reach("/services/web/stop", asked),
  reach("/default/chat", {credentials: "include", headers: {"Content-Type": "application/json"}, method: "POST"}),
  fetch("/echo").then((answer) => answer.json()),
  fetch("/hooks/status").then((answer) => answer.json()),
  new Promise((done, fail) => {
    const link = new WebSocket("ws://" + location.host + "/socket"), heard = [];
    link.onmessage = (event) => { heard.push(event.data); heard.length < 2 ? link.send("abc") : done(heard); };
    link.onerror = fail;
  }),
]).then((found) => { window.found = found; }, (error) => { window.found = String(error); });
</script>"""
HANDSHAKE = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"


@pytest.fixture
def web(serving: Serving) -> Iterator[WebService]:
    service = WebService(serving, PAGE)
    yield service
    service.held.close()


def test_a_page_of_a_service_works_and_cannot_reach_our_api(web: WebService, page: Browser) -> None:
    """In a real browser that holds our cookie: led there from our address, WebSocket included."""
    serving = web.serving
    serving.start({"text": "one"}, options=("--token", "secret"))
    page.open(f"http://127.0.0.1:{serving.port}/?token=secret")
    page.open(f"http://127.0.0.1:{serving.port}/services/web/http/page")
    page.until("window.found")
    origin = f"http://web.localhost:{serving.port}"
    assert page.see("location.href") == f"{origin}/page"
    status, stop, chat, echo, hooks, socket_said = page.see("window.found")
    assert (status, stop, chat) == ("refused", "refused", "refused")
    headers = dict(echo["headers"])
    assert headers["cookie"].split("; ") == ["mine=1", "own=1"]
    assert headers["referer"] == f"http://localhost:{web.port}/page"
    assert hooks["target"] == "/hooks/status"  # there is no API of ours at this origin
    assert socket_said == ["hello", "cba"]
    assert page.see("document.cookie.includes('hookline')") is False
    token = {"Authorization": "Bearer secret"}
    assert serving.get("/services", **token)["services"][0]["status"] == "running"
    assert serving.get("/default/chat", **token)["messages"] == []


def test_a_key_opens_one_service_once(web: WebService) -> None:
    """The token itself never gets there, nor does a cookie of ours reach the service."""
    serving = web.serving
    serving.program.write(".discobot/services/other", f"---\nname: O\nhttp: {web.port}\n---\n")
    serving.start({"text": "one"}, options=("--token", "secret"))
    assert web.own("/page").status == 401
    assert serving.ask("GET", "/services/web/http/page", Accept="text/html").status == 401
    led = web.ask("/page?a=1", Accept="text/html", Authorization="Bearer secret")
    entrance = led.headers["location"].removeprefix(f"http://web.localhost:{serving.port}")
    assert "secret" not in entrance
    foreign = serving.ask("GET", entrance, Host=f"other.localhost:{serving.port}")
    assert foreign.status == 401
    again = web.ask("/page?a=1", Accept="text/html", Authorization="Bearer secret").headers["location"]
    entrance = again.removeprefix(f"http://web.localhost:{serving.port}")
    entered = web.own(entrance)
    assert (entered.status, entered.headers["location"]) == (303, "/page?a=1")
    assert web.own(entrance).status == 401
    cookie = entered.headers["set-cookie"].partition(";")[0]
    assert "HttpOnly" in entered.headers["set-cookie"]
    headers = heard(web.own("/x", Cookie=f"{cookie}; mine=1"))[1]
    assert headers["cookie"] == "mine=1"
    assert serving.ask("GET", "/page", Host=f"other.localhost:{serving.port}", Cookie=cookie).status == 401
    assert serving.ask("GET", "/hooks/status", Cookie=cookie).status == 401
    said = heard(web.own("/x", Authorization="Bearer secret"))[1]
    assert "authorization" not in said
    own = heard(web.own("/x", Cookie=cookie, Authorization="Basic own"))[1]
    assert own["authorization"] == "Basic own"


def test_the_entrance_leads_nowhere_else(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--token", "secret"))
    for to in ("//evil.example/", "/%5Cevil.example/", "http://evil.example/"):
        led = web.ask("/page", Accept="text/html", Authorization="Bearer secret").headers["location"]
        key = led.partition("key=")[2].partition("&")[0]
        place = web.own(f"/.hookline/enter?key={key}&to={to}").headers["location"]
        assert urlsplit(place).netloc == "" and place.startswith("/") and not place.startswith("//")


def test_another_site_may_lead_to_a_service_but_neither_send_nor_start_anything(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--no-token",))
    visit = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    stopped = web.own("/page", **visit)
    assert (stopped.status, stopped.json["error"]) == (503, "service_not_running")
    web.serving.ask("POST", "/services/web/start")
    answer = web.own("/page", **visit)
    assert answer.status == 200
    cookies = answer.headers["set-cookie"]
    assert cookies == "mine=1; Path=/"
    assert web.own("/page", "POST", b"", **visit).status == 403
    assert web.own("/page", **{**visit, "Sec_Fetch_Dest": "iframe"}).status == 403
    assert web.own("/page", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
    assert web.own("/page", Origin=f"http://127.0.0.1:{web.serving.port}").status == 403
    assert web.own("/page", Origin="null").status == 403
    said = heard(web.own("/x", "POST", b"b", Origin=f"http://web.localhost:{web.serving.port}"))[1]
    assert said["origin"] == f"http://localhost:{web.port}"
    assert web.own("/x", "POST", b"x" * (8 * 1024 * 1024 + 1)).status == 413
    assert web.serving.ask("GET", "/", Host="a.web.localhost").status == 403
    assert web.serving.ask("GET", "/", Host="none.localhost").json["error"] == "service_not_found"


def test_websockets_are_joined_only_for_the_services_own_pages(web: WebService) -> None:
    serving = web.serving
    serving.start({"text": "one"}, options=("--token", "secret"))
    serving.ask("POST", "/services/web/start", Authorization="Bearer secret")
    key = base64.b64encode(os.urandom(16)).decode()
    own = f"Host: web.localhost:{serving.port}\nSec-WebSocket-Key: {key}\n{HANDSHAKE}"
    token = "Authorization: Bearer secret\n"

    def status(head: str, path: str = "/socket") -> bytes:
        return web.raw(f"GET {path} HTTP/1.1\n{head}\n").split(b"\r\n")[0][9:12]

    assert status(own) == b"401"
    assert status(f"{own}{token}Origin: http://evil.example\n") == b"403"
    assert status(f"{own}{token}Sec-Fetch-Site: cross-site\n") == b"403"
    assert status(f"Host: 127.0.0.1:{serving.port}\n{HANDSHAKE}{token}") == b"403"
    assert status(f"Host: none.localhost:{serving.port}\n{HANDSHAKE}{token}") == b"404"
    assert status(f"{own}{token}Content-Length: 5\n") == b"400"
    assert status(own + token, "/echo") == b"502"
    with socket.create_connection(("127.0.0.1", serving.port), timeout=DEADLINE_S) as link:
        link.sendall(f"GET /socket HTTP/1.1\n{own}{token}\n".replace("\n", "\r\n").encode())
        said = b""
        while b"hello" not in said:
            said += link.recv(4096)
        proof = hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
        assert b"sec-websocket-accept: " + base64.b64encode(proof) in said
        link.sendall(b"\x81\x83\0\0\0\0abc")
        assert link.recv(4096).endswith(b"cba")
        assert link.recv(4096) == b""  # the service has hung up


def test_open_tunnels_do_not_keep_the_server_from_ending(web: WebService) -> None:
    serving = web.serving
    serving.start({"text": "one"}, options=("--no-token",))
    serving.ask("POST", "/services/web/start")
    head = f"GET /socket HTTP/1.1\nHost: web.localhost:{serving.port}\nSec-WebSocket-Key: x\n{HANDSHAKE}\n"
    with socket.create_connection(("127.0.0.1", serving.port), timeout=DEADLINE_S) as link:
        link.sendall(head.replace("\n", "\r\n").encode())
        assert link.recv(12) == b"HTTP/1.1 101"
        assert serving.stop() == 143
    assert "Traceback" not in serving.talk
