"""What a hook runs, for agents that have an event for each kind of action, or no place for a program's arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from shlex import quote

from hookline.dialects import dialect
from hookline.dialects.converting.matchers import canonical_names, exact_names, expression_of, fits_all
from hookline.dialects.spelling import quoted
from hookline.dialects.tools import is_about
from hookline.model.events import EventKind
from hookline.model.hooks import Matcher
from hookline.model.record import Record

MCP = "mcp__*"
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
_SPECIAL = re.compile(r'(["`\\$])')


class Chosen(Record):
    """The events that tell of what the matcher is about. `untold`: what none of them tells of, in words; `wider`:
    what they tell of besides."""

    natives: tuple[str, ...]
    untold: str = ""
    wider: str = ""


def matcher_of_tools(tools: tuple[str, ...]) -> Matcher:
    """The matcher that an event of some tools stands for."""
    return Matcher("regex", "^mcp__") if tools == (MCP,) else Matcher("names", "|".join(tools))


def chosen_events(matcher: Matcher | None, source: str, target: str, kind: EventKind) -> Chosen:
    """The events of `target` for a hook of `source` with this matcher of tools."""
    listener = dialect(target)
    never = listener.profile.style.never
    natives = [row.native for row in listener.rows if row.kind is kind and row.native not in never]
    wanted = _wanted(matcher, source)
    if wanted is None:
        told = ", ".join(f"`{each}`" for native in natives for each in listener.tools_about(native))
        return Chosen(tuple(natives), f"no event of {listener.title} tells of tools but {told}")
    found = [n for n in natives if any(is_about(tool, listener.tools_about(n)) for tool in wanted)]
    covered = tuple(each for native in found for each in listener.tools_about(native))
    untold = [tool for tool in wanted if not is_about(tool, covered)]
    wider = [tool for tool in covered if tool not in wanted]
    return Chosen(
        tuple(found),
        f"no event of {listener.title} tells of {quoted(untold)}" if untold else "",
        f"its matcher became {quoted(found)}, which are also about {quoted(wider)}"
        if found and wider
        else "",
    )


def _wanted(matcher: Matcher | None, source: str) -> tuple[str, ...] | None:
    """The canonical tools that a matcher fits; None: all there are, or who knows which."""
    if matcher is None or fits_all(expression_of(matcher)):
        return None
    names = exact_names(matcher)
    if names is not None:
        return tuple(dict.fromkeys(each for name in names for each in canonical_names(name, source)))
    expression = expression_of(matcher)
    fitting = [name for name in dialect(source).tools.known() if re.search(expression, name)]
    known = [each for name in fitting for each in canonical_names(name, source)]
    return tuple(dict.fromkeys((*known, *((MCP,) if "mcp" in expression.lower() else ())))) or None


def placeholders_of(argv: Sequence[str], filled: Collection[str]) -> frozenset[str]:
    """The variables in the words that an agent with these fills in by itself, where no shell is."""
    return frozenset(name for word in argv for name in _PLACEHOLDER.findall(word) if name in filled)


def as_line(argv: Sequence[str], filled: Collection[str]) -> str:
    """The words for a shell, which fills in these variables and leaves all else as it is."""
    return " ".join(_quoted(word, filled) for word in argv)


def _quoted(word: str, filled: Collection[str]) -> str:
    if not any(name in filled for name in _PLACEHOLDER.findall(word)):
        return quote(word)
    parts = _PLACEHOLDER.split(word)  # texts and names by turns
    texts = (
        (f"${{{part}}}" if part in filled else f"\\${{{part}}}")
        if number % 2
        else _SPECIAL.sub(r"\\\1", part)
        for number, part in enumerate(parts)
    )
    return f'"{"".join(texts)}"'
