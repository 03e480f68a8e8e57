"""Answers that are lost: what a hook says or ends with, and the agent reads as nothing at this event."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import (
    EARLIER,
    acts,
    heard,
    how_to_tell,
    instead_of,
    instead_of_2,
    is_answered,
    is_whole,
    outcome_of,
    refusal_in,
    what_is_read,
)
from hookline.checking.answers.script_rules import closes, refuses_before_exit, script_problems
from hookline.checking.answers.spoilt_answers import (
    behind_a_failure,
    behind_a_report,
    behind_another,
    behind_words,
    without_a_reason,
)
from hookline.checking.answers.told_apart import asks_who, tells_apart
from hookline.checking.answers.unheard_words import unheard_words
from hookline.checking.answers.written_answers import (
    Written,
    filled_in,
    misprinted,
    never_made,
    on_stderr,
    read_as,
    spoken_first,
    without,
    written_answers,
)
from hookline.checking.commands.alike import alike, is_for_this_alone, names_one, words_of
from hookline.checking.exits.wordless_exits import blocks_by_one, ends_with_2
from hookline.checking.lines import BY_WORDS, HookLine
from hookline.checking.steps.languages import is_shell
from hookline.checking.texts.plain_output import is_heard
from hookline.dialects import OWN
from hookline.dialects.refusals import REFUSES
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.results import RawResult, Verdict
from hookline.model.typing import Any
from hookline.system.patterns.late import late

_ANSWERS = frozenset(
    (*REFUSES, "hookSpecificOutput", "additionalContext", "additional_context", "systemMessage")
)
_FAILS = late(r"(?<![$-])\bexit[ (]+[1-9]", needs=("exit",))
# of an event at which most agents take it for a failure and no more
# A script for several events looks at which one it is: `d["hook_event_name"]`, `.hookEventName ==`.
_ASKS_WHICH = late(r"hook_event_name|hookEventName[\"']?\s*\]|\.hookEventName", re.IGNORECASE)
_CONTEXT_ONLY = frozenset({"hookSpecificOutput", "hookEventName", "additionalContext", "additional_context"})
_TEXTS = frozenset({"additionalContext", "additional_context"})
_NEEDED = {"Write": ("file_path", "content"), "Edit": ("file_path", "old_string", "new_string")}
_MEANT = late(
    r"context|message|msg|prompt|reason|output|feedback|instruct|text|content|remind|suggest|warn|deny|den(?:y|ied)|block"
    r"|allow|approv|behaviou?r|decision|verdict|permission|reject|updated_?input",
    re.IGNORECASE,
)  # a key of somebody who wants to be heard; what else is printed is a report
_TOLD_BY_2 = (EventKind.PostToolUse, EventKind.PostToolUseFailure, EventKind.Stop, EventKind.SubagentStop)
_BRANCHES = (  # of one event: in `case`, and behind `if`
    r"(?m)(?:^|[\s|])[\"']?%s[\"']?(?:\|[^)\n]*)?\)(?P<body>[\s\S]*?)(?:;;|\besac\b)",
    r"(?m)^(?P<margin>[ \t]*)(?:el)?if\b[^\n!]*=[^\n!]*\b%s\b[^\n]*\n(?P<body>[\s\S]*?)(?=^(?P=margin)\S|\Z)",
)
_DENIES_THERE = late(
    r"(?m)(?:^|[;&{])[ \t]*(?:deny|block|reject|refuse)\b|(?<![$-])\bexit[ (]+2\b|[\"'](?:deny|block)\\?[\"']"
)
_FOR_THE_PERSON = frozenset({"systemMessage", "user_message", "continue", "suppressOutput"})
# orders that are no person's
_TO_THE_MODEL = late(
    r"\b(?:before (?:proceeding|continuing|compaction)|(?:ask|tell|inform|notify) the user|user approval"
    r"|save a (?:checkpoint|summary)|finish (?:the )?current task|re-?read [\w./-]+\.md"
    r"|(?:claude|the (?:ai|agent|model|assistant)) (?:must|should))\b"
    r"|리마인더|한국어(?:로)? |먼저 확인|リマインダー|必ず|してください|提醒[:：]|请(?:先|务必|重新|始终)",
    re.IGNORECASE,
)
# what is said once the context was shortened is said to the model
_AFTER_COMPACTION = late(r"\b(?:reminder|remember|re-?read|keep in mind|recall)\b", re.IGNORECASE)
_WORDS = frozenset({
    "text", "content", "message", "context", "output", "prompt", "instructions", "contextInjection", "modifiedPrompt",
    "modified_prompt", "updatedPrompt", "updated_prompt", "systemPrompt", "system_prompt",
})  # fmt: skip
_OF_A_STAND_IN = late(r"found (?:['\"]x['\"]|[tT]rue)")
_NO_KEY = "none of the answer's keys"


def unread_answers(line: HookLine) -> Iterator[Problem]:
    """What the line and its scripts answer and print, where the agent's own reader makes nothing of it."""
    entry = line.entry
    if not line.text or entry.rule is None or entry.speaker.name == OWN or entry.spec.background:
        return
    looks = (_lost, _lost_exits, behind_a_failure, _denied_too_late, without_a_reason)
    found = next((each for look in looks for each in look(line)), None)
    if found and not any(each.code == found.code for each in script_problems(line)):
        yield found


def _lost(line: HookLine) -> Iterator[Problem]:
    for shown, where, text in line.heard_texts:
        script = line.scripts.get(shown, "")
        asks = shown and (_ASKS_WHICH.search(text) or _is_told_which(line, shown, script))
        if asks and shown not in line.chosen:
            continue
        answers = [
            each
            for each in written_answers(text)
            if not never_made(text, each) and not _is_for_another(line, shown, text, each)
        ]
        if not (shown and (asks_who(line, text) or _told_who(line, script))):
            yield from unheard_words(line, where, text, answers)
        if shown:
            yield from behind_words(line, where, shown, text, answers)
        if shown and (is_shell(shown, script) or shown.endswith(".ps1")):
            yield from behind_a_report(line, where, shown, text, answers)
        if shown and is_shell(shown, script):
            yield from behind_another(line, shown, text, answers)
        if ends_with_2(text):
            continue
        yield from _misprinted(line, where, text, answers)
        several = shown and (asks_who(line, text) or tells_apart(line, shown, text))
        if several and any(refusal_in(each.value) for each in answers):
            continue  # which is for this agent is not told
        yield from _lost_answers(line, where, text, answers, several or (shown and _told_who(line, script)))
        yield from _lost_text(line, where, text, answers)


def _misprinted(line: HookLine, where: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    """Answers that are no JSON as they are printed, or that are printed where nobody looks for them."""
    title, other = line.entry.speaker.title, line.entry.also_read_by
    readers = (line.entry, *([line.entry.read_by(other)] if other else ()))
    for each in answers:
        if not _ANSWERS & each.value.keys():
            continue
        person = (
            "systemMessage" in each.value
            and not outcome_of(line.entry, '{"systemMessage": "x"}', True).messages
        )
        if right := misprinted(text, each):
            words = f"{where} prints an answer that is no JSON, so {title} takes it for plain text"
            yield line.entry.at_line("wrong-answer", words, f"write {right}")
        elif (
            (refusal_in(each.value, False) or person or _CONTEXT_ONLY & _keys(each.value))
            and on_stderr(text, each)
            and not (closes(line) and _FAILS.search(text))  # which denies, with these words as the reason
            and not is_answered(line.entry, each.value, stderr=True)
            and any(
                acts(found) or (person and found.messages)
                for by in readers
                for form in filled_in(each.value)
                for found in [outcome_of(by, json.dumps(form))]
            )
        ):
            words = f"{where} prints its answer on standard error, where {title} does not look for one"
            yield line.entry.at_line("wrong-answer", words, "print it on standard output, and end with 0")


def _is_for_another(line: HookLine, shown: str, text: str, answer: Written) -> bool:
    """Whether an answer names the event of another hook that starts the script, which looks for that one elsewhere."""
    inner = answer.value.get("hookSpecificOutput")
    named = inner.get("hookEventName") if isinstance(inner, dict) else None
    if not shown or not isinstance(named, str) or named == line.entry.spec.native_event:
        return False
    event = re.escape(named)
    looks = re.search(rf"\b{event}\b", re.sub(rf"\bhookEventName\W{{1,9}}{event}\b", "", text))
    return bool(looks) and any(each.spec.native_event == named for each in alike(line, shown))


def _is_told_which(line: HookLine, shown: str, script: str) -> bool:
    """Whether hooks of other events start a script with other words, and it looks at what it is started with."""
    own, name = line.entry, os.path.basename(shown)
    entries = [each for each in own.file.entries if each.spec.native_event != own.spec.native_event]
    mine, *texts = map(words_of, (own, *entries))
    others = {text for text in texts if names_one(text, [name])} - {mine}
    sets = re.findall(r"\b([A-Za-z_]\w*)=", " ".join((mine, *others))) if others else ()
    asks = BY_WORDS.search(script) or any(re.search(rf"\b{each}\b", script) for each in sets)
    return bool(others and asks)


def _told_who(line: HookLine, script: str) -> bool:
    """Whether the line says by an option, or a variable, which of several agents asks, and the script looks for it."""
    told = re.findall(r"(?<!\S)(--[a-z][\w-]{3,}|[A-Z]\w{3,}(?==))", line.text)
    words = re.findall(r"(?<=\s)[a-z][\w-]{2,}(?!\S)", line.text)
    return any(re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", script) for each in told) or any(
        re.search(rf"(?m)(?:^|[|\s]){each}(?:\|[\w|-]+)?\)|==?\s*[\"']{each}[\"']", script) for each in words
    )


def _lost_answers(
    line: HookLine, where: str, text: str, answers: list[Written], chosen: bool | str
) -> Iterator[Problem]:
    """Refusals of which none is heard, and printed answers that are no answers here.

    Of answers among which the script has `chosen` by what its line says, one that is no answer is another agent's.
    """
    refusals = [each.value for each in answers if refusal_in(each.value, each.printed)]
    others = [each.value for each in answers if each.value not in refusals]
    stopped = any(_stops(line, form) for each in others for form in filled_in(each))  # by its own words
    lost = all(_is_refused(line, each) for each in refusals) or not any(
        is_answered(line.entry, each) for each in refusals
    )
    if refusals and not stopped and lost:
        why = _objection(line, refusals[0])
        words = f"{where} answers `{refusal_in(refusals[0])}`, {_nothing(line)}"
        yield line.entry.at_line("wrong-answer", words, _hint(line, why))
    elif refusals and (weak := _only_weakly(line, refusals)):
        yield line.entry.at_line("weak-answer", f"{where} {weak}", instead_of_2(line.entry))
    yield from _partial_input(line, where, [each.value for each in answers])
    printed = [each.value for each in answers if each.printed and not refusals]
    for value in () if chosen and len(answers) > 1 else printed:
        if _CONTEXT_ONLY.issuperset(_keys(value)) and not _takes_context(line):
            what = "text for the model alone" if _keys(value) & _TEXTS else "nothing but its event"
            words = f"{where} answers with {what}, {_nothing(line, 'says')}"
            yield line.entry.at_line("unread-output", words, _hint(line, ""))
            continue
        told = next((key for key in value if key.endswith(("Message", "_message"))), "")
        rest = without(text, [each for each in answers if not each.value.keys() <= _FOR_THE_PERSON])
        if told and value.keys() <= _FOR_THE_PERSON and _is_for_the_model(line, rest):
            words = f"{where} says in `{told}` what the model is to do, and only the person sees that"
            hint = "say it in `additionalContext`" if _takes_context(line) else _hint(line, "")
            yield line.entry.at_line("unread-output", words, hint, severity="notice")
            continue
        why = _objection(line, value)
        meant = (line.entry.guards and any(map(_MEANT.search, value))) or (
            (is_heard(line) or _takes_context(line))
            and not _WORDS.isdisjoint(value)
            and all(_objection(line, each).startswith(_NO_KEY) for each in printed)
        )
        if why and (not why.startswith(_NO_KEY) or meant):
            keys = ", ".join(f"`{key}`" for key in list(value)[:3])
            words = f"{where} answers with {keys}, {_nothing(line, 'says')}"
            yield line.entry.at_line("wrong-answer", words, _hint(line, why))


def _is_for_the_model(line: HookLine, text: str) -> bool:
    """Whether words ask something of the model."""
    compacted = line.entry.spec.kind in (EventKind.PreCompact, EventKind.PostCompact)
    return bool(_TO_THE_MODEL.search(text) or (compacted and _AFTER_COMPACTION.search(text)))


def _is_refused(line: HookLine, value: dict[str, Any]) -> bool:
    """Whether the agent's reader takes nothing of an answer, whatever its unknown parts are."""
    outcomes = [outcome_of(line.entry, json.dumps(each)) for each in read_as(value)]
    return all(each.problem and not acts(each) for each in outcomes)


def _keys(value: dict[str, Any]) -> frozenset[str]:
    """The names in an answer, and in the object inside of it."""
    inner = value.get("hookSpecificOutput")
    return frozenset((*value, *(inner if isinstance(inner, dict) else ())))


def _stops(line: HookLine, answer: dict[str, Any]) -> bool:
    outcome = outcome_of(line.entry, json.dumps(answer))
    return outcome.verdict not in (Verdict.NONE, Verdict.ALLOW) or bool(outcome.reprompt)


def _takes_context(line: HookLine) -> bool:
    inner = {"hookEventName": line.entry.spec.native_event, "additionalContext": "x"}
    forms = ({"hookSpecificOutput": inner}, {"additionalContext": "x"}, {"additional_context": "x"})
    told = line.entry.spec.kind in line.entry.traps.promises
    return told or any(acts(outcome_of(line.entry, json.dumps(form))) for form in forms)


def _only_weakly(line: HookLine, refusals: list[dict[str, Any]]) -> str:
    """Why what is answered keeps no call from running, where the agent does understand it; empty if it does."""
    rule, title, event = line.entry.rule, line.entry.speaker.title, line.entry.spec.native_event
    if line.entry.traps.late == event and all(refusal_in(each).startswith('"continue"') for each in refusals):
        return f"answers `continue: false`, which ends the turn of {title} after the call, and the call still runs"
    said = {
        outcome_of(line.entry, json.dumps(each)).verdict for value in refusals for each in filled_in(value)
    }
    if (
        rule is not None
        and said - {Verdict.NONE, Verdict.ALLOW} == {Verdict.ASK}
        and "ask" not in rule.effects
    ):
        return f"asks, and {title} asks nobody at `{event}`: the call goes on"
    return ""


def _partial_input(line: HookLine, where: str, answers: list[dict[str, Any]]) -> Iterator[Problem]:
    """A new input that lacks what the tool needs, where it is taken for the whole."""
    key, matcher = line.entry.traps.whole_input, line.entry.spec.matcher
    needed = _NEEDED.get(matcher.text if matcher else "")
    for value in answers if key and needed else ():
        inner = value.get("hookSpecificOutput", value)
        given = inner.get(key) if isinstance(inner, dict) else None
        missing = [name for name in needed or () if isinstance(given, dict) and name not in given]
        if missing:
            told = ", ".join(f"`{name}`" for name in missing)
            title = line.entry.speaker.title
            words = f"{where} answers with an `{key}` without {told}, and {title} takes it for the whole"
            yield line.entry.at_line("wrong-answer", words, "change a copy of the whole `tool_input`")


def _lost_text(line: HookLine, where: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    """Plain words that a script prints in any case, where they spoil its answer or are a fault by themselves."""
    spoken = spoken_first(text) if where != "the line" else None
    if spoken is None:
        return
    at, statement = spoken
    printed = [each.value for each in answers if each.printed]
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    spoilt = [
        each.value for each in answers if each.printed and each.at > at and is_whole(line.entry, each.value)
    ]
    if spoilt and not any(
        outcome_of(line.entry, f"x\n{json.dumps(each)}").verdict
        for value in spoilt
        for each in filled_in(value)
    ):
        words = f"{where} prints other text (`{statement:.60}`) before its JSON, so {title} does not read the answer"
        yield line.entry.at_line("wrong-answer", words, "send the text to standard error with `>&2`")
    elif not printed and outcome_of(line.entry, "x").problem and line.entry.rule and line.entry.rule.effects:
        words = f"{where} prints plain text (`{statement:.60}`): {title} takes JSON or nothing at `{event}`"
        hint = (
            how_to_tell(line.entry) if _takes_context(line) else "send the text to standard error with `>&2`"
        )
        yield line.entry.at_line("plain-output", words, hint)


def _lost_exits(line: HookLine) -> Iterator[Problem]:
    """Exit code 2 where it stops nothing: of a line, and of a guard's script for this event alone."""
    for shown, where, text in line.texts:
        script = line.scripts.get(shown, "")
        if shown and not (line.entry.guards or _is_meant_here(line, shown, text)):
            continue
        refusals = (each.value for each in written_answers(text) if refusal_in(each.value))
        code = 2 if ends_with_2(text) else 1 if shown and blocks_by_one(text, script) else 0
        ends = code and not any(is_answered(line.entry, each) for each in refusals)
        asks = shown and _ASKS_WHICH.search(text)
        if (
            not ends
            or asks
            or any(acts(heard(line.entry, RawResult(exit_code=each, stderr="no"))) for each in (code, 2))
        ):
            continue
        words, hint = f"{where} ends with {code}, {_nothing(line)}", instead_of_2(line.entry)
        if line.entry.spec.kind is EventKind.PostToolUse and _takes_context(line):  # for who goes on with it
            words = words.replace(", which stops nothing in", ", of which the model hears nothing in")
            hint = how_to_tell(line.entry)
        yield line.entry.at_line("weak-answer", words, hint)


def _denied_too_late(line: HookLine) -> Iterator[Problem]:
    """A script of several events that says no in the very branch of one that nothing can be said at."""
    event = re.escape(line.entry.spec.native_event)
    asking = [each for each in line.texts[1:] if _ASKS_WHICH.search(each[2]) and event in each[2]]
    if not asking or instead_of_2(line.entry) != EARLIER or acts(heard(line.entry, RawResult(exit_code=2))):
        return
    for _, where, text in asking:
        bodies = [each["body"] for form in _BRANCHES for each in re.finditer(form % event, text)]
        if any(map(_DENIES_THERE.search, bodies)):
            words = f"{where} says no where it is asked about `{event}`, {_nothing(line)}"
            yield line.entry.at_line("weak-answer", words, EARLIER)
            return


def _is_meant_here(line: HookLine, shown: str, text: str) -> bool:
    """Whether a script is for this event, where most agents hear its 2, or it says that it blocks."""
    means = line.entry.spec.kind in _TOLD_BY_2 or refuses_before_exit(text, 2)
    return blocks_by_one(text, line.scripts[shown]) or (means and is_for_this_alone(line, shown))


def _nothing(line: HookLine, does: str = "stops") -> str:
    return f"which {does} nothing in {line.entry.speaker.title} at `{line.entry.spec.native_event}`"


def _hint(line: HookLine, why: str) -> str:
    told = what_is_read(line.entry)
    words = line.entry.speaker.profile.words
    if not words.hear(line.entry.spec):
        told = f"without `{words.heard_by}` nobody reads what it prints"
    return f"{why}; {told}" if why else told


def _objection(line: HookLine, value: dict[str, Any]) -> str:
    """What the agent's reader has against an answer, whatever its unknown parts are; empty if nothing."""
    for key in value:
        if (right := instead_of(line.entry, key)) and value[key] is not True:
            return f"`{key}` is not read there: write {right}"
    found = [outcome_of(line.entry, json.dumps(each)).problem for each in read_as(value) if each]
    # one that is about what stands there, and of those the one that most readings share
    return (
        max(found, key=lambda each: (not _OF_A_STAND_IN.search(each), found.count(each)), default="")
        if all(found)
        else ""
    )
