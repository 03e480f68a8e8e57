"""Refusals that are lost: an answer or an exit code that the agent reads as nothing at this event."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from hookline.checking.lines import HookLine
from hookline.checking.script_rules import script_problems, without_comments
from hookline.dialects import dialect, is_agent
from hookline.model.errors import Problem
from hookline.model.events import event_from_payload
from hookline.model.record import replace
from hookline.model.results import Outcome, RawResult, Verdict

_REFUSES = {
    "decision": ("deny", "block", "reject"),
    "permission": ("deny",),
    "permissionDecision": ("deny",),
    "behavior": ("deny",),
    "continue": (False,),
    "cancel": (True,),
}
_ENDS_WITH_2 = re.compile(r"\bexit[ (]+2\b")
# A script for several events looks at which one it is: `d["hook_event_name"]`, `.hookEventName ==`.
_ASKS_WHICH = re.compile(r"hook_event_name|hookEventName[\"']?\s*\]|\.hookEventName", re.IGNORECASE)
_MOST = 20  # objects looked at in one text


def unread_answers(line: HookLine) -> Iterator[Problem]:
    """Answers in the line and its scripts that refuse, where the agent's own reader finds no refusal in them."""
    entry = line.entry
    if not line.text or entry.rule is None or not is_agent(entry.speaker.name) or entry.spec.background:
        return
    found = next(_lost_answers(line), None) or _lost_exit(line)
    if found and not any(each.code == "wrong-answer" for each in script_problems(line)):
        yield found


def _lost_answers(line: HookLine) -> Iterator[Problem]:
    entry = line.entry
    for shown, script in {"": line.text, **line.scripts}.items():
        text = without_comments(script)
        refusals = [found for found in _objects(text) if _said(found)]
        if not refusals or _ENDS_WITH_2.search(text) or (shown and _ASKS_WHICH.search(text)):
            continue
        if not any(_is_heard(line, RawResult(exit_code=0, stdout=json.dumps(each))) for each in refusals):
            words = (
                f"{f'`{shown}`' if shown else 'the line'} answers `{_said(refusals[0])}`, {_nothing(line)}"
            )
            yield entry.at_line(
                "wrong-answer", words, f"`hookline docs {entry.speaker.name}` has what it reads"
            )


def _lost_exit(line: HookLine) -> Problem | None:
    text = without_comments(line.text)
    ends = _ENDS_WITH_2.search(text) and not any(map(_said, _objects(text)))
    if not ends or _is_heard(line, RawResult(exit_code=2, stderr="no")):
        return None
    words = f"the line ends with 2, {_nothing(line)}"
    return line.entry.at_line("weak-answer", words, "guard an event before it happens")


def _nothing(line: HookLine) -> str:
    return f"which stops nothing in {line.entry.speaker.title} at `{line.entry.spec.native_event}`"


def _is_heard(line: HookLine, raw: RawResult) -> bool:
    """Whether something comes of it: a refusal, a goal to go on, or words for the model."""
    entry = line.entry
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "x"}
    event = event_from_payload(entry.spec.kind, given, session_id="s", cwd="/", workspace="/", at=0.0)
    outcome: Outcome = dialect(entry.speaker.name).read_output(
        event, entry.spec, replace(raw, answer=raw.stdout)
    )
    return outcome.verdict not in (Verdict.NONE, Verdict.ALLOW) or bool(outcome.reprompt or outcome.contexts)


def _said(found: Any) -> str:
    """The part of an object that refuses, as it stands in the text."""
    for key, value in found.items() if isinstance(found, dict) else ():
        if any(value is each or (isinstance(each, str) and value == each) for each in _REFUSES.get(key, ())):
            return f'"{key}": {json.dumps(value)}'
        if isinstance(value, dict) and (inner := _said(value)):
            return inner
    return ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Objects that stand in the text as JSON, with their quotes escaped or not, or as Python has them."""
    starts = [found.start() for found in re.finditer(r"\{\s*\\?[\"']\w+\\?[\"']\s*:", text)]
    end = 0
    for start in starts[:_MOST]:
        if start < end:
            continue
        end = _closed(text, start)
        found = _parsed(text[start:end])
        if isinstance(found, dict):
            yield found


def _closed(text: str, start: int) -> int:
    depth = 0
    for at in range(start, min(len(text), start + 4000)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return start


def _parsed(text: str) -> Any:
    for attempt in (text, text.replace('\\"', '"')):
        try:
            return json.loads(attempt)
        except (ValueError, RecursionError):
            pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
