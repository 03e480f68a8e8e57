"""A line of programs, with variables, substitutions, texts to read and functions, as long as it is no more: without the
reader.
"""

from __future__ import annotations

from functools import partial

from hookline.model.typing import TYPE_CHECKING, Any, Callable, Mapping
from hookline.shell.grammar.lists import Lists
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.tree import Chain, Pipeline, Redirect, Sequence, Simple
from hookline.shell.interpreter.walk import SURE, Beyond, Walk
from hookline.shell.reading import (
    BUILTIN_NAMES,
    DECLARING,
    TASKS,
    WRITERS,
    Code,
    Command,
    Inner,
    InnerOf,
    OpenScript,
    Parts,
    Reading,
    Redirection,
    Script,
    Word,
    behind_nothing,
    resolved,
)  # fmt: skip
from hookline.shell.values.state import CODE_LISTS, CODE_VARIABLES, LONGEST_VALUE, export_key

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Assignment, Parameter, Piece, Raw
    from hookline.shell.grammar.syntax import Node
    from hookline.shell.values.fields import Fields


class Plainly(Walk):
    """Made for one line; raises Beyond where that needs the reader."""

    looked_over = 0  # so many commands have put no files into a place
    writes = 0  # how often a file was written

    def parsed(self, text: str, low: int, high: int, scale: int) -> tuple[Sequence, None]:
        parser = Lists(text, low, high, scale, 0, self.parts)
        items: list[tuple[Node, bool]] = []
        try:
            parser.sequence(items, frozenset(), "")
        except Unclear as unclear:
            raise Beyond from unclear
        if parser.at < len(text) or parser.documents or self.shell == "zsh":
            raise Beyond
        return Sequence(tuple(items)), None

    def run(self, sequence: Sequence) -> bool | None:
        status: bool | None = True
        writes: int | None = None
        for node, background in sequence.items:
            status = self._aside(node) if background else self.node(node)
            writes = self.writes if background and writes is None else writes
        if writes is not None and self.writes > writes:
            raise Beyond  # what still runs may see what is written
        return status

    def _aside(self, node: Node) -> bool:
        """Runs what still runs, and may still print, when the next command does."""
        self.besides += 1
        self.beside(node, self.out)
        self.besides -= 1
        return True

    def ending(self) -> None:
        if self.functions:
            from hookline.shell.interpreter.functions import run_uncalled

            asks: Any = self
            run_uncalled(asks)

    def node(self, node: Node) -> bool | None:
        if isinstance(node, Chain):
            return self.chain(node)
        if isinstance(node, Pipeline):
            return self._pipeline(node)
        if not isinstance(node, Simple):
            return self.compound(node)
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
            return self.within(node.redirects, lambda found: self._named(node, words, assignments, found))
        return self._named(node, words, assignments, ())

    def _assigned(self, assignment: Assignment) -> tuple[str, Word]:
        value = self.one(assignment.value.pieces, assigned=True)
        return assignment.name, Word(value, assignment.whole.start, assignment.whole.end)

    def _named(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> bool | None:  # fmt: skip
        name = words[0].literal
        functions = self.state.slots.get(f"{name}()")
        if isinstance(functions, tuple):
            from hookline.shell.interpreter.functions import call_function, temporarily

            if None in functions:
                raise Beyond  # perhaps there is no such function
            asks: Any = self
            temporarily(asks, assignments, partial(call_function, asks, functions, words))
            return None
        command = self.emit(node, words, assignments, redirections)
        if name == "cd" and len(words) == 2 and not assignments and self._is_told(words[1]):
            self.enter(resolved(self.folder(), words[1]))
            if self.out is not None or self.errors is not None:
                raise Beyond
        elif name in BUILTIN_NAMES:
            from hookline.shell.interpreter.plain_builtins import carry_out

            carry_out(self, name, command, node)
        else:
            self.printing(command)
            self.inner(command, node.argv)
        return True if name in SURE else False if name == "false" else None

    def _bare(self, node: Simple) -> bool | None:
        """Assignments without a command, which stay."""
        if node.redirects:
            raise Beyond
        substitutions = self.substitutions
        for name, value in map(self._assigned, node.assignments):
            self.assign(name, value.parts)
        return True if self.substitutions == substitutions else None

    def assign(self, name: str, value: Parts) -> None:
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

    def within(
        self, redirects: tuple[Redirect, ...], run: Callable[[tuple[Redirection, ...]], object]
    ) -> bool | None:
        from hookline.shell.values.redirecting import may_be_refused, may_stay_shut, opened

        if self.left or self.ended:
            raise Beyond
        asks: Any = self
        stdin, out, errors, redirected = self.stdin, self.out, self.errors, self.redirected
        self.redirected = False
        self.state.branch()
        found, written, whole = opened(asks, redirects)
        if any(map(str.isidentifier, self.state.commit())):
            raise Beyond  # a program's own process sets it, a builtin does it here
        self.redirected = self.redirected or (redirected and not whole)
        for each in written:
            self.write(each.name, (), each.appends)
        known = (out, errors)  # nobody looks at what is in a file
        self.out = self.out if self.out in known else None
        self.errors = self.errors if self.errors in known else None
        refusable = any(may_be_refused(each) or may_stay_shut(each) for each in found)
        if refusable:
            self.state.branch()
        status = run(found)
        if refusable:
            self.state.adopt([self.state.rewind(), {}])
        self.stdin, self.out, self.errors = stdin, out, errors
        passing = any(redirect.operator == "<" for redirect in redirects)
        self.redirected = redirected or (self.redirected and not passing)
        return status if isinstance(status, bool) and not refusable else None

    def _pipeline(self, pipeline: Pipeline) -> bool | None:
        from hookline.shell.values.streams import Output, Stream

        if pipeline.errors_too or (pipeline.timed and not self._is_timed_program(pipeline)):
            raise Beyond
        if pipeline.timed:
            self.complained()  # what `time` tells goes there too
        if len(pipeline.parts) == 1:
            status = self.node(pipeline.parts[0])
            return not status if pipeline.negated and status is not None else status
        stdin, out, redirected, run_beside = self.stdin, self.out, self.redirected, set(self.run_beside)
        for part in pipeline.parts:
            last = part is pipeline.parts[-1]
            self.out = out if last else Output(self.doubt + self.left)
            self.redirected = redirected and last
            self.besides += not last
            printed = self.errors.count if self.errors is not None else 0
            self.state.branch()
            self.own_shell(partial(self.node, part))
            self.state.rewind()
            self.besides -= not last
            if self.errors is not None and not last and self.errors.count > printed:
                self.errors.racing = True
            if self.out is not None:
                self.stdin = Stream(self.out.text(), self.doubt + self.left)
        self.stdin, self.out, self.redirected, self.run_beside = stdin, out, redirected, run_beside
        return None

    def _is_timed_program(self, pipeline: Pipeline) -> bool:
        argv = getattr(pipeline.parts[0], "argv", None)
        named = argv and argv[0] not in BUILTIN_NAMES and f"{argv[0]}()" not in self.state.slots
        return bool(named) and not pipeline.negated

    def printing(self, command: Command) -> None:
        writes = command.words[0].literal in WRITERS
        if self.out is None and self.errors is None and self.stdin is None and not (writes or self.files):
            return
        from hookline.shell.interpreter.printing import may_complain, printed, reads_input

        asks: Any = self
        if writes or self.files or (command.stdin is not None and command.stdin.literal is not None):
            from hookline.shell.interpreter.rewriting import rewritten, run_by_path

            run_by_path(asks, command)
            rewritten(asks, command)
        if self.out is not None or writes:
            self.prints(printed(asks, command))
        if may_complain(asks, command):
            self.complained()
        if self.stdin is not None and reads_input(command):
            self.stdin.lose()

    # What is asked of who makes words, opens redirections and prints

    def scalar(self, name: str) -> Parts | None:
        from hookline.shell.values.filling import held, positional

        if name.isdigit():
            return positional(self.state, name)
        value = held(self.state, name)
        return value if isinstance(value, tuple) else None

    def separators(self) -> str:
        value = self.state.slots.get("IFS")
        found = Word(value).literal if isinstance(value, tuple) else None if value else " \t\n"
        if found is None or not found.isascii():
            raise Beyond
        return found

    def is_list(self, piece: Parameter) -> bool:
        return False

    def parameter(self, fields: Fields, piece: Parameter, alone: bool) -> None:
        from hookline.shell.values.filling import put

        asks: Any = self
        value = self.scalar(piece.name)
        if not piece.operator and not piece.prefix:
            put(asks, fields, value, piece.quoted)
            return
        from hookline.shell.values.operators import OF_ALL_SHELLS, operated

        if piece.operator not in OF_ALL_SHELLS:
            self.differs("dash", "dash has no such expansion")
        operated(asks, fields, piece, value)

    def words(self, raw: Any, declares: bool = False) -> list[Word]:
        if isinstance(raw, Word):
            return [raw]
        from hookline.shell.grammar.pieces import Text
        from hookline.shell.values.filling import has_braces, words_of

        asks: Any = self
        whole: Raw = getattr(raw, "whole", raw)
        if declares and raw is not whole:  # what is assigned there is not split
            if has_braces(whole.pieces):
                raise Beyond
            unquoted = (piece for piece in whole.pieces if not getattr(piece, "quoted", True))
            if not all(isinstance(piece, Text) for piece in unquoted):
                self.differs("dash", "some dash splits what is assigned behind a builtin")
            return [Word(self.one(whole.pieces, assigned=True), whole.start, whole.end)]
        return words_of(asks, whole.pieces, whole)

    def one(self, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
        from hookline.shell.grammar.pieces import Text

        if len(pieces) == 1 and isinstance(pieces[0], Text) and pieces[0].quoted:
            return (pieces[0].text,) if pieces[0].text else ()  # as a here-document is
        from hookline.shell.values.filling import one

        asks: Any = self
        return one(asks, pieces, assigned)

    def computed(self, fields: Fields, piece: Any) -> None:
        asks: Any = self
        if hasattr(piece, "body"):
            from hookline.shell.values.substituting import substituted

            substituted(asks, fields, piece)
        else:
            from hookline.shell.values.calculating import calculated

            fields.value(calculated(asks, piece.pieces, piece.text), piece.quoted)

    def own_shell(self, run: Callable[[], bool | None], by_lines: bool = False) -> bool | None:
        before, self.began = self.began, len(self.commands)
        left, ended, beyond, redirected = self.left, self.ended, self.beyond, self.redirected
        self.doubt += left
        self.left = self.ended = False
        status = run()
        if self.ended or self.redirected or self.option("u"):
            status = None
        self.doubt -= left
        self.began, self.left, self.ended, self.beyond, self.redirected = (
            before,
            left,
            ended,
            beyond,
            redirected,
        )
        return status

    def may_end(self) -> None:
        """No trap is set here."""

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        if self.run_beside:  # scripts, which may be what is written, and are looked at once more
            raise Beyond
        self.writes += 1
        if name is not None:
            from hookline.shell.interpreter.unseen import noted

            self.files = noted(self.files, name)

    # What needs the reader

    def refused(self) -> None:
        raise Beyond

    def perhaps_refused(self) -> None:
        self.redirected = True
        self.complained()

    def run_script(self, inner: Script, command: Command) -> None:
        from hookline.shell.interpreter.unseen import puts

        others = (each for each in self.commands[self.looked_over :] if each is not command)
        if inner.same_shell or any(map(puts, others)):
            raise Beyond
        self.looked_over = len(self.commands) - 1
        if self.files or inner.language not in TASKS:  # whose files are looked at where the line writes them
            super().run_script(inner, command)

    def run_code(self, inner: Code, command: Command) -> None:
        if inner.same_shell:
            raise Beyond
        super().run_code(inner, command)

    def with_stand_ins(self, parts: Parts, how: str, command: Command) -> str:
        """Code as one text, where all of it is told."""
        text = Word(parts).literal
        if text is None or "\0" in text or not text.isascii():
            raise Beyond
        return text

    def parameters(self) -> None:
        raise Beyond

    def exported(self, name: str) -> None:
        self.exports[name] = None
        self.state.put(export_key(name), True)

    def fed(self, command: Command) -> Command:
        if command.words[0].literal == "xargs" and self.files:
            raise Beyond
        return command

    def unnamed(self, command: Command) -> None:
        if behind_nothing(command.words):
            raise Beyond
        super().unnamed(command)


def plainly(
    line: str, shell: str, variables: Mapping[str, str], open_script: OpenScript | None, inner_of: InnerOf,
    only: Command | None = None, inner: tuple[Inner, ...] = (),
) -> Reading | None:  # fmt: skip
    """What a line runs, as `Walk.read` says; None where that needs the reader."""
    try:
        return Plainly(shell, variables, open_script, inner_of).read(line, only, inner)
    except Beyond:
        return None
