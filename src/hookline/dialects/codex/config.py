"""Where Codex CLI's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged import switched_off
from hookline.dialects.codex.rules import HANDLERS, RULES, TOOLS
from hookline.dialects.keys import (
    CLAUDE_KEYS,
    STATUS,
    TIMEOUT,
    Key,
    events_schema,
    group_schema,
    handler_schema,
    read_keys,
)
from hookline.dialects.matching.matchers import STRICT_EXACT, names_or_regex, report_matcher
from hookline.model.events import EventKind
from hookline.model.hooks import PromptCheck
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

SYSTEM = "/etc/codex"
SHORT_EVENTS = frozenset({EventKind.SessionEnd, EventKind.Interrupt})
SHORT_LIMIT_S = 3.0
IGNORED = ("if", "once", "onFailure", "args", "shell", "asyncRewake")
KEYS = (
    Key("type", "command|mcp_tool", words="what kind of hook it is", required=True),
    *(key for key in CLAUDE_KEYS if key.name in ("command", "server", "tool", "input", "async")),
    Key("commandWindows", words="the line on Windows"), Key("command_windows"),
    Key("prompt", "ignored"), Key("model", "ignored"),
    replace(TIMEOUT, zero=True),  # 0 did not cut a hook (observed)
    STATUS,
    Key("additionalContextLimit", "whole", "options.contextLimit", "tokens; 0: no limit; 2500 without it"),
    *(Key(name, "ignored", words=f"Codex CLI ignores `{name}`") for name in IGNORED),
)  # fmt: skip
SKIPPED = frozenset({"prompt", "agent"})


def sources(places: Places) -> list[Source]:
    """Lowest precedence first; the hooks of all layers run. `CODEX_HOME` moves the user's."""
    user = places.variables.get("CODEX_HOME") or os.path.join(places.home, ".codex")
    project = os.path.join(places.workspace, ".codex")
    found = [
        Source(path, scope, kind, places.shown(path), label)
        for folder, scope in ((SYSTEM, "managed"), (user, "user"), (project, "project"))
        for path, kind, label in (
            (os.path.join(folder, "hooks.json"), "json", "hooks"),
            (os.path.join(folder, "config.toml"), "toml", "config"),
        )
    ]
    requirements = os.path.join(SYSTEM, "requirements.toml")
    return [Source(requirements, "managed", "toml", requirements, "requirements"), *found]


def parse(dialect: AgentDialect, given: SourceText) -> Loaded:
    """The hooks of one `hooks.json`, or of the `[hooks]` table of a `config.toml`."""
    from hookline.dialects.reading import read_source
    from hookline.dialects.reading.json_hooks import grouped_specs

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        # `[hooks.state]` is where Codex keeps what its user reviewed
        return grouped_specs(
            dialect, given, root.object("hooks"), _spec, free_keys=frozenset({"state"})
        ), _settings(root)

    return read_source(given, read)


def combine(given: Sequence[Loaded]) -> list[Loaded]:
    """`[features] hooks = false` switches all off, the managed setting all but the managed ones."""
    features = [entry.settings["hooks"] for entry in given if "hooks" in entry.settings]
    only = any(
        entry.settings.get("allow_managed_hooks_only") for entry in given if entry.source.scope == "managed"
    )
    off = "`[features] hooks` is false" if features and features[-1] is False else ""

    def placed(spec: HookSpec) -> HookSpec:
        if isinstance(spec.action, PromptCheck):
            return switched_off(spec, f"Codex CLI skips `{spec.handler}` hooks")
        why = off or ("the managed settings allow only managed hooks" if only else "")
        return switched_off(spec, why) if why and spec.scope != "managed" else spec

    return [replace(entry, specs=tuple(placed(spec) for spec in entry.specs)) for entry in given]


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of a `hooks.json`."""
    group = group_schema(handler_schema(KEYS))
    found = events_schema("Codex CLI hooks.json", (row.native for row in dialect.rows), group)
    return {**found, "required": ["hooks"]}


def _settings(root: Reader) -> dict[str, Any]:
    features = root.object("features")
    found: dict[str, Any] = {"allow_managed_hooks_only": root.boolean("allow_managed_hooks_only")}
    if features is not None:
        on = features.boolean("hooks")
        found["hooks"] = features.boolean("codex_hooks") if on is None else on
    return {key: value for key, value in found.items() if value is not None}


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import make_spec, read_action

    reader = entry.reader
    action = read_action(reader, tuple(sorted(HANDLERS | SKIPPED)), shell=("bash", "-c"))
    values = read_keys(reader, KEYS)
    rule = RULES.get(entry.kind)
    compiled = names_or_regex(entry.matcher, STRICT_EXACT, javascript=False)
    if rule is not None:
        report_matcher(entry.group, rule, compiled, TOOLS.known())
    timeout_s = values.pop("timeout_s", None) or (rule.timeout_s if rule else 600.0)
    if entry.kind in SHORT_EVENTS:
        timeout_s = min(timeout_s, SHORT_LIMIT_S)
    if entry.kind is EventKind.SessionEnd:
        values.pop("background", None)
    return make_spec(
        entry, given, dialect.name, number, action, values, timeout_s=timeout_s, matcher=compiled.matcher
    )
