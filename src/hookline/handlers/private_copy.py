"""A reviewed script, started from a copy of the reviewed bytes: nobody can exchange it before it starts.

Only a script that never asks where it is, and only as the first program of a line, since a copy has another place.
All others run where they are; what they say counts only if they were not touched meanwhile.
"""

from __future__ import annotations

import os

from hookline.model.errors import HandlerError, StateError
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Mapping
from hookline.system.files import ensure_dir, list_dir, write_atomic

if TYPE_CHECKING:
    from hookline.handlers.base import Around

# `re` is loaded for shell lines alone: a commit's hooks are files, and start without it
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_WORD = r"""[ \t]*((?:"[^"\\`]*+"|'[^']*+'|\$\{?+\w++\}?+|[\w@%+:,./~-]++)++)(?=[\s;&|<>]|$)"""
_SPLITS = frozenset(" \t\n*?[")
# what a script asks its own place, or its neighbours, with
_SHELL_PLACE = (b"$0", b"${0", b"BASH_SOURCE", b"BASH_ARGV", b"/proc/", b"%x", b"%N", b"caller", b"$_")
_PYTHON_PLACE = (b"__file__", b"argv", b"sys.path", b"/proc/", b"inspect", b"runpy", b"pkgutil", b"importlib")


class PrivateCopy(Record):
    """Where a script was copied to, and what it is called in its hook."""

    path: str
    name: str

    def unnamed(self, text: str) -> str:
        """An output as the script would have written it from its own place."""
        return text.replace(self.path, self.name)


def from_private_copy(
    argv: tuple[str, ...], line: bool, cwd: str, env: Mapping[str, str], around: Around
) -> tuple[tuple[str, ...], PrivateCopy | None]:
    """`argv` with its script (of its last word, where that is a shell `line`) in a private copy, if it can be.

    Raises HandlerError when the copy cannot be written: no other bytes are started instead.
    """
    by, name, rest = _first_of_line(argv[-1], env) if line else _first_of_words(argv)
    path = os.path.normpath(os.path.join(cwd, name))
    program = around.programs.get(path) if name else None
    if program is None or not (by or ("/" in name and program.executable)):
        return argv, None
    words = (by,) if by else _interpreter(program.content)
    if not words or not _may_move(words, program.content, os.path.dirname(path)):
        return argv, None
    copy = PrivateCopy(_written(around.run_dir, path, program.content), name)
    if not line:
        return (*words, copy.path, *rest), copy
    import shlex

    return (*argv[:-1], shlex.join((*words, copy.path)) + rest[0]), copy


def _first_of_words(argv: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """The interpreter and the file that `argv` begins with, and its rest."""
    if len(argv) > 1 and _is_interpreter(argv[0]):
        return argv[0], argv[1], argv[2:]
    return "", argv[0], argv[1:]


def _first_of_line(line: str, env: Mapping[str, str]) -> tuple[str, str, tuple[str, ...]]:
    """The same of a shell line; no file where it cannot be told."""
    import re

    word = re.compile(_WORD, re.ASCII)
    first = word.match(line)
    if first is None or not _is_interpreter(first[1]):
        by, named = "", first
    else:
        by, named = first[1], word.match(line, first.end())
    return ("", "", ()) if named is None else (by, _expanded(named[1], env), (line[named.end() :],))


def _expanded(word: str, env: Mapping[str, str]) -> str:
    """The word as the shell reads it; empty where it would fall into several, or a variable is not set."""
    import re

    text = env.get("HOME", "~") + "/" if word.startswith("~/") else ""
    for single, double, bare in re.findall(r"""'([^']*)'|"([^"]*)"|([^'"]+)""", word[2:] if text else word):
        parts = re.split(r"\$\{?(\w+)\}?", double or bare)
        values = [env.get(part, "") if place % 2 else part for place, part in enumerate(parts)]
        unset = not all(values[1::2])
        if unset or (bare and any(not _SPLITS.isdisjoint(value) for value in values[1::2])):
            return ""
        text += single + "".join(values)
    return text


def _interpreter(content: bytes) -> tuple[str, ...]:
    """The words of the script's first line; none for what is no shell or Python script."""
    first = content.partition(b"\n")[0]
    words = first[2:].decode("ascii", "replace").split() if first.startswith(b"#!") else []
    program = words[1:2] if words and words[0].endswith("/env") else words[:1]
    most = 2 if program == words[:1] else len(words[:2])  # after `env` a word more would be one with its name
    plain = len(words) <= most and not first.endswith(b"\r")
    return (
        tuple(words) if plain and program and words[0].startswith("/") and _is_interpreter(program[0]) else ()
    )


def _is_interpreter(word: str) -> bool:
    """A shell or a Python by its name, or from a folder of the machine."""
    name = os.path.basename(word)
    return (word == name or word.startswith("/")) and (name in _SHELLS or _is_python(name))


def _is_python(word: str) -> bool:
    return os.path.basename(word).rstrip("0123456789.") == "python"


def _may_move(words: tuple[str, ...], content: bytes, folder: str) -> bool:
    """Whether the script does the same from another place."""
    if not any(map(_is_python, words)):
        return not any(asks in content for asks in _SHELL_PLACE)
    lines = [line.strip() for line in content.splitlines()]
    imports = b" ".join(line for line in lines if line.startswith((b"import ", b"from ")))
    imported = set(imports.replace(b",", b" ").replace(b".", b" ").split())
    neighbours = {os.fsencode(entry.name.partition(".")[0]) for entry in list_dir(folder).entries}
    return imported.isdisjoint(neighbours) and not any(asks in content for asks in _PYTHON_PLACE)


def _written(folder: str, path: str, content: bytes) -> str:
    """The path of the copy, under the script's own name."""
    try:
        ensure_dir(folder, 0o700)
        copy = os.path.join(os.path.abspath(folder), os.path.basename(path))
        write_atomic(copy, content, mode=0o400, fsync=False)
    except StateError as error:
        raise HandlerError(error.message, error.hint) from error
    return copy
