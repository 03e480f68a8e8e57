"""Commands in whose words texts, variables with their operators, patterns of files, substitutions and sums stand, with
what is set before them.
"""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any
from hookline.shell.grammar.pieces import Arithmetic, Assignment, Parameter, Raw, Substitution, Text
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
_ALONE = frozenset("{}[]")  # letters that mean something only with others
_LONGEST = 4_000  # letters of one
_OF_SUMS = NAME + " \t+-*/%=!&|^~?:,.<>;"
_OPERATORS = (
    ":-", ":=", ":?", ":+", "##", "%%", "//", "^^", ",,", "-", "=", "?", "+", "#", "%", "/", "^", ",", ":",
)  # fmt: skip
_OF_PATTERNS = frozenset("#%/^,")
_IN_BRACES = LETTERS + "=*?~#!;|()[]& \t"
_ODD_IN_DOCUMENTS = ("<<", "@(", "?(", "*(", "+(", "!(")  # beside what it runs


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
        if pieces[1:2] == [Text("[")] and isinstance(first, Text) and first.text.isidentifier():
            written = text[begins:end]
            if "]" not in written or "=" in written:
                return None  # it may be an assignment to an element
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
        elif (
            letter in _ALONE
            or (letter == "!" and text[at + 1 : at + 2] != "(")
            or (letter == "#" and at > start)
        ):
            pieces.append(Text(letter))
            at += 1
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
    """`$name`, `${…}`, `$?`, `$((…))` and `$(…)`."""
    text = reader.text
    if text.startswith("$((", at):
        inner = calculation(reader, at + 3)
        pieces.append(Arithmetic(inner, text[at : reader.at], quoted))
        return reader.at
    if text.startswith("$(", at):
        reader.at = at + 2
        body = reader.nested(")")
        start, end = reader.low + reader.scale * at, reader.high + reader.scale * reader.at
        pieces.append(Substitution(body, text[at : reader.at], quoted, start, end))
        return reader.at
    if text.startswith("${", at):
        return _braced(reader, at, pieces, quoted)
    if text[at + 1 : at + 2] in _ENDS or (quoted and text.startswith('"', at + 1)):
        pieces.append(Text("$", quoted))
        return at + 1
    end = _name_end(text, at + 1)
    if end > 0:
        pieces.append(Parameter(text[at + 1 : end], text[at:end], quoted))
    return end


def _name_end(text: str, at: int) -> int:
    """Where the name of a variable ends, a digit, `?` or `!` that stands there; -1 where none does."""
    if text[at : at + 1] in ("?", "!") or (text[at : at + 1].isascii() and text[at : at + 1].isdigit()):
        return at + 1
    end = letters_end(text, at, NAME)
    return end if end > at else -1


def _braced(reader: Position, at: int, pieces: list[Piece], quoted: bool) -> int:
    """`${name}`, `${#name}`, and `${name:-text}` with any operator and what `_word` takes behind it, but no quotes."""
    text = reader.text
    prefix = "#" if text.startswith("#", at + 2) else ""
    begins = at + 2 + len(prefix)
    end = _name_end(text, begins)
    name = text[begins:end] if end > 0 else ""
    operator = next((each for each in _OPERATORS if text.startswith(each, end)), "") if end > 0 else ""
    if not name or (operator and (prefix or name in "?!")):
        return -1
    end += len(operator)
    argument: list[Piece] = []
    kept = quoted and operator[:1] not in _OF_PATTERNS
    while operator and not text.startswith("}", end):
        stop = letters_end(text, end, _IN_BRACES)
        if stop > end:
            argument.append(Text(text[end:stop], kept))
        elif text.startswith("$", end) and (kept or not text.startswith("$((", end)):
            stop = _dollar(reader, end, argument, kept)
        if stop <= end:
            return -1
        end = stop
    whole = text[at : end + 1]
    if (
        not text.startswith("}", end)
        or whole.count("{") > whole.count("}")
        or (operator == ":" and not argument)
    ):
        return -1
    pieces.append(Parameter(name, whole, quoted, prefix, None, operator, tuple(argument)))
    return end + 1


def calculation(reader: Position, start: int) -> tuple[Piece, ...]:
    """What stands between `((` and `))`: names, numbers, variables and signs."""
    text, at, depth = reader.text, start, 0
    pieces: list[Piece] = []
    while True:
        stop = letters_end(text, at, _OF_SUMS)
        letter = text[stop : stop + 1]
        if stop > at:
            pieces.append(Text(text[at:stop], True))
        if letter == "$":
            at = _dollar(reader, stop, pieces, True)
        elif letter == "(" or (letter == ")" and depth):
            depth += 1 if letter == "(" else -1
            pieces.append(Text(letter, True))
            at = stop + 1
        else:
            break
        if at < 0:
            break
    if at < 0 or not text.startswith("))", stop) or "case" in text[start:stop]:
        raise Unclear(start, "what is calculated is no plain sum")
    reader.count(1 + len(pieces))
    reader.at = stop + 2
    return tuple(pieces)


def document_pieces(reader: Position) -> tuple[Piece, ...]:
    """All of the text as the body of a here-document, with what `_dollar` takes."""
    text, at = reader.text, 0
    pieces: list[Piece] = []
    while 0 <= at < len(text):
        ends = [place for mark in "$\\`" if (place := text.find(mark, at)) >= 0]
        end = min(ends, default=len(text))
        letter, behind = text[end : end + 1], text[end + 1 : end + 2]
        pieces.append(Text(text[at:end], True))
        if letter == "$":
            alone = behind in ("", *" \t\n.,/")
            pieces += [Text("$", True)] * alone
            at = end + 1 if alone else _dollar(reader, end, pieces, True)
        elif letter == "\\":
            pieces.append(
                Text(behind if behind in tuple("$`\\") else "" if behind == "\n" else f"\\{behind}", True)
            )
            at = end + 2
        else:
            at = end if not letter else -1
    odd = "$(" in text and any(each in text for each in _ODD_IN_DOCUMENTS)
    if at < 0 or odd:
        raise Unclear(0, "a here-document is no plain one")
    reader.count(len(pieces))
    return tuple(pieces)


def _is_told(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").isprintable()
