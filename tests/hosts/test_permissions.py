"""Permission rules and modes: what is certain may be allowed, what may be meant is denied."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.engine.opening import open_engine
from hookline.hosts.tool_loop import permissions
from hookline.hosts.tool_loop.permissions import Permissions, Rule, read_permissions
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
    given = {"command": "git push"}
    assert answer("Bash", given, opinion=Verdict.ALLOW, deny="Bash(git push:*)") == "deny"
    assert answer("Bash", given, opinion=Verdict.ALLOW, ask="Bash(git push:*)") == "ask"
    assert answer("Bash", given, opinion=Verdict.ALLOW) == "allow"


def test_path_rules_see_through_symbolic_links(tmp_path: Path) -> None:
    """Both the path as written and where it leads are looked at."""
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


@pytest.mark.parametrize(
    ("rule", "tool", "given", "word"),
    [
        (Rule("Bash", "ls *", exact=True), "Bash", {"command": "ls *"}, "allow"),
        (Rule("Bash", "ls *", exact=True), "Bash", {"command": "ls x"}, "ask"),
        (Rule("Bash", "ls *", exact=True), "Bash", {"command": "ls *; rm x"}, "ask"),
        (Rule("Bash", "echo > f", exact=True), "Bash", {"command": "echo > f"}, "allow"),
        (Rule("Edit", "/w/a", exact=True), "Edit", {"file_path": "a"}, "allow"),
        (Rule("Edit", "/w/a", exact=True), "Edit", {"file_path": "x/../a"}, "allow"),
        (Rule("Edit", "/w/a", exact=True), "Edit", {"file_path": "a/b"}, "ask"),
        (Rule("Edit", "/w/*", exact=True), "Edit", {"file_path": "a"}, "ask"),
        (Rule("Edit", "/w/a", exact=True), "Write", {"file_path": "a"}, "ask"),
    ],
)
def test_an_exact_rule_is_no_pattern(rule: Rule, tool: str, given: dict[str, object], word: str) -> None:
    found = TOOLS.get(tool)
    assert found is not None
    assert Permissions("default", allow=(rule,)).answer(found, given, Verdict.NONE, "/w").word == word


def test_an_exact_rule_for_a_file_is_not_for_what_a_link_of_that_name_leads_to(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/etc/hosts")
    rule = Rule("Edit", str(tmp_path / "a"), exact=True)
    tool = TOOLS.get("Edit")
    assert tool is not None
    answer = Permissions("default", allow=(rule,)).answer(
        tool, {"file_path": "a"}, Verdict.NONE, str(tmp_path)
    )
    assert answer.word == "ask"


def test_rules_of_every_managed_file_hold_and_a_folder_of_them_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed, heard = tmp_path / "managed", list[str]()
    (managed / "managed-settings.d").mkdir(parents=True)
    for name, rule in (("managed-settings.json", "Bash(a:*)"), ("managed-settings.d/10-x.json", "Bash(b:*)")):
        (managed / name).write_text(f'{{"permissions": {{"deny": ["{rule}"]}}}}')
    (tmp_path / "ws").mkdir()
    opened = open_engine(str(tmp_path / "ws"), history=False)
    monkeypatch.setattr(permissions, "MANAGED", (str(managed),))
    found = read_permissions(opened, "bypassPermissions", heard.append)
    assert [rule.text for rule in found.deny] == ["Bash(a:*)", "Bash(b:*)"]
    assert not heard
    (managed / "managed-settings.d").rename(managed / "x")
    (managed / "managed-settings.d").symlink_to("managed-settings.d")
    read_permissions(opened, "bypassPermissions", heard.append)
    assert "its permission rules do not count" in heard[0]
