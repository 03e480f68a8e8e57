"""A script as one hook runs it: without the branches that its arguments, or its event, keep it from."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from hookline.checking.entries import Entry
from hookline.checking.fields.field_rules import payload_of
from hookline.checking.fields.never_sent import fields_at
from hookline.checking.runs.in_doubt import doubted_in_python, doubted_in_words
from hookline.checking.runs.known import Known, TooLongError, plain
from hookline.checking.runs.of_run import may_doubt, may_lack
from hookline.checking.runs.reached_python import dead_in_python
from hookline.checking.runs.reached_words import Span, dead_in_words, spans_of
from hookline.checking.steps.brace_steps import without_texts
from hookline.checking.steps.languages import is_python, is_shell, python_tree
from hookline.checking.steps.step import Body
from hookline.checking.steps.steps_of import steps_of
from hookline.dialects.bridged import AgentDialect
from hookline.system.patterns.late import late

_TOLD = late(
    r"\bargv\b|argparse|parse_args|\$\{?[1-9@*#](?!\d)|\$args\b|(?i:\bparam\s*\()|\bDeno\.args\b",
    needs=("argv", "arg", "$", "aram", "Deno"),
)
# a function by a name that is put together: in Python, in JavaScript, in a shell and PowerShell
_LOOKS_UP = frozenset({"getattr", "globals", "locals", "vars", "eval", "exec"})
_BY_NAME = {
    "js": late(r"\beval\s*\(|\b(?:window|globalThis|global|this)\["),
    "ps1": late(r"&\s*\$\w+|\b(?:iex|Invoke-Expression)\b", re.IGNORECASE),
    "sh": late(r"(?m)(?:^|[;&|({])[ \t]*(?:eval\b|\"?\$[\w{@])"),
}
_MOST_ROUNDS = 6


# what is known of a run, as one that can be looked up
_Key = tuple[
    tuple[str, ...] | None, tuple[tuple[str, str], ...], str, frozenset[str], frozenset[str], frozenset[str]
]


def as_run_by(entry: Entry, shown: str, text: str, words: tuple[str, ...] | None) -> str:
    """A script as the hook runs it with these arguments, None where they are not known."""
    key = _known_of(entry, words)
    asks = any(name in text for name, _ in key[1]) or (words is not None and _TOLD.search(text))
    return _reached(shown, text, key) if asks or may_lack(text) else text


def without_doubt(entry: Entry, shown: str, text: str, words: tuple[str, ...] | None) -> str:
    """What of such a script runs for the hook, without what may be for another event, agent or argument alone."""
    return _sure(shown, text, _known_of(entry, words)) if may_doubt(text) else text


def _known_of(entry: Entry, words: tuple[str, ...] | None) -> _Key:
    spec, speaker = entry.spec, entry.speaker
    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "x"}
    payload = payload_of(speaker.name, spec.native_event, spec.kind, given) if entry.rule else {}
    sent = sorted((key, value) for key, value in payload.items() if value == spec.native_event)
    others = [row.native for row in speaker.rows] if isinstance(speaker, AgentDialect) else []
    events, theirs = (frozenset(map(plain, each)) for each in ({spec.native_event, spec.kind.name}, others))
    fields = frozenset(payload) | fields_at(entry) if payload else frozenset()
    return words, tuple(sent), speaker.name, events, theirs, fields


def _known(key: _Key) -> Known:
    words, sent, agent, events, others, fields = key
    return Known(words, dict(sent), agent, events, others, fields)


@lru_cache(maxsize=64)
def _reached(shown: str, text: str, key: _Key) -> str:
    """The text with blanks in the place of what never runs."""
    return _without(shown, text, lambda: _dead_in(shown, text, _known(key)))


@lru_cache(maxsize=64)
def _sure(shown: str, text: str, key: _Key) -> str:
    return _without(shown, text, lambda: _doubted_in(shown, text, _known(key)))


def _without(shown: str, text: str, spans_in: Callable[[], Iterable[Span]]) -> str:
    try:
        spans = list(spans_in())
        bare = _without_uncalled(shown, text, _blanked(text, spans)) if spans else text
    except (TooLongError, RecursionError):
        return text
    return bare if bare == text or steps_of(shown, bare) is not None else text


def _dead_in(shown: str, text: str, known: Known) -> Iterator[Span]:
    if is_python(shown, text):
        tree = python_tree(text)
        yield from _placed(text, dead_in_python(tree, known)) if tree is not None else ()
        return
    steps = steps_of(shown, text)
    if steps is not None:
        yield from dead_in_words(text, _kind(shown, text), steps, known)


def _doubted_in(shown: str, text: str, known: Known) -> Iterator[Span]:
    if is_python(shown, text):
        tree = python_tree(text)
        yield from _placed(text, doubted_in_python(tree, known)) if tree is not None else ()
        return
    steps = steps_of(shown, text)
    if steps is not None:
        yield from doubted_in_words(text, _kind(shown, text), steps, known)


def _kind(shown: str, text: str) -> str:
    return "sh" if is_shell(shown, text) else "ps1" if shown.endswith(".ps1") else "js"


def _placed(text: str, nodes: Iterable[tuple[ast.AST, ast.AST]]) -> Iterator[Span]:
    """Where nodes of Python stand, whose columns are those of bytes."""
    rows = text.split("\n")
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row) + 1)

    def at(row: int, column: int) -> int:
        return starts[row - 1] + len(rows[row - 1].encode()[:column].decode(errors="ignore"))

    for first, last in nodes:
        if isinstance(first, ast.stmt | ast.expr) and isinstance(last, ast.stmt | ast.expr):
            row = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
            stands_in = "0" if isinstance(first, ast.expr) else "pass"
            yield at(row, first.col_offset), at(last.end_lineno or 1, last.end_col_offset or 0), stands_in


def _blanked(text: str, spans: Iterable[Span]) -> str:
    for start, end, stands_in in spans:
        if start >= end:
            continue
        blank = re.sub(r"[^\n]", " ", text[start:end])
        room = len(blank.partition("\n")[0])
        stands_in = stands_in if len(stands_in) <= room else stands_in.replace("''", "")
        stands_in = stands_in if len(stands_in) <= room else ":" if "=" in stands_in else "0"
        text = text[:start] + stands_in + blank[len(stands_in) :] + text[end:]
    return text


def _without_uncalled(shown: str, text: str, bare: str) -> str:
    """Without the functions that nothing names any more but what is blank now; of a shell, that nothing ever named."""
    always = is_shell(shown, text)  # other languages call some by what stands above them
    for _ in range(0 if _calls_by_name(shown, text) else _MOST_ROUNDS):
        steps, before = steps_of(shown, bare), bare
        for name, function in (steps.functions if steps else {}).items():
            body, (start, end) = function.bodies[0], (function.start, function.end)
            was = always or _is_named(name, text, start, end)
            if body and was and not _is_named(name, bare, start, end):
                bare = _blanked(bare, _spans_of_body(shown, text, bare, body))
        if bare == before:
            break
    return bare


def _calls_by_name(shown: str, text: str) -> bool:
    """Whether a script may call a function that it nowhere names; a text that has such words calls nothing."""
    if is_python(shown, text):
        tree = python_tree(text)
        calls = (each.func for each in ast.walk(tree) if isinstance(each, ast.Call)) if tree else ()
        return any(isinstance(each, ast.Name) and each.id in _LOOKS_UP for each in calls)
    if is_shell(shown, text):
        return bool(_BY_NAME["sh"].search(text))
    kind = "ps1" if shown.endswith(".ps1") else "js"
    return bool(_BY_NAME[kind].search(without_texts(text, kind)))


def _spans_of_body(shown: str, text: str, bare: str, body: Body) -> Iterator[Span]:
    if not is_python(shown, text):
        yield from spans_of(body, "sh" if is_shell(shown, text) else "")
        return
    start, end = body[0].start, body[-1].end  # places of lines
    inside = bare[start : end + 1].rstrip("\n")
    yield start + len(inside) - len(inside.lstrip()), start + len(inside), "pass"


def _is_named(name: str, text: str, start: int, end: int) -> bool:
    """Whether a function is named anywhere but where it stands."""
    named = re.finditer(rf"(?<![\w-])(?<!const )(?<!let )(?<!function ){re.escape(name)}(?![\w-])", text)
    return any(not start <= each.start() < end for each in named)
