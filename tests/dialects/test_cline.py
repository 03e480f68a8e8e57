"""Cline: executables named after their event, what both its runtimes send them, and what they answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import EventKind as K
from hookline.model.hooks import Command, HookSpec

FOLDER = ".clinerules/hooks"
DENIAL = '{"cancel": true, "errorMessage": "not this"}'
COMMON = {"clineVersion": "3.1", "timestamp": "1795326310218", "taskId": "t-1", "userId": "u"}
# what is sent of a call: by the extension as texts, by the CLI with every type beside them
CALLS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (
        {"preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls", "requires_approval": "false"}}},
        "Bash", {"command": "ls", "requires_approval": "false"},
    ),
    (
        {"preToolUse": {"toolName": "write_to_file", "parameters": {"path": "a", "content": "x"}}},
        "Write", {"file_path": "a", "content": "x"},
    ),
    (
        {"preToolUse": {"toolName": "replace_in_file", "parameters": {"path": "a", "diff": "<<<"}}},
        "Edit", {"file_path": "a", "new_string": "<<<"},
    ),
    (
        {"preToolUse": {"toolName": "use_mcp_tool", "parameters": {
            "server_name": "git", "tool_name": "push", "arguments": '{"force": true}',
        }}},
        "mcp__git__push", {"force": True},
    ),
    (
        {
            "preToolUse": {"toolName": "run_commands", "parameters": {"commands": '["ls","rm -rf x"]'}},
            "tool_call": {"id": "c1", "name": "run_commands", "input": {"commands": ["ls", "rm -rf x"]}},
        },
        "Bash", {"command": "ls\nrm -rf x", "commands": ["ls", "rm -rf x"]},
    ),
    (
        {"tool_call": {"name": "run_commands", "input": {"commands": [
            {"command": "git push"}, {"command": "rm", "args": ["-rf", "a b"]},
        ]}}},
        "Bash", {"command": "git push\nrm -rf 'a b'", "commands": [
            {"command": "git push"}, {"command": "rm", "args": ["-rf", "a b"]},
        ]},
    ),
    (
        {"preToolUse": {"toolName": "read_files", "parameters": {"files": '[{"path": "a"}, {"path": ".env"}]'}}},
        "Read", {"file_path": "a", "paths": ["a", ".env"], "files": '[{"path": "a"}, {"path": ".env"}]'},
    ),
    (
        {"tool_call": {"name": "editor", "input": {"path": "a", "new_text": "x"}}},
        "Write", {"file_path": "a", "content": "x"},
    ),
    (
        {"tool_call": {"name": "editor", "input": {"path": "a", "old_text": "y", "new_text": "x"}}},
        "Edit", {"file_path": "a", "old_string": "y", "new_string": "x"},
    ),
    (
        {"tool_call": {"name": "editor", "input": {"file_path": "a", "new_text": "x"}}},
        "Write", {"file_path": "a", "content": "x"},
    ),
    ({"tool_call": {"name": "run_commands", "input": {"command": "ls"}}}, "Bash", {"command": "ls"}),
    (
        {"tool_call": {"name": "run_commands", "input": {"commands": [["rm", "-rf", "a b"], {"cmd": "ls"}]}}},
        "Bash", {"command": "rm -rf 'a b'\nls", "commands": [["rm", "-rf", "a b"], {"cmd": "ls"}]},
    ),
    (
        {"preToolUse": {"toolName": "execute_command", "parameters": {"commands": '["ls", "rm x"]'}}},
        "Bash", {"command": "ls\nrm x", "commands": '["ls", "rm x"]'},
    ),
    ({"tool_call": {"name": "read_files", "input": {"path": ".env"}}}, "Read", {"file_path": ".env"}),
    ({"tool_call": {"name": "read_files", "input": {"paths": ["a", ".env"]}}}, "Read", {"paths": ["a", ".env"]}),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "tool", "given"), CALLS)
def test_calls_of_both_runtimes_are_calls_of_ours(
    sent: dict[str, Any], tool: str, given: dict[str, Any]
) -> None:
    event = speaker_of("cline").read_event(
        "PreToolUse", {**COMMON, "workspaceRoots": ["/w"], "hookName": "tool_call", **sent}
    )
    assert (event.kind, event.session_id, event.cwd) == (K.PreToolUse, "t-1", "/w")
    assert (event.tool_name, event.tool_input) == (tool, given)
    again = (
        speaker_of("cline")
        .hook_input(event, HookSpec("h", "cline", K.PreToolUse, "PreToolUse", Command("x")))
        .payload
    )
    told = again["preToolUse"]
    assert told["toolName"] == (sent.get("preToolUse") or {"toolName": sent["tool_call"]["name"]})["toolName"]
    assert all(isinstance(value, str) for value in told["parameters"].values())
    assert {key: again[key] for key in COMMON} == COMMON and again["hookName"] == "tool_call"


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"parameters": "x"},
        {"toolName": 3, "parameters": {"files": "["}},
        {"toolName": "use_mcp_tool", "parameters": {"arguments": "[" * 100_000}},
        {"toolName": "run_commands", "parameters": {"commands": "[" * 100_000}},
    ],
    ids=range(6),
)
def test_a_body_of_another_shape_breaks_nothing(body: object) -> None:
    for row in speaker_of("cline").rows:
        field = row.native[0].lower() + row.native[1:]
        found = speaker_of("cline").read_event(
            row.native, {field: body, "workspaceRoots": 1, "tool_call": body}
        )
        assert found.kind is row.kind


def test_executables_are_listed_and_run_and_trusted_by_what_is_in_them(program: Program) -> None:
    program.write(f"{FOLDER}/PreToolUse", f"#!/bin/sh\ngrep -q danger && echo '{DENIAL}'; exit 0\n", 0o755)
    program.write(f"{FOLDER}/UserPromptSubmit", "#!/bin/sh\nexit 2\n", 0o644)
    program.write(f"{FOLDER}/README.md", "how to", 0o755)
    listed = json.loads(program("list", "--json").stdout)
    assert [(hook["native_event"], hook["enabled"]) for hook in listed] == [
        ("PreToolUse", True), ("UserPromptSubmit", False),
    ]  # fmt: skip
    call = json.dumps({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "danger"}})
    done = json.loads(program("fire", "PreToolUse", "--json", stdin=call).stdout)
    assert (done["verdict"], done["reason"]) == ("deny", "not this")
    own = {"HOOKLINE_TRUST": ""}
    assert program("trust", "--yes", environment=own).returncode == 0
    assert program("fire", "PreToolUse", stdin=call, environment=own).returncode == 2
    program.write(f"{FOLDER}/PreToolUse", "#!/bin/sh\nexit 0\n", 0o755)
    after = json.loads(program("fire", "PreToolUse", "--json", stdin=call, environment=own).stdout)
    assert [hook["status"] for hook in after["hooks"]] == ["untrusted", "not_matched"]


def test_an_executable_for_each_event_asks_every_other_dialect(program: Program) -> None:
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not here >&2; exit 2"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [guard]}}))
    assert program("install", "cline").returncode == 0
    folder = program.workspace / FOLDER
    assert sorted(path.name for path in folder.iterdir()) == [row.native for row in speaker_of("cline").rows]
    assert all(os.access(path, os.X_OK) for path in folder.iterdir())
    sent = {**COMMON, "workspaceRoots": [str(program.workspace)], **CALLS[4][0]}
    said = [_run(program, folder / name, sent) for name in ("PreToolUse", "TaskCancel")]
    assert said == [{"cancel": True, "errorMessage": "not here"}, None]
    (folder / "TaskStart").unlink()
    assert program("install", "cline").returncode == 0 and (folder / "TaskStart").exists()
    assert program("uninstall", "cline").returncode == 0
    assert not (program.workspace / ".clinerules").exists()


def _run(program: Program, path: Path, sent: dict[str, Any]) -> Any:
    environment = {**program.environment, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [path], input=json.dumps(sent), capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout else None


def test_where_an_event_has_a_hook_of_somebody_else_nothing_is_written(program: Program) -> None:
    theirs = program.write(f"{FOLDER}/TaskStart", "#!/bin/sh\necho mine\r\n", 0o755)
    done = program("install", "cline")
    assert done.returncode == 1 and f"{FOLDER}/TaskStart" in done.stderr and "did not write" in done.stderr
    assert list((program.workspace / FOLDER).iterdir()) == [theirs]
    assert program("uninstall", "cline").returncode == 0
    assert theirs.read_bytes() == b"#!/bin/sh\necho mine\r\n"
