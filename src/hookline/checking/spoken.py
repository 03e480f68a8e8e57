"""What a script says in plain words of its own, and on which stream: shell, Python, JavaScript and PowerShell."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from hookline.checking.script_flow import is_shell
from hookline.model.record import Record
from hookline.system.patterns.late import late

_SHELL = late(
    r"(?P<before>^|[;&|{()]|\b(?:then|do|else)\b)[ \t]*(?:echo|printf)\s+(?:-\w+\s+)*"
    r"(?:\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>[^']*)')(?P<behind>[^\n;&|]*(?:&\d[^\n;&|]*)?(?:\|(?!\|)|&&|\|\||;|\}|$)?)",
    re.MULTILINE,
)
_HERE = late(r"(?m)^[^\n#]*?\bcat\b([^\n]*)<<-?\s*[\"']?(\w+)[\"']?([^\n]*)\n([\s\S]*?)^\s*\2\s*$")
_TO_ERRORS = late(r">\s*&\s*2|>\s*/dev/stderr")
_ELSEWHERE = late(r"(?<![0-9&])1?>>?\s*(?!&|/dev/stdout)|\|(?!\|)")
# a group, a loop or the whole script whose output goes on somewhere: nobody can tell its lines apart here
_SENT_ON = late(r"(?m)^\s*(?:\}|\)|done|fi|esac)\s*(?:>|\d>|&>|\|(?!\|))|^\s*exec\s+(?:\d?>|&>)")
_FUNCTION = late(r"(?m)^\s*(?:function\s+)?(\w+)\s*\(\)")
_JAVASCRIPT = late(
    r"(?P<call>console\.(?:log|info|error|warn)|process\.std(?:out|err)\.write)\(\s*(?P<quote>[\"'`])(?P<words>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
    re.DOTALL,
)
_POWERSHELL = late(
    r"(?im)^\s*(?P<call>Write-(?:Output|Host|Warning|Error)|\[Console\]::(?:Error\.)?WriteLine\()\s*(?P<quote>[\"'])(?P<words>(?:(?!(?P=quote)).)*)(?P=quote)[^\n|]*$"
)
_JAVASCRIPT_ENDS = (".js", ".mjs", ".cjs", ".ts", ".mts")


class Spoken(Record):
    """Words that are printed as they stand, what is filled in left out, on standard output or on standard error.

    `end`: where the statement ends that prints them.
    """

    words: str
    on_stderr: bool
    end: int


def spoken_in(shown: str, text: str) -> Iterator[Spoken]:
    """What a script says; nothing of one whose parts send their output on as a whole. JSON is no such words."""
    first = text.split("\n", 1)[0]
    if shown.endswith(_JAVASCRIPT_ENDS):
        said = _in_javascript(text)
    elif shown.endswith(".ps1"):
        said = _in_powershell(text)
    elif shown.endswith(".py") or (first.startswith("#!") and "python" in first):
        said = _in_python(text)
    elif is_shell(shown, text) and not _SENT_ON.search(text) and not is_taken(text):
        said = _in_shell(text)
    else:
        return
    yield from (each for each in said if not each.words.lstrip().startswith(("{", "[{", "%s")))


def is_taken(text: str) -> bool:
    """Whether the output of one of its functions is kept, or read by another command."""
    return any(
        re.search(rf"\$\(\s*{name}\b|\b{name}\b[^\n;&|]*\|(?!\|)", text) for name in _FUNCTION.findall(text)
    )


def _in_shell(text: str) -> Iterator[Spoken]:
    for found in _HERE.finditer(text):
        sent = found[1] + found[3]
        if "$(" not in found[0].partition("cat")[0] and not _ELSEWHERE.search(_TO_ERRORS.sub("", sent)):
            yield Spoken(found[4], bool(_TO_ERRORS.search(sent)), found.end())
    bare = _HERE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in _SHELL.finditer(bare):
        behind = found["behind"]
        told = found["double"] if found["double"] is not None else found["single"] or ""
        captured = "$(" in bare[bare.rfind("\n", 0, found.start() + 1) + 1 : found.end("before")]
        if not captured and not _ELSEWHERE.search(_TO_ERRORS.sub("", behind)):
            yield Spoken(told, bool(_TO_ERRORS.search(behind)), found.end())


def _in_javascript(text: str) -> Iterator[Spoken]:
    for found in _JAVASCRIPT.finditer(text):
        if "catch" not in text[max(0, found.start() - 120) : found.start()]:
            on_stderr = any(each in found["call"] for each in ("error", "warn", "stderr"))
            yield Spoken(found["words"], on_stderr, found.end())


def _in_powershell(text: str) -> Iterator[Spoken]:
    for found in _POWERSHELL.finditer(text):
        if "catch" not in text[max(0, found.start() - 120) : found.start()]:
            yield Spoken(found["words"], "error" in found["call"].lower(), found.end())


def _in_python(text: str) -> Iterator[Spoken]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    yield from _of_python(tree, starts)


def _of_python(node: ast.AST, starts: list[int]) -> Iterator[Spoken]:
    if isinstance(node, ast.ExceptHandler):
        return  # what fails is told to nobody on purpose
    if isinstance(node, ast.Call) and node.args:
        name = ast.unparse(node.func)
        given = next((each.value for each in node.keywords if each.arg == "file"), None)
        if name == "print" and (given is None or ast.unparse(given) in ("sys.stderr", "sys.stdout")):
            on_stderr = given is not None and ast.unparse(given) == "sys.stderr"
            yield Spoken(_literal(node.args[0]), on_stderr, starts[node.end_lineno or 0])
        elif name in ("sys.stderr.write", "sys.stdout.write"):
            yield Spoken(_literal(node.args[0]), "stderr" in name, starts[node.end_lineno or 0])
    for each in ast.iter_child_nodes(node):
        yield from _of_python(each, starts)


def _literal(node: ast.expr) -> str:
    """The fixed parts of a text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal(each) for each in node.values)
    if isinstance(node, ast.BinOp):
        return _literal(node.left) + _literal(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
