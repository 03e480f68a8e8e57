"""What is wrong in a way that a program can put right, and the files as they should be."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from hookline.checking.files.broken_json import Piece, offset_of, piece_for
from hookline.checking.files.listed_hooks import as_hook, by_event, ended_around, put_out
from hookline.checking.workspace import lines_of
from hookline.dialects import dialect
from hookline.dialects.base import SourceText
from hookline.dialects.editing.json_edits import remove_key, set_value
from hookline.dialects.editing.json_layout import value_end
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import UnreadableConfig
from hookline.dialects.reading.reader import LINE_KEYS
from hookline.engine.hookset import HookSet
from hookline.installing.agents import Change, Place
from hookline.model.errors import HooklineError, Problem
from hookline.model.record import Record
from hookline.system import files
from hookline.system.patterns.late import late

_MEANT = late(r"did you mean `([^`]+)`\?")
_WRITE = late(r"were meant, write `([^`]+)`")
_STRING = late(r'"(?:[^"\\]|\\.)*"')
_NUMBER = late(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_RUNS = frozenset({"command", "prompt", "url"})  # what an entry needs one of
_OF_TIMES = frozenset({"implausible-time", "impossible-time"})
_MOST_AT_ONCE = 200  # faults of a file: each is a way through all of it
_ROUNDS = 5  # an entry in a list, in a group, with its type
_INNER = late(r"\w+\.hooks")
_BLANK = late(r"\s*")
_WANTED = late(r"hooks\.\w+(\[\d+\](?:\.hooks\[\d+\])?)?")  # a list of hooks, or an item of one


class Fixes(Record):
    """`changes` are of whole files; `executable` are files that need their execute bit, by path."""

    changes: tuple[Change, ...] = ()
    executable: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.executable)


def fixes_of(problems: Iterable[Problem], hooks: HookSet, home: str, paths: Mapping[str, str]) -> Fixes:
    """All that can be put right at once; a file that does not parse is read further once it does."""
    wanted = tuple(problems)
    scripts, executable = _scripts(wanted, hooks, home)
    return Fixes((*mended_files(wanted, paths), *scripts), executable)


def mended_files(
    problems: Sequence[Problem], paths: Mapping[str, str], to_read: bool = False
) -> Iterator[Change]:
    """The files of hooks as they should be."""
    for source in dict.fromkeys(problem.source for problem in problems):
        path = paths.get(source, "")
        found = files.read_text(path) if path.endswith(".json") else None
        if found is not None and found.state == "text":
            told = [problem for problem in problems if problem.source == source]
            broken = [problem for problem in told if problem.code == "bad-json"]  # the rest once it parses
            after = _mended(found.text, broken or told, to_read)
            if after != found.text:
                yield _change(path, source, found.text, after)


def meant_files(problems: Sequence[Problem], hooks: HookSet, paths: Mapping[str, str]) -> dict[str, str]:
    """The files as they should be, by path, with what shows only once the first fault is mended."""
    told = [each for each in problems if each.code not in _OF_TIMES]
    found = {change.place.path: change.after or "" for change in mended_files(told, paths, to_read=True)}
    for loaded in hooks.loaded:
        source = loaded.source
        for _ in range(_ROUNDS if loaded.dialect and source.path in found else 0):
            given = SourceText(source, "text", found[source.path], path=source.path, shown=source.shown)
            faults = dialect(loaded.dialect).parse(given).problems
            after = _mended(given.text, [each for each in faults if each.code not in _OF_TIMES], to_read=True)
            if after == given.text:
                break
            found[source.path] = after
    return found


def _change(path: str, shown: str, before: str, after: str) -> Change:
    return Change(Place("", "", path, shown), before, after)


def _mended(text: str, problems: Sequence[Problem], to_read: bool = False) -> str:
    """The text with what can be put right; every other byte as it was. `to_read`: each hook stays on its line."""
    mark = text[: len(text) - len(text.removeprefix("\ufeff"))]
    body = text.removeprefix("\ufeff")
    pieces: list[Piece] = []
    mendable = (problem for problem in problems if problem.code in _MENDERS)
    for problem in islice(mendable, _MOST_AT_ONCE):
        mend, offset = _MENDERS[problem.code], offset_of(body, problem)
        piece = mend(body, offset, problem) if offset is not None else None
        if to_read and piece and mend is _moved and _INNER.fullmatch(problem.path):
            piece = ended_around(body, problem.path.partition(".")[0])
        if piece is not None and all(
            piece.end <= other.start or piece.start >= other.end for other in pieces
        ):
            pieces.append(piece)
    for piece in sorted(pieces, key=lambda each: -each.start):
        body = body[: piece.start] + piece.text + body[piece.end :]
    return mark + body


# -- one fault each -----------------------------------------------------------------------------------


def _renamed(text: str, at: int, problem: Problem) -> Piece | None:
    """The key that was meant, unless it is there already."""
    meant, token = _MEANT.search(problem.hint), _STRING.match(text, at)
    if not meant or not token:
        return None
    start = _opening(text, at)
    try:
        there = start is not None and meant[1] in json.loads(text[start : value_end(text, start)])
    except ValueError:
        return None
    return None if there else Piece(at, token.end(), json.dumps(meant[1]))


def _renamed_line(text: str, at: int, problem: Problem) -> Piece | None:
    """The key of a hook's line, where the hook has no other thing to run."""
    piece, start = _renamed(text, at, problem), _opening(text, at)
    if piece is None or start is None:
        return None
    hook = json.loads(text[start : value_end(text, start)])
    run = [key for key in hook if key in _RUNS.union(LINE_KEYS)]
    return piece if json.loads(piece.text) in LINE_KEYS and len(run) == 1 else None


def _renamed_event(text: str, at: int, problem: Problem) -> Piece | None:
    """Only of a list of hooks: for anything else under a real event's name the agent may drop the whole file."""
    piece = _renamed(text, at, problem)
    colon = re.compile(r"\s*:\s*").match(text, piece.end) if piece else None
    if piece is None or colon is None:
        return None
    try:
        found = json.loads(text[colon.end() : value_end(text, colon.end())])
    except ValueError:
        return None
    shells = frozenset({"powershell", *LINE_KEYS} if piece.text[1].islower() else ())
    keys = _RUNS | {"hooks"} | shells
    sound = isinstance(found, list) and all(isinstance(item, dict) and keys & item.keys() for item in found)
    return piece if sound else None


def _opening(text: str, at: int) -> int | None:
    """Where the object starts in which the key at `at` stands."""
    starts: list[int] = []
    position = 0
    while position < at:
        if text[position] == '"':
            token = _STRING.match(text, position)
            position = token.end() if token else position + 1
            continue
        if text[position] in "{[":
            starts.append(position)
        elif text[position] in "}]" and starts:
            starts.pop()
        position += 1
    return starts[-1] if starts else None


def _retimed(text: str, at: int, problem: Problem) -> Piece | None:
    meant, token = _WRITE.search(problem.hint), _NUMBER.match(text, at)
    return Piece(at, token.end(), meant[1]) if meant and token else None


def _wrapped(text: str, at: int, problem: Problem) -> Piece | None:
    """A hook put into a group of its own, which takes its matcher."""
    if text[at : at + 1] != "{":
        return None
    end = value_end(text, at)
    hook, content = text[at:end], json.loads(text[at:end])
    if not _RUNS & content.keys():
        return None
    group = ""
    try:
        if "matcher" in content:
            group = f'"matcher": {json.dumps(content["matcher"], ensure_ascii=False)}, '
            hook = remove_key(hook, ("matcher",))
        if "type" not in content and "command" in content:
            hook = set_value(hook, ("type",), "command").text
    except HooklineError:
        return None
    kept = "\n" * (text.count("\n", at, end) - hook.count("\n"))  # what follows stays on its lines
    return Piece(at, end, f'{{{group}"hooks": [{hook}{kept}]}}')


def _typed(text: str, at: int, problem: Problem) -> Piece | None:
    """The type of a hook whose other keys tell it."""
    if not problem.path.endswith(".type") or text[at : at + 1] != "{":
        return None
    content = json.loads(text[at : value_end(text, at)])
    kind = next((kind for kind, key in _TYPES.items() if key in content), None)
    return Piece(at + 1, at + 1, f'"type": "{kind}", ') if kind and "type" not in content else None


def _listed(text: str, at: int, problem: Problem) -> Piece | None:
    """One hook, one group or one line put into a list; a list of hooks put under their events."""
    try:
        if problem.path == "hooks" and "an object, found a list" in problem.message:
            return by_event(text, at)
        wanted = _WANTED.fullmatch(problem.path)
        if wanted and text[at : at + 1] in ('"', "["):
            return as_hook(text, at, listed=not wanted[1])
    except (ValueError, HooklineError):
        return None
    if text[at : at + 1] != "{" or "a list of hooks, found an object" not in problem.message:
        return None
    end = value_end(text, at)
    return Piece(at, end, f"[{text[at:end]}]") if _ONE.intersection(json.loads(text[at:end])) else None


_ONE = _RUNS.union(LINE_KEYS, ("hooks",))
_TYPES = {"command": "command", "http": "url", "prompt": "prompt"}


def _moved(text: str, at: int, problem: Problem) -> Piece | None:
    """The whole file put into `hooks`, where it holds nothing else; or `hooks` put out of what it stands in."""
    if _INNER.fullmatch(problem.path):
        return put_out(text, problem.path.partition(".")[0])
    start = len(_BLANK.match(text)[0])  # type: ignore[index]  # it always matches
    try:
        root = parse_json(text, "")
    except UnreadableConfig:
        return None
    if not all(node.kind == "array" for node in root.members.values()):
        return None
    end = value_end(text, start)
    return Piece(start, end, f'{{"hooks": {text[start:end]}}}')


_MENDERS: Mapping[str, Callable[[str, int, Problem], Piece | None]] = {
    "unknown-event": _renamed_event,
    "misspelt-key": _renamed,
    "unknown-key": _renamed_line,
    "implausible-time": _retimed,
    "impossible-time": _retimed,
    "flat-entry": _wrapped,
    "missing-key": _typed,
    "events-at-top": _moved,
    "wrong-type": _listed,
    "bad-json": piece_for,
}


# -- scripts ------------------------------------------------------------------------------------------


def _scripts(problems: Sequence[Problem], hooks: HookSet, home: str) -> tuple[list[Change], tuple[str, ...]]:
    """Scripts whose line ends, mark or execute bit keep them from starting."""
    changes: dict[str, Change] = {}
    executable: dict[str, None] = {}
    told = {(problem.source, problem.line) for problem in problems if problem.code in _OF_SCRIPTS}
    for line in (each for first in lines_of(hooks, home) for each in (first, *first.further())):
        spec = line.entry.spec
        if not any(source == spec.source for source, _ in told):
            continue
        for each in line.started:
            path = line.absolute(each)
            found = files.read_text(path)
            if found.state != "text" or not path.startswith(hooks.workspace + os.sep):
                continue
            after = _unix(found.text, path)
            if after != found.text:
                changes[path] = _change(path, os.path.relpath(path, hooks.workspace), found.text, after)
            if each.directly and not os.access(path, os.X_OK) and after.startswith("#!"):
                executable[path] = None
    return list(changes.values()), tuple(executable)


_OF_SCRIPTS = frozenset({"crlf", "byte-order-mark", "not-executable"})


def _unix(text: str, path: str) -> str:
    if path.endswith((".ps1", ".cmd", ".bat")):
        return text
    return text.removeprefix("\ufeff").replace("\r\n", "\n")
