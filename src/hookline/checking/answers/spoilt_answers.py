"""Answers in JSON that are right by themselves and lost for what is printed before them, or the code behind them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator

from hookline.checking.answers.heard import acts, heard, is_answered, is_whole, outcome_of, refusal_in
from hookline.checking.answers.script_rules import STDERR
from hookline.checking.answers.written_answers import (
    ITS_EVENT,
    Written,
    called_at,
    filled_in,
    written_answers,
)
from hookline.checking.commands.beside import run_beside
from hookline.checking.exits.wordless_exits import ends_with_2
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import by_ending
from hookline.checking.steps.shell_nodes import program_of, said
from hookline.checking.steps.steps import Steps
from hookline.checking.steps.steps_of import steps_of
from hookline.checking.texts.branch_words import said_before
from hookline.checking.texts.plain_output import builds, is_heard, looks
from hookline.checking.texts.spoken import spoken_in, without_taken
from hookline.model.errors import Problem
from hookline.model.results import RawResult, Verdict
from hookline.model.typing import Any
from hookline.shell.grammar.parsing import parse
from hookline.system import files
from hookline.system.patterns.late import late

_ANSWERS = late(
    r"\b(?:\w*[dD]ecision|permission|continue|cancel|additionalContext|additional_context)\\?[\"']?\s*[:=]"
)
# all that a refusal without a word has, and what its words are called
_WORDLESS = frozenset({
    "decision", "permission", "permissionDecision", "hookSpecificOutput", "hookEventName", "cancel", "suppressOutput",
})  # fmt: skip
_REASONS = ("reason", "permissionDecisionReason", "agent_message", "user_message", "errorMessage", "message")
_WHY = "why it is so"
_LARGEST = 64 * 1024
# a row of PowerShell that is a program, whose output goes nowhere else; what may be kept as a whole is left out
_POWERSHELL_BODIES = late(
    r"(?ims)^(?P<margin>[ \t]*)(?:function\b|\$\w+[ \t]*=)[^\n]*[{(][ \t]*\r?\n.{1,4000}?^(?P=margin)[})]"
)
_POWERSHELL_RUNS = late(
    r"(?m)^[ \t]*(?:&[ \t]*)?(?P<run>[a-z][\w.-]*(?:[ \t]+[^\s|>;=()]+)+)[ \t]*(?:2>&1[ \t]*)?;?[ \t]*\r?$"
)
_ROWS_ABOVE = 2
_ENDS_BELOW = late(
    r"[^\n]*\n[ \t]*exit[ (]+([1-9])\b", needs=("exit",)
)  # in a language whose steps are unknown


def behind_words(
    line: HookLine, where: str, shown: str, text: str, answers: list[Written]
) -> Iterator[Problem]:
    """An answer behind words of the script itself."""
    printed = [each for each in answers if each.printed and is_whole(line.entry, each.value)]
    named = by_ending(shown, line.scripts[shown])
    steps = steps_of(named, text) if printed else None
    spoken = list(spoken_in(named, text)) if steps else []
    for each in printed:
        words = said_before(steps, spoken, each.at, text) if steps and spoken else ""
        if words and _loses_reason(line, text, each):
            told = f"prints other text (`{words:.60}`) before its JSON, so {line.entry.speaker.title}"
            hint = "send the text to standard error with `>&2`"
            yield line.entry.at_line("wrong-answer", f"{where} {told} does not read the answer", hint)
            return


def behind_a_report(
    line: HookLine, where: str, shown: str, text: str, answers: list[Written]
) -> Iterator[Problem]:
    """An answer behind the open output of a program that looks at the code."""
    printed = [each for each in answers if each.printed and _says_something(line, each)]
    for start, run in _reporting(shown, text) if printed else ():
        spoilt = [each for each in printed if max(each.at, called_at(text, each.at)) > start]
        if (
            (looks(run) or builds(run))
            and run[0] not in ("grep", "rg", "git")
            and any(_loses_reason(line, text, each) for each in spoilt)
        ):
            told = f"prints its JSON behind what `{' '.join(run[:3])}` prints, so {line.entry.speaker.title}"
            words = f"{where} {told} does not read the answer"
            hint = (
                "write `… | Out-Null`"
                if shown.endswith(".ps1")
                else "send its report to standard error with `>&2`"
            )
            yield line.entry.at_line("wrong-answer", words, hint)
            return


def _reporting(shown: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The programs whose output is the script's own, and where they stand."""
    if shown.endswith(".ps1"):
        bare = _POWERSHELL_BODIES.sub(lambda found: " " * len(found[0]), text)
        yield from ((each.start("run"), each["run"].split()) for each in _POWERSHELL_RUNS.finditer(bare))
        return
    tree, unclear = parse(without_taken(text))
    if tree is not None and unclear is None:
        yield from ((node.start, program_of(node)) for node in said(tree))


def _says_something(line: HookLine, answer: Written) -> bool:
    """Whether an answer refuses, or has words for the model, and arrives."""
    forms = (json.dumps(form) for form in filled_in(answer.value))
    return is_whole(line.entry, answer.value) or any(acts(outcome_of(line.entry, each)) for each in forms)


def behind_another(line: HookLine, shown: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    """An answer behind the words of another script, which this one runs without sending them elsewhere."""
    if is_heard(line) or not any(each.printed for each in answers):
        return
    for at, path in run_beside(text, os.path.join(line.workspace, shown)):
        kept = files.read_text(path, _LARGEST)
        name = os.path.basename(path)
        speaks = kept.state == "text" and any(
            not each.on_stderr and each.words.strip() for each in spoken_in(name, kept.text)
        )
        spoilt = (each for each in answers if each.printed and at < each.at)
        if speaks and any(_loses_words(line, each) for each in spoilt):
            told = f"prints its JSON behind what `{name}` prints, so {line.entry.speaker.title}"
            words = f"`{shown}` {told} does not read the answer"
            yield line.entry.at_line("wrong-answer", words, f"write `{name} >&2`")
            return


def _loses_words(line: HookLine, answer: Written) -> bool:
    """Whether what an answer says arrives, and behind other text does not."""
    for form in filled_in(answer.value):
        alone, behind = (outcome_of(line.entry, f"{before}{json.dumps(form)}") for before in ("", "x\n"))
        said = (alone.reason, alone.contexts, alone.messages)
        if any(said) and said != (behind.reason, behind.contexts, behind.messages):
            return True
    return False


def _loses_reason(line: HookLine, text: str, answer: Written) -> bool:
    code = 2 if ends_with_2(text, answer.end) else 0
    for form in filled_in(answer.value):
        forms = (f"{before}{json.dumps(form)}" for before in ("", "x\n"))
        alone, behind = (
            heard(line.entry, RawResult(exit_code=code, stdout=one, answer=one)) for one in forms
        )
        said, left = ((each.verdict, each.reason, each.reprompt, each.contexts) for each in (alone, behind))
        if acts(alone) and said != left:
            return True
    return False


def without_a_reason(line: HookLine) -> Iterator[Problem]:
    """A refusal that arrives without a word, where one is said on standard error, or is all that there is to hear."""
    goes_on = line.entry.rule is not None and "reprompt" in line.entry.rule.effects
    for shown, where, text in line.texts:
        if not (goes_on or STDERR.search(text)):
            continue
        answers = [
            each for each in written_answers(text) if each.printed and _names_in(each.value) <= _WORDLESS
        ]
        yield from _wordless(line, where, shown, text, answers)


def _wordless(line: HookLine, where: str, shown: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    steps = steps_of(by_ending(shown, line.scripts[shown]), text) if shown and answers else None
    for each in answers:
        value = next(filled_in(each.value))
        refusal, said = refusal_in(value), json.dumps(value).replace(ITS_EVENT, line.entry.spec.native_event)
        codes = steps.sure(each.at)[0] if steps else ()
        code = 2 if "2" in codes or (not steps and ends_with_2(text, each.end)) else 0
        raw = RawResult(exit_code=code, stdout=said, answer=said, stderr=_WHY)
        outcome = heard(line.entry, raw)
        if refusal and acts(outcome) and not (_WHY in repr(outcome) and STDERR.search(text)):
            words = f"{where} answers `{refusal}` without a reason: nobody is told why"
            key = next((key for key in _REASONS if _is_told_by(line, value, key)), "reason")
            yield line.entry.at_line("unread-output", words, f'write `"{key}": "…"` beside it')
            return


def _names_in(value: dict[str, Any]) -> frozenset[str]:
    inner = value.get("hookSpecificOutput")
    return frozenset((*value, *(inner if isinstance(inner, dict) else ())))


def _is_told_by(line: HookLine, value: dict[str, Any], key: str) -> bool:
    """Whether words under this key, beside a decision, arrive."""
    inner = value.get("hookSpecificOutput")
    form = (
        {**value, "hookSpecificOutput": {**inner, key: _WHY}}
        if isinstance(inner, dict)
        else {**value, key: _WHY}
    )
    return _WHY in repr(outcome_of(line.entry, json.dumps(form)))


def answers_well(line: HookLine, shown: str, text: str) -> bool:
    """Whether it also refuses with an end that this agent hears: the other answer is for other agents."""
    steps = steps_of(by_ending(shown, line.scripts[shown]), text)
    return steps is not None and any(
        not steps.sure(each.at)[0] and is_answered(line.entry, each.value)
        for each in written_answers(text)
        if each.printed and refusal_in(each.value)
    )


def behind_a_failure(line: HookLine) -> Iterator[Problem]:
    """A refusal in JSON right before the script ends with a code at which the agent reads none."""
    for shown, where, text in line.texts[1:]:
        answers = [*written_answers(text)] if _ANSWERS.search(text) else []
        if answers and answers_well(line, shown, text):
            continue
        for each in (answer for answer in answers if answer.printed):
            codes, told = _ends_behind(steps_of(by_ending(shown, line.scripts[shown]), text), text, each)
            for code in map(int, codes):
                if told and code == 2:
                    continue  # the reason is said there
                if _is_lost_by(line, each, code):
                    title = line.entry.speaker.title
                    words = f"{where} answers in JSON and ends with {code}, and {title} does not read the answer then"
                    yield line.entry.at_line("unread-output", words, "end with 0 behind an answer")
                    return


def _ends_behind(steps: Steps | None, text: str, answer: Written) -> tuple[Collection[str], bool]:
    """The codes that an answer is followed by, and whether anything goes to standard error on the way there."""
    if steps is not None:
        codes, way = steps.sure(answer.at)
        return codes, any(STDERR.search(text, part[0].start, part[-1].end) for part in way)
    below = _ENDS_BELOW.match(text, answer.end)
    above = "\n".join(text[: answer.at].splitlines()[-_ROWS_ABOVE:])
    said = below is not None and bool(STDERR.search(above) or STDERR.search(below[0]))
    return (below[1],) if below else (), said


def _is_lost_by(line: HookLine, answer: Written, code: int) -> bool:
    said = [json.dumps(value) for value in filled_in(answer.value)]
    meant = [outcome for one in said if acts(outcome := outcome_of(line.entry, one))]
    heard_so = (heard(line.entry, RawResult(exit_code=code, stdout=one, answer=one)) for one in said)
    becomes_a_refusal = code == 2 and {each.verdict for each in meant} == {Verdict.ASK}
    return bool(meant) and (becomes_a_refusal or not any(map(acts, heard_so)))
