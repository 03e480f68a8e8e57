"""An attack on one guard: its commands in all their spellings, and what became of each."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence

from hookline.hosts.probing.guards import Guard, TooLate
from hookline.hosts.probing.spellings import KINDS, Spelling, spellings
from hookline.model.record import Record, replace
from hookline.model.results import Verdict


class Shot(Record):
    """One spelling, and the guard's answer to it."""

    spelling: Spelling
    verdict: Verdict


class Attack(Record):
    """All shots at one guard."""

    guard: Guard
    shots: tuple[Shot, ...]

    def count(self, kind: str | None = None) -> tuple[int, int, int]:
        """How many of a class, or of all, were denied, asked, and let through."""
        chosen = [shot.verdict for shot in self.shots if kind in (None, shot.spelling.kind)]
        denied = sum(verdict >= Verdict.DENY for verdict in chosen)
        asked = sum(Verdict.ASK <= verdict < Verdict.DENY for verdict in chosen)
        return denied, asked, len(chosen) - denied - asked

    @property
    def kinds(self) -> tuple[str, ...]:
        found = {shot.spelling.kind for shot in self.shots}
        return tuple(kind for kind in KINDS if kind in found)

    @property
    def passed(self) -> tuple[Spelling, ...]:
        """What got through, the shortest first."""
        found = (shot.spelling for shot in self.shots if shot.verdict < Verdict.ASK)
        return tuple(sorted(found, key=lambda each: (len(each.line), each.line)))

    def shortest(self, kind: str) -> str:
        """The shortest line of a class that got through; empty when none did."""
        return next((each.line for each in self.passed if each.kind == kind), "")


def attack(guard: Guard, kinds: Collection[str] = KINDS, most: int = 0, seed: int = 0) -> Attack:
    """Fires the spellings of everything the guard is to stop; `most` bounds them, evenly over the classes."""
    every = [each for aim in guard.aims for each in spellings(aim, seed=seed, kinds=kinds)]
    lines = {each.line: each for each in every}
    chosen = tuple(evenly(tuple(lines.values()), most, seed)) if most else tuple(lines.values())
    shots: list[Shot] = []
    try:
        for each in chosen:
            shots.append(Shot(each, guard.judge(each.line)))
    except TooLate as late:
        guard = replace(guard, note=str(late))
    return Attack(guard, tuple(shots))


def evenly(every: Sequence[Spelling], most: int, seed: int) -> Iterator[Spelling]:
    """At most so many, one class after another, drawn by a seed."""
    chance = random.Random(seed)
    by_kind: dict[str, list[Spelling]] = {}
    for each in every:
        by_kind.setdefault(each.kind, []).append(each)
    for found in by_kind.values():
        chance.shuffle(found)
    count = 0
    while any(by_kind.values()):
        for found in by_kind.values():
            if found and count < most:
                count += 1
                yield found.pop()
        if count >= most:
            return
