"""What `${x[1]}`, `$@`, `${x[@]}` and `${!x}` stand for: an element, words of a list, names, another's value."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Parameter, Text
from hookline.shell.reading import Hole, Parts, Unset, glued
from hookline.shell.values.arrays import Array, any_of, nth, shifted, some_element
from hookline.shell.values.calculating import evaluated
from hookline.shell.values.fields import BLANKS, Fields, is_parted_otherwise
from hookline.shell.values.filling import fill, held, put, whole_array
from hookline.shell.values.operators import (
    OF_ALL_SHELLS,
    aside,
    bounds_of,
    operated,
    some_number,
    transformed,
    unclear,
)
from hookline.shell.values.running import Running
from hookline.shell.values.state import POSITIONALS, is_number

_NAMED = (
    r"(?a)([A-Za-z_]\w*)\[([@*]|[0-9]+)\]|[A-Za-z_]\w*|[0-9]+|([@*])"  # by a variable that stands for another
)


def braced(reader: Running, fields: Fields, piece: Parameter, alone: bool) -> None:
    """Puts in what it gives. `alone`: it is the whole word, so that what it is next to is no part of its values."""
    counted = piece.name in "@*" and (piece.prefix == "#" or piece.operator in ("-", "+", "=", "?", ":+"))
    if counted or piece.index is not None or piece.prefix == "!" or piece.operator not in OF_ALL_SHELLS:
        reader.differs("dash", "dash has no such expansion")
    if not piece.name:
        reader.differs("dash", "dash reads no more of a line with such an expansion")
        reader.differs("zsh", "zsh has expansions that bash does not have")
        reader.one(piece.argument)
        reader.refused()
        kind = "words" if piece.text.endswith("@}") else ""  # `"${!c @}"` stands for names as well
        fields.hole(unclear(reader, piece, "bash refuses this expansion", kind))
    elif piece.prefix == "!":
        put_indirect(reader, fields, piece)
    elif reader.is_list(piece):
        put_elements(reader, fields, piece, alone)
    else:
        operated(reader, fields, piece, _selected(reader, piece))


def _selected(reader: Running, piece: Parameter) -> Parts | None:
    if piece.index is None:
        return reader.scalar(piece.name)
    key = reader.one(piece.index)
    value = held(reader.state, piece.name)
    text = key[0] if len(key) == 1 else None
    if not key and piece.text.endswith("[]}"):
        reader.refused()
    if not (isinstance(value, Array) and value.keyed):
        evaluated(reader, key)
        if not isinstance(text, str) or not is_number(text):
            reader.perhaps_refused()  # what is no number is calculated
    if isinstance(value, Array) and not isinstance(text, str):
        return some_element(value, piece.text)
    if not isinstance(text, str) or value is None:
        return (unclear(reader, piece, "the element is not told by the line"),)
    if isinstance(value, Array):
        return element(piece.text, value, text)
    if isinstance(value, tuple):
        return value if text == "0" else (unclear(reader, piece, "the element is not told by the line"),)
    return None


def element(shown: str, array: Array, key: str) -> Parts | None:
    """One element's value; `shown` is what stands for it in the line."""
    number = re.fullmatch(r"-?[0-9]{1,9}", key.strip()) if not array.keyed else None
    if number is not None:
        place = int(number[0])
        if place < 0 and not array.told:
            return some_element(array, shown)  # nobody knows which is the last one
        if place < 0 and array.items:
            place += 1 + max(map(int, array.items))
        key = str(place)
    found = array.items.get(key)
    if found is not None or (array.told and (array.keyed or number is not None)):
        return found
    plain = number is not None and array.patterns and int(key) >= 0
    return nth(array, int(key) + 1, shown) if plain else some_element(array, shown)


def _elements(reader: Running, name: str) -> list[Parts] | None:
    """All elements of an array or of the positional parameters; None where they are not known."""
    if name in "@*":
        return reader.positionals()
    value = held(reader.state, name)
    if isinstance(value, Array):
        # bash keeps the elements of an associative array in an order of its own
        return None if not value.told or (value.keyed and len(value.items) > 1) else value.values()
    if isinstance(value, Unset):
        return []
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        return [value]
    return [()] if value == () else None


def put_indirect(reader: Running, fields: Fields, piece: Parameter) -> None:
    """`${!x}`: the variable that `x` names; `${!x@}` and `${!x[@]}` are names and keys."""
    value = reader.state.slots.get(piece.name)
    told = isinstance(value, Array) and value.told and not (value.keyed and len(value.items) > 1)
    if told and whole_array(piece) and not piece.operator and isinstance(value, Array):
        keys = list(value.items) if value.keyed else sorted(value.items, key=int)
        _put_list(reader, fields, [(key,) for key in keys], _star(piece), piece.quoted)
        return
    if piece.operator in ("@", "*") or piece.index is not None or piece.name in "@*#":
        reader.one(piece.argument)
        listed = whole_array(piece) if not piece.operator else piece.operator in ("@", "*")
        if not listed:
            reader.refused()  # where it names no variable
        several = piece.operator == "@" or (whole_array(piece) and not _star(piece))
        kind = "words" if several else ""
        fields.hole(unclear(reader, piece, "it stands for names of variables", kind))
        return
    name = reader.scalar(piece.name)
    text = name[0] if name is not None and len(name) == 1 else None
    named = re.fullmatch(_NAMED, text) if isinstance(text, str) else None
    if named and not (named[3] == "*" and piece.operator):  # of which bash makes letters that nobody wrote
        index = (Text(named[2]),) if named[1] else None
        meant = named[1] or named[3] or named[0]
        reader.parameter(fields, replace(piece, prefix="", name=meant, index=index))
        return
    evaluated(reader, name or ())
    reader.one(piece.argument)
    reader.refused()  # where that is no variable
    fields.hole(unclear(reader, piece, "nobody knows which variable it names", "words"))  # it may be `@`


def _put_patterns(reader: Running, fields: Fields, patterns: tuple[Parts, ...], quoted: bool) -> None:
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


def put_elements(reader: Running, fields: Fields, piece: Parameter, alone: bool) -> None:
    """`$@`, `$*`, `${x[@]}`."""
    star = _star(piece)
    elements = _elements(reader, piece.name)
    if piece.prefix == "#":
        count = str(len(elements)) if elements is not None else some_number(piece)
        put(reader, fields, (count,), piece.quoted)
        return
    kind = "word" if star and piece.quoted else "words"
    if elements is None:
        aside(reader, piece)
        known = reader.state.slots.get(POSITIONALS if piece.name == "*" else piece.name)
        if isinstance(known, Array) and known.patterns and _of_itself(reader, piece):
            fill(reader, fields, piece.argument, splits=True)
            return
        hole = unclear(reader, piece, "the list is not told by the line", kind)
        if isinstance(known, Array) and known.patterns and piece.operator in ("", ":"):
            hole = replace(any_of(known.patterns, piece.text), kind=kind)
            start, length = (bounds_of(reader, piece) or (0, 0)) if piece.operator else (1, None)
            left = shifted(known, start - 1) if start > 0 and length is None else None
            whole = alone and not fields.whole and not (star and piece.quoted)
            if isinstance(left, Array) and whole and (not piece.operator or piece.name in "@*"):
                _put_patterns(reader, fields, left.patterns, piece.quoted)
                return
        fields.hole(hole)
        return
    if piece.operator[:1] == ":" and len(piece.operator) == 1:
        sliced = _slice(reader, piece, elements)
        if sliced is None:
            fields.hole(unclear(reader, piece, "the part of the list is not told by the line", kind))
            return
        elements = sliced
    elif piece.operator:
        elements = _each(reader, fields, piece, elements, kind)
        if elements is None:
            return
    like_star = not piece.quoted and piece.operator[:1] in ("#", "%", "@")
    if like_star and reader.scalar("IFS") == ():
        fields.hole(unclear(reader, piece, "bash joins a list without a letter of `IFS`", "words"))
        return
    _put_list(reader, fields, elements, star or like_star, piece.quoted)


def _of_itself(reader: Running, piece: Parameter) -> bool:
    """`${a[@]+"${a[@]}"}`: whether it is the list where that has elements, and else nothing."""
    inner = [each for each in piece.argument if each != Text("", True)]
    only = inner[0] if len(inner) == 1 else None
    whole = isinstance(only, Parameter) and reader.is_list(only) and not (only.operator or only.prefix)
    return piece.operator in ("+", ":+") and whole and isinstance(only, Parameter) and only.name == piece.name


def _put_list(reader: Running, fields: Fields, elements: list[Parts], star: bool, quoted: bool) -> None:
    if (star and quoted) or (fields.whole and not quoted):
        separators = reader.separators() if star else " "
        joint = Hole("word", "`IFS` is not known", "$IFS") if separators is None else separators[:1]
        joined: list[str | Hole] = []
        for place, element in enumerate(elements):
            joined += [joint] * bool(place) + list(element)
        fields.value(glued(joined), True)
        return
    if not quoted and is_parted_otherwise(fields.separators or "", elements):
        fields.hole(Hole("words", "bash may lose or add an empty word where `IFS` parts the words of a list"))
        return
    for place, element in enumerate(elements):
        if place:
            fields.end()
        if not (element or quoted) and place < len(elements) - 1:
            _put_empty(reader, fields)
        put(reader, fields, element, quoted)
    if quoted and not elements and fields.current == [] and fields.quotes < 2:
        fields.current = None  # `"$@"` without parameters is no word


def _put_empty(reader: Running, fields: Fields) -> None:
    """An element without text and without quotes, which is a word where `IFS` begins with no blank."""
    separators = fields.separators
    if separators is None:
        fields.hole(Hole("words", "`IFS` is not known, so nobody knows whether this is a word", "$IFS"))
    elif separators and separators[0] not in tuple(BLANKS):
        fields.add("", False)


def _slice(reader: Running, piece: Parameter, elements: list[Parts]) -> list[Parts] | None:
    bounds = bounds_of(reader, piece)
    if bounds is None:
        return None
    start, length = bounds
    if isinstance(reader.state.slots.get(piece.name), tuple) and piece.name not in "@*":
        part = transformed(reader, piece, elements[0])  # of a variable that is no list, letters
        return [part] if part else None
    known = reader.state.slots.get(piece.name)
    places = list(range(len(elements)))
    if piece.name in "@*":
        zero = reader.scalar("0") or ()
        elements, places = [zero, *elements], [*places, len(places)]
    elif isinstance(known, Array):
        if known.keyed:
            return None
        places = sorted(map(int, known.items))
    if start < 0:
        start += 1 + places[-1] if places else 0
        if start < 0:
            return []
    start = sum(place < start for place in places)
    if length is not None and length < 0:
        reader.refused()
        return None
    return elements[start : None if length is None else start + length]


def _each(
    reader: Running, fields: Fields, piece: Parameter, elements: list[Parts], kind: str
) -> list[Parts] | None:
    """An operator on every element; None where it took care of the fields itself."""
    if piece.operator.strip(":") in ("-", "=", "?", "+"):
        empty = not elements or (piece.operator[0] == ":" and elements == [()])
        if empty == (piece.operator.strip(":") == "+"):
            return elements
        if all(isinstance(part, str) for element in elements for part in element):
            fill(reader, fields, piece.argument, splits=True)
            return None
        reader.one(piece.argument)
        fields.hole(unclear(reader, piece, "whether the list is empty is not told by the line", kind))
        return None
    found = [transformed(reader, piece, element) for element in elements]
    if any(element is None for element in found):
        why = "what the operator makes of the list is not told by the line"
        fields.hole(unclear(reader, piece, why, kind))
        return None
    return [element for element in found if element is not None]


def _star(piece: Parameter) -> bool:
    """Whether it is `$*` or `${x[*]}`, which quotes make one word."""
    first = piece.index[0] if piece.index else None
    return piece.name == "*" or (piece.name != "@" and isinstance(first, Text) and first.text == "*")
