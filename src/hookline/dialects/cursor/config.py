"""Where Cursor's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.cursor.rules import HANDLERS, TOOLS
from hookline.dialects.matching.matchers import regex, report_matcher
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.dialects.base import Places, SourceText
    from hookline.dialects.bridged import AgentDialect
    from hookline.dialects.reading import Reader
    from hookline.dialects.reading.json_hooks import Entry
    from hookline.model.hooks import HookSpec

ENTERPRISE = "/etc/cursor/hooks.json"
KEYS = frozenset({"type", "command", "prompt", "model", "timeout", "loop_limit", "failClosed", "matcher"})
DEFAULT_LOOP_LIMIT = 5


def sources(places: Places) -> list[Source]:
    """Lowest precedence first; the hooks of all layers run."""
    return [
        Source(os.path.join(places.home, ".cursor", "hooks.json"), "user", "json", "~/.cursor/hooks.json"),
        Source(
            os.path.join(places.workspace, ".cursor", "hooks.json"), "project", "json", ".cursor/hooks.json"
        ),
        Source(ENTERPRISE, "managed", "json", ENTERPRISE),
    ]


def parse(dialect: AgentDialect, given: SourceText) -> Loaded:
    """The hooks of one `hooks.json`."""
    from hookline.dialects.bridged.flat_hooks import check_version, flat_specs
    from hookline.dialects.reading import read_source

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        check_version(root)
        return flat_specs(dialect, root, lambda entry, number: _spec(dialect, given, entry, number)), {}

    return read_source(given, read)


def combine(given: Sequence[Loaded]) -> Sequence[Loaded]:
    """Cursor has no switches: the files stand side by side."""
    return given


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of a `hooks.json`."""
    text = {"type": "string", "minLength": 1}
    handler = {
        "type": "object",
        "properties": {
            "type": {"enum": sorted(HANDLERS)},
            "command": text,
            "prompt": text,
            "model": {"type": "string"},
            "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "seconds"},
            "loop_limit": {"type": ["integer", "null"], "minimum": 0, "default": DEFAULT_LOOP_LIMIT},
            "failClosed": {"type": "boolean", "default": False},
            "matcher": {"type": "string"},
        },
        "anyOf": [{"required": ["command"]}, {"required": ["prompt"]}],
    }
    events = {row.native: {"type": "array", "items": handler} for row in dialect.rows}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Cursor hooks.json",
        "type": "object",
        "required": ["version", "hooks"],
        "properties": {
            "version": {"const": 1},
            "hooks": {"type": "object", "properties": events, "additionalProperties": False},
        },
    }


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import Common, make_spec, read_action

    reader = entry.reader
    default = "prompt" if reader.has("prompt") and not reader.has("command") else "command"
    action = read_action(reader, tuple(sorted(HANDLERS)), default_type=default)
    timeout_s = reader.duration("timeout", "s")
    reader.unknown_keys(KEYS)
    row = dialect.row(entry.native)
    compiled = regex(entry.matcher)
    if row is not None:
        report_matcher(reader, row, compiled, TOOLS.known())
    spec = make_spec(
        entry, given, dialect.name, number, action, Common(timeout_s), timeout_s=60.0,
        matcher=compiled.matcher,
    )  # fmt: skip
    given_limit = reader.node.get("loop_limit")
    endless = given_limit is not None and given_limit.kind == "null"
    limit = reader.integer("loop_limit", minimum=0)
    return replace(
        spec,
        on_failure="block" if reader.boolean("failClosed") else "",
        options={} if endless else {"loop_limit": DEFAULT_LOOP_LIMIT if limit is None else limit},
    )
