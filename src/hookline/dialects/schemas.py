"""JSON Schemas of config, made from the rows of its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hookline.dialects.keys import MATCHER, UNITS, Key
from hookline.model.typing import Any

LINE_SCHEMA: Mapping[str, Any] = {"type": "string", "minLength": 1}
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "line": LINE_SCHEMA,
    "matcher": {"type": "string"},
    "url": {"type": "string", "pattern": "^https?://"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "scalar": {"type": "string"},
    "globs": {"type": ["string", "array"]},
    "time": {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "string", "pattern": r"^[0-9.]+ ?(ms|s|m|min|h)?$"},
        ]
    },
    "names": {"anyOf": [LINE_SCHEMA, {"type": "array", "items": LINE_SCHEMA, "minItems": 1}]},
    "span": {"type": "string", "pattern": "^\\s*[0-9]+(\\.[0-9]+)?\\s*(ms|s|m|min|h)\\s*$"},
    "number": {"type": "integer"},
    "flag": {"type": "boolean"},
    "tristate": {"type": "boolean"},
    "yes_no": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1},
    "whole": {"type": "integer", "minimum": 0},
    "limit": {"type": ["integer", "null"], "minimum": 0},
    "seconds": {"type": "number", "exclusiveMinimum": 0},
    "milliseconds": {"type": "number", "exclusiveMinimum": 0},
    "whole_seconds": {"type": "integer", "minimum": 1},
    "either": {"type": ["number", "string"], "exclusiveMinimum": 0, "pattern": r"^\s*\d+\s*$"},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "object": {"type": "object"},
}


def file_schema(title: str, properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The JSON Schema of a whole file, which is an object; `more` are further words of it."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": title, "type": "object", "properties": properties, **more}


def table_schema(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """The JSON Schema of an object that has no other keys than these; `more` are further words of it."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", **more, **needed, "properties": properties, "additionalProperties": False}


def handler_schema(keys: Iterable[Key]) -> dict[str, Any]:
    """The JSON Schema of one entry."""
    listed = [key for key in keys if key.type != "ignored"]
    found: dict[str, Any] = {"type": "object", "properties": {key.name: key_schema(key) for key in listed}}
    kind = next((key for key in listed if key.name == "type"), None)
    always = [key.name for key in listed if key.required and not key.handlers]
    needed = [key for key in listed if key.required and key.handlers]
    types = kind.choices if kind is not None else ()
    if len(types) < 2 and len(needed) < 2:
        always += [key.name for key in needed]
    elif kind is None or not kind.required:
        covered = frozenset().union(*(key.handlers for key in needed))
        if needed and covered >= set(types):
            found["anyOf"] = [{"required": [key.name]} for key in needed]
    else:
        found["allOf"] = [_if_type(name, needed) for name in types]
    return {**found, **({"required": always} if always else {})}


def _if_type(name: str, needed: Iterable[Key]) -> dict[str, Any]:
    keys = [key.name for key in needed if name in key.handlers]
    return {
        "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
        "then": {"required": keys},
    }


def key_schema(key: Key) -> dict[str, Any]:
    """The JSON Schema of the value of one key."""
    found: dict[str, Any] = dict(_TYPES.get(key.type) or {"enum": list(key.choices)})
    if key.zero and key.type == "whole_seconds":
        del found["minimum"]
    found.update({"maximum": key.most * (1000 if key.type == "milliseconds" else 1)} if key.most else {})
    words = ". ".join(filter(None, (UNITS.get(key.type, ""), key.words)))
    found.update({"description": words} if words else {})
    return {**found, **({"default": key.default} if key.default is not None else {})}


def group_schema(handler: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON Schema of one matcher group."""
    matcher = {"matcher": {"type": "string", "description": MATCHER.words}}
    properties = {**matcher, **(more or {}), "hooks": {"type": "array", "items": handler}}
    return {"type": "object", "required": ["hooks"], "properties": properties}


def events_schema(
    title: str, natives: Iterable[str], entry: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """The JSON Schema of a file whose `hooks` has a list of `entry` for each event; `more` stands beside it."""
    events = {native: {"type": "array", "items": entry} for native in natives}
    return file_schema(title, {**more, "hooks": table_schema(events)})
