"""All the ways to spell one command: form by form, and forms within forms as a seed draws them."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from hookline.hosts.probing.pieces import Command, command_of, filled, pieces_of, quoted
from hookline.model.record import Record
from hookline.system.modules import text_beside

KINDS = (
    "plain", "lists", "redirections", "blanks", "quotes", "backslashes", "path", "wrappers", "argv", "shells",
    "stdin", "eval", "scripts", "substitutions", "variables", "expansions", "functions", "encoded", "git",
    "options", "languages", "combined",
)  # fmt: skip
# Forms that leave one line behind, so that another can be put around it.
_OUTER = ("lists", "wrappers", "shells", "stdin", "eval", "encoded", "functions", "substitutions")
_INNER = ("quotes", "backslashes", "wrappers", "variables", "redirections", "shells", "options", "path")
_COMBINED = 60
# What a plain shell does not know, and the forms that give a line to one.
_BASH_ONLY = re.compile(
    r"""\$['"]|<<<|&>|\+=|\$\{!|\$\{\w+(?:,,|/|:[0-9])|\[\[|<\(|\w=\(|\{\w+(?:,|\.\.)"""
    r"|\b(?:declare|mapfile|printf -v|read|exec -a|builtin|source|coproc|local|time)\b"
)
_PLAIN_SHELL = re.compile(r"(?<![\w/.-])(?:sh|dash|s\\h)\b|/bin/sh|\b(?:flock|script|readonly)\b")


class Spelling(Record):
    """One way to say a command. `argv` is what arrives at its program; empty where only the line is known."""

    kind: str
    line: str
    argv: tuple[str, ...] = ()


def spellings(
    line: str, *, seed: int = 0, kinds: Collection[str] = KINDS, folder: str = "/usr/bin"
) -> Iterator[Spelling]:
    """The command itself, then every other way to spell it, each line once; the same for the same seed.

    A line of several commands, or one with expansions of its own, has the forms that take it whole.
    """
    command = command_of(line)
    seen: set[str] = set()
    for kind in KINDS:
        for found in _of_kind(kind, command, seed, folder) if kind in kinds else ():
            if found.line not in seen:
                seen.add(found.line)
                yield found


def _of_kind(kind: str, command: Command, seed: int, folder: str) -> Iterator[Spelling]:
    if kind == "options":
        yield from _options(command)
    elif kind == "languages":
        yield from (Spelling(kind, line, command.argv) for line in _codes(command))
    elif kind == "combined":
        yield from _combined(command, random.Random(seed), folder)
    else:
        yield from (Spelling(kind, line, command.argv) for line in _forms(kind, command, folder))


def _forms(kind: str, command: Command, folder: str) -> Iterator[str]:
    pieces = pieces_of(command, folder)
    found = (filled(form, pieces) for form in forms()["forms"][kind])
    return (line for line in found if line is not None)


def _codes(command: Command) -> Iterator[str]:
    """A line of another language that runs the command."""
    pieces = pieces_of(command)
    odd = bool(set(command.line) & set("$@\\#"))  # these mean something in the strings of most languages
    for program, form in forms()["codes"]:
        code = filled(form, pieces)
        if code is not None and not (odd and not program.startswith(("python3", "node"))):
            yield f"{program} {quoted(code)}"


def _options(command: Command) -> Iterator[Spelling]:
    """Other arguments of the same program; only of words that mean themselves, which need no quotes."""
    if not command.words:
        return
    plain = dict(zip(command.argv, command.words, strict=True))
    for argv in same_command(command.argv):
        yield Spelling("options", " ".join(plain.get(word, word) for word in argv), argv)


def _combined(command: Command, chance: random.Random, folder: str) -> Iterator[Spelling]:
    """Two forms within each other, drawn by chance."""
    inner = [found for kind in _INNER for found in _of_kind(kind, command, 0, folder)]
    for found in chance.sample(inner, min(_COMBINED, len(inner))):
        outer = list(_forms(chance.choice(_OUTER), command_of(found.line), folder))
        line = chance.choice(outer) if outer else ""
        if line and _fits_into(found.line, line):
            yield Spelling("combined", line, found.argv)


def _fits_into(inner: str, outer: str) -> bool:
    """Whether a shell that knows it reads the inner line, and no lock is waited for that is held."""
    return not (_BASH_ONLY.search(inner) and _PLAIN_SHELL.search(outer)) and outer.count("flock") < 2


def same_command(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Other arguments by which the same program does the same; the given ones are not among them."""
    seen = {tuple(argv)}
    for found in (*_before(argv), *_renamed(argv), *_moved(argv)):
        if found not in seen:
            seen.add(found)
            yield found


def _before(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for options in commands()["before"].get(argv[0], ()):
        yield (argv[0], *options, *argv[1:])


def _names(argv: Sequence[str]) -> tuple[int, list[list[str]]]:
    """Where the options begin, and the names they have."""
    for size in (2, 1):
        found = commands()["same"].get(" ".join(argv[:size]))
        if found is not None:
            return size, found
    return 1, []


def _renamed(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each option by its other names, clusters taken apart and in another order."""
    start, names = _names(argv)
    for index, word in enumerate(argv[start:], start):
        before, after = tuple(argv[:index]), tuple(argv[index + 1 :])
        for group in names:
            if word in group:
                yield from ((*before, other, *after) for other in group)
        if len(word) > 2 and word[0] == "-" and word[1] != "-" and names:
            letters = [f"-{letter}" for letter in word[1:]]
            if not all(any(letter in group for group in names) for letter in letters):
                continue  # one that takes a value may be among them
            yield (*before, *letters, *after)
            yield (*before, "-" + word[:0:-1], *after)
            longer = [next((g[-1] for g in names if letter in g), letter) for letter in letters]
            yield (*before, *longer, *after)
            yield (*before, longer[0], *letters[1:], *after)


def _moved(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Options behind the other words, and `--` in front of these."""
    start, names = _names(argv)
    options = [word for word in argv[start:] if word.startswith("-")]
    others = [word for word in argv[start:] if not word.startswith("-")]
    known = {name for group in names for name in group}
    if names and options and others and all(w in known or w[1] != "-" for w in options if len(w) > 1):
        yield (*argv[:start], *others, *options)
        yield (*argv[:start], *others[:1], *options, *others[1:])
        if argv[0] != "git":
            yield (*argv[:start], *options, "--", *others)


@cache
def forms() -> Mapping[str, Any]:
    """`forms.toml`: the forms by class, and the code of other languages that runs a command."""
    return _read("forms.toml")


@cache
def commands() -> Mapping[str, Any]:
    """`commands.toml`: what guards are written against, and what programs accept for the same."""
    return _read("commands.toml")


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(text_beside(__name__, name))
