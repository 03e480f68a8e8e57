"""Paths that a shell script puts without quotes where a blank would end them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.checking.steps.shell_nodes import all_nodes
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Parameter, Substitution
from hookline.shell.grammar.tree import Sequence, Simple
from hookline.system.patterns.late import late

_FOLDER = late(r"(?:\w+_PROJECT_DIR|\w+_WORKSPACE_(?:PATH|ROOT|DIR)|\w*PLUGIN_ROOT)\Z")
# a file of the call, and a folder of the project or one below it
_GIVEN = late(
    r"(?m)(?:^|[;&|({]|\b(?:then|do|else|local|readonly|export)\b)[ \t]*(?P<name>\w+)=(?:"
    r"\"?\$\([^\n]*?\bjq\b[^\n]*?\.(?:file_path|notebook_path|filePath|cwd|path)\b(?![^\n]*\|\s*(?:wc|grep|head|tr|cut))[^\n]*\)\"?"
    r"|\"?\$\(\s*(?:pwd|git rev-parse --show-toplevel|cd [^\n()]*(?:\$\([^\n()]*\))?[^\n()]* && pwd)"
    r"[^\n)]*\)\"?(?:/[\w./-]*)?\"?"
    r"|\"?\$\{?(?P<of>\w+)\}?\"?(?:/[\w./-]+)?\"?)[ \t]*(?=;|$|&&|#)"
)
_OWN_BLANKS = late(r"(?m)^[ \t]*IFS=|\bshwordsplit\b")
_PRINTS = frozenset({"echo", "printf", "[[", "local", "export", "readonly", "declare"})


def unquoted_problems(line: HookLine) -> Iterator[Problem]:
    """The first such path of each script."""
    for shown, text in line.scripts.items():
        named = "$" in text and is_shell(shown, text) and not _OWN_BLANKS.search(text)
        if not named or "zsh" in text.partition("\n")[0]:
            continue
        tree, unclear = parse(text)
        paths = _paths(text) if unclear is None else frozenset()
        for node in _simple(tree) if unclear is None else ():
            if bare := _bare(node, paths):
                words = f"`{shown}` has `{bare}` without quotes: a blank in the path ends it"
                yield line.entry.at_line("unquoted-path", words, f'write `"{bare}"`')
                break


def _paths(text: str) -> frozenset[str]:
    """The variables that hold one path."""
    values: dict[str, list[re.Match[str]]] = {}
    for found in _GIVEN.finditer(text):
        values.setdefault(found["name"], []).append(found)
    paths: set[str] = set()
    for name, each in values.items():
        number = len(re.findall(rf"(?<![\w$-]){name}\+?=", text))
        if number == len(each) and all(
            not one["of"] or one["of"] in paths or _FOLDER.match(one["of"]) for one in each
        ):
            paths.add(name)
    return frozenset(paths)


def _simple(tree: Sequence) -> Iterator[Simple]:
    """Every command, also in `$(…)`."""
    for node in all_nodes(tree):
        if isinstance(node, Simple):
            yield node
            for word in (*node.words, *(each.value for each in node.assignments)):
                for piece in getattr(word, "pieces", ()):
                    if isinstance(piece, Substitution):
                        yield from _simple(piece.body)


def _bare(node: Simple, paths: frozenset[str]) -> str:
    """The variable that a command has without quotes."""
    first = (
        str(getattr(node.words[0], "literal", None) or getattr(node.words[0], "plain", ""))
        if node.words
        else ""
    )
    for word in () if first in _PRINTS else node.words:
        for piece in () if isinstance(word, Assignment) else getattr(word, "pieces", ()):
            plain = isinstance(piece, Parameter) and not (piece.quoted or piece.operator or piece.prefix)
            if plain and (piece.name in paths or _FOLDER.match(piece.name)):
                return str(piece.text)
    return ""
