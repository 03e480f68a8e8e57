"""Variables that the agent never sets, in scripts that take something else in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.assigned import assigned
from hookline.checking.commands.variables import (
    FIELDS,
    begins_of,
    defaults_taken,
    given_to,
    is_set,
    never_set,
    never_set_beside_input,
    never_set_in_code,
)
from hookline.checking.lines import HookLine
from hookline.dialects import is_agent

_READ = (
    r"process\.env\.%s\b(?!\s*=[^=])|(?:environ\.get\(|environ\[|getenv\()\s*[\"']%s[\"'](?!\s*\]\s*=[^=])|\$\{?%s\b(?!:?-\$\{?\d)"
    r"|\$env:%s\b(?!\s*=)"
)
# a field that a script takes out of what it is sent, by whatever form of its name
_TAKEN = r"(?:[.\"'`\[]|(?<!\$)\{\s*)(?:NAMES)\b|,\s*(?:NAMES)\s*[},:=]"


def always_default(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Variables of which nothing but the default ever comes, and of which nothing is told yet."""
    told_of = set[str]()
    in_plugin, whole = bool(line.plugin_root), "\n".join((line.text, *(each for _, _, each in line.texts)))
    for name, default, hint in defaults_taken(text, line.entry, in_plugin=in_plugin):
        told = never_set(text, line.entry, in_plugin=in_plugin) + never_set_beside_input(text, line.entry)
        if name not in told and not assigned(name, whole):
            words = f"{where} reads `{name}`, which {line.entry.speaker.title} never sets: it is always `{default}`"
            told_of.add(name)
            yield "unset-default", words, hint
    yield from _fields_in_vain(line, text, where, told_of)


def _fields_in_vain(line: HookLine, text: str, where: str, told: set[str]) -> Iterator[tuple[str, str, str]]:
    """Fields with the agent's name before them, of a script that could read them and never does."""
    entry = line.entry
    whole = "\n".join((line.text, *(each for _, _, each in line.texts)))
    names = {f"{begins}{ends}": field for begins in begins_of(entry) for ends, field in FIELDS.items()}
    for name, field in names.items() if is_agent(entry.speaker.name) and where != "the line" else ():
        if name not in text or name in told or not re.search(_READ.replace("%s", name), text):
            continue
        head, *rest = field.split("_")
        camel = head + "".join(map(str.capitalize, rest))
        silent = (
            re.search(_TAKEN.replace("NAMES", f"{field}|{camel}"), whole)
            or assigned(name, whole)
            or is_set(name, given_to(entry), entry, bool(line.plugin_root))
            or name in never_set(text, entry, in_plugin=bool(line.plugin_root))
            or name in (*never_set_beside_input(text, entry), *never_set_in_code(text, entry))
        )
        if not silent:
            words = f"{where} reads `{name}`, which {entry.speaker.title} never sets"
            yield "unset-default", words, f"the call on standard input has it: `{field}`"
