"""Paths, names and commands that hold line breaks, escape sequences or bidi controls: shown, and doing nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.program import Program

ODD = "\x1b[31m\u202e\nerror: forged"


@pytest.fixture
def odd(program: Program, tmp_path: Path) -> Program:
    """A program whose home, workspace, hooks, cases and tasks are all named so."""
    home, workspace = tmp_path / f"h{ODD}", tmp_path / f"w{ODD}"
    home.mkdir()
    shutil.move(program.workspace, workspace)
    made = Program(home, workspace)
    command = {"type": "command", "command": f"true #{ODD}"}
    config = {"PreToolUse": [{"matcher": f"Bash|{ODD}", "hooks": [command]}], ODD: []}
    made.write(".claude/settings.json", json.dumps({"hooks": config, ODD: 1}))
    rule = {"name": f"calm{ODD}", "event": "PreToolUse", "shell": f"git push{ODD}", "deny": f"no{ODD}"}
    rows = "\n".join(f"{key} = {json.dumps(value)}" for key, value in rule.items())
    made.write(".hookline/hooks.toml", f"[[hooks]]\n{rows}\n")
    case = {"name": f"c{ODD}", "event": "PreToolUse", "payload": {"tool_name": "Bash"}, "verdict": "deny"}
    made.write(".hookline/cases/a.yml", json.dumps({"cases": [case]}))
    made.write(f".discobot/hooks/f{ODD}", "#!/bin/sh\n#---\n# type: file\n#---\n", 0o755)
    made("task", "add", "--name", "n", "--content", f"do{ODD}")
    made("fire", "Bash", f"git push{ODD}")
    return made


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("list",), ("check",), ("check", "--output-format", "github"), ("check", f"no{ODD}"), ("doctor",), ("test",),
    ("probe",), ("attest",), ("why", f"calm{ODD}"), ("trust",), ("history",), ("show", "last"), ("show", f"x{ODD}"),
    ("stats",), ("record", "status"), ("packs", "show", f"x{ODD}"), ("task", "list", "--name", "n"),
    ("install", "git", "--dry-run"), ("install", "git"), ("uninstall", "git", "--dry-run"), ("uninstall", "git"),
    ("install", "claude", "--dry-run"), ("install", "claude"), ("uninstall", "claude"),
    ("convert", "discobot", "gencode"),
    ("explain", "Bash", f"git push{ODD}"), ("fire", "PreToolUse", "--input", f"x{ODD}"), ("schema", f"x{ODD}"),
    ("rule", f"x{ODD}"), ("docs", f"x{ODD}"), ("disable", f"x{ODD}"), ("config", "get", f"x{ODD}"),
    ("issues", "run", f"x{ODD}"), ("sessions", "show", f"x{ODD}"), ("run", "hi", "--model", f"scripted:x{ODD}"),
    ("entrypoint", "--", f"./x{ODD}"), ("list", f"--x{ODD}"), (f"x{ODD}",), ("--workspace", f"x{ODD}", "list"),
)  # fmt: skip


def test_no_name_steers_the_terminal_or_writes_a_line_of_its_own(odd: Program) -> None:
    for command in COMMANDS:
        done = odd(*command, stdin="")
        shown = done.stdout + done.stderr
        assert shown and "defect" not in shown, command
        assert [letter for letter in shown if not letter.isprintable() and letter not in "\n\t"] == [], (
            command
        )
        assert not [line for line in shown.splitlines() if line.lstrip().startswith("error: forged")], command


def test_colours_stay_colours_in_tables(program: Program) -> None:
    """A cell that was coloured before it was made harmless showed its escape sequence."""
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    )
    program("install", "claude")
    for command, word in (("attest", "fired"), ("list", "trusted")):
        shown = program(command, environment={"FORCE_COLOR": "1"}).stdout
        assert f"  \x1b[32m{word}\x1b[0m  " in shown and "\\x1b" not in shown, shown


def test_a_folder_whose_name_is_no_text_has_its_history_and_sessions(
    program: Program, tmp_path: Path
) -> None:
    """Two that differ in such bytes alone have each their own; what is printed as JSON is JSON."""
    folders = [tmp_path / os.fsdecode(name) for name in (b"w\xff", b"w\xfe")]
    for folder in folders:
        shutil.copytree(program.workspace, folder)
    made, other = (Program(program.home, folder) for folder in folders)
    made.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n')
    made.write("m.yml", "turns: [{text: first}, {text: second}]\nafter: more\n")
    made("fire", "Bash", "git push")
    assert [run["verdict"] for run in json.loads(made("history", "--json").stdout)] == ["deny"]
    assert json.loads(other("history", "--json").stdout) == []
    assert "deny" in made("show", "last").stdout and "1" in made("stats").stdout
    assert made("run", "hi", "--model", "scripted:m.yml").returncode == 0
    assert made("run", "hi", "--continue", "--model", "scripted:m.yml").returncode == 0
    assert other("run", "hi", "--continue", "--model", "scripted:m.yml").returncode != 0
    kept = json.loads(made("sessions", "list", "--json").stdout)
    assert [session["workspace"].encode("utf-8", "surrogateescape")[-1:] for session in kept] == [b"\xff"]


def test_the_history_is_asked_for_a_name_that_is_no_utf_8(program: Program) -> None:
    program("fire", "Bash", "ls")
    shown = program("show", "x\udcff")
    assert shown.returncode == 64 and "error: no run `" in shown.stderr and "warning" not in shown.stderr
    for name in ("--session", "--hook", "--tool"):
        listed = program("history", name, "x\udcff")
        assert (listed.returncode, listed.stderr) == (0, ""), listed
