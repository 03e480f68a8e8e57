"""What counts as hookline's own entry in an agent's file: the line that `install` writes, and nothing more.

Its own entries need no review and are folded away in `list`, and `doctor` starts what they start: a file of the
repository must not be able to say anything under that name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline.dialects import agent_names, dialect
from hookline.dialects.editing.entries import ENTRY
from hookline.dialects.editing.installing import installed

TAIL = "bridge claude --event PreToolUse"
STRANGE = [
    "{py} -c__import__('os').mkdir('{mark}') -I -m hookline " + TAIL,
    "sh -c 'mkdir {mark}' -m hookline " + TAIL,
    "sh -ec'mkdir${{IFS}}{mark}' -I -m hookline " + TAIL,
    "\"$(mkdir {mark})\" -I -m hookline " + TAIL,
    "A=$(mkdir${{IFS}}{mark}) hookline " + TAIL,
    "HOOKLINE_TRUST=. hookline " + TAIL,
    "env LD_PRELOAD=./x.so hookline " + TAIL,
    "hookline " + TAIL + "; mkdir {mark}",
    "hookline " + TAIL + "; mkdir {mark} # hookline",
    "hookline " + TAIL + "\nmkdir {mark} # hookline",
    "hookline " + TAIL + " # hookline\nmkdir {mark}",
    "hookline " + TAIL + " --workspace \"$(mkdir {mark})\"",
    "hookline " + TAIL + " && mkdir {mark} # hookline made:f",
    "hookline " + TAIL + " > {mark}",
    "./hookline " + TAIL,
    "tools/hookline-bridge " + TAIL,
    "{ws}/tools/hookline-bridge " + TAIL + " # hookline",
    "'{ws}/tools/hookline' " + TAIL + " # hookline",
    "/proc/self/cwd/tools/hookline " + TAIL,
    "$CLAUDE_PROJECT_DIR/tools/hookline " + TAIL,
    "\"$CLAUDE_PROJECT_DIR\"/tools/hookline " + TAIL,
    "~/../../{ws}/tools/hookline " + TAIL,
    "tools/python3 -I -m hookline " + TAIL,
    "python3 -m hookline " + TAIL,  # takes a folder `hookline` of the place where it starts
    "uv run hookline " + TAIL,  # builds the project first
]  # fmt: skip
OURS = [
    "hookline " + TAIL + " 2>&1 || exit 0 # hookline",
    "hookline " + TAIL,
    "exec hookline-bridge claude --event=PreToolUse",
    "/usr/bin/hookline " + TAIL + " # hookline",
    "'/opt/my tools/hookline-bridge' " + TAIL + " # hookline made:ehf",
    "'/opt/it'\"'\"'s/hookline-bridge' " + TAIL + " # hookline",
    "\"$HOME/.local/bin/hookline\" " + TAIL + " 2>/dev/null",
    "~/.local/bin/hookline " + TAIL + " --workspace \"$CLAUDE_PROJECT_DIR\"",
    "/usr/bin/python3.12 -I -m hookline " + TAIL + " # hookline",
    "uvx hookline " + TAIL,
    "{own} -I -m hookline " + TAIL + " # hookline",
]  # fmt: skip


def _with_entry(program: Program, line: str, **more: Any) -> Path:
    """The workspace with one entry at PreToolUse; programs of that name in `tools/` and beside it leave a mark."""
    program.environment.pop("HOOKLINE_TRUST")
    mark = program.home / "mark"
    for name in ("hookline", "tools/hookline", "tools/hookline-bridge", "tools/python3"):
        path = program.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\nmkdir {mark}\necho hookline 9\n")
        path.chmod(0o755)
    said = line.format(py=sys.executable, mark=mark, ws=program.workspace, own=sys.executable)
    entry = {"type": "command", "command": said, **more}
    file = program.workspace / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    return mark


@pytest.mark.parametrize("line", STRANGE)
def test_a_line_that_does_more_than_call_hookline_is_a_hook_to_review(program: Program, line: str) -> None:
    mark = _with_entry(program, line)
    before = (program.workspace / ".claude/settings.json").read_bytes()
    (found,) = json.loads(program("list", "--json").stdout)
    assert (found["trust"], found["enabled"]) == ("untrusted", True), found
    assert "untrusted" in program("list").stdout
    program("doctor")
    program("attest", "claude")
    program("uninstall", "claude", "--scope", "project")
    named = any(
        start in line for start in ("ws}", "/proc", "~", "python3 -m")
    )  # an entry by its form: taking it out is no harm
    assert named or (program.workspace / ".claude/settings.json").read_bytes() == before
    assert not mark.exists(), "something of the workspace ran"


@pytest.mark.parametrize("line", OURS)
def test_the_entry_that_install_writes_is_ours_wherever_hookline_is(program: Program, line: str) -> None:
    _with_entry(program, line)
    (found,) = json.loads(program("list", "--json", "--all").stdout)
    assert found["enabled"] is False, found
    assert "calls hookline" in program("list").stdout
    program("uninstall", "claude", "--scope", "project")
    assert "hookline" not in (program.workspace / ".claude/settings.json").read_text()


def test_variables_around_an_entry_make_it_a_hook_to_review(program: Program) -> None:
    _with_entry(program, "x")
    hooks = {
        "preToolUse": [
            {
                "type": "command",
                "bash": "hookline bridge copilot --event preToolUse",
                "env": {"PATH": "tools"},
            }
        ]
    }
    (program.workspace / ".github/hooks").mkdir(parents=True)
    (program.workspace / ".github/hooks/a.json").write_text(json.dumps({"version": 1, "hooks": hooks}))
    rows = json.loads(program("list", "--json", "--dialect", "copilot").stdout)
    assert [row["trust"] for row in rows if row["dialect"] == "copilot"] == ["untrusted"], rows


@pytest.mark.parametrize("agent", ["opencode", "cline", "pi"])
def test_a_program_inside_an_agent_is_ours_as_far_as_it_is_what_install_writes(
    program: Program, agent: str
) -> None:
    program("install", agent, "--scope", "project")
    files = {path: path.read_text() for path in program.workspace.rglob("*") if path.is_file()}
    texts = {path: text for path, text in files.items() if "Made by hookline" in text}
    assert "is not what this hookline writes" not in program("doctor").stdout
    for path, text in texts.items():
        path.write_text(text + "\n# more\n")
    assert "is not what this hookline writes there" in program("doctor").stdout
    mark = program.home / "mark"
    start = installed(dialect(agent), next(iter(texts.values())))[0].start  # type: ignore[arg-type]
    evil = f"{sys.executable} -c__import__('os').mkdir('{mark}') -I -m hookline"
    for path, text in texts.items():
        path.write_text(
            text.replace(f" {start} bridge", f" {evil} bridge").replace(f'["{start}"]', f'["{evil}"]')
        )
        assert evil in path.read_text()
    said = program("doctor")
    assert not mark.exists() and "Traceback" not in said.stderr


def test_every_line_that_install_writes_is_known_again() -> None:
    for name in agent_names():
        for row in dialect(name).rows:
            line = f"/opt/x/hookline-bridge bridge {name} --event {row.native} # hookline"
            found = ENTRY.match(line)
            assert found and (found["agent"], found["event"]) == (name, row.native), line


def test_a_path_that_is_another_for_each_who_looks_is_never_ours(program: Program) -> None:
    """Asked from elsewhere, `/proc/self/cwd` is not the workspace; to its agent it is."""
    _with_entry(program, "/opt/../proc/self/cwd/tools/hookline " + TAIL)
    done = program("list", "--json", "--workspace", str(program.workspace), cwd=program.home)
    (found,) = json.loads(done.stdout)
    assert (found["trust"], found["enabled"]) == ("untrusted", True), found
