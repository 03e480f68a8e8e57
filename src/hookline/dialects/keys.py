"""Config keys as rows: the reader, the JSON Schema, the writer and the page of a dialect are made from them."""

from __future__ import annotations

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.dialects.reading import Reader
    from hookline.model.hooks import HookSpec


class Key(Record):
    """One key of a hook's entry.

    `type`: text, texts, flag, whole, seconds, milliseconds, either (seconds, from 1000 on milliseconds), map,
    object, or several words to choose from, parted by `|`. `field`: where it goes, a field of `HookSpec` or
    `options.NAME`; empty: what the entry runs, which is read apart. `handlers`: the types that have it; empty:
    all. `default` is what holds without it, `words` what it is for.
    """

    name: str
    type: str = "text"
    field: str = ""
    words: str = ""
    default: Any = None
    handlers: frozenset[str] = frozenset()
    required: bool = False

    def is_for(self, handler: str) -> bool:
        return not self.handlers or handler in self.handlers


_TYPES: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string", "minLength": 1},
    "texts": {"type": "array", "items": {"type": "string"}},
    "flag": {"type": "boolean"},
    "whole": {"type": "integer", "minimum": 0},
    "seconds": {"type": "number", "exclusiveMinimum": 0},
    "milliseconds": {"type": "number", "exclusiveMinimum": 0},
    "either": {"type": "number", "exclusiveMinimum": 0},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "object": {"type": "object"},
}
UNITS: Mapping[str, str] = {
    "seconds": "seconds", "milliseconds": "milliseconds", "either": "seconds; from 1000 on milliseconds",
}  # fmt: skip


def read_keys(reader: Reader, keys: Sequence[Key], handler: str) -> dict[str, Any]:
    """The values of an entry by their field; what is wrong, and what no row knows, is reported."""
    found: dict[str, Any] = {}
    for key in keys:
        if key.field and reader.has(key.name) and (value := _read(reader, key)) is not None:
            found[key.field] = value
    reader.unknown_keys(frozenset(key.name for key in keys if key.is_for(handler)))
    return found


def handler_schema(keys: Iterable[Key]) -> dict[str, Any]:
    """The JSON Schema of one entry."""
    listed = list(keys)
    found: dict[str, Any] = {"type": "object", "properties": {key.name: _schema(key) for key in listed}}
    needed = [key.name for key in listed if key.required]
    return {**found, **({"required": needed} if needed else {})}


def write_keys(spec: HookSpec, keys: Iterable[Key], handler: str) -> dict[str, Any]:
    """The keys of an entry that say what a hook says beside what it runs; what holds anyway is left out."""
    found: dict[str, Any] = {}
    for key in keys:
        if not key.field or not key.is_for(handler):
            continue
        value = _value(spec, key)
        if key.type in UNITS or (value not in (None, "", False, (), {}) and value != key.default):
            found[key.name] = value
    return found


def _read(reader: Reader, key: Key) -> Any:
    match key.type:
        case "text":
            return reader.string(key.name)
        case "texts":
            return reader.string_list(key.name)
        case "flag":
            return reader.boolean(key.name)
        case "whole":
            return reader.integer(key.name, minimum=0)
        case "seconds":
            return reader.duration(key.name, "s")
        case "milliseconds":
            return reader.duration(key.name, "ms")
        case "either":
            given = reader.node.members[key.name].value
            long = isinstance(given, int | float) and given >= 1000
            return reader.duration(key.name, "ms" if long else "s")
        case "map":
            return reader.string_map(key.name)
        case "object":
            reader.object(key.name)
            return None
    word = reader.choice(key.name, _choices(key))
    return _FAILURE_WORDS.get(word, word) if key.field == "on_failure" and word else word


# what agents call letting go and stopping
_FAILURE_WORDS: Mapping[str, str] = {"continue": "allow"}


def _choices(key: Key) -> tuple[str, ...]:
    return tuple(key.type.split("|"))


def _schema(key: Key) -> dict[str, Any]:
    found: dict[str, Any] = dict(_TYPES.get(key.type) or {"enum": list(_choices(key))})
    words = ". ".join(filter(None, (UNITS.get(key.type, ""), key.words)))
    found.update({"description": words} if words else {})
    return {**found, **({"default": key.default} if key.default is not None else {})}


def _value(spec: HookSpec, key: Key) -> Any:
    holder, _, name = key.field.partition(".")
    value = spec.options.get(name) if holder == "options" else getattr(spec, key.field)
    if key.type in UNITS and isinstance(value, int | float):
        many = key.type == "milliseconds" or (key.type == "either" and value >= 1000)
        value = round(value * (1000 if many else 1), 6)
        return int(value) if value == int(value) else value
    if key.field == "on_failure" and value == "allow" and "allow" not in _choices(key):
        return "continue"
    return dict(value) if key.type == "map" and value else value
