"""What ran: every decision with its hooks, kept for a while, for questions afterwards."""

from __future__ import annotations

import os
import time
from _thread import RLock
from collections import deque
from itertools import takewhile

from hookline.model.asked import about_of, in_one_line, shortened
from hookline.model.errors import StateError, UsageError, Warn, unheard
from hookline.model.events import Event
from hookline.model.record import replace
from hookline.model.rendering import decision_as_json, in_config_order, plain, result_as_json
from hookline.model.results import FAILURES, Decision, fate_of
from hookline.model.short_json import without_middle, write_json
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence
from hookline.state import evidence
from hookline.state.database import Database
from hookline.state.outputs import Outputs
from hookline.state.paths import kept_path, path_of
from hookline.state.redaction import Redactor
from hookline.state.run_text import TEXT_LIMIT, UNCONCERNED, RunTexts, parts_of
from hookline.system.clock import new_run_id
from hookline.system.loops.loop import at_next_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

    from hookline.state.hook_stats import HookStats

MAX_AGE_S = 30 * 86400.0
MAX_BYTES = 256 * 1024 * 1024
PRUNE_ONE_IN = 32
PRUNE_ROWS = 100
MOST_WAITING = 64
_CLOCK_AHEAD_S = 86400.0
_STEP = 100  # decisions read at a time by who follows
_MARK_LETTERS = 64  # of what is told in place of an output's middle
_TESTS = {
    "session": "session = ?", "event": "event = ?", "since": "at >= ?", "workspace": "workspace = ?",
    "verdict": "verdict = ?", "tool": "json_extract(object, '$.asked.tool') = ?", "failed": "failed = ?",
    "after": "n > ?", "hook": "n IN (SELECT n FROM hooks_of_runs WHERE id IN (SELECT value FROM json_each(?)))",
}  # fmt: skip


class History:
    """The journal of decisions at `path`. Never raises into the engine: `warn` hears what went wrong.

    In a program that runs asyncio a decision is written when the loop next turns, so that the agent waits
    for the hooks only; everywhere else it has been written when `record` returns. Rows older than
    `max_age_s` or beyond `max_bytes` go in small steps, with their `outputs`, after one recording in
    `prune_one_in` (0: never). Secrets are removed before anything is kept. `traceparent` is that of events
    which have none of their own.
    """

    def __init__(
        self,
        path: str,
        *,
        warn: Warn = unheard,
        redactor: Redactor | None = None,
        outputs: Outputs | None = None,
        max_age_s: float = MAX_AGE_S,
        max_bytes: int = MAX_BYTES,
        prune_one_in: int = PRUNE_ONE_IN,
        traceparent: str = "",
    ) -> None:
        self.database = Database(path, warn)
        self._redactor = redactor or Redactor({})
        self._texts = RunTexts(self._redactor)
        self._outputs = outputs
        self._max_age_s = max_age_s
        self._max_bytes = max_bytes
        self._prune_one_in = prune_one_in
        self._traceparent = traceparent
        self._waiting: deque[tuple[Event, Decision, str]] = deque()
        self._writing = RLock()

    def hide(self, secrets: Mapping[str, str]) -> None:
        """Keeps these values, by their names, out of all that is recorded from now on."""
        with self._writing:
            self._redactor.learn(secrets)
            self._texts.forget()

    def without_secrets(self, value: Any) -> Any:
        """The same JSON value as it may be kept."""
        return self._redactor.value(value)

    def record(self, event: Event, decision: Decision, workspace: str = "") -> str:
        """Keeps one decision; returns its run id, made here when the decision has none."""
        run = decision.run_id or new_run_id()
        if not decision.run_id or decision.updated_input is not None or decision.products:
            decision = _settled(decision, run)
        if not event.at:
            event = replace(event, at=time.time())
        self._waiting.append((event, decision, kept_path(workspace or event.workspace)))
        if len(self._waiting) >= MOST_WAITING or not at_next_turn(self.flush):
            self.flush()
        return run

    def prepare(self) -> None:
        """Opens the database, which takes a process that records once longer than the recording."""
        self.database.prepare()

    def flush(self) -> None:
        """Writes what is still to be written, in the order it was recorded and in one transaction."""
        if not self._waiting:
            return
        with self._writing:
            rows = list(self._rows_waiting())
            self.database.run(lambda connection: evidence.add(connection, rows), None)
        # By chance rather than by count: most writers record one decision and exit.
        if self._prune_one_in and int.from_bytes(os.urandom(4)) % self._prune_one_in < len(rows):
            self.prune()

    def runs(self, *, limit: int | None = 100, **wishes: object) -> list[dict[str, Any]]:
        """Decisions, newest first; `wishes` as of `select`."""
        return _objects(self.select("object", "n DESC", -1 if limit is None else limit, **wishes))

    def select(self, columns: str, order: str, most: int, **wishes: object) -> list[Any]:
        """The decisions that fit: `session`, `event`, `verdict`, `tool`, `workspace`; a `hook` by its id, its name or
        the beginning of ids; with a `failed` one; `since` in epoch seconds; `after` a number. None and False ask for
        nothing."""
        where, values = self._condition(wishes)
        return self.rows(
            f"SELECT {columns} FROM runs WHERE {where} ORDER BY {order} LIMIT ?", [*values, most]
        )

    def _condition(self, wishes: Mapping[str, object]) -> tuple[str, list[object]]:
        """What `select` is asked for, in SQL, and the values in it."""
        used = {name: value for name, value in wishes.items() if value is not None and value is not False}
        if place := used.get("workspace"):
            used["workspace"] = kept_path(str(place))
        if "hook" in used:
            used["hook"] = write_json(self._ids_of(str(used["hook"])))
        return " AND ".join(_TESTS[name] for name in used) or "1", list(used.values())

    def _ids_of(self, hook: str) -> list[str]:
        """The ids of the hooks called so; where none is, those that begin so, as a whole or with their end."""
        known = self.rows("SELECT DISTINCT id, name FROM hooks_of_runs", [])
        called = [found for found, name in known if hook in (found, name)]
        ends = ((found, found.rpartition(":")[2]) for found, _ in known)
        begun = [found for found, end in ends if hook and (found.startswith(hook) or end.startswith(hook))]
        return list(dict.fromkeys(called or begun))

    def get(self, run: str) -> dict[str, Any] | None:
        """The decision with this id, or whose id begins or ends so; None if there is none.

        Raises UsageError when several fit.
        """
        if not run or not set(run).isdisjoint("*?[\0"):
            return None
        if exact := _objects(self.rows("SELECT object FROM runs WHERE run = ?", [run])):
            return exact[0]
        sql = "SELECT object FROM runs WHERE run GLOB ? OR run GLOB ? LIMIT 2"
        found = _objects(self.rows(sql, [f"{run}*", f"*{run}"]))
        if len(found) > 1:
            raise UsageError(f"`{run}` fits several runs", "give more of the id")
        return found[0] if found else None

    def last_from(self, host: str, workspace: str) -> float | None:
        """When that agent last had a decision in the workspace, in seconds since the epoch."""
        sql = (
            "SELECT at FROM runs WHERE workspace = ? AND json_extract(object, '$.host') = ? "
            "ORDER BY n DESC LIMIT 1"
        )
        rows = self.rows(sql, [kept_path(workspace), host])
        return float(rows[0][0]) if rows else None

    def workspace_of(self, run: str) -> str:
        """Where that run was decided; empty when there is none."""
        rows = self.rows("SELECT workspace FROM runs WHERE run = ?", [run])
        return path_of(str(rows[0][0])) if rows else ""

    def newer(self, after: int, **wishes: object) -> list[tuple[int, dict[str, Any]]]:
        """Decisions recorded after number `after` that fit, oldest first, each with its number."""
        import json

        found = self.select("n, object", "n", _STEP, after=after, **wishes)
        return [(number, json.loads(text)) for number, text in found]

    def last_number(self) -> int:
        """The number of the newest decision, 0 without any."""
        rows = self.rows("SELECT coalesce(max(n), 0) FROM runs", [])
        return int(rows[0][0]) if rows else 0

    def before_the_last(self, count: int, **wishes: object) -> int:
        """The number behind which the newest `count` decisions that fit stand."""
        found = self.select("n", "n DESC", count, **wishes)
        return int(found[-1][0]) - 1 if found else self.last_number()

    def tail(
        self,
        after: int | None = None,
        poll_s: float = 0.2,
        stop: Callable[[], bool] = lambda: False,
        **wishes: object,
    ) -> Iterator[dict[str, Any]]:
        """Decisions that fit as they are recorded, by any process, from now (or number `after`) on until `stop()`."""
        number = self.last_number() if after is None else after
        while True:
            last = self.last_number()
            number = number if number <= last else 0  # the file was deleted and begun anew
            found = self.newer(number, **wishes) if number < last else []
            for _, shown in found:
                yield shown
            number = found[-1][0] if len(found) == _STEP else max([last, *(each for each, _ in found)])
            if stop():
                return
            time.sleep(poll_s)

    def stats(self, **wishes: object) -> list[HookStats]:
        """Every hook that ran in the decisions that fit, the one that took most time first; of a `hook` itself alone,
        and with `failed` of those that did."""
        from hookline.state.hook_stats import QUERY, stats_of

        where, values = self._condition(wishes)
        found = stats_of(self.rows(QUERY.format(where=where), values * 2))
        hook = wishes.get("hook")
        ids = None if hook is None else self._ids_of(str(hook))
        return [
            each
            for each in found
            if (ids is None or each.id in ids) and (each.failures or not wishes.get("failed"))
        ]

    def prune(self) -> int:
        """Removes some of what is too old or too much; returns how many decisions went."""
        nothing: list[str] = []
        gone = self.database.run(self._delete_some, nothing)
        if gone:
            # `execute` would free a single page: it takes the first step of a statement without columns only.
            self.database.read(lambda found: found.executescript("PRAGMA incremental_vacuum(5000)"), None)
        if self._outputs is not None:
            for run in gone:
                self._outputs.remove(run)
        return len(gone)

    def output_of(self, hook: Mapping[str, Any]) -> str:
        """The file that has all that a kept decision's hook printed then; empty where none does."""
        path: str = hook.get("output_path") or ""
        return path if self._outputs is not None and self._outputs.keeps(path) else ""

    @property
    def problem(self) -> str:
        """Why something could not be kept or asked for, in words; empty when all went well."""
        return self.database.problem

    def close(self) -> None:
        self.flush()
        self.database.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _rows_waiting(self) -> Iterator[tuple[object, ...]]:
        while self._waiting:
            try:
                yield self._row(*self._waiting.popleft())
            except (TypeError, ValueError, RecursionError) as error:
                self.database.tell(f"a decision could not be kept: {type(error).__name__}: {error}")

    def _row(self, event: Event, decision: Decision, place: str) -> tuple[object, ...]:
        shown = decision_as_json(event, replace(decision, results=()))
        del shown["hooks"]
        if event.host != "hookline":
            shown["host"] = event.host
        trace = event.traceparent or event.extra.get("traceparent") or self._traceparent
        if trace and isinstance(trace, str):
            shown["traceparent"] = trace
        tool, about = about_of(event)
        shown["asked"] = {"tool": tool, "summary": shortened(in_one_line(self._redactor.command(about)))}
        results = in_config_order(decision.results, lambda result: result.spec)
        concerned = [result_as_json(result) for result in results if result.status not in UNCONCERNED]
        parts = parts_of(shown, concerned)
        if self._texts.may_stay(parts):
            self._clean_outputs(concerned, concerned)
        else:
            shown, concerned = self._presentable(shown, concerned)
            parts = parts_of(shown, concerned)
        text = self._texts.text(parts, results)
        hooks = write_json([_summary(hook) for hook in concerned])
        row = _storable((
            shown["run"], float(event.at), shown["session_id"], shown["event"], place, shown["verdict"],
            int(any(map(_failed, concerned))), text, hooks,
        ))  # fmt: skip
        return (*row, evidence.facts_of(event, decision, shown, row, concerned))

    def _presentable(
        self, shown: dict[str, Any], concerned: list[dict[str, Any]]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Without secrets, and then without the middle of long outputs."""
        shown, cleaned = self._redactor.value([shown, concerned])
        self._clean_outputs(concerned, cleaned)
        return shown, [_capped(hook) for hook in cleaned]

    def _clean_outputs(self, printed: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]]) -> None:
        for before, after in zip(printed, shown, strict=True):
            same = all(before[stream] == after[stream] for stream in ("stdout", "stderr"))
            path = before.get("output_path")
            if path and self._outputs is not None and (before["truncated"] or not same):
                try:
                    self._outputs.clean(path, self._redactor.text)
                except StateError as error:
                    self.database.tell(error.message)

    def _delete_some(self, connection: Connection) -> list[str]:
        now = time.time()
        oldest, ahead = now - self._max_age_s, now + _CLOCK_AHEAD_S
        rows = connection.execute("SELECT n, run, at FROM runs ORDER BY n LIMIT ?", (PRUNE_ROWS,)).fetchall()
        # Only from the beginning, so that what is left stays a chain; a clock that was ahead must not stop that. Where
        # most rows are ahead it is this clock that is behind, and it says nothing of ages.
        if _used_bytes(connection) <= self._max_bytes:
            later, every = connection.execute("SELECT sum(at > ?), count(*) FROM runs", (ahead,)).fetchone()
            behind = 2 * (later or 0) > every
            rows = [] if behind else list(takewhile(lambda row: not oldest <= row[2] <= ahead, rows))
        if rows:
            evidence.anchor(connection, rows[-1][0])
        for number, _, _ in rows:
            connection.execute("DELETE FROM hooks WHERE n = ?", (number,))
            connection.execute("DELETE FROM runs WHERE n = ?", (number,))
        for table in ("once", "answers"):
            connection.execute(f"DELETE FROM {table} WHERE at < ?", (oldest,))
        return [run for _, run, _ in rows]

    def rows(self, sql: str, values: Sequence[object]) -> list[Any]:
        """What the file answers, with all that was recorded until now; nothing where there is none."""
        self.flush()
        if not self.database.exists:
            self.database.tell_of_folder()
            return []
        asked = _storable(tuple(values))
        return self.database.read(lambda connection: connection.execute(sql, asked).fetchall(), list[Any]())


def _objects(rows: Sequence[tuple[str]]) -> list[dict[str, Any]]:
    import json

    return [json.loads(text) for (text,) in rows]


def _settled(decision: Decision, run: str) -> Decision:
    """The decision with its run id, and with copies of what its host may change before it is written."""
    changes = {"updated_input": plain(decision.updated_input), "products": plain(decision.products)}
    return replace(decision, run_id=run, **changes)


def _summary(hook: Mapping[str, Any]) -> list[object]:
    """What is asked about one hook of a run: the columns of `hooks_of_runs` behind `n`, and its fate."""
    return [
        hook["id"], hook["name"], hook["dialect"], hook["status"], hook["verdict"],
        int("timings_ms" in hook), int(_failed(hook)), hook["duration_ms"], fate_of(hook),
    ]  # fmt: skip


def _storable(row: tuple[object, ...]) -> tuple[object, ...]:
    """SQLite takes no lone surrogates, which stand for bytes that are not UTF-8."""
    try:
        "".join(value for value in row if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return tuple(
            value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in row
        )
    return row


def _failed(hook: Mapping[str, Any]) -> bool:
    return fate_of(hook) in FAILURES


def _capped(hook: dict[str, Any]) -> dict[str, Any]:
    for name in ("stdout", "stderr"):
        text = hook[name]
        if len(text) > TEXT_LIMIT + (_MARK_LETTERS if hook["truncated"] else 0):
            hook[name] = without_middle(text, TEXT_LIMIT // 2, TEXT_LIMIT // 2)
            hook["truncated"] = True
    return hook


def _used_bytes(connection: Connection) -> int:
    names = ("page_count", "freelist_count", "page_size")
    count, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    used: int = (count - free) * size
    return used
