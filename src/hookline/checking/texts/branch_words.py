"""What a script says on its way to an end with 2, or to its answer, on the stream that is not meant for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hookline.checking.answers.script_rules import ANSWERS, STDERR
from hookline.checking.steps.step import Body, all_steps
from hookline.checking.steps.steps import Steps
from hookline.checking.steps.steps_of import steps_of
from hookline.checking.texts.only_printing import LOOKS
from hookline.checking.texts.spoken import spoken_in
from hookline.checking.texts.words_said import Spoken
from hookline.system.patterns.late import late

_WORDS = late(r"\w{2}")
_MORE = late(r"systemMessage|additionalContext|additional_context|[\"'`{]\s*\\?[\"']?\w+\\?[\"']\s*:")
_QUOTED_KEY = late(r"[\"'`{]\s*:|:\s*\\?[\"'{]|[{}]")
SAYS_MORE = late(r"systemMessage|additionalContext|additional_context")
_TWO = late(r"\b(?:exit|return|SystemExit)[ (]+2\b|exitCode\s*=\s*2\b", re.IGNORECASE)
_HUSHED = late(r"2>|&>")
# standard error of all that follows, to a file; and what may still reach where it went before
_TO_A_FILE = late(
    r"(?m)^[ \t]*(?P<told>exec[ \t]+(?:[^\n;#|]*[ \t])??(?:2>>?|&>>?|1?>>?[ \t]*[^\s;&|<>()]+[ \t]+2>&1)"
    r"[ \t]*(?![&(>])[^\n;#|]*)"
)
_STILL_HEARD = late(r"[3-9]>&\s*2|>&\s*[3-9$\"]|\}>&2|/dev/tty")

# a comment for whom something is printed, in one row or two
_FOR_THE_AGENT = late(
    r"(?m)^[ \t]*(?:#|//)[^\n]*(?:\n[ \t]*(?:#|//)[^\n]*)?\b(?:so|let|lets|for)\b(?:[ \t]that)?[ \t](?:the[ \t])?"
    r"(?i:agent|claude|model|assistant|codex|copilot)(?:[ \t]code)?[ \t](?:can[ \t]|to[ \t]|will[ \t])?"
    r"(?:sees?|reads?|notices?)\b[^\n]*"
)
_NOT_FOR_IT = late(r"(?i:\b(?:not|never|no|without|don.t|doesn.t|won.t)\b)")
_SAYS_SOMETHING = late(r"\w{2}[^\n]*\w{2}")
_CLOSE = 4
_OTHER = late(r"[^\s;>&2]")
_WARNS = late(r"\W*(?:WARNING|Warning|ATTENTION|CAUTION)\b")
_ROWS = 4


def told_by_more(script: str, said: list[Spoken]) -> list[Spoken]:
    """Words that are for somebody by more than what they say."""
    return warning_of_rows(script, said) or for_the_agent(script, said)


def for_the_agent(script: str, said: list[Spoken]) -> list[Spoken]:
    """The first of which a comment says that the agent is to see it: close before it, or by the name of the stream."""
    notes = [each for each in _FOR_THE_AGENT.finditer(script) if not _NOT_FOR_IT.search(each[0])]
    for each in said if notes else ():
        stream = "stderr" if each.on_stderr else "stdout"
        before = [note for note in notes if note.end() < each.at and _SAYS_SOMETHING.search(each.words)]
        if any(
            stream in note[0].lower() or script.count("\n", note.end(), each.at) <= _CLOSE for note in before
        ):
            return [each]
    return []


def warning_of_rows(script: str, said: list[Spoken]) -> list[Spoken]:
    """A warning on standard error that goes on for several rows: what takes as many is no note about the script."""
    found: list[Spoken] = []
    for each in (one for one in said if one.on_stderr and one.words.strip()):
        between = script[found[-1].end : each.at] if found else ""
        found = [*found, each] if found and not _OTHER.search(between) else [each]
        if _WARNS.match(found[0].words) and sum(one.words.count("\n") + 1 for one in found) >= _ROWS:
            return found[:1]
    return []


def without_said(shown: str, script: str, text: str) -> str:
    """A script's text without its rows of mere words, in which a `decision` is none."""
    rows = (row for each in spoken_in(shown, script) for row in script[each.at : each.end].splitlines())
    mere = {row.strip() for row in rows if not _MORE.search(row) and not _QUOTED_KEY.search(row)}
    return "\n".join(row for row in text.splitlines() if row.strip() not in mere)


def says_why_aside(shown: str, script: str) -> bool:
    """Whether it has words on standard output on the way to an end with 2, and none on standard error."""
    if not (STDERR.search(script) and _TWO.search(script)):
        return False  # of one that says nothing there at all is told already
    steps = steps_of(shown, script)
    for said in spoken_in(shown, script) if steps else ():
        if steps and not said.on_stderr and _WORDS.search(said.words):
            codes, way = steps.sure(said.at)
            if "2" in codes and not _says_more(script, steps, said, way):
                return True
    return False


def ends_an_error_silently(shown: str, script: str) -> bool:
    """Whether nothing but an end with 2 handles an error."""
    steps = steps_of(shown, script) if _TWO.search(script) else None
    return steps is not None and any(
        each.kind == "handler" and [(step.kind, step.look.text) for step in each.bodies[0]] == [("exit", "2")]
        for each in all_steps(steps.body)
    )


def hushed_by(shown: str, script: str) -> str:
    """The line by which a script sends standard error to a file, before an end with 2 whose reason belongs there."""
    found = _TO_A_FILE.search(script)
    steps = steps_of(shown, script) if found and not _STILL_HEARD.search(script) else None
    if not (found and steps) or len(steps.path(found.start("told"))) > 1:
        return ""
    behind = (step for step in steps.body if step.start > found.end() or step.kind == "function")
    ends = any(each.kind == "exit" and each.look.text == "2" for each in all_steps(tuple(behind)))
    return " ".join(found["told"].split()) if ends else ""


def said_before(steps: Steps, spoken: list[Spoken], at: int, text: str) -> str:
    """The words that are printed in any case before what stands at a place, in the branches it stands in."""
    levels = {id(body): index for body, index in _levels(steps, at)}
    before = []
    for each in spoken:
        body, index, _ = (steps.path(each.at) or [((), 0, None)])[-1]
        if index < levels.get(id(body), 0) and _WORDS.search(each.words):
            before.append(each)
    if not before:
        return _called_before(steps, spoken, levels, text)
    if any(each.on_stderr for each in before):
        return ""  # there it may say why
    words = " ".join(text[before[0].at : before[0].end].split()).rstrip(";&|} ")
    return "" if "{" in words else words


def _called_before(steps: Steps, spoken: list[Spoken], levels: dict[int, int], text: str) -> str:
    """A call before the place of a function that prints, and says nothing on standard error."""
    for name, function in steps.functions.items():
        inside = [each.on_stderr for each in spoken if function.start <= each.at < function.end]
        for start in steps.callers.get(name, ()) if inside and not any(inside) else ():
            body, index, _ = (steps.path(start) or [((), 0, None)])[-1]
            if index < levels.get(id(body), 0) and body[index].kind == "" and body[index].bare:
                return " ".join(text[body[index].start : body[index].end].split()).rstrip("; ")
    return ""


def beside_answer(shown: str, script: str, at: int) -> bool:
    """Whether an answer stands within a few lines of a place, or right behind it the call of what answers, or where
    the script comes to in any case."""
    before, after = script[:at].splitlines()[-4:], script[at:].splitlines()[:4]
    near = "\n".join((*before, *after))
    called = (
        re.search(rf"(?<![\w$.-]){re.escape(name)}\b", "\n".join(after[:3]))
        for name in _answering(shown, script)
    )
    return bool(ANSWERS.search(near) or SAYS_MORE.search(near)) or any(called) or _comes_to(shown, script, at)


def _comes_to(shown: str, script: str, at: int) -> bool:
    """Whether words for the model or the person are printed behind a place, in none of the branches there."""
    steps = steps_of(shown, script)
    for body, index, _ in reversed(steps.path(at - 1)) if steps else ():
        if body[index].kind in ("function", "handler"):
            return False
        for step in body[index + 1 :]:
            if step.kind in ("exit", "return", "out"):
                return False
            inner = min((each[0].start for each in step.bodies if each), default=step.end)
            if step.kind in ("", "if") and SAYS_MORE.search(script, step.start, inner):
                return True
    return False


@lru_cache(maxsize=8)
def _answering(shown: str, script: str) -> tuple[str, ...]:
    """The functions that have an answer in them."""
    steps = steps_of(shown, script)
    return tuple(
        name
        for name, each in (steps.functions.items() if steps else ())
        if name != "main" and ANSWERS.search(script, each.start, each.end)
    )


def _levels(steps: Steps, at: int) -> Iterator[tuple[Body, int]]:
    """The lists of statements around a place, as far as its function goes, and around the calls of that."""
    path = steps.path(at)
    functions = [number for number, (body, index, _) in enumerate(path) if body[index].kind == "function"]
    first = functions[-1] + 1 if functions else 0
    yield from ((body, index) for body, index, _ in path[first:])
    if functions:
        body, index, _ = path[functions[-1]]
        calls = steps.callers.get(body[index].what, ())
        if len(calls) == 1 and calls[0] != at:
            yield from ((body, index) for body, index, _ in steps.path(calls[0]))


def _says_more(script: str, steps: Steps, said: Spoken, way: list[Body]) -> bool:
    """Whether something is said on standard error as well, or may be, or what is said belongs to an answer."""
    loud = {name for name, each in steps.functions.items() if STDERR.search(script, each.start, each.end)}
    outside = [
        step
        for body, index, _ in steps.path(said.at)[:-1]
        for step in body[:index]
        if step.kind in ("", "group")
    ]
    for body in [outside, *way]:
        if any(STDERR.search(script, step.start, step.end) for step in body if step.kind != "function"):
            return True
    for step in (*outside, *(each for body in way for each in all_steps(body))):
        if not loud.isdisjoint(step.calls):
            return True
    for body in way:
        if any(_is_answer(script[step.start : step.end]) for step in body if step.kind != "function"):
            return True
        for step in all_steps(body):
            if step.program not in ("", *LOOKS, *steps.functions) and not _HUSHED.search(
                script, step.start, step.end
            ):
                return True
    return False


def _is_answer(text: str) -> bool:
    return bool(ANSWERS.search(text) or _MORE.search(text))
