"""Decisions in words that the agent does not know: made under a name of the script's own, or in an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import outcome_of, refusal_in
from hookline.checking.answers.told_apart import asks_who
from hookline.checking.answers.written_answers import written_answers
from hookline.checking.exits.wordless_exits import ends_with_2
from hookline.checking.lines import BY_WORDS, HookLine
from hookline.model.errors import Problem
from hookline.model.results import Verdict
from hookline.model.typing import Any
from hookline.system.patterns.late import late

# where an answer takes its decision from: `permissionDecision: result.decision`, `"permission": verdict`
_TAKEN = late(
    r"\b(?P<key>permissionDecision|permission)\\?[\"']?\s*:\s*\\?[\"']?(?:[\w$]+(?:\??\.(?:get\(\s*)?|\[))?[\"']?\$?\{?"
    r"(?P<name>[A-Za-z_]\w*)\b(?!\s*[\w(.\[])",
    needs=("permission",),
)
_EXPECTED = late(r"`decision`: expected ")
_MADE = r"(?<![\w.])(?:\w+\.)?%s\\?[\"']?\s*(?::(?!=)|=(?!=))\s*\\?[\"'](\w+)\\?[\"']"
# a word that is looked for is made something else of
_LOOKED_FOR = (
    r"(?:[=!]==?|-eq|\bin\b[^\n]{0,40}|\bcase\b|\.get\()\s*\\?[\"']%s\b|[\"']?\b%s[\"']?\s*(?:\)|:)(?!:)"
)


def decision_problems(line: HookLine) -> Iterator[Problem]:
    """A word that no answer may decide with, among those that a script decides with."""
    rule = line.entry.rule
    for _, where, text in line.texts if rule is not None and rule.guards else ():
        for key, name in dict.fromkeys((each["key"], each["name"]) for each in _TAKEN.finditer(text)):
            made = dict.fromkeys(re.findall(_MADE % re.escape(name), text))
            known = [each for each in made if _decides(line, key, each)]
            unknown = [each for each in made if each not in known and not _is_looked_for(text, each)]
            if known and unknown:
                title, told = line.entry.speaker.title, ", ".join(f"`{each}`" for each in unknown)
                words = (
                    f"{where} answers `{key}` with {told}, which means nothing to {title}: the call goes on"
                )
                yield line.entry.at_line(
                    "wrong-answer", words, f"write {_words(line, key)}", severity="error"
                )
    yield from _unknown_words(line)


def _unknown_words(line: HookLine) -> Iterator[Problem]:
    """Printed decisions in a word of another agent, beside a refusal or an end with 2 that is heard."""
    entry = line.entry
    readers = (entry, *([entry.read_by(entry.also_read_by)] if entry.also_read_by else ()))
    for shown, where, text in line.heard_texts[1:] if entry.rule is not None else ():
        if asks_who(line, text) or (BY_WORDS.search(text) and shown not in line.chosen):
            continue  # which of the answers is for this agent is not told
        answers = list(written_answers(text))
        refuses = any(refusal_in(each.value) for each in answers) or ends_with_2(text)
        lets = [each.value for each in answers if each.printed and not refusal_in(each.value)]
        words = [each["decision"] for each in lets if "decision" in each]
        for word in dict.fromkeys(each for each in words if isinstance(each, str)) if refuses else ():
            form = json.dumps({"decision": word, "reason": "x"})
            told = [outcome_of(each, form).problem for each in readers]
            if all(_EXPECTED.match(each) for each in told):
                title, event = entry.speaker.title, entry.spec.native_event
                said = f"{where} answers `decision` with `{word}`, which is no answer in {title} at `{event}`"
                yield entry.at_line("wrong-answer", said, told[0], severity="warning")
                return


def _is_looked_for(text: str, word: str) -> bool:
    return bool(re.search(_LOOKED_FOR % (word, word), text))


def _decides(line: HookLine, key: str, word: str) -> bool:
    said: dict[str, Any] = {key: word, f"{key}Reason": "x"}
    inner = {"hookEventName": line.entry.spec.native_event, **said}
    other = line.entry.also_read_by
    readers = (line.entry, *([line.entry.read_by(other)] if other else ()))
    forms = [json.dumps(each) for each in (said, {"hookSpecificOutput": inner})]
    found = (outcome_of(each, form).verdict for each in readers for form in forms)
    return any(each is not Verdict.NONE for each in found)


def _words(line: HookLine, key: str) -> str:
    known = [f"`{each}`" for each in ("deny", "ask", "allow") if _decides(line, key, each)]
    return " or ".join(known)
