"""A line whose words are all plain, and whose output goes to others of it or to plain names: without the reader."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any
from hookline.shell.grammar.lists import Lists
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.tree import Chain, Pipeline, Simple
from hookline.shell.interpreter.walk import SURE, Walk
from hookline.shell.reading import (
    BUILTIN_NAMES,
    TASKS,
    WRITERS,
    Code,
    Command,
    Hole,
    Inner,
    InnerOf,
    Parts,
    Reading,
    Redirection,
    Script,
    Word,
    resolved,
)  # fmt: skip

if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Node


class Beyond(Exception):
    """The line holds more than that."""


class Plainly(Walk):
    """Made for one line; raises Beyond where that needs the reader."""

    redirected = False
    looked_at = False

    def __init__(self, inner_of: InnerOf, shell: str) -> None:
        super().__init__(inner_of)
        self.shell = shell
        self.files: dict[str, list[Parts]] = {}
        self.racing: set[str] = set()
        self.written: set[str] = set()  # files of which nobody here knows what they hold

    def code(self, text: str, word: Word | None = None) -> None:
        parser = Lists(text, parts=self.parts)
        items: list[tuple[Node, bool]] = []
        try:
            parser.sequence(items, frozenset(), "")
        except Unclear as unclear:
            raise Beyond from unclear
        if parser.at < len(text):
            raise Beyond
        self.spend(8)
        for node, background in items:
            if background:
                raise Beyond
            self.node(node)

    def node(self, node: Node) -> bool | None:
        if isinstance(node, Chain):
            return self.chain(node)
        if isinstance(node, Pipeline):
            return self._pipeline(node)
        if not isinstance(node, Simple):
            raise Beyond
        self.spend(8 + (len(node.words) >> 1))
        return self._redirected(node) if node.redirects else self._named(node, ())

    def _named(self, node: Simple, redirections: tuple[Redirection, ...]) -> bool | None:
        argv = node.argv or ("",)
        name, words = argv[0], [word for word in node.words if isinstance(word, Word)]
        command = self.emit(node, words, (), redirections)
        if name == "cd" and len(words) == 2 and argv[1][:1] not in ("", "-"):
            self.enter(resolved(self.folder(), words[1]))
            if self.out is not None or self.errors is not None:
                raise Beyond
        elif name in BUILTIN_NAMES:
            raise Beyond
        else:
            self.printing(command)
            self.inner(command, argv)
        return True if name in SURE else False if name == "false" else None

    def _redirected(self, node: Simple) -> bool | None:
        from hookline.shell.values.redirecting import opened

        if self.shell != "bash":
            raise Beyond
        asks: Any = self
        out, errors = self.out, self.errors
        found, written, _ = opened(asks, node.redirects)
        self.written.update(each.name for each in written)
        known = (out, errors)  # nobody looks at what is in a file
        self.out = self.out if self.out in known else None
        self.errors = self.errors if self.errors in known else None
        status = self._named(node, found)
        self.out, self.errors = out, errors
        return status

    def _pipeline(self, pipeline: Pipeline) -> bool | None:
        from hookline.shell.values.streams import Output, Stream

        if pipeline.negated or pipeline.timed or pipeline.errors_too or self.shell != "bash":
            raise Beyond
        stdin, out = self.stdin, self.out
        for part in pipeline.parts:
            self.out = Output(self.doubt) if part is not pipeline.parts[-1] else out
            self.state.branch()
            self.node(part)
            self.state.rewind()
            if self.out is not None:
                self.stdin = Stream(self.out.text(), self.doubt)
        self.stdin, self.out = stdin, out
        return None

    def printing(self, command: Command) -> None:
        if command.words[0].literal in WRITERS:
            raise Beyond
        if self.out is None and self.errors is None and self.stdin is None:
            return
        from hookline.shell.interpreter.printing import may_complain, printed, reads_input

        if self.out is not None:
            if self.written:
                raise Beyond
            self.out.add(printed(self, command), self.doubt, False)
        if may_complain(self, command):
            self.complained()
        if self.stdin is not None and reads_input(command):
            self.stdin.lose()

    # What is asked of who opens redirections and prints

    def option(self, letter: str) -> bool:
        return False  # what sets one needs the reader

    def scalar(self, name: str) -> Parts | None:
        raise Beyond

    def prints(self, parts: Parts) -> None:
        raise Beyond

    def words(self, target: Word) -> list[Word]:
        return [target]

    def complained(self) -> None:
        if self.errors is not None:
            self.errors.add((Hole("words", "what is told of a mistake"),), self.doubt, False)

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        raise Beyond

    def differs(self, shell: str, why: str) -> None:
        """Nothing here is read in another way by bash."""

    # What needs the reader

    def run_script(self, inner: Script, command: Command) -> None:
        if inner.language not in TASKS:  # whose files are looked at where the line writes them
            raise Beyond
        if self.written:
            from hookline.shell.values.redirecting import file_name

            asks: Any = self
            if file_name(asks, inner.path) in self.written:
                raise Beyond

    def run_code(self, inner: Code, command: Command) -> None:
        raise Beyond

    def fed(self, command: Command) -> Command:
        if command.words[0].literal == "xargs":
            raise Beyond
        return command

    def unnamed(self, command: Command) -> None:
        raise Beyond


def plainly(
    line: str, shell: str, inner_of: InnerOf, only: Command | None, inner: tuple[Inner, ...]
) -> Reading | None:
    """What a line runs, as `Walk.read` says; None where that needs the reader."""
    try:
        return Plainly(inner_of, shell).read(line, only, inner)
    except Beyond:
        return None
