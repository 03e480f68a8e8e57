"""Where the placeholders of a shell line stand: bare, quoted, or somewhere a value cannot go safely."""

from __future__ import annotations

import re

from hookline.handlers.shell.interpreters import ASSIGNMENT, code_taken
from hookline.handlers.shell.sites import (
    ANSI,
    ARITHMETIC,
    BACKTICKS,
    BARE,
    COMMAND,
    COMMENT,
    DOUBLE,
    HEREDOC,
    HEREDOC_WORD,
    PARAMETER,
    QUOTED,
    QUOTED_HEREDOC,
    SINGLE,
    UNCERTAIN,
    Frame,
    Lost,
    Site,
)  # fmt: skip
from hookline.model.typing import Callable

_MAX_DEPTH = 100
_SUBSCRIPT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[[^\]]*\Z")
# bash evaluates both sides of these as arithmetic, and arithmetic can run commands: a[$(...)]
_NUMERIC_TEST = re.compile(r"(?:^|\s)-(?:eq|ne|lt|le|gt|ge|v|R)\s")
_ORDINARY = {
    COMMAND: re.compile(r"[^\\'\"$`#<>()&;|\n \t{]+"),
    QUOTED: re.compile(r"[^\\\"$`{]+"),
    PARAMETER: re.compile(r"[^\\'\"$`{}]+"),
    ARITHMETIC: re.compile(r"[^\\'\"$`#<(){]+"),
}


def placeholder_sites(text: str, placeholder: re.Pattern[str]) -> tuple[Site, ...]:
    """Every match of `placeholder` (group 1 or 2 is the name) with the shell's view of its place.

    Linear in the length of `text`. The grammar followed is what dash and bash agree on; from the point
    where they part, or when a quote stays open, placeholders are `uncertain`.
    """
    scanner = _Scanner(text, placeholder)
    try:
        scanner.run()
        certain = len(text)
    except Lost as lost:
        certain = lost.position
    known = [site for site in scanner.sites if site.end <= certain]
    rest = max((site.end for site in known), default=0)
    doubtful = (
        [_uncertain(match) for match in placeholder.finditer(text, rest)] if certain < len(text) else []
    )
    return tuple(known + doubtful)


def _uncertain(match: re.Match[str]) -> Site:
    return Site(match.start(), match.end(), match[1] or match[2], UNCERTAIN, BARE)


class _Scanner:
    def __init__(self, text: str, placeholder: re.Pattern[str]) -> None:
        self.text = text
        self.at = 0
        self.placeholder = placeholder
        self.sites: list[Site] = []
        self.frames = [Frame(COMMAND)]
        self.steps: dict[str, Callable[[Frame, str], None]] = {
            COMMAND: self._in_command,
            QUOTED: self._in_quotes,
            PARAMETER: self._in_parameter,
            ARITHMETIC: self._in_arithmetic,
        }

    def run(self) -> None:
        while self.at < len(self.text):
            frame = self.frames[-1]
            ordinary = _ORDINARY[frame.kind].match(self.text, self.at)
            if ordinary:
                frame.add(ordinary[0])
                self.at = ordinary.end()
            elif not self._placeholder(frame):
                self.steps[frame.kind](frame, self.text[self.at])
        if len(self.frames) > 1 or "(" in self.frames[0].nest:
            raise Lost(0)

    # Placeholders

    def _placeholder(self, frame: Frame, backslash: bool = False) -> bool:
        match = self.placeholder.match(self.text, self.at)
        if not match:
            return False
        quote = DOUBLE if frame.kind == QUOTED else BARE
        self._record(match, quote, self._obstacle() or quote, backslash)
        frame.add("\0")
        self.at = match.end()
        return True

    def _record(self, match: re.Match[str], quote: str, place: str, backslash: bool = False) -> None:
        command = next(frame for frame in reversed(self.frames) if frame.kind == COMMAND)
        glued = command.redirect or bool(ASSIGNMENT.match(command.word or ""))
        name = match[1] or match[2]
        self.sites.append(Site(match.start(), match.end(), name, place, quote, glued, backslash))

    def _record_all(self, start: int, end: int, quote: str, place: str) -> None:
        for match in self.placeholder.finditer(self.text, start, end):
            self._record(match, quote, place)

    def _obstacle(self) -> str:
        """Why no value may go here, whatever the quotes; empty when one may."""
        for frame in self.frames:
            if frame.kind in (ARITHMETIC, PARAMETER):
                return frame.kind
            if frame.kind == COMMAND:
                if frame.numeric or _SUBSCRIPT.match(frame.word or ""):
                    return ARITHMETIC
                if code := code_taken(frame.words):
                    return code
        return ""

    # The four kinds of frame

    def _in_command(self, frame: Frame, char: str) -> None:
        if char in " \t":
            self._end_word(frame)
            self.at += 1
        elif char == "#" and frame.word is None:
            self._skip_to(self._line_end(), BARE, COMMENT)
        elif char in "<>" or self.text.startswith("&>", self.at):
            self._redirect(frame)
        elif char in "();&|\n":
            self._operator(frame, char)
        elif char == "'":
            frame.add(self._single_quotes())
        elif char == '"':
            self._open(QUOTED)
        elif char == "\\":
            self._backslash(frame)
        elif not self._expansion(frame, char):
            frame.add(char)
            self.at += 1

    def _in_quotes(self, frame: Frame, char: str) -> None:
        if char == '"':
            self.frames.pop()
            self.frames[-1].add(frame.word or "")
            self.at += 1
        elif char == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('$`"\\\n'):
            frame.add(self.text[self.at + 1])
            self.at += 2
        elif char == "\\":
            self.at += 1
            frame.add("\\")
            self._placeholder(frame, backslash=True)
        elif not self._expansion(frame, char):
            frame.add(char)
            self.at += 1

    def _in_parameter(self, frame: Frame, char: str) -> None:
        if char in "'\"" and self._within_quotes():
            raise Lost(self.at)  # dash and bash read quotes in "${x#'y'}" differently
        if char == "}":
            self.frames.pop()
            self.at += 1
        elif char == "'":
            self._single_quotes()
        elif char == '"':
            self._open(QUOTED)
        elif char == "\\":
            self._backslash(frame)
        elif not self._expansion(frame, char):
            self.at += 1

    def _within_quotes(self) -> bool:
        kinds = [frame.kind for frame in self.frames]
        return QUOTED in kinds[len(kinds) - kinds[::-1].index(COMMAND) :]

    def _in_arithmetic(self, frame: Frame, char: str) -> None:
        before = self.text[self.at - 1]
        here_text = self.text.startswith("<<", self.at) and not self.text[self.at + 2 : self.at + 3].isspace()
        if (
            char == "'"
            or (char == "#" and before in " \t\n;(")
            or (here_text and not _shift(self.text, self.at))
        ):
            raise Lost(self.at)
        if char == '"':
            self._open(QUOTED)
        elif char == "\\":
            self._backslash(frame)
        elif char in "()":
            frame.depth += 1 if char == "(" else -1
            self.at += 1
            if frame.depth == 0:
                self.frames.pop()
        elif not self._expansion(frame, char):
            self.at += 1

    # Pieces

    def _open(self, kind: str, length: int = 1, depth: int = 0) -> None:
        if len(self.frames) > _MAX_DEPTH:
            raise Lost(self.at)
        self.frames[-1].add("")
        self.frames.append(Frame(kind, depth))
        self.at += length

    def _expansion(self, frame: Frame, char: str) -> bool:
        """Consume `$...` or backticks; False when `char` starts neither."""
        if char == "`":
            self._backticks(frame)
            return True
        if char != "$":
            return False
        rest = self.text[self.at + 1 : self.at + 3]
        ansi = rest[:1] == "'" and frame.kind != QUOTED
        if rest == "\\\n" or rest[:1] == "[" or (ansi and frame.kind != COMMAND):
            raise Lost(self.at)
        if rest == "((":
            self._open(ARITHMETIC, 3, depth=2)
        elif rest[:1] == "(":
            self._open(COMMAND, 2)
        elif rest[:1] == "{":
            self._parameter()
        elif ansi:
            self._ansi_quotes(frame)
        else:
            special = 2 if rest[:1] and rest[0] in "$?#@*!-0123456789" else 1
            frame.add(self.text[self.at : self.at + special])
            self.at += special
        return True

    def _parameter(self) -> None:
        hidden = self.placeholder.match(self.text, self.at + 1)
        if hidden:
            self._record(hidden, BARE, PARAMETER)
        self._open(PARAMETER, 2)

    def _backslash(self, frame: Frame) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following != "\n":
            frame.add(following)
        self.at += 2

    def _single_quotes(self) -> str:
        start, end = self.at + 1, self._find("'", self.at + 1)
        self._record_all(start, end, SINGLE, self._obstacle() or SINGLE)
        self.at = end + 1
        return self.text[start:end]

    def _ansi_quotes(self, frame: Frame) -> None:
        start = self.at + 2
        end = self._find("'", start)
        if (end - len(self.text[start:end].rstrip("\\")) - start) % 2:
            raise Lost(self.at)  # \' goes on in bash and ends the string in dash
        self._skip_to(end + 1, SINGLE, ANSI)
        frame.add("\0")

    def _backticks(self, frame: Frame) -> None:
        end = self.at + 1
        while self.text[end : end + 1] != "`":
            if end >= len(self.text):
                raise Lost(0)
            end += 2 if self.text[end] == "\\" else 1
        self._skip_to(end + 1, BARE, BACKTICKS)
        frame.add("\0")

    def _operator(self, frame: Frame, char: str) -> None:
        self._end_word(frame)
        if self.text.startswith("((", self.at):
            self._open(ARITHMETIC, 2, depth=2)
            return
        self.at += 1
        if char == "(":
            frame.nest.append("(")
        elif char == ")" and self._close_paren(frame):
            return
        elif char == "\n":
            self._bodies(frame)
        frame.words = []
        frame.redirect = False

    def _close_paren(self, frame: Frame) -> bool:
        """Whether this `)` ended the command substitution that `frame` is."""
        if frame.nest:
            if frame.nest[-1] == "(":
                frame.nest.pop()
            return False
        if len(self.frames) == 1 or frame.heredocs:
            raise Lost(0)
        self.frames.pop()
        self.frames[-1].add("\0")
        return True

    def _end_word(self, frame: Frame) -> None:
        word, frame.word = frame.word, None
        if word is None:
            return
        if frame.redirect:
            frame.redirect = False
            return
        if word == "case" and frame.at_command():
            frame.nest.append("case")
        elif (
            word == "esac" and frame.nest[-1:] == ["case"] and (frame.at_command() or frame.words[-1] == "in")
        ):
            frame.nest.pop()
        elif word == "[[" and frame.at_command():
            frame.numeric = bool(_NUMERIC_TEST.search(self.text, self.at, self._find_or_end("]]", self.at)))
        elif word == "]]":
            frame.numeric = False
        frame.words.append(word)

    def _redirect(self, frame: Frame) -> None:
        if frame.word is not None and frame.word.isdigit():
            frame.word = None
        self._end_word(frame)
        operator = re.compile(r"&>>?|<<<|<<-?|<>|<&|>>|>&|>\||[<>]").match(self.text, self.at)
        assert operator is not None  # the caller saw < or > here
        self.at = operator.end()
        if self.text.startswith("\\\n", self.at):
            raise Lost(self.at)
        if operator[0] in ("<<", "<<-"):
            self._heredoc(frame, operator[0] == "<<-")
        else:
            frame.redirect = True

    # Here-documents

    def _heredoc(self, frame: Frame, tabs: bool) -> None:
        word = re.compile(r"[ \t]*((?:\\[^\n]|'[^'\n]*'|\"[^\"\\$`\n]*\"|[^\s\\'\"`$;&|<>()])+)").match(
            self.text, self.at
        )
        if word is None or self.text[word.end() : word.end() + 1] in tuple("\\'\"`$"):
            raise Lost(self.at)
        self._skip_to(word.end(), BARE, HEREDOC_WORD)
        raw = word[1]
        frame.heredocs.append((re.sub(r"\\(.)|['\"]", r"\1", raw), tabs, raw != re.sub(r"[\\'\"]", "", raw)))

    def _bodies(self, frame: Frame) -> None:
        """After a newline: the bodies of the here-documents announced on the line before."""
        if any(outer.heredocs for outer in self.frames[:-1]):
            raise Lost(self.at)
        for delimiter, tabs, quoted in frame.heredocs:
            self._body(delimiter, tabs, quoted)
        frame.heredocs = []

    def _body(self, delimiter: str, tabs: bool, quoted: bool) -> None:
        continued = False
        while self.at < len(self.text):
            end = self._line_end()
            line = self.text[self.at : end]
            closes = (line.lstrip("\t") if tabs else line) == delimiter
            if closes and continued:
                raise Lost(self.at)
            self._skip_to(end, BARE, QUOTED_HEREDOC if quoted else HEREDOC)
            self.at = min(end + 1, len(self.text))
            if closes:
                return
            continued = not quoted and line.endswith("\\")

    # Finding

    def _skip_to(self, end: int, quote: str, place: str) -> None:
        self._record_all(self.at, end, quote, place)
        self.at = end

    def _line_end(self) -> int:
        return self._find_or_end("\n", self.at)

    def _find_or_end(self, text: str, start: int) -> int:
        found = self.text.find(text, start)
        return len(self.text) if found < 0 else found

    def _find(self, text: str, start: int) -> int:
        found = self.text.find(text, start)
        if found < 0:
            raise Lost(0)
        return found


def _shift(text: str, at: int) -> bool:
    return text[at + 2 : at + 3].isdigit() or text[at + 2 : at + 3] in ("$", "=", "(")
