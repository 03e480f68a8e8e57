"""Hooks of Kiro's IDE before 1.0, a file `*.kiro.hook` each: read to be told of, as no Kiro of today runs them."""

from __future__ import annotations

import re

from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.reading.documents import read_source
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest
from hookline.model.hooks import HookSpec
from hookline.model.typing import Any

TRIGGERS = (
    "fileEdited", "fileCreated", "fileDeleted", "userTriggered", "promptSubmit", "agentStop", "preToolUse",
    "postToolUse", "preTaskExecution", "postTaskExecution",
)  # fmt: skip
ACTIONS = {"askAgent": "prompt", "runCommand": "command"}
_OF_FILES = "file"  # how the names of triggers begin that are about files
# what people write for the file that was saved: the IDE fills nothing in, and sets USER_PROMPT alone
_PLACEHOLDER = re.compile(
    r"\$\{?(?:file|filePath|file_path|FILE|FILE_PATH|KIRO_\w+)\b\}?|\{\{\s*file\w*\s*\}\}|(?<![\w$])\{file(?:Path)?\}"
)
_SAID_AND_FAILED = re.compile(r"\becho\b(?P<said>[^;&|\n]*)(?:&&|;|\n)\s*exit\s+[1-9]")


def read_old(given: SourceText) -> Loaded:
    """What is wrong with one file; it has no hook that anything runs."""
    return read_source(given, _read)


def _read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
    words = "a hook as Kiro's IDE had it before 1.0: IDE 1.x and Kiro's CLI do not run it"
    hint = "write it into `.kiro/hooks/NAME.json`, as `hookline docs kiro` shows"
    root.report(root.node, "agent-alone", words, hint, severity="notice")
    when, then = root.object("when", required=True), root.object("then", required=True)
    trigger = when.string("type", required=True) if when else None
    if when and trigger is not None:
        _check_trigger(when, trigger)
    if then and (kind := then.choice("type", ACTIONS, required=True)):
        then.string(ACTIONS[kind], required=True, blank=False)
    if then and (line := then.string("command")):
        _check_line(then, line)
    return (), {}


def _check_trigger(when: Reader, trigger: str) -> None:
    if trigger not in TRIGGERS:
        meant = nearest(trigger, TRIGGERS)
        hint = f"did you mean `{meant}`?" if meant else f"known triggers: {', '.join(TRIGGERS)}"
        when.report(when.node.members["type"], "unknown-event", f"there is no trigger `{trigger}`", hint)
    if trigger.startswith(_OF_FILES):
        when.string_list("patterns", required=True)


def _check_line(then: Reader, line: str) -> None:
    node = then.node.members["command"]
    if found := _PLACEHOLDER.search(line):
        words = (
            f"Kiro fills in no `{found[0]}`, so the command gets no file, and may do its work on all of them"
        )
        hint = "ask git for the files that changed, or use `askAgent`"
        then.report(node, "unset-variable", words, hint, severity="error")
    if (found := _SAID_AND_FAILED.search(line)) and ">&2" not in found["said"]:
        words = "of a hook that fails Kiro hands on standard error alone, so the reason is lost"
        then.report(node, "unread-output", words, "write `>&2` behind `echo`", severity="warning")
