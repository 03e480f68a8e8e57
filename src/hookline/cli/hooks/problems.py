"""Problems for people, for programs, and for the two places where code review shows them."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from hookline import __version__
from hookline.checking.codes import known_codes
from hookline.cli.common import json_text
from hookline.cli.render import cells, counted, laid_out, painted, visible, wants_colour, width_of
from hookline.model.errors import Problem
from hookline.model.record import replace
from hookline.model.typing import Any
from hookline.system import files
from hookline.system.patterns.late import late

SEVERITY_COLOURS = {"error": "31", "warning": "33", "notice": "2", "note": "2"}
_TOLD = ("source", "line", "column", "path", "code", "message", "hint", "severity")
_SHOWN_COLUMNS = 100
_MOST = 200  # of a text that a person reads; formats for programs are whole
_LINES = 8  # that are named of a mistake that repeats
_ALIKE = frozenset({"relative-script"})  # whose words differ by the script's name alone
# by what alike findings about one script differ: the event of the entry, and its limit
_OF_ENTRY = late(r" at `[\w.:]+`(?= |$|:|;)|(?<=is ended after )[\d.]+")
_RANKS = ("error", "warning", "notice", "note")
_GITHUB = {"error": "error", "warning": "warning", "notice": "notice"}
_SARIF_LEVELS = {"error": "error", "warning": "warning", "notice": "note"}


def problems_as(name: str, problems: Sequence[Problem], paths: Mapping[str, str]) -> str:
    """The problems in one of `FORMATS`; `paths` are those of their files, by the names the problems have for them."""
    return _WRITERS[name](problems, paths)


def _as_text(problems: Iterable[Problem], paths: Mapping[str, str]) -> str:
    colour = wants_colour(sys.stdout)
    texts: dict[str, list[str]] = {}
    shown, left = _most_serious(tuple(told_once(problems)))
    lines = [line for problem in shown for line in _lines(problem, paths, texts, colour)]
    if left:
        kinds = Counter(problem.severity for problem in left)
        words = ", ".join(counted(kinds[name], name) for name in _RANKS if kinds[name])
        lines.append(
            f"and {words} more, the least serious; `hookline check FILE` asks for one file, `--json` has all"
        )
    return "".join(f"{line}\n" for line in lines)


def told_once(problems: Iterable[Problem]) -> Iterable[Problem]:
    """The first of those that say the same of one file, at whatever event, with the lines of the others."""
    alike: dict[tuple[str, ...], list[Problem]] = {}
    for each in problems:
        words = () if each.code in _ALIKE else (_OF_ENTRY.sub("", each.message), each.hint)
        alike.setdefault((each.source, each.code, *words), []).append(each)
    for first, *others in alike.values():
        places = [*dict.fromkeys(str(each.line) for each in others)]
        more = f" and {len(places) - _LINES} more" if len(places) > _LINES else ""
        lines = ", ".join(places[:_LINES]) + more
        yield replace(first, message=f"{first.message}; also in line {lines}") if lines else first


def _most_serious(problems: Sequence[Problem]) -> tuple[list[Problem], list[Problem]]:
    """As many as a person reads, in their order, and the others: no error is left out for a warning."""
    ranks = sorted(range(len(problems)), key=lambda place: _RANKS.index(problems[place].severity))
    shown = set(ranks[:_MOST])
    return (
        [problem for place, problem in enumerate(problems) if place in shown],
        [problem for place, problem in enumerate(problems) if place not in shown],
    )


def _lines(
    problem: Problem, paths: Mapping[str, str], texts: dict[str, list[str]], colour: bool
) -> Iterable[str]:
    place = ":".join(map(str, filter(None, (problem.source, problem.line, problem.line and problem.column))))
    head, *hint = fault_lines(problem.severity, place, problem.said, problem.code, problem.hint, colour)
    yield head
    if problem.line and problem.column:
        yield from _source_lines(problem, paths.get(problem.source, ""), texts, colour)
    yield from hint


def fault_lines(severity: str, place: str, words: str, code: str, hint: str, colour: bool) -> Iterable[str]:
    """What is wrong where, and below it what to do about it."""
    head = painted(severity, SEVERITY_COLOURS.get(severity, ""), colour)
    about = f"{painted(visible(place), '1', colour)}: {visible(words)} {painted(f'[{code}]', '2', colour)}"
    yield laid_out(f"{head}: {about}")
    if hint:
        yield laid_out(f"  hint: {visible(hint)}")


def _source_lines(problem: Problem, path: str, texts: dict[str, list[str]], colour: bool) -> Iterable[str]:
    """The line of the file, cut to what stands around the place, and a mark below it."""
    if path not in texts:
        texts[path] = files.read_text(path).text.splitlines() if path else []
    if problem.line > len(texts[path]):
        return
    line, column = texts[path][problem.line - 1], problem.column - 1
    number = f"{problem.line:>5} | "
    room = max(2, min(_SHOWN_COLUMNS, width_of(sys.stdout) - len(number)))
    start = max(0, min(column - room // 2, len(line) - room))
    before, after = visible(line[start:column]), visible(line[column : start + room])
    yield painted(number, "2", colour) + before.replace("\\t", " ") + after
    yield " " * (len(number) + cells(before.replace("\\t", " "))) + painted("^", "31", colour)


def _as_json(problems: Iterable[Problem], _paths: Mapping[str, str]) -> str:
    return json_text([{name: getattr(problem, name) for name in _TOLD} for problem in problems])


def _as_github(problems: Iterable[Problem], paths: Mapping[str, str]) -> str:
    """Workflow commands, which GitHub shows at the line; files are named from the folder of the run."""
    lines = []
    for problem in problems:
        place = {"file": os.path.relpath(paths.get(problem.source, problem.source))}
        if problem.line:
            place.update(line=str(problem.line), col=str(problem.column or 1))
        place["title"] = problem.code
        words = f"{problem.said}\n{problem.hint}" if problem.hint else problem.said
        lines.append(github_line(_GITHUB.get(problem.severity, "notice"), place, words))
    return "".join(lines)


def github_line(level: str, place: Mapping[str, str], words: str) -> str:
    """One workflow command."""
    marks = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in place.items())
    return f"::{level} {marks}::{_escaped(words)}\n"


def _escaped(text: str, more: str = "") -> str:
    text = visible(text, keep="\r\n")
    for letter in f"%\r\n{more}":
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def _as_sarif(problems: Sequence[Problem], paths: Mapping[str, str]) -> str:
    codes = known_codes()
    used = dict.fromkeys(problem.code for problem in problems)
    rules = [_sarif_rule(codes[name]) if name in codes else {"id": name} for name in used]
    return sarif_log("hookline", rules, [_sarif_result(problem, paths) for problem in problems])


def sarif_log(program: str, rules: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> str:
    """What code scanning takes: the results, and the rules they name."""
    driver = {"name": program, "version": __version__, "rules": rules}
    return json_text({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    })  # fmt: skip


def sarif_result(code: str, level: str, words: str, uri: str, line: int, column: int = 0) -> dict[str, Any]:
    """One fault; without a file, a line or a column where it has none."""
    place: dict[str, Any] = {"artifactLocation": {"uri": _escaped_uri(uri)}}
    if line:
        place["region"] = {"startLine": line, **({"startColumn": column} if column else {})}
    where = [{"physicalLocation": place}] if uri else []
    return {"ruleId": code, "level": level, "message": {"text": words}, "locations": where}


def _escaped_uri(path: str) -> str:
    """A path as a reference of RFC 3986, as SARIF wants it."""
    try:
        quoted = quote(os.fsencode(path))
    except UnicodeEncodeError:  # a name that no file can have
        quoted = quote(path.encode(errors="replace"))
    return f"./{quoted}" if ":" in path.partition("/")[0] else quoted  # else it would be a scheme


def _sarif_rule(code: Any) -> dict[str, Any]:
    return {
        "id": code.name,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.text},
        "help": {"text": code.fix},
    }


def _sarif_result(problem: Problem, paths: Mapping[str, str]) -> dict[str, Any]:
    words = f"{problem.said}; {problem.hint}" if problem.hint else problem.said
    uri = os.path.relpath(paths.get(problem.source, problem.source))
    level = _SARIF_LEVELS.get(problem.severity, "note")
    return sarif_result(problem.code, level, words, uri, problem.line, problem.column or 1)


_WRITERS: Mapping[str, Callable[[Sequence[Problem], Mapping[str, str]], str]] = {
    "text": _as_text,
    "json": _as_json,
    "github": _as_github,
    "sarif": _as_sarif,
}
FORMATS = tuple(_WRITERS)
