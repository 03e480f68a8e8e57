"""What `hookline check` says of permission rules that nobody reads, and of a file of one's own that is shared."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from tests.program import Program

RULES = ["Bash(rm:*)", "Read(.env)"]


def told(program: Program, content: Any, name: str = "settings.json") -> list[tuple[str, str]]:
    program.write(f".claude/{name}", json.dumps(content))
    return [(each["code"], each["hint"]) for each in json.loads(program("check", "--json").stdout)
            if each["code"] != "fragile-rule"]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        ({"permisions": RULES}, "permissions"), ({"permission": {"deny": RULES}}, "permissions"),
        ({"permissions": {"denied": RULES}}, "deny"), ({"permissions": {"blocklist": RULES}}, "deny"),
        ({"permissions": {"deny_list": RULES}}, "deny"), ({"permissions": {"forbidden": ["WebFetch"]}}, "deny"),
        ({"permissions": {"confirm": RULES}}, "ask"), ({"permissions": {"allowlist": RULES}}, "allow"),
        ({"disallowedTools": RULES}, "deny"), ({"blacklist": RULES}, "deny"), ({"deny": RULES}, "permissions"),
        ({"permissions": {"blocklist": ["example.com"]}}, ""), ({"blocked": ["example.com"]}, ""),
        ({"allowedTools": RULES}, ""), ({"permissions": {"defaultMode": "plan"}}, ""),
        ({"enabledMcpjsonServers": ["Bash"]}, ""), ({"permissions": {"deny": RULES, "ask": [], "allow": ["Bash"]}}, ""),
    ],
)  # fmt: skip
def test_rules_under_another_name_are_told(program: Program, content: Any, meant: str) -> None:
    found = told(program, content)
    assert [code for code, _ in found] == (["misspelt-key"] if meant else [])
    assert all(meant in hint for _, hint in found)


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("Bash (rm:*)", "write `Bash(rm:*)`"), ("Bash[rm:*]", "write `Bash(rm:*)`"), ("bash(rm *)", "write `Bash`"),
        ("Bash{rm *}", "write `Bash(rm *)`"), ("Read .env", "write `Read(.env)`"),
        ("Bash:rm -rf *", "write `Bash(rm -rf *)`"),
        ("rm -rf *", "write `Bash(rm -rf:*)`"), ("Bash(rm:* -rf)", "write `Bash(rm:*)`"),
        ("Bash(git push: *)", "write `Bash(git push:*)`"), ("Shell(rm *)", "write `Bash`"),
        ("run_shell_command(rm *)", "write `Bash`"), ("WebFetch(https://a.com/x)", "write `WebFetch(domain:a.com)`"),
        ("Write(/etc/**)", "write `Write(//etc/**)`"), ("Read(/Users/kim/x)", "write `Read(//Users/kim/x)`"),
        ("Bash(DROP TABLE*)", "write `Bash(*DROP TABLE*)`"),
        *((rule, "") for rule in (
            "Read(/src/**)", "Write(//etc/**)", "Edit(/etcetera/**)", "Bash(*DROP TABLE*)", "Bash(/usr/bin/dropdb *)",
            "Bash(rm -rf:*)", "Bash(rm -rf *)", "Bash(git * main)", "Read(~/.ssh/**)", "WebFetch(domain:a.com)",
            "WebFetch", "mcp__github__drop", "mcp__github", "Bash(echo a:b)", "Bash", "Agent(Explore)", "Skill(x)",
            "Bash(npm run a:b:*)",
        )),
    ],
)  # fmt: skip
def test_a_rule_that_is_none_is_told_with_what_was_meant(program: Program, rule: str, hint: str) -> None:
    assert [each for _, each in told(program, {"permissions": {"deny": [rule]}})] == ([hint] if hint else [])


@pytest.mark.parametrize("content", [{"permissions": {"denied": RULES}}, {"permissions": {"deny": ["Bash[rm:*]"]}},
                                     {"permisions": RULES}, {"permissions": {"deny": ["Bash(rm:* -rf)"]}}])  # fmt: skip
def test_a_host_does_not_start_while_such_a_rule_is_lost(program: Program, content: Any) -> None:
    program.write(".claude/settings.json", json.dumps(content))
    program.write("turns.yml", "turns:\n  - text: done\n")
    ran = program("run", "go", "--model", "scripted:turns.yml")
    told = [line for line in ran.stderr.splitlines() if line.startswith("guard off: ")]
    words = ("these permission rules do not count", "none of the rules in it counts")
    assert ran.returncode == 1 and len(told) == 1 and any(each in told[0] for each in words)
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash (rm:*)", *RULES]}}))
    assert program("run", "go", "--model", "scripted:turns.yml").returncode == 0


def test_a_personal_path_in_a_file_of_ones_own_is_told_once_git_has_it(program: Program) -> None:
    hook = {"type": "command", "command": "python3 /Users/kim/work/guard.py"}
    content = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    subprocess.run(["git", "init", "-q"], cwd=program.workspace, check=True)
    assert told(program, content, "settings.local.json") == []
    subprocess.run(["git", "add", "."], cwd=program.workspace, check=True)
    ((code, hint),) = told(program, content, "settings.local.json")
    assert (code, "git rm --cached .claude/settings.local.json" in hint) == ("personal-path", True)
    hook["command"] = "python3 /Users/runner/work/guard.py"
    assert told(program, content, "settings.local.json") == []
