"""What a line gives its programs beside the call: options they do not know, and folders that are not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.comments import without_comments
from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

_DECLARED = late(r"add_argument\(\s*((?:[\"']-{1,2}[\w-]+[\"']\s*,?\s*)+)")
_LENIENT = late(r"parse_known_args|add_subparsers|parents\s*=|argparse\.REMAINDER")
_USES = r"(?m)^(?!\s*#)[^\n]*?(?:\w=|>\s*|\b(?:mkdir|touch|cat|source|tee)\s+(?:-\w+\s+)*|\b(?:open|Path)\()[\"']?"
_MOVES = late(r"\b(?:cd|pushd|chdir|Set-Location|rev-parse)\b")
_MAKES = late(
    r"\b(?:mkdir|install -d|New-Item)\b|\|\|\s*true", needs=("mkdir", "install -d", "New-Item", "||")
)
_INTO_FILE = frozenset({">", ">>", ">|", "&>", "&>>"})


def target_problems(line: HookLine) -> Iterator[Problem]:
    """Options of a line that `argparse` refuses, and redirections that fail."""
    for shown, text in line.scripts.items():
        code = without_comments(text)
        if "parse_args(" not in code or _LENIENT.search(code):
            continue
        known = set(re.findall(r"--[\w-]+", " ".join(_DECLARED.findall(code)))) | {"--help"}
        name = os.path.basename(shown)
        behind = line.text.rpartition(name)[2] if line.text.count(name) == 1 else ""
        for option in re.findall(r"(?<=\s)(--[a-z][\w-]*)(?=[=\s]|$)", re.split(r"[;&|<>]", behind)[0]):
            if not any(each.startswith(option) for each in known):
                words = f"`{shown}` is given `{option}`, which it does not know: it ends with 2 before it has looked"
                yield line.entry.at_line("unknown-option", words, "take it away, or declare it in the script")
                break
    yield from _without_folder(line)
    yield from _as_if_at_the_root(line)


def _as_if_at_the_root(line: HookLine) -> Iterator[Problem]:
    """Files that a script names from the project root, where it starts in the very folder they begin with."""
    folder = os.path.relpath(line.start, line.workspace)
    named = late(rf"{_USES}(?:\./)?({re.escape(folder)}/[\w./-]+)")
    for shown, text in line.scripts.items() if folder != "." and not folder.startswith("..") else ():
        found = named.search(text) if not _MOVES.search(text) else None
        if found and not os.path.lexists(os.path.join(line.start, found[1])):
            words = f"`{shown}` starts in `{folder}` and names `{found[1]}` from there, which is `{folder}/{found[1]}`"
            yield line.entry.at_line("missing-target", words, "take `cwd` out, or name it from that folder")
            return


def _without_folder(line: HookLine) -> Iterator[Problem]:
    if line.entry.spec.scope == "user" or _MAKES.search(line.text):
        return
    for command in line.filled.commands:
        for each in command.redirections:
            path = _path_of(each.target) if each.target is not None and each.operator in _INTO_FILE else None
            folder = os.path.dirname(path or "")
            inside = os.path.join(line.start, command.cwd.literal or "", folder) if folder else ""
            if inside.startswith(line.workspace + os.sep) and not os.path.lexists(inside) and path:
                words = (
                    f"`{folder}` does not exist, so nothing can be written to `{path}`, and the command fails"
                )
                yield line.entry.at_line("missing-target", words, f"write `mkdir -p {folder} && ` before it")
                return


def _path_of(word: Word) -> str:
    """A path as far as it is known; what is filled in behind its folder is left out."""
    first = word.parts[0] if word.parts else ""
    return word.literal or (first if isinstance(first, str) and "/" in first else "")
