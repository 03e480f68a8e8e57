"""The nouns of a shell line that has been read: words and their holes, commands, and how each was reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from posixpath import join, normpath

from hookline.model.record import Record
from hookline.model.typing import Literal
from hookline.system.patterns.late import late

_ONE_NAME = late(r"[@+]\(([^()|*?\[\]]+)\)")
_RUN_NOTHING = frozenset(("$?", "$$", "$!", "$#", "$-", "$0", "$RANDOM", "$SECONDS", "$LINENO"))
_BEGIN_NUMBERS = ("$((", "${#", "~", "$[")
_ROOT = late(r"^(?:/proc/[^/]+(?:/task/[^/]+)?/root(?=/))+")
_DESCRIPTOR = r"/(?:dev|proc/[^/]+(?:/task/[^/]+)?)/fd/(.+)"
HoleKind = Literal["word", "words", "glob"]


class Hole(Record):
    """A piece of a line whose text cannot be told from the line.

    `kind` is what it may become: `word` is text within one word, `words` any number of words (none too),
    `glob` the names of files that fit `text`, or `text` itself where none does. `text` is what stands there
    (`$HOME`, `~`, `$(date)`, `*.py`); of a glob it begins at the first letter that matches others. `outside`:
    it was set before the line, or by who calls it. `choices` are values of which it may have one,
    and `only` says that it has one of them.
    """

    kind: HoleKind
    why: str
    text: str = ""
    content: Word | None = None  # of a file name (`<(echo a)`, `< x`): what reading that file gives, if known
    outside: bool = False
    choices: tuple[Word, ...] = ()
    only: bool = False


Parts = tuple[str | Hole, ...]


class Word(Record):
    """One word as a program receives it; `start` and `end` are columns of the line, from 0, end exclusive."""

    parts: tuple[str | Hole, ...]
    start: int = 0
    end: int = 0

    @property
    def literal(self) -> str | None:
        """The whole text; None where a hole is in it."""
        parts = self.parts
        if len(parts) == 1:
            (part,) = parts
            return part if part.__class__ is str else None  # asked some thirty times for each line
        return None if parts else ""  # texts that touch are one part, so two parts hold a hole

    @property
    def prefix(self) -> str:
        """The text before the first hole."""
        parts = self.parts
        return parts[0] if parts and isinstance(parts[0], str) else ""

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(part for part in self.parts if isinstance(part, Hole))

    @property
    def single(self) -> bool:
        """Whether it is exactly one word, whatever its holes become."""
        return all(isinstance(part, str) or part.kind == "word" for part in self.parts)


def glued(parts: Iterable[str | Hole]) -> Parts:
    """With texts that touch made one."""
    found: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


def joined(parts: Iterable[str | Hole], place: Word) -> Word:
    """A word of these parts that stands where another does."""
    return Word(glued(parts), place.start, place.end)


def below(folder: Word, path: Word) -> Word:
    """A path seen from where `folder` is."""
    path = _named(path) if path.holes else path
    if not folder.parts or path.prefix.startswith(("/", "~")) or folder.literal == "":
        return path
    if path.prefix[1:3] in (":\\", ":/"):  # of a drive
        return path
    last = folder.parts[-1]
    slash = () if isinstance(last, str) and last.endswith("/") else ("/",)
    return joined((*folder.parts, *slash, *path.parts), path)


def _named(path: Word) -> Word:
    """With `@(server.key)` as the one name that it fits."""
    found = [
        _ONE_NAME.fullmatch(part.text) if isinstance(part, Hole) and part.kind == "glob" else None
        for part in path.parts
    ]
    if not any(found):
        return path
    return joined((name[1] if name else part for name, part in zip(found, path.parts, strict=True)), path)


def resolved(folder: Word, path: Word) -> Word:
    """A path seen from a folder that is itself relative to the call's."""
    literal, base = path.literal, folder.literal
    if literal is not None and (base is not None or literal.startswith("/")):
        return Word((normpath(join(base or "", literal)),), path.start, path.end)
    if path.prefix.startswith("/") or (not path.prefix and path.parts):
        return from_top(path)
    return Word(glued([*folder.parts, "/", *path.parts]), path.start, path.end)


def shown(word: Word) -> str:
    """A word as text, with what stands in the line for each of its holes."""
    return "".join(part if isinstance(part, str) else part.text or "…" for part in word.parts)


def from_top(path: Word) -> Word:
    """A path that begins with the folder of the repository, as one seen from where the call is made."""
    first = path.parts[0] if path.parts else ""
    if not isinstance(first, Hole) or first.why != TOP or not first.choices:
        return path
    return joined((*first.choices[0].parts, *path.parts[1:]), path)


def descriptor_of(word: Word) -> str:
    """What stands for the number in the name of an open descriptor (`/dev/fd/3`); empty for other names."""
    text = word.literal if word.literal is not None else shown(word)
    if not text.startswith(("/dev/", "/proc/", "//")) or not ("/fd/" in text or text.endswith("/stdin")):
        return ""
    text = _ROOT.sub("", re.sub(r"/(?:\.?/)+", "/", text))
    found = re.fullmatch(_DESCRIPTOR, text)
    return found[1] if found else "0" if text == "/dev/stdin" else ""


def is_lost(hole: Hole) -> bool:
    """Whether the line makes this text itself, in a way that nobody followed; numbers and homes run nothing."""
    told = hole.outside or hole.only or hole.kind == "glob"
    return not (told or hole.text in _RUN_NOTHING or hole.text.startswith(_BEGIN_NUMBERS))


def of_list(hole: Hole) -> bool:
    """Whether it is what a file holds that stands there already, or what is looked up in one: names, perhaps."""
    return hole.why.startswith(_OF_LISTS) and not hole.choices


class Unset:
    """Stands for a variable that is known to have no value."""


UNSET = Unset()


class Redirection(Record):
    """`fd` is None where the operator's own is meant; `body` is the text of a here-document or here-string."""

    fd: int | None
    operator: str
    target: Word | None
    body: Word | None = None


class Step(Record):
    """One way into a command, in words for the user: `sh -c`, `env`, `$(…)`, `function f`, `script x.sh`."""

    how: str
    start: int = 0
    end: int = 0


LONGEST_LINE = 131_072
MOST_CHOICES = 8  # values of one variable that are each followed
LONG_LINE = 40_000  # letters; what people or models write at that length is mostly text that is no shell
DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})
WRITERS = frozenset(("tee", "cp", "mv"))  # of files that the line may then run
BUILTIN_NAMES = DECLARING | frozenset(
    ["cd", "chdir", "pushd", "popd", "set", "shopt", "shift", "alias", "unset", "read", "mapfile",
     "readarray", "printf", "getopts", "let", "break", "continue", "return", "exit", "logout", "eval", "source",
     ".", "trap", "command", "builtin", "exec", "hash", "compgen", "fc", "test", "[",
     "mkfifo", "mknod", "enable", "wait"]
)  # fmt: skip
# Languages of files of which only those that the line writes are read.
TASKS = frozenset(
    {"package", "tasks", "cmake", "curl", "sftp", "ssh-config", "files", "sql-file", "dockerfile", "compose",
     "cargo-file", "npmrc", "procfile", "python-file", "script-file", "sh-file", "vim-file"}
)  # fmt: skip
OF_COMPOUND = "{ … }"  # how a redirection is reached that brackets or a loop have
NOWHERE = Word(())
CONTAINED = "(with files of its own)"  # how a command is reached that runs in a new container
PIPE = "the name of a pipe"
FITTING = "files that fit the pattern are put here"
FOUND = "a file that find comes to"
SOUGHT = "a name that find looks for, hidden ones too"
NAMED = "a name that a list of files has"
MADE_UP = "mktemp makes the name up"
HERE = "the folder the line runs in"
OF_FILE = "what the file `"
_OF_LISTS = (OF_FILE, "what `jq` prints ", "what `yq` prints ")
TOP = "the folder of the repository"
EMPTY = "an empty file or folder that find comes to"
PERHAPS = "it may be run as a command"  # what another program is given


class Command(Record):
    """A simple command that may run. `words` is empty for one that only assigns or redirects.

    `stdin` is what arrives on standard input where the line says it. `cwd` is the folder after the line's
    `cd`s, relative to the call's own (empty: that one). `via` has the outermost step first. `certain` is
    false for one that need not run although the line does.
    """

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...] = ()
    redirections: tuple[Redirection, ...] = ()
    stdin: Word | None = None
    cwd: Word = NOWHERE
    via: tuple[Step, ...] = ()
    start: int = 0
    end: int = 0
    certain: bool = True

    @property
    def argv(self) -> tuple[str, ...] | None:
        """The words as text; None where one of them has a hole."""
        texts = []
        for word in self.words:
            parts = word.parts
            text = parts[0] if len(parts) == 1 else "" if not parts else None
            if text.__class__ is not str:
                return None
            texts.append(text)
        return tuple(texts)


class Reading(Record):
    """Every command of `line` that may run, in order.

    `unknowns` tells why something else may run, which could not be read: it may be any command. `opaque` is
    code that no reader of shells sees into: scripts that are not at hand, other languages.
    """

    line: str
    commands: tuple[Command, ...] = ()
    unknowns: tuple[Hole, ...] = ()
    opaque: tuple[Hole, ...] = ()


class Argv(Record):
    """A command that a program runs of its own words: `git push` of `env A=1 git push`.

    `adds_words`: the program puts words of its own behind (`xargs`). `cwd` where it changes the folder.
    """

    words: tuple[Word, ...]
    how: str
    cwd: Word | None = None
    adds_words: bool = False
    stdin: Word | None = None
    assignments: tuple[tuple[str, Word], ...] = ()


class Code(Record):
    """Text that a program runs as code. `arguments` are `$0`, `$1`, … for a shell's; `same_shell` of `eval`."""

    text: Word
    how: str
    arguments: tuple[Word, ...] = ()
    language: str = "sh"
    same_shell: bool = False
    cwd: Word | None = None
    stdin: Word | None = None
    assignments: tuple[tuple[str, Word], ...] = ()


class Script(Record):
    """A file that a program runs as a script; `arguments` are `$1`, … An empty `language` is told by its `#!`.

    `instead`: what it is where the file is not at hand; without it, it is opaque then.
    """

    path: Word
    how: str
    arguments: tuple[Word, ...] = ()
    language: str = "sh"
    same_shell: bool = False
    cwd: Word | None = None
    instead: Hole | None = None


Inner = Argv | Code | Script

InnerOf = Callable[[Command], tuple[Inner, ...]]  # what a program runs of the words it is given
OpenScript = Callable[[str], str | None]  # a script's text by its path seen from the call's folder


def behind_nothing(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """What stands behind first words that may be nothing; empty where they are not, or nothing else is there."""
    for place, word in enumerate(words):
        if word.literal is not None or word.prefix or word.single:
            return words[place:] if place else ()
    return ()
