"""A shell line that is nothing but one program and its arguments, started without the shell that would only start it.

A shell's own start takes longer than all that we do for a hook, and half of what agents wait for. Left out is it only
where what it would do is known to the last variable; every other line is the shell's.
"""

from __future__ import annotations

import os
import re

from hookline.system.files import read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SHELLS: Mapping[tuple[str, ...], str] = {("sh", "-c"): "sh", ("bash", "-c"): "bash"}
HEAD = 128  # the kernel reads no more of a script's first line
# Variables by which a shell does more, or other things, before it comes to its line.
_CHANGING = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_COMPAT", "BASH_XTRACEFD")
_PLAIN = r"[A-Za-z0-9_./=@%+,:-]"
_NAMED = r"\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)"
_PART = re.compile(rf'(?P<plain>{_PLAIN}+)|(?P<named>{_NAMED})|"(?P<quoted>(?:[ {_PLAIN[1:-1]}]|{_NAMED})*)"')
_NAME = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_SAFE = re.compile(rf"{_PLAIN}+")


def without_shell(
    argv: tuple[str, ...], cwd: str, env: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The program's own words and variables, for `argv` that is a shell and a line; None where the shell must do it."""
    shell = SHELLS.get(argv[:2])
    if shell is None or len(argv) != 3 or any(name in env for name in _CHANGING):
        return None
    words = _words(argv[2], env)
    if not words or "/" not in words[0] or "=" in words[0] or not _starts(os.path.join(cwd, words[0])):
        return None
    if shell == "bash" and any(name.startswith("BASH_FUNC_") for name in env):
        return None
    return words, _as_left_by(shell, words[0], cwd, env)


def _words(line: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a line that has no other shell syntax than values of variables; empty for any other."""
    words: list[str] = []
    for given in _split(line.strip(" ")):
        word, at = "", 0
        while at < len(given):
            part = _PART.match(given, at)
            if part is None:
                return ()
            value = _value(part, env)
            if value is None:
                return ()
            word, at = word + value, part.end()
        words.append(word)
    return tuple(words)


def _split(line: str) -> list[str]:
    """At blanks outside of double quotes."""
    return [each for each in re.split(r' +(?=(?:[^"]*"[^"]*")*[^"]*$)', line) if each]


def _value(part: re.Match[str], env: Mapping[str, str]) -> str | None:
    if part["plain"] is not None:
        return part["plain"]
    text = part["named"] if part["named"] is not None else part["quoted"]
    names = _NAME.findall(text)
    if any(name not in env for name in names):
        return None
    found = _NAME.sub(lambda name: env[name[1]], text)
    # outside of quotes a value would be split and matched with files
    return found if part["named"] is None or _SAFE.fullmatch(found) else None


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


def _as_left_by(shell: str, program: str, cwd: str, env: Mapping[str, str]) -> dict[str, str]:
    """The variables as that shell hands them on."""
    found = {**env, "PWD": _folder(cwd, env.get("PWD", ""))}
    if shell == "bash":
        level = env.get("SHLVL", "")
        found.update({"SHLVL": level if level.isdecimal() and len(level) < 4 else "0", "_": program})
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
