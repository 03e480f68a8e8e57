"""Our own entries in a YAML file of lists under events: put in, found again, and taken out. Pure functions on texts.

Whole lines are added right below the key they belong to, and nothing else is written anew, so that taking them out
gives back every byte. Each line of ours that is no plain value ends in the comment `# hookline`, which notes what had
to be made: `f` the file, a `p` for each folder, `n` the line end before ours. An empty `{}` or `[]` that stood in the
way is kept in a comment. What comes of an edit is read again, and refused where it means anything else than it should.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import Entry, ours
from hookline.dialects.reading.nodes import Node, to_plain
from hookline.dialects.reading.yaml_text import parse_yaml
from hookline.model.errors import ConfigError
from hookline.model.record import Record
from hookline.model.typing import Any

BOM = "\ufeff"
MARK = "# hookline"
_INSTEAD = "# hookline, instead of: "
_MADE = re.compile(r" # hookline made:(?P<made>[a-z]+)\s*$")
_KEPT = re.compile(re.escape(_INSTEAD) + r"(?P<kept>\{ *\}|\[ *\]|null|Null|NULL|~)")
_EMPTY = re.compile(r"(?P<kept>\{ *\}|\[ *\]|null|Null|NULL|~)[ \t\r]*(?:#.*)?$")
_PLAIN = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./=@%+,-]|:(?! )| (?!#))*(?<![ :])")
_HINT = "write `hooks` with one line for each event, and `- ` before each entry"


class _Item(Record):
    """One entry of ours, and the lines (from 0, the last one left out) it stands in."""

    entry: Entry
    start: int
    end: int


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """Our entries, in the order they stand in. Raises ConfigError for what is no YAML."""
    return tuple(item.entry for item in _items(agent, text.removeprefix(BOM)))


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """The file with our entries first in their lists. Raises ConfigError where they cannot be put in."""
    mark, body = _split(text)
    there = _items(agent, body)
    made = "".join(item.entry.made for item in there) if there else made
    body = _without(agent, body) if there else body
    lines = {native: _entry(agent, native, launcher) for native in events}
    after, ended = _with(agent, body, lines)
    made = made.replace("n", "") + "n" * ended
    if made and events:
        first = next(iter(lines.values()))[0]
        after = after.replace(f"{first} {MARK}", f"{first} {MARK} made:{made}", 1)
    return mark + after


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """The file without our entries, and what was made for them."""
    mark, body = _split(text)
    made = "".join(item.entry.made for item in _items(agent, body))
    return mark + _without(agent, body), made


def _split(text: str) -> tuple[str, str]:
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _top(agent: AgentDialect) -> str:
    return agent.profile.style.top


def _root(body: str) -> Node:
    root = parse_yaml(body, "")
    if root.kind != "object":
        raise ConfigError("the file holds something else than an object", "correct it by hand first")
    return root


# -- taking out ------------------------------------------------------------------------------------------------


def _items(agent: AgentDialect, body: str) -> list[_Item]:
    hooks = _root(body).get(_top(agent))
    lines = body.split("\n")
    found = []
    for native, listed in hooks.members.items() if hooks else ():
        for number, item in enumerate(listed.items):
            command = item.get(agent.profile.style.command_key)
            if command is None or not ours(agent.name, command.value):
                continue
            made = _MADE.search(lines[command.line - 1])
            entry = Entry(native, number, None, str(command.value), made["made"] if made else "", True)
            found.append(_Item(entry, *_span(lines, listed, item)))
    return found


def _span(lines: list[str], listed: Node, item: Node) -> tuple[int, int]:
    """The lines of one item of a list: from its dash to the next line that is not set in further."""
    column, start = listed.column - 1, item.line - 1
    while start > 0 and not re.fullmatch(r" *-", lines[start][: column + 1]):
        start -= 1
    end = start + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip(" ")) > column:
        end += 1
    return start, end


def _without(agent: AgentDialect, body: str) -> str:
    """The text without our entries, and without what was made for them, where nothing else is in it."""
    items, lines = _items(agent, body), body.split("\n")
    wanted = _left(agent, to_plain(_root(body)))
    made = "".join(item.entry.made for item in items)
    bare = MARK not in body  # written anew by the agent, which keeps no comments
    for item in reversed(items):
        del lines[item.start : item.end]
    for native in dict.fromkeys(item.entry.native for item in items):
        lines = _key_taken_back(lines, (_top(agent), native), bare)
    lines = _key_taken_back(lines, (_top(agent),), bare, last=made)
    return _checked("\n".join(lines), agent, wanted, "entries cannot be taken out")


def _key_taken_back(lines: list[str], path: tuple[str, ...], bare: bool, last: str = "") -> list[str]:
    """A key of ours goes with what was in it; one that was there gets back what stood there."""
    body = "\n".join(lines)
    *above, name = path
    holder: Node | None = _root(body)
    for step in above:
        holder = holder.get(step) if holder else None
    node = holder.get(name) if holder else None
    if holder is None or node is None:
        return lines
    at = holder.key_place(name)[0] - 1
    line, empty = lines[at], node.kind == "null"
    is_ours = bare or line.rstrip("\r").endswith(f": {MARK}")
    kept = _KEPT.search(line)
    if kept is not None:
        back = kept["kept"] if empty else ""
        lines[at] = line[: kept.start()].rstrip(" " if not back else "") + back + line[kept.end() :]
    elif is_ours and empty:
        del lines[at]
        if "n" in last and lines[at:] == [""]:
            del lines[at]
            lines[-1] = lines[-1].removesuffix("\r" if "\r\n" in body else "")
    elif is_ours:
        lines[at] = line.replace(f" {MARK}", "")
    return lines


def _left(agent: AgentDialect, plain: Any) -> Any:
    """What must be left of a document once our entries are out of it."""
    key, hooks = agent.profile.style.command_key, plain.get(_top(agent))
    if not isinstance(hooks, dict):
        return plain
    kept = {native: [each for each in listed if not (isinstance(each, dict) and ours(agent.name, each.get(key)))]
            if isinstance(listed, list) else listed for native, listed in hooks.items()}  # fmt: skip
    return {**plain, _top(agent): kept}


# -- putting in ------------------------------------------------------------------------------------------------


def _entry(agent: AgentDialect, native: str, launcher: str) -> list[str]:
    """The lines of an entry, not yet set in; the comment after the first is put there with it."""
    style, row = agent.profile.style, agent.row(native)
    assert row is not None
    command = f"{launcher} bridge {agent.name} --event {native}"
    shown = command if _PLAIN.fullmatch(command) else json.dumps(command)
    limit = style.limits.get(row.kind, row.timeout_s)
    return [f"- {style.command_key}: {shown}", f"  {style.timeout_key}: {limit:g}"]


def _with(agent: AgentDialect, body: str, entries: dict[str, list[str]]) -> tuple[str, bool]:
    """The text with these entries, and whether its last line had to be ended for that."""
    top, root = _top(agent), _root(body)
    plain = to_plain(root)
    hooks = dict(plain.get(top) or {}) if isinstance(plain.get(top) or {}, dict) else {}
    for native, lines in entries.items():
        added = to_plain(parse_yaml("\n".join(lines), ""))
        there = hooks.get(native, [])
        hooks[native] = [*added, *(there or [])] if isinstance(there, list | None) else None
    wanted = {**plain, top: hooks}
    ended = bool(body) and not body.endswith("\n") and top not in root.members
    lines, end = body.split("\n"), "\r" if "\r\n" in body else ""
    if top not in root.members:
        lines = [*lines, ""] if ended else lines
        lines[-1:] = [*(f"{' ' * _column(root)}{line}{end}" for line in _block(top, entries)), ""]
        if ended:
            lines[-len(_block(top, entries)) - 2] += end
    else:
        lines = _below(lines, root, top, entries, end)
    return _checked("\n".join(lines), agent, wanted, "entries cannot be added"), ended


def _block(top: str, entries: dict[str, list[str]]) -> list[str]:
    return [f"{top}: {MARK}", *(line for name, each in entries.items() for line in _listed(name, each, 2))]


def _listed(native: str, entry: list[str], column: int) -> list[str]:
    pad = " " * column
    return [f"{pad}{native}: {MARK}", *_indented(entry, column + 2)]


def _indented(entry: list[str], column: int) -> list[str]:
    first, *rest = entry
    pad = " " * column
    return [f"{pad}{first} {MARK}", *(pad + line for line in rest)]


def _below(lines: list[str], root: Node, top: str, entries: dict[str, list[str]], end: str) -> list[str]:
    """Our lines below the keys that are there; from the last to the first, so that places stay."""
    hooks = root.members[top]
    opened: dict[int, tuple[str, list[str]]] = {}
    column = _child_column(root, top, hooks, "object")
    at = root.key_place(top)[0]
    new: list[str] = []
    opened[at] = (_opened(lines[at - 1], hooks), new)
    for native, entry in entries.items():
        listed = hooks.get(native)
        if listed is None:
            new += _listed(native, entry, column)
            continue
        place = hooks.key_place(native)[0]
        inner = _child_column(hooks, native, listed, "array")
        opened[place] = (_opened(lines[place - 1], listed), _indented(entry, inner))
    for place, (line, below) in sorted(opened.items(), reverse=True):
        lines[place - 1 : place] = [line if below else lines[place - 1], *(each + end for each in below)]
    return lines


def _child_column(holder: Node, key: str, node: Node, kind: str) -> int:
    """How far in what stands below a key is set: as what is there already, else two further than the key."""
    first = next(iter(node.key_offsets.values()), None) if kind == "object" else node.offset
    if node.kind == kind and node.value and first is not None:
        return node.lines.place(first)[1] - 1
    return holder.key_place(key)[1] + 1


def _opened(line: str, node: Node) -> str:
    """The line of a key below which something can be put: an empty value on it goes into a comment."""
    if node.value or node.line == 0:
        return line
    at = node.column - 1
    found = _EMPTY.match(line, at) if at < len(line) else None
    return line[:at] + _INSTEAD + line[at:] if found else line


def _column(root: Node) -> int:
    first = next(iter(root.key_offsets.values()), None)
    return root.lines.place(first)[1] - 1 if first is not None else 0


def _checked(body: str, agent: AgentDialect, wanted: Any, what: str) -> str:
    """The text, once it means what it should; what is empty may be so in any way."""
    try:
        found = to_plain(parse_yaml(body, ""))
    except ConfigError as error:
        raise ConfigError(f"{what} as the file is written", _HINT) from error
    if _bare(agent, found) != _bare(agent, wanted):
        raise ConfigError(f"{what} as the file is written", _HINT)
    return body


def _bare(agent: AgentDialect, plain: Any) -> Any:
    hooks = plain.get(_top(agent)) or {}
    if not isinstance(hooks, dict):
        return plain
    kept = {name: listed for name, listed in hooks.items() if listed not in (None, [])}
    return {**plain, _top(agent): kept}
