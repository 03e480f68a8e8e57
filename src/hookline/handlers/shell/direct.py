"""A shell line that is nothing but one program and its arguments (`hooks/x a`, `python3 hooks/x.py`), started without
the shell that would only start it.

A shell's own start takes longer than all that we do for a hook, and half of what agents wait for. Left out is it only
where what it would do is known to the last variable; every other line is the shell's.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from hookline.system.files import read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
_LEVEL = re.compile(r"[0-9]|[1-9][0-9]{1,2}(?<!999)")
_PLAIN = r"[A-Za-z0-9_./=@%+,:-]"
_NAMED = r"\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)"
_PART = re.compile(
    rf'(?P<gap> +)|(?P<plain>{_PLAIN}+)|(?P<named>{_NAMED})|"(?P<quoted>(?:[ {_PLAIN[1:-1]}]|{_NAMED})*)"'
)
_NAME = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_INTERPRETER = re.compile(
    r"(?:python|pypy|perl|ruby|php|lua)[0-9.]*|node|nodejs|bun|deno|tsx|uv|uvx|npx|jq"
)  # no shell has these
_SAFE = re.compile(rf"{_PLAIN}+")


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
    line = line.strip(" ")
    words, at = [""], 0
    while at < len(line):
        part = _PART.match(line, at)
        if part is None:
            return ()
        at = part.end()
        if part.lastgroup == "gap":
            words.append("")
            continue
        value = _value(part, env)
        if value is None:
            return ()
        words[-1] += value
    return tuple(words)


def _value(part: re.Match[str], env: Mapping[str, str]) -> str | None:
    if part["plain"] is not None:
        return part["plain"]
    text = part["named"] if part["named"] is not None else part["quoted"]
    if any(name not in env or name in _ITS_OWN for name in _NAME.findall(text)):
        return None
    found = _NAME.sub(lambda name: env[name[1]], text)
    # outside of quotes a value would be split and matched with files
    return found if part["named"] is None or _SAFE.fullmatch(found) else None


def _program(name: str, shell: str, env: Mapping[str, str]) -> str:
    """The file that the shell would start by that name; empty where the name may be a word of its own."""
    if "/" in name:
        return name
    if shell not in ("dash", "bash") or not _INTERPRETER.fullmatch(name):
        return ""
    for folder in env.get("PATH", "").split(os.pathsep):
        if not folder.startswith("/") or folder.endswith("/"):
            return ""
        path = f"{folder}/{name}"
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""


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
        if not _LEVEL.fullmatch(found["SHLVL"]):
            return None
        if not os.path.isdir(env.get("OLDPWD", "")):
            found.pop("OLDPWD", None)
    return found


def _folder(cwd: str, given: str) -> str:
    """Where it is, by the name it was called by where that is one of it."""
    try:
        same = given.startswith("/") and os.path.samefile(given, cwd)
    except OSError:
        same = False
    return given if same else os.path.realpath(cwd)
