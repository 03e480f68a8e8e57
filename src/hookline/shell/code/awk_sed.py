"""What awk and sed scripts run, read and write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.pieces import Reads, argv, code, lost, unescaped
from hookline.shell.reading import Argv, Code, Hole, Inner, Word
from hookline.system.patterns.late import late

# What is read may be made to take long: no two repeats here can match the same letters one after the other.
_AWK_OUT = late(r'(>>?|\|&?)\s*+"((?:[^"\\]|\\.)*+)"', 0, (">", "|"))
_AWK_PRINT = late(r"\bprintf?\b")
_AWK_STRING = late(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\\n]|\\.)+/', 0, ('"', "/"))
_AWK_IN = late(
    r'"((?:[^"\\]|\\.)*+)"\s*+\|&?\s*+getline|getline(?>(?:(?!getline)[^;{}\n<])*)<\s*+"((?:[^"\\]|\\.)*+)"',
    0,
    ("getline",),
)
# `print … > (…)`: what stands before it, the text that the name begins with, and the rest of an expression.
_AWK_TO = late(
    r'\bprintf?\b((?:"(?:[^"\\]|\\.)*+"|[^";{}\n>]){0,200}+)>{1,2}\s*+\(?\s*+(?:"((?:[^"\\]|\\.)*+)")?+([^;{}\n]*+)',
    0,
    (">",),
)
_AWK_SYSTEM = late(r'\bsystem\s*\(\s*(?:"((?:[^"\\]|\\.)*)"\s*(?=\)))?', 0, ("system",))
_AWK_MADE = late(
    r"(?<!\|)\|&?\s*(?!getline\b)[A-Za-z_$(]|[\w$)\]]\s*\|&?\s*getline|@\w+\s*\(", 0, ("|", "getline", "@")
)


def commands_of_awk(text: str, how: str) -> Iterator[Inner]:
    """What is called, piped to or from, and which files are printed to and read."""
    for found in _AWK_SYSTEM.finditer(text):
        yield code(unescaped(found[1]), how) if found[1] is not None else lost(how)
    bare = _AWK_STRING.sub('""', text)
    if _AWK_MADE.search(bare):
        yield lost(how)
    for found in _awk_outputs(text):
        piece = unescaped(found[2])
        printed = Word((Hole("words", f"what `{how}` prints"),))
        yield (
            argv(how, "python:write", piece)
            if found[1][0] == ">"
            else Code(Word((piece,)), how, stdin=printed)
        )
    for found in _AWK_TO.finditer(text):
        if found[1].count("(") <= found[1].count(")") and found[3].strip(
            " \t)"
        ):  # else it is a comparison, or told
            name = Hole("word", f"the name that `{how}` makes", found[3].strip())
            start = unescaped(found[2] or "")
            end = re.search(r'"([^"\\]+)"[\s)]*$', found[3])
            parts = (*((start,) if start else ()), name, *((end[1],) if end is not None else ()))
            yield Argv((Word(("python:write",)), Word(parts)), how)
    for found in _AWK_IN.finditer(text):
        yield (
            code(unescaped(found[1]), how)
            if found[1]
            else argv(how, "python:read", unescaped(found[2] or ""))
        )


def _awk_outputs(text: str) -> Iterator[re.Match[str]]:
    """Where something is printed to a file or a command, within one statement."""
    at, printing = 0, False
    plain = _AWK_STRING.sub(lambda string: " " * len(string[0]), text)  # `"{}"` parts no statements
    for found in _AWK_OUT.finditer(text):
        between = plain[at : found.start()]
        cut = max(between.rfind(mark) for mark in ";{}\n") + 1
        printing = (printing and not cut) or _AWK_PRINT.search(between, cut) is not None
        if printing or between[cut:].rstrip().endswith(("|", "|&")):
            yield found
        at = found.end()


def commands_of_sed(text: str, how: str) -> Iterator[Inner]:
    """`e command`, `s/…/command/e`, and the files of `w`, `W`, `r`, `R`."""
    for piece in _sed_commands(text):
        if (found := re.match(r"e\s*(.*)", piece, re.DOTALL)) is not None:
            yield code(found[1], how) if found[1].strip() else lost(how)
        elif (found := re.match(r"[wW]\s+(\S+)", piece)) is not None:
            yield argv(how, "python:write", found[1])
        elif (found := re.match(r"[rR]\s+(\S+)", piece)) is not None:
            yield argv(how, "python:read", found[1])
        elif piece[:1] in ("s", "y") and len(piece) > 1:
            yield from _substitution(piece, how)


def _substitution(piece: str, how: str) -> Iterator[Inner]:
    mark = re.escape(piece[1])
    found = re.match(rf"s{mark}((?:\\.|[^\\])*?){mark}((?:\\.|[^\\])*?){mark}(.*)", piece, re.DOTALL)
    if found is None:
        return
    flags = re.match(r"[gpimIM0-9]*(e?)[gpimIM0-9]*(?:w\s*(\S+))?", found[3])
    if flags is not None and flags[1]:
        yield code(unescaped(found[2]), how)
        yield lost(how)
    if flags is not None and flags[2]:
        yield argv(how, "python:write", flags[2])


def _sed_commands(text: str) -> Iterator[str]:
    """The commands of a sed script without their addresses; those with arguments reach to the line's end."""
    at = 0
    while at < len(text):
        address = re.compile(
            r"[\s;{}]*(?:(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\])*/[IM]*)\s*,?\s*[~+]?)*\s*!?\s*"
        ).match(text, at)
        at = address.end() if address is not None else at
        if at >= len(text):
            return
        if text[at] in "sy" and at + 1 < len(text):
            end = _substitution_end(text, at)
        elif text[at] in "ewWrRaicbt:#}":
            end = text.find("\n", at)
        else:
            end = at + 1
        end = len(text) if end < 0 else max(end, at + 1)
        yield text[at:end]
        at = end


def _substitution_end(text: str, at: int) -> int:
    mark, seen, place = text[at + 1], 0, at + 1
    while place < len(text) and seen < 3:
        if text[place] == "\\":
            place += 1
        elif text[place] == mark:
            seen += 1
        place += 1
    while place < len(text) and text[place] not in ";\n}":
        place += 1
    return place


READERS: dict[str, Reads] = {"awk": commands_of_awk, "sed": commands_of_sed}
