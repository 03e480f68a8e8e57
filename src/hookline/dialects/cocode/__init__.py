"""cocode: `hooks.toml`, whose hooks run one after another, rewrite the input, and reject by failing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookline.dialects.base import Dialect, EventRule, Loaded, Places, Source, SourceText
from hookline.dialects.cocode.config import config_schema, read_hooks
from hookline.dialects.cocode.results import HookContext
from hookline.dialects.reading.documents import read_source
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HandlerInput, HookSpec, Inline
from hookline.model.record import replace
from hookline.model.results import Outcome, RawResult
from hookline.model.typing import Any

K = EventKind
_WATCH: frozenset[str] = frozenset()
_MODIFY = frozenset({"deny", "rewrite"})
_PRODUCT = frozenset({"product"})
_BODY_FIELDS: Mapping[EventKind, tuple[str, ...]] = {
    K.SessionStart: ("source",),
    K.SessionEnd: ("reason",),
    K.SubagentStart: ("agent_type",),
    K.SubagentStop: ("agent_type", "stop_hook_active", "last_assistant_message"),
    K.Stop: ("stop_hook_active", "last_assistant_message"),
    K.PreCompact: ("trigger", "custom_instructions"),
    K.Notification: ("message", "title", "notification_type"),
    K.FileSuggestion: ("query",),
}
TOOL_KINDS = (K.PreToolUse, K.PostToolUse, K.PostToolUseFailure)


def _rule(native: str, kind: EventKind, effects: frozenset[str], cite: str) -> EventRule:
    order = "pipeline" if "rewrite" in effects else "sequential"
    subject = "tool_name" if kind in TOOL_KINDS else ""
    return EventRule(native, kind, subject, effects, order, "deny", 600.0, cite=cite)


class Cocode(Dialect):
    """A hook rejects by failing in any way but by being late; each hook sees its predecessor's input."""

    name = "cocode"
    verbatim = True
    title = "cocode"
    rules: Mapping[EventKind, EventRule] = {
        K.PreToolUse: _rule("PreToolUse", K.PreToolUse, _MODIFY, "Tool Lifecycle"),
        K.PostToolUse: _rule("PostToolUse", K.PostToolUse, _WATCH, "Tool Lifecycle"),
        K.PostToolUseFailure: _rule("PostToolUseFailure", K.PostToolUseFailure, _WATCH, "Tool Lifecycle"),
        K.UserPromptSubmit: _rule("PrePromptSubmit", K.UserPromptSubmit, _MODIFY, "User Interaction"),
        K.UserMessage: _rule("PostUserMessage", K.UserMessage, _WATCH, "User Interaction"),
        K.SessionStart: _rule("SessionStart", K.SessionStart, _WATCH, "Session Lifecycle"),
        K.SessionEnd: _rule("SessionEnd", K.SessionEnd, _WATCH, "Session Lifecycle"),
        K.SubagentStart: _rule("SubagentStart", K.SubagentStart, _WATCH, "Subagent Lifecycle"),
        K.SubagentStop: _rule("SubagentStop", K.SubagentStop, _WATCH, "Subagent Lifecycle"),
        K.PreCompact: _rule("PreCompact", K.PreCompact, frozenset({"deny"}), "Compaction"),
        K.Notification: _rule("NotificationEvent", K.Notification, _WATCH, "Notifications"),
        K.StatusLine: _rule("StatusLine", K.StatusLine, _PRODUCT, "Custom"),
        K.FileSuggestion: _rule("FileSuggestion", K.FileSuggestion, _PRODUCT, "Custom"),
        K.Stop: _rule("Stop", K.Stop, frozenset({"deny", "reprompt"}), "our own, under Claude Code's name"),
    }
    aliases: Mapping[str, EventKind] = {
        "UserPromptSubmit": K.UserPromptSubmit,
        "Notification": K.Notification,
    }

    def sources(self, places: Places) -> Sequence[Source]:
        """The user's `hooks.toml`, then the project's."""
        user = places.source("user", "{config}/cocode/hooks.toml", "toml")
        return user, places.source("project", "{ws}/.cocode/hooks.toml", "toml")

    def parse(self, given: SourceText) -> Loaded:
        return read_source(given, lambda root: (tuple(read_hooks(root, given, self)), {}))

    def schema(self) -> Mapping[str, Any]:
        return config_schema(self)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """Variables always, the context on stdin when the hook asks for it, and as the webhook's body."""
        env = hook_variables(event, spec.native_event)
        context = hook_context(event, spec.native_event)
        given = HandlerInput(
            context,
            stdin=bool(spec.options.get("pass_context")),
            env=env,
            unset=() if "HOOK_TOOL_NAME" in env else ("HOOK_TOOL_NAME",),
            cwd=event.cwd,
        )
        if not isinstance(spec.action, Inline):
            return given
        return replace(given, context=HookContext.of(context))

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        from hookline.dialects.cocode.output import read_cocode_output

        return read_cocode_output(self.rule(spec), event, spec, raw)


def hook_variables(event: Event, native: str) -> dict[str, str]:
    """`HOOK_EVENT`, `HOOK_SESSION_ID`, and `HOOK_TOOL_NAME` at tool events only."""
    env = {"HOOK_EVENT": native, "HOOK_SESSION_ID": event.session_id}
    tool = event.get("tool_name") if event.kind in TOOL_KINDS else None
    return {**env, "HOOK_TOOL_NAME": tool} if tool else env


def hook_context(event: Event, native: str) -> dict[str, Any]:
    """The context as JSON: what is not known at this event is left out, never null.

    `env` holds what is set for hooks, never the whole environment: it goes to webhooks too.
    """
    context: dict[str, Any] = {"event": native}
    if event.kind in TOOL_KINDS:
        context["tool_name"] = event.get("tool_name")
        context["tool_input"] = event.get("tool_input")
    if event.kind is K.PostToolUse:
        context["tool_output"] = tool_output(event.get("tool_response"))
    if event.kind is K.PostToolUseFailure:
        context["error"] = event.get("error")
    if event.kind in (K.UserPromptSubmit, K.UserMessage):
        context["user_prompt"] = event.get("prompt")
    context["session_id"] = event.session_id
    context["agent_id"] = event.agent_id or None
    context["cwd"] = event.cwd
    context["env"] = hook_variables(event, native)
    for field in _BODY_FIELDS.get(event.kind, ()):
        context[field] = event.get(field)
    for field, value in event.extra.items():
        context.setdefault(field, value)
    return {key: value for key, value in context.items() if value is not None}


def tool_output(response: object) -> dict[str, Any] | None:
    """A tool's response as `{content, is_error, …}`; None when there is none."""
    import json

    if response is None:
        return None
    if isinstance(response, str):
        return {"content": response, "is_error": False}
    fields = response if isinstance(response, dict) else {}
    content = fields.get("content", fields.get("stdout"))
    if not isinstance(content, str):
        content = json.dumps(response, ensure_ascii=False, default=str)
    return {**fields, "content": content, "is_error": bool(fields.get("is_error", False))}


DIALECT = Cocode()
