"""The files that a hook's command line names: their bytes belong to its trust."""

from __future__ import annotations

import os
from itertools import pairwise

from hookline.model.hooks import Command, HookSpec
from hookline.model.typing import TYPE_CHECKING, Iterable, Iterator, Mapping, Sequence
from hookline.system import files

if TYPE_CHECKING:
    import re


_BETWEEN = "'\"`;|&<>(){}=,"
_BETWEEN_WORDS = str.maketrans(dict.fromkeys(_BETWEEN, " "))
_MARKS = frozenset(_BETWEEN + "$")
# what a line writes without reading it: behind `>`, `>>`, `| tee`, `touch`. A target is one plain word, whole
_WRITES = r"(?:(?<![<=\\-])>[>|]?|\|[ \t]*tee(?:[ \t]+-a)?[ \t]|(?:^|[;&|])[ \t]*touch[ \t])[ \t]*"
_ROOT = r"""(?:~|\$(?P<name>\w+)|\$\{(?P<braced>\w+)\}|\$\(git rev-parse --show-toplevel\))"?/"""
_TARGET = rf"""(?P<start>{_WRITES})["']?(?:{_ROOT})?[\w./+:@%-]+["']?(?=[ \t\n;&|)]|$)"""
_OTHER_MEANING = (
    r"\b(?:eval|alias|function)\b|\([ \t]*\)|\$(?:_\b|\{_)"  # with these a word may not mean what it says
)
_RUNS_NEXT = frozenset((
    "", ";", ".", "bash", "command", "dash", "do", "else", "env", "exec", "ksh", "node", "nohup", "perl", "python",
    "python3", "ruby", "sh", "source", "sudo", "then", "time", "zsh",
))  # fmt: skip
_NESTED = 4
_BETWEEN_COMMANDS = str.maketrans(dict.fromkeys(";|&(){}\n", " ; "))
_FOLDER_WORDS = ("cd", "pushd", "-C", "--directory", "--chdir", "--cwd", "--prefix")  # before a folder
_LEADING = frozenset((*_FOLDER_WORDS, "PATH"))
_WHOLE_FOLDERS = ("run-parts", "source", ".")
_WILD = frozenset("*?[")
_MOST_FOLDERS = 16
_MOST_FILES = 500
_FIRST_LINE = 256

Known = dict[tuple[str, str, bool, str], tuple[str, ...]]


def named_files(spec: HookSpec, workspace: str, home: str, known: Known) -> Iterator[str]:
    """The files, by absolute path: of the workspace for every hook, of a user's own hook also those of the home.

    Also what a pattern fits, what a folder holds that is run as one, what is named from a folder the line goes
    to, and the interpreter of a script where it is such a file too; not what the line only writes. `known` is what
    the words of other lines were found to name meanwhile.
    """
    if not isinstance(spec.action, Command):
        return
    own = home if spec.scope == "user" else ""
    line = _without_targets(spec.action.line, spec.env)
    if spec.action.argv or "PATH" in spec.env:
        path = (f"PATH={spec.env['PATH']}",) if "PATH" in spec.env else ()
        line = " ".join((*path, line, *spec.action.argv))
    words = _words(line, own)
    folders = _folders(words, workspace, keeps="=" in line and "$" in line)
    before = ""
    for word in words:
        for folder in folders:
            asked = (folder, word, before in _WHOLE_FOLDERS, own)
            found = known.get(asked)
            if found is None:
                found = known[asked] = tuple(_files_at(*asked, workspace))
            yield from found
        # `run-parts --regex=x dir` too
        before = before if word.startswith("-") and before in _WHOLE_FOLDERS else word


def _files_at(folder: str, word: str, whole: bool, own: str, workspace: str) -> Iterator[str]:
    """The files that a word names from that folder, and those in it where it stands for a `whole` folder."""
    if not word.isascii():  # as file names are spelled in this process, whose locale may know no such letters
        word = os.fsdecode(word.encode("utf-8", "surrogateescape"))
    path = word if word.startswith("/") else f"{folder.rstrip('/')}/{word}"
    if not word.isalnum():
        path = os.path.normpath(path)
    places: Iterable[str] = (path,)
    if not _WILD.isdisjoint(word):
        places = _fitting(folder, word)
    elif whole:
        places = (path, *(entry.path for entry in files.list_dir(path).entries[:_MOST_FILES]))
    for place in places:
        if _is_inside(place, workspace, own) and files.is_file(place):
            yield place
            yield from (
                found for found in _interpreters(place, workspace) if _is_inside(found, workspace, own)
            )


def _without_targets(line: str, env: Mapping[str, str]) -> str:
    """The line without the files it only writes: what a hook logs is none of its programs, and changes at every run."""
    if ">" not in line and "tee" not in line and "touch" not in line:
        return line
    import re

    if re.search(_OTHER_MEANING, line):
        return line

    def kept(found: re.Match[str]) -> str:
        name = found["name"] or found["braced"]
        set_here = name and (name in env or re.search(rf"(?<![$\w{{]){name}\b", line))
        return found[0] if set_here else found["start"]

    return re.sub(_TARGET, kept, line)


def _words(line: str, home: str = "") -> list[str]:
    """The words of a line; a beginning of a path that is not known is taken for each folder of the line.

    More files than the line can mean may be found so, never fewer: the variables of all agents, and what a person sets,
    name the project in some line.
    """
    if _MARKS.isdisjoint(line) and not home:
        return line.split()  # most lines
    lines = [line]
    if "$" in line or "`" in line:
        from hookline.engine.unknown_parts import rooted, with_holes, with_home

        lines = [with_home(line, home or "~")]
        within = with_holes(lines[0])
        while len(lines) <= _NESTED and (further := rooted(lines[-1])) != lines[-1]:
            lines.append(further)
        lines += [" ".join(_run(rooted(within)))] if "*" in within else []
    words = [word for each in lines for word in each.translate(_BETWEEN_WORDS).split()]
    return [home + word[1:] if word.startswith("~/") else word for word in words] if home else words


def _run(line: str) -> Iterator[str]:
    """The words that are a program, or a script of one: of others (`log-$(date).txt`) a pattern says too much."""
    words = line.translate(_BETWEEN_COMMANDS).translate(_BETWEEN_WORDS | {ord(";"): ";"}).split()
    words = [word for word in words if not word.startswith("-")]
    for before, word in pairwise(["", *words]):
        if "*" in word and before in _RUNS_NEXT:
            yield word


def _folders(words: Sequence[str], workspace: str, keeps: bool) -> list[str]:
    """The workspace, and each folder that the line may stand in, or `keeps` in a variable (`D=$PWD/hooks; sh $D/x`),
    or looks for programs in (`PATH=./bin:$PATH`)."""
    found = [workspace]
    if not keeps and _LEADING.isdisjoint(words):
        return found
    for word, following in pairwise(["", *words]):
        goes = word in _FOLDER_WORDS
        if not (goes or keeps or word == "PATH"):
            continue
        places = following.split(":") if word == "PATH" else (following,)
        further = [os.path.normpath(os.path.join(folder, place)) for folder in found for place in places]
        if not goes:
            further = [each for each in further if _is_inside(each, workspace, "") and files.is_dir(each)]
        found = list(dict.fromkeys([*found, *further]))[:_MOST_FOLDERS]
    return found


def _fitting(folder: str, pattern: str) -> Iterator[str]:
    """The files that a pattern fits, from that folder."""
    from fnmatch import fnmatchcase

    found = [os.path.sep if pattern.startswith("/") else folder]
    for part in (piece for piece in pattern.split("/") if piece not in ("", ".")):
        if _WILD.isdisjoint(part):
            found = [os.path.normpath(os.path.join(place, part)) for place in found]
        else:
            found = [
                os.path.join(place, entry.name)
                for place in found
                for entry in files.list_dir(place).entries
                if fnmatchcase(entry.name, part)
            ][:_MOST_FILES]
    yield from found


def _interpreters(path: str, workspace: str) -> Iterator[str]:
    """The words of the first line of a script that are files: `#!/repo/tools/py`, `#!/usr/bin/env -S ./run -x`."""
    head = files.read_head(path, _FIRST_LINE).content
    if head.startswith(b"#!"):
        line = head[2:].partition(b"\n")[0].decode("utf-8", "surrogateescape")
        for word in line.split():
            found = os.path.normpath(os.path.join(workspace, word))
            if files.is_file(found):
                yield found


def _is_inside(path: str, workspace: str, home: str) -> bool:
    return path.startswith(workspace + os.sep) or bool(home and path.startswith(home + os.sep))
