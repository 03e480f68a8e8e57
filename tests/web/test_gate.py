"""Who may talk to the server, and how much they may say."""

from __future__ import annotations

import http.client
import json
import time

import pytest
from tests.waiting import DEADLINE_S
from tests.web.serving import Serving, lasting_port


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
    first = serving.ask("GET", "/?token=secret&session=abc")
    cookie = first.headers["set-cookie"]
    assert (first.status, first.headers["location"]) == (303, "/?session=abc")
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "secret" not in cookie
    name, _, value = cookie.partition(";")[0].partition("=")
    assert serving.ask("GET", "/health", Cookie=f"{name}={value}").status == 200
    again = serving.ask("GET", "/?token=old&session=abc", Cookie=f"{name}={value}")
    assert (again.status, again.headers["location"]) == (303, "/?session=abc")
    assert serving.ask("GET", "/?token=nope").status == 401
    assert serving.ask("GET", "/health?token=secret").status == 401


def test_a_browsers_cookie_is_for_one_server_and_ends_with_it(serving: Serving) -> None:
    """Browsers send the cookies of a host to all its ports: each has a name and a value of its own."""
    options = ("--token", "secret", "--port", lasting_port())
    serving.start({"text": "one"}, options=options)
    cookie = serving.ask("GET", "/?token=secret").headers["set-cookie"].partition(";")[0]
    assert cookie.startswith(f"hookline_{serving.port}=")
    held = cookie.partition("=")[2]
    serving.stop()
    serving.start({"text": "one"}, options=options)
    assert serving.ask("GET", "/health", Cookie=cookie).status == 401
    other = serving.ask("GET", "/?token=secret").headers["set-cookie"]
    assert held not in other
    assert serving.ask("GET", "/health", Cookie=f"{cookie}; other=1; {other.partition(';')[0]}").status == 200


def test_without_being_told_otherwise_each_start_has_a_token_of_its_own(serving: Serving) -> None:
    serving.start({"text": "one"})
    first, plain = serving.token, http.client.HTTPConnection("127.0.0.1", serving.port)
    plain.request("GET", "/health")
    assert plain.getresponse().status == 401
    plain.close()
    assert serving.get("/health")["healthy"] is True
    assert serving.get("/openapi.json")["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    serving.stop()
    serving.start({"text": "one"})
    assert serving.token != first


def test_a_browser_without_the_token_is_shown_the_way_in(serving: Serving) -> None:
    serving.start({"text": "one"}, options=("--token", "secret"))
    for path in ("/", "/?token=nope", "/nothing"):
        reply = serving.ask("GET", path, Accept="text/html,*/*")
        assert (reply.status, reply.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert b"open http://" in reply.content and str(serving.root).encode() not in reply.content
        assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_a_token_comes_from_a_file_and_wins_over_the_environment(serving: Serving) -> None:
    secret = serving.program.home / "secret"
    secret.write_text("from-file\n")
    secret.chmod(0o644)
    serving.start({"text": "one"}, options=("--token-file", str(secret)), HOOKLINE_TOKEN="from-environment")
    assert serving.ask("GET", "/health", Authorization="Bearer from-environment").status == 401
    assert serving.ask("GET", "/health", Authorization="Bearer from-file").status == 200
    assert "can be read by others" in serving.talk


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--token", ""), 64),
        (("--token", "two words"), 64),
        (("--token", "é"), 64),
        (("--token", "a", "--no-token"), 64),
        (("--token-file", "/nowhere/at/all"), 1),
        (("--token-file", "/dev/null"), 1),
    ],
)
def test_a_token_that_is_none_is_told_before_anything_starts(
    serving: Serving, options: tuple[str, ...], code: int
) -> None:
    model = f"scripted:{serving.program.home / 'turns.yml'}"
    done = serving.program("serve", "--model", model, "--port", "0", *options)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (code, "", False)


def test_what_the_agent_runs_neither_sees_the_token_nor_gets_in(serving: Serving) -> None:
    """Neither its environment nor that of the server's process holds it, and the door is shut without."""
    serving.hook("look.sh", "type: file", "pattern: '*'", body="env; touch looked.ran")
    pause = "/hooks/execution"
    shell = f"""
        env | grep -c canary; tr '\\0' '\\n' < /proc/$PPID/environ | grep -c canary
        python3 - <<'END'
import os, http.client
for path, method in (("{pause}", "PATCH"), ("/default/chat/answer", "POST"), ("/default/chat", "POST")):
    door = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]))
    door.request(method, path, '{{"paused": true, "messages": [], "toolUseID": "x", "answers": {{}}}}')
    print("door", door.getresponse().status)
END
        touch made.txt"""
    command = {"name": "Bash", "input": {"command": shell}}
    serving.start({"text": "", "tool_calls": [command]}, {"text": "done"}, HOOKLINE_TOKEN="canary-secret")
    credentials = json.dumps([{"envVar": "PORT", "value": str(serving.port)}])
    bearer = {"Authorization": "Bearer canary-secret"}
    message = {"role": "user", "parts": [{"type": "text", "text": "go"}]}
    serving.ask(
        "POST", "/default/chat", {"messages": [message]}, X_Discobot_Credentials=credentials, **bearer
    )
    serving.until((serving.root / "looked.ran").exists)
    results = [block["content"] for line in serving.record for message in line["messages"]
               for block in message["content"] if block["type"] == "tool_result"]  # fmt: skip
    assert "0\n0\ndoor 401\ndoor 401\ndoor 401" in str(results[0])
    assert "executionPaused" not in serving.get("/hooks/status", **bearer)
    assert "canary" not in str(serving.get("/hooks/look/output", **bearer))


def test_without_a_token_it_binds_loopback_only(serving: Serving) -> None:
    (serving.program.home / "turns.yml").write_text("turns: []")
    model = f"scripted:{serving.program.home / 'turns.yml'}"
    done = serving.program("serve", "--model", model, "--host", "0.0.0.0", "--port", "0", "--no-token")
    assert (done.returncode, "--no-token" in done.stderr, "can act" in done.stderr) == (64, True, False)


@pytest.mark.parametrize("command", [("serve", "--model", "scripted:none"), ("page",)])
def test_no_address_is_not_every_address(serving: Serving, command: tuple[str, ...]) -> None:
    done = serving.program(*command, "--host", "", "--port", "0")
    assert (done.returncode, done.stdout, "--host" in done.stderr) == (64, "", True)


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
    end = time.monotonic() + DEADLINE_S
    # The kernel acknowledges the first few at once; a busy machine is late for other reasons, but not always
    while len(taken) < 30 or (taken[-1] >= 0.035 and time.monotonic() < end):
        began = time.perf_counter()
        connection.request("POST", "/default/chat/answer", b"{}", {"Content-Type": "application/json"})
        assert connection.getresponse().read()
        taken.append(time.perf_counter() - began)
    connection.close()
    assert taken[-1] < 0.035
