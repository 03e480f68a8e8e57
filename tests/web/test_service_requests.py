"""`/services/ID/http/*`: requests to a real service through our own origin, where nothing may act in a browser."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web.services import WebService, heard
from tests.web.serving import Serving

from hookline.hosts.turns.services import Line, Service
from hookline.web.forwarding import Forwarding
from hookline.web.service_headers import Way, rewritten_location


@pytest.fixture
def web(serving: Serving) -> Iterator[WebService]:
    service = WebService(serving)
    yield service
    service.held.close()


def test_a_request_reaches_the_service_which_is_started_for_it(web: WebService) -> None:
    """A.3.1: any method, the query, the body; nothing of ours, nothing about the connection."""
    web.serving.start({"text": "one"}, options=("--token", "secret"))
    given = {
        "Authorization": "Bearer secret",
        "X_Discobot_Credentials": '[{"envVar": "K", "value": "v"}]',
        "X_Forwarded_For": "10.0.0.1",
        "Connection": "keep-alive, X-Once",
        "X_Once": "1",
        "X_Twice": "2",
        "Origin": f"http://127.0.0.1:{web.serving.port}",
        "Cookie": "hookline_token=x; other=y",
    }
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        said, headers = heard(web.ask("/a%2Fb/../c?q=1&q=%20", method, b"body", **given))
        assert (said["method"], said["target"], said["body"]) == (method, "/a%2Fb/../c?q=1&q=%20", "body")
        assert headers["host"] == f"localhost:{web.port}"
        assert headers["x-forwarded-prefix"] == "/services/web/http"
        assert headers["x-forwarded-for"] == "127.0.0.1"
        assert headers["x-twice"] == "2"
        assert not {"authorization", "cookie", "origin", "x-once", "x-discobot-credentials"} & set(headers)
    assert web.ask("/", "HEAD", Authorization="Bearer secret").content == b""
    assert web.ask("/").status == 401
    states = web.serving.get("/services", Authorization="Bearer secret")["services"]
    assert [each["status"] for each in states] == ["running"]


def test_bodies_pass_as_they_come_up_to_the_limit(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--no-token",))
    assert heard(web.ask("/", "POST", b"x" * 5_000_000))[0]["size"] == 5_000_000
    connection = web.serving.connect()
    connection.request("POST", "/services/web/http/", body=iter([b"ab"] * 500), encode_chunked=True)
    assert b'"size": 1000' in connection.getresponse().read()
    connection.close()
    assert web.ask("/", "POST", b"x" * (8 * 1024 * 1024 + 1)).status == 413
    connection = web.serving.connect()
    try:
        endless = iter([b"x" * 1024 * 1024] * 9)
        connection.request("POST", "/services/web/http/", body=endless, encode_chunked=True)
        status = connection.getresponse().status
    except OSError:
        status = 413  # it hung up before it had been told everything
    connection.close()
    assert status == 413


def test_events_of_a_service_arrive_one_by_one_and_end_with_their_reader(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--no-token",))
    connection = web.serving.connect()
    connection.request("GET", "/services/web/http/events")
    answer = connection.getresponse()
    assert answer.headers["content-type"] == "text/event-stream"
    for number in range(3):
        assert (answer.readline(), answer.readline()) == (f"data: {number}\n".encode(), b"\n")
        assert web.ask("/next").status == 204
    connection.close()


def test_an_answer_below_our_origin_does_nothing_in_a_browser(web: WebService) -> None:
    """No cookie, no permission for other sites, no policy of the service's: data, in a sandbox."""
    web.serving.start({"text": "one"}, options=("--no-token",))
    answer = web.ask("/page")
    assert (answer.status, answer.content) == (200, b"<title>mine</title>")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    for name in ("set-cookie", "access-control-allow-origin", "clear-site-data", "x-mine", "server"):
        assert name not in answer.headers
    for part in ("script", "style", "iframe", "serviceworker", "image"):
        assert web.ask("/page", Sec_Fetch_Dest=part, Sec_Fetch_Mode="no-cors").status == 403
    assert web.ask("/page", Sec_Fetch_Site="cross-site").status == 403
    assert web.ask("/page", Origin="http://web.localhost").status == 403


def test_a_browser_is_led_to_the_services_own_origin(web: WebService) -> None:
    serving = web.serving
    serving.start({"text": "one"}, options=("--no-token",))
    answer = web.ask("/page?a=1", Accept="text/html")
    assert answer.status == 307
    assert answer.headers["location"] == f"http://web.localhost:{serving.port}/page?a=1"
    frame = web.ask("/page", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="iframe")
    assert (frame.status, frame.json["error"]) == (403, "not_under_this_origin")
    assert web.ask("/page", "POST", b"", Sec_Fetch_Mode="navigate").status == 403


def test_redirects_are_rewritten_and_not_followed(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--no-token",))

    def leads(to: str) -> str:
        answer = web.ask("/away", X_to=to)
        assert answer.status == 302
        return answer.headers["location"]

    assert leads(f"http://localhost:{web.port}/in?x=1#y") == "/services/web/http/in?x=1#y"
    assert leads(f"http://127.0.0.1:{web.port}") == "/services/web/http/"
    assert leads("/in") == "/services/web/http/in"
    assert leads("next") == "next"
    assert leads("http://169.254.169.254/latest") == "http://169.254.169.254/latest"
    assert leads("http://localhost:1/x") == "http://localhost:1/x"
    assert web.own("/away", X_to=f"http://localhost:{web.port}/in").headers["location"] == "/in"


def test_no_redirect_turns_a_path_into_a_host() -> None:
    way = Way("http://localhost:3000", "http://web.localhost:8137")
    assert rewritten_location(b"http://localhost:3000//evil.example/x", way) == b"/evil.example/x"
    assert rewritten_location(b"//localhost:3000/x", way) == b"/x"
    assert rewritten_location(b"http://[::1/", way) == b"http://[::1/"
    assert rewritten_location(b"https://localhost:3000/x", way) == b"https://localhost:3000/x"


def test_a_service_that_cannot_be_asked_is_told_from_one_that_does_not_exist(serving: Serving) -> None:
    program = serving.program
    program.write(".discobot/services/dumb.sh", "#!/bin/sh\n#---\n# name: D\n#---\nsleep 60\n", 0o755)
    program.write(".discobot/services/gone", "---\nname: G\nhttp: 1\n---\n")
    program.write(
        ".discobot/services/dead.sh", "#!/bin/sh\n#---\n# name: E\n# http: 2\n#---\nexit 3\n", 0o755
    )
    serving.start({"text": "one"}, options=("--no-token",))
    program.write(".discobot/services/self", f"---\nname: S\nhttp: {serving.port}\n---\n")

    def said(path: str) -> tuple[int, str]:
        answer = serving.ask("GET", path)
        return answer.status, answer.json["error"]

    assert said("/services/none/http/") == (404, "service_not_found")
    assert said("/services/dumb/http/") == (400, "service_has_no_port")
    assert said("/services/gone/http/") == (503, "service_not_answering")
    assert said("/services/dead/http/") == (502, "service_ended")
    assert said("/services/self/http/") == (502, "service_port_is_ours")
    assert said("/services/gone%2Fhttp/../x/http/") == (404, "service_not_found")
    assert serving.ask("GET", "/services/../gone/http/").status == 404
    assert serving.ask("TRACE", "/services/gone/http/").status == 405


def test_a_body_with_two_lengths_is_not_passed_on(web: WebService) -> None:
    """Request smuggling: what one side takes for the body must not be a request to the other."""
    web.serving.start({"text": "one"}, options=("--no-token",))
    assert web.ask("/").status == 200
    host = f"Host: 127.0.0.1:{web.serving.port}\nConnection: close\n"
    for lengths in (
        "Content-Length: 1\nContent-Length: 2\n",
        "Content-Length: 1\nContent-Length: 1\n",
        "Content-Length: 3\nTransfer-Encoding: chunked\n",
        "Transfer-Encoding: chunked\nTransfer-Encoding: identity\n",
        "Content-Length: +1\n",
    ):
        answer = web.raw(f"POST /services/web/http/ HTTP/1.1\n{host}{lengths}\nx")
        assert answer.startswith(b"HTTP/1.1 400 "), (lengths, answer)
    answer = web.raw(f"GET /services/web/http/a\tb HTTP/1.1\n{host}\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_an_answer_that_makes_no_sense_is_a_502_and_one_cut_short_is_not_made_whole(web: WebService) -> None:
    web.serving.start({"text": "one"}, options=("--no-token",))
    answer = web.ask("/twice")
    assert (answer.status, answer.json["error"]) == (502, "service_bad_answer")
    with pytest.raises(http.client.IncompleteRead):
        web.ask("/cut")


def test_a_service_that_does_not_answer_is_not_waited_for_without_end() -> None:
    """Its time begins when it has the request; the client gets 504."""
    sent: list[dict[str, Any]] = []

    async def ask() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()
            await writer.wait_closed()
            hung_up.set()

        async def receive() -> dict[str, Any]:
            if not sent_body:
                sent_body.append(True)
                return {"type": "http.request", "body": b""}
            return await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            sent.append(message)

        sent_body: list[bool] = []
        hung_up = asyncio.Event()
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        line = Line(Service("s", "S", "s", http=port), *await asyncio.open_connection("127.0.0.1", port))
        forwarding = Forwarding(line, Way("http://localhost:1", "http://s.localhost:2"), answer_s=0.05)
        scope: Any = {"type": "http", "method": "GET", "headers": [], "client": ("127.0.0.1", 1)}
        await forwarding.run(scope, b"/", receive, send)
        await hung_up.wait()
        server.close()
        await server.wait_closed()

    asyncio.run(ask())
    assert sent[0]["status"] == 504
