"""What a script reads of the JSON its hook is given, in whatever language it is written."""

from __future__ import annotations

from functools import lru_cache

from hookline.checking.inputs.brace_reads import brace_reads
from hookline.checking.inputs.powershell_reads import powershell_reads
from hookline.checking.inputs.python_reads import python_reads
from hookline.checking.inputs.reads import Read, reads
from hookline.checking.inputs.shell_reads import shell_reads
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell

_BRACES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".rb")
_RUNTIMES = ("node", "bun", "deno", "ruby", "tsx")


def reads_in(line: HookLine, shown: str, text: str) -> tuple[Read, ...]:
    """Each value that a script, or the line itself, takes out of the input, without the objects it is taken out of;
    nothing of a language that nobody here can read."""
    return _reads_of(_language(shown, line.scripts[shown]) if shown else "sh", text)


def names_read(line: HookLine, shown: str, text: str) -> tuple[str, ...]:
    """The names of all that is read at the top of the input, also where something else may be read in its place."""
    return _names_of(_language(shown, line.scripts[shown]) if shown else "sh", text)


@lru_cache(maxsize=32)
def _names_of(language: str, text: str) -> tuple[str, ...]:
    found = shell_reads(text, brace_reads, each=True) if language == "sh" else _reads_of(language, text)
    return tuple(dict.fromkeys(way[0] for read in found for way in read.ways))


def _language(shown: str, script: str) -> str:
    first = script.partition("\n")[0]
    if shown.endswith(_BRACES) or (first.startswith("#!") and any(each in first for each in _RUNTIMES)):
        return "js"
    if shown.endswith(".ps1"):
        return "ps1"
    return "py" if is_python(shown, script) else "sh" if is_shell(shown, script) else ""


@lru_cache(maxsize=32)
def _reads_of(language: str, text: str) -> tuple[Read, ...]:
    match language:
        case "js":
            found = brace_reads(text)
        case "ps1":
            found = powershell_reads(text)
        case "py":
            taken, printed = python_reads(text)
            found = (*taken, *reads(printed))
        case "sh":
            found = shell_reads(text, brace_reads)
        case _:
            return ()
    outer = {way[:at] for read in found for way in read.ways for at in range(1, len(way))}
    return tuple(read for read in found if not outer.issuperset(read.ways))
