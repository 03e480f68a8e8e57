"""Guards that compare the text of a command: what passes them, and the rule that would hold."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from hookline.checking.entries import ConfigFile
from hookline.checking.lines import HookLine
from hookline.dialects.matching.permission_rules import (
    KEYS,
    OTHER_KEYS,
    misspelt_tool,
    parse_rule,
    rule_mismatch,
)
from hookline.dialects.reading.nodes import Node
from hookline.dialects.spelling import nearest
from hookline.dialects.tools import CANONICAL
from hookline.model.errors import Problem
from hookline.model.hooks import Answer
from hookline.model.typing import Any
from hookline.system.patterns.late import late

_READS_COMMAND = late(
    r"tool_input|\bcommand\b|\bcmd\b|\bCOMMAND\b|\bCMD\b",
    needs=("tool_input", "command", "cmd", "COMMAND", "CMD"),
)
_DENIES = late(
    r"\bdeny\b|\bexit[ (]+2\b|[\"']block[\"']|exit_?code\s*=\s*2"
    r"|[Pp]ermission\w{0,40}+\\?[\"']?\s*:\s*\\?[\"'](?:deny|ask)"
)
_COMPARES = late(
    r"\b[ef]?grep\b|=~|==\s*[\"']?\*|\bcase\b|\b(?:test|contains|startswith|match|search|compile|includes|indexOf|startsWith)\("
    r"|\bin\s+(?:cmd|command)\b|-(?:i?match|i?like)\b"
)
# a line that only says something: a command in it is no pattern
_SAID = late(
    r"(?m)^\s*(?:echo|printf|print|console\.\w+|Write-\w+|(?:sys|process)\.std\w+\.write)\b(?![^\n]*\|\s*\w*grep)[^\n]*$"
)
# What stands for a blank in patterns, and what stands for nothing.
_BLANK = late(r"\[\[:(?:space|blank):\]\][+*]?|(?<!\\)\\++s[+*]?|\\ |\.\*| +")
_NOTHING = late(r"(?<!\\)\\++b|[\\^$()?+]")
MOST_NAMED = 5  # rules in one notice
_SHORTEST = 5  # letters of a command by which a text is recognised


def permission_problems(file: ConfigFile) -> Iterator[Problem]:
    """Rules of an agent's own settings that name a command by its text."""
    permissions = file.root.get("permissions") if file.root else None
    yield from _unread_permissions(file)
    for key in ("deny", "ask"):
        listed = permissions.get(key) if permissions else None
        nodes = listed.items if listed is not None and listed.kind == "array" else ()
        found = [(node, _command_of(node.value)) for node in nodes if isinstance(node.value, str)]
        found = [(node, aim) for node, aim in found if aim]
        if found:
            first, aim = found[0]
            rules = [f"`{node.value}`" for node, _ in found]
            more = f" and {len(rules) - MOST_NAMED} more" if len(rules) > MOST_NAMED else ""
            verb = "compares" if len(rules) == 1 else "compare"
            named = ", ".join(rules[:MOST_NAMED]) + more
            words = f"{named} {verb} the text of a command; `{_in_shell(aim)}` is another text"
            yield file.problem(first, "fragile-rule", words, _instead(aim, key), severity="notice")


def _unread_permissions(file: ConfigFile) -> Iterator[Problem]:
    """Rules that nobody reads: under a misspelt key, or of a tool in other letters."""
    root = file.root
    if root is None or root.kind != "object" or file.speaker.profile.style.top != "hooks":
        return
    for name, node in root.members.items():
        lists = [each for key in KEYS if (each := node.get(key)) is not None and each.kind == "array"]
        if name in ("ask", "deny") and node.kind == "array":
            words = f"`{name}` stands outside of `permissions`, where nothing reads it"
            hint = 'put it into `"permissions": {…}`'
            yield file.problem(root, "misspelt-key", words, hint, key=name, severity="error")
        if lists and name != "permissions" and nearest(name, ("permissions",)):
            words = f"`{name}` means nothing here, so none of the rules in it counts"
            yield file.problem(root, "misspelt-key", words, "did you mean `permissions`?", key=name)
    permissions = root.get("permissions")
    if permissions is not None and permissions.kind != "object":
        words = f"expected an object, found {permissions.kind}: no rule of it counts"
        yield file.problem(permissions, "wrong-type", words, 'write `{"deny": ["…"]}`', severity="error")
    if permissions is None:
        return
    for key, given in permissions.members.items():
        if key not in KEYS and key not in OTHER_KEYS and (meant := nearest(key, KEYS)):
            words = f"`{key}` means nothing here, so none of the rules in it counts"
            yield file.problem(permissions, "misspelt-key", words, f"did you mean `{meant}`?", key=key)
        elif key in KEYS and given.kind != "array":
            words = f"expected a list of rules, found {given.kind}: none of them counts"
            yield file.problem(given, "wrong-type", words, f'write `"{key}": ["…"]`', severity="error")
        for item in given.items if key in KEYS else ():
            yield from _dead_rule(file, item)


def _dead_rule(file: ConfigFile, item: Node) -> Iterator[Problem]:
    """A rule of a tool that there is not, or that is none."""
    if item.kind != "string":
        yield file.problem(item, "wrong-type", f"expected a rule, found {item.kind}", severity="error")
        return
    rule = parse_rule(item.value)
    if rule is None and "(" in item.value:
        words = f"`{item.value}` is no rule, so it never counts"
        yield file.problem(item, "bad-value", words, "write `Tool` or `Tool(pattern)`", severity="error")
    if rule is not None and rule.tool not in (*CANONICAL, *file.speaker.tools.known()):
        meant = misspelt_tool(rule.tool)
        if meant or (meant := "" if rule.tool.startswith("mcp") else nearest(rule.tool, CANONICAL) or ""):
            words = f"no tool is called `{rule.tool}`, so the rule never counts"
            yield file.problem(item, "dead-name", words, f"write `{meant}`")


def fragile_problems(line: HookLine) -> Iterator[Problem]:
    """A hook that looks for a command in the text of a call, with its own words or in a script."""
    if not line.entry.guards:
        return
    answer = line.entry.spec.action
    if isinstance(answer, Answer):
        if answer.verdict in ("deny", "ask"):
            yield from _of_predicates(line, answer.verdict)
        return
    for _, where, text in line.texts:
        aim = _aim_in(text)
        if aim:
            words = (
                f"{where} looks for `{aim}` in the text of the command; `{_in_quotes(aim)}` is another text"
            )
            yield line.entry.at_line("fragile-rule", words, _instead(aim, "deny"), severity="notice")
            return


def _of_predicates(line: HookLine, verdict: str) -> Iterator[Problem]:
    """Rules of our own format that use an agent's rule, or a glob over the command, where a predicate knows more."""
    from hookline.hosts.probing.aims import plain_command
    from hookline.hosts.probing.candidates import pattern_of

    asked: Mapping[str, Any] = line.entry.spec.rule.predicates
    globs = [text for path, text in asked.get("where", {}).items() if path == "tool_input.command"]
    found = {text: plain_command(text.lstrip("*")) for text in globs}
    found |= {
        rule: aim for rule in asked.get("rule", ()) if (aim := _command_of(rule)) and _passes(rule, aim)
    }
    for shown, aim in found.items():
        if pattern_of(aim):
            other = _in_quotes(aim) if shown in globs else _in_shell(aim)
            words = f"`{shown}` compares the text of a command; `{other}` passes it"
            yield line.entry.problem("fragile-rule", words, _instead(aim, verdict), severity="notice")


def _command_of(rule: str) -> str:
    """The command that a permission rule of a shell is about; empty where it is about all, or none that we know."""
    if not rule.strip().startswith("Bash("):
        return ""
    from hookline.hosts.probing.aims import aims_of_rule
    from hookline.hosts.probing.candidates import pattern_of

    return next((aim for aim in aims_of_rule(rule) if pattern_of(aim)), "")


def _passes(rule: str, aim: str) -> bool:
    parsed = parse_rule(rule)
    given = {"command": _in_shell(aim)}
    return parsed is not None and rule_mismatch(parsed, "Bash", given, "/", "/") is not None


def _in_shell(aim: str) -> str:
    return f"sh -c {shlex.quote(aim)}"


def _in_quotes(aim: str) -> str:
    first, _, rest = aim.partition(" ")
    return f'"{first}" {rest}'.rstrip()


def _instead(aim: str, verdict: str) -> str:
    from hookline.hosts.probing.aims import known_aims
    from hookline.hosts.probing.candidates import candidates

    predicate = known_aims().get(aim) or next(candidates((aim,)))
    rule = f'`{predicate}` with `{verdict} = "…"`'
    return f"in `.hookline/hooks.toml`: {rule}; `hookline probe` tries it in all spellings"


def _aim_in(text: str) -> str:
    """The longest well-known command that a guard compares a call's text with; empty where it does nothing like it."""
    if not _READS_COMMAND.search(text):
        return ""
    text = _SAID.sub("", text)
    if not (_READS_COMMAND.search(text) and _DENIES.search(text) and _COMPARES.search(text)):
        return ""
    from hookline.hosts.probing.aims import known_aims
    from hookline.hosts.probing.candidates import pattern_of

    plain = _NOTHING.sub("", _BLANK.sub(" ", text))
    known = dict.fromkeys(
        map(pattern_of, known_aims())
    )  # in their order: of two as long the first is told, each time
    found = [
        each for each in known
        if len(each) >= _SHORTEST and re.search(rf"(?<![\w-]){re.escape(each)}(?!\w)", plain)
    ]  # fmt: skip
    return max(found, key=len, default="")
