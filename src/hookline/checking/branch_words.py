"""What a script says in the very branch that ends with 2: on standard output alone, or before its answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hookline.checking.languages import is_python, is_shell, python_tree
from hookline.checking.only_printing import LOOKS, all_nodes, program_of
from hookline.checking.script_flow import text_of
from hookline.checking.script_rules import ANSWERS, STDERR
from hookline.checking.spoken import without_taken
from hookline.model.typing import TypeGuard
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Case, For, Function, Group, If, Node, Subshell, While
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

_WORDS = late(r"\w{2}")
_TO_ERRORS = late(r"(?<![0-9])1?>\s*(?:&\s*2\b|/dev/stderr\b)", needs=(">",))
_MORE = late(r"systemMessage|additionalContext|additional_context|[\"'`{]\s*\\?[\"']?\w+\\?[\"']\s*:")
_EXITS = late(r"(?:sys\.exit|exit|os\._exit|SystemExit)\(2\)")
_HANDS_ON = late(r"exit\(\s*main\(|SystemExit\(\s*main\(")
_NODE_ENDS = late(r"process\.exit(?:\(\s*2\s*\)|Code\s*=\s*2\b)|(?im:^[ \t]*exit[ \t]+2\b)")
_BLOCK = late(r"(?m)^[^\n]*\{[ \t]*$|^[ \t]*\}[^\n]*$")
_NODE_SAYS = late(
    r"(?:console\.(?:log|info)|process\.stdout\.write)\(\s*[\"'`][^\"'`\n]*\w{2}"
    r"|(?i:Write-(?:Host|Output))\s+[\"'][^\"'\n]*\w{2}"
)


def says_why_aside(shown: str, script: str) -> bool:
    """Whether a branch that ends with 2 has words on standard output, and none on standard error before its end."""
    if is_shell(shown, script):
        return _shell(without_taken(script))
    if is_python(shown, script):
        return _python(script)
    for end in _NODE_ENDS.finditer(script) if shown.endswith((".js", ".mjs", ".cjs", ".ts", ".ps1")) else ():
        branch = _BLOCK.split(script[: end.start()])[-1]
        if _NODE_SAYS.search(branch) and not (STDERR.search(branch) or _is_answer(branch)):
            return True
    return False


def said_before(tree: Sequence, at: int, script: str) -> str:
    """The words that are printed in any case before what stands at a place of a shell script, in its branches."""
    starts = [node for each, _ in tree.items for node in _simple(each, functions=True) if node.start <= at]
    owner = max(starts, key=lambda node: node.start, default=None)
    before = _before(tree, owner) if owner else None
    told = [each for node in before or () for each in _simple(node)]
    if any(map(_goes_to_errors, told)):
        return ""  # there it may say why
    words = next(
        (node for node in before or () if isinstance(node, Simple) and node.words and _speaks(node)), None
    )
    found = script[words.start : words.end] if words else ""
    return "" if "{" in found else " ".join(found.split())


def _before(body: Sequence, owner: Simple) -> list[Node] | None:
    """What comes before a command in the branches it stands in; None where it is not there."""
    own: list[Node] = []
    for node, _ in body.items:
        for each in (link for _, link in node.links) if isinstance(node, Chain) else [node]:
            inner = (_before(part, owner) for part in _bodies(each))
            if (found := next((part for part in inner if part is not None), None)) is not None:
                return found if isinstance(each, Function) else [*own, *found]
        if owner in _simple(node):
            return own
        own.append(node)
    return None


def _is_answer(text: str) -> bool:
    return bool(ANSWERS.search(text) or _MORE.search(text))


# -- shell --------------------------------------------------------------------------------------------


def _shell(script: str) -> bool:
    if _TO_ERRORS.search(script) is None or not re.search(r"\b(?:exit|return) 2\b", script):
        return False  # of one that says nothing there at all is told already
    tree, unclear = parse(script)
    if unclear is not None:
        return False
    loud = {
        node.name
        for node in all_nodes(tree)
        if isinstance(node, Function) and STDERR.search(script[node.start : node.end])
    }
    for before, own, end in _ends(tree, ()):
        outside = (each for each in before if isinstance(each, Simple | Pipeline | Group))
        printed = [each for node in own for each in _simple(node)]
        start = min((each.start for each in printed), default=end)
        told = [*(each for node in outside for each in _simple(node)), *printed]
        if _TO_ERRORS.search(script, start, end) or any(
            _goes_to_errors(each) or program_of(each)[0] in loud for each in told
        ):
            continue
        if all(map(_is_quiet, printed)) and any(map(_speaks, printed)) and not _is_answer(script[start:end]):
            return True
    return False


def _ends(body: Sequence, outer: tuple[Node, ...]) -> Iterator[tuple[tuple[Node, ...], list[Node], int]]:
    """For each end with 2: what ran in any case before its branch, what the branch has before it, and where it is."""
    own: list[Node] = []
    for node, _ in body.items:
        links = [each for _, each in node.links] if isinstance(node, Chain) else [node]
        for at, each in enumerate(links):
            if _is_end(each):
                yield (*outer, *(own if at else ())), links[:at] if at else own, each.start
            for inner in _bodies(each):
                yield from _ends(inner, (*outer, *own, *links[:at]))
        own.append(node)


def _bodies(node: Node) -> Iterator[Sequence]:
    match node:
        case Compound(body=inner):
            yield from _bodies(inner)
        case If(branches=branches, otherwise=otherwise):
            yield from (body for _, body in branches)
            if otherwise is not None:
                yield otherwise
        case Case(clauses=clauses):
            yield from (clause.body for clause in clauses)
        case Group(body=body) | Subshell(body=body) | While(body=body) | For(body=body):
            yield body
        case Function(body=inner):
            yield from [inner] if isinstance(inner, Sequence) else _bodies(inner)
        case Pipeline(parts=parts):
            yield from _bodies(parts[-1])


def _is_end(node: Node) -> TypeGuard[Simple]:
    return isinstance(node, Simple) and [text_of(word) for word in node.words] in (
        ["exit", "2"],
        ["return", "2"],
    )


def _simple(node: Node, functions: bool = False) -> Iterator[Simple]:
    """The commands of a node; none of one whose output is sent on as a whole."""
    sent = isinstance(node, Compound) and bool(node.redirects)
    if functions or not (sent or isinstance(node, Function)):
        yield from (
            each for each in all_nodes(Sequence(((node, False),))) if isinstance(each, Simple) and each.words
        )


def _goes_to_errors(node: Simple) -> bool:
    return any(
        to.operator.startswith(">") and text_of(to.target) in ("2", "/dev/stderr") for to in node.redirects
    )


def _is_quiet(node: Simple) -> bool:
    """Whether nothing but its own words comes of it on standard error."""
    hushed = any(to.fd == 2 or to.operator.startswith("&>") for to in node.redirects)
    return program_of(node)[0] in LOOKS or hushed


def _speaks(node: Simple) -> bool:
    """Whether it prints words of its own on standard output."""
    name, *words = program_of(node)
    if name == "cat":
        return any(to.document is not None for to in node.redirects) and len(node.redirects) == 1
    mute = any(to.fd != 2 for to in node.redirects)
    return name in ("echo", "printf") and not mute and bool(_WORDS.search(" ".join(words)))


# -- Python -------------------------------------------------------------------------------------------


def _python(script: str) -> bool:
    tree = python_tree(script) if "stderr" in script and "2" in script else None
    if tree is None:
        return False
    loud = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and "stderr" in ast.unparse(node)
    }
    return any(_lost(body, "", bool(_HANDS_ON.search(script)), loud) for body in [tree.body])


def _lost(body: list[ast.stmt], before: str, hands_on: bool, loud: set[str]) -> bool:
    told = before
    said = False
    for node in body:
        text = ast.unparse(node)
        ends = _EXITS.fullmatch(text.removeprefix("raise ")) or (hands_on and text == "return 2")
        names = re.findall(r"\b(\w+)\(", told)
        if ends and said and "stderr" not in told and not (loud.intersection(names) or _is_answer(told)):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if _lost(node.body, "", hands_on, loud):
                return True
            continue
        inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
        if any(_lost(each, told, hands_on, loud) for each in inner if isinstance(each, list) and each):
            return True
        said = said or bool(re.match(r"print\(f?['\"][^'\"\n]*\w{2}", text) and "file=" not in text)
        told += f"\n{text}"
    return False
