"""Words of a PowerShell line: what quotes, variables and brackets in them are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hookline.model.record import replace
from hookline.shell.code import cmdlets
from hookline.shell.code import powershell_calls as calls
from hookline.shell.code import powershell_objects as objects
from hookline.shell.code.cmdlets import Lost
from hookline.shell.reading import Command, Hole, HoleKind, Reading, Step, Word, glued
from hookline.system.patterns.late import late

NONE: Mapping[str, Word] = {}
_RUN = late(r"[^\s;|&(){}'\"`$@<>,#]+")
_NAME = r"\$(?:\{[^}]*\}|[A-Za-z_?^$][\w:]*)"
_VARIABLE = late(rf"{_NAME}(?:\.\w+)*")
_SHOWN = late(rf"\$\(\s*+({_NAME}(?:\.\w+)*+)\s*+\)")  # `$($x)`, which is `$x`
_LIST = late(r"@?\(\s*+(?=['\"])")
_NEXT = late(r"\s*+,?+\s*+")
_ENDS = late(
    r"(?i)[ \t]*+(?:[;\n|)}]|\Z|[^\s.\[,+*/-]|-(?!(?:join|split|[ci]?replace|f|as|is|[ci]?eq|[ci]?match)\b))"
)
_PLAIN = late(r'[^"`$]+')

MOST_LISTED = 200
LONGEST_SHOWN = 200  # letters of a bracket by which is told what it may give


class Words:
    """What a reader of PowerShell knows of its line, and its words; commands in brackets are read by who has it."""

    def __init__(self, line: str, read_bash: Callable[[str], Reading] | None = None) -> None:
        self.line = line
        self.read_bash = read_bash
        self.at = 0
        self.commands: list[Command] = []
        self.unknowns: dict[Hole, None] = {}
        self._listed: tuple[Word, ...] = ()  # the files that a pipe hands on
        self._values: dict[str, Word] = {}  # of variables that the line sets
        self._lists: set[str] = set()  # variables that are lists
        self._splats: dict[str, tuple[Word, ...]] = {}
        self._blocks: dict[str, calls.Block] = {}  # functions, and variables that hold a block
        self._aliases: dict[str, str] = {}
        self._spent = 0  # letters of blocks that were read again
        self._each = ""  # the variable of a loop that goes through what is listed next

    def unknown(self, why: str, text: str = "") -> None:
        self.unknowns[Hole("words", why, text)] = None

    def block(self, closer: str, via: tuple[Step, ...], depth: int) -> None:
        raise NotImplementedError

    def _inner(
        self, code: str, bash: bool, via: tuple[Step, ...], depth: int, values: Mapping[str, Word] = NONE
    ) -> None:
        raise NotImplementedError

    def _follow(self, name: str, words: list[Word], via: tuple[Step, ...], depth: int) -> None:
        raise NotImplementedError

    def _variable(self, text: str, kind: HoleKind) -> tuple[str | Hole, ...]:
        return calls.value_of(text, kind, self._listed, self._values)

    def _word(self, via: tuple[Step, ...], depth: int, first: bool = False) -> Word:
        start = self.at
        parts: list[str | Hole] = []
        while self.at < len(self.line) and not calls.ends_word(self.line, self.at, parts, first):
            before = self.at
            self._piece(parts, via, depth)
            if self.at == before:
                break
        self.at = min(self.at, len(self.line))
        parts, self.at = calls.joined_texts(self.line, start, self.at, parts)
        if self.at == start < len(self.line):
            self.at += 1
            parts.append(self.line[start])
        return Word(calls.in_temp(glued(parts)), start, self.at)

    def _list(self, via: tuple[Step, ...], depth: int) -> list[Word]:
        """The words of a list in brackets that stands there as an argument: `@('a', "$b")`; none if it is none."""
        begins, count = self.at, len(self.commands)
        if (opened := _LIST.match(self.line, begins)) is None:
            return []
        self.at = opened.end()
        words: list[Word] = []
        while self.line[self.at : self.at + 1] in ("'", '"', "$") and len(words) < MOST_LISTED:
            words.append(self._word(via, depth))
            behind = _NEXT.match(self.line, self.at)
            self.at = behind.end() if behind is not None else self.at
        if self.line.startswith(")", self.at) and _ENDS.match(self.line, self.at + 1):
            self.at += 1
            return words
        self.at = begins
        del self.commands[count:]
        return []

    def _piece(self, parts: list[str | Hole], via: tuple[Step, ...], depth: int) -> None:
        line, at = self.line, self.at
        letter = line[at]
        if run := _RUN.match(line, at):
            self.at = run.end()
            parts += calls.with_pattern(run[0])
            if run[0].lower() in objects.ENDS:
                file = self._listed[0].parts if self._listed else ()
                self.commands += objects.ended(line, self.at, file, via, depth == 0)
        elif line.startswith(("@'", '@"'), at):
            part, self.at = cmdlets.here_string(line, at)
            if isinstance(part, Hole) and "$(" in part.text:
                self.unknown("a here-string holds commands", part.text[:80])
            parts.append(part)
        elif letter == "'":
            text, self.at = calls.single_quoted(line, at)
            parts.append(text)
        elif letter == '"':
            self._double(parts, via, depth)
        elif letter == "`":
            parts.append(line[at + 1 : at + 2])
            self.at += 2
        elif found := _VARIABLE.match(line, at):
            self.at = found.end()
            name, _, method = found[0].rpartition(".")
            parts += self._variable(found[0], "words")
            if f".{method.lower()}" in objects.ENDS:
                file = self._variable(name, "words")
                self.commands += objects.ended(line, self.at, file, via, depth == 0)
        elif letter in "({" or line.startswith(("$(", "@(", "@{"), at):
            self._nested(parts, via, depth)
        elif letter in "$@":
            parts.append(letter)
            self.at += 1

    def _nested(self, parts: list[str | Hole], via: tuple[Step, ...], depth: int) -> None:
        start, count, listed = self.at, len(self.commands), self._listed
        last = parts[-1] if parts else ""
        text = last if isinstance(last, str) else last.text
        method = cmdlets.METHOD.search(text)
        opener = self.line[start + 1] if self.line[start] in "$@" else self.line[start]
        self.at += 2 if self.line[start] in "$@" else 1
        shown = f"{self.line[start : self.at]}…{cmdlets.CLOSER[opener]}"
        self.block(cmdlets.CLOSER[opener], (*via, Step(shown, start, self.at)), depth + 1)
        self._listed = listed if calls.is_argument(self.line, start) else self._listed
        own = (at for at in range(count, len(self.commands)) if len(self.commands[at].via) == len(via) + 1)
        told = next(own, count)
        given = self.commands[told].words if self.commands[told:] else ()
        keys = calls.keys_in(self.commands[count:])
        if calls.RUNS.search(text):
            code = given[0].literal if len(given) == 1 and opener == "(" else None
            if code is None or self.line[given[0].start] not in "'\"@$":
                self.unknown(f"`{text}` runs what it is given")
            else:
                self._inner(code, False, (*via, Step(text, start, self.at)), depth)
        elif place := calls.special_folder(text, given):
            parts[-1] = place
            return
        elif not method and (quoted := calls.text_in(self.line, given, opener)):
            parts.append(quoted)
            return
        elif (
            text_given := cmdlets.given_by(self.commands[-1].words) if len(self.commands) == count + 1 else ""
        ):
            parts.append(text_given)
            self.at = calls.behind_member(self.line, self.at)
            return
        elif method is not None and self.commands[told:] and len(self.commands[told].via) == len(via) + 1:
            verb = objects.verb_of(text, given)  # `[IO.File]::Delete("x")`
            words = cmdlets.called(verb, given, self.at)
            self.commands[told] = replace(self.commands[told], words=words)
            if verb == "start" and words[1:] and words[0].literal:
                self._follow(words[0].literal, list(words[1:]), via, depth)
        elif text in ("", "=", "+="):
            self.commands[count:] = cmdlets.without_values(
                self.line, start, self.commands[count:], len(via) + 1
            )
        whole = self.line[start : self.at]
        parts += (
            Hole("words", f"what `{shown}` gives", whole if len(whole) <= LONGEST_SHOWN else shown),
            *keys,
        )

    def _double(self, parts: list[str | Hole], via: tuple[Step, ...], depth: int) -> None:
        self.at += 1
        while self.at < len(self.line):
            letter = self.line[self.at]
            if run := _PLAIN.match(self.line, self.at):
                parts.append(run[0])
                self.at = run.end()
            elif letter == '"' and self.line.startswith('""', self.at):
                parts.append('"')
                self.at += 2
            elif letter == '"':
                self.at += 1
                return
            elif letter == "`":
                parts.append(self.line[self.at + 1 : self.at + 2])
                self.at += 2
            elif self.line.startswith("$(", self.at) and not _SHOWN.match(self.line, self.at):
                self._nested(parts, via, depth)
            elif shown := _SHOWN.match(self.line, self.at):
                parts += self._variable(shown[1], "word")
                self.at = shown.end()
            elif found := _VARIABLE.match(self.line, self.at):
                parts += self._variable(found[0], "word")
                self.at = found.end()
            else:
                parts.append("$")
                self.at += 1
        raise Lost('the quote `"` stays open')
