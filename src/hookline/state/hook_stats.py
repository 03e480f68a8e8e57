"""How each hook did: its runs, denials, failures and times."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.model.results import FAILURES, OBJECTIONS
from hookline.model.typing import Any, Iterable, Sequence

QUERY = """
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[7]'), runs.at, json_extract(value, '$[3]'), json_extract(value, '$[4]'),
        json_extract(value, '$[6]'), json_extract(value, '$[8]')
    FROM runs, json_each(runs.hooks)
    WHERE json_extract(value, '$[5]') AND n IN (SELECT n FROM runs WHERE {where})
    UNION ALL
    SELECT hooks.id, name, dialect, duration_ms, hooks.at, status, hooks.verdict, hooks.failed, NULL
    FROM hooks JOIN runs USING (n) WHERE ran AND n IN (SELECT n FROM runs WHERE {where})
    ORDER BY 1, 4
"""


class HookStats(Record):
    """How one hook did. Durations in milliseconds, of real runs only; `last_at` in epoch seconds.

    `failures` has all ways to fail, time-outs and being killed among them; a denial is none.
    """

    id: str
    name: str
    dialect: str
    runs: int
    failures: int
    timeouts: int
    killed: int
    denials: int
    p50_ms: float
    p95_ms: float
    total_ms: float
    last_at: float


def stats_of(found: Iterable[Sequence[Any]]) -> list[HookStats]:
    """The rows of `QUERY` by hook, the one that took most time first."""
    groups: dict[str, list[Any]] = {}
    for row in found:
        groups.setdefault(row[0], []).append(row)
    return sorted(
        (_stats(hook_id, rows) for hook_id, rows in groups.items()), key=lambda stats: -stats.total_ms
    )


def _stats(hook_id: str, rows: Sequence[Any]) -> HookStats:
    durations = [row[3] for row in rows]
    fates = [_fate(*row[5:]) for row in rows]
    return HookStats(
        hook_id,
        rows[-1][1],
        rows[0][2],
        len(rows),
        sum(fate in FAILURES for fate in fates),
        fates.count("timed out"),
        fates.count("killed"),
        sum(fate in OBJECTIONS for fate in fates),
        durations[(len(durations) - 1) // 2],
        durations[max(0, -(-len(durations) * 95 // 100) - 1)],
        round(sum(durations), 3),
        max(row[4] for row in rows),
    )


def _fate(status: str, verdict: str, failed: int, fate: str | None) -> str:
    """The fate of a hook; rows of older versions have none, and say by other columns as much as they can."""
    if fate or status == "timed_out":
        return fate or "timed out"
    return "denied" if verdict in ("deny", "halt") else "failed" if failed else "ran"
