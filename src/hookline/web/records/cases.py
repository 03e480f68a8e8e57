"""A recorded call of an agent as a case file, and once more by today's hooks."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import yaml

from hookline.model.short_json import json_or
from hookline.system import files
from hookline.system.clock import new_run_id
from hookline.system.processes.process import run_process
from hookline.system.processes.process_request import ProcessRequest

REPLAY_S = 600.0


def case_text(run: Mapping[str, Any], call: Mapping[str, Any]) -> str:
    """A `.hooktest.yml` with one case: this call, answered as it was."""
    tool = (call.get("payload") or {}).get("tool_name") or run["event"]
    case = {
        "name": f"{tool} as of {run['at']}: {run['verdict']}",
        "agent": call["agent"],
        "event": call["event"],
        "payload": call.get("payload") or {},
        "expect": {"answer": _answer(call)},
    }
    return yaml.safe_dump({"cases": [case]}, sort_keys=False, allow_unicode=True, width=110)


def _answer(call: Mapping[str, Any]) -> Any:
    text = str((call.get("answer") or {}).get("stdout") or "")
    return json_or(text, text) if text.strip() else {}


async def replayed(call: Mapping[str, Any]) -> dict[str, Any]:
    """What `hookline replay` makes of the call: `changed`, `before`, `now` and `notes`.

    In a process of its own, since hooks run for real and this one has readers to serve.
    """
    environment = files.environment()
    folder = files.ensure_dir(os.path.join(files.temporary_dir(), f"hookline-again-{new_run_id()}"), 0o700)
    try:
        path = os.path.join(folder, "call.jsonl")
        files.write_atomic(path, json.dumps(call) + "\n", mode=0o600, fsync=False)
        argv = (sys.executable, "-m", "hookline", "replay", path, "--json")
        cwd = str(call.get("workspace") or folder)
        done = await run_process(ProcessRequest(argv, cwd, environment, timeout_s=REPLAY_S))
    finally:
        files.remove_tree(folder)
    found = json_or(done.stdout.text)
    if found is None:
        return {"changed": None, "notes": [done.stderr.text[-2000:] or "it could not be run again"]}
    return {name: found.get(name) for name in ("changed", "before", "now", "notes")}
