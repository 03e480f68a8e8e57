"""What waits for the model's ear: texts of session starts, of ended turns, and of background hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hookline.engine import Engine
from hookline.model.results import HookResult, Verdict

WAKE_CAP = 3


class Inbox:
    """`take` for the next request. `woken` when a background hook wants the agent to go on at once.

    Hooks wake the agent three times at most until the user speaks again; what they say later waits.
    """

    def __init__(self, engine: Engine, session_id: str, tell: Callable[..., None]) -> None:
        self._engine = engine
        self._session_id = session_id
        self._tell = tell
        self._texts: list[str] = []
        self._wakes: list[str] = []
        self._woken = 0

    def user_spoke(self) -> None:
        self._woken = 0

    def add(self, texts: Iterable[str]) -> None:
        self._texts.extend(texts)

    def take(self) -> list[str]:
        """Everything that waits, what background hooks said since then included."""
        self._collect()
        texts, self._texts, self._wakes = [*self._texts, *self._wakes], [], []
        return texts

    async def woken(self) -> str:
        """What a background hook that may wake the agent ended with (Claude Code's `asyncRewake`: exit 2).

        Waits while such hooks run; empty when none runs any more and none woke.
        """
        if self._woken >= WAKE_CAP:
            return ""
        self._collect()
        waiting = self._engine.may_wake(self._session_id)
        if waiting and not self._wakes:
            names = ", ".join(f"`{name}`" for name in waiting)
            self._tell("message", role="notice", text=f"background hooks may still wake the agent: {names}")
        while not self._wakes and await self._engine.one_that_may_wake_ended(self._session_id):
            self._collect()
        text, self._wakes = "\n\n".join(self._wakes), []
        self._woken += bool(text)
        return text

    def _collect(self) -> None:
        for result in self._engine.take_background(self._session_id):
            (self._wakes if wakes(result) else self._texts).extend(late_texts(result))
            for message in result.outcome.messages:
                self._tell("message", role="hook", text=message)


def wakes(result: HookResult) -> bool:
    """Whether a background hook that has ended is one that wakes the agent."""
    raw = result.raw
    return bool(result.spec.conduct.rewake) and raw is not None and raw.exit_code == 2


def late_texts(result: HookResult) -> list[str]:
    """What it said to anybody, and the reason of a hook that would have blocked: too late for that, but worth
    knowing. A background hook's `systemMessage` is for the model as well (Claude Code's document).
    """
    outcome = result.outcome
    late = outcome.reprompt or (outcome.reason if outcome.verdict >= Verdict.DENY else "")
    told = [f"background hook `{result.spec.name or result.spec.id}`: {late}"] if late else []
    return [*outcome.contexts, *outcome.messages, *told]
