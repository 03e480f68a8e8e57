"""`$x` and `${x…}`: the values of a shell's variables, and what the operators make of them."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Parameter, Piece, Text
from hookline.shell.reading import Hole, Parts, glued
from hookline.shell.values.arrays import Array, Unset, any_of, nth, shifted, some_element
from hookline.shell.values.fields import BLANKS, Fields, is_parted_otherwise
from hookline.shell.values.filling import held, positional
from hookline.shell.values.operators import Operators, _number
from hookline.shell.values.state import POSITIONALS, by_nothing, is_number

_CHANGES = r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>="
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
_NAMED = (
    r"(?a)([A-Za-z_]\w*)\[([@*]|[0-9]+)\]|[A-Za-z_]\w*|[0-9]+|([@*])"  # by a variable that stands for another
)
_SUM = (
    r"[ \t\n]*+([+-]?[ \t]*+(?:0|[1-9][0-9]{0,14}))[ \t\n]*+(?:([-+*])[ \t\n]*+(0|[1-9][0-9]{0,8})[ \t\n]*+)?"
)
_OF_ALL_SHELLS = frozenset(("", ":-", "-", ":+", "+", ":=", "=", ":?", "?", "#", "##", "%", "%%"))


class Parameters(Operators):
    """Reads variables of `state`; what is not in it comes from outside of the line."""

    # Values

    def scalar(self, name: str) -> Parts | None:
        if name.isdigit():
            return positional(self.state, name)
        known = self.positionals() if name == "#" else None
        if known is not None:
            return (str(len(known)),)
        value = held(self.state, name)
        if isinstance(value, Array):
            return self._element(f"${name}", value, "0")
        if isinstance(value, Unset):
            return None
        assert isinstance(value, tuple)
        return value

    def elements(self, name: str) -> list[Parts] | None:
        """All elements of an array or of the positional parameters; None where they are not known."""
        if name in "@*":
            return self.positionals()
        value = self.state.slots.get(name)
        if isinstance(value, Array):
            # bash keeps the elements of an associative array in an order of its own
            return None if not value.told or (value.keyed and len(value.items) > 1) else value.values()
        if isinstance(value, Unset):
            return []
        if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
            return [value]
        return [()] if value == () else None

    def parameters(self) -> list[Parts] | None:
        """What `for x` goes through."""
        known = self.state.slots.get(POSITIONALS)
        return list(known.patterns) if isinstance(known, Array) else self.positionals()

    def positionals(self) -> list[Parts] | None:
        known = self.state.slots.get(POSITIONALS)
        return list(known) if isinstance(known, tuple) else None

    # Expansion

    def parameter(self, fields: Fields, piece: Parameter, alone: bool = False) -> None:
        """`alone`: it is the whole word, so that what it is next to is no part of its values."""
        counted = piece.name in "@*" and (piece.prefix == "#" or piece.operator in ("-", "+", "=", "?", ":+"))
        if counted or piece.index is not None or piece.prefix == "!" or piece.operator not in _OF_ALL_SHELLS:
            self.differs("dash", "dash has no such expansion")
        if not piece.name:
            self.differs("dash", "dash reads no more of a line with such an expansion")
            self.differs("zsh", "zsh has expansions that bash does not have")
            self.one(piece.argument)
            self.refused()
            kind = "words" if piece.text.endswith("@}") else ""  # `"${!c @}"` stands for names as well
            fields.hole(self._unclear(piece, "bash refuses this expansion", kind))
        elif piece.prefix == "!":
            self._indirect(fields, piece)
        elif self.is_list(piece):
            self._list(fields, piece, alone)
        elif not piece.operator and not piece.prefix and piece.index is None:
            self._put(fields, self.scalar(piece.name), piece.quoted)
        else:
            self._operated(fields, piece, self._selected(piece))

    def is_list(self, piece: Parameter) -> bool:
        return piece.name in "@*" or self._whole_array(piece)

    def _whole_array(self, piece: Parameter) -> bool:
        only = piece.index[0] if piece.index is not None and len(piece.index) == 1 else None
        return isinstance(only, Text) and only.text in ("@", "*")

    def _selected(self, piece: Parameter) -> Parts | None:
        if piece.index is None:
            return self.scalar(piece.name)
        key = self.one(piece.index)
        value = self.state.slots.get(piece.name)
        text = key[0] if len(key) == 1 else None
        if not key and piece.text.endswith("[]}"):
            self.refused()
        if not (isinstance(value, Array) and value.keyed):
            self.evaluated(key)
            if not isinstance(text, str) or not is_number(text):
                self.perhaps_refused()  # what is no number is calculated
        if isinstance(value, Array) and not isinstance(text, str):
            return some_element(value, piece.text)
        if not isinstance(text, str) or value is None:
            return (self._unclear(piece, "the element is not told by the line"),)
        if isinstance(value, Array):
            return self._element(piece.text, value, text)
        if isinstance(value, tuple):
            return value if text == "0" else (self._unclear(piece, "the element is not told by the line"),)
        return None

    def _element(self, shown: str, array: Array, key: str) -> Parts | None:
        """One element's value; `shown` is what stands for it in the line."""
        number = re.fullmatch(r"-?[0-9]{1,9}", key.strip()) if not array.keyed else None
        if number is not None:
            place = int(number[0])
            if place < 0 and array.items:
                place += 1 + max(map(int, array.items))
            key = str(place)
        found = array.items.get(key)
        if found is not None or (array.told and (array.keyed or number is not None)):
            return found
        plain = number is not None and array.patterns and int(key) >= 0
        return nth(array, int(key) + 1, shown) if plain else some_element(array, shown)

    def _indirect(self, fields: Fields, piece: Parameter) -> None:
        """`${!x}`: the variable that `x` names; `${!x@}` and `${!x[@]}` are names and keys."""
        value = self.state.slots.get(piece.name)
        told = isinstance(value, Array) and value.told and not (value.keyed and len(value.items) > 1)
        if told and self._whole_array(piece) and not piece.operator and isinstance(value, Array):
            keys = list(value.items) if value.keyed else sorted(value.items, key=int)
            self._put_list(fields, [(key,) for key in keys], _star(piece), piece.quoted)
            return
        if piece.operator or piece.index is not None or piece.name in "@*#":
            self.one(piece.argument)
            listed = self._whole_array(piece) if not piece.operator else piece.operator in ("@", "*")
            if not listed:
                self.refused()  # where it names no variable
            several = piece.operator == "@" or (self._whole_array(piece) and not _star(piece))
            kind = "words" if several else ""
            fields.hole(self._unclear(piece, "it stands for names of variables", kind))
            return
        name = self.scalar(piece.name)
        text = name[0] if name is not None and len(name) == 1 else None
        named = re.fullmatch(_NAMED, text) if isinstance(text, str) else None
        if named and (named[1] or named[3]):
            index = (Text(named[2]),) if named[1] else None
            self.parameter(fields, replace(piece, prefix="", name=named[1] or named[3], index=index))
        elif named:
            self._put(fields, self.scalar(named[0]), piece.quoted)
        else:
            self.refused()  # where that is no variable
            fields.hole(self._unclear(piece, "nobody knows which variable it names"))

    def _put_patterns(self, fields: Fields, patterns: tuple[Parts, ...], quoted: bool) -> None:
        """Words of which nobody knows how many they are."""
        for place, parts in enumerate(patterns):
            if place:
                fields.end()
            if not quoted:
                fields.value(parts, False)
                continue
            fields.add("", True)
            for part in parts:
                fields.add(part, True) if isinstance(part, str) else fields.hole(part)

    def _list(self, fields: Fields, piece: Parameter, alone: bool) -> None:
        """`$@`, `$*`, `${x[@]}`."""
        star = _star(piece)
        elements = self.elements(piece.name)
        if piece.prefix == "#":
            count = str(len(elements)) if elements is not None else _number(piece)
            self._put(fields, (count,), piece.quoted)
            return
        kind = "word" if star and piece.quoted else "words"
        if elements is None:
            self._aside(piece)
            held = self.state.slots.get(POSITIONALS if piece.name == "*" else piece.name)
            if isinstance(held, Array) and held.patterns and self._of_itself(piece):
                self.fill(fields, piece.argument, splits=True)
                return
            hole = self._unclear(piece, "the list is not told by the line", kind)
            if isinstance(held, Array) and held.patterns and piece.operator in ("", ":"):
                hole = replace(any_of(held.patterns, piece.text), kind=kind)
                start, length = (self._bounds(piece) or (0, 0)) if piece.operator else (1, None)
                left = shifted(held, start - 1) if start > 0 and length is None else None
                whole = alone and not fields.whole and not (star and piece.quoted)
                if isinstance(left, Array) and whole and (not piece.operator or piece.name in "@*"):
                    self._put_patterns(fields, left.patterns, piece.quoted)
                    return
            fields.hole(hole)
            return
        if piece.operator[:1] == ":" and len(piece.operator) == 1:
            sliced = self._slice(piece, elements)
            if sliced is None:
                fields.hole(self._unclear(piece, "the part of the list is not told by the line", kind))
                return
            elements = sliced
        elif piece.operator:
            elements = self._each(fields, piece, elements, kind)
            if elements is None:
                return
        like_star = not piece.quoted and piece.operator[:1] in ("#", "%", "@")
        if like_star and self.scalar("IFS") == ():
            fields.hole(self._unclear(piece, "bash joins a list without a letter of `IFS`", "words"))
            return
        self._put_list(fields, elements, star or like_star, piece.quoted)

    def _of_itself(self, piece: Parameter) -> bool:
        """`${a[@]+"${a[@]}"}`: whether it is the list where that has elements, and else nothing."""
        inner = [each for each in piece.argument if each != Text("", True)]
        only = inner[0] if len(inner) == 1 else None
        whole = isinstance(only, Parameter) and self.is_list(only) and not (only.operator or only.prefix)
        return (
            piece.operator in ("+", ":+")
            and whole
            and isinstance(only, Parameter)
            and only.name == piece.name
        )

    def _put_list(self, fields: Fields, elements: list[Parts], star: bool, quoted: bool) -> None:
        if (star and quoted) or (fields.whole and not quoted):
            separators = self.separators() if star else " "
            joint = Hole("word", "`IFS` is not known", "$IFS") if separators is None else separators[:1]
            joined: list[str | Hole] = []
            for place, element in enumerate(elements):
                joined += [joint] * bool(place) + list(element)
            fields.value(glued(joined), True)
            return
        if not quoted and is_parted_otherwise(fields.separators or "", elements):
            fields.hole(
                Hole("words", "bash may lose or add an empty word where `IFS` parts the words of a list")
            )
            return
        for place, element in enumerate(elements):
            if place:
                fields.end()
            if not (element or quoted) and place < len(elements) - 1:
                self._put_empty(fields)
            self._put(fields, element, quoted)
        if quoted and not elements and fields.current == [] and fields.quotes < 2:
            fields.current = None  # `"$@"` without parameters is no word

    def _put_empty(self, fields: Fields) -> None:
        """An element without text and without quotes, which is a word where `IFS` begins with no blank."""
        separators = fields.separators
        if separators is None:
            fields.hole(Hole("words", "`IFS` is not known, so nobody knows whether this is a word", "$IFS"))
        elif separators and separators[0] not in tuple(BLANKS):
            fields.add("", False)

    def _slice(self, piece: Parameter, elements: list[Parts]) -> list[Parts] | None:
        bounds = self._bounds(piece)
        if bounds is None:
            return None
        start, length = bounds
        if isinstance(self.state.slots.get(piece.name), tuple) and piece.name not in "@*":
            part = self.transformed(piece, elements[0])  # of a variable that is no list, letters
            return [part] if part else None
        held = self.state.slots.get(piece.name)
        places = list(range(len(elements)))
        if piece.name in "@*":
            zero = self.scalar("0") or ()
            elements, places = [zero, *elements], [*places, len(places)]
        elif isinstance(held, Array):
            if held.keyed:
                return None
            places = sorted(map(int, held.items))
        if start < 0:
            start += 1 + places[-1] if places else 0
            if start < 0:
                return []
        start = sum(place < start for place in places)
        if length is not None and length < 0:
            self.refused()
            return None
        return elements[start : None if length is None else start + length]

    def _each(self, fields: Fields, piece: Parameter, elements: list[Parts], kind: str) -> list[Parts] | None:
        """An operator on every element; None where it took care of the fields itself."""
        if piece.operator.strip(":") in ("-", "=", "?", "+"):
            empty = not elements or (piece.operator[0] == ":" and elements == [()])
            if empty == (piece.operator.strip(":") == "+"):
                return elements
            if all(isinstance(part, str) for element in elements for part in element):
                self.fill(fields, piece.argument, splits=True)
                return None
            self.one(piece.argument)
            fields.hole(self._unclear(piece, "whether the list is empty is not told by the line", kind))
            return None
        found = [self.transformed(piece, element) for element in elements]
        if any(element is None for element in found):
            why = "what the operator makes of the list is not told by the line"
            fields.hole(self._unclear(piece, why, kind))
            return None
        return [element for element in found if element is not None]

    # Arithmetic

    def calculated(self, pieces: tuple[Piece, ...], text: str) -> Parts:
        inner, before = self.one(pieces), self.redirected
        plain = "".join(part for part in inner if isinstance(part, str))
        self.redirected = True  # an expression that bash refuses ends the command
        if by_nothing(plain):
            self.refused()
        self.evaluated(inner)
        if re.compile(_CHANGES).search(plain):
            for name in re.compile(_IDENTIFIER).findall(plain):
                held = self.state.slots.get(name)
                if f"{name}[" in plain and not isinstance(held, Unset | None):
                    self.state.put(name, Array({}, isinstance(held, Array) and held.keyed, told=False))
                else:
                    self.assign(name, (Hole("word", f"`{name}` is calculated", f"${name}"),))
        elif inner and plain == inner[0]:
            found = re.compile(_SUM).fullmatch(plain)
            if found is not None:
                self.redirected = before
                return (str(_sum(found)),)
        self.complained()
        return (Hole("word", "it is calculated", text),)

    def evaluated(self, parts: Parts) -> None:
        """Bash calculates with a variable's text as code, and `a[$(…)]` in it runs commands."""
        plain = "".join(part for part in parts if isinstance(part, str))
        if _calls(plain):
            self.unknown("commands stand in what is calculated", plain)
        for name in re.compile(_IDENTIFIER).findall(plain):
            value = self.state.slots.get(name)
            if isinstance(value, tuple) and any(isinstance(part, str) and _calls(part) for part in value):
                self.unknown(f"`{name}` holds commands and is calculated with")


def _star(piece: Parameter) -> bool:
    """Whether it is `$*` or `${x[*]}`, which quotes make one word."""
    first = piece.index[0] if piece.index else None
    return piece.name == "*" or (piece.name != "@" and isinstance(first, Text) and first.text == "*")


def _calls(text: str) -> bool:
    return "$(" in text or "`" in text


def _sum(found: re.Match[str]) -> int:
    first = int(found[1].replace(" ", "").replace("\t", ""), 10)
    second = int(found[3] or 0)
    return {"+": first + second, "-": first - second, "*": first * second}.get(found[2] or "+", first)
