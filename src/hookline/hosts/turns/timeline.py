"""The last turns of a session as a picture needs them: what ran when, how long, to what end, and what failed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from typing import Any

from hookline.dialects.discobot.message import MAX_NAMED_FILES, TAIL_LINES, is_short
from hookline.dialects.file_hooks import MAX_ATTEMPTS, exit_number, matching_files
from hookline.dialects.plain_text import plain_text
from hookline.engine.evaluation import FileHookVerdict, has_failed
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.rendering import iso_time
from hookline.model.results import HookFinished, HookResult, HookStarted
from hookline.system.clock import now

TURNS = 30
HOOKS_PER_TURN = 500
MAX_WORDS = 400


def failure_card(verdict: FileHookVerdict) -> dict[str, Any]:
    """The metadata of a re-prompt (`kind: hook-failure`); empty when no hook failed."""
    run = next(iter(verdict.failures), verdict.told)
    if run is None:
        return {}
    spec, raw = run.result.spec, run.result.raw
    assert raw is not None
    files = hook_files(spec, run.event)
    output = plain_text(raw.stdout + raw.stderr).strip()
    short = is_short(output)
    return {
        "kind": "hook-failure",
        "hookId": spec.id,
        "hookName": spec.name or spec.id,
        "exitCode": exit_number(raw),
        "status": run.result.status.value,
        "pattern": spec.matcher.text if spec.matcher else "",
        "hookPath": spec.source,
        "files": files[:MAX_NAMED_FILES],
        "extraFileCount": max(0, len(files) - MAX_NAMED_FILES),
        "output": output if short else "",
        "outputPath": os.path.abspath(raw.output_path) if raw.output_path else "",
        "outputTail": "" if short else "\n".join(output.split("\n")[-TAIL_LINES:])[-4096:],
        "outputTruncated": not short,
        "runAgain": bool(verdict.failures),  # else the failure of before is told again, as nothing changed
        "attempt": verdict.attempt,
        "maxAttempts": MAX_ATTEMPTS,
    }


def hook_files(spec: HookSpec, event: Event) -> list[str]:
    """The changed, then the deleted files of the event that a file hook is about."""
    return [
        path for name in ("files", "deleted_files") for path in matching_files(spec, event.get(name) or ())
    ]


class _Open(Record):
    """A hook that has started: the event it belongs to tells it from its twins."""

    event: Any
    row: dict[str, Any]
    turn: dict[str, Any] | None  # None: it runs in the background, and outlives its turn


class Timeline:
    """Rows of plain JSON values, newest turn last; a hook that runs has no `endedAt` yet."""

    def __init__(self) -> None:
        self._turns: deque[dict[str, Any]] = deque(maxlen=TURNS)
        self._open: list[_Open] = []

    def shown(self) -> list[dict[str, Any]]:
        return list(self._turns)

    def begin(self, completion_id: str, origin: str, prompt: str) -> None:
        """`origin`: user or hook."""
        self._turns.append(
            {
                "completionId": completion_id, "origin": origin, "prompt": prompt[:MAX_WORDS],
                "startedAt": iso_time(), "endedAt": None, "status": "running", "reason": "", "evaluation": None,
                "hooks": [],
            }
        )  # fmt: skip

    def end(self, status: str, reason: str = "") -> None:
        """`status`: completed, failed, cancelled, blocked, …; `reason` why it failed."""
        self._turns[-1].update(endedAt=iso_time(), status=status, reason=reason[:MAX_WORDS])
        if status == "cancelled":
            self._cancel(self._turns[-1])

    def begin_evaluation(self) -> dict[str, Any] | None:
        """The turn it belongs to, which by its end need not be the last any more."""
        if not self._turns:
            return None
        self._turns[-1]["evaluation"] = {"startedAt": iso_time(), "endedAt": None, "action": "running"}
        return self._turns[-1]

    def end_evaluation(self, turn: dict[str, Any] | None, verdict: FileHookVerdict | None) -> None:
        """`turn` is what the beginning gave; no verdict: it was aborted."""
        if turn is None:
            return
        if verdict is None:
            self._cancel(turn)
        row = turn["evaluation"]
        row.update(endedAt=iso_time(), action="aborted" if verdict is None else verdict.action)
        if verdict is not None:
            row.update(
                attempt=verdict.attempt,
                files=list(verdict.files[:100]),
                deletedFiles=list(verdict.deleted[:100]),
                pending=list(verdict.pending),
                modifiedByHooks=list(verdict.wrote[:100]),
                messages=list(verdict.messages[:20]),
            )

    def hear(self, news: HookStarted | HookFinished) -> dict[str, Any] | None:
        """A hook's start or end; its row, None when there is no turn to put it in."""
        if not self._turns:
            return None
        if isinstance(news, HookStarted):
            return self._started(news)
        result = news.result
        for place, known in enumerate(self._open):
            if known.event is news.event and known.row["id"] == result.spec.id:
                del self._open[place]
                known.row.update(_ending(result, news.at))
                return known.row
        return None

    def _started(self, news: HookStarted) -> dict[str, Any] | None:
        hooks = self._turns[-1]["hooks"]
        if len(hooks) >= HOOKS_PER_TURN:
            return None
        spec, event = news.spec, news.event
        files = hook_files(spec, event) if spec.kind is EventKind.FilesChanged else []
        row = {
            "id": spec.id, "name": spec.name or spec.id, "dialect": spec.dialect, "event": spec.kind.value,
            "subject": _subject(event, files), "startedAt": iso_time(news.at), "endedAt": None, "durationMs": None,
            "status": "running", "failed": False, "verdict": "none", "exitCode": None, "reason": "",
            "files": files[:MAX_NAMED_FILES], "extraFileCount": max(0, len(files) - MAX_NAMED_FILES),
        }  # fmt: skip
        hooks.append(row)
        self._open.append(_Open(event, row, None if spec.background else self._turns[-1]))
        return row

    def _cancel(self, turn: dict[str, Any]) -> None:
        """Hooks that were ended with their turn have no end of their own."""
        for known in [each for each in self._open if each.turn is turn]:
            known.row.update(endedAt=iso_time(), status="cancelled", reason="ended with its turn")
            self._open.remove(known)


def _ending(result: HookResult, at: float) -> dict[str, Any]:
    raw = result.raw
    return {
        "endedAt": iso_time(at or now()),
        "durationMs": round(raw.timings.total * 1000, 3) if raw is not None else 0.0,
        "status": result.status.value,
        "failed": has_failed(result),
        "verdict": result.outcome.verdict.word,
        "exitCode": raw.exit_code if raw is not None else None,
        "reason": (result.outcome.reason or result.why)[:MAX_WORDS],
    }


def _subject(event: Event, files: Sequence[str]) -> str:
    """What the event was about, in a word: a tool, or the hook's own files."""
    return str(event.get("tool_name") or ", ".join(files[:3]) + (" …" if len(files) > 3 else ""))
