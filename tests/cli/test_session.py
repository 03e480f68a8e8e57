"""A session with a person, seen and typed through a real terminal."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import yaml
from tests.cli.loop_bench import RECORD, call, cocode, gencode, note, noted, requests
from tests.cli.terminal import session
from tests.program import Program
from tests.waiting import wait_for


def script(program: Program, *turns: dict[str, object]) -> tuple[str, ...]:
    path = program.workspace / ".git" / "turns.yml"
    path.write_text(yaml.safe_dump({"turns": list(turns)}))
    return ("--model", f"scripted:{path}", "--record", RECORD)


def test_a_person_holds_a_session_is_asked_and_sees_a_guard_block(program: Program) -> None:
    """A prompt, a permission question answered both ways, a block, and the end."""
    guard = {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": "! grep -q '\"rm ' || { echo no rm >&2; exit 2; }"}],
    }
    end = {"hooks": [{"type": "command", "command": note()}]}
    gencode(program, PreToolUse=[guard], SessionEnd=[end])
    options = script(
        program,
        call("Bash", command="touch one"),
        {"text": "The first is done."},
        call("Bash", command="touch two"),
        {"text": "You said no."},
        call("Bash", command="rm one"),
        {"text": "I may not."},
    )
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("make one")
        assert "^[" not in terminal.wait("[y]es, [a]lways in this session, [n]o?")
        terminal.type("y")
        terminal.wait("The first is done.")
        terminal.type("make two")
        terminal.wait("touch two\n  always allows exactly this: Bash(touch two)\n  Bash touch two: [y]es")
        terminal.type("n")
        terminal.wait("You said no.")
        terminal.type("remove one")
        terminal.wait("⊘ PreToolUse", "deny: no rm", "I may not.")
        terminal.type("/quit")
        terminal.wait("[exit 0]")
    assert (program.workspace / "one").exists() and not (program.workspace / "two").exists()
    assert [line["reason"] for line in noted(program)] == ["prompt_input_exit"]


def test_the_line_of_an_answer_says_what_it_is_about_beside_another_call(program: Program) -> None:
    """The second call is told after the first one's question, and stands right above the answer."""
    both = [call("Bash", command=command)["tool_calls"][0] for command in ("touch one", "rm \033[2K -r two")]
    with session(program, *script(program, {"tool_calls": both}, {"text": "Well."})) as terminal:
        terminal.wait("\n>")
        terminal.type("do both")
        terminal.wait("[Bash] rm", "  Bash touch one: [y]es, [a]lways in this session, [n]o?")
        terminal.type("n")
        terminal.wait("  Bash rm [2K -r two: [y]es, [a]lways in this session, [n]o?")
        terminal.type("n")
        terminal.wait("Well.")


def test_a_hook_that_ends_beside_a_question_leaves_the_question_alone(program: Program) -> None:
    """Two calls at once: the answer to one is waited for while the guard of the other says no.

    The one guard has a line for each call: that of the second stays when the first ends.
    """
    waits = "touch .git/on-$n; while ! test -e .git/go-$n; do sleep 0.05; done"
    command = f"n=$(grep -oE '\"(rm|touch) ' | tr -dc a-z); {waits}; test $n = touch || {{ echo no rm >&2; exit 2; }}"
    gencode(program, PreToolUse=[{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}])
    both = [call("Bash", command=command)["tool_calls"][0] for command in ("touch one", "rm one")]
    with session(program, *script(program, {"tool_calls": both}, {"text": "Well."})) as terminal:
        terminal.wait("\n>")
        terminal.type("do both")
        wait_for(program.workspace / ".git" / "on-touch")
        wait_for(program.workspace / ".git" / "on-rm")
        (program.workspace / ".git" / "go-touch").touch()
        shown = terminal.wait("[y]es, [a]lways in this session, [n]o?")
        assert (shown.count("▶ PreToolUse"), shown.count("✓ PreToolUse")) == (2, 1), shown
        (program.workspace / ".git" / "go-rm").touch()
        shown = terminal.wait("deny: no rm", "[y]es, [a]lways in this session, [n]o?")
        assert [line for line in shown.splitlines() if "[n]o?" in line and "rm" in line] == []
        terminal.type("y")
        shown = terminal.wait("Well.")
        assert "deny: no rm" in shown


def test_hooks_are_listed_and_reloaded_in_one_step(program: Program) -> None:
    """The table, and none; `/hooks reload` moves the generation on."""
    with session(program, *script(program)) as terminal:
        terminal.wait("\n>")
        terminal.type("/hooks")
        terminal.wait("No hooks are configured here.")
        group = {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "npm run lint"}]}
        gencode(program, PostToolUse=[group], Stop="true")
        terminal.type("/hooks reload")
        terminal.wait("hooks reloaded: generation 2, 2 hooks")
        terminal.type("/hooks")
        shown = terminal.wait("npm run lint (Edit|Write)")
        assert "Event" in shown and "Action" in shown and "PostToolUse" in shown


def test_one_interrupt_ends_the_turn_and_two_the_session(program: Program) -> None:
    """The turn is not restarted by a Stop hook; ^C twice quits."""
    gencode(program, Stop=note("exit 2"), StopFailure=note(), SessionEnd=note())
    options = script(program, call("Bash", command="touch .git/here; sleep 120"), {"text": "Still here."})
    with session(program, *options, "--permission-mode", "bypassPermissions") as terminal:
        terminal.wait("\n>")
        terminal.type("wait")
        terminal.wait("sleep 120")
        while not (program.workspace / ".git/here").exists():
            terminal.wait("sleep 120")
        terminal.press("C-c")
        terminal.wait("interrupted")
        terminal.press("C-c")
        terminal.wait("[exit 130]")
    kinds = [line["hook_event_name"] for line in noted(program)]
    assert kinds == ["StopFailure", "SessionEnd"]


def test_an_interrupt_that_meets_no_key_of_the_prompt_counts_as_well(program: Program) -> None:
    """Between a turn and the next prompt the terminal sends a signal in place of a key."""
    gencode(program, SessionEnd=note())
    with session(program, *script(program, {"text": "Hello."})) as terminal:
        terminal.wait("\n>")
        shell = terminal.tmux("list-panes", "-F", "#{pane_pid}").strip()
        (pid,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        os.kill(int(pid), signal.SIGINT)
        terminal.wait("press ^C again to quit")
        os.kill(int(pid), signal.SIGINT)
        terminal.wait("[exit 130]")
    assert [line["hook_event_name"] for line in noted(program)] == ["SessionEnd"]


def test_sessions_are_listed_cleared_and_resumed(program: Program) -> None:
    """`/clear` and `/resume` end one session and start another, with their reasons."""
    gencode(program, SessionStart=note(), SessionEnd=note())
    options = script(program, {"text": "I heard apples."}, {"text": "I heard pears."}, {"text": "Both."})
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("apples")
        terminal.wait("I heard apples.")
        terminal.type("/clear")
        terminal.wait("a new conversation")
        terminal.type("pears")
        terminal.wait("I heard pears.")
        terminal.type("/sessions")
        shown = terminal.wait("first prompt")
        rows = [
            line for line in shown.splitlines() if line.strip().endswith(("apples", "pears")) and "T" in line
        ]
        assert len(rows) == 2 and rows[0].startswith("▶")
        known = rows[1].split()[0]
        terminal.type(f"/resume {known}")
        terminal.wait(f"session {known}: 2 messages")
        terminal.type("more")
        terminal.wait("Both.")
        terminal.type("/quit")
        terminal.wait("[exit 0]")
    assert [m["content"][0]["text"] for m in requests(program)[-1]] == ["apples", "I heard apples.", "more"]
    sources = [line.get("source") or line.get("reason") for line in noted(program)]
    assert sources == ["startup", "clear", "clear", "resume", "resume", "prompt_input_exit"]


def test_a_compaction_can_be_refused_by_a_hook(program: Program) -> None:
    """A manual one is cancelled."""
    reject = json.dumps({"Reject": {"reason": "not now"}})
    cocode(program, ("PreCompact", f"test -e .git/may && echo '\"Continue\"' || echo '{reject}'"))
    options = script(program, {"text": "First."}, {"text": "All in one line."})
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("hello")
        terminal.wait("First.")
        terminal.type("/compact")
        terminal.wait("compaction stopped: not now")
        (program.workspace / ".git/may").touch()
        terminal.type("/compact")
        terminal.wait("the conversation is now its summary:", "All in one line.")


def test_what_a_hook_prints_before_a_compaction_is_asked_of_the_summary(program: Program) -> None:
    entry = {"hooks": [{"type": "command", "command": "echo keep every file name"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreCompact": [entry]}}))
    options = script(program, {"text": "First."}, {"text": "All in one line."})
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("hello")
        terminal.wait("First.")
        terminal.type("/compact")
        terminal.wait("All in one line.")
    assert requests(program)[-1][-1]["content"][0]["text"].endswith("\nkeep every file name")


def test_files_are_suggested_and_the_status_shown_by_hooks(program: Program) -> None:
    """FileSuggestion completes after `@`, StatusLine stands below the prompt."""
    cocode(program, ("StatusLine", "echo two tasks left"), ("FileSuggestion", "echo src/from_the_hook.py"))
    with session(program, *script(program, {"text": "Seen."})) as terminal:
        terminal.wait("\n>", "two tasks left")
        terminal.press("-l", "look at @from")
        terminal.press("Tab")
        terminal.wait("look at src/from_the_hook.py")
        terminal.press("Enter")
        terminal.wait("Seen.")
    assert requests(program)[0][0]["content"][0]["text"] == "look at src/from_the_hook.py"


def test_what_was_typed_before_comes_back(program: Program) -> None:
    """History, also over sessions; and a mistyped command is told."""
    options = script(program, {"text": "One."})
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("remember this")
        terminal.wait("One.")
        terminal.type("/hoks")
        terminal.wait("did you mean `/hooks`?")
        terminal.type("/quit")
        terminal.wait("[exit 0]")
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.press("Up", "Up", "Up")
        terminal.wait("> remember this")


def test_a_background_hook_wakes_the_agent_at_the_prompt(program: Program) -> None:
    """Nobody types anything; the hook's words begin a turn."""
    wait = "while ! test -e .git/go; do sleep 0.02; done; echo the build broke >&2; exit 2"
    entry = {"type": "command", "command": wait, "asyncRewake": True}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [{"hooks": [entry]}]}}))
    options = script(
        program, call("Read", file_path=".claude/settings.json"), {"text": "Done."}, {"text": "I mend it."}
    )
    with session(program, *options) as terminal:
        terminal.wait("\n>")
        terminal.type("go")
        terminal.wait("Done.")
        program.write(".git/go", "")
        terminal.wait("I mend it.")
        terminal.type("/quit")
        terminal.wait("[exit 0]")
    assert "the build broke" in str(requests(program)[2][-1])


def test_a_tool_that_runs_shows_its_time_and_its_output_can_be_seen_whole(program: Program) -> None:
    command = "seq 3; while ! test -e .git/go; do sleep 0.05; done"
    options = script(program, call("Bash", command=command), {"text": "well " * 40})
    with session(program, *options, "--permission-mode", "bypassPermissions") as terminal:
        terminal.wait("\n>")
        terminal.type("count")
        terminal.wait("⋯ Bash: seq 3", " s (^C ends)")
        (program.workspace / ".git/go").touch()
        shown = terminal.wait("1 (and 2 lines more: `/output`)", "well well")
        assert "⋯" not in shown
        assert not [line for line in shown.splitlines() if line.endswith("wel")]
        terminal.type("/output")
        terminal.wait("\n1\n2\n3\n")


def test_a_prompt_may_have_many_lines(program: Program) -> None:
    with session(program, *script(program, {"text": "All of it."})) as terminal:
        terminal.wait("\n>")
        terminal.press("-l", "one\\")
        terminal.press("Enter")
        terminal.press("-l", "two")
        terminal.press("M-Enter")
        terminal.press("-l", "three\\")
        terminal.press("Enter")
        terminal.type("four")
        terminal.wait("All of it.")
    assert requests(program)[0][0]["content"][0]["text"] == "one\ntwo\nthree\nfour"


def test_what_hooks_say_breaks_at_words_on_a_narrow_terminal(program: Program) -> None:
    refusal = "migrations are frozen until the release; write them into a file of your own instead"
    failure = "nothing recorded: somebody's connection to the accounting department was interrupted"
    gencode(
        program,
        PreToolUse=[{"hooks": [{"type": "command", "command": f"echo '{refusal}' >&2; exit 2"}]}],
        Stop=[{"hooks": [{"type": "command", "command": f'echo "{failure}" >&2; exit 1'}]}],
    )
    with session(
        program, *script(program, call("Read", file_path="a"), {"text": "Over."}), columns=40
    ) as terminal:
        terminal.wait("\n>")
        terminal.type("migrate")
        shown = terminal.wait("Over.", "✗ Stop", "tokens")
        assert set(refusal.split()) <= set(shown.split()), shown
        assert set(failure.split()[:9]) <= set(shown.split()), shown
        terminal.type("/help")
        shown = terminal.wait("^D quits")
        assert {"another", "complete", "names."} <= set(shown.split()), shown
