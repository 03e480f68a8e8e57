"""A line of programs, with variables, substitutions and texts to read, as long as it is no more: without the reader."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any, Callable, Mapping
from hookline.shell.grammar.lists import Lists
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.tree import Chain, Pipeline, Sequence, Simple
from hookline.shell.interpreter.walk import SURE, Walk
from hookline.shell.reading import (
    BUILTIN_NAMES,
    DECLARING,
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
    glued,
    resolved,
)  # fmt: skip
from hookline.shell.values.state import CODE_LISTS, CODE_VARIABLES, LONGEST_VALUE, export_key

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Assignment, Parameter, Piece, Raw, Substitution
    from hookline.shell.grammar.syntax import Node
    from hookline.shell.values.fields import Fields


class Beyond(Exception):
    """The line holds more than that."""


class Plainly(Walk):
    """Made for one line; raises Beyond where that needs the reader."""

    redirected = False
    substitutions = 0
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
        if parser.at < len(text) or parser.documents:
            raise Beyond
        self.spend(8)
        self.run(Sequence(tuple(items)))

    def run(self, sequence: Sequence) -> None:
        for node, background in sequence.items:
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
        if not node.words:
            return self._bare(node)
        declares = node.words[0].literal in DECLARING
        words: list[Word] = (
            list(node.words)
            if node.argv
            else [word for raw in node.words for word in self.words(raw, declares)]
        )
        self.spend(8 + (len(words) >> 1))
        assignments = tuple(map(self._assigned, node.assignments)) if node.assignments else ()
        if node.redirects:
            return self._redirected(node, words, assignments)
        return self._named(node, words, assignments, ())

    def _assigned(self, assignment: Assignment) -> tuple[str, Word]:
        value = self.one(assignment.value.pieces, assigned=True)
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
            self._builtin(name, command, node)
        else:
            self.printing(command)
            self.inner(command, node.argv)
        return True if name in SURE else False if name == "false" else None

    def _builtin(self, name: str, command: Command, node: Simple) -> None:
        """One that sets no more than variables for the programs behind it, or nothing."""
        texts = [word.prefix for word in command.words[1:]]
        if self.shell != "bash" or command.assignments:
            raise Beyond
        if name in ("test", "[") and not {"-v", "-R"}.intersection(texts):
            self.complained()
        elif not texts or texts[0][:1] in ("-", "+"):
            raise Beyond
        elif name == "printf" and command.words[1].literal:
            self.printing(command)
        elif name == "export" and self.out is None:
            if len({text.partition("=")[0] for text in texts}) < len(texts):
                raise Beyond
            for word in command.words[1:]:
                self._exports(word)
            self.inner(command, node.argv)
            self.complained()
        else:
            raise Beyond

    def _exports(self, word: Word) -> None:
        name, equals, text = word.prefix.partition("=")
        if not (name.isidentifier() and name.isascii() and (equals or word.literal)):
            raise Beyond
        self.exports[name] = None
        self.state.put(export_key(name), True)
        if equals:
            self._put(name, glued((text, *word.parts[1:])))

    def _bare(self, node: Simple) -> bool | None:
        """Assignments without a command, which stay."""
        if node.redirects:
            raise Beyond
        substitutions = self.substitutions
        for assignment in node.assignments:
            name, value = self._assigned(assignment)
            self._put(name, value.parts)
        return True if self.substitutions == substitutions else None

    def _put(self, name: str, value: Parts) -> None:
        if (
            name in CODE_VARIABLES
            or name in CODE_LISTS
            or sum(len(part) for part in value if isinstance(part, str)) > LONGEST_VALUE
        ):
            raise Beyond
        self.state.put(name, value)

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
        stdin, out, errors = self.stdin, self.out, self.errors
        found, written, _ = opened(asks, node.redirects)
        self.written.update(each.name for each in written)
        known = (out, errors)  # nobody looks at what is in a file
        self.out = self.out if self.out in known else None
        self.errors = self.errors if self.errors in known else None
        status = self._named(node, words, assignments, found)
        self.stdin, self.out, self.errors = stdin, out, errors
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

        asks: Any = self
        if command.stdin is not None and command.stdin.literal is not None:  # so it is told what it writes
            from hookline.shell.interpreter.rewriting import rewritten

            rewritten(asks, command)
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

    def words(self, raw: Any, declares: bool = False) -> list[Word]:
        if isinstance(raw, Word):
            return [raw]
        from hookline.shell.values.filling import fields_of

        asks: Any = self
        whole: Raw = getattr(raw, "whole", raw)
        if declares and raw is not whole:  # what is assigned there is not split
            return [Word(self.one(whole.pieces, assigned=True), whole.start, whole.end)]
        return fields_of(asks, whole.pieces, whole)

    def one(self, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
        from hookline.shell.values.filling import one

        asks: Any = self
        return one(asks, pieces, assigned)

    def computed(self, fields: Fields, piece: Substitution) -> None:
        from hookline.shell.values.substituting import substituted

        asks: Any = self
        substituted(asks, fields, piece)

    def own_shell(self, run: Callable[[], object]) -> None:
        run()  # nothing that is read here ends one

    def complained(self) -> None:
        if self.errors is not None:
            self.errors.add((Hole("words", "what is told of a mistake"),), self.doubt, False)

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        if name is not None:
            self.written.add(name)

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
