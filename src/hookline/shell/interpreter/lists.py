"""Lists of commands: one after the other, joined by `&&` and `||`, by pipes, and side by side."""

from __future__ import annotations

from collections.abc import Callable

from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Pipeline, Sequence, Simple
from hookline.shell.interpreter.walk import Walk
from hookline.shell.reading import Parts, Word
from hookline.shell.values.running import Running
from hookline.shell.values.state import function_key
from hookline.shell.values.streams import Output, Stream


class Lists(Walk, Running):
    """The part of the reader that knows in which order commands run, and what flows from one to the next."""

    def run(self, sequence: Sequence) -> bool | None:
        status: bool | None = True
        beside: list[tuple[Node, dict[str, list[Parts]]]] = []
        for node, background in sequence.items:
            if background:
                self._race(node, self.out)
                beside.append((node, dict(self.files)))
                status = True
            else:
                status = self.node(node)
        self._all_later(beside)
        return status

    def _all_later(self, beside: list[tuple[Node, dict[str, list[Parts]]]]) -> None:
        for node, files in beside:
            self.spend(len(files) >> 2)
            if changed := {name for name, each in self.files.items() if files.get(name) is not each}:
                self._later(node, changed)

    def _race(self, node: Node, output: Output | None) -> dict[str, tuple[list[Parts], list[Parts]]]:
        """Runs it beside what follows: what it writes may come before or behind that.

        What it wrote by name, and what each file may hold while it runs.
        """
        return self.aside(lambda: self.beside(node, output))

    def aside(self, run: Callable[[], object]) -> dict[str, tuple[list[Parts], list[Parts]]]:
        """As above, of whatever still runs when the next command does."""
        before = dict(self.files)
        self.spend(len(before) >> 2)
        self.besides += 1
        run()
        self.besides -= 1
        written = {
            name: (contents, list(dict.fromkeys((*before.get(name, ()), *contents))))
            for name, contents in self.files.items()
            if contents is not before.get(name)
        }
        self.files.update((name, each) for name, (_, each) in written.items())
        self.racing |= written.keys()
        return written

    def _later(self, node: Node, changed: set[str]) -> None:
        """Once more what still runs when files are written: `(sleep 1; sh x) & echo y > x`."""
        stdin, out, errors = self.stdin, self.out, self.errors
        racing, self.racing = self.racing, changed
        self.stdin = self.out = self.errors = None
        self.doubt += 1
        self.beside(node, None)
        self.doubt -= 1
        self.racing = racing
        self.stdin, self.out, self.errors = stdin, out, errors

    def pipeline(self, pipeline: Pipeline) -> bool | None:
        parts = pipeline.parts
        if pipeline.timed:
            self.complained()  # what `time` tells goes there too
            if pipeline.negated or not self._is_program(parts[0]):
                self.differs("dash", "`time` is a program to dash, which starts no more than another one")
        if len(parts) == 1:
            status = self.node(parts[0])
            return not status if pipeline.negated and status is not None else status
        stdin, out, errors = self.stdin, self.out, self.errors
        redirected = self.redirected
        racing, run_beside = set(self.racing), set(self.run_beside)
        written: dict[str, tuple[list[Parts], list[Parts]]] = {}
        beside: list[tuple[Node, dict[str, list[Parts]]]] = []
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            self.out = out if last else Output(self.doubt + self.left)
            self.errors = self.out if pipeline.errors_too and not last else errors
            self.redirected = redirected and last
            if last and (
                self.option("P") or self.shell == "zsh"
            ):  # unless jobs are controlled, in the shell itself
                self.state.branch()
                self.node(part)
                self.state.adopt([self.state.rewind(), {}])
                break
            if last:
                self.beside(part, None)
                break
            self.looked_at = False
            written |= self._race(part, None if pipeline.errors_too else errors)
            if self.run_beside != run_beside or self.looked_at:
                beside.append((part, dict(self.files)))
            if self.out is not None:
                self.stdin = Stream(self.out.text(), self.doubt + self.left)
        self._all_later(beside)
        for name, (contents, either) in written.items():
            if self.files[name] is either:
                self.files[name] = contents
        self.racing, self.run_beside = racing | self.astray, run_beside
        self.redirected = self.redirected or redirected
        self.stdin, self.out, self.errors = stdin, out, errors
        return None

    def _is_program(self, node: Node) -> bool:
        """Whether a command is no more than a program with its words."""
        from hookline.shell.interpreter.builtins import BUILTINS

        first = node.words[0] if isinstance(node, Simple) and node.words and not node.assignments else None
        name = first.literal if isinstance(first, Word) else None
        return name is not None and name not in BUILTINS and function_key(name) not in self.state.slots
