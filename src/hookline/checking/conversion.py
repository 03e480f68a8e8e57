"""What scripts lose in another agent's hands: their words are read, never run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import heard
from hookline.checking.answers.script_rules import ends_silently
from hookline.checking.answers.written_answers import filled_in, written_answers
from hookline.checking.lines import HookLine
from hookline.dialects import OWN, dialect
from hookline.dialects.base import Dialect, EventRule
from hookline.dialects.converting.details import Loss
from hookline.dialects.converting.matchers import names_of_tool
from hookline.dialects.converting.rules import moment_of, understood
from hookline.dialects.matching import mismatch
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Outcome, RawResult, Verdict
from hookline.system.patterns.late import late

_TOOL_NAME = late(r"tool_?name", re.IGNORECASE)
# the whole input given to code that is not read here, by a script that may say no
_TAKES_IN = late(r"\b(?:import|require)\b")
_HANDS_ON = late(r"\w\((?:[^()\n]{0,120},\s{0,20})?tool_?[iI]nput\s{0,20}[,)]")
_MAY_DENY = late(r"exit[ (]+(?:2|[a-z_]+)\b|\bdeny\b|[\"']block[\"']")
_DECIDES = late(r"permissionDecision|\bpermission\b|\bdecision\b|updatedInput|[\"']continue\\?[\"']")
_ENDS = late(r"\bexit(?:code)?[ (=]+(\d{1,3})\b", re.IGNORECASE)
_BEHIND = 200  # an answer's own exit stands this near behind it
# in quotes, after an `=`, or among the choices of a `case` or a pattern
_COMPARED = r"(?m)([\"']){0}\\?\1|[=~]\s*\^?\(?{0}\b|[|^]{0}\b|\b{0}\s*\||(?:^|\bin)\s*\(?{0}\)"
# Answers that keep a call from happening as it was asked for: the effect, how they are said, and what becomes of them.
_ANSWERS = {
    "ask": (late(r"[\"']ask\\?[\"']"), "`ask`, which {} does not know there: nobody is asked"),
    "rewrite": (late(r"updatedInput"), "`updatedInput`, which {} does not know there: it runs as it came"),
    "continue": (
        late(r"[\"']continue\\?[\"']\s*:\s*[Ff]alse"), "`continue: false`, which {} does not know: it goes on",
    ),
}  # fmt: skip


def losses_of(line: HookLine, source: str, target: str) -> Iterator[Loss]:
    """What the line and its scripts say that the target understands otherwise."""
    spec, rule = line.entry.spec, line.entry.rule
    native = spec.origin.speaks.partition(":")[0] or source
    if rule is None or target in (native, OWN) or not understood(spec, native, target):
        return
    listener = dialect(target)
    listening = listener.rules.get(spec.kind)
    if listening is None:
        return
    weakens = rule.guards and not spec.background
    for shown, _, text in line.texts:
        where = f"`{shown}`" if shown else "its line"
        for what, words in _lost(line, text, native, listener, listening):
            yield Loss(
                spec.name or spec.id, spec.source, spec.line, spec.native_event,
                what, f"{where} {words}", weakens and what not in ("strictness", "words"),
            )  # fmt: skip


def _lost(
    line: HookLine, text: str, source: str, listener: Dialect, listening: EventRule
) -> Iterator[tuple[str, str]]:
    rule = line.entry.rule
    assert rule is not None
    if rule.subject == "tool_name" and _TOOL_NAME.search(text):
        for name, others in _renamed(line, text, source, listener.name):
            told = " or ".join(f"`{other}`" for other in others)
            yield "tool-name", f"compares the tool's name with `{name}`, which {listener.title} calls {told}"
    if rule.subject == "tool_name":
        yield from _patched(line, text, source, listener)
    traps = dialect(source).profile.traps
    redirected = not ends_silently(f"{line.text}\nexit 2")
    theirs = listener.profile.traps.needs_reason
    if rule.guards and traps.needs_reason != theirs and ends_silently(text) and not redirected:
        words = "ends with 2 and prints nothing on standard error"
        if theirs:
            yield "silent-exit", f"{words}: {listener.title} then runs the tool"
        else:
            yield (
                "strictness",
                f"{words}: {dialect(source).title} then runs the tool, {listener.title} does not",
            )
    by_words: set[str] = set()
    for what, (says, words) in _ANSWERS.items():
        if what in rule.effects - listening.effects and _DECIDES.search(text) and says.search(text):
            by_words.add(what)
            yield what, f"answers {words.format(listener.title)}"
    for what, words in dict.fromkeys(_heard_otherwise(line, text, listener, listening)):
        if what not in by_words:
            yield what, words


def _heard_otherwise(
    line: HookLine, text: str, listener: Dialect, listening: EventRule
) -> Iterator[tuple[str, str]]:
    """The answers that the text prints, as both agents' own readers take them, with the exit code behind each."""
    spec = HookSpec("x", listener.name, listening.kind, listening.native, Command("x"), timeout_s=1)
    errors = "" if ends_silently(text) else "no"
    for written in written_answers(text):
        ends = _ENDS.search(text[written.end : written.end + _BEHIND])
        code = int(ends[1]) if ends else 0
        for value in filled_in(written.value) if written.printed else ():
            printed = json.dumps(value)
            raw = RawResult(exit_code=code, stdout=printed, answer=printed, stderr=errors if code else "")
            before = _made_of(heard(line.entry, raw))
            after = _made_of(listener.read_output(moment_of(listening.kind), spec, raw))
            if before[:2] != after[:2] and (before[2] or before[0] != after[0]):
                end = f" and ends with {code}" if code else ""
                words = f"answers `{printed:.120}`{end}: {line.entry.speaker.title} makes {before[1]} of it"
                what = before[2] or "allow" if before[0] >= after[0] else "strictness"
                yield what, f"{words}, {listener.title} {after[1]}"
                break


def _made_of(outcome: Outcome) -> tuple[int, str, str]:
    """How much an answer stops, in words, and the name of the loss of it."""
    if outcome.verdict >= Verdict.DENY or outcome.reprompt:
        return 2, "a refusal", "continue" if outcome.verdict is Verdict.HALT else "deny"
    if outcome.verdict >= Verdict.ASK:
        return 1, "a question", "ask"
    if outcome.updated_input is not None:
        return 1, "another call", "rewrite"
    if outcome.verdict is Verdict.ALLOW:
        return -1, "a permission", ""
    return (0, "words for the model", "words") if outcome.contexts else (0, "nothing", "")


def _patched(line: HookLine, text: str, source: str, listener: Dialect) -> Iterator[tuple[str, str]]:
    """What a script reads of a file's change where one of the two agents sends it as a patch, the other not."""
    tools = dialect(source).tools
    matcher = line.entry.spec.matcher
    changes = {"Edit", "Write", *(native for name, native in tools.names if name in ("Edit", "Write"))}
    if tools.patches == listener.tools.patches:
        return
    if matcher is not None and all(mismatch(matcher, [name], "tool_name") is not None for name in changes):
        return
    reads = re.search(r"\b(?:file_path|old_string|new_string)\b", text)
    if listener.tools.patches and reads:
        yield (
            "patch",
            f"reads `{reads[0]}` of a file's change, which {listener.title} sends as a patch in `command`",
        )
    elif (
        listener.tools.patches
        and _TAKES_IN.search(text)
        and _HANDS_ON.search(text)
        and _MAY_DENY.search(text)
    ):
        words = (
            f"hands on `tool_input` of a file's change, which {listener.title} sends as a patch in `command`"
        )
        yield "patch", words
    is_shells = matcher is None or mismatch(matcher, ["Bash"], "tool_name") is None
    if tools.patches and not is_shells and re.search(r"\bcommand\b", text):
        yield (
            "patch",
            f"reads `command`, a patch, of a file's change, of which {listener.title} sends `file_path`",
        )


def _renamed(line: HookLine, text: str, source: str, target: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The tools of its matcher that a script compares with by a name that is not theirs in the target."""
    matcher = line.entry.spec.matcher
    for name in dialect(source).tools.known():
        if matcher is not None and mismatch(matcher, [name], "tool_name") is not None:
            continue
        others = names_of_tool(name, source, target)
        if name not in others and re.search(_COMPARED.format(re.escape(name)), text):
            yield name, others
