"""Guards that answer `allow` to every call they do not stop: nobody is asked any more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import outcome_of
from hookline.checking.answers.written_answers import read_as, written_answers
from hookline.checking.entries import Entry
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import by_ending
from hookline.checking.steps.step import all_steps
from hookline.checking.steps.steps_of import steps_of
from hookline.dialects.matching import mismatch
from hookline.dialects.tools import CANONICAL
from hookline.model.results import Verdict
from hookline.system.patterns.late import late

_MAY_ALLOW = late("allow|approve", re.IGNORECASE, needs=("allow", "approve"))
ALLOWS = late(r"permissionDecision\\?[\"']?\s*:\s*\\?[\"']allow|\bdecision\\?[\"']?\s*:\s*\\?[\"']approve")
DENIES = late(
    r"permissionDecision\\?[\"']?\s*:\s*\\?[\"'](?:deny|ask)|(?<![$-])\bexit[ (]+2\b|[\"']block[\"']|exitCode\s*=\s*2"
)
_WARNS = late(
    r"(?i:\bwarn(?:ings?)?\b|\bcaution\b|\bdanger(?:ous)?\b|\brisky\b|\bplease (?:review|confirm|check|verify)"
    r"|\bdouble.check)|⚠"
)
# the same, by a function that is told what to answer
_HANDED = late(
    r"\b\w{0,40}(?i:decision|decide|respond|answer|output|permission|emit|result|reply)\w{0,40}"
    r"(?:\(\s*|[ \t]+)[\"']?(?P<word>allow|approve)[\"']?(?:\s*,\s*|[ \t]+)(?P<words>[fr]?[\"'`][^\n]{1,200})"
)
_NO_WARNING = late(r"(?i:\b(?:no|without|not)\s+(?:\w+\s+){0,2}(?:warnings?|danger(?:ous)?|risky)\b)")
_CONDITIONS = late(r"\b(?:if|case|grep|test|match)\b|&&|\|\|")
_CODE_ENDS = (".js", ".cjs", ".mjs", ".ts", ".py")
_FREE = frozenset({"Read", "Glob", "Grep", "LS", "WebSearch", "WebFetch", "TodoWrite"})
# a function that does nothing but allow, and one that is told what to answer
_ALLOWING = late(
    r"(?m)^[ \t]*(?:function\s+|def\s+|(?:const|let)\s+)?(\w{0,40}(?i:allow|approve)\w{0,40})"
    r"\s*(?:=\s*)?\([^()\n]*\)[^\n]*"
)
_DECIDING = late(
    r"\b(\w{0,40}(?i:decision|decide|respond|answer|output|permission|emit|result|reply)\w{0,40})\(\s*[\"']allow[\"']"
)
# behind an error, behind a test of which tool or file it is, or as what is left at last
_AT_LAST = r"\([^\n]{0,200}\n[\s)}\];]{0,80}\Z"
# what all else is answered at the end of a `case`
_IN_ANY_CASE = late(
    r"(?m)^[ \t]*\*\)\s*(?:echo|printf)\b[^\n]*\n(?:\s*exit(?: 0)?\s*\n)?\s*;;\s*esac\s*(?:exit(?: 0)?\s*)?\Z",
    needs=("*)",),
)
_ELSE_ALLOWED = late(
    r"\?[^;{}\n?]{1,120}:\s*[\"'](?:allow|approve)[\"']\s*;"
    r"|(?:deny|ask|block)[\"'] if [^\n]{1,160} else [\"'](?:allow|approve)[\"']\s*\n",
    needs=("allow", "approve"),
)
_DECIDED = late(
    r"(?:const|let|var)\s+(\w*[dD]ecision)\s*=(?![=>])[^;]*\Z|(?:^|\n)[ \t]*(\w*[dD]ecision) = [^;\n]*\Z"
)
_TAKES = late(
    r"(?:\$?(?P<name>\w+)[ \t]*=[ \t]*(?:\"?\$\(cat\)|\[Console\]::In\.ReadToEnd\(\)|sys\.stdin\.read\(\)"
    r"|json\.load\(sys\.stdin\)|\$input\b)|read\s+-r\s+(?P<by>\w+)"
    r"|(?P<away>\bcat\s*>\s*/dev/null|(?m:^)[ \t]*sys\.stdin\.read\(\)|\$null\s*=\s*\[Console\]))"
)
_ASKS = late(
    r"\bjq\s+(?!-\w*n)|(?m:^\S[^\n]{0,200}\$\{?[1-9@*])|\bargv\b|(?i:\benv:(?:claude|tool|cursor|copilot))|\bARGUMENTS\b|/dev/stdin"
)
_PRINTS = ("console.log(", "process.stdout.write(", "print(")
_OTHERWISE = (
    r"(?:\bcatch\b[^\n{]{0,40}\{|\bexcept\b[^\n:]{0,60}:|\|\|)\s*(?:[^\n]{0,160}\n\s*){0,2}(?:return\s+)?"
)


def blanket_allow(line: HookLine, shown: str, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """An `allow` that the last statement prints, whatever the call was."""
    rule = line.entry.rule
    if (
        rule is None
        or "ask" not in rule.effects
        or rule.subject != "tool_name"
        or not _MAY_ALLOW.search(text)
        or not _is_read(line)
    ):
        return
    if tool := _asks_still(line, text):
        title = line.entry.speaker.title
        words = f"{where} answers `allow` without an `updatedInput`: {title} asks about `{tool}` still"
        yield "weak-answer", words, "give the tool's input back as `updatedInput`"
    if not _covers_risky_tools(line):
        return
    found, denies = list(ALLOWS.finditer(text)), bool(DENIES.search(text))
    if found and all(_is_in_vain(line, text, each.start()) for each in found):
        return  # of that another look tells
    last = (
        bool(found)
        and _is_last(text, found[-1].start())
        and (
            denies or not _CONDITIONS.search(text) or _never_ends_before(line, shown, text, found[-1].start())
        )
    )
    last = last or any(
        _is_left_over(line, shown, text, each.start())
        and (denies or _never_ends_before(line, shown, text, each.start()))
        for each in found
    )
    last = last or ((denies or '"deny"' in text) and _chooses_at_last(line, shown, text))
    in_any_case = _IN_ANY_CASE.search(text)
    else_allowed = denies and in_any_case is not None and bool(ALLOWS.search(in_any_case[0]))
    if last or else_allowed or _allows_otherwise(text):
        words = f"{where} answers `allow` to every call it does not stop, so nobody is asked any more"
        yield "blanket-allow", words, "print nothing for a call it has no opinion on"
    elif found and _never_looks(text):
        words = f"{where} answers `allow` without a look at what the call is, so nobody is asked any more"
        yield "blanket-allow", words, "print nothing for a call it has no opinion on"
    elif warned := _allows_with_a_warning(line, text):
        words = f"{where} answers `{warned}` with a warning: nobody is asked about just that call any more"
        yield "blanket-allow", words, "answer `ask`, or say it without a decision"


def _never_looks(text: str) -> bool:
    """Whether a script takes its input, and nothing out of it."""
    taken = list(_TAKES.finditer(text))
    name = (taken[0]["name"] or taken[0]["by"] or "") if len(taken) == 1 else ""
    unused = name and len(re.findall(rf"(?<![\w-]){name}\b", text)) == 1
    return len(taken) == 1 and bool(unused or taken[0]["away"]) and not _ASKS.search(text)


def _allows_with_a_warning(line: HookLine, text: str) -> str:
    """The word by which a call is let through for whose sake the answer warns."""
    for each in written_answers(text):
        inner = each.value.get("hookSpecificOutput")
        said = {**each.value, **(inner if isinstance(inner, dict) else {})}
        word = said.get("permissionDecision", said.get("decision"))
        words = _NO_WARNING.sub("", text[each.at : each.end])
        warns = word in ("allow", "approve") and each.printed and _WARNS.search(words)
        if warns and not _is_in_vain(line, text, each.at):
            return str(word)
    handed = (each for each in _HANDED.finditer(text) if _WARNS.search(_NO_WARNING.sub("", each["words"])))
    return next((each["word"] for each in handed), "")


def _never_ends_before(line: HookLine, shown: str, text: str, at: int) -> bool:
    """Whether a script gets to a place whatever it finds, or has answered the same where it ends before."""
    steps = steps_of(by_ending(shown, line.scripts[shown]), text) if shown else None
    before = [each for each in steps.telling(steps.body) if each.start < at] if steps else []
    inside = list(all_steps(tuple(before)))
    if steps is None or any(not steps.functions.keys().isdisjoint(each.calls) for each in inside):
        return False
    ends = [each.start for each in inside if each.kind in ("exit", "code", "return")]
    bodies = [steps.path(each)[-1][0] for each in ends]
    return all(ALLOWS.search(text, body[0].start, end) for body, end in zip(bodies, ends, strict=True))


def _is_left_over(line: HookLine, shown: str, text: str, at: int) -> bool:
    """Whether a place is the last of a program that is no shell's, which no condition keeps it from."""
    name = by_ending(shown, line.scripts[shown]) if shown else ""
    steps = steps_of(name, text) if name.endswith(_CODE_ENDS) else None
    path = steps.path(at) if steps else []
    return bool(path) and all(
        (body[index].kind in ("", "group") or (body[index].kind == "function" and body[index].what == "main"))
        and (
            number == 0
            or all(each.kind in ("exit", "return", "code", "handler") for each in body[index + 1 :])
        )
        for number, (body, index, _) in enumerate(path)
    )


def _chooses_at_last(line: HookLine, shown: str, text: str) -> bool:
    """Whether what is decided is `allow` where it is nothing else, `no ? … : "allow"`, and printed in any case."""
    for found in _ELSE_ALLOWED.finditer(text):
        before = text[max(0, found.start() - 300) : found.start()]
        given = _DECIDED.search(before)
        printed = max(text.rfind(each, found.end()) for each in _PRINTS)
        if (
            given
            and printed > 0
            and re.search(rf"\b{given[1] or given[2]}\b", text[found.end() : printed + 300])
        ):
            at = found.start() - len(before) + given.start(given.lastindex or 1)
            return all(_is_left_over(line, shown, text, each) for each in (at, printed))
    return False


def _allows_otherwise(text: str) -> bool:
    """Whether a function that answers `allow` is called where all else is left over: an error, or no rule that fits."""
    named = {
        found[1] for found in _ALLOWING.finditer(text) if ALLOWS.search(text, found.end(), found.end() + 400)
    }
    calls = [rf"\b{name}\b(?!\s*\(\)\s*\{{)(?:\(|[\s;\"'}}])" for name in named]
    told = {found[1] for found in _DECIDING.finditer(text)}
    calls += [rf"\b{name}\(\s*[\"']allow" for name in told if re.search(rf"\b{name}\(\s*[\"']deny", text)]
    last = [rf"(?m:^[ \t]*)(?:return\s+)?{name}{_AT_LAST}" for name in named]
    last += [
        rf"(?m:^[ \t]*)(?:return\s+)?(?={name}\(\s*[\"']allow){name}{_AT_LAST}"
        for name in told
        if any(call.startswith(rf"\b{name}\(") for call in calls)
    ]
    return any(re.search(rf"{_OTHERWISE}{call}", text) for call in calls) or any(
        re.search(each, text) for each in last
    )


def _is_read(line: HookLine) -> bool:
    """Whether an `allow` of one of these forms means one at the event of the hook."""
    inner = {"hookEventName": line.entry.spec.native_event, "permissionDecision": "allow"}
    forms: tuple[dict[str, object], ...] = (
        {"hookSpecificOutput": inner}, {"permissionDecision": "allow"}, {"decision": "approve"}, {"decision": "allow"},
    )  # fmt: skip
    found = (outcome_of(each, json.dumps(form)) for each in _readers(line) for form in forms)
    return any(each.verdict is Verdict.ALLOW for each in found)


def _is_in_vain(line: HookLine, text: str, at: int) -> bool:
    """Whether an `allow` stands in an answer whose shape nobody reads."""
    around = next((each for each in written_answers(text) if each.at <= at < each.end), None)
    if around is None or not (around.printed or "hookSpecificOutput" in around.value):
        return False  # which may be put into another
    forms = [json.dumps(each) for each in read_as(around.value)]
    read = (outcome_of(each, form).verdict for each in _readers(line) for form in forms)
    return Verdict.ALLOW not in read


def _readers(line: HookLine) -> tuple[Entry, ...]:
    other = line.entry.also_read_by
    return (line.entry, *([line.entry.read_by(other)] if other else ()))


def _asks_still(line: HookLine, text: str) -> str:
    """A tool that is asked about in spite of the one answer of a hook for such tools alone."""
    matcher, tools = line.entry.spec.matcher, line.entry.traps.asks_still
    named = matcher.text.split("|") if matcher else [""]
    whole = any("updatedInput" in each for _, _, each in line.texts)
    allows = any(each.printed and ALLOWS.search(text, each.at, each.end) for each in written_answers(text))
    return named[0] if tools.issuperset(named) and allows and not whole else ""


def _covers_risky_tools(line: HookLine) -> bool:
    matcher = line.entry.spec.matcher
    if matcher is None:
        return not line.entry.spec.condition
    risky = [tool for tool in CANONICAL if tool not in _FREE | line.entry.traps.asks_still]
    return not line.entry.spec.condition and mismatch(matcher, risky, "tool_name") is None


def _is_last(text: str, at: int) -> bool:
    """Whether the statement there is the script's last one and stands under no condition."""
    start = text.rfind("\n", 0, at) + 1
    rest = [each for each in text[at:].splitlines()[1:] if each.strip()]
    tail = all(
        re.fullmatch(
            r"\s*(?:exit(?:\s+0)?|sys\.exit\(0?\)|process\.exit\(0?\);?|[}\])\"';,E]+\w*|EOF|JSON)\s*", each
        )
        for each in rest
    )
    line_before = text[start:at]
    guarded = re.search(r"\|\||&&|\bif\b|\bcase\b|\)\s*(?:echo|printf)|;;", line_before)
    return tail and not line_before[:1].isspace() and not guarded
