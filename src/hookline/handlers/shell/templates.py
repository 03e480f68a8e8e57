"""The one place where a value enters a shell line: as a quoted reference to a variable, never as text.

iteratr and AutoAgent write `{{name}}`, GenCode writes `$NAME` and `${NAME}`. Whatever quotes stand around
a placeholder, the shell reads the same command for every value:

    echo 'done: {{title}}'   becomes   echo 'done: '"${HOOKLINE_V0}"''
"""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.handlers.base import Expanded
from hookline.handlers.shell import sites
from hookline.handlers.shell.interpreters import PROGRAM, SHELL_CODE
from hookline.handlers.shell.sites import BARE, DOUBLE, SINGLE, Site
from hookline.handlers.shell.text import placeholder_sites
from hookline.model.record import Record
from hookline.model.short_json import cut_to
from hookline.model.typing import Literal, Mapping

MAX_VALUE_BYTES = 120 * 1024  # Linux refuses one variable of 128 KiB, its name included
MAX_LIST_ITEMS = 2000
MAX_LIST_BYTES = 512 * 1024

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+=,-]+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_UNPRINTABLE_TO_ENV = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_EXPANDS_ITSELF = frozenset({sites.BACKTICKS, sites.HEREDOC, sites.PARAMETER, sites.COMMENT})
_REASONS = {
    sites.BACKTICKS: "inside backticks; write `$(...)` instead",
    sites.HEREDOC: "inside a here-document",
    sites.QUOTED_HEREDOC: "inside a here-document with a quoted delimiter",
    sites.HEREDOC_WORD: "as the delimiter of a here-document",
    sites.ANSI: "inside `$'...'`",
    sites.COMMENT: "in a comment",
    sites.PARAMETER: "inside `${...}`",
    sites.ARITHMETIC: "in arithmetic, where only a whole number is safe",
    sites.UNCERTAIN: "where shells disagree about the quoting, or a quote is never closed",
    SHELL_CODE: "in code for another shell; pass it as an argument: `sh -c '... \"$1\"' _ VALUE`",
    PROGRAM: "in code for another program; pass it as an argument instead",
}


class Template(Record):
    """The variables of one hook and how its dialect writes them.

    `variables`: a tuple is a list, whose items stay one shell word each when unquoted and are joined by
    one space inside quotes. `known`: further names of the dialect that have no value now; with `missing`
    "empty" they become the empty text (iteratr), with "keep" they stay as written (AutoAgent, GenCode).
    Names that are in neither always stay as written.
    """

    style: Literal["braces", "dollar"]
    variables: Mapping[str, str | tuple[str, ...]]
    missing: Literal["keep", "empty"] = "keep"
    known: tuple[str, ...] = ()


def expand(command: str, template: Template) -> Expanded:
    """`command` with every placeholder made a variable reference that fits the quotes around it.

    One pass: a value that looks like a placeholder is not expanded again. Values lose their NULs; one
    over 120 KiB is cut in the environment and named in `problems`.
    """
    values = _values(template)
    command = command.replace("\0", "")
    if not values or ("{{" if template.style == "braces" else "$") not in command:
        return Expanded(command, {}, command)
    writer = _Writer(template.style, values)
    for site in _sites(command, template.style, tuple(values)):
        writer.write(command, site)
    return writer.result(command)


def text_value(value: object) -> str | tuple[str, ...]:
    """A JSON value as a template variable: AutoAgent's rules (`0` and `false` are values, null is empty)."""
    import json

    match value:
        case str():
            return value
        case None:
            return ""
        case list() | tuple():
            return tuple(
                " ".join(item) if isinstance(item, tuple) else item for item in map(text_value, value)
            )
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _values(template: Template) -> dict[str, str | tuple[str, ...]]:
    absent = template.known if template.missing == "empty" else ()
    return {**dict.fromkeys(absent, ""), **template.variables}


@lru_cache(128)
def _sites(command: str, style: str, names: tuple[str, ...]) -> tuple[Site, ...]:
    """A hook's line has the same ones every time."""
    return placeholder_sites(command, _placeholder(style, names))


def _placeholder(style: str, names: tuple[str, ...]) -> re.Pattern[str]:
    # the longest name first: alternation takes the first that fits
    any_name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if style == "braces":
        return re.compile(r"\{\{(" + any_name + r")\}\}")
    return re.compile(rf"\$(?:({any_name})(?![A-Za-z0-9_])|\{{({any_name})\}})")


class _Writer:
    """Collects the pieces of the line as its placeholders come by, left to right."""

    def __init__(self, style: str, values: Mapping[str, str | tuple[str, ...]]) -> None:
        self.style = style
        self.values = values
        self.command: list[str] = []
        self.shown: list[str] = []
        self.env: dict[str, str] = {}
        self.problems: list[str] = []
        self.names: dict[str, str] = {}
        self.done = 0

    def write(self, text: str, site: Site) -> None:
        before = text[self.done : site.start]
        placeholder = text[site.start : site.end]
        self.done = site.end
        if site.safe:
            run, shown = self._reference(site), self._shown(site)
        else:
            run, shown = self._refused(site, placeholder)
        self.command += (before, run)
        self.shown += (before, shown)

    def result(self, text: str) -> Expanded:
        rest = text[self.done :]
        problems = tuple(dict.fromkeys(self.problems))
        return Expanded("".join(self.command) + rest, self.env, "".join(self.shown) + rest, problems)

    def _reference(self, site: Site) -> str:
        value = self.values[site.name]
        if isinstance(value, tuple) and value and site.quote == BARE and not site.glued:
            return " ".join(f'"${{{name}}}"' for name in self._items(site.name, value))
        return _reference(self._variable(site.name), site, bool(_joined(value)))

    def _variable(self, name: str) -> str:
        """The variable that carries `name`; a `$NAME` of the shell's own keeps its name."""
        variable = self._name(name)
        if variable not in self.env:
            self.env[variable] = self._fitting(name, _joined(self.values[name]))
        return variable

    def _name(self, name: str) -> str:
        if self.style == "dollar":
            return name
        return self.names.setdefault(name, f"HOOKLINE_V{len(self.names)}")

    def _items(self, name: str, items: tuple[str, ...]) -> list[str]:
        base = self._name(name)
        names: list[str] = []
        room = MAX_LIST_BYTES
        for item in items[:MAX_LIST_ITEMS]:
            text = self._fitting(name, _clean(item))
            room -= len(text)
            if room < 0:
                break
            names.append(f"{base}_{len(names)}")
            self.env[names[-1]] = text
        if len(names) < len(items):
            self.problems.append(f"`{name}`: only the first {len(names)} of {len(items)} items are passed")
        return names

    def _fitting(self, name: str, value: str) -> str:
        cut = cut_to(value, MAX_VALUE_BYTES)
        if cut is not value:
            self.problems.append(f"`{name}`: only the first 120 KiB of a longer value are passed")
        return cut

    def _shown(self, site: Site) -> str:
        value = self.values[site.name]
        if site.quote == BARE and isinstance(value, tuple) and not site.glued:
            return " ".join(_quoted(_clean(item), BARE) or "''" for item in value)
        text = _quoted(_joined(value), site.quote)
        return "\\" + text if site.backslash else text

    def _refused(self, site: Site, placeholder: str) -> tuple[str, str]:
        value = _joined(self.values[site.name])
        if site.place == sites.ARITHMETIC and _NUMBER.fullmatch(value):
            return value, value
        if self.style == "dollar":
            # the variable is exported under this very name, so the shell that runs the text expands it
            self._variable(site.name)
            if site.place in _EXPANDS_ITSELF or (site.place == SHELL_CODE and site.quote == SINGLE):
                return placeholder, placeholder
            if site.place == SHELL_CODE:
                return "\\" + placeholder, "\\" + placeholder
        self.problems.append(f"`{placeholder}` stays as written: it stands {_REASONS[site.place]}")
        return placeholder, placeholder


def _reference(variable: str, site: Site, filled: bool) -> str:
    reference = f"${{{variable}}}"
    if site.quote == DOUBLE:
        # "\${V}" would be an escaped dollar
        return "\\" + reference if site.backslash else reference
    if site.quote == SINGLE:
        return f"'\"{reference}\"'"
    # unquoted and empty: no word at all, as if the text had been empty, yet read by the shell alike
    return f'"{reference}"' if filled else reference


def _joined(value: str | tuple[str, ...]) -> str:
    return _clean(value if isinstance(value, str) else " ".join(value))


def _clean(value: str) -> str:
    """Without NULs and without the surrogates that no environment can hold."""
    return _UNPRINTABLE_TO_ENV.sub("\ufffd", value.replace("\0", ""))


def _quoted(value: str, quote: str) -> str:
    if quote == DOUBLE:
        return re.sub(r'([\\$`"])', r"\\\1", value)
    escaped = value.replace("'", "'\\''")
    return escaped if quote == SINGLE or not value or _PLAIN.fullmatch(value) else f"'{escaped}'"
