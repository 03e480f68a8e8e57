"""Plain words of a script that nobody hears, for the stream they are printed on or the code it ends with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.heard import heard
from hookline.checking.lines import HookLine, without_comments
from hookline.checking.only_printing import only_printing
from hookline.checking.plain_output import is_heard
from hookline.checking.script_rules import ANSWERS, ends_silently, weak_exit
from hookline.checking.spoken import spoken_in
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.results import RawResult
from hookline.system.patterns.late import late

_WHY = "why it is so"
# words that want something of who reads them; what only reports ("Formatted", "done") loses nothing unread
_WANTS = late(
    r"(?i:\b(?:warn(?:ing)?|caution|violat\w*|must|should|please|remember|reminder|don.t|do not|never|avoid|(?<!-)fix"
    r"|instead|review|consider|problems?|(?:errors?|issues?|failures?) (?:in|found)|found (?:\w+ )?(?:issues|errors)"
    r"|too (?:long|large|big|many)|next step|make sure|run (?=[`/'\"]|npm |make |\./)"
    r"|check that|atenci[oó]n|advertencia|aten[cç][aã]o|aviso|cuidado|achtung|warnung|bitte|avertissement)\b)"
    r"|⚠|❌|请|警告|注意|必须|禁止|不要|不得|建议|接近|超过|检测到|发现|ください|修正|検出|주의|하세요|경고|감지|금지"
    r"|(?i:внимание|предупрежд|ошибк|нельзя)|(?m:^\W{0,4}[A-Z][A-Z ]{4,}:)"
)
# a script that cannot do its work says so for whoever looks at its log
_OF_ITSELF = late(
    r"(?i:not found|install|missing|skipp|no such|usage|invalid|could not|couldn.t|unable|unknown|failed to|parse"
    r"|not available|requires?\b|hook error|debug|corrupt|not a valid|transcript)"
)
_ENDS_BADLY = late(
    r"\bexit\w*[ (]+(?:[1-9]|\$|[a-z_])|\breturn [1-9]\b|exit_?code\s*[:=]\s*[1-9]|SystemExit|\braise\b|\bthrow\b",
    re.IGNORECASE,
)
# the call of the function that was read already, and what is done about an error
_OF_ERRORS = late(
    r"(?:sys\.exit|(?:raise\s+)?SystemExit|process\.exit)\(\s*(?:asyncio\.run\(\s*)?(?:await\s+)?main\("
    r"|\.catch\([\s\S]{0,200}?exit\(\d\)|\bexcept\b[^\n]*:[^\n]*\n(?:[ \t]+[^\n]*\n){0,4}?[ \t]+sys\.exit\(\d\)"
    r"|\bcatch\b[^\n{]*\{[^{}]{0,300}?exit\(\d\)"
)
_JOINED = late(r"2>\s*&\s*1|&>\s*&?1")
# a reason in a variable, and one in an answer that is the last thing before the script ends with 2
_SAYS_WHY = late(r"(?m)^\s*print\((?:reason|message|msg|error|why|warning)\w*\)\s*$")
_ENDS = late(r"\b(?:exit|return)[ (]+2\b")
_OTHER_BRANCH = late(r"(?m)^\s*(?:fi|else|elif|esac|done|;;|def|function)\b|\b(?:exit|return)[ (]+[0-9a-z]")
_REASON = r"(?:reason|permissionDecisionReason|stopReason|systemMessage|additionalContext)"
_GIVES_REASON = late(rf"\b{_REASON}\\?[\"']\s*:|[{{,]\s*{_REASON}\s*:")


def unheard_text(line: HookLine) -> Iterator[Problem]:
    """The first script whose words arrive nowhere; where none is known, one that does nothing but print."""
    entry = line.entry
    if entry.rule is None or not is_agent(entry.speaker.name) or entry.spec.background:
        return
    found = next(filter(None, (_lost(line, shown, text) for shown, _, text in line.texts[1:])), None)
    yield from [entry.at_line(*found)] if found else only_printing(line)


def _lost(line: HookLine, shown: str, text: str) -> tuple[str, str, str] | None:
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    unheard = ends_silently(text) and not line.entry.traps.needs_reason
    unheard = unheard and _hears(line, 2, True) and not _hears(line, 2, False)
    if unheard and ANSWERS.search(text) and _answers_before_2(text):
        words = f"`{shown}` answers in JSON and ends with 2, and {title} does not read the answer then"
        return "unread-output", words, "end with 0 behind an answer, or print the reason with `>&2`"
    spoken = [each for each in spoken_in(shown, line.scripts[shown]) if each.words.strip()]
    says_why = unheard and _SAYS_WHY.search(text)
    if ANSWERS.search(text):  # what stands beside an answer is for a log
        spoken = [
            each for each in spoken if each.on_stderr and not _beside_answer(line.scripts[shown], each.end)
        ]
        unheard = False
    if not (spoken or says_why) or any(weak_exit(line, text, shown)):
        return None
    if unheard:
        words = f"`{shown}` ends with 2 and says why on standard output, where {title} does not look for it"
        return "unread-output", words, "print the reason with `>&2`, or on `stderr`"
    if not line.entry.rule or not line.entry.rule.effects:
        return None
    joined = bool(_JOINED.search(line.text))
    wanting = [each for each in spoken if _WANTS.search(each.words) and not _OF_ITSELF.search(each.words)]
    wanting = [each for each in wanting if (each.on_stderr and not joined) or not is_heard(line)]
    wanting = [each for each in wanting if not _may_end_badly(line.scripts[shown][each.end :])]
    on_stderr = bool(wanting) and wanting[0].on_stderr and not joined
    if not wanting or _hears(line, 0, on_stderr):
        return None
    told = " ".join(wanting[0].words.split())
    stream = "standard error and ends with 0" if on_stderr else "standard output"
    words = f"`{shown}` says `{told:.50}` on {stream}: nobody reads that at `{event}`"
    return (
        "unread-output",
        words,
        f"answer in JSON: `hookline docs {line.entry.speaker.name}` has what it reads",
    )


def _beside_answer(script: str, at: int) -> bool:
    """Whether an answer stands within a few lines of a place."""
    before, after = script[:at].splitlines()[-4:], script[at:].splitlines()[:4]
    return bool(ANSWERS.search("\n".join((*before, *after))))


def _may_end_badly(rest: str) -> bool:
    """Whether what follows some words may end with another code than 0; what handles an error does not follow."""
    return bool(_ENDS_BADLY.search(_OF_ERRORS.sub("", without_comments(rest))))


def _answers_before_2(text: str) -> bool:
    """Whether a reason is told in JSON right before the script ends with 2."""
    for found in _ENDS.finditer(text):
        before = "\n".join(text[: found.start()].splitlines()[-15:])
        if _GIVES_REASON.search(_OTHER_BRANCH.split(before)[-1]):
            return True
    return False


def _hears(line: HookLine, code: int, on_stderr: bool) -> bool:
    """Whether words on this stream arrive anywhere when the hook ends with this code."""
    said = {"stderr": _WHY} if on_stderr else {"stdout": _WHY, "answer": _WHY}
    outcome = heard(line.entry, RawResult(exit_code=code, **said))  # type: ignore[arg-type]  # texts alone
    return _WHY in repr(outcome) or bool(outcome.problem)  # a fault is told elsewhere
