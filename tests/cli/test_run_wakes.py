"""`hookline run`: background hooks that wake the agent, and what else they say when it is too late to decide."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.loop_bench import call, requests, run
from tests.program import Program


def waker(program: Program, command: str, file: str = ".claude/settings.json", **more: Any) -> None:
    entry = {"type": "command", "command": command, "asyncRewake": True, **more}
    program.write(file, json.dumps({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))


def newest(program: Program, request: int) -> str:
    return " ".join(block.get("text", "") for block in requests(program)[request][-1]["content"])


@pytest.mark.parametrize("file", [".claude/settings.json", ".gen/settings.json"])
def test_exit_2_of_a_background_hook_wakes_the_agent_after_its_turn(program: Program, file: str) -> None:
    """A.10: the turn is long over when the hook ends; its words are the next instruction, and the turn goes on."""
    waker(program, "while ! test -e told; do sleep 0.02; done; echo the build broke >&2; exit 2", file)
    stop = "touch told"
    settings = json.loads((program.workspace / file).read_text())
    settings["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": stop}]}]
    program.write(file, json.dumps(settings))
    done = run(program, [call("Bash", command="true"), {"text": "Done."}, {"text": "I mend it."}])
    assert (done.returncode, done.stdout) == (0, "Done.\nI mend it.\n"), done.stderr
    assert "the build broke" in newest(program, 2)


def test_our_own_format_wakes_too(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PostToolUse"\nwake = true\n'
        "run = 'while ! test -e told; do sleep 0.02; done; echo look again >&2; exit 2'\n\n"
        '[[hooks]]\nevent = "Stop"\nrun = "touch told"\n',
    )
    run(program, [call("Bash", command="true"), {"text": "Done."}, {"text": "I look."}])
    assert "look again" in newest(program, 2)


def test_any_other_end_wakes_nobody(program: Program) -> None:
    waker(program, "while ! test -e told; do sleep 0.02; done; echo fine; exit 0")
    settings = json.loads((program.workspace / ".claude/settings.json").read_text())
    settings["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "touch told"}]}]
    program.write(".claude/settings.json", json.dumps(settings))
    done = run(program, [call("Bash", command="true"), {"text": "Done."}])
    assert (done.returncode, len(requests(program))) == (0, 2)


def test_hooks_that_wake_again_and_again_are_heard_three_times(program: Program) -> None:
    """Nobody spoke meanwhile: a hook and a model must not keep each other busy for ever."""
    waker(program, "sleep 0.1; echo again >&2; exit 2")
    turns = [call("Bash", command="true"), {"text": "Done."}] * 6
    done = run(program, turns)
    assert done.returncode == 0
    assert done.stdout.count("Done.") <= 4


def test_a_background_hook_that_would_have_denied_is_heard_later(program: Program) -> None:
    """Nothing it says is lost: the reason comes with the next request."""
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "late"\nevent = "PreToolUse"\nbackground = true\n'
        "run = 'echo $$ > pid; echo not this way >&2; exit 2'\n",
    )
    wait = 'while ! test -s pid || kill -0 "$(cat pid)"; do sleep 0.02; done'
    run(program, [call("Bash", command=wait), call("Bash", command=wait), {"text": "Done."}])
    told = " ".join(newest(program, place) for place in (1, 2))
    assert "background hook `late`: not this way" in told
