"""Texts of predicates that nothing can ever be, and what a rule makes of its own examples."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookline.dialects.hookline.commands import found_in
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.typing import Any
from hookline.shell.effects.spelled import spelled
from hookline.shell.programs.table import programs

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_BRACES = re.compile(r"\{[^{}\s]*,[^{}\s]*\}")
_EXPRESSION = re.compile(r"^\^|^\.\*|[^$\s]\$$|\\[bsdwBSDW.]|\([^()]*\|[^()]*\)|\w\.\+")
_BETWEEN_WORDS = re.compile(
    r"\w\.\*[-\w]"
)  # `git.*push` is met; behind a program that nobody knows it is not
_BETWEEN = re.compile(r"\|\|?|&&|;")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/@]*@)?([^/:]+)(?::\d+)?(?:/.*)?", re.IGNORECASE)


def why_dead(key: str, text: str) -> tuple[str, str] | None:
    """What keeps a text of that predicate from ever being met, and what to write instead; None for nothing."""
    if key.startswith("shell"):
        return _dead_command(_QUOTED.sub("''", text), text)
    if key == "connect":
        return _dead_host(text)
    return _dead_path(text)


def _dead_command(bare: str, text: str) -> tuple[str, str] | None:
    if _EXPRESSION.search(bare) or (_BETWEEN_WORDS.search(bare) and _BETWEEN_WORDS.search(_meant(text))):
        return (
            f"`{text}` is read as a command's words, not as a regular expression",
            'write the words: `"git push"`',
        )
    if bare.startswith("$ "):
        return f"`{text}` begins with a prompt, which is no word of a command", f"write `{text[2:]}`"
    if bare.startswith("!"):
        return f"`{text}` cannot be met: there is no `!` here", "write what is to pass into `except`"
    if _BRACES.search(bare):
        return (
            f"`{text}` has braces, which stand for themselves here",
            'write a list: `["git push", "git pull"]`',
        )
    if _BETWEEN.search(bare) or bare.startswith("("):
        words = f"`{text}` is more than one command, and commands are looked at one by one"
        return words, 'write a list, `["git push", "git pull"]`; `does` knows what goes from one to another'
    if re.search(r"(?:^|\s)[0-9&]?[<>]", bare):
        return (
            f"`{text}` has a redirection, which is no word of a command",
            'files are for `write = "…"` and `read`',
        )
    return None


def _meant(text: str) -> str:
    return " ".join(spelled(text, programs("")))


def _dead_host(text: str) -> tuple[str, str] | None:
    found = _ADDRESS.fullmatch(text)
    if found is None or found[1] == text:
        return None
    if re.fullmatch(r"[\d.]+/\d+", text):
        return f"`{text}` is a network, and hosts are compared as text", 'write `"10.0.*"`'
    return f"`{text}` is more than a host", f'write `"{found[1]}"`'


def _dead_path(text: str) -> tuple[str, str] | None:
    if text.startswith("$"):
        return (
            f"`{text}` begins with a variable, of which nothing is known here",
            "write `~/…` or the whole path",
        )
    if text.startswith("!"):
        return f"`{text}` cannot be met: there is no `!` here", "write what is to pass into `except`"
    if text.startswith("../"):
        return f"`{text}` leads out of the project", 'write the whole path, or `outside = "workspace"`'
    if _BRACES.search(text):
        return f"`{text}` has braces, which stand for themselves here", 'write a list: `["src/**", "lib/**"]`'
    return None


def came_to(
    example: str | Mapping[str, Any],
    predicates: Mapping[str, Any],
    rows: Mapping[str, Any],
    workspace: str,
    allows: bool = False,
) -> tuple[str, str]:
    """`met`, `unmet` or `unsure`, and by what; of a rule that `allows` as such a rule is taken."""
    tool, given = (
        ("Bash", {"command": example}) if isinstance(example, str) else (example["tool"], example["input"])
    )
    event = Event(EventKind.PreToolUse, cwd=workspace, workspace=workspace, body=ToolCall(tool, given))
    finding = found_in(predicates, event, rows.get("programs", ""), rows.get("tools"), allows)
    if finding.doubt:
        return "unsure", finding.doubt
    if finding.unmet:
        return "unmet", finding.unmet
    return "met", ", ".join(f"`{each['command']}`" for each in finding.derivation) or "the call itself"
