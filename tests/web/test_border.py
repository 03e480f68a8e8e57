"""What clients may send and how long they may take: nobody stops the server, or spoils a session."""

from __future__ import annotations

import json
import socket
import stat
from pathlib import Path

import pytest
from tests.web.serving import DEADLINE_S, Serving, write


def dial(serving: Serving) -> socket.socket:
    return socket.create_connection(("127.0.0.1", serving.port), timeout=DEADLINE_S)


def is_let_go(link: socket.socket) -> bool:
    """Waits until the server has ended the connection."""
    try:
        while link.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def answer(link: socket.socket) -> bytes:
    """The first line that comes back; none when the server only hung up."""
    try:
        return link.recv(65536).partition(b"\r\n")[0]
    except ConnectionError:
        return b""


IMPATIENT = "from hookline.web import listening\nlistening.HEAD_S, listening.SILENCE_S = 4.0, 8.0\n"


def test_connections_that_ask_nothing_are_let_go(serving: Serving, tmp_path: Path) -> None:
    """Silent ones, half a head, and a second request that never comes; those that listen stay."""
    (tmp_path / "sitecustomize.py").write_text(IMPATIENT)  # the same server, which waits less long
    serving.start({"text": "one"}, PYTHONPATH=f"{tmp_path}:{serving.program.environment['PYTHONPATH']}")
    listening = serving.connect()
    listening.request("GET", "/default/chat/stream", headers={"Accept": "text/event-stream"})
    stream = listening.getresponse()
    links = [dial(serving) for _ in range(300)]
    for link in links[:100]:
        link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    body = b"POST /default/chat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 99\r\n\r\n{"
    late = dial(serving)
    late.sendall(body % serving.token.encode())
    assert all(is_let_go(link) for link in links)
    assert serving.get("/health")["healthy"] is True
    serving.say("still there?")
    assert b"still there?" in b"".join(stream.readline() for _ in range(12))
    assert is_let_go(late)
    for link in (*links, late):
        link.close()
    listening.close()


@pytest.mark.parametrize(
    "head",
    [
        b"X-Long: " + b"x" * 200_000 + b"\r\n",
        b"".join(b"X-%d: 1\r\n" % n for n in range(5_000)),
        b"".join(b"X-%d: 1\r\n" % n for n in range(150)),
    ],
    ids=["one long header", "thousands of headers", "more headers than anybody needs"],
)
def test_a_head_beyond_the_limit_is_refused(serving: Serving, head: bytes) -> None:
    serving.start({"text": "one"})
    with dial(serving) as link:
        try:
            link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
        except ConnectionError:
            pass
        assert answer(link) in (b"HTTP/1.1 431 Request Header Fields Too Large", b"")
    with dial(serving) as link:
        few = b"".join(b"X-%d: 1\r\n" % n for n in range(50))
        bearer = b"Authorization: Bearer " + serving.token.encode() + b"\r\n"
        link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + bearer + few + b"\r\n")
        assert answer(link) == b"HTTP/1.1 200 OK"


def test_one_connection_carries_many_requests(serving: Serving) -> None:
    serving.start({"text": "one"})
    connection = serving.connect()
    for _ in range(5):
        connection.request("POST", "/default/chat/answer", b"{}")
        assert connection.getresponse().read()
    connection.close()
    bearer = f"Authorization: Bearer {serving.token}\r\n"
    with dial(serving) as link:
        one = f"GET /health HTTP/1.1\r\nHost: localhost\r\n{bearer}"
        link.sendall(f"{one}\r\n{one}Connection: close\r\n\r\n".encode())
        said = b""
        while part := link.recv(65536):
            said += part
    assert said.count(b'{"healthy": true') == 2


def test_who_hangs_up_in_the_middle_leaves_nothing_on_stderr(serving: Serving) -> None:
    serving.start({"text": "one"})
    before = serving.talk
    for path in ("/default/chat", "/files/write", "/hooks/execution"):
        with dial(serving) as link:
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {serving.token}\r\n"
            method = head if path != "/hooks/execution" else head.replace("POST", "PATCH")
            link.sendall(f"{method}Content-Length: 100\r\n\r\n{{".encode())
    for _ in range(20):
        serving.get("/health")
    serving.stop()
    assert serving.talk == before


HALVES = (b"x \\ud83e y", b"x \\udc80 y", b"x \\uded7\\ud83e y")


@pytest.mark.parametrize("half", HALVES)
def test_half_a_character_spoils_no_session(serving: Serving, half: bytes) -> None:
    """A browser that cuts an emoji in two sends one; the next turn, and the next server, go on."""
    serving.start({"text": "one"}, {"text": "two"}, {"text": "three"})
    message = b'{"messages": [{"id": "%s", "role": "user", "parts": [{"type": "text", "text": "%s"}]}]}'
    assert serving.ask("POST", "/default/chat", message % (half, half)).status == 202
    serving.idle()
    serving.say("whole 🧹")
    serving.idle()
    serving.stop()
    serving.start({"text": "three"})
    said = serving.texts("user")
    assert [text.startswith("x �") for text in said] == [True, False] and said[1] == "whole 🧹"
    assert serving.texts("assistant") == ["one", "two"]
    serving.say("go on")
    serving.idle()
    assert serving.texts("assistant")[-1] == "three"


def test_an_emoji_sent_as_two_escapes_stays_one(serving: Serving) -> None:
    serving.start({"text": "one"})
    body = b'{"messages": [{"role": "user", "parts": [{"type": "text", "text": "\\ud83e\\uddf9"}]}]}'
    assert serving.ask("POST", "/default/chat", body).status == 202
    serving.idle()
    assert serving.texts("user") == ["🧹"]


def test_what_is_asked_of_no_hook_is_not_there(serving: Serving) -> None:
    serving.hook("go.sh", body="echo hello")
    serving.start({"text": "one"})
    for path in ("/hooks/nosuch/output", "/hooks/nosuch/output/download"):
        assert serving.ask("GET", path).status == 404
    assert serving.get("/hooks/go/output")["output"] == ""
    assert serving.ask("GET", "/hooks/go/output/download").content == b""


@pytest.mark.parametrize("path", ["n" * 300, "d/" * 3000 + "x", "a.txt/b", "half\ud83e"])
def test_a_name_that_no_file_can_have_is_the_clients_mistake(serving: Serving, path: str) -> None:
    (serving.root / "a.txt").write_text("")
    serving.start({"text": "one"})
    reply = serving.ask("POST", "/files/write", {"path": path, "content": "x"})
    assert (reply.status, "error" in reply.json) == (400, True)
    assert serving.ask("POST", "/files/write", {"path": "n" * 200, "content": "x"}).status == 200


@pytest.mark.parametrize(
    "name",
    ["PATH", "path", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "GIT_CONFIG_COUNT",
     "GIT_SSH_COMMAND", "PYTHONPATH", "NODE_OPTIONS", "HOME", "BASH_FUNC_grep", "RUBYOPT", "PERL5LIB"],
)  # fmt: skip
def test_a_message_cannot_change_what_its_guards_run(serving: Serving, name: str) -> None:
    """The turn's hooks start with the same variables, so those that pick programs and code are refused."""
    serving.start({"text": "one"})
    message = {"role": "user", "parts": [{"type": "text", "text": "go"}]}
    given = json.dumps([{"envVar": name, "value": "/tmp/evil"}])
    reply = serving.ask("POST", "/default/chat", {"messages": [message]}, X_Discobot_Credentials=given)
    assert (reply.status, reply.json["error"]) == (400, f"the credentials cannot set `{name}`")
    good = json.dumps([{"envVar": "CARGO_REGISTRY_TOKEN", "value": "v"}])
    assert (
        serving.ask("POST", "/default/chat", {"messages": [message]}, X_Discobot_Credentials=good).status
        == 202
    )


def test_what_a_session_leaves_behind_is_nobody_elses_to_read(serving: Serving) -> None:
    serving.hook("go.sh", "type: file", "pattern: '*.py'", body="echo hello")
    serving.start(write("a.py", "1"), {"text": "ok"})
    serving.say("go")
    serving.until(lambda: serving.status["hooks"].get("go", {}).get("lastResult") == "success")
    serving.idle()
    session = serving.folder.parent
    left = [session, *session.rglob("*")]
    assert {path.name for path in left} >= {"status.json", ".last-eval", "go.log"}
    assert [str(path) for path in left if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_why_a_turn_failed_is_told_to_who_comes_later(serving: Serving) -> None:
    serving.start({"error": "the model is overloaded"}, {"text": "fine"})
    serving.say("go")
    serving.idle()
    last = serving.get("/default/chat")["messages"][-1]
    assert last["role"] == "assistant" and "overloaded" in last["metadata"]["error"]
    turn = serving.get("/hooks/timeline")["turns"][-1]
    assert (turn["status"], "overloaded" in turn["reason"]) == ("failed", True)
