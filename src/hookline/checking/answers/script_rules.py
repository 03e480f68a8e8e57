"""Mistakes in what a guard says: answers that do not block, or that say too much."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.glued_json import glued_json
from hookline.checking.answers.heard import acts, heard, how_to_tell, instead_of_2, outcome_of
from hookline.checking.answers.told_apart import asks_who, tells_apart
from hookline.checking.answers.written_answers import on_stderr, written_answers
from hookline.checking.commands.always_default import always_default
from hookline.checking.commands.unset_names import unset_names
from hookline.checking.commands.variables import never_set, never_set_beside_input
from hookline.checking.exits.stop_loops import endless_stop
from hookline.checking.fields.field_rules import FED, misspelt_field, unsent_fields
from hookline.checking.guards.blanket_allow import DENIES, blanket_allow
from hookline.checking.lines import STARTS_ANOTHER, HookLine
from hookline.checking.steps.languages import by_ending, is_shell
from hookline.checking.steps.step import UNKNOWN
from hookline.checking.steps.steps_of import steps_of
from hookline.dialects.profile import ANY_EXIT
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import RawResult
from hookline.system.patterns.late import late

_SAYS = (
    r"(?:exit|echo|printf|print|console\.\w+|stderr\.write|stdout\.write|Write-\w{1,20}|puts|warn|die|log)"
)
_PRINTS = r"(?:echo|printf|print|console\.\w+|write|Write-\w+|\w+To-Json|puts|warn|die|cat\s*<<|jq\s+-\w*n)"
_PRINTS_ROW = late(rf"[ \t]*(?:$|{_PRINTS}\b)")
_REFUSAL = (
    r"(?i:\b(?:block(?:ed|ing|s)?|den(?:y|ied|ies)|refus\w+|forbid\w*|not allowed|disallow\w*|"
    r"reject\w*|prevent(?:ed|ing)|prohibit\w*|cannot be (?:run|edited|changed)|protected|do not|don't|never"
    r"|fix\b[^\n\"']{0,30}\bbefore|bloque\w+|bloqu[ée]\w*|blockiert|verboten|prohibid\w+|proibid\w+|interdit\w*)\b"
    r"|차단|拦截|阻止|ブロック|заблокир|запрещ)"
)
_REFUSES = late(rf"{_SAYS}\b[^\n]{{0,400}}?{_REFUSAL}")
_THROWS = late(rf"\b(?:raise\s+\w+|throw\s+new\s+\w+)\([^\n]{{0,200}}?{_REFUSAL}", needs=("raise", "throw"))
_CATCHES = late(
    r"\bexcept\b|\bcatch\b|\bexcepthook\b|uncaughtException", needs=("except", "catch", "uncaught")
)
_ORDERS = late(
    rf"{_SAYS}\b[^\n]{{0,40}}?[\"'][^\"'\n]{{0,60}}\b(?i:no \w+|not on|must|use \w+ instead|instead|only"
    r"|abort(?:ed|ing|s)?"
    r"|(?:tests?|lint\w*|type.?checks?|build|checks|formatting|secrets?) (?:\w+ )?(?:fail\w*|found|detected)"
    r"|fix (?:the|these|them|it|all|any|errors|issues|before))\b"
)
# a guard that cannot work says so as well, and ends with 1
_MISSES = late(r"command -v|\bwhich\b|(?i:found|install|missing|no such|usage|require|no input|no jq)")
# what it says where it cannot do its work, which is no refusal
_FAILS = late(
    r"(?i:except|\bcatch\b|\berror|invalid|fail|parsing|usage|empty|unset|unknown|could not|couldn.t|can.t|unable|need)"
    r"|\berr\b"
)
_SPEAKERS = late(r"console\.error|\[Console\]::Error|Write-Error|sys\.stderr")
_EXIT = {
    1: late(
        r"\b(?:exit|return)[ (]+1\b|exit_?code\s*=\s*1\b|\b(?:sys\.exit|SystemExit)\(\s*f?[\"']",
        re.IGNORECASE,
        needs=("exit", "return"),
    ),
    0: late(r"(?<![$-])\bexit[ (]+([3-9]|[1-9][0-9]{1,2})\b", needs=("exit",)),  # with a code of one's own
    2: late(r"\b(?:exit|return)[ (]+2\b|exit_?code\s*=\s*2\b", re.IGNORECASE, needs=("exit", "return")),
}
_RETURNS_1 = late(r"\breturn 1\b", needs=("return 1",))
_ANY_EXIT = late(
    r"\b(?:exit|return)\w*[ (]+(?:[1-9]|\$|[a-z_]|f?[\"'](?=.*\)))|exit_?code|\braise\b|\bdie\b",
    re.IGNORECASE,
)
_CODE_TAKEN = late(r"\$\?|PIPESTATUS|\|\|[\s{]*(?:exit|return) 2|returncode|(?i:exit_?code\b)|\.status\b")
_ENDS_BY_NAME = late(r"(?m)\bexit[ \t]+\"?\$\{?([A-Za-z_]\w*)\}?\"?\s*(?:;|$)", needs=("exit",))
_PRINTED_BEFORE_ONE = late(
    r"\b(?:echo|printf)\b[^\n$]*\$\{?([A-Za-z_]\w*)[^\n]*\n(?:(?!\s*(?:fi|else|elif|exit)\b)[^\n]*\n){0,5}?\s*exit 1\b",
    needs=("exit 1",),
)
_SAYS_SO = r"(?<![\w$])%s\+?=[\"'][^\n]*\b(?:BLOCK(?:ED)?|DENIED|REFUSED|FORBIDDEN|Blocked|Denied|Refused)\b"
_SAYS_IT_BLOCKS = late(
    rf"{_SAYS}\b(?:\s+-\w+)*[\s(]+f?[\"'][^\w\"'{{]{{0,8}}(?:BLOCK(?:ED)?|DENIED|REFUSED|FORBIDDEN|Blocked|Denied|Refused)\b",
    needs=("BLOCK", "DENIED", "REFUSED", "FORBIDDEN", "Blocked", "Denied", "Refused"),
)
# what a script for what is done already finds wrong with it; also by handing on what a program printed that failed
_OF_ITSELF = late(
    r"command -v|\bwhich\b|(?i:not found|install|missing|no such|usage|require|\bexcept\b|\bcatch\b|could not"
    r"|couldn.t|unable|invalid|pars(?:e|ing)|payload|unknown|empty)"
)
_SAYS_IT_FAILS = late(
    rf"{_SAYS}\b[\s(]+f?[\"'][^\"'\n]{{0,60}}?(?:\b(?:FAIL(?:ED|URE)?|VIOLATION|ERROR)\b"
    r"|\b(?i:violat\w+|(?:tests?|lint\w*|checks?) failed)\b)"
    r"|\bif\s+!\s+(?P<kept>\w+)=\"?\$\([^\n]*\n[\s\S]*\$\{?(?P=kept)\b",
    needs=("FAIL", "VIOLAT", "ERROR", "iolat", "ailed", "if"),
)
ANSWERS = late(
    r"permissionDecision|\bdecision\b|\"?continue\"?\s*:\s*[Ff]alse|\"?permission\"?\s*:|\"cancel\"",
    needs=("permission", "decision", "continue", '"cancel"'),
)
_DECIDES = late(
    r"(?:ermission|ecision|\"continue|\"cancel)\\?[\"']?\s*[:=]\s*\\?[\"']?(\w+)",
    needs=("ermission", "ecision", '"continue', '"cancel'),
)
STDERR = late(
    r">&\s*2|1>&2|/dev/stderr|stderr|console\.(?:error|warn)|\[Console\]::Error|Write-Error|\bdie\b|\bwarn\b"
)
_SAYS_DENY = late(r"permissionDecision\\?[\"']?\s*:\s*\\?[\"']deny", needs=("permissionDecision",))


def script_problems(line: HookLine) -> Iterator[Problem]:
    """What is wrong with the words of a guard: those of its line and of the scripts it starts."""
    if not line.text:
        return
    for shown, where, text in line.texts:
        for code, words, hint in _faults(line, text, shown, where):
            if code == "weak-exit" and not acts(heard(line.entry, RawResult(exit_code=2, stderr="no"))):
                hint = instead_of_2(line.entry)
            ended = (
                code == "stop-loop" and not line.entry.traps.endless
            )  # by the agent, as one may well want it
            yield line.entry.at_line(code, words, hint, severity="notice" if ended else "warning")


def _faults(line: HookLine, text: str, shown: str, where: str) -> Iterator[tuple[str, str, str]]:
    if line.entry.guards:
        yield from weak_exit(line, text, where)
        yield from _silent_exit(line, text, where)
        yield from blanket_allow(line, shown, text, where)
        yield from _unawaited(line, text, where)
    elif blocks_too_weakly(line, text):
        does = "says that it blocks" if _SAYS_IT_BLOCKS.search(text) else "says that something is wrong"
        words = f"{where} {does} and ends with 1, of which the model hears nothing"
        yield "weak-exit", words, "end with 2, the reason on standard error"
    yield from endless_stop(line, with_codes(text), where)
    yield from _wrong_answers(line, text, where)
    yield from glued_json(line, shown, text, where)
    fields, place = unsent_fields(line, shown, text)
    if fields and not _reads_other_json(line, text):
        told, at = ", ".join(f"`.{name}`" for name in fields), line.entry.spec.native_event
        words = f"{where} reads {told} of its input, which {line.entry.speaker.title} does not send at `{at}`"
        yield "unsent-field", words, f"it is `{place}`"
    wrong, right = ("", "") if fields else misspelt_field(line, shown, text)
    if wrong:
        words = f"{where} reads `.{wrong}` of its input, which {line.entry.speaker.title} does not send"
        yield "unsent-field", words, f"it is `.{right}`"
    yield from unset_names(line, shown, text, where)
    yield from always_default(line, text, where)


def _reads_other_json(line: HookLine, text: str) -> bool:
    """Whether what it takes apart is no input of the hook's: the call's arguments, in a variable that is told of as
    never set, or what a program printed."""
    names = never_set(text, line.entry, in_plugin=bool(line.plugin_root))
    if any(name.endswith("TOOL_INPUT") for name in (*names, *never_set_beside_input(text, line.entry))):
        return True
    taken_apart = {found["name"] for found in re.finditer(FED, text)}
    return bool(taken_apart) and all(
        re.search(rf"(?<![\w$]){name}=\"?\$\(\s*(?!cat\b|<|jq\b|echo\b|printf\b|python)\w", text)
        for name in taken_apart
    )


def weak_exit(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """A guard that says in words that it blocks, and ends with a code that does not."""
    text = with_codes(_without_mere_returns(line, where.strip("`"), text))
    said = _DECIDES.findall(text)
    taken = closes(line) or any(_CODE_TAKEN.search(each) for _, _, each in line.texts)
    for code in () if taken else sorted({int(found[1]) for found in _ends_told(text, 0)}):
        if not acts(heard(line.entry, RawResult(exit_code=code, stderr="no"))):
            words = f"{where} says that it blocks and ends with {code}, which lets the action through"
            yield "weak-exit", words, "end with 2, the reason on standard error"
            return
    if _EXIT[2].search(text) or (ANSWERS.search(text) and (not said or {*said} != {"allow"})):
        if not closes(line) and any(_ends_told(text, 1)):
            words = f"{where} says that it blocks and ends with 1, which lets the action through"
            yield "weak-exit", words, "end with 2 there as well, the reason on standard error"
        return
    if _SAYS_IT_BLOCKS.search(text) and not _ANY_EXIT.search(text):
        words = f"{where} says that it blocks and ends with 0, which lets the action through"
        yield "weak-exit", words, "end with 2, the reason on standard error"
    elif closes(line) or not (_EXIT[1].search(text) or _throws(text)):
        return
    elif _throws(text):
        words = f"{where} refuses by an error, which ends it with 1 and lets the action through"
        yield "weak-exit", words, "end with 2, the reason on standard error"
    elif line.entry.spec.blocking or refuses_before_exit(text, 1) or _blocks_by_name(text):
        words = f"{where} says that it blocks and ends with 1, which lets the action through"
        yield "weak-exit", words, "end with 2, the reason on standard error"


def _without_mere_returns(line: HookLine, shown: str, text: str) -> str:
    """The text where no function of a shell returns a 1 that nothing ends with: `path=$(found "$1") || path=""`."""
    returns = is_shell(shown, line.scripts.get(shown, "")) and "return 1" in text
    steps = steps_of(by_ending(shown, line.scripts[shown]), text) if returns else None
    for found in _RETURNS_1.finditer(text) if steps else ():
        if steps and steps.ends(found.start()).isdisjoint({"1", UNKNOWN}):
            text = f"{text[: found.end() - 1]}0{text[found.end() :]}"
    return text


def _throws(text: str) -> bool:
    """Whether it refuses by an error that nothing in it catches."""
    return bool(_THROWS.search(text)) and not _CATCHES.search(text)


def _blocks_by_name(text: str) -> bool:
    """Whether a text that says so is kept in a variable and printed before an end with 1."""
    return any(re.search(_SAYS_SO % found[1], text) for found in _PRINTED_BEFORE_ONE.finditer(text))


def blocks_too_weakly(line: HookLine, text: str) -> bool:
    """Whether a script for what is done already says that it blocks, and ends by a code that tells nobody why."""
    text = with_codes(text)
    late_blocks = line.entry.spec.kind in (EventKind.PostToolUse, EventKind.PostToolUseFailure)
    said = (
        late_blocks
        and not _EXIT[2].search(text)
        and not ANSWERS.search(text)
        and any((*_ends_told(text, 1, 4), *_ends_told(text, 1, 4, _SAYS_IT_FAILS)))
    )
    return said and not acts(heard(line.entry, RawResult(exit_code=1, stderr="no")))


def with_codes(text: str) -> str:
    """The text with the end where its code is decided: `failed=1` of a script that ends with `exit $failed`."""
    for name in {found[1] for found in _ENDS_BY_NAME.finditer(text)}:
        text = re.sub(rf"(?m)(?<![\w$]){name}=([12])(?=\s|;|$)", r"exit \1", text)
    return text


def _ends_told(
    text: str, code: int, lines: int = 2, said: re.Pattern[str] = _SAYS_IT_BLOCKS
) -> Iterator[re.Match[str]]:
    """The ends of which the very words before say that something is blocked, or what else is looked for."""
    cannot = _OF_ITSELF if said is _SAYS_IT_FAILS else _MISSES
    for found in _EXIT[code].finditer(text):
        before = "\n".join(text[: found.start()].splitlines()[-lines:])
        if said.search(before) and not cannot.search(before):
            yield found


def _unawaited(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """A guard that says no in the background; what only records or formats is there in its right."""
    if (
        line.entry.spec.background
        and not line.entry.spec.conduct.rewake
        and (_EXIT[2].search(text) or DENIES.search(text))
    ):
        words = f"{where} denies, and nobody waits for an `async` hook, so it stops nothing"
        yield "ineffective-key", words, "take `async` out"


def refuses_before_exit(text: str, code: int) -> bool:
    """Whether the words of a refusal stand shortly before an end with this code; of 1 any words, if no other cause."""
    for found in _EXIT[code].finditer(text):
        end = text.find("\n", found.end())
        before = text[: end if end > 0 else len(text)].splitlines()
        printed = next((at for at, row in enumerate(before[-2::-1]) if not _PRINTS_ROW.match(row)), 0)
        before = before[-max(9, printed + 1) :]  # a long text is printed row by row
        told = "\n".join(before)
        near = "\n".join(before[-4:])
        cannot = _MISSES.search(near) or _FAILS.search(_SPEAKERS.sub("", near))
        said = _REFUSES.search(told) or (_ORDERS.search(told) and not _MISSES.search(told))
        if said or (code == 1 and STDERR.search(near) and not cannot):
            return True
    return False


def closes(line: HookLine) -> bool:
    """Whether exit code 1 blocks here."""
    spec, words = line.entry.spec, line.entry.speaker.profile.words
    if spec.on_failure in ("block", "ask"):
        return True
    if spec.blocking:
        return acts(heard(line.entry, RawResult(exit_code=1, stderr="no")))
    return ANY_EXIT in words.fails_closed and (not words.closed_at or spec.kind in words.closed_at)


def _silent_exit(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    if line.entry.traps.needs_words and _EXIT[2].search(text) and not re.search(rf"{_PRINTS}\b", text):
        words = f"{where} ends with 2 and prints nothing: {line.entry.speaker.title} runs the tool"
        yield "silent-exit", words, "print the reason with `>&2`"
    elif line.entry.traps.needs_reason and ends_silently(text):
        words = f"{where} ends with 2 and prints nothing on standard error: {line.entry.speaker.title} runs the tool"
        yield "silent-exit", words, "print the reason with `>&2`"


def ends_silently(text: str) -> bool:
    """Whether it ends with 2 and nothing in it goes to standard error, of a script that it starts either."""
    return bool(_EXIT[2].search(text)) and not (STDERR.search(text) or STARTS_ANOTHER.search(text))


def _wrong_answers(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    for wrong, right in line.entry.traps.answers.items():
        if re.search(rf"\b{wrong}\\?[\"']?\s*[:=]", text) and right not in text:
            words = f"{where} answers with `{wrong}`, which {line.entry.speaker.title} does not read"
            read = _is_read(line, right.split("`")[0])
            yield "wrong-answer", words, f"write `{right}`" if read else how_to_tell(line.entry)
    for (key, wrong), right in line.entry.traps.words.items():
        said = rf"[\"']{key}\\?[\"']\s*:\s*\\?[\"']"
        otherwise = key == "decision" and _SAYS_DENY.search(text)  # by the words of another agent beside it
        if (
            wrong in text
            and re.search(rf"{said}{wrong}\b", text)
            and not re.search(rf"{said}{right}\b", text)
            and not otherwise
        ):
            title = line.entry.speaker.title
            words = f"{where} answers `{key}` with `{wrong}`, which means nothing to {title}"
            yield "wrong-answer", words, f"write `{right}`"
    for inner, outer in line.entry.traps.needs.items():
        said = rf"[\"']{inner}\\?[\"']\s*:|[{{,]\s*{inner}\s*:(?!:)"
        if (
            inner in text
            and outer not in text
            and re.search(said, text)
            and _answers_alone(text, inner)
            and not _only_on_stderr(text, inner)
            and not (asks_who(line, text) or tells_apart(line, where.strip("`"), text))
        ):
            words = f"{where} answers with `{inner}` and without `{outer}`, so {line.entry.speaker.title} drops it"
            yield "wrong-answer", words, f'write `{{"{outer}": …}}` with it'


def _is_read(line: HookLine, key: str) -> bool:
    """Whether words under a key, alone or beside a refusal, arrive at the event of the hook."""
    alone = outcome_of(line.entry, json.dumps({key: "its words"}))
    forms = ({key: "its words", "permission": "deny"}, {key: "its words", "decision": "block"})
    beside = [each for form in forms if acts(each := outcome_of(line.entry, json.dumps(form)))]
    return any("its words" in repr(replace(each, problem="")) for each in (alone, *beside))


def _answers_alone(text: str, key: str) -> bool:
    """Whether an answer with this key leaves the script as it stands there: code of other files may wrap it."""
    return "import" not in text or any(key in each.value and each.printed for each in written_answers(text))


def _only_on_stderr(text: str, key: str) -> bool:
    """Whether every object with this key is printed where nobody looks for an answer."""
    found = [each for each in written_answers(text) if key in each.value]
    return bool(found) and all(on_stderr(text, each) for each in found)


def blocks_by_exit(text: str) -> bool:
    """Whether all it has to say is exit code 2: no answer in JSON stands beside it."""
    return bool(_EXIT[2].search(text)) and not ANSWERS.search(text)
