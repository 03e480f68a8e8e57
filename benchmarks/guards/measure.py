"""Lines fired at a workspace's guards one by one: what was denied, asked and let through, and how long it took."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hookline import make_event, open_engine
from hookline.dialects.hookline.packs import SHIPPED
from hookline.model.results import Verdict

from .corpora import SPELLED, Line, from_file, spelled, written

HOME, PROJECT = "/home/dev", "/home/dev/project"  # as the lines have it; nothing of it need exist
RULES = 'use = [{names}]\nlevel = "{level}"\n'


class Judged(NamedTuple):
    """One line, what became of it, and by which rules."""

    line: Line
    verdict: Verdict
    rules: tuple[str, ...]
    seconds: float


def judge(lines: Iterable[Line], config: str, folder: Path) -> Iterator[Judged]:
    """Fires each line as a call of a shell tool in a workspace with this `hooks.toml`."""
    workspace = folder / "project"
    (workspace / ".hookline").mkdir(parents=True)
    (workspace / ".git").mkdir()
    (workspace / ".hookline" / "hooks.toml").write_text(config)
    variables = {"HOME": HOME, "PATH": "/usr/bin:/bin", "HOOKLINE_TRUST": "workspace"}
    os.environ["HOME"] = HOME  # what `~` is, is asked of the process
    opened = open_engine(str(workspace), environment=variables, history=False)
    for line in lines:
        given = {"command": line.text.replace("@HOME@", HOME)}
        event = make_event("PreToolUse", workspace=PROJECT, tool_name="Bash", tool_input=given)
        started = time.perf_counter()
        decision = opened.engine.fire_now(event)
        seconds = time.perf_counter() - started
        rules = tuple(r.spec.name for r in decision.results if r.outcome.verdict is not Verdict.NONE)
        yield Judged(line, decision.verdict, rules, seconds)


def packs_config(level: str = "balanced") -> str:
    """A `hooks.toml` with all packs."""
    return RULES.format(names=", ".join(f'"{name}"' for name in SHIPPED), level=level)


def corpora(stop: str = "", harmless: str = "", each: int = SPELLED) -> dict[str, list[Line]]:
    """The lines to stop and the harmless ones: our own, or those of files."""
    if stop or harmless:
        return {
            name: list(from_file(path)) for name, path in (("stop", stop), ("harmless", harmless)) if path
        }
    return {"stop": [*written("stop"), *spelled(each=each)], "harmless": list(written("harmless"))}


def measure(
    stop: str = "", harmless: str = "", config: str = "", each: int = SPELLED
) -> dict[str, list[Judged]]:
    """All lines judged, by corpus; of ours to stop also so many further spellings of each."""
    found = {}
    for name, lines in corpora(stop, harmless, each).items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = list(judge(lines, config or packs_config(), Path(folder)))
    return found


def summary(judged: list[Judged]) -> dict[str, Any]:
    """The figures of some lines: counts by what became of them, and microseconds a line."""
    times = sorted(each.seconds for each in judged)
    return {
        "lines": len(judged),
        "denied": sum(each.verdict >= Verdict.DENY for each in judged),
        "asked": sum(each.verdict in (Verdict.ASK, Verdict.DEFER) for each in judged),
        "silent": sum(each.verdict <= Verdict.ALLOW for each in judged),
        "p50_us": round(times[len(times) // 2] * 1e6),
        "p99_us": round(times[len(times) * 99 // 100] * 1e6),
    }


def by(judged: list[Judged], field: str) -> Mapping[str, list[Judged]]:
    """The lines by their `family` or `kind`, in order of first appearance."""
    found: dict[str, list[Judged]] = {}
    for each in judged:
        found.setdefault(getattr(each.line, field), []).append(each)
    return found
