"""A line of programs and plain words or variables, and of what goes from one to the next: without the reader."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any, Mapping
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
    from hookline.shell.grammar.pieces import Assignment, Parameter, Raw
    from hookline.shell.grammar.syntax import Node
    from hookline.shell.values.fields import Fields


class Beyond(Exception):
    """The line holds more than that."""


class Plainly(Walk):
    """Made for one line; raises Beyond where that needs the reader."""

    redirected = False
    looked_at = False
    stand_ins: Mapping[str, Hole] = {}

    def __init__(self, inner_of: InnerOf, shell: str, variables: Mapping[str, str]) -> None:
        super().__init__(inner_of)
        self.shell = shell
        self.state.begin(variables)
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
        if node.argv is None and self.shell != "bash":
            raise Beyond
        words: list[Word] = (
            list(node.words) if node.argv else [word for raw in node.words for word in self.words(raw)]
        )
        self.spend(8 + (len(words) >> 1))
        assignments = tuple(map(self._assigned, node.assignments)) if node.assignments else ()
        if node.redirects:
            return self._redirected(node, words, assignments)
        return self._named(node, words, assignments, ())

    def _assigned(self, assignment: Assignment) -> tuple[str, Word]:
        from hookline.shell.values.filling import one

        asks: Any = self
        value = one(asks, assignment.value.pieces, assigned=True)
        return assignment.name, Word(value, assignment.whole.start, assignment.whole.end)

    def _named(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> bool | None:  # fmt: skip
        name = words[0].literal
        command = self.emit(node, words, assignments, redirections)
        if name == "cd" and len(words) == 2 and not assignments and self._is_told(words[1]):
            self.enter(resolved(self.folder(), words[1]))
            if self.out is not None or self.errors is not None:
                raise Beyond
        elif name in BUILTIN_NAMES:
            raise Beyond
        else:
            self.printing(command)
            self.inner(command, node.argv)
        return True if name in SURE else False if name == "false" else None

    def _is_told(self, folder: Word) -> bool:
        """Whether `cd` goes there and nowhere else."""
        named = folder.parts and folder.prefix[:1] != "-" and folder.single
        return bool(named) and "CDPATH" not in self.state.slots

    def _redirected(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...]
    ) -> bool | None:
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
        status = self._named(node, words, assignments, found)
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

    # What is asked of who makes words, opens redirections and prints

    def option(self, letter: str) -> bool:
        return False  # what sets one needs the reader

    def scalar(self, name: str) -> Parts:
        from hookline.shell.values.filling import held

        value = held(self.state, name)
        assert isinstance(value, tuple)  # as whatever a line begins with
        return value

    def separators(self) -> str:
        if "IFS" in self.state.slots:
            raise Beyond
        return " \t\n"

    def parameter(self, fields: Fields, piece: Parameter, alone: bool) -> None:
        from hookline.shell.values.filling import put

        asks: Any = self
        put(asks, fields, self.scalar(piece.name), piece.quoted)

    def prints(self, parts: Parts) -> None:
        raise Beyond

    def words(self, raw: Word | Raw) -> list[Word]:
        if isinstance(raw, Word):
            return [raw]
        from hookline.shell.values.filling import fields_of

        asks: Any = self
        return fields_of(asks, raw.pieces, raw)

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
            from hookline.shell.values.redirecting import file_name, written_as

            asks: Any = self
            if written_as(file_name(asks, inner.path), self.written):
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
    line: str, shell: str, variables: Mapping[str, str], inner_of: InnerOf, only: Command | None,
    inner: tuple[Inner, ...],
) -> Reading | None:  # fmt: skip
    """What a line runs, as `Walk.read` says; None where that needs the reader."""
    try:
        return Plainly(inner_of, shell, variables).read(line, only, inner)
    except Beyond:
        return None
