"""Every event of GenCode and cocode that our own tool loop has is fired there for real, and documented.

`docs/events.md` holds a table made from these runs; `HOOKLINE_WRITE_DOCS=1 pytest` on this file renews it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.cli.loop_bench import call, calls, run
from tests.cli.terminal import session
from tests.program import Program

from hookline.dialects import dialect

PAGE = Path(__file__).parents[2] / "docs" / "events.md"
BEGIN, END = "<!-- made by tests/cli/test_event_table.py -->\n", "<!-- end -->\n"
SPEAKERS = ("gencode", "cocode")
TURN, REFUSED, FAILED, FULL, TYPED = "a turn", "a refusal", "a failure", "a full context", "a session"
# Where each event is fired: the run that proves it, and its moment in words.
MOMENTS = {
    "SessionStart": (TURN, "a session begins: startup, resume, clear, compact"),
    "InstructionsLoaded": (TURN, "AGENTS.md, CLAUDE.md or GEN.md went into the system prompt"),
    "UserPromptSubmit": (TURN, "before a prompt reaches the model"),
    "UserMessage": (TURN, "the prompt is in the conversation"),
    "PreToolUse": (TURN, "before a tool, before the permission check"),
    "PermissionRequest": (TURN, "a permission has to be asked for"),
    "Notification": (TURN, "somebody is waited for: a permission, or the next prompt"),
    "PostToolUse": (TURN, "a tool succeeded"),
    "PostToolUseFailure": (TURN, "a tool failed, or was refused"),
    "SubagentStart": (TURN, "the Agent tool begins"),
    "SubagentStop": (TURN, "a subagent is done, failed or was cancelled"),
    "Stop": (TURN, "the model has nothing more to do"),
    "StatusLine": (TURN, "a turn is over; the output is shown below the prompt"),
    "SessionEnd": (TURN, "a session ends, also on ^C and TERM"),
    "PermissionDenied": (REFUSED, "the rules refused a call without asking"),
    "StopFailure": (FAILED, "a turn ended by an error or an interrupt"),
    "PreCompact": (FULL, "before the conversation is replaced by a summary"),
    "PostCompact": (FULL, "after that"),
    "FileSuggestion": (TYPED, "Tab after `@` in the prompt line"),
    "ConfigChange": (TYPED, "`/hooks reload`"),
}
ELSEWHERE = (
    "Setup",
    "TaskCreated",
    "TaskCompleted",
    "CwdChanged",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
)


def configure(program: Program) -> None:
    """A hook of each dialect on every event it has, which notes that it ran."""
    hooks = {
        rule.native: [
            {"hooks": [{"type": "command", "command": f"echo gencode {rule.native} >> $CWD/.git/fired"}]}
        ]
        for rule in dialect("gencode").rules.values()
    }
    program.write(".gen/settings.json", json.dumps({"hooks": hooks, "permissions": {"deny": ["Bash(rm:*)"]}}))
    entries = [
        f'[[hooks]]\nevent = "{rule.native}"\n[hooks.shell]\n'
        f"command = \"echo cocode {rule.native} >> '{program.workspace}/.git/fired'\"\n"
        for rule in dialect("cocode").rules.values()
    ]
    file = program.home / ".config/cocode/hooks.toml"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(entries))
    program.write("AGENTS.md", "Be kind.")


def fired(program: Program) -> set[tuple[str, str]]:
    """Dialect and native event of every hook that ran since the last time."""
    file = program.workspace / ".git" / "fired"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return {(line.split()[0], line.split()[1]) for line in lines}


def a_turn(program: Program) -> None:
    batch = calls(
        ("Read", {"file_path": "AGENTS.md"}), ("Bash", {"command": "true"}), ("Agent", {"prompt": "x"})
    )
    run(program, [batch, {"text": "sub"}, {"text": "done"}], "--permission-mode", "default")


def a_refusal(program: Program) -> None:
    run(program, [call("Bash", command="rm x")])


def a_failure(program: Program) -> None:
    run(program, [{"error": "overloaded"}])


def a_full_context(program: Program) -> None:
    run(program, [call("Bash", command="true"), {"text": "summary"}], "--context-tokens", "1")


def a_session(program: Program) -> None:
    script = program.workspace / ".git" / "turns.yml"
    script.write_text("turns: []\n")
    with session(program, "--model", f"scripted:{script}") as terminal:
        terminal.wait("\n>")
        terminal.press("-l", "@AG")
        terminal.press("Tab")
        terminal.wait("\n> AGENTS.md")
        terminal.press("C-u")
        terminal.type("/hooks reload")
        terminal.wait("hooks reloaded")
        terminal.type("/quit")
        terminal.wait("[exit 0]")


RUNS = {TURN: a_turn, REFUSED: a_refusal, FAILED: a_failure, FULL: a_full_context, TYPED: a_session}


@pytest.mark.parametrize("name", RUNS)
def test_every_event_of_both_dialects_fires_where_the_table_says(program: Program, name: str) -> None:
    """A hook of each dialect on each event really ran."""
    configure(program)
    RUNS[name](program)
    ran = fired(program)
    wanted = {
        (speaker, native)
        for kind, (where, _) in MOMENTS.items()
        if where == name
        for speaker, native in natives(kind)
    }
    assert wanted <= ran, wanted - ran


def natives(kind: str) -> Iterable[tuple[str, str]]:
    """What the dialects call a canonical event."""
    for speaker in SPEAKERS:
        for rule in dialect(speaker).rules.values():
            if rule.kind.value == kind:
                yield speaker, rule.native


def test_the_table_has_every_event_of_both_dialects() -> None:
    known = {rule.kind.value for speaker in SPEAKERS for rule in dialect(speaker).rules.values()}
    assert known == {*MOMENTS, *ELSEWHERE}


def test_the_documented_table_is_the_one_made_here() -> None:
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = before + BEGIN + made_table() + END + after
    if os.environ.get("HOOKLINE_WRITE_DOCS"):
        PAGE.write_text(made)
    assert made == PAGE.read_text()


def made_table() -> str:
    lines = ["| event | GenCode | cocode | fired when | proven by |", "|---|---|---|---|---|"]
    for kind, (where, words) in MOMENTS.items():
        names = {speaker: f"`{native}`" for speaker, native in natives(kind)}
        gencode, cocode = (names.get(speaker, "") for speaker in SPEAKERS)
        lines.append(f"| `{kind}` | {gencode} | {cocode} | {words} | {where} |")
    return "\n" + "\n".join(lines) + "\n\n"
