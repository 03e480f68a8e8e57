"""Checks whose findings a script does not tell: its end, or what is asked, comes before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.scripts.shell_traps import ended_by
from hookline.checking.steps.languages import is_shell
from hookline.checking.texts.plain_output import looks
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_KEPT = late(
    r"(?m)^[ \t]*(?P<name>[A-Za-z_]\w*)=\"?\$\((?P<run>(?:[^\n()]|\$\([^\n()]{0,200}\)){3,400})\)\"?[ \t]*(?:#[^\n]*)?$"
)
_ASKED = late(
    r"(?m)^[ \t]*(?:el)?if[ \t]+(?P<run>(?!!)[^\n|;]{3,200}?)[ \t]*\|[ \t]*e?grep[ \t]+(?:-[A-Za-z]+[ \t]+)*?"
    r"-[A-Za-z]*q[^\n|]*(?:;[ \t]*|\n[ \t]*)then\b"
)
# what prints nothing, and is handed on all the same
_SILENT = late(
    r"\be?grep[ \t]+(?:-[A-Za-z]+[ \t]+){0,4}(?P<told>-[A-Za-z]*q[A-Za-z]*)(?:[ \t]+-[A-Za-z]+){0,4}[ \t]+(?:--[ \t]+)?"
    r"(?:'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|[^\s|;&\"']{1,80})"
    r"(?:[ \t]+[^\s|;&\"'>]{1,80}|[ \t]+\"[^\"\n]{0,80}\")?[ \t]*\|(?!\|)[ \t]*(?P<next>\w+)"
)
_FUNCTION = late(r"(?m)^(?:function\s+)?(\w+)\s*\(\)\s*\{")
_WELL = late(r"\|\||--exit-zero|--no-error|;[ \t]*true\b")
_SEARCHES = frozenset({"grep", "rg", "git"})  # which find nothing, or fail, without a report


def ended_reports(line: HookLine) -> Iterator[Problem]:
    """The first check of each shell script whose findings are not told, and a search that hands nothing on."""
    for shown, _, text in line.texts[1:]:
        if not is_shell(shown, line.scripts[shown]):
            continue
        told = next(_ended(text), None) or next(_unmet(text), None)
        if told:
            yield line.entry.at_line("lost-exit", f"`{shown}` {told[0]}", told[1])
        if found := _SILENT.search(text):
            words = (
                f"`{shown}` pipes `grep {found['told']}` into `{found['next']}`, which is given nothing by it"
            )
            yield line.entry.at_line(
                "dead-pattern", words, "take the `q` away, and put it behind the last one"
            )


def _ended(text: str) -> Iterator[tuple[str, str]]:
    for found in _KEPT.finditer(text):
        first, piped, _ = found["run"].partition("|")
        words, name = _words(first, text), found["name"]
        behind = text[found.end() :]
        if (
            looks(words)
            and words[0] not in _SEARCHES
            and not _WELL.search(found["run"])
            and not (piped and "pipefail" not in text)
            and ended_by(text, found.start()) == "set -e"
            and not _asked(text, found.start())
            and re.search(rf"\$\{{?{name}\b", behind)
            and "$?" not in behind.lstrip().partition("\n")[0]
        ):
            told = f"is over where `{name}=$({' '.join(words[:2])} …)` fails, before it says what that found"
            yield f"{told}: `set -e` ends it", "write `|| true` behind it"


def _unmet(text: str) -> Iterator[tuple[str, str]]:
    for found in _ASKED.finditer(text) if "pipefail" in text else ():
        words = _words(found["run"], text)
        if looks(words) and words[0] not in _SEARCHES and not _WELL.search(found["run"]):
            told = f"asks `{' '.join(words[:3])} … | grep -q …` under `pipefail`"
            yield (
                f"{told}: where the check fails, that is not met",
                "keep its output first, `out=$(… || true)`, and look in that",
            )


def _words(run: str, text: str) -> list[str]:
    """The words of a command, its program by the last value of the variable that stands for it."""
    words = [each.strip("\"'") for each in re.sub(r"\d?>{1,2}&?\s*\S+", " ", run).split()]
    while words and re.fullmatch(r"[A-Za-z_]\w*=\S*", words[0]):
        words = words[1:]
    named = re.fullmatch(r"\$\{?(\w+)\}?", words[0]) if words else None
    if named:
        kept = re.findall(rf"(?m)\b{named[1]}=\"?[^\"\n]*?([\w-]+)\"?[ \t]*$", text)
        words = [*kept[-1:], *words[1:]]
    return [words[0].rpartition("/")[2], *words[1:]] if words else ["?"]


def _asked(text: str, at: int) -> bool:
    """Whether a place stands in a function that something asks: `set -e` does not hold there."""
    opened = [*_FUNCTION.finditer(text, 0, at)]
    closed = text.find("\n}", opened[-1].end()) if opened else -1
    name = opened[-1][1] if closed > at else ""
    asked = rf"(?m)(?:\bif|\bwhile|!|&&|\|\|)\s*{name}\b|^[ \t]*{name}\b[^\n]*(?:&&|\|\|)|\$\(\s*{name}\b"
    return bool(name and re.search(asked, text))
