"""What a shell that runs through a line knows and can do; its parts are spread over this folder."""

from __future__ import annotations

from hookline.shell.values.state import OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.shell.grammar.syntax import (
        Assignment,
        Function,
        Node,
        Piece,
        Process,
        Raw,
        Redirect,
        Sequence,
        Simple,
        Substitution,
    )
    from hookline.shell.reading import (
        Code,
        Command,
        Hole,
        Inner,
        InnerOf,
        OpenScript,
        Redirection,
        Step,
        Word,
    )
    from hookline.shell.values.fields import Fields
    from hookline.shell.values.state import Parts, State
    from hookline.shell.values.streams import Output, Stream


class Running:
    """`doubt` is 0 where a command runs whenever the line does; each branch that may be left out adds 1."""

    shell: str
    open_script: OpenScript | None
    inner_of: InnerOf
    state: State
    commands: list[Command]
    opaque: dict[Hole, None]
    via: tuple[Step, ...]
    doubt: int
    keeps: bool  # the redirections just opened stay open (`exec`)
    left: bool  # something may have ended the loop, the function or the shell that we are in
    redirected: bool  # what is printed may go elsewhere, or not be reached
    ended: bool  # something may have ended the shell that we are in
    stdin: Stream | None
    out: Output | None  # None where nobody looks at what is printed
    errors: Output | None  # where standard error goes, by the same rule
    files: dict[
        str, list[Parts]
    ]  # what the line writes to each file, one after the other where it may be both
    leaves: set[tuple[str, ...]]  # commands that run no others
    exports: dict[str, None]
    inherited: tuple[str, ...]
    locals: list[dict[str, object]]
    functions: dict[int, Function]  # those that nothing has called yet
    loop_changes: dict[int, dict[str, object]]
    unknowns: dict[Hole, None]
    stand_ins: dict[str, Hole]  # letters that stand for holes in code that is taken apart

    # Words

    def words(self, raw: Raw | Assignment) -> list[Word]:
        """The words that one becomes, by all expansions in bash's order."""
        raise NotImplementedError

    def one(self, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
        """Expanded without splitting and without file names: a value, a here-document, a `case` subject."""
        raise NotImplementedError

    def fill(self, fields: Fields, pieces: tuple[Piece, ...], assigned: bool = False) -> None:
        """Expands into fields that are begun already."""
        raise NotImplementedError

    def loose(self, pieces: tuple[Piece, ...]) -> list[tuple[str, bool]] | None:
        """A pattern's texts, each with whether it is quoted; None where a hole is among them."""
        raise NotImplementedError

    def separators(self) -> str | None:
        """The letters of `IFS`; None where they are not known."""
        raise NotImplementedError

    def stood_for(self, text: str, quoted: bool) -> list[str | Hole]:
        """The parts of code whose holes were not known when it was taken apart."""
        raise NotImplementedError

    def substituted(self, piece: Substitution) -> Parts:
        """What a substitution prints, without the newlines at its end."""
        raise NotImplementedError

    def process_file(self, piece: Process) -> Hole:
        raise NotImplementedError

    def calculated(self, pieces: tuple[Piece, ...], text: str) -> Parts:
        """The value of an expression; what it assigns may be anything afterwards."""
        raise NotImplementedError

    def evaluated(self, parts: Parts) -> None:
        """Notes what bash runs when it calculates with these."""
        raise NotImplementedError

    # Variables and folders

    def scalar(self, name: str) -> Parts | None:
        """A variable's value, the first of an array; None where it has none for certain."""
        raise NotImplementedError

    def positionals(self) -> list[Parts] | None:
        raise NotImplementedError

    def option(self, letter: str) -> bool:
        """Whether an option of the shell is set, or may be."""
        held = self.state.slots.get(OPTIONS)
        return isinstance(held, str) and letter in held

    def exported(self, name: str) -> None:
        raise NotImplementedError

    def assign(self, name: str, value: Parts) -> None:
        raise NotImplementedError

    def put(self, assignment: Assignment) -> None:
        """Carries out an assignment as written."""
        raise NotImplementedError

    def folder(self) -> Word:
        """Where the next command runs, seen from where the line does."""
        raise NotImplementedError

    def enter(self, target: Word) -> None:
        raise NotImplementedError

    def value(self, assignment: Assignment) -> Word:
        """What is assigned; an array counts as unknown here."""
        raise NotImplementedError

    def prompt(self, name: str, value: Parts, word: Raw) -> None:
        """What an interactive shell, or `set -x`, runs out of a variable."""
        raise NotImplementedError

    # Commands

    def node(self, node: Node) -> bool | None:
        raise NotImplementedError

    def emit(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> Command:  # fmt: skip
        """Adds a command to those that may run."""
        raise NotImplementedError

    def within(
        self, redirects: tuple[Redirect, ...], run: Callable[[tuple[Redirection, ...]], object]
    ) -> bool | None:
        """Runs with redirections in force."""
        raise NotImplementedError

    def run(self, sequence: Sequence) -> bool | None:
        """Whether the last of them succeeds; None where that cannot be told."""
        raise NotImplementedError

    def code(self, text: str, word: Word | None = None) -> None:
        """Runs through all commands of a text, in the shell as it is; `word` is where it stands."""
        raise NotImplementedError

    def follow(self, inner: Inner, command: Command) -> None:
        """Runs through what a command runs."""
        raise NotImplementedError

    def run_words(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> None:
        """`command` and `builtin` with a builtin behind them; anything else is a program."""
        raise NotImplementedError

    def prints(self, parts: Parts) -> None:
        """Notes what is printed."""
        raise NotImplementedError

    def printing(self, command: Command) -> None:
        """Notes what a command prints and that it may have read what was to be read."""
        raise NotImplementedError

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        """Keeps what the line writes to a file, in case it runs it."""
        raise NotImplementedError

    # Shells

    def own_shell(self, run: Callable[[], bool | None]) -> bool | None:
        """Runs what has a shell of its own, and at its end its traps."""
        raise NotImplementedError

    def trapped(self, code: Code, command: Command, signals: tuple[str | None, ...]) -> None:
        """Keeps code for the shell's end or for signals."""
        raise NotImplementedError

    def refused(self) -> None:
        """Bash refuses what stands here, and the shell ends, or may do so."""
        raise NotImplementedError

    def perhaps_refused(self) -> None:
        """Bash may refuse what stands here, and then leaves out the command; nobody knows more."""
        raise NotImplementedError

    def complained(self) -> None:
        """Notes that what went wrong may be told here."""
        raise NotImplementedError

    def may_end(self) -> None:
        """Notes what runs if the shell ends here."""
        raise NotImplementedError

    # Notes

    def unknown(self, why: str, text: str = "") -> None:
        """Notes that something may run which cannot be read."""
        raise NotImplementedError

    def differs(self, shell: str, why: str) -> None:
        """Notes that another shell than bash, which may run this, reads it in another way."""
        raise NotImplementedError

    def spend(self, amount: int) -> None:
        """Counts work done; raises when it is too much for one line."""
        raise NotImplementedError
