"""A list of hooks where events are wanted, and lines where lists of hooks are: as they were meant."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hookline.checking.files.broken_json import Piece
from hookline.dialects.all_names import ALL_EVENTS
from hookline.dialects.editing.json_edits import remove_key
from hookline.dialects.editing.json_layout import Container, Element, container_at, skip_blank, value_end
from hookline.dialects.reading.reader import LINE_KEYS, is_comment
from hookline.model.record import Record

_EVENT = ("event", "on", "trigger", "hook", "hookEventName", "hook_event_name", "events", "name", "type")
_INNER = ("hooks", "actions", "action", "handler", "run")
_OF_GROUPS = frozenset({"matcher", "name", "id"})  # what a group has, or nobody reads there
_RUNS = frozenset({"prompt", "url", "powershell", *LINE_KEYS})


class _Hook(Record):
    """One item: its event, where it starts, and what stands in the event's list for it."""

    event: str
    start: int
    text: str


def by_event(text: str, at: int) -> Piece | None:
    """The list of hooks that opens at `at` as an object of events, where each item names its event.

    Every hook stays on its line, so hooks of one event must stand together.
    """
    items = container_at(text, at)
    found = [hook for item in items.elements for hook in _hooks_of(text, item)]
    events = [hook.event for hook in found]
    runs = [event for number, event in enumerate(events) if not number or events[number - 1] != event]
    if "" in events or not events or len(runs) > len(set(runs)):
        return None
    made, before, place, line, written = ["{"], "", at, 0, 0
    for hook in found:
        line, place = line + text.count("\n", place, hook.start), hook.start
        missing = max(line - written, 0)
        opens = f"{'], ' if before else ''}{json.dumps(hook.event)}: ["
        made += [", " if hook.event == before else opens, "\n" * missing]
        made += [_indent(text, hook.start) if missing else "", hook.text]
        written, before = written + missing + hook.text.count("\n"), hook.event
    last = "\n" if "\n" in text[items.elements[-1].end : items.close] else ""
    return Piece(at, items.close + 1, f"{''.join(made)}]{last}{_indent(text, items.close) if last else ''}}}")


def _indent(text: str, at: int) -> str:
    """The blanks before a place, where nothing else stands before it in its line."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return "" if before.strip(" \t") else before


def _hooks_of(text: str, item: Element) -> Iterator[_Hook]:
    """The hooks of one item: of each event that it names; one without an event where it names none."""
    content = json.loads(text[item.start : item.end])
    if not isinstance(content, dict):
        yield _Hook("", item.start, "")
        return
    members = container_at(text, item.start).elements
    if content and all(key in ALL_EVENTS and isinstance(content[key], list) for key in content):
        for member in members:
            for hook in container_at(text, member.value_start).elements:
                yield _Hook(str(member.key), hook.start, text[hook.start : hook.end])
        return
    keys = [key for key in _EVENT if _names_event(content.get(key))]
    event = str(content[keys[0]]) if len({content[key] for key in keys}) == 1 else ""
    inner = [each for each in members if each.key in _INNER and _holds_hooks(content[each.key])]
    if not inner:
        own = remove_key(text[item.start : item.end], (keys[0],)) if event else ""
        yield _Hook(event if _RUNS & content.keys() else "", item.start, own)
        return
    kept = [each for each in members if each is not inner[0] and each.key != next(iter(keys), "")]
    clear = all(each.key in _OF_GROUPS or is_comment(str(each.key)) for each in kept)
    told = "".join(f"{text[each.start : each.end]}, " for each in kept)
    value = text[inner[0].value_start : inner[0].end]
    listed = value if value.startswith("[") else f"[{value}]"
    yield _Hook(event if clear else "", inner[0].value_start, f'{{{told}"hooks": {listed}}}')


def _names_event(value: object) -> bool:
    return isinstance(value, str) and value in ALL_EVENTS


def _holds_hooks(value: object) -> bool:
    hooks = value if isinstance(value, list) else [value]
    return bool(hooks) and all(isinstance(each, dict) and _RUNS & each.keys() for each in hooks)


def as_hook(text: str, at: int, *, listed: bool) -> Piece | None:
    """A line that stands where a hook is wanted, or a list of hooks, as a hook; what a list too many holds."""
    end = value_end(text, at)
    if text[at] == '"' and json.loads(text[at:end]).strip():
        hook = f'{{"command": {text[at:end]}}}'
        return Piece(at, end, f"[{hook}]" if listed else hook)
    if text[at] == "[" and not listed:
        items = container_at(text, at)
        hooks = [item for item in items.elements if text[item.start] == "{"]
        if hooks and len(hooks) == len(items.elements):
            return Piece(at, end, text[hooks[0].start : hooks[-1].end])
    return None


def put_out(text: str, outer: str) -> Piece | None:
    """The object at `outer` without its member `hooks`, which stands behind it then."""
    if (found := _held(text, outer)) is None:
        return None
    start, holder, index = found
    member = holder.elements[index]
    before = holder.elements[index - 1] if index else None
    behind = holder.elements[index + 1].start if holder.elements[index + 1 :] else member.end
    first = before.end if before and behind == member.end else member.start
    apart = f"\n{_indent(text, start)}" if "\n" in text[holder.start : holder.close] else " "
    left = text[holder.start : first] + text[behind : holder.close + 1]
    return Piece(holder.start, holder.close + 1, f"{left},{apart}{text[member.start : member.end]}")


def ended_around(text: str, outer: str) -> Piece | None:
    """The object at `outer` ended before its member `hooks` and opened again behind that: all stays on its line."""
    if (found := _held(text, outer)) is None:
        return None
    _, holder, index = found
    member = holder.elements[index]
    start = (holder.elements[index - 1].comma or member.start) if index else member.start
    kept = text[start + 1 if start < member.start else start : member.end]
    if member.comma is None:
        return Piece(start, holder.close + 1, f"}},{kept}{text[member.end : holder.close]}")
    return Piece(start, member.comma + 1, f"}},{kept}, {json.dumps(outer)}: {{")


def _held(text: str, outer: str) -> tuple[int, Container, int] | None:
    """Where the member `outer` of a file starts, its object, and which member of that is `hooks`."""
    root = container_at(text, skip_blank(text, 0))
    at = root.index_of(outer)
    if at is None or root.index_of("hooks") is not None:
        return None
    found = root.elements[at]
    holder = container_at(text, found.value_start)
    index = holder.index_of("hooks")
    return None if index is None else (found.start, holder, index)
