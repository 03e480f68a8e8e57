"""Kiro's list of hooks: what is run, what is left to Kiro, and how it is answered."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.installing import install, installed, uninstall
from hookline.model.errors import ConfigError

HOOKS = {
    "version": "v1",
    "hooks": [
        {
            "name": "no rm",
            "trigger": "PreToolUse",
            "matcher": "shell|execute_bash",
            "action": {
                "type": "command",
                "command": "grep -q 'rm -rf' && { echo nope >&2; exit 2; }; exit 0",
            },
        },
        {
            "name": "no database",
            "trigger": "PreToolUse",
            "matcher": "@postgres/query",
            "action": {"type": "command", "command": "echo no database >&2; exit 2"},
        },
        {
            "name": "off",
            "trigger": "PreToolUse",
            "action": {"type": "command", "command": "exit 2"},
            "enabled": False,
        },
        {"name": "tests", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "tests?"}},
        {"name": "tea", "trigger": "UserPromptSubmit", "action": {"type": "command", "command": "echo tea"}},
        {"name": "lint", "trigger": "PostFileSave", "action": {"type": "command", "command": "true"}},
    ],
}


@pytest.fixture
def kiro(program: Program) -> Program:
    program.write(".kiro/hooks/mine.json", json.dumps(HOOKS))
    return program


def test_what_only_kiro_can_run_is_told_and_off(kiro: Program) -> None:
    assert "`PostFileSave`" in kiro("list").stderr
    listed = {hook["name"]: hook["enabled"] for hook in json.loads(kiro("list", "--json").stdout)}
    assert listed == {"no rm": True, "no database": True, "off": False, "tests": False, "tea": True}
    problems = json.loads(kiro("check", "--dialect", "kiro", "--json").stdout)
    assert [(each["code"], each["severity"]) for each in problems] == [("agent-alone", "notice")]
    assert "an event of Kiro alone" in problems[0]["message"]


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("Bash", {"command": "rm -rf /"}, "nope"),
        ("Bash", {"command": "ls"}, ""),
        ("mcp__postgres__query", {"sql": "select 1"}, "no database"),
        ("Read", {"file_path": "a"}, ""),
    ],
)
def test_its_guards_hold_for_calls_of_others(kiro: Program, tool: str, given: object, why: str) -> None:
    call = json.dumps({"session_id": "s", "cwd": "", "tool_name": tool, "tool_input": given})
    found = json.loads(kiro("fire", "PreToolUse", "--json", stdin=call).stdout)
    assert (found["verdict"], found["reason"]) == (("deny", why) if why else ("none", ""))


def test_a_call_of_its_own_is_known_by_every_name_it_has(program: Program) -> None:
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [
            {"matcher": matcher, "hooks": [{"type": "command", "command": f"echo no {matcher} >&2; exit 2"}]}
            for matcher in ("Bash", "Write", "mcp__postgres__query")
        ]}}),
    )  # fmt: skip
    names = {
        "execute_bash": "Bash",
        "fsWrite": "Write",
        "@postgres/query": "mcp__postgres__query",
        "read": "",
    }
    for name, matcher in names.items():
        sent = {"hook_event_name": "preToolUse", "cwd": str(program.workspace), "tool_name": name}
        done = program(
            "bridge", "kiro", "--event", "PreToolUse", stdin=json.dumps({**sent, "tool_input": {}})
        )
        assert done.returncode == (2 if matcher else 0), name
        assert (f"no {matcher}" in done.stderr) == bool(matcher), name


@pytest.mark.parametrize("name", ["kiro", "kimi"])
def test_a_text_for_the_model_is_plain_where_no_key_says_it(program: Program, name: str) -> None:
    program.write(
        ".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "UserPromptSubmit"\nrun = "echo tea"\n'
    )
    sent = json.dumps({"session_id": "s", "cwd": str(program.workspace), "prompt": "hello"})
    done = program("bridge", name, "--event", "UserPromptSubmit", stdin=sent)
    assert (done.returncode, done.stdout) == (0, "tea"), done.stderr


def test_what_it_takes_for_a_text_is_one_even_as_json(kiro: Program) -> None:
    hook = {
        "name": "said",
        "trigger": "UserPromptSubmit",
        "action": {"type": "command", "command": "echo '{}'"},
    }
    kiro.write(".kiro/hooks/mine.json", json.dumps({"version": "v1", "hooks": [hook]}))
    sent = json.dumps({"session_id": "s", "cwd": "", "prompt": "hello"})
    found = json.loads(kiro("fire", "UserPromptSubmit", "--json", stdin=sent).stdout)
    assert found["context"] == ["{}"]


def agent() -> AgentDialect:
    found = dialect("kiro")
    assert isinstance(found, AgentDialect)
    return found


FOREIGN = '{ "trigger":"Stop", "name": "mine","action":{"type":"command","command":"x" } }'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff\n",
        "{}",
        '{"version": "v1"}',
        '{\r\n\t"hooks": [ ]\r\n}',
        f'{{"hooks": [{FOREIGN}, "odd", 3], "version":"v1"}}\n',
        f'{{"version": "v1",\n  "hooks": [\n    {FOREIGN}\n  ]}}',
    ],
)
def test_its_file_gets_every_byte_back_after_a_move_of_hookline(text: str) -> None:
    old = install(agent(), text, "/old/python -m hookline", ())
    moved = install(agent(), old, "/new/python -m hookline", ())
    entries = installed(agent(), moved)
    assert [entry.native for entry in entries] == [row.native for row in agent().rows]
    assert all(entry.command.startswith("/new/python") for entry in entries)
    assert json.loads(moved.removeprefix("\ufeff"))["version"] == "v1"
    assert install(agent(), moved, "/new/python -m hookline", ()) == moved
    assert uninstall(agent(), moved) == (text, 0)


def test_its_missing_file_goes_again_unless_something_came_to_it() -> None:
    text = install(agent(), None, "hookline", (), folders=2)
    assert uninstall(agent(), text) == (None, 2)
    value = json.loads(text)
    value["hooks"].insert(2, json.loads(FOREIGN))
    left, _ = uninstall(agent(), json.dumps(value, indent=2))
    assert left is not None
    assert json.loads(left) == {"version": "v1", "hooks": [json.loads(FOREIGN)]}


@pytest.mark.parametrize(
    "text", ["[]", '"x"', "{", '{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"hooks": 1}']
)
def test_what_is_no_list_of_hooks_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        install(agent(), text, "hookline", ())
