"""Matchers from one dialect's words to another's: tool names are translated, patterns rewritten or widened.

A matcher that cannot be said narrows nothing in the other dialect: a guard then rather runs too often.
"""

from __future__ import annotations

import re
from fnmatch import translate

from hookline.dialects import dialect
from hookline.dialects.profile import Matching
from hookline.model.hooks import Matcher
from hookline.model.record import Record

_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_FLAGS = re.compile(r"\(\?([aiLmsux]+)\)")


class Translated(Record):
    """`matchers` is one hook each (cocode has no lists); (None,) matches everything. `lost` says what was."""

    matchers: tuple[Matcher | None, ...]
    lost: str = ""
    narrower: bool = False


def never_fits(matcher: Matcher) -> str:
    """What is told of a hook that its matcher keeps from ever running."""
    return f"its matcher `{matcher.text}` never fits, so it was left out"


def translated(
    matcher: Matcher | None, source: str, target: str, subject: str, has_subject: bool
) -> Translated:
    """A matcher of `source` as `target` would have it; `has_subject`: whether the target matches there."""
    if matcher is None:
        return Translated((None,))
    if matcher.kind == "never":
        return Translated((), never_fits(matcher))
    form = dialect(target).profile.matching
    if not form.form or not has_subject:
        if subject == "files":
            return Translated(
                (None,), f"the pattern `{matcher.text}` cannot be said there; it runs for every file"
            )
        return Translated((None,), f"the matcher `{matcher.text}` cannot be said there; it runs always")
    if subject == "tool_name":
        return _tools(matcher, source, target, form)
    names = exact_names(matcher)
    if names is not None:
        return _named(names, form)
    return _pattern(expression_of(matcher), matcher, form.form)


def _tools(matcher: Matcher, source: str, target: str, form: Matching) -> Translated:
    names = exact_names(matcher)
    if names is not None:
        found = [native for name in names for native in names_of_tool(name, source, target)]
        return _named(tuple(dict.fromkeys(found)), form)
    expression = expression_of(matcher)
    fitting = [name for name in dialect(source).tools.known() if re.search(expression, name)]
    if not dialect(source).tools.names and not dialect(target).tools.names:
        same = _pattern(expression, matcher, form.form)
        fits = fitting or "mcp" in expression.lower() or not same.lost
        return same if fits else _kept(same, matcher, dialect(source).title)
    if fits_all(expression):
        return Translated((None,))
    found = [native for name in fitting for native in names_of_tool(name, source, target)]
    if not found and not _is_about_servers(expression):
        return _kept(_pattern(expression, matcher, form.form), matcher, dialect(source).title)
    if _is_about_servers(expression):
        return Translated(
            (None,), f"the pattern `{matcher.text}` is about other tool names; it runs for every tool"
        )
    named = _named(tuple(dict.fromkeys(found)), form)
    words = f"the pattern `{matcher.text}` became a list of the known tools it fits; unknown ones do not fit"
    return Translated(named.matchers, words, narrower=True)


def _is_about_servers(expression: str) -> bool:
    """Whether a pattern means tools of MCP servers, which some agents spell `@server/tool`."""
    return "mcp" in expression.lower() or expression.startswith(("@", "^@", "^(?:@"))


def _kept(same: Translated, matcher: Matcher, title: str) -> Translated:
    """A pattern that fits no tool known there; it must not become one that fits every tool."""
    words = f"the pattern `{matcher.text}` fits no known tool of {title}"
    if same.lost:
        return Translated((), f"{words} and cannot be said there, so it was left out", narrower=True)
    return Translated(same.matchers, f"{words}; it was kept as it is")


def names_of_tool(name: str, source: str, target: str) -> tuple[str, ...]:
    """The target's names of a tool; what is no tool known by another name is the same everywhere."""
    spelled = dialect(target).tools.native
    return tuple(dict.fromkeys(native for each in canonical_names(name, source) for native in spelled(each)))


def canonical_names(name: str, source: str) -> tuple[str, ...]:
    """Our names of a tool that `source` names, by an alias too: of one that does several things, all of them."""
    speaks = dialect(source).tools
    meant = {native for _, native in speaks.names if name == native}
    meant = meant or {native for native, words in speaks.aliases.items() if name in words}
    found = [canonical for canonical, native in speaks.names if native in meant]
    found += [each for native in meant if native in speaks.split for each in speaks.split[native][1].values()]
    return tuple(dict.fromkeys(found or meant)) or (speaks.canonical(name),)


def exact_names(matcher: Matcher) -> tuple[str, ...] | None:
    """The exact names a matcher stands for, or None for a pattern."""
    if matcher.kind == "exact":
        return (matcher.text,)
    if matcher.kind == "names":
        return tuple(name.strip() for name in matcher.text.replace(",", "|").split("|") if name.strip())
    if matcher.kind in ("regex", "fullregex"):
        inner = matcher.text
        anchored = matcher.kind == "fullregex"
        if inner.startswith("^") and inner.endswith("$"):
            inner, anchored = inner[1:-1], True
            if inner.startswith("(?:") and inner.endswith(")"):
                inner = inner[3:-1]
            elif inner.startswith("(") and inner.endswith(")"):
                inner = inner[1:-1]
        names = inner.split("|")
        if anchored and all(_PLAIN.fullmatch(name) for name in names):
            return tuple(names)
    return None


def _named(names: tuple[str, ...], matching: Matching) -> Translated:
    form = matching.form
    text = "|".join(names)
    if form == "any":
        return Translated((Matcher("names", text),))
    if form == "prefix":
        return Translated(tuple(Matcher("exact", name) for name in names))
    escaped = "|".join(name if _PLAIN.fullmatch(name) else re.escape(name) for name in names)
    if form == "names":
        plain = all(re.fullmatch(matching.plain, name) for name in names)
        return Translated((Matcher("names", text) if plain else Matcher("regex", f"^(?:{escaped})$"),))
    if form == "fullregex":
        if matching.listed and all(re.fullmatch(r"[\w-]+", name, re.ASCII) for name in names):
            return Translated((Matcher("names" if len(names) > 1 else "exact", text),))
        return Translated((Matcher("fullregex", escaped),))
    return Translated((Matcher("regex", f"^({escaped})$" if len(names) > 1 else f"^{escaped}$"),))


def expression_of(matcher: Matcher) -> str:
    """An unanchored expression for any kind of matcher."""
    text = matcher.text
    if matcher.kind == "prefix":
        return f"^{re.escape(text.removesuffix('*'))}"
    if matcher.kind == "glob":
        return "^" + translate(text).removeprefix("(?s:").removesuffix(r")\Z") + "$"
    if matcher.kind == "fullregex":
        return f"^{_grouped(text)}$"
    return text


def _grouped(expression: str) -> str:
    """The expression as one group; flags that may stand at its very beginning only are the group's."""
    flags = _FLAGS.match(expression)
    return f"(?{flags[1]}:{expression[flags.end() :]})" if flags else f"(?:{expression})"


def fits_all(expression: str) -> bool:
    """Whether a pattern fits any text."""
    return expression in (".*", "^.*$", "^(?:.*)$", "", ".+", "^.*", "^.+$")


def _pattern(expression: str, matcher: Matcher, form: str) -> Translated:
    if form == "any":
        return Translated((Matcher("regex", expression) if matcher.kind != "glob" else matcher,))
    if form == "prefix":
        stem = re.fullmatch(r"\^([A-Za-z0-9_]+)(?:\.\*\$?)?", expression)
        if stem:
            return Translated((Matcher("prefix", f"{stem[1]}*"),))
        return Translated(
            (None,), f"the pattern `{matcher.text}` cannot be said there; it runs for every tool"
        )
    if form == "fullregex":
        whole = re.fullmatch(r"\^(?:\(\?:(.*)\)|(\(\?\w+:.*\)))\$", expression)
        same = (whole[1] or whole[2]) if whole else f".*{_grouped(expression)}.*"
        return Translated((Matcher("fullregex", same),))
    plain = re.fullmatch(r"[A-Za-z0-9_ ,|-]*", expression) is not None
    return Translated((Matcher("regex", f"(?:{expression})" if plain and form == "names" else expression),))
