"""PowerShell lines, as far as simple commands, quotes and pipelines go; the rest is told to be unknown."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from hookline.model.record import replace
from hookline.shell.code.cmdlets import (
    CLOSER,
    FILTERS,
    KEYWORDS,
    LISTS,
    METHOD,
    NAMES,
    OPERATOR,
    OTHER_SHELLS,
    PASSES_ON,
    PLACES,
    RUNS_TEXT,
    STARTS,
    TAKES_FILES,
    called,
    decoded,
    files_within,
    gone_through,
    joined_path,
    takes_code,
    texts_at,
)  # fmt: skip
from hookline.shell.reading import Command, Hole, HoleKind, Reading, Redirection, Step, Word, glued
from hookline.system.patterns.late import late

DEEPEST, MOST_COMMANDS = 50, 2_000
_RUN = late(r"[^\s;|&(){}'\"`$@<>,#]+")
_VARIABLE = late(r"\$(?:\{[^}]*\}|[A-Za-z_?^$][\w:]*)(?:\.\w+)*")
_ASSIGNED = late(r"\$(?P<name>[A-Za-z][\w:]*)(?P<of>(?:\.\w+)*)\s*[-+]?=(?!=)\s*")
_REDIRECT = late(r"[0-9*]?>{1,2}(?:&[0-9])?|<")
_PLAIN, _SINGLE = late(r'[^"`$]+'), late(r"'((?:[^']|'')*)'")


def read_powershell(line: str, read_bash: Callable[[str], Reading] | None = None) -> Reading:
    """The commands of a PowerShell line; `read_bash` reads the code that it gives to another shell."""
    reader = _Reader(line, read_bash)
    try:
        reader.block("", (), 0)
    except _Lost as lost:
        reader.unknown(str(lost), line[reader.at :][:80])
    return Reading(line, tuple(reader.commands), tuple(reader.unknowns))


class _Lost(Exception):
    """The line cannot be taken apart any further."""


class _Reader:
    def __init__(self, line: str, read_bash: Callable[[str], Reading] | None = None) -> None:
        self.line = line
        self.read_bash = read_bash
        self.at = 0
        self.commands: list[Command] = []
        self.unknowns: dict[Hole, None] = {}
        self._listed: tuple[Word, ...] = ()  # the files that a pipe hands on
        self._values: dict[str, Word] = {}  # of variables that the line sets
        self._each = ""  # the variable of a loop that goes through what is listed next

    def unknown(self, why: str, text: str = "") -> None:
        self.unknowns[Hole("words", why, text)] = None

    def block(self, closer: str, via: tuple[Step, ...], depth: int) -> None:
        """Commands up to `closer`, which is taken."""
        if depth > DEEPEST:
            raise _Lost("it is nested too deep")
        words: list[Word] = []
        redirections: list[Redirection] = []
        called = counts = False  # `$x + 1` counts
        while self.at < len(self.line):
            letter = self.line[self.at]
            if letter == closer:
                self._end(words, redirections, via, depth)
                self.at += 1
                return
            if letter == "&" and not words and not self.line.startswith("&&", self.at):
                self.at += 1  # the call operator: a command follows
                called = True
            elif letter in ";\n|&":
                self._end(words, redirections, via, depth)
                if letter != "|" or self.line.startswith("||", self.at):
                    self._listed = ()
                words, redirections, called, counts = [], [], False, False
                self.at += 1
            elif letter.isspace() or letter == ",":
                self.at += 1
            elif letter == "#" or self.line.startswith("<#", self.at):
                self._comment()
            elif letter == "`" and self.line[self.at + 1 : self.at + 2] in ("\n", "\r", ""):
                self.at = min(self.at + 2, len(self.line))
            elif found := _REDIRECT.match(self.line, self.at):
                self.at = found.end()
                self._blanks()
                target = None if "&" in found[0] else self._word(via, depth)
                redirections.append(Redirection(None, found[0], target))
            else:
                words.append(self._word(via, depth, not words))
                if len(words) == 1 and not called and self._is_shown(words[0]):
                    self._listed = words[0].holes[0].choices or self._listed
                    words, counts = [], OPERATOR.match(self.line, self.at) is not None
                elif counts or (len(words) == 2 and words[1].literal == "in" and words[0].holes):
                    if not counts:
                        self._goes_through(words[0].holes[0].text.lower().strip("${}"))
                    words = []
        if closer:
            raise _Lost(f"`{closer}` is missing")
        self._end(words, redirections, via, depth)

    def _is_shown(self, word: Word) -> bool:
        """Whether a variable stands there alone: without `&` it is no command, and PowerShell shows its value."""
        behind = self.line[self.at :].lstrip(" \t\r")
        alone = word.literal is None and word.parts[0] == word.holes[0]
        alone = alone and not _ASSIGNED.match(self.line, word.start)
        return alone and (not behind or behind[0] in ";\n|)}" or OPERATOR.match(behind) is not None)

    def _goes_through(self, name: str) -> None:
        """`foreach ($f in "a", "b")`, `in $list`, `in Get-ChildItem x`: what the variable may be."""
        self._each = name
        if known := gone_through(self.line, self.at, name, self._values):
            self._each, self._values[name] = "", known

    def _blanks(self) -> None:
        while self.line[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _comment(self) -> None:
        end = self.line.find("#>" if self.line[self.at] == "<" else "\n", self.at)
        self.at = len(self.line) if end < 0 else end + (2 if self.line[end] == "#" else 0)

    def _end(
        self, words: list[Word], redirections: list[Redirection], via: tuple[Step, ...], depth: int
    ) -> None:
        if words and (variable := _ASSIGNED.match(self.line, words[0].start)):
            words = self._assigned(variable, words, certain=depth == 0)
        name = words[0].literal if words else None
        if name is not None:
            if name.startswith(".\\"):
                name = name.replace("\\", "/")
                words[0] = Word((name,), words[0].start, words[0].end)
            words = self._with_files(name.lower(), words)
            if words and self.line[words[0].start : words[0].start + 1] in ("'", '"', "$"):
                self._listed = tuple(words)  # texts, which a pipe hands on
        if not words or (name or "").lower() in KEYWORDS:
            if not redirections:
                return
            words = []
        started = (name or "").lower() in STARTS and len(words) > 1 and words[1].literal
        if (name or "").lower() in RUNS_TEXT and not started:
            self.unknown(f"`{name}` runs what it is given")
        if len(self.commands) >= MOST_COMMANDS:
            raise _Lost("the line does too much to follow all of it")
        start = words[0].start if words else self.at
        end = max([start, *(word.end for word in words)])
        self.commands.append(
            Command(tuple(words), (), tuple(redirections), None, Word(()), via, start, end, depth == 0)
        )
        if name is not None and words[1:]:
            self._follow(name, words[1:], via, depth)

    def _assigned(self, found: re.Match[str], words: list[Word], certain: bool) -> list[Word]:
        """The command behind `$x =`; where a text stands alone there, it is the value from there on."""
        name, begins = found["name"].lower(), self.line[found.end() : found.end() + 1]
        first, *rest = words
        value = "".join(part for part in first.parts[1:2] if isinstance(part, str)).lstrip("+=")
        joined = glued((*([value] if value else []), *first.parts[2:]))
        rest = [*([Word(joined, first.start, first.end)] if joined else []), *rest]
        if rest and rest[0].literal in ("=", "+="):
            del rest[0]
        several = texts_at(self.line, found.end())
        path = joined_path(rest)
        if found["of"]:
            name += "."  # a member, which is not followed
        if len(several) > 1 or path:
            hole = Hole("word", f"`${name}` is one of several texts", f"${name}", choices=several, only=True)
            self._values[name] = Word((path or hole,))
            return []
        if several:
            rest = (
                [Word(several[0].parts, found.end(), found.end() + 1)] if begins in "'\"" else list(several)
            )
        only = rest[0] if len(rest) == 1 else None
        quoted = several or (
            only is not None and self.line[only.start : only.end].rstrip()[-1:] in ("'", '"')
        )
        if only is None or not quoted:
            self._values.pop(name, None)
            return [] if begins in tuple("'\"([@$0123456789") else rest
        choice = Hole("word", f"`${name}` may have this value", f"${name}", outside=True, choices=(only,))
        self._values[name] = only if certain else Word((choice,))
        return []

    def _variable(self, text: str, kind: HoleKind) -> tuple[str | Hole, ...]:
        """What a variable is: a place of the machine, what the line set, the file that a pipe hands on."""
        name = text.lower().strip("${}")
        place = PLACES.get(name.removeprefix("env:"))
        if place is not None:
            return (place,)
        if name.partition(".")[0] in ("_", "psitem") and self._listed:
            several = Hole("word", "a file that a pipe hands on", "$_", choices=self._listed, only=True)
            return self._listed[0].parts if len(self._listed) == 1 else (several,)
        if name in self._values:
            return self._values[name].parts
        return (Hole(kind, f"`{text}` is not told by the line", text),)

    def _with_files(self, name: str, words: list[Word]) -> list[Word]:
        """A command with the files that a pipe hands to it, without switches as cmd's programs have them (`/s`)."""
        named = [
            word for before, word in pairwise(words)
            if not word.prefix.startswith("-") and (before.literal or "").lower() not in FILTERS
        ]  # fmt: skip
        name = "get-content" if name == "type" else name
        if name in LISTS:
            self._listed = (files_within(named[0] if named else Word((".",)), words),)
            if self._each:
                self._values[self._each], self._each = self._listed[0], ""
        elif name in TAKES_FILES:
            words = [word for word in words if not re.fullmatch("/[A-Za-z]", word.literal or "")]
            words = words if named else [*words, *self._listed]
            words[0] = Word((name,), words[0].start, words[0].end)
        elif name not in PASSES_ON:
            self._listed = ()
        return words

    def _follow(self, name: str, words: list[Word], via: tuple[Step, ...], depth: int) -> None:
        """Commands that another starts: code for this shell or another one, or a program with its words."""
        plain = name.lower().rpartition("/")[2].rpartition("\\")[2].removesuffix(".exe")
        texts = [word.literal for word in words]
        if plain in STARTS:
            kept = [word for word in words if (word.literal or "").lower() not in NAMES]
            start, end = words[0].start, words[-1].end
            step = Step(name, start, end)
            self.commands.append(Command(tuple(kept), via=(*via, step), start=start, end=end, certain=False))
            return
        coded = (n for n, text in enumerate(texts) if takes_code(plain, text))
        at = 0 if plain in RUNS_TEXT else next(coded, -1)
        if at < 0:
            return
        behind = texts[at + (plain not in RUNS_TEXT or takes_code("pwsh", texts[0])) :]
        if None in behind or not behind:
            self.unknown(f"`{name}` runs what it is given")
            return
        code = " ".join(text for text in behind if text is not None)
        if plain in ("pwsh", "powershell") and (texts[at] or "").lower().startswith("-e"):
            code = decoded(code)
        self._inner(code, plain in OTHER_SHELLS, (*via, Step(name, words[0].start, words[-1].end)), depth)

    def _inner(self, code: str, bash: bool, via: tuple[Step, ...], depth: int) -> None:
        if depth >= DEEPEST or not code:
            self.unknown("it runs what cannot be read", code[:80])
            return
        if bash and self.read_bash is None:
            return
        if bash and self.read_bash is not None:
            found = self.read_bash(code)
        else:
            inner = _Reader(code, self.read_bash)
            try:
                inner.block("", (), depth + 1)
            except _Lost as lost:
                inner.unknown(str(lost), code[:80])
            found = Reading(code, tuple(inner.commands), tuple(inner.unknowns))
        place = via[-1]
        self.commands += [
            replace(each, via=(*via, *each.via), start=place.start, end=place.end) for each in found.commands
        ]
        self.unknowns |= dict.fromkeys(found.unknowns)

    def _word(self, via: tuple[Step, ...], depth: int, first: bool = False) -> Word:
        start = self.at
        parts: list[str | Hole] = []
        while self.at < len(self.line):
            if first and self.line[self.at] == "(" and "".join(map(str, parts)).lower() in RUNS_TEXT:
                break  # `iex(…)` is `iex (…)`
            before = self.at
            self._piece(parts, via, depth)
            if self.at == before:
                break
        self.at = min(self.at, len(self.line))
        if self.at == start < len(self.line):
            self.at += 1
            parts.append(self.line[start])
        return Word(glued(parts), start, self.at)

    def _piece(self, parts: list[str | Hole], via: tuple[Step, ...], depth: int) -> None:
        line, at = self.line, self.at
        letter = line[at]
        if run := _RUN.match(line, at):
            self.at = run.end()
            pattern = re.search(r"[*?\[]", run[0])
            text = run[0][: pattern.start()] if pattern else run[0]
            parts.append(text)
            parts += [Hole("word", "a pattern", run[0][len(text) :])] * (pattern is not None)
            if text.lower() == ".delete" and self._listed:
                self._deleted(self._listed[0].parts, via, depth)
        elif line.startswith(("@'", '@"'), at):
            self._here_string(parts)
        elif letter == "'":
            self._single(parts)
        elif letter == '"':
            self._double(parts, via, depth)
        elif letter == "`":
            parts.append(line[at + 1 : at + 2])
            self.at += 2
        elif found := _VARIABLE.match(line, at):
            self.at = found.end()
            name, _, method = found[0].rpartition(".")
            parts += self._variable(found[0], "words")
            if method.lower() == "delete":
                self._deleted(self._variable(name, "words"), via, depth)
        elif letter in "({" or line.startswith(("$(", "@(", "@{"), at):
            self._nested(parts, via, depth)
        elif letter in "$@":
            parts.append(letter)
            self.at += 1

    def _deleted(self, file: tuple[str | Hole, ...], via: tuple[Step, ...], depth: int) -> None:
        """`$_.Delete()` of a file or a folder."""
        if self.line.startswith("(", self.at):
            words = tuple(Word(parts, self.at, self.at) for parts in (("rm",), ("-rf",), file))
            self.commands.append(Command(words, via=via, start=self.at, end=self.at, certain=depth == 0))

    def _nested(self, parts: list[str | Hole], via: tuple[Step, ...], depth: int) -> None:
        start, count = self.at, len(self.commands)
        last = parts[-1] if parts else ""
        text = last if isinstance(last, str) else last.text
        method = METHOD.search(text)
        opener = self.line[start + 1] if self.line[start] in "$@" else self.line[start]
        self.at += 2 if self.line[start] in "$@" else 1
        shown = f"{self.line[start : self.at]}…{CLOSER[opener]}"
        self.block(CLOSER[opener], (*via, Step(shown, start, self.at)), depth + 1)
        code = (
            self.commands[count].words[0].literal
            if self.commands[count:] and self.commands[count].words
            else None
        )
        if code and text.lower() == "[scriptblock]::create":
            self._inner(code, False, (*via, Step(text, start, self.at)), depth)
        elif path := joined_path(self.commands[-1].words) if len(self.commands) == count + 1 else "":
            parts.append(path)
            return
        elif method is not None and self.commands[count:]:
            self._called(method[0].rpartition(":")[2].rpartition(".")[2].lower(), count)
        parts.append(Hole("words", f"what `{shown}` gives", shown))

    def _called(self, method: str, at: int) -> None:
        """What stands in the brackets of a call of .NET's is its arguments: `[IO.File]::Delete("x")`."""
        self.commands[at] = replace(self.commands[at], words=called(method, self.commands[at].words, self.at))

    def _single(self, parts: list[str | Hole]) -> None:
        found = _SINGLE.match(self.line, self.at)
        if found is None:
            raise _Lost("the quote `'` stays open")
        self.at = found.end()
        parts.append(found[1].replace("''", "'"))

    def _here_string(self, parts: list[str | Hole]) -> None:
        quote = self.line[self.at + 1]
        end = self.line.find(f"\n{quote}@", self.at)
        if end < 0:
            raise _Lost("the here-string stays open")
        text = self.line[self.at + 2 : end].lstrip("\r\n")
        plain = quote == "'" or "$" not in text
        parts.append(text if plain else Hole("word", "a here-string with variables", text[:80]))
        if not plain and "$(" in text:
            self.unknown("a here-string holds commands", text[:80])
        self.at = end + 3

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
            elif self.line.startswith("$(", self.at):
                self._nested(parts, via, depth)
            elif found := _VARIABLE.match(self.line, self.at):
                parts += self._variable(found[0], "word")
                self.at = found.end()
            else:
                parts.append("$")
                self.at += 1
        raise _Lost('the quote `"` stays open')
