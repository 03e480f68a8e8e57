"""Every hostile hook ends in a result: in time, in bounds, with nothing left running."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.limits import said
from tests.waiting import DEADLINE_S, wait_until_gone, written
from tests.zoo import zoo

from hookline.system.loops.loop import cancellations, current_loop, gather, run, run_asyncio, sleep
from hookline.system.processes import descendants, running, spawn
from hookline.system.processes import tags as brands
from hookline.system.processes.process import ProcessRequest, ProcessResult, Stop, run_process

Run = Callable[[Coroutine[Any, Any, Any]], Any]
SOON = DEADLINE_S  # "well before the hour the child sleeps", also on a slow machine
MARK = "[... {} bytes omitted ...]"


@pytest.fixture(params=[run, run_asyncio], ids=["poll", "asyncio"])
def drive(request: pytest.FixtureRequest) -> Run:
    return request.param


@pytest.fixture(autouse=True)
def time_to_die(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a KILL may take long to show."""
    monkeypatch.setattr(running, "_DEATH_S", SOON)


@pytest.fixture
def hooks(tmp_path: Path) -> dict[str, Path]:
    return zoo(tmp_path / "zoo", python=sys.executable)


def ask(*argv: str | Path, cwd: str | Path = "/", **more: Any) -> ProcessRequest:
    env = more.pop("env", {"PATH": "/usr/bin:/bin"})
    return ProcessRequest(argv=tuple(map(str, argv)), cwd=str(cwd), env=env, **more)


def shell(script: str, **more: Any) -> ProcessRequest:
    return ask("sh", "-c", script, **more)


def stopped_when_it_speaks(*argv: str | Path, **more: Any) -> ProcessRequest:
    stop = Stop()
    return ask(*argv, stop=stop, on_output=lambda *_: stop.request(), **more)


def pids_in(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdigit()]


def open_descriptors() -> int:
    gc.collect()  # what earlier tests left to it
    return len(list(Path("/proc/self/fd").iterdir()))


def gone(pid: int) -> bool:
    wait_until_gone(pid)
    return True


# What comes out


def test_output_exit_code_and_sizes_are_reported(drive: Run) -> None:
    result = drive(run_process(shell("cat; echo err >&2; exit 3", stdin=b"payload")))
    assert (result.exit_code, result.signal, result.status_code) == (3, None, 3)
    assert (result.stdout.text, result.stdout.size, result.stdout.truncated) == ("payload", 7, False)
    assert (result.stderr.text, result.stdin_unread) == ("err\n", False)
    assert (result.timed_out, result.cancelled, result.launch_error) == (False, False, None)
    assert (result.killed_after_exit, result.survivors, result.notices) == ((), (), ())


def test_a_signal_is_told_apart_from_an_exit_code(drive: Run) -> None:
    result = drive(run_process(shell("kill -KILL $$")))
    assert (result.exit_code, result.signal, result.status_code) == (None, 9, 137)


def test_a_hook_without_payload_reads_end_of_file_at_once(drive: Run) -> None:
    assert drive(run_process(shell("cat; readlink /proc/self/fd/0"))).stdout.text == "/dev/null\n"


def test_a_hook_has_its_own_session_and_no_terminal(drive: Run) -> None:
    script = "import os; print(os.getsid(0) == os.getpid() == os.getpgrp())"
    assert drive(run_process(ask(sys.executable, "-c", script))).stdout.text == "True\n"


def test_a_hook_inherits_no_descriptor_of_ours(drive: Run) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        result = drive(run_process(shell("ls /proc/self/fd", stdin=b"x")))
    finally:
        os.close(reading)
        os.close(writing)
    assert result.stdout.text.split() == ["0", "1", "2", "3"]  # 3 is ls's own


def test_sixteen_mebibytes_pass_through_in_both_directions(drive: Run) -> None:
    payload = os.urandom(1 << 20) * 16
    result = drive(run_process(ask("cat", stdin=payload, head_limit=len(payload))))
    assert result.stdout.kept == payload
    assert (result.exit_code, result.stdin_unread, result.stdout.truncated) == (0, False, False)


def test_a_gigabyte_of_output_keeps_head_tail_and_true_size_in_bounded_memory(drive: Run) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = drive(run_process(shell("echo first; head -c 1000000000 /dev/zero; echo last")))
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.stdout.size == 1_000_000_011
    assert result.stdout.text.startswith("first\n") and result.stdout.text.endswith("\0last\n")
    assert MARK.format(1_000_000_011 - 2 * 65_536) in result.stdout.text
    assert result.stdout.truncated and grown_kib < 64 * 1024


@pytest.mark.parametrize("limit", range(6, 12))
def test_truncation_cuts_between_characters(drive: Run, limit: int) -> None:
    request = shell("printf 'aäöüß€𝄞aäöüß€𝄞aäöüß€𝄞'", head_limit=limit, tail_limit=limit)
    captured = drive(run_process(request)).stdout
    head, _, tail = captured.text.partition("\n[...")
    assert "aäöüß€𝄞".startswith(head[:7]) and captured.text.endswith(tail[-2:])
    assert "\ufffd" not in captured.text and not captured.invalid_utf8
    assert MARK.format(captured.size - len(captured.kept)) in captured.text


def test_bytes_that_are_not_utf8_are_replaced_and_flagged(drive: Run, hooks: dict[str, Path]) -> None:
    captured = drive(run_process(ask(hooks["binary-output"]))).stdout
    assert (captured.size, captured.invalid_utf8) == (256, True)
    assert captured.kept == bytes(range(256))
    assert captured.text.startswith("\0\1") and captured.text.endswith("\ufffd")


def test_a_character_split_over_two_writes_stays_whole(drive: Run, hooks: dict[str, Path]) -> None:
    captured = drive(run_process(ask(hooks["half-utf8"]))).stdout
    assert (captured.text, captured.invalid_utf8) == ("ß", False)


def test_merged_output_keeps_the_order_in_which_it_was_written(drive: Run) -> None:
    result = drive(run_process(shell("echo 1; echo 2 >&2; echo 3", merge_output=True)))
    assert (result.stdout.text, result.stderr.text) == ("1\n2\n3\n", "")


def test_live_output_is_passed_on_while_the_hook_runs(drive: Run) -> None:
    seen: list[tuple[str, bytes]] = []
    result = drive(run_process(shell("echo out; echo err >&2", on_output=lambda *got: seen.append(got))))
    assert sorted(seen) == [("stderr", b"err\n"), ("stdout", b"out\n")]
    assert result.stdout.text == "out\n"


def test_a_listener_that_fails_ends_only_the_live_output(drive: Run) -> None:
    def listen(_: str, __: bytes) -> None:
        raise LookupError("listener")

    result = drive(run_process(shell("echo out", on_output=listen)))
    assert (result.exit_code, result.stdout.text) == (0, "out\n")
    assert result.notices == ("live output ended: LookupError: listener",)


def test_the_full_output_goes_to_a_private_file(drive: Run, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out.log"
    request = shell("head -c 300000 /dev/zero; echo end >&2", spill_path=str(path))
    result = drive(run_process(request))
    assert (result.spill_path, result.spill_truncated) == (str(path), False)
    assert path.read_bytes().replace(b"end\n", b"") == bytes(300_000)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_is_capped_with_a_visible_mark(drive: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    result = drive(run_process(shell("printf 'ääääää'; echo end", spill_path=str(path), spill_limit=5)))
    assert path.read_text() == "ää\n[... 8 bytes omitted ...]\nend\n"
    assert result.spill_truncated and result.stdout.text == "ääääääend\n"


def test_a_capped_file_ends_with_what_was_printed_last(drive: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    script = "yes a-line-of-noise | head -c 3000000; echo; sleep 0.1; echo 'error: the last word'"
    drive(run_process(shell(script, spill_path=str(path), spill_limit=100_000)))
    kept = path.read_text()
    head, _, tail = kept.partition("\n[... ")
    assert head.startswith("a-line-of-noise\n") and tail.endswith("\nerror: the last word\n")
    omitted = int(tail.partition(" bytes omitted ...]")[0])
    mark, last = f"\n[... {omitted} bytes omitted ...]\n", "\nerror: the last word\n"
    assert len(kept) - len(mark) + omitted == 3_000_000 + len(last)


def test_output_that_just_fits_is_whole(drive: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    result = drive(run_process(shell("printf 'ääääää'", spill_path=str(path), spill_limit=7)))
    assert (path.read_text(), result.spill_truncated) == ("ääääää", False)


def test_a_file_that_cannot_be_written_is_a_notice(drive: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = drive(run_process(shell("echo out", spill_path=str(tmp_path / "file" / "out.log"))))
    assert (result.exit_code, result.stdout.text, result.spill_path) == (0, "out\n", None)
    assert "could not be written" in result.notices[0]


# Input and environment


@pytest.mark.parametrize("name", ["never-reads-stdin", "closes-stdin"])
@pytest.mark.parametrize("size", [10, 8 << 20])
def test_input_left_unread_is_recorded_and_harmless(
    drive: Run, hooks: dict[str, Path], name: str, size: int
) -> None:
    result = drive(run_process(ask(hooks[name], stdin=b"x" * size)))
    assert (result.exit_code, result.stdin_unread, result.notices) == (0, True, ())


def test_writing_much_before_reading_does_not_deadlock(drive: Run, hooks: dict[str, Path]) -> None:
    result = drive(run_process(ask(hooks["write-before-read"], stdin=b"x" * 3_000_000, timeout_s=SOON)))
    assert (result.exit_code, result.stdout.size, result.stderr.text) == (0, 1 << 20, "3000000\n")


def test_environment_values_no_kernel_takes_are_mended_and_told(drive: Run) -> None:
    env = {
        "PATH": "/usr/bin:/bin", "NUL": "a\0b", "LONE": "x\ud800y", "RAW": "\udcff", "BIG": "ä" * 100_000,
        "": "nameless", "A=B": "odd",
    }  # fmt: skip
    result = drive(run_process(shell("printf '%s|%s|%s|%s' $NUL $LONE $RAW ${#BIG}", env=env)))
    assert result.stdout.kept == b"ab|x\\ud800y|\xff|" + b"131066"
    assert result.notices == (
        "NUL characters were taken out of `NUL`",
        "`BIG` was cut from 200004 to 131071 bytes, the system's limit",
        "the variable '' was left out: that is no name",
        "the variable 'A=B' was left out: that is no name",
    )


def test_only_the_given_environment_and_the_run_id_reach_the_hook(drive: Run) -> None:
    result = drive(run_process(ask("/usr/bin/env", env={"A": "1"})))
    lines = sorted(result.stdout.text.split())
    assert lines[0] == "A=1" and lines[1].startswith("HOOKLINE_RUN_ID=") and len(lines) == 2


def test_a_run_inside_a_run_carries_both_ids(drive: Run) -> None:
    result = drive(run_process(ask("/usr/bin/env", env={"HOOKLINE_RUN_ID": "outer"})))
    assert result.stdout.text.startswith("HOOKLINE_RUN_ID=outer.")


# Launch failures


@pytest.mark.parametrize(
    ("name", "fault", "code", "words"),
    [
        ("noexec", "not-executable", 126, "chmod"),
        ("noshebang", "no-shebang", 126, "#!"),
        ("empty", "empty", 126, "empty"),
        ("bom", "bom", 126, "byte order mark"),
        ("crlf", "crlf-shebang", 127, "carriage return"),
        ("missing-interpreter", "no-interpreter", 127, "/no/such/interpreter"),
    ],
)
def test_a_file_that_cannot_start_is_diagnosed(
    drive: Run, hooks: dict[str, Path], name: str, fault: str, code: int, words: str
) -> None:
    result = drive(run_process(ask(hooks[name], stdin=b"x" * 100_000)))
    assert (result.launch_fault, result.launch_code, result.status_code) == (fault, code, code)
    assert words in result.launch_error and str(hooks[name]) in result.launch_error
    assert (result.exit_code, result.signal) == (None, None)


def test_a_file_still_being_written_is_tried_again_and_then_named(
    drive: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "hook"
    shutil.copy("/bin/true", program)
    with program.open("ab") as writer:
        busy = drive(run_process(ask(program)))
        monkeypatch.setattr(time, "sleep", lambda _: writer.close())
        assert drive(run_process(ask(program))).exit_code == 0
    assert (busy.launch_fault, busy.launch_code) == ("busy", 126)


def test_a_missing_program_names_the_path_searched(drive: Run) -> None:
    result = drive(run_process(ask("no-such-tool", env={"PATH": "/nowhere:/usr/bin"})))
    assert result.launch_error == "`no-such-tool` is not in PATH; searched /nowhere:/usr/bin"
    assert (result.launch_fault, result.launch_code) == ("not-found", 127)


@pytest.mark.parametrize("path", [".", "bin:.", ":/usr/bin:/bin", "bin"])
def test_no_program_is_taken_from_the_folder_it_happens_to_run_in(
    drive: Run, tmp_path: Path, path: str
) -> None:
    """A repository must not be able to bring its own `sh` or `git` to whoever has `.` in PATH."""
    for place in (tmp_path, tmp_path / "bin"):
        place.mkdir(exist_ok=True)
        (place / "printf").write_text("#!/bin/sh\necho taken\n")
        (place / "printf").chmod(0o755)
    result = drive(run_process(ask("printf", "real", cwd=tmp_path, env={"PATH": path})))
    assert (result.stdout.text or result.launch_error) in (
        "real", "`printf` is not in PATH; searched nothing",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "fault", "words"),
    [
        (ask("true", cwd="/no/such/folder"), "no-folder", "`/no/such/folder` does not exist"),
        (ask("true", cwd="/etc/passwd"), "no-folder", "could not enter"),
        (ask("true", cwd="/\0"), "bad-argument", "NUL"),
        (ask("/no/such/tool"), "not-found", "`/no/such/tool` does not exist"),
        (ask("/tmp"), "not-executable", "is a folder"),
        (ask("echo", "a\0b"), "bad-argument", "argument 1 holds a NUL"),
        (ask(), "bad-argument", "empty"),
        (ask("echo", "x" * 140_000), "too-big", "argument 1 has 140,000 bytes"),
        (ask("echo", *["x" * 100_000] * 70), "too-big", "too big together"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_start_that_cannot_be_is_a_result_and_never_an_exception(
    drive: Run, request_: ProcessRequest, fault: str, words: str
) -> None:
    result = drive(run_process(request_))
    assert result.launch_fault == fault and words in result.launch_error
    assert result.launch_code in (126, 127)


def test_no_descriptor_is_lost_whatever_happens(drive: Run, hooks: dict[str, Path]) -> None:
    async def all_kinds() -> None:
        kinds = ["noexec", "never-reads-stdin", "bg-child-stdout", "setsid-escapee", "huge-reply"]
        for name in [*kinds, "sleep-forever"]:
            await run_process(ask(hooks[name], stdin=b"x" * 200_000, timeout_s=0.3, grace_s=0.1))

    async def main() -> None:
        await all_kinds()
        before = open_descriptors()
        await all_kinds()
        assert open_descriptors() <= before  # others' may have gone meanwhile

    drive(main())


def test_running_out_of_descriptors_is_a_launch_fault(drive: Run) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def main() -> ProcessResult:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            return await run_process(shell("true", stdin=b"x"))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    result = drive(main())
    assert (result.launch_fault, result.launch_code) == ("no-resources", 126)


# Ends: exit, time-out, cancellation


@pytest.mark.parametrize(
    "name",
    [
        "bg-child-stdout", "bg-child-stderr-only", "bg-child-fd3", "setsid-escapee", "daemon-escapee",
        "env-escapee", "nohup-escapee", "clean-daemon",
    ],
)  # fmt: skip
def test_a_background_child_neither_holds_us_nor_outlives_its_hook(
    drive: Run, hooks: dict[str, Path], name: str
) -> None:
    result = drive(run_process(ask(hooks[name], stdin=b"{}")))
    child = pids_in(result.stdout.text)[0]
    assert (result.exit_code, result.timed_out, result.survivors) == (0, False, ())
    assert child in result.killed_after_exit and gone(child)


def test_a_short_background_writer_finishes_within_the_drain(
    drive: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_LONGEST_DRAIN_S", SOON)
    result = drive(run_process(shell("(sleep 0.05; echo late) & echo early", drain_s=SOON)))
    assert (result.stdout.text, result.killed_after_exit) == ("early\nlate\n", ())


def test_many_children_left_behind_are_all_ended(drive: Run, hooks: dict[str, Path]) -> None:
    result = drive(run_process(ask(hooks["fork-many"])))
    assert (result.stdout.text, len(result.killed_after_exit), result.survivors) == ("many\n", 40, ())
    assert all(gone(pid) for pid in result.killed_after_exit)


@pytest.mark.parametrize(
    ("name", "signal", "limit_s"),
    [
        ("sleep-forever", 15, 0.3),
        ("ignore-term", 9, 3.0),
        ("sigstop-self", 15, 0.3),
        ("endless-output", 15, 0.3),
    ],
)
def test_a_time_out_ends_the_hook_by_term_then_kill(
    drive: Run, hooks: dict[str, Path], name: str, signal: int, limit_s: float, limit_once: Any
) -> None:
    if name == "ignore-term":
        limit_once(said)  # by then it ignores it
    grace_s = 0.3 if signal == 9 else SOON
    result = drive(run_process(ask(hooks[name], stdin=b"x" * (8 << 20), timeout_s=limit_s, grace_s=grace_s)))
    assert (result.timed_out, result.status_code, result.signal) == (True, 124, signal)
    assert (result.survivors, result.cancelled) == ((), False)
    assert len(result.stdout.kept) <= 2 * 65_536


def test_a_hook_gets_the_grace_to_tidy_up_after_term(drive: Run) -> None:
    script = "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done"
    stop = Stop()
    result = drive(run_process(shell(script, grace_s=SOON, stop=stop, on_output=lambda *_: stop.request())))
    assert (result.cancelled, result.exit_code, result.stdout.text) == (True, 5, "ready\ntidy\n")


def test_a_time_out_finds_term_proof_escapees_too(drive: Run, limit_once: Any) -> None:
    limit_once(said)
    script = (
        "trap '' TERM\nsetsid sh -c 'echo $$; exec sleep 3600' 2>/dev/null </dev/null\n"
        "setsid sleep 3600 & sleep 3600"
    )
    result = drive(run_process(shell(script, timeout_s=3.0, grace_s=0.2)))
    pids = pids_in(result.stdout.text)
    assert (result.timed_out, result.survivors, len(pids)) == (True, (), 1)
    assert gone(pids[0])


def test_a_stopped_child_is_ended_as_well(drive: Run) -> None:
    script = "sleep 3600 & echo $!; kill -STOP $!; exit 0"
    result = drive(run_process(shell(script)))
    assert gone(pids_in(result.stdout.text)[0]) and result.exit_code == 0


def test_a_hook_that_signals_its_group_does_not_hit_us(drive: Run, hooks: dict[str, Path]) -> None:
    assert drive(run_process(ask(hooks["kills-parent-group"]))).signal == 15


def test_cancelling_the_caller_stops_the_hook_and_its_children(drive: Run) -> None:
    pids: list[int] = []

    async def main() -> bool:
        ready = current_loop().create_future()

        def listen(_: str, chunk: bytes) -> None:
            pids.extend(pids_in(chunk.decode()))
            if len(pids) >= 2 and not ready.done():
                ready.set_result(None)

        script = "setsid sh -c 'echo $$; exec sleep 3600' & echo $$; sleep 3600"
        task = current_loop().create_task(run_process(shell(script, on_output=listen)))
        await ready
        task.cancel()
        try:
            await task
        except cancellations():
            return True
        return False

    assert drive(main()) is True
    assert len(pids) == 2 and all(map(gone, pids))


def test_a_second_cancellation_skips_the_grace(drive: Run, hooks: dict[str, Path]) -> None:
    async def main() -> float:
        ready = current_loop().create_future()
        request = ask(
            hooks["ignore-term"], grace_s=3600.0, on_output=lambda *_: ready.done() or ready.set_result(0)
        )
        task = current_loop().create_task(run_process(request))
        await ready
        began = time.monotonic()
        task.cancel()
        await sleep(0.05)
        assert not task.done()
        task.cancel()
        try:
            await task
        except cancellations():
            pass
        return time.monotonic() - began

    assert drive(main()) < SOON


def test_a_stop_from_outside_ends_the_hook_with_a_result(drive: Run, hooks: dict[str, Path]) -> None:
    stop = Stop()
    request = ask("sh", "-c", "echo ready; sleep 3600", stop=stop, on_output=lambda *_: stop.request())
    result = drive(run_process(request))
    assert (result.cancelled, result.timed_out, result.signal) == (True, False, 15)
    refused = drive(run_process(ask(hooks["sleep-forever"], stop=stop)))
    assert (refused.cancelled, refused.exit_code, refused.launch_error) == (True, None, None)


def test_a_loop_torn_down_kills_the_hook(drive: Run) -> None:
    pids: list[int] = []

    async def main() -> None:
        started = current_loop().create_future()

        def listen(_: str, chunk: bytes) -> None:
            pids.append(int(chunk))
            started.set_result(None)

        coroutine = run_process(shell("echo $$; sleep 3600", on_output=listen))
        coroutine.send(None)
        await started
        coroutine.close()

    drive(main())
    assert gone(pids[0])


def test_a_hundred_hooks_in_flight_with_twenty_time_outs_leave_nobody(
    drive: Run, hooks: dict[str, Path]
) -> None:
    names = ["sleep-forever", "ignore-term", "setsid-escapee", "bg-child-stdout", "exit1-guard"]
    calm = "sleep 1.2; echo calm"

    def request(number: int) -> ProcessRequest:
        if number >= 50:
            return shell(calm, timeout_s=60.0)
        limit = 0.5 if number % 5 < 2 else 60.0
        return ask(hooks[names[number % 5]], stdin=b"{}", timeout_s=limit, grace_s=0.3)

    async def main() -> list[ProcessResult]:
        return await gather([run_process(request(number)) for number in range(100)], 100)

    results: list[ProcessResult] = drive(main())
    assert [r.timed_out for r in results] == [n < 50 and n % 5 < 2 for n in range(100)]
    assert sum(r.timed_out for r in results) == 20
    assert [r.survivors for r in results] == [()] * 100
    assert [r.stdout.text for r in results[50:]] == ["calm\n"] * 50
    assert [r.exit_code for r in results[50:]] == [0] * 50
    assert all(r.exit_code == 1 for r in results[4:50:5])
    children = [pid for r in results[2:50:5] + results[3:50:5] for pid in pids_in(r.stdout.text)]
    assert len(children) == 20 and all(map(gone, children))


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("exit2-usage", 2, "usage: lint [-h] FILE\n"),
        ("exit1-guard", 1, "secrets are not for commits\n"),
        ("closes-all-fds", 0, ""),
        ("deletes-itself", 0, "gone\n"),
        ("two-json-docs", 0, '{"decision": "allow"}\n{"decision": "deny"}\n'),
        ("changes-cwd", 0, "/\n"),
        ("deny-after-sleep", 2, "too late to be wrong\n"),
    ],
)
def test_odd_but_honest_hooks_are_reported_as_they_are(
    drive: Run, hooks: dict[str, Path], name: str, code: int, text: str
) -> None:
    result = drive(run_process(ask(hooks[name], cwd=hooks[name].parent, stdin=b"{}", merge_output=True)))
    assert (result.exit_code, result.stdout.text) == (code, text)


def test_an_endless_background_writer_is_cut_off_after_the_drain(drive: Run) -> None:
    result = drive(run_process(shell("yes & echo started", drain_s=0.1)))
    assert result.exit_code == 0 and len(result.killed_after_exit) == 1 and result.survivors == ()


def test_runs_of_others_are_never_touched(drive: Run) -> None:
    """A process started meanwhile by somebody else, in a session of its own and with another run's id."""
    env = {"PATH": "/usr/bin:/bin", "HOOKLINE_RUN_ID": "someone-elses"}
    others: list[subprocess.Popen[bytes]] = []

    def start_another(_: str, __: bytes) -> None:
        others.append(subprocess.Popen(["sleep", "3600"], env=env, start_new_session=True))
        others.append(subprocess.Popen(["sleep", "3600"]))
        stop.request()

    stop = Stop()
    request = shell("echo ready; setsid sleep 3600 & sleep 3600", stop=stop, on_output=start_another)
    result = drive(run_process(request))
    try:
        assert (result.cancelled, result.survivors) == (True, ())
        assert [other.poll() for other in others] == [None, None]
    finally:
        for other in others:
            other.kill()
            other.wait()


NESTED = """
import os, sys
from hookline.system.loops.loop import run, run_asyncio
from hookline.system.processes.process import ProcessRequest, run_process
said = lambda stream, chunk: os.write(1, chunk)
ask = ProcessRequest(("sh", "-c", "trap '' TERM HUP; echo $$; sleep 3600; sleep 3600"), "/", dict(os.environ),
                     on_output=said, grace_s=float(sys.argv[1]))
globals()[sys.argv[2]](run_process(ask))
"""
HOOKLINE_PATH = os.pathsep.join(path for path in sys.path if path)


def test_hooks_of_a_hookline_inside_a_hook_end_with_it(drive: Run) -> None:
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": HOOKLINE_PATH}
    seen: list[int] = []
    stop = Stop()

    def listen(_: str, chunk: bytes) -> None:
        seen.extend(pids_in(chunk.decode()))
        stop.request()

    request = ask(
        sys.executable, "-S", "-c", NESTED, "60", "run", env=env, grace_s=0.2, on_output=listen, stop=stop
    )
    result = drive(run_process(request))
    assert (result.cancelled, result.survivors) == (True, ())
    assert seen and all(map(gone, seen))


ENDINGS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -2)]  # python dies of an uncaught ^C


@pytest.mark.parametrize(("number", "code"), ENDINGS)
def test_a_signal_to_a_one_shot_run_ends_its_hook_first(drive: Run, number: int, code: int) -> None:
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": HOOKLINE_PATH}
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", NESTED, "0.2", drive.__name__],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stderr is not None
    hook = int(child.stdout.readline())
    child.send_signal(number)
    child.communicate(timeout=SOON)
    assert child.returncode == code
    assert gone(hook)


def test_where_the_kernel_has_no_pidfd_the_exit_is_polled_for(
    drive: Run, hooks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    assert drive(run_process(shell("echo ok; exit 3", stdin=b"{}"))).exit_code == 3
    late = drive(run_process(stopped_when_it_speaks(hooks["ignore-term"], grace_s=0.1)))
    assert (late.cancelled, late.signal, late.survivors) == (True, 9, ())


def test_without_proc_the_group_is_still_ended(
    drive: Run, hooks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.setattr(descendants, "_newest_pid", lambda: None)
    monkeypatch.setattr(descendants, "_all_pids", list)
    result = drive(run_process(ask(hooks["bg-child-stdout"])))
    assert result.exit_code == 0 and gone(pids_in(result.stdout.text)[0])
    script = "(trap '' TERM; sh -c 'echo $PPID'; sleep 3600) & sleep 3600"
    late = drive(run_process(stopped_when_it_speaks("sh", "-c", script, grace_s=0.1)))
    (deaf,) = pids_in(late.stdout.text)
    assert late.cancelled and gone(deaf)


def test_an_exit_status_that_somebody_else_took_is_unknown_not_success(drive: Run) -> None:
    old = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        result = drive(run_process(shell("echo ok; exit 3")))
    finally:
        signal.signal(signal.SIGCHLD, old)
    assert (result.exit_code, result.signal, result.status_code) == (None, None, 125)
    assert result.notices == ("the exit status was taken by another part of this program",)


def test_an_escapee_in_the_middle_of_an_exec_is_not_missed(
    drive: Run, hooks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel shows no environment then, and no end of it either."""
    read, looks = descendants._read, [0]

    def during_exec(path: str, size: int = 1 << 20) -> bytes | None:
        looks[0] += path.endswith("/environ")
        if path.endswith("/environ") and looks[0] <= 3:
            return b""
        content = read(path, size)
        is_hidden = content is not None and path.endswith("/stat") and looks[0] <= 3
        return b" ".join([*content.split()[:-4], b"0 0 0 0"]) if is_hidden else content

    monkeypatch.setattr(descendants, "_read", during_exec)
    monkeypatch.setattr(brands, "_kinds", [0])  # nothing but the environment tells
    result = drive(run_process(ask(hooks["daemon-escapee"])))
    assert looks[0] > 3 and gone(pids_in(result.stdout.text)[0])


def test_what_cannot_be_killed_is_named_as_a_survivor(drive: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_DEATH_S", 0.05)
    monkeypatch.setattr(descendants.Family, "signal", lambda self, number: None)
    request = stopped_when_it_speaks("sh", "-c", "echo $$; exec sleep 3600", grace_s=0.05)
    result = drive(run_process(request))
    pid = int(result.stdout.text)
    try:
        assert (result.cancelled, result.survivors, result.exit_code) == (True, (pid,), None)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        descendants.Family.leaders.discard(pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_hook_runs_as_the_user_asked_for(drive: Run) -> None:
    result = drive(run_process(shell("id -u; id -g; id -G", user=(65534, 65533, (65532,)))))
    assert result.stdout.text == "65534\n65533\n65533 65532\n"
    late = drive(run_process(shell("sleep 3600", user=(65534, 65534, ()), timeout_s=0.2)))
    assert (late.timed_out, late.survivors) == (True, ())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_program_that_another_user_cannot_reach_is_named_each_time(drive: Run, tmp_path: Path) -> None:
    script = tmp_path / "own.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    tmp_path.chmod(0o700)
    request = ask(script, user=(65534, 65534, ()))
    for _ in range(20):
        result = drive(run_process(request))
        assert (result.launch_fault, result.launch_code) == ("not-executable", 126)
        assert f"user 65534 may not run `{script}`" in (result.launch_error or "")


@pytest.mark.skipif(not spawn._VFORK, reason="here the child is always a fork")
def test_a_forked_child_says_all_of_why_it_did_not_start(drive: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_VFORK", (False,))
    request = ask("/no/such/program")
    assert {drive(run_process(request)).launch_fault for _ in range(20)} == {"not-found"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may become anybody")
def test_a_user_that_we_may_not_become_is_a_launch_fault(drive: Run) -> None:
    result = drive(run_process(shell("id -u", user=(0, 0, ()))))
    assert (result.launch_fault, result.launch_code) == ("user-refused", 126)


def test_a_hook_that_ended_while_nobody_could_look_is_not_late(drive: Run, tmp_path: Path) -> None:
    """A machine that stands still, or a hookline that was stopped, took a guard's denial for a time-out."""
    script = 'echo $$ > "$0.pid"; until test -e "$0.go"; do sleep 0.01; done; echo no >&2; exit 2'
    place = tmp_path / "hook"

    def stand_still(end: float) -> None:
        pid = written(tmp_path / "hook.pid").strip()
        (tmp_path / "hook.go").touch()
        while ") Z " not in Path(f"/proc/{pid}/stat").read_text() or time.monotonic() < end:
            time.sleep(0.01)

    async def kept_from_looking() -> ProcessResult:
        request = ask("sh", "-c", script, place, timeout_s=3)
        task = current_loop().create_task(run_process(request))
        await sleep(0.1)  # it is under way, and waited for
        stand_still(time.monotonic() + 3)
        result: ProcessResult = await task  # type: ignore[misc]  # either loop's task
        return result

    result = drive(kept_from_looking())
    assert (result.exit_code, result.timed_out, result.stderr.text) == (2, False, "no\n")
