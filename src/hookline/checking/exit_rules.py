"""Guards that end with a code of their last test: one that blocks nothing, or one that blocks everything."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.lost_exits import PASSED_ON
from hookline.checking.script_flow import is_shell, text_of
from hookline.checking.script_rules import ANSWERS, closes
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Chain, Compound, Pipeline, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Node

_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_TESTS = _SEARCHES | {"[", "[[", "test"}


def exit_problems(line: HookLine) -> Iterator[Problem]:
    """What the last statement of a guard says by its code, in the line and in the shell scripts it starts."""
    if not line.entry.guards or line.entry.spec.background or line.shell == "powershell":
        return
    texts = {} if line.entry.argv else {"": line.text}
    texts.update((shown, text) for shown, text in line.scripts.items() if is_shell(shown, text))
    for shown, text in texts.items():
        last = _last(text)
        if last is None:
            continue
        where = f"`{shown}`" if shown else "the line"
        if closes(line):
            if _ends_well_only_if_found(last):
                words = (
                    f"{where} ends with 1 where its last test finds nothing, and {line.entry.speaker.title} "
                )
                hint = "let `exit 0` be its end, or write `if …; then …; fi`"
                yield line.entry.at_line("always-denies", f"{words}denies such a call too", hint)
        elif _is_no_answer(last) and not ANSWERS.search(text):
            words = f"{where} says no by the code 1 of its last test, which lets the action through"
            yield line.entry.at_line("weak-exit", words, "end with 2, the reason on standard error")


def _last(text: str) -> Node | None:
    """The last statement, where it alone says how a text ends."""
    tree, unclear = parse(text)
    if unclear is not None or not tree.items or PASSED_ON.search(text):
        return None
    node, background = tree.items[-1]
    return None if background else node


def _ends_well_only_if_found(node: Node) -> bool:
    """`grep … && …`, with nothing for the other case."""
    match node:
        case Compound(body=inner, redirects=()):
            return _ends_well_only_if_found(inner)
        case Chain(links=links):
            return all(operator == "&&" for operator, _ in links[1:]) and _is_test(links[0][1], _TESTS)
        case Pipeline(negated=False):
            return len(node.parts) > 1 and _is_test(node, _SEARCHES)
    return False


def _is_no_answer(node: Node) -> bool:
    """`! … | grep …` and `jq -e …`: what they find becomes a code, and no more."""
    if isinstance(node, Pipeline) and node.negated:
        return _is_test(node, _SEARCHES)
    return _is_test(node, frozenset())


def _is_test(node: Node, programs: frozenset[str]) -> bool:
    """Whether one of the programs, or `jq -e`, ends it."""
    words = _words(node.parts[-1] if isinstance(node, Pipeline) else node) or [""]
    return words[0] in programs or (words[0] == "jq" and not {"-e", "--exit-status"}.isdisjoint(words))


def _words(node: Node) -> list[str]:
    words = [text_of(word) for word in node.words] if isinstance(node, Simple) else []
    return [os.path.basename(word) if not number else word for number, word in enumerate(words)]
