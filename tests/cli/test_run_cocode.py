"""cocode's hooks in `hookline run`: what each result does to the loop."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys

from tests.cli.loop_bench import (
    RECORD,
    call,
    calls,
    cocode,
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
from tests.waiting import DEADLINE_S, wait_for

REJECT = note('echo \'{"Reject": {"reason": "not here"}}\'')


def modify(expression: str) -> str:
    """A hook that puts `expression` (Python, of `given`) in place of the tool's input."""
    code = (
        "import json,sys; given = json.load(sys.stdin)['tool_input']; "
        f"print(json.dumps({{'ModifyInput': {{'new_input': {expression}}}}}))"
    )
    return f'{sys.executable} -c "{code}"'


def test_a_rejected_call_is_not_made_and_has_no_post_event(program: Program) -> None:
    """The error result carries the reason as it is; the loop goes on."""
    cocode(program, ("PreToolUse", REJECT), ("PostToolUse", note()), ("PostToolUseFailure", note()))
    done = run(program, [call("Bash", command="touch ran"), {"text": "well"}])
    assert (done.returncode, done.stdout) == (0, "well\n")
    assert not (program.workspace / "ran").exists()
    assert (results(program)[0]["content"], results(program)[0]["is_error"]) == ("not here", True)
    assert [line["event"] for line in noted(program)] == ["PreToolUse"]


def test_a_modified_call_is_made_with_the_new_input(program: Program) -> None:
    """The Post event reports the new input."""
    cocode(program, ("PreToolUse", modify("{'command': 'echo safe'}")), ("PostToolUse", note()))
    run(program, [call("Bash", command="echo danger")])
    assert results(program)[0]["content"] == "safe"
    (post,) = noted(program, "PostToolUse")
    assert post["tool_input"] == {"command": "echo safe"}


def test_a_modified_input_that_fits_no_schema_is_an_error_result(program: Program) -> None:
    """Validated again; no crash, no call."""
    cocode(program, ("PreToolUse", modify("{'cmd': 'echo safe'}")))
    done = run(program, [call("Bash", command="touch ran")])
    assert done.returncode == 0
    assert results(program)[0]["content"] == "a hook rewrote the input: Bash needs `command`"
    assert not (program.workspace / "ran").exists()


def test_a_modified_input_is_judged_again_by_the_permission_rules(program: Program) -> None:
    """A deny rule beats what a hook made of the call."""
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    cocode(program, ("PreToolUse", modify("{'command': 'touch ran'}")))
    run(program, [call("Bash", command="true")])
    assert "denied by the permission rule `Bash(touch:*)`" in results(program)[0]["content"]
    assert not (program.workspace / "ran").exists()


def test_a_hooks_allow_does_not_beat_a_deny_rule(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    allow = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    gencode(program, PreToolUse=f"echo '{json.dumps(allow)}'")
    run(program, [call("Bash", command="echo x && touch ran")], "--permission-mode", "default")
    assert not (program.workspace / "ran").exists()


def test_success_and_failure_are_told_apart(program: Program) -> None:
    """`tool_output` of the one, `error` of the other."""
    cocode(program, ("PostToolUse", note()), ("PostToolUseFailure", note()))
    run(program, [calls(("Bash", {"command": "echo hi"}), ("Bash", {"command": "exit 4"}))])
    (post,), (failure,) = noted(program, "PostToolUse"), noted(program, "PostToolUseFailure")
    assert post["tool_output"]["content"].strip() == "hi"
    assert failure["error"] == "exit code 4"


def test_a_hook_after_the_tool_cannot_change_its_result(program: Program) -> None:
    """Rejecting or failing there only shows."""
    cocode(program, ("PostToolUse", REJECT), ("PostToolUse", "exit 1"))
    done = run(program, [call("Bash", command="echo hi")])
    assert (results(program)[0]["content"], results(program)[0]["is_error"]) == ("hi", False)
    assert "✗ PostToolUse: PostToolUse-2" in done.stderr


def test_a_prompt_hook_can_rewrite_the_prompt(program: Program) -> None:
    """A text, or an object; the message hook sees what the model gets."""
    answer = {"ModifyInput": {"new_input": {"user_prompt": "say please"}}}
    cocode(program, ("PrePromptSubmit", note(f"echo '{json.dumps(answer)}'")), ("PostUserMessage", note()))
    run(program, [{"text": "ok"}], prompt="do it")
    assert texts(program) == ["say please"]
    assert [line["user_prompt"] for line in noted(program)] == ["do it", "say please"]


def test_a_prompt_hook_can_drop_the_prompt(program: Program) -> None:
    """With its reason; the message hook never sees it."""
    cocode(program, ("PrePromptSubmit", REJECT), ("PostUserMessage", note()))
    done = run(program, [{"text": "never"}])
    assert done.returncode == 2
    assert "error: not here" in done.stderr
    assert noted(program, "PostUserMessage") == []


def test_a_session_ends_also_after_an_error(program: Program) -> None:
    """Once each."""
    cocode(program, ("SessionStart", note()), ("SessionEnd", note()))
    run(program, [{"error": "overloaded"}])
    assert [line["event"] for line in noted(program)] == ["SessionStart", "SessionEnd"]


def started(program: Program, turn: str, *options: str) -> subprocess.Popen[bytes]:
    script = program.workspace / ".git" / "turns.yml"
    script.write_text(f"turns: [{turn}]\n")
    command = ("run", "go", "--model", f"scripted:{script}", *options)
    return program.start(*command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_session_ends_on_signals_and_no_stop_hook_restarts_it(program: Program) -> None:
    """TERM while a tool runs; Stop is not fired, StopFailure and SessionEnd are."""
    events = ("Stop", "StopFailure", "SessionEnd")
    gencode(program, **dict.fromkeys(events, note("echo go on >&2; exit 2")))
    sleeping = '{tool_calls: [{name: Bash, input: {command: "touch .git/here; sleep 120"}}]}'
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        process = started(program, sleeping)
        wait_for(program.workspace / ".git/here")
        (program.workspace / ".git/here").unlink()
        process.send_signal(number)
        told = process.communicate(timeout=DEADLINE_S)[1].decode()
        assert process.returncode == code
        (resumed,) = re.findall(r"^interrupted: `hookline run --resume (\S+) …` goes on$", told, re.M)
        assert list((program.home / ".local/state/hookline").rglob(f"{resumed}.jsonl"))
    found = [(line["hook_event_name"], line.get("error") or line.get("reason")) for line in noted(program)]
    assert found == [("StopFailure", "interrupted"), ("SessionEnd", "interrupted")] * 2


def test_a_cancelled_subagent_has_stopped_too(program: Program) -> None:
    """On completion, on failure, and on cancel."""
    cocode(program, ("SubagentStop", note()))
    process = started(program, "{tool_calls: [{name: Agent, input: {prompt: x}}]}, "
                      '{tool_calls: [{name: Bash, input: {command: "touch .git/here; sleep 120"}}]}')  # fmt: skip
    wait_for(program.workspace / ".git/here")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
    assert [(line["event"], line["agent_id"]) for line in noted(program)] == [("SubagentStop", "agent-1")]


def test_a_slow_end_hook_cannot_hold_up_the_exit(program: Program) -> None:
    """SessionEnd has a budget of its own, whatever the hook's own limit."""
    cocode(program, ("SessionEnd", "sleep 3600"))
    done = run(program, [{"text": "ok"}])
    assert done.returncode == 0


def test_a_cancelled_hook_is_killed_and_rejects_nothing(program: Program) -> None:
    """No reject is recorded as the user's policy."""
    cocode(program, ("PreToolUse", "touch .git/here; sleep 120; touch .git/late"))
    process = started(program, "{tool_calls: [{name: Bash, input: {command: touch ran}}]}", "--json")
    wait_for(program.workspace / ".git/here")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=DEADLINE_S)
    lines = [json.loads(line) for line in out.decode().splitlines()]
    assert process.returncode == 130
    assert not [line for line in lines if line["type"] == "decision" and line["verdict"] == "deny"]
    assert not (program.workspace / "ran").exists()


def test_a_subagents_calls_pass_the_same_guards(program: Program) -> None:
    """With its `agent_id`, also two agents deep."""
    cocode(program, ("SubagentStart", note()), ("PreToolUse", REJECT), ("SubagentStop", note()), more="")
    cocode_matcher = program.home / ".config/cocode/hooks.toml"
    text = cocode_matcher.read_text().replace(
        'event = "PreToolUse"', 'event = "PreToolUse"\ntool_matcher = "Bash"'
    )
    cocode_matcher.write_text(text)
    turns = [
        call("Agent", prompt="outer"),
        call("Agent", prompt="inner"),
        call("Bash", command="touch ran"),
        {"text": "inner done", "expect": "not here"},
        {"text": "outer done"},
        {"text": "all done"},
    ]
    done = run(program, turns)
    assert (done.returncode, done.stdout) == (0, "all done\n")
    assert not (program.workspace / "ran").exists()
    assert [(line["event"], line["agent_id"]) for line in noted(program)] == [
        ("SubagentStart", "agent-1"),
        ("SubagentStart", "agent-2"),
        ("PreToolUse", "agent-2"),
        ("SubagentStop", "agent-2"),
        ("SubagentStop", "agent-1"),
    ]


def test_a_subagent_that_fails_has_stopped_too(program: Program) -> None:
    cocode(program, ("SubagentStop", note()))
    run(program, [call("Agent", prompt="x"), {"error": "overloaded"}, {"text": "ok"}])
    assert [line["event"] for line in noted(program)] == ["SubagentStop"]
    assert "the subagent failed: overloaded" in results(program)[0]["content"]


def test_a_full_context_is_compacted_whatever_a_hook_says(program: Program) -> None:
    """The veto is noted, and ignored when the context is full."""
    cocode(program, ("PreCompact", REJECT), ("SessionStart", note()))
    gencode(program, PostCompact=note())
    done = run(program, [call("Bash", command="true"), {"text": "the summary"}], "--context-tokens", "1")
    assert "not here (not heeded: the context is full)" in done.stderr
    assert requests(program)[2][0]["content"][0]["text"] == "Summary of the conversation so far:\nthe summary"
    assert noted(program, "PreCompact")[0]["trigger"] == "auto"
    assert noted(program, "PostCompact")[0]["compact_summary"] == "the summary"


def test_a_notification_carries_its_message(program: Program) -> None:
    cocode(program, ("NotificationEvent", note()))
    run(program, [call("Bash", command="true")], "--permission-mode", "default")
    assert noted(program)[0]["message"] == "Bash needs permission"


def test_a_status_line_is_what_its_hook_prints_first(program: Program) -> None:
    """And it never blocks anything."""
    cocode(program, ("StatusLine", "echo two tasks left; echo more"), ("StatusLine", "exit 2"))
    done = run(program, [{"text": "ok"}])
    assert done.returncode == 0
    assert "two tasks left\n" in done.stderr


def test_parallel_calls_keep_their_inputs_apart(program: Program) -> None:
    """50 calls at once, one hook that rewrites each and one that may run once."""
    once = program.home / ".config/cocode/hooks.toml"
    cocode(program, ("PreToolUse", modify("{'command': given['command'] + ' rewritten'}")))
    text = once.read_text()
    once.write_text(text + "\n[[hooks]]\nevent = \"PreToolUse\"\nonce = true\n[hooks.shell]\n"
                    "command = '''echo x >> .git/once'''\n")  # fmt: skip
    batch = calls(*[("Bash", {"command": f"echo {n}"}) for n in range(50)])
    done = run(program, [batch], "--json")
    assert done.returncode == 0
    assert [result["content"] for result in results(program)] == [f"{n} rewritten" for n in range(50)]
    assert (program.workspace / ".git/once").read_text() == "x\n"
    assert len(stream(done, "hook.finished")) == 51


def test_the_line_of_a_hook_says_which_call_it_judged(program: Program) -> None:
    """Of two calls at once, the one that was denied."""
    guard = "grep -q 'rm kept' && { echo no rm >&2; exit 2; }; exit 0"
    gencode(program, PreToolUse=guard, Stop="true")
    done = run(
        program, [calls(("Bash", {"command": "rm kept"}), ("Bash", {"command": "ls"})), {"text": "ok"}]
    )
    found = re.findall(
        r"^ *(\S) (PreToolUse|Stop): .*\([^,()]*s(?:, (.*?))?\)(?: — (.*))?$", done.stderr, re.M
    )
    assert sorted(found) == sorted(
        [
            ("⊘", "PreToolUse", "Bash: rm kept", "deny: no rm"),
            ("✓", "PreToolUse", "Bash: ls", ""),
            ("✓", "Stop", "", ""),
        ]
    )


def test_parallel_calls_really_run_at_once(program: Program) -> None:
    """Each waits for a file that another one of the same batch makes."""
    wait = "until test -e {}; do sleep 0.02; done"
    batch = calls(
        ("Bash", {"command": f"touch a; {wait.format('b')}", "timeout": 100000}),
        ("Bash", {"command": f"touch b; {wait.format('a')}", "timeout": 100000}),
    )
    run(program, [batch])
    assert [result["is_error"] for result in results(program)] == [False, False]


def test_a_person_on_the_terminal_is_asked(program: Program) -> None:
    """`default` asks where there is a terminal; yes lets the tool run, no does not."""
    for answer, runs in (("y\n", True), ("n\n", False)):
        (program.workspace / "ran").unlink(missing_ok=True)
        turn = "{tool_calls: [{name: Bash, input: {command: touch ran}}]}"
        shown = on_terminal(program, turn, answer)
        assert "[y]es" in shown
        assert (program.workspace / "ran").exists() is runs


def on_terminal(program: Program, turn: str, answer: str) -> str:
    script = program.workspace / ".git" / "turns.yml"
    script.write_text(f"turns: [{turn}]\n")
    ours, theirs = pty.openpty()
    command = ("run", "go", "--model", f"scripted:{script}", "--record", RECORD)
    process = program.start(*command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while b"[n]o?" not in shown:
            shown += os.read(ours, 4096)
        os.write(ours, answer.encode())
        while True:
            shown += os.read(ours, 4096)
    except OSError:
        pass  # the terminal is closed once the program has ended
    finally:
        os.close(ours)
    assert process.wait(timeout=DEADLINE_S) == 0
    return shown.decode()
