"""Scripts that cut what they are sent to a length, and take it for JSON then."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

# what comes with texts of any length: a file, a command and its output, a prompt, an answer
_LONG = frozenset({
    EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PostToolUseFailure, EventKind.PermissionRequest,
    EventKind.UserPromptSubmit, EventKind.Stop, EventKind.SubagentStop,
})  # fmt: skip
_MOST = 16 * 1024  # letters; more is a bound that few calls come near to
_SIZE = r"(?P<size>\w+)"
_IN_SHELL = late(
    rf"(?<!\w)(?P<name>\w+)=\"?\$\(\s*(?:cat\s*\|\s*)?head\s+(?:-c|--bytes=?)\s*{_SIZE}\s*(?:2>/dev/null\s*)?(?:\|\|\s*true\s*)?\)"
    rf"|(?m:^[ \t]*|\$\([ \t]*)(?:cat\s*\|\s*)?head\s+-c\s*(?P<piped>\d+)\s*\|\s*jq\b",
    needs=("head",),
)
_TAKEN = (
    r"\b(?:echo|printf)\b[^|\n]*\$\{?%s\b[^|\n]*\|\s*(?:jq|python3?|node)\b|\bjq\b[^\n]*<<<\s*\"?\$\{?%s\b"
)
_READ = r"sys\.stdin(?:\.buffer)?\.read\(\s*(?:(?P<{0}>\w+)\s*\)|\)\s*\[\s*:\s*(?P<{1}>\w+)\s*\])"
_IN_PYTHON = late(
    rf"\bjson\.loads\(\s*(?:{_READ.format('read', 'part')}|\w+(?:\.strip\(\))?\s*\[\s*:\s*(?P<cut>\w+)\s*\])"
    rf"|(?m:^[ \t]*)(?P<name>\w+)\s*(?::\s*\w+\s*)?=\s*{_READ.format('kept', 'rest')}",
    needs=("stdin", "json"),
)
_IN_SCRIPT = late(
    rf"\bJSON\.parse\(\s*[\w$]+(?:\.\w+\(\))*\.(?:slice|substring|substr)\(\s*0\s*,\s*{_SIZE}\s*\)",
    needs=("JSON",),
)
_CONSTANT = (
    r"(?m)^(?:export\s+)?(?:const\s+|let\s+|readonly\s+)?%s\s*(?::\s*\w+\s*)?=\s*([\d_]+)\s*(?:;|#|//|$)"
)


def cut_input(line: HookLine) -> Iterator[Problem]:
    """The first script that does so, where what it is sent may well be longer."""
    if line.entry.spec.kind not in _LONG or not is_agent(line.entry.speaker.name):
        return
    for shown, where, text in line.texts[1:]:
        size = next(_sizes(text, is_shell(shown, line.scripts[shown])), 0)
        if size:
            words = f"{where} cuts what it is sent after {size} letters and reads that as JSON: a longer call is none"
            yield line.entry.at_line("cut-value", words, "read all of it, and cut what is kept of it")
            return


def _sizes(text: str, in_shell: bool) -> Iterator[int]:
    for form in (_IN_SHELL,) if in_shell else (_IN_PYTHON, _IN_SCRIPT):
        for found in form.finditer(text):
            groups = found.groupdict()
            name = groups.pop("name", None)
            size = _number(next(filter(None, groups.values())), text)
            read = (
                not name
                or (in_shell and re.search(_TAKEN % (name, name), text))
                or (not in_shell and re.search(rf"\bjson\.loads\(\s*{name}\b", text))
            )
            if 0 < size <= _MOST and read:
                yield size


def _number(word: str, text: str) -> int:
    """The number that a word is, or is the name of; 0 where it is none."""
    given = None if word[0].isdigit() else re.search(_CONSTANT % re.escape(word), text)
    told = given[1] if given else word
    return int(told.replace("_", "")) if told.replace("_", "").isdigit() else 0
