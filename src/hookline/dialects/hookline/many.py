"""Rules about what a line does, many at a time: most are about programs and effects that a line does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import ModuleType

from hookline.dialects.hookline.asking import Asked, asked_of
from hookline.dialects.hookline.calls import Call, call_of
from hookline.dialects.hookline.hits import (
    commands_of,
    effects_asked,
    effects_of,
    patterns_by_name,
)
from hookline.dialects.hookline.rules import allows
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import Record
from hookline.model.results import HookResult, Status
from hookline.system import files

_OTHERS = {"except", "outside"}  # which matter only where the rule is met
MOST_SETS = 8  # sets of hooks whose rules are sorted at a time; then all are sorted anew
MOST_WORDS = 50  # of code that nobody sees into, with which results are kept
MOST_PATHS = 500  # programs with a sub-command of which it is kept which rules may be about them


_About = tuple[list[int], dict[str, list[int]]]


class _Sorted(Record):
    """Rules by what a line must have for them, all by their places.

    `unmet` has the result of each that is not met, by what a line says of code that nobody sees into, which mostly is
    nothing. `about` are those about a program with a sub-command, of a program that a line had: those that may be met
    whatever its words are, and others by a word that they need.
    """

    by_program: dict[str, list[int]]
    by_effect: dict[str, list[int]]
    unmet: dict[str, dict[int, HookResult]]
    about: dict[tuple[str, ...], _About]


_known: dict[tuple[int, EventKind, str], tuple[Sequence[HookSpec], _Sorted]] = {}


def sit_out(specs: Sequence[HookSpec], event: Event) -> Mapping[int, HookResult]:
    """The results, by their places, of rules that nothing of a call meets; the others are to be asked."""
    rules = _sorted(specs, event.kind, files.home())
    call = call_of(event) if rules.unmet[""] else None
    if call is None or not call.is_shell or call.unknowns:
        return {}
    asked: set[int] = set()
    for name in effects_of(call) if rules.by_effect else ():
        asked.update(rules.by_effect.get(name, ()))
    for path, places in commands_of(call, "")[0].items() if rules.by_program else ():
        always, by_word = rules.about.get(path) or _about(path, rules, specs)
        asked.update(always)
        for _, given in places if by_word else ():
            words = _patterns().words_of(given)
            for word in by_word if words is None else words & by_word.keys():
                asked.update(by_word[word])
    more = f"; nobody sees into {', '.join(call.opaque)}" if call.opaque else ""
    found = dict(rules.unmet.get(more) or _unmet(more, rules))
    for at in asked:
        if _hits_of()(asked_of(specs[at].rule.predicates), call):
            del found[at]
    return found


@cache
def _hits_of() -> Callable[[Asked, Call], object]:
    from hookline.dialects.hookline.commands import hits_of

    return hits_of


@cache
def _patterns() -> ModuleType:
    import hookline.dialects.hookline.patterns as patterns

    return patterns


def _about(path: tuple[str, ...], rules: _Sorted, specs: Sequence[HookSpec]) -> _About:
    """Which rules may be about a program: `git push --force` is not about `git log`, and any about one nobody knows."""
    by_program = rules.by_program
    names = (path[0], "") if path else by_program  # a program whose name is a pattern stands under none
    found = {at for name in names for at in by_program.get(name, ())}
    lines = {at: asked_of(specs[at].rule.predicates).asked["shell"] for at in found}
    if len(rules.about) >= MOST_PATHS:
        rules.about.clear()
    kept: _About = rules.about.setdefault(path, ([], {}))
    for at, texts in lines.items():
        if not _patterns().patterns_about(texts, "", files.home(), "", path):
            continue
        needs = _patterns().needs_of(texts, files.home(), path) if path else None
        for word in needs or ():
            kept[1].setdefault(word, []).append(at)
        if needs is None:
            kept[0].append(at)
    return kept


def _unmet(more: str, rules: _Sorted) -> Mapping[int, HookResult]:
    plain = rules.unmet[""]
    if len(rules.unmet) > MOST_WORDS:
        rules.unmet.clear()
        rules.unmet[""] = plain
    told = {at: HookResult(each.spec, each.status, each.why + more) for at, each in plain.items()}
    rules.unmet[more] = told
    return told


def _sorted(specs: Sequence[HookSpec], kind: EventKind, home: str) -> _Sorted:
    key = (id(specs), kind, home)
    known = _known.get(key)
    if known is not None and known[0] is specs:
        return known[1]
    plain: dict[int, HookResult] = {}
    rules = _Sorted({}, {}, {"": plain}, {})
    for at, spec in enumerate(specs):
        if not _is_plain(spec, kind):
            continue
        rule = asked_of(spec.rule.predicates)
        lines = rule.asked.get("shell")
        names: Iterable[str] = patterns_by_name(lines, "", home, "") if lines else effects_asked(rule.asked)
        if not names:
            continue
        plain[at] = HookResult(spec, Status.not_matched, rule.unmet[True].unmet)
        for name in names:
            (rules.by_program if lines else rules.by_effect).setdefault(name, []).append(at)
    if len(_known) >= MOST_SETS:
        _known.clear()
    _known[key] = (specs, rules)
    return rules


def _is_plain(spec: HookSpec, kind: EventKind) -> bool:
    """Whether a hook asks for nothing but what a line does, and takes what nobody sees into for unmet."""
    rule = spec.rule
    return (
        spec.dialect == "hookline"
        and spec.kind == kind
        and spec.enabled
        and bool(rule.predicates)
        and rule.predicates.keys() <= asked_of(rule.predicates).asked.keys() | _OTHERS | {"touches"}
        and rule.opaque in ("", "allow")
        and not (rule.programs or rule.tools or spec.matcher or spec.origin.speaks or allows(spec))
        and not isinstance(spec.action, Unusable)
    )
