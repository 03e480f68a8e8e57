"""What `hookline check` finds in the answers that scripts write: those that mean nothing at their event."""

from __future__ import annotations

import json
from typing import Any

from tests.program import Program

PLACES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json", "copilot": ".github/hooks/guard.json", "windsurf": ".windsurf/hooks.json",
    "droid": ".factory/settings.json",
}  # fmt: skip
FLAT = ("cursor", "copilot", "windsurf")
BEGINS = {"sh": "#!/bin/sh\n", "py": "#!/usr/bin/env python3\nimport json, sys\n", "js": ""}
Case = tuple[str, str, str, str]  # the agent, its event, the kind of script, and what stands in it


def told(program: Program, cases: list[Case]) -> list[list[str]]:
    """The codes of answers for each case; all of them are hooks of one workspace."""
    configs: dict[str, dict[str, list[Any]]] = {}
    for number, (agent, event, kind, text) in enumerate(cases):
        name = f"case-{number}.{kind}"
        program.write(name, BEGINS[kind] + text + "\n", 0o755)
        hook = {"type": "command", "bash" if agent == "copilot" else "command": f"{_starts(kind)}./{name}"}
        entry = hook if agent in FLAT else {"hooks": [hook]}
        configs.setdefault(agent, {}).setdefault(event, []).append(entry)
    for agent, hooks in configs.items():
        program.write(
            PLACES[agent], json.dumps({"version": 1, "hooks": hooks} if agent in FLAT else {"hooks": hooks})
        )
    found = json.loads(program("check", "--json").stdout)
    wanted = ("wrong-answer", "plain-output")
    return [
        [each["code"] for each in found if each["code"] in wanted and f"case-{number}." in each["message"]]
        for number in range(len(cases))
    ]


def _starts(kind: str) -> str:
    return "cat >/dev/null; node " if kind == "js" else ""


def inner(event: str, decision: str) -> str:
    said = {"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": "no"}
    return json.dumps({"hookSpecificOutput": said})


BLOCK = '{"decision": "block", "reason": "no"}'
PERMISSION = '{"permission": "deny", "user_message": "no"}'


def test_an_answer_of_which_nothing_comes_is_an_error(program: Program) -> None:
    lost = [
        ("claude", "PostToolUse", "sh", f"echo '{inner('PostToolUse', 'deny')}'"),
        ("claude", "PreToolUse", "sh", f"echo '{inner('PostToolUse', 'deny')}'"),
        ("claude", "Stop", "py", f"why = input()\nprint(json.dumps({inner('Stop', 'deny')}))"),
        ("claude", "PreToolUse", "js", "console.log(JSON.stringify({ block: true, message: `no ${x}` }));"),
        ("claude", "PreToolUse", "sh", "jq -n --arg r \"$why\" '{allowed: false, why: $r}'"),
        ("claude", "PreToolUse", "sh", f"echo checking\necho '{BLOCK}'"),
        (
            "claude",
            "PreToolUse",
            "py",
            "print('looking')\nprint(json.dumps({'decision': 'block', 'reason': why}))",
        ),
        ("codex", "PreToolUse", "sh", f"echo '{inner('PreToolUse', 'ask')}'"),
        ("codex", "PreToolUse", "sh", 'cat <<END\n{"permit": false, "reason": "$why"}\nEND'),
        ("gemini", "SessionEnd", "sh", 'echo \'{"decision": "deny", "reason": "no"}\''),
        ("cursor", "beforeShellExecution", "sh", f"echo '{BLOCK}'"),
        (
            "cursor",
            "afterShellExecution",
            "py",
            "print(json.dumps({'permission': 'deny', 'user_message': f'{why}'}))",
        ),
        ("windsurf", "pre_run_command", "sh", f"echo '{PERMISSION}'"),
        ("droid", "PreToolUse", "sh", f"echo '{PERMISSION}'"),
    ]
    assert told(program, lost) == [["wrong-answer"]] * len(lost)


def test_plain_text_where_only_json_is_taken_is_an_error(program: Program) -> None:
    cases = [
        ("copilot", "preToolUse", "sh", "echo all is well\nexit 0"),
        ("cursor", "stop", "py", "print('done')"),
        ("claude", "PreToolUse", "sh", "echo all is well"),
        ("cursor", "stop", "sh", "echo done >&2"),
    ]
    assert told(program, cases) == [["plain-output"], ["plain-output"], [], []]


def test_an_answer_that_is_heard_and_what_is_no_answer_are_fine(program: Program) -> None:
    right = [
        ("claude", "PreToolUse", "sh", f"echo '{inner('PreToolUse', 'ask')}'"),
        (
            "claude",
            "PreToolUse",
            "js",
            "if (x) {\n  console.log(JSON.stringify({ decision: 'block', reason }));\n}",
        ),
        ("claude", "PreToolUse", "sh", 'jq -n --arg r "$why" \'{decision: "block", reason: $r}\''),
        ("claude", "PreToolUse", "sh", "log=$(jq -n '{block: true}')\necho '{\"a\": 1}' | curl -d @- x"),
        ("claude", "PreToolUse", "py", "json.dump({'tool': 'x', 'at': now}, open('log', 'a'))"),
        ("claude", "PreToolUse", "py", "print(json.dumps({'note': 'x'}), file=sys.stderr)"),
        ("claude", "PreToolUse", "sh", f"echo checking >&2\necho '{BLOCK}'"),
        ("claude", "PreToolUse", "sh", f"usage() {{\n  echo text\n}}\necho '{BLOCK}'"),
        ("claude", "PreToolUse", "sh", f"cat >f <<E\necho text\nE\necho '{BLOCK}'"),
        ("claude", "PostToolUse", "py", "print(json.dumps({'decision': 'block', 'reason': why}))"),
        ("claude", "PostToolUse", "sh", 'echo \'{"systemMessage": "slow", "suppressOutput": true}\''),
        ("cursor", "preToolUse", "py", "print(json.dumps({'permission': 'deny', 'user_message': f'{why}'}))"),
        ("cursor", "sessionStart", "sh", 'echo \'{"additional_context": "x", "env": {"A": "1"}}\''),
        ("gemini", "BeforeTool", "sh", 'echo \'{"decision": "deny", "reason": "no"}\''),
        ("codex", "PreToolUse", "sh", f"echo '{inner('PreToolUse', 'deny')}'"),
        (
            "copilot",
            "preToolUse",
            "sh",
            'echo \'{"permissionDecision": "deny", "permissionDecisionReason": "x"}\'',
        ),
    ]
    assert told(program, right) == [[]] * len(right)


def test_a_stop_hook_that_says_how_often_it_may_go_on_is_fine(program: Program) -> None:
    program.write("again.sh", '#!/bin/sh\necho \'{"followup_message": "run the tests"}\'\n', 0o755)
    for limit in ({}, {"loop_limit": None}, {"loop_limit": 3}):
        hooks = {"stop": [{"command": "./again.sh", **limit}]}
        program.write(PLACES["cursor"], json.dumps({"version": 1, "hooks": hooks}))
        found = [each["code"] for each in json.loads(program("check", "--json").stdout)]
        assert found == ([] if limit.get("loop_limit") else ["stop-loop"])


def test_an_exit_that_says_nothing_is_told_with_what_does(program: Program) -> None:
    """Each hint is tried: what it says to print does stop the call in that agent."""
    hook = '[[hooks]]\nname = "g"\ntype = "pre_tool"\ncommand = "{}"\n'
    program.write(".vibe/hooks.toml", hook.format("exit 2"))
    (found,) = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["hint"].split("`")[0]) == ("weak-answer", "print ")
    answer = found["hint"].split("`")[1].replace('"', '\\"')
    program.write(".vibe/hooks.toml", hook.format(f"echo '{answer}'"))
    assert program("check", "--json").stdout == "[]\n"
    assert program("fire", "Bash", "ls", "--dialect", "vibe").returncode == 2


def test_an_answer_is_followed_to_where_it_is_printed(program: Program) -> None:
    block = '{"block": True, "reason": "no tests"}'
    emit = "function emit(what) {\n  process.stdout.write(JSON.stringify(what));\n}\n"
    lost = [
        ("claude", "Stop", "py", f"said = {block}\nprint(json.dumps(said))"),
        ("claude", "PreToolUse", "py", f"def tell(it):\n    print(json.dumps(it))\ntell({block})"),
        ("claude", "PreToolUse", "js", emit + "emit({ approve: false, reason: why });"),
        ("claude", "Stop", "js", "const out = { ok: false, why };\nconsole.log(JSON.stringify(out));"),
    ]
    kept = [
        ("claude", "Stop", "py", f"said = {block}\nprint(json.dumps(said), file=sys.stderr)"),
        ("claude", "Stop", "py", f"said = {block}\nsaid = fixed(said)\nprint(json.dumps(said))"),
        ("claude", "Stop", "py", f"said = {block}\nopen('log', 'a').write(json.dumps(said))"),
        (
            "claude",
            "PreToolUse",
            "js",
            emit.replace("stdout", "stderr") + "emit({ approve: false, reason: why });",
        ),
    ]
    assert told(program, [*lost, *kept]) == [["wrong-answer"]] * len(lost) + [[]] * len(kept)


def test_words_for_the_model_beside_their_object_are_lost(program: Program) -> None:
    js = "import { log } from './log.mjs';\nlog();\nif (bad) process.exit(2);\n"
    says = "console.log(JSON.stringify({ additionalContext: `look at ${file}` }));"
    inside = (
        "console.log(JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: note } }));"
    )
    cases = [
        ("claude", "PostToolUse", "js", js + says),
        ("gemini", "AfterTool", "js", js + says),
        ("claude", "UserPromptSubmit", "py", "print(json.dumps({'additionalContext': text}))"),
        ("copilot", "sessionStart", "js", js + says),
        ("claude", "PostToolUse", "js", js.replace("hookEventName", "") + inside),
    ]
    assert told(program, cases) == [["wrong-answer"]] * 3 + [[], []]


def test_plain_text_spoils_nothing_where_no_answer_is_read(program: Program) -> None:
    cases = [
        ("copilot", "sessionEnd", "sh", "echo 'work is saved'"),
        ("copilot", "sessionStart", "sh", "echo 'work is saved'"),
    ]
    assert told(program, cases) == [[], ["plain-output"]]


def test_words_under_a_key_that_nobody_reads_are_told(program: Program) -> None:
    lost = [
        (
            "claude",
            "UserPromptSubmit",
            "js",
            "console.log(JSON.stringify({ continue: true, message: `use ${tool}` }));",
        ),
        (
            "claude",
            "SessionStart",
            "py",
            "said = {'continue': True, 'context': text}\nprint(json.dumps(said))",
        ),
        ("claude", "Stop", "sh", 'echo \'{"continue": true, "feedback": "run the tests"}\''),
    ]
    heard = [
        ("claude", "UserPromptSubmit", "py", "print(json.dumps({'continue': True, 'systemMessage': text}))"),
        ("claude", "Stop", "py", "print(json.dumps({'decision': 'block', 'reason': why, 'details': more}))"),
        (
            "cursor",
            "beforeShellExecution",
            "py",
            "print(json.dumps({'permission': 'deny', 'user_message': why}))",
        ),
        ("claude", "Stop", "py", "json.dump({'continue': True, 'message': text}, open('log', 'w'))"),
    ]
    assert told(program, [*lost, *heard]) == [["wrong-answer"]] * len(lost) + [[]] * len(heard)


def test_plain_text_of_powershell_is_told_where_json_is_wanted(program: Program) -> None:
    program.write(
        "say.ps1", "$ErrorActionPreference = 'Stop'\nWrite-Host '=== ready ===' -ForegroundColor Green\n"
    )
    program.write("log.ps1", "if ($bad) {\n    Write-Host 'not ready'\n}\nAdd-Content log 'ready'\n")
    lines = [{"type": "command", "powershell": f"./{name}.ps1"} for name in ("say", "log")]
    program.write(PLACES["copilot"], json.dumps({"version": 1, "hooks": {"sessionStart": lines}}))
    found = json.loads(program("check", "--json").stdout)
    assert [each["message"].split("`")[1] for each in found if each["code"] == "plain-output"] == [
        "./say.ps1"
    ]


def test_a_script_whose_name_ends_as_another_ones_is_looked_at(program: Program) -> None:
    """`gate.sh` is not started by a line that starts `task-gate.sh`."""
    says = (
        "#!/bin/sh\npython3 - \"$1\" << 'PY'\nimport json, sys\n"
        "print(json.dumps({'block': True, 'reason': 'test it'}))\nPY\n"
    )
    hooks = {}
    for event, name in (("Stop", "gate.sh"), ("SubagentStop", "task-gate.sh")):
        program.write(name, says, 0o755)
        hooks[event] = [{"hooks": [{"type": "command", "command": f'bash "$CLAUDE_PROJECT_DIR"/{name}'}]}]
    program.write(PLACES["claude"], json.dumps({"hooks": hooks}))
    found = json.loads(program("check", "--json").stdout)
    told = {each["message"].split("`")[1] for each in found if each["code"] == "wrong-answer"}
    assert told == {"gate.sh", "task-gate.sh"}
