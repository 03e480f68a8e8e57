"""The words of a shell line: quotes, `$…`, backticks, here-documents; one pass, nothing expanded."""

from __future__ import annotations

import re

from hookline.model.typing import TypeGuard
from hookline.shell.grammar.documents import waits
from hookline.shell.grammar.pieces import Assignment, Document, Parameter, Piece, Raw, Substitution, Text
from hookline.shell.grammar.position import OF_BASH, Unclear
from hookline.shell.grammar.quoting import _RUN, Quoting

_IN_DOCUMENT = r"(?s)(?:[^\\$`]++|\\.)++"
_ESCAPED_THERE = r"\\(?:\n|([$`\\]))"
_EXTENDED = r"[@?*+!]\("
_ON = r"(?:\\\n)*+"  # the line goes on behind its end
_ASSIGNED = rf"([A-Za-z_](?:{_ON}[A-Za-z0-9_])*+){_ON}(?:\[([^]\[ \t\n'\"$`\\();&|<>]*)\])?{_ON}(\+?){_ON}="
_SUBSCRIPTED = rf"[A-Za-z_](?:{_ON}[A-Za-z0-9_])*+{_ON}\["
_READ_ONCE_MORE = r"[<>]\(|<<[^\n]*\n"  # a command's pipe, a here-document
_NAME_STARTS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_MEANING = frozenset("{*?[~")
_APART = frozenset(" \t\n|&;()<>")
_BRACKETS = frozenset("[]")


class Words(Quoting):
    """Reads words at `at`. Columns are those of the line: `low + scale * at`, `high + scale * at`."""

    # Words

    def word(self) -> Raw:
        """The word that begins here; of no pieces where none does."""
        text, start = self.text, self.at
        pieces: list[Piece] = []
        while self.at < len(text):
            if run := _RUN.match(text, self.at):
                self.at = run.end()
                if pieces and text.startswith("\\\n", run.start() - 2) and _is_run(pieces[-1]):
                    pieces[-1] = Text(pieces[-1].text + run[0])  # the line goes on
                else:
                    pieces.append(Text(run[0]))
            elif not self._special(pieces):
                break
        return self._raw(pieces, start)

    def element(self) -> Raw | Assignment:
        return self.assignment(True) or self.word()  # in `a=~` the home folder stands for `~` here, too

    def _raw(self, pieces: list[Piece], start: int) -> Raw:
        plain = None
        if len(pieces) == 1 and isinstance(pieces[0], Text):
            only = pieces[0]
            if only.quoted or _MEANING.isdisjoint(only.text):
                plain = only.text
        low, high, scale = self.low, self.high, self.scale
        return Raw(tuple(pieces), low + scale * start, high + scale * self.at, plain)

    # Assignments

    def assignment(self, argument: bool = False) -> Assignment | None:
        """The assignment that begins here, if one does; with `name=(…)` its elements."""
        start = self.at
        if self.text[start : start + 1] not in _NAME_STARTS:
            return None
        found = re.compile(_ASSIGNED).match(self.text, start)
        index: tuple[Piece, ...] | None = None
        if found is not None:
            name, append = found[1].replace("\\\n", ""), bool(found[3])
            if found[2] is not None:
                index = (Text(found[2], True),)
            self.at = found.end()
        elif subscript := re.compile(_SUBSCRIPTED).match(self.text, start):
            name = subscript[0][:-1].replace("\\\n", "")
            index = self._key(subscript.end())
            equals = re.compile(rf"{_ON}(\+?){_ON}=").match(self.text, self.at) if index is not None else None
            if equals is None:
                self._no_index(start, None if argument else index)
                return None
            if argument and not _APART.isdisjoint(self.text[start : self.at].replace("\\\n", "")):
                raise Unclear(start, "bash may end the word within the brackets of an index")
            append = bool(equals[1])
            self.at = equals.end()
        else:
            return None
        self.parts[OF_BASH] += append or index is not None
        return self._assigned(name, append, index, start)

    def _assigned(self, name: str, append: bool, index: tuple[Piece, ...] | None, start: int) -> Assignment:
        head = Text(self.text[start : self.at].replace("\\\n", ""), index is not None)
        if self.text.startswith("(", self.at):
            elements = self._elements()
            if self.at < len(self.text) and self.text[self.at] not in _APART:
                raise Unclear(self.at, "text stands behind the bracket of an array")
            value = self._raw([], self.at)
            whole = self._raw([Text(self.text[start : self.at], True)], start)
            return Assignment(name, value, whole, append, index, elements)
        value = self.word()
        return Assignment(
            name, value, Raw((head, *value.pieces), self.low + self.scale * start, value.end), append, index
        )

    def _elements(self) -> tuple[Raw | Assignment, ...]:
        opened = self.at
        self.at += 1
        elements: list[Raw | Assignment] = []
        while True:
            self.blank_lines()
            if self.text.startswith(")", self.at):
                self.at += 1
                return tuple(elements)
            element = self._keyed() if self.text.startswith("[", self.at) else self.word()
            if self.at >= len(self.text) or not (isinstance(element, Assignment) or element.pieces):
                raise Unclear(opened, "the bracket `(` of an array stays open")
            elements.append(element)

    def _keyed(self) -> Raw | Assignment:
        """`[key]=value` of an array, or a word that only begins so."""
        start = self.at
        index = self._key(start + 1)
        if index is not None and self.text.startswith("=", self.at):
            self.at += 1
            keyed = self._assigned("", False, index, start)
            if any(_has_brackets(piece) for piece in keyed.value.pieces):
                raise Unclear(start, "bash may look for the end of the key in the value")
            return keyed
        self._no_index(start, index)
        return self.word()

    def _key(self, start: int) -> tuple[Piece, ...] | None:
        """What stands in the brackets of an assignment's index; None where they do not close."""
        self.at = start
        found = self._calculation("]")
        if found is not None and re.compile(_READ_ONCE_MORE).search(self.text, start, self.at):
            raise Unclear(start, "bash reads what stands in an index once more, in its own spelling")
        return found

    def _no_index(self, start: int, index: tuple[Piece, ...] | None) -> None:
        """Goes back to where a bracket turned out to be no index; bash keeps what is in it together."""
        if index is not None and not _APART.isdisjoint(self.text[start : self.at]):
            raise Unclear(start, "the brackets of an index have no value behind them")
        self.count((self.at - start) >> 4)
        self.at = start

    # Here-documents

    def announce(self, tabs: bool) -> Document:
        """A here-document whose delimiter stands here; its body is read behind the next newline."""
        self.blanks()
        start = self.at
        word = self.word()
        if not word.pieces or not all(isinstance(piece, Text) for piece in word.pieces):
            raise Unclear(start, "the delimiter of a here-document is no plain word")
        text = "".join(piece.text for piece in word.pieces if isinstance(piece, Text))
        quoted = any(isinstance(piece, Text) and piece.quoted for piece in word.pieces)
        return waits(self, Document(text, tabs, quoted, word))

    def document_pieces(self) -> tuple[Piece, ...]:
        """All of the text as the body of a here-document."""
        pieces: list[Piece] = []
        self.in_document = True
        while self.at < len(self.text):
            if run := re.compile(_IN_DOCUMENT).match(self.text, self.at):
                pieces.append(self._unescaped(run[0], _ESCAPED_THERE))
                self.at = run.end()
            else:
                self._inside_quotes(pieces, self.text[self.at], "$`\\")
        codes = (piece.text for piece in pieces if isinstance(piece, Substitution | Parameter))
        if any(re.search(_EXTENDED, text) and ("$(" in text or "`" in text) for text in codes):
            raise Unclear(0, "bash refuses what a here-document runs where it has such a pattern")
        return tuple(pieces)


def _is_run(piece: Piece) -> TypeGuard[Text]:
    return isinstance(piece, Text) and not piece.quoted and piece.text != "$"


def _has_brackets(piece: Piece) -> bool:
    return isinstance(piece, Text) and not piece.quoted and not _BRACKETS.isdisjoint(piece.text)
