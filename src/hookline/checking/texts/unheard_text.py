"""Plain words of a script that nobody hears, for the stream they are printed on or the code it ends with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from hookline.checking.answers.heard import acts, heard, how_to_tell
from hookline.checking.answers.script_rules import (
    ANSWERS,
    STDERR,
    blocks_too_weakly,
    ends_silently,
    weak_exit,
)
from hookline.checking.answers.spoilt_answers import answers_well, behind_a_failure
from hookline.checking.answers.told_apart import asks_who
from hookline.checking.comments import without_comments
from hookline.checking.lines import HookLine
from hookline.checking.scripts.powershell_syntax import powershell_fault
from hookline.checking.steps.languages import by_ending, is_shell
from hookline.checking.steps.shell_nodes import program_of, said
from hookline.checking.steps.step import UNKNOWN
from hookline.checking.steps.steps_of import steps_of
from hookline.checking.texts.branch_words import (
    SAYS_MORE,
    beside_answer,
    ends_an_error_silently,
    hushed_by,
    says_why_aside,
    told_by_more,
    without_said,
)
from hookline.checking.texts.hearing import WHY, hears, hears_answer, spoils
from hookline.checking.texts.lost_reports import (
    ANY_STREAM,
    TWO,
    cut_to_errors,
    report_in_vain,
    report_of_code,
    report_of_shell,
    unread_report,
)
from hookline.checking.texts.mere_news import mere_news
from hookline.checking.texts.only_printing import only_printing
from hookline.checking.texts.plain_output import FOR_THE_MODEL, is_heard, read_where, reader_of
from hookline.checking.texts.spoken import spoken_in, without_taken
from hookline.checking.texts.told_to_nobody import TO_ERRORS, told_to_nobody
from hookline.checking.texts.wants import FILLED, is_asked_first, is_kept_for_it, wants
from hookline.checking.texts.words_said import APART, Spoken
from hookline.checking.texts.written_code import code_of
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import RawResult
from hookline.shell.grammar.parsing import parse
from hookline.system.patterns.late import late

_OFF = late(r"\bDISABLED\b")
# what is printed for somebody to read when a turn or a session is over
_SUMMARY = late(
    r"(?i:\b(?:summary|report|statistics|stats|overview|recap|digest|resumen|résumé|zusammenfassung)\b"
    r"|\bsession (?:ended|complete|finished|over)"
    r"|\b(?:files?|commits?|tests?|calls?|tools?|changes|tasks?|duration)\b[\w ]{0,20}:|\btokens?\b[\w \t>→=-]{0,20}:)"
    r"|요약|总结|摘要|まとめ"
)
# the head of what the model is to know when it begins, and its address
_FOR_THE_MODEL = late(
    r"(?im)^\W*(?:you are (?:an?|the|in|on|now)\b|(?!(?:inject|load|read|sav|updat|add|skip|us)(?:ing|ed)\b)"
    r"(?:[\w-]+ ){0,2}(?:context|rules|guidelines|instructions|memory|conventions)\b[^.\n]*(?::|\]|==|--)\W*$)"
)
_JSON = late(r"\"\s*:|[{}]")
_AT_THE_END_OF_ALL = (
    EventKind.Stop, EventKind.SubagentStop, EventKind.SessionEnd, EventKind.PreCompact, EventKind.PostCompact,
    EventKind.StopFailure,
)  # fmt: skip
_ENDS_BADLY = late(
    r"\bexit\w*[ (]+(?:[1-9]|\$|[a-z_])|\breturn [1-9]\b|exit_?code\s*[:=]\s*[1-9]|SystemExit|\braise\b|\bthrow\b",
    re.IGNORECASE,
)
_JOINED = late(r"2>\s*&\s*1|&>\s*&?1")
# a reason in a variable, and one in an answer that is the last thing before the script ends with 2
_SAYSWHY = late(r"(?m)^[ \t]*print\((?:reason|message|msg|error|why|warning)\w*\)\s*$")
_THROWN_AWAY = late(r"\|\|\s*(?:true|:)(?!\S)|\|\s*(?:head|tail)\b")
_OF_PLACES = late(r"(?m)^[ \t]*(?:cd|pushd|command -v)\b[^\n]*")  # which end a script that cannot work
_CODE_COUNTS = late(
    r"\$\?|PIPESTATUS|\|\|\s*\{?\s*(?:exit|return)\b(?!\s+0)|\bif\s+(?!!?\s*(?:\[|echo\b|test\b|command\b))"
)
# an empty answer at the end of a script, whatever came before
_ALWAYS_ANSWERS = late(
    r"(?m)^(?:(?:echo|printf)\s+[\"']\{\}[\"'\\]|print\(\s*(?:[\"']\{\}|json\.dumps\(\{\})|console\.log\(\s*(?:[\"'`]\{\}|JSON\.stringify\(\{\}))"
)
_PRINTERS = frozenset(
    {"echo", "printf", "cat", "head", "tail", "jq", "sed", "awk", "python", "python3", "node"}
)
_DONE = (EventKind.PostToolUse, EventKind.PostToolUseFailure)
_OF_ITSELF = late(r"\$#|\bargv\b|\bcommand -v\b|\bwhich\b|\b[A-Z]+_(?:DIR|ROOT|KEY|TOKEN)\b")
_AT_THE_END = (EventKind.Stop, EventKind.SubagentStop)
_SAYS_NO = late(r"(?i:\b(?:block|den(?:y|ied)|refus|forbid|bloque))")
_REASON = r"(?:reason|permissionDecisionReason|stopReason|systemMessage|additionalContext)"
# what is asked for by who looks for a fault in the script
_DEBUG = late(
    r"(?<![\w\"'])(?:\$\{?)?\w*(?:\.\w+)*(?:debug(?!ger)|verbose|trace(?!back)|dry_?run)\w*|--(?:debug|verbose|help|dry-run)\b|-h\b|\busage\b",
    re.IGNORECASE,
)
_GIVES_REASON = late(rf"\b{_REASON}\\?[\"']\s*:|[{{,]\s*{_REASON}\s*:")


def unheard_text(line: HookLine) -> Iterator[Problem]:
    """The first script whose words arrive nowhere; where none is known, one that does nothing but print."""
    entry = line.entry
    if entry.rule is None or not is_agent(entry.speaker.name) or entry.spec.conduct.rewake:
        return
    found = next(
        filter(
            None,
            (
                [*_lost(line, shown, text)]
                for shown, _, text in line.heard_texts[1:]
                if not (
                    shown.endswith(".ps1") and powershell_fault(line.scripts[shown])
                )  # which says nothing
            ),
        ),
        None,
    )
    yield from (
        found or [*_written_out(line)] or (*only_printing(line), *told_to_nobody(line)) or mere_news(line)
    )


def _written_out(line: HookLine) -> Iterator[Problem]:
    """The same of a program that stands in the line: `node -e "…"`, `python3 -c '…'`."""
    if not (line.entry.argv or line.shell == "powershell") and (report := _left_aside(line)):
        yield _reported(line, "the line", report)
    name, code = code_of(line)
    if name:
        inner = HookLine(line.entry, line.workspace, line.home)
        inner.scripts = {name: code}
        for each in _lost(inner, name, without_comments(code, name)):
            yield replace(each, message=each.message.replace(f"`{name}`", "the line", 1))


def _left_aside(line: HookLine) -> str:
    by_2 = hears(line, 2, True) and not hears(line, 2, False)
    report = unread_report("line.sh", line.text) if by_2 and "exit 2" in line.text else ""
    return report if "2>&1" in line.text or ANY_STREAM.isdisjoint(report.split()) else ""


def _reported(line: HookLine, where: str, report: str) -> Problem:
    words = (
        f"{where} ends with 2 where `{report}` fails, whose report goes to standard output: nobody reads it"
    )
    return line.entry.at_line("unread-output", words, "send it to standard error with `>&2`")


def _lost(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    silent = ends_silently(without_taken(text) if is_shell(shown, line.scripts[shown]) else text)
    told = silent and line.entry.traps.needs_reason and line.entry.guards  # by `script_rules`
    by_2 = not told and hears(line, 2, True) and not hears(line, 2, False)
    if (
        by_2
        and ANSWERS.search(text)
        and _answers_before_2(shown, text, line.scripts[shown])
        and not hears_answer(line)
        and not answers_well(line, shown, text)
        and not any(behind_a_failure(line))
    ):
        words = f"`{shown}` answers in JSON and ends with 2, and {title} does not read the answer then"
        yield line.entry.at_line(
            "unread-output", words, "end with 0 behind an answer, or print the reason with `>&2`"
        )
        return
    answers = ANSWERS.search(text) and hears_answer(line)
    if by_2 and not answers and (to := hushed_by(shown, line.scripts[shown])):
        words = f"`{shown}` ends with 2, and `{to}` sends the reason to a file: {title} gets none"
        yield line.entry.at_line(
            "unread-output", words, "print it before that, or keep the stream: `exec 3>&2`, then `>&3`"
        )
        return
    closes = (
        not silent and line.entry.traps.needs_reason and line.entry.guards and not line.entry.spec.background
    )
    if closes and ends_an_error_silently(shown, line.scripts[shown]):
        words = f"`{shown}` ends with 2 where it fails and prints nothing then: {title} runs the tool"
        yield line.entry.at_line("silent-exit", words, "print the reason on standard error")
        return
    reads = by_2 and not _JOINED.search(line.text)
    if report := unread_report(shown, text) if reads else "":
        yield _reported(line, f"`{shown}`", report)
        return
    report, on_stderr = _report_at_0(line, shown, text)
    if report:
        stream = "error" if on_stderr else "output"
        reader = reader_of(line, on_stderr)
        where = read_where(line)
        words = f"`{shown}` leaves what `{report}` reports on standard {stream}, which {reader} reads {where}"
        hint = "end with 2 where it fails, its report on standard error, or answer in JSON"
        by_2 = acts(heard(line.entry, RawResult(exit_code=2, stderr=WHY)))
        hint = hint if by_2 else how_to_tell(line.entry)
        yield line.entry.at_line("unread-output", words, hint)
        return
    unheard = by_2 and silent
    if reads and not silent and says_why_aside(shown, line.scripts[shown]):
        yield _aside(line, shown)  # what it says at another end is looked at as well
    spoken = [each for each in spoken_in(shown, line.scripts[shown]) if each.words.strip()]
    says_why = unheard and (_SAYSWHY.search(text) or (reads and _prints_before_2(shown, line.scripts[shown])))
    decides = bool(ANSWERS.search(text)) and bool(
        ANSWERS.search(without_said(shown, line.scripts[shown], text))
    )
    if decides or SAYS_MORE.search(text):  # what stands beside an answer is for a log
        several = decides and (asks_who(line, text) or not is_shell(shown, line.scripts[shown]))
        spoken = [
            each for each in spoken
            if (not each.on_stderr and decides and not (several or _JSON.search(FILLED.sub("", each.words))))
            or (
                (each.on_stderr or not decides)
                and (_OFF.search(each.words) or not beside_answer(shown, line.scripts[shown], each.end))
            )
        ]  # fmt: skip
    # what it says before an end with 1 is told of
    weak = any(weak_exit(line, text, shown)) if line.entry.guards else blocks_too_weakly(line, text)
    if not (spoken or says_why):
        return
    if unheard and not decides:
        yield _aside(line, shown)
    joined = bool(_JOINED.search(line.text))
    by_1 = not acts(heard(line.entry, RawResult(exit_code=1, stdout=WHY)))
    lost = [
        each
        for each in spoken
        if not (weak and _SAYS_NO.search(each.words))
        and ((each.on_stderr and not joined) or not is_heard(line))
        and (
            not (bad := _ends(shown, line.scripts[shown], each))
            or (
                by_1
                and bad == {"1"}
                and not each.on_stderr
                and not (weak and _ends_surely(shown, line.scripts[shown], each))
            )
        )
    ]
    plain = next((each for each in lost if not each.on_stderr), None)
    if plain and not decides and line.entry.spec.kind in line.entry.traps.json_only and not spoils(line):
        words = " ".join((plain.told or plain.words).split())
        words = f"`{shown}` prints plain text (`{words:.60}`): {title} takes JSON or nothing at `{event}`"
        yield line.entry.at_line("plain-output", words, "send the text to standard error with `>&2`")
        lost = [each for each in lost if each.on_stderr]
    wanting = [each for each in lost if any(map(wants, each.words.split(APART)))]
    wanting = wanting or [each for each in lost if _warns(shown, line.scripts[shown], each)]
    wanting = wanting or _summary(line, lost) or _for_the_model(line, spoken, lost)
    wanting = wanting or told_by_more(line.scripts[shown], lost)
    if not wanting and not weak and (ended := _ends_with_1(line, shown, text, spoken)):
        yield ended
        return
    on_stderr = bool(wanting) and wanting[0].on_stderr and not joined
    if not wanting or hears(line, 0, on_stderr, bool(_ALWAYS_ANSWERS.search(text))):
        return
    words = " ".join((wanting[0].told or wanting[0].words).split())
    stream = "standard error and ends with 0" if on_stderr else "standard output"
    more = (
        " and more"
        if len({each.words for each in lost if each.on_stderr == wanting[0].on_stderr}) > 1
        else ""
    )
    reader = reader_of(line, on_stderr)
    words = f"`{shown}` says `{words:.50}`{more} on {stream}: {reader} reads that {read_where(line)}"
    yield line.entry.at_line("unread-output", words, how_to_tell(line.entry))


def _prints_before_2(shown: str, script: str) -> bool:
    """Whether anything is printed on the way to an end with 2."""
    steps = steps_of(shown, script)
    places = [each.at for each in spoken_in(shown, script)] if steps else []
    if steps and is_shell(shown, script):
        tree, unclear = parse(without_taken(script))
        printed = said(tree) if unclear is None else ()
        places += [
            each.start
            for each in printed
            if program_of(each)[0] in _PRINTERS and "-i" not in program_of(each)
        ]
    if not steps:
        return False
    return any("2" in steps.sure(at)[0] or steps.ends(at) == {"2"} for at in places)


def _warns(shown: str, script: str, spoken: Spoken) -> bool:
    """Whether it is a warning by the name it is kept under, or by the condition it is said on."""
    steps = steps_of(shown, script)
    looks = steps.looks(spoken.at) if steps else ()
    return is_kept_for_it(spoken.names) or is_asked_first(each.text for each in looks)


def _ends_with_1(line: HookLine, shown: str, text: str, spoken: list[Spoken]) -> Problem | None:
    """What a look at work that is done says to the model before an end with 1, of which that hears nothing."""
    entry = line.entry
    by_1, by_2 = (acts(heard(entry, RawResult(exit_code=code, stderr=WHY))) for code in (1, 2))
    if entry.spec.kind not in _DONE or TWO.search(text) or ANSWERS.search(text) or by_1 or not by_2:
        return None
    steps = steps_of(shown, line.scripts[shown])
    for each in spoken:
        if steps and any(_OF_ITSELF.search(look.text) for look in steps.looks(each.at)):
            continue  # it cannot work
        if wants(each.words) and _ends(shown, line.scripts[shown], each) == {"1"}:
            said = " ".join((each.told or each.words).split())
            words = f"`{shown}` says `{said:.50}` and ends with 1, of which the model hears nothing"
            return entry.at_line("weak-exit", words, "end with 2, the reason on standard error")
    return None


def _summary(line: HookLine, lost: list[Spoken]) -> list[Spoken]:
    """What is printed of a turn or a session that is over."""
    told = [each for each in lost if not each.on_stderr]
    ends = line.entry.spec.kind in _AT_THE_END_OF_ALL
    return [each for each in told if _SUMMARY.search(each.words)] if ends else []


def _for_the_model(line: HookLine, spoken: list[Spoken], lost: list[Spoken]) -> list[Spoken]:
    """What is printed for the model to know, where all of it goes to the same stream."""
    one_stream = len({each.on_stderr for each in spoken}) == 1 and len(lost) > 1
    tells = line.entry.spec.kind in FOR_THE_MODEL and one_stream
    return [each for each in lost if _FOR_THE_MODEL.search(each.told or each.words)] if tells else []


def _aside(line: HookLine, shown: str) -> Problem:
    title = line.entry.speaker.title
    words = f"`{shown}` ends with 2 and says why on standard output, where {title} does not look for it"
    return line.entry.at_line("unread-output", words, "print the reason with `>&2`, or on `stderr`")


def _report_at_0(line: HookLine, shown: str, text: str) -> tuple[str, bool]:
    """A program that looks at the code, whose report nobody reads and whose code is thrown away, and whether that
    goes to standard error."""
    if ANSWERS.search(text) or SAYS_MORE.search(text):
        return "", False
    unheard = not hears(line, 0, True)
    if unheard and is_shell(shown, line.scripts[shown]) and (report := cut_to_errors(text)):
        return report, True
    if is_heard(line) or hears(line, 0, False):
        return "", False
    rule, code = line.entry.rule, _OF_PLACES.sub("", line.scripts[shown])
    steps = steps_of(by_ending(shown, line.scripts[shown]), code)
    ends = steps.all_codes() if steps else {UNKNOWN} if _ENDS_BADLY.search(code) else ()
    passed = bool(ends) and {"1", UNKNOWN}.issuperset(ends) and not TWO.search(code)
    guards = rule is not None and rule.guards and line.entry.spec.kind not in _AT_THE_END
    if guards and not ends and is_shell(shown, line.scripts[shown]):
        return report_in_vain(text), False
    if rule is None or guards or (ends and not (passed and not hears(line, 1, False))):
        return "", False
    if not is_shell(shown, line.scripts[shown]):
        return report_of_code(shown, text, unheard)
    if not (passed or _THROWN_AWAY.search(text) or not _CODE_COUNTS.search(_OF_PLACES.sub("", text))):
        return "", False
    report, _ = report_of_shell(text, passed)
    if report or not unheard:
        return report, False
    report, at = report_of_shell(TO_ERRORS.sub(lambda each: " " * len(each[0]), text), passed, True)
    steps = steps_of(by_ending(shown, line.scripts[shown]), text)
    return "" if steps is None or steps.ends(at) else report, True  # an end with 1 is told by itself


def _ends(shown: str, script: str, spoken: Spoken) -> Collection[str]:
    """The codes but 0 that the script ends with for what it says; unknown where it is asked for, or is not clear."""
    steps = steps_of(shown, script)
    if steps is None:
        return {UNKNOWN} if _last_end(script) >= spoken.end else ()
    return (
        {UNKNOWN}
        if any(_DEBUG.search(each.text) for each in steps.looks(spoken.at))
        else steps.ends(spoken.at)
    )


def _ends_surely(shown: str, script: str, spoken: Spoken) -> bool:
    """Whether the script ends with another code than 0 whatever else is so."""
    steps = steps_of(shown, script)
    return steps is None or bool(steps.sure(spoken.at)[0])


@lru_cache(maxsize=8)
def _last_end(script: str) -> int:
    """Where the last end but 0 stands."""
    return max((found.start() for found in _ENDS_BADLY.finditer(script)), default=-1)


def _answers_before_2(shown: str, text: str, script: str) -> bool:
    """Whether a reason is told in JSON on the way to an end with 2, and nothing on standard error."""
    steps = steps_of(by_ending(shown, script), text)
    for found in _GIVES_REASON.finditer(text):
        codes, way = steps.sure(found.start()) if steps else ((), ())
        if "2" in codes and not any(STDERR.search(text, each[0].start, each[-1].end) for each in way):
            return True
    return False
