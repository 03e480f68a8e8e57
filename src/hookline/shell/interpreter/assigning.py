"""Assignments, and the arguments of `export` and its kin that are written like them."""

from __future__ import annotations

from hookline.shell.grammar.pieces import Assignment, Raw
from hookline.shell.reading import Hole, Parts, Word, glued
from hookline.shell.values.arrays import Array, is_end, some_of
from hookline.shell.values.expanding import expands_braces
from hookline.shell.values.fields import listed
from hookline.shell.values.running import Running
from hookline.shell.values.state import (
    CODE_LISTS,
    CODE_VARIABLES,
    KEYED,
    LIST,
    LONGEST_VALUE,
    SPRUNG,
    by_nothing,
    export_key,
    is_joined,
    is_number,
    odd_key,
)


class Assigning(Running):
    """The part of the reader that sets variables."""

    def exported(self, name: str) -> None:
        """Notes that programs which are started know a variable, or a function by its key."""
        self.exports[name] = None
        self.state.put(export_key(name), True)

    def assign(self, name: str, value: Parts) -> None:
        if self.option("a"):
            self.exported(name)
        if odd := self.state.slots.get(odd_key(name)):
            why = "is set by a trap as well" if odd == SPRUNG else "was declared to be more than text"
            value = (Hole("words", f"`{name}` {why}", f"${name}"),)
        if sum(len(part) for part in value if isinstance(part, str)) > LONGEST_VALUE:
            value = (Hole("words", f"`{name}` is too long to follow", f"${name}"),)
        held = self.state.slots.get(name)
        if isinstance(held, Array):
            self.spend(len(held.items) >> 2)
            self.state.put(name, Array({**held.items, "0": value}, held.keyed, held.told))
        elif isinstance(held, tuple) and any(
            isinstance(part, Hole) and part.why.endswith((LIST, KEYED)) for part in held
        ):
            self.state.put(name, Array({"0": value}, told=False))
        else:
            self.state.put(name, value)

    def declared(self, raw: Assignment) -> list[Word]:
        """An argument of `export` and its kin: it is not split."""
        whole = raw.whole
        if raw.elements is not None:
            return [Word((whole.plain or "",), whole.start, whole.end)]
        if expands_braces(whole.pieces):
            return self.words(raw)  # what braces make is no assignment any more, and is split
        return [Word(self.one(whole.pieces, assigned=True), whole.start, whole.end)]

    def value(self, assignment: Assignment) -> Word:
        """What is assigned; an array counts as unknown here, but what its words run does run."""
        whole = assignment.whole
        if assignment.index is not None:
            self.one(assignment.index)
        if assignment.elements is not None:
            self._expanded(assignment.elements)
            return Word((Hole("words", "an array", whole.plain or ""),), whole.start, whole.end)
        return Word(self.one(assignment.value.pieces, assigned=True), whole.start, whole.end)

    def _expanded(self, elements: tuple[Raw | Assignment, ...]) -> None:
        for element in elements:
            if isinstance(element, Assignment) and element.name == "":
                self.value(element)
            else:
                self.words(element)

    def put(self, assignment: Assignment) -> None:
        name = assignment.name
        if name in CODE_LISTS:
            self.unknown("what a name runs is set by a list", name)
        if assignment.elements is not None:
            self._put_array(assignment, assignment.elements)
            return
        value = self.one(assignment.value.pieces, assigned=True)
        if name in CODE_VARIABLES:
            self.prompt(name, value, assignment.whole)
        if assignment.index is not None:
            self._put_element(assignment, value)
            return
        if assignment.append:
            before = self.scalar(name) or ()
            value = glued([*before, *value])
        self.assign(name, value)

    def _put_array(self, assignment: Assignment, elements: tuple[Raw | Assignment, ...]) -> None:
        held = self.state.slots.get(assignment.name)
        keyed = isinstance(held, Array) and held.keyed
        by_names = keyed or (isinstance(held, tuple) and any(_is_keyed(part) for part in held))
        items: dict[str, Parts] = {}
        if assignment.append and isinstance(held, Array):
            items = dict(held.items)
            self.spend(len(items) >> 2)
        elif assignment.append and isinstance(held, tuple):
            items = {"0": held}
        told = held.told if isinstance(held, Array) else not (isinstance(held, tuple) and is_joined(held))
        known = not assignment.append or (held is not None and told)
        place = 1 + max(map(int, items), default=-1) if not keyed else 0
        lists = held.patterns if isinstance(held, Array) and not known and assignment.append else ()
        patterns, in_order = list(lists or items.values()), known or bool(lists)
        if not isinstance(held, Array):  # it is one before anything in the brackets is expanded
            self.state.put(assignment.name, self._one_element(assignment.name))
        begun = self.state.slots.get(assignment.name)
        for element in elements:
            if isinstance(element, Assignment) and element.name == "" and element.index is not None:
                in_order = False
                if not keyed and expands_braces(element.whole.pieces):
                    self.words(element)  # what braces make is no assignment any more
                    known = False
                    continue
                key, value = self.one(element.index), self.one(element.value.pieces, assigned=True)
                text = key[0] if len(key) == 1 and isinstance(key[0], str) else None
                if text is None or not is_number(text):
                    self._calculates(text, keyed)
                known = known and text is not None and (keyed or is_number(text))
                if known and text is not None:
                    items[text] = value
                    place = 0 if keyed else int(text) + 1
                continue
            for word in self.words(element):
                known = known and word.single and not keyed
                patterns += some_of(word.parts)
                items[str(place)] = word.parts
                place += 1
        if assignment.append and self.state.slots.get(assignment.name) is not begun:
            known = in_order = False  # what is in the brackets has changed it
        odd = self.state.slots.get(odd_key(assignment.name))
        if by_names or odd or not in_order or not any(listed(parts) or is_end(parts) for parts in patterns):
            patterns.clear()
        known = known and not odd and (keyed or not by_names)
        found = Array(items, keyed) if known else Array({}, keyed, told=False, patterns=patterns)
        self.state.put(assignment.name, found)

    def _put_element(self, assignment: Assignment, value: Parts) -> None:
        assert assignment.index is not None
        key = self.one(assignment.index)
        text = key[0] if len(key) == 1 and not assignment.append else None
        self.put_element(assignment.name, text if isinstance(text, str) else None, value)

    def put_element(self, name: str, key: str | None, value: Parts) -> None:
        held = self.state.slots.get(name)
        array = held if isinstance(held, Array) else self._one_element(name)
        odd = self.state.slots.get(odd_key(name))
        if not key if array.keyed else (key or "").startswith("-"):
            self.refused()  # where there is no name, or no element
        if key is not None and (array.keyed or is_number(key)) and not odd:
            self.state.put(name, Array({**array.items, key: value}, array.keyed, array.told))
        else:
            self._calculates(key, array.keyed)
            self.state.put(name, Array({}, array.keyed, told=False))

    def _calculates(self, key: str | None, keyed: bool) -> None:
        """Of an index that is no number, bash may find that it cannot be calculated."""
        if not keyed and by_nothing(key or ""):
            self.refused()
        elif not keyed and not (key or "").isidentifier():
            self.perhaps_refused()

    def _one_element(self, name: str) -> Array:
        """A variable as an array; where its text is not told it may have no value at all."""
        value = self.scalar(name)
        told = value is None or all(isinstance(part, str) for part in value)
        return Array({} if value is None else {"0": value}, told=told)


def _is_keyed(part: str | Hole) -> bool:
    return isinstance(part, Hole) and part.why.endswith(KEYED)
