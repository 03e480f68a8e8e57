"""What reviewed scripts load or start by themselves: named to a person, as no fingerprint of the hook covers it."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator

from hookline.state.trust.fingerprint import SCRIPTS, Closure, FileMark
from hookline.system import files

_MOST_NAMED = 20  # of a hook
_MOST_READ = 256 * 1024
# `. "$DIR/lib.sh"`; of a name behind what only the script knows, the end counts
_SOURCED = re.compile(r"""(?m)(?:^|[;&|({]|\bthen|\bdo|&&)[ \t]*(?:\.|source)[ \t]+["']?([^\n;&|]{1,200})""")
_PROGRAM = re.compile(rf"[\w./-]{{1,200}}(?:{'|'.join(map(re.escape, SCRIPTS))})(?![\w.])")
_IMPORTED = re.compile(r"(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]{0,200})[ \t]+)?import[ \t]+\(?([\w., \t]{1,200})")
_REQUIRED = re.compile(
    r"""(?:\brequire\(|\bimport\(|\bfrom[ \t]|\bimport[ \t])[ \t]*["'](\.{1,2}/[\w./-]{1,200})"""
)
_JS = (".js", ".mjs", ".cjs", ".ts", ".tsx")


def loaded_by(found: Closure, workspace: str) -> Iterator[str]:
    """What covered scripts name or import of the workspace that is not covered itself, in words."""
    told = {mark.path for mark in found.files}
    count = 0
    for mark in found.files:
        if not (mark.executable or mark.path.endswith(SCRIPTS)):
            continue
        text = mark.content[:_MOST_READ].decode("utf-8", "replace")
        for path in _candidates(mark, text):
            if path in told or path.startswith("..") or not files.is_file(os.path.join(workspace, path)):
                continue
            told.add(path)
            count += 1
            if count > _MOST_NAMED:
                yield "its scripts name more files of the workspace"
                return
            yield f"{mark.path} names {path}"


def _candidates(mark: FileMark, text: str) -> Iterator[str]:
    """The paths that a script may mean, from its own folder and from the workspace; most of them are not there."""
    folder = os.path.dirname(mark.path)
    for name in dict.fromkeys(_names(mark.path, text)):
        for place in dict.fromkeys((folder, "")):
            yield os.path.normpath(os.path.join(place, name))


def _names(path: str, text: str) -> Iterator[str]:
    yield from (match[0].lstrip("/") for match in _PROGRAM.finditer(text))
    if path.endswith(".py") or "python" in text[:80]:
        yield from _modules(text)
    elif path.endswith(_JS) or "node" in text[:80]:
        for match in _REQUIRED.finditer(text):
            yield from (match[1] + end for end in ("", *_JS, "/index.js"))
    else:
        for match in _SOURCED.finditer(text):
            yield _end(match[1])


def _end(word: str) -> str:
    """`"$(dirname "$0")/lib"` is `lib`: what stands behind the last part that only a shell knows."""
    known = re.split(r"\$\{[^}]*\}|\)|\$\w+", word)[-1]
    return known.strip("\"' \t").partition(" ")[0].strip("\"'").lstrip("/")


def _modules(text: str) -> Iterator[str]:
    for match in _IMPORTED.finditer(text):
        base = (match[1] or "").lstrip(".").replace(".", "/")
        names = [each.split()[0] for each in match[2].split(",") if each.strip()]
        for name in ([base] if base else []) + [os.path.join(base, each.replace(".", "/")) for each in names]:
            yield from (f"{name}.py", f"{name}/__init__.py")
