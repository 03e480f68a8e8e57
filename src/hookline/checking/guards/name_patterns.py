"""Patterns of a script that nothing fits: of paths, tested on a name without its folder, and `\\b` beside a sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

# what a script keeps of a path without its folder: in JavaScript, Python and shells
_NAME = late(
    r"(?m)(?<![\w$.])(?P<name>\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*"
    r"(?:(?:path\.)?basename\(|os\.path\.basename\(|(?:pathlib\.)?Path\([^()\n]{0,200}\)\.name\b|\"?\$\(basename\b|\"?\$\{\w+##\*/\})",
    needs=("basename", ".name", "##*/"),
)
_LITERAL = r"/(?P<pattern>(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,300})/[a-z]{0,9}"
_TESTED = rf"{_LITERAL}\.test\(\s*%(name)s\s*\)"
_BY_PYTHON = r"\bre\.(?:search|match|fullmatch)\(\s*r?[\"'](?P<pattern>[^\"'\n]{1,300})[\"']\s*,\s*%(name)s\b"
_BY_SHELL = r"\[\[\s+\"?\$\{?%(name)s\}?\"?\s+==?\s+(?P<pattern>[^\s\]]{1,200})\s+\]\]"
# one of a list: `for (const each of LIST)`, `LIST.some((each) => each.test(name))`, `for each in LIST`
_OF_LIST = (
    r"\bfor\s*\(\s*(?:const|let)\s+(?P<each>\w+)\s+of\s+(?P<list>[\w.]{1,80})\s*\)\s*\{?[^{}]{0,80}?\b(?P=each)\.test\(\s*%(name)s\s*\)(?P<rest>[^\n]{0,200})",
    r"(?<![\w.])(?P<list>[\w.]{1,80})\.(?:some|find|filter)\(\s*\(?(?P<each>\w+)\)?\s*=>\s*(?P=each)\.test\(\s*%(name)s\s*\)(?P<rest>[^\n]{0,200})",
)
_GROUP = late(r"\((?:\\.|[^()\\])*\)[?*]?|\[(?:\\.|[^\]\\])*\][?*]?|\\?/[?*]")
_ANOTHER = late(r"\|\||\.test\(")
# a border of a word at a sign, with a blank or nothing beside it: `--\b`, `\b--force`, `.*\b--force`, `add \.\b`
_BORDER = late(
    r"(?:^|[ +*)(|]|\\s)-{1,2}\\b(?=$|[ |)]|\\s)"
    r"|(?:^|[ ()|]|\\s[+*]?|[ ][+*]?)\\b-{1,2}(?=\w)|[.\]][*+]\??\\b--(?=\w)"
    r"|(?:[ ]|\\s|\])[+*]?(?:\\[.*+]|~)\\b(?=$|[ |)]|\\s)|[(|](?:\\[.*+]|[~-])(?:\|[^()\n]{0,80})?\)\\b(?=$|[ |)]|\\s)",
    needs=("\\b",),
)
_TEXT = late(r"\"((?:[^\"\\\n]|\\.){0,400})\"|'((?:[^'\\\n]|\\.){0,400})'")
_LIST_ENDS = late(r"\][;,)]?[ \t]*\n")
_CODE = late(rf"(?<=[,(\[=&|!:\s]){_LITERAL}", needs=("/",))


def name_patterns(line: HookLine) -> Iterator[Problem]:
    """At most one finding of each kind for a script."""
    for _, where, text in line.texts[1:]:
        if pattern := next(_with_folders(text), ""):
            words = (
                f"{where} tests a name without its folder with `{pattern:.60}`, which wants one: nothing fits"
            )
            yield line.entry.at_line("dead-pattern", words, "test the whole path")
        if line.entry.guards and (found := next(_borders(text), None)):
            pattern, piece = found
            wants = f"`{piece:.30}` wants a letter on the other side of its `\\b`"
            words = f"{where} looks for `{pattern:.60}`, and {wants}"
            hint = r"write `(\s|$)`, or `(^|\s)`, in the place of `\b`"
            yield line.entry.at_line("dead-pattern", words, hint)


def _with_folders(text: str) -> Iterator[str]:
    """The patterns that want a folder, by which nothing but names is tested."""
    for name in dict.fromkeys(found["name"] for found in _NAME.finditer(text)):
        for form in (_TESTED, _BY_PYTHON, _BY_SHELL):
            for found in re.finditer(form % {"name": name}, text):
                whole = text[found.end() : found.end() + 80].partition("\n")[0]
                if _wants_folder(found["pattern"]) and not _ANOTHER.search(whole):
                    yield found["pattern"]
        for form in _OF_LIST:
            for found in re.finditer(form % {"name": name}, text):
                if not _ANOTHER.search(found["rest"]):
                    yield from filter(_wants_folder, _listed(text, found["list"]))


def _listed(text: str, name: str) -> list[str]:
    """The patterns of a list that is called so, alone or as one of a table."""
    opens = re.search(rf"\b{re.escape(name.rpartition('.')[2])}\s*(?::[^=\n]{{1,60}})?[=:]\s*\[", text)
    rows = _LIST_ENDS.split(text[opens.end() - 1 :], maxsplit=1)[0] if opens else ""
    return [found["pattern"] for found in _CODE.finditer(rows)]


def _wants_folder(pattern: str) -> bool:
    """Whether nothing fits that has no slash."""
    bare = pattern
    while (left := _GROUP.sub("", bare)) != bare:
        bare = left
    return "/" in bare and "|" not in bare


def _borders(text: str) -> Iterator[tuple[str, str]]:
    """Patterns with a border of a word where no word stands, and the piece that has it."""
    for found in (*_TEXT.finditer(text), *_CODE.finditer(text)):
        pattern = next(filter(None, found.groups()), "").replace("\\\\", "\\")
        if piece := _BORDER.search(pattern):
            yield pattern, piece[0].strip(" (|)+*")
