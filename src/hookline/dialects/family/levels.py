"""Which of an agent's files it goes by, where they do not simply add up.

A file that holds nothing but our own entries must not take the place of the user's: the hooks that the agent no longer
runs for it are taken as moved behind us, and so we run them.
"""

from __future__ import annotations

from hookline.dialects.base import Loaded
from hookline.dialects.editing.entries import ENTRY
from hookline.model.errors import Problem
from hookline.model.hooks import Command, HookSpec, noted, switched_off
from hookline.model.record import replace
from hookline.model.typing import Sequence


def first_file(given: Sequence[Loaded]) -> list[Loaded]:
    """Only the first file that is there counts."""
    kept: list[Loaded] = []
    decided = ours = False
    for entry in given:
        if entry.source.adopted or entry.state == "missing":
            kept.append(entry)
        elif not decided:
            kept.append(_behind_us(entry) if ours else entry)
            ours = bool(entry.specs) and all(map(_is_ours, entry.specs))
            decided = not ours
    return kept


def last_file_of_event(given: Sequence[Loaded]) -> list[Loaded]:
    """Of the files of one scope, the last that names an event has it; one with a fault has none."""
    found = []
    for place, entry in enumerate(given):
        later = [
            spec
            for other in given[place + 1 :]
            if other.source.scope == entry.source.scope
            and not other.source.adopted
            and all(each.severity != "error" for each in other.problems)
            for spec in other.specs
        ]
        specs = tuple(_beside(spec, later) for spec in entry.specs)
        found.append(entry if entry.source.adopted else replace(entry, specs=specs))
    return found


def one_of_a_name(given: Sequence[Loaded], title: str) -> list[Loaded]:
    """Of the hooks of one name only that of the last file counts there. Here all run, as no workspace may switch off
    a guard of the user's by a name; what the agent leaves out is told.
    """
    found = []
    for place, entry in enumerate(given):
        later = {
            spec.name: spec
            for other in given[place + 1 :]
            if not other.source.adopted
            for spec in other.specs
            if spec.name
        }
        told = [
            _replaced(entry, spec, later[spec.name], title)
            for spec in entry.specs
            if spec.name in later and not (_is_ours(spec) and _is_ours(later[spec.name]))
        ]
        found.append(replace(entry, problems=(*entry.problems, *told)) if told else entry)
    return found


def _replaced(entry: Loaded, spec: HookSpec, instead: HookSpec, title: str) -> Problem:
    words = f"{title} runs `{spec.name}` of `{instead.source}` in place of this one; hookline runs both"
    hint = "give one of them another name"
    return Problem(entry.source.shown, spec.line, 0, "", "hidden-hooks", words, hint, "warning")


def _beside(spec: HookSpec, later: Sequence[HookSpec]) -> HookSpec:
    instead = [other for other in later if other.native_event == spec.native_event]
    if not instead or _is_ours(spec):
        return spec
    if all(map(_is_ours, instead)):
        return noted(spec, adopted=True)
    return switched_off(spec, f"`{instead[0].source}` has hooks of this event, and only those are run")


def _behind_us(entry: Loaded) -> Loaded:
    return entry.changed(lambda spec: spec if _is_ours(spec) else noted(spec, adopted=True))


def _is_ours(spec: HookSpec) -> bool:
    return isinstance(spec.action, Command) and ENTRY.match(spec.action.line) is not None
