"""File hooks as obligations: what is owed, in which order it runs, and when the agent is asked again."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.file_hook_bench import Bench
from tests.limits import spoken

from hookline.system.loops import loop


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_what_is_not_committed_is_checked_at_first_and_what_changed_later(bench: Bench) -> None:
    bench.write("old.go")
    bench.repository.commit()
    bench.script("go.sh", "pattern: *.go")
    bench.write("a.go")
    bench.write("b.txt")
    first = bench.evaluate()
    assert (first.action, first.files, first.pending) == (
        "passed", (".discobot/hooks/go.sh", "a.go", "b.txt"), (),
    )  # fmt: skip
    second = bench.evaluate()
    assert (second.action, second.files, second.runs) == ("none", (), ())
    bench.write("old.go", "new\n")
    assert bench.evaluate().files == ("old.go",)
    assert bench.ran("go.sh") == ["a.go", "a.go old.go"]
    marker = (bench.folder / ".last-eval").stat().st_mtime
    assert bench.status["lastEvaluatedAt"].startswith("20") and marker > 1e9


def test_a_marker_somebody_else_set_is_believed(bench: Bench) -> None:
    """Files that were written before it do not count."""
    bench.script("go.sh", "pattern: *.go")
    bench.write("old.go")
    os.utime(bench.root / "old.go", (1_000_000_000, 1_000_000_000))
    bench.folder.mkdir(parents=True)
    (bench.folder / ".last-eval").write_text("")
    os.utime(bench.folder / ".last-eval", (1_500_000_000, 1_500_000_000))
    bench.write("new.go")
    assert bench.evaluate().files == (".discobot/hooks/go.sh", ".gitignore", "new.go")
    (bench.folder / ".last-eval").unlink()
    assert "old.go" in bench.evaluate().files


def test_a_failure_stops_and_keeps_itself_and_all_later_hooks_owed(bench: Bench) -> None:
    bench.script("a.sh", "name: Check A", "pattern: *.go", body="echo broken; exit 3")
    bench.script("b.sh", "pattern: *.go")
    bench.write("x.go")
    verdict = bench.evaluate()
    assert (verdict.action, verdict.attempt, verdict.pending) == ("reprompt", 1, ("a", "b"))
    assert verdict.reprompt == (
        '[Discobot Hook Failed] "Check A" (pattern: *.go)\n\nFiles: x.go\nExit code: 3\n\n'
        "Output:\nbroken\n\nPlease fix the issues and ensure the hook passes. (Attempt 1/3)"
    )
    assert bench.ran("b.sh") == []
    entry = bench.status["hooks"]["a"]
    assert {key: entry[key] for key in entry if key not in ("lastRunAt", "outputPath")} == {
        "hookId": "a", "hookName": "Check A", "type": "file", "lastResult": "failure", "lastExitCode": 3,
        "runCount": 1, "failCount": 1, "consecutiveFailures": 1,
    }  # fmt: skip
    assert Path(entry["outputPath"]).read_text() == "broken\n"
    bench.script("a.sh", "name: Check A", "pattern: *.go")
    passed = bench.evaluate(user_turn=False)
    assert (passed.action, passed.pending) == ("passed", ())
    assert (bench.ran("a.sh"), bench.ran("b.sh")) == (["x.go", "x.go"], ["x.go"])
    assert bench.status["hooks"]["a"]["consecutiveFailures"] == 0


def test_the_agent_is_asked_three_times_and_then_the_user_is_told(bench: Bench) -> None:
    """The fourth failure only warns; the user's next turn begins anew."""
    bench.script("a.sh", "pattern: *.go", body="exit 1")
    attempts = []
    for turn in range(4):
        bench.write("x.go", f"{turn}\n")
        verdict = bench.evaluate(user_turn=turn == 0)
        attempts.append((verdict.action, verdict.attempt, (verdict.reprompt or "")[-13:]))
    assert attempts == [
        ("reprompt", 1, "(Attempt 1/3)"), ("reprompt", 2, "(Attempt 2/3)"), ("reprompt", 3, "(Attempt 3/3)"),
        ("capped", 0, ""),
    ]  # fmt: skip
    assert verdict.messages[-1:] == ("`a.sh` still failed after 3 attempts; the agent is not asked again",)
    assert bench.status["pendingHooks"] == ["a"]
    assert bench.evaluate().attempt == 1


def test_the_count_of_attempts_survives_a_restart(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go", body="exit 1")
    bench.write("x.go")
    assert bench.evaluate().attempt == 1
    bench.reopened()
    bench.write("x.go", "2\n")
    assert bench.evaluate(user_turn=False).attempt == 2


def test_owed_hooks_run_after_the_users_turn_and_not_after_an_idle_one_of_hooks(bench: Bench) -> None:
    """Nothing changed, so the agent is told again without another run."""
    bench.script("a.sh", "pattern: *.go", body="exit 1")
    bench.write("x.go")
    verdicts = [bench.evaluate(), *(bench.evaluate(user_turn=False) for _ in range(3))]
    assert [(v.action, v.attempt) for v in verdicts] == [
        ("reprompt", 1),
        ("reprompt", 2),
        ("reprompt", 3),
        ("capped", 0),
    ]
    assert [f"(Attempt {n}/3)" in (v.reprompt or "") for n, v in enumerate(verdicts, 1)] == [True] * 3 + [
        False
    ]
    assert (verdicts[3].pending, len(bench.ran("a.sh"))) == (("a",), 1)
    assert "`a.sh` still failed after 3 attempts" in verdicts[3].messages[-1]
    assert bench.evaluate().action == "reprompt"
    assert len(bench.ran("a.sh")) == 2


def test_a_silent_failure_stops_one_evaluation_but_not_for_ever(bench: Bench) -> None:
    """Unchanged, it is passed over the next time."""
    bench.script("a.sh", "pattern: *.go", "notify_llm: false", body="exit 1")
    bench.script("b.sh", "pattern: *.go")
    bench.write("x.go")
    first = bench.evaluate()
    assert (first.action, first.reprompt, first.pending) == ("failed", None, ("a", "b"))
    second = bench.evaluate()
    assert (second.action, second.pending) == ("passed", ("a",))
    assert (len(bench.ran("a.sh")), len(bench.ran("b.sh"))) == (1, 1)
    bench.write("x.go", "other\n")
    assert (bench.evaluate().action, len(bench.ran("a.sh"))) == ("failed", 2)


def test_a_hook_that_goes_on_after_failure_holds_nobody_up(bench: Bench) -> None:
    """`on_failure: continue`."""
    bench.script("a.sh", "pattern: *.go", "on_failure: continue", body="exit 1")
    bench.script("b.sh", "pattern: *.go")
    bench.write("x.go")
    verdict = bench.evaluate()
    assert (verdict.action, verdict.pending, bench.ran("b.sh")) == ("reprompt", ("a",), ["x.go"])


def test_what_is_committed_meanwhile_is_checked_once_and_clears_what_was_owed(bench: Bench) -> None:
    """Cleared is no pass, and history says so."""
    bench.script("a.sh", "pattern: *.go", body="exit 1")
    bench.evaluate()
    bench.write("x.go")
    bench.repository.commit()
    assert bench.evaluate().action == "reprompt"
    assert bench.ran("a.sh") == ["x.go"]
    cleared = bench.evaluate()
    assert (cleared.action, cleared.pending, cleared.messages) == (
        "none", (), ("`a.sh` is cleared: no uncommitted file concerns it",),
    )  # fmt: skip
    assert bench.status["hooks"]["a"]["lastResult"] == "failure"
    newest = bench.hooks.engine.history.runs(limit=1)[0]  # type: ignore[union-attr]  # opened with one
    assert newest["messages"] == list(cleared.messages)


def test_what_is_put_back_is_owed_no_run(bench: Bench) -> None:
    """A file as it was committed again, or a new one that is gone again."""
    bench.script("a.sh", "pattern: *.{go,py}", body="exit 1")
    bench.write("x.go")
    bench.write("y.go")
    bench.repository.commit()
    bench.evaluate()
    bench.write("x.go", "edited")
    bench.write("new.py")
    assert bench.evaluate().action == "reprompt"
    bench.repository.git("checkout", "--", "x.go")
    (bench.root / "new.py").unlink()
    cleared = bench.evaluate(user_turn=False)
    assert (cleared.action, cleared.pending) == ("none", ())
    assert bench.ran("a.sh") == ["new.py x.go"]
    bench.write("x.go", "committed this time")
    bench.write("y.go", "put back")
    bench.repository.git("commit", "-qm", "x", "x.go")
    bench.repository.git("checkout", "--", "y.go")
    assert bench.evaluate().action == "reprompt"
    assert bench.ran("a.sh")[1:] == ["x.go"]


def test_what_is_put_back_is_owed_a_run_while_other_files_wait_for_their_commit(bench: Bench) -> None:
    """They may have passed only with it."""
    bench.script("a.sh", "pattern: *.go", body='echo "gone: $DISCOBOT_DELETED_FILES"')
    bench.script("b.sh", "pattern: *.py")
    bench.write("x.go")
    bench.repository.commit()
    bench.evaluate()
    for path in ("x.go", "new.go", "other.go", "lone.py"):
        bench.write(path, "edited")
    bench.evaluate()
    (bench.root / "new.go").unlink()
    (bench.root / "lone.py").unlink()
    assert bench.evaluate().action == "passed"
    assert bench.hooks.logs("s").read("a") == b"gone: new.go\n"
    bench.repository.git("checkout", "--", "x.go")
    bench.evaluate()
    assert bench.ran("a.sh") == ["new.go other.go x.go", "other.go x.go", "other.go x.go"]
    assert bench.ran("b.sh") == ["lone.py"]
    assert bench.evaluate().runs == ()


def test_a_hook_that_cannot_run_is_owed_nothing_and_says_why(bench: Bench) -> None:
    path = bench.script("a.sh", "pattern: *.go")
    path.write_text("#!/bin/sh\n#---\n# type: file\n# pattern: *.go\n")
    bench.write("x.go")
    verdict = bench.evaluate()
    assert (verdict.action, verdict.pending) == ("none", ())
    assert "cannot run" in verdict.messages[0]


def test_a_deletion_makes_a_hook_owed_without_naming_what_is_gone(bench: Bench) -> None:
    bench.write("x.go")
    bench.write("y.go")
    bench.script("a.sh", "pattern: *.go", body='echo "gone: $DISCOBOT_DELETED_FILES"')
    bench.repository.commit()
    bench.evaluate()
    (bench.root / "x.go").unlink()
    bench.write("y.go", "2\n")
    verdict = bench.evaluate()
    assert (verdict.files, verdict.deleted) == (("y.go",), ("x.go",))
    assert bench.ran("a.sh") == ["y.go"]
    assert bench.hooks.logs("s").read("a") == b"gone: x.go\n"


def test_a_hook_is_not_called_by_its_own_writes_but_others_are(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go", body="true")
    bench.script("b.sh", "pattern: *.go", body="echo formatted > x.go")
    bench.write("x.go")
    first = bench.evaluate()
    assert (first.action, first.wrote) == ("passed", ("x.go",))
    verdict = bench.evaluate()
    assert (verdict.files, [run.result.spec.id for run in verdict.runs]) == (("x.go",), ["a"])
    assert bench.evaluate().action == "none"


def test_a_hook_that_saw_an_earlier_hooks_writes_is_not_called_again(bench: Bench) -> None:
    """Its own cut-off is the end of its own run."""
    bench.script("a.sh", "pattern: *.go", body="echo formatted > x.go")
    bench.script("b.sh", "pattern: *.go")
    bench.write("x.go")
    bench.evaluate()
    assert bench.evaluate().runs == ()
    assert (len(bench.ran("a.sh")), len(bench.ran("b.sh"))) == (1, 1)


def test_a_pending_hook_whose_file_is_gone_is_forgotten(bench: Bench) -> None:
    path = bench.script("a.sh", "pattern: *.go", body="exit 1")
    bench.write("x.go")
    bench.evaluate()
    path.unlink()
    assert bench.evaluate().pending == ()


def test_an_untrusted_hook_stays_owed_and_holds_up_nobody(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go")
    bench.write("x.go")
    bench.reopened(HOOKLINE_TRUST="")
    verdict = bench.evaluate()
    assert (verdict.action, verdict.pending, bench.ran("a.sh")) == ("inconclusive", ("a",), [])
    assert "trust" in verdict.messages[0]
    bench.reopened()
    assert bench.evaluate().action == "passed"


def test_a_paused_hook_is_owed_until_resumed(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go")
    bench.script("b.sh", "pattern: *.go")
    bench.write("x.go")
    status = bench.hooks.status("s")
    status.pause(True)
    assert (bench.evaluate().action, bench.status["executionPaused"]) == ("paused", True)
    status.pause(True, "a", "a.sh")
    assert bench.reopened().status("s").pause(False)["executionPaused"] is False
    assert (bench.evaluate().pending, len(bench.ran("b.sh"))) == (("a",), 1)
    status.pause(False, "a", "a.sh")
    assert bench.evaluate().pending == ()


def test_a_hook_of_another_phase_waits_for_it(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go", "phase: review")
    bench.write("x.go")
    assert (bench.evaluate().pending, bench.ran("a.sh")) == (("a",), [])
    assert (bench.evaluate(phase="review").pending, bench.ran("a.sh")) == ((), ["x.go"])


def test_an_ended_evaluation_kills_the_hook_which_stays_owed(bench: Bench) -> None:
    """Counters as they were; the group is gone."""
    bench.script("a.sh", "pattern: *.go", body="echo $$ > pid.ran; sleep 60 & wait")
    bench.write("x.go")

    async def abort() -> None:
        task = asyncio.ensure_future(bench.hooks.evaluate("s"))
        pid = bench.root / "pid.ran"
        while not (pid.exists() and pid.read_text().strip()):  # noqa: ASYNC110 - a file tells no event
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(abort())
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.root / "pid.ran").read_text()), 0)
    entry = bench.status["hooks"]["a"]
    assert (bench.status["pendingHooks"], entry["lastResult"], entry["runCount"]) == (["a"], "pending", 0)


def test_two_evaluations_never_run_a_hook_twice_at_once(bench: Bench) -> None:
    """Sessions of one workspace follow one another."""
    body = "mkdir busy.ran || { echo twice > clash.ran; }; sleep 0.2; rmdir busy.ran"
    bench.script("a.sh", "pattern: *.go", body=body)
    bench.write("x.go")

    async def both() -> None:
        await asyncio.gather(*(bench.hooks.evaluate(session) for session in ("one", "two")))

    asyncio.run(both())
    assert (len(bench.ran("a.sh")), (bench.root / "clash.ran").exists()) == (2, False)


def test_a_large_output_is_named_by_its_log(bench: Bench) -> None:
    """An absolute path to the log of this run."""
    bench.script("a.sh", "pattern: *.go", body="seq 847; exit 1")
    bench.write("x.go")
    log = bench.folder / "output/a.log"
    assert f"Output is large (847 lines). Full output saved to:\n  {log}\n" in str(bench.evaluate().reprompt)
    assert log.read_text() == "".join(f"{number}\n" for number in range(1, 848))
    bench.script("a.sh", "pattern: *.go", body="exit 1")
    bench.evaluate()
    assert log.read_text() == ""


def test_a_time_out_counts_as_124_and_the_log_says_so(bench: Bench, limit_once: Any) -> None:
    limit_once(spoken)
    bench.script("a.sh", "pattern: *.go", "timeout: 3s", body="echo begun; touch spoken; sleep 3600")
    bench.write("x.go")
    assert "Exit code: 124" in str(bench.evaluate().reprompt)
    assert bench.status["hooks"]["a"]["lastExitCode"] == 124
    assert bench.hooks.logs("s").read("a") == b"begun\ntimed out after 3 seconds\n"


def test_a_rerun_takes_all_that_is_not_committed_and_clears_the_hook(bench: Bench) -> None:
    """A.3.1: also found by the slug of its name; its files do not call it again."""
    bench.script("a.sh", "name: Go check", "pattern: *.go", body="exit 1")
    bench.write("x.go")
    bench.evaluate()
    bench.script("a.sh", "name: Go check", "pattern: *.go")

    async def rerun(name: str) -> object:
        result = await bench.hooks.rerun(name, "s")
        return result and result.raw and result.raw.exit_code

    assert asyncio.run(rerun("go-check")) == 0
    assert (bench.status["pendingHooks"], bench.ran("a.sh")[-1]) == ([], "x.go")
    assert asyncio.run(rerun("none")) is None


def test_evaluations_run_on_asyncio_too(bench: Bench) -> None:
    bench.script("a.sh", "pattern: *.go")
    bench.write("x.go")
    assert bench.evaluate_on_asyncio().action == "passed"


def test_hooks_run_and_are_judged_where_nothing_can_be_kept(bench: Bench) -> None:
    """Told once for each thing that is lost; the result is the same."""
    bench.script("a.sh", "pattern: *.go", body="echo no; exit 1")
    bench.write("x.go")
    (bench.home / ".discobot").write_text("a file where a folder should be")
    verdict = bench.evaluate()
    assert (verdict.action, verdict.pending, bench.ran("a.sh")) == ("reprompt", ("a",), ["x.go"])
    assert "Output:\nno\n" in str(verdict.reprompt)
    later = [bench.evaluate(user_turn=False).action for _ in range(4)]
    assert later == ["reprompt", "reprompt", "capped", "capped"]
    assert len([words for words in bench.warnings if "status is not kept" in words]) == 1


def test_a_repository_without_commits_and_a_folder_without_git_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    unborn = Bench(tmp_path / "one", commit=False)
    unborn.script("a.sh", "pattern: *.go")
    unborn.write("x.go")
    unborn.repository.git("add", "x.go")
    assert (unborn.evaluate().action, unborn.ran("a.sh")) == ("passed", ["x.go"])
    (tmp_path / "two").mkdir()
    plain = Bench(tmp_path / "two", commit=False)
    plain.script("a.sh", "pattern: *.go")
    plain.write("x.go")
    shutil.rmtree(plain.root / ".git")
    assert (plain.evaluate().action, plain.ran("a.sh")) == ("passed", ["x.go"])
    plain.write("y.go")
    assert (plain.evaluate().files, plain.evaluate().files) == (("y.go",), ())


def test_without_file_hooks_nothing_is_looked_at_and_nothing_kept(bench: Bench) -> None:
    bench.write("x.go")
    assert bench.evaluate().action == "none"
    assert not (bench.home / ".discobot").exists()


def test_hooks_read_after_a_turn_ended_are_not_read_again_for_it(bench: Bench) -> None:
    hooks = bench.hooks
    reads: list[float] = []
    reload, hooks._reload = hooks._reload, lambda: (reads.append(time.monotonic()), reload())[1]  # type: ignore[misc]
    ended = time.monotonic()
    loop.run(hooks.evaluate("first", ended=ended))
    bench.script("late.sh", "pattern: '*.py'", body="exit 1")
    bench.write("a.py")
    assert loop.run(hooks.evaluate("other", ended=ended)).action == "none"
    assert len(reads) == 1
    assert loop.run(hooks.evaluate("first", ended=time.monotonic())).action == "reprompt"
    assert bench.ran("late.sh") == ["a.py"]
