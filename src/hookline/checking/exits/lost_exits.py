"""Lines that run a guard and then end otherwise: what it says by its exit code never arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hookline.checking.answers.script_rules import blocks_by_exit
from hookline.checking.lines import HookLine
from hookline.checking.steps.shell_nodes import text_of, within
from hookline.model.errors import Problem
from hookline.shell.grammar.branches import Group
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

Wanted = Callable[[Simple], bool]
PASSED_ON = late(
    r"\$\?|\$\{?PIPESTATUS|\bset\s+-\w*e|pipefail|\bexit\s+[\"']?\$|\btrap\b",
    needs=("$", "set", "pipefail", "trap"),
)
_LOOKS_AT = frozenset(
    {"[", "test", "chmod", "ls", "stat", "command", "type", "which"}
)  # a file, without starting it
_OTHERWISE = frozenset({"true", ":", "echo", "printf"})


def lost_exit_problems(line: HookLine) -> Iterator[Problem]:
    """A guard that ends with 2, started by a line that takes that away again."""
    entry = line.entry
    if not entry.guards or entry.argv or line.shell == "powershell" or PASSED_ON.search(line.text):
        return
    names = [path.rpartition("/")[2] for path, _, text in line.texts[1:] if blocks_by_exit(text)]
    if not names:
        return
    tree, unclear = parse(line.text)

    def wanted(node: Simple) -> bool:
        started = (_words(node) or [""])[0] not in _LOOKS_AT
        return started and any(name in line.text[node.start : node.end] for name in names)

    how = _lost_in(tree, wanted) if unclear is None else ""
    if how:
        words = f"`{names[0]}` blocks with exit code 2, and {how}: nothing is ever blocked"
        yield entry.at_line("lost-exit", words, "let the guard be the last that the line runs")


def _lost_in(body: Sequence, wanted: Wanted) -> str:
    """By what the exit code of the command that is meant gets lost; empty where it may arrive."""
    for number, (node, background) in enumerate(body.items):
        if not _holds(node, wanted):
            continue
        if background:
            return "`&` waits for no answer"
        if number < len(body.items) - 1:
            return "the line ends with another command" if _is_plain(node) else ""
        return _lost_by(node, wanted)
    return ""


def _lost_by(node: Node, wanted: Wanted) -> str:
    match node:
        case Pipeline(parts=parts) if not node.negated:
            if any(_holds(part, wanted) for part in parts[:-1]):
                return "a pipe ends with the code of its last command"
            return _lost_by(parts[-1], wanted)
        case Chain(links=links):
            return _lost_in_chain(links, wanted)
        case Group(body=body):
            return _lost_in(body, wanted)
        case Compound(body=inner):
            return _lost_by(inner, wanted)
    return ""


def _lost_in_chain(links: tuple[tuple[str, Node], ...], wanted: Wanted) -> str:
    at = next((number for number, (_, node) in enumerate(links) if _holds(node, wanted)), None)
    if at is None:
        return ""
    if at == len(links) - 1:
        return _lost_by(links[at][1], wanted)
    for operator, node in links[at + 1 :]:
        if operator == "||":
            return "what stands behind `||` ends it well" if _ends_well(node) else ""
    return ""


def _ends_well(node: Node) -> bool:
    words = _words(node)
    return bool(words) and (words[0] in _OTHERWISE or words == ["exit", "0"])


def _is_plain(node: Node) -> bool:
    """Whether the guard itself is what runs there, not the condition of something."""
    return isinstance(node, Simple | Pipeline) or (isinstance(node, Chain) and "||" not in dict(node.links))


def _holds(node: Node, wanted: Wanted) -> bool:
    return any(isinstance(each, Simple) and wanted(each) for each in within(node))


def _words(node: Node) -> list[str]:
    if isinstance(node, Compound):
        return _words(node.body)
    if not isinstance(node, Simple):
        return []
    return [text_of(word) for word in node.words]
