"""Whether a call meets the predicates of a rule, together and with their exceptions, in three values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.dialects.hookline.blind import is_blind
from hookline.dialects.hookline.calls import Call, call_of, may_name
from hookline.dialects.hookline.findings import (
    Finding,
    Hit,
    derivation_of,
    shown_doubt,
    unmet_words,
    whole_line,
    why_in_doubt,
)
from hookline.dialects.hookline.hits import ALLOWED, EXCEPTED, PATHS, TESTS, Tests, with_effect
from hookline.model.events import Event
from hookline.model.record import Record, replace
from hookline.shell.effects.paths import is_outside
from hookline.shell.effects.places import is_of_container
from hookline.shell.effects.spots import spot_of
from hookline.shell.programs.conditions import YES

_OF_LINES = frozenset(("shell", "shell_exact"))
_CHANGES = {"write", "delete"}
MOST_RULES = 4000  # known at a time; then all are taken apart anew


def found_in(
    predicates: Mapping[str, Any],
    event: Event,
    programs: str = "",
    tools: Mapping[str, Any] | None = None,
    allows: bool = False,
) -> Finding:
    """Whether a call meets all predicates of a rule; the others of the rule are somebody else's.

    A rule that `allows` is taken by the letter, as an exception is, and must be about all that the call does.
    """
    call = call_of(event, programs, tools)
    if call is None:
        return Finding("this event is about no tool")
    rule = asked_of(predicates)
    if not call.is_shell and rule.of_lines:
        return Finding(
            f"`{next(iter(rule.asked))}` is about other tools than `{event.get('tool_name') or 'none'}`"
        )
    hits = _all_hits(rule, call, programs, ALLOWED if allows else None)
    passed = [
        hit
        for exception in (predicates.get("except", ()) if hits else ())
        for hit in _all_hits(asked_of(exception), call, programs, EXCEPTED)
        if hit.certain
    ]
    hits = [hit for hit in hits if not _is_let_off(hit, passed, call)] if passed else hits
    if not hits and call.unknowns and not (call.prose and not may_name(rule.asked, call.line)):
        return Finding(doubt=shown_doubt(call.unknowns[0]), blind=True, derivation=(whole_line(call),))
    if not hits and not call.opaque:
        return rule.unmet[call.is_shell]
    if not hits:
        return replace(rule.unmet[call.is_shell], opaque=", ".join(call.opaque))
    if allows:
        from hookline.dialects.hookline.allowing import left_over

        if more := left_over(call, hits, rule.asked):
            return Finding(f"allows nothing else than that, and there is {more}")
    certain = [hit for hit in hits if hit.certain]
    return Finding(
        doubt="" if certain else shown_doubt(why_in_doubt(hits[0], call)),
        blind=not certain and all(is_blind(hit, call, rule.asked) for hit in hits),
        derivation=derivation_of(certain or hits, call),
    )


class Asked(Record):
    """The predicates of a rule about what a call does, as `found_in` wants them for every call.

    `of_lines`: they are about shell lines only. `unmet` is what is found where it is not met by a tool, or by a line.
    """

    asked: Mapping[str, Any]
    outside: tuple[str, ...]
    of_lines: bool
    unmet: tuple[Finding, Finding]


_known_rules: dict[
    int, tuple[Mapping[str, Any], Asked]
] = {}  # by what they are, which is as long as they are kept


def asked_of(predicates: Mapping[str, Any]) -> Asked:
    known = _known_rules.get(id(predicates))
    if known is not None:
        return known[1]
    asked = {key: wanted for key, wanted in predicates.items() if key in TESTS}
    if "touches" in predicates:
        asked["does"] = (*asked.get("does", ()), "tamper")
    tool, line = unmet_words(asked)
    found = Asked(
        asked,
        predicates.get("outside", ()),
        bool(asked) and asked.keys() <= _OF_LINES,
        (Finding(tool), Finding(line)),
    )
    if len(_known_rules) >= MOST_RULES:
        _known_rules.clear()
    _known_rules[id(predicates)] = (predicates, found)
    return found


def _all_hits(rule: Asked, call: Call, programs: str, tests: Tests | None = None) -> list[Hit]:
    """What meets every predicate: of several, those that are met at one place of the line."""
    found: list[Hit] | None = None
    for key, wanted in rule.asked.items():
        hits = list((tests or TESTS)[key](wanted, call, programs))
        if rule.outside and key in PATHS:
            hits = [each for hit in hits for each in _outside(rule.outside, hit, call)]
        found = hits if found is None else _together(found, hits, call)
        if not found:
            return []
    if found is None and rule.outside:
        found = [
            each
            for hit in with_effect(call, ("write", "delete"))
            for each in _outside(rule.outside, hit, call)
        ]
    return found or []


def _together(first: list[Hit], second: list[Hit], call: Call) -> list[Hit]:
    made = []
    for hit in first:
        others = [other for other in second if _is_one(_root(other.at, call), _root(hit.at, call))]
        if others:
            sure = hit.certain and any(other.certain for other in others)
            made.append(Hit(hit.at, sure, hit.effect, hit.why or others[0].why))
    return made


def _is_one(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two commands stand in one place of the line, or one in a word of the other."""
    (start, end), (other_start, other_end) = sorted((first, second), key=lambda span: span[0] - span[1])
    return start <= other_start and other_end <= end


def _root(at: int, call: Call) -> tuple[int, int]:
    """Where the command stands that a command is a part of."""
    command = call.taken[at].command
    step = next((step for step in command.via if step.end), None)
    return (command.start, command.end) if step is None else (step.start, step.end)


def _is_let_off(hit: Hit, passed: list[Hit], call: Call) -> bool:
    """Whether exceptions are about this; of a command as a whole, about all that it does of what they speak of."""
    let_off = {each.effect for each in passed if each.at == hit.at}
    if hit.effect in let_off or hit.effect is not None:
        return hit.effect in let_off or (None in let_off and not _is_beside(hit, call))
    effects = call.deeds[hit.at].effects
    passing = [effects[number] for number in let_off if number is not None]
    names = {effect.name for effect in passing}
    if names & _CHANGES:
        names |= _CHANGES
    return bool(passing) and all(effect in passing for effect in effects if effect.name in names)


def _is_beside(hit: Hit, call: Call) -> bool:
    """Whether a redirection does it, of a command that writes files itself: `touch a > b`."""
    deeds = call.deeds[hit.at]
    into = [each.target for each in deeds.command.redirections]
    beside = [effect.target in into for effect in deeds.effects if effect.name == "write"]
    return hit.effect is not None and deeds.effects[hit.effect].target in into and not all(beside)


def _outside(folders: tuple[str, ...], hit: Hit, call: Call) -> Iterator[Hit]:
    assert hit.effect is not None
    effect = call.deeds[hit.at].effects[hit.effect]
    via, spot = call.deeds[hit.at].command.via, spot_of(effect, call.where)
    if via and spot and is_of_container(via, spot.forms[0] if spot.forms else spot.begins, effect.name):
        return  # which is nowhere on this machine
    met = min(is_outside(folder, effect, call.where) for folder in folders)
    if met:
        yield Hit(hit.at, hit.certain and met == YES, hit.effect, hit.why)
