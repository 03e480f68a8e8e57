"""What keeps a hook's command from starting on this machine: its programs, its scripts, and who runs those."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import which

from hookline.checking.commands.beside import SCRIPT_ENDS
from hookline.checking.commands.line_rules import line_problems
from hookline.checking.commands.program_rules import program_problems
from hookline.checking.lines import HookLine, by_runner
from hookline.checking.workspace import lines_of
from hookline.engine.hookset import HookSet
from hookline.model.errors import Problem
from hookline.model.hooks import HookSpec
from hookline.system import files
from hookline.system.patterns.late import late

_SHELL_WORDS = frozenset(
    [
        "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen",
        "complete", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif",
        "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for",
        "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local",
        "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
        "return", "select", "set", "shift", "shopt", "source", "suspend", "test", "then", "time",
        "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until",
        "wait", "while", ".", ":", "[", "[[", "!", "{", "}", "(",
    ]
)  # fmt: skip


_CMDLET = late(r"[A-Z][a-z]+-[A-Z]\w+")  # of PowerShell itself, in code that a line hands to it
_PACKAGE_MANAGERS = ("pnpm", "yarn", "bun")  # which run scripts and programs of the project by name
_OF_THE_LINE = ("unquoted-path", "bashism", "relative-script")  # which a shell says as "not found"


def why_not_started(hooks: HookSet, spec: HookSpec, home: str, search_path: str) -> str:
    """Why a hook ended as one that could not be started (exit 126 or 127), and what to do; empty if nobody can tell."""
    line = next((line for line in lines_of(hooks, home) if line.entry.spec.id == spec.id), None)
    problem = None if line is None else next(_causes(line, search_path), None)
    if problem is None:
        return ""
    return f"{problem.message}; {problem.hint}" if problem.hint else problem.message


def start_problems(line: HookLine, search_path: str) -> Iterator[Problem]:
    """Whether all that the line starts is there and can start, looking all over this machine."""
    for name in missing_programs(line, search_path):
        yield _error(
            line, "missing-program", f"`{name}` is not on PATH", "install it, or name it by its full path"
        )
    yield from program_problems(line, everywhere=True)
    for each in line.started:
        if each.directly:
            yield from _interpreter_problems(line, each.shown, line.absolute(each), search_path)


def _causes(line: HookLine, search_path: str) -> Iterator[Problem]:
    found = [each for each in line_problems(line) if each.code in _OF_THE_LINE]
    yield from (each for each in found if each.severity == "error")
    yield from start_problems(line, search_path)
    yield from found


def missing_programs(line: HookLine, search_path: str) -> tuple[str, ...]:
    """The programs that a line runs whatever happens, and that PATH does not have."""
    argv = line.entry.argv
    if argv and "/" not in argv[0]:
        return () if _which(argv[0], search_path) or not _is_plain(argv[0]) else argv[:1]
    found: dict[str, None] = {}
    for command in line.filled.commands:
        name = command.words[0].literal if command.words else None
        if (
            name
            and command.certain
            and not by_runner(command)
            and not (command.via and command.via[-1].how in _PACKAGE_MANAGERS)
            and not _CMDLET.fullmatch(name)
            and _is_plain(name)
            and not set(name) & set("/:")
            and name not in _SHELL_WORDS
        ):
            found[name] = None
    return tuple(name for name in found if not name.endswith(SCRIPT_ENDS) and not _which(name, search_path))


def _interpreter_problems(line: HookLine, program: str, path: str, search_path: str) -> Iterator[Problem]:
    """Whether who runs a script, by its first line, is there."""
    first = files.read_head(path, 512).content.split(b"\n", 1)[0]
    if not first.startswith(b"#!") or first.endswith(b"\r"):
        return
    words = first[2:].decode("utf-8", "replace").split()
    if not words:
        yield _error(line, "no-shebang", f"`{program}` names no interpreter on its first line")
        return
    if os.path.basename(words[0]) != "env":
        if not os.access(words[0], os.X_OK):
            message = f"`{program}` needs `{words[0]}`, which is not there"
            yield _error(line, "missing-interpreter", message, "install it or mend the first line")
        return
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if names and not _which(names[0], search_path):
        message = f"`{program}` needs `{names[0]}`, which is not on PATH"
        yield _error(line, "missing-interpreter", message, "install it")


def _is_plain(word: str) -> bool:
    return bool(word) and not set(word) & set("$`*?[]{}()<>|&;~\\!=") and "://" not in word


def _which(program: str, search_path: str) -> str | None:
    absolute = [
        entry for entry in search_path.split(":") if os.path.isabs(entry)
    ]  # the others are not searched
    return which(program, path=":".join(absolute))


def _error(line: HookLine, code: str, message: str, hint: str = "") -> Problem:
    return line.entry.at_line(code, message, hint, severity="error")
