"""Into what a command runs: the commands of its words, of its code, of a script, of an alias."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Raw
from hookline.shell.grammar.tree import Simple
from hookline.shell.interpreter.stand_ins import StandIns
from hookline.shell.interpreter.walk import Walk
from hookline.shell.reading import (
    NOWHERE,
    Argv,
    Command,
    Hole,
    Parts,
    Step,
    Word,
    behind_nothing,
    shown,
)
from hookline.shell.values.redirecting import content_of, file_name
from hookline.shell.values.state import (
    alias_key,
)

MOST_OPTIONS = 20  # of `xargs`


class Following(Walk, StandIns):
    """The part of the reader that goes on where a command starts another."""

    def fed(self, command: Command) -> Command:
        """`xargs -a list`: what the line itself wrote to the list is what it reads."""
        if command.words[0].literal != "xargs":
            return command
        texts = [word.literal or "" for word in command.words[:MOST_OPTIONS]]
        for at, text in enumerate(texts):
            found = re.fullmatch(r"(?:-a|--arg-file=)(.+)", text)
            taken = 2 if text in ("-a", "--arg-file") else 1 if found else 0
            path = (
                Word((found[1],))
                if found
                else command.words[at + 1]
                if taken == 2 and texts[at + 1 :]
                else None
            )
            name = file_name(self, path) if path is not None else None
            if name is not None and name in self.files:
                words = (*command.words[:at], *command.words[at + taken :])
                return replace(command, words=words, stdin=Word(content_of(self, path or NOWHERE)))
        return command

    def unnamed(self, command: Command) -> None:
        super().unnamed(command)
        self.runs_part_of_code(command.words[0])
        self.without_first(command)

    def without_first(self, command: Command, node: Simple | None = None) -> None:
        """`$SUDO rm x` where the variable is empty, and so are those behind it; builtins only in the line itself."""
        rest = behind_nothing(command.words)
        while self.stand_ins and rest and re.match(r"\w+\+?=", rest[0].prefix):
            rest = rest[1:]  # in code that a hole was put into, what follows it may be an assignment
        literal = rest[0].literal if rest else None
        if literal and not literal.startswith("-"):
            first = shown(command.words[0])
            if node is not None and self._perhaps_builtin(rest, first, command, node):
                return
            why = Hole("word", f"`{first}` may be nothing", choices=(Word(()),))
            self.follow(Argv((Word((literal, why), rest[0].start, rest[0].end), *rest[1:]), first), command)

    def _perhaps_builtin(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> bool:
        from hookline.shell.interpreter.builtins import BUILTINS

        if not words or words[0].literal not in BUILTINS:
            return False
        self.doubt += 1
        self.state.branch()
        self.run_words(words, how, command, node)
        self.state.adopt([self.state.rewind(), {}])
        self.doubt -= 1
        return True

    # Aliases, prompts, and words that the shell itself looks up

    def aliased(self, node: Simple, name: str, text: str) -> None:
        """Reads on with an alias in the place of its name; that bash does so here is not certain."""
        held = self.state.slots.get(alias_key(name))
        if re.search(r"(?<!\S)#", text):
            self.unknown("an alias begins a comment", text)
        behind = self._behind_alias(text, node.source)
        self.state.branch()
        self.state.put(alias_key(name), None)  # within its own text it is none
        self.doubt += 1
        via, self.via = self.via, (*self.via, Step(f"alias {name}", node.start, node.end))
        for rest in behind:
            self.code(text + rest, Word((), node.start, node.end))
        self.via = via
        self.doubt -= 1
        self.state.put(alias_key(name), held)
        self.state.adopt([self.state.rewind(), {}])

    def _behind_alias(self, text: str, source: str) -> list[str]:
        """What follows an alias: where its text ends in a blank, the next word may be one as well."""
        found = re.match(r"(?:[ \t]|\\\n)*+((?:[^\s;&|<>()'\"\\$`]|\\\n)+)(.*)", source, re.DOTALL)
        name = found[1].replace("\\\n", "") if found and text[-1:] in (" ", "\t") else ""
        texts = self.state.slots.get(alias_key(name))
        ways = [source]
        for each in texts if found and isinstance(texts, tuple) else ():
            if isinstance(each, str) and found:
                if re.search(r"(?<!\S)#", each):
                    self.unknown("an alias begins a comment", each)
                self.spend(4 + (len(source) >> 1))
                ways += [each + rest for rest in self._behind_alias(each, found[2])]
        return ways

    def prompt(self, name: str, value: Parts, word: Raw) -> None:
        via, self.via = self.via, (*self.via, Step(name))
        self.doubt += 1
        self.state.branch()
        text = "".join(part for part in value if isinstance(part, str))
        if name == "PROMPT_COMMAND":
            self.code(text, Word((), word.start, word.end))
        elif "$(" in text or "`" in text:
            self.code(f': "{text}"', Word((), word.start, word.end))
        self.state.rewind()
        self.doubt -= 1
        self.via = via

    def run_words(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> None:
        from hookline.shell.interpreter.builtins import BUILTINS, carry_out

        name = words[0].literal
        if name is None or name not in BUILTINS:
            self.follow(Argv(words, how), command)
            if name is None:
                self._perhaps_builtin(behind_nothing(words), shown(words[0]), command, node)
            return
        stdin = None if self.stdin is None else Word(self.stdin.parts)
        step = Step(how, command.words[0].start, command.words[0].end)
        found = Command(
            words, command.assignments, command.redirections, stdin, self.folder(), (*self.via, step),
            words[0].start, words[-1].end, self.doubt == 0 and not self.left,
        )  # fmt: skip
        self.commands.append(found)
        carry_out(self, name, found, node)
