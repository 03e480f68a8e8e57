"""Our own entries in a JSON config, or an agent's one of JSON with comments: put in, found again, and taken out.

Pure functions on the config's text. Every entry is one command that ends in the shell comment `# hookline`;
what had to be made around it is noted there (`made:eh`), so that a removal, on any machine, knows what goes
with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import Entry, call_of, ours
from hookline.dialects.editing.json_edits import (
    Path,
    document,
    insert_item,
    remove_item,
    remove_key,
    set_value,
)
from hookline.dialects.profile import Style
from hookline.dialects.reading.nodes import to_plain
from hookline.dialects.spelling import folded
from hookline.model.typing import Any


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """Our entries in the order they stand in. Raises ConfigError for what is no JSON."""
    if not text.strip(" \t\r\n\ufeff"):
        return ()
    style, root = agent.profile.style, to_plain(document(text.removeprefix("\ufeff")))
    place = above(style, root)
    hooks = root if not place else root.get(place[0]) if isinstance(root, dict) else None
    if style.event_key:
        return tuple(_listed(style, agent.name, hooks)) if isinstance(hooks, list) else ()
    return tuple(_entries(style, agent.name, hooks)) if isinstance(hooks, dict) else ()


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """The config with our entries, those that stand there already brought up to date where they stand.

    Raises ConfigError where the text is no object, or holds something else than lists of hooks.
    """
    if agent.profile.style.one_spelling:
        events = _as_spelled(agent, text, events)
    for entry in reversed(installed(agent, text)):
        if entry.native not in events:
            text = _without(agent, text, entry)
    present = {entry.native: entry for entry in installed(agent, text)}
    for native in events:
        command = call_of(agent.name, launcher, native)
        if native in present:
            text = _renewed(agent, text, present[native], command)
        else:
            text = _with_entry(agent, text, native, command, made)
            made = ""
    return text


def _as_spelled(agent: AgentDialect, text: str, events: Collection[str]) -> list[str]:
    """The events under the other names that the file has for them, as some agents take no event under both."""
    style = agent.profile.style
    root: Any = members(text)
    for key in above(style, root):
        root = root.get(key) if isinstance(root, dict) else None
    found = {name: row for name in root if (row := agent.row(name))} if isinstance(root, dict) else {}
    others = {folded(name): name for name, row in found.items() if name in style.never or name != row.native}
    return [others.get(folded(native), native) for native in events]


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """The config without our entries, and what was made for them."""
    made = ""
    rows = {row.native: number for number, row in enumerate(agent.rows)}
    while entries := installed(agent, text):
        last = max(entries, key=lambda entry: (rows.get(entry.native, len(rows)), entry.group))
        made += last.made
        text = _without(agent, text, last)
    return text, made


def _listed(style: Style, agent: str, hooks: list[Any]) -> Iterator[Entry]:
    """Our entries in a list of hooks that each name their event."""
    for number, item in enumerate(hooks):
        handler = item.get(style.action_key) if style.action_key and isinstance(item, dict) else item
        command = handler.get(style.command_key) if isinstance(handler, dict) else None
        if found := ours(agent, command):
            yield Entry(str(item.get(style.event_key)), number, None, found.string, found["made"] or "", True)


def _entries(style: Style, agent: str, hooks: Mapping[str, Any]) -> Iterator[Entry]:
    for native, items in hooks.items():
        for number, item in enumerate(items if isinstance(items, list) else ()):
            found_here = handlers(style, item)
            for place, handler in enumerate(found_here):
                command = handler.get(style.command_key) if isinstance(handler, dict) else None
                if found := ours(agent, command):
                    alone = len(found_here) == 1
                    index = place if in_group(style, item) else None
                    yield Entry(native, number, index, found.string, found["made"] or "", alone)


def handlers(style: Style, item: Any) -> list[Any]:
    """The handlers of one item of an event's list."""
    if not in_group(style, item):
        return [item]
    found = item.get("hooks") if isinstance(item, dict) else None
    return found if isinstance(found, list) else []


def in_group(style: Style, item: Any) -> bool:
    """Whether an item of an event's list holds handlers, and is not one itself."""
    return style.grouped and not (style.flat_events and isinstance(item, dict) and "hooks" not in item)


def _with_entry(agent: AgentDialect, text: str, native: str, command: str, made: str) -> str:
    style = agent.profile.style
    if style.version and "version" not in members(text):
        version = set_value(text, ("version",), style.version)
        made = "v" + ("d" if () in version.created else "") + made
        text = version.text
    top = above(style, members(text))
    path = _list_path(style, top, native)
    created = insert_item(text, path, None).created
    made = _made_word(created, top) + made
    value = item_of(agent, native, command + (f" made:{made}" if made else ""))
    return insert_item(text, path, value).text


def item_of(agent: AgentDialect, native: str, command: str) -> dict[str, Any]:
    """An entry as it stands in the agent's config."""
    style, row = agent.profile.style, agent.row(native)
    assert row is not None
    limit = style.limits.get(row.kind, row.timeout_s) * style.unit
    runs: dict[str, Any] = {style.command_key: command}
    more = style.more
    if style.event_key:
        named = {key: value.format(event=native) for key, value in more.items() if isinstance(value, str)}
        more = {style.event_key: native, **more, **named}
    handler = {
        **({"type": "command"} if style.grouped else {}), **more,
        **({style.action_key: {"type": "command", **runs}} if style.action_key else runs),
        **({style.timeout_key: int(limit) if limit == int(limit) else limit} if style.timeout_key else {}),
    }  # fmt: skip
    return {"hooks": [handler]} if style.grouped and native not in style.flat_events else handler


def _renewed(agent: AgentDialect, text: str, entry: Entry, command: str) -> str:
    return set_value(
        text, _command_path(agent, text, entry), command + (f" made:{entry.made}" if entry.made else "")
    ).text


def _command_path(agent: AgentDialect, text: str, entry: Entry) -> Path:
    inner: Path = () if entry.handler is None else ("hooks", entry.handler)
    style = agent.profile.style
    if style.action_key:
        inner = (style.action_key,)
    top = _list_path(style, above(style, members(text)), entry.native)
    return (*top, entry.group, *inner, style.command_key)


def _list_path(style: Style, top: Path, native: str) -> Path:
    """The list that entries of an event stand in."""
    return top if style.event_key else (*top, native)


def _without(agent: AgentDialect, text: str, entry: Entry) -> str:
    """The text without one entry; a group goes with its only handler, and what was made with the last."""
    top = above(agent.profile.style, members(text))
    path = _list_path(agent.profile.style, top, entry.native)
    created = _made_paths(entry, top)
    if entry.alone:
        text = remove_item(text, path, entry.group, created)
    else:
        text = remove_item(text, (*path, entry.group, "hooks"), entry.handler or 0, created)
    # hooks that came after ours need the version as well
    if "v" in entry.made and ("h" not in entry.made or "hooks" not in members(text)):
        return remove_key(text, ("version",), created)
    return text


def members(text: str) -> Mapping[str, Any]:
    """What stands in a config text; nothing in a blank one."""
    if not text.strip(" \t\r\n\ufeff"):
        return {}
    found = to_plain(document(text.removeprefix("\ufeff")))
    return found if isinstance(found, dict) else {}


def above(style: Style, root: Any) -> Path:
    """Where the events stand in this file."""
    if style.wrapped and isinstance(root, dict) and isinstance(root.get("hooks"), dict):
        return ("hooks",)
    return (style.top,) if style.top else ()


def _made_word(created: Collection[Path], above: Path) -> str:
    levels = (("e", 2), ("h", 1), ("d", 0)) if above else (("e", 1), ("d", 0))
    return "".join(letter for letter, length in levels if length in map(len, created))


def _made_paths(entry: Entry, above: Path) -> tuple[Path, ...]:
    paths: tuple[tuple[str, Path], ...] = (("d", ()), ("h", above), ("e", (*above, entry.native)))
    return tuple(path for letter, path in paths if letter in entry.made)
