"""Guards that end with a code of their last test: one that blocks nothing, or one that blocks everything."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import heard, how_to_refuse, outcome_of
from hookline.checking.answers.script_rules import ANSWERS, closes, weak_exit
from hookline.checking.exits.lost_exits import PASSED_ON
from hookline.checking.exits.wordless_exits import called_a_no, ends_with_one
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.checking.steps.shell_nodes import program_of, text_of
from hookline.checking.texts.plain_output import looks
from hookline.model.errors import Problem
from hookline.model.results import RawResult, Verdict
from hookline.shell.grammar.branches import If
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Node
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_TWO = late(r"\b(?:exit|return)[ (]+2\b", needs=("exit", "return"))
_KEEPS_CODE = late(r"\b(\w+)=\$\?", needs=("=$?",))
_ENDS_BY_CODE = late(r"\bexit[ \t]+\"?\$(?:\?|\{?(\w+))", needs=("exit",))
_RUN = late(
    r"=\"?\$\(\s*([a-z][^\n()]*?)(?:\s*2>&1)?\s*\)|(?m:^[ \t]*([a-z][\w ./:-]*?)(?:[ \t]*2>&1)?[ \t]*$)"
)
# a program that code of Python or JavaScript runs, and its code as the end
_RUN_BY_CODE = late(
    r"\b(?P<name>\w+)\s*=\s*(?:await\s+)?(?:subprocess\.(?:run|call)|spawnSync|spawn|Bun\.spawnSync)\(\s*(?P<run>[^)\n]{1,200})"
)
_GIVEN_ON = (
    r"(?:\b(?:sys\.exit|process\.exit)\(|\bexitCode\s*=|\breturn\b)"
    r"(?=[^\n;]*\b%s(?:\.(?:returncode|status|exitCode))?\b)(?![^\n;]*\b2\b)"
)
_ENDS_BY_CALL = late(r"\b(?:sys\.exit|process\.exit)\(\s*\w|\bexitCode\s*=\s*[a-z]")
_BY_NAME = late(
    r"(?m)^[ \t]*(?:function\s+)?(?P<name>\w+)\s*\(\)\s*\{"
    r"(?=[\s\S]{0,300}?(?:\bdecision=\"?\$\{?1|permissionDecision[\s\S]{0,150}?\$\{?1))"
    r"(?:[^\n]*\n){1,12}?[ \t]*exit 2\s*;?\s*\}"
)
# every failure ends the script, and nothing else does by another code
_STRICT = late(r"(?m)^[ \t]*set[ \t]+-\w*e|^#!.*sh[ \t]+-\w*e")
_ENDS_WITH_1 = frozenset({
    "gitleaks", "git-secrets", "eslint", "ruff", "mypy", "pytest", "pyright", "shellcheck", "bandit", "golangci-lint",
    "jest", "vitest", "audit", "phpstan", "flake8", "pip-audit", "actionlint", "yamllint", "ansible-lint",
})  # fmt: skip
_NOT_STRICT = late(r"\bset[ \t]+\+\w*e|\btrap\b")
_TESTS = _SEARCHES | {"[", "[[", "test"}


def exit_problems(line: HookLine) -> Iterator[Problem]:
    """What the last statement of a guard says by its code, in the line and in the shell scripts it starts."""
    if not line.entry.guards or line.entry.spec.background or line.shell == "powershell":
        return
    yield from _asked_and_ended(line)
    texts = line.scripts if line.entry.argv else {"": line.text, **line.scripts}
    for shown, text in texts.items():
        where, shell = f"`{shown}`" if shown else "the line", not shown or is_shell(shown, text)
        last = _last(text) if shell else None
        if closes(line):
            if last is not None and _ends_well_only_if_found(last):
                words = (
                    f"{where} ends with 1 where its last test finds nothing, and {line.entry.speaker.title} "
                )
                hint = "let `exit 0` be its end, or write `if …; then …; fi`"
                yield line.entry.at_line("always-denies", f"{words}denies such a call too", hint)
        elif ANSWERS.search(text):
            continue
        elif last is not None and _is_no_answer(last):
            words = f"{where} says no by the code 1 of its last test, which lets the action through"
            yield line.entry.at_line("weak-exit", words, how_to_refuse(line.entry))
        elif (
            _decides(line)
            and (
                (shell and last is None and (_hands_on_a_check(text) or (shown and _ends_at_a_check(text))))
                or (not shell and _gives_on(text))
            )
        ) or (
            (ends_with_one(shown or "line.sh", text) or (called_a_no(text, text) and not _TWO.search(text)))
            and not any(weak_exit(line, text, where))
        ):
            words = f"{where} says no by exit code 1, which lets the action through"
            yield line.entry.at_line("weak-exit", words, how_to_refuse(line.entry))


def _asked_and_ended(line: HookLine) -> Iterator[Problem]:
    """A function that answers with the decision it is given and ends with 2, called to ask: nobody is asked then."""
    for _, where, text in line.texts[1:]:
        for found in _BY_NAME.finditer(text):
            asks = re.search(rf"(?m)^[^#\n]*\b{found['name']}\s+[\"']?ask\b", text)
            ask = {
                "hookSpecificOutput": {
                    "hookEventName": line.entry.spec.native_event,
                    "permissionDecision": "ask",
                }
            }
            printed = json.dumps(ask)
            raw = RawResult(exit_code=2, stdout=printed, answer=printed)
            meant, got = (
                outcome.verdict for outcome in (outcome_of(line.entry, printed), heard(line.entry, raw))
            )
            if asks and (meant, got) == (Verdict.ASK, Verdict.DENY):
                words = f"{where} asks and ends with 2, and {line.entry.speaker.title} refuses then: nobody is asked"
                yield line.entry.at_line("unread-output", words, "end with 0 behind an answer")
                return


def _decides(line: HookLine) -> bool:
    """Whether a call waits for what the hook says."""
    return line.entry.rule is not None and line.entry.rule.subject == "tool_name"


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


def _hands_on_a_check(text: str) -> bool:
    """Whether it ends with the code of a program that looks at the code, which is 1 where that finds something."""
    given = {found[1] for found in _KEEPS_CODE.finditer(text)}
    ends = any(not found[1] or found[1] in given for found in _ENDS_BY_CODE.finditer(text))
    run = [found[1] or found[2] for found in _RUN.finditer(text)] if ends and not _TWO.search(text) else []
    return any(looks(words) and words[0] not in _SEARCHES | {"git"} for words in map(str.split, run))


def _ends_at_a_check(text: str) -> bool:
    """Whether a strict script ends with 1 where a program that looks at the code finds something."""
    if not _STRICT.search(text) or _NOT_STRICT.search(text) or _TWO.search(text):
        return False
    tree, unclear = parse(text)
    run = map(program_of, _by_themselves(tree) if unclear is None else ())
    return any(looks(words) and not _ENDS_WITH_1.isdisjoint(words[:4]) for words in run)


def _by_themselves(body: Sequence) -> Iterator[Simple]:
    """The commands whose failure ends a strict script: in no condition, pipe, chain or function."""
    for node, background in body.items:
        if background:
            continue
        if isinstance(node, Simple) and node.words:
            yield node
        if isinstance(node, If):
            for inner in (
                *(each for _, each in node.branches),
                *([node.otherwise] if node.otherwise else ()),
            ):
                yield from _by_themselves(inner)


def _gives_on(text: str) -> bool:
    """The same of Python and JavaScript."""
    for found in _RUN_BY_CODE.finditer(text) if _ENDS_BY_CALL.search(text) else ():
        words = re.findall(r"[\w./:@-]+", found["run"])
        given_on = re.search(_GIVEN_ON % re.escape(found["name"]), text[found.end() :])
        if given_on and looks(words) and words[0] not in _SEARCHES | {"git"}:
            return True
    return False


def _is_test(node: Node, programs: frozenset[str]) -> bool:
    """Whether one of the programs, or `jq -e`, ends it."""
    words = _words(node.parts[-1] if isinstance(node, Pipeline) else node) or [""]
    return words[0] in programs or (words[0] == "jq" and not {"-e", "--exit-status"}.isdisjoint(words))


def _words(node: Node) -> list[str]:
    words = [text_of(word) for word in node.words] if isinstance(node, Simple) else []
    return [os.path.basename(word) if not number else word for number, word in enumerate(words)]
