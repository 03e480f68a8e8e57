"""Edits to an AutoAgent config text: the git built-ins on and off, and what they say; all else stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hookline.dialects.autoagent.config import DEFAULT_MESSAGE
from hookline.dialects.editing.json_edits import insert_item, remove_items, remove_key, set_value
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import to_plain
from hookline.model.errors import ConfigError
from hookline.model.record import Record

EVENT = "PostExecutionEnd"
PATH = ("hooks", EVENT)
COMMIT, PUSH = "git-commit", "git-push"


class Edited(Record):
    """The new text and what was done, in words; `changed` is how many entries were touched."""

    text: str
    words: str
    changed: int = 0


def with_commit(text: str, wanted: bool) -> Edited:
    """Adds the git-commit entry before the first git-push, or removes every one of the event."""
    if not wanted:
        return _without(text, COMMIT)
    types = _types(text)
    if COMMIT in types:
        return _kept(text, COMMIT)
    entry = {"type": COMMIT, "message": DEFAULT_MESSAGE}
    place = types.index(PUSH) if PUSH in types else None
    return Edited(insert_item(text, PATH, entry, place).text, f"Added {COMMIT} hook to {EVENT}", 1)


def with_push(text: str, wanted: bool) -> Edited:
    """Adds the git-push entry at the end, so behind git-commit, or removes every one of the event."""
    if not wanted:
        return _without(text, PUSH)
    if PUSH in _types(text):
        return _kept(text, PUSH)
    entry = {"type": PUSH, "remote": "origin"}
    return Edited(insert_item(text, PATH, entry).text, f"Added {PUSH} hook to {EVENT}", 1)


def with_field(text: str, kind: str, field: str, value: object) -> Edited:
    """Gives every built-in of that kind, in all events, this field."""
    count = 0
    for event, index, entry in tuple(_entries(text)):
        if entry.get("type") == kind:
            count += 1
            if entry.get(field) != value:
                text = set_value(text, ("hooks", event, index, field), value).text
    shown = str(value).lower() if isinstance(value, bool) else value
    noun = "hook" if count == 1 else "hooks"
    return Edited(text, f"Set {field} to {shown} in {count} {kind} {noun}", count)


def with_setting(text: str, name: str, value: object) -> Edited:
    """Gives a top-level key a value."""
    plain = list(value) if isinstance(value, tuple) else value
    edited = set_value(text, (name,), plain)
    shown = json.dumps(plain, ensure_ascii=False)
    if not edited.changed:
        return Edited(text, f"{name} is already {shown}")
    return Edited(edited.text, f"Set {name} to {shown}", 1)


def has_hooks(text: str) -> bool:
    """Whether the text has a `hooks` object, which hides that of the user's file."""
    return bool(text.strip()) and isinstance(_document(text).get("hooks"), dict)


def _without(text: str, kind: str) -> Edited:
    count = _types(text).count(kind)
    if not count:
        return Edited(text, f"No {kind} hook in {EVENT}")
    text = remove_items(text, PATH, lambda entry: isinstance(entry, dict) and entry.get("type") == kind)
    hooks = _document(text)["hooks"]
    if not hooks[EVENT]:
        # An empty `hooks` object would go on hiding the user's own hooks.
        text = remove_key(text, ("hooks",) if len(hooks) == 1 else PATH)
    return Edited(text, f"Removed {kind} hook from {EVENT}", count)


def _kept(text: str, kind: str) -> Edited:
    return Edited(text, f"{kind} hook is already in {EVENT}")


def _types(text: str) -> list[object]:
    return [entry.get("type") for event, _, entry in _entries(text) if event == EVENT]


def _entries(text: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Event, index and entry of every hook. Raises ConfigError when the layout is not what it must be."""
    hooks = _document(text).get("hooks", {})
    if not isinstance(hooks, dict):
        raise ConfigError("`hooks` is not an object", "correct it by hand first")
    for event, entries in hooks.items():
        if not isinstance(entries, list):
            raise ConfigError(f"`hooks.{event}` is not a list", "correct it by hand first")
        for index, entry in enumerate(entries):
            yield event, index, entry if isinstance(entry, dict) else {}


def _document(text: str) -> dict[str, Any]:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    found = to_plain(parse_json(text, "", comments=True))
    if not isinstance(found, dict):
        raise ConfigError("the file holds something else than an object", "correct it by hand first")
    return found
