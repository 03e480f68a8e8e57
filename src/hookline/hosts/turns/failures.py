"""A failed file hook as the facts a page draws a card from."""

from __future__ import annotations

import os
from typing import Any

from hookline.dialects.discobot.message import MAX_NAMED_FILES, TAIL_LINES, is_short
from hookline.dialects.file_hooks import MAX_ATTEMPTS, exit_number, matching_files
from hookline.dialects.plain_text import plain_text
from hookline.engine.evaluation import FileHookVerdict
from hookline.model.events import Event
from hookline.model.hooks import HookSpec


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
