"""Where Cursor's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.cursor.rules import HANDLERS, TOOLS
from hookline.dialects.keys import (
    COMMAND,
    MATCHER,
    MODEL,
    PROMPT,
    PROMPTS,
    TIMEOUT,
    Key,
    events_schema,
    handler_schema,
    read_keys,
)
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
KEYS = (
    Key("type", "command|prompt", words="what kind of hook it is"), COMMAND, replace(PROMPT, handlers=PROMPTS),
    MODEL, TIMEOUT,
    Key("loop_limit", "limit", "options.loop_limit", "how often it may send the agent on; null: ever", 5),
    Key("failClosed", "flag", "on_failure", "its own failure denies", means="block"), MATCHER,
)  # fmt: skip


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
        return flat_specs(dialect, given, root.object("hooks"), _spec), {}

    return read_source(given, read)


def combine(given: Sequence[Loaded]) -> Sequence[Loaded]:
    """Cursor has no switches: the files stand side by side."""
    return given


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of a `hooks.json`."""
    natives = (row.native for row in dialect.rows)
    found = events_schema("Cursor hooks.json", natives, handler_schema(KEYS), version={"const": 1})
    return {**found, "required": ["version", "hooks"]}


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import make_spec, read_action

    reader = entry.reader
    default = "prompt" if reader.has("prompt") and not reader.has("command") else "command"
    action = read_action(reader, tuple(sorted(HANDLERS)), default_type=default)
    values = read_keys(reader, KEYS)
    row = dialect.row(entry.native)
    compiled = regex(entry.matcher)
    if row is not None:
        report_matcher(reader, row, compiled, TOOLS.known())
    return make_spec(
        entry, given, dialect.name, number, action, values, timeout_s=60.0, matcher=compiled.matcher
    )
