"""Expansion: what a word as written becomes, by what is known of the shell that runs it."""

from __future__ import annotations

import re

from hookline.shell.grammar.syntax import Arithmetic, Assignment, Parameter, Piece, Raw, Substitution, Text
from hookline.shell.reading import Hole, Parts, Word, glued
from hookline.shell.values.arrays import Array
from hookline.shell.values.fields import Fields, blanks_of, within_quotes
from hookline.shell.values.parameters import Parameters

_TILDE = r"~([A-Za-z0-9_.+-]*)(?=/|\Z)"
_TILDE_BEFORE = r"~[A-Za-z0-9_.+-]*[:=]"
_TILDE_ASSIGNED = r"(?:^|(?<=[:=]))~([A-Za-z0-9_.+-]*)(?=[/:]|\Z)"


_BETWEEN = Hole("word", "which letter of `IFS` stands between the words of a list")


class Expansion(Parameters):
    """The part of the reader that expands words; commands inside of them are run by the rest."""

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
            return self.fields(pieces, raw, assigned)
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
        return [word for each in several for word in self.fields(each, raw, assigned)]

    def fields(self, pieces: tuple[Piece, ...], raw: Raw, assigned: bool = False) -> list[Word]:
        separators = None if any(map(_keeps_whole, pieces)) else self.separators()
        fields = Fields(None if separators != " \t\n" and self._joins(pieces, separators) else separators)
        self.fill(fields, pieces, assigned)
        words = fields.words(raw.start, raw.end, not self.option("f"))
        if self.option("n"):
            words = [_none_at_all(word) for word in words]
        self.spend(4 + (len(words) >> 1))
        return words

    def _joins(self, pieces: tuple[Piece, ...], separators: str | None) -> bool:
        """`$a$*`: whether bash may take what parts words at the end of a value for the list's own."""
        lists = any(
            isinstance(each, Parameter) and (self.is_list(each) or each.text.endswith(("@}", "*}")))
            for each in pieces
        )
        return lists and len(pieces) > 1 and separators is not None and all(blanks_of(separators))

    def fill(
        self, fields: Fields, pieces: tuple[Piece, ...], assigned: bool = False, splits: bool = False
    ) -> None:
        for place, piece in enumerate(pieces):
            if isinstance(piece, Text):
                if self.stand_ins and not piece.text.isascii():
                    self._stood_for(fields, piece)
                    continue
                text = piece.text
                if not piece.quoted and "~" in text:
                    last = place == len(pieces) - 1
                    text = self._tilde(fields, text, place == 0, last, assigned)
                if splits and not piece.quoted:
                    fields.value((text,), False)
                else:
                    fields.add(text, piece.quoted)
            elif isinstance(piece, Parameter):
                if splits and not piece.quoted and fields.separators != " \t\n" and self.is_list(piece):
                    fields.hole(Hole("words", "bash may join the list", piece.text))
                else:
                    alone = all(each is piece or each == Text("", True) for each in pieces)
                    self.parameter(fields, piece, alone)
            elif isinstance(piece, Substitution):
                output = self.substituted(piece)
                if piece.quoted:
                    fields.value(tuple(map(_quoted, output)), True)
                else:
                    fields.value(output, False)
            elif isinstance(piece, Arithmetic):
                fields.value(self.calculated(piece.pieces, piece.text), piece.quoted)
            else:
                fields.hole(self.process_file(piece))

    def one(self, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
        if (
            len(pieces) == 1
            and isinstance(pieces[0], Text)
            and "~" not in pieces[0].text
            and not self.stand_ins
        ):
            return (pieces[0].text,) if pieces[0].text else ()
        fields = Fields("", whole=True)
        self.fill(fields, pieces, assigned)
        fields.end()
        parts: list[str | Hole] = []
        between = self._between(pieces) if len(fields.done) > 1 else " "
        for place, field in enumerate(fields.done):
            if place:
                parts.append(between)
            parts += [within_quotes(piece) if isinstance(piece, Hole) else piece[0] for piece in field]
        return glued(parts)

    def _between(self, pieces: tuple[Piece, ...]) -> str | Hole:
        """What bash puts between the words of `"$@"` that are one word here; of `"${@#x}"` not always a blank."""
        changed = any(isinstance(piece, Parameter) and (piece.operator or piece.prefix) for piece in pieces)
        letters = self.separators() if changed else " "
        return " " if letters is not None and letters[:1] in ("", " ") else _BETWEEN

    def _stood_for(self, fields: Fields, piece: Text) -> None:
        for part in self.stood_for(piece.text, piece.quoted):
            if isinstance(part, str):
                fields.add(part, piece.quoted)
            else:
                fields.hole(part)

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

    # Tildes

    def _tilde(self, fields: Fields, text: str, first: bool, last: bool, assigned: bool) -> str:
        """Puts what begins the text, up to its last tilde, into the fields; what is left is returned."""
        at = 0
        if assigned:
            for found in re.compile(_TILDE_ASSIGNED).finditer(text):
                whole = found.end() < len(text) or last
                if (found.start() == 0 and not first and not assigned) or not whole:
                    continue
                fields.add(text[at : found.start()], False)
                self.spend(1)
                if text[found.start() - 1 : found.start()] == "=" and found.start() > text.find("=") + 1:
                    fields.hole(Hole("word", "bash may take this `~` for the home folder", found[0]))
                else:
                    self._home(fields, found[1])
                at = found.end()
        elif first and (start := re.compile(_TILDE).match(text)) and (start.end() < len(text) or last):
            self._home(fields, start[1])
            at = start.end()
        elif first and re.compile(_TILDE_BEFORE).match(text):
            fields.hole(Hole("word", "bash may take this `~` for the home folder", text))
            return ""
        return text[at:]

    def _home(self, fields: Fields, name: str) -> None:
        """`~`, `~+`, `~-`, or a user's home, which only who asks for the reading can know."""
        home = self.scalar({"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(name, f"~{name}"))
        if home is not None and all(isinstance(part, str) for part in home):
            fields.value(home, True)
        else:
            fields.hole(Hole("word", f"the home folder `~{name}` is not told by the line", f"~{name}"))


def _none_at_all(word: Word) -> Word:
    """With `nullglob`, a pattern that nothing fits is no word; a value without quotes may be one."""
    bracket = any(isinstance(part, str) and "[" in part for part in word.parts)  # the other may be in a hole
    if not any(isinstance(part, Hole) and (bracket or part.kind != "word") for part in word.parts):
        return word
    text = "".join(part if isinstance(part, str) else part.text for part in word.parts)
    return Word(
        (Hole("words", "files that fit the pattern are put here, or nothing", text),), word.start, word.end
    )


def _keeps_whole(piece: Piece) -> bool:
    """Whether it may keep bash from splitting its word: a `$` that begins nothing, and a `$!` that is not set."""
    if isinstance(piece, Text):
        return piece.text == "$" and not piece.quoted
    return isinstance(piece, Parameter) and piece.name == "!" and not piece.quoted


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


def _quoted(part: str | Hole) -> str | Hole:
    return part if isinstance(part, str) else within_quotes(part)
