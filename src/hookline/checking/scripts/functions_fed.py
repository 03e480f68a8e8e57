"""Functions of a shell that look at their argument, behind a pipe that gives them none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.checking.steps.shell_nodes import all_nodes, text_of, within
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function, Node
from hookline.shell.grammar.tree import Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

_NAMED = late(r"(?m)^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)|^[ \t]*function[ \t]+(\w+)")
_ARGUMENT = late(r"\$\{?1(?!\d)(?!:?[-=+])")
_OF_INPUT = late(r"\bcat\b|/dev/stdin|\$\(\s*<|\bread\b|<&")
# commands that read nothing of what their function is sent
_SILENT = frozenset({
    "echo", "printf", "local", "declare", "return", "[", "test", ":", "true", "false", "shift", "exit", "export", "set",
})  # fmt: skip


def functions_fed(line: HookLine) -> Iterator[Problem]:
    """The first function that is sent something and looks for it in its argument."""
    for shown, where, text in line.texts[1:]:
        names = {found[1] or found[2] for found in _NAMED.finditer(text)}
        piped = (
            rf"\|[ \t]*(?:{'|'.join(map(re.escape, names))})[ \t]*(?=[\n)\"|;&>}}]|$)" if names else r"(?!)"
        )
        if not is_shell(shown, line.scripts[shown]) or not re.search(piped, text):
            continue
        name = _sent_in_vain(text)
        if name:
            words = (
                f"{where} sends something to `{name}` by a pipe, which looks at its argument and gets none"
            )
            yield line.entry.at_line(
                "no-input", words, f'write `{name} "$(…)"`, or let it read: `local input=$(cat)`'
            )
            return


def _sent_in_vain(text: str) -> str:
    tree, unclear = parse(text)
    if unclear is not None:
        return ""
    functions = {each.name: each for each in all_nodes(tree) if isinstance(each, Function)}
    deaf = {name for name, each in functions.items() if _is_deaf(each, text)}
    for node in _pipelines(tree):
        for part in node.parts[1:]:
            words = [text_of(word) for word in part.words] if isinstance(part, Simple) else []
            fed = any(each.operator.startswith("<") for each in getattr(part, "redirects", ()))
            if len(words) == 1 and words[0] in deaf and not fed:
                return words[0]
    return ""


def _pipelines(tree: Sequence) -> Iterator[Pipeline]:
    """All pipelines, also those whose output a variable is given."""
    left: list[Sequence] = [tree]
    while left:
        for node in all_nodes(left.pop()):
            if isinstance(node, Pipeline):
                yield node
            for part in _parts(node):
                left += [
                    body for piece in _pieces(part) if (body := getattr(piece, "body", None)) is not None
                ]


def _parts(node: Node) -> tuple[object, ...]:
    return (*node.words, *(each.value for each in node.assignments)) if isinstance(node, Simple) else ()


def _pieces(word: object) -> tuple[object, ...]:
    inner = getattr(word, "value", word)  # of `local a=…`
    return tuple(getattr(inner, "pieces", ()))


def _is_deaf(function: Function, text: str) -> bool:
    """Whether a function looks at its first argument, and nothing in it reads what it is sent."""
    body = text[function.start : function.end]
    if not _ARGUMENT.search(body) or _OF_INPUT.search(body):
        return False
    nodes = all_nodes(function.body) if isinstance(function.body, Sequence) else within(function.body)
    behind, first = set[int](), list[Simple]()
    for node in nodes:
        if isinstance(node, Pipeline):
            behind.update(id(part) for part in node.parts[1:])
        elif isinstance(node, Simple) and node.words and id(node) not in behind:
            first.append(node)
    return all(
        text_of(each.words[0]) in _SILENT or any(to.operator.startswith("<") for to in each.redirects)
        for each in first
    )
