"""Code of other languages than a shell's: the commands and effects that can be seen in it.

What a call does is said as the command that does the same (`os.remove("x")` as `rm x`), or, where there is none,
as a pseudo program of the table (`python:write`). What cannot be seen into is `python:opaque`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hookline.shell.code.pieces import Reads, each_way, lost, opaque
from hookline.shell.reading import LONG_LINE, TASKS, Code, Inner, Word
from hookline.system.modules import attribute

LONGEST = 65_536  # of code; nobody follows what is longer
_SCRIPTED = frozenset(("javascript", "perl", "ruby", "php", "lua", "lisp", "osascript", "script"))
# By which module of this folder they are read: its `READERS` have each by its name
_READ_BY = {
    language: module
    for module, languages in {
        "awk_sed": ("awk", "sed"), "cmd_lines": ("cmd", "forfiles"), "containers": ("dockerfile", "compose"),
        "databases": ("sql", "sql-file", "orders"), "patches": ("patch",), "python_code": ("python",),
        "settings": (
            "vim", "socat", "ssh-option", "ssh-config", "checkpoint", "commas", "screen", "tcl", "apt-option",
            "lessopen", "fzf", "curl", "sftp", "files", "macros", "powershell", "powershell-encoded",
        ),
        "tasks": (
            "make", "tasks", "cmake", "package", "package-setting", "cargo-setting", "cargo-file", "npmrc", "procfile",
        ),
    }.items()
    for language in languages
}  # fmt: skip
# Files that other programs load, which are read as what stands in them
_LOADED = {"python-file": "python", "script-file": "script", "vim-file": "vim"}
# Files that are looked at for what they run: what is not known of them may be anything
_FILES = TASKS - _LOADED.keys() - {"sh-file"}


def commands_of_code(text: Word, language: str, how: str, line: int = LONGEST) -> Iterator[Inner]:
    """What a piece of code runs and does, as far as that can be seen; `line`: letters of the line."""
    if any(hole.only and hole.choices for hole in text.holes):
        for way in each_way(text):
            yield from commands_of_code(way, language, how, line)
        return
    if language == "sh-file":
        yield Code(text, how, language="bash")
        return
    language = _LOADED.get(language, language)
    texts = [part for part in text.parts if isinstance(part, str)]
    if sum(map(len, texts)) > LONGEST or (language in _FILES and not texts):
        yield lost(how)
        return
    literal = text.literal
    if language in _FILES:
        yield from _reader(language)("".join(p if isinstance(p, str) else "_" for p in text.parts), how)
    elif not texts or not (language in _READ_BY or language in _SCRIPTED):
        yield opaque(how)
    elif literal is None:
        from hookline.shell.code.with_holes import named, with_holes

        known, holes = named(text)
        yield from (with_holes(each, holes) for each in commands_of_code(Word((known,)), language, how, line))
    elif language in _READ_BY:
        yield from _reader(language)(literal, how)
    elif LONG_LINE < len(literal) <= line:  # so it is no file's
        yield lost(how)
    else:
        from hookline.shell.code.script_code import commands_of_script

        yield from commands_of_script(literal, how)


def _reader(language: str) -> Reads:
    found: Reads = attribute(f"hookline.shell.code.{_READ_BY[language]}", "READERS")[language]
    return found
