"""Our own dialect: hooks added by code, and `.hookline/hooks.toml`."""

from __future__ import annotations

from hookline.dialects.base import Dialect, EventRule
from hookline.model.events import EventKind, payload_of
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.model.results import SILENT, Outcome, RawResult, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.dialects.base import Places, Source
    from hookline.model.events import Event

K = EventKind
_DENY = frozenset({"deny", "ask", "allow", "context"})
_EFFECTS: Mapping[EventKind, frozenset[str]] = {
    K.PreToolUse: _DENY | {"rewrite"},
    K.PermissionRequest: _DENY | {"rewrite"},
    K.UserPromptSubmit: _DENY | {"rewrite"},
    K.Stop: frozenset({"deny", "continue", "context"}),
    K.SubagentStop: frozenset({"deny", "continue", "context"}),
    K.RunStop: frozenset({"deny", "continue"}),
    K.PreCompact: frozenset({"deny"}),
    K.PreCommit: frozenset({"deny"}),
    K.PreExecutionStart: frozenset({"deny"}),
    K.PreExecutionEnd: frozenset({"deny"}),
    K.FilesChanged: frozenset({"reprompt", "context"}),
    K.StatusLine: frozenset({"product"}),
    K.FileSuggestion: frozenset({"product"}),
}
_SUBJECTS: Mapping[EventKind, str] = {
    K.PreToolUse: "tool_name",
    K.PostToolUse: "tool_name",
    K.PostToolUseFailure: "tool_name",
    K.PermissionRequest: "tool_name",
    K.PermissionDenied: "tool_name",
    K.SessionStart: "source",
    K.SessionEnd: "reason",
    K.Notification: "notification_type",
    K.SubagentStart: "agent_type",
    K.SubagentStop: "agent_type",
    K.PreCompact: "trigger",
    K.PostCompact: "trigger",
    K.FilesChanged: "files",
    K.PreCommit: "files",
}


_RULES: Mapping[EventKind, EventRule] = {
    kind: EventRule(
        kind.value,
        kind,
        _SUBJECTS.get(kind, ""),
        _EFFECTS.get(kind, frozenset({"context"})),
        order="pipeline" if "rewrite" in _EFFECTS.get(kind, ()) else "sequential",
        stop_at="deny",
    )
    for kind in EventKind
    if kind is not EventKind.NoSuchEvent
}


class Hookline(Dialect):
    """Every event there is; a failing guard blocks unless its `on_failure` says otherwise (R13)."""

    name = "hookline"
    title = "hookline"
    rules = _RULES

    def sources(self, places: Places) -> Sequence[Source]:
        del places
        return ()

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        return HandlerInput(payload_of(event), stdin=True, cwd=event.workspace or event.cwd, env=spec.env)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        del event
        value = raw.value
        if isinstance(value, Outcome):
            return value
        if raw.failed:
            return self._failure(spec, raw)
        if value is None:
            return SILENT
        return Outcome(problem=f"a hook returns None or an Outcome, not {type(value).__name__}")

    def _failure(self, spec: HookSpec, raw: RawResult) -> Outcome:
        words = raw.stderr.strip() or raw.launch_error or "failed without a word"
        if raw.exit_code == 2:
            return Outcome(Verdict.DENY, reason=words)
        if not self.rule(spec).guards or spec.on_failure:
            return Outcome(messages=(f"{spec.name or spec.id}: {words}",))
        return Outcome(Verdict.DENY, reason=f"guard `{spec.name or spec.id}` failed: {words}")


DIALECT = Hookline()
