"""A trust store that is damaged or gone: nothing is trusted, it is said, and strict stays strict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.program import Program

CONFIG = '[[hooks]]\nevent = "PreToolUse"\nmatch = "Bash"\nrun = "exit 0"\n'
CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make"}}


@pytest.fixture
def store(program: Program) -> Path:
    """The store of a strict workspace with one guard that was accepted."""
    program.environment["HOOKLINE_TRUST"] = ""
    program.write(".hookline/hooks.toml", CONFIG)
    assert program("trust", "--yes").returncode == program("trust", "--strict").returncode == 0
    assert fired(program)[0] == 0
    return program.home / ".config/hookline/trust.json"


def fired(program: Program) -> tuple[int, str]:
    done = program("fire", "PreToolUse", stdin=json.dumps(CALL))
    return done.returncode, done.stdout + done.stderr


def damage(store: Path, how: str) -> None:
    store.unlink()
    if how == "folder":
        store.mkdir()
    elif how == "newer":
        store.write_text('{"schema": 99}')
    elif how != "gone":
        store.write_text("" if how == "empty" else "{")
    if how == "others may write":
        store.chmod(0o666)


@pytest.mark.parametrize(
    ("how", "words"),
    [("broken", "is not JSON"), ("empty", "is empty"), ("folder", "is a folder"), ("newer", "newer hookline"),
     ("others may write", "can be changed by others"), ("gone", "not reviewed yet")],
)  # fmt: skip
def test_a_strict_workspace_is_closed(program: Program, store: Path, how: str, words: str) -> None:
    damage(store, how)
    code, said = fired(program)
    assert (code, "strict workspace" in said, words in said) == (2, True, True), said
    call = json.dumps({**CALL, "cwd": str(program.workspace)})
    answer = program("bridge", "codex", "--event", "PreToolUse", stdin=call)
    assert '"deny"' in answer.stdout and words in answer.stdout


def test_it_is_open_where_somebody_said_so_last(program: Program, store: Path) -> None:
    assert program("trust", "--relax").returncode == 0
    damage(store, "broken")
    code, said = fired(program)
    assert (code, "is not JSON" in said) == (0, True), said


def test_another_workspace_is_not_closed_by_it(program: Program, store: Path) -> None:
    other = program.home / "other"
    (other / ".hookline").mkdir(parents=True)
    (other / ".hookline/hooks.toml").write_text(CONFIG)
    damage(store, "gone")
    done = program("fire", "PreToolUse", "--workspace", str(other), stdin=json.dumps(CALL))
    assert (done.returncode, "not reviewed yet" in done.stderr) == (0, True)
