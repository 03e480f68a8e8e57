"""Events: the moments of an agent's life at which hooks run.

An `Event` is one moment; its `body` is a small record of the family the moment belongs to. Field names are
the canonical payload names, so a payload maps to a body by name alone.
"""

from __future__ import annotations

from hookline.model.choices import StrEnum
from hookline.model.errors import PayloadError
from hookline.model.record import Record, fields_of
from hookline.model.typing import Any, Callable, Mapping


class EventKind(StrEnum):
    """Canonical event names: Claude Code's where it has one, else the originating agent's own."""

    SessionStart = "SessionStart"
    SessionEnd = "SessionEnd"
    Setup = "Setup"
    InstructionsLoaded = "InstructionsLoaded"
    UserPromptSubmit = "UserPromptSubmit"
    UserPromptExpansion = "UserPromptExpansion"
    UserMessage = "UserMessage"
    MessageDisplay = "MessageDisplay"
    PreToolUse = "PreToolUse"
    PostToolUse = "PostToolUse"
    PostToolUseFailure = "PostToolUseFailure"
    PostToolBatch = "PostToolBatch"
    PermissionRequest = "PermissionRequest"
    PermissionDenied = "PermissionDenied"
    Notification = "Notification"
    Stop = "Stop"
    StopFailure = "StopFailure"
    Interrupt = "Interrupt"
    SubagentStart = "SubagentStart"
    SubagentStop = "SubagentStop"
    TaskCreated = "TaskCreated"
    TaskCompleted = "TaskCompleted"
    TeammateIdle = "TeammateIdle"
    PreCompact = "PreCompact"
    PostCompact = "PostCompact"
    PreModelSwitch = "PreModelSwitch"
    PostModelSwitch = "PostModelSwitch"
    ConfigChange = "ConfigChange"
    CwdChanged = "CwdChanged"
    DirectoryAdded = "DirectoryAdded"
    FileChanged = "FileChanged"
    WorktreeCreate = "WorktreeCreate"
    WorktreeRemove = "WorktreeRemove"
    Elicitation = "Elicitation"
    ElicitationResult = "ElicitationResult"
    StatusLine = "StatusLine"
    FileSuggestion = "FileSuggestion"
    FilesChanged = "FilesChanged"
    PreCommit = "PreCommit"
    PostCommit = "PostCommit"
    PreIteration = "PreIteration"
    PostIteration = "PostIteration"
    IterationError = "IterationError"
    PreExecutionStart = "PreExecutionStart"
    PostExecutionStart = "PostExecutionStart"
    PreExecutionEnd = "PreExecutionEnd"
    PostExecutionEnd = "PostExecutionEnd"
    RunStop = "RunStop"
    PreModelRequest = "PreModelRequest"
    PostModelResponse = "PostModelResponse"
    PreToolSelection = "PreToolSelection"
    NoSuchEvent = "NoSuchEvent"


class Plain(Record):
    """No fields of its own; whatever the host sent is in `Event.extra`."""


class ToolCall(Record):
    """A tool is about to run. `tool_input` is the tool's JSON arguments."""

    tool_name: str = ""
    tool_input: Mapping[str, Any] = {}
    tool_use_id: str = ""


class ToolDone(ToolCall):
    """A tool succeeded. Where hooks rewrote the call it has `tool_input_original`, and the ids of those hooks."""

    tool_response: Any = None
    duration_ms: float | None = None
    tool_input_original: Mapping[str, Any] | None = None
    tool_input_changed_by: tuple[str, ...] | None = None


class ToolFailed(ToolCall):
    """A tool failed, threw, or was refused by the user; a rewritten call as in `ToolDone`."""

    error: str = ""
    is_interrupt: bool = False
    duration_ms: float | None = None
    tool_input_original: Mapping[str, Any] | None = None
    tool_input_changed_by: tuple[str, ...] | None = None


class ToolDenied(ToolCall):
    """The permission rules refused a call without asking."""

    reason: str = ""


class Prompt(Record):
    """The user's words on their way to the model (or just added to the context)."""

    prompt: str = ""


class SessionStarted(Record):
    """`source`: startup, resume, clear, compact or fork."""

    source: str = "startup"


class SessionEnded(Record):
    """`reason`: clear, resume, logout, prompt_input_exit, interrupted, error, other."""

    reason: str = "other"


class TurnEnd(Record):
    """The agent wants to stop. `attempt` counts the stops of this user turn from 1."""

    stop_hook_active: bool = False
    last_assistant_message: str = ""
    attempt: int = 1
    max_attempts: int | None = None


class TurnFailed(Record):
    """A turn ended by an error instead of an answer."""

    error: str = ""
    error_details: str = ""
    last_assistant_message: str = ""


class Compact(Record):
    """`trigger`: manual or auto."""

    trigger: str = "manual"
    custom_instructions: str | None = None
    compact_summary: str | None = None


class Notice(Record):
    """Something the user should know."""

    message: str = ""
    title: str = ""
    notification_type: str = ""


class FilesChanged(Record):
    """The end of a turn that changed files; paths are relative to the workspace."""

    files: tuple[str, ...] = ()
    deleted_files: tuple[str, ...] = ()


class Commit(Record):
    """A git commit about to be made, or just made (`commit_hash`)."""

    files: tuple[str, ...] = ()
    message: str = ""
    commit_hash: str = ""
    issue_number: int | None = None
    issue_title: str = ""


class Iteration(Record):
    """One round of an iteration loop, counted from 1."""

    iteration: int | None = None


class TaskDone(Record):
    """A task of an iteration session was completed."""

    task_id: str = ""
    task_content: str = ""


class IterationFailed(Record):
    """A round of an iteration loop failed with `error`."""

    iteration: int | None = None
    error: str = ""


class IssueRun(Record):
    """One issue being worked on; the fields below `plan_file` are known at its end only."""

    issue_number: int = 0
    issue_title: str = ""
    issue_file: str = ""
    plan_file: str = ""
    provider: str | None = None
    success: bool | None = None
    duration_ms: int | None = None
    files_modified: tuple[str, ...] | None = None
    output: str | None = None
    error: str | None = None
    dry_run: bool | None = None


class RunEnd(Record):
    """All issues of a run are done. `reason`: completed, interrupted or error."""

    reason: str = "completed"
    issues_completed: int = 0
    issues_total: int = 0
    issues_failed: int = 0
    completed_issues: tuple[int, ...] = ()
    duration_ms: int = 0
    stop_hook_active: bool = False


class Query(Record):
    """What the user typed so far, for file suggestions."""

    query: str = ""


BODIES: Mapping[EventKind, type[Record]] = {
    EventKind.SessionStart: SessionStarted,
    EventKind.SessionEnd: SessionEnded,
    EventKind.UserPromptSubmit: Prompt,
    EventKind.UserPromptExpansion: Prompt,
    EventKind.UserMessage: Prompt,
    EventKind.PreToolUse: ToolCall,
    EventKind.PermissionRequest: ToolCall,
    EventKind.PermissionDenied: ToolDenied,
    EventKind.PostToolUse: ToolDone,
    EventKind.PostToolUseFailure: ToolFailed,
    EventKind.Notification: Notice,
    EventKind.Stop: TurnEnd,
    EventKind.SubagentStop: TurnEnd,
    EventKind.StopFailure: TurnFailed,
    EventKind.PreCompact: Compact,
    EventKind.PostCompact: Compact,
    EventKind.FilesChanged: FilesChanged,
    EventKind.PreCommit: Commit,
    EventKind.PostCommit: Commit,
    EventKind.PreIteration: Iteration,
    EventKind.PostIteration: Iteration,
    EventKind.TaskCompleted: TaskDone,
    EventKind.IterationError: IterationFailed,
    EventKind.PreExecutionStart: IssueRun,
    EventKind.PostExecutionStart: IssueRun,
    EventKind.PreExecutionEnd: IssueRun,
    EventKind.PostExecutionEnd: IssueRun,
    EventKind.RunStop: RunEnd,
    EventKind.FileSuggestion: Query,
}

COMMON = ("session_id", "cwd", "agent_id", "agent_type", "transcript_path", "permission_mode")


class Event(Record):
    """One moment. `host` is who fired it: `hookline` or the dialect of a bridged agent.

    `cwd` is the agent's current directory, `workspace` the project root (both absolute); `at` is seconds
    since the epoch; `extra` keeps every payload field no body knows, so that nothing is lost on the way
    to hooks that may know it. `traceparent` places it in the agent's own trace (W3C Trace Context).
    """

    kind: EventKind
    session_id: str = "default"
    cwd: str = ""
    body: Record = Plain()
    workspace: str = ""
    host: str = "hookline"
    agent_id: str = ""
    agent_type: str = ""
    transcript_path: str = ""
    permission_mode: str = ""
    at: float = 0.0
    extra: Mapping[str, Any] = {}
    traceparent: str = ""

    @property
    def tool_name(self) -> str:
        """The tool about to be called or called; empty where the event is about none."""
        return str(self.get("tool_name") or "")

    @property
    def tool_input(self) -> Mapping[str, Any]:
        """What the tool is given, as a copy; empty where the event is about none."""
        found = self.get("tool_input")
        return dict(found) if isinstance(found, dict) else {}

    @property
    def prompt(self) -> str:
        """The user's words; empty where the event has none."""
        return str(self.get("prompt") or "")

    def get(self, field: str) -> Any:
        """A body field, a common field or an extra one by its canonical name; None if there is none."""
        if field in self.body._fields:
            return getattr(self.body, field)
        if field in COMMON:
            return getattr(self, field)
        return self.extra.get(field)


def event_from_payload(kind: EventKind, payload: Mapping[str, Any], **common: Any) -> Event:
    """Builds an event from a canonical payload (`snake_case` fields); `common` fills what it leaves out.

    Raises PayloadError when a field has the wrong type.
    """
    body_type = BODIES.get(kind, Plain)
    values = {field: payload[field] for field in body_type._fields if payload.get(field) is not None}
    body = body_type(**{field: _checked(body_type, field, value) for field, value in values.items()})
    given = {field: payload[field] for field in COMMON if isinstance(payload.get(field), str)}
    known = (*body_type._fields, *COMMON, "hook_event_name")
    extra = {field: value for field, value in payload.items() if field not in known}
    return Event(kind=kind, body=body, extra=extra, **{**common, **given})


def payload_of(event: Event) -> dict[str, Any]:
    """The canonical payload of an event: `event`, the common fields, the body's, then the extra ones."""
    payload: dict[str, Any] = {"event": event.kind.value}
    payload.update({field: getattr(event, field) for field in COMMON if getattr(event, field)})
    for field, value in fields_of(event.body).items():
        if value is not None:
            payload[field] = list(value) if isinstance(value, tuple) else value
    for field, value in event.extra.items():
        payload.setdefault(field, value)
    return payload


def find_kind(name: str) -> EventKind | None:
    """The event kind with that canonical name, or None."""
    return EventKind._value2member_map_.get(name)  # type: ignore[return-value]


def _checked(body_type: type[Record], field: str, value: Any) -> Any:
    test, words = _tests.get((body_type, field)) or _test_of(body_type, field)
    if isinstance(value, list) and "tuple" in words:
        value = tuple(value)
    if not test(value):
        raise PayloadError(f"`{field}`: expected {words.removeprefix('tuple ')}, found {_shown(value)}")
    return value


def _test_of(body_type: type[Record], field: str) -> tuple[Callable[[Any], bool], str]:
    wanted = body_type.__annotations__.get(field) or next(
        base.__annotations__[field] for base in body_type.__mro__ if field in base.__annotations__
    )
    found = _TYPES.get(str(wanted).removesuffix(" | None"), (lambda _: True, ""))
    return _tests.setdefault((body_type, field), found)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _strings(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


def _integers(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, int) for item in value)


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_tests: dict[tuple[type[Record], str], tuple[Callable[[Any], bool], str]] = {}  # by body and field
_TYPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "a string"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "int": (_integer, "a whole number"),
    "float": (lambda value: isinstance(value, int | float), "a number"),
    "Mapping[str, Any]": (lambda value: isinstance(value, dict), "an object"),
    "tuple[str, ...]": (_strings, "tuple a list of strings"),
    "tuple[int, ...]": (_integers, "tuple a list of whole numbers"),
}
