"""A call that a hook rewrites is judged as what it became, by every rule of every agent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

from hookline import make_event, open_engine, rewrite

PUSH = "git push --force"
RULE = '[[hooks]]\nname = "np"\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no push"\n'


def rewriting(command: str, when: str = "") -> str:
    answer = json.dumps({"input": {"command": command}})
    return f"[[hooks]]\nevent = \"PreToolUse\"\n{when}run = '''printf '%s' '{answer}' '''\n"


def entry(command: str, **more: Any) -> dict[str, Any]:
    return {"matcher": "Bash", "hooks": [{"type": "command", "command": command, **more}]}


def settings(*entries: dict[str, Any]) -> str:
    return json.dumps({"hooks": {"PreToolUse": entries}})


INPUT = {"hookEventName": "PreToolUse", "updatedInput": {"command": PUSH}}
UPDATED = f"echo '{json.dumps({'hookSpecificOutput': INPUT})}'"
ALLOWED = UPDATED.replace('"updatedInput"', '"permissionDecision": "allow", "updatedInput"')
REFUSES = "echo no push >&2; exit 2"
RULES, CLAUDE, GENCODE = ".hookline/hooks.toml", ".claude/settings.json", ".gen/settings.json"
COCODE = ".cocode/hooks.toml"


@pytest.mark.parametrize(
    "files",
    [
        {RULES: rewriting(PUSH) + RULE},
        {RULES: RULE + rewriting(PUSH)},
        {
            RULES: rewriting(PUSH).replace("run", 'group = "x"\nrun')
            + RULE.replace("shell", 'group = "x"\nshell')
        },
        {RULES: RULE + rewriting("make", 'shell = "ls"\n') + rewriting(PUSH, 'shell = "make"\n')},
        {RULES: 'use = ["git"]\n' + rewriting(PUSH)},
        {RULES: RULE, GENCODE: settings(entry(UPDATED))},
        {RULES: RULE, CLAUDE: settings(entry(ALLOWED))},
        {CLAUDE: settings(entry(UPDATED), entry(REFUSES, **{"if": "Bash(git push:*)"}))},
        {RULES: rewriting(PUSH), CLAUDE: settings(entry(REFUSES, **{"if": "Bash(git push:*)"}))},
    ],
    ids=range(9),
)
def test_a_guard_stops_what_a_call_became(program: Program, files: dict[str, str]) -> None:
    for path, text in files.items():
        program.write(path, text)
    done = program("fire", "Bash", "ls", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["updated_input"]) == (2, "deny", None)
    assert "push" in found["reason"]
    assert json.loads(program("fire", "Read", "x", "--json").stdout)["verdict"] != "deny"


ALLOW = '[[hooks]]\nname = "al"\nevent = "PreToolUse"\nshell = "ls"\nallow = "fine"\n'


@pytest.mark.parametrize(
    ("files", "verdict", "command"),
    [
        ({RULES: ALLOW + rewriting("rm -rf build")}, "none", "rm -rf build"),
        ({RULES: rewriting("rm -rf build") + ALLOW}, "none", "rm -rf build"),
        ({RULES: ALLOW + rewriting("ls -l")}, "allow", "ls -l"),
        ({RULES: ALLOW, CLAUDE: settings(entry(ALLOWED))}, "allow", PUSH),
        (
            {RULES: rewriting("make", 'shell = "ls"\n') + rewriting("make x", 'shell = "make"\n')},
            "none",
            "make x",
        ),
        (
            {RULES: rewriting("make x", 'shell = "make"\n') + rewriting("make", 'shell = "ls"\n')},
            "none",
            "make x",
        ),
        ({RULES: rewriting("ls", 'shell = "make"\n') + rewriting("make", 'shell = "ls"\n')}, "none", "ls"),
    ],
    ids=range(7),
)
def test_an_allow_ends_with_its_call_and_each_hook_rewrites_once(
    program: Program, files: dict[str, str], verdict: str, command: str
) -> None:
    for path, text in files.items():
        program.write(path, text)
    found = json.loads(program("fire", "Bash", "ls", "--json").stdout)
    assert (found["verdict"], found["updated_input"]) == (verdict, {"command": command})


def cocode(command: str) -> str:
    answer = json.dumps({"ModifyInput": {"new_input": {"command": command}}})
    command = json.dumps(f"echo '{answer}'")
    shell = f"[hooks.shell]\nparse_result = true\ncommand = {command}\n"
    return f'[[hooks]]\nevent = "PreToolUse"\n{shell}'


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({COCODE: cocode("make"), GENCODE: settings(entry(UPDATED))}, PUSH),
        ({RULES: rewriting("make"), CLAUDE: settings(entry(UPDATED))}, PUSH),
        ({COCODE: cocode("make"), RULES: rewriting("make x", 'shell = "make"\n')}, "make x"),
        ({COCODE: cocode("make") + cocode("ls")}, None),
        ({RULES: rewriting("make") + rewriting("ls")}, None),
    ],
    ids=range(5),
)
def test_what_was_made_of_a_rewritten_call_is_what_runs(
    program: Program, files: dict[str, str], command: str | None
) -> None:
    """Hooks side by side are shown what the rows before them left. What is put back is no change."""
    for path, text in files.items():
        program.write(path, text)
    found = json.loads(program("fire", "Bash", "ls", "--json").stdout)
    assert (found["updated_input"], found["degraded"]) == (command and {"command": command}, [])


@pytest.mark.parametrize("thread", [False, True])
def test_functions_that_rewrite_carry_no_call_past_the_rules(program: Program, thread: bool) -> None:
    program.write(RULES, RULE)
    opened = open_engine(str(program.workspace), environment=program.environment, history=False)

    @opened.engine.on("PreToolUse", thread=thread)
    def more(event: Any) -> Any:
        return rewrite({"command": event.tool_input["command"].replace("send", "git push")})

    call = make_event(
        "PreToolUse", workspace=str(program.workspace), tool_name="Bash", tool_input={"command": "send"}
    )
    decision = opened.engine.fire_now(call)
    assert (decision.blocked, decision.reason) == (True, "no push")
