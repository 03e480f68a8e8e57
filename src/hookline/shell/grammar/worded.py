"""Commands in whose words texts, variables by their name and patterns of files stand, with what is set before them."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.pieces import Assignment, Parameter, Raw, Text
from hookline.shell.grammar.tree import Simple
from hookline.shell.reading import Word

if TYPE_CHECKING:
    from hookline.shell.grammar.position import Position

_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_LETTERS = _NAME + "./:@%+,^=*?~-"
_MEANT = frozenset("*?~")
_ENDS = frozenset(("", *" \t;\n|)&"))
_LONGEST = 4_000  # letters of one


def worded(reader: Position) -> Simple | None:
    """The command that begins where one reads, up to its last word; None where more stands in it than that."""
    start, low, high, scale = reader.at, reader.low, reader.high, reader.scale
    text = reader.text[start : start + _LONGEST]
    assignments: list[Assignment] = []
    words: list[Word | Raw] = []
    at = end = parts = 0
    while at < len(text) and text[at] not in ";\n|)":
        if text[at] in " \t":
            at += 1
            continue
        if text[at] in "&>" or text[at + 1 : at + 2] == ">":
            break
        pieces: list[Text | Parameter] = []
        begins, at = at, _word(text, at, pieces)
        if at < 0:
            return None
        first, end, parts = pieces[0], at, parts + len(pieces) + 1
        place = low + scale * (start + begins), high + scale * (start + end)
        name, equals, value = first.text.partition("=") if isinstance(first, Text) else ("", "", "")
        if equals and not first.quoted and name.rstrip("+").isidentifier():
            if name[-1] == "+" or any(isinstance(each, Text) and "~" in each.text for each in pieces):
                return None
            pieces[:1] = [Text(f"{name}="), Text(value)] if value else [Text(f"{name}=")]
            whole = Raw(tuple(pieces), *place)
            if words:
                words.append(whole)
            else:
                assignments.append(Assignment(name, Raw(whole.pieces[1:], *place), whole))
        elif len(pieces) == 1 and isinstance(first, Text) and (first.quoted or _MEANT.isdisjoint(first.text)):
            words.append(Word((first.text,) if first.text else (), *place))
        else:
            words.append(Raw(tuple(pieces), *place))
    if not words or not (isinstance(words[0], Word) and words[0].parts) or at == _LONGEST:
        return None
    reader.count(2 + parts + (len(words) >> 3))
    reader.at = start + end
    return Simple(tuple(assignments), tuple(words), (), low + scale * start, high + scale * reader.at)


def _word(text: str, at: int, pieces: list[Text | Parameter]) -> int:
    """Adds what stands in a word; where that ends, -1 where anything else stands in it."""
    while (letter := text[at : at + 1]) not in _ENDS:
        if letter == "'":
            begins, at = at + 1, text.find("'", at + 1) + 1
            if not at or not _is_told(text[begins : at - 1]):
                return -1
            pieces.append(Text(text[begins : at - 1], True))
        elif letter == '"':
            at = _quoted(text, at + 1, pieces)
        elif letter == "$":
            at = _variable(text, at, pieces, False)
        else:
            rest = text[at:]
            found = rest[: len(rest) - len(rest.lstrip(_LETTERS))]
            pieces.append(Text(found))
            at += len(found) or -1 - at
        if at < 0:
            return -1
    return at


def _quoted(text: str, at: int, pieces: list[Text | Parameter]) -> int:
    pieces.append(Text("", True))
    while True:
        ends = [place for mark in '"$`\\' if (place := text.find(mark, at)) >= 0]
        end = min(ends, default=len(text))
        if end > at:
            if not _is_told(text[at:end]):
                return -1
            pieces.append(Text(text[at:end], True))
        if text[end : end + 1] == '"':
            return end + 1
        at = _variable(text, end, pieces, True) if text[end : end + 1] == "$" else -1
        if at < 0:
            return -1


def _variable(text: str, at: int, pieces: list[Text | Parameter], quoted: bool) -> int:
    """`$name`, `${name}` and `$?`."""
    if text[at + 1 : at + 2] == "{":
        end = text.find("}", at) + 1
        name = text[at + 2 : end - 1] if end else ""
    else:
        rest = text[at + 1 :]
        name = "?" if rest[:1] == "?" else rest[: len(rest) - len(rest.lstrip(_NAME))]
        end = at + 1 + len(name)
    if name != "?" and not (name.isidentifier() and name.isascii()):
        return -1
    pieces.append(Parameter(name, text[at:end], quoted))
    return end


def _is_told(text: str) -> bool:
    return text.isascii() and text.isprintable()
