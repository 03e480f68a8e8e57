"""What of a shell line only the shell knows: variables, and what commands print.

By hand, because this is looked for at every start where a hook's line has a variable, and `re` costs 5 ms there.
"""

from __future__ import annotations

from hookline.model.typing import Iterator

_QUOTES = ("'", '"')
_CLOSED_BY = {"(": ")", "{": "}"}


def with_home(line: str, home: str) -> str:
    """The line with `home` in place of `$HOME` and `${HOME}`."""
    first, *others = line.replace("${HOME}", home).split("$HOME")
    return first + "".join(f"{'$HOME' if _is_word(other[:1]) else home}{other}" for other in others)


def rooted(line: str) -> str:
    """The line with `./` for what a path begins with (`"$CLAUDE_PROJECT_DIR"/x`, `$(git rev-parse --show-toplevel)/x`),
    and `_` for any other unknown part.
    """
    parts, last = [], 0
    for at in _starts(line):
        end = _end(line, at) if at >= last else -1
        if end < 0:
            continue
        end += line.startswith(_QUOTES, end)
        begun = at - (at > last and line.startswith(_QUOTES, at - 1))
        parts += [line[last:begun], "./" if line.startswith("/", end) else "_"]
        last = end + line.startswith("/", end)
    return "".join((*parts, line[last:]))


def with_holes(line: str) -> str:
    """The line with `*` for what is unknown in the middle of a path: `hooks/$name.sh`."""
    parts, last = [], 0
    vain: set[int] = set()
    for at in _starts(line):
        if at < last or at in vain or not _is_of_path(line[at - 1 : at]):
            continue
        row = _row(line, at)
        end = _end_within(line, row)
        if end < 0 and row and line[at - 1] == "/" and _is_word(line[at - 2 : at - 1]):
            end = row[-1][1]  # any file of a folder: `hooks/$name`
        if end >= 0:
            parts += [line[last:at], "*"]
            last = end
        else:
            vain.update(start for start, _ in row)
    return "".join((*parts, line[last:]))


def _starts(line: str) -> Iterator[int]:
    return (at for at, letter in enumerate(line) if letter in "$`")


def _end(line: str, at: int) -> int:
    """Where the unknown part ends that begins there; -1 where none does."""
    if line[at] == "`":
        return line.find("`", at + 1) + 1 or -1
    opening = line[at + 1 : at + 2]
    if opening not in _CLOSED_BY:
        end = at + 1
        while _is_word(line[end : end + 1]):
            end += 1
        return end if end > at + 1 else -1
    further = line.find(opening, at + 2)
    return line.find(_CLOSED_BY[opening], at + 2, further if further >= 0 else None) + 1 or -1


def _row(line: str, at: int) -> list[tuple[int, int]]:
    """Where each of the unknown parts begins and ends that stand one behind the other."""
    found = []
    while line[at : at + 1] in ("$", "`") and (end := _end(line, at)) >= 0:
        found.append((at, end))
        at = end
    return found


def _end_within(line: str, row: list[tuple[int, int]]) -> int:
    """Where a path goes on behind unknown parts; -1 where none does.

    The end of a name may be the path's: `$name` is read as `$nam` and `e` where nothing else fits.
    """
    for start, end in reversed(row):
        if _is_of_path(line[end : end + 1]):
            return end
        if end - start > 2 and _is_word(line[end - 1]):
            return end - 1
    return -1


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _is_of_path(letter: str) -> bool:
    return letter.isalnum() or letter in ("_", ".", "/", "-")
