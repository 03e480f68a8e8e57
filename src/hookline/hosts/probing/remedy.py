"""The rule in our own format that would have held, tried on everything that got through."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText
from hookline.engine.opening import Opened
from hookline.hosts.probing.aims import predicate_of_rule
from hookline.hosts.probing.candidates import candidates
from hookline.hosts.probing.guards import HARMLESS, Guard, is_stopped, specs_judge
from hookline.model.hooks import HookSpec
from hookline.model.record import Record


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
