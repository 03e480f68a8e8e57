"""Issues and plans as AutoAgent keeps them: `issues/<n>-<slug>.md` and `plans/<n>-<slug>.md`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from hookline.hosts.issues.todo import NEW_LIST, with_done, with_entry
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
        raise IssueFault(f"issue {number} has {len(files)} files: {_quoted(files)}", "keep one of them")
    return files[0]


def _plan_of(workspace: str, issue: Issue) -> str:
    same = f"{PLANS}/{os.path.basename(issue.file)}"
    plans = [path for found, path in sorted(_numbered(workspace, PLANS)) if found == issue.number]
    if same in plans:
        return same
    if not plans:
        raise IssueFault(f"issue {issue.number} has no plan", f"write `{same}`")
    if len(plans) > 1:
        raise IssueFault(f"issue {issue.number} has {len(plans)} plans: {_quoted(plans)}", "keep one of them")
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


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


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
