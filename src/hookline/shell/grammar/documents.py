"""Here-documents: each is announced on one line, and its body is read behind that."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.pieces import Document, Text
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.tree import Redirect
from hookline.shell.reading import Word

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Piece
    from hookline.shell.grammar.position import Position

_DELIMITER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_BEHIND = frozenset(("", *" \t\n|&;()<>"))


def announced(reader: Position, at: int) -> Redirect | None:
    """The here-document with a plain delimiter, in quotes or without, that is announced there, behind blanks."""
    text = reader.text
    blank = text[at : at + 1] in (" ", "\t")  # what stands before it may else be a number of its own
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    if not blank or not text.startswith("<<", at) or text.startswith("<<<", at):
        return None
    tabs = text.startswith("-", at + 2)
    at += 2 + tabs
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    begins = at
    mark = text[at : at + 1] if text[at : at + 1] in ("'", '"') else ""
    at += len(mark)
    rest = text[at : at + 80]
    delimiter = rest[: len(rest) - len(rest.lstrip(_DELIMITER))]
    at += len(delimiter)
    if not delimiter or not text.startswith(mark, at):
        return None
    at += len(mark)
    if text[at : at + 1] not in _BEHIND:
        return None
    reader.at = at
    word = Word((delimiter,), reader.low + reader.scale * begins, reader.high + reader.scale * reader.at)
    document = waits(reader, Document(delimiter, tabs, bool(mark), word))
    return Redirect(None, "<<-" if tabs else "<<", word, document)


def waits(reader: Position, document: Document) -> Document:
    """Notes that its body is to be read behind the next newline."""
    reader.documents.append(document)
    if reader.reprinted is not None:
        reader.reprinted = 1
    return document


def read_bodies(reader: Position) -> None:
    """Of all that wait, behind a newline."""
    waiting, reader.documents = reader.documents, []
    for document in waiting:
        document.pieces = _body(reader, document, document is waiting[-1])


def _body(reader: Position, document: Document, last: bool) -> tuple[Piece, ...]:
    start = reader.at
    verbatim = not document.tabs and reader.scale == 1
    text = _plain_body(reader, document)
    if text is None:
        text, verbatim = _joined_body(reader, document, last, verbatim)
    if document.quoted or not ("$" in text or "`" in text or "\\" in text):
        return (Text(text, True),) if text else ()
    low, high = reader.low + reader.scale * start, reader.high + reader.scale * reader.at
    return reader.document(text, low, low if verbatim else high, 1 if verbatim else 0)


def _plain_body(reader: Position, document: Document) -> str | None:
    """A body whose lines need not be looked at one by one; None where that is not so, or it does not end."""
    mark, text = f"\n{document.delimiter}\n", reader.text
    if document.tabs or reader.reprinted is not None or "\n" in document.delimiter:
        return None
    end = text.find(mark, reader.at - 1)
    if end < 0 and text.endswith(mark[:-1], reader.at - 1):
        end = len(text) - len(mark) + 1
    body = text[reader.at : end + 1]
    if end < 0 or (not document.quoted and "\\\n" in body):
        return None
    reader.at = min(end + len(mark), len(text))
    return body


def _joined_body(reader: Position, document: Document, last: bool, verbatim: bool) -> tuple[str, bool]:
    """Line by line; and whether they are as they stand there."""
    lines: list[str] = []
    # what a backslash joins is one line, also in a comment or in quotes of a `$(…)`, and may be the delimiter
    continued, begun, joined = False, 0, ""
    while True:
        if reader.at >= len(reader.text):
            break  # the end of the line ends it too
        end = reader.text.find("\n", reader.at)
        end = len(reader.text) if end < 0 else end
        line = reader.text[reader.at : end]
        reader.at = min(end + 1, len(reader.text))
        if document.tabs and not continued:
            line = line.lstrip("\t")
        begun, joined = (begun, joined[:-1] + line) if continued else (len(lines), line)
        if joined == document.delimiter:
            del lines[begun:]
            break
        goes_on = not document.quoted and (len(line) - len(line.rstrip("\\"))) % 2 == 1
        if reader.reprinted is not None and _ends_early(joined, document.delimiter):
            if continued or goes_on or not last or reader.in_document:
                raise Unclear(end, "the end of a here-document stands in a line with more")
            reader.at = end - len(line) + len(document.delimiter)  # bash reads on behind it: `$(cat <<E … E)`
            break
        lines[begun:] = [joined]
        verbatim = verbatim and not continued
        continued = goes_on
    return "\n".join(lines) + "\n" * bool(lines), verbatim


def _ends_early(line: str, delimiter: str) -> bool:
    """Whether a line ends a here-document in a `$(…)` although more stands in it."""
    return line.startswith(delimiter) and ")" in line[len(delimiter) :]
