"""Permission rules and modes: what is certain may be allowed, what may be meant is denied."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.hosts.tool_loop.permissions import Permissions, Rule
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.model.results import Verdict

TOOLS = Toolbox.standard()


def answer(
    name: str, given: dict[str, object], workspace: str = "/w", opinion: Verdict = Verdict.NONE, **rules: str
) -> str:
    mode = rules.pop("mode", "default")
    permissions = Permissions(mode, **{key: (Rule.parse(text),) for key, text in rules.items()})
    tool = TOOLS.get(name)
    assert tool is not None
    return permissions.answer(tool, given, opinion, workspace).word


@pytest.mark.parametrize(
    ("rule", "command", "word"),
    [
        ("Bash(git add:*)", "git add a.py", "allow"),
        ("Bash(git add:*)", "git add", "allow"),
        ("Bash(git add:*)", "git address", "ask"),
        ("Bash(git add:*)", "git add a && rm -rf /", "ask"),
        ("Bash(git add:*)", "git add a; rm -rf /", "ask"),
        ("Bash(git add:*)", "git add $(rm -rf /)", "ask"),
        ("Bash(git add:*)", 'git add "$(rm -rf /)"', "ask"),
        ("Bash(git add:*)", "git add `rm -rf /`", "ask"),
        ("Bash(git log:*)", "git log > /etc/passwd", "ask"),
        ("Bash(git log:*)", "GIT_PAGER=evil git log", "ask"),
        ("Bash(git add:*)", "git add 'unclosed", "ask"),
        ("Bash", "anything at all", "allow"),
        ("Write", "ls", "ask"),
    ],
)
def test_an_allow_rule_covers_a_command_only_as_a_whole(rule: str, command: str, word: str) -> None:
    assert answer("Bash", {"command": command}, allow=rule) == word


@pytest.mark.parametrize(
    "command",
    ["rm -rf x", "ls && rm -rf x", "ls | xargs; rm -rf x", "echo $(rm -rf x)", 'echo "$(rm -rf x)"',
     "A=1 rm -rf x", "(rm -rf x)", "if true; then rm -rf x; fi", "rm -rf 'unclosed"],
)  # fmt: skip
def test_a_deny_rule_finds_its_command_anywhere(command: str) -> None:
    assert answer("Bash", {"command": command}, deny="Bash(rm -rf:*)", mode="bypassPermissions") == "deny"


def test_a_deny_rule_beats_a_hooks_allow_and_an_ask_rule_too() -> None:
    """R17, C76."""
    given = {"command": "git push"}
    assert answer("Bash", given, opinion=Verdict.ALLOW, deny="Bash(git push:*)") == "deny"
    assert answer("Bash", given, opinion=Verdict.ALLOW, ask="Bash(git push:*)") == "ask"
    assert answer("Bash", given, opinion=Verdict.ALLOW) == "allow"


def test_path_rules_see_through_symbolic_links(tmp_path: Path) -> None:
    """R70: both the path as written and where it leads are looked at."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "open").symlink_to("secrets")
    place = str(tmp_path)
    for path in ("secrets/key", "open/key", "./x/../secrets/key", f"{place}/open/key"):
        assert answer("Write", {"file_path": path, "content": ""}, place, deny="Edit(secrets/**)",
                      mode="bypassPermissions") == "deny"  # fmt: skip
    assert answer("Write", {"file_path": "open/key", "content": ""}, place, allow="Edit(open/**)") == "ask"
    assert answer("Write", {"file_path": "src/a", "content": ""}, place, allow="Edit(src/**)") == "allow"


@pytest.mark.parametrize(
    ("mode", "read", "edit", "command"),
    [
        ("default", "allow", "ask", "ask"),
        ("acceptEdits", "allow", "allow", "ask"),
        ("plan", "allow", "deny", "deny"),
        ("dontAsk", "allow", "deny", "deny"),
        ("bypassPermissions", "allow", "allow", "allow"),
    ],
)
def test_modes(mode: str, read: str, edit: str, command: str) -> None:
    assert answer("Read", {"file_path": "a"}, mode=mode) == read
    assert answer("Edit", {"file_path": "a"}, mode=mode) == edit
    assert answer("Bash", {"command": "ls"}, mode=mode) == command


def test_plan_mode_changes_nothing_although_a_hook_allows() -> None:
    assert answer("Write", {"file_path": "a"}, opinion=Verdict.ALLOW, mode="plan") == "deny"
