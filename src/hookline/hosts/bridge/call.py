"""One call of a real agent: which agent, which event, its payload; and the event it comes to."""

from __future__ import annotations

import os

from hookline.dialects import agent_dialect, agent_names, git_names, is_agent
from hookline.dialects.bridged import AgentDialect
from hookline.engine.failures import guards
from hookline.engine.fire import Engine
from hookline.engine.merge import LET_THROUGH
from hookline.engine.opening import project_of, unasked
from hookline.model.errors import PayloadError, UsageError
from hookline.model.events import Event, EventKind, payload_of
from hookline.model.record import Record, replace
from hookline.model.results import Decision, Verdict
from hookline.model.short_json import as_written, read_json, whole_json
from hookline.model.typing import Any, Mapping
from hookline.state.trust.fingerprint import canonical, sha256
from hookline.system.clock import now
from hookline.system.workspace.roots import find_root, standing

# What a call must say for a rule on its deeds to see them: in words, and the arguments of which one says it.
_SAID_OF = {
    **dict.fromkeys(("Bash", "PowerShell"), ("which command it runs", ("command",))),
    **dict.fromkeys(("Write", "Edit", "MultiEdit"), ("which file it is about", ("file_path", "command"))),
}
_TOLD_OF_A_CALL = ("tool_name", "tool_input", "tool_response", "error")


class Call(Record):
    """What an agent hands to its hook: a native event name, bytes on stdin, an environment, a directory."""

    agent: str
    native: str
    payload: bytes = b""
    environment: Mapping[str, str] = {}
    cwd: str = ""
    workspace: str = ""
    began: float = 0.0


def speaker_of(agent: str) -> AgentDialect:
    """The dialect of an agent that can be bridged. Raises UsageError."""
    if not is_agent(agent):
        raise UsageError(
            f"bridge: no agent `{agent}`", f"agents: {', '.join((*agent_names(), *git_names()))}"
        )
    return agent_dialect(agent)


def time_limit(speaker: AgentDialect, event: Event, limits: Mapping[EventKind, float]) -> float:
    """Seconds the agent waits for us: our own entry's limit, else what it gives hooks of that event."""
    return limits.get(event.kind, speaker.host_row(event).timeout_s)


def reserve_of(limit: float) -> float:
    """Seconds kept back for our own start, and for the answer: a second, less where the limit is short."""
    return min(1.0, limit * 0.25)


def event_of(call: Call) -> Event:
    """The event of a call, in canonical words. Raises PayloadError for what is no payload of that agent."""
    event = speaker_of(call.agent).read_event(call.native, decoded(call.payload))
    workspace = workspace_of(call, event)
    return replace(
        event,
        session_id=_storable(event.session_id) or "default",
        workspace=workspace,
        cwd=event.cwd if os.path.isdir(event.cwd) else workspace,
        at=now(),
        traceparent=call.environment.get("TRACEPARENT", ""),
    )


def decoded(payload: bytes) -> Mapping[str, Any]:
    """The JSON object in the agent's bytes; nothing at all counts as `{}`. Raises PayloadError."""
    text = payload.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    try:
        value = whole_json(text, read_json(text)) if text else {}
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"the payload is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise PayloadError(f"the payload is no JSON object: {as_written(value)}")
    return value


def workspace_of(call: Call, event: Event) -> str:
    """The project root: as told, as the agent's own variable says, else around where the session is, or was
    before its folder was deleted, else around where the agent runs.
    """
    if call.workspace:
        return call.workspace
    variable = speaker_of(call.agent).project_variable if is_agent(call.agent) else ""
    named = call.environment.get(variable, "")
    if os.path.isabs(named) and os.path.isdir(named):
        return project_of(named).path
    plain = ""
    for place in (event.workspace, event.cwd, call.cwd, call.environment.get("PWD", "")):
        folder = standing(place) if os.path.isabs(place) and "\0" not in place else ""
        if folder:
            found = project_of(folder)
            if found.kind != "none":
                return found.path
            plain = plain or (found.path if folder == place else "")
    return plain or find_root(os.sep).path


def doubt_about(workspace: str) -> str:
    """What may be missing because of where the session is, in words; empty when nothing is."""
    if workspace == os.sep:
        return "no project was found around this session; only your own hooks were asked"
    return unasked(workspace)


def with_unsaid(decision: Decision, event: Event, engine: Engine, agent: str) -> Decision:
    """The decision where the agent did not say what its call is: a guard that could not look has found nothing."""
    words = _unsaid(event)
    asked = (spec for spec in engine.hooks.specs if spec.enabled and spec.kind is event.kind)
    if not words or decision.blocked or not any(map(guards, asked)):
        return decision
    words = f"the guards could not judge the call ({agent} did not say {words})"
    if engine.trust.is_strict:
        return replace(
            decision, verdict=Verdict.DENY, reason=f"strict workspace: {words}", updated_input=None
        )
    return replace(decision, degraded=(*decision.degraded, f"{words} {LET_THROUGH}"))


def _unsaid(event: Event) -> str:
    """What is missing of the call that is asked about, without which rules on calls judge nothing; else empty."""
    if event.kind is EventKind.UserPromptSubmit and not event.get("prompt"):
        return "what it was asked"
    if event.kind not in (EventKind.PreToolUse, EventKind.PermissionRequest):
        return ""
    if not event.tool_name:
        return "which tool it calls"
    words, fields = _SAID_OF.get(event.tool_name, ("", ()))
    values = [event.tool_input.get(field) for field in fields]
    if "file_path" in fields:
        values = [*filter(None, values), *(each.get("file_path") for each in _edits(event))]
    said = any(
        isinstance(each, str) or (isinstance(each, list) and all(isinstance(part, str) for part in each))
        for each in values
    )
    if said or not any(event.tool_input.values()):
        return "" if said else words
    from hookline.dialects.unlisted_tools import said_otherwise

    return "" if said_otherwise(event.tool_name, event.tool_input) else words


def _edits(event: Event) -> list[dict[str, Any]]:
    """What a tool that edits several files does to each of them."""
    found = event.tool_input.get("edits")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def call_key(event: Event) -> tuple[str, str, str] | None:
    """Session, event, and a mark of the call: what makes two reports the same; None where the agent gives no id.

    An id alone is not enough: some models choose theirs themselves, and some providers count from zero again, so
    that the answer to one call would stand for another. A time stamp of the agent's own serves in place of an id,
    together with everything else it said. A stop has none: the same words twice are two stops.
    """
    call_id = event.get("tool_use_id")
    if call_id:
        told = {name: event.get(name) for name in _TOLD_OF_A_CALL}
    elif "timestamp" in event.extra:
        told = payload_of(event)
    else:
        return None
    mark = sha256(canonical([event.workspace, call_id, told]))
    return event.session_id, event.kind.value, mark


def _storable(text: str) -> str:
    """The text without lone surrogates, which JSON may hold and a database does not take."""
    return text.encode("utf-8", "backslashreplace").decode()
