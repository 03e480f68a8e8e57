"""Which words of a command are code to a second interpreter, where no quoting makes a value safe."""

from __future__ import annotations

import re

SHELL_CODE, PROGRAM = "shell code", "program text"
BEFORE_COMMAND = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"})
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")

_WRAPPERS = frozenset({"sudo", "env", "exec", "command", "builtin", "nohup", "nice"})
_EVALUATORS = {
    "eval": SHELL_CODE, "trap": SHELL_CODE, "alias": PROGRAM, "let": PROGRAM, "unset": PROGRAM,
    "ssh": PROGRAM, "su": PROGRAM, "runuser": PROGRAM,
}  # fmt: skip
_INTERPRETERS = (
    (re.compile(r"(?:ba|da|z|k|mk|a|fi|)sh"), "c", SHELL_CODE),
    (re.compile(r"python[\d.]*"), "c", PROGRAM),
    (re.compile(r"node|deno|bun|perl|ruby|lua"), "e", PROGRAM),
    (re.compile(r"php"), "r", PROGRAM),
)
_NEAR = 12  # words looked at from either end of a command
_TAKES_A_WORD = frozenset({"-o", "+o", "-O", "+O", "-W", "-X"})


def code_taken(words: list[str]) -> str:
    """SHELL_CODE or PROGRAM when the next word of a command that began with `words` is run; else empty.

    `bash -c`, `eval`, `python3 -c`, `ssh` and their like. The words after a `-c` program are data again,
    so `bash -c 'lint "$1"' _ {{issueFile}}` works.
    """
    first = next((_name(word) for word in words[:_NEAR] if not _before_name(word)), "")
    return _EVALUATORS.get(first) or _program_option(words[-_NEAR:])


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _before_name(word: str) -> bool:
    name = _name(word)
    return name in BEFORE_COMMAND or name in _WRAPPERS or bool(ASSIGNMENT.match(word)) or word[:1] == "-"


def _program_option(words: list[str]) -> str:
    names = [_name(word) for word in words]
    trailing = len(words)
    while trailing and words[trailing - 1][:1] == "-":
        trailing -= 1
    options = "".join(word for word in words[trailing:] if word[:2] != "--")
    for index in range(trailing if options else 0):
        for program, flag, kind in _INTERPRETERS:
            if flag in options and program.fullmatch(names[index]) and _only_options(words, index, trailing):
                return kind
    return ""


def _only_options(words: list[str], start: int, end: int) -> bool:
    return all(words[k][:1] in ("-", "+") or words[k - 1] in _TAKES_A_WORD for k in range(start + 1, end))
