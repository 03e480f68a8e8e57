"""Scripts that are started by a pattern of names, in a loop or as a folder: each is a hook of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from glob import escape

from hookline.checking.commands.beside import SCRIPT_ENDS, at_home, fitting
from hookline.checking.steps.languages import is_shell
from hookline.model.record import replace
from hookline.shell import read_commands
from hookline.shell.reading import FITTING, FOUND, Command, Hole, Word
from hookline.system.patterns.late import late

_OPAQUE = late(r"[$`\n]")
_BY_RUN_PARTS = late(r"[\w-]+")
_LOOPS = late(r"\bfor\s+\w+\s+in\b|\brun-parts\b|-exec\b|\bxargs\b")
# what is not handed on as the script gave it
_JUDGES = late(r"\b(?:exit|return)\s+[12]\b|=\"?\$\([^()\n]*\"\$\{?\w+\}?\"[^()\n]*\)")


def spread(command: Command, start: str) -> Iterator[Command]:
    """A command for each file that its pattern stands for; where that is none, the command itself."""
    if command.words and command.words[0].literal == "run-parts":
        yield from _in_turn(command, start)
        return
    at = next((at for at, word in enumerate(command.words[:4]) if is_of_files(word)), None)
    found = files_of(command.words[at], command, start) if at is not None else []
    if at is None or not found:
        yield command
        return
    many = any(
        hole.kind == "glob" for hole in command.words[at].holes
    )  # what follows the first is its arguments
    for path in found[:1] if many else found:
        words = (*command.words[:at], replace(command.words[at], parts=(path,)), *command.words[at + 1 :])
        yield replace(command, words=words)


def files_of(word: Word, command: Command, start: str) -> list[str] | None:
    """The files that fit a word with a pattern in it, as the line would name them; None where that is not told."""
    folder = command.cwd.literal
    if folder is None:
        return None
    pattern = "".join(escape(part) if isinstance(part, str) else _pattern(part) for part in word.parts)
    base = os.path.join(start, folder)
    paths = fitting(base, pattern)
    if paths is None:
        return None
    files = sorted(filter(os.path.isfile, paths))
    return files if os.path.isabs(pattern) else [os.path.relpath(path, base) for path in files]


def is_of_files(word: Word) -> bool:
    """Whether it stands for files of some name."""
    return bool(word.holes) and all(hole.why in (FITTING, FOUND) for hole in word.holes)


def _pattern(hole: Hole) -> str:
    return hole.text if hole.text and not _OPAQUE.search(hole.text) else "*"


def _in_turn(command: Command, start: str) -> Iterator[Command]:
    for name, path in _parts(command, start):
        if (_BY_RUN_PARTS.fullmatch(name) or _by_regex(command)) and os.access(
            os.path.join(start, path), os.X_OK
        ):
            yield replace(command, words=(Word((path,)),))


def passed_by_run_parts(command: Command, start: str) -> list[str]:
    """The files of its folder that `run-parts` never starts for their names."""
    own = [path for name, path in _parts(command, start) if name.endswith(SCRIPT_ENDS)]
    return own if not _by_regex(command) else []


def _by_regex(command: Command) -> bool:
    return any(word.prefix.startswith("--regex") for word in command.words)


def _parts(command: Command, start: str) -> Iterator[tuple[str, str]]:
    """The names and paths of the files in the folder that `run-parts` is given."""
    folder = command.words[-1].literal
    if folder is None or command.cwd.literal is None:
        return
    folder = os.path.join(command.cwd.literal, folder)
    base = os.path.join(start, folder)
    for name in sorted(os.listdir(base)) if os.path.isdir(base) else ():
        if os.path.isfile(os.path.join(base, name)):
            yield name, os.path.join(folder, name)


def run_in_turn(text: str, path: str, folders: Mapping[str, str]) -> Iterator[str]:
    """The scripts that a script of a shell runs by a pattern, and whose code it hands on as it is."""
    if not is_shell(path, text) or not _LOOPS.search(text) or _JUDGES.search(text):
        return
    own = os.path.dirname(path)
    for command in read_commands(at_home(text, own), "bash", variables=folders).commands:
        for each in spread(command, own):
            word = each.words[0] if each.words else None
            if each is command or word is None:
                continue
            given = [every.literal or "" for every in each.words[:3]]
            script = next((name for name in given if os.path.isfile(os.path.join(own, name))), "")
            if script == given[0] or re.fullmatch(r"(?:ba|z|da)?sh|python3?|node|bun|\.|source", given[0]):
                yield os.path.normpath(os.path.join(own, script))
