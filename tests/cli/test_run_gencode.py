"""GenCode's hooks in `hookline run`: every moment of its loop, with real tools and real hook processes."""

from __future__ import annotations

import json
import re

import pytest
from tests.cli.loop_bench import (
    call,
    calls,
    gencode,
    note,
    noted,
    requests,
    results,
    run,
    stream,
    texts,
)
from tests.program import Program

DENY = note("echo not today >&2; exit 2")


def test_a_blocked_tool_does_not_run_and_fires_no_post_event(program: Program) -> None:
    """No permission prompt either; the loop goes on with an error result."""
    gencode(program, PreToolUse=DENY, PostToolUse=note(), PostToolUseFailure=note(), PermissionRequest=note())
    done = run(program, [call("Bash", command="touch ran")], "--permission-mode", "default")
    assert done.returncode == 0
    assert not (program.workspace / "ran").exists()
    assert results(program) == [
        {
            "type": "tool_result",
            "tool_use_id": "toolu_01_1",
            "content": "Blocked by PreToolUse hook: not today",
            "is_error": True,
        }
    ]
    assert [line["hook_event_name"] for line in noted(program)] == ["PreToolUse"]


@pytest.mark.parametrize(
    ("path", "line", "reason"),
    [
        (".gen/settings.json", "exit 2", "no reason given"),
        (".claude/settings.json", "exit 2", "exit 2, nothing on stderr"),
        (".claude/settings.json", 'echo \'{"decision": "block"}\'', "no reason given"),
    ],
)
def test_a_block_without_words_has_a_text_of_its_own(
    program: Program, path: str, line: str, reason: str
) -> None:
    """The fixed text, and not the beginning twice."""
    group = {"hooks": [{"type": "command", "command": line}]}
    program.write(path, json.dumps({"hooks": {"PreToolUse": [group]}}))
    run(program, [call("Bash", command="true")])
    assert results(program)[0]["content"] == f"Blocked by PreToolUse hook: {reason}"


def test_a_hook_that_fails_lets_the_tool_run_and_is_seen(program: Program) -> None:
    """Exit 1, a time-out and a crash warn."""
    group = [
        {"hooks": [{"type": "command", "command": "exit 1"}]},
        {"hooks": [{"type": "command", "command": "sleep 60", "timeout": 100}]},
        {"hooks": [{"type": "command", "command": "kill -9 $$"}]},
    ]
    gencode(program, PreToolUse=group)
    done = run(program, [call("Bash", command="touch ran")])
    assert done.returncode == 0
    assert (program.workspace / "ran").exists()
    assert done.stderr.count("✗") == 2 and done.stderr.count("⏱") == 1


def test_the_order_is_hooks_permission_tool_and_hooks_again(program: Program) -> None:
    """And only PostToolUse when the tool succeeded."""
    gencode(
        program, PreToolUse=note(), PermissionRequest=note("echo '{\"decision\": \"approve\"}'"),
        PostToolUse=note("test -e ran && touch seen"), PostToolUseFailure=note(),
    )  # fmt: skip
    run(program, [call("Bash", command="touch ran")])
    assert [line["hook_event_name"] for line in noted(program)] == ["PreToolUse", "PostToolUse"]
    assert (program.workspace / "seen").exists()


def test_a_failed_tool_fires_only_the_failure_event(program: Program) -> None:
    """The tool's result failed, or the tool could not do it."""
    gencode(program, PostToolUse=note(), PostToolUseFailure=note())
    run(program, [call("Bash", command="echo bad; exit 3"), call("Read", file_path="missing")])
    found = noted(program)
    assert [line["hook_event_name"] for line in found] == ["PostToolUseFailure"] * 2
    assert found[0]["error"] == "exit code 3\nbad"


def test_a_refused_permission_fires_the_failure_event(program: Program) -> None:
    """Permission denied; nobody is there to ask, and the model hears so."""
    gencode(program, PermissionRequest=note(), Notification=note(), PostToolUseFailure=note())
    run(program, [call("Bash", command="touch ran")], "--permission-mode", "default")
    assert not (program.workspace / "ran").exists()
    kinds = [line["hook_event_name"] for line in noted(program)]
    assert kinds == ["PermissionRequest", "Notification", "PostToolUseFailure"]
    assert "nobody is there to ask" in results(program)[0]["content"]


def test_a_blocking_post_hook_adds_its_words_and_skips_the_rest_of_the_batch(program: Program) -> None:
    """The tool is not undone."""
    gencode(program, PostToolUse="echo lint failed >&2; exit 2")
    batch = calls(
        ("Write", {"file_path": "a", "content": "1"}), ("Write", {"file_path": "b", "content": "2"})
    )
    done = run(program, [batch])
    assert "Hook blocked further execution: lint failed" in done.stderr
    assert (program.workspace / "a").exists() and not (program.workspace / "b").exists()
    first, second = results(program)
    assert first["is_error"] and "lint failed" in first["content"] and "wrote a" in first["content"]
    assert second["is_error"] and second["content"].startswith("not run: ")
    assert "lint failed" in second["content"]


def test_a_blocking_entry_blocks_on_any_failure_after_the_tool(program: Program) -> None:
    """`blocking: true`, and stdout where there is no stderr."""
    hook = {"type": "command", "command": "echo style; exit 1", "blocking": True}
    gencode(program, PostToolUse=[{"hooks": [hook]}])
    run(program, [call("Write", file_path="a", content="1")])
    assert results(program)[0]["is_error"] and "style" in results(program)[0]["content"]


def test_each_call_of_a_turn_is_judged_on_its_own(program: Program) -> None:
    """The first is blocked, the second runs."""
    gencode(program, PreToolUse=[{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}])
    run(program, [calls(("Bash", {"command": "true"}), ("Write", {"file_path": "b", "content": "2"}))])
    assert [result["is_error"] for result in results(program)] == [True, False]


def test_a_session_starts_once_also_when_it_is_gone_on_with(program: Program) -> None:
    """Startup, then resume with `--continue`; the model gets the hook's context and its old words."""
    gencode(program, SessionStart=note("echo remember the tests"))
    run(program, [{"text": "one"}], prompt="first")
    run(program, [{"text": "two"}], "--continue", prompt="second")
    assert [line["source"] for line in noted(program)] == ["startup", "resume"]
    messages = requests(program)[-1]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[0]["content"][0]["text"] == "first"
    assert [block["text"] for block in messages[2]["content"]] == ["second", "remember the tests"]


def test_the_end_of_a_turn_stops_once(program: Program) -> None:
    gencode(program, Stop=note())
    run(program, [call("Bash", command="true"), {"text": "done"}])
    (stop,) = noted(program)
    assert (stop["stop_hook_active"], stop["last_assistant_message"]) == (False, "done")


def test_a_turn_that_fails_is_a_stop_failure_and_no_stop(program: Program) -> None:
    """The provider's error, and too many turns."""
    gencode(program, Stop=note(), StopFailure=note())
    failed = run(program, [{"error": "overloaded"}])
    assert failed.returncode == 1
    endless = run(program, [call("Bash", command="true")] * 3, "--max-turns", "2")
    assert endless.returncode == 1
    found = noted(program)
    assert [line["hook_event_name"] for line in found] == ["StopFailure", "StopFailure"]
    assert [line["error"] for line in found] == ["overloaded", "max_turns"]


def test_a_blocked_stop_goes_on_with_the_reason_three_times_at_most(program: Program) -> None:
    """Then the turn ends as capped, although the hook never lets go; a gate that is not met is a failure."""
    gencode(program, Stop=note("echo run the tests >&2; exit 2"))
    done = run(program, [], script={"after": "no"})
    assert done.returncode == 1
    assert [stop["stop_hook_active"] for stop in noted(program)] == [False, True, True, True]
    assert len(requests(program)) == 4
    assert texts(program) == ["run the tests"]
    assert "stopped after 3 continuations: run the tests" in done.stderr


def test_a_prompt_can_be_refused_and_its_reason_is_shown(program: Program) -> None:
    """Exit 2 discards it; the model is never asked."""
    gencode(program, UserPromptSubmit=note("echo no secrets >&2; exit 2"))
    done = run(program, [{"text": "never"}], prompt="my key is 123")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: no secrets" in done.stderr
    assert not (program.workspace / ".git/record").exists()
    assert noted(program)[0]["prompt"] == "my key is 123"


def test_what_a_prompt_hook_prints_is_context_for_the_model(program: Program) -> None:
    """Stdout on exit 0."""
    gencode(program, UserPromptSubmit="echo it is Saturday")
    run(program, [{"text": "ok"}], prompt="what day is it?")
    assert texts(program) == ["what day is it?", "it is Saturday"]


def test_the_permission_prompt_is_a_notification(program: Program) -> None:
    gencode(program, Notification=note())
    run(program, [call("Bash", command="true")], "--permission-mode", "default")
    (notice,) = noted(program)
    assert (notice["notification_type"], notice["message"]) == ("permission_prompt", "Bash needs permission")


def test_a_subagents_end_is_seen_and_can_be_refused(program: Program) -> None:
    """Its answer is the result of the Agent tool."""
    gencode(program, SubagentStop=note("test -e .git/asked || { touch .git/asked; echo more >&2; exit 2; }"))
    turns = [
        call("Agent", prompt="count", subagent_type="Explore"),
        {"text": "41"},
        {"text": "42"},
        {"text": "ok"},
    ]
    run(program, turns)
    first, second = noted(program)
    assert (first["agent_type"], first["last_assistant_message"]) == ("Explore", "41")
    assert (second["stop_hook_active"], second["last_assistant_message"]) == (True, "42")
    assert results(program)[0]["content"] == "42"


def test_the_end_of_a_session_has_its_reason(program: Program) -> None:
    gencode(program, SessionEnd=note())
    run(program, [{"text": "ok"}])
    run(program, [{"error": "overloaded"}])
    assert [line["reason"] for line in noted(program)] == ["other", "error"]


def test_a_running_hook_shows_what_it_is_and_how_it_ended(program: Program) -> None:
    """A start mark with the command, then success or failure and the first line of output."""
    group = [{"hooks": [
        {"type": "command", "command": "echo fine; echo more"},
        {"type": "command", "command": "echo broken >&2; exit 1", "statusMessage": "Checking style"},
    ]}]  # fmt: skip
    gencode(program, PostToolUse=group)
    done = run(program, [call("Bash", command="true")])
    assert "▶ PostToolUse: echo fine; echo more" in done.stderr
    assert "✓ PostToolUse: echo fine; echo more (" in done.stderr
    assert ") — fine\n" in done.stderr
    assert "▶ PostToolUse: Checking style" in done.stderr
    assert "✗ PostToolUse: Checking style (" in done.stderr and ") — broken\n" in done.stderr


def test_one_shot_mode_fires_what_a_chat_fires(program: Program) -> None:
    """Every event of a turn, in its order."""
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
    gencode(program, **dict.fromkeys(events, note()))
    run(program, [call("Bash", command="true"), {"text": "ok"}])
    assert tuple(line["hook_event_name"] for line in noted(program)) == events


def test_background_hooks_bring_their_context_at_the_next_turn(program: Program) -> None:
    """`blocking: false`: the tool does not wait; the words come with a later request."""
    hook = {"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PostToolUse\", "
            "\"additionalContext\": \"indexed\"}}'; touch .git/indexed", "blocking": False}  # fmt: skip
    gencode(program, PostToolUse=[{"matcher": "Write", "hooks": [hook]}])
    wait = "until test -e .git/indexed; do sleep 0.02; done; sleep 0.3"
    run(program, [call("Write", file_path="a", content="1"), call("Bash", command=wait), {"text": "ok"}])
    assert "indexed" not in str(requests(program)[1])
    assert texts(program) == ["indexed"]


def test_the_stream_has_each_hook_that_ran_with_its_outcome(program: Program) -> None:
    """One line for each hook that ran, also when it rejected."""
    gencode(program, PreToolUse=DENY, Stop=note())
    done = run(program, [call("Bash", command="true"), {"text": "ok"}], "--json")
    finished = stream(done, "hook.finished")
    assert [(line["event"], line["verdict"]) for line in finished] == [
        ("PreToolUse", "deny"),
        ("Stop", "none"),
    ]
    assert len(stream(done, "hook.started")) == 2


def test_debugging_tells_what_matched_and_what_ran(program: Program) -> None:
    """1 says which hooks ran and why others did not, 2 also what they ran and said."""
    groups = [
        {"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]},
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo seen >&2"}]},
    ]
    gencode(program, PreToolUse=groups)
    turns = [call("Bash", command="true")]
    quiet = run(program, turns).stderr
    one = run(program, turns, environment={"GEN_DEBUG_HOOKS": "1"}).stderr
    two = run(program, turns, environment={"GEN_DEBUG": "2"}).stderr
    assert "[hooks]" not in quiet
    assert "[hooks] PreToolUse Bash: none\n" in one
    assert re.search(r"gencode:PreToolUse:\w{6}: not_matched: ", one)
    assert re.search(r"gencode:PreToolUse:\w{6}: ran, exit 0, ", one) and "stderr: seen" not in one
    assert "command: " in two and "stderr: seen" in two


def test_no_path_is_refused_for_its_looks(program: Program) -> None:
    """Two dots in a name and a temporary folder are legal; what counts is where a path leads."""
    gencode(program, PostToolUse="echo $FILE_PATH >> .git/paths")
    run(
        program,
        [call("Write", file_path="a..b", content="1"), call("Write", file_path="etc/passwd", content="1")],
    )
    assert (program.workspace / ".git/paths").read_text() == "a..b\netc/passwd\n"


def test_a_background_hook_may_finish_at_the_end_of_the_session(program: Program) -> None:
    """`blocking: false` at Stop: the program waits a little, and leaves no process behind."""
    quick = {"type": "command", "command": "sleep 0.5; touch .git/finished", "blocking": False}
    slow = {"type": "command", "command": "sleep 3600", "blocking": False}
    gencode(program, Stop=[{"hooks": [quick, slow]}])
    assert run(program, [{"text": "ok"}]).returncode == 0
    assert (program.workspace / ".git/finished").exists()
