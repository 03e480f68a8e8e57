"""What the operators of `${x…}` make of a value."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Parameter, Piece, Process, Text
from hookline.shell.reading import Hole, Parts, Word
from hookline.shell.values.arrays import Array
from hookline.shell.values.fields import Fields
from hookline.shell.values.filling import put
from hookline.shell.values.running import Running
from hookline.shell.values.state import INPUT, POSITIONALS

_OF_THE_LINE = ("FUNCNAME", "BASH_ARGV", "BASH_COMMAND", "_")  # what bash makes of what the line says


class Operators(Running):
    """Reads `state`, and puts what comes of a value into fields."""

    _put = put

    def _aside(self, piece: Parameter) -> None:
        """What stands behind the operator of a value that is not told: it is read all the same."""
        if piece.operator == ":":
            self._bounds(piece)
        else:
            self.one(piece.argument)

    def _bounds(self, piece: Parameter) -> tuple[int, int | None] | None:
        text = self.one(piece.argument)
        self.evaluated(text)
        whole = text[0] if len(text) == 1 else None
        found = (
            re.fullmatch(r"\s*(-?[0-9]{1,9})\s*(?::\s*(-?[0-9]{1,9})\s*)?", whole)
            if isinstance(whole, str)
            else None
        )
        if found is None:
            self.perhaps_refused()
        return (int(found[1]), int(found[2]) if found[2] else None) if found else None

    def _unclear(self, piece: Parameter, why: str, kind: str = "") -> Hole:
        held = self.state.slots.get(POSITIONALS if piece.name in "@*" else piece.name)
        outside = held is None or (isinstance(held, tuple) and any(_is_outside(part) for part in held))
        return Hole(
            "words" if kind == "words" or not (piece.quoted or kind) else "word",
            f"`{piece.text}`: {why}",
            piece.text,
            outside=outside and piece.prefix != "!" and piece.name not in _OF_THE_LINE,
        )

    def _operated(self, fields: Fields, piece: Parameter, value: Parts | None) -> None:
        operator = piece.operator.strip(":") if piece.operator[1:] else piece.operator
        if piece.operator and piece.name in "#?$!-" and piece.operator[-1] not in ":-+?":
            self.refused()  # most of these
        if operator[:1] == "@" and (piece.argument or operator[1] not in "aAEkKLPQuU"):
            self.refused()
        if piece.prefix == "#" and operator:
            self.one(piece.argument)
            self.refused()
            fields.hole(self._unclear(piece, "bash refuses this expansion"))
        elif piece.prefix == "#":
            known = value is None or all(isinstance(part, str) and part.isascii() for part in value)
            length = sum(len(part) for part in value or () if isinstance(part, str))
            self._put(fields, (str(length),) if known else (_number(piece),), piece.quoted)
        elif operator and operator in "-=?+":
            self._alternative(fields, piece, value, operator)
        elif not operator:
            self._put(fields, value, piece.quoted)
        elif value is None and operator not in (
            "@A",
            "@a",
        ):  # a list, or what is declared, has these all the same
            self._not_there(piece)
            self._put(fields, None, piece.quoted)
        else:
            changed = self.transformed(piece, value) if value is not None else None
            if changed is None:
                fields.hole(
                    self._unclear(
                        piece,
                        "what the operator makes of it is not told by the line",
                        "word" if piece.quoted else "words",
                    )
                )
            else:
                self._put(fields, changed, piece.quoted)

    def _not_there(self, piece: Parameter) -> None:
        """What has no value stays so (`${x/*/a}`); bash need not look at the rest, but may."""
        self.doubt += 1
        self.state.branch()
        self.one(piece.argument)
        self.state.adopt([self.state.rewind(), {}])
        self.doubt -= 1

    def _alternative(self, fields: Fields, piece: Parameter, value: Parts | None, operator: str) -> None:
        colon = piece.operator[0] == ":"
        has = value is not None and (any(isinstance(part, str) for part in value) or not (value or colon))
        if not has and value:
            self._perhaps(fields, piece, value, operator)
        elif operator == "=" and not has:  # what quotes kept together is split, once it is a value
            given = self.one(piece.argument)
            if piece.index is None:
                self.assign(piece.name, given)
            else:
                self.state.put(piece.name, Array({}, told=False))
            self._put(fields, given, piece.quoted)
        elif has == (operator == "+"):
            before = fields.current
            self.fill(fields, piece.argument, splits=True)
            if piece.quoted and before is None:
                fields.add("", True)
        elif has:
            self._put(fields, value, piece.quoted)
        elif operator == "?":
            self.refused()
            fields.hole(self._unclear(piece, "bash ends here where it is empty"))
        elif piece.quoted:
            fields.add("", True)

    def _perhaps(self, fields: Fields, piece: Parameter, value: Parts, operator: str) -> None:
        """The value comes from outside: the other text may be taken or not."""
        self.state.branch()
        self.doubt += 1
        if operator == "?":
            self.refused()
        other = self.one(piece.argument)
        if operator == "=":
            self.assign(piece.name, other)
        self.doubt -= 1
        self.state.adopt([self.state.rewind(), {}])
        why = "whether it is empty is not told by the line"
        several = self._has_list(piece.argument)
        hole = self._unclear(piece, why, "word" if piece.quoted and not several else "words")
        if several:
            pass  # `"${x-"$@"}"` is as many words as there are
        elif operator == "+":
            hole = replace(hole, choices=(Word(other), Word(())), only=piece.quoted or not self._keeps(piece))
        elif operator == "?" and isinstance(value[0], Hole):
            hole = replace(hole, choices=value[0].choices, only=value[0].only)
        elif other:
            hole = replace(hole, choices=(Word(other),))
        elif operator in "-=" and not other:
            hole = replace(hole, text=f"${piece.name}")  # `${SUDO:-}` is `$SUDO`
        fields.hole(hole)

    def _keeps(self, piece: Parameter) -> bool:
        """Whether quotes in the other text may keep together what is parted elsewhere: `${x:+a "b c"}`."""
        letters = self.separators()
        return any(
            each.quoted
            and (letters is None or not isinstance(each, Text) or not set(letters).isdisjoint(each.text))
            for each in piece.argument
            if not isinstance(each, Process)
        )

    def _has_list(self, pieces: tuple[Piece, ...]) -> bool:
        """Whether some of these may become several words though they stand within quotes."""
        return any(
            isinstance(piece, Parameter)
            and (self.is_list(piece) or piece.prefix == "!" or self._has_list(piece.argument))
            for piece in pieces
        )

    def transformed(self, piece: Parameter, value: Parts) -> Parts | None:
        """A value after `#`, `%`, `/`, `^`, `,`, `@` or `:`; None where that cannot be told."""
        text = "".join(part for part in value if isinstance(part, str))
        whole = all(isinstance(part, str) for part in value)
        change = _CHANGES_BY_OPERATOR.get(piece.operator[0])
        if change is None or not whole:
            self._aside(piece)
            return None
        changed = change(self, piece, text)
        return None if changed is None else (changed,) if changed else ()

    def _removed(self, piece: Parameter, text: str) -> str | None:
        from hookline.shell.values.patterns import removed

        pattern = self._pattern(piece.argument)
        return None if pattern is None else removed(text, pattern, piece.operator)

    def _replaced(self, piece: Parameter, text: str) -> str | None:
        from hookline.shell.values.patterns import replaced, replaced_at_end

        before, after = _split_at_slash(piece.argument)
        first = before[0] if before and isinstance(before[0], Text) else None
        anchor = first.text[:1] if first is not None and first.text[:1] in ("#", "%") else ""
        if first is not None and anchor and (first.quoted or piece.operator == "//"):
            anchor = "?"
        elif first is not None and anchor:
            before = (replace(first, text=first.text[1:]), *before[1:])
        pattern = self._pattern(before)
        replacement = self.one(after)
        plain = replacement[0] if replacement else ""
        if pattern is None or not isinstance(plain, str) or len(replacement) > 1 or "&" in plain:
            return None
        if self.option("I"):
            return None  # capitals fit small letters
        if anchor:
            return replaced_at_end(text, pattern, anchor, plain) if anchor != "?" else None
        return replaced(text, pattern, piece.operator, plain)

    def _pattern(self, pieces: tuple[Piece, ...]) -> str | None:
        from hookline.shell.values.patterns import pattern_regex

        loose = self.loose(pieces)
        return None if loose is None else pattern_regex(loose)

    def _cased(self, piece: Parameter, text: str) -> str | None:
        if piece.argument:
            self.one(piece.argument)
            return None
        change = {"^": str.upper, ",": str.lower, "~": str.swapcase}[piece.operator[0]]
        if not text.isascii():
            return None
        return change(text) if len(piece.operator) == 2 else change(text[:1]) + text[1:]

    def _quoted_form(self, piece: Parameter, text: str) -> str | None:
        if piece.operator == "@P" and ("$(" in text or "`" in text):
            self.unknown("`@P` runs the commands in a prompt", text)
        cases = {"@U": text.upper(), "@L": text.lower(), "@u": text[:1].upper() + text[1:]}
        return cases.get(piece.operator) if text.isascii() else None

    def _part(self, piece: Parameter, text: str) -> str | None:
        bounds = self._bounds(piece)
        if bounds is None:
            return None
        start, length = bounds
        if start < 0:
            start += len(text)
            if start < 0:
                return ""
        end = len(text) if length is None else length + (len(text) if length < 0 else start)
        if end < start <= len(text):
            self.refused()
            return None
        return text[start:end]


Change = Callable[[Operators, Parameter, str], str | None]
_CHANGES_BY_OPERATOR: dict[str, Change] = {
    "#": Operators._removed, "%": Operators._removed, "/": Operators._replaced, "^": Operators._cased,
    ",": Operators._cased, "~": Operators._cased, "@": Operators._quoted_form, ":": Operators._part,
}  # fmt: skip


def _is_outside(part: object) -> bool:
    return isinstance(part, Hole) and part.outside and part.why != INPUT


def _number(piece: Parameter) -> Hole:
    return Hole("word", f"`{piece.text}` is a number that the line does not tell", piece.text)


def _split_at_slash(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pattern and the replacement of `${x/pattern/replacement}`; a slash that begins a pattern is one of it."""
    for place, piece in enumerate(pieces):
        at = piece.text.find("/", not place) if isinstance(piece, Text) and not piece.quoted else -1
        if at >= 0:
            before, after = Text(piece.text[:at]), Text(piece.text[at + 1 :])
            return (*pieces[:place], before), (after, *pieces[place + 1 :])
    return pieces, ()
