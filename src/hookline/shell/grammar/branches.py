"""Brackets, branches and loops of a shell line: their nodes, and how each is read behind its reserved word."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Any, Callable
from hookline.shell.grammar.position import Position, Unclear
from hookline.shell.grammar.tree import Sequence

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Assignment, Raw

_BEHIND_NAME = ("", " ", "\t", "\n", ";")
_BEHIND_SUBJECT = ("", " ", "\t", "\n", "(")


class Group(Record):
    body: Sequence


class Subshell(Record):
    body: Sequence
    coproc: bool = False


class If(Record):
    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None = None


class While(Record):
    condition: Sequence
    body: Sequence
    until: bool = False


class For(Record):
    """`words` is None where the positional parameters are meant."""

    name: str
    words: tuple[Raw | Assignment, ...] | None
    body: Sequence
    select: bool = False


class Clause(Record):
    patterns: tuple[Raw, ...]
    body: Sequence
    terminator: str


class Case(Record):
    subject: Raw
    clauses: tuple[Clause, ...]


def subshell(reader: Position) -> Subshell:
    """`(…)`, from its bracket on."""
    reader.at += 1
    start, waiting, reader.documents = reader.at, reader.documents, []
    reader.deeper()
    body = reader.block(frozenset(), ")")
    reader.closed(start)
    reader.depth -= 1
    reader.documents = waiting + reader.documents
    return Subshell(body)


def _keyword(reader: Position, *wanted: str) -> str:
    """Takes one of the reserved words."""
    reader.blank_lines()
    word = reader.reserved()
    if word not in wanted:
        raise Unclear(reader.at, f"`{wanted[-1]}` is missing")
    reader.at += len(word)
    return word


def _group(reader: Position) -> Group:
    body = reader.block(frozenset({"}"}), "")
    _keyword(reader, "}")
    return Group(body)


def _if(reader: Position) -> If:
    branches = []
    otherwise = None
    while True:
        condition = reader.block(frozenset({"then"}), "")
        _keyword(reader, "then")
        body = reader.block(frozenset({"elif", "else", "fi"}), "")
        branches.append((condition, body))
        word = _keyword(reader, "elif", "else", "fi")
        if word == "else":
            otherwise = reader.block(frozenset({"fi"}), "")
            _keyword(reader, "fi")
        if word != "elif":
            return If(tuple(branches), otherwise)


def _while(reader: Position, until: bool = False) -> While:
    condition = reader.block(frozenset({"do"}), "")
    return While(condition, loop_body(reader), until)


def loop_body(reader: Position) -> Sequence:
    """`do … done`, or `{ … }`, which bash takes as well."""
    word = _keyword(reader, "{", "do")
    body = reader.block(frozenset({"}"}) if word == "{" else frozenset({"done"}), "")
    _keyword(reader, "}" if word == "{" else "done")
    return body


def named_loop(reader: Position, select: bool = False) -> For:
    """`for name in …`, behind its first word."""
    reader.blanks()
    text, start = reader.text, reader.at
    end = next(
        (at for at in range(start, len(text)) if not (text[at].isalnum() or text[at] == "_")), len(text)
    )
    name = text[start:end]
    named = name.isidentifier() and name.isascii() and text[start - 1] in " \t"
    if not named or text[end : end + 1] not in _BEHIND_NAME:
        raise Unclear(start - 1, "the loop has no name")
    reader.at = end
    reader.blank_lines()
    words = _in_words(reader)
    end_of_head(reader)
    return For(name, words, loop_body(reader), select)


def _in_words(reader: Position) -> tuple[Raw | Assignment, ...] | None:
    if not _takes_in(reader, _BEHIND_NAME):
        return None
    words: list[Raw | Assignment] = []
    while True:
        reader.blanks()
        if reader.text.startswith("#", reader.at):
            return tuple(words)  # a comment
        word = reader.element()
        if not getattr(word, "pieces", True):
            return tuple(words)
        words.append(word)


def _takes_in(reader: Position, behind: tuple[str, ...]) -> bool:
    found = reader.text.startswith("in", reader.at) and reader.text[reader.at + 2 : reader.at + 3] in behind
    reader.at += 2 * found
    return found


def end_of_head(reader: Position) -> None:
    reader.blanks()
    if reader.text.startswith(";", reader.at):
        reader.at += 1
    reader.blank_lines()


def _case(reader: Position) -> Case:
    reader.blanks()
    subject = reader.word()
    reader.blank_lines()
    if not _takes_in(reader, _BEHIND_SUBJECT):
        raise Unclear(reader.at, "`in` is missing")
    clauses: list[Clause] = []
    while True:
        reader.blank_lines()
        if reader.reserved() == "esac":
            reader.at += len("esac")
            return Case(subject, tuple(clauses))
        clauses.append(_clause(reader))


def _clause(reader: Position) -> Clause:
    patterns = []
    if reader.text.startswith("(", reader.at):
        reader.at += 1
    while True:
        reader.blanks()
        pattern = reader.word()
        if not pattern.pieces:
            raise Unclear(reader.at, "a case has no pattern")
        patterns.append(pattern)
        reader.blanks()
        if reader.text.startswith("|", reader.at):
            reader.at += 1
            continue
        reader.closed(reader.at)
        break
    body = reader.block(frozenset({"esac"}), "")
    for terminator in (";;&", ";;", ";&"):
        if reader.text.startswith(terminator, reader.at):
            reader.at += len(terminator)
            return Clause(tuple(patterns), body, terminator)
    return Clause(tuple(patterns), body, ";;")


WAYS: dict[str, Callable[[Position], Any]] = {
    "{": _group, "if": _if, "while": _while, "until": lambda reader: _while(reader, True),
    "for": named_loop, "select": lambda reader: named_loop(reader, True), "case": _case,
}  # fmt: skip
