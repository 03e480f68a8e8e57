"""iteratr hooks as real processes, from the file on disk to the decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.running import Workspace
from tests.limits import spoken

from hookline.dialects.iteratr import join_outputs
from hookline.model.events import EventKind
from hookline.model.results import Status, Verdict


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, "iteratr")


def configure(workspace: Workspace, **hooks: list[dict[str, Any]]) -> None:
    workspace.write(".iteratr.hooks.yml", json.dumps({"version": 1, "hooks": hooks}))


def piped(command: str, **more: Any) -> dict[str, Any]:
    return {"command": command, "pipe_output": True, **more}


def test_a_config_above_the_workspace_or_in_the_home_is_not_read(workspace: Workspace) -> None:
    (workspace.root.parent / ".iteratr.hooks.yml").write_text("hooks: {on_error: [{command: a}]}")
    assert (workspace.hooks().specs, workspace.hooks().problems) == ((), ())


def test_a_folder_in_place_of_the_config_is_one_problem(workspace: Workspace) -> None:
    (workspace.root / ".iteratr.hooks.yml").mkdir()
    assert [problem.code for problem in workspace.hooks().problems] == ["unreadable"]


def test_all_hooks_run_in_order_and_outputs_join(workspace: Workspace) -> None:
    configure(
        workspace,
        pre_iteration=[
            piped("echo first; echo 1 >> order"),
            {"command": "echo hidden; echo 2 >> order; exit 9"},
            piped("echo 3 >> order"),
            piped("echo second; echo 4 >> order"),
        ],
    )
    decision = workspace.fire(EventKind.PreIteration, iteration=1)
    assert join_outputs(decision.contexts) == "first\n\nsecond\n"
    assert (workspace.root / "order").read_text().split() == ["1", "2", "3", "4"]
    assert (decision.verdict, decision.degraded) == (Verdict.NONE, ())


def test_a_command_runs_in_the_workspace_with_the_environment_it_inherits(workspace: Workspace) -> None:
    workspace.env["MY_OWN"] = "kept"
    configure(workspace, session_start=[piped('echo "$PWD $MY_OWN"')])
    assert workspace.fire(EventKind.SessionStart).contexts == (f"{workspace.root} kept\n",)


def test_a_missing_command_is_told_with_the_shell_s_words(workspace: Workspace) -> None:
    configure(workspace, on_error=[piped("no-such-command")])
    (text,) = workspace.fire(EventKind.IterationError, error="x").contexts
    assert text.startswith("[Hook command failed: exit status 127]\n\n[stderr]\n")
    assert "no-such-command" in text


def test_a_time_out_waits_for_no_child_and_keeps_what_was_printed(
    workspace: Workspace, limit_once: Any
) -> None:
    limit_once(spoken)
    configure(
        workspace,
        session_start=[piped("echo half; echo why >&2; touch spoken; sleep 3600; echo x", timeout=3)],
    )
    decision = workspace.fire(EventKind.SessionStart)
    assert decision.contexts == ("[Hook timed out after 3s]\nPartial output:\nhalf\n\n[stderr]\nwhy\n",)
    assert decision.results[0].status == Status.timed_out


def test_a_server_left_running_does_not_hold_the_hook(workspace: Workspace) -> None:
    configure(workspace, session_start=[piped("sleep 3600 & echo up")])
    assert workspace.fire(EventKind.SessionStart).contexts == ("up\n",)


def test_much_output_is_bounded_with_its_real_size(workspace: Workspace) -> None:
    configure(
        workspace, session_start=[piped("echo begin; head -c 10000000 /dev/zero | tr '\\0' x; echo end")]
    )
    (text,) = workspace.fire(EventKind.SessionStart).contexts
    assert len(text) < 100_000
    assert text.startswith("begin\n") and text.endswith("end\n")
    assert " bytes omitted" in text


def test_broken_text_and_terminal_codes_are_cleaned(workspace: Workspace) -> None:
    configure(workspace, session_start=[piped("printf 'a\\000b \\377 \\033[1mc\\033[0m\\n'")])
    assert workspace.fire(EventKind.SessionStart).contexts == ("ab \ufffd c\n",)


def test_input_is_empty_and_nothing_reaches_the_terminal(
    workspace: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    configure(workspace, session_start=[piped("cat; echo out; echo err >&2", timeout=60)])
    decision = workspace.fire(EventKind.SessionStart)
    assert decision.contexts == ("out\n\n[stderr]\nerr\n",)
    assert capfd.readouterr() == ("", "")


def test_what_looks_like_a_failure_is_none_when_it_exits_zero(workspace: Workspace) -> None:
    configure(workspace, session_start=[piped("echo '[Hook command failed: exit status 1]'")])
    (result,) = workspace.fire(EventKind.SessionStart).results
    assert (result.status, result.failed) == (Status.ran, False)


HOSTILE = "it's $(touch pwned) `touch pwned` \"; touch pwned; {{session}}\n| touch pwned\\"


@pytest.mark.parametrize("quotes", ["{{task_content}}", "'{{task_content}}'", '"{{task_content}}"'])
def test_a_value_is_one_word_whatever_it_holds(workspace: Workspace, quotes: str) -> None:
    configure(workspace, on_task_complete=[piped(f"printf '<%s>' {quotes}")])
    decision = workspace.fire(EventKind.TaskCompleted, task_id="TAS-1", task_content=HOSTILE)
    assert decision.contexts == (f"<{HOSTILE}>",)
    assert not (workspace.root / "pwned").exists()


def test_placeholders_that_do_not_apply_are_empty_and_unknown_ones_stay(workspace: Workspace) -> None:
    configure(
        workspace,
        session_start=[piped("echo {{session}}/{{iteration}}/{{error}} '{{foo}} {{ session }}' {{session}}")],
    )
    assert workspace.fire(EventKind.SessionStart, iteration=3).contexts == (
        "s1// {{foo}} {{ session }} s1\n",
    )


def test_a_huge_error_is_cut_in_the_command_and_whole_in_its_file(workspace: Workspace) -> None:
    command = 'printf %s "{{error}}" | wc -c; wc -c < "$ITERATR_ERROR_FILE"; echo "$ITERATR_ITERATION"'
    configure(workspace, on_error=[piped(command)])
    decision = workspace.fire(EventKind.IterationError, iteration=2, error="x" * 300_000)
    assert [text.split() for text in decision.contexts] == [["98304", "300000", "2"]]


def test_a_session_that_goes_on_does_not_begin_again(workspace: Workspace) -> None:
    """A restart and a resumed session do, what follows `clear` and `compact` does not."""
    configure(workspace, session_start=[piped("echo set up")])
    engine = workspace.engine()
    sources = ("startup", "compact", "resume", "clear", "startup")
    decisions = [workspace.fire(EventKind.SessionStart, engine=engine, source=source) for source in sources]
    statuses = [decision.results[0].status for decision in decisions]
    assert statuses == [Status.ran, Status.not_matched, Status.ran, Status.not_matched, Status.ran]
