"""Where Gemini CLI's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged import switched_off
from hookline.dialects.gemini.rules import RULES, TOOLS
from hookline.dialects.keys import (
    COMMAND,
    TIMEOUT,
    TYPE,
    Key,
    events_schema,
    group_schema,
    handler_schema,
    read_keys,
)
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
KEYS = (
    replace(TYPE, required=True), COMMAND, replace(TIMEOUT, type="milliseconds"), Key("name", "text", "name"),
    Key("description", "text", "description"), Key("env", "map", "env", "further variables"),
)  # fmt: skip


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
    from hookline.dialects.reading.json_hooks import grouped_specs

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        return grouped_specs(dialect, given, root.object("hooks"), _spec, single=True), _settings(root)

    return read_source(given, read)


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
    group = group_schema(handler_schema(KEYS), {"sequential": {"type": "boolean"}})
    switches = {
        "enabled": {"type": "boolean"}, "disabled": {"type": "array", "items": {"type": "string"}},
        "notifications": {"type": "boolean"},
    }  # fmt: skip
    return events_schema(
        "Gemini CLI settings: hooks", (row.native for row in dialect.rows), group,
        hooksConfig={"type": "object", "properties": switches},
    )  # fmt: skip


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


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import make_spec, read_action

    reader = entry.reader
    action = read_action(reader, ("command",), shell=("bash", "-c"))
    values = read_keys(reader, KEYS)
    rule = RULES.get(entry.kind)
    compiled = _compiled(rule, entry.matcher)
    if rule is not None:
        report_matcher(entry.group, rule, compiled, TOOLS.known())
    return make_spec(
        entry, given, dialect.name, number, action, values, timeout_s=60.0, matcher=compiled.matcher,
        options={"asks_sequence": True} if entry.group.boolean("sequential") else {},
    )  # fmt: skip


def _compiled(rule: AgentRule | None, text: str | None) -> Compiled:
    """Tools by an unanchored pattern, other events by the exact text; blanks around it do not count."""
    text = text.strip() if text is not None else None
    return regex(text) if rule is not None and rule.subject == "tool_name" else exact(text)
