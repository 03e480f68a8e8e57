"""The answer to an agent when we failed it ourselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookline.dialects import agent_names, present, readable
from hookline.dialects.bridged import AgentDialect
from hookline.engine.adopted import with_adopted
from hookline.engine.failures import guards
from hookline.engine.loading import load_hooks, places_for
from hookline.hosts.bridge.call import Call, decoded, speaker_of, workspace_of
from hookline.model.errors import HooklineError, PayloadError, defect_words, no_memory
from hookline.model.events import Event, EventKind, find_kind
from hookline.model.record import replace
from hookline.model.results import Decision, Response, Verdict
from hookline.state.history import History
from hookline.state.paths import Paths
from hookline.state.redaction import Redactor
from hookline.state.trust.store import TrustStore
from hookline.system.bridge_client import about_to_act

# Here a denial sends the agent on; with nobody to count, that would never end
_ENDS = frozenset({EventKind.Stop, EventKind.SubagentStop})


def respond_to_failure(
    call: Call, error: Exception, say: Callable[[str], None], hurried: bool = False
) -> Response:
    """A question, or a denial, where a guard should have been asked; else no opinion, exit 0. Never raises.

    In a strict workspace always a denial. `hurried`: there is no time left to read the hooks' config.
    """
    words = failure_words(error)
    say(words)
    response, verdict = Response(), Verdict.NONE
    try:
        if no_memory(error):
            raise error  # what reads the hooks needs more of it, and Python itself may end there
        event = bare_event(call)
        wanted = verdict_without_hooks(call, event, hurried)
        decision = Decision(event.kind, wanted, _reason(words) if wanted else "", degraded=(words,))
        decision, notes = speaker_of(call.agent).fit(event, decision)
        response = speaker_of(call.agent).respond(event, decision)
        verdict = decision.verdict
        if verdict:
            response = replace(response, refusal=decision.why)
        record(call, event, replace(decision, degraded=(*decision.degraded, *notes)))
    except Exception as fault:
        if fault is not error:
            say(f"that could not be dealt with: {failure_words(fault)}")
        # Nobody can tell any more whether a guard stands. What it says may be anything where memory is short
        if not isinstance(fault, HooklineError) and not verdict and about_to_act(call.native):
            why = _reason(failure_words(fault))
            response, verdict = Response("", f"{why}\n", 2, refusal=why), Verdict.DENY
    how = f"with `{verdict.word}`" if verdict else "without any hook's opinion"
    say(f"the {call.agent} event `{call.native}` was answered {how}")
    return response


def _reason(words: str) -> str:
    return f"hookline could not ask the hooks of this workspace: {words}"


def verdict_without_hooks(call: Call, event: Event, hurried: bool = False) -> Verdict:
    """What to answer when no hook could be asked: as little as the agent can be told, unless nobody guards."""
    if is_strict(call, event.workspace):
        return Verdict.DENY
    effects = speaker_of(call.agent).host_row(event).effects
    asked = {"ask", "deny"} & effects and event.kind not in _ENDS
    if not asked or not _is_guarded(call, event, hurried):
        return Verdict.NONE
    return Verdict.ASK if "ask" in effects else Verdict.DENY


def refusal_of_stranger(call: Call) -> str:
    """Why the call of an agent that is not known here is refused; empty where no guard should have been asked.

    The agent's package may be missing, or PYTHONPATH may lead to it in a project, whose programs are left alone.
    """
    kind = _kind_in_any_words(call.native)
    if kind is None or kind in _ENDS:
        return ""
    event = _event_of(call, kind)
    if not (is_strict(call, event.workspace) or _is_guarded(call, event, hurried=False)):
        return ""
    return _reason(f"it knows no agent `{call.agent}`; install its package beside hookline")


def _kind_in_any_words(native: str) -> EventKind | None:
    """The kind of an event named in our words, or in those of any agent that is known."""
    if kind := find_kind(native):
        return kind
    for speaker in readable(agent_names()):
        assert isinstance(speaker, AgentDialect)
        if kind := speaker.kind_of(native):
            return kind
    return None


def _is_guarded(call: Call, event: Event, hurried: bool) -> bool:
    """Whether a hook may be there that could have stopped this."""
    places = places_for(event.workspace, dict(call.environment))
    if hurried:
        sources = speaker_of(call.agent).sources(places)
        adopted = any(source.adopted for source in with_adopted(call.agent, sources, places))
        return adopted or any(name != call.agent for name in present(places))
    hooks = load_hooks(places).behind(call.agent)
    fitting = (spec for spec in hooks.specs if spec.kind is event.kind and spec.enabled)
    return bool(hooks.silenced_guards) or any(map(guards, fitting))


def failure_words(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, HooklineError):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return defect_words(error)


def bare_event(call: Call) -> Event:
    """As much of the event as can still be made out."""
    speaker = speaker_of(call.agent)
    kind = speaker.kind_of(call.native) or find_kind(call.native)
    if kind is None:
        raise PayloadError(f"nobody here knows what `{call.native}` asks for")
    return _event_of(call, kind)


def _event_of(call: Call, kind: EventKind) -> Event:
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
    return TrustStore(paths_of(call), workspace).strict


def record(call: Call, event: Event, decision: Decision) -> None:
    """Keeps the failure in history."""
    history = History(paths_of(call).history_file, redactor=Redactor(call.environment))
    history.record(event, decision, event.workspace)


def paths_of(call: Call) -> Paths:
    """Where the caller's state is."""
    return Paths.from_environment(call.environment)
