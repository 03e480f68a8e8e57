"""Which issues a run is about: the next one, a number, a range, a name, an issue file or a specification."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from hookline.hosts.issues.files import (
    Draft,
    IssueFault,
    TodoEntry,
    create_issue,
    issue_files,
    read_issue,
    slug_of,
    todo_entries,
    todo_text,
)
from hookline.hosts.issues.run_log import completed_issues
from hookline.model.errors import UsageError
from hookline.model.record import Record, replace

_RANGE = re.compile(r"#?([0-9]{1,9})-#?([0-9]{1,9})")


class Selection(Record):
    """The issues planned; `grows` takes in issues that appear while it runs (`--all`, a specification)."""

    numbers: tuple[int, ...]
    grows: bool = False


def standings(workspace: str) -> tuple[TodoEntry, ...]:
    """Every issue: those of TODO.md in its order, then the other issue files by number."""
    entries = {entry.number: entry for entry in todo_entries(todo_text(workspace))}
    files = dict(issue_files(workspace))
    done = completed_issues(workspace)
    found = [replace(entry, file=files.get(number, entry.file)) for number, entry in entries.items()]
    found += [
        TodoEntry(number, _title(workspace, file), file, number in done)
        for number, file in files.items()
        if number not in entries
    ]
    return tuple(found)


def pending(workspace: str) -> tuple[int, ...]:
    """Numbers of the issues that are not done, in the order they are worked on."""
    return tuple(standing.number for standing in standings(workspace) if not standing.done)


def select(workspace: str, target: str | None, everything: bool = False) -> Selection:
    """What a target means. Raises IssueFault when it names nothing, UsageError when it makes no sense."""
    if everything:
        if target is not None:
            raise UsageError("--all takes no target", "leave one of them out")
        return Selection(pending(workspace), grows=True)
    if target is None:
        return Selection(pending(workspace)[:1])
    number = target.lstrip("#")
    if number.isascii() and number.isdigit() and len(number) < 10:
        return Selection((_known(workspace, int(number)),))
    found = _RANGE.fullmatch(target)
    if found:
        return Selection(_in_range(workspace, int(found[1]), int(found[2])))
    if target.endswith(".md") and os.path.isfile(os.path.join(workspace, target)):
        return _from_file(workspace, os.path.relpath(os.path.join(workspace, target), workspace))
    return Selection((_named(workspace, target),))


def _known(workspace: str, number: int) -> int:
    if all(number != found for found, _ in issue_files(workspace)):
        raise IssueFault(f"there is no issue {number}", "`hookline issues list` shows the issues")
    return number


def _in_range(workspace: str, first: int, last: int) -> tuple[int, ...]:
    if first > last:
        raise UsageError(f"the range {first}-{last} is empty", f"write `{last}-{first}`")
    inside = [number for number, _ in issue_files(workspace) if first <= number <= last]
    if not inside:
        raise IssueFault(
            f"there are no issues from {first} to {last}", "`hookline issues list` shows the issues"
        )
    open_ones = set(pending(workspace))
    return tuple(number for number in inside if number in open_ones)


def _from_file(workspace: str, path: str) -> Selection:
    try:
        return Selection((read_issue(workspace, path).number,))
    except IssueFault:
        if path.replace(os.sep, "/").startswith("issues/"):
            raise
        return Selection((_bootstrap(workspace, path),), grows=True)


def _bootstrap(workspace: str, path: str) -> int:
    """The issue that breaks a specification down into issues; made once."""
    title = f"Implement plan from {path}"
    for standing in standings(workspace):
        if standing.title == title and not standing.done:
            return standing.number
    description = (
        f"Break the specification `{path}` down into issues. For each one write `issues/NUMBER-NAME.md` "
        "(first line `# Issue NUMBER: TITLE`), `plans/NUMBER-NAME.md` (first line "
        "`# Plan for Issue #NUMBER: TITLE`) and a line under Pending Issues in TODO.md: "
        "``- [ ] **[Issue #NUMBER]** TITLE - `issues/NUMBER-NAME.md` ``."
    )
    criteria = ("Every part of the specification is covered by an issue with a plan",)
    return create_issue(workspace, Draft(title, description, criteria)).number


def _named(workspace: str, name: str) -> int:
    """The issue whose file name or title is, or contains, `name`."""
    every = standings(workspace)
    wanted, folded = slug_of(name.removesuffix(".md")), name.casefold()
    exact = [
        s for s in every if folded == s.title.casefold() or wanted in (_stem(s), _stem(s).partition("-")[2])
    ]
    partial = [s for s in every if folded in s.title.casefold() or (wanted and wanted in _stem(s))]
    found: Sequence[TodoEntry] = exact or partial
    if not found:
        raise IssueFault(f"no issue is called `{name}`", "`hookline issues list` shows the issues")
    if len(found) > 1:
        shown = ", ".join(f"{standing.number} ({standing.title})" for standing in found[:5])
        raise UsageError(f"`{name}` fits {len(found)} issues: {shown}", "name it by its number")
    return found[0].number


def _stem(standing: TodoEntry) -> str:
    return os.path.basename(standing.file).removesuffix(".md")


def _title(workspace: str, file: str) -> str:
    try:
        return read_issue(workspace, file).title
    except IssueFault:
        return "(unreadable)"
