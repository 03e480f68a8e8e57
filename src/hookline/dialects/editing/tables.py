"""Our own entries in a TOML file of `[[hooks]]` tables, between two comments: put in, found again, and taken out.

Nothing else of the file is touched, and nothing in it is written anew, so that taking our part out gives back every
byte. The first comment notes what had to be made: `f` the file, a `p` for each folder, `n` the line end before ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import ENTRY, Entry, call_of
from hookline.dialects.editing.json_entries import item_of
from hookline.dialects.profile.forms import hook_tables
from hookline.dialects.reading.nodes import to_plain
from hookline.dialects.reading.toml_text import parse_toml
from hookline.model.errors import ConfigError

_PART = re.compile(
    r"^# hookline: the tables from here on are its own, `hookline uninstall (?P<agent>[a-z0-9-]+)` takes them out"
    r"(?: made:(?P<made>[a-z]+))?\n(?P<tables>.*?)^# hookline: up to here\n",
    re.DOTALL | re.MULTILINE,
)


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """Our entries; none in a file that cannot be read."""
    found = _PART.search(text)
    if found is None or found["agent"] != agent.name:
        return ()
    style, made = agent.profile.style, found["made"] or ""
    tables = to_plain(parse_toml(found["tables"], ""))["hooks"]
    calls = [(str(table[style.event_key]), str(table[style.command_key])) for table in tables]
    return tuple(
        Entry(native, number, None, command, "" if number else made, True)
        for number, (native, command) in enumerate(calls)
        if ENTRY.match(command)
    )


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """The file with our entries at its end, or where they stand. Raises ConfigError where it is no such file."""
    found = _PART.search(text)
    made = found["made"] or "" if found else made
    if found is None and text and not text.endswith("\n"):
        text, made = text + "\n", made + "n"
    tables = [item_of(agent, native, call_of(agent.name, launcher, native)) for native in events]
    part = (
        f"# hookline: the tables from here on are its own, `hookline uninstall {agent.name}` takes them out"
        f"{f' made:{made}' if made else ''}\n{hook_tables(tables)}# hookline: up to here\n"
    )
    start, end = found.span() if found else (len(text), len(text))
    after = text[:start] + part + text[end:]
    try:
        parse_toml(after, "")
    except ConfigError as error:
        raise ConfigError(
            f"entries cannot be added: {error.message}", "write `hooks` as `[[hooks]]` tables"
        ) from error
    return after


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """The file without our entries, and what was made for them."""
    found = _PART.search(text)
    if found is None or found["agent"] != agent.name:
        return text, ""
    made, head, tail = found["made"] or "", text[: found.start()], text[found.end() :]
    if "n" in made and not tail:
        head = head.removesuffix("\n")
    return head + tail, made
