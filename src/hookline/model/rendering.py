"""Decisions as the JSON object the command line prints, hosts stream and history keeps."""

from __future__ import annotations

import time

from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, fields_of
from hookline.model.results import Decision, HookResult, RawResult
from hookline.model.typing import Any, Callable, Sequence, TypeVar

T = TypeVar("T")

SCHEMA = 1


def decision_as_json(event: Event, decision: Decision, run_id: str = "") -> dict[str, Any]:
    """The whole decision as plain JSON values, every known hook once and in config order.

    `at` is ISO 8601 in UTC, `run` the id in history (empty when nothing was recorded); `products` is there
    only when an event yields some.
    """
    shown: dict[str, Any] = {
        "schema": SCHEMA,
        "run": run_id or decision.run_id,
        "at": iso_time(event.at or time.time()),
        "event": decision.kind.value,
        "session_id": event.session_id,
        "verdict": decision.verdict.word,
        "reason": decision.reason,
        "updated_input": plain(decision.updated_input),
        "context": list(decision.contexts),
        "messages": list(decision.messages),
        "reprompt": decision.reprompt,
        "degraded": list(decision.degraded),
        "duration_ms": milliseconds(decision.duration_s),
        "generation": decision.generation,
        "hooks": [result_as_json(each) for each in in_config_order(decision.results, lambda each: each.spec)],
    }
    if decision.products:
        shown["products"] = plain(decision.products)
    return shown


def in_config_order(items: Sequence[T], spec_of: Callable[[T], HookSpec]) -> Sequence[T]:
    """The items as their hooks stand in their files, where that is not the order they run in."""
    if len(items) < 2:
        return items
    files = [(spec_of(item).path, spec_of(item).source) for item in items]
    first = {file: number for number, file in reversed(list(enumerate(files)))}
    order = sorted(range(len(items)), key=lambda each: (first[files[each]], spec_of(items[each]).line))
    return [items[each] for each in order]


def result_as_json(result: HookResult) -> dict[str, Any]:
    """One hook's part; the keys below `timings_ms` are there only when they say something."""
    spec = result.spec
    shown = {
        "id": spec.id,
        "name": spec.name or spec.id,
        "dialect": spec.dialect,
        "event": spec.kind.value,
        "native_event": spec.native_event,
        "source": spec.source,
        "line": spec.line,
        "handler": spec.handler,
        "matcher": spec.matcher.text if spec.matcher else None,
        "status": result.status.value,
        "why": result.why,
        **_raw(result.raw or RawResult()),
        "verdict": result.outcome.verdict.word,
        "reason": result.outcome.reason or None,
        "derivation": plain(result.derivation),
    }
    if result.raw is not None:
        shown["timings_ms"] = {
            name: milliseconds(seconds) for name, seconds in fields_of(result.raw.timings).items()
        }
        raw = result.raw
        extras = {
            "output_path": raw.output_path, "http_status": raw.http_status, "usage": dict(raw.usage),
            "notes": list(raw.remarks),
        }  # fmt: skip
        shown.update({name: value for name, value in extras.items() if value})
    return shown


def iso_time(at: float | None = None) -> str:
    """`2026-11-21T10:15:00.123Z` for seconds since the epoch, else for now."""
    at = time.time() if at is None else at
    whole = int(at // 1)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((at - whole) * 1000):03d}Z"


def milliseconds(seconds: float) -> float:
    """Rounded to a microsecond."""
    return round(seconds * 1000, 3)


def plain(value: Any) -> Any:
    """`value` in JSON's own types: records become objects, anything unknown its text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Record):
        return plain(fields_of(value))
    if hasattr(value, "items"):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


def _raw(raw: RawResult) -> dict[str, Any]:
    return {
        "exit_code": raw.exit_code,
        "signal": raw.signal,
        "duration_ms": milliseconds(raw.timings.total),
        "stdout": raw.stdout,
        "stderr": raw.stderr,
        "truncated": raw.truncated,
    }
