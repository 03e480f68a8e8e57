"""The end of a turn in `hookline run`: file hooks re-prompt until the files are clean, three times at most."""

from __future__ import annotations

import json

from tests.cli.test_run import call, script
from tests.program import Program

CLEAN = """#!/bin/sh
#---
# name: Clean
# type: file
# pattern: "*.txt"
#---
if grep -l dirt $DISCOBOT_CHANGED_FILES; then exit 1; fi
"""


def last_texts(program: Program) -> list[str]:
    """The newest user text of every request."""
    lines = (program.workspace / ".git" / "record").read_text().splitlines()
    return [json.loads(line)["messages"][-1]["content"][0].get("text", "") for line in lines]


def test_a_failed_file_hook_re_prompts_until_the_file_is_clean(program: Program) -> None:
    """The first re-prompt says attempt 1/3; the turn ends well once the hook passes."""
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    turns = script(
        program,
        call("Write", file_path="a.txt", content="dirt"),
        {"text": "written"},
        call("Write", file_path="a.txt", content="tidy") | {"expect": "1/3"},
        {"text": "cleaned"},
    )
    done = program("run", "go", "--model", f"scripted:{turns}", "--record", ".git/record")
    assert (done.returncode, done.stdout) == (0, "written\ncleaned\n")
    prompts = [text for text in last_texts(program) if text]
    assert prompts[0] == "go"
    assert prompts[1].startswith('[Discobot Hook Failed] "Clean"')


def dirt(text: str) -> list[dict[str, object]]:
    return [call("Write", file_path="a.txt", content=f"dirt {text}"), {"text": f"wrote {text}"}]


def test_after_three_re_prompts_the_run_fails_and_names_the_hook(program: Program) -> None:
    """Exactly three re-prompts, attempts 1/3 to 3/3; the fourth failure is only named."""
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    turns = script(program, *[turn for text in "abcde" for turn in dirt(text)])
    done = program("run", "go", "--model", f"scripted:{turns}", "--record", ".git/record")
    assert done.returncode == 1
    assert "error: file hooks still fail: clean" in done.stderr
    prompts = [text for text in last_texts(program) if text.startswith("[Discobot Hook Failed]")]
    assert [n for n in range(1, 5) for text in prompts if f"{n}/3" in text] == [1, 2, 3]


def test_the_log_of_a_file_hook_holds_no_secret_of_the_environment(program: Program) -> None:
    program.environment["DEPLOY_TOKEN"] = "zq81xw-44-plainly-a-secret"
    program.write(".discobot/hooks/clean.sh", CLEAN + 'echo "with $DEPLOY_TOKEN"\n', 0o755)
    turns = script(program, call("Write", file_path="a.txt", content="tidy"), {"text": "written"})
    assert program("run", "go", "--model", f"scripted:{turns}").returncode == 0
    (log,) = (program.home / ".discobot").rglob("*.log")
    assert log.read_text() == "with [redacted:DEPLOY_TOKEN]\n"


def test_what_cannot_be_kept_of_file_hooks_is_told_once_each(program: Program) -> None:
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    (program.home / ".discobot").write_text("no folder")
    turns = script(program, *[turn for text in "abcde" for turn in dirt(text)])
    said = program("run", "go", "--model", f"scripted:{turns}").stderr
    told = [line for line in said.splitlines() if "not kept" in line and "the output of" not in line]
    assert any("hook status is not kept" in line for line in told) and len(told) == len(set(told)), said
    stop = {"session_id": "s", "cwd": str(program.workspace), "stop_hook_active": False}
    done = program("bridge", "claude", "--event", "Stop", stdin=json.dumps(stop))
    assert "hook status is not kept" in done.stderr and "clean" in done.stdout.lower()


def test_a_re_prompt_that_changes_nothing_is_repeated_without_another_run(program: Program) -> None:
    """The same files give the same failure, so the agent hears it again, three times in all."""
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    turns = script(program, *dirt("a"), {"text": "I do not care."})
    done = program("run", "go", "--model", f"scripted:{turns}", "--json", "--record", ".git/record")
    assert done.returncode == 1
    assert done.stdout.count('"type": "hook.finished"') == 1
    prompts = [text for text in last_texts(program) if text.startswith("[Discobot Hook Failed]")]
    assert [n for n in range(1, 5) for text in prompts if f"{n}/3" in text] == [1, 2, 3]


def test_a_turn_that_changed_no_file_of_theirs_runs_no_file_hook(program: Program) -> None:
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    turns = script(program, call("Write", file_path="a.py", content="dirt"))
    done = program("run", "go", "--model", f"scripted:{turns}", "--json")
    assert done.returncode == 0
    assert "hook.started" not in done.stdout


def test_stop_hooks_and_file_hooks_that_never_agree_end_one_turn_together(program: Program) -> None:
    """The re-prompts of file hooks belong to the user's turn: Stop hooks have three continuations in all of it."""
    program.write(".discobot/hooks/clean.sh", CLEAN, 0o755)
    stop = '[[hooks]]\nevent = "Stop"\nrun = "{ cat; echo; } >> .git/stops; echo no >&2; exit 2"\n'
    program.write(".hookline/hooks.toml", stop)
    turns = script(program, *dirt("once"), *[{"text": "enough"}] * 6)
    done = program("run", "go", "--model", f"scripted:{turns}", "--record", ".git/record")
    assert (done.returncode, done.stdout) == (1, "wrote once\n" + "enough\n" * 6)
    lines = (program.workspace / ".git/stops").read_text().splitlines()
    stops = [json.loads(line)["stop_hook_active"] for line in lines if line]
    assert stops == [False] + [True] * 6, "four of the first turn, one of each re-prompt"
    assert len(last_texts(program)) == 1 + len(stops)
