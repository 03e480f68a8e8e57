"""`hookline entrypoint` as a real process: session hooks in order, then the parent of a command."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S, until, wait_until_gone, written

IS_ROOT = os.geteuid() == 0
ME = pwd.getpwuid(os.geteuid()).pw_name


def hook(program: Program, name: str, *fields: str, body: str = "exit 0") -> None:
    front = "\n".join(f"# {field}" for field in ("type: session", *fields))
    program.write(f".discobot/hooks/{name}", f"#!/bin/sh\n#---\n{front}\n#---\n{body}\n", 0o755)


def enter(program: Program, *command: str, options: tuple[str, ...] = (), **environment: str) -> Any:
    user = () if "--user" in options else ("--user", ME)
    return program("entrypoint", *user, *options, "--", *command, environment=environment)


def status(program: Program, session: str = "default") -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder(program, session) / "status.json").read_text())
    return content


def folder(program: Program, session: str = "default") -> Path:
    return program.home / ".discobot" / session / "hooks"


def test_session_hooks_run_in_order_then_the_command(program: Program) -> None:
    """A failure is told, logged and followed by the next one."""
    hook(program, "b.sh", body='echo "b $DISCOBOT_SESSION_ID $DISCOBOT_HOOK_TYPE" >> order; exit 3')
    hook(program, "a.sh", "name: First", body='echo a >> order; echo "in $PWD"; echo oops >&2')
    hook(program, "c.sh", body='test "$DISCOBOT_WORKSPACE" = "$PWD" && echo c >> order')
    done = enter(program, "sh", "-c", "echo CMD >> order; exit 7", SESSION_ID="s1")
    assert done.returncode == 7, done.stderr
    assert (program.workspace / "order").read_text().splitlines() == ["a", "b s1 session", "c", "CMD"]
    assert f"[First] in {program.workspace}\n[First] oops\n" in done.stderr
    assert "session hook `b.sh` failed: exit code 3\n" in done.stderr
    assert "session hooks: 3 run, 1 failed\n" in done.stderr
    entry = status(program, "s1")["hooks"]["b"]
    assert (entry["type"], entry["lastResult"], entry["lastExitCode"]) == ("session", "failure", 3)
    log = folder(program, "s1") / "output/a.log"
    assert (log.read_text(), status(program, "s1")["hooks"]["a"]["outputPath"]) == (
        f"in {program.workspace}\noops\n", str(log),
    )  # fmt: skip


def test_a_restart_runs_them_again_and_counts_on(program: Program) -> None:
    hook(program, "a.sh")
    for _ in range(2):
        assert enter(program, "true").returncode == 0
    assert status(program)["hooks"]["a"]["runCount"] == 2


def test_no_session_hooks_leave_nothing_behind(program: Program) -> None:
    assert enter(program, "true").returncode == 0
    assert not (program.home / ".discobot").exists()


def test_a_hook_over_its_time_is_killed_and_the_next_one_runs(program: Program) -> None:
    """Exit code 124."""
    hook(program, "a.sh", "timeout: 300ms", body="sleep 60")
    hook(program, "b.sh", body="touch next")
    assert enter(program, "true").returncode == 0
    assert status(program)["hooks"]["a"]["lastExitCode"] == 124
    assert (program.workspace / "next").exists()


def test_an_untrusted_hook_is_named_and_not_run(program: Program) -> None:
    hook(program, "a.sh", body="touch ran")
    done = enter(program, "true", HOOKLINE_TRUST="")
    assert (done.returncode, "trust" in done.stderr) == (0, True)
    assert "0 run, 0 failed, 1 not run" in done.stderr
    assert not (program.workspace / "ran").exists()


def test_a_hook_the_start_waits_for_is_tried_until_it_succeeds(program: Program) -> None:
    """Attempts stand in the log, and count as one run."""
    hook(program, "a.sh", "blocking: true", body="echo try >> tries; test $(wc -l < tries) -ge 3")
    assert enter(program, "true").returncode == 0
    entry = status(program)["hooks"]["a"]
    assert (entry["runCount"], entry["lastResult"]) == (1, "success")
    log = (folder(program) / "output/a.log").read_text()
    assert [line for line in log.splitlines() if line] == [f"=== Attempt {n}/10 ===" for n in (1, 2, 3)]


def test_a_hook_beside_the_start_does_not_hold_it_up(program: Program) -> None:
    hook(program, "a.sh", "blocking: false", body="until test -e command; do sleep 0.05; done; touch beside")
    done = enter(program, "sh", "-c", "touch command; until test -e beside; do sleep 0.05; done")
    assert (done.returncode, (program.workspace / "beside").exists()) == (0, True)


def test_a_command_that_is_not_there_is_127_and_none_at_all_is_wrong_usage(program: Program) -> None:
    assert enter(program, "no-such-program-here").returncode == 127
    assert enter(program, "").returncode == 127
    assert program("entrypoint", "--user", ME).returncode == 64


@pytest.mark.parametrize("name", ["text", "folder"])
def test_a_command_that_is_there_and_cannot_be_started_is_126(program: Program, name: str) -> None:
    (program.workspace / "text").write_text("no program\n")
    (program.workspace / "folder").mkdir()
    assert enter(program, f"./{name}").returncode == 126


def test_a_command_ended_by_a_signal_is_128_and_more(program: Program) -> None:
    assert enter(program, "sh", "-c", "kill -9 $$").returncode == 137


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_reach_the_command(program: Program, number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    body = f"trap 'echo heard > heard; exit 5' {name}; touch up; while :; do sleep 0.05; done"
    process = start(program, "sh", "-c", body)
    until((program.workspace / "up").exists)
    process.send_signal(number)
    assert (process.wait(DEADLINE_S), (program.workspace / "heard").exists()) == (5, True)


def test_orphans_are_reaped(program: Program) -> None:
    """PID-1 duty: a grandchild whose parent is gone ends up with us, and leaves no zombie."""
    body = (
        "(sh -c 'echo $$ > orphan; exec sleep 0.2' &) ; touch up; while ! test -e done; do sleep 0.05; done"
    )
    process = start(program, "sh", "-c", body)
    orphan = program.workspace / "orphan"
    number = int(written(orphan))
    until(lambda: not Path(f"/proc/{number}").exists())
    (program.workspace / "done").touch()
    assert process.wait(DEADLINE_S) == 0


def test_a_signal_while_hooks_run_ends_them_and_us(program: Program) -> None:
    hook(program, "a.sh", body="echo $$ > pid; sleep 60")
    process = start(program, "touch", "started")
    number = int(written(program.workspace / "pid"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE_S) == 143
    wait_until_gone(number)
    assert (status(program)["hooks"]["a"]["lastResult"], (program.workspace / "started").exists()) == (
        "pending", False,
    )  # fmt: skip


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
def test_root_runs_hooks_as_the_user_and_hands_the_files_over(program: Program) -> None:
    for path in (program.home, program.workspace, *program.home.parents):
        if path != Path("/") and (path.stat().st_mode & 0o011) != 0o011:
            path.chmod(0o755)
    hook(program, "a.sh", body='echo "$(id -un) $HOME $USER"')
    hook(program, "b.sh", "run_as: root", body="id -un")
    assert enter(program, "true", options=("--user", "nobody")).returncode == 0
    account = pwd.getpwnam("nobody")
    log = folder(program) / "output/a.log"
    assert log.read_text() == f"nobody {account.pw_dir} nobody\n"
    assert (folder(program) / "output/b.log").read_text() == "root\n"
    for path in (folder(program), log, folder(program) / "status.json"):
        assert path.stat().st_uid == account.pw_uid


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
def test_a_user_who_does_not_exist_never_means_root(program: Program) -> None:
    hook(program, "a.sh", body="touch ran")
    done = enter(program, "true", options=("--user", "no-such-user"))
    assert "`no-such-user`" in done.stderr and "does not exist" in done.stderr
    assert not (program.workspace / "ran").exists()
    assert status(program)["hooks"]["a"]["lastResult"] == "failure"


@pytest.mark.skipif(IS_ROOT, reason="needs another user than root")
def test_without_root_hooks_run_as_whoever_we_are_but_never_those_for_root(program: Program) -> None:
    hook(program, "a.sh", body="id -un")
    hook(program, "b.sh", "run_as: root", body="touch ran")
    done = enter(program, "true")
    assert (folder(program) / "output/a.log").read_text() == f"{ME}\n"
    assert "wants to run as root" in done.stderr
    assert not (program.workspace / "ran").exists()


def start(program: Program, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "entrypoint", "--user", ME, "--", *command],
        cwd=program.workspace,
        env=program.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
