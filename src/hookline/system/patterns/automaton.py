"""A regular expression as states, walked one character at a time: no backtracking, so no explosion."""

from __future__ import annotations

import re
from importlib import import_module

from hookline.model.typing import Any, Iterable

MAX_STATES = 2000
_MAX_STEPS_KEPT = 20_000

_START, _END, _WORD_BEFORE, _WORD_AFTER, _LINE_BEFORE, _LINE_AFTER = 1, 2, 4, 8, 16, 32
_SPACE = frozenset(" \t\n\r\f\v")


class TooLarge(Exception):
    """Counted repeats would need more than MAX_STATES states."""


class Automaton:
    """Thompson's construction over the standard library's parse tree; steps are remembered as met.

    Regular trees only: no look-around, no back-references. Classes and case folding are ASCII, as in
    the pattern's own flags.
    """

    def __init__(self, tree: Any) -> None:
        if tree is None:
            raise TooLarge("no parse tree here")
        self._takes: list[tuple[str, Any, int, int] | None] = []
        self._free: list[list[tuple[str, int]]] = []
        self._unlimited = import_module("re._constants").MAXREPEAT
        self._start = self._state()
        self._accept = self._sequence(tree, self._start, tree.state.flags)
        self._asks = any(condition for edges in self._free for condition, _ in edges)
        self._known: dict[frozenset[int], frozenset[int]] = {}
        self._steps: dict[tuple[frozenset[int], str, int, bool], frozenset[int] | None] = {}

    def matches(self, value: str, whole: bool) -> bool:
        """Whether it fits all of `value`, or with `whole` False any part of it."""
        now = frozenset((self._start,))
        for position, char in enumerate(value):
            key = (now, char, self._around(value, position) if self._asks else 0, whole)
            if key in self._steps:
                following = self._steps[key]
            else:
                following = self._step(*key)
                if len(self._steps) < _MAX_STEPS_KEPT:
                    self._steps[key] = following
            if following is None:
                return True
            if not following:
                return False
            now = following
        return self._accept in self._reach(now, self._around(value, len(value)))

    def _step(self, now: frozenset[int], char: str, around: int, whole: bool) -> frozenset[int] | None:
        """The states after `char`; None when a search has found its match before it."""
        reached = self._reach(now, around)
        if not whole and self._accept in reached:
            return None
        taken = (take for take in map(self._takes.__getitem__, reached) if take)
        following = {take[2] for take in taken if _takes(take[0], take[1], take[3], char)}
        if not whole:
            following.add(self._start)
        kernel = frozenset(following)
        return self._known.setdefault(kernel, kernel) if len(self._known) < _MAX_STEPS_KEPT else kernel

    def _reach(self, states: Iterable[int], around: int) -> set[int]:
        """`states` and all that can be had from them without taking a character."""
        reached = set(states)
        todo = list(reached)
        while todo:
            for condition, target in self._free[todo.pop()]:
                if target not in reached and (not condition or _holds(condition, around)):
                    reached.add(target)
                    todo.append(target)
        return reached

    def _around(self, value: str, position: int) -> int:
        before = value[position - 1] if position else ""
        after = value[position : position + 1]
        return (
            (_START | _LINE_BEFORE if not before else _LINE_BEFORE if before == "\n" else 0)
            | (_END | _LINE_AFTER if not after else _LINE_AFTER if after == "\n" else 0)
            | (_WORD_BEFORE if _word(before) else 0)
            | (_WORD_AFTER if _word(after) else 0)
        )

    # Construction: each method takes the state to start from and returns the one it ends in

    def _state(self) -> int:
        if len(self._free) >= MAX_STATES:
            raise TooLarge
        self._takes.append(None)
        self._free.append([])
        return len(self._free) - 1

    def _sequence(self, tree: Any, start: int, flags: int) -> int:
        for kind, detail in tree:
            start = self._item(str(kind), detail, start, flags)
        return start

    def _item(self, kind: str, detail: Any, start: int, flags: int) -> int:
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            return self._repeat(detail, start, flags)
        if kind == "SUBPATTERN":
            return self._sequence(detail[3], start, (flags | detail[1]) & ~detail[2])
        end = self._state()
        if kind == "BRANCH":
            for branch in detail[1]:
                first = self._state()
                self._free[start].append(("", first))
                self._free[self._sequence(branch, first, flags)].append(("", end))
        elif kind == "AT":
            self._free[start].append((_condition(str(detail), flags), end))
        else:
            # a state takes characters or moves freely, never both: the step stays simple
            taking = self._state()
            self._free[start].append(("", taking))
            self._takes[taking] = (kind, detail, end, flags)
        return end

    def _repeat(self, detail: Any, start: int, flags: int) -> int:
        low, high, body = detail
        for _ in range(low):
            start = self._sequence(body, start, flags)
        end = self._state()
        if high == self._unlimited:
            loop = self._state()
            self._free[start].append(("", loop))
            self._free[self._sequence(body, loop, flags)].append(("", loop))
            self._free[loop].append(("", end))
            return end
        for _ in range(high - low):
            self._free[start].append(("", end))
            start = self._sequence(body, start, flags)
        self._free[start].append(("", end))
        return end


def _condition(name: str, flags: int) -> str:
    lines = name in ("AT_BEGINNING", "AT_END") and flags & re.MULTILINE
    return name + "_LINE" if lines else name.replace("_STRING", "")


def _holds(condition: str, around: int) -> bool:
    boundary = bool(around & _WORD_BEFORE) != bool(around & _WORD_AFTER)
    return {
        "AT_BEGINNING": bool(around & _START),
        "AT_BEGINNING_LINE": bool(around & _LINE_BEFORE),
        "AT_END": bool(around & _END),  # the translation leaves `$` only where it means line ends
        "AT_END_LINE": bool(around & _LINE_AFTER),
        "AT_BOUNDARY": boundary,
        "AT_NON_BOUNDARY": not boundary,
    }[condition]


def _takes(kind: str, detail: Any, flags: int, char: str) -> bool:
    if kind == "ANY":
        return char != "\n" or bool(flags & re.DOTALL)
    forms = {char, *(char.swapcase() if char.isascii() else "")} if flags & re.IGNORECASE else {char}
    if kind == "LITERAL":
        return any(ord(form) == detail for form in forms)
    if kind == "NOT_LITERAL":
        return all(ord(form) != detail for form in forms)
    negated = str(detail[0][0]) == "NEGATE"
    inside = any(_within(str(part), what, form) for part, what in detail for form in forms)
    return inside is not negated


def _within(part: str, what: Any, char: str) -> bool:
    if part == "LITERAL":
        return ord(char) == int(what)
    if part == "RANGE":
        return int(what[0]) <= ord(char) <= int(what[1])
    if part != "CATEGORY":
        return False
    name = str(what)
    found = {"DIGIT": _digit, "WORD": _word, "SPACE": _SPACE.__contains__}[name.rpartition("_")[2]](char)
    return found is not ("NOT" in name)


def _digit(char: str) -> bool:
    return char.isascii() and char.isdigit()


def _word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")
