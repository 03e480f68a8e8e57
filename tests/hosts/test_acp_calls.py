"""What guards see of the calls of an ACP agent, which tells of a call in pieces: a real process, `hookline iterate`."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Any

import pytest
from tests.program import Program

# Sends what it is given: ["tell", update], ["ask", tool call], ["write", name, content]; then says the answers.
AGENT = r"""
import json, sys
steps, root, number = json.loads(open(sys.argv[1]).read()), sys.argv[2], [100]
def put(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def request(method, params):
    number[0] += 1
    put({"id": number[0], "method": method, "params": {"sessionId": "s", **params}})
    while True:
        answer = json.loads(sys.stdin.readline())
        if answer.get("id") == number[0]: return answer
OPTIONS = [{"optionId": "y", "name": "y", "kind": "allow_once"}, {"optionId": "n", "name": "n", "kind": "reject_once"}]
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        put({"id": asked["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif asked.get("method") == "session/new": put({"id": asked["id"], "result": {"sessionId": "s"}})
    elif asked.get("method") == "session/prompt":
        said = []
        for step in steps:
            if step[0] == "tell": put({"method": "session/update", "params": {"sessionId": "s", "update": step[1]}})
            elif step[0] == "ask":
                answer = request("session/request_permission", {"toolCall": step[1], "options": OPTIONS})
                said.append(answer["result"]["outcome"].get("optionId"))
            else:
                answer = request("fs/write_text_file", {"path": f"{root}/{step[1]}", "content": step[2]})
                said.append("written" if "result" in answer else "refused")
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": json.dumps(said)}}
        put({"method": "session/update", "params": {"sessionId": "s", "update": text}})
        put({"id": asked["id"], "result": {"stopReason": "end_turn"}})
    elif "id" in asked: put({"id": asked["id"], "result": {}})
"""


def played(program: Program, *steps: list[Any]) -> list[str]:
    """The answers to an agent's requests."""
    program.write("agent.py", AGENT)
    program.write("steps.json", json.dumps(steps))
    program.write("prompt.txt", "go")
    words = (sys.executable, "agent.py", "steps.json", str(program.workspace))
    agent = " ".join(map(shlex.quote, words))
    done = program(
        "iterate", "--name", "s", "--template", "prompt.txt", "--iterations", "1", "--agent", agent
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def guard(program: Program, matcher: str, word: str, event: str = "PreToolUse") -> None:
    command = f"grep -q {word} && {{ echo no >&2; exit 2; }}; exit 0"
    hooks = {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))


def told(**fields: Any) -> list[Any]:
    return ["tell", {"sessionUpdate": "tool_call", "toolCallId": "1", "status": "pending", **fields}]


def asked(**fields: Any) -> list[Any]:
    return ["ask", {"toolCallId": "1", **fields}]


def diff(path: str, old: str | None, new: str) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


BASH = {"command": "danger"}


@pytest.mark.parametrize(
    "steps",
    [
        [told(kind="execute", title="x", rawInput=BASH), asked()],
        [told(kind="execute", title="x", rawInput={}), asked(rawInput=BASH)],
        [told(kind="execute", title="danger"), asked(kind=None, title=None, rawInput=None)],
        [told(kind="execute", title="x", rawInput=BASH), asked(kind="other", title="y")],
        [asked(rawInput=BASH)],
        [asked(title="Terminal", rawInput={"cmd": ["danger", "-x"]})],
        [told(kind="read"), told(kind="execute", title="x", rawInput=BASH), asked()],
    ],
)
def test_a_request_that_names_only_a_call_is_judged_by_all_that_was_told(
    program: Program, steps: list[Any]
) -> None:
    guard(program, "Bash", "danger")
    assert played(program, *steps) == ["n"]


def test_an_id_that_comes_again_tells_nothing_of_the_call_before(program: Program) -> None:
    guard(program, "Bash", "danger")
    first = told(kind="execute", title="x", rawInput=BASH)
    over = ["tell", {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}]
    assert played(program, first, over, asked(kind="execute", rawInput={"command": "ls"})) == ["y"]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "edit", "content": [diff("a", "1", "2"), diff("danger", "1", "2")]},
        {"kind": "edit", "content": [diff("a", "1", "2")], "rawInput": {"file_path": "danger"}},
        {"kind": "edit", "content": [diff("danger", "1", "2")], "rawInput": {"file_path": "a"}},
        {"kind": "edit", "locations": [{"path": "a"}, {"path": "danger"}]},
        {"kind": "other", "content": [diff("a", "1", "2"), diff("b", "1", "danger")]},
        {"rawInput": {"path": "danger", "content": "x"}},
    ],
)
def test_every_file_of_a_call_is_asked_about(program: Program, fields: dict[str, Any]) -> None:
    guard(program, "Edit|Write", "danger")
    assert played(
        program, asked(**fields), asked(**json.loads(json.dumps(fields).replace("danger", "b")))
    ) == ["n", "y"]


@pytest.mark.parametrize(
    ("call", "content"),
    [
        ({"kind": "read", "rawInput": {"file_path": "f"}}, "danger"),
        (
            {"kind": "edit", "rawInput": {"file_path": "f", "old_string": "one", "new_string": "two"}},
            "danger\n",
        ),
        ({"kind": "edit", "content": [diff("f", None, "fine")]}, "danger\n"),
        ({"kind": "edit", "locations": [{"path": "f"}]}, "danger\n"),
    ],
)
def test_what_was_allowed_is_no_leave_to_write_something_else(
    program: Program, call: dict[str, Any], content: str
) -> None:
    guard(program, "Write", "danger")
    program.write("f", "one\n")
    assert played(program, asked(**call), ["write", "f", content]) == ["y", "refused"]
    assert (program.workspace / "f").read_text() == "one\n"


def test_what_was_allowed_is_asked_about_once(program: Program) -> None:
    command = "echo x >> count"
    hooks = {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": command}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))
    program.write("f", "one\n")
    edit = asked(kind="edit", content=[diff("f", "one", "two")])
    assert played(program, edit, ["write", "f", "two\n"], ["write", "f", "three\n"]) == [
        "y",
        "written",
        "written",
    ]
    assert (program.workspace / "count").read_text() == "x\nx\n"


def test_hooks_behind_a_call_see_each_file_and_the_whole_input(program: Program) -> None:
    command = 'grep -o \'"file_path": *"[a-z]*"\' >> seen; exit 0'
    hooks = {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": command}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))
    change = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "1",
        "content": [diff("a", "1", "2"), diff("b", "1", "2")],
    }
    over = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "done"}}]}  # fmt: skip
    played(program, told(kind="edit", rawInput={}), ["tell", change], ["tell", over])
    assert sorted((program.workspace / "seen").read_text().split()) == ['"file_path":"a"', '"file_path":"b"']
