"""One call of a real agent: which agent, which event, its payload; and the event it comes to."""

from __future__ import annotations

import os

from hookline.dialects import dialect
from hookline.model.errors import PayloadError, UsageError
from hookline.model.record import Record, replace
from hookline.system.clock import now
from hookline.system.roots import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged import AgentDialect
    from hookline.model.events import Event

AGENTS = ("claude", "gemini", "codex", "cursor", "copilot")
# Where each agent says its project is, whatever directory its session has wandered into.
PROJECT_VARIABLES = {
    "claude": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR", "cursor": "CURSOR_PROJECT_DIR",
}  # fmt: skip


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
    if agent not in AGENTS:
        raise UsageError(f"bridge: no agent `{agent}`", f"agents: {', '.join(AGENTS)}, discobot")
    found: AgentDialect = dialect(agent)  # type: ignore[assignment]  # these five are agents' dialects
    return found


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
    )


def decoded(payload: bytes) -> Mapping[str, Any]:
    """The JSON object in the agent's bytes; nothing at all counts as `{}`. Raises PayloadError."""
    import json

    text = payload.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"the payload is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise PayloadError(f"the payload is no JSON object but {type(value).__name__}")
    return value


def workspace_of(call: Call, event: Event) -> str:
    """The project root: as told, as the agent's own variable says, else around where the session is."""
    if call.workspace:
        return call.workspace
    named = call.environment.get(PROJECT_VARIABLES.get(call.agent, ""), "")
    for place in (named, event.workspace, event.cwd, call.cwd):
        if os.path.isabs(place) and os.path.isdir(place):
            return find_root(place).path
    return find_root(os.sep).path


def call_key(event: Event) -> tuple[str, str, str] | None:
    """Session, event and call id: what makes two reports the same; None where the agent gives no id.

    A time stamp of the agent's own serves as well, together with everything else it said. A stop has none:
    the same words twice are two stops.
    """
    call_id = event.get("tool_use_id")
    if not call_id and "timestamp" in event.extra:
        from hookline.model.events import payload_of

        call_id = repr(sorted(payload_of(event).items()))
        if len(call_id) > 200:
            from zlib import crc32

            call_id = f"{event.extra['timestamp']} {len(call_id)} {crc32(call_id.encode('utf-8', 'replace'))}"
    return (event.session_id, event.kind.value, _storable(str(call_id))) if call_id else None


def _storable(text: str) -> str:
    """The text without lone surrogates, which JSON may hold and a database does not take."""
    return text.encode("utf-8", "backslashreplace").decode()
