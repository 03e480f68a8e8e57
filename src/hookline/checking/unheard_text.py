"""Plain words of a script that nobody hears, for the stream they are printed on or the code it ends with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.heard import heard
from hookline.checking.lines import HookLine
from hookline.checking.only_printing import only_printing
from hookline.checking.plain_output import is_heard
from hookline.checking.script_rules import ANSWERS, ends_silently, weak_exit
from hookline.checking.spoken import spoken_in
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.results import RawResult

_WHY = "why it is so"
# words that want something of who reads them; what only reports ("Formatted", "done") loses nothing unread
_WANTS = re.compile(
    r"(?i:\b(?:warn(?:ing)?|caution|violat\w*|must|should|please|remember|reminder|don.t|do not|never|avoid|fix"
    r"|instead|review|consider|problems?|errors? (?:in|found)|too (?:long|large|big|many)|next step|make sure"
    r"|check that)\b)"
    r"|⚠|❌|(?m:^\W{0,4}[A-Z][A-Z ]{4,}:)"
)
# a script that cannot do its work says so for whoever looks at its log
_OF_ITSELF = re.compile(
    r"(?i:not found|install|missing|skipp|no such|usage|invalid|could not|couldn.t|unable|unknown|failed to|parse"
    r"|not available|requires?\b|hook error|debug)"
)
_ENDS_BADLY = re.compile(
    r"\bexit\w*[ (]+(?:[1-9]|\$|[a-z_])|\breturn [1-9]\b|exit_?code|SystemExit|\braise\b|\bthrow\b|set -\w*e",
    re.IGNORECASE,
)


def unheard_text(line: HookLine) -> Iterator[Problem]:
    """The first script whose words arrive nowhere."""
    entry = line.entry
    if entry.rule is None or not is_agent(entry.speaker.name) or entry.spec.background:
        return
    found = next(filter(None, (_lost(line, shown, text) for shown, _, text in line.texts[1:])), None)
    if found and not (found[0] == "unread-output" and any(only_printing(line))):
        yield entry.at_line(*found)


def _lost(line: HookLine, shown: str, text: str) -> tuple[str, str, str] | None:
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    spoken = [each for each in spoken_in(shown, line.scripts[shown]) if each.words.strip()]
    if not spoken or ANSWERS.search(text) or any(weak_exit(line, text, shown)):
        return None
    if (
        ends_silently(text)
        and not line.entry.traps.needs_reason
        and _hears(line, 2, True)
        and not _hears(line, 2, False)
    ):
        words = f"`{shown}` ends with 2 and says why on standard output, where {title} does not look for it"
        return "unread-output", words, "print the reason with `>&2`, or on `stderr`"
    if _ENDS_BADLY.search(text) or is_heard(line) or not line.entry.rule or not line.entry.rule.effects:
        return None
    wanting = [each for each in spoken if _WANTS.search(each.words) and not _OF_ITSELF.search(each.words)]
    if not wanting or _hears(line, 0, wanting[0].on_stderr):
        return None
    told = " ".join(wanting[0].words.split())
    stream = "standard error and ends with 0" if wanting[0].on_stderr else "standard output"
    words = f"`{shown}` says `{told:.50}` on {stream}: nobody reads that at `{event}`"
    return (
        "unread-output",
        words,
        f"answer in JSON: `hookline docs {line.entry.speaker.name}` has what it reads",
    )


def _hears(line: HookLine, code: int, on_stderr: bool) -> bool:
    """Whether words on this stream arrive anywhere when the hook ends with this code."""
    said = {"stderr": _WHY} if on_stderr else {"stdout": _WHY, "answer": _WHY}
    outcome = heard(line.entry, RawResult(exit_code=code, **said))  # type: ignore[arg-type]  # texts alone
    return _WHY in repr(outcome) or bool(outcome.problem)  # a fault is told elsewhere
