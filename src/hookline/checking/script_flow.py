"""What gets lost inside a shell script: an exit code in a shell of its own, an input that was read before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.languages import is_shell
from hookline.checking.lines import HookLine
from hookline.checking.lost_exits import PASSED_ON
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Raw, Substitution
from hookline.shell.grammar.syntax import Case, For, Group, If, Node, Subshell, While
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

_RETURNS_2 = late(r"(?m)^[ \t]+return 2[ \t]*$")
_CALLS_MAIN = late(r"(?m)^[ \t]*main\([^()\n]*\)\s*$")
_SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".mts")
_RETURNS_IT = late(
    r"console\.(?:error|warn|log)\([^\n]*\n?[^\n]*\breturn [12]\b\s*;?[ \t]*(?:\}|$)", re.MULTILINE
)
_ENDS_OR_ANSWERS = late(
    r"process\.exit|exitCode|\.exit\(|ecision\b|\bcontinue\b|\bimport\(|module\.exports|\bexport\b"
)
_ENDS = late(r"\b(?:sys\.exit|os\._exit|SystemExit|exit)\b")
_NO_PROGRAM = ("--null-input", "-f", "--from-file", "--args", "--jsonargs")
_WITH_VALUE = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "-L": 1}


def flow_problems(line: HookLine) -> Iterator[Problem]:
    """Guards whose exit code ends nothing but a loop of theirs, and scripts that read their input twice."""
    if not line.entry.guards:
        return
    for shown, text in line.scripts.items():
        if _RETURNS_2.search(text) and _CALLS_MAIN.search(text) and not _ENDS.search(text):
            words = f"`{shown}` returns 2 from `main` and ends with 0 all the same: nothing is blocked"
            yield line.entry.at_line("lost-exit", words, "write `sys.exit(main())`")
        elif shown.endswith(_SCRIPTS) and _RETURNS_IT.search(text) and not _ENDS_OR_ANSWERS.search(text):
            words = (
                f"`{shown}` returns a code from a function and ends with 0 all the same: nothing is blocked"
            )
            yield line.entry.at_line("lost-exit", words, "write `process.exit(2)`")
        if not is_shell(shown, text):
            continue
        tree, unclear = parse(text)
        if unclear is not None:
            continue
        if not PASSED_ON.search(text) and any(_lost(tree)):
            words = (
                f"`{shown}` ends with 2 behind a pipe or in `( … )`, which is a shell of its own, and goes on"
            )
            hint = "let nothing follow it, or hand its code on with `|| exit $?`"
            yield line.entry.at_line("lost-exit", words, hint)
        if sum(_reads_all(node) for node, _ in tree.items) > 1:
            words = f"`{shown}` reads standard input a second time, when it is empty"
            yield line.entry.at_line(
                "no-input", words, 'read it once, `input=$(cat)`, and give it on: `jq … <<<"$input"`'
            )


# -- exit codes ---------------------------------------------------------------------------------------


def _lost(body: Sequence) -> Iterator[bool]:
    """Whether something follows a statement that ends with 2 in a shell of its own."""
    for node, _ in body.items[:-1]:
        parts = node.parts if isinstance(node, Pipeline) and not node.negated else (node,)
        alone = len(parts) > 1 or isinstance(node.body if isinstance(node, Compound) else node, Subshell)
        yield alone and any(map(_ends_with_2, _nodes(parts[-1])))


def _nodes(node: Node) -> Iterator[Simple]:
    """The commands of a node, whatever they stand in."""
    match node:
        case Simple():
            yield node
        case Pipeline(parts=parts):
            yield from _nodes(parts[-1])
        case Chain(links=links):
            for _, each in links:
                yield from _nodes(each)
        case Compound(body=inner):
            yield from _nodes(inner)
        case Group(body=body) | Subshell(body=body) | While(body=body) | For(body=body):
            yield from _of_all(body)
        case If(branches=branches, otherwise=otherwise):
            for _, body in branches:
                yield from _of_all(body)
            if otherwise is not None:
                yield from _of_all(otherwise)
        case Case(clauses=clauses):
            for clause in clauses:
                yield from _of_all(clause.body)


def _of_all(body: Sequence) -> Iterator[Simple]:
    for node, _ in body.items:
        yield from _nodes(node)


def _ends_with_2(node: Simple) -> bool:
    return [text_of(word) for word in node.words] == ["exit", "2"]


# -- standard input -----------------------------------------------------------------------------------


def _reads_all(node: Node) -> bool:
    """Whether a statement, in any case, takes all of standard input."""
    match node:
        case Pipeline(parts=parts):
            return _reads_all(parts[0])
        case Chain(links=links):
            return _reads_all(links[0][1])
        case Simple() if not any(each.operator.startswith("<") for each in node.redirects):
            return _is_reader(node) or any(map(_is_filled_from_input, node.assignments))
    return False


def _is_filled_from_input(assignment: Assignment) -> bool:
    pieces = getattr(assignment.value, "pieces", ())
    bodies = [piece.body for piece in pieces if isinstance(piece, Substitution)]
    return any(_reads_all(body.items[0][0]) for body in bodies if body.items)


def _is_reader(node: Simple) -> bool:
    words = [text_of(word) for word in node.words]
    return words == ["cat"] or (words[:1] == ["jq"] and _reads_no_file(words[1:]))


def _reads_no_file(words: list[str]) -> bool:
    """Whether these arguments of `jq` are options and one program."""
    operands, at = 0, 0
    while at < len(words):
        word = words[at]
        if word in _NO_PROGRAM or re.match(r"-\w*n", word):
            return False
        at += 1 + _WITH_VALUE.get(word, 0)
        operands += not word.startswith("-")
    return operands == 1


def text_of(word: Word | Raw | Assignment) -> str:
    return str(getattr(word, "literal", None) or getattr(word, "plain", None) or "?")
