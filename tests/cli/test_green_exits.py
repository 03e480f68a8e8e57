"""A green exit means that the guards held: nothing starts unseen without them, and no gate is left failing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.program import Program

SCRIPT = {
    "turns": [{"text": "x", "tool_calls": [{"name": "Bash", "input": {"command": "touch done"}}]}],
    "after": "ok",
}
START = {
    "run": ("run", "go", "--model", "scripted:m.json"),
    "iterate": (
        "iterate",
        "--name",
        "s",
        "--iterations",
        "1",
        "--model",
        "scripted:m.json",
        "--backoff",
        "0",
    ),
    "issues": ("issues", "run", "1", "--model", "scripted:m.json"),
    "serve": ("serve", "--port", "0", "--model", "scripted:m.json"),
}
GENCODE = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}'
OFF = {
    "untrusted": (".gen/settings.json", GENCODE),
    "misspelt": (".gen/settings.json", GENCODE.replace('"command":', '"comand":')),
    "unreadable": (".claude/settings.json", '{"hooks": {"PreToolUse": [],}}'),
    "a denial that is no list": (".claude/settings.json", '{"permissions": {"deny": "Bash(echo *)"}}'),
    "a denial of a tool misspelt": (".claude/settings.json", '{"permissions": {"deny": ["bash(echo *)"]}}'),
    "a denial at the top": (".claude/settings.json", '{"deny": ["Bash(echo *)"]}'),
    "a denial that is no rule": (".gen/settings.json", '{"permissions": {"ask": ["Bash(echo"]}}'),
    "untrusted stop": (".hookline/hooks.toml", '[[hooks]]\nevent = "Stop"\nrun = "exit 2"\n'),
}


def prepare(program: Program, command: str, script: Mapping[str, Any] = SCRIPT) -> None:
    del program.environment["HOOKLINE_TRUST"]
    program.write("m.json", json.dumps(script))
    if command == "issues":
        assert program("issues", "create", "-t", "One", "-d", "x").returncode == 0


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("command", START)
def test_nothing_starts_unseen_when_a_guard_is_off(program: Program, command: str, off: str) -> None:
    prepare(program, command)
    path, text = OFF[off]
    program.write(path, text)
    done = program(*START[command])
    assert (done.returncode, done.stdout) == (1, "")
    assert path in done.stderr and "--untrusted skip" in done.stderr and "not started: 1 guard" in done.stderr
    assert not (program.workspace / "done").exists()


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("command", ["run", "iterate", "issues"])
def test_who_says_skip_goes_on_without_them(program: Program, command: str, off: str) -> None:
    prepare(program, command)
    program.write(*OFF[off])
    done = program(*START[command], "--untrusted", "skip")
    assert done.returncode == 0, done.stderr
    assert (program.workspace / "done").exists()
    assert OFF[off][0] in done.stderr or "trust" in done.stderr


@pytest.mark.parametrize("command", ["run", "iterate", "issues"])
def test_a_hook_that_guards_nothing_keeps_nobody_from_starting(program: Program, command: str) -> None:
    prepare(program, command)
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PostToolUse"\nrun = "true"\n')
    done = program(*START[command])
    assert done.returncode == 0 and "trust" in done.stderr


NO_GUARD = {
    "iteratr": (".iteratr.hooks.yml", "hooks:\n  pre_iterations:\n    - command: 'true'\n", "pre_iterations"),
    "autoagent": (
        ".autoagent/config.json",
        '{"hooks": {"postExecution-end": [{"type": "command", "command": "true"}]}}',
        "postExecution-end",
    ),
    "gencode": (".gen/settings.json", GENCODE.replace("PreToolUse", "notification"), "notification"),
}
GUARDS = {
    "case": (".gen/settings.json", GENCODE.replace("PreToolUse", "preToolUse"), "preToolUse"),
    "misspelt": (".gen/settings.json", GENCODE.replace("PreToolUse", "PostToolUze"), "PostToolUze"),
}


@pytest.mark.parametrize("named", [*NO_GUARD.values(), *GUARDS.values()], ids=[*NO_GUARD, *GUARDS])
@pytest.mark.parametrize("command", ["run", "iterate", "issues"])
def test_an_event_there_is_not_is_told_and_stops_where_it_may_be_a_guard_s(
    program: Program, command: str, named: tuple[str, str, str]
) -> None:
    """No hook of iteratr blocks; of a name with another letter case it is known which event is meant."""
    prepare(program, command)
    path, text, event = named
    program.write(path, text)
    done = program(*START[command])
    assert done.returncode == (1 if named in GUARDS.values() else 0), done.stderr
    assert f"`{event}`" in done.stderr and path in done.stderr


@pytest.mark.parametrize("command", ["run", "iterate", "issues"])
def test_a_stop_that_is_denied_to_the_end_is_a_failure(program: Program, command: str) -> None:
    prepare(program, command)
    program.environment["HOOKLINE_TRUST"] = "workspace"
    gate = '[[hooks]]\nevent = "Stop"\nrun = "test -f gate.txt || { echo write gate.txt; exit 2; } >&2"\n'
    program.write(".hookline/hooks.toml", gate)
    done = program(*START[command])
    assert done.returncode == 1 and "write gate.txt" in done.stderr, done.stderr
    (program.workspace / "gate.txt").touch()
    done = program(*START[command], *(("--restart",) if command == "iterate" else ()))
    assert done.returncode == 0 or "no pending" in done.stderr, done.stderr


BROKEN = {
    ".iteratr.hooks.yml": "hooks:\n\tpre_iteration:\n",
    ".discobot/hooks/a.sh": "#!/bin/sh\n#---\n# type: sesion\n#---\n",
    ".claude/settings.json": '{"hooks": {"PostToolUse": [{"hooks": [{"type": "command"}]}]}}',
}


@pytest.mark.parametrize("path", BROKEN)
@pytest.mark.parametrize("command", ["run", "iterate", "issues", "entrypoint"])
def test_a_broken_config_is_named_wherever_hooks_run(program: Program, command: str, path: str) -> None:
    prepare(program, command)
    program.write(path, BROKEN[path], 0o755)
    start = (
        ("entrypoint", "--", "true") if command == "entrypoint" else (*START[command], "--untrusted", "skip")
    )
    done = program(*start)
    assert done.returncode == 0 and f"error: {path}" in done.stderr, done.stderr
