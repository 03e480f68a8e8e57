"""Rules about what a line does, many at a time: most are about programs and effects that a line does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hookline.dialects.hookline.calls import call_of
from hookline.dialects.hookline.commands import asked_of
from hookline.dialects.hookline.hits import (
    commands_of,
    effects_asked,
    effects_of,
    patterns_by_name,
    subs_asked,
)
from hookline.dialects.hookline.rules import allows
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import Record
from hookline.model.results import HookResult, Status
from hookline.system import files

_OTHERS = {"except", "outside"}  # which matter only where the rule is met
MOST_SETS = 8  # sets of hooks whose rules are sorted at a time; then all are sorted anew


class _Sorted(Record):
    """Rules by what a line must have for them, and the result of each that is not met; both by their places."""

    wanting: dict[str, list[int]]
    unmet: dict[int, HookResult]
    subs: dict[tuple[int, str], frozenset[str]]  # of a program that a line had, those that a rule is about
    opaque: dict[
        str, dict[int, HookResult]
    ]  # the results of lines that nobody sees into, by what they say of that


_known: dict[tuple[int, EventKind, str], tuple[Sequence[HookSpec], _Sorted, _Sorted]] = {}


def sit_out(specs: Sequence[HookSpec], event: Event) -> Mapping[int, HookResult]:
    """The results, by their places, of rules that a call surely does not meet; the others are to be asked."""
    by_program, by_effect = _sorted(specs, event.kind, files.home())
    call = call_of(event) if by_program.unmet or by_effect.unmet else None
    if call is None or not call.is_shell or call.unknowns:
        return {}
    found = dict(by_effect.unmet)
    for name in effects_of(call) if found else ():
        for at in by_effect.wanting.get(name, ()):
            found.pop(at, None)
    places, _ = commands_of(call, "")
    if () not in places:  # a program that nobody knows may be any
        found.update(by_program.unmet)
        for path in places:
            for at in by_program.wanting.get(path[0], ()):
                if at in found and _may_be_about(path, at, by_program, specs):
                    del found[at]
    if not call.opaque:
        return found
    more = f"; nobody sees into {', '.join(call.opaque)}"
    if more not in by_program.opaque and len(by_program.opaque) >= MOST_SETS:
        by_program.opaque.clear()
    known = by_program.opaque.setdefault(more, {})
    for at, each in found.items():
        if at not in known:
            known[at] = HookResult(each.spec, each.status, each.why + more)
    return {at: known[at] for at in found}


def _may_be_about(path: tuple[str, ...], at: int, rules: _Sorted, specs: Sequence[HookSpec]) -> bool:
    """Whether a rule about this program is about this sub-command, too: `git push --force` is not about `git log`."""
    key = (at, path[0])
    subs = rules.subs.get(key)
    if subs is None:
        lines = asked_of(specs[at].rule.predicates).asked["shell"]
        subs = rules.subs[key] = subs_asked(lines, path[0], files.home())
    return not subs or len(path) < 2 or path[1] in subs


def _sorted(specs: Sequence[HookSpec], kind: EventKind, home: str) -> tuple[_Sorted, _Sorted]:
    key = (id(specs), kind, home)
    known = _known.get(key)
    if known is not None and known[0] is specs:
        return known[1:]
    by_program, by_effect = _Sorted({}, {}, {}, {}), _Sorted({}, {}, {}, {})
    for at, spec in enumerate(specs):
        if not _is_plain(spec, kind):
            continue
        rule = asked_of(spec.rule.predicates)
        lines = rule.asked.get("shell")
        names: Iterable[str] = patterns_by_name(lines, "", home, "") if lines else effects_asked(rule.asked)
        if not names or "" in names:
            continue
        meant = by_program if lines else by_effect
        meant.unmet[at] = HookResult(spec, Status.not_matched, rule.unmet[True].unmet)
        for name in names:
            meant.wanting.setdefault(name, []).append(at)
    if len(_known) >= MOST_SETS:
        _known.clear()
    _known[key] = (specs, by_program, by_effect)
    return by_program, by_effect


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
