"""May a tool call be made: modes and rules, also of agents' settings, after the hooks and never weakened by them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.dialects.matching.lost_rules import lost_rules
from hookline.dialects.matching.permission_rules import (
    PermissionRule,
    Unparsable,
    every_command_fits,
    parse_rule,
    path_pattern,
    sub_commands,
    tool_fits,
    wildcard_fits,
)
from hookline.dialects.tools import RULE_LISTS, SHELLS
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.tools import Tool
from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record, replace
from hookline.model.results import Verdict
from hookline.model.short_json import as_written
from hookline.state.trust.store import trusts_workspace
from hookline.system import files

MODES = ("default", "plan", "acceptEdits", "dontAsk", "bypassPermissions")
FOLDERS = (".claude", ".mycode", ".gen")
MANAGED = ("/etc/claude-code", "/usr/share/gencode", "/Library/Application Support/GenCode")
_LOST = "these permission rules do not count"


class Rule(Record):
    """`Tool` or `Tool(pattern)`: commands such as `git add:*`, or a path glob for file tools.

    `exact`: the pattern is one command as it stands, or one file by its resolved path, for that tool alone.
    """

    tool: str
    pattern: str = ""
    exact: bool = False

    @staticmethod
    def parse(text: str) -> Rule:
        """A rule as settings files have it; a text that is none becomes one for a tool of that name."""
        found = parse_rule(text)
        return Rule(text.strip()) if found is None else Rule(found.tool, found.content or "")

    def is_about(self, tool: str) -> bool:
        """A rule for Edit is about every tool that edits, one for Read about every tool that reads."""
        return self.tool == tool if self.exact else tool_fits(PermissionRule(self.tool), tool)

    @property
    def text(self) -> str:
        return f"{self.tool}({self.pattern})" if self.pattern else self.tool


class _Call(Record):
    """What rules look at: the command, or the paths in both their forms, as written and resolved."""

    tool: Tool
    workspace: str
    command: str = ""
    paths: tuple[str, ...] = ()

    @staticmethod
    def of(tool: Tool, given: Mapping[str, Any], workspace: str) -> _Call:
        found = [os.path.join(workspace, str(given[key])) for key in tool.path_keys if given.get(key)]
        forms = [form for path in found for form in (os.path.normpath(path), os.path.realpath(path))]
        real = os.path.realpath(workspace)
        inside = [
            os.path.join(workspace, os.path.relpath(path, real)) if path.startswith(real + os.sep) else path
            for path in forms
        ]
        return _Call(tool, workspace, str(given.get("command", "")), tuple(dict.fromkeys(inside)))


class Answer(Record):
    """`word`: allow, ask or deny; `reason` in words for the model and the user."""

    word: str
    reason: str = ""


class Permissions(Record):
    """The mode and the rules of a session. A deny rule beats everything, a hook's allow included."""

    mode: str = "default"
    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()

    @staticmethod
    def from_settings(settings: Mapping[str, Any], mode: str) -> Permissions:
        """From `{"allow": [...], "ask": [...], "deny": [...]}` as agents' settings files have it."""

        def rules(key: str) -> tuple[Rule, ...]:
            return tuple(Rule.parse(text) for text in settings.get(key) or () if isinstance(text, str))

        return Permissions(mode, rules("allow"), rules("ask"), rules("deny"))

    def answer(self, tool: Tool, given: Mapping[str, Any], opinion: Verdict, workspace: str) -> Answer:
        """The order: deny rules, ask rules, what hooks said, allow rules, then the mode."""
        has_rules = self.deny or self.ask or self.allow
        call = _Call.of(tool, given, workspace) if has_rules else _Call(tool, workspace)
        for rule in self.deny:
            if _fits(rule, call):
                return Answer("deny", f"denied by the permission rule `{rule.text}`")
        for rule in self.ask:
            if _fits(rule, call):
                return self._asked(f"the permission rule `{rule.text}` wants to ask")
        if opinion in (Verdict.ASK, Verdict.DEFER):
            return self._asked("a hook wants to ask")
        if self.mode == "plan" and not tool.read_only:
            return Answer("deny", f"{tool.name} changes things, and this session only plans")
        if opinion == Verdict.ALLOW or any(_fits(rule, call, whole=True) for rule in self.allow):
            return Answer("allow")
        return self._by_mode(tool)

    def _by_mode(self, tool: Tool) -> Answer:
        if tool.read_only or self.mode == "bypassPermissions":
            return Answer("allow")
        if self.mode == "acceptEdits" and tool.edits:
            return Answer("allow")
        return self._asked(f"{tool.name} needs permission")

    def _asked(self, reason: str) -> Answer:
        if self.mode == "dontAsk":
            return Answer("deny", f"{reason}, and this session does not ask")
        return Answer("ask", reason)


def _fits(rule: Rule, call: _Call, whole: bool = False) -> bool:
    """Whether any part of a call falls under the rule; what cannot be told for certain does.

    `whole`: all of it must, for certain, whatever else is tacked on to it.
    """
    if not rule.is_about(call.tool.name):
        return False
    if not rule.pattern:
        return True
    if rule.exact:
        return _is_that(rule, call)
    if call.tool.name in SHELLS:
        if whole:
            return every_command_fits((rule.pattern,), call.command)
        try:
            commands = sub_commands(call.command)
        except Unparsable:
            return True
        return any(wildcard_fits(rule.pattern, command) for command in (*commands, call.command))
    fitting = [_path_fits(rule.pattern, path, call.workspace, not whole) for path in call.paths]
    return bool(fitting) and all(fitting) if whole else any(fitting)


def _is_that(rule: Rule, call: _Call) -> bool:
    if call.command:
        return call.command == rule.pattern
    return bool(call.paths) and all(os.path.realpath(path) == rule.pattern for path in call.paths)


def _path_fits(pattern: str, path: str, workspace: str, doubtful: bool) -> bool:
    """`doubtful` is the answer for a pattern that is too costly to try."""
    try:
        if pattern.startswith(("//", "~/")):
            return bool(path_pattern(os.path.expanduser(pattern).replace("//", "/", 1)).fullmatch(path))
        below = pattern.removeprefix("./").lstrip("/")
        if path_pattern(os.path.join(workspace, below)).fullmatch(path):
            return True
        return "/" not in pattern and bool(path_pattern(pattern).fullmatch(os.path.basename(path)))
    except ValueError:
        return doubtful


def read_permissions(
    opened: Opened, mode: str, warn: Warn = unheard, before: Permissions | None = None
) -> Permissions:
    """The rules of the user's, the workspace's and the machine's settings files, together.

    `deny` and `ask` count wherever they stand. `allow` in the workspace's own files counts only where
    `HOOKLINE_TRUST=workspace` is set: a project cannot give itself permissions. `warn` hears of files that
    cannot be read, whose rules are lost.
    `before` is what the host read earlier: no agent takes away what denied or asked then by an edit. Raises StateError
    for a file that could be read when the host began and cannot be for its first session.
    """
    found: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    trusted = trusts_workspace(opened.engine.environment)
    if before is None:
        _need_what_was_read(opened)
    told = (
        warn
        if before is None
        else lambda words: warn(f"{words}; what it denied or asked before, it still does")
    )
    for path in _sources(opened):
        own = path.startswith(os.path.join(opened.workspace, ""))
        rules = _permissions_in(path, told)
        for key in found:
            if key != "allow" or trusted or not own:
                found[key] += rules.get(key, ())
    now = Permissions.from_settings(found, mode)
    if before is None:
        return now
    ask, deny = (tuple(dict.fromkeys(both)) for both in (now.ask + before.ask, now.deny + before.deny))
    return replace(now, ask=ask, deny=deny)


def _need_what_was_read(opened: Opened) -> None:
    read = {entry.source.path for entry in opened.hooks.loaded if entry.state == "text"}
    for path in filter(read.__contains__, _sources(opened)):
        found = files.read_text(path)
        if found.state == "unreadable":
            raise StateError(f"`{path}`: its permission rules cannot be read: {found.reason}")


def rules_in_files(opened: Opened) -> Iterator[tuple[str, str, str]]:
    """Every rule that denies or asks: the file as people know it, `deny` or `ask`, and its text."""
    for path in _sources(opened):
        rules = _permissions_in(path, unheard)
        start = os.path.join(opened.workspace, "")
        for verdict in ("deny", "ask"):
            for text in rules.get(verdict, ()):
                yield path.removeprefix(start), verdict, text


def lost_denials(opened: Opened) -> list[str]:
    """Rules that may be denials and do not count, in words; lists of them are told with the hooks of their file."""
    heard: list[str] = []
    for path in _sources(opened):
        _permissions_in(path, heard.append, rules_alone=True)
    return [words for words in heard if _LOST in words and "`permissions.allow" not in words]


def _sources(opened: Opened) -> Iterator[str]:
    home = files.home(opened.engine.environment)
    for folder in FOLDERS:
        yield os.path.join(home, folder, "settings.json")
    for name in ("settings.json", "settings.local.json"):
        for folder in FOLDERS:
            yield os.path.join(opened.workspace, folder, name)
    for folder in MANAGED:
        yield os.path.join(folder, "managed-settings.json")
    more = files.list_dir(os.path.join(MANAGED[0], "managed-settings.d"))
    yield from (entry.path for entry in more.entries if entry.name.endswith(".json"))
    if more.state == "unreadable":
        yield os.path.join(MANAGED[0], "managed-settings.d")


def _permissions_in(path: str, warn: Warn, rules_alone: bool = False) -> Mapping[str, list[str]]:
    found = files.read_text(path)
    if found.state in ("missing", "empty"):
        return {}
    try:
        content = json.loads(found.text)
    except (ValueError, RecursionError) as error:
        warn(f"{path}: its permission rules do not count: {found.reason or f'not JSON: {error}'}")
        return {}
    if not isinstance(content, dict):
        _tell(warn, path, f"expected an object, found {as_written(content)}")
        return {}
    for lost in (
        each for each in lost_rules(content) if not each.heard and not (rules_alone and each.is_list)
    ):
        place = "" if lost.at_key or f"`{lost.place}`" in lost.words else f"`{lost.place}`: "
        told = lost.hint if lost.hint.startswith("did you mean") else ""
        _tell(warn, path, f"{place}{lost.words}{f': {told}' if told else ''}")
    rules = content.get("permissions", {})
    lists = {key: rules.get(key) for key in RULE_LISTS} if isinstance(rules, dict) else {}
    return {
        key: [rule for rule in given if isinstance(rule, str)]
        for key, given in lists.items()
        if isinstance(given, list)
    }


def _tell(warn: Warn, path: str, fault: str) -> None:
    warn(f"{path}: {_LOST}: {fault}")


class Shared:
    """What a loop and its subagents have in common: requests made, tokens used (sent and received), permissions."""

    def __init__(self, max_turns: int, permissions: Permissions) -> None:
        self.max_turns = max_turns
        self.permissions = permissions
        self.requests = 0
        self.usage = [0, 0]
        self.agents = 0
