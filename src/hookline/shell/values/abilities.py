"""What the parts of a reader do, for those that ask each other; only for who checks types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hookline.shell.grammar.pieces import Arithmetic, Assignment, Parameter, Piece, Process, Raw, Substitution
from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Redirect, Sequence, Simple
from hookline.shell.reading import Code, Command, Hole, Inner, Parts, Redirection, Word
from hookline.shell.values.fields import Fields


class Abilities(Protocol):
    """What the parts do, so that each of them can ask it of the others."""

    # Words

    def words(self, raw: Raw | Assignment) -> list[Word]:
        """The words that one becomes, by all expansions in bash's order."""

    def one(self, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
        """Expanded without splitting and without file names: a value, a here-document, a `case` subject."""

    def parameter(self, fields: Fields, piece: Parameter, alone: bool = False) -> None:
        """Puts in what a variable gives."""

    def computed(self, fields: Fields, piece: Substitution | Arithmetic | Process) -> None:
        """Puts in what commands print, what is calculated, the name of a pipe."""

    def separators(self) -> str | None:
        """The letters of `IFS`; None where they are not known."""

    def stood_for(self, text: str, quoted: bool) -> list[str | Hole]:
        """The parts of code whose holes were not known when it was taken apart."""

    def process_file(self, piece: Process) -> Hole: ...

    def is_list(self, piece: Parameter) -> bool:
        """Whether it is `$@`, `$*` or all of an array."""

    # Variables and folders

    def scalar(self, name: str) -> Parts | None:
        """A variable's value, the first of an array; None where it has none for certain."""

    def parameters(self) -> list[Parts] | None: ...

    def positionals(self) -> list[Parts] | None: ...

    def exported(self, name: str) -> None: ...

    def assign(self, name: str, value: Parts) -> None: ...

    def put(self, assignment: Assignment) -> None:
        """Carries out an assignment as written."""

    def put_element(self, name: str, key: str | None, value: Parts) -> None:
        """Sets one element of a list; None where nobody knows which."""

    def folder(self) -> Word:
        """Where the next command runs, seen from where the line does."""

    def enter(self, target: Word) -> None: ...

    def value(self, assignment: Assignment) -> Word:
        """What is assigned; an array counts as unknown here."""

    def prompt(self, name: str, value: Parts, word: Raw) -> None:
        """What an interactive shell, or `set -x`, runs out of a variable."""

    # Commands

    def node(self, node: Node) -> bool | None: ...

    def aside(self, run: Callable[[], object]) -> dict[str, tuple[list[Parts], list[Parts]]]:
        """Runs what still runs when the next command does; tells what it wrote by name."""

    def emit(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> Command:  # fmt: skip
        """Adds a command to those that may run."""

    def within(
        self, redirects: tuple[Redirect, ...], run: Callable[[tuple[Redirection, ...]], object]
    ) -> bool | None:
        """Runs with redirections in force."""

    def run(self, sequence: Sequence) -> bool | None:
        """Whether the last of them succeeds; None where that cannot be told."""

    def code(self, text: str, word: Word | None = None) -> None:
        """Runs through all commands of a text, in the shell as it is; `word` is where it stands."""

    def follow(self, inner: Inner, command: Command) -> None:
        """Runs through what a command runs."""

    def with_stand_ins(self, parts: Parts, how: str, command: Command) -> str | None:
        """Code as one text; None where it is in a file."""

    def run_words(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> None:
        """`command` and `builtin` with a builtin behind them; anything else is a program."""

    def prints(self, parts: Parts) -> None:
        """Notes what is printed."""

    def printing(self, command: Command) -> None:
        """Notes what a command prints and that it may have read what was to be read."""

    def write(self, name: str | None, content: Parts, appends: bool) -> None:
        """Keeps what the line writes to a file, in case it runs it."""

    # Shells

    def own_shell(self, run: Callable[[], bool | None], by_lines: bool = False) -> bool | None:
        """Runs what has a shell of its own, and at its end its traps."""

    def trapped(self, code: Code, command: Command, signals: tuple[str | None, ...]) -> None:
        """Keeps code for the shell's end or for signals."""

    def refused(self) -> None:
        """Bash refuses what stands here, and the shell ends, or may do so."""

    def perhaps_refused(self) -> None:
        """Bash may refuse what stands here, and then leaves out the command; nobody knows more."""

    def complained(self) -> None:
        """Notes that what went wrong may be told here."""

    def quits(self, command: Command | None = None) -> None:
        """Notes that what follows may not be reached."""

    def may_end(self) -> None:
        """Notes what runs if the shell ends here."""

    # Notes

    def unknown(self, why: str, text: str = "") -> None:
        """Notes that something may run which cannot be read."""

    def differs(self, shell: str, why: str) -> None:
        """Notes that another shell than bash, which may run this, reads it in another way."""

    def spend(self, amount: int) -> None:
        """Counts work done; raises when it is too much for one line."""
