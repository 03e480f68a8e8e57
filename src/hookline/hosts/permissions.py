"""May a tool call be made: modes and rules, evaluated after the hooks and never weakened by them."""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.model.results import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.hosts.tools import Tool

MODES = ("default", "plan", "acceptEdits", "dontAsk", "bypassPermissions")


class Rule(Record):
    """`Tool` or `Tool(pattern)`: a command prefix such as `git add:*`, or a path glob for file tools."""

    tool: str
    pattern: str = ""

    @staticmethod
    def parse(text: str) -> Rule:
        name, _, rest = text.partition("(")
        return Rule(name.strip(), rest.removesuffix(")").strip())

    @property
    def text(self) -> str:
        return f"{self.tool}({self.pattern})" if self.pattern else self.tool


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
        for rule in self.deny:
            if _fits(rule, tool, given, workspace):
                return Answer("deny", f"denied by the permission rule `{rule.text}`")
        for rule in self.ask:
            if _fits(rule, tool, given, workspace):
                return self._asked(f"the permission rule `{rule.text}` wants to ask")
        if opinion in (Verdict.ASK, Verdict.DEFER):
            return self._asked("a hook wants to ask")
        if opinion == Verdict.ALLOW or any(_fits(rule, tool, given, workspace) for rule in self.allow):
            return Answer("allow")
        return self._by_mode(tool)

    def _by_mode(self, tool: Tool) -> Answer:
        if tool.read_only or self.mode == "bypassPermissions":
            return Answer("allow")
        if self.mode == "plan":
            return Answer("deny", f"{tool.name} changes things, and this session only plans")
        if self.mode == "acceptEdits" and tool.edits:
            return Answer("allow")
        return self._asked(f"{tool.name} needs permission")

    def _asked(self, reason: str) -> Answer:
        if self.mode == "dontAsk":
            return Answer("deny", f"{reason}, and this session does not ask")
        return Answer("ask", reason)


def _fits(rule: Rule, tool: Tool, given: Mapping[str, Any], workspace: str) -> bool:
    if rule.tool != tool.name:
        return False
    if not rule.pattern or rule.pattern == "*":
        return True
    if "command" in given:
        return _fits_command(rule.pattern, str(given["command"]))
    return any(
        _fits_path(rule.pattern, str(given[key]), workspace) for key in tool.path_keys if given.get(key)
    )


def _fits_command(pattern: str, command: str) -> bool:
    prefix = pattern.removesuffix(":*").removesuffix(" *").removesuffix("*")
    if prefix == pattern:
        return any(part == pattern for part in command_parts(command))
    return any(part == prefix or part.startswith(prefix) for part in command_parts(command))


def command_parts(command: str) -> tuple[str, ...]:
    """The simple commands of a shell line, split at operators outside quotes; the whole line comes first."""
    parts, current, quote = [], "", ""
    for place, ch in enumerate(command):
        if quote:
            quote = "" if ch == quote and command[place - 1] != "\\" else quote
        elif ch in "'\"":
            quote = ch
        elif ch in ";|&\n()`":
            parts.append(current)
            current = ""
            continue
        current += ch
    parts.append(current)
    found = [part.strip().lstrip("$").strip() for part in parts]
    return tuple(dict.fromkeys([command.strip(), *(part for part in found if part)]))


def _fits_path(pattern: str, path: str, workspace: str) -> bool:
    from hookline.system.globs import match_workspace_glob

    absolute = os.path.normpath(os.path.join(workspace, path))
    names = {os.path.relpath(absolute, workspace), os.path.relpath(os.path.realpath(absolute), workspace)}
    return any(map(match_workspace_glob(pattern).matches, names))
