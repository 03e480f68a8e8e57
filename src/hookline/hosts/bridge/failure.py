"""The answer to an agent when we failed it ourselves."""

from __future__ import annotations

from hookline.hosts.bridge.call import decoded, speaker_of, workspace_of
from hookline.model.errors import HooklineError
from hookline.model.events import Event, EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, Response, Verdict
from hookline.state.paths import Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.hosts.bridge.call import Call


def respond_to_failure(call: Call, error: Exception, say: Callable[[str], None]) -> Response:
    """No opinion, exit 0; in a strict workspace a denial. Never raises."""
    words = failure_words(error)
    say(words)
    say(f"the {call.agent} event `{call.native}` was answered without any hook's opinion")
    try:
        event = bare_event(call)
        strict = is_strict(call, event.workspace)
        verdict = Verdict.DENY if strict else Verdict.NONE
        decision = Decision(event.kind, verdict, words if strict else "", degraded=(words,))
        record(call, event, decision)
        return speaker_of(call.agent).respond(event, decision)
    except Exception:
        return Response()


def failure_words(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, HooklineError):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return f"defect in hookline: {type(error).__name__}: {error}"


def bare_event(call: Call) -> Event:
    """As much of the event as can still be made out."""
    speaker = speaker_of(call.agent)
    kind = speaker.kind_of(call.native) or EventKind(call.native)
    payload: Any = {}
    try:
        payload = decoded(call.payload)
    except HooklineError:
        pass
    session = payload.get("session_id") or payload.get("sessionId") or "default"
    cwd = payload.get("cwd")
    event = Event(kind, str(session), cwd if isinstance(cwd, str) else call.cwd, host=call.agent)
    return replace(event, workspace=workspace_of(call, event))


def is_strict(call: Call, workspace: str) -> bool:
    """Whether that workspace wants a denial rather than an unchecked action."""
    from hookline.state.trust import TrustStore

    return TrustStore(paths_of(call), workspace).strict


def record(call: Call, event: Event, decision: Decision) -> None:
    """Keeps the failure in history."""
    from hookline.state.history import History
    from hookline.state.redaction import Redactor

    history = History(paths_of(call).history_file, redactor=Redactor(call.environment))
    history.record(event, decision, event.workspace)


def paths_of(call: Call) -> Paths:
    """Where the caller's state is."""
    from hookline.system.files import home

    return Paths.from_environment(call.environment, call.environment.get("HOME") or home())
