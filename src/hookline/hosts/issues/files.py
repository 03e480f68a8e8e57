"""Issues and plans as AutoAgent keeps them, `issues/<n>-<slug>.md` and `plans/<n>-<slug>.md`, and TODO.md."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from hookline.dialects.spelling import quoted
from hookline.model.errors import HooklineError, UsageError
from hookline.model.record import Record
from hookline.system.files import ensure_dir, list_dir, read_text, write_atomic
from hookline.system.locks import file_lock

ISSUES, PLANS, TODO = "issues", "plans", "TODO.md"
RULES, RULES_LINKS = "AGENT.md", ("CLAUDE.md", "GEMINI.md")
RULES_TEXT = "# Rules for agents\n\nWhat every agent that works here has to know.\n"
SLUG_LIMIT = 80
_NAME = re.compile(r"(\d+)(?:-.*)?\.md")
_ISSUE_HEAD = re.compile(r"# +Issue +#?(\d+) *: *(\S.*?)\s*")
_PLAN_HEAD = re.compile(r"# +Plan +for +Issue +#?(\d+) *(?::.*)?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ODD = re.compile(r"[\0\ud800-\udfff]")  # NUL, and what stands for bytes that are no UTF-8

PENDING, COMPLETED = "Pending Issues", "Completed Issues"
NEW_LIST = f"# To-Do\n\n## {PENDING}\n\n## {COMPLETED}\n"
_ENTRY = re.compile(r"[-*+] \[([ xX])\] \*\*\[Issue #(\d+)\]\*\*[ \t]*(.*?)\s*")
_FILE = re.compile(r"(.*?)(?: - `([^`]*)`)?")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*")


class IssueFault(HooklineError):
    """An issue or plan file that is missing or cannot be understood."""


class Issue(Record):
    """One issue; `file` and `plan_file` are relative to the workspace, `plan` is the plan's text."""

    number: int
    title: str
    file: str
    plan_file: str = ""
    text: str = ""
    plan: str = ""


class Draft(Record):
    """What a new issue says."""

    title: str
    description: str = ""
    acceptance: tuple[str, ...] = ()
    details: str = ""


def slug_of(title: str) -> str:
    """The title as part of a file name: lower case, `[a-z0-9-]` only; may be empty."""
    kept = re.sub(r"[^a-z0-9.-]", "", re.sub(r"\s+", "-", title.lower()))
    slug = re.sub(r"-+", "-", kept.replace(".", "-")).strip("-")
    return slug if len(slug) <= SLUG_LIMIT else slug[:SLUG_LIMIT].rsplit("-", 1)[0].strip("-")


def issue_files(workspace: str) -> tuple[tuple[int, str], ...]:
    """Numbers and relative paths of all issue files, by number."""
    return tuple(sorted(_numbered(workspace, ISSUES)))


def load_issue(workspace: str, number: int) -> Issue:
    """The issue with its plan. Raises IssueFault when either is missing or unparseable."""
    issue = read_issue(workspace, _file_of(workspace, number))
    if issue.number != number:
        raise IssueFault(
            f"`{issue.file}` calls itself issue {issue.number}", f"write `# Issue {number}: {issue.title}`"
        )
    plan_file = _plan_of(workspace, issue)
    return Issue(
        number, issue.title, issue.file, plan_file, issue.text, _plan_text(workspace, issue, plan_file)
    )


def read_issue(workspace: str, path: str) -> Issue:
    """An issue file alone; `path` is relative to the workspace. Raises IssueFault."""
    found = read_text(os.path.join(workspace, path))
    if found.state != "text":
        raise IssueFault(f"issue file `{path}` is {found.state}", found.reason or None)
    head = _ISSUE_HEAD.fullmatch(_first_line(found.text))
    if head is None:
        raise IssueFault(f"`{path}` has no title", "write `# Issue NUMBER: TITLE` into its first line")
    return Issue(int(head[1]), head[2], path, text=found.text)


def create_issue(workspace: str, draft: Draft) -> Issue:
    """Writes issue, plan and the TODO entry under the next free number."""
    title = checked_title(draft.title)
    if any(map(_ODD.search, (title, draft.description, draft.details, *draft.acceptance))):
        raise UsageError(
            "what an issue says has letters that are not UTF-8", "its files could not be read again"
        )
    with file_lock(os.path.join(workspace, ISSUES, ".new")):
        number = max((number for number, _ in issue_files(workspace)), default=0) + 1
        name = f"{number}-{slug_of(title) or 'issue'}.md"
        issue = Issue(number, title, f"{ISSUES}/{name}", f"{PLANS}/{name}")
        write_atomic(os.path.join(workspace, issue.file), _issue_text(issue, draft))
        ensure_dir(os.path.join(workspace, PLANS))
        write_atomic(os.path.join(workspace, issue.plan_file), _plan_draft(issue, draft))
        _list_in_todo(workspace, issue)
    return issue


def prepare_workspace(workspace: str) -> tuple[str, ...]:
    """Makes what AutoAgent expects and is not there yet: folders, TODO.md, AGENT.md with links; says what."""
    made = []
    for folder in (ISSUES, PLANS):
        if not os.path.lexists(os.path.join(workspace, folder)):
            ensure_dir(os.path.join(workspace, folder))
            made.append(f"{folder}/")
    for name, text in ((TODO, NEW_LIST), (RULES, RULES_TEXT)):
        if not os.path.lexists(os.path.join(workspace, name)):
            write_atomic(os.path.join(workspace, name), text)
            made.append(name)
    for link in RULES_LINKS:
        if not os.path.lexists(os.path.join(workspace, link)):
            os.symlink(RULES, os.path.join(workspace, link))
            made.append(f"{link} -> {RULES}")
    return tuple(made)


def checked_title(title: str) -> str:
    """The title without blanks around it. Raises UsageError when it is no single line of text."""
    shown = title.strip()
    if not shown or _CONTROL.search(shown):
        raise UsageError("a title is one line of text", "put the rest into the description: `-d TEXT`")
    return shown


def change_todo(workspace: str, number: int, title: str, file: str) -> None:
    """Checks the issue's box in TODO.md; every other line stays as it is."""
    path = os.path.join(workspace, TODO)
    with file_lock(path):
        text = todo_text(workspace)
        done = with_done(text, number)
        if done is None:
            done = with_done(with_entry(text, number, title, file), number) or text
        if done != text:
            write_atomic(path, done)


def todo_text(workspace: str) -> str:
    """TODO.md as it is; empty when there is none. Raises IssueFault when it cannot be read."""
    found = read_text(os.path.join(workspace, TODO))
    if found.state not in ("text", "empty", "missing"):
        raise IssueFault(f"`{TODO}` is {found.state}", found.reason or None)
    return found.text


def _list_in_todo(workspace: str, issue: Issue) -> None:
    path = os.path.join(workspace, TODO)
    with file_lock(path):
        write_atomic(path, with_entry(todo_text(workspace), issue.number, issue.title, issue.file))


def _numbered(workspace: str, folder: str) -> Iterator[tuple[int, str]]:
    for entry in list_dir(os.path.join(workspace, folder)).entries:
        found = _NAME.fullmatch(entry.name)
        if found and entry.kind == "file":
            yield int(found[1]), f"{folder}/{entry.name}"


def _file_of(workspace: str, number: int) -> str:
    files = [path for found, path in issue_files(workspace) if found == number]
    if not files:
        raise IssueFault(f"there is no issue {number}", "`hookline issues list` shows the issues")
    if len(files) > 1:
        raise IssueFault(f"issue {number} has {len(files)} files: {quoted(files)}", "keep one of them")
    return files[0]


def _plan_of(workspace: str, issue: Issue) -> str:
    same = f"{PLANS}/{os.path.basename(issue.file)}"
    plans = [path for found, path in sorted(_numbered(workspace, PLANS)) if found == issue.number]
    if same in plans:
        return same
    if not plans:
        raise IssueFault(f"issue {issue.number} has no plan", f"write `{same}`")
    if len(plans) > 1:
        raise IssueFault(f"issue {issue.number} has {len(plans)} plans: {quoted(plans)}", "keep one of them")
    return plans[0]


def _plan_text(workspace: str, issue: Issue, path: str) -> str:
    found = read_text(os.path.join(workspace, path))
    if found.state != "text":
        raise IssueFault(f"plan file `{path}` is {found.state}", found.reason or None)
    head = _PLAN_HEAD.fullmatch(_first_line(found.text))
    if head is None or int(head[1]) != issue.number:
        wanted = f"# Plan for Issue #{issue.number}: {issue.title}"
        raise IssueFault(f"`{path}` is no plan for issue {issue.number}", f"its first line is `{wanted}`")
    return found.text


def _first_line(text: str) -> str:
    return text.removeprefix("\ufeff").lstrip("\r\n").split("\n", 1)[0].rstrip()


def _issue_text(issue: Issue, draft: Draft) -> str:
    criteria = draft.acceptance or (f"{issue.title} is done",)
    parts = [
        f"# Issue {issue.number}: {issue.title}",
        "## Description\n" + (draft.description.strip() or issue.title),
        "## Requirements\n" + (draft.details.strip() or draft.description.strip() or issue.title),
        "## Acceptance Criteria\n" + "\n".join(f"- [ ] {text}" for text in criteria),
    ]
    return "\n\n".join(parts) + "\n"


def _plan_draft(issue: Issue, draft: Draft) -> str:
    parts = [
        f"# Plan for Issue #{issue.number}: {issue.title}",
        f"This document outlines the plan for `{issue.file}`.",
        "## Overview\n" + (draft.description.strip() or issue.title),
        "## Implementation Steps\n- [ ] " + issue.title,
    ]
    return "\n\n".join(parts) + "\n"


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
