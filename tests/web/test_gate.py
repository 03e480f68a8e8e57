"""Who may talk to the server, and how much they may say."""

from __future__ import annotations

import http.client
import json
import time

import pytest
from tests.web.serving import Serving


def raw(serving: Serving, path: str, **headers: str) -> int:
    """A path sent as it is, without any tidying by a client."""
    connection = serving.connect()
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_root_is_a_word_of_life_for_programs(serving: Serving) -> None:
    """A.3.1."""
    serving.start({"text": "one"})
    assert serving.get("/") == {"status": "ok", "service": "agent"}
    assert serving.get("/health") == {"healthy": True, "connected": True}
    assert set(serving.get("/user")) == {"username", "uid", "gid"}
    assert serving.get("/default/models")["models"][0]["id"].startswith("scripted:")


def test_a_foreign_host_or_origin_is_refused(serving: Serving) -> None:
    """A page of another site can reach a loopback server by name or by address; neither gets an answer."""
    serving.start({"text": "one"})
    own = f"127.0.0.1:{serving.port}"
    assert raw(serving, "/health", Host="evil.example") == 403
    assert raw(serving, "/health", Host=f"localhost:{serving.port}") == 200
    assert raw(serving, "/health", Host="[::1]") == 200
    assert raw(serving, "/health", Host="10.0.0.1") == 403
    assert raw(serving, "/health", Origin="http://evil.example") == 403
    assert raw(serving, "/health", Origin="null") == 403
    assert raw(serving, "/health", **{"Sec-Fetch-Site": "cross-site"}) == 403
    assert raw(serving, "/health", **{"Sec-Fetch-Site": "none"}) == 200
    assert raw(serving, "/health", Origin=f"http://{own}") == 200
    assert serving.ask("POST", "/default/chat", {"messages": []}, Origin="https://evil.example").status == 403
    reply = serving.ask("OPTIONS", "/default/chat", Origin=f"http://{own}")
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_a_token_is_wanted_on_every_route(serving: Serving) -> None:
    serving.start({"text": "one"}, options=("--token", "secret"))
    for path in (
        "/",
        "/health",
        "/hooks/status",
        "/default/chat",
        "/openapi.json",
        "/static/page.js",
        "/none",
    ):
        assert serving.ask("GET", path).status == 401
    for wrong in ("Bearer nope", "secret", "Basic secret", "bearer secret", ""):
        assert serving.ask("GET", "/health", Authorization=wrong).status == 401
    assert serving.ask("GET", "/health", Authorization="Bearer secret").status == 200


def test_a_token_from_the_environment_counts_too(serving: Serving) -> None:
    serving.start({"text": "one"}, HOOKLINE_TOKEN="secret")
    assert serving.ask("GET", "/health").status == 401
    assert serving.ask("GET", "/health", Authorization="Bearer secret").status == 200


def test_a_browser_gets_a_cookie_for_the_token_in_its_first_address(serving: Serving) -> None:
    serving.start({"text": "one"}, options=("--token", "secret"))
    first = serving.ask("GET", "/?token=secret")
    cookie = first.headers["set-cookie"]
    assert (first.status, first.headers["location"]) == (303, "/")
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "secret" not in cookie
    assert serving.ask("GET", "/health", Cookie=cookie.partition(";")[0]).status == 200
    assert serving.ask("GET", "/?token=nope").status == 401
    assert serving.ask("GET", "/health?token=secret").status == 401


def test_without_a_token_it_binds_loopback_only(serving: Serving) -> None:
    (serving.program.home / "turns.yml").write_text("turns: []")
    model = f"scripted:{serving.program.home / 'turns.yml'}"
    done = serving.program("serve", "--model", model, "--host", "0.0.0.0", "--port", "0")
    assert (done.returncode, "--token" in done.stderr) == (64, True)


def test_a_port_in_use_is_told_in_words(serving: Serving) -> None:
    serving.start({"text": "one"})
    model = f"scripted:{serving.program.home / 'turns.yml'}"
    done = serving.program("serve", "--model", model, "--port", str(serving.port))
    assert (done.returncode, f"cannot listen on 127.0.0.1:{serving.port}" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2f..%2f..%2fetc/passwd",
        "/static//etc/passwd",
    ],
)
def test_no_path_leads_out_of_the_static_files(serving: Serving, path: str) -> None:
    serving.start({"text": "one"})
    assert raw(serving, path) == 404


def test_a_body_beyond_the_limit_is_refused_declared_or_not(serving: Serving) -> None:
    serving.start({"text": "one"})
    huge = b'{"messages": "' + b"x" * (9 * 1024 * 1024) + b'"}'
    try:
        status = serving.ask("POST", "/default/chat", huge).status
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # it hung up before it had read everything
    assert status == 413
    connection = serving.connect()
    connection.request("POST", "/default/chat", iter([b"x" * 1024 * 1024] * 9), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})  # fmt: skip
    try:
        assert connection.getresponse().status == 413
    except (http.client.HTTPException, ConnectionError):
        pass
    finally:
        connection.close()
    assert serving.get("/health")["healthy"] is True


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the body must be JSON"),
        (b"[1]", "the body must be a JSON object"),
        (b"[" * 100_000, "the body must be JSON"),
        (b'{"messages": "hi"}', "messages array required"),
        (b'{"messages": []}', "messages array required"),
        (b'{"messages": [{"role": "assistant", "parts": []}]}', "No user message found"),
        (b'{"messages": [1, {"role": "user", "parts": [{"type": "text"}]}]}', "No user message found"),
    ],
)
def test_what_is_no_message_is_told_so(serving: Serving, body: bytes, words: str) -> None:
    """A.3.1."""
    serving.start({"text": "one"})
    reply = serving.ask("POST", "/default/chat", body)
    assert (reply.status, reply.json) == (400, {"error": words})


def test_only_the_last_user_message_goes_to_the_model(serving: Serving) -> None:
    """A.3.1."""
    serving.start({"text": "one"})
    messages = [
        {"id": str(place), "role": role, "parts": [{"type": "text", "text": text}]}
        for place, (role, text) in enumerate([("user", "old"), ("assistant", "hm"), ("user", "new")])
    ]
    assert serving.ask("POST", "/default/chat", {"messages": messages}).status == 202
    serving.idle()
    assert json.dumps(serving.record).count("old") == 0
    assert serving.texts("user") == ["new"]
    assert serving.ask("DELETE", "/default/chat").json == {"success": True}
    assert serving.get("/default/chat") == {"messages": []}


def test_unknown_routes_and_methods_answer_in_json(serving: Serving) -> None:
    serving.start({"text": "one"})
    assert serving.ask("GET", "/nothing/here").json == {"error": "Not Found"}
    wrong = serving.ask("PUT", "/hooks/status")
    assert (wrong.status, wrong.json, "GET" in wrong.headers["allow"]) == (
        405,
        {"error": "Method Not Allowed"},
        True,
    )
    assert wrong.headers["x-content-type-options"] == "nosniff"


def test_no_answer_on_an_open_connection_waits_for_an_acknowledgement(serving: Serving) -> None:
    """Headers and body leave in two writes; without TCP_NODELAY the second is 40 ms late every time."""
    serving.start({"text": "one"})
    connection = serving.connect()
    taken: list[float] = []
    end = time.monotonic() + 60
    # The kernel acknowledges the first few at once; a busy machine is late for other reasons, but not always
    while len(taken) < 30 or (taken[-1] >= 0.035 and time.monotonic() < end):
        began = time.perf_counter()
        connection.request("POST", "/default/chat/answer", b"{}", {"Content-Type": "application/json"})
        assert connection.getresponse().read()
        taken.append(time.perf_counter() - began)
    connection.close()
    assert taken[-1] < 0.035
