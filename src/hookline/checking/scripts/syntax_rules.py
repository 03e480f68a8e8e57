"""Code that cannot run as it is written: shell lines, shell scripts, Python and PowerShell that do not parse."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator

from hookline.checking.lines import HookLine
from hookline.checking.scripts.powershell_syntax import powershell_fault
from hookline.checking.steps.shell_nodes import all_nodes
from hookline.model.errors import Problem, unix_line_ends
from hookline.shell.grammar.branches import Group, If
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function, Node
from hookline.system.patterns.late import late

_SHELLS = frozenset({"sh", "bash", "dash"})
# Where our own reader gives up although a shell may not, it says so in other words.
_NO_SHELL = late(
    r"(?:stays open|is missing|stands where a \w+ should(?: end)?|has no (?:target|pattern|name))$"
)
_FIRST_LINE = late(r"#![^\n]*?\b(sh|bash|dash|python3?)(?:\.\d+)?\b")
_PYTHON = late(r"(?:^|/)python[\d.]*$", needs=("python",))
_NEWER = late(
    r"(?m)^[ \t]*+type[ \t]++\w.*=|f[\"'][^\"'\n]*+\{|\bexcept\*?\s+\w+\s*,|\bt[\"']"
)  # what a later Python reads
# what stands in `[[ … ]]`
_TOKEN = late(
    r"\s+|(?P<join>&&|\|\|)|(?P<bracket>[()])"
    r"|(?P<word>(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\.|[^\s\"'`()&|\\$]|\$|\|(?!\|)|&(?!&))+)"
)
_QUOTED = late(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\\.|\$#|\$\{#")
_LONGEST = 2000
_OPERATORS = frozenset({
    "==", "=", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
})  # fmt: skip
_OF_ONE = late(r"-[a-zA-Z]")
_HOLLOW = late(
    r"(?:\b(?:then|else)\b|\)[ \t]*\{)(?:[ \t]*+(?:#[^\n]*+)?+\n)*+[ \t;]*+(?P<end>\b(?:fi|else|elif)\b|\})"
)


def syntax_problems(line: HookLine) -> Iterator[Problem]:
    """What does not parse: the line, code it hands to an interpreter, and the scripts it starts."""
    if not line.text:
        return
    if not line.entry.argv and line.shell in _SHELLS:
        yield from _told(line, "the line", _shell_fault(line.text))
    for code in _python_code(line):
        yield from _told(line, "the Python in the line", _python_fault(code))
    for shown, text in line.scripts.items():
        language = _language(shown, text)
        fault = _FAULTS.get(language)
        if fault is _shell_fault and "\r\n" in text and not fault(text.replace("\r\n", "\n")):
            if fault(text):  # which is told of once, as of any script with such ends
                words = f"`{shown}` has Windows line ends, which a shell takes for text"
                yield line.entry.at_line("crlf", words, unix_line_ends(shown), severity="error")
            continue
        told = fault(text) if fault else ""
        if told and fault and shown in line.written:  # in what it takes in, or as it is put together
            told = fault(line.written[shown])
        yield from _told(line, f"`{shown}`", told)


def _told(line: HookLine, where: str, fault: str) -> Iterator[Problem]:
    if fault:
        words = f"{where} does not parse, so it never does its work: {fault}"
        yield line.entry.at_line("bad-syntax", words, "mend it; nothing of it was run to find this")


def _shell_fault(text: str) -> str:
    tree, unclear = parse(text)
    if unclear is None or not _NO_SHELL.search(unclear.why):
        hollow = unclear is None and any(map(_is_hollow, all_nodes(tree)))
        return _hollow_at(text) if hollow else _broken_test(text)
    number = text.count("\n", 0, unclear.position) + 1
    return f"line {number}: {unclear.why}" if "\n" in text.strip() else unclear.why


def _is_hollow(node: Node) -> bool:
    """Whether a branch or a function holds no command, which bash takes for a fault."""
    if isinstance(node, If):
        bodies = [*(body for _, body in node.branches), *filter(None, [node.otherwise])]
        return any(not each.items for each in bodies)
    return isinstance(node, Function) and isinstance(node.body, Group) and not node.body.body.items


def _hollow_at(text: str) -> str:
    found = _HOLLOW.search(text)
    where = (
        f"line {text.count(chr(10), 0, found.start('end')) + 1}: " if found and "\n" in text.strip() else ""
    )
    return f"{where}a branch or a function holds no command"


def _python_fault(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "script", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        near = text.splitlines()[(error.lineno or 1) - 1 :][:1]
        if near and _NEWER.search(near[0]):
            return ""
        return f"line {error.lineno}: {error.msg}" if "\n" in text.strip() else error.msg
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""


def _python_code(line: HookLine) -> Iterator[str]:
    """What stands behind `python -c`, where the line says all of it."""
    for command in line.filled.commands:
        words = [word.literal for word in command.words]
        if words and words[0] and _PYTHON.search(words[0]) and "-c" in words[1:-1]:
            yield words[words.index("-c") + 1] or ""


def _language(shown: str, text: str) -> str:
    """`shell`, `python`, `powershell` or nothing: by the first line, else by the name."""
    if shown.lower().endswith(".ps1"):
        return "powershell"
    if text.startswith("#!"):
        found = _FIRST_LINE.match(text)
        return "" if found is None else "python" if found[1].startswith("python") else "shell"
    return "shell" if shown.endswith((".sh", ".bash")) else "python" if shown.endswith(".py") else ""


_FAULTS: dict[str, Callable[[str], str]] = {
    "shell": _shell_fault,
    "python": _python_fault,
    "powershell": powershell_fault,
}


def _broken_test(text: str) -> str:
    """The fault of the first test that bash cannot read, with its line; empty where there is none."""
    for number, line in enumerate(text.splitlines(), 1):
        wrong = next(filter(None, map(_wrong_word, _tests_of(line[:_LONGEST]))), "")
        if wrong:
            words = f"`{wrong}` stands in `[[` where an operator should"
            return f"line {number}: {words}" if "\n" in text.strip() else words
    return ""


def _tests_of(line: str) -> Iterator[str]:
    """What stands between `[[` and `]]` on a line, outside of quotes and comments."""
    at = line.find("[[ ")
    while at >= 0 and (end := line.find(" ]]", at)) >= 0:
        before = _QUOTED.sub("", line[:at])
        if not set(before) & set("'\"#"):
            yield line[at + 3 : end]
        at = line.find("[[ ", end)


def _wrong_word(inside: str) -> str:
    """The word behind a first one that is no operator; what follows `=~` has rules of its own."""
    before: list[str] = []  # the words since the last `&&`, `||` or bracket
    for token in _tokens(inside):
        if token in ("&&", "||", "(", ")"):
            if token == "(" and before and before[-1] != "!":
                return ""  # a pattern
            before = []
            continue
        if before == ["!"]:
            before = []
        if len(before) == 1 and not _OF_ONE.fullmatch(before[0]) and token not in _OPERATORS:
            return token if token.startswith(("`", "'", '"', "$")) else ""
        before.append(token)
        if "=~" in before:
            return ""
    return ""


def _tokens(inside: str) -> Iterator[str]:
    at = 0
    while found := _TOKEN.match(inside, at):
        at = found.end()
        if found[0].strip():
            yield found[0]
