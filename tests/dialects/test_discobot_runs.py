"""Discobot hooks as real processes, from the files on disk to the decision."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.running import Workspace, by_id
from tests.limits import spoken
from tests.waiting import wait_until_gone

from hookline.dialects.discobot import log_text
from hookline.model.events import EventKind
from hookline.model.results import Status, Verdict

FILE = ("type: file", "pattern: *.go")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, "discobot")


def test_no_folder_and_an_empty_one_are_no_hooks(workspace: Workspace) -> None:
    assert (workspace.hooks().specs, workspace.hooks().problems) == ((), ())
    (workspace.root / ".discobot/hooks").mkdir(parents=True)
    assert (workspace.hooks().specs, workspace.hooks().problems) == ((), ())


def test_subfolders_and_hidden_files_are_ignored(workspace: Workspace) -> None:
    workspace.script("sub/a.sh", "type: session", body="exit 1")
    workspace.script(".b.sh", "type: session", body="exit 1")
    assert (workspace.hooks().specs, workspace.hooks().problems) == ((), ())


def test_hooks_run_in_the_byte_order_of_their_file_names(workspace: Workspace) -> None:
    """Whatever their display names."""
    for name in ("b.sh", "a.sh", "B.sh", "10-z.sh", "9-y.sh"):
        workspace.script(name, "type: session", f"name: {name[::-1]}", body=f"echo {name} >> order")
    assert workspace.fire(EventKind.SessionStart).verdict == Verdict.NONE
    assert (workspace.root / "order").read_text().split() == ["10-z.sh", "9-y.sh", "B.sh", "a.sh", "b.sh"]


def test_a_binary_of_many_megabytes_is_read_by_its_head_alone(workspace: Workspace) -> None:
    path = workspace.script("big.sh", "type: session", body="exit 0")
    with path.open("ab") as file:
        file.truncate(200 * 1024 * 1024)
    assert [spec.id for spec in workspace.hooks().specs] == ["big"]


def test_an_unreadable_hook_does_not_hide_its_neighbours(workspace: Workspace) -> None:
    """A named pipe is as unreadable to root as to everybody, and must not be waited for."""
    (workspace.root / ".discobot/hooks").mkdir(parents=True)
    os.mkfifo(workspace.root / ".discobot/hooks/a.sh", 0o755)
    workspace.script("b.sh", "type: session", body="exit 0")
    hooks = workspace.hooks()
    assert [(spec.id, spec.handler) for spec in hooks.specs] == [("a", "unusable"), ("b", "command")]
    assert [problem.code for problem in hooks.problems] == ["unreadable"]


def test_a_link_to_a_script_of_the_workspace_runs_and_others_do_not(
    workspace: Workspace, tmp_path: Path
) -> None:
    real = workspace.script("../../scripts/real.sh", "type: session", body="echo linked")
    outside = workspace.script("../../../outside.sh", "type: session", body="echo outside")
    folder = workspace.root / ".discobot/hooks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in.sh").symlink_to(real)
    (folder / "out.sh").symlink_to(outside)
    (folder / "gone.sh").symlink_to("nowhere")
    decision = workspace.fire(EventKind.SessionStart)
    assert [(result.spec.id, result.raw and result.raw.stdout) for result in decision.results] == [
        ("in", "linked\n"),
        ("out", None),
    ]
    assert sorted(p.code for p in workspace.hooks().problems) == ["dangling-link", "link-outside-workspace"]
    assert {"scripts/real.sh", ".discobot/hooks/in.sh"} <= set(decision.results[0].spec.files)


def test_a_hook_added_or_removed_counts_at_the_next_load(workspace: Workspace) -> None:
    path = workspace.script("a.sh", *FILE, body="exit 1")
    assert workspace.changed("a.go").reprompt
    path.unlink()
    workspace.script("b.sh", *FILE, body="exit 0")
    assert [result.spec.id for result in workspace.changed("a.go").results] == ["b"]


def test_a_failing_session_hook_keeps_no_other_from_running(workspace: Workspace) -> None:
    """Its output is merged."""
    workspace.script("a.sh", "type: session", body="echo out; echo err >&2; exit 3")
    workspace.script("b.sh", "type: session", body="echo second")
    decision = workspace.fire(EventKind.SessionStart)
    first, second = decision.results
    assert first.raw and second.raw
    assert (first.raw.exit_code, first.raw.stdout, second.raw.stdout) == (3, "out\nerr\n", "second\n")
    assert (decision.verdict, decision.messages) == (
        Verdict.NONE,
        ("session hook `a.sh` failed: exit code 3",),
    )


def test_a_background_session_hook_does_not_delay_the_decision(workspace: Workspace) -> None:
    workspace.script("slow.sh", "type: session", "blocking: false", body="echo slow; exit 1")
    decision = workspace.fire(EventKind.SessionStart)
    assert [result.why for result in decision.results] == ["started in the background"]


def test_a_hook_for_root_is_refused_to_everybody_else(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    workspace.script("a.sh", "type: session", "run_as: root", body="echo ran")
    result = by_id(workspace.fire(EventKind.SessionStart))["a"]
    assert result.status == Status.launch_failed
    assert "root" in result.why


def test_later_file_hooks_wait_for_the_failing_one(workspace: Workspace) -> None:
    """The result says which hook they wait for."""
    workspace.script("1.sh", *FILE, body="exit 0")
    workspace.script("2.sh", *FILE, "name: Second", body="echo bad; exit 1")
    workspace.script("3.sh", *FILE, body="touch ran")
    decision = workspace.changed("a.go")
    assert [(result.status, result.why) for result in decision.results] == [
        (Status.ran, ""),
        (Status.ran, ""),
        (Status.not_reached, "`Second` failed first"),
    ]
    assert (decision.reprompt or "").startswith('[Discobot Hook Failed] "Second" (pattern: *.go)')
    assert not (workspace.root / "ran").exists()


def test_a_silent_failure_stops_too(workspace: Workspace) -> None:
    workspace.script("1.sh", *FILE, "notify_llm: off", body="exit 1")
    workspace.script("2.sh", *FILE, body="exit 0")
    decision = workspace.changed("a.go")
    assert (decision.reprompt, decision.results[1].status) == (None, Status.not_reached)


def test_a_hook_may_let_later_ones_run_after_its_failure(workspace: Workspace) -> None:
    workspace.script("1.sh", *FILE, "on_failure: continue", body="echo one; exit 1")
    workspace.script("2.sh", *FILE, body="exit 0")
    decision = workspace.changed("a.go")
    assert [result.status for result in decision.results] == [Status.ran, Status.ran]
    assert "Output:\none\n" in (decision.reprompt or "")


def test_a_hook_runs_directly_in_the_workspace_with_its_own_files(workspace: Workspace) -> None:
    body = (
        "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['DISCOBOT_CHANGED_FILES']); sys.exit(1)"
    )
    workspace.script("a.py", *FILE, body=body, shell="/usr/bin/env python3")
    result = by_id(workspace.changed("a.go", "b.py", "c/d.go"))["a"]
    assert result.raw
    assert result.raw.stdout == f"[] {workspace.root} a.go c/d.go\n"


def test_a_hook_that_reads_its_input_sees_its_end_at_once(workspace: Workspace) -> None:
    workspace.script("a.sh", *FILE, "timeout: 60", body="cat; echo done")
    result = by_id(workspace.changed("a.go"))["a"]
    assert result.raw and (result.raw.exit_code, result.raw.stdout) == (0, "done\n")


def test_a_time_out_ends_every_process_of_the_hook(workspace: Workspace, limit_once: Any) -> None:
    limit_once(spoken)
    body = "sleep 3600 & echo $! > child; echo started; touch spoken; wait"
    workspace.script("a.sh", *FILE, "timeout: 3s", body=body)
    decision = workspace.changed("a.go")
    (result,) = decision.results
    assert result.raw and result.status == Status.timed_out
    assert log_text(result.spec, result.raw) == "started\ntimed out after 3 seconds\n"
    assert "Exit code: 124\n" in (decision.reprompt or "")
    child = int((workspace.root / "child").read_text())
    wait_until_gone(child)


@pytest.mark.parametrize("interpreter", ["/no/such/interpreter", "/bin/bash\r"])
def test_a_hook_that_cannot_be_started_is_a_failure_with_its_reason(
    workspace: Workspace, interpreter: str
) -> None:
    workspace.script("a.sh", *FILE, body="exit 0", shell=interpreter)
    decision = workspace.changed("a.go")
    (result,) = decision.results
    assert result.raw and result.raw.status_code in (126, 127)
    assert result.status == Status.launch_failed
    assert f"Exit code: {result.raw.status_code}\n\nOutput:\ncould not be started: " in (
        decision.reprompt or ""
    )


def test_a_hook_killed_by_a_signal_has_a_shell_s_number(workspace: Workspace) -> None:
    workspace.script("a.sh", *FILE, body="kill -SEGV $$")
    decision = workspace.changed("a.go")
    assert "Exit code: 139\n\nOutput:\nkilled by signal 11\n" in (decision.reprompt or "")


def test_a_daemon_left_behind_does_not_delay_the_hook(workspace: Workspace) -> None:
    workspace.script("a.sh", *FILE, body="sleep 3600 &\necho started")
    decision = workspace.changed("a.go")
    (result,) = decision.results
    assert result.raw and (result.raw.exit_code, result.raw.stdout) == (0, "started\n")


def test_endless_output_is_bounded_and_counted(workspace: Workspace) -> None:
    workspace.script(
        "a.sh", *FILE, body="echo begin; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end"
    )
    (result,) = workspace.changed("a.go").results
    assert result.raw and result.raw.truncated
    omitted = re.search(r"\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n", result.raw.stdout)
    assert omitted and len(result.raw.stdout) - len(omitted[0]) + int(omitted[1]) == 20_000_000 + len(
        "begin\n\nend\n"
    )
    assert len(result.raw.stdout) < 2 * 1024 * 1024
    assert result.raw.stdout.startswith("begin\n") and result.raw.stdout.endswith("end\n")


def test_text_of_many_bytes_per_character_arrives_whole(workspace: Workspace) -> None:
    """Invalid bytes are replaced, valid ones never."""
    body = "for i in $(seq 3000); do printf 'ä€𝄞'; done; printf '\\377'; exit 1"
    workspace.script("a.sh", *FILE, body=body)
    (result,) = workspace.changed("a.go").results
    assert result.raw and result.raw.stdout == "ä€𝄞" * 3000 + "\ufffd"


def test_thousands_of_files_neither_fail_the_start_nor_get_lost(workspace: Workspace) -> None:
    body = 'echo "$DISCOBOT_CHANGED_FILES_OVERFLOW"; tr "\\0" "\\n" < "$DISCOBOT_CHANGED_FILES_LIST" | wc -l'
    workspace.script("a.sh", *FILE, body=body)
    paths = [f"{'directory/' * 8}{number:05}.go" for number in range(5000)]
    (result,) = workspace.changed(*paths).results
    assert result.raw and (result.raw.exit_code, result.raw.stdout.split()) == (0, ["1", "5000"])
    assert result.raw.notes == (
        "`DISCOBOT_CHANGED_FILES` holds the first 120 KiB of 5000 names, `DISCOBOT_CHANGED_FILES_LIST` all",
    )


def test_a_long_output_is_named_by_a_log_that_has_all_of_it(workspace: Workspace, tmp_path: Path) -> None:
    workspace.script("a.sh", *FILE, body="seq 1 847; exit 1")
    decision = workspace.changed("a.go", engine=workspace.engine(output_dir=str(tmp_path / "out")))
    before, _, after = (decision.reprompt or "").partition("Full output saved to:\n  ")
    assert before.endswith("\n\nOutput is large (847 lines). ")
    assert Path(after.partition("\n")[0]).read_text() == "".join(f"{n}\n" for n in range(1, 848))


def test_names_no_file_system_could_hold_do_not_keep_the_hook_from_running(workspace: Workspace) -> None:
    """Whoever sends the event may send nonsense."""
    workspace.script(
        "a.sh", "type: file", "pattern: *", body='echo "$DISCOBOT_CHANGED_FILES" | grep -c ok.go'
    )
    (result,) = workspace.changed("\ud800.go", "x\0y.go", "ok.go").results
    assert result.raw and (result.raw.exit_code, result.raw.stdout) == (0, "1\n")


def test_the_file_of_a_list_lives_as_long_as_the_hook(workspace: Workspace) -> None:
    workspace.script("a.sh", *FILE, body='echo "$DISCOBOT_CHANGED_FILES_LIST"')
    (result,) = workspace.changed("a.go").results
    assert result.raw and not Path(result.raw.stdout.strip()).exists()


def test_a_pre_commit_hook_keeps_git_s_variables_and_others_lose_them(workspace: Workspace) -> None:
    workspace.env["GIT_INDEX_FILE"] = "/an/index"
    body = 'echo "[$GIT_INDEX_FILE]"; exit 1'
    workspace.script("commit.sh", "type: pre-commit", body=body)
    workspace.script("file.sh", *FILE, body=body)
    decision = workspace.fire(EventKind.PreCommit, files=["a.go"])
    assert decision.verdict == Verdict.DENY
    assert decision.reason == "pre-commit hook `commit.sh` failed: exit code 1\n[/an/index]"
    result = by_id(workspace.changed("a.go"))["file"]
    assert result.raw and result.raw.stdout == "[]\n"


def test_a_failing_pre_commit_hook_keeps_later_ones_from_running(workspace: Workspace) -> None:
    workspace.script("1.sh", "type: pre-commit", body="exit 2")
    workspace.script("2.sh", "type: pre-commit", body="touch ran")
    decision = workspace.fire(EventKind.PreCommit)
    assert [result.status for result in decision.results] == [Status.ran, Status.not_reached]
    assert not (workspace.root / "ran").exists()


def test_a_session_that_goes_on_does_not_begin_again(workspace: Workspace) -> None:
    """A restart and a resumed session do, what follows `clear` and `compact` does not."""
    workspace.script("a.sh", "type: session", body="echo set up")
    engine = workspace.engine()
    sources = ("startup", "compact", "resume", "clear", "startup")
    decisions = [workspace.fire(EventKind.SessionStart, engine=engine, source=source) for source in sources]
    statuses = [decision.results[0].status for decision in decisions]
    assert statuses == [Status.ran, Status.not_matched, Status.ran, Status.not_matched, Status.ran]
