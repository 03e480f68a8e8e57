"""Commands in whose words texts, variables by their name, patterns of files and substitutions stand, with what is set
before them.
"""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any
from hookline.shell.grammar.pieces import Assignment, Parameter, Raw, Substitution, Text
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.tree import Simple
from hookline.shell.plain import LETTERS, NAME, letters_end
from hookline.shell.reading import Word

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Piece
    from hookline.shell.grammar.position import Position

_LETTERS = LETTERS + "=*?~"
_MEANT = frozenset("*?~")
_MEANING = _MEANT | {"[", "{"}
_ENDS = frozenset(("", *" \t;\n|)&"))
_ALONE = ("[", "]", "!", "{}")  # words that mean nothing else where they stand alone
_LONGEST = 4_000  # letters of one


def worded(reader: Position) -> Simple | None:
    """The command that begins where one reads, up to its last word; None where more stands in it than that."""
    start, low, high, scale, text = reader.at, reader.low, reader.high, reader.scale, reader.text
    assignments: list[Any] = []
    words: list[Any] = []
    at = end = start
    parts, goes_on = 0, False
    while at < len(text) and text[at] not in ";\n|)":
        if text[at] in " \t":
            at += 1
            continue
        if text.startswith("\\\n", at):
            at, goes_on = at + 2, True
            continue
        if text[at] in "&>" or text[at + 1 : at + 2] == ">" or text.startswith("<<", at):
            break
        pieces: list[Piece] = []
        begins, at = at, _word(reader, at, pieces)
        if at < 0 or at - start >= _LONGEST:
            return None
        first, end, parts, goes_on = pieces[0], at, parts + len(pieces) + 1, False
        place = low + scale * begins, high + scale * end
        name, equals, value = first.text.partition("=") if isinstance(first, Text) else ("", "", "")
        if equals and isinstance(first, Text) and not first.quoted and name.rstrip("+").isidentifier():
            if name[-1] == "+" or any(isinstance(each, Text) and "~" in each.text for each in pieces):
                return None
            pieces[:1] = [Text(f"{name}="), Text(value)] if value else [Text(f"{name}=")]
            whole = Raw(tuple(pieces), *place)
            (words or assignments).append(Assignment(name, Raw(whole.pieces[1:], *place), whole))
        elif len(pieces) == 1 and isinstance(first, Text) and (first.quoted or _MEANT.isdisjoint(first.text)):
            words.append(Word((first.text,) if first.text else (), *place))
        else:
            words.append(Raw(tuple(pieces), *place))
    if (
        goes_on
        or text[end - 1 : end] in (" ", "\t")
        or not (words or assignments)
        or (words and not (isinstance(words[0], Word) and words[0].parts))
    ):
        return None
    reader.count(2 + parts + (len(words) >> 3))
    reader.at = end
    return Simple(tuple(assignments), tuple(words), (), low + scale * start, high + scale * end)


def raw_word(reader: Position) -> Raw:
    """The word that begins where one reads, as written."""
    pieces: list[Piece] = []
    start = reader.at
    end = _word(reader, start, pieces)
    if end < 0 or end - start >= _LONGEST:
        raise Unclear(start, "a word is no plain one")
    reader.at = end
    first = pieces[0] if len(pieces) == 1 else None
    means = not isinstance(first, Text) or (not first.quoted and not _MEANING.isdisjoint(first.text))
    place = reader.low + reader.scale * start, reader.high + reader.scale * end
    return Raw(tuple(pieces), *place, None if means or not isinstance(first, Text) else first.text)


def _word(reader: Position, at: int, pieces: list[Piece]) -> int:
    """Adds what stands in a word; where that ends, -1 where anything else stands in it."""
    text, start = reader.text, at
    while (letter := text[at : at + 1]) not in _ENDS:
        if letter == "'":
            begins, at = at + 1, text.find("'", at + 1) + 1
            if not at or not _is_told(text[begins : at - 1]):
                return -1
            pieces.append(Text(text[begins : at - 1], True))
        elif letter == '"':
            at = _quoted(reader, at + 1, pieces)
        elif letter == "$":
            at = _dollar(reader, at, pieces, False)
        elif letter == "\\":
            if not _is_told(text[at + 1 : at + 2]) or text[at + 1 : at + 2] in ("", "\n"):
                return -1
            pieces.append(Text(text[at + 1], True))
            at += 2
        elif alone := next((each for each in _ALONE if at == start and text.startswith(each, at)), ""):
            at += len(alone)
            if text[at : at + 1] not in _ENDS:
                return -1
            pieces.append(Text(alone))
        else:
            found = text[at : letters_end(text, at, _LETTERS)]
            pieces.append(Text(found))
            at += len(found) or -1 - at
        if at < 0:
            return -1
    return at


def _quoted(reader: Position, at: int, pieces: list[Piece]) -> int:
    text = reader.text
    pieces.append(Text("", True))
    while True:
        ends = [place for mark in '"$`\\' if (place := text.find(mark, at, at + _LONGEST)) >= 0]
        end = min(ends, default=len(text))
        if end > at:
            if not _is_told(text[at:end]):
                return -1
            pieces.append(Text(text[at:end], True))
        letter = text[end : end + 1]
        if letter == '"':
            return end + 1
        if letter == "\\" and text[end + 1 : end + 2] not in ("", "\n"):
            taken = text[end + 1] in '$`"\\'
            pieces.append(Text(text[end + 1] if taken else "\\", True))
            at = end + 1 + taken
        else:
            at = _dollar(reader, end, pieces, True) if letter == "$" else -1
        if at < 0:
            return -1


def _dollar(reader: Position, at: int, pieces: list[Piece], quoted: bool) -> int:
    """`$name`, `${name}`, `$?` and `$(…)`."""
    text = reader.text
    if text.startswith("$(", at):
        if text.startswith("((", at + 1):
            return -1
        reader.at = at + 2
        body = reader.nested(")")
        start, end = reader.low + reader.scale * at, reader.high + reader.scale * reader.at
        pieces.append(Substitution(body, text[at : reader.at], quoted, start, end))
        return reader.at
    if text[at + 1 : at + 2] == "{":
        end = text.find("}", at) + 1
        name = text[at + 2 : end - 1] if end else ""
    else:
        first = text[at + 1 : at + 2]
        end = at + 2 if first == "?" or first.isdigit() else letters_end(text, at + 1, NAME)
        name = text[at + 1 : end]
    if name != "?" and not (name.isascii() and (name.isidentifier() or (len(name) == 1 and name.isdigit()))):
        return -1
    pieces.append(Parameter(name, text[at:end], quoted))
    return end


def _is_told(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").isprintable()
