"""`hookline task` and `hookline note` through the program."""

from __future__ import annotations

import json
import sqlite3
import subprocess

import pytest
from tests.program import Program


def task(program: Program, *arguments: str) -> str:
    done = program("task", *arguments, "--name", "s")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_task_is_added_changed_and_listed(program: Program) -> None:
    """Priority 0 counts, and cancelled tasks stay in the list."""
    assert task(program, "add", "--content", "parse", "--priority", "0") == "TAS-1"
    assert task(program, "add", "--content", "print") == "TAS-2"
    task(program, "depends", "--id", "TAS-2", "--depends-on", "TAS-1")
    task(program, "status", "--id", "TAS-1", "--status", "cancelled")
    assert task(program, "list").splitlines() == [
        "TAS-1 [cancelled] P0 parse",
        "TAS-2 [remaining] P2 print (after TAS-1)",
    ]
    listed = json.loads(task(program, "list", "--json"))
    assert [(each["id"], each["status"], each["priority"], each["depends_on"]) for each in listed] == [
        ("TAS-1", "cancelled", 0, []),
        ("TAS-2", "remaining", 2, ["TAS-1"]),
    ]


def test_next_is_the_most_urgent_task_whose_dependencies_are_completed(program: Program) -> None:
    for content, priority in (("a", "3"), ("b", "1"), ("c", "1"), ("d", "0")):
        task(program, "add", "--content", content, "--priority", priority)
    task(program, "depends", "--id", "TAS-4", "--depends-on", "TAS-1")
    assert task(program, "next") == "TAS-2 [remaining] P1 b"
    task(program, "status", "--id", "TAS-1", "--status", "completed")
    assert task(program, "next") == "TAS-4 [remaining] P0 d (after TAS-1)"


def test_nothing_ready_says_so(program: Program) -> None:
    assert task(program, "next") == "No ready tasks"
    assert task(program, "next", "--json") == "null"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "--content", "  PARSE "), "TAS-1 says the same already"),
        (("status", "--id", "TAS-9", "--status", "completed"), "no task `TAS-9`"),
        (("depends", "--id", "TAS-1", "--depends-on", "TAS-1"), "cannot depend on itself"),
        (("depends", "--id", "TAS-1", "--depends-on", "TAS-2"), "TAS-2 already waits for TAS-1"),
        (("status", "--id", "TAS", "--status", "completed"), "`TAS` could be TAS-1, TAS-2"),
        (("status", "--id", "TA", "--status", "completed"), "no task `TA`"),
    ],
)
def test_what_breaks_a_rule_is_refused(program: Program, arguments: tuple[str, ...], words: str) -> None:
    task(program, "add", "--content", "parse")
    task(program, "add", "--content", "print")
    task(program, "depends", "--id", "TAS-2", "--depends-on", "TAS-1")
    done = program("task", *arguments, "--name", "s")
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr


def test_wrong_usage_is_no_refusal(program: Program) -> None:
    assert program("task", "status", "--id", "TAS-1").returncode == 64
    assert program("task", "list", "--content", "x").returncode == 64
    assert program("task", "list", "--name", "a.b").returncode == 64
    for words in (("add", "--content", "x", "--priority", "5"), ("priority", "--id", "TAS-1", "--priority", "high"),
                  ("add", "--content", " ")):  # fmt: skip
        done = program("task", *words)
        assert (done.returncode, words[-2] in done.stderr) == (64, True), done.stderr


def test_options_may_stand_before_the_action(program: Program) -> None:
    assert program("task", "--name", "list", "add", "--content", "parse").stdout == "TAS-1\n"
    assert program("task", "--json", "next", "--name=list").stdout.startswith('{"id": "TAS-1"')
    assert "no subcommand `nope`" in program("task", "nope", "list").stderr


def test_the_only_session_needs_no_name(program: Program) -> None:
    task(program, "add", "--content", "parse")
    assert program("task", "list").stdout == "TAS-1 [remaining] P2 parse\n"
    program("task", "add", "--content", "other", "--name", "t")
    done = program("task", "list")
    assert (done.returncode, "there are several sessions: s, t" in done.stderr) == (64, True)


def test_notes_have_types(program: Program) -> None:
    assert program("note", "add", "--content", "needs Redis", "--type", "tip").stdout == "NOT-1\n"
    program("note", "add", "--content", "stuck here", "--type", "stuck")
    assert program("note", "list", "--type", "tip").stdout == "NOT-1 [tip] needs Redis\n"
    assert [note["id"] for note in json.loads(program("note", "list", "--json").stdout)] == ["NOT-1", "NOT-2"]
    assert program("note", "add", "--content", "x", "--type", "idea").returncode == 64
    assert "could be NOT-1, NOT-2" in program("note", "delete", "--id", "not").stderr
    program("note", "delete", "--id", "NOT-1")
    assert program("note", "delete", "--id", "not").stdout == "Deleted NOT-2\n"


def test_ids_stay_unique_when_many_add_at_once(program: Program) -> None:
    """Upstream counts in each client, so two clients give the same id."""
    command = ("task", "add", "--name", "s", "--content")
    adding = [program.start(*command, f"task {n}", stdout=subprocess.PIPE) for n in range(6)]
    ids = sorted(process.communicate()[0].decode().strip() for process in adding)
    assert ids == [f"TAS-{n}" for n in range(1, 7)]


def test_two_that_add_the_same_at_once_leave_one_task(program: Program) -> None:
    command = ("task", "add", "--name", "s", "--content", "same")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    adding = [program.start(*command, **pipes) for _ in range(3)]
    for process in adding:
        process.communicate()
    assert sorted(process.returncode for process in adding) == [0, 1, 1]
    assert task(program, "list") == "TAS-1 [remaining] P2 same"


def test_a_malformed_event_is_passed_over(program: Program) -> None:
    """What is no event, or names an unknown task, changes nothing."""
    task(program, "add", "--content", "parse")
    with sqlite3.connect(program.workspace / ".iteratr/events.db") as database:
        for event in (
            '{"id": "x", "type": "task", "action": "status", "data": {"id": "TAS-7", "status": "completed"}}',
            '{"id": "y", "type": "task"}',
            '{"type": "task", "action": "status", "data": 5}',
            "[]",
        ):
            database.execute(
                "INSERT INTO events (subject, at, event) VALUES ('iteratr.s.task', 0, ?)", (event,)
            )
    database.close()
    done = program("task", "list", "--name", "s")
    assert (done.stdout, "event 5 is no JSON object" in done.stderr) == ("TAS-1 [remaining] P2 parse\n", True)


def test_the_log_stays_out_of_git(program: Program) -> None:
    task(program, "add", "--content", "parse")
    found = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=program.workspace, capture_output=True, check=True
    )
    assert found.stdout == b""
