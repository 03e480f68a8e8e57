"""The table of codes: what each finding means, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from hookline.model.errors import Problem
from hookline.model.record import Record, replace
from hookline.system.modules import text_beside

SEVERITIES = ("notice", "warning", "error")


class Code(Record):
    """One row of the table. `at_least` is the mildest severity of such a finding, empty for the reader's own."""

    name: str
    title: str
    text: str
    example: str
    fix: str
    at_least: str = ""


@cache
def known_codes() -> Mapping[str, Code]:
    """Every code by its name."""
    import tomllib  # brings much with it, and most workspaces have no fault

    table = tomllib.loads(text_beside(__name__, "codes.toml"))
    return {name: Code(name, **row) for name, row in table.items()}


def graded(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems as `check` judges them: one that keeps a hook from its work is an error, who runs it or not."""
    return tuple(map(_graded, problems))


def _graded(problem: Problem) -> Problem:
    code = known_codes().get(problem.code)
    if code is None or _rank(code.at_least) <= _rank(problem.severity):
        return problem
    return replace(problem, severity=code.at_least)


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else -1
