"""What the words of a command are to its program: sub-commands, options with their values, operands."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.model.record import Record, replace
from hookline.shell.programs.names import usual_names
from hookline.shell.programs.table import OptionRow, Programs, Row
from hookline.shell.reading import Command, Hole, Word

MOST_TAKEN = 4_000  # commands of a line whose arguments are kept while it is looked at
_CODE = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx")  # `bun x.ts`: no sub-command


class Option(Record):
    """An option that was given: every name it has, and its value (None: none)."""

    names: tuple[str, ...]
    value: Word | None = None


class Arguments(Record):
    """`path` is the program's name and its sub-commands as they are usually called, empty if not known.

    `loose` are words that may become options, or several words; `hidden` is the word that may be a
    sub-command (or the program), if that cannot be told. `dashes` counts the operands before `--`. `guessed`:
    the program's name is the likely one. `perhaps` is a sub-command that nobody knows, behind an option of which nobody
    knows whether it takes that as its value. `answered`: what it may ask is answered with yes by its input.
    """

    path: tuple[str, ...] = ()
    row: Row | None = None
    options: tuple[Option, ...] = ()
    operands: tuple[Word, ...] = ()
    loose: tuple[Word, ...] = ()
    hidden: Word | None = None
    dashes: int | None = None
    guessed: bool = False
    perhaps: Word | None = None
    answered: bool = False

    def values(self, name: str) -> tuple[Word, ...]:
        """The values given to an option, by one of its names."""
        return tuple([o.value for o in self.options if o.value is not None and name in o.names])

    def of_program(self) -> Arguments:
        """The same as the program itself sees it: its sub-commands are operands, and what is loose is theirs."""
        subs = [Word((name,)) for name in self.path[1:]]
        dashes = None if self.dashes is None else self.dashes + len(subs)
        return Arguments(
            self.path, self.row, self.options, (*subs, *self.operands), (), self.hidden, dashes, self.guessed,
            self.perhaps, self.answered,
        )  # fmt: skip

    def knows(self, name: str) -> bool:
        """Whether the program has an option of that whole name, by its row."""
        return self.row is not None and name in self.row.options

    def has(self, name: str) -> bool:
        """Whether an option was given, by one of its names."""
        return any(name in option.names for option in self.options)


class Taken(Record):
    """One command of a line, taken apart; `like` is the place of the first that does the same, mostly its own."""

    command: Command
    given: Arguments
    like: int = 0


def program_name(word: Word) -> str:
    """The name by which a program is started, without its folder; empty if that cannot be told."""
    last = word.parts[-1] if word.parts else ""
    if not isinstance(last, str):
        return ""
    if len(word.parts) > 1 and "/" not in last:
        return ""
    name = last.rpartition("/")[2] or (last if len(word.parts) == 1 else "")
    return name[:-4] if name[-4:].lower() == ".exe" else name


def arguments_of(words: Sequence[Word], programs: Programs) -> Arguments:
    """Takes a command apart as its program would."""
    if not words:
        return Arguments()
    name = program_name(words[0]) or words[0].literal
    if name:
        return _by_name(name, words, programs)
    if not words[0].holes:
        return Arguments(operands=tuple(words[1:]))  # `''` is no program
    from hookline.shell.programs.likely_names import is_called, likely_name, only_name, runs_code

    if name := only_name(words[0]):
        return _by_name(name, words, programs)
    likely = likely_name(words[0], programs)
    if likely:
        ends = (words[0].parts[0], words[0].parts[-1])
        within = all(isinstance(part, str) for part in ends)  # `d${x}f` is no other program's name
        given = replace(arguments_of((Word((likely,)), *words[1:]), programs), guessed=not within)
        called = is_called(words[0]) is not None
        if called and len(given.path) > 1 and given.row is not None:
            return replace(given, guessed=False)  # `$DOCKER rm -f x` is what it is called after
        if not called or runs_code(words[0], given.row):
            return given  # but `$KUBECTL -rf x` is not what it is called after
    loose = tuple(word for word in words if word.parts and isinstance(word.parts[0], Hole))
    return Arguments(operands=tuple(words[1:]), loose=loose, hidden=words[0])


def _by_name(name: str, words: Sequence[Word], programs: Programs) -> Arguments:
    program, *subs = usual_names(name, words[0], programs)
    behind = (*(Word((sub,)) for sub in subs), *words[1:]) if subs else words[1:]
    return _Splitter(program, programs).split(behind)


def given_to(command: Command, programs: Programs) -> Arguments:
    """The same of a whole command, with what its input answers (`yes | x`).

    Words are taken apart once for all who ask about one command after the other.
    """
    if command.assignments:
        given = _with_variables(command, programs)
    else:
        words = command.words
        known = _taken.get(id(words))
        if known is None or known[0] is not words or known[1] is not programs:
            if len(_taken) >= MOST_TAKEN:
                _taken.clear()
            known = _taken[id(words)] = (words, programs, arguments_of(words, programs))
        given = known[2]
    text = command.stdin.prefix if command.stdin is not None else ""
    answers = text.split() if text.lstrip()[:1] in _ANSWERS else ()
    return replace(given, answered=True) if answers and _YES.issuperset(map(str.lower, answers)) else given


_ANSWERS = frozenset("yYtT1")
_YES = frozenset(("y", "yes", "true", "1"))


def _with_variables(command: Command, programs: Programs) -> Arguments:
    """Some programs read options from a variable as well (`TAR_OPTIONS`)."""
    from hookline.shell.programs.from_variables import options_of

    given = arguments_of(command.words, programs)
    first = programs.row(given.path[:1]) if given.path else None
    added = options_of(first, dict(command.assignments)) if first else []
    return arguments_of((*command.words[:1], *added, *command.words[1:]), programs) if added else given


_taken: dict[int, tuple[tuple[Word, ...], Programs, Arguments]] = {}


def forget_taken() -> None:
    """Lets go of the commands of a line that has been looked at."""
    _taken.clear()


class _Splitter:
    """One walk over the words, from left to right."""

    hidden: Word | None = None
    perhaps: Word | None = None
    dashes: int | None = None
    _unknown = False  # the word before is an option of which nobody knows whether it takes a value

    def __init__(self, name: str, programs: Programs) -> None:
        self._programs = programs
        self.spelled: tuple[str, ...] = (name,)
        self.row = programs.row(self.spelled)
        row = self.row or Row(self.spelled)
        self.path, self._known, self._flags = row.path, row.options, row.flags
        self.options: list[Option] = []
        self.operands: list[Word] = []
        self.loose: list[Word] = []
        self._raw = "raw" in row.flags

    def split(self, words: Sequence[Word]) -> Arguments:
        """The arguments behind the program's name."""
        left = self._words = [*words[::-1]]
        if "old" in self._flags and words:
            self._old_style()
        while left:
            self._take(left.pop())
        return Arguments(
            self.path, self.row, tuple(self.options), tuple(self.operands), tuple(self.loose), self.hidden,
            self.dashes, perhaps=self.perhaps,
        )  # fmt: skip

    def _take(self, word: Word) -> None:
        text = word.prefix
        behind, self._unknown = self._unknown, False
        ends = text == "--" if text != "-" else "dash-ends" in self._flags
        ends = ends and len(word.parts) == 1 and text not in self._known
        if self._raw or text[:1] not in ("-", "+") or (len(text) < 2 and not ends):
            if behind and self.row is not None and self._is_value(word, self.row):
                self.options[-1] = replace(self.options[-1], value=word)
                return
            if behind and not self.operands and len(self.spelled) == 1:
                self.perhaps = word
            self._operand(word)
        elif ends:
            self.dashes = len(self.operands)
            self.options.append(Option(("--",)))
            self._raw = True
        elif text[0] == "+":
            self._plus(word)
        elif text.startswith("--"):
            self._long(word)
        elif "single" in self._flags:
            self._single(word)
        else:
            self._cluster(word)

    def _is_value(self, word: Word, row: Row) -> bool:
        from hookline.shell.programs.sub_commands import is_value

        return is_value(word, self._words, row, len(self.operands))

    def _operand(self, word: Word) -> None:
        if word.literal is None:
            self._note_hole(word)
        row = self.row
        if row is not None and not self.operands and not self._raw and self.hidden is None and row.has_subs:
            name = word.literal
            tail = word.parts[-1] if word.parts else ""
            if isinstance(tail, str) and tail.endswith(_CODE):
                self._flags |= {"posix"}  # what follows is the file's own
            elif name is None:
                self.hidden = word
            else:
                self._descend(name)
                return
        self.operands.append(word)
        if "posix" in self._flags:
            self._raw = True

    def _note_hole(self, word: Word) -> None:
        """Whether the operand may be an option instead."""
        from hookline.shell.programs.one_word import is_alike, may_be_option

        first = word.parts[0]
        # one without a text of its own was put there by the program that runs this one
        if not isinstance(first, Hole) or not first.text or (self._raw and "posix" in self._flags):
            return
        behind = self._words[-1].prefix if self._words else ""
        alike = is_alike(word, self.operands, behind, self.row)
        if not alike and may_be_option(first, word, self.operands, "mode" in self._flags):
            self.loose.append(word)

    def _descend(self, name: str) -> None:
        """Into a sub-command: it knows its parent's options unless the row says no."""
        below = self._programs.row((*self.spelled, name))
        self.spelled = (*self.spelled, name)
        self.path = below.path if below is not None else (*self.path, name)
        if below is None:
            self.row = None if self.row is None or name not in self.row.subs else Row(self.path)
            if self._flags & {"strict"}:
                self._known = {}
            self._flags -= {"posix"}
            return
        if "strict" in self._flags:
            self._known = below.options
        elif below.options:
            self._known = {**self._known, **below.options}
        self._flags = below.flags | (self._flags & {"single", "strict"})
        self._raw = "raw" in below.flags
        self.row = below

    def _old_style(self) -> None:
        """`tar xzf a`: letters without a dash, whose values follow in their order."""
        text = self._words[-1].literal
        if text is None or text.startswith("-"):
            return
        self._words.pop()
        for letter in text:
            self._add(self._known.get(f"-{letter}") or OptionRow((f"-{letter}",)), None)

    def _add(self, known: OptionRow, joined: Word | None) -> None:
        value = joined
        self._unknown = joined is None and not known.takes and known.names[0] not in self._known
        if known.takes.startswith("=") and joined is None:
            for _ in known.takes[: len(self._words)]:
                value = self._words.pop()
        self.options.append(Option(known.names, value))
        if known.ends:
            self._raw = True
            self.dashes = len(self.operands) if known.takes else self.dashes

    def _long(self, word: Word) -> None:
        name, joined, value = _parted(word)
        if not joined and word.literal is None:
            self.loose.append(word)
        self._add(self._found(name), value if joined else None)

    def _found(self, name: str) -> OptionRow:
        """The option of that name, or the only one it is a beginning of."""
        known = self._known.get(name) or ("nocase" in self._flags and self._known.get(name.lower())) or None
        if known is None and "single" in self._flags:  # programs in Go take `--x` for `-x`
            known = self._known.get(name[1:])
        if known is not None:
            return known
        begun = {
            row.names: row for long, row in self._known.items() if len(name) > 2 and long.startswith(name)
        }
        return next(iter(begun.values())) if len(begun) == 1 else OptionRow((name,))

    def _single(self, word: Word) -> None:
        name, joined, value = _parted(word)
        known = self._known.get(name) or self._known.get(f"-{name}")
        if known is None and "nocase" in self._flags:
            known = self._by_case(name)
        self._add(known or OptionRow((name,)), value if joined else None)

    def _by_case(self, name: str) -> OptionRow | None:
        low = name.lower()
        named = [row for key, row in self._known.items() if key.lower().startswith(low)]
        return next((row for row in named if low in map(str.lower, row.names)), named[0] if named else None)

    def _plus(self, word: Word) -> None:
        behind = self._known.get("+")  # `vim +command`
        if behind is not None:
            self._add(behind, _rest(word, 1))
        elif any(f"+{letter}" in self._known for letter in word.prefix[1:]):
            self._cluster(word)
        else:
            self._operand(word)

    def _cluster(self, word: Word) -> None:
        text, literal = word.prefix, word.literal
        sign = text[0]
        whole = self._known.get(literal or "")
        if whole is not None:
            self._add(whole, None)
            return
        if "dash-operands" in self._flags and f"-{text[1]}" not in self._known:
            self._operand(word)
            return
        at = 1
        while at < len(text):
            double = self._known.get(sign + text[at : at + 2]) if text[at : at + 2] == text[at] * 2 else None
            known = double or self._known.get(sign + text[at]) or OptionRow((sign + text[at],))  # `zip -TmTT`
            at += 1 + (double is not None)
            if known.takes:
                if text[at : at + 1] == "=" and len(text) > at + 1 and self.path != ("env",):
                    at += 1  # `-v=/:/host`, as programs in Go have it
                self._add(known, _rest(word, at))
                if any(hole.kind == "words" and not hole.outside for hole in word.holes):
                    self.loose.append(word)  # what is joined may end, and other words follow
                return
            self._add(known, None)
        if literal is None:
            self.loose.append(word)


def _parted(word: Word) -> tuple[str, bool, Word]:
    """Name and value of `--name=value`, and whether there is a `=`."""
    name, equals, rest = word.prefix.partition("=")
    if not equals:
        return name, False, word
    value = Word((*((rest,) if rest else ()), *word.parts[1:]) or ("",), word.end - len(rest), word.end)
    return name, True, value


def _rest(word: Word, at: int) -> Word | None:
    """What stands in a word from a place in its first text on; None if nothing does."""
    text = word.prefix[at:]
    parts = (*((text,) if text else ()), *word.parts[1:])
    return Word(parts, word.start, word.end) if parts else None
