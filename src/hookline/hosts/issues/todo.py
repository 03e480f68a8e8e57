"""TODO.md: one line for each issue, edited so that every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookline.model.record import Record

PENDING, COMPLETED = "Pending Issues", "Completed Issues"
NEW_LIST = f"# To-Do\n\n## {PENDING}\n\n## {COMPLETED}\n"
_ENTRY = re.compile(r"[-*+] \[([ xX])\] \*\*\[Issue #(\d+)\]\*\*[ \t]*(.*?)\s*")
_FILE = re.compile(r"(.*?)(?: - `([^`]*)`)?")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*")


class TodoEntry(Record):
    """One issue's line; `file` is empty when the line names none."""

    number: int
    title: str
    file: str
    done: bool


def todo_entries(text: str) -> tuple[TodoEntry, ...]:
    """All entries in the order of the file; text in code fences does not count."""
    found = []
    for _, line in _lines(text):
        match = _ENTRY.fullmatch(line.strip("\r\n"))
        if match:
            named = _FILE.fullmatch(match[3])
            title, file = (named[1], named[2] or "") if named else (match[3], "")
            found.append(TodoEntry(int(match[2]), title, file, match[1] != " "))
    return tuple(found)


def with_entry(text: str, number: int, title: str, file: str) -> str:
    """The text with an open entry for the issue, at the end of Pending Issues; unchanged if it is there."""
    if any(entry.number == number for entry in todo_entries(text)):
        return text
    lines = (text or NEW_LIST).splitlines(keepends=True)
    entry = f"- [ ] **[Issue #{number}]** {title} - `{file}`"
    return _inserted(lines, PENDING, [entry + _line_break(text)])


def with_done(text: str, number: int) -> str | None:
    """The text with the issue's box checked and its line under Completed Issues; None without the issue.

    Without such a heading the line stays where it is. Lines indented below the entry go with it.
    """
    lines = text.splitlines(keepends=True)
    place = next((at for at, line in _lines(text) if _is_entry(line, number)), None)
    if place is None:
        return None
    if not re.match(r"[-*+] \[ \]", lines[place]):
        return text
    checked = lines[place].replace("[ ]", "[x]", 1)
    end = place + 1
    while end < len(lines) and lines[end].startswith((" ", "\t")) and lines[end].strip():
        end += 1
    if _section(lines, COMPLETED) is None:
        return "".join([*lines[:place], checked, *lines[place + 1 :]])
    moved = [checked, *lines[place + 1 : end]]
    if not moved[-1].endswith("\n"):
        moved[-1] += _line_break(text)
    return _inserted([*lines[:place], *lines[end:]], COMPLETED, moved)


def _inserted(lines: Sequence[str], heading: str, added: Sequence[str]) -> str:
    """The lines with `added` behind the last line of a section that says something."""
    section = _section(lines, heading)
    line_break = _line_break("".join(lines))
    if section is None:
        tail = [] if not lines or lines[-1].endswith("\n") else [line_break]
        lead = [line_break] if lines else []
        return "".join([*lines, *tail, *lead, f"## {heading}{line_break}", line_break, *added])
    start, end = section
    place = end
    while place > start + 1 and not lines[place - 1].strip():
        place -= 1
    before = list(lines[:place])
    if not before[-1].endswith("\n"):
        before[-1] += line_break
    gap = [line_break] if place == start + 1 else []
    return "".join([*before, *gap, *added, *lines[place:]])


def _section(lines: Sequence[str], heading: str) -> tuple[int, int] | None:
    """First and past-the-last line of the section with that heading."""
    headings = []
    for at, line in _lines("".join(lines)):
        match = _HEADING.fullmatch(line.strip("\r\n"))
        if match:
            headings.append((at, match[1]))
    for place, (at, words) in enumerate(headings):
        if words.casefold() == heading.casefold():
            return at, headings[place + 1][0] if place + 1 < len(headings) else len(lines)
    return None


def _lines(text: str) -> list[tuple[int, str]]:
    """Numbered lines outside of code fences."""
    found, fence = [], ""
    for at, line in enumerate(text.splitlines(keepends=True)):
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            found.append((at, line))
    return found


def _is_entry(line: str, number: int) -> bool:
    match = _ENTRY.fullmatch(line.strip("\r\n"))
    return match is not None and int(match[2]) == number


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
