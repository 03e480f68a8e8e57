"""Guards that end with 1 before they come to their no: by a search that finds nothing, or by an error of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.answers.script_rules import closes
from hookline.checking.fields.always_sent import finds_what_is_sent
from hookline.checking.guards.blanket_allow import DENIES
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.checking.steps.steps_of import steps_of
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_STRICT = late(r"(?m)^[ \t]*set[ \t]+-(?:e\b|\w*e\w*\b|o[ \t]+errexit\b)|^#!\S*[ \t]+-e\w*$")
_PIPEFAIL = late(r"(?m)^[ \t]*set[ \t]+[^\n#]{0,40}\bpipefail\b")
_RELAXED = late(r"(?m)^[ \t]*set[ \t]+\+")
# what a search found, kept under a name; where it fails is for nobody to say
_KEPT = late(
    r"(?m)^(?P<margin>[ \t]*)(?P<name>\w+)=\"?\$\((?P<run>[^\n]{1,400})\)\"?[ \t]*(?:#[^\n]*)?$",
    needs=("$(",),
)
_SEARCH = late(r"(?:^|\|)[ \t]*e?grep\b(?:[^|\"']|\"(?:\\.|[^\"\\])*\"|'[^']*')*")
_STOPS = late(r"(?im)^[ \t]*\$ErrorActionPreference[ \t]*=[ \t]*[\"']?Stop\b")
_FAILS = late(
    r"(?im)^[ \t]*Write-Error\b(?![^\n]*-(?:ErrorAction|EA)\b)[^\n]*\n(?:[ \t]*\n)*[ \t]*(?P<end>exit[ \t]*\(?2\b)",
    needs=("rite-", "RITE-"),
)


def ended_before(line: HookLine) -> Iterator[Problem]:
    """What ends a guard of a shell under `set -e`, and one of PowerShell under `Stop`, before it can say no."""
    for shown, where, text in line.texts[1:] if line.entry.guards else ():
        if shown.endswith(".ps1"):
            yield from _by_its_error(line, shown, where, text)
        elif is_shell(shown, line.scripts[shown]) and DENIES.search(text):
            yield from _by_a_search(line, shown, where, text)


def _by_a_search(line: HookLine, shown: str, where: str, text: str) -> Iterator[Problem]:
    strict = _STRICT.search(text)
    steps = steps_of(shown, line.scripts[shown]) if strict and not _RELAXED.search(text) else None
    if strict is None or steps is None or steps.trapped:
        return
    piped = bool(_PIPEFAIL.search(text))
    functions = [(each.start, each.end) for each in steps.functions.values()]
    script = line.scripts[shown]
    for found in _KEPT.finditer(script):
        run, name = found["run"], found["name"]
        searches = [*_SEARCH.finditer(run)] if "||" not in run and ";" not in run else []
        fails = any(piped or each.end() == len(run) for each in searches)
        asks = (
            rf"-z[ \t]+\"?\$\{{?{name}\b|\[\[?[ \t]+!?[ \t]*\"\$\{{?{name}\}}?\"(?:[ \t]+\]"
            r"|[ \t]+(?:==?|-eq)[ \t]+[\"']?0[\"']?[ \t])"
        )
        inside = any(start < found.start() < end for start, end in functions)
        if (
            fails
            and not inside
            and not finds_what_is_sent(line, run)
            and re.search(asks, script[found.end() :])
        ):
            code = "always-denies" if closes(line) else "lost-exit"
            words = f"{where} has `set -e`: a `grep` that finds nothing in `{name}=$(…)` ends it with 1"
            told = f"{words}, before it asks for `{name}`"
            yield line.entry.at_line(code, told, f"write `{name}=$(… || true)`")
            return


def _by_its_error(line: HookLine, shown: str, where: str, text: str) -> Iterator[Problem]:
    if not _STOPS.search(text) or closes(line):
        return
    steps = steps_of(shown, text)
    for found in _FAILS.finditer(text):
        around = steps.path(found.start("end")) if steps else []
        tried = any(re.match(r"(?i)try\b", text[body[index].start :][:4]) for body, index, _ in around)
        if not tried:
            words = f"{where} says no by `Write-Error`, which ends it with 1 under `$ErrorActionPreference = 'Stop'`"
            yield line.entry.at_line(
                "weak-exit", f"{words}: `exit 2` is not reached", "write `[Console]::Error.WriteLine(…)`"
            )
            return
