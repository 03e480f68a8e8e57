"""`touches = "guards"`: an agent must not get rid of its guards, by no plain way and under no other name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

RULE = '[[hooks]]\nevent = "PreToolUse"\ntouches = "guards"\ndeny = "these are the rules you work under"\n'


def verdict(program: Program, tool: str, **given: Any) -> str:
    payload = {"tool_name": tool, "tool_input": given}
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps(payload))
    return str(json.loads(done.stdout)["verdict"])


@pytest.mark.parametrize(
    "path",
    [
        ".hookline/hooks.toml", ".hookline/new.sh", ".claude/settings.json", ".claude/settings.local.json",
        "./sub/../.claude/settings.json", ".CLAUDE/Settings.json", ".gen/settings.json", ".cursor/hooks.json",
        ".github/hooks/x.json", ".discobot/hooks/check", ".iteratr.hooks.yml", ".git/config", ".git/hooks/pre-commit",
        "link/settings.json", "~/.config/hookline/trust.json",
    ],
)  # fmt: skip
def test_no_tool_writes_hooks_or_trust(program: Program, path: str) -> None:
    """Paths that do not exist yet, other spellings and links included."""
    program.write(".hookline/hooks.toml", RULE)
    (program.workspace / ".claude").mkdir(exist_ok=True)
    (program.workspace / "link").symlink_to(".claude")
    assert verdict(program, "Write", file_path=path, content="x") == "deny"
    assert verdict(program, "Edit", file_path=path, old_string="a", new_string="b") == "deny"
    assert verdict(program, "Read", file_path=path) == "none"


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm -rf .hookline", "deny"),
        ("echo '{}' > .claude/settings.json", "deny"),
        ("cd src && chmod -x ../.discobot/hooks/check", "deny"),
        ("cd .hookline && echo x >> hooks.toml", "deny"),
        ("(cd '.claude'; sed -i s/a/b/ settings.json)", "deny"),
        ("ln -sfn elsewhere .claude", "deny"),
        ("mv .git away", "deny"),
        ("git commit --no-verify -m x", "deny"),
        ("git commit -nm x", "deny"),
        ("git config core.hooksPath /dev/null", "deny"),
        ("git -c core.hookspath= commit -m x", "deny"),
        ("HOOKLINE_TRUST=workspace make", "deny"),
        ("hookline trust --yes", "deny"),
        ("echo $(hookline disable x)", "deny"),
        ("sed -i s/a/b/ .git/config", "deny"),
        ("find .hookline -delete", "deny"),
        ("cat .claude/settings.json", "none"),
        ("git diff .hookline/hooks.toml | head", "none"),
        ("git commit -m 'now'", "none"),
        ("hookline check && hookline list", "none"),
        ("npm test > out.txt", "none"),
        ("cd src && ls ../.claude && make > out.txt", "none"),
    ],
)
def test_no_command_changes_or_goes_around_them(program: Program, command: str, found: str) -> None:
    program.write(".hookline/hooks.toml", RULE)
    assert verdict(program, "Bash", command=command) == found


def test_it_holds_in_front_of_another_agent_under_its_names(program: Program) -> None:
    program.write(".hookline/hooks.toml", RULE)
    payload = {
        "session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "write_file",
        "tool_input": {"file_path": ".gemini/settings.json", "content": "{}"},
    }  # fmt: skip
    done = program("bridge", "gemini", "--event", "BeforeTool", stdin=json.dumps(payload))
    assert json.loads(done.stdout)["decision"] == "deny"


def test_it_says_nothing_else_than_guards(program: Program) -> None:
    program.write(".hookline/hooks.toml", RULE.replace('"guards"', '"everything"'))
    assert program("check").returncode == 1
