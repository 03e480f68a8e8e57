"""Matcher texts of real agents, compiled once with their traps pointed out."""

from __future__ import annotations

from functools import lru_cache

from hookline.dialects import REGISTRY, names, readable
from hookline.dialects.base import EventRule
from hookline.dialects.matching import mismatch
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest, quoted
from hookline.dialects.tools import Tools, native_for
from hookline.model.hooks import Matcher
from hookline.model.record import Record
from hookline.model.typing import Iterable, Iterator, Sequence

EVERYTHING = ("", "*")
STRICT_EXACT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|")
CLAUDE_EXACT = STRICT_EXACT | frozenset(" ,-")
_PYTHON_ONLY = r"\(\?[a-zA-Z]+\)|\(\?P[<=>]"


class Compiled(Record):
    """`matcher` is None for everything; `problem` and `hint` when it can never fit."""

    matcher: Matcher | None = None
    problem: str = ""
    hint: str = ""


def names_or_regex(text: str | None, exact: frozenset[str], *, javascript: bool = True) -> Compiled:
    """Exact names in a list if only characters of `exact` are used, else an unanchored regular expression."""
    if text is None or text in EVERYTHING:
        return Compiled()
    if exact.issuperset(text):
        return Compiled(Matcher("names", text))
    return regex(text, javascript=javascript)


def regex(text: str | None, *, anchored: bool = False, javascript: bool = True) -> Compiled:
    """A regular expression; one that does not compile never fits."""
    if text is None or text in EVERYTHING:
        return Compiled()
    from hookline.system.patterns import pattern_fault

    if javascript and "(?" in text:
        import re

        if re.search(_PYTHON_ONLY, text):
            return _never(text, "JavaScript knows no `(?i)` and no `(?P<`")
    if fault := pattern_fault(text):
        return _never(text, fault)
    return Compiled(Matcher("fullregex" if anchored else "regex", text))


def exact(text: str | None) -> Compiled:
    """The whole text, letter by letter."""
    return Compiled() if text is None or text in EVERYTHING else Compiled(Matcher("exact", text))


def report_matcher(
    reader: Reader, rule: EventRule, compiled: Compiled, known: Sequence[str], key: str = "matcher"
) -> None:
    """Points out a matcher that is ignored, can never fit, or names a tool nobody has."""
    node = reader.members.get(key)
    if node is None:
        return
    if compiled.matcher is not None and not rule.subject and compiled.matcher.text != ".*":
        words = f"`{rule.native}` has nothing to match, so the matcher is ignored"
        reader.report(node, "matcher-ignored", words, "remove the matcher", severity="warning")
    if compiled.problem:
        reader.report(node, "dead-matcher", compiled.problem, compiled.hint)
    if rule.subject == "tool_name" and known and compiled.matcher is not None:
        for told in _dead(compiled.matcher, tuple(known)):
            reader.report(node, *told, severity="warning")


@lru_cache(maxsize=512)  # many hooks of a file have the same matcher
def _dead(matcher: Matcher, known: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Names and patterns that fit no known tool, as code, message and hint; MCP tools are never known."""
    found = []
    if dead := dead_names(matcher, known):
        every = len(dead) == len(listed_names(matcher))
        told = dead if every else _without_other_agents(dead)
        if told:
            found.append(_of_names(told, every, known))
    if fits_none(matcher, known):
        words = f"`{matcher.text}` fits none of the known tools"
        hint, certain = _pattern_hint(matcher, known)
        found.append((_dead_code(certain), words, hint))
    return tuple(found)


def _of_names(dead: Sequence[str], every: bool, known: Sequence[str]) -> tuple[str, str, str]:
    """One line for all names; a name that is neither misspelt nor another agent's may be a tool we do not know."""
    meant = {name: nearest(name, known) or native_for(name, known, tools_of_all) for name in dead}
    found = dict.fromkeys(word for word in meant.values() if word)
    hint = f"did you mean {quoted(tuple(found))}?" if found else ""
    words = f"no known tool is called {quoted(dead)}"
    return _dead_code(every and all(meant.values())), words, hint


def _without_other_agents(dead: Sequence[str]) -> tuple[str, ...]:
    """A list for several agents has names of each, on purpose."""
    foreign = {name for tools in tools_of_all() for name in tools.known()}
    return tuple(name for name in dead if name not in foreign)


def _dead_code(every: bool) -> str:
    return "dead-matcher" if every else "dead-name"


def _pattern_hint(matcher: Matcher, known: Sequence[str]) -> tuple[str, bool]:
    """What to write, and whether the pattern surely fits nothing, which a tool of a newer version might change."""
    tool, opened, _ = matcher.text.partition("(")
    if opened and (meant := tool if tool in known else native_for(tool, known, tools_of_all)):
        written = f'Claude Code has `"if": "{matcher.text}"` beside it'
        return f"a matcher sees the tool's name only: write `{meant}`; {written}", True
    words = "".join(each if each.isalnum() or each == "_" else " " for each in matcher.text).split()
    found = [native_for(word, known, tools_of_all) or nearest(word, known) for word in words]
    if words and all(found):
        return f"did you mean {quoted(tuple(dict.fromkeys(filter(None, found))))}?", True
    return "known tools: " + ", ".join(known[:12]) + (", …" if len(known) > 12 else ""), not words


def tools_of_all() -> Iterator[Tools]:
    """What every known agent calls its tools, those of Claude Code being the canonical ones."""
    from hookline.dialects.all_names import ALL_TOOLS

    yield from (ALL_TOOLS, Tools())
    yield from (speaker.tools for speaker in readable(name for name in names() if name not in REGISTRY))


def listed_names(matcher: Matcher | None) -> tuple[str, ...]:
    """The names an exact matcher lists, for telling a dead one."""
    if matcher is None or matcher.kind not in ("exact", "names"):
        return ()
    text = matcher.text if matcher.kind == "exact" else matcher.text.replace(",", "|")
    names = (text,) if matcher.kind == "exact" else tuple(name.strip() for name in text.split("|"))
    return tuple(name for name in names if name)


def dead_names(matcher: Matcher | None, known: Iterable[str]) -> tuple[str, ...]:
    """Listed names that are neither known nor an MCP tool's."""
    words = frozenset(known)
    return tuple(name for name in listed_names(matcher) if name not in words and not is_mcp(name))


def fits_none(matcher: Matcher, known: Iterable[str]) -> bool:
    """Whether a pattern fits none of the known tools, and does not look as if it meant an MCP tool."""
    if (
        matcher.kind not in ("regex", "fullregex", "glob")
        or "mcp" in matcher.text.lower()
        or "@" in matcher.text
    ):
        return False
    return mismatch(matcher, tuple(known), "tool_name") is not None


def is_mcp(name: str) -> bool:
    """Whether a tool name belongs to an MCP server, in any agent's spelling."""
    return name.startswith(("mcp_", "MCP:", "@"))


def _never(text: str, why: str) -> Compiled:
    return Compiled(
        Matcher("never", text), f"the matcher never fits: {why}", "write exact names, or a valid pattern"
    )
