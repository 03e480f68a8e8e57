"""How long the backtracking engine may take for a parsed regular expression."""

from __future__ import annotations

import re
from importlib import import_module

from hookline.model.record import Record
from hookline.model.typing import Any, Iterable

_MANY = 10**9
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_IRREGULAR = ("ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS", "POSSESSIVE_REPEAT", "ATOMIC_GROUP")


class Cost(Record):
    """At most `factor` * length ** degree steps, unless `exponential`.

    `search_degree` counts the starting point too. `regular`: an engine without backtracking can answer.
    `portable`: no flags inside the pattern, which engines read differently.
    """

    degree: int
    factor: int
    exponential: bool
    search_degree: int
    regular: bool
    portable: bool

    def steps(self, length: int, degree: int) -> int:
        steps: int = self.factor * max(length, 1) ** degree
        return steps


class _Part(Record):
    degree: int = 0
    factor: int = 1
    aside: int = 0  # the degree of a look-around, which is left for good once it has answered
    exponential: bool = False
    regular: bool = True


def parse(source: str, flags: int) -> Any:
    """The tree the standard library itself compiles from; raises re.error. None where there is no such module."""
    try:
        return import_module("re._parser").parse(source, flags)
    except ImportError:  # private to CPython
        return None


def cost_of(tree: Any) -> Cost:
    """What matching may cost; a tree that could not be read may cost anything."""
    if tree is None:
        return Cost(9, 1, True, 9, True, True)
    part = _sequence(tree)
    degree = max(part.degree, part.aside)
    first = str(tree[0][0]) + str(tree[0][1]) if len(tree) else ""
    anchored = first in ("ATAT_BEGINNING", "ATAT_BEGINNING_STRING") and not tree.state.flags & re.MULTILINE
    search_degree = degree if anchored else degree + 1
    portable = not tree.state.flags & ~(re.ASCII | re.IGNORECASE)
    return Cost(degree, part.factor, part.exponential, search_degree, part.regular, portable)


def _sequence(tree: Any) -> _Part:
    degree, factor, aside, exponential, regular = 0, 1, 0, False, True
    for kind, detail in tree:
        part = _item(str(kind), detail)
        aside = max(aside, degree + part.aside)
        degree += part.degree
        factor *= part.factor
        exponential |= part.exponential
        regular &= part.regular
    return _Part(degree, min(factor, _MANY), aside, exponential or factor >= _MANY, regular)


def _item(kind: str, detail: Any) -> _Part:
    if kind in _REPEATS:
        return _repeat(*detail)
    if kind == "SUBPATTERN":
        return _sequence(detail[3])
    if kind == "BRANCH":
        return _branch(map(_sequence, detail[1]))
    if kind in ("ASSERT", "ASSERT_NOT"):
        part = _sequence(detail[1])
        return _Part(0, part.factor, max(part.degree, part.aside), part.exponential, False)
    return _Part(exponential=kind == "GROUPREF_EXISTS", regular=kind not in _IRREGULAR)


def _repeat(low: int, high: Any, body: Any) -> _Part:
    part = _sequence(body)
    choices = part.degree > 0 or part.factor > 1
    if high == import_module("re._constants").MAXREPEAT:
        empty = body.getwidth()[0] == 0
        aside = part.aside + 1 if part.aside else 0
        return _Part(1, 1, aside, part.exponential or choices or empty, part.regular)
    if high <= 1:
        return _Part(part.degree, part.factor + 1 - low, part.aside, part.exponential, part.regular)
    factor = (high - low + 1) * (part.factor ** min(high, 64))
    tangled = part.exponential or part.degree > 0 or factor > 10_000
    return _Part(part.degree, min(factor, _MANY), part.aside, tangled, part.regular)


def _branch(parts: Iterable[_Part]) -> _Part:
    whole = _Part(factor=0)
    for part in parts:
        whole = _Part(
            max(whole.degree, part.degree),
            whole.factor + part.factor,
            max(whole.aside, part.aside),
            whole.exponential or part.exponential,
            whole.regular and part.regular,
        )
    return whole
