"""A shell line that is nothing but one program and its arguments (`hooks/x a`, `python3 hooks/x.py`), started without
the shell that would only start it.

A shell's own start takes longer than all that we do for a hook, and half of what agents wait for. Left out is it only
where what it would do is known to the last variable; every other line is the shell's.
"""

from __future__ import annotations

import os
from functools import lru_cache

from hookline.model.typing import Mapping
from hookline.system.files import read_head

SHELLS: Mapping[tuple[str, ...], str] = {("sh", "-c"): "sh", ("bash", "-c"): "bash"}
HEAD = 128  # the kernel reads no more of a script's first line
# Variables by which a shell does other things before it comes to its line, or which it hands on changed, or not at all.
_CHANGING = frozenset([
    "COMP_WORDBREAKS", "DIRSTACK", "ENV", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS",
    "HISTCMD", "IFS", "LINENO", "OPTERR", "OPTIND", "POSIXLY_CORRECT", "PPID", "PS1", "PS2", "PS4",
    "RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM", "UID",
])  # fmt: skip
# Those that it sets itself: what it was handed is not what its line sees.
_ITS_OWN = frozenset(["_", "HOSTNAME", "OLDPWD", "PWD", "SHLVL"])
_DEEPEST = 998  # one more, and a shell begins anew
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_PLAIN = _NAME | frozenset("./=@%+,:-")
# Interpreters, which no shell has as words of its own
_VERSIONED = frozenset(["python", "pypy", "perl", "ruby", "php", "lua"])
_BY_NAME = frozenset(["node", "nodejs", "bun", "deno", "tsx", "uv", "uvx", "npx", "jq"])


def without_shell(
    argv: tuple[str, ...], cwd: str, env: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The program's own words and variables, for `argv` that is a shell and a line; None where the shell must do it."""
    shell = SHELLS.get(argv[:2])
    if shell is None or len(argv) != 3 or not _all_handed_on(frozenset(env)):
        return None
    words = _words(argv[2], env)
    found = _real(shell, env.get("PATH") or os.defpath) if words and "=" not in words[0] else ""
    program = _program(words[0], found, env) if found else ""
    if not program or not _starts(os.path.join(cwd, program)):
        return None
    left = _as_left_by(found, program, cwd, env)
    return (words, left) if left is not None else None


@lru_cache(16)
def _all_handed_on(names: frozenset[str]) -> bool:
    return all(map(_handed_on, names))


def _handed_on(name: str) -> bool:
    """Whether every shell hands a variable on as it is; some drop those whose names no shell could write."""
    return name.isascii() and name.isidentifier() and not name.startswith("BASH") and name not in _CHANGING


@lru_cache(16)
def _real(shell: str, path: str) -> str:
    """The name of the shell that would be started: `bash` for an `sh` that is one, empty where there is none."""
    places = (os.path.join(folder, shell) for folder in path.split(os.pathsep) if os.path.isabs(folder))
    found = next((place for place in places if os.access(place, os.X_OK)), "")
    return os.path.basename(os.path.realpath(found)) if found else ""


def _words(line: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a line that has no other shell syntax than values of variables; empty for any other."""
    words, quoted, at = [""], False, 0
    line = line.strip(" ")
    while at < len(line):
        letter, at = line[at], at + 1
        if letter == '"':
            quoted = not quoted
        elif letter == " " and not quoted:
            words += [""] if words[-1] or line[at - 2] != " " else []
        elif letter == "$":
            value, at = _value(line, at, env)
            # outside of quotes a value would be split and matched with files
            if value is None or not (quoted or (value and _PLAIN.issuperset(value))):
                return ()
            words[-1] += value
        elif letter in _PLAIN or letter == " ":
            words[-1] += letter
        else:
            return ()
    return () if quoted else tuple(words)


def _value(line: str, at: int, env: Mapping[str, str]) -> tuple[str | None, int]:
    """The value of the variable whose name or brace is at `at`, and where its name ends; None where it has none."""
    braced = line.startswith("{", at)
    start = end = at + 1 if braced else at
    while end < len(line) and line[end] in _NAME:
        end += 1
    name = line[start:end]
    if not name.isidentifier() or name in _ITS_OWN or (braced and not line.startswith("}", end)):
        return None, end
    return env.get(name), end + 1 if braced else end


def _program(name: str, shell: str, env: Mapping[str, str]) -> str:
    """The file that the shell would start by that name; empty where the name may be a word of its own."""
    if "/" in name:
        return name
    if shell not in ("dash", "bash") or not _is_interpreter(name):
        return ""
    for folder in env.get("PATH", "").split(os.pathsep):
        if not folder.startswith("/") or folder.endswith("/"):
            return ""
        path = f"{folder}/{name}"
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""


def _is_interpreter(name: str) -> bool:
    return name in _BY_NAME or name.rstrip("0123456789.") in _VERSIONED


def _starts(path: str) -> bool:
    """Whether the kernel starts that file by itself; for any other a shell has words, or runs it as a script."""
    if not os.access(path, os.X_OK):
        return False
    head = read_head(path, HEAD)
    if head.state != "bytes":
        return False
    if head.content.startswith(b"\x7fELF"):
        return True
    first, ended, _ = head.content.partition(b"\n")
    by = os.fsdecode(first[2:].strip(b" \t").replace(b"\t", b" ").partition(b" ")[0])
    return bool(ended) and first.startswith(b"#!") and by.startswith("/") and os.access(by, os.X_OK)


def _as_left_by(shell: str, program: str, cwd: str, env: Mapping[str, str]) -> dict[str, str] | None:
    """The variables as that shell hands them on; None where that is not known."""
    found = {**env, "PWD": _folder(cwd, env.get("PWD", ""))}
    if shell == "bash":
        found.update({"SHLVL": env.get("SHLVL", "0"), "_": program})
        if not _is_level(found["SHLVL"]):
            return None
        if not os.path.isdir(env.get("OLDPWD", "")):
            found.pop("OLDPWD", None)
    return found


def _is_level(text: str) -> bool:
    """Whether bash hands it on, or a number one higher, without a word."""
    return text.isascii() and text.isdigit() and text == str(int(text[:4])) and int(text) <= _DEEPEST


def _folder(cwd: str, given: str) -> str:
    """Where it is, by the name it was called by where that is one of it."""
    try:
        same = given.startswith("/") and os.path.samefile(given, cwd)
    except OSError:
        same = False
    return given if same else os.path.realpath(cwd)
