"""cocode's `hooks.toml`: `[[hooks]]` with one `[hooks.shell]` or `[hooks.webhook]` each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hookline.dialects.actions import read_action
from hookline.dialects.base import Dialect, EventRule, SourceText
from hookline.dialects.keys import COMMAND, HEADERS, HTTP, Key, Keys, read_keys, read_values
from hookline.dialects.reading.nodes import shown
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest, suggestion
from hookline.model.events import EventKind
from hookline.model.hooks import Action, HookSpec, Matcher, Unusable, placed
from hookline.model.typing import Any

DEFAULT_TIMEOUT_S = 600
HTTP_TIMEOUT_S = 30.0
METHODS = {"Post": "POST", "Put": "PUT", "POST": "POST", "PUT": "PUT", "post": "POST", "put": "PUT"}
ENTRY = Keys(
    (
        Key("event", "line", words="when it runs", required=True),
        Key("name", "text", "name"),
        Key("tool_matcher", "matcher", "matcher", "an exact tool name, or a beginning and `*`"),
        Key("once", "flag", "once", "once per session", default=False),
        Key(
            "timeout_sec", "whole_seconds", "timeout_s", default=DEFAULT_TIMEOUT_S, most=86400.0, lenient=True
        ),
        Key("on_timeout", "continue|reject", "options.on_timeout", default="continue"),
    )
)
SHELL = Keys(
    (
        COMMAND,
        Key("pass_context", "flag", "options.pass_context", "the context on standard input", default=False),
        Key("parse_result", "flag", "options.parse_result", "standard output is a result", default=False),
    )
)
WEBHOOK = Keys(
    (
        Key("url", "line", "action.url", handlers=HTTP, required=True, wanted="a URL"),
        Key("method", "|".join(METHODS), "action.method", default="Post", handlers=HTTP, means=METHODS),
        HEADERS,
    )
)
_UNSAID = {"options.on_timeout": "continue"}
_UNSAID_OF: Mapping[str, Mapping[str, Any]] = {
    "shell": {"options.pass_context": False, "options.parse_result": False},
    "webhook": {"means.http_timeout_s": HTTP_TIMEOUT_S},
}
_NO_PATTERN = frozenset("|*?[](){}^$+\\, ")


def read_hooks(document: Reader, given: SourceText, dialect: Dialect) -> Iterator[HookSpec]:
    """The hooks of the file in order; broken ones stay, visibly unusable."""
    counts: dict[str, int] = {}
    natives = (*(rule.native for rule in dialect.rules.values()), *dialect.aliases)
    document.unknown_keys(("hooks",), holders=("hooks",))
    for entry in document.whole().objects("hooks", single=True, wanted="`[[hooks]]` tables"):
        if not entry.valid:
            continue
        # without an event it may be a guard at any
        native = entry.whole().string("event", required=True, blank=False, wanted="an event") or ""
        kind = dialect.kind_of(native)
        known = kind or dialect.kind_of(nearest(native, natives) or "")
        rule = dialect.rules.get(known) if known else None
        entry.guard = rule is not None and rule.guards
        counts[native] = counts.get(native, 0) + 1
        if native and kind is None:
            _report_event(entry if rule else entry.whole(), native, natives)
        yield _read_entry(entry, native, kind, counts[native], given, rule)


def _report_event(entry: Reader, native: str, natives: Iterable[str]) -> None:
    hint = suggestion(native, natives, "known events: " + ", ".join(natives))
    node = entry.members["event"]
    entry.report(node, "unknown-event", f"there is no event `{native}`; this hook never runs", hint)


def _read_entry(
    entry: Reader, native: str, kind: EventKind | None, number: int, given: SourceText, rule: EventRule | None
) -> HookSpec:
    entry.unknown_keys(ENTRY.names() | {"shell", "webhook"})
    said = {"timeout_s": float(DEFAULT_TIMEOUT_S), **_UNSAID, **read_values(entry, ENTRY)}
    said["name"] = said.get("name") or f"{native} {number}"
    action, further = _runs(entry)
    if kind is None:
        action = Unusable(f"there is no event `{native}`" if native else "`event` is missing")
    return HookSpec(
        f"cocode:{native}:{number}", "cocode", kind or EventKind.NoSuchEvent, native,
        action or Unusable(entry.fault), matcher=_read_matcher(entry, rule),
        **given.at(entry.node.line), **placed({**said, **further}),
    )  # fmt: skip


def _runs(entry: Reader) -> tuple[Action | None, Mapping[str, Any]]:
    """What the entry runs, and what its table says beside that."""
    shell, webhook = entry.get("shell"), entry.get("webhook")
    if (shell is None) == (webhook is None):
        found = "neither" if shell is None else "both"
        wanted = "expected one of `[hooks.shell]` and `[hooks.webhook]`"
        entry.report(entry.node, "handler-count", f"{wanted}, found {found}; this hook never runs")
        return None, {}
    name, keys, kind = ("shell", SHELL, "command") if webhook is None else ("webhook", WEBHOOK, "http")
    further: dict[str, Any] = dict(_UNSAID_OF[name])
    table = entry.object(name)
    if table is None:
        return None, further
    action = read_action(table, keys, kind)
    return action, {**further, **read_keys(table, keys, kind)}


def _read_matcher(entry: Reader, rule: EventRule | None) -> Matcher | None:
    text = entry.string("tool_matcher")
    if text is None:
        return None
    matcher = tool_matcher(text)
    if rule is not None and not rule.subject:
        return matcher
    if matcher.kind == "never" or _NO_PATTERN & set(text.removesuffix("*")):
        node = entry.members["tool_matcher"]
        message = f"{shown(node)} is compared letter by letter and fits no usual tool"
        hint = "write an exact name, or a beginning and `*`; for several tools write several `[[hooks]]`"
        entry.report(node, "dead-matcher", message, hint, severity="warning")
    return matcher


def tool_matcher(text: str) -> Matcher:
    """`Bash*` is a beginning, everything else an exact name; the empty text fits no tool."""
    if not text:
        return Matcher("never", text)
    return Matcher("prefix" if text.endswith("*") else "exact", text)


def config_schema(dialect: Dialect) -> Mapping[str, Any]:
    """The JSON Schema of the file (as JSON would hold it)."""
    from hookline.dialects.schemas import file_schema, handler_schema

    closed = {"additionalProperties": False}
    entry = {**handler_schema(ENTRY), **closed, "oneOf": [{"required": ["shell"]}, {"required": ["webhook"]}]}
    natives = [*(rule.native for rule in dialect.rules.values()), *dialect.aliases]
    tables = {
        name: {**handler_schema(keys), **closed} for name, keys in (("shell", SHELL), ("webhook", WEBHOOK))
    }
    entry["properties"] = {**entry["properties"], "event": {"enum": natives}, **tables}
    return file_schema("cocode hooks.toml", {"hooks": {"type": "array", "items": entry}}, **closed)
