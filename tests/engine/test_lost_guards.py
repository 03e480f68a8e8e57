"""Every guard that should have judged and could not is named; where the workspace is strict, it blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

CALL = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
LOST = {
    "nonexistent-guard --strict": "was not found",
    "./noexec.sh": "could not be executed",
    "kill -9 $$": "killed by signal 9",
    "kill -SEGV $$": "killed by signal 11",
    "python3 -c 'raise OSError(1)'": "broke off with an exception",
    "echo '{'": "could not be read",
    "echo '{\"decision\": 7}'": "could not be read",
    "trap '' TERM; sleep 60": "timed out",
}
FINE = ["true", "grep -q nothing /dev/null && exit 2", "exit 1", "exit 3", "echo hello"]


def claude(program: Program, command: str, **more: Any) -> None:
    limit = 2 if "sleep" in command else 60
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": command, "timeout": limit, **more}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    program.write("noexec.sh", "#!/bin/sh\n")


def fired(program: Program, event: str = "PreToolUse", **options: Any) -> tuple[int, dict[str, Any], str]:
    done = program("fire", event, "--json", stdin=CALL, **options)
    return done.returncode, json.loads(done.stdout), done.stderr


def strict(program: Program) -> None:
    assert program("trust", "--yes").returncode == 0
    assert program("trust", "--strict").returncode == 0


@pytest.mark.parametrize("command", LOST)
def test_a_guard_that_could_not_judge_is_named_and_blocks_where_that_is_strict(
    program: Program, command: str
) -> None:
    claude(program, command)
    code, found, stderr = fired(program)
    (note,) = found["degraded"]
    assert (code, found["verdict"]) == (0, "none")
    assert LOST[command] in note and note.endswith("and let the action through") and note in stderr
    strict(program)
    code, found, _ = fired(program)
    assert (code, found["verdict"]) == (2, "deny")
    assert "claude:PreToolUse" in found["reason"] and "did not decide" in found["reason"]
    assert [f"{each} and let the action through" for each in found["degraded"]] == [note]


def test_guards_off_because_a_hook_started_this_agent_are_named_and_block_where_that_is_strict(
    program: Program,
) -> None:
    """One variable, and no guard was asked, without a word; rules that run nothing cannot go round, and hold."""
    claude(program, "echo no >&2; exit 2")
    program.environment["HOOKLINE_DEPTH"] = "2"
    code, found, stderr = fired(program)
    (note,) = found["degraded"]
    assert (code, found["verdict"], [hook["status"] for hook in found["hooks"]]) == (0, "none", ["disabled"])
    assert "was not asked (a hook started this agent (HOOKLINE_DEPTH=2)" in note and note in stderr
    strict(program)
    assert fired(program)[1]["verdict"] == "deny"
    program("trust", "--relax")
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "ls"\ndeny = "look"\n')
    code, found, _ = fired(program)
    assert (code, found["verdict"], found["reason"]) == (2, "deny", "look")


@pytest.mark.parametrize("command", FINE)
def test_a_guard_that_ran_to_its_end_has_judged(program: Program, command: str) -> None:
    claude(program, command)
    strict(program)
    code, found, _ = fired(program)
    assert (code, found["verdict"], found["degraded"]) == (0, "none", [])


@pytest.mark.parametrize("strictly", [False, True])
def test_guards_that_nobody_accepted_or_that_changed_are_named(program: Program, strictly: bool) -> None:
    del program.environment["HOOKLINE_TRUST"]
    claude(program, "./guard.sh")
    program.write("guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
    if strictly:
        strict(program)
        program("trust", "--revoke")
    for why in ("not reviewed yet", "changed"):
        code, found, stderr = fired(program)
        told = found["reason"] if strictly else found["degraded"][0]
        assert why in told and "trust" in stderr + told
        assert code == (2 if strictly else 0)
        beforehand = program("explain", "PreToolUse", "--json", stdin=CALL)
        said = json.loads(beforehand.stdout)
        assert beforehand.returncode == 0 and beforehand.stderr == ""  # it denied nothing
        assert all(said[key] == found[key] for key in ("verdict", "reason", "degraded"))
        program("trust", "--yes")
        assert fired(program)[:1] == (0,)
        assert json.loads(program("explain", "PreToolUse", "--json", stdin=CALL).stdout)["degraded"] == []
        program.write("guard.sh", "#!/bin/sh\nexit 0 # changed\n", 0o755)


BROKEN = {
    ".claude/settings.json": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "comand": "exit 2"}]}]}}',
    ".gen/settings.json": '{"hooks": {"PreToolUse": [],}}',
    ".gemini/settings.json": "[",
    ".hookline/hooks.toml": "[[hooks]\n",
}


@pytest.mark.parametrize("path", BROKEN)
def test_a_file_that_cannot_be_read_may_have_held_a_guard(program: Program, path: str) -> None:
    program.write(path, BROKEN[path])
    code, found, _ = fired(program)
    assert code == 1 and any("let the action through" in note for note in found["degraded"])
    assert fired(program, "SessionEnd")[1]["degraded"] == []
    strict(program)
    code, found, _ = fired(program)
    assert (code, found["verdict"]) == (2, "deny") and "did not decide" in found["reason"]


@pytest.mark.parametrize("path", [*BROKEN, ".cursor/hooks.json", ".discobot/hooks"])
def test_a_config_that_a_link_no_longer_finds_is_lost_and_not_absent(program: Program, path: str) -> None:
    link = program.workspace / path
    link.parent.mkdir()
    link.symlink_to("elsewhere")
    event = "PreCommit" if "discobot" in path else "PreToolUse"
    code, found, stderr = fired(program, event)
    assert code == 1 and path in stderr and "symbolic link" in stderr
    assert any("let the action through" in note for note in found["degraded"])
    assert program("check").returncode == 1
    link.unlink()
    assert fired(program, event)[0] == 0 and program("check").returncode == 0


def test_an_unreadable_folder_of_hooks_is_named(program: Program, tmp_path: Path) -> None:
    program.write(".discobot/hooks", "no folder")
    code, found, _ = fired(program, "PreCommit")
    assert code in (0, 1)
    assert found["verdict"] == "none" and any(".discobot/hooks" in note for note in found["degraded"])


def test_what_a_hook_lets_through_by_its_own_wish_is_named_too(program: Program) -> None:
    hooks = (
        f"[[hooks]]\nname = {json.dumps(run)}\nevent = 'PreToolUse'\nrun = {json.dumps(run)}\non_failure = 'allow'\n"
        for run in ("exit 3", "kill -SEGV $$", "/no/such/x")
    )
    program.write(".hookline/hooks.toml", "".join(hooks))
    code, found, _ = fired(program)
    assert code == 0 and len(found["degraded"]) == 3


def test_a_denial_does_not_say_that_anything_was_let_through(program: Program) -> None:
    claude(program, "kill -9 $$")
    program.write(".hookline/hooks.toml", "[[hooks]]\nevent = 'PreToolUse'\ndeny = 'no'\n")
    code, found, _ = fired(program)
    (note,) = found["degraded"]
    assert code == 2 and note.startswith("guard `claude:") and note.endswith("was killed by signal 9")


def test_hooks_that_guard_nothing_are_not_counted(program: Program) -> None:
    group = {"hooks": [{"type": "command", "command": "no-such-formatter"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"Notification": [group]}}))
    assert fired(program, "Notification")[1]["degraded"] == []


INNER = '"hookSpecificOutput": {"hookEventName": "PreToolUse"'
MISSAID = [
    '{"decison": "block", "reason": "no"}',
    '{"Decision": "block", "reason": "no"}',
    '{"reason": "no", "systemMessage": "x", "permissionDecision": "deny"}',
    f'{{{INNER}, "permissionDecison": "deny", "permissionDecisionReason": "no"}}}}',
    f'{{{INNER}, "permission_decision": "deny"}}}}',
    f'{{{INNER}, "decision": "block", "reason": "no"}}}}',
    '{"hookspecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}, "reason": "x"}',
    f'{{{INNER}, "updatedinput": {{"command": "true"}}}}}}',
    f'{{{INNER}, "additionalContexts": "look"}}}}',
    '{"systemMessage": "x", "continu": false}',
    '{"ok": false, "reason": "no"}',
    '{"reason": "no", "permission": "deny"}',
    '{"reason": "no", "verdict": "deny"}',
    'answer: {"verdict": "ask"}',
    '{"decision": "block", "reason": "no", "decision": null}',
    '[{"decision": "block", "reason": "no"}]',
    '"{\\"decision\\": \\"block\\"}"',
    'answer: {"decision": "block"}',
    "b'{\"decision\": \"block\"}'",
    '\x1b[0m{"decision": "block"}\x1b[0m',
    '<pre>{"decision": "block"}</pre>',
]  # fmt: skip
UNSUSPICIOUS = [
    "{}", "null", "3", '{"continue": true}', '{"decision": "approve", "reason": "ask me, or block it"}',
    '{"reason": "the rule says {\\"decision\\": \\"block\\"}"}', '{"decision": null, "reason": "fine"}',
    '{"reason": "x", "ok": false, "failures": 3}', '{"reason": "x", "permissions": ["deny"]}',
    '{"reason": "x", "files": [{"path": "a", "severity": "deny", "division": "block 3"}]}',
    '{"reason": "x", "action": "install", "continued": true, "version": "ask"}', "deny, block: no decision here",
    '{"reason": "x", "task": "ask", "mode": "block", "update": {"a": 1}}', '{"suppressOutput": true, "ok": true}',
    'function f() { return {level: "deny", "rule": "block"} }', f'{{{INNER}}}}}', '[{"path": "a", "level": "deny"}]',
]  # fmt: skip
NOS = {
    "gemini": (".gemini/settings.json", "BeforeTool", '{"reason": "no", "decison": "deny"}'),
    "qwen": (".qwen/settings.json", "PreToolUse", '{"reason": "no", "decison": "block"}'),
    "droid": (".factory/settings.json", "PreToolUse", '{"reason": "no", "behavior": "deny"}'),
    "copilot": (
        ".github/hooks/g.json",
        "preToolUse",
        '{"hookSpecificOutput": {"permissionDecision": "aks"}}',
    ),
    "codex": (".codex/hooks.json", "PreToolUse", '"{\\"decision\\": \\"block\\"}"'),
    "gencode": (".gen/settings.json", "PreToolUse", '{"reason": "no", "Continue": false}'),
    "goose": (".agents/plugins/a/hooks/hooks.json", "PreToolUse", '{"reason": "no", "permission": "deny"}'),
}


def printing(program: Program, path: str, event: str, answers: list[str], to: str = "") -> None:
    """A hook of that event for each answer, which is all that it prints."""
    for number, text in enumerate(answers):
        program.write(f"answer{number}", text)
    group = [{"type": "command", "command": f"cat answer{n}{to}"} for n in range(len(answers))]
    flat = path.startswith((".github", ".cursor"))
    program.write(path, json.dumps({"version": 1, "hooks": {event: group if flat else [{"hooks": group}]}}))


def test_a_no_that_is_written_nearly_right_is_named_as_lost(program: Program) -> None:
    printing(program, ".claude/settings.json", "PreToolUse", MISSAID)
    _, found, stderr = fired(program)
    assert [hook["stdout"] for hook in found["hooks"] if hook["status"] != "bad_output"] == []
    assert found["verdict"] == "none" and len(found["degraded"]) == len(MISSAID)
    assert '`"decison": "block"` (did you mean `decision`?) means nothing to Claude Code' in stderr
    shown = program("show", "last").stdout.replace("\n", " ")
    assert "`decision`" in shown
    strict(program)
    assert fired(program)[1]["verdict"] == "deny"


def test_a_no_on_standard_error_is_named_as_lost(program: Program) -> None:
    printing(program, ".claude/settings.json", "PreToolUse", ['{"decision": "block", "reason": "x"}'], " >&2")
    _, found, _ = fired(program)
    assert "on standard error" in found["hooks"][0]["why"] and len(found["degraded"]) == 1
    printing(
        program, ".claude/settings.json", "PreToolUse", ['{"decision": "block", "level": "info"}'], " >&2"
    )
    assert fired(program)[1]["degraded"] == []


def test_what_is_no_answer_is_no_lost_one(program: Program) -> None:
    printing(program, ".claude/settings.json", "PreToolUse", UNSUSPICIOUS)
    _, found, _ = fired(program)
    assert [hook["stdout"] for hook in found["hooks"] if hook["status"] != "ran"] == []
    assert (found["verdict"], found["degraded"]) == ("allow", [])


@pytest.mark.parametrize("agent", NOS)
def test_a_no_in_words_that_its_agent_does_not_know_is_named_as_lost(program: Program, agent: str) -> None:
    path, event, answer = NOS[agent]
    printing(program, path, event, [answer, "{}"])
    _, found, _ = fired(program)
    assert found["verdict"] == "none" and len(found["degraded"]) == 1, found


def test_a_no_among_other_text_for_the_model_is_named_and_words_about_one_are_not(program: Program) -> None:
    told = ['checking\n{"decision": "block", "reason": "no"}', '```json\n{"continue": false}\n```']
    quiet = ['write {"decision": "block"} to keep a prompt from the model', "see `decision: block`"]
    printing(program, ".claude/settings.json", "UserPromptSubmit", [*told, *quiet])
    done = program("fire", "UserPromptSubmit", "--json", stdin='{"prompt": "x"}')
    found = json.loads(done.stdout)
    assert len(found["degraded"]) == 2 and len(found["context"]) == 4, found


def test_an_answer_that_is_a_list_where_a_text_should_stand_is_no_fault_of_ours(program: Program) -> None:
    printing(program, ".cursor/hooks.json", "stop", ['{"followup_message": ["go on"]}'])
    done = program("fire", "Stop", "--json", stdin="{}")
    (hook,) = json.loads(done.stdout)["hooks"]
    assert (hook["status"], done.returncode) == ("bad_output", 0) and "followup_message" in hook["why"]


@pytest.mark.parametrize(
    ("path", "text", "event"),
    [
        (
            ".iteratr.hooks.yml",
            "version: 1\nhooks:\n  session_start:\n    - command: cat answer\n      pipe_output: true\n",
            "iteratr:session_start",
        ),
        (
            ".kiro/agents/a.json",
            '{"name": "a", "hooks": {"agentSpawn": [{"command": "cat answer"}]}}',
            "kiro:agentSpawn",
        ),
    ],
)
def test_a_no_that_is_told_to_the_model_where_nothing_can_be_kept_back_is_not_lost(
    program: Program, path: str, text: str, event: str
) -> None:
    program.write(path, text)
    program.write("answer", '{"decision": "block", "reason": "no"}')
    found = json.loads(program("fire", event, "--json", stdin='{"agent_type": "a"}').stdout)
    assert [hook["status"] for hook in found["hooks"]] == ["ran"], found
    assert "decision" in str(found["context"]) and found["degraded"] == []
