"""Tools that a matcher keeps away from the script it starts, and those it lets come in vain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.comparisons import branches
from hookline.checking.lines import HookLine
from hookline.dialects.matching.matchers import listed_names
from hookline.dialects.tools import CANONICAL
from hookline.model.errors import Problem


def matcher_problems(line: HookLine, text: str, shown: str, where: str) -> Iterator[Problem]:
    """The first branch of a script that no call reaches, and a tool whose file it never looks at."""
    for kept_out in _kept_out(line, text, shown)[:1]:
        words = f"{where} compares `tool_name` with {kept_out}, which its matcher does not let through"
        yield line.entry.at_line("unsent-value", words, "add it to the matcher, or take the test away")
    names, words_there = listed_names(line.entry.spec.matcher), frozenset(re.findall(r"\w+", text))
    unread = {"tool_input", "file_path"} <= words_there and "notebook_path" not in words_there
    if unread and len(names) > 1 and "NotebookEdit" in names:
        words = f"{where} reads no `notebook_path`, which is what a call of `NotebookEdit` has: it sees none of those"
        hint = "read `notebook_path` too, or take the tool off the matcher"
        yield line.entry.at_line("unsent-field", words, hint)


def _kept_out(line: HookLine, text: str, shown: str) -> list[str]:
    """The tools that a script has a branch for, and that none of its hooks lets come, branch by branch."""
    entry = line.entry
    if entry.rule is None or entry.rule.subject != "tool_name" or not shown:
        return []
    name = shown.rpartition("/")[2]
    alike = [each for each in entry.file.entries if name in " ".join((each.line, *each.argv))]
    matchers = [listed_names(each.spec.matcher) for each in (entry, *alike)]
    let = {entry.speaker.tools.canonical(each) for names in matchers for each in names}
    known = {*CANONICAL, *(native for _, native in entry.speaker.tools.names)}
    if not all(matchers):
        return []
    return [
        ", ".join(f"`{each}`" for each in branch)
        for branch in branches(text)
        if known - entry.traps.gone >= {*branch} and not let & {*map(entry.speaker.tools.canonical, branch)}
    ]
