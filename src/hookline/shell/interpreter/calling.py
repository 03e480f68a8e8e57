"""What runs code of its own within a line, and what is open meanwhile: aliases, redirections, pipes by name."""

from __future__ import annotations

from collections.abc import Callable

from hookline.shell.grammar.pieces import Process
from hookline.shell.grammar.tree import Redirect, Simple
from hookline.shell.reading import PIPE, Hole, Parts, Redirection, Step, Word, glued
from hookline.shell.values.fields import is_written_at_once
from hookline.shell.values.redirecting import (
    MOST_TEXTS,
    Opened,
    may_be_refused,
    may_stay_shut,
    opened,
    unknown_file,
)
from hookline.shell.values.running import Running
from hookline.shell.values.state import alias_key, descriptor_key, shut_key
from hookline.shell.values.streams import Output, Stream
from hookline.shell.values.substituting import captured

_OPEN: list[Parts] = [(Hole("words", "what is printed there"),)]  # of a file that is written meanwhile


class Calling(Running):
    """Its code is read where it is called, with what holds there."""

    def aliased(self, node: Simple, name: str, text: str) -> None:
        raise NotImplementedError

    def _alias(self, node: Simple, name: str) -> None:
        """Reads the line with the alias in its place too."""
        texts = self.state.slots.get(alias_key(name))
        for text in texts if isinstance(texts, tuple) else ():
            if isinstance(text, str):
                self.aliased(node, name, text)

    def within(
        self, redirects: tuple[Redirect, ...], run: Callable[[tuple[Redirection, ...]], object]
    ) -> bool | None:
        stdin, out, redirected, errors = self.stdin, self.out, self.redirected, self.errors
        left = (self.left or self.ended) and any(">" in each.operator for each in redirects)
        ends = self.left, self.ended
        if left:  # once it is reached, what is printed is in the file
            self.doubt += 1
            self.left = self.ended = False
        keys = [descriptor_key(each.fd) for each in redirects if each.fd]
        held = [(key, self.state.slots.get(key)) for key in keys]
        self.redirected = False
        self.state.branch()
        found, written, whole = opened(self, redirects)
        if set_there := [key for key in self.state.commit() if key.isidentifier()]:
            self.state.forget(
                set_there
            )  # `x <<< $((y+=1))`: a program's own process sets it, a builtin does it here
        self.redirected = self.redirected or (redirected and not whole)  # a file has all that comes to it
        self.keeps = False
        shut, refusable = any(map(may_stay_shut, found)), any(map(may_be_refused, found))
        if shut or refusable:
            self.state.branch()
        before = self._held_open({each.name for each in written})
        status = run(found)
        if shut or refusable:  # where it is `exec` that cannot open one, the shell ends
            self.state.adopt([self.state.rewind(), {}][: 2 if refusable or not self.keeps else 1])
        refusable = refusable or shut
        self.doubt -= left
        self.left, self.ended = self.left or ends[0], self.ended or ends[1]
        kept, self.keeps = self.keeps, False
        if kept and self.doubt and self.stdin is not stdin:
            self.stdin = Stream((Hole("words", "input that `exec` may have opened"),), self.doubt)
        for key, value in () if kept else held:
            self.state.put(key, value)
        if not kept:
            self._let_go(written, before)
        else:
            for output in {each for each in (out, errors, self.out, self.errors) if each is not None}:
                output.add((Hole("words", "what `exec` sends there or elsewhere"),), self.doubt, False)
            for each in written:
                if each.name in self.files and each.name not in before:  # somebody writes to it beside that
                    self.files[each.name] = [*self.files[each.name], *_OPEN]
        self.stdin, self.out = self.stdin if kept else stdin, out
        self.errors = self.errors if kept else errors
        passing = any(redirect.operator == "<" for redirect in redirects)
        self.redirected = redirected or (self.redirected and not passing)
        return status if isinstance(status, bool) and not refusable else None

    def _held_open(self, names: set[str]) -> dict[str, list[Parts] | None]:
        """Marks files as written meanwhile, so that nobody can tell what they hold; tells what they held."""
        before = {name: self.files.get(name) for name in names if name not in self.racing}
        self.files.update((name, _OPEN) for name in before)
        self.racing |= before.keys()
        return before

    def _let_go(self, written: list[Opened], before: dict[str, list[Parts] | None]) -> None:
        for name, held in before.items():
            if self.files[name] is not _OPEN:
                continue  # somebody else wrote to it, before or behind that
            self.racing.discard(name)
            if held is None:
                del self.files[name]
            else:
                self.files[name] = held
        for each in written:
            self.doubt += each.perhaps
            self.write(each.name, each.output.text() if each.output is not None else _OPEN[0], each.appends)
            self.doubt -= each.perhaps

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        if name is None:
            return
        if name in self.run_beside and not is_written_at_once(content):
            self.unknown("a script is written while it may run beside that")
        before = self.files.get(name)
        if name in self.racing:
            new: list[Parts] = [(Hole("words", "what is written at the same time"),)]
        elif appends:
            starts = before or [(Hole("words", "what the file held before"), "\n"), ()]
            new = [glued([*start, *content]) for start in starts]
            self.spend(sum(len(part) for each in new for part in each if isinstance(part, str)) >> 6)
        else:
            new = [content]
        kept = (self.option("C") and not appends) or self.state.slots.get(shut_key(name))
        sure = self.doubt == 0 and not self.left and not kept
        self.files[name] = new if sure else (before or [unknown_file(name)])[:MOST_TEXTS] + new

    def process_file(self, piece: Process) -> Hole:
        self.differs("dash", "`<(` is known to bash and not to dash")
        step = Step(f"{piece.direction}(…)", piece.start, piece.end)
        stdin = self.stdin
        if piece.direction == ">":
            self.stdin = Stream((Hole("words", "what the line writes to `>(…)`"),), self.doubt)
        found: list[Output] = []
        self.aside(lambda: found.append(captured(self, piece.body, step, piece.text)))
        output = found[0]
        self.stdin = stdin
        if piece.direction == ">" and output.text():
            self.prints((Hole("words", "what `>(…)` prints of what is written to it"),))
        are_files = all(isinstance(part, Hole) and part.text.startswith("< ") for part in output.parts)
        return Hole("word", PIPE, piece.text, Word(tuple(output.parts) if are_files else output.text()))
