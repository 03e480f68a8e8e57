"""`trap`: code that a shell keeps and runs when it ends, or at a signal, with what holds by then."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hookline.model.record import Record
from hookline.shell.reading import Code, Command, Step
from hookline.shell.values.running import Running
from hookline.shell.values.state import FOLDER, POSITIONALS, SPRUNG, Changes, is_code, odd_key

_ANYWHERE = "a trap changes between any two commands what they do"
_AT_THE_END = frozenset({"EXIT", "exit", "Exit", "0"})


class Trap(Record):
    """`slots` is what was known when it was set; `signals`: it may run before the shell ends."""

    code: Code
    command: Command
    via: tuple[Step, ...]
    slots: Mapping[str, object]
    signals: bool


class Traps(Running):
    """The part of the reader that knows where a shell ends."""

    traps: list[Trap]
    by_lines = False  # we are in a shell that reads several lines, and not in one of its own within that

    def trapped(self, code: Code, command: Command, signals: tuple[str | None, ...]) -> None:
        """Keeps code for the end; what a signal runs may run at once."""
        slots = dict(self.state.slots)
        self.spend(len(slots) >> 3)
        trap = Trap(code, command, self.via, slots, not _AT_THE_END.issuperset(signals))
        if trap.signals:
            self._may_spring_anywhere(self._sprung(trap), "DEBUG" in signals)
        self.traps.append(trap)

    def own_shell(self, run: Callable[[], bool | None], by_lines: bool = False) -> bool | None:
        outer, self.by_lines = self.by_lines, by_lines
        before, self.began = self.began, len(self.commands)
        kept, self.traps, ended, self.ended = self.traps, [], self.ended, False
        errors, beyond, left, redirected = self.errors, self.beyond, self.left, self.redirected
        self.doubt += left  # it may not be reached; once it is, what it does it does
        self.left = False
        racing = set(self.racing)
        status = run()
        self.astray |= self.racing - racing
        if self.ended or self.redirected or self.option("u"):
            status = None  # it may have ended before
        self.end_shell()
        self.doubt -= left
        self.traps, self.ended, self.errors, self.beyond = kept, ended, errors, beyond
        self.left, self.redirected, self.by_lines, self.began = left, redirected, outer, before
        return status

    def refused(self) -> None:
        if self.by_lines:
            self.unknown("bash goes on with the next line where it refuses what stands in one")
        self.left = self.ended = True
        self.complained()

    def perhaps_refused(self) -> None:
        self.redirected = True
        self.complained()

    def end_shell(self) -> None:
        while self.traps:
            traps, self.traps = self.traps, []
            for trap in traps:
                held = set(self.state.slots)
                changed = held.intersection(self._sprung(trap))
                for key in changed if trap.signals else ():
                    if is_code(key) or (key.isidentifier() and self.state.slots.get(odd_key(key)) != SPRUNG):
                        self.unknown(_ANYWHERE, key)  # as it ran what stands behind the `trap`

    def may_end(self) -> None:
        """At an `exit`, which need not be reached; one within a trap ends it without another."""
        kept, self.traps = self.traps, []
        for trap in kept:
            self._sprung(trap)
        self.traps = kept

    def _may_spring_anywhere(self, changed: Changes, always: bool) -> None:
        """What code sets that runs between two commands of the line, nobody knows behind either; `always`: all."""
        for key, value in changed.items():
            if key.isidentifier():
                self.state.put(odd_key(key), SPRUNG)
                self.assign(key, value if isinstance(value, tuple) else ())
            elif always or is_code(key) or key == POSITIONALS:
                self.unknown(_ANYWHERE, key)

    def _sprung(self, trap: Trap) -> Changes:
        early = trap.signals or self.left or self.option("e")
        changed = _changed(trap.slots, self.state.slots) if early else []
        via, self.via = self.via, trap.via
        self.doubt += 1
        self.state.branch()
        self.state.forget(changed)
        given = self.state.slots.get(POSITIONALS)
        self.state.branch()
        self.follow(trap.code, trap.command)
        changes = self.state.commit()
        if changes.get(POSITIONALS) is given:  # as a function gives them back
            changes.pop(POSITIONALS, None)
        self.state.adopt([self.state.rewind(), {}])
        self.doubt -= 1
        self.via = via
        return changes


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """What may have had other values on the way; the folder is taken to be the one at the end."""
    keys = {**before, **now}
    return [key for key in keys if key != FOLDER and before.get(key) is not now.get(key)]
