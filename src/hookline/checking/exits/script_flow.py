"""What gets lost inside a script: an exit code that nobody asks for, an input that was read before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hookline.checking.exits.lost_exits import PASSED_ON
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.shell_nodes import all_nodes, text_of, within
from hookline.checking.steps.step import Body, all_steps
from hookline.checking.steps.steps import Steps
from hookline.checking.steps.steps_of import steps_of
from hookline.model.errors import Problem
from hookline.shell.grammar.branches import Subshell
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Substitution
from hookline.shell.grammar.syntax import Function, Node
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

_TWO = late(r"\bexit 2\b", needs=("exit 2",))
_ENDS_WELL_ANYHOW = late(
    r"(?m)^[ \t]*trap\s+(?P<q>[\"'])[^\"'\n]*\bexit 0\b[^\"'\n]*(?P=q)\s+(?:[A-Z]+\s+)*(?:EXIT|0)\b",
    needs=("trap",),
)
_PIPED_LOOP = late(
    r"(?m)^(?P<margin>[ \t]*+)[^\n#]*?(?<!\|)\|[ \t]*while\b(?=[^\n|]*\bread\b)[^\n|]*\n"
    r"(?P<body>(?:(?!(?P=margin)done\b)[^\n]*\n){1,99})(?P=margin)done\b[^\n|]*$",
    needs=("while",),
)
_ASSIGNED = late(r"(?m)(?:^|;|\b(?:then|do|else)\b|[{)]|&&)[ \t]*(\w+)\+?=")
# a branch that is switched off, in a shell, Python, or a language with brackets
_NEVER = late(
    r"(?m)^[ \t]*(?:\}[ \t]*)?(?P<test>(?:el(?:se )?)?if[ \t]+(?:false[ \t]*;?[ \t]*(?=\n?[ \t]*then\b)"
    r"|(?:False|0)(?:[ \t]+and\b[^\n:]{1,99})?(?=:)"
    r"|\((?:false|0|\$false)(?:[ \t]*&&[^\n]{1,99})?\)))",
    needs=("if",),
)
_LAST_PIPE = late(r"lastpipe|^#!.*zsh")
_CALLS = late(r"\s*(?:await\s+|asyncio\.run\(\s*)?([\w$]+)\((?!(?:[^()]++|\([^()]*+\))*+\)\s*\.then\b)")
_TAKES_ENDS = late(r"\b(?:BaseException|SystemExit)\b")
_NO_PROGRAM = ("--null-input", "-f", "--from-file", "--args", "--jsonargs")
_WITH_VALUE = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "-L": 1}


def flow_problems(line: HookLine) -> Iterator[Problem]:
    """Guards whose exit code ends nothing but a loop of theirs, and scripts that read their input twice."""
    if not line.entry.guards:
        return
    for shown, text in line.scripts.items():
        if never := _NEVER.search(text):
            words = f"`{shown}` has `{never['test'].strip():.40}`: what stands behind it never runs"
            yield line.entry.at_line("dead-branch", words, "write the test, or take the branch away")
        steps = steps_of(shown, text)
        if steps is None:
            continue
        if not steps.by_last and (name := _returns_in_vain(steps, text)):
            words = f"`{shown}` returns 2 from `{name}`, and nobody asks for that: nothing is blocked"
            ends = "sys.exit" if is_python(shown, text) else "process.exit"
            yield line.entry.at_line("lost-exit", words, f"write `{ends}({name}())`")
        elif is_python(shown, text) and _catches_its_end(steps):
            words = f"`{shown}` ends with 2 in a `try` whose `except` takes that for an error, and goes on"
            hint = "write `except Exception:`, which lets `sys.exit` through"
            yield line.entry.at_line("lost-exit", words, hint)
        elif _ends_well_after(steps):
            words = f"`{shown}` sets `process.exitCode` and ends with `process.exit(0)`, which is the code that counts"
            yield line.entry.at_line("lost-exit", words, "write `process.exit()`")
        if not is_shell(shown, text):
            continue
        tree, unclear = parse(text)
        if unclear is not None:
            continue
        if not PASSED_ON.search(text) and _lost(tree):
            words = (
                f"`{shown}` ends with 2 in a pipe, in `( … )` or before `&`, a shell of its own, and goes on"
            )
            hint = "let nothing follow it, or hand its code on with `|| exit $?`"
            yield line.entry.at_line("lost-exit", words, hint)
        if name := _set_in_vain(text):
            words = (
                f"`{shown}` sets `{name}` in a loop behind a pipe, a shell of its own: it is lost with that"
            )
            yield line.entry.at_line("lost-exit", words, "write `while …; done < <(…)`")
        if _TWO.search(text) and "trap - " not in text and _ENDS_WELL_ANYHOW.search(text):
            words = f"`{shown}` ends with 2 and has `exit 0` in `trap … EXIT`, which is the code that counts"
            yield line.entry.at_line("lost-exit", words, "write `trap … ERR`, or leave `exit 0` out")
        if sum(_reads_all(node) for node, _ in tree.items) > 1:
            words = f"`{shown}` reads standard input a second time, when it is empty"
            yield line.entry.at_line(
                "no-input", words, 'read it once, `input=$(cat)`, and give it on: `jq … <<<"$input"`'
            )


# -- exit codes in other languages --------------------------------------------------------------------


def _returns_in_vain(steps: Steps, text: str) -> str:
    """The function that returns 2 wherever a call has no use for what it comes to; empty where there is none."""
    for name, function in steps.functions.items():
        returned = (each.look.text for each in all_steps(function.bodies[0]) if each.kind == "return")
        calls = [steps.path(at)[-1] for at in steps.callers.get(name, ())]
        dropped = (
            body[index].kind == "" and _CALLS.match(text, body[index].start, body[index].end)
            for body, index, _ in calls
        )
        if calls and "2" in returned and all(found and found[1] == name for found in dropped):
            return name
    return ""


def _ends_well_after(steps: Steps) -> bool:
    """Whether a code of 2 is set for the end, and the script ends with 0 in any case."""
    last = steps.body[-1] if steps.body else None
    codes = (each.look.text for each in all_steps(steps.body) if each.kind == "code")
    return last is not None and last.kind == "exit" and last.look.text == "0" and "2" in codes


def _catches_its_end(steps: Steps) -> bool:
    """Whether an end with 2 is caught, as an error, by what goes on as if nothing were."""
    inner = (body for each in all_steps(steps.body) for body in each.bodies)
    return any(_is_caught(steps, body, at) for body in (steps.body, *inner) for at in range(len(body)))


def _is_caught(steps: Steps, body: Body, at: int) -> bool:
    """Whether the statement there is `except` that takes an end with 2 of its `try`, and looks away."""
    if body[at].kind != "handler" or not _TAKES_ENDS.search(body[at].look.text):
        return False
    tried = next(number for number in reversed(range(at)) if body[number].kind == "group")
    before = any(_TAKES_ENDS.search(each.look.text) for each in body[tried + 1 : at])
    hushed = not (before or body[at].look.names or _ends(steps, body[at].bodies[0]))
    return hushed and "2" in _ends(steps, body[tried].bodies[0])


def _ends(steps: Steps, body: Body) -> set[str]:
    """The codes but 0 that statements, and the functions they call, may end a script with."""
    left, met, found = [body], set[str](), set[str]()
    while left:
        for step in all_steps(left.pop()):
            found |= {step.look.text} if step.kind == "exit" else set()
            called = step.calls - met
            met |= called
            left += [steps.functions[name].bodies[0] for name in called]
    return found - {"", "0", "None"}


# -- exit codes in a shell ----------------------------------------------------------------------------


def _lost(tree: Sequence) -> bool:
    """Whether a statement ends with 2 in a shell of its own, whose code is not the script's."""
    functions = {each.name: each for each in all_nodes(tree) if isinstance(each, Function)}
    ends = {
        name
        for name, each in functions.items()
        if any(_ends_with_2(inner, set()) for inner in within(each.body))
    }
    last = len(tree.items) - 1
    for at, (node, background) in enumerate(tree.items):
        parts = node.parts if isinstance(node, Pipeline) and not node.negated else (node,)
        alone = len(parts) > 1 or isinstance(node.body if isinstance(node, Compound) else node, Subshell)
        lost = parts if background else parts if alone and at < last else parts[:-1]
        if any(_ends_with_2(each, ends) for part in lost for each in within(part, functions=False)):
            return True
    return False


def _ends_with_2(node: Node, functions: Collection[str]) -> bool:
    words = [text_of(word) for word in node.words] if isinstance(node, Simple) else []
    return words == ["exit", "2"] or (words[:1] != [] and words[0] in functions)


def _set_in_vain(text: str) -> str:
    """A variable that a loop behind a pipe sets, which is a shell of its own, and that is asked for behind it."""
    for found in _PIPED_LOOP.finditer(text) if not _LAST_PIPE.search(text) else ():
        before, rest = text[: found.start()], text[found.end() :]
        for name in dict.fromkeys(_ASSIGNED.findall(found["body"])):
            given = rf"(?m)^[ \t]*(?:local |declare -\w+ )?{name}="
            used = re.search(rf"\$\{{?#?{name}\b", rest)
            if used and re.search(given, before) and not re.search(given, rest[: used.start()]):
                return str(name)
    return ""


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
