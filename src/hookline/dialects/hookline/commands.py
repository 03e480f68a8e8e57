"""Whether a call meets the predicates of a rule, together and with their exceptions, in three values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from hookline.dialects.hookline.asking import Asked, Derivation, Finding, asked_of
from hookline.dialects.hookline.calls import Call, call_of
from hookline.dialects.hookline.hits import (
    ALLOWED,
    ASKED,
    EXCEPTED,
    OF_LINES,
    PATHS,
    Hit,
    commands_of,
    patterns_by_name,
    with_effect,
)
from hookline.dialects.hookline.prose import may_name
from hookline.dialects.hookline.rules import RULES, allows
from hookline.model.events import Event
from hookline.model.hooks import Answer, HookSpec
from hookline.model.record import replace
from hookline.model.results import Fit
from hookline.model.typing import Any

_CHANGES = {"write", "delete"}
LONGEST_SHOWN = 200

# What a fixed answer becomes where the rule does not say: it asks, allows nothing, and tells what it has to tell.
_WAYS = {"deny": "ask", "halt": "ask", "ask": "ask", "allow": "allow", "context": "run", "message": "run"}


def command_fit(spec: HookSpec, event: Event) -> Fit:
    """Whether what the call does meets the rule's predicates."""
    rule = spec.rule
    finding = found_in(rule.predicates, event, rule.programs or "", rule.tools, allows(spec))
    if finding.doubt:
        key = "unknown" if finding.blind and spec.rule.unknown else "unsure"
        way = spec.rule.unknown if key == "unknown" else _way(spec)
        return _unsure(spec, way, finding.doubt, finding.derivation, key)
    if not finding.unmet:
        return Fit(derivation=finding.derivation)
    if not finding.opaque:
        return Fit(finding.unmet)
    way = spec.rule.opaque or "allow"
    if way == "allow":
        return Fit(f"{finding.unmet}; nobody sees into {finding.opaque}")
    return _unsure(spec, way, f"nobody sees into {finding.opaque}", (), "opaque")


def _way(spec: HookSpec) -> str:
    return spec.rule.unsure or (_WAYS[spec.action.verdict] if isinstance(spec.action, Answer) else "run")


def _unsure(spec: HookSpec, way: str, why: str, derivation: Derivation, key: str) -> Fit:
    if way == "allow":
        return Fit(f'{why}; `{key} = "allow"`')
    if way == "run":
        return Fit(doubt=why, derivation=derivation)
    if way == "ask" and "ask" not in RULES[spec.kind].effects:
        way = "deny"
    words = f"`{spec.name or spec.id}` may be meant"
    if isinstance(spec.action, Answer):
        words = f"perhaps: {spec.action.text}"  # the rule's text is no fact here
    return Fit(doubt=why, instead=Answer(way, f"{words} ({why})"), derivation=derivation)


def found_in(
    predicates: Mapping[str, Any],
    event: Event,
    programs: str = "",
    tools: Mapping[str, Any] | None = None,
    allowing: bool = False,
) -> Finding:
    """Whether a call meets all predicates of a rule; the others of the rule are somebody else's.

    A rule that is `allowing` is taken by the letter, as an exception is, and must be about all that the call does.
    """
    call = call_of(event, programs, tools)
    if call is None:
        return Finding("this event is about no tool")
    rule = asked_of(predicates)
    if not call.is_shell and rule.of_lines:
        return Finding(
            f"`{next(iter(rule.asked))}` is about other tools than `{event.get('tool_name') or 'none'}`"
        )
    hits = _all_hits(rule, call, programs, ALLOWED) if allowing else hits_of(rule, call, programs)
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
    if allowing:
        from hookline.dialects.hookline.allowing import left_over

        if more := left_over(call, hits, rule.asked):
            return Finding(f"allows nothing else than that, and there is {more}")
    certain = [hit for hit in hits if hit.certain]
    if certain:
        return Finding(derivation=derivation_of(certain, call))
    from hookline.dialects.hookline.doubts import is_blind, why_in_doubt

    return Finding(
        doubt=shown_doubt(why_in_doubt(hits[0], call)),
        blind=all(is_blind(hit, call, rule.asked) for hit in hits),
        derivation=derivation_of(hits, call),
    )


def hits_of(rule: Asked, call: Call, programs: str = "") -> list[Hit]:
    """What meets a rule before its exceptions; many rules are asked at once, and those that are met once more."""
    key = ("hits", id(rule))
    known: tuple[Asked, list[Hit]] | None = call.where.known.get(key)
    if known is None or known[0] is not rule:
        known = call.where.known[key] = (rule, _all_hits(rule, call, programs, ASKED))
    return known[1]


def _all_hits(rule: Asked, call: Call, programs: str, way: str) -> list[Hit]:
    """What meets every predicate: of several, those that are met at one place of the line."""
    found: list[Hit] | None = None
    for key, wanted in rule.asked.items():
        hits = list(_hits_in(key, wanted, call, programs, way))
        if rule.outside and key in PATHS:
            hits = _outside(rule.outside, hits, call)
        found = hits if found is None else _together(found, hits, call)
        if not found:
            return []
    if found is None and rule.outside:
        found = _outside(rule.outside, with_effect(call, ("write", "delete")), call)
    return found or []


def _hits_in(key: str, wanted: tuple[str, ...], call: Call, programs: str, way: str = ASKED) -> Iterator[Hit]:
    """Where a predicate is met."""
    if key in OF_LINES:
        return _hits_of_lines(wanted, call, programs, f"{way} exact".strip() if key == "shell_exact" else way)
    return _hits_of_effects()(key, wanted, call, way)


def _hits_of_lines(wanted: tuple[str, ...], call: Call, programs: str, mode: str) -> Iterator[Hit]:
    if not call.is_shell:
        return
    known, named = commands_of(call, programs)
    if () not in known and named.isdisjoint(patterns_by_name(wanted, programs, call.where.home, mode)):
        return  # as most rules are about other programs
    yield from _hits_of_patterns()(wanted, call, programs, mode)


@cache
def _hits_of_effects() -> Callable[[str, tuple[str, ...], Call, str], Iterator[Hit]]:
    from hookline.dialects.hookline.effect_hits import effect_hits

    return effect_hits


@cache
def _hits_of_patterns() -> Callable[[tuple[str, ...], Call, str, str], Iterator[Hit]]:
    from hookline.dialects.hookline.patterns import hits_of_patterns

    return hits_of_patterns


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


def _outside(folders: tuple[str, ...], hits: Iterable[Hit], call: Call) -> list[Hit]:
    from hookline.dialects.hookline.effect_hits import outside

    return [each for hit in hits for each in outside(folders, hit, call)]


def shown_doubt(why: str) -> str:
    return f"it cannot be told: {why}"


def derivation_of(hits: list[Hit], call: Call) -> tuple[Mapping[str, Any], ...]:
    """Each command once, in the order of the line."""
    found: dict[int, Mapping[str, Any]] = {}
    for hit in hits:
        command = call.taken[hit.at].command
        if command.words or command.redirections:
            known = found.get(hit.at)
            found[hit.at] = {
                "command": known["command"] if known else _text(hit.at, call),
                "via": [step.how for step in command.via],
                "start": max(0, command.start - call.before),
                "end": max(0, command.end - call.before),
                "certain": hit.certain or bool(known and known["certain"]),
            }
    return tuple(found[at] for at in sorted(found))[:20]


def _text(at: int, call: Call) -> str:
    command = call.taken[at].command
    if not command.words:
        return call.line[command.start : command.end][:LONGEST_SHOWN]
    words = (
        "".join(part if isinstance(part, str) else part.text or "…" for part in word.parts)
        for word in command.words
    )
    return " ".join(words)[:LONGEST_SHOWN]


def whole_line(call: Call) -> Mapping[str, Any]:
    return {
        "command": call.line[call.before :][:LONGEST_SHOWN],
        "via": [],
        "start": 0,
        "end": len(call.line) - call.before,
        "certain": False,
    }
