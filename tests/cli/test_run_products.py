"""`hookline run`: what hooks ask for beside a verdict is done, or it is said that nobody does it here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.loop_bench import call, note, noted, requests, results, run, stream, texts
from tests.program import Program

FILES = {"claude": ".claude/settings.json", "gemini": ".gemini/settings.json"}


def answering(program: Program, event: str, agent: str = "claude", **specific: Any) -> None:
    """A hook that answers with these keys of `hookSpecificOutput`."""
    told = json.dumps({"hookSpecificOutput": {"hookEventName": event, **specific}})
    program.write("answer.json", told)
    group = {"hooks": [{"type": "command", "command": "cat answer.json"}]}
    program.write(FILES[agent], json.dumps({"hooks": {event: [group]}}))


def notices(done: Any) -> list[str]:
    return [line["text"] for line in stream(done, "message") if line["role"] == "notice"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("[redacted]", "[redacted]"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"content": [{"type": "text", "text": "c"}]}, "c"),
        ({"n": 1}, '{"n": 1}'),
    ],
)
def test_a_tools_output_is_what_a_hook_made_of_it(program: Program, given: object, text: str) -> None:
    """A.5: `updatedToolOutput` takes the place of the result."""
    answering(program, "PostToolUse", updatedToolOutput=given)
    run(program, [call("Bash", command="echo secret"), {"text": "Done."}])
    assert [result["content"] for result in results(program)] == [text]


def test_an_output_for_mcp_tools_changes_no_other_and_that_is_said(program: Program) -> None:
    answering(program, "PostToolUse", updatedMCPToolOutput="x")
    done = run(program, [call("Bash", command="echo secret"), {"text": "Done."}], "--json")
    assert "secret" in results(program)[0]["content"]
    assert notices(done) == ["`updatedMCPToolOutput` is for tools of MCP servers, and Bash is none"]


def test_copilots_changed_result_counts_with_its_kind(program: Program) -> None:
    changed = {"modifiedResult": {"resultType": "failure", "textResultForLlm": "not this"}}
    program.write("answer.json", json.dumps(changed))
    hook = {"version": 1, "hooks": {"postToolUse": [{"type": "command", "bash": "cat answer.json"}]}}
    program.write(".github/hooks/h.json", json.dumps(hook))
    run(program, [call("Bash", command="echo secret"), {"text": "Done."}])
    (result,) = results(program)
    assert (result["content"], result["is_error"]) == ("not this", True)


def test_a_session_may_begin_with_a_hooks_message(program: Program) -> None:
    """A.5: `initialUserMessage` comes before the first prompt, and only there."""
    answering(program, "SessionStart", initialUserMessage="Read AGENTS.md first.")
    run(program, [call("Bash", command="true"), {"text": "Done."}], prompt="go")
    assert texts(program, 0) == ["Read AGENTS.md first.", "go"]


def test_gemini_may_have_another_tool_answer_and_it_is_guarded_like_any(program: Program) -> None:
    """B.2: `tailToolCallRequest` runs at once, and its result is the answer."""
    request = {"name": "write_file", "args": {"file_path": "a", "content": "1"}}
    answering(program, "AfterTool", "gemini", tailToolCallRequest=request)
    done = run(program, [call("Bash", command="echo secret"), {"text": "Done."}], "--json")
    (result,) = results(program)
    assert "secret" not in result["content"] and (program.workspace / "a").read_text() == "1"
    assert notices(done) == ["Write is not run: one call behind another is the most"]
    (program.workspace / "a").unlink()
    guard = {"matcher": "write_file", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    settings = json.loads((program.workspace / FILES["gemini"]).read_text())
    program.write(FILES["gemini"], json.dumps({"hooks": {**settings["hooks"], "BeforeTool": [guard]}}))
    run(program, [call("Bash", command="echo secret"), {"text": "Done."}])
    assert "Blocked" in results(program)[0]["content"] and not (program.workspace / "a").exists()


def test_gemini_may_clear_the_conversation_when_it_ends(program: Program) -> None:
    told = {"decision": "deny", "reason": "begin anew", "hookSpecificOutput": {
        "hookEventName": "AfterAgent", "clearContext": True}}  # fmt: skip
    program.write("answer.json", json.dumps(told))
    group = {"hooks": [{"type": "command", "command": "test -e once || { touch once; cat answer.json; }"}]}
    program.write(FILES["gemini"], json.dumps({"hooks": {"AfterAgent": [group]}}))
    run(program, [{"text": "Done."}, {"text": "Anew."}])
    (message,) = requests(program)[1]
    assert [block["text"] for block in message["content"]] == ["begin anew"]


def asked(program: Program, decision: dict[str, Any]) -> Any:
    answering(program, "PermissionRequest", decision=decision)
    turns = [call("Bash", command="touch a"), call("Bash", command="touch b"), {"text": "Done."}]
    return run(program, turns, "--permission-mode", "default", "--json")


def test_rules_of_a_permission_request_hold_for_the_session(program: Program) -> None:
    """A.5: `updatedPermissions`; what it would write elsewhere holds here only, which is said."""
    rules = [{"toolName": "Bash", "ruleContent": "touch *"}]
    update = {"type": "addRules", "rules": rules, "behavior": "allow", "destination": "userSettings"}
    other = {"type": "addDirectories", "directories": ["/"], "destination": "session"}
    done = asked(program, {"behavior": "allow", "updatedPermissions": [update, other]})
    assert (program.workspace / "a").exists() and (program.workspace / "b").exists()
    assert [line["event"] for line in stream(done, "decision")].count("PermissionRequest") == 1
    assert notices(done) == [
        "permissions for `userSettings` hold for this session only",
        "`updatedPermissions` of type `addDirectories` has no effect here",
    ]


def test_an_interrupting_denial_ends_the_turn(program: Program) -> None:
    asked(program, {"behavior": "deny", "message": "stop it", "interrupt": True})
    assert len(requests(program)) == 1 and not (program.workspace / "a").exists()


def test_a_denied_call_may_be_tried_again_when_a_hook_says_so(program: Program) -> None:
    answering(program, "PermissionDenied", retry=True)
    program.write(".gen/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch *)"]}}))
    run(program, [call("Bash", command="touch a"), {"text": "Done."}])
    assert results(program)[0]["content"].endswith("a hook says that you may try again")


def test_cursors_session_variables_reach_later_hooks(program: Program) -> None:
    program.write("answer.json", json.dumps({"env": {"FROM_START": "yes"}}))
    hooks = {
        "sessionStart": [{"command": "cat answer.json"}],
        "stop": [{"command": 'echo "$FROM_START" > seen'}],
    }
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
    run(program, [{"text": "Done."}])
    assert (program.workspace / "seen").read_text() == "yes\n"


@pytest.mark.parametrize(
    ("event", "key", "value"),
    [
        ("SessionStart", "sessionTitle", "t"),
        ("SessionStart", "watchPaths", ["a"]),
        ("SessionStart", "reloadSkills", True),
        ("PostToolUse", "classifierContext", "x"),
    ],
)
def test_what_nobody_does_here_is_said(program: Program, event: str, key: str, value: object) -> None:
    answering(program, event, **{key: value})
    done = run(program, [call("Bash", command="true"), {"text": "Done."}], "--json")
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    (told,) = notices(done)
    (hook,) = json.loads(program("list", "--json").stdout)
    assert told == f"hook `{hook['id']}` asked for `{snake}` at {event}, which has no effect here"


def test_a_terminal_sequence_is_not_sent_and_that_is_said(program: Program) -> None:
    program.write("answer.json", json.dumps({"terminalSequence": "\a"}))
    group = {"hooks": [{"type": "command", "command": "cat answer.json"}]}
    program.write(FILES["claude"], json.dumps({"hooks": {"Stop": [group]}}))
    done = run(program, [{"text": "Done."}], "--json")
    assert [words for words in notices(done) if "`terminal_sequence`" in words]


def test_a_bridged_agent_that_cannot_is_said_to(program: Program) -> None:
    answering(program, "PostToolUse", updatedToolOutput="x")
    payload = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "y"}
    done = program("bridge", "codex", "--event", "PostToolUse", stdin=json.dumps(payload))
    assert "Codex CLI at PostToolUse has no `updated_tool_output`; it was dropped" in done.stderr


def two_answering(program: Program, event: str, first: dict[str, str], second: dict[str, str]) -> None:
    for name, told in (("1.json", first), ("2.json", second)):
        program.write(name, json.dumps({"hookSpecificOutput": {"hookEventName": event, **told}}))
    hooks = [{"type": "command", "command": f"cat {name}"} for name in ("1.json", "2.json")]
    program.write(FILES["claude"], json.dumps({"hooks": {event: [{"hooks": hooks}]}}))


def test_of_two_outputs_for_one_tool_the_last_counts_and_both_hooks_are_named(program: Program) -> None:
    """By config order, and not in silence."""
    two_answering(program, "PostToolUse", {"updatedToolOutput": "one"}, {"updatedToolOutput": "two"})
    done = run(program, [call("Bash", command="echo secret"), {"text": "Done."}], "--json")
    assert [result["content"] for result in results(program)] == ["two"]
    first, second = (f"`{hook['id']}`" for hook in json.loads(program("list", "--json").stdout))
    words = f"{first} and {second} both gave `updated_tool_output`; {second}, the last in config order, decided it"
    assert notices(done) == [words]


def test_two_hooks_that_agree_are_not_mentioned(program: Program) -> None:
    two_answering(program, "PostToolUse", {"updatedToolOutput": "one"}, {"updatedToolOutput": "one"})
    done = run(program, [call("Bash", command="echo secret"), {"text": "Done."}], "--json")
    assert notices(done) == []


def test_variables_of_two_hooks_stand_side_by_side(program: Program) -> None:
    program.write("a.json", json.dumps({"env": {"A": "1", "B": "1"}}))
    program.write("b.json", json.dumps({"env": {"B": "2", "C": "2"}}))
    hooks = {
        "sessionStart": [{"command": "cat a.json"}, {"command": "cat b.json"}],
        "stop": [{"command": 'echo "$A$B$C" > seen'}],
    }
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
    run(program, [{"text": "Done."}])
    assert (program.workspace / "seen").read_text() == "122\n"


def test_what_comes_behind_a_rewritten_call_has_the_one_of_before_and_who_changed_it(
    program: Program,
) -> None:
    """R20, of a call that passes, one that fails, and one that no hook changed."""
    swap = (
        """sed 's/.*"command": *"\\([^"]*\\)".*/{"verdict": "allow", "input": {"command": "\\1 ; \\1"}}/'"""
    )
    program.write(
        ".hookline/hooks.toml",
        f"""[[hooks]]
name = "twice"
event = "PreToolUse"
where = {{ "tool_input.command" = "*once*" }}
run = '''{swap}'''

[[hooks]]
event = ["PostToolUse", "PostToolUseFailure"]
run = '''{note()}'''
""",
    )
    lines = ("echo once", "echo once; false", "echo as it is")
    run(program, [*(call("Bash", command=line) for line in lines), {"text": "Done."}])
    passed, failed, plain = noted(program)
    assert passed["tool_input"]["command"] == "echo once ; echo once"
    assert passed["tool_input_original"]["command"] == "echo once"
    assert failed["event"] == "PostToolUseFailure"
    assert failed["tool_input_original"]["command"] == "echo once; false"
    assert passed["tool_input_changed_by"] == failed["tool_input_changed_by"] != []
    assert "twice" in program("why", passed["tool_input_changed_by"][0]).stdout
    assert [key for key in plain if key.startswith("tool_input_")] == []
