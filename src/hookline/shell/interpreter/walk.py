"""From command to command: through lists, and into what runs others."""

from __future__ import annotations

from functools import partial

from hookline.model.typing import TYPE_CHECKING, Any, Mapping
from hookline.shell.grammar.position import MOST_OF_LONG, MOST_PARTS, OF_BASH, room
from hookline.shell.grammar.tree import Chain, Pipeline, Sequence, Simple
from hookline.shell.reading import (
    DECLARING,
    LONGEST_LINE,
    NOWHERE,
    Argv,
    Code,
    Command,
    Hole,
    Inner,
    InnerOf,
    OpenScript,
    Parts,
    Reading,
    Redirection,
    Script,
    Step,
    Word,
    is_lost,
    resolved,
)  # fmt: skip
from hookline.shell.values.state import FOLDER, FORMER_FOLDER, OPTIONS, State, export_key, is_number

if TYPE_CHECKING:
    from hookline.shell.grammar.position import Unclear
    from hookline.shell.grammar.syntax import Function, Node
    from hookline.shell.values.streams import Output, Stream

MOST_WORK = 24_000  # expansions, and eight for a command; those of loops and functions each time
MOST_WORK_OF_LONG = 400
DEEPEST = 30
ALL_LOOPS = 1000
SURE = frozenset(  # `cd`, `printf` and `hash` may fail, and so may `echo` where nothing takes what it prints
    ["true", ":", "export", "declare", "typeset", "local", "readonly", "set", "shopt", "unset"]
)  # fmt: skip


class TooMuch(Exception):
    """The line does more than anyone would look at."""


class Beyond(Exception):
    """The line holds more than whoever goes through it reads."""


class Walk:
    """What both have in common who go through a line: one as long as its words are plain, and the reader."""

    via: tuple[Step, ...] = ()
    stdin: Stream | None = None
    out: Output | None = None
    errors: Output | None = None
    work = doubt = letters = 0
    line = ""
    shell: str
    left = False  # something may have ended the loop, the function or the shell that we are in
    ended = False  # something may have ended the shell that we are in
    redirected = False  # what is printed may go elsewhere, or not be reached
    began = 0  # how many commands there were when this shell began
    beyond = 0  # so many loops around the one that was left may be, too
    besides = substitutions = 0
    calls = 0  # how deep we are in functions
    looked_at = False

    def __init__(
        self, shell: str, variables: Mapping[str, str], open_script: OpenScript | None, inner_of: InnerOf
    ) -> None:
        self.shell = shell
        self.open_script = open_script
        self.inner_of = inner_of
        self.commands: list[Command] = []
        self.unknowns: dict[Hole, None] = {}
        self.opaque: dict[Hole, None] = {}
        self.state = State()
        self.state.begin(variables)
        self.inherited = tuple(variables)  # of the environment: programs that are started know them too
        self.leaves: set[tuple[str, ...]] = set()
        self.exports: dict[str, None] = {}
        self.locals: list[dict[str, object]] = []
        self.temporary: list[str] = []
        self.functions: dict[int, Function] = {}
        self.files: dict[str, list[Parts]] = {}
        self.racing: set[str] = set()
        self.run_beside: set[str] = set()
        self.trees: list[Sequence] = []  # kept, for their parts are known by their place in memory
        self.loop_changes: dict[int, dict[str, object]] = {}
        self.stand_ins: dict[str, Hole] = {}

    def read(self, line: str, only: Command | None = None, inner: tuple[Inner, ...] = ()) -> Reading:
        """`only` is all that the line says, if somebody has read that already; `inner` is what it runs."""
        self.line, self.work = line, room(line, MOST_WORK, MOST_WORK_OF_LONG)
        self.parts = [room(line, MOST_PARTS, MOST_OF_LONG), 0]
        try:
            if only is None:
                self.code(line)
            else:
                self.letters = len(line)
                self.commands.append(only)
                for each in inner:
                    self.follow(each, only)
            self.ending()
        except TooMuch:
            self.unknown("the line does too much to follow all of it")
        except RecursionError:
            self.unknown("the line is nested too deep")
        return Reading(line, tuple(self.commands), tuple(self.unknowns), tuple(self.opaque))

    def code(self, text: str, word: Word | None = None) -> None:
        """Runs through all commands of a text; `word` is where it stands."""
        self.letters += len(text)
        if self.letters > 2 * LONGEST_LINE:
            raise TooMuch
        self.spend(8)
        low, high, scale = self._columns(text, word) if word is not None else (0, 0, 1)
        ended = text.removesuffix("\n") if word is not None else ""
        if ended and (len(ended) - len(ended.rstrip("\\"))) % 2:
            self.unknown("bash may join what follows to code that ends in a backslash", text[-80:])
        tree, unclear = self.parsed(text, low, high, scale)
        if self.parts[OF_BASH]:
            self.differs("dash", "words stand there which bash and not dash reads so")
            self.parts[OF_BASH] = 0
        self.trees.append(tree)
        self.run(tree)
        if unclear is not None:
            self.unknown(unclear.why, text[unclear.position :][:80])

    def _columns(self, text: str, word: Word) -> tuple[int, int, int]:
        """Where code stands in the line: letter by letter where it does so unchanged, else as a whole."""
        start = self.line.find(text.rstrip("\n") or "\0", word.start) if word.end else -1
        return (start, start, 1) if start >= 0 else (word.start, word.end, 0)

    def parsed(self, text: str, low: int, high: int, scale: int) -> tuple[Sequence, Unclear | None]:
        """As `parse` says."""
        raise NotImplementedError

    def run(self, sequence: Sequence) -> bool | None:
        """Whether the last of them succeeds; None where that cannot be told."""
        raise NotImplementedError

    def ending(self) -> None:
        """What runs at the end of the line."""

    # Notes

    def spend(self, amount: int) -> None:
        self.work -= amount
        if self.work < 0:
            raise TooMuch

    def unknown(self, why: str, text: str = "") -> None:
        self.unknowns[Hole("words", why, text)] = None

    def differs(self, shell: str, why: str) -> None:
        """Notes that another shell than bash, which may run this, reads it in another way."""
        if self.shell == shell or (self.shell == "sh" and shell == "dash"):
            self.unknown(why)

    # Commands

    def node(self, node: Node) -> bool | None:
        """Whether it succeeds; None where that cannot be told."""
        raise NotImplementedError

    def compound(self, node: Node) -> bool | None:
        """Of brackets, branches and loops."""
        from hookline.shell.interpreter.branching import WAYS

        way = WAYS.get(type(node))
        if way is None:
            from hookline.shell.interpreter.loops import WAYS as LOOPS

            way = LOOPS.get(type(node))
        if way is None:
            from hookline.shell.interpreter.compounds import WAYS as FURTHER

            way = FURTHER[type(node)]
        return way(self, node)

    def emit(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> Command:  # fmt: skip
        exported: tuple[tuple[str, Word], ...] = ()
        if self.exports and not (words and words[0].literal in DECLARING):
            self.spend(len(self.exports) >> 2)  # each program is given all of them
            exported = tuple(
                (name, Word(value)) for name in self.exports
                if self.state.slots.get(export_key(name)) and name[-1] != ")"
                and isinstance(value := self.state.slots.get(name), tuple)
            )  # fmt: skip
        stdin = None if self.stdin is None else Word(self.stdin.parts)
        command = Command(
            tuple(words), exported + assignments, redirections, stdin, self.folder(), self.via,
            node.start, node.end, self.doubt == 0 and not self.left,
        )  # fmt: skip
        self.commands.append(command)
        return command

    def option(self, letter: str) -> bool:
        """Whether an option of the shell is set, or may be."""
        held = self.state.slots.get(OPTIONS)
        return isinstance(held, str) and letter in held

    def printing(self, command: Command) -> None:
        """Notes what a command prints and that it may have read what was to be read."""
        raise NotImplementedError

    def prints(self, parts: Parts) -> None:
        if self.out is not None:
            fails = self._may_have_failed()
            self.out.add(parts, self.doubt, self.left or self.ended or self.redirected or fails)

    def _may_have_failed(self) -> bool:
        """Whether what fails ends the shell, and something may have: a command before this one, or a variable in it."""
        last = self.commands[-1] if self.commands else None
        if last is None or not (self.option("e") or self.option("u")):
            return False
        unset = self.option("u") and not {"$", "`"}.isdisjoint(self.line[last.start : last.end])
        return unset or len(self.commands) > self.began + 1

    # Lists

    def chain(self, chain: Chain) -> bool | None:
        status: bool | None = True
        branches = 0
        made = False
        sure = all(operator != "||" for operator, _ in chain.links)
        for operator, part in chain.links:
            taken = True if made else None if status is None else status == (operator != "||")
            if operator == "||" and branches:
                self._close(branches)
                branches, taken = 0, None
            if taken:
                status = self.node(part)
                made = sure and status is None and _makes_folder(part)
                continue
            self.state.branch()
            self.doubt += 1
            after = self.node(part)
            if taken is False:
                self.state.rewind()
                self.doubt -= 1
            elif operator == "&&":
                branches += 1
                status = None if after is None else after or None
            else:
                self._close(1)
                status = None
        self._close(branches)
        return None if branches else status

    def _close(self, branches: int) -> None:
        """Ends ways that may have been taken."""
        for _ in range(branches):
            self.state.adopt([self.state.rewind(), {}])
            self.doubt -= 1

    # What has a shell of its own

    def beside(self, node: Node, output: Output | None) -> None:
        """Runs what may still print to `output` when the next command does."""
        asks: Any = self
        printed = output.count if output is not None else 0
        self.state.branch()
        asks.own_shell(partial(self.node, node))
        self.state.rewind()
        if output is not None and output.count > printed:
            output.racing = True

    def complained(self) -> None:
        if self.errors is not None:
            self.errors.add((Hole("words", "what is told of a mistake"),), self.doubt, False)

    # Folders

    def folder(self) -> Word:
        found = self.state.slots.get(FOLDER)
        return found if isinstance(found, Word) else NOWHERE

    def enter(self, target: Word) -> None:
        self.state.enters()
        self.state.put(FORMER_FOLDER, self.folder())
        self.state.put(FOLDER, target)

    # The end of a loop, a function, a shell

    def quits(self, command: Command | None = None) -> None:
        """What follows may not be reached: `break`, `continue`, `return`; or the end of the shell by any other."""
        self.left = True
        name, text = "exit", "1"
        if command is not None and command.words:
            name = command.words[0].literal or name
            text = command.words[1].literal or "" if command.words[1:] else text
        if name in ("break", "continue"):
            self.beyond = max(self.beyond, int(text) - 1 if is_number(text) else ALL_LOOPS)
        elif name == "return":
            self.beyond = ALL_LOOPS
        else:
            asks: Any = self
            asks.may_end()
            self.ended, self.beyond = True, ALL_LOOPS

    # What a command runs

    def inner(self, command: Command, known: tuple[str, ...] | None = None) -> None:
        """Follows what the table of programs says about a command; for equal ones it is asked once.

        `known` are its words, if somebody has them as texts already.
        """
        argv = None if command.assignments or command.stdin is not None else known or command.argv
        if argv is None or argv not in self.leaves:
            found = self.inner_of(command if argv and argv[0] != "xargs" else self.fed(command))
            if not found and argv is not None:
                self.leaves.add(argv)
            for inner in found:
                self.follow(inner, command)

    def follow(self, inner: Inner, command: Command) -> None:
        if len(self.via) >= DEEPEST:
            self.unknown("commands start commands more often than anyone would follow")
            return
        via, folder = self.via, self.folder()
        stdin = self.stdin
        start, end = (
            (command.words[0].start, command.words[0].end) if command.words else (command.start, command.end)
        )
        self.via = (*via, Step(inner.how, start, end))
        if inner.cwd is not None:
            self.state.put(FOLDER, resolved(folder, inner.cwd))
        if not isinstance(inner, Script) and inner.stdin is not None:
            from hookline.shell.values.streams import Stream

            self.stdin = Stream(inner.stdin.parts, self.doubt)
        if isinstance(inner, Argv):
            self._argv(inner, command)
        elif isinstance(inner, Code):
            self.run_code(inner, command)
        else:
            self.run_script(inner, command)
        if inner.cwd is not None:
            self.state.put(FOLDER, folder)
        self.via, self.stdin = via, stdin

    def _argv(self, inner: Argv, command: Command) -> None:
        words = inner.words
        if inner.adds_words:
            words = (*words, Word((Hole("words", f"words that `{inner.how}` adds"),)))
        if not words:
            return
        start, end = min(word.start for word in inner.words or words), max(word.end for word in words)
        stdin = None if self.stdin is None else Word(self.stdin.parts)
        found = Command(
            words, command.assignments + inner.assignments, command.redirections, stdin, self.folder(), self.via,
            start, end, self.doubt == 0 and not self.left and not inner.adds_words,
        )  # fmt: skip
        self.spend(8 + (len(words) >> 1))
        self.commands.append(found)
        self.printing(found)
        if words[0].literal is None:
            self.unnamed(found)
        self.inner(found)

    def run_script(self, inner: Script, command: Command) -> None:
        from hookline.shell.interpreter.scripts import run_script

        asks: Any = self
        run_script(asks, inner, command)

    def run_code(self, inner: Code, command: Command) -> None:
        from hookline.shell.interpreter.shells import run_code

        asks: Any = self
        run_code(asks, inner, command)

    def fed(self, command: Command) -> Command:
        """A command with the words that it reads from a file."""
        raise NotImplementedError

    def unnamed(self, command: Command) -> None:
        """Of a command whose program is not told: what that may be."""
        word = command.words[0]
        first = word.parts[0] if len(word.parts) == 1 else ""
        if isinstance(first, Hole) and first.kind == "words" and is_lost(first):
            self.unknown(f"it is run as a command: {first.why}", first.text)


def _makes_folder(node: Node) -> bool:
    """`mkdir -p build && cd build`: it is there, as what `cd` alone enters is taken to be."""
    only = node.parts[0] if isinstance(node, Pipeline) and len(node.parts) == 1 else node
    first = only.words[0] if isinstance(only, Simple) and only.words else None
    return isinstance(first, Word) and first.literal == "mkdir"
