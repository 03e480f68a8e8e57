"""Row 13: what 1, 5 and 10 command hooks add to a tool call of our own loop, against the same processes from C.

The time is taken from the model's answer to the start of the tool, with everything that lies between: the
hooks are planned and run, their answers read and merged, the decision kept in the history, and the
permission judged. Run `python -m benchmarks.rows_loop`.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hookline.agents.base import ModelReply, ModelRequest, ToolUse
from hookline.engine.opening import open_engine
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.tool_loop.permissions import Permissions
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import ToolContext, ToolOutput, tool
from hookline.model.hooks import Command

from .rows_process import Measure, Row, c_limit, row

COUNTS = (1, 5, 10)
GOAL = 1.5
CALLS = 10
LINE = "echo ok"
PAYLOAD = 300  # bytes, about what a hook of this call is given


class Asking:
    """A model that calls the tool `CALLS` times, one call per answer, and notes when each was given."""

    name = "asking"

    def __init__(self) -> None:
        self.answered = 0.0
        self._left = CALLS

    async def request(self, request: ModelRequest, on_delta: object = None) -> ModelReply:
        self._left -= 1
        self.answered = time.perf_counter()
        if self._left < 0:
            return ModelReply("done")
        return ModelReply("", (ToolUse(f"t{self._left}", "Probe", {"n": self._left}),))


def workspace(folder: str, count: int) -> str:
    """A workspace with that many hooks before every tool, the form GenCode has them in."""
    place = str(Path(folder, f"hooks-{count}"))
    hooks = [{"type": "command", "command": f"{LINE} # {n}"} for n in range(count)]
    settings = {"hooks": {"PreToolUse": [{"hooks": hooks}]}}
    file = Path(place, ".gen", "settings.json")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(settings))
    return place


def through_the_loop(place: str, history: bool) -> Measure:
    """Seconds from an answer to its tool, on average over the calls of one turn."""
    environment = {**os.environ, "HOME": str(Path(place).parent), "HOOKLINE_TRUST": "workspace"}
    opened = open_engine(place, environment=environment, history=history)
    count = len(opened.hooks.specs)

    async def turn() -> float:
        model, waits = Asking(), []

        async def probe(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
            waits.append(time.perf_counter() - model.answered)
            return ToolOutput("ok")

        box = Toolbox([tool("Probe", "Notes the time.", probe, {"n": {"type": "integer"}}, ("n",))])
        ran = []
        opened.engine.listen(ran.append)
        loop = ToolLoop(
            opened.engine, model, workspace=place, toolbox=box, permissions=Permissions("bypassPermissions")
        )
        result = await loop.submit("go")
        assert result.ok and len(waits) == CALLS, result
        assert len(ran) == 2 * CALLS * count, "every hook runs at every call"
        return sum(waits) / len(waits)

    return lambda: asyncio.run(turn())


def from_c(place: str, count: int) -> Measure:
    """Seconds for the same processes, all at once."""
    opened = open_engine(place, environment={"HOME": place, "PATH": os.environ["PATH"]}, history=False)
    action = opened.hooks.specs[0].action
    assert isinstance(action, Command)
    argv = (*action.shell, LINE)
    return lambda: sum(c_limit(count, count, PAYLOAD, 65536, 3, argv) for _ in range(CALLS)) * count / CALLS


def hooks_per_tool_call(count: int, rounds: int = 15) -> Row:
    """One row: `count` hooks before a tool call."""
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        place = workspace(folder, count)
        variants = {
            "limit": from_c(place, count),
            "hookline": through_the_loop(place, history=True),
            "hookline without history": through_the_loop(place, history=False),
        }
        hooks = "1 hook" if count == 1 else f"{count} hooks"
        return row(f"13 {hooks} before a tool call", GOAL, variants, rounds)


def row13() -> list[Row]:
    """One row for each number of hooks."""
    return [hooks_per_tool_call(count) for count in COUNTS]


if __name__ == "__main__":
    for found in row13():
        print(json.dumps(found))
