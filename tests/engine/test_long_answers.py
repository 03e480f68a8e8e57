"""A JSON answer is read whole up to 1 MiB in every dialect; what is longer is bad output, never silence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

SPECIFIC = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "REASON"}
BLOCK = {"decision": "block", "reason": "REASON"}
NATIVE = {"claude": "PreToolUse", "codex": "PreToolUse", "gencode": "PreToolUse", "gemini": "BeforeTool"}
NESTED = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gencode": ".gen/settings.json",
    "gemini": ".gemini/settings.json",
}
ANSWERS: dict[str, object] = {
    **{name: {"hookSpecificOutput": SPECIFIC} for name in ("claude", "codex", "gencode")},
    "gemini": {"decision": "deny", "reason": "REASON"},
    "cursor": {"permission": "deny", "user_message": "REASON"},
    "copilot": {"permissionDecision": "deny", "permissionDecisionReason": "REASON"},
    "cocode": {"Reject": {"reason": "REASON"}},
    "hookline": {"verdict": "deny", "reason": "REASON"},
    "autoagent": BLOCK,
}
EVENTS = {"autoagent": "PreExecutionStart"}
CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "issue_number": 1}


def configure(program: Program, dialect: str, command: str) -> None:
    """One guard of that dialect that runs `command`."""
    if dialect in NESTED:
        group = {"matcher": "", "hooks": [{"type": "command", "command": command}]}
        program.write(NESTED[dialect], json.dumps({"hooks": {NATIVE[dialect]: [group]}}))
    elif dialect == "cursor":
        program.write(
            ".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"preToolUse": [{"command": command}]}})
        )
    elif dialect == "copilot":
        hook = {"type": "command", "bash": command}
        program.write(".github/hooks/g.json", json.dumps({"version": 1, "hooks": {"preToolUse": [hook]}}))
    elif dialect == "autoagent":
        hook = {"type": "command", "command": command}
        program.write(".autoagent/config.json", json.dumps({"hooks": {"PreExecutionStart": [hook]}}))
    elif dialect == "cocode":
        program.write(
            ".cocode/hooks.toml",
            f'[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "{command}"\nparse_result = true\n',
        )
    else:
        program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\nrun = "{command}"\n')


def fired(program: Program, dialect: str, length: int, encoding: str = "utf-8") -> dict[str, Any]:
    text = json.dumps(ANSWERS[dialect]).replace("REASON", "r" * length)
    (program.workspace / "answer.json").write_bytes(text.encode(encoding))
    configure(program, dialect, "cat answer.json")
    done = program("fire", EVENTS.get(dialect, "PreToolUse"), "--json", stdin=json.dumps(CALL))
    found: dict[str, Any] = json.loads(done.stdout)
    (hook,) = [row for row in found["hooks"] if row["dialect"] == dialect]
    return {**found, "hook": hook, "exit": done.returncode, "stderr": done.stderr}


@pytest.mark.parametrize("length", [40_000, 200_000, 1_040_000])
@pytest.mark.parametrize("dialect", ANSWERS)
def test_a_denial_of_any_length_up_to_a_megabyte_is_a_denial(
    program: Program, dialect: str, length: int
) -> None:
    found = fired(program, dialect, length)
    assert (found["verdict"], found["exit"], found["hook"]["status"]) == ("deny", 2, "ran")
    assert len(found["reason"]) >= length
    assert len(found["hook"]["stdout"]) < 70_000
    assert found["hook"]["truncated"] == (length > 64 * 1024 or dialect == "gencode")


@pytest.mark.parametrize("dialect", ANSWERS)
def test_an_answer_that_is_longer_is_bad_output_and_is_named(program: Program, dialect: str) -> None:
    found = fired(program, dialect, 1_100_000)
    assert found["hook"]["status"] == "bad_output" and found["hook"]["why"]
    assert found["verdict"] == ("deny" if dialect == "hookline" else "none")
    if found["verdict"] == "none":
        assert found["degraded"] and found["degraded"][0] in found["stderr"]


def test_a_reply_file_that_is_too_long_is_no_silence(program: Program) -> None:
    program.write("big.json", json.dumps({"verdict": "deny", "reason": "r" * 1_100_000}))
    configure(program, "hookline", "cp big.json $HOOK_REPLY")
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps(CALL))
    assert done.returncode == 2 and json.loads(done.stdout)["hooks"][0]["status"] == "bad_output"


def test_a_long_plain_text_goes_to_the_model_bounded(program: Program) -> None:
    """Also when its last line begins like an answer."""
    program.write("big.txt", "word " * 40_000 + "\n{ no answer")
    group = {"hooks": [{"type": "command", "command": "cat big.txt"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"UserPromptSubmit": [group]}}))
    done = program("fire", "UserPromptSubmit", "--json", stdin='{"prompt": "x"}')
    (context,) = json.loads(done.stdout)["context"]
    assert len(context) < 70_000 and "bytes omitted" in context


@pytest.mark.parametrize("first", ["", "building...\\n"])
def test_autoagents_last_line_may_be_long(program: Program, first: str) -> None:
    text = json.dumps({"decision": "block", "reason": "r" * 100_000})
    program.write("big.json", first.replace("\\n", "\n") + text)
    hook = {"type": "command", "command": "cat big.json", "jsonFrom": "last-line"}
    program.write(".autoagent/config.json", json.dumps({"hooks": {"PreExecutionStart": [hook]}}))
    done = program("fire", "PreExecutionStart", "--json", stdin='{"issue_number": 1}')
    assert done.returncode == 2, done.stdout


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("dialect", ANSWERS)
def test_an_answer_in_letters_of_two_bytes_is_bad_output_and_no_silence(
    program: Program, dialect: str, encoding: str
) -> None:
    """As a script of Windows may print it; no agent reads it."""
    found = fired(program, dialect, 10, encoding)
    assert found["hook"]["status"] == "bad_output"
    assert found["degraded"] or found["verdict"] == "deny"
