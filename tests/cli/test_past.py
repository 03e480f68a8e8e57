"""`hookline history`, `show`, `tail`, `stats`: what ran, asked from outside."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import sqlite3
import subprocess
import termios
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.program import PIPES, Program, stem
from tests.waiting import DEADLINE_S

from hookline.cli.main import main
from hookline.model.events import Event, EventKind, TurnEnd
from hookline.model.results import Decision, Verdict
from hookline.state.history import History

CONFIG = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}],
    }
}

HOOKS = "".join(f'[[hooks]]\nevent = "{event}"\nrun = "true"\n' for event in ("PreToolUse", "PreCommit"))
NAMES = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def fired(program: Program) -> Program:
    """One denied call and one stop are in the history."""
    program.write(".gen/settings.json", json.dumps(CONFIG))
    fire_both(program)
    return program


def fire_both(program: Program) -> None:
    program("fire", "PreToolUse", "--session", "one", stdin='{"tool_name": "Bash"}')
    program("fire", "Stop", "--session", "two")


def events(program: Program, *filters: str) -> list[str]:
    return [run["event"] for run in json.loads(program("history", "--json", *filters).stdout)]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], ["Stop", "PreToolUse"]),
        (["--session", "one"], ["PreToolUse"]),
        (["--event", "Stop"], ["Stop"]),
        (["--event", "gencode:Stop"], ["Stop"]),
        (["--hook", "gencode:Stop:"], ["Stop"]),
        (["--hook", "gencode:PreToolUse:", "--session", "one"], ["PreToolUse"]),
        (["--hook", "gencode:PreToolUse:", "--session", "two"], []),
        (["--failed"], []),
        (["--since", "1h"], ["Stop", "PreToolUse"]),
        (["--since", "2999-01-01"], []),
    ],
)
def test_decisions_are_filtered(fired: Program, filters: list[str], expected: list[str]) -> None:
    """For `history`, `stats` and `tail` alike; the last follows what is recorded after it began."""
    assert events(fired, *filters) == expected
    counted = json.loads(fired("stats", "--json", *filters).stdout)
    assert {each["id"].split(":")[1] for each in counted} == set(expected)
    if expected:
        count = str(2 * len(expected))
        tail = _start(fired, fired.workspace, "tail", "--last", "9", "--count", count, "--json", *filters)
        assert tail.stderr and tail.stderr.readline().startswith("waiting")
        fire_both(fired)
        lines = tail.communicate(timeout=DEADLINE_S)[0].splitlines()
        assert [json.loads(line)["event"] for line in lines] == [*reversed(expected)] * 2


def test_the_newest_can_be_asked_for_alone(fired: Program) -> None:
    assert events(fired, "--limit", "1") == ["Stop"]


def test_of_many_hooks_those_that_did_something_are_named_and_the_others_counted(program: Program) -> None:
    rules = "".join(f'[[hooks]]\nname = "h{n}"\nevent = "PreToolUse"\nrun = "true"\n' for n in range(6))
    rules += '[[hooks]]\nname = "last"\nevent = "PreToolUse"\nshell = "ls"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", rules)
    program("fire", "PreToolUse", stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert program("history").stdout.splitlines()[-1].endswith("deny     last denied, 6 ran")


def test_another_workspace_is_another_history_unless_all_is_asked_for(fired: Program) -> None:
    other = fired.workspace.parent / "other"
    other.mkdir()
    assert events(fired, "--workspace", str(other)) == []
    assert events(fired, "--workspace", str(other), "--all") == ["Stop", "PreToolUse"]


def test_show_has_the_output_and_the_reason(fired: Program) -> None:
    run = json.loads(fired("history", "--json", "--verdict", "deny").stdout)[0]
    shown = fired("show", run["run"])
    assert "PreToolUse: deny" in shown.stdout
    assert "stderr: no" in shown.stdout and ".gen/settings.json:1" in shown.stdout
    assert json.loads(fired("show", run["run"][-6:], "--json").stdout) == run
    assert fired("show", "nothing").returncode == 64


def test_rules_of_packs_that_are_not_met_are_counted_and_listed_when_asked(program: Program) -> None:
    rule = '[[hooks]]\nevent = "Stop"\nmessage = "bye"\n'
    program.write(".hookline/hooks.toml", f'use = ["git"]\n{rule}')
    program(
        "fire",
        "PreToolUse",
        stdin=json.dumps({"tool_name": "Bash", "tool_input": {"command": "git push -f"}}),
    )
    short, whole = program("show").stdout, program("show", "--unmet").stdout
    (unmet,) = re.findall(r"(\d+) rules are not met, of the pack git \(`--unmet`\)", short)
    assert short.count("pack git:") == 1
    assert (whole.count("pack git:"), "are not met" in whole) == (1 + int(unmet), False)
    told = "1 hook listens to other events (`--unmet`)"
    assert [(told in text, "listens to Stop" in text) for text in (short, whole)] == [
        (True, False), (False, True),
    ]  # fmt: skip


def test_a_history_that_was_changed_is_found_and_the_record_named(fired: Program) -> None:
    done = fired("history", "verify")
    assert (done.returncode, "2 records, 1 to 2: each is as it was written" in done.stdout) == (0, True)
    head = done.stdout.split()[-1]
    assert fired("history", "verify", "--expect", head).returncode == 0
    database = fired.home / ".local/state/hookline/history.db"
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET object = replace(object, '\"deny\"', '\"none\"') WHERE n = 1")
    done = fired("history", "verify", "--json")
    (fault,) = json.loads(done.stdout)["faults"]
    assert (done.returncode, fault["kind"], fault["first"]) == (1, "changed", 1)
    assert "changed record 1 (" in fired("history", "verify").stdout
    assert fired("history", "verify", "--expect", "2").returncode == 64


def told(path: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def overwritten(path: Path) -> None:
    sound = path.read_bytes()
    path.write_bytes(sound[:8192] + b"\xff" * 20_000 + sound[28_192:])


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def below_a_file(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("")


COPIED = (
    "INSERT INTO runs SELECT n + 1, 'other', at, session, event, workspace, verdict, failed, object, hooks, facts, "
    "zeroblob(32), digest FROM runs WHERE n = 2"
)
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "its end is cut off": (lambda path: os.truncate(path, path.stat().st_size // 3), "broken: `"),
    "its middle is overwritten": (overwritten, "broken: `"),
    "it is empty": (lambda path: path.write_bytes(b""), "broken: `"),
    "it is no database": (lambda path: path.write_text("hello" * 999), "broken: `"),
    "it is a folder": (a_folder, "broken: `"),
    "its folder is a file": (below_a_file, "broken: `"),
    "it was set aside": (lambda path: path.rename(f"{path}.corrupt-17"), "was set aside"),
    "a record of another one was added": (lambda path: told(path, COPIED), "changed record"),
}


def test_a_history_that_is_damaged_is_never_called_as_it_was(
    fired: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And is left where it is."""
    kept = ".local/state/hookline/history.db"
    told(fired.home / kept, "PRAGMA wal_checkpoint(TRUNCATE)")
    for number, (what, (damage, expected)) in enumerate(DAMAGES.items()):
        path = fired.home.parent / f"home{number}" / kept
        path.parent.mkdir(parents=True)
        path.write_bytes((fired.home / kept).read_bytes())
        damage(path)
        before = path.read_bytes() if path.is_file() else b""
        monkeypatch.setenv("HOME", str(fired.home.parent / f"home{number}"))
        for option in ((), ("--json",)):
            code = main(["history", "verify", *option])
            out, err = capsys.readouterr()
            assert (code, expected in out or option != (), "as it was" in out, err) == (1, True, False, ""), (
                what, out,
            )  # fmt: skip
        assert json.loads(out)["faults"], what
        assert (path.read_bytes() if path.is_file() else b"") == before, what


def test_a_clock_that_went_back_is_told_and_no_fault(
    fired: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(fired.home))
    with History(str(fired.home / ".local/state/hookline/history.db"), prune_one_in=0) as history:
        event = Event(EventKind.Stop, "s", "/w", TurnEnd(), "/w", at=time.time() - 86_400)
        history.record(event, Decision(EventKind.Stop, Verdict.NONE, ""))
    assert main(["history", "verify"]) == 0
    assert "the clock was set back before record 3\n" in capsys.readouterr().out


def test_stats_count_runs_and_denials(fired: Program) -> None:
    fired("fire", "Stop")
    found = {stem(each["id"]): each for each in json.loads(fired("stats", "--json").stdout)}
    assert (found["gencode:Stop"]["runs"], found["gencode:Stop"]["failures"]) == (2, 0)
    assert found["gencode:PreToolUse"]["denials"] == 1
    assert "gencode:Stop:" in fired("stats").stdout


def test_tail_follows_every_agent_and_every_commit_of_the_machine(fired: Program) -> None:
    """From a third place, while two agents and git decide at once in two workspaces."""
    program, env = fired, {**fired.environment, **NAMES}
    other, third = program.workspace.parent / "other", program.workspace.parent / "third"
    for folder in (other, third):
        folder.mkdir()
    git = ["git", "-C", str(other)]
    subprocess.run([*git, "init", "-q"], check=True, env=env)
    for folder in (program.workspace, other):
        (folder / ".hookline").mkdir()
        (folder / ".hookline/hooks.toml").write_text(HOOKS)
    assert program("install", "git", cwd=other).returncode == 0
    tails = [_start(program, third, "tail", "-f", "--count", "3", *more) for more in ((), ("--json",))]
    assert [process.stderr.readline()[:7] for process in tails if process.stderr] == ["waiting"] * 2
    calls = {"claude": (program.workspace, "PreToolUse"), "gemini": (other, "BeforeTool")}
    commit = subprocess.Popen([*git, "commit", "-q", "--allow-empty", "-m", "m"], env=env)
    bridges = [
        _start(program, where, "bridge", agent, "--event", name) for agent, (where, name) in calls.items()
    ]
    for (agent, (where, name)), process in zip(calls.items(), bridges, strict=True):
        payload = {"session_id": agent, "hook_event_name": name, "tool_name": "Bash", "cwd": str(where)}
        process.communicate(json.dumps({**payload, "tool_input": {"command": "ls"}}), timeout=DEADLINE_S)
    assert commit.wait(DEADLINE_S) == 0
    shown, objects = (process.communicate(timeout=DEADLINE_S)[0].splitlines() for process in tails)
    found = [json.loads(line) for line in objects]
    assert sorted(each["event"] for each in found) == ["PreCommit", "PreToolUse", "PreToolUse"]
    assert {each["session_id"] for each in found} >= {"claude", "gemini"}
    ends = sorted(line.rpartition("  ")[2] for line in shown)
    assert ends == sorted((f"({other})", f"(claude in {program.workspace})", f"(gemini in {other})"))


def _start(program: Program, cwd: Path, *words: str) -> subprocess.Popen[str]:
    return program.start(*words, cwd=cwd, text=True, **PIPES)


def test_tail_can_begin_with_the_last(fired: Program) -> None:
    done = fired("tail", "--last", "2", "--count", "2")
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["PreToolUse", "Stop"]


def test_without_any_history_the_answer_is_empty(program: Program) -> None:
    assert json.loads(program("history", "--json").stdout) == []
    assert json.loads(program("stats", "--json").stdout) == []


def guard(line: str, **more: object) -> str:
    hook = {"type": "command", "command": line, **more}
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})


def bash(program: Program, command: str) -> None:
    program("fire", "PreToolUse", stdin=json.dumps({"tool_name": "Bash", "tool_input": {"command": command}}))


def kept(program: Program, *filters: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(program("history", "--json", *filters).stdout)
    return found


@pytest.mark.parametrize(
    ("event", "payload", "asked"),
    [
        (
            "PreToolUse",
            {"tool_name": "Bash", "tool_input": {"command": "# all\n\nrm -rf\tbuild\n"}},
            ("Bash", "# all⏎⏎rm -rf build"),
        ),
        ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "src/a.ts"}}, ("Edit", "src/a.ts")),
        ("PreToolUse", {"tool_name": "mcp__x__y", "tool_input": {"n": 1}}, ("mcp__x__y", '{"n":1}')),
        ("UserPromptSubmit", {"prompt": "mend it"}, (None, "mend it")),
        ("SessionStart", {"source": "resume"}, (None, "resume")),
        ("FilesChanged", {"files": ["a"], "deleted_files": ["b"]}, (None, "a, b (deleted)")),
        ("Stop", {}, (None, "")),
    ],
)
def test_what_was_asked_is_kept(
    program: Program, event: str, payload: object, asked: tuple[str, str]
) -> None:
    program("fire", event, stdin=json.dumps(payload))
    (run,) = kept(program)
    assert run["asked"] == {"tool": asked[0], "summary": asked[1]}
    assert asked[1] in program("history").stdout and asked[1] in program("show").stdout


def test_what_was_asked_is_shortened_and_holds_no_secret(program: Program) -> None:
    program.environment["DEPLOY_TOKEN"] = "value-of-the-variable"
    secrets = ["value-of-the-variable", "sk-" + "a" * 40, "hunter2", "open sesame", "Zm9vOmJhcg"]
    bash(
        program,
        f"deploy {secrets[0]} {secrets[1]} --password {secrets[2]} && PGPASSWORD='{secrets[3]}' psql; "
        f"curl -H 'Authorization: Basic {secrets[4]}' http://x " + "tail " * 100,
    )
    (run,) = kept(program)
    summary = run["asked"]["summary"]
    assert summary.startswith("deploy [redacted:DEPLOY_TOKEN] [redacted] --password [redacted] &&")
    assert (len(summary), summary[-1]) == (200, "…")
    state = b"".join(
        path.read_bytes() for path in (program.home / ".local/state").rglob("*") if path.is_file()
    )
    assert [secret for secret in secrets if secret.encode() in state] == []


def test_the_words_of_a_prompt_that_only_speak_of_secrets_stay(program: Program) -> None:
    prompt = "write the token parser, git log --author token, echo $TOKEN --token=$T"
    program("fire", "UserPromptSubmit", stdin=json.dumps({"prompt": prompt}))
    assert kept(program)[0]["asked"]["summary"] == prompt


@pytest.mark.parametrize(
    ("line", "fate", "failed"),
    [
        ("true", "✓ ran", False),
        ("echo no >&2; exit 2", "⊘ denied (exit 2)", False),
        ("exit 3", "✗ failed (exit 3)", True),
        ("no-such-program", "✗ failed (exit 127)", True),
        ("kill -9 $$", "✗ killed (signal 9)", True),
        ("sleep 60", "⏱ timed out", True),
    ],
)
def test_a_denial_a_failure_a_kill_and_a_time_out_are_told_apart(
    program: Program, line: str, fate: str, failed: bool
) -> None:
    program.write(".claude/settings.json", guard(line, timeout=1 if "sleep" in line else 30))
    bash(program, "ls")
    mark, _, words = fate.partition(" ")
    for shown in (program("show").stdout, program("show", "--all").stdout):
        (told,) = [row for row in shown.splitlines() if f"{mark} claude:PreToolUse:" in row]
        assert told.strip().startswith(mark) and words in told and "None" not in shown
    assert words.partition(" (")[0] in program("history").stdout
    assert len(kept(program, "--failed")) == failed
    (stats,) = json.loads(program("stats", "--json").stdout)
    assert [stats[name] for name in ("failures", "killed", "timeouts", "denials")] == [
        failed, "killed" in fate, "timed out" in fate, "denied" in fate,
    ]  # fmt: skip


def test_a_guard_that_blocks_because_it_failed_has_failed(program: Program) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nrun = "exit 3"\n')
    bash(program, "ls")
    assert [run["verdict"] for run in kept(program, "--failed")] == ["deny"]
    assert "failed (exit 3)" in program("show").stdout


def test_what_a_hook_says_after_the_tool_is_an_objection_and_no_failure(program: Program) -> None:
    hook = [{"hooks": [{"type": "command", "command": "echo style >&2; exit 2"}]}]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": hook}}))
    program("fire", "PostToolUse", stdin='{"tool_name": "Edit"}')
    assert kept(program, "--failed") == [] and "objected" in program("show").stdout


def test_show_takes_the_last_run_and_a_hook(fired: Program) -> None:
    assert fired("show", "last").stdout.startswith("Stop: none")
    assert fired("show", "--json").stdout == fired("show", "last", "--json").stdout
    assert fired("show", "gencode:PreToolUse:").stdout.startswith("PreToolUse: deny")
    other = fired.workspace.parent / "other"
    other.mkdir()
    nothing = fired("show", "last", "--workspace", str(other))
    assert (nothing.returncode, "nothing has run here" in nothing.stderr) == (64, True)
    assert fired("show", "last", "--all", "--workspace", str(other)).returncode == 0


def test_a_history_that_cannot_be_read_is_not_called_empty(program: Program) -> None:
    (program.home / ".local/state/hookline/history.db").mkdir(parents=True)
    lost = program("show", "last")
    assert (lost.returncode, "nobody can tell what ran" in lost.stderr) == (1, True)


def test_stats_are_of_this_workspace_unless_all_is_asked_for(fired: Program) -> None:
    other = fired.workspace.parent / "other"
    other.mkdir()
    assert json.loads(fired("stats", "--json", "--workspace", str(other)).stdout) == []
    assert len(json.loads(fired("stats", "--json", "--all", "--workspace", str(other)).stdout)) == 2


def test_rows_of_older_versions_count_too(fired: Program) -> None:
    """They have no fate, and what was asked is not known of them."""
    database = sqlite3.connect(fired.home / ".local/state/hookline/history.db")
    for number, text, hooks in database.execute("SELECT n, object, hooks FROM runs").fetchall():
        shown = json.loads(text)
        del shown["asked"]
        rows = [row[:8] for row in json.loads(hooks)]
        for row in rows:
            row[6] = int(row[4] == "deny")  # a denial was a failure
        database.execute(
            "UPDATE runs SET object = ?, hooks = ? WHERE n = ?", (json.dumps(shown), json.dumps(rows), number)
        )
    database.commit()
    database.close()
    found = {stem(each["id"]): each for each in json.loads(fired("stats", "--json").stdout)}
    assert [found["gencode:PreToolUse"][name] for name in ("runs", "denials", "failures")] == [1, 1, 0]
    assert fired("history").returncode == 0 and fired("show").returncode == 0


@pytest.mark.parametrize("since", ["today", "yesterday", "monday", "2 hours ago", "1d12h", "90 minutes"])
def test_since_takes_the_words_of_people(fired: Program, since: str) -> None:
    assert events(fired, "--since", since) == ["Stop", "PreToolUse"]


def test_times_are_local_and_relative(fired: Program) -> None:
    fired.environment["TZ"] = "Asia/Tokyo"
    at = datetime.fromisoformat(kept(fired)[0]["at"]).astimezone(timezone(timedelta(hours=9)))
    assert f"{at:%Y-%m-%d %H:%M:%S}" in fired("show").stdout
    assert re.search(r"just now|\d+ s ago|1 min ago", fired("show").stdout)
    assert re.search(r"just now|\d+ s ago|1 min ago", fired("history").stdout)
    assert f"{at:%H:%M:%S}" in fired("tail", "-n", "1", "--count", "1").stdout


def test_what_a_clock_that_was_ahead_wrote_is_told_as_ahead(fired: Program) -> None:
    ahead = datetime.now(UTC) + timedelta(hours=3, minutes=1)
    with contextlib.closing(sqlite3.connect(fired.home / ".local/state/hookline/history.db")) as database:
        moved = "UPDATE runs SET at = ?, object = json_set(object, '$.at', ?)"
        database.execute(moved, (ahead.timestamp(), ahead.isoformat()))
        database.commit()
    fired.environment["TZ"] = "UTC"
    assert "(3 hours ahead of the clock)" in fired("show").stdout
    assert "just now" not in fired("history").stdout and f"{ahead:%H:%M}" in fired("history").stdout


def test_a_time_of_another_year_names_it(fired: Program) -> None:
    with contextlib.closing(sqlite3.connect(fired.home / ".local/state/hookline/history.db")) as database:
        database.execute("UPDATE runs SET at = 0, object = json_set(object, '$.at', '2019-03-04T05:06:07Z')")
        database.commit()
    fired.environment["TZ"] = "UTC"
    assert "2019-03-04T05:06" in fired("history").stdout


def test_filters_by_tool_and_verdict(fired: Program) -> None:
    assert events(fired, "--tool", "Bash") == events(fired, "--verdict", "deny") == ["PreToolUse"]
    assert events(fired, "--tool", "Edit") == []


@pytest.mark.parametrize("command", ["history", "stats"])
def test_a_broken_state_folder_is_said(program: Program, command: str) -> None:
    (program.home / ".local").mkdir()
    (program.home / ".local/state").write_text("no folder\n")
    done = program(command)
    assert done.returncode == 1
    assert "history.db` cannot be used" in done.stderr and ".local/state` is no folder" in done.stderr


@pytest.mark.parametrize("columns", [80, 40, 20])
def test_tables_fit_the_terminal(program: Program, columns: int) -> None:
    named = '[[hooks]]\nname = "a guard with quite a long name %d"\nevent = "PreToolUse"\nrun = "true"\n'
    program.write(".hookline/hooks.toml", "".join(named % n for n in range(3)))
    bash(program, "echo " + "a long command line " * 20)
    for command in ("history", "stats", "list"):
        shown = on_terminal(program, columns, command)
        assert max(map(len, shown)) <= columns, command
        assert "a guard" in "".join(shown)


def on_terminal(program: Program, columns: int, *arguments: str) -> list[str]:
    """The lines that a command prints on a terminal that wide, without colours."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    process = program.start(*arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while chunk := os.read(ours, 65536):
            text += chunk
    os.close(ours)
    assert process.wait(DEADLINE_S) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()
