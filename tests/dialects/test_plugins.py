"""The programs we put inside agents whose hooks are programs: run by node, with hookline itself behind them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.installing import install

HOST = Path(__file__).with_name("plugin_host.mjs")
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
FILES = {
    "opencode": ".opencode/plugin/hookline.js",
    "pi": ".pi/extensions/hookline.js",
    "amp": "hookline.mjs",  # node takes no types, and there are none in it
}


def hook(line: str, matcher: str = "") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": line}]}


CLAUDE = {
    "PreToolUse": [
        hook("echo no shell today >&2; exit 2", "Bash"),
        hook(
            'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput":'
            ' {"file_path": "b", "content": "`x` $(y)"}}}\'',
            "Write",
        ),
        hook("grep -q mcp__my_files__drop && { echo not there >&2; exit 2; }; true", "mcp__my_files__.*"),
        hook('echo \'{"continue": false, "stopReason": "enough"}\'', "WebFetch"),
    ],
    "PostToolUse": [hook("echo look again >&2; exit 2", "Read")],
    "UserPromptSubmit": [
        hook("case $(cat) in *secret*) echo keep it >&2; exit 2;; esac; echo mind the tests"),
    ],
    "SessionStart": [hook("echo at the start")],
    "PermissionRequest": [
        hook(
            'echo \'{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision":'
            ' {"behavior": "allow"}}}\'',
            "Bash",
        ),
        hook(
            'echo \'{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision":'
            ' {"behavior": "deny", "message": "no"}}}\'',
            "Edit",
        ),
    ],
    "Stop": [hook("grep -q '\"stop_hook_active\":false' && { echo tests fail >&2; exit 2; }; true")],
    "PreCompact": [hook("echo keep the plan")],
    "SessionEnd": [hook("cat > ended.json")],
}  # fmt: skip


def run(
    program: Program, agent: str, host: str, *steps: list[Any], **environment: str
) -> tuple[list[Any], list[Any]]:
    """What came of each step, and what the program called of its host."""
    file = program.workspace / FILES[agent]
    given = {"directory": str(program.workspace), "steps": steps}
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(HOST), host, str(file)], input=json.dumps(given), capture_output=True, text=True, timeout=DEADLINE_S,
        cwd=program.workspace, env={**program.environment, **environment}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return told["results"], told["calls"]


def named(calls: list[Any], name: str) -> list[Any]:
    return [
        {key: value for key, value in call.items() if key != "name"} for call in calls if call["name"] == name
    ]


def before(tool: str, **arguments: Any) -> list[Any]:
    return [
        "tool.execute.before",
        {"tool": tool, "sessionID": "s", "callID": f"c-{tool}"},
        {"args": arguments},
    ]


def after(tool: str, output: Any, **arguments: Any) -> list[Any]:
    return [
        "tool.execute.after",
        {"tool": tool, "sessionID": "s", "callID": f"c-{tool}", "args": arguments},
        output,
    ]


def bus(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}]


def prompt(text: str, session: str = "s") -> list[Any]:
    part = {"id": "prt_1", "type": "text", "text": text}
    return ["chat.message", {"sessionID": session}, {"message": {"id": "m1"}, "parts": [part]}]


def test_hooks_of_another_agent_decide_inside_opencode(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps({"hooks": CLAUDE}))
    assert (done := program("install", "opencode")).returncode == 0, done.stderr
    results, calls = run(
        program, "opencode", "opencode",
        ["config", {"mcp": {"my files": {}, "my": {}}}],
        bus("session.created", info={"id": "s"}),
        prompt("go on"),
        prompt("my secret"),
        before("bash", command="ls"),
        before("write", filePath="a", content="x"),
        before("my_files_drop", table="t"),
        before("webfetch", url="http://x"),
        before("glob", pattern="*"),
        after("read", {"title": "a", "output": "text", "metadata": {}}, filePath="a"),
        bus("permission.asked", id="p1", sessionID="s", permission="bash", patterns=["ls"], tool={"callID": "c-bash"}),
        bus("permission.asked", id="p2", sessionID="s", permission="edit", patterns=["a"], metadata={}),
        bus("session.idle", sessionID="s"),
        prompt("tests fail"),
        bus("session.idle", sessionID="s"),
        ["experimental.session.compacting", {"sessionID": "s"}, {"context": []}],
        ["twice"],
        ["dispose"],
    )  # fmt: skip
    where = {"sessionID": "s", "messageID": "m1", "type": "text", "synthetic": True}
    assert results[2]["parts"][1:] == [{"id": "prt_1h", "text": "at the start\nmind the tests", **where}]
    assert results[3] == {"threw": "keep it"}
    assert results[4] == {"threw": "no shell today"}
    assert results[5]["args"] == {"filePath": "b", "content": "`x` $(y)"}
    assert results[6] == {"threw": "not there"}
    assert results[7] == {"threw": "enough"} and named(calls, "abort") == [{"path": {"id": "s"}}]
    assert results[8]["args"] == {"pattern": "*"}
    assert results[9]["output"] == "text\nlook again"
    posts = [(each["path"]["requestID"], each["body"]) for each in named(calls, "post")]
    assert posts == [("p1", {"reply": "once"}), ("p2", {"reply": "reject", "message": "no"})]
    going_on = {"path": {"id": "s"}, "body": {"parts": [{"type": "text", "text": "tests fail"}]}}
    assert named(calls, "prompt") == [going_on]  # the second stop came of the first
    assert results[13]["parts"][1:] == []
    assert results[15]["context"] == ["keep the plan"]
    assert results[16] == []  # for the user and for the project: the second one does nothing
    assert json.loads((program.workspace / "ended.json").read_text())["session_id"] == "s"
    runs = json.loads(program("history", "--event", "UserPromptSubmit", "--json").stdout)
    assert len(runs) == 2


@pytest.mark.parametrize(("fork", "name"), [("kilo", "opencode"), ("omp", "pi")])
def test_the_program_for_a_fork_is_the_same(fork: str, name: str) -> None:
    texts = []
    for each in (fork, name):
        found = dialect(each)
        assert isinstance(found, AgentDialect)
        text = install(found, None, "hookline", set())
        texts.append(
            text.replace(f"install {each}", "").replace(f"bridge {each}", "").replace(f'"{each}"', "")
        )
    assert texts[0] == texts[1].replace("uninstall opencode", "uninstall kilo")


def test_hooks_of_another_agent_decide_inside_pi(program: Program) -> None:
    asks = 'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}\''
    program.write(".claude/settings.json", json.dumps({"hooks": {**CLAUDE, "PreToolUse": [
        *CLAUDE["PreToolUse"], hook(asks, "Glob"), hook("grep -q second && { echo not so >&2; exit 2; }; true", "Edit"),
    ], "PostToolUseFailure": [hook("echo try again >&2; exit 2")]}}))  # fmt: skip
    assert (done := program("install", "pi")).returncode == 0, done.stderr
    one, two = ({"oldText": "a", "newText": each} for each in ("first", "second"))
    results, calls = run(
        program, "pi", "pi",
        ["session_start", {"reason": "startup"}],
        ["input", {"text": "go on", "source": "interactive"}],
        ["before_agent_start", {"prompt": "go on"}],
        ["input", {"text": "my secret", "source": "interactive"}],
        ["tool_call", {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}}],
        ["tool_call", {"toolName": "write", "toolCallId": "c2", "input": {"path": "a", "content": "x"}}],
        ["tool_call", {"toolName": "edit", "toolCallId": "c3", "input": {"path": "a", "edits": [one, two]}}],
        ["tool_call", {"toolName": "find", "toolCallId": "c4", "input": {"pattern": "*"}}],
        ["tool_call", {"toolName": "find", "toolCallId": "c5", "input": {"pattern": "*"}}, {"hasUI": False}],
        ["tool_result", {"toolName": "read", "toolCallId": "c6", "input": {"path": "a"},
                         "content": [{"type": "text", "text": "x"}], "isError": False}],
        ["tool_result", {"toolName": "ls", "toolCallId": "c7", "input": {},
                         "content": [{"type": "text", "text": "no"}], "isError": True}],
        ["agent_before_settle", {"outcome": "completed", "entries": []}],
        ["agent_before_settle", {"outcome": "completed", "entries": []}],
        ["agent_before_settle", {"outcome": "aborted", "entries": []}],
        ["session_shutdown", {"reason": "quit"}],
    )  # fmt: skip
    answers = [each["answers"][0] if each["answers"] else None for each in results]
    context = {"customType": "hookline", "content": "at the start\nmind the tests", "display": False}
    assert answers[1:4] == [{"action": "continue"}, {"message": context}, {"action": "handled"}]
    assert named(calls, "notify") == [{"message": "keep it", "type": "warning"}]
    assert (answers[4]["block"], answers[4]["reason"]) == (True, "no shell today")
    assert results[5]["event"]["input"] == {"path": "b", "content": "`x` $(y)"}
    assert (answers[6]["block"], answers[6]["reason"]) == (True, "not so")
    assert (answers[7]["block"], answers[8]["block"], len(named(calls, "confirm"))) == (True, True, 1)
    assert [part["text"] for part in answers[9]["content"]] == ["x", "look again"]
    assert [part["text"] for part in answers[10]["content"]] == ["no", "try again"]
    entry = {"type": "custom_message", "customType": "hookline", "content": "tests fail", "display": True}
    assert answers[11:14] == [{"continue": True, "entries": [entry]}, None, None]
    assert json.loads((program.workspace / "ended.json").read_text())["reason"] == "quit"


def test_hooks_of_another_agent_decide_inside_amp(program: Program) -> None:
    asks = 'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}\''
    guards = [
        hook("grep -q 'rm x' && { echo no rm >&2; exit 2; }; true", "Bash"), hook(asks, "Glob"),
        hook("grep -q '\\.env' && { echo no secrets >&2; exit 2; }; true", "Edit|Write"),
        hook('echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {}}}\'', "WebFetch"),
    ]  # fmt: skip
    last = {"PostToolUse": [hook("cat > after.json")], "PostToolUseFailure": [hook("cat > failed.json")]}
    program.write(".claude/settings.json", json.dumps({"hooks": {
        "PreToolUse": guards, "Stop": CLAUDE["Stop"], "UserPromptSubmit": [hook("cat > said.json")], **last,
    }}))  # fmt: skip
    assert (done := program("install", "amp")).returncode == 0, done.stderr
    program.write(FILES["amp"], (program.workspace / ".amp/plugins/hookline.ts").read_text())
    results, calls = run(
        program, "amp", "amp",
        ["session.start", {}],
        ["agent.start", {"message": "go on", "id": "1"}],
        ["tool.call", {"tool": "shell_command", "toolUseID": "c1", "input": {"cmd": "rm x", "cwd": "/w"}}],
        ["tool.call", {"tool": "Bash", "toolUseID": "c2", "input": {"cmd": "ls"}}],
        ["tool.call", {"tool": "apply_patch", "toolUseID": "c3", "input": {"files": ["/w/a", "/w/.env"]}}],
        ["tool.call", {"tool": "apply_patch", "toolUseID": "c4", "input": {"files": ["/w/a", "/w/b"]}}],
        ["tool.call", {"tool": "create_file", "toolUseID": "c5", "input": {"path": "/w/.env", "content": "x"}}],
        ["tool.call", {"tool": "glob", "toolUseID": "c6", "input": {"pattern": "*"}}],
        ["tool.call", {"tool": "glob", "toolUseID": "c7", "input": {"pattern": "*"}}, {"ui": None}],
        ["tool.call", {"tool": "read_web_page", "toolUseID": "c8", "input": {"url": "x"}}],
        ["tool.result", {"tool": "Bash", "toolUseID": "c2", "input": {"cmd": "ls"}, "status": "done", "output": "a"}],
        ["tool.result", {"tool": "Read", "toolUseID": "c9", "input": {"path": "a"}, "status": "error", "error": "no"}],
        ["agent.end", {"status": "done"}],
        ["agent.end", {"status": "done"}],
        ["agent.end", {"status": "interrupted"}],
    )  # fmt: skip
    allowed, refused = {"action": "allow"}, {"action": "reject-and-continue"}
    assert results[2:7] == [
        {**refused, "message": "no rm"}, allowed, {**refused, "message": "no secrets"}, allowed,
        {**refused, "message": "no secrets"},
    ]  # fmt: skip
    assert (results[7], results[8]["action"], results[9]["action"]) == (
        allowed,
        refused["action"],
        refused["action"],
    )
    assert len(named(calls, "confirm")) == 1
    assert results[12:] == [{"action": "continue", "userMessage": "tests fail"}, None, None]
    sent = {
        name: json.loads((program.workspace / f"{name}.json").read_text())
        for name in ("said", "after", "failed")
    }
    assert (sent["said"]["prompt"], sent["said"]["session_id"]) == ("go on", "T-1")
    assert (sent["after"]["tool_name"], sent["after"]["tool_input"]) == ("Bash", {"command": "ls"})
    assert (sent["failed"]["tool_name"], sent["failed"]["error"]) == ("Read", "no")


def test_a_subagents_calls_count_to_the_session_that_started_it(program: Program) -> None:
    lines = {"PreToolUse": "cat > call.json", "Stop": "echo x > stopped", "UserPromptSubmit": "echo x > said"}
    hooks = {event: [hook(line)] for event, line in lines.items()}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    assert program("install", "opencode").returncode == 0
    call = [
        "tool.execute.before",
        {"tool": "bash", "sessionID": "child", "callID": "c"},
        {"args": {"command": "ls"}},
    ]
    run(
        program, "opencode", "opencode",
        bus("session.created", info={"id": "child", "parentID": "s", "agent": "general"}),
        prompt("look", "child"), call, bus("session.idle", sessionID="child"),
        bus("session.error", sessionID="s", error={"name": "MessageAbortedError"}), bus("session.idle", sessionID="s"),
    )  # fmt: skip
    sent = json.loads((program.workspace / "call.json").read_text())
    assert (sent["session_id"], sent["agent_id"], sent["agent_type"]) == ("s", "child", "general")
    assert not (program.workspace / "said").exists()
    assert not (program.workspace / "stopped").exists()  # neither the subagent's end nor the user's


@pytest.mark.parametrize(
    ("broken", "guarded"), [("gone", True), ("gone", False), ("hangs", True), ("babbles", True)]
)
def test_where_hookline_cannot_be_asked_a_guarded_call_is_denied(
    program: Program, tmp_path: Path, broken: str, guarded: bool
) -> None:
    if guarded:
        program.write(".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "PreToolUse"\nrun = "true"\n')
    assert program("install", "opencode").returncode == 0
    file = program.workspace / FILES["opencode"]
    launcher = tmp_path / "launcher"
    launcher.write_text(
        {"hangs": "#!/bin/sh\nexec sleep 60\n", "babbles": "#!/bin/sh\necho hm\n"}.get(broken, "")
    )
    launcher.chmod(0o755)
    start = str(launcher) if broken != "gone" else "/nowhere/hookline"
    lines = file.read_text().splitlines(keepends=True)
    swapped = {"const LAUNCHER": [start], "const LIMIT_MS": 300}
    file.write_text("".join(
        next((f"{name} = {json.dumps(value)};\n" for name, value in swapped.items() if line.startswith(name)), line)
        for line in lines
    ))  # fmt: skip
    call = before("bash", command="ls")
    results, calls = run(program, "opencode", "opencode", call, call)
    words = {"gone": "ENOENT", "hangs": "no answer within 0.3 s", "babbles": "no JSON"}[broken]
    if guarded:
        assert all(
            words in each["threw"] and "hookline could not be asked" in each["threw"] for each in results
        )
    else:
        assert [each["args"] for each in results] == [{"command": "ls"}, {"command": "ls"}]
    (said,) = named(calls, "toast")
    assert (
        words in said["body"]["message"] and ("nothing is held up" in said["body"]["message"]) is not guarded
    )


def test_a_program_of_somebody_else_is_told_of_and_left_alone(program: Program) -> None:
    theirs = "export const mine = async () => ({});\n"
    program.write(".opencode/plugin/mine.ts", theirs)
    assert ".opencode/plugin/mine.ts is a program that OpenCode runs itself" in program("list").stderr
    file = program.write(FILES["opencode"], theirs)
    refused = program("install", "opencode")
    assert (refused.returncode, "did not write" in refused.stderr) == (1, True)
    assert program("uninstall", "opencode").returncode == 0
    assert file.read_text() == theirs
