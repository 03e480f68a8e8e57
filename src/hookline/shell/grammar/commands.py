"""Simple commands of a shell line, with all that may stand in their words, and redirections."""

from __future__ import annotations

import re

from hookline.shell.grammar.pieces import Assignment, Raw, Text
from hookline.shell.grammar.position import OF_BASH, Unclear
from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Compound, Redirect, Simple
from hookline.shell.grammar.words import _ON, Words
from hookline.shell.plain import LETTERS, RESERVED, letters_end, plain_end
from hookline.shell.reading import Word

_BEHIND = frozenset(("", *" \t\n;|&)"))  # not `>`: digits are no word there
# Patterns that few lines need are kept as text, for making one costs as much as reading a line.
_REDIRECT = (
    rf"(?:([0-9](?:{_ON}[0-9])*+|\{{[A-Za-z_][A-Za-z0-9_]*\}}){_ON})?"
    r"(<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\())|(&>>|&>)"
)
_MAY_REDIRECT = frozenset("<>&{0123456789")


class Commands(Words):
    """Reads one command; what is compound is read by who goes on from here."""

    def redirected(self, node: Node) -> Node:
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self._redirect()
            if redirect is None:
                return Compound(node, tuple(redirects)) if redirects else node
            redirects.append(redirect)

    def _redirect(self) -> Redirect | None:
        following = self.text[self.at : self.at + 2]
        if following[:1] not in _MAY_REDIRECT or (following[:1] == "&" and following != "&>"):
            return None
        found = re.compile(_REDIRECT).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        fd, operator = found[1], found[2] or found[3]
        variable = fd[1:-1] if fd and fd[0] == "{" else ""
        self.parts[OF_BASH] += bool(variable)
        number = int(fd.replace("\\\n", "")[:9]) if fd and not variable else None
        if operator in ("<<", "<<-"):
            document = self.announce(operator == "<<-")
            return Redirect(number, operator, document.word, document, variable)
        self.blanks()
        if operator in (">&", "<&") and self.text.startswith(
            "-", self.at
        ):  # a word of its own: `>&-git push`
            place = self.low + self.scale * self.at
            self.at += 1
            closed = Raw((Text("-"),), place, place + self.scale, "-")
            return Redirect(number, operator, closed, None, variable)
        target = self.word()
        if not target.pieces:
            raise Unclear(self.at, f"`{operator}` has no target")
        return Redirect(number, operator, target, None, variable)

    def _simple(self) -> Simple:
        text, start = self.text, self.at
        if (end := plain_end(text, start)) > 0:
            return self.plain(text[start:end])
        low, high, scale = self.low, self.high, self.scale
        assignments: list[Assignment] = []
        words: list[Word | Raw | Assignment] = []
        redirects: list[Redirect] = []
        first_end = 0
        while True:
            while text.startswith((" ", "\t"), self.at):
                self.at += 1
            begin, letter = self.at, text[self.at : self.at + 1]
            end = letters_end(text, begin, LETTERS + "=" if letter == "-" else LETTERS)
            if end > begin and text[end : end + 1] in _BEHIND:
                self.at = end
                words.append(Word((text[begin:end],), low + scale * begin, high + scale * end))
                if not len(words) & 63:
                    self.count(8)
            else:
                if letter == "\\" and text.startswith("\\\n", self.at):
                    self.at += 2
                    continue
                if not letter or letter in ";\n|)" or letter == "#":
                    break
                if redirect := self._redirect():
                    redirects.append(redirect)
                    continue
                if letter in "&(":
                    break
                if assignment := self.assignment(bool(words)):
                    if words:
                        words.append(assignment)
                    else:
                        assignments.append(assignment)
                    continue
                words.append(self.word())
            first_end = first_end or self.at
        if letter == "(" and words:
            raise Unclear(self.at, "`(` stands where a word should")
        if redirects and self.reprinted is not None:
            self._behind_redirect(words, redirects)
        if not (assignments or words or redirects):
            raise Unclear(self.at, f"`{letter or 'the end'}` stands where a command should")
        self.count(2 + ((len(words) & 63) >> 3))
        end = self.at
        if letter == "#":
            self.blank_comment()
        source = text[first_end:end] if words else ""
        return Simple(
            tuple(assignments), tuple(words), tuple(redirects), low + scale * start,
            high + scale * (start + len(text[start:end].rstrip(" \t"))), source,
        )  # fmt: skip

    def _behind_redirect(self, words: list[Word | Raw | Assignment], redirects: list[Redirect]) -> None:
        """bash 5.2 reads `$(>x if)` from its own print of it, in which the redirection stands last."""
        first = words[0] if words else None
        place = first.start if isinstance(first, (Word, Raw)) else -1
        text = first.literal if isinstance(first, Word) else first.plain if isinstance(first, Raw) else None
        if place > redirects[0].target.start and text and text in RESERVED.get(text[0], ()):
            raise Unclear(self.at, f"`{text}` may be reserved once bash has put the redirection behind it")

    def blank_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end
