"""Scripts that a script starts or takes in, named by the folder it lies in: in a shell, PowerShell or `cmd`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from hookline.system.patterns.late import late

_RUN = late(r"(?:ba|z|da)?sh[ \t]|$")
_SENT_AWAY = late(r"(?<![0-9])1?>|&>|(?<!\|)\|(?!\|)")
MOST_NAMES = 4000  # looked at for one pattern
SCRIPT_ENDS = (
    ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".ps1", ".cmd",
    ".bat",
)  # fmt: skip
WINDOWS_ENDS = (".ps1", ".cmd", ".bat")
_FOLDER = (
    r"(?:\$\((?:cd (?:-- )?)?\"?\$?\(?dirname (?:-- )?\"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)\"?\)?\"?(?P<up>(?:/\.\.)*)"
    r"\"?(?: >/dev/null(?: 2>&1)?)?(?: && pwd(?: -P)?)?\)"
    r"|\$PSScriptRoot|\(?Split-Path (?:-Parent )?\$MyInvocation\.MyCommand\.(?:Path|Definition)(?: -Parent)?\)?|%~dp0)"
)
_GIVEN = late(
    rf"(?m)^[ \t]*(?:readonly |local |export |set \"?|\$(?:script:)?)?(?P<name>\w+)[ \t]*=[ \t]*\"?{_FOLDER}\"?[ \t]*$"
)
# a folder by way of another: `ROOT="$(cd "$DIR/.." && pwd)"`
_AGAIN = late(
    r"(?m)^[ \t]*(?P<name>\w+)=\"?(?:\$\(cd (?:-- )?\"?)?\$\{?(?P<of>\w+)\}?(?P<up>(?:/[\w.-]+)*)\"?"
    r"(?: >/dev/null(?: 2>&1)?)?(?: && pwd(?: -P)?\))?\"?[ \t]*$"
)
# the root of the project, as an agent or git says it
_ROOT = late(
    r"(?m)^[ \t]*(?:readonly |local |export )?(?P<name>\w+)=\"?(?:\$\{\w+_PROJECT_DIR(?::?-[^\n]*)?\}|\$\w+_PROJECT_DIR"
    r"|\$\(git (?:-C [^\n ]+ )?rev-parse --show-toplevel[^\n]*\))\"?[ \t]*$",
    needs=("_PROJECT_DIR", "--show-toplevel"),
)
_BY = (
    r"(?:(?:\.|&|@?call|source|exec|@?(?:python3?|py|node|bun|bash|sh|pwsh|powershell)(?:\.exe)?)[ \t]+"
    r"(?:-(?!c\b)\w+[ \t]+(?:Bypass[ \t]+)?)*){0,3}"
)
_STARTS = late(
    rf"(?m)^(?P<inside>[ \t]*)(?:[$\w%\"' ]{{1,30}}\|[ \t]*)?(?P<by>{_BY})\"?"
    rf"(?:{_FOLDER}|[$%]\{{?(?P<name>\w+)\}}?%?)\"?"
    r"/(?P<file>[\w./-]+)(?P<rest>[^\n]*)$"
)
# what hands on what the script is given, and its end
_REST = late(r"\"?(?:[ \t]+(?:\"\$@\"|@args|\$args|%\*))*(?:;?[ \t]*exit \$LASTEXITCODE)?[ \t]*")
_JOINED = late(r"\(?Join-Path (\$\w+) [\"']([^\"'\n]+)[\"']\)?")
_BESIDE = late(
    r"\s*(?:(?:#|rem\b|REM\b|::).*|@?echo off|@?setlocal.*|set -\w+(?: -o)?(?: pipefail)?|\$ErrorActionPreference\b.*"
    r"|Set-StrictMode.*|cd \"?\$\w+\"?|param\(.*\)|(?:@?exit )(?:/b )?(?:\$LASTEXITCODE|%ERRORLEVEL%|%errorlevel%|\$\?)"
    r"|\$\w+ *= *\[Console\]::In\.ReadToEnd\(\)|\w+=\"?\$\(cat\)\"?)?\s*"
)


def sourced_and_missing(text: str, path: str, folders: Mapping[str, str]) -> Iterator[str]:
    """What a script starts or takes in, by its own folder or a known one, and is not there; in a branch only what it
    becomes by `exec`, and does not look for."""
    for found, folder in started_by(_plain(text, path), path, folders):
        name = found["file"]
        counts = name.endswith(SCRIPT_ENDS) or found["by"].split()[:1] in (["."], ["source"])
        if found["inside"]:
            looked = rf"-[efrsx]\s[^\n]*{re.escape(os.path.basename(name))}"
            counts = found["by"].startswith("exec") and counts and not re.search(looked, text)
        if counts and not os.path.exists(os.path.join(folder, name)):
            yield name


def wrapped(text: str, path: str, folders: Mapping[str, str], root: str) -> str:
    """The path of the script that another does nothing but start; empty where it does something of its own."""
    plain = _plain(text, path)
    beside = (_BESIDE, _GIVEN, _AGAIN, _ROOT)
    left = [row for row in plain.splitlines() if not any(each.fullmatch(row) for each in beside)]
    for found, folder in started_by(plain, path, folders, root) if len(left) == 1 else ():
        if found[0] == left[0] and _REST.fullmatch(found["rest"]):
            return os.path.normpath(os.path.join(folder, found["file"]))
    return ""


def run_beside(text: str, path: str) -> Iterator[tuple[int, str]]:
    """Where a script of a shell runs another from a folder known here, and that one, its output left as it is."""
    for found, folder in started_by(text, path, {}):
        if _RUN.match(found["by"]) and not _SENT_AWAY.search(found["rest"]):
            yield found.start(), os.path.normpath(os.path.join(folder, found["file"]))


def at_home(text: str, folder: str) -> str:
    """The text with the folder it lies in where it asks for that one."""
    return re.sub(_FOLDER, lambda found: folder + (found["up"] or ""), text)


def started_by(
    plain: str, path: str, folders: Mapping[str, str], root: str = ""
) -> Iterator[tuple[re.Match[str], str]]:
    """The statements by which a script starts or takes in others, and the folder that each names."""
    own = os.path.dirname(path)
    if root:
        folders = {**folders, **{each["name"]: root for each in _ROOT.finditer(plain)}}
    known = {**folders, **{each["name"]: f"{own}{each['up'] or ''}" for each in _GIVEN.finditer(plain)}}
    for each in _AGAIN.finditer(plain):
        if each["of"] in known:
            known[each["name"]] = known[each["of"]] + each["up"]
    for found in _STARTS.finditer(plain):
        folder = known.get(found["name"], "") if found["name"] else f"{own}{found['up'] or ''}"
        if folder:
            yield found, folder


def _plain(text: str, path: str) -> str:
    """The text with the paths of Windows as they are written elsewhere."""
    if not path.endswith(WINDOWS_ENDS):
        return text
    text = text.replace("\r\n", "\n").replace("\\", "/")
    return _JOINED.sub(r'"\1/\2"', re.sub(r"%~dp0/?", "%~dp0/", text))


def fitting(folder: str, pattern: str, most: float = MOST_NAMES) -> list[str] | None:
    """What fits a pattern below a folder; None where that takes a look at too many names, as `/*/*/*/*` does."""
    found, looked = ["/" if pattern[:1] == "/" else folder], 0
    parts = [part for part in pattern.split("/") if part]
    for depth, part in enumerate(parts, 1):
        named: list[str] = []
        for each in found:
            try:
                names, seen = _names_in(each, depth < len(parts)) if set("*?[") & set(part) else ([part], 1)
            except OSError:
                continue
            looked += seen
            if looked > most:
                return None
            fit = (name for name in names if name[0] != "." or part[0] == ".")
            named += [
                os.path.join(each, name) for name in fit if part in (name, "*") or fnmatchcase(name, part)
            ]
        found = named
    return [each for each in found if os.path.lexists(each)]


def _names_in(folder: str, folders: bool) -> tuple[list[str], int]:
    """What is in a folder, or only its `folders`; and how many names that took a look at."""
    with os.scandir(folder) as entries:
        there = list(entries)
    return [entry.name for entry in there if not folders or entry.is_dir()], len(there)


def all_fitting(folder: str, pattern: str) -> list[str]:
    """What fits a pattern below a folder, in order, however many names that takes a look at."""
    return sorted(fitting(folder, pattern, float("inf")) or ())
