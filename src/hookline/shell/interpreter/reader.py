"""Runs through the tree of a line as a shell would, and notes every command that may run on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Parameter, Process, Raw, Text
from hookline.shell.grammar.position import Unclear
from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Chain, Pipeline, Sequence, Simple
from hookline.shell.interpreter.assigning import Assigning
from hookline.shell.interpreter.calling import Calling
from hookline.shell.interpreter.following import Following
from hookline.shell.interpreter.functions import call_function, run_uncalled, temporarily
from hookline.shell.interpreter.lists import Lists
from hookline.shell.interpreter.printing import may_complain, printed, reads_input
from hookline.shell.interpreter.traps import Trap, Traps
from hookline.shell.interpreter.walk import SURE
from hookline.shell.programs.table import SYSTEM_FOLDERS
from hookline.shell.reading import (
    BUILTIN_NAMES,
    DECLARING,
    WRITERS,
    Argv,
    Command,
    Hole,
    InnerOf,
    OpenScript,
    Redirection,
    Word,
    is_lost,
    shown,
)
from hookline.shell.values.expanding import Expansion
from hookline.shell.values.fields import Fields
from hookline.shell.values.state import READONLY, alias_key, function_key, odd_key

_NAMED = r"[-+][aAfglnprux]+\Z|[A-Za-z_][A-Za-z0-9_]*(?:\+?=|\Z)"  # what all of these take
_OF_BASH = frozenset(
    ["pushd", "popd", "shopt", "declare", "typeset", "let", "mapfile", "readarray", "source", "builtin", "enable",
     "compgen"]
)  # fmt: skip
# what is set before them stays
_SPECIAL = frozenset(["eval", ".", "export", "readonly", "set", "unset", "trap", "exec"])


class Reader(Lists, Assigning, Following, Calling, Traps, Expansion):
    """Made for one line."""

    keeps = False  # the redirections just opened stay open (`exec`)

    def __init__(
        self,
        shell: str,
        variables: Mapping[str, str],
        open_script: OpenScript | None,
        inner_of: InnerOf,
    ) -> None:
        super().__init__(shell, variables, open_script, inner_of)
        self.astray: set[str] = set()
        self.traps: list[Trap] = []

    def parsed(self, text: str, low: int, high: int, scale: int) -> tuple[Sequence, Unclear | None]:
        return parse(text, low, high, scale, self.parts)

    def ending(self) -> None:
        self.end_shell()
        run_uncalled(self)
        self.end_shell()

    # Commands

    def node(self, node: Node) -> bool | None:
        if isinstance(node, Simple):
            return self.simple(node)
        if isinstance(node, Chain):
            return self.chain(node)
        if isinstance(node, Pipeline):
            return self.pipeline(node)
        return self.compound(node)

    def simple(self, node: Simple) -> bool | None:
        if node.argv is not None:
            self.spend(8 + (len(node.words) >> 1))
            return self._named(node, list(node.words), (), ())
        words: list[Word] = []
        substitutions = self.substitutions
        declares = False
        builtins = 1  # how many words before the arguments of `command export`
        for raw in node.words:
            if isinstance(raw, Word):
                words.append(raw)
            elif declares and isinstance(raw, Assignment):
                if not all(isinstance(each, Text | Process) or each.quoted for each in raw.whole.pieces):
                    self.differs("dash", "some dash splits what is assigned behind a builtin")
                words += self.declared(raw)
            else:
                words += self.words(raw)
            if len(words) == builtins:
                name = words[-1].literal
                declares = name in DECLARING
                builtins += self.shell != "bash" and name in (
                    "command",
                    "builtin",
                )  # bash splits behind these
        self.spend(8 + (len(words) >> 1))
        if not words:
            return self._bare(node, substitutions)
        assignments = tuple((each.name, self._given(each)) for each in node.assignments)
        if not node.redirects:
            return self._named(node, words, assignments, ())
        if assignments:
            self._looks_ahead(node)
        return self.within(node.redirects, lambda found: self._named(node, words, assignments, found))

    def _looks_ahead(self, node: Simple) -> None:
        """`x=1 read y <<< $(<z)$x`: behind `$(<file)` bash may look among what is set for the command already."""
        for redirect in node.redirects:
            raw = redirect.document or redirect.target
            text = "" if isinstance(raw, Word) else "".join(piece.text for piece in raw.pieces)
            found = re.search(r"(?:\$\(|`)\s*0?<[^<(](.*)", text, re.DOTALL)
            if found and ("!" in found[1] or any(each.name in found[1] for each in node.assignments)):
                self.unknown("what is set for a command may be seen behind `$(<file)` already", text)

    def _given(self, assignment: Assignment) -> Word:
        """What a program is given of an assignment before it; of one that is readonly bash gives it nothing."""
        value, name = self.value(assignment), assignment.name
        fixed = self.state.slots.get(odd_key(name)) == READONLY
        return Word((Hole("words", f"`{name}` takes no other value", f"${name}"),)) if fixed else value

    def _bare(self, node: Simple, substitutions: int) -> bool | None:
        """Assignments and redirections without a command, which stay."""
        for assignment in node.assignments:
            self.put(assignment)
        if node.redirects and not self.within(node.redirects, lambda found: self._only_opened(node, found)):
            return None
        if any(self.state.slots.get(odd_key(each.name)) == READONLY for each in node.assignments):
            self.refused()
            return None
        return True if self.substitutions == substitutions and not node.words else None

    def _only_opened(self, node: Simple, found: tuple[Redirection, ...]) -> bool:
        self.emit(node, [], (), found)
        return True

    def _named(
        self, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> bool | None:  # fmt: skip
        name = words[0].literal
        if self.shell == "zsh" and name is not None and name[:1] == "=" and name[1:]:
            words, name = [Word((name[1:],), words[0].start, words[0].end), *words[1:]], name[1:]
        if name is None and self._made_up(words, node):
            return None
        if name is not None and alias_key(name) in self.state.slots and _is_written(node.words[0], name):
            self._alias(node, name)
        functions = self.state.slots.get(function_key(name)) if name is not None else None
        if not isinstance(functions, tuple):
            return self._itself(name, node, words, assignments, redirections)
        temporarily(self, assignments, lambda: call_function(self, functions, words))
        if None in functions:  # perhaps there is no such function
            self.doubt += 1
            self.state.branch()
            self._itself(name, node, words, assignments, redirections)
            self.state.adopt([self.state.rewind(), {}])
            self.doubt -= 1
        return None

    def _itself(
        self, name: str | None, node: Simple, words: list[Word], assignments: tuple[tuple[str, Word], ...],
        redirections: tuple[Redirection, ...],
    ) -> bool | None:  # fmt: skip
        """A program or builtin, and no function."""
        command = self.emit(node, words, assignments, redirections)
        if name is None:
            self.without_first(command, node)
        if name not in BUILTIN_NAMES:
            self.printing(command)
            self.inner(command, node.argv)
        else:
            from hookline.shell.interpreter.builtins import carry_out

            if name == "export":
                self.inner(command, node.argv)
            taken: list[bool] = []
            if name in _OF_BASH or (assignments and name in _SPECIAL):
                self.differs("dash", f"`{name}` is another to dash")
            refused = name in DECLARING and self._declares_odd(words[1:])
            temporarily(self, assignments, lambda: taken.append(carry_out(self, name, command, node)))
            if name not in ("eval", "command", "builtin", "printf"):
                self.complained()
            if refused or not taken[0]:
                return None  # it may be readonly
            if name == "local" and not self.locals:
                return None  # refused, but by zsh
            if name in DECLARING and not all(re.match(_NAMED, word.prefix) for word in words[1:]):
                return None  # refused, for one of the names is none, or an element's
        return True if name in SURE else False if name == "false" else None

    def _declares_odd(self, words: list[Word]) -> bool:
        """Whether a variable among them may be readonly already, or becomes it before the next of that name."""
        names = [word.prefix.partition("=")[0].removesuffix("+") for word in words]
        return len(set(names)) < len(names) or any(self.state.slots.get(odd_key(name)) for name in names)

    def _made_up(self, words: list[Word], node: Simple) -> bool:
        """A program whose name the line makes: one of several (then true), or any where nobody can follow how."""
        self.runs_part_of_code(words[0])
        if any(isinstance(part, str) for part in words[0].parts) or words[0].holes[0].kind == "glob":
            self._by_pattern(words[0])
            plain = "".join(part for part in words[0].parts if isinstance(part, str))
            for choice in words[0].holes[0].choices if len(words[0].holes) == 1 else ():
                self._if_so([*self._filled(words[0], choice), *words[1:]], node)  # `env${x- rm}`
            if self._may_be_parted(words[0]):
                self.unknown(
                    "the program that it names may run what is behind the first word", shown(words[0])
                )
            if plain in BUILTIN_NAMES and all(hole.kind in ("word", "words") for hole in words[0].holes):
                self._if_so([Word((plain,), words[0].start, words[0].end), *words[1:]], node)
            return False
        only, *more = words[0].holes
        at = words[0].start  # the first words may have been nothing
        raws = (each for each in node.words if isinstance(each, Raw) and each.start == at)
        pieces = next((raw.pieces for raw in raws), ())
        quotes = Text("", True) in pieces
        beside = sum(each != Text("", True) for each in pieces) > 1
        if quotes and (beside or any(isinstance(each, Parameter) and self.is_list(each) for each in pieces)):
            quotes = False  # `"$@"` is no word where there are none; beside others nobody knows
            if only.choices and beside:
                self.unknown("whether its quotes hold a word is not told", shown(words[0]))
        for choice in only.choices if not more else ():
            fields = Fields(self.separators())
            if quotes:
                fields.add("", True)  # `$x""` is a word, too, where the variable is empty
            fields.value(choice.parts, only.kind == "word")
            self._if_so([*fields.words(words[0].start, words[0].end), *words[1:]], node)
        for hole in words[0].holes:
            if is_lost(hole) or (more and hole.choices):
                self.unknown(f"it is run as a command: {hole.why}", hole.text)
        return only.only and not more

    def _filled(self, word: Word, choice: Word) -> list[Word]:
        """The words that it becomes with this in the place of its hole."""
        fields = Fields(self.separators())
        for part in word.parts:
            if isinstance(part, str):
                fields.add(part, True)
            else:
                fields.value(choice.parts, part.kind == "word")
        return fields.words(word.start, word.end)

    def _may_be_parted(self, word: Word) -> bool:
        """`env$(echo ' rm')`: whether a program that runs others is all that is sure of the name."""
        name, *holes = word.parts
        first = holes[0] if holes and isinstance(holes[0], Hole) else None
        parted = first is not None and first.kind == "words" and (is_lost(first) or " " in first.text)
        if not parted or not isinstance(name, str):
            return False
        return any(isinstance(each, Argv) for each in self.inner_of(Command((Word((name,)), Word(("x",))))))

    def _if_so(self, words: list[Word], node: Simple) -> None:
        """What a command does if it reads so."""
        self.doubt += 1
        self.state.branch()
        if words:
            self._named(node, words, (), ())
        self.state.adopt([self.state.rewind(), {}])
        self.doubt -= 1

    def _by_pattern(self, word: Word) -> None:
        """A pattern of names in one of the folders that programs stand in may be any program."""
        folder, _, name = shown(word).rpartition("/")
        vague = set(name) & set("*?") and all(hole.kind == "glob" for hole in word.holes)
        if vague and (not folder or any(fnmatchcase(each, folder) for each in SYSTEM_FOLDERS)):
            self.unknown("a pattern names the program", shown(word))

    def printing(self, command: Command) -> None:
        name = command.words[0].literal
        if name is not None and (self.files or self.stdin is not None or name in WRITERS):
            from hookline.shell.interpreter.rewriting import rewritten, run_by_path

            run_by_path(self, command)
            rewritten(self, command)
        if self.out is None and self.errors is None and self.stdin is None and name not in WRITERS:
            return
        if self.out is not None or name in WRITERS:
            self.prints(printed(self, command))
        if may_complain(self, command):
            self.complained()
        if self.stdin is not None and reads_input(command):
            self.stdin.lose()


def _is_written(word: object, name: str) -> bool:
    """Whether a word is its name, letter by letter: one that is quoted, or made of something, is no alias."""
    pieces = word.pieces if isinstance(word, Raw) else ()
    return isinstance(word, Word) or name == "".join(
        each.text for each in pieces if isinstance(each, Text) and not each.quoted
    )
