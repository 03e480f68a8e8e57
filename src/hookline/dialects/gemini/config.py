"""Where Gemini CLI's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged import switched_off
from hookline.dialects.gemini.rules import RULES, TOOLS
from hookline.dialects.matching.matchers import Compiled, exact, regex, report_matcher
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.dialects.base import Places, SourceText
    from hookline.dialects.bridged import AgentDialect
    from hookline.dialects.bridged.rules import AgentRule
    from hookline.dialects.reading import Reader
    from hookline.dialects.reading.json_hooks import Entry
    from hookline.model.hooks import HookSpec

SYSTEM = "/etc/gemini-cli/settings.json"
HANDLER_KEYS = frozenset({"type", "command", "name", "description", "timeout", "env"})


def sources(places: Places) -> list[Source]:
    """Lowest precedence first; all lists add up."""
    user = os.path.join(places.home, ".gemini")
    project = os.path.join(places.workspace, ".gemini")
    return [
        *_extensions(user, "~/.gemini"),
        Source(SYSTEM, "managed", "jsonc", SYSTEM, "settings"),
        Source(os.path.join(user, "settings.json"), "user", "jsonc", "~/.gemini/settings.json", "settings"),
        Source(
            os.path.join(project, "settings.json"), "project", "jsonc", ".gemini/settings.json", "settings"
        ),
    ]


def parse(dialect: AgentDialect, given: SourceText) -> Loaded:
    """The hooks of one settings file; Gemini CLI accepts comments in it (observed)."""
    from hookline.dialects.reading import read_source

    return read_source(given, lambda root: (_specs(dialect, given, root.object("hooks")), _settings(root)))


def combine(given: Sequence[Loaded]) -> list[Loaded]:
    """`enabled: false` and `disabled` names switch off; one `sequential` group makes its event a sequence."""
    enabled = [entry.settings["enabled"] for entry in given if "enabled" in entry.settings]
    names = {name for entry in given for name in entry.settings.get("disabled", ())}
    ordered = {
        spec.native_event for entry in given for spec in entry.specs if spec.options.get("asks_sequence")
    }
    why = "`hooksConfig.enabled` is false" if enabled and enabled[-1] is False else ""

    def placed(spec: HookSpec) -> HookSpec:
        if spec.native_event in ordered:
            spec = replace(spec, options={**spec.options, "sequential": True})
        named = spec.name if spec.name in names else spec.command if spec.command in names else ""
        reason = why or (f"`hooksConfig.disabled` lists `{named}`" if named else "")
        return switched_off(spec, reason) if reason else spec

    return [replace(entry, specs=tuple(placed(spec) for spec in entry.specs)) for entry in given]


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of the `hooks` and `hooksConfig` parts of a settings file."""
    handler = {
        "type": "object",
        "required": ["type", "command"],
        "properties": {
            "type": {"const": "command"},
            "command": {"type": "string", "minLength": 1},
            "name": {"type": "string"},
            "description": {"type": "string"},
            "timeout": {
                "type": "number", "exclusiveMinimum": 0, "default": 60000, "description": "milliseconds",
            },
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }  # fmt: skip
    group = {
        "type": "object",
        "required": ["hooks"],
        "properties": {
            "matcher": {"type": "string"},
            "sequential": {"type": "boolean"},
            "hooks": {"type": "array", "items": handler},
        },
    }
    events = {row.native: {"type": "array", "items": group} for row in dialect.rows}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Gemini CLI settings: hooks",
        "type": "object",
        "properties": {
            "hooks": {"type": "object", "properties": events, "additionalProperties": False},
            "hooksConfig": {
                "type": "object",
                "properties": {
                    "enabled": {"type": "boolean"},
                    "disabled": {"type": "array", "items": {"type": "string"}},
                    "notifications": {"type": "boolean"},
                },
            },
        },
    }


def _extensions(base: str, shown: str) -> Iterator[Source]:
    from hookline.system.files import is_file, list_dir

    folder = os.path.join(base, "extensions")
    for name in sorted(entry.name for entry in list_dir(folder).entries):
        path = os.path.join(folder, name, "hooks", "hooks.json")
        if is_file(path):
            yield Source(path, "plugin", "jsonc", f"{shown}/extensions/{name}/hooks/hooks.json", "extension")


def _settings(root: Reader) -> dict[str, Any]:
    config = root.object("hooksConfig")
    if config is None:
        return {}
    found = {"enabled": config.boolean("enabled"), "disabled": config.string_list("disabled")}
    return {key: value for key, value in found.items() if value is not None}


def _specs(dialect: AgentDialect, given: SourceText, hooks: Reader | None) -> tuple[HookSpec, ...]:
    from hookline.dialects.reading.json_hooks import Shape, numbered, read_entries

    if hooks is None:
        return ()
    names = tuple(dict.fromkeys(row.native for row in dialect.rows))
    entries = numbered(read_entries(hooks, Shape(dialect.kind_of, names, dialect.guards, single=True)))
    return tuple(_spec(dialect, given, entry, number) for entry, number in entries)


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import Common, make_spec, read_action

    reader = entry.reader
    action = read_action(reader, ("command",), shell=("bash", "-c"))
    common = Common(timeout_s=reader.duration("timeout", "ms"))
    reader.unknown_keys(HANDLER_KEYS)
    rule = RULES.get(entry.kind)
    compiled = _compiled(rule, entry.matcher)
    if rule is not None:
        report_matcher(entry.group, rule, compiled, TOOLS.known())
    return make_spec(
        entry, given, dialect.name, number, action, common,
        timeout_s=60.0, matcher=compiled.matcher, name=reader.string("name") or "",
        description=reader.string("description") or "", env=reader.string_map("env") or {},
        options={"asks_sequence": True} if entry.group.boolean("sequential") else {},
    )  # fmt: skip


def _compiled(rule: AgentRule | None, text: str | None) -> Compiled:
    """Tools by an unanchored pattern, other events by the exact text; blanks around it do not count."""
    text = text.strip() if text is not None else None
    return regex(text) if rule is not None and rule.subject == "tool_name" else exact(text)
