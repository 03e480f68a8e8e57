"""Programs that look at the code, whose report a script leaves where nobody reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from hookline.checking.answers.script_rules import STDERR
from hookline.checking.plain_lines import LOOKING
from hookline.checking.steps.languages import is_shell
from hookline.checking.steps.shell_nodes import all_nodes, program_of, said, text_of
from hookline.checking.texts.plain_output import builds, looks
from hookline.checking.texts.spoken import is_sent_on, without_taken
from hookline.model.typing import Any, TypeGuard
from hookline.shell.grammar.branches import Group, If
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Substitution
from hookline.shell.grammar.syntax import Function, Node
from hookline.shell.grammar.tree import Chain, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

# a program whose failure ends the script with 2: `… ` and `if [ $? -ne 0 ]`, or `… || {`
_ASKED_BEHIND = late(
    r"(?m)^[ \t]*(?P<run>[a-z./][^\n|&;<>=]*(?:2>&1)?)[ \t]*"
    r"(?:(?:\n[ \t]*)+(?:\w+=\$\?\s*\n\s*)?if\s+[^\n]*\$[^\n]*|\|\|[ \t]*\{?)"
    r"[ \t]*(?:\n[^\n]*){0,4}?\bexit 2\b"
)
# a program of Python or JavaScript whose output is the script's own, and the compiler's own writer
_INHERITED = late(
    r"\b(?:execSync|spawnSync|execFileSync)\(\s*[\"'`](?P<js>[^\"'`\n]+)[\"'`]\s*,(?:\s*\[(?P<more>[^\]]*)\]\s*,)?"
    r"\s*\{[^{}]*\bstdio\s*:\s*(?:[\"']inherit[\"']|\[[^\],]*,\s*(?:[\"']inherit[\"']|1)\s*,)"
    r"|\bsubprocess\.(?:run|call|check_call)\(\s*(?:\[(?P<py>[^\]]*)\]|[\"'](?P<line>[^\"'\n]+)[\"'])"
    r"(?![^()]*(?:capture_output|stdout))[^()]*\)"
    r"|\bBun\.spawn(?:Sync)?\(\s*\[(?P<bun>[^\]]*)\]\s*,\s*\{[^{}]*\b(?:stdio\s*:\s*\[[^\],]*,\s*|stdout\s*:\s*)[\"']inherit"
    r"|\b(?P<ts>ts)\.sys\.write\(\s*ts\.format"
)
_IF_NOT = late(r"\bif\s+!\s")
ENDS = late(r"\b(?:exit|return)[ (]+2\b")
# a function whose failure is the end of the script with 2
_CALLED_OR_2 = r"(?m)^[ \t]*%s\b[^\n|;&()]*(?:\([^\n()]*\)[^\n|;&()]*)?\|\|[ \t]*\{?[ \t]*exit 2\b"
# options of those that mend what they find
_MENDS = ("--fix", "--write", "--autocorrect", "--apply", "-F", "-A")
# a program's report as it came, and a failure that nobody asks about
_HANDS_ON = late(
    r"\b(?:process\.stdout\.write|console\.log|print|sys\.stdout\.write)\(\s*\w+\.stdout\b"
    r"|\b(?P<errors>(?=[^\n]*\bstderr\b)(?:print|sys\.stderr\.write|console\.error|process\.stderr\.write))\(\s*\w+\.std(?:out|err)\b"
)
# of what looks at the code, what says it on standard error
_ON_ERRORS = frozenset({
    "cargo clippy", "cargo check", "cargo build", "go vet", "go build", "jest", "stylelint", "markdownlint",
    "deno check", "deno lint", "black", "isort", "prettier", "biome", "clang-format",
})  # fmt: skip
# what starts others, and what has words on both
ANY_STREAM = frozenset({
    "npm", "bun", "pnpm", "yarn", "make", "just", "task", "mix", "mvn", "gradlew", "vitest", "playwright", "cypress",
})  # fmt: skip
_NO_REPORT = frozenset({"grep", "rg", "git"})
_TASK_RUNNERS = frozenset({"npm", "bun", "pnpm", "yarn", "make", "just", "task"})
_INSTALLS = frozenset({"install", "i", "ci", "add", "exec", "dlx", "x", "--version", "-v"})
TWO = late(r"\b(?:exit|return)[ (]+2\b|\w=2\b|\?\s*2\b|\b2 if\b|(?i:exit_?code)\s*=\s*2\b")
# a program of PowerShell whose output goes nowhere else
_STATEMENT = late(
    r"(?m)(?:^|[{;])[ \t]*(?:&[ \t]*)?(?P<run>[a-z][\w./-]*[ \t][^\n|<>=;{}]*)(?:2>&1)?[ \t]*(?=[};\r]|$)"
)
_RUNNER = late(r"(?m)^[ \t]*(?:function\s+)?(\w+)\s*\(\)\s*\{[^}]*(?:;|\{|\n)[^\n>|]*\"\$@\"[^}]*\}")
_CUTS = frozenset({"head", "tail", "grep", "sed", "cut", "sort", "uniq"})
_QUIET = late(r"-[A-Za-z]*q[A-Za-z]*|--quiet|--silent")
_CUT_TO_ERRORS = late(
    r"(?m)^[ \t]*(?P<run>[\w\"'$./{][^\n|;&<>]{0,200}?)[ \t]+2>&1[ \t]*\|[ \t]*(?:head|tail)\b[^\n|;&<>]*1?>&2\b"
)
# a variable, or what is asked for by name, which is kept for a look at the code
_NAMED_SO = late(r"(?i:(?:\w+_)?(?:type_?check|lint(?:er)?|tests?)(?:_(?:cmd|command|raw|script))+)")
_DONE_WELL = (["true"], [":"], ["exit", "0"])
_NAMES = late(r"\$\{?(\w+)")
_AS_LIBRARY = late(r"\b(?:from|import|require\()\s*[\"'](\w[\w-]*)(?:/\w+)?[\"']")
_LOGS = late(r"\bconsole\.log\(\s*[a-z]\w*\s*\)|\bprint\w+\(")
_OWN_CHECK = late(r"(?:lint|test|check|typecheck|validat)[\w-]*\.(?:sh|bash|py|js|mjs)")
_PROGRAM = late(r"(?<![\w-])[a-z][\w-]+")


def unread_report(shown: str, text: str) -> str:
    """A program that looks at the code, with its output left as it is, where the script ends with 2 if it fails."""
    if not is_shell(shown, text) and not shown.endswith(".ps1"):
        for found in _INHERITED.finditer(text):
            if STDERR.search(text, found.end()) or not TWO.search(text, found.end()):
                continue  # the reason is said there
            words = re.findall(r"[\w./:@-]+", " ".join(filter(None, found.groups())))
            if found["ts"] or _reports(words):
                return "the compiler" if found["ts"] else " ".join(words[:3])
        return ""
    for asked in _ASKED_BEHIND.finditer(text):
        words = asked["run"].replace("2>&1", "").split()
        if _reports(words, "2>&1" in asked["run"]):
            return " ".join(words[:3])
    may_end = _IF_NOT.search(text) or "||" in text or "else" in text
    tree, unclear = parse(text) if may_end and ENDS.search(text) else (None, None)
    nodes = [*all_nodes(tree)] if tree is not None and unclear is None else []
    functions = {node.name: node.body for node in nodes if isinstance(node, Function)}
    sent = is_sent_on(text) or any(
        each.redirects and text_of(each.words[0]) in functions for each in nodes if _is_command(each)
    )
    for node in nodes:
        for run, otherwise in () if sent else _with_otherwise(node):
            words, mute = _run(program_of(run), text), any(to.fd != 2 for to in run.redirects)
            known = _joined(run) or ANY_STREAM.isdisjoint(words[:3])
            if not mute and known and _reports(words, _joined(run)) and _says_and_stops(otherwise, functions):
                return " ".join(words[:3])
        if isinstance(node, Function) and re.search(_CALLED_OR_2 % re.escape(node.name), text):
            for each in _commands(Sequence(((node.body, False),))):
                words = program_of(each)
                if _reports(words, _joined(each)) and not each.redirects:
                    return " ".join(words[: 4 if words[1:2] == ["-C"] else 3])
        for condition, body in node.branches if isinstance(node, If) else ():
            last = condition.items[-1][0] if condition.items else None
            fails = isinstance(last, Pipeline) and last.negated
            if fails and any(text_of(each.words[-1]) == "2" for each in _commands(body)):
                for each in _commands(condition):
                    words, mute = _run(program_of(each), text), any(to.fd != 2 for to in each.redirects)
                    if _reports(words, _joined(each)) and not mute:
                        return " ".join(words[:3])
    return ""


def _with_otherwise(node: Node) -> Iterator[tuple[Simple, Node]]:
    """A command, and what runs where it fails: `… || { … }`, `if …; then …; else … fi`."""
    if isinstance(node, Chain):
        for (_, run), (joint, behind) in pairwise(node.links):
            if joint == "||" and _is_command(run):
                yield run, behind
    if isinstance(node, If) and node.otherwise is not None and len(node.branches) == 1:
        condition = [each for each, _ in node.branches[0][0].items]
        if len(condition) == 1 and _is_command(condition[0]):
            yield condition[0], Group(node.otherwise)


def _says_and_stops(node: Node, functions: Mapping[str, Any]) -> bool:
    """Whether all that is done there is to say some words and to end with 2."""
    run = [*_commands(Sequence(((node, False),)))]
    if len(run) == 1 and (own := functions.get(text_of(run[0].words[0]))) is not None:
        run = [*_commands(Sequence(((own, False),)))]
    ends = bool(run) and [text_of(word) for word in run[-1].words] == ["exit", "2"]
    return ends and all(
        program_of(each)[0] in ("echo", "printf", "exit")
        and not any(
            isinstance(piece, Substitution) for word in each.words for piece in getattr(word, "pieces", ())
        )
        for each in run
    )


def report_of_code(shown: str, text: str, unheard: bool) -> tuple[str, bool]:
    for found in _STATEMENT.finditer(text) if shown.endswith(".ps1") else ():
        if _reports(words := found["run"].split(), "2>&1" in found[0]):
            return " ".join(words[:3]), False
    library = next((each for each in _AS_LIBRARY.findall(text) if each in LOOKING), "")
    if library and _LOGS.search(text):
        return library, False
    for found in _INHERITED.finditer(text) if not TWO.search(text) else ():
        words = re.findall(r"[\w./:@-]+", " ".join(filter(None, found.groups())))
        if not found["ts"] and _reports(words):
            return " ".join(words[:3]), False
    handed = _HANDS_ON.search(text)
    if not handed or (handed["errors"] and (TWO.search(text) or not unheard)):
        return "", False
    named = [word for word in _PROGRAM.findall(text) if word in LOOKING] + _OWN_CHECK.findall(text)
    return named[0] if named else "", bool(handed["errors"])


def cut_to_errors(text: str) -> str:
    """What a script runs to have it read on standard error: `… 2>&1 | head -3 >&2`, of one that ends with 0."""
    found = None if ENDS.search(text) else _CUT_TO_ERRORS.search(text)
    return found["run"] if found else ""


def report_of_shell(text: str, passed: bool, errors: bool = False) -> tuple[str, int]:
    """The first program whose report stays on standard output, or comes there from standard `errors`, and where."""
    tree, unclear = parse(without_taken(text))
    cut = [
        each.parts[0]
        for each in all_nodes(tree)
        if isinstance(each, Pipeline)
        and each.parts[1:]
        and all(_is_command(part) and program_of(part)[0] in ("head", "tail") for part in each.parts[1:])
    ]  # to be read
    for node in said(tree) if unclear is None else ():
        words = _run(program_of(node), text)
        if named := _named_so(node, text) if errors or _joined(node) else "":
            return named, node.start
        if name := _variable(node):
            kept = re.findall(rf"(?m)\b{name}=\"?[^\"\n]*?([\w-]+)\"?$", text)
            words = [*kept[-1:], *words[1:]]
        left = [word for word in words if not word.startswith(_MENDS)]
        if not left:
            continue
        # of one that mends, only what it could not mend is lost: nobody misses it who hushes its errors as well
        hushed = left != words and any(to.fd == 2 and to.operator == ">" for to in node.redirects)
        own = _OWN_CHECK.fullmatch(left[0])
        if (
            ((builds(left) and (passed or node in cut)) or own or looks(left))
            and not hushed
            and _reports(left, errors or _joined(node), True)
        ):
            return " ".join(words[:3]), node.start
    return _kept_report(tree) if unclear is None else ("", 0)


def _reports(words: list[str], errors: bool = False, known: bool = False) -> bool:
    """Whether a program that looks at code (or is `known` to) tells its findings on standard output, or `errors`."""
    aside = {*words[:4], " ".join(words[:2])} & _ON_ERRORS
    known = known or looks(words) or (errors and _is_task(words))
    return known and _NO_REPORT.isdisjoint(words) and (errors or not aside)


def _is_task(words: list[str]) -> bool:
    """Whether it is a task of the project, whatever that runs: `pnpm run ci`, `make all`."""
    runner = bool(words) and words[0] in _TASK_RUNNERS
    return runner and len(words) > 1 and _INSTALLS.isdisjoint(words[1:2])


def _joined(node: Simple) -> bool:
    """Whether its errors go to standard output."""
    return any(to.fd == 2 and to.operator == ">&" for to in node.redirects)


def _kept_report(tree: Sequence) -> tuple[str, int]:
    """A program that looks at the code, whose report is kept in a variable and printed."""
    kept = {}
    for node in all_nodes(tree):
        for given in node.assignments if isinstance(node, Simple) else ():
            pieces = (each for each in given.value.pieces if isinstance(each, Substitution))
            run = [
                program_of(each) for piece in pieces for each in all_nodes(piece.body) if _is_command(each)
            ]
            looking = (words for words in run if looks(words) and _NO_REPORT.isdisjoint(words))
            if words := next(looking, None):
                kept[given.name] = " ".join(words[:3])
    for node in all_nodes(tree, functions=False) if kept else ():
        parts = node.parts if isinstance(node, Pipeline) else (node,)
        if all(_is_command(each) and not any(to.fd != 2 for to in each.redirects) for each in parts):
            first, *rest = (program_of(each) for each in parts)
            shown = first[0] in ("echo", "printf") and all(
                each[0] in _CUTS and not any(map(_QUIET.fullmatch, each)) for each in rest
            )
            named = _NAMES.findall(" ".join(first)) if shown else []
            if name := next((each for each in named if each in kept), ""):
                return kept[name], parts[0].start
    return "", 0


def _is_command(node: Node) -> TypeGuard[Simple]:
    return isinstance(node, Simple) and bool(node.words)


def _run(words: list[str], text: str) -> list[str]:
    """What a command runs, behind a function of the script that runs its arguments."""
    return words[1:] if words[1:] and words[0] in _RUNNER.findall(text) else words


def report_in_vain(text: str) -> str:
    """The first program that looks at the code, with its report left as it is, and its end thrown away: `… || true`."""
    tree, unclear = parse(without_taken(text))
    open_ones = [*said(tree)] if unclear is None else []
    for node in all_nodes(tree) if open_ones else ():
        for (_, run), (joint, behind) in pairwise(node.links) if isinstance(node, Chain) else ():
            if joint == "||" and _is_command(run) and _is_command(behind) and run in open_ones:
                words = program_of(run)
                mends = any(word.startswith(_MENDS) for word in words)
                if program_of(behind) in _DONE_WELL and not mends and _reports(words, _joined(run)):
                    return " ".join(words[:3])
    return ""


def _named_so(node: Simple, text: str) -> str:
    """What a command stands for whose program is nowhere told, and whose name says that it looks at the code."""
    pieces = (
        [each for word in node.words for each in getattr(word, "pieces", ())] if len(node.words) == 1 else []
    )
    piece = pieces[0] if len(pieces) == 1 else None
    if isinstance(piece, Substitution):
        run = [program_of(each) for each in all_nodes(piece.body) if _is_command(each)]
        name = run[0][-1] if len(run) == 1 and len(run[0]) == 2 else ""
        return f"$({' '.join(run[0])})" if _NAMED_SO.fullmatch(name) else ""
    name = _variable(node) if piece else ""
    given = re.search(rf"(?m)(?:^|[\s;&|]){name}=", text) if name else None  # which tells what it is
    return f"${name}" if _NAMED_SO.fullmatch(name) and not given else ""


def _variable(node: Simple) -> str:
    """The variable that stands for a program."""
    pieces = [each for each in getattr(node.words[0], "pieces", ()) if each.text]
    return str(getattr(pieces[0], "name", "")) if len(pieces) == 1 else ""


def _commands(body: Sequence) -> Iterator[Simple]:
    """The commands that stand there by themselves, in no pipe."""
    nodes = list(all_nodes(body))
    piped = [part for each in nodes if isinstance(each, Pipeline) and each.parts[1:] for part in each.parts]
    yield from (each for each in nodes if isinstance(each, Simple) and each.words and each not in piped)
