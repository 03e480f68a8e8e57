"""What real agents wait before a tool: their own dispatch of hooks against hookline's with a resident, in turn.

    chrt -r 10 python tools/timing.py --installed FOLDER [--agents claude,codex] [--hooks 1,5,10] [--rounds 2]

Each session is one turn of the real program with twenty-one shell calls, of which the first is left out. Measured is
the time from the model's answer to the start of the tool. Prints medians, and hookline's by the agent's own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.program import Program  # noqa: E402
from tests.real_agents import driving, five, turns  # noqa: E402

from tools.contracts import EVENTS, FILES  # noqa: E402

CALLS = 21
STAMP = "date +%s.%N >> times; true {n}"
OPENCODE_PLUGIN = """
import { spawn } from "node:child_process"
const once = (n) => new Promise((done) => spawn("/bin/sh", ["-c", `/bin/true ${n}`]).on("close", done))
export default { id: "own", server: async () => ({
  "tool.execute.before": async () => { await Promise.all([...Array(HOOKS).keys()].map(once)) },
}) }
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--installed", required=True, help="a folder with the programs")
    parser.add_argument("--agents", default="claude,codex,gemini,opencode,copilot,qwen")
    parser.add_argument("--hooks", default="1,5,10")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    for agent in options.agents.split(","):
        for count in map(int, options.hooks.split(",")):
            path = Path(options.installed) / driving.PROGRAMS.get(agent, agent)
            print(f"{agent}, {count}: {compared(agent, path, count, options.rounds)}", flush=True)


def compared(agent: str, path: Path, count: int, rounds: int) -> str:
    """Both ways in turn; the medians of all their calls."""
    own: list[float] = []
    ours: list[float] = []
    for _ in range(rounds):
        own += session(agent, path, count, bridged=False)
        ours += session(agent, path, count, bridged=True)
    if not own or not ours:
        return "no session ended"
    median = statistics.median(ours) / statistics.median(own)
    quick = quickest(ours) / quickest(own)
    means = " against ".join(
        f"{statistics.median(each) * 1e3:.1f} ms (n={len(each)})" for each in (ours, own)
    )
    return f"{median:.2f} ({means}); the quickest third {quick:.2f}"


def quickest(times: list[float]) -> float:
    return statistics.mean(sorted(times)[: max(1, len(times) // 3)])


def session(agent: str, path: Path, count: int, bridged: bool) -> list[float]:
    """Seconds before each call but the first; empty where the turn did not end as it should."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, workspace = Path(folder) / "home", Path(folder) / "work"
        home.mkdir()
        subprocess.run(["git", "init", "-q", str(workspace)], check=True)
        program = Program(home, workspace)
        driving.prepare(agent, home, workspace)
        (with_hookline if bridged else with_its_own)(program, agent, count)
        task = driving.task_of(agent, str(path), home, workspace, program.environment)
        task.update(shell=STAMP, calls=CALLS)
        if bridged:
            task["first"] = [[sys.executable, "-I", "-m", "hookline", "resident", "start"]]
        try:
            turns.on_loopback(task, Path(folder) / "task")
        except turns.Unended as error:
            print(f"{agent}: {str(error)[-300:]}", file=sys.stderr)
            return []
        delivered = json.loads((Path(folder) / "task/delivered.json").read_text())
        stamps = workspace / "times"
        started = [float(line) for line in stamps.read_text().split()] if stamps.exists() else []
        if len(delivered) != len(started):
            print(f"{agent}: {len(delivered)} calls were asked for, {len(started)} began", file=sys.stderr)
        pairs = zip(delivered, started, strict=False) if len(delivered) == len(started) else ()
        return [start - asked for asked, start in pairs][1:]


def with_its_own(program: Program, agent: str, count: int) -> None:
    if agent == "opencode":
        text = OPENCODE_PLUGIN.replace("HOOKS", str(count))
        program.write(".opencode/plugin/own.js", text)
        return
    native = EVENTS[agent]["tool"]
    lines = [f"/bin/true {number}" for number in range(count)]
    written: dict[str, Any] = {
        "hooks": {native: [{"hooks": [{"type": "command", "command": each} for each in lines]}]}
    }
    if agent == "copilot":
        written = {"version": 1, "hooks": {native: [{"type": "command", "bash": each} for each in lines]}}
    program.write(FILES[agent], json.dumps(written))


def with_hookline(program: Program, agent: str, count: int) -> None:
    """The same hooks, written for another agent."""
    config, event, tool = five.GUARDS.get(agent, five.CLAUDES)
    entries = [{"type": "command", "command": f"/bin/true {number}"} for number in range(count)]
    program.write(config, json.dumps({"hooks": {event: [{"matcher": tool, "hooks": entries}]}}))
    five.put_in(program, agent)


if __name__ == "__main__":
    main()
