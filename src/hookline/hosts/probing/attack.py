"""An attack on one guard: its commands in all their spellings, what became of each, and a rule that would hold."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Sequence

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText
from hookline.engine.opening import Opened
from hookline.hosts.probing.aims import predicate_of_rule
from hookline.hosts.probing.candidates import candidates
from hookline.hosts.probing.guards import HARMLESS, Guard, TooLate, is_stopped, specs_judge
from hookline.hosts.probing.spellings import KINDS, Spelling, spellings
from hookline.model.hooks import HookSpec
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


class Remedy(Record):
    """A predicate, and how many of the lines tried it holds; `held` is all of them when it is a whole one."""

    text: str
    answer: str
    held: int
    tried: int

    @property
    def holds(self) -> bool:
        return self.held == self.tried

    def rule(self, reason: str) -> str:
        """The whole table for a `hooks.toml`."""
        said = json.dumps(reason, ensure_ascii=False)
        return f'[[hooks]]\nevent = "PreToolUse"\n{self.text}\n{self.answer} = {said}'


def remedy_for(guard: Guard, lines: Sequence[str], opened: Opened) -> Remedy | None:
    """The first predicate that holds all these lines, else the best; None when none is of any use.

    One that also stops harmless lines is of no use.
    """
    best: Remedy | None = None
    meant = predicate_of_rule(guard.name) if guard.how == "permission rule" else ""
    for text in (*([meant] if meant else ()), *candidates(guard.aims)):
        judge = specs_judge(_specs(text), opened) if _specs(text) else None
        if judge is None or any(is_stopped(judge(line)) for line in HARMLESS):
            continue
        found = Remedy(text, guard.answer, sum(is_stopped(judge(line)) for line in lines), len(lines))
        if found.holds:
            return found
        if found.held and (best is None or found.held > best.held):
            best = found
    return best


def _specs(predicate: str) -> tuple[HookSpec, ...]:
    """The hooks of a file with that one predicate; none when it cannot be said."""
    text = f'[[hooks]]\nevent = "PreToolUse"\n{predicate}\ndeny = "no"\n'
    source = Source("remedy.toml", "session", "toml", "remedy.toml")
    loaded = dialect("hookline").parse(SourceText(source, "text", text, "", "remedy.toml", "remedy.toml"))
    return () if loaded.problems else loaded.specs
