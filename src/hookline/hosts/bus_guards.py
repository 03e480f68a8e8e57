"""Guards shared over a bus: hosts ask, any worker of the group runs its own hooks and answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.engine import Engine
from hookline.engine.callbacks import OnFailure, callback_hook
from hookline.hosts.iterations.tasks import checked_name
from hookline.model.errors import HooklineError, UsageError
from hookline.model.events import Event, EventKind, event_from_payload, find_kind, payload_of
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.rendering import plain
from hookline.model.results import Decision, Outcome, Verdict
from hookline.system.clock import now

Ask = Callable[[str, bytes, float], Awaitable[bytes]]

SCHEMA = 1
SUBJECT = "hookline.guards"
GUARDED = (
    EventKind.PreToolUse,
    EventKind.PermissionRequest,
    EventKind.UserPromptSubmit,
    EventKind.PreCommit,
)
DIRECTIONS = ("block", "allow", "ask")
AT_ONCE = 32
LONGEST_S = 600.0


class RemoteGuards(Record):
    """Which workers to ask, for how long, and what it means when none answers: block, allow or ask."""

    group: str
    timeout_s: float = 10.0
    on_failure: OnFailure = "block"

    def hooks(self, ask: Ask) -> tuple[HookSpec, ...]:
        """A hook for every event that guards can decide."""

        async def guard(event: Event) -> Outcome:
            return await self._outcome(ask, event)

        # The request has its own deadline; the engine's is only there should the bus ignore it.
        limit = self.timeout_s + 1.0
        return tuple(
            callback_hook(
                guard, kind, number=number, name=f"guards-{self.group}", timeout_s=limit,
                on_failure=self.on_failure,
            )
            for number, kind in enumerate(GUARDED, 1)
        )  # fmt: skip

    async def _outcome(self, ask: Ask, event: Event) -> Outcome:
        request = {"schema": SCHEMA, "timeout_s": self.timeout_s, "event": payload_of(event)}
        try:
            content = json.dumps(request, default=str).encode()
            return outcome_from(json.loads(await ask(subject_of(self.group), content, self.timeout_s)))
        except Exception as error:  # whatever is wrong with the bus, the configured direction decides
            return self._failure(f"{type(error).__name__}: {error}".removesuffix(": "))

    def _failure(self, words: str) -> Outcome:
        reason = f"the guards `{self.group}` gave no verdict ({words})"
        match self.on_failure:
            case "allow":
                return Outcome(messages=(f"{reason}; allowed, as configured",))
            case "ask":
                return Outcome(Verdict.ASK, reason)
        return Outcome(Verdict.DENY, reason)


class Worker:
    """Answers the requests of a group with the decisions of an engine; at most 32 at once.

    An answer holds what the asking host needs; what each hook did is in the history of the worker's machine.
    """

    def __init__(self, engine: Engine, workspace: str) -> None:
        self.engine = engine
        self.workspace = workspace
        self._places = asyncio.Semaphore(AT_ONCE)

    async def answer(self, request: bytes) -> bytes:
        """The decision as JSON; an object with `error` for what is no request."""
        try:
            event, timeout_s = self._event(request)
        except (HooklineError, ValueError, TypeError, KeyError) as error:
            return json.dumps({"schema": SCHEMA, "error": str(error)}).encode()
        async with self._places:
            decision = await self.engine.fire(event, budget_s=timeout_s)
        return json.dumps(verdict_as_json(decision), default=str).encode()

    def _event(self, request: bytes) -> tuple[Event, float]:
        given = json.loads(request)
        payload: Mapping[str, Any] = given["event"]
        kind = find_kind(str(payload.get("event")))
        if kind is None:
            raise UsageError(f"no event `{payload.get('event')}`")
        # The other machine's folder means nothing here; hooks that want to know it find it as `host_cwd`.
        fields = {name: value for name, value in payload.items() if name not in ("event", "cwd")}
        fields["host_cwd"] = str(payload.get("cwd") or "")
        event = event_from_payload(kind, fields, workspace=self.workspace, cwd=self.workspace, at=now())
        return event, min(float(given["timeout_s"]), LONGEST_S)


def subject_of(group: str) -> str:
    """The subject a group's requests go to. Raises UsageError."""
    return f"{SUBJECT}.{checked_name(group, 'group')}"


def verdict_as_json(decision: Decision) -> Mapping[str, Any]:
    """A decision without its hooks, by the names of the object that `fire --json` prints."""
    return {
        "schema": SCHEMA,
        "run": decision.run_id,
        "verdict": decision.verdict.word,
        "reason": decision.reason,
        "updated_input": plain(decision.updated_input),
        "context": decision.contexts,
        "messages": decision.messages,
        "degraded": decision.degraded,
    }


def outcome_from(answer: Mapping[str, Any]) -> Outcome:
    """What a worker's decision means to the host that asked. Raises ValueError for an error answer."""
    if "error" in answer:
        raise ValueError(f"the worker refused: {answer['error']}")
    return Outcome(
        Verdict[str(answer["verdict"]).upper()],
        str(answer.get("reason") or ""),
        answer.get("updated_input"),
        tuple(answer.get("context") or ()),
        (*(answer.get("messages") or ()), *(answer.get("degraded") or ())),
    )
