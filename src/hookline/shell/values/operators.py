"""What the operators of `${x…}` make of a value."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING, Callable
from hookline.shell.grammar.pieces import Parameter, Piece, Process, Text
from hookline.shell.reading import Hole, Parts, Word
from hookline.shell.values.calculating import evaluated
from hookline.shell.values.filling import fill, loose, put
from hookline.shell.values.state import INPUT, POSITIONALS
from hookline.system.patterns.late import late

if TYPE_CHECKING:
    from hookline.shell.values.fields import Fields
    from hookline.shell.values.running import Running

    Change = Callable[[Running, Parameter, str], str | None]

OF_ALL_SHELLS = frozenset(("", ":-", "-", ":+", "+", ":=", "=", ":?", "?", "#", "##", "%", "%%"))
_ODD = late(r"[^\w./ @:+=,-]")  # in a pattern, what may mean more than itself
_OF_THE_LINE = ("FUNCNAME", "BASH_ARGV", "BASH_COMMAND", "_")  # what bash makes of what the line says


def aside(reader: Running, piece: Parameter) -> None:
    """What stands behind the operator of a value that is not told: it is read all the same."""
    if piece.operator == ":":
        bounds_of(reader, piece)
    else:
        reader.one(piece.argument)


def bounds_of(reader: Running, piece: Parameter) -> tuple[int, int | None] | None:
    text = reader.one(piece.argument)
    evaluated(reader, text)
    whole = text[0] if len(text) == 1 else None
    found = (
        re.fullmatch(r"\s*(-?[0-9]{1,9})\s*(?::\s*(-?[0-9]{1,9})\s*)?", whole)
        if isinstance(whole, str)
        else None
    )
    if found is None:
        reader.perhaps_refused()
    return (int(found[1]), int(found[2]) if found[2] else None) if found else None


def unclear(reader: Running, piece: Parameter, why: str, kind: str = "") -> Hole:
    held = reader.state.slots.get(POSITIONALS if piece.name in "@*" else piece.name)
    outside = held is None or (isinstance(held, tuple) and any(_is_outside(part) for part in held))
    return Hole(
        "words" if kind == "words" or not (piece.quoted or kind) else "word",
        f"`{piece.text}`: {why}",
        piece.text,
        outside=outside and piece.prefix != "!" and piece.name not in _OF_THE_LINE,
    )


def operated(reader: Running, fields: Fields, piece: Parameter, value: Parts | None) -> None:
    """Puts in what comes of a value."""
    operator = piece.operator.strip(":") if piece.operator[1:] else piece.operator
    if piece.operator and piece.name in "#?$!-" and piece.operator[-1] not in ":-+?":
        reader.refused()  # most of these
    if operator[:1] == "@" and (piece.argument or operator[1] not in "aAEkKLPQuU"):
        reader.refused()
    if piece.prefix == "#" and operator:
        reader.one(piece.argument)
        reader.refused()
        fields.hole(unclear(reader, piece, "bash refuses this expansion"))
    elif piece.prefix == "#":
        known = value is None or all(isinstance(part, str) and part.isascii() for part in value)
        length = sum(len(part) for part in value or () if isinstance(part, str))
        put(reader, fields, (str(length),) if known else (some_number(piece),), piece.quoted)
    elif operator and operator in "-=?+":
        _alternative(reader, fields, piece, value, operator)
    elif not operator:
        put(reader, fields, value, piece.quoted)
    elif value is None and operator not in (
        "@A",
        "@a",
    ):  # a list, or what is declared, has these all the same
        _not_there(reader, piece)
        put(reader, fields, None, piece.quoted)
    else:
        changed = transformed(reader, piece, value) if value is not None else None
        if changed is None:
            fields.hole(
                unclear(
                    reader,
                    piece,
                    "what the operator makes of it is not told by the line",
                    "word" if piece.quoted else "words",
                )
            )
        else:
            put(reader, fields, changed, piece.quoted)


def _not_there(reader: Running, piece: Parameter) -> None:
    """What has no value stays so (`${x/*/a}`); bash need not look at the rest, but may."""
    reader.doubt += 1
    reader.state.branch()
    reader.one(piece.argument)
    reader.state.adopt([reader.state.rewind(), {}])
    reader.doubt -= 1


def _alternative(
    reader: Running, fields: Fields, piece: Parameter, value: Parts | None, operator: str
) -> None:
    colon = piece.operator[0] == ":"
    has = value is not None and (any(isinstance(part, str) for part in value) or not (value or colon))
    if not has and value:
        _perhaps(reader, fields, piece, value, operator)
    elif operator == "=" and not has:  # what quotes kept together is split, once it is a value
        given = reader.one(piece.argument)
        _given(reader, piece, given)
        put(reader, fields, given, piece.quoted)
    elif has == (operator == "+"):
        before = fields.current
        fill(reader, fields, piece.argument, splits=True)
        if piece.quoted and before is None:
            fields.add("", True)
    elif has:
        put(reader, fields, value, piece.quoted)
    elif operator == "?":
        reader.refused()
        fields.hole(unclear(reader, piece, "bash ends here where it is empty"))
    elif piece.quoted:
        fields.add("", True)


def _given(reader: Running, piece: Parameter, value: Parts) -> None:
    """`${x=…}` and `${x[1]=…}` assign."""
    if piece.index is None:
        reader.assign(piece.name, value)
    else:
        reader.put_element(piece.name, None, value)


def _perhaps(reader: Running, fields: Fields, piece: Parameter, value: Parts, operator: str) -> None:
    """The value comes from outside: the other text may be taken or not."""
    reader.state.branch()
    reader.doubt += 1
    if operator == "?":
        reader.refused()
    other = reader.one(piece.argument)
    if operator == "=":
        _given(reader, piece, other)
    reader.doubt -= 1
    reader.state.adopt([reader.state.rewind(), {}])
    why = "whether it is empty is not told by the line"
    several = _has_list(reader, piece.argument)
    hole = unclear(reader, piece, why, "word" if piece.quoted and not several else "words")
    if several:
        pass  # `"${x-"$@"}"` is as many words as there are
    elif operator == "+":
        hole = replace(hole, choices=(Word(other), Word(())), only=piece.quoted or not _keeps(reader, piece))
    elif operator == "?" and isinstance(value[0], Hole):
        hole = replace(hole, choices=value[0].choices, only=value[0].only)
    elif other:
        hole = replace(hole, choices=(Word(other),))
    elif operator in "-=" and not other:
        hole = replace(hole, text=f"${piece.name}")  # `${SUDO:-}` is `$SUDO`
    fields.hole(hole)


def _keeps(reader: Running, piece: Parameter) -> bool:
    """Whether quotes in the other text may keep together what is parted elsewhere: `${x:+a "b c"}`."""
    letters = reader.separators()
    return any(
        each.quoted
        and (letters is None or not isinstance(each, Text) or not set(letters).isdisjoint(each.text))
        for each in piece.argument
        if not isinstance(each, Process)
    )


def _has_list(reader: Running, pieces: tuple[Piece, ...]) -> bool:
    """Whether some of these may become several words though they stand within quotes."""
    return any(
        isinstance(piece, Parameter)
        and (reader.is_list(piece) or piece.prefix == "!" or _has_list(reader, piece.argument))
        for piece in pieces
    )


def transformed(reader: Running, piece: Parameter, value: Parts) -> Parts | None:
    """A value after `#`, `%`, `/`, `^`, `,`, `@` or `:`; None where that cannot be told."""
    text = "".join(part for part in value if isinstance(part, str))
    whole = all(isinstance(part, str) for part in value)
    change = _CHANGES_BY_OPERATOR.get(piece.operator[0])
    if change is _removed and not whole:
        return _removed_part(loose(reader, piece.argument), value, piece.operator)
    if change is None or not whole:
        aside(reader, piece)
        return None
    changed = change(reader, piece, text)
    return None if changed is None else (changed,) if changed else ()


def _removed(reader: Running, piece: Parameter, text: str) -> str | None:
    from hookline.shell.values.patterns import removed

    pattern = _pattern(reader, piece.argument)
    return None if pattern is None else removed(text, pattern, piece.operator)


def _removed_part(pattern: list[tuple[str, bool]] | None, value: Parts, operator: str) -> Parts | None:
    """`${f#src/}` of a value that begins as is told: `src/*.js` is `*.js` then."""
    plain = "".join(text for text, _ in pattern or ())
    odd = pattern is None or any(not quoted and _ODD.search(text) for text, quoted in pattern)
    at = 0 if operator[0] == "#" else -1
    told = value[at] if value else None
    if odd or not isinstance(told, str) or len(told) < len(plain):
        return None
    if at == 0:
        left = told.removeprefix(plain)
        return (left, *value[1:]) if left else value[1:]
    left = told.removesuffix(plain)
    return (*value[:-1], left) if left else value[:-1]


def _replaced(reader: Running, piece: Parameter, text: str) -> str | None:
    from hookline.shell.values.patterns import replaced, replaced_at_end

    before, after = _split_at_slash(piece.argument)
    first = before[0] if before and isinstance(before[0], Text) else None
    anchor = first.text[:1] if first is not None and first.text[:1] in ("#", "%") else ""
    if first is not None and anchor and (first.quoted or piece.operator == "//"):
        anchor = "?"
    elif first is not None and anchor:
        before = (replace(first, text=first.text[1:]), *before[1:])
    pattern = _pattern(reader, before)
    replacement = reader.one(after)
    plain = replacement[0] if replacement else ""
    if pattern is None or not isinstance(plain, str) or len(replacement) > 1 or "&" in plain:
        return None
    if reader.option("I"):
        return None  # capitals fit small letters
    if anchor:
        return replaced_at_end(text, pattern, anchor, plain) if anchor != "?" else None
    return replaced(text, pattern, piece.operator, plain)


def _pattern(reader: Running, pieces: tuple[Piece, ...]) -> str | None:
    from hookline.shell.values.patterns import pattern_regex

    texts = loose(reader, pieces)
    return None if texts is None else pattern_regex(texts)


def _cased(reader: Running, piece: Parameter, text: str) -> str | None:
    if piece.argument:
        reader.one(piece.argument)
        return None
    change = {"^": str.upper, ",": str.lower, "~": str.swapcase}[piece.operator[0]]
    if not text.isascii():
        return None
    return change(text) if len(piece.operator) == 2 else change(text[:1]) + text[1:]


def _quoted_form(reader: Running, piece: Parameter, text: str) -> str | None:
    if piece.operator == "@P" and ("$(" in text or "`" in text):
        reader.unknown("`@P` runs the commands in a prompt", text)
    cases = {"@U": text.upper(), "@L": text.lower(), "@u": text[:1].upper() + text[1:]}
    return cases.get(piece.operator) if text.isascii() else None


def _part(reader: Running, piece: Parameter, text: str) -> str | None:
    bounds = bounds_of(reader, piece)
    if bounds is None:
        return None
    start, length = bounds
    if start < 0:
        start += len(text)
        if start < 0:
            return ""
    end = len(text) if length is None else length + (len(text) if length < 0 else start)
    if end < start <= len(text):
        reader.refused()
        return None
    return text[start:end]


_CHANGES_BY_OPERATOR: dict[str, Change] = {
    "#": _removed, "%": _removed, "/": _replaced, "^": _cased,
    ",": _cased, "~": _cased, "@": _quoted_form, ":": _part,
}  # fmt: skip


def _is_outside(part: object) -> bool:
    return isinstance(part, Hole) and part.outside and part.why != INPUT


def some_number(piece: Parameter) -> Hole:
    return Hole("word", f"`{piece.text}` is a number that the line does not tell", piece.text)


def _split_at_slash(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pattern and the replacement of `${x/pattern/replacement}`; a slash that begins a pattern is one of it."""
    for place, piece in enumerate(pieces):
        at = piece.text.find("/", not place) if isinstance(piece, Text) and not piece.quoted else -1
        if at >= 0:
            before, after = Text(piece.text[:at]), Text(piece.text[at + 1 :])
            return (*pieces[:place], before), (after, *pieces[place + 1 :])
    return pieces, ()
