"""cocode's `hooks.toml`: `[[hooks]]` with one `[hooks.shell]` or `[hooks.webhook]` each."""

from __future__ import annotations

from hookline.dialects.keys import time_or_default
from hookline.dialects.reading import Reader, nearest, shown
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec, Matcher, Unusable, Webhook, parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.dialects.base import Dialect, EventRule, SourceText
    from hookline.model.hooks import Action

DEFAULT_TIMEOUT_S = 600
HTTP_TIMEOUT_S = 30.0
LONGEST_TIMEOUT_S = 86_400
ENTRY_KEYS = ("event", "name", "tool_matcher", "once", "timeout_sec", "on_timeout", "shell", "webhook")
SHELL_KEYS = ("command", "pass_context", "parse_result")
WEBHOOK_KEYS = ("url", "method", "headers")
_MEANT = {
    "matcher": "tool_matcher",
    "timeout": "timeout_sec",
    "timeout_ms": "timeout_sec",
    "command": "shell",
}
_NO_PATTERN = frozenset("|*?[](){}^$+\\, ")


def read_hooks(document: Reader, given: SourceText, dialect: Dialect) -> Iterator[HookSpec]:
    """The hooks of the file in order; broken ones stay, visibly unusable."""
    counts: dict[str, int] = {}
    natives = (*(rule.native for rule in dialect.rules.values()), *dialect.aliases)
    document.unknown_keys(("hooks",))
    for entry in document.objects("hooks", single=True, wanted="`[[hooks]]` tables"):
        if not entry.valid:
            continue
        native = entry.string("event", required=True, blank=False, wanted="an event") or ""
        kind = dialect.kind_of(native)
        rule = dialect.rules.get(kind or dialect.kind_of(nearest(native, natives) or "") or EventKind.Setup)
        entry.guard = rule is not None and rule.guards
        counts[native] = counts.get(native, 0) + 1
        if native and kind is None:
            _report_event(entry, native, natives)
        yield _read_entry(entry, native, kind, counts[native], given, rule)


def _report_event(entry: Reader, native: str, natives: Iterable[str]) -> None:
    meant = nearest(native, natives)
    hint = f"did you mean `{meant}`?" if meant else "known events: " + ", ".join(natives)
    node = entry.node.members["event"]
    entry.report(node, "unknown-event", f"there is no event `{native}`; this hook never runs", hint)


def _read_entry(
    entry: Reader, native: str, kind: EventKind | None, number: int, given: SourceText, rule: EventRule | None
) -> HookSpec:
    _report_unknown(entry)
    action = _read_action(entry)
    options = _read_options(entry)
    if kind is None:
        action = Unusable(f"there is no event `{native}`" if native else "`event` is missing")
    elif action is None:
        action = Unusable(entry.fault)
    return HookSpec(
        f"cocode:{native}:{number}",
        "cocode",
        kind or EventKind.NoSuchEvent,
        native,
        action,
        name=entry.string("name") or f"{native} {number}",
        source=given.shown,
        path=given.path,
        line=entry.node.line,
        scope=given.source.scope,
        matcher=_read_matcher(entry, rule),
        timeout_s=time_or_default(
            entry, "timeout_sec", "s", DEFAULT_TIMEOUT_S, LONGEST_TIMEOUT_S, "whole seconds"
        ),
        once=bool(entry.boolean("once")),
        **parted(options),
    )


def _read_action(entry: Reader) -> Action | None:
    shell, webhook = entry.get("shell"), entry.get("webhook")
    if (shell is None) == (webhook is None):
        found = "neither" if shell is None else "both"
        message = (
            f"expected one of `[hooks.shell]` and `[hooks.webhook]`, found {found}; this hook never runs"
        )
        entry.report(entry.node, "handler-count", message)
        return None
    table = entry.object("shell" if webhook is None else "webhook")
    if table is None:
        return None
    return _read_shell(table) if webhook is None else _read_webhook(table)


def _read_shell(shell: Reader) -> Action | None:
    shell.unknown_keys(SHELL_KEYS)
    line = shell.string("command", required=True, blank=False, wanted="a command")
    return Command(line) if line else None


def _read_webhook(webhook: Reader) -> Action | None:
    webhook.unknown_keys(WEBHOOK_KEYS)
    url = webhook.string("url", required=True, blank=False, wanted="a URL")
    method = webhook.string("method") or "Post"
    headers = webhook.string_map("headers") or {}
    if method.upper() not in ("POST", "PUT"):
        node = webhook.node.members["method"]
        webhook.report(node, "bad-value", f"expected `Post` or `Put`, found {shown(node)}")
    return None if url is None or webhook.broken else Webhook(url, method.upper(), headers)


def _read_options(entry: Reader) -> dict[str, Any]:
    options: dict[str, Any] = {"on_timeout": entry.choice("on_timeout", ("continue", "reject")) or "continue"}
    shell = entry.get("shell")
    if shell is not None and shell.kind == "object":
        table = entry.reader(shell)
        options["pass_context"] = bool(table.boolean("pass_context"))
        options["parse_result"] = bool(table.boolean("parse_result"))
    else:
        options["http_timeout_s"] = HTTP_TIMEOUT_S
    return options


def _read_matcher(entry: Reader, rule: EventRule | None) -> Matcher | None:
    text = entry.string("tool_matcher")
    if text is None:
        return None
    matcher = tool_matcher(text)
    if rule is not None and not rule.subject:
        return matcher
    if matcher.kind == "never" or _NO_PATTERN & set(text.removesuffix("*")):
        node = entry.node.members["tool_matcher"]
        message = f"{shown(node)} is compared letter by letter and fits no usual tool"
        hint = "write an exact name, or a beginning and `*`; for several tools write several `[[hooks]]`"
        entry.report(node, "dead-matcher", message, hint, severity="warning")
    return matcher


def tool_matcher(text: str) -> Matcher:
    """`Bash*` is a beginning, everything else an exact name; the empty text fits no tool."""
    if not text:
        return Matcher("never", text)
    return Matcher("prefix" if text.endswith("*") else "exact", text)


def _report_unknown(entry: Reader) -> None:
    for key in entry.keys:
        if key in _MEANT and key not in ENTRY_KEYS:
            meant = _MEANT[key]
            entry.report_key(
                key,
                "unknown-key",
                f"`{key}` means nothing here",
                f"did you mean `{meant}`?",
                severity="warning",
            )
    entry.unknown_keys((*ENTRY_KEYS, *_MEANT))


def config_schema(dialect: Dialect) -> Mapping[str, Any]:
    """The JSON Schema of the file (as JSON would hold it)."""
    text, flag = {"type": "string", "minLength": 1}, {"type": "boolean", "default": False}
    shell = {
        "type": "object",
        "required": ["command"],
        "properties": {"command": text, "pass_context": flag, "parse_result": flag},
        "additionalProperties": False,
    }
    webhook = {
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": text,
            "method": {"type": "string", "pattern": "^(?i:post|put)$", "default": "Post"},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "additionalProperties": False,
    }
    natives = [*(rule.native for rule in dialect.rules.values()), *dialect.aliases]
    entry = {
        "type": "object",
        "required": ["event"],
        "properties": {
            "event": {"enum": natives},
            "name": text,
            "tool_matcher": {"type": "string", "description": "an exact tool name, or a beginning and `*`"},
            "once": flag,
            "timeout_sec": {
                "type": "integer",
                "minimum": 1,
                "maximum": LONGEST_TIMEOUT_S,
                "default": DEFAULT_TIMEOUT_S,
            },
            "on_timeout": {"enum": ["continue", "reject"], "default": "continue"},
            "shell": shell,
            "webhook": webhook,
        },
        "oneOf": [{"required": ["shell"]}, {"required": ["webhook"]}],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cocode hooks.toml",
        "type": "object",
        "properties": {"hooks": {"type": "array", "items": entry}},
        "additionalProperties": False,
    }
