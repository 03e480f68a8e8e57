"""`touches = "guards"`: calls that change the rules an agent works under, or go around them (R69).

A path counts as written and with its links resolved, in any letter case, and whether or not it exists yet
(R70). A shell can always say things nobody foresees: this stops the plain ways. Behind it stands trust, by
which a changed hook does not run.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.events import Event

_PLACES = (
    r"\.hookline(?:/|$)", r"\.claude/(?:settings(?:\.local)?\.json$|hooks(?:/|$))",
    r"\.(?:gen|mycode)/settings(?:\.local)?\.json$", r"\.gemini/settings\.json$",
    r"\.codex/(?:hooks\.json|config\.toml)$", r"\.cursor/hooks\.json$", r"\.github/hooks(?:/|$)",
    r"\.github/copilot/settings(?:\.local)?\.json$", r"\.copilot/(?:settings\.json$|hooks(?:/|$))",
    r"\.discobot/hooks(?:/|$)", r"\.iteratr\.hooks\.yml$", r"\.autoagent/config\.json$", r"cocode/hooks\.toml$",
    r"\.git/(?:config$|hooks(?:/|$))", r"\.husky(?:/|$)",
    r"hookline/(?:hooks\.toml|trust\.json|trust-log\.jsonl|trust-requests\.json)$",
    r"etc/(?:hookline|claude-code|gemini-cli)(?:/|$)",
    r"\.(?:git|claude|gen|mycode|gemini|codex|cursor|copilot|discobot|autoagent)$",  # with all that is in them
)  # fmt: skip
_PROTECTED = re.compile(rf"(?:^|/)(?:{'|'.join(_PLACES)})", re.IGNORECASE)
_BYPASSES = re.compile(
    r"\bgit\b.*\bcommit\b.*\s(?:--no-verify\b|-[a-mo-zA-Z]*n)|\bgit\b.*\bpush\b.*\s--no-verify\b"
    r"|\bcore\.(?:hookspath|fsmonitor)\b|\b(?:HOOKLINE_TRUST|DISCOBOT_HOOKS_ENABLED|HUSKY|SKIP)="
    r"|\bhookline(?:['\"]?\s+)(?:trust|disable|uninstall|config)\b",
    re.IGNORECASE,
)
_LOOKING = frozenset({
    "cat", "less", "more", "head", "tail", "ls", "stat", "file", "wc", "grep", "rg", "diff", "cmp", "jq", "find",
    "sha256sum", "md5sum", "du", "tree", "bat", "echo", "printf", "test", "[", "cd", "pwd",
})  # fmt: skip
_LOOKING_GIT = frozenset({"status", "diff", "log", "show", "blame", "ls-files", "grep", "add", "rev-parse"})
_READING_TOOLS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch"})
_WORD_ENDS = re.compile(r"[\s'\"=;|&()<>]+")
_ENTERS = re.compile(r"\b(?:cd|pushd)\s+(?:--\s+)?(?P<path>['\"]?[^\s'\";|&()<>]+)")
_WRITES = re.compile(r">[>|&]?\s*(?P<path>['\"]?[^\s'\";|&()<>]+)")


def touches_guards(event: Event) -> str | None:
    """Why a tool call leaves the guards alone, in words; None when it touches them, or may."""
    from hookline.dialects.matching.permission_rules import SHELLS, input_paths
    from hookline.dialects.tools import call_names

    given = event.get("tool_input")
    given = given if isinstance(given, dict) else {}
    names = frozenset(call_names(event))
    if names & frozenset(SHELLS):
        touched = _command_touches(given, event)
    else:
        touched = not names <= _READING_TOOLS and any(
            _is_protected(path, _folder(event)) for path in input_paths(given)
        )
    return None if touched else '`touches = "guards"`: this call changes no hooks and no trust'


def _command_touches(given: Mapping[str, Any], event: Event) -> bool:
    from hookline.dialects.matching.permission_rules import Unparsable, sub_commands

    line = str(given.get("command", ""))
    if _BYPASSES.search(line):
        return True
    folders = _folders(line, event)

    def is_protected(word: str) -> bool:
        return any(_is_protected(word, folder) for folder in folders)

    if any(is_protected(found["path"].strip("'\"")) for found in _WRITES.finditer(line)):
        return True
    try:
        commands = [command for command in sub_commands(line) if not _only_looks(command)]
    except Unparsable:
        commands = [line]
    return any(is_protected(word) for command in commands for word in _WORD_ENDS.split(command))


def _folder(event: Event) -> str:
    return event.cwd or event.workspace or os.sep


def _folders(line: str, event: Event) -> list[str]:
    """Where a command line may be at work: where it starts, and every folder that it enters."""
    found = [_folder(event)]
    for entered in _ENTERS.finditer(line):
        found.append(os.path.join(found[-1], os.path.expanduser(entered["path"].strip("'\""))))
    return found


def _only_looks(command: str) -> bool:
    words = command.split()
    program = os.path.basename(words[0]) if words else ""
    if program == "git":
        return len(words) > 1 and words[1] in _LOOKING_GIT
    if program == "find" and {"-delete", "-exec", "-execdir", "-ok"} & set(words):
        return False
    return program in _LOOKING


def _is_protected(path: str, folder: str) -> bool:
    if not path:
        return False
    full = os.path.join(folder, os.path.expanduser(path))
    return any(_PROTECTED.search(form) for form in (os.path.normpath(full), os.path.realpath(full)))
