"""What files of tasks run: makefiles, `package.json`, build files, and settings that name what builds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.languages import LONGEST
from hookline.shell.code.pieces import Reads, argv, code, opaque, unescaped
from hookline.shell.reading import Inner
from hookline.system.patterns.late import late

# What is read may be made to take long: no two repeats here can match the same letters one after the other.
_INLINE = late(r"[\w./%$(){}-]+(?:[ \t]+[\w./%$(){}-]+)*[ \t]*::?[^;=]*;(.+)")  # `all: x.o ; cc x.o`
_MADE_VALUE = late(r"(?m)^(?:(?:export|override)\s+)*([A-Za-z_]\w*)[ \t]*[:?+]{0,2}=[ \t]*(.{0,400})$")
_MADE_NAME = late(r"(?<!\$)\$[({]([A-Za-z_]\w*)[)}]")
_CARGO_PROGRAM = late(
    r"(?:^|[.{,\s])(?:runner|linker|rustc|rustc-(?:workspace-)?wrapper|rustdoc|credential-provider)\s*=\s*(.+)",
    re.DOTALL,
)
_TOML_TEXT = late(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
_CMAKE_WORDS = (
    r"\b(?:WORKING_DIRECTORY|TIMEOUT|(?:RESULTS?|OUTPUT|ERROR|COMMAND|ECHO)_\w+|INPUT_FILE|ENCODING)\b"
)
_TASK_MARK = late(
    r"^(?:[-@+]+\s*)?(?:-\s+)?(?:(?:ansible\.builtin\.)?(?:cmd|run|command|script|sh|shell|raw)\s*[:=]\s*)?"
)
_TASK_CALL = late(
    r"\b(?:sh|run|exec|execute|system|local|shell|spawn|cmds?)\w*+\s*+(?:[(:\[=]\s*+){0,2}([\"'])((?:\\.|(?!\1).)+)\1"
)
_TASK_WORDS = late(  # of gradle, nox and meson
    r"\b(?:commandLine\s*+[(=]?|s(?:ession)?\.run(?:_always|_install)?\s*+\(|run_command\s*+\(|command\s*+[:=]\s*+\[)"
    r"\s*+([\"'][^\n]*+)"
)
_XML_TASK = late(r"(?si)<exec(?:utable)?\b([^>]*+)>(.*?)(?=</(?:target|configuration|project)|<exec|\Z)")
_XML_WORD = late(
    r"(?i)\b(?:executable|value|line|command)\s*+=\s*+\"([^\"]*+)\"|^\s*+([^<>]++)<|<arg(?:ument)?>([^<]*+)<"
)
_TASK_LIST = late(r"\bcmds?\s*+:\s*+\[([^\]\n]++)\]|(?m:^)commands(?:_\w++)?\s*+=\s*+(\S[^,\n]*+)")


def _cmake(text: str, how: str) -> Iterator[Inner]:
    """`execute_process(COMMAND …)`, which may have several, and files that are removed; the rest is opaque."""
    for found in re.finditer(r"(?i)\bexecute_process\s*\(([^()]*)\)", text):
        for command in re.split(r"\bCOMMAND\b", found[1])[1:]:
            yield code(re.split(_CMAKE_WORDS, command)[0].strip(), how)
    for found in re.finditer(r"(?i)\bfile\s*+\(\s*+REMOVE(?:_RECURSE)?\s++([^()]*+)\)", text):
        yield code(f"rm -rf {found[1]}", how)
    yield opaque(how)


def _make(text: str, how: str) -> Iterator[Inner]:
    """Recipes and `$(shell …)`; the rest of a makefile is opaque."""
    yield from _recipes(text, how)
    for found in re.finditer(r"\$\(shell\s++([^()]*+)\)", text):
        yield code(found[1], how)
    for found in re.finditer(r"\$\(file\s++(>>?|<)\s*+([^\s,()]++)", text):
        yield argv(how, "python:read" if found[1] == "<" else "python:write", found[2])
    yield opaque(how)


def _recipes(text: str, how: str) -> Iterator[Inner]:
    """What stands further in, or behind a rule's `;`, with the values of make's variables; others are the shell's."""
    values, left = dict(_MADE_VALUE.findall(text)), min(LONGEST // 8, 2 * len(text))

    def valued(found: re.Match[str]) -> str:
        nonlocal left
        value = values.get(found[1], "") if left > 0 else ""
        left -= len(value)
        return value or f"${{{found[1]}}}"

    for line in text.replace("\\\n", " ").splitlines():
        inline = _INLINE.match(line)
        if not inline and not (line[:1].isspace() and line.strip()):
            continue
        line = inline[1] if inline else _TASK_MARK.sub("", line.strip())
        for _ in range(3):  # a value may name further ones
            line = _MADE_NAME.sub(valued, line)
        yield code(_MADE_NAME.sub(r"${\1}", line).strip().lstrip("@-+").replace("$$", "$"), how)


def _cargo_setting(text: str, how: str) -> Iterator[Inner]:
    """A setting of cargo's that names a program: `build.rustc-wrapper="x"`, `target.x.runner=["sh", "-c", "x"]`."""
    found = _CARGO_PROGRAM.search(text)
    value = found[1] if found is not None else ""
    if value.startswith("["):
        yield argv(how, *(unescaped(each[0] or each[1]) for each in _TOML_TEXT.findall(value)))
    elif value:
        yield code(unescaped(value.strip("\"' ")), how)


def _package(text: str, how: str) -> Iterator[Inner]:
    """The scripts of a `package.json`."""
    import json

    try:
        scripts = json.loads(text).get("scripts", {})
        lines = [str(line) for line in scripts.values()]
    except (ValueError, AttributeError, RecursionError):
        lines = re.findall(r':\s*"((?:[^"\\]|\\.)*)"', text)
    for line in lines:
        yield code(line, how)


def _tasks(text: str, how: str) -> Iterator[Inner]:
    """What stands further in, as recipes do, and the strings that a task runs (`sh "git push"`)."""
    yield from _recipes(text, how)
    for found in _TASK_WORDS.finditer(text):
        yield argv(how, *re.findall(r"[\"']([^\"']*)[\"']", found[1]))
    for found in _TASK_LIST.finditer(text):
        for each in (found[1] or found[2]).split(","):
            yield code(each.strip(" \"'"), how)
    for found in _TASK_CALL.finditer(text):
        yield code(unescaped(found[2]), how)
    for found in _XML_TASK.finditer(text) if "</" in text or "/>" in text else ():
        words = (each[1] or each[2] or each[3] for each in _XML_WORD.finditer(found[1] + ">" + found[2]))
        yield code(" ".join(filter(None, words)), how)


def _package_setting(text: str, how: str) -> Iterator[Inner]:
    """`scripts.x=git push` of `npm pkg set`."""
    name, _, value = text.partition("=")
    if name.startswith("scripts"):
        yield code(value, how)


def _cargo_file(text: str, how: str) -> Iterator[Inner]:
    """The settings of a `.cargo/config.toml`, a line each."""
    for line in text.splitlines():
        yield from _cargo_setting(line, how)


def _npmrc(text: str, how: str) -> Iterator[Inner]:
    """A shell for all scripts, or another yarn, that settings of packages name."""
    for found in re.finditer(r"(?m)^\s*+(script-shell|yarn-?[pP]ath)\s*+[=: ]\s*+[\"']?([^\s\"']++)", text):
        yield argv(how, "npm", f"--script-shell={found[2]}")


def _procfile(text: str, how: str) -> Iterator[Inner]:
    for found in re.finditer(r"(?m)^[\w-]++:(.*)$", text):
        yield code(found[1].strip(), how)


READERS: dict[str, Reads] = {
    "make": _make, "tasks": _tasks, "cmake": _cmake, "package": _package, "package-setting": _package_setting,
    "cargo-setting": _cargo_setting, "cargo-file": _cargo_file, "npmrc": _npmrc, "procfile": _procfile,
}  # fmt: skip
