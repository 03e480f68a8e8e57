"""May a hook that fits the event run at all: trust, switches, depth."""

from __future__ import annotations

from hookline.model.hooks import HookSpec, Programs
from hookline.model.results import HookResult, Status
from hookline.model.typing import TYPE_CHECKING, Callable, Mapping

if TYPE_CHECKING:
    from typing import Protocol

    class Trust(Protocol):
        """What the engine asks of a trust store; states are fixed when the store is opened."""

        @property
        def is_strict(self) -> bool: ...

        def state(self, spec: HookSpec) -> str:
            """trusted, untrusted, modified or managed."""

        def fault(self, spec: HookSpec) -> str:
            """Why it is not trusted, in words, where more than a review is missing or there was one; else empty."""

        def still_reviewed(self, spec: HookSpec) -> bool:
            """False when the definition's files changed since `state` was taken."""

        def reviewed_programs(self, spec: HookSpec) -> Programs | None:
            """The bytes to start it from, asked right before; None when they are not the reviewed ones any more."""

        def ran_reviewed(self, spec: HookSpec) -> bool:
            """False when the files changed after `reviewed_programs` was asked: asked when the hook has ended."""

        def digest(self, spec: HookSpec) -> str:
            """The digest of what the hook is and of the files it runs, as they were when it was let in."""

        def disabled_by(self, spec: HookSpec) -> str | None:
            """Who switched this hook off from outside its config, in words; None if nobody did."""

    class Once(Protocol):
        """Who may run a once-hook: the first to claim it."""

        def claim(self, session_id: str, hook_id: str) -> bool: ...

        def claimed(self, session_id: str, hook_id: str) -> bool:
            """Whether it ran already; claims nothing."""


DEPTH_VARIABLE = "HOOKLINE_DEPTH"
DEPTH_LIMIT = 1
TOO_DEEP = "a hook started this agent"
_TRUST_WORDS = {
    "untrusted": "not reviewed yet; run `hookline trust`",
    "modified": "changed since it was reviewed; run `hookline trust` to see what changed",
}


class CodeTrust:
    """For embedding: hooks come from the program itself, or its author vouches for the files."""

    is_strict = False

    def state(self, spec: HookSpec) -> str:
        return "trusted"

    def fault(self, spec: HookSpec) -> str:
        return ""

    def still_reviewed(self, spec: HookSpec) -> bool:
        return True

    def reviewed_programs(self, spec: HookSpec) -> Programs | None:
        return {}

    def ran_reviewed(self, spec: HookSpec) -> bool:
        return True

    def digest(self, spec: HookSpec) -> str:
        return spec.digest

    def disabled_by(self, spec: HookSpec) -> str | None:
        return None


class MemoryOnce:
    """Once-claims of one engine."""

    def __init__(self) -> None:
        self._claimed: set[tuple[str, str]] = set()

    def claim(self, session_id: str, hook_id: str) -> bool:
        key = (session_id, hook_id)
        if key in self._claimed:
            return False
        self._claimed.add(key)
        return True

    def claimed(self, session_id: str, hook_id: str) -> bool:
        return (session_id, hook_id) in self._claimed


def depth_of(environment: Mapping[str, str]) -> int:
    """How many hooks deep this process runs; 0 when no hook started it."""
    text = environment.get(DEPTH_VARIABLE, "0")
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def admission_for(trust: Trust, depth: int) -> Callable[[HookSpec], tuple[Status, str] | None]:
    """The check `make_plan` wants: None when the hook may run, else its status and the reason."""

    def check(spec: HookSpec) -> tuple[Status, str] | None:
        if depth > DEPTH_LIMIT and spec.handler != "answer":  # an answer starts nothing that could go round
            return Status.disabled, f"{TOO_DEEP} ({DEPTH_VARIABLE}={depth}); not running again"
        by = trust.disabled_by(spec)
        if by is not None:
            return Status.disabled, by
        state = trust.state(spec)
        if state not in _TRUST_WORDS:
            return None
        return Status.untrusted, trust.fault(spec) or _TRUST_WORDS[state]

    return check


def changed(spec: HookSpec) -> HookResult:
    """It is trusted no more."""
    why = "its files changed since it was reviewed; run `hookline trust` to see what changed"
    return HookResult(spec, Status.untrusted, why)


def spent(spec: HookSpec) -> HookResult:
    """A once-hook that has run in the session."""
    return HookResult(spec, Status.disabled, "runs once, and already did in this session")
