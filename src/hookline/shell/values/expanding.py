"""Expansion: what a word as written becomes, by what is known of the shell that runs it."""

from __future__ import annotations

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
from hookline.shell.values.filling import has_braces, words_of
from hookline.shell.values.parameters import Parameters
from hookline.shell.values.substituting import substituted


class Expansion(Parameters):
    """The part of the reader that expands words; commands inside of them are run by the rest."""

    one = filling.one

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
        return words_of(self, pieces, raw, assigned)

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
            from hookline.shell.values.calculating import calculated

            fields.value(calculated(self, piece.pieces, piece.text), piece.quoted)
        else:
            fields.hole(self.process_file(piece))


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
