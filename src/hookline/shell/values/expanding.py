"""Expansion: what a word as written becomes, by what is known of the shell that runs it."""

from __future__ import annotations

import re

from hookline.shell.grammar.pieces import (
    Arithmetic,
    Assignment,
    Parameter,
    Piece,
    Process,
    Raw,
    Substitution,
    Text,
)
from hookline.shell.reading import Hole, Word
from hookline.shell.values import filling
from hookline.shell.values.arrays import Array
from hookline.shell.values.fields import Fields
from hookline.shell.values.filling import fields_of
from hookline.shell.values.parameters import Parameters
from hookline.shell.values.substituting import substituted


class Expansion(Parameters):
    """The part of the reader that expands words; commands inside of them are run by the rest."""

    one, fill = filling.one, filling.fill

    def words(self, raw: Raw | Assignment) -> list[Word]:
        assigned = False
        if isinstance(raw, Assignment):
            head = raw.whole.pieces[0] if raw.index is not None and raw.whole.pieces else None
            raw, assigned = raw.whole, True
            if isinstance(head, Text) and not {"'", '"'}.isdisjoint(head.text):
                self.one(raw.pieces)
                return [
                    Word(
                        (Hole("words", "bash takes off the quotes of an index", head.text),),
                        raw.start,
                        raw.end,
                    )
                ]
        if raw.plain is not None and not self.stand_ins:
            return [Word((raw.plain,) if raw.plain else (), raw.start, raw.end)]
        pieces = raw.pieces or (Text(raw.plain or "", True),)
        if _unpaired(pieces):
            self.one(pieces)
            return [Word((Hole("words", "its braces do not pair"),), raw.start, raw.end)]
        if assigned and any(
            "=~" in piece.text for piece in pieces[1:] if isinstance(piece, Text) and not piece.quoted
        ):
            self.one(pieces)  # behind a tilde that is none, bash does not expand what stands between the two
            return [
                Word(
                    (Hole("words", "bash may take a `~` for the home folder", raw.plain or ""),),
                    raw.start,
                    raw.end,
                )
            ]
        if not has_braces(pieces):
            return fields_of(self, pieces, raw, assigned)
        if self.option("B"):
            self.one(pieces)
            return [
                Word((Hole("words", "its braces may stay as they are", raw.plain or ""),), raw.start, raw.end)
            ]
        from hookline.shell.values.braces import Quotes, TooMany, brace_words

        differs = "`{a,b}` is expanded by bash and not by dash"
        try:
            several = brace_words(pieces)
        except TooMany as error:
            last = pieces[-1]
            ends = isinstance(last, Text) and not last.quoted and re.fullmatch(r"[^}]*\}", last.text)
            if isinstance(error, Quotes) and not ends:
                self.unknown("a backtick that braces make may run what stands behind it", raw.plain or "")
            self.differs("dash", differs)
            self.one(pieces)
            hole = Hole("words", "its braces make too many words")
            return [Word((hole,), raw.start, raw.end)]
        if len(several) != 1 or _braces_of(several[0]) != _braces_of(pieces):
            self.differs("dash", differs)
        self.spend(4 * len(several))
        return [word for each in several for word in fields_of(self, each, raw, assigned)]

    def loose(self, pieces: tuple[Piece, ...]) -> list[tuple[str, bool]] | None:
        fields = Fields("", whole=True)
        self.fill(fields, pieces)
        fields.end()
        found: list[tuple[str, bool]] = []
        for piece in (piece for field in fields.done for piece in field):
            if isinstance(piece, Hole):
                return None
            found.append(piece)
        return found

    def separators(self) -> str | None:
        if isinstance(self.state.slots.get("IFS"), Array):
            self.unknown(
                "bash takes bytes of its own memory, its marks among them, for an `IFS` that is a list"
            )
            return None
        value = self.scalar("IFS")
        found = " \t\n" if value is None else Word(value).literal
        if any(isinstance(part, str) and not part.isascii() for part in value or ()):
            self.unknown("bash may part a word within a letter of `IFS` that is more than a byte")
        return found

    def computed(self, fields: Fields, piece: Substitution | Arithmetic | Process) -> None:
        if isinstance(piece, Substitution):
            substituted(self, fields, piece)
        elif isinstance(piece, Arithmetic):
            fields.value(self.calculated(piece.pieces, piece.text), piece.quoted)
        else:
            fields.hole(self.process_file(piece))


def has_braces(pieces: tuple[Piece, ...]) -> bool:
    """Whether there may be something to expand in braces."""
    opened = False
    for piece in pieces:
        if isinstance(piece, Text) and not piece.quoted:
            opened = opened or "{" in piece.text
            if opened and "}" in piece.text:
                return True
    return False


def expands_braces(pieces: tuple[Piece, ...]) -> bool:
    """Whether braces make other words of it, or may: `{}` and `{a}` stay as they are."""
    if not has_braces(pieces):
        return False
    from hookline.shell.values.braces import TooMany, brace_words

    try:
        several = [] if _unpaired(pieces) else brace_words(pieces)
    except TooMany:
        return True
    texts = ["".join(piece.text for piece in each) for each in (*several, pieces)]
    return len(texts) != 2 or texts[0] != texts[1]


def _braces_of(pieces: tuple[Piece, ...]) -> int:
    """How many braces stand there as they are: `{}` is no list."""
    return sum(piece.text.count("{") for piece in pieces if isinstance(piece, Text) and not piece.quoted)


def _unpaired(pieces: tuple[Piece, ...]) -> bool:
    """Whether braces of `${…}` and braces that expand may be taken for each other."""
    dollars = False
    for piece in pieces:
        if isinstance(piece, Parameter):
            if piece.text.count("{") > piece.text.count("}") or _stays_open(piece.argument):
                return True
            dollars = piece.text == "$$"
        elif dollars and isinstance(piece, Text) and piece.text[:1] == "{":
            return True
        else:
            dollars = False
    return False


def _stays_open(pieces: tuple[Piece, ...]) -> bool:
    """`${x-'}'{a}`: whether a brace is opened in it that only seems to be closed there."""
    plain = [piece.text for piece in pieces if isinstance(piece, Text) and not piece.quoted]
    inner = any(isinstance(piece, Parameter) and _stays_open(piece.argument) for piece in pieces)
    return inner or sum(text.count("{") - text.count("}") for text in plain) > 0
