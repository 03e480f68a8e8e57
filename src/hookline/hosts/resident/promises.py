"""The word that a call is taken: said in time, even while a rule computes for longer than its caller waits."""

from __future__ import annotations

from hookline.hosts.resident.caller import Caller
from hookline.system.clock import monotonic
from hookline.system.loops.alarm import clear_alarm, set_alarm

PROMISE_S = 0.2  # an answer that is quicker comes together with the word


class Promises:
    """Words that were not said yet, by caller; an alarm says them, since the loop does not turn meanwhile."""

    def __init__(self) -> None:
        self._unsaid: dict[Caller, bytes] = {}

    def give(self, caller: Caller, word: bytes, since: float) -> None:
        """Has `word` said in a moment; at once to who has waited for so long already, `since` then."""
        if monotonic() - since >= PROMISE_S:
            caller.say(word)
            return
        is_first = not self._unsaid
        self._unsaid[caller] = word
        if is_first:
            set_alarm(PROMISE_S, self._say)

    def take_back(self, caller: Caller) -> bytes:
        """The word where it was not said yet, and so belongs in front of the answer; else nothing."""
        word = self._unsaid.pop(caller, b"")
        if not self._unsaid:
            clear_alarm()
        return word

    def _say(self) -> None:
        while self._unsaid:
            caller, word = self._unsaid.popitem()
            caller.say(word)
