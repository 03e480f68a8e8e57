"""Claude Code's permission rules (`Bash(git *)`, `Edit(src/**)`) as the `if` of a hook.

As a filter of hooks a rule leans towards running: a command that cannot be taken apart for certain runs the
hook. From the Claude Code permission and hooks references; that an unparsable rule never fits was observed.
"""

from __future__ import annotations

import os.path
import re

from hookline.dialects.spelling import edits
from hookline.dialects.tools import CANONICAL, SHELLS, TOOL_EVENTS, call_names, patch_targets
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    from hookline.dialects.reading.reader import Reader
    from hookline.system.patterns.expressions import Pattern

_RULE = re.compile(r"\s*([A-Za-z_][\w*-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
# Redirections write files, and assignments change what a command does.
_MORE_THAN_COMMANDS = re.compile(r"[<>]|(?:^|[\s;&|(])[A-Za-z_]\w*\+?=")
EDITORS = frozenset({"Edit", "Write", "NotebookEdit", "MultiEdit"})
READERS = frozenset({"Read", "Grep", "Glob", "LS"})
# What a rule's text is compared with, for tools that are neither shells nor about files.
SUBJECTS: Mapping[str, str] = {
    "Agent": "subagent_type", "Task": "subagent_type", "Skill": "skill", "WebSearch": "query",
}  # fmt: skip


class PermissionRule(Record):
    """`tool` is an exact name, or an MCP server's prefix; `content` is None without parentheses."""

    tool: str
    content: str | None = None


class Unparsable(Exception):
    """A command line whose parts cannot be told for certain."""


def condition_mismatch(spec: HookSpec, event: Event) -> str | None:
    """Why a hook's own `if` keeps it from this event; None if it has none, or that fits."""
    text = spec.condition
    if not isinstance(text, str) or not text.strip():
        return None
    if event.kind not in TOOL_EVENTS:
        return f"`if: {text}` only works on tool events; the hook never runs"
    rule = parse_rule(text)
    if rule is None:
        return f"`if: {text}` is no permission rule; the hook never runs"
    given = event.tool_input
    reasons = [rule_mismatch(rule, name, given, event.cwd, event.workspace) for name in call_names(event)]
    return None if None in reasons else reasons[0]


def report_condition(reader: Reader, kind: EventKind, native: str, text: str) -> None:
    """Reports an `if` that never fits, at the entry's event or because it is none."""
    if not text.strip() or kind is EventKind.NoSuchEvent:
        return
    node = reader.members["if"]
    if kind not in TOOL_EVENTS:
        words = f"`if` only works on tool events; on `{native}` the hook never runs"
        reader.report(node, "dead-condition", words, "remove `if`")
    elif parse_rule(text) is None:
        words = "this is no permission rule, so the hook never runs"
        reader.report(node, "dead-condition", words, "write one rule, such as `Bash(git *)`")


def parse_rule(text: str) -> PermissionRule | None:
    """The rule, or None when the text is none."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    content = found[2].strip() if found[2] is not None else None
    return PermissionRule(found[1], None if content in ("", "*") else content)


def misspelt_tool(name: str) -> str:
    """The tool that is called so but for letter case or one letter; empty where there is one of that name, or none."""
    if name in CANONICAL or "*" in name:
        return ""
    return next((tool for tool in CANONICAL if edits(name.lower(), tool.lower(), 1) <= 1), "")


def rule_mismatch(
    rule: PermissionRule, tool: str, given: Mapping[str, Any], cwd: str, workspace: str
) -> str | None:
    """Why a call does not fall under the rule; None if it does, or if that cannot be told."""
    shown = rule.tool if rule.content is None else f"{rule.tool}({rule.content})"
    if not tool_fits(rule, tool):
        return f"`if: {shown}` is not about `{tool}`"
    if rule.content is None or _content_fits(rule.content, tool, given, cwd, workspace):
        return None
    return f"`if: {shown}` does not fit this call"


def sub_commands(line: str) -> tuple[str, ...]:
    """Every simple command of a shell line as written, those in `$()` and backticks included, without assignments.

    Raises Unparsable where that cannot be told for certain.
    """
    from hookline.shell.effects.written import written_commands

    try:
        return written_commands(line)
    except ValueError as error:
        raise Unparsable(line) from error


def every_command_fits(contents: Sequence[str], line: str) -> bool:
    """Whether each command of a line falls under one of the rules, for certain, and nothing is tacked on to it."""
    try:
        commands = sub_commands(line)
    except Unparsable:
        return False
    every = all(any(wildcard_fits(content, command) for content in contents) for command in commands)
    return bool(commands) and every and not _MORE_THAN_COMMANDS.search(line)


def tool_fits(rule: PermissionRule, tool: str) -> bool:
    """Whether the rule is about a tool of that name."""
    if rule.tool == tool or (rule.tool == "Task" and tool == "Agent"):
        return True
    if rule.tool.startswith("mcp__"):
        whole_server = rule.tool.removesuffix("*").removesuffix("__")
        return tool.startswith(f"{whole_server}__") and (
            rule.tool.count("__") == 1 or rule.tool.endswith("*")
        )
    # a rule for Edit covers every tool that edits files, one for Read every tool that reads them
    return (rule.tool == "Edit" and tool in EDITORS) or (rule.tool == "Read" and tool in READERS)


def _content_fits(content: str, tool: str, given: Mapping[str, Any], cwd: str, workspace: str) -> bool:
    if tool in SHELLS:
        return _command_fits(content, str(given.get("command", "")))
    if tool in EDITORS or tool in READERS:
        return _path_fits(content, input_paths(given), cwd, workspace)
    if tool == "WebFetch" and content.startswith("domain:"):
        return _domain_fits(content.removeprefix("domain:").strip(), str(given.get("url", "")))
    value = given.get(SUBJECTS.get(tool, ""))
    return not isinstance(value, str) or wildcard_fits(content, value)


def _command_fits(content: str, line: str) -> bool:
    try:
        commands = sub_commands(line)
    except Unparsable:
        return True
    if any(wildcard_fits(content, command) for command in (*commands, line.strip())):
        return True
    only_a_name = re.fullmatch(r"[^\s*]+(?:\s*\*|:\*)?", content) is not None
    return not only_a_name and bool(re.search(r"\$|`", line))


def wildcard_fits(content: str, text: str) -> bool:
    """Whether a rule's text fits: `*` is anything; a last ` *` or `:*` also fits the bare words before it.

    In one pass, whatever a model writes into a command.
    """
    open_end = content.endswith((":*", " *"))
    first, *others = (content[:-2] if open_end else content).split("*")
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in others[:-1]:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not others:
        return _ends(text, at, open_end)
    if not open_end:
        return text.endswith(others[-1]) and len(text) - len(others[-1]) >= at
    found = text.find(others[-1], at)
    while found >= 0:
        if _ends(text, found + len(others[-1]), True):
            return True
        found = text.find(others[-1], found + 1)
    return False


def _ends(text: str, at: int, open_end: bool) -> bool:
    return at == len(text) or (open_end and text[at].isspace())


def input_paths(given: Mapping[str, Any]) -> list[str]:
    """The files a tool's input names, as it names them."""
    found = [given.get(field) for field in ("file_path", "notebook_path", "path")]
    paths = [path for path in found if isinstance(path, str) and path]
    if isinstance(given.get("command"), str):
        paths += [path for _, path in patch_targets(given["command"])]
    return paths


def _path_fits(content: str, paths: list[str], cwd: str, workspace: str) -> bool:
    """`//x` is absolute, `~/x` below home, `/x` below the workspace, anything else below the cwd."""
    if not paths:
        return True  # nothing to tell by, so the hook decides
    if content.startswith("//"):
        pattern = content[1:]
    elif content.startswith("~/"):
        pattern = os.path.expanduser(content)
    else:
        base = workspace if content.startswith("/") else cwd or workspace
        pattern = os.path.join(base, content.removeprefix("./").lstrip("/"))
    try:
        fits = path_pattern(pattern)
    except ValueError:
        return True
    absolute = [os.path.normpath(os.path.join(cwd or workspace, path)) for path in paths]
    anywhere = path_pattern(content) if "/" not in content else None
    return any(
        fits.fullmatch(path) or (anywhere and anywhere.fullmatch(os.path.basename(path))) for path in absolute
    )


def path_pattern(pattern: str) -> Pattern:
    """A gitignore-like pattern: `**` crosses folders, `*` and `?` do not; a folder means all below it."""
    from hookline.system.patterns.expressions import compile_pattern

    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.rstrip("/"))
    words = {"**/": r"(?:[\s\S]*/)?", "**": r"[\s\S]*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(words.get(part) or re.escape(part) for part in parts)
    return compile_pattern(body + r"(?:/[\s\S]*)?")


def _domain_fits(domain: str, url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return True
    return wildcard_fits(domain.lower(), host.lower())
