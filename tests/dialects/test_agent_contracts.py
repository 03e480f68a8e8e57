"""What the agents' own pages and sources say of hooks, as tables by hand: endings, time limits, matchers, files.

Where a page and the program disagree, the program counts that was driven: Codex's plain matchers are exact names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import ended, hook, parsed, places
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.model.events import BODIES, Event, EventKind, Plain, ToolCall
from hookline.model.hooks import HookSpec
from hookline.model.results import Outcome, RawResult, Verdict

BLOCK = {"decision": "block", "reason": "r"}
STOP = {"continue": False, "stopReason": "r"}
# What a hook does, by the columns of the tables.
ENDINGS = {
    "says nothing": ended(0),
    "prints a text": ended(0, "text"),
    "exit 1, texts": ended(1, "text", "r"),
    "exit 2, a text on stderr": ended(2, "", "r"),
    "exit 2, nothing": ended(2),
    "exit 127": ended(127, "", "r"),
    "signal": RawResult(signal=9, stderr="r", status_code=137),
    "time-out": RawResult(timed_out=True, stderr="r", status_code=124),
    "no start": RawResult(launch_error="no such file", status_code=127),
    "block": ended(0, BLOCK),
    "block at exit 1": ended(1, BLOCK),
    "stop": ended(0, STOP),
}
# Copilot CLI 1.0.102 was driven for a block after a tool, which its page does not name: the reason reached the model.
# D denies (after a tool: tells the model), R makes it go on, H ends the turn, C is a text for the model, . is none.
TABLES = {
    "codex": """
        SessionStart      . C . . . . . . . . . H
        SubagentStart     . C . . . . . . . . . .
        UserPromptSubmit  . C . D . . . . . D . H
        PreToolUse        . . . D . . . . . D . .
        PostToolUse       . . . D . . . . . D . D
        PreCompact        . . . . . . . . . . . H
        PostCompact       . . . . . . . . . . . H
        SubagentStop      . . . R . . . . . R . H
        Stop              . . . R . . . . . R . H
        Interrupt         . . . . . . . . . . . .
        SessionEnd        . . . . . . . . . . . .
    """,
    "gemini": """
        SessionStart        . . . . . . . . . . . .
        SessionEnd          . . . . . . . . . . . .
        BeforeAgent         . . . D . D . . . D D H
        AfterAgent          . . . R . R . . . R R H
        BeforeModel         . . . D . D . . . D D H
        AfterModel          . . . D . D . . . D D H
        BeforeToolSelection . . . . . . . . . . . .
        BeforeTool          . . . D . D . . . D D H
        AfterTool           . . . D . D . . . D D H
        PreCompress         . . . . . . . . . . . .
        Notification        . . . . . . . . . . . .
    """,
    "copilot": """
        sessionStart        . . . . . . . . . . . .
        sessionEnd          . . . . . . . . . . . .
        preToolUse          . . D D D D D . D . D .
        postToolUse         . . . . . . . . . D . .
        agentStop           . . . . . . . . . R . .
        subagentStart       . . . . . . . . . . . .
        subagentStop        . . . . . . . . . R . .
        errorOccurred       . . . . . . . . . . . .
        notification        . . . . . . . . . . . .
        preCompact          . . . . . . . . . . . .
    """,
    "cursor": """
        sessionStart          . . . . . . . . . . . .
        sessionEnd            . . . . . . . . . . . .
        preToolUse            . . . D D . . . . D . .
        postToolUseFailure    . . . . . . . . . . . .
        beforeShellExecution  . . . D D . . . . D . .
        afterShellExecution   . . . . . . . . . . . .
        beforeMCPExecution    . . . D D . . . . D . .
        afterMCPExecution     . . . . . . . . . . . .
        beforeReadFile        . . . D D . . . . D . .
        afterFileEdit         . . . . . . . . . . . .
        afterAgentResponse    . . . . . . . . . . . .
        preCompact            . . . . . . . . . . . .
    """,
}


def letter(found: Outcome) -> str:
    if found.reprompt:
        return "R"
    if found.verdict in (Verdict.DENY, Verdict.HALT):
        return "D" if found.verdict is Verdict.DENY else "H"
    return "C" if found.contexts else "."


def entry(agent: str, native: str, written: dict[str, Any], matcher: str = "") -> HookSpec:
    """One hook of a config as the agent has it: in a group, or in the event's list."""
    if agent not in ("copilot", "cursor"):
        return hook(dialect(agent), native, written, matcher)
    handler = {"type": "command", "bash" if agent == "copilot" else "command": "true", **written}
    flat = {**handler, **({"matcher": matcher} if matcher else {})}
    return parsed(dialect(agent), {"version": 1, "hooks": {native: [flat]}}).specs[0]


ROWS = [(agent, *line.split()) for agent, table in TABLES.items() for line in table.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_what_comes_of_a_hook_at_each_event(row: tuple[str, ...]) -> None:
    agent, native, *wanted = row
    speaker = dialect(agent)
    spec = entry(agent, native, {})
    event = Event(spec.kind, "s", "/w", BODIES.get(spec.kind, Plain)(), "/w")
    found = {name: letter(speaker.read_output(event, spec, raw)) for name, raw in ENDINGS.items()}
    assert found == dict(zip(ENDINGS, wanted, strict=True))


@pytest.mark.parametrize(
    ("agent", "native", "written", "seconds"),
    [
        ("codex", "Stop", {}, 600.0), ("codex", "PreToolUse", {"timeout": 5}, 5.0),
        ("codex", "SessionEnd", {}, 1.0), ("codex", "SessionEnd", {"timeout": 10}, 3.0),
        ("codex", "Interrupt", {}, 1.0), ("codex", "Interrupt", {"timeout": 2}, 2.0),
        ("gemini", "BeforeTool", {}, 60.0), ("gemini", "BeforeTool", {"timeout": 5000}, 5.0),
        ("gemini", "SessionEnd", {"timeout": 30}, 0.03),
        ("copilot", "preToolUse", {}, 30.0), ("copilot", "preToolUse", {"timeoutSec": 10}, 10.0),
        ("copilot", "agentStop", {"timeout": 10}, 10.0),
        ("cursor", "preToolUse", {"timeout": 5}, 5.0),
    ],
)  # fmt: skip
def test_how_long_a_hook_may_run(agent: str, native: str, written: dict[str, Any], seconds: float) -> None:
    assert entry(agent, native, written).timeout_s == seconds


@pytest.mark.parametrize(
    ("native", "given", "name", "field"),
    [
        ("bash", {"command": "ls"}, "Bash", "command"),
        ("file_system.bash", {"command": "ls"}, "Bash", "command"),
        ("process.start", {"command": "ls"}, "Bash", "command"),
        ("file_system.read_file", {"file_path": "a"}, "Read", "file_path"),
        ("read_file", {"path": "a"}, "Read", "file_path"),
        ("file_system.write_file", {"file_path": "a", "content": "x"}, "Write", "file_path"),
        ("file_system.search_replace", {"file_path": "a", "new_string": "x"}, "Edit", "file_path"),
    ],
)
def test_vibe_tells_a_tool_by_its_whole_name_since_3_0(
    native: str, given: dict[str, Any], name: str, field: str
) -> None:
    """A guard on `Bash` that knew only the short name let every command through."""
    payload = {
        "hook_event_name": "pre_tool",
        "session_id": "s",
        "cwd": "/w",
        "tool_name": native,
        "tool_input": given,
    }
    speaker = dialect("vibe")
    assert isinstance(speaker, AgentDialect)
    event = speaker.read_event("pre_tool", payload)
    assert (event.tool_name, field in event.tool_input) == (name, True)


def test_vibe_sends_what_a_tool_gave_back_as_it_is_and_as_a_text(program: Program) -> None:
    program.write(".vibe/hooks.toml", '[[hooks]]\nname = "n"\ntype = "post_tool"\ncommand = "cat > seen"\n')
    result, call = {"stdout": "a\n", "exit_code": 0}, {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    program("fire", "PostToolUse", stdin=json.dumps({**call, "tool_response": result, "duration_ms": 12}))
    seen = json.loads((program.workspace / "seen").read_text())
    assert {name: seen[name] for name in ("tool_output", "tool_output_text", "duration_ms")} == {
        "tool_output": result, "tool_output_text": "a\n", "duration_ms": 12,
    }  # fmt: skip


SHELL, WRITE = (
    ToolCall("Bash", {"command": "ls -l"}, "t"),
    ToolCall("Write", {"file_path": "a", "content": "x"}, "t"),
)


@pytest.mark.parametrize(
    ("agent", "native", "matcher", "call", "fits"),
    [
        *(("codex", "PreToolUse", text, SHELL, fits) for text, fits in (
            ("Bash", True), ("Ba", False), ("^Ba", True), ("Bas.", True), ("(?i)bash", True),
            ("^Bash$", True), ("", True), ("*", True), ("bash", False), ("Write", False),
        )),
        ("codex", "PreToolUse", "apply_patch", WRITE, True), ("codex", "PreToolUse", "Edit|Write", WRITE, True),
        *(("gemini", "BeforeTool", text, SHELL, fits) for text, fits in (
            ("run_shell_command", True), ("shell", True), ("^shell", False), ("*", True), ("(", False), ("Bash", False),
            ("write_file|run_.*", True),
        )),
        *(("copilot", "preToolUse", text, SHELL, fits) for text, fits in (
            ("bash", True), ("ba", False), ("ba.*", True), ("view|bash", True), ("Bash", False),
        )),
        *(("copilot", "PreToolUse", text, SHELL, fits) for text, fits in (("Bash", True), ("Ba", False))),
        *(("cursor", "preToolUse", text, SHELL, fits) for text, fits in (
            ("Shell", True), ("She", True), ("Shell|Read", True), ("Read", False), ("^ls", False),
        )),
        *(("cursor", "beforeShellExecution", text, SHELL, fits) for text, fits in (
            ("^ls", True), ("-l$", True), ("rm", False), ("Shell", False),
        )),
    ],
)  # fmt: skip
def test_what_a_matcher_fits(agent: str, native: str, matcher: str, call: ToolCall, fits: bool) -> None:
    speaker = dialect(agent)
    event = Event(EventKind.PreToolUse, "s", "/w", call, "/w")
    assert (speaker.skip_reason(entry(agent, native, {}, matcher), event) is None) is fits


FILES = {
    "codex": ("home/.codex/hooks.json", "home/.codex/config.toml", "w/.codex/hooks.json", "w/.codex/config.toml"),
    "gemini": ("/etc/gemini-cli/settings.json", "home/.gemini/settings.json", "w/.gemini/settings.json"),
    "copilot": (
        "home/.copilot/settings.json", "w/.github/copilot/settings.json", "w/.github/copilot/settings.local.json",
        "w/.github/hooks/mine.json", "home/.copilot/hooks/mine.json",
    ),
    "cursor": ("/etc/cursor/hooks.json", "home/.cursor/hooks.json", "w/.cursor/hooks.json"),
}  # fmt: skip


@pytest.mark.parametrize("agent", sorted(FILES))
def test_where_hooks_are_read_from(agent: str, tmp_path: Path) -> None:
    for file in FILES[agent]:
        if "hooks/" in file:
            (tmp_path / file).parent.mkdir(parents=True)
            (tmp_path / file).write_text("{}")
    speaker = dialect(agent)
    assert isinstance(speaker, AgentDialect)
    read = {source.path for source in speaker.sources(places(tmp_path))}
    assert {file if file.startswith("/") else str(tmp_path / file) for file in FILES[agent]} <= read
