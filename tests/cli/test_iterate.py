"""`hookline iterate` with a scripted model: what reaches the agent, when, and how a run ends."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.nats_server import nats_server
from tests.program import Program, stem
from tests.waiting import DEADLINE_S, wait_for

TOOL = "mcp__iteratr-tools__"


def hooks(program: Program, **lists: list[str] | list[dict[str, Any]]) -> None:
    """A config in which every command is piped unless it says otherwise."""
    settings = {key: lists.pop(key) for key in ("on_error_setting", "delivery") if key in lists}
    content: dict[str, Any] = {
        "hooks": {
            name: [
                {"command": each, "pipe_output": True} if isinstance(each, str) else each for each in entries
            ]
            for name, entries in lists.items()
        }
    }
    if "delivery" in settings:
        content["post_iteration_delivery"] = settings["delivery"]
    program.write(".iteratr.hooks.yml", yaml.safe_dump(content))


def call(tool: str, **given: object) -> Mapping[str, Any]:
    return {"name": TOOL + tool, "input": given}


def iterate(program: Program, *turns: Mapping[str, Any], more: tuple[str, ...] = (), **options: Any) -> Any:
    """Runs a script; the finished process with `prompts`: the blocks of every user prompt."""
    program.write("turns.yml", yaml.safe_dump({"turns": list(turns)}))
    program.write("prompt.txt", "prompt {{iteration}}")
    arguments = ("--model", "scripted:turns.yml", "--record", "record.jsonl", "--template", "prompt.txt")
    done: Any = program("iterate", "--name", "s", "--backoff", "0", *arguments, *more, **options)
    done.prompts = prompts(program)
    return done


def prompts(program: Program) -> list[list[str]]:
    file = program.workspace / "record.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    newest = [line["messages"][-1]["content"] for line in lines]
    return [[block["text"] for block in blocks] for blocks in newest if blocks[0]["type"] == "text"]


def test_the_documented_hooks_run_at_their_places(program: Program) -> None:
    """Hook text is the first block, the prompt the second; what
    later hooks say waits for the next prompt, and the rest is delivered before session_end."""
    hooks(
        program,
        session_start=["echo start {{session}}"],
        pre_iteration=["echo pre {{iteration}}", {"command": "echo unseen"}],
        post_iteration=["echo post {{iteration}}"],
        on_task_complete=["echo done {{task_id}} {{task_content}}"],
        session_end=["echo end of {{session}} >> ended", "echo nobody hears"],
    )
    done = iterate(
        program,
        {"tool_calls": [call("task-add", tasks=[{"content": "one", "status": "completed"}])]},
        {"text": "first"},
        {"text": "second"},
        {"text": "third"},
        {"text": "rest"},
        more=("--iterations", "3"),
    )
    assert (done.returncode, done.stdout) == (0, "first\nsecond\nthird\nrest\n")
    assert done.prompts == [
        ["start s\n\npre 1\n", "prompt 1"],
        ["done TAS-1 one\n\npost 1\n\npre 2\n", "prompt 2"],
        ["post 2\n\npre 3\n", "prompt 3"],
        ["post 3\n"],
    ]
    assert (program.workspace / "ended").read_text() == "end of s\n"


def test_a_hooks_file_that_changes_meanwhile_is_told_and_not_read(program: Program) -> None:
    """Once, and written anew with the same content it is no other."""
    edit = "[ -e done ] || echo >> .iteratr.hooks.yml; touch done; echo old"
    hooks(
        program, pre_iteration=[edit], session_start=["cp .iteratr.hooks.yml x; cat x > .iteratr.hooks.yml"]
    )
    done = iterate(program, *[{"text": "ok"}] * 3, more=("--iterations", "3"))
    assert [first for first, _ in done.prompts] == ["old\n"] * 3
    words = "`.iteratr.hooks.yml` changed; this run keeps the hooks that it began with"
    assert [line.strip() for line in done.stderr.splitlines() if "changed" in line] == [words]


def test_without_hook_text_a_prompt_is_one_block(program: Program) -> None:
    """No empty block, and no delivery of nothing."""
    done = iterate(program, {"text": "ok"}, more=("--iterations", "1"))
    assert done.stderr.endswith("after 1 iteration\n")
    assert (done.returncode, done.prompts) == (0, [["prompt 1"]])


def test_a_completed_session_ends_after_its_post_hooks(program: Program) -> None:
    """And by itself."""
    hooks(program, post_iteration=["echo post {{iteration}}"])
    done = iterate(program, {"tool_calls": [call("session-complete")]}, {"text": "ok"}, {"text": "bye"})
    assert (done.returncode, done.prompts) == (0, [["prompt 1"], ["post 1\n"]])
    again = iterate(program, {"text": "more"}, more=("--iterations", "1"))
    assert (again.returncode, "`--restart` works on" in again.stderr) == (0, True)
    more = iterate(program, {"text": "more"}, more=("--iterations", "1", "--restart"))
    assert (more.returncode, more.prompts[2]) == (0, ["prompt 2"])


def test_a_failed_iteration_is_recovered_in_its_own_session(program: Program) -> None:
    """The undelivered text comes again; no post hook of the failed iteration runs."""
    hooks(
        program,
        session_start=["echo start"],
        post_iteration=["echo post {{iteration}}"],
        on_error=["echo error {{iteration}} {{error}}"],
    )
    done = iterate(
        program, {"error": "overloaded"}, {"text": "sorry"}, {"text": "well"}, {"text": "rest"},
        more=("--iterations", "2"),
    )  # fmt: skip
    assert (done.returncode, done.prompts) == (
        0,
        [["start\n", "prompt 1"], ["error 1 overloaded\n"], ["start\n", "prompt 2"], ["post 2\n"]],
    )


def test_a_session_without_on_error_hooks_ends_with_the_error(program: Program) -> None:
    hooks(program, session_end=["echo end >> ended"])
    done = iterate(program, {"error": "overloaded"}, {"text": "never"}, more=("--iterations", "5"))
    assert (done.returncode, len(done.prompts), "error: overloaded" in done.stderr) == (1, 1, True)
    assert (program.workspace / "ended").read_text() == "end\n"


def test_unpiped_on_error_hooks_keep_the_session_alive_in_silence(program: Program) -> None:
    """Failed iterations count, and a later success makes good."""
    hooks(program, on_error=[{"command": "echo seen >> seen"}])
    done = iterate(program, {"error": "x"}, {"text": "ok"}, more=("--iterations", "2"))
    assert (done.returncode, done.prompts) == (0, [["prompt 1"], ["prompt 2"]])
    assert (program.workspace / "seen").read_text() == "seen\n"


def test_a_hook_that_fails_without_a_word_is_told_with_how_it_ended(program: Program) -> None:
    hooks(program, post_iteration=["exit 7", "echo why >&2; exit 7"])
    said = iterate(program, {"text": "ok"}, more=("--iterations", "1")).stderr
    assert "post_iteration: exit 7 — exit 7, without a word" in said and "exit 7 — why" in said, said


def test_failing_without_end_is_stopped(program: Program) -> None:
    """After so many in a row; and at the limit, with a failed exit."""
    hooks(program, on_error=[{"command": "true"}])
    turns = [{"error": f"e{n}"} for n in range(9)]
    done = iterate(program, *turns, more=("--max-failures", "2"))
    assert (done.returncode, len(done.prompts)) == (1, 2)
    assert "2 iterations in a row failed; the last one: e1" in done.stderr
    limited = iterate(program, *turns, more=("--iterations", "1"))
    assert (limited.returncode, limited.prompts[2:]) == (1, [["prompt 3"]])


def test_a_failing_recovery_prompt_changes_nothing(program: Program) -> None:
    hooks(program, on_error=["echo why"])
    done = iterate(program, {"error": "a"}, {"error": "b"}, {"text": "ok"}, more=("--iterations", "2"))
    assert (done.returncode, done.prompts) == (0, [["prompt 1"], ["why\n"], ["prompt 2"]])
    assert "the recovery prompt failed: b" in done.stderr


def test_an_agent_without_a_word_has_failed(program: Program) -> None:
    done = iterate(program, {"text": ""}, more=("--iterations", "1"))
    assert (done.returncode, "answered with nothing at all" in done.stderr) == (1, True)


def test_what_the_last_delivery_brings_up_is_delivered_too(program: Program) -> None:
    """Tasks completed in answer to a delivery have hooks as well."""
    hooks(program, post_iteration=["echo post"], on_task_complete=["echo done {{task_id}}"])
    done = iterate(
        program,
        {"tool_calls": [call("task-add", tasks=[{"content": "a"}])]},
        {"text": "ok"},
        {"tool_calls": [call("task-update", id="TAS-1", status="completed")]},
        {"text": "rest"},
        {"text": "last"},
        more=("--iterations", "1"),
    )
    assert done.prompts == [["prompt 1"], ["post\n"], ["done TAS-1\n"]]


def test_a_task_completes_once(program: Program) -> None:
    """Only the change to completed counts; two at once keep their order."""
    hooks(program, on_task_complete=["sleep 0.0{{task_id}}1 2>/dev/null; echo {{task_id}}"])
    done = iterate(
        program,
        {"tool_calls": [call("task-add", tasks=[{"content": "a"}, {"content": "b"}, {"content": "c"}])]},
        {
            "tool_calls": [
                call("task-update", id="TAS-1", status="blocked"),
                call("task-update", id="TAS-2", status="completed"),
                call("task-update", id="TAS-1", status="completed", priority=0),
                call("task-update", id="TAS-2", status="completed"),
            ]
        },
        {"text": "ok"},
        {"text": "rest"},
        more=("--iterations", "1"),
    )
    assert done.prompts[1] == ["TAS-2\n\nTAS-1\n"]


def test_post_output_can_be_delivered_at_once(program: Program) -> None:
    hooks(program, post_iteration=["echo post {{iteration}}"], delivery="now")  # type: ignore[arg-type]
    done = iterate(
        program, {"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d"}, more=("--iterations", "2")
    )
    assert done.prompts == [["prompt 1"], ["post 1\n"], ["prompt 2"], ["post 2\n"]]


def test_the_agent_keeps_to_one_task_in_each_iteration(program: Program) -> None:
    done = iterate(
        program,
        {"tool_calls": [call("task-add", tasks=[{"content": "a"}, {"content": "b"}])]},
        {"tool_calls": [call("task-update", id="TAS-1", status="in_progress")]},
        {"tool_calls": [call("task-update", id="TAS-2", status="in_progress")]},
        {
            "tool_calls": [call("task-update", id="TAS-1", status="completed")],
            "expect": "error: TAS-1 is in progress; finish it first",
        },
        {"tool_calls": [call("task-update", id="TAS-2", status="in_progress")]},
        {"tool_calls": [call("session-complete")], "expect": "error: TAS-1 was started in this iteration"},
        {
            "tool_calls": [call("iteration-summary", summary="did a")],
            "expect": "error: not all tasks are done: TAS-2",
        },
        {"tool_calls": [call("iteration-summary", summary="again")]},
        {"text": "ok", "expect": "error: this iteration has its summary already"},
        more=("--iterations", "1"),
    )
    assert (done.returncode, done.stdout) == (0, "ok\n")


def test_a_resumed_session_goes_on_counting(program: Program) -> None:
    """And runs session_start again; the default prompt shows tasks and summaries."""
    hooks(program, session_start=["echo start"])
    turns = (
        {
            "tool_calls": [
                call("task-add", tasks=[{"content": "a"}]),
                call("iteration-summary", summary="did"),
            ]
        },
        {"text": "ok"},
    )
    iterate(program, *turns, more=("--iterations", "1"))
    program.write("spec.md", "Build it with {{tasks}}")
    program.write("next.yml", yaml.safe_dump({"turns": [{"text": "ok"}]}))
    done = program(
        "iterate", "--name", "s", "--iterations", "1", "--model", "scripted:next.yml", "--spec", "spec.md",
        "--record", "record.jsonl",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [hook_text, prompt] = prompts(program)[1]
    assert hook_text == "start\n"
    assert "iteration 2 of session s" in prompt
    assert "Build it with {{tasks}}" in prompt
    assert ("TAS-1 [remaining] P2 a" in prompt, "- iteration 1: did" in prompt) == (True, True)


def test_the_stream_tells_rounds_and_hooks(program: Program) -> None:
    hooks(program, pre_iteration=["echo pre"])
    done = iterate(program, {"text": "ok"}, more=("--iterations", "1", "--json"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["type"] for line in lines] == [
        "session.started",
        "iteration.started",
        "hook.started",
        "hook.finished",
        "message",
        "message",
        "iteration.finished",
        "session.ended",
    ]
    assert (stem(lines[3]["id"]), lines[3]["status"]) == ("iteratr:pre_iteration", "ran")


def test_headless_prints_one_line_for_each_hook(program: Program) -> None:
    hooks(program, pre_iteration=["echo pre", "echo no >&2; exit 3"])
    done = iterate(program, {"text": "ok"}, more=("--iterations", "1"))
    shown = [line for line in done.stderr.splitlines() if "pre_iteration" in line]
    assert [line.split("(")[0] for line in shown[:2]] == [
        "  ✓ pre_iteration: echo pre ",
        "  ✗ pre_iteration: echo no >&2; exit 3 ",
    ]
    assert shown[2:] == ["  ✗ pre_iteration: echo no >&2; exit 3 — no"]  # in the summary, once more


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_session_with_its_hooks(
    program: Program, number: signal.Signals, code: int
) -> None:
    """The hook under way is stopped, nothing more is sent, session_end runs once."""
    hooks(
        program, pre_iteration=["touch running; sleep 3600", "touch second"], session_end=["echo e >> ended"]
    )
    program.write("turns.yml", yaml.safe_dump({"turns": []}))
    process = begin(program)
    wait_for(program.workspace / "running")
    process.send_signal(number)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == code
    assert (program.workspace / "ended").read_text() == "e\n"
    assert not (program.workspace / "second").exists()
    assert prompts(program) == []


def test_a_second_signal_quits_at_once(program: Program) -> None:
    hooks(program, pre_iteration=["touch running; sleep 60"], session_end=["touch ending; sleep 60; touch e"])
    program.write("turns.yml", yaml.safe_dump({"turns": []}))
    process = begin(program)
    wait_for(program.workspace / "running")
    process.send_signal(signal.SIGINT)
    wait_for(program.workspace / "ending")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, b"session_end hooks did not finish" in err) == (130, True)
    assert not (program.workspace / "e").exists()


def test_two_runs_of_one_session_do_not_meet(program: Program) -> None:
    hooks(program, pre_iteration=["touch running; sleep 60"])
    program.write("turns.yml", yaml.safe_dump({"turns": []}))
    process = begin(program)
    wait_for(program.workspace / "running")
    second = iterate(program, {"text": "ok"}, more=("--iterations", "1"))
    process.terminate()  # which takes its hook along
    process.communicate()
    assert (second.returncode, "is still locked by process" in second.stderr) == (1, True)


def test_sessions_in_one_folder_hear_only_their_own(program: Program) -> None:
    """Two processes at once, each completion has its hooks once and in its own session."""
    assert completed_at_once(program) == [f"{name} t{n}" for name in "ab" for n in range(4)]


def test_sessions_on_one_bus_hear_only_their_own(program: Program, tmp_path: Path) -> None:
    """Two processes that share nothing but a NATS server, and a third that looks on."""
    with nats_server(tmp_path / "jetstream") as server:
        bus = ("--bus", server.url)
        assert completed_at_once(program, *bus) == [f"{name} t{n}" for name in "ab" for n in range(4)]
        listed = program("task", "list", "--name", "b", *bus)
    assert listed.stdout.splitlines() == [f"TAS-{n + 1} [completed] P2 t{n}" for n in range(4)]


def completed_at_once(program: Program, *more: str) -> list[str]:
    """What the task hooks of two sessions wrote that complete four tasks each."""
    hooks(program, on_task_complete=["echo {{session}} {{task_content}} >> seen"])
    turns = [
        {"tool_calls": [call("task-add", tasks=[{"content": f"t{n}", "status": "completed"}])]}
        for n in range(4)
    ]
    program.write("turns.yml", yaml.safe_dump({"turns": [*turns, {"text": "ok"}]}))
    processes = [begin(program, name, *more) for name in ("a", "b")]
    for process in processes:
        assert (process.communicate(timeout=DEADLINE_S)[1].count(b"error"), process.returncode) == (0, 0)
    return sorted((program.workspace / "seen").read_text().splitlines())


def begin(program: Program, name: str = "s", *more: str) -> subprocess.Popen[bytes]:
    arguments = ("--name", name, "--model", "scripted:turns.yml", "--iterations", "1", *more)
    return program.start("iterate", *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
