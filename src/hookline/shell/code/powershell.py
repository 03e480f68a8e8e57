"""PowerShell lines, as far as simple commands, quotes and pipelines go; the rest is told to be unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from hookline.model.record import replace
from hookline.shell.code import cmdlets
from hookline.shell.code import powershell_calls as calls
from hookline.shell.code import powershell_objects as objects
from hookline.shell.code.cmdlets import Lost
from hookline.shell.code.powershell_words import NONE, Words
from hookline.shell.reading import Command, Hole, Reading, Redirection, Step, Word, glued
from hookline.system.patterns.late import late

DEEPEST, MOST_COMMANDS, MOST_AGAIN = 50, 2_000, 10_000
_REDIRECT = late(r"([0-9*]?>{1,2}(?:&[0-9])?|<)[ \t]*+")


def read_powershell(line: str, read_bash: Callable[[str], Reading] | None = None) -> Reading:
    """The commands of a PowerShell line; `read_bash` reads the code that it gives to another shell."""
    reader = _Reader(line, read_bash)
    try:
        reader.block("", (), 0)
    except Lost as lost:
        reader.unknown(str(lost), line[reader.at :][:80])
    reader.started()
    return Reading(line, tuple(calls.placed(reader.commands)), tuple(reader.unknowns))


class _Reader(Words):
    def block(self, closer: str, via: tuple[Step, ...], depth: int) -> None:
        """Commands up to `closer`, which is taken."""
        if depth > DEEPEST:
            raise Lost("it is nested too deep")
        words, redirections = list[Word](), list[Redirection]()
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
                end = self.line.find("#>" if letter == "<" else "\n", self.at)
                self.at = len(self.line) if end < 0 else end + (2 if letter == "<" else 0)
            elif letter == "`" and self.line[self.at + 1 : self.at + 2] in ("\n", "\r", ""):
                self.at = min(self.at + 2, len(self.line))
            elif found := _REDIRECT.match(self.line, self.at):
                self.at = found.end()
                target = None if "&" in found[0] else self._word(via, depth)
                redirections.append(Redirection(None, found[1], target))
            elif words and (splat := calls.SPLAT.match(self.line, self.at)):
                self.at = splat.end()
                words += self._splats.get(
                    splat[1].lower(), (Word((Hole("words", "what is splatted", splat[0]),)),)
                )
            elif words and (listed := self._list(via, depth)):
                words += listed
            else:
                words.append(self._word(via, depth, not words))
                if len(words) == 1 and words[0].prefix.lower() == "param" and words[0].holes:
                    words = []  # a command may follow
                elif len(words) == 1 and not called and calls.is_shown(self.line, words[0], self.at):
                    self._listed = words[0].holes[0].choices or self._listed
                    words, counts = [], cmdlets.OPERATOR.match(self.line, self.at) is not None
                elif counts or (len(words) == 2 and words[1].literal == "in" and words[0].holes):
                    if not counts:
                        self._goes_through(words[0].holes[0].text.lower().strip("${}"))
                    words = []
        if closer:
            raise Lost(f"`{closer}` is missing")
        self._end(words, redirections, via, depth)

    def _goes_through(self, name: str) -> None:
        """`foreach ($f in "a", "b")`, `in $list`, `in Get-ChildItem x`: what the variable may be."""
        self._each = name
        if known := cmdlets.gone_through(self.line, self.at, name, self._values):
            self._each, self._values[name] = "", known

    def _end(
        self, words: list[Word], redirections: list[Redirection], via: tuple[Step, ...], depth: int
    ) -> None:
        fed = calls.fed_by(self._listed)
        if words and (variable := calls.ASSIGNED.match(self.line, words[0].start)):
            words = self._assigned(variable, words, certain=depth == 0)
        words = calls.as_run(self.line, words)
        name = words[0].literal if words else None
        if (name or "").lower() == "new-object":
            words = objects.as_opened(words)
            name = words[0].prefix
        elif (name or "").lower() == "switch" and (lines := objects.switched(words)):
            words, name = lines, lines[0].prefix
        if name is not None:
            name = self._aliases.get(name.lower(), calls.plain_name(name))
            text, *rest = words
            words = calls.as_called(name, words, self._splats)
            name = words[0].prefix
            self._aliases.update(calls.alias_of(name, words))
            self._values.update(calls.variable_of(name, words))
            self.commands += calls.item_outside(name, words)
            words = self._with_files(name.lower(), words)
            if words and self.line[words[0].start : words[0].start + 1] in tuple("'\"$@"):
                self._listed = (text, *rest)  # texts, which a pipe hands on
        self._blocks.update(calls.function_of(self.line, words))
        block = self._called(words, via, depth) if words else False
        alone = block and self.line[words[0].start : words[0].start + 1] in ("{", "$")
        if not words or alone or (name or "").lower() in cmdlets.KEYWORDS:
            if not redirections:
                return
            words = []
        started = (name or "").lower() in cmdlets.STARTS and len(words) > 1 and words[1].literal
        evaluates = (name or "").lower() in cmdlets.EVALUATES
        told = evaluates and calls.is_told(words[1:])
        if (name or "").lower() in cmdlets.RUNS_TEXT and not (started or block or told):
            self.unknown(f"`{name}` runs what it is given")
        if len(self.commands) >= MOST_COMMANDS:
            raise Lost("the line does too much to follow all of it")
        start = words[0].start if words else self.at
        end = max([start, *(word.end for word in words)])
        self.commands.append(
            Command(tuple(words), (), tuple(redirections), fed, Word(()), via, start, end, depth == 0)
        )
        given = words[1:] or ([fed] if evaluates and fed is not None else [])
        if name is not None and given and not block:
            self._follow(name, given, via, depth)

    def _called(self, words: list[Word], via: tuple[Step, ...], depth: int) -> bool:
        """A function, a block or a variable that holds one, with the values of its parameters."""
        first = words[0].prefix or "".join(hole.text for hole in words[0].holes[:1])
        known = self._blocks.get(first.lower().strip("${}"))
        found = (known, words[1:]) if known is not None else calls.block_of(self.line, words)
        if found is not None and (values := found[0].values(found[1])):
            self._spent += len(found[0].code)
            if self._spent > MOST_AGAIN:
                raise Lost("the line does too much to follow all of it")
            via = (*via, Step(first, words[0].start, words[-1].end))
            self._inner(found[0].code, False, via, depth, {**self._values, **values})
        return found is not None

    def _assigned(self, found: re.Match[str], words: list[Word], certain: bool) -> list[Word]:
        """The command behind `$x =`; where a text stands alone there, it is the value from there on."""
        name, begins = found["name"].lower(), self.line[found.end() : found.end() + 1]
        first, *rest = words
        value = "".join(part for part in first.parts[1:2] if isinstance(part, str)).lstrip("+=")
        joined = glued((*([value] if value else []), *first.parts[2:]))
        rest = [*([Word(joined, first.start, first.end)] if joined else []), *rest]
        if rest and rest[0].literal in ("=", "+="):
            del rest[0]
        several = cmdlets.texts_at(self.line, found.end())
        if begins == "@" or len(several) > 1:
            self._lists.add(name)
        path = cmdlets.given_by(rest)
        if splat := calls.splatted(self.line, found.end()):
            added = self.line[: found.end()].rstrip().endswith("+=") and name in self._splats
            self._splats[name] = (*(self._splats[name] if added else ()), *splat)
            if added:
                before = None if name in self._lists else self._values.get(name)
                self._values[name] = calls.with_added(name, before, self._splats[name])
                return []
        if begins == "{" and rest:
            self._blocks[name] = calls.Block(self.line[found.end() + 1 : rest[-1].end - 1])
        if name.startswith("env:"):
            self.commands += calls.set_outside(found["name"][4:], rest)
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
        if len(rest) > 1 and (rest[0].literal or "").lower() in ("get-item", "gi", "resolve-path"):
            self._values[name] = rest[-1]
        elif rest and rest[0].literal and begins.isalpha() and (certain or name not in self._values):
            self._values[name] = calls.printed(self.line, rest, found["name"])
        only = rest[0] if len(rest) == 1 else None
        if only is None or not (several or calls.is_value(self.line, only)):
            if len(rest) < 2 and not begins.isalpha():
                self._values.pop(name, None)
            return [] if begins in tuple("'\"([@$0123456789") else rest
        choice = Hole("word", f"`${name}` may have this value", f"${name}", outside=True, choices=(only,))
        self._values[name] = only if certain else Word((choice,))
        return []

    def _with_files(self, name: str, words: list[Word]) -> list[Word]:
        """A command with the files that a pipe hands to it, without switches as cmd's programs have them (`/s`)."""
        named = [
            word for before, word in pairwise(words)
            if not word.prefix.startswith("-") and (before.literal or "").lower() not in cmdlets.FILTERS
            and self.line[: word.start].rstrip()[-1:] != ","
        ]  # fmt: skip
        name = "get-content" if name == "type" else name
        if name in cmdlets.LISTS:
            self._listed = (cmdlets.files_within(named[0] if named else Word((".",)), words, self.line),)
            if named and named[0].prefix.lower() == "env:":
                words[0] = Word(("Get-ChildItem",), words[0].start, words[0].end)
            if self._each:
                self._values[self._each], self._each = self._listed[0], ""
        elif name in cmdlets.TAKES_FILES:
            words = [word for word in words if not re.fullmatch("/[A-Za-z]", word.literal or "")]
            words = words if named else [*words, *self._listed]
            words[0] = Word((name,), words[0].start, words[0].end)
        elif name not in cmdlets.PASSES_ON:
            self._listed = ()
        return words

    def started(self) -> None:
        """What is started by objects that describe it."""
        for words in objects.processes(self.line, self._values):
            self.commands.append(Command(tuple(words), start=0, end=len(self.line), certain=False))
            if words[1:] and words[0].literal:
                self._follow(words[0].literal, words[1:], (), 0)
        for told in objects.told_otherwise(self.line):
            self._inner(told, False, (Step("what is put together", 0, len(self.line)),), 0)

    def _follow(self, name: str, words: list[Word], via: tuple[Step, ...], depth: int) -> None:
        """Commands that another starts: code for this shell or another one, or a program with its words."""
        plain = name.lower().rpartition("/")[2].rpartition("\\")[2].removesuffix(".exe")
        texts = [word.literal for word in words]
        if plain in cmdlets.STARTS:
            kept = calls.started(plain, words)
            start, end = words[0].start, words[-1].end
            via = (*via, Step(name, start, end))
            self.commands.append(Command(tuple(kept), via=via, start=start, end=end, certain=False))
            if kept[1:] and kept[0].literal:
                self._follow(kept[0].literal, kept[1:], via, depth)
            return
        if plain == "powershell" and cmdlets.is_code(texts):
            texts = ["-command", *texts[-1:]]
        if plain == "cmd" and None not in texts:
            return  # which is read as a program's words are
        coded = (n for n, text in enumerate(texts) if cmdlets.takes_code(plain, text))
        at = 0 if plain in cmdlets.RUNS_TEXT else next(coded, -1)
        if at < 0:
            return
        if plain in cmdlets.RUNS_TEXT and (ways := calls.ways_of(words)):
            for way in ways:
                self._inner(
                    way, False, (*via, Step(name, words[0].start, words[-1].end)), depth, self._values
                )
            return
        behind = texts[at + (plain not in cmdlets.RUNS_TEXT or cmdlets.takes_code("pwsh", texts[0])) :]
        if calls.is_block(self.line, words[-1]):
            return  # which is read where it stands
        if None in behind or not behind:
            self.unknown(f"`{name}` runs what it is given")
            return
        values = self._values if plain in cmdlets.RUNS_TEXT else NONE
        if (texts[at] or "").lower() in cmdlets.WITH_ARGUMENTS:
            values, behind = {"args": words[-1]}, behind[:1]
        code = cmdlets.joined(plain, behind)
        if plain in ("pwsh", "powershell") and (texts[at] or "").lower().startswith("-e"):
            code = cmdlets.decoded(code)
        step = Step(name, words[0].start, words[-1].end)
        self._inner(code, plain in cmdlets.OTHER_SHELLS, (*via, step), depth, values)

    def _inner(
        self, code: str, bash: bool, via: tuple[Step, ...], depth: int, values: Mapping[str, Word] = NONE
    ) -> None:
        if depth >= DEEPEST or not code:
            self.unknown("it runs what cannot be read", code[:80])
            return
        if bash and self.read_bash is None:
            return
        if bash and self.read_bash is not None:
            found = self.read_bash(code)
        else:
            inner = _Reader(code, self.read_bash)
            inner._values, inner._blocks, inner._spent = (
                {**values},
                calls.others(self._blocks, code),
                self._spent,
            )
            try:
                inner.block("", (), depth + 1)
            except Lost as lost:
                inner.unknown(str(lost), code[:80])
            self._spent = inner._spent
            found = Reading(code, tuple(inner.commands), tuple(inner.unknowns))
        place = via[-1]
        self.commands += [
            replace(each, via=(*via, *each.via), start=place.start, end=place.end) for each in found.commands
        ]
        self.unknowns |= dict.fromkeys(found.unknowns)
