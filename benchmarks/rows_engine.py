"""What the engine costs on top of its parts: one hook in full, a cold start, callbacks, loading config.

Rows as in `rows_process`: every round runs all variants in turn, and answers are checked.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from hookline import Engine, Outcome, Services, load_hooks, make_event, open_engine, places_for
from hookline.dialects.reading.documents import parse_text

from .rows_process import (
    HOOK,
    PAYLOAD,
    Measure,
    Row,
    c_limit,
    climit,
    interleaved,
    plain,
    quick_third,
    warmed,
)

EVENT = {"tool_name": "Bash", "tool_input": {"command": "ls -l", "description": "x" * 900}}


def row1(rounds: int = 15) -> Row:
    """One shell hook through `Engine.fire`: matched, payload as JSON on stdin, output read, history kept.

    The limit starts the very same process: bash, GenCode's shell where a hook names none, takes twice as
    long to start as the `sh` that stands here.
    """
    if climit() is None:
        return {
            "name": "1 one shell hook, in full",
            "ratio": None,
            "goal": 1.4,
            "note": "skipped: no C compiler here",
        }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        engine = _engine(root, [_hook("Bash", HOOK[-1], shell=HOOK[0])])
        event = make_event("PreToolUse", workspace=str(root), **EVENT)
        total = 20

        async def fired() -> float:
            await warmed(lambda: engine.fire(event))
            began = time.perf_counter()
            for _ in range(total):
                decision = await engine.fire(event)
                assert decision.ran[0].raw is not None and decision.ran[0].raw.stdout == "ok\n", decision
            return (time.perf_counter() - began) / total

        def fired_now() -> float:
            began = time.perf_counter()
            for _ in range(total):
                assert engine.fire_now(event).ran[0].raw is not None
            return (time.perf_counter() - began) / total

        variants: dict[str, Measure] = {
            "limit": lambda: c_limit(total, 1, len(PAYLOAD), 0, 3, HOOK),
            "hookline": lambda: asyncio.run(fired()),
            "hookline without asyncio": fired_now,
            "subprocess.run": lambda: plain(HOOK, PAYLOAD, total, 3),
        }
        return compared(
            "1 one shell hook, in full", 1.40, variants, rounds, "limit: the process alone, from C"
        )


def row6(rounds: int = 25) -> list[Row]:
    """`hookline fire` from cold with 20 hooks in the config of which one runs, and `--version`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _write(root, [_hook("Bash" if n == 0 else f"Tool{n}", "true") for n in range(20)])
        environment = {
            "HOME": folder, "PATH": os.environ.get("PATH", os.defpath), "HOOKLINE_TRUST": "workspace",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }  # fmt: skip
        script = Path(sys.executable).with_name("hookline")
        program = [str(script)] if script.exists() else [sys.executable, "-m", "hookline"]

        def started(*argv: str) -> float:
            began = time.perf_counter()
            subprocess.run(
                argv,
                cwd=folder,
                env=environment,
                input=json.dumps(EVENT).encode(),
                capture_output=True,
                check=True,
            )
            return time.perf_counter() - began

        taken = interleaved(
            {
                "limit": lambda: started(sys.executable, "-I", "-c", "pass"),
                "fire": lambda: started(*program, "fire", "PreToolUse", "--json"),
                "explain": lambda: started(*program, "explain", "PreToolUse", "--json"),
                "version": lambda: started(*program, "--version"),
            },
            rounds,
        )
    limit = taken["limit"]
    return [
        _row(
            "6 fire from cold, 20 hooks",
            4.0,
            taken["fire"],
            limit,
            {"explain": taken["explain"]},
            "limit: python -I",
        ),
        _row("6 --version", 1.5, taken["version"], limit, {}, "limit: python -I"),
    ]


def row7(rounds: int = 9) -> list[Row]:
    """Callbacks in this process: 1000 registered of which none or 10 match."""
    found = []
    for matching, goal in ((0, None), (10, 3.0)):
        engine = Engine(services=Services(environment={}))
        calls = [0]

        def callback(event: object, calls: list[int] = calls) -> Outcome | None:
            calls[0] += 1
            return None

        for n in range(1000):
            engine.on(
                "PreToolUse", matcher="Bash" if n < matching else f"Tool{n}", name=f"h{n}", thread=False
            )(callback)
        event = make_event("PreToolUse", **EVENT)
        callbacks = [callback] * matching

        def direct(callbacks: list[Callable[..., Any]] = callbacks, event: object = event) -> None:
            for each in callbacks:
                each(event)

        variants: dict[str, Measure] = {
            "limit": partial(_each, direct), "hookline": partial(_each, partial(engine.fire_now, event))
        }  # fmt: skip
        taken = interleaved(variants, rounds)
        assert calls[0] or not matching
        name = f"7 dispatch to {matching} of 1000 callbacks"
        if goal is None:
            micro = quick_third(taken["hookline"]) * 1e6
            found.append({
                "name": name, "ratio": round(micro / 0.5, 2), "goal": 1.0, "met": micro <= 0.5,
                "note": f"{micro:.2f} µs; the goal is 0.5 µs", "load": round(os.getloadavg()[0], 1), "peers": {},
            })  # fmt: skip
        else:
            found.append(
                _row(name, goal, taken["hookline"], taken["limit"], {}, "limit: calling them directly")
            )
    return found


def row10(rounds: int = 5) -> Row:
    """1000 hooks in four dialects, read with line, column and problems, against their parsers alone."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        texts = {}
        for path, event in ((".gen", "PreToolUse"), (".gemini", "BeforeTool"), (".codex", "PreToolUse")):
            name = root / path / ("hooks.json" if path == ".codex" else "settings.json")
            name.parent.mkdir()
            groups = [_hook(f"mcp__server{n % 9}__.*", f"echo {n}") for n in range(250)]
            texts[name] = json.dumps({"hooks": {event: groups}}, indent=1)
        name = root / ".cocode/hooks.toml"
        name.parent.mkdir()
        texts[name] = "\n".join(
            f'[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "echo {n}"' for n in range(250)
        )
        for path, text in texts.items():
            path.write_text(text)
        places = places_for(str(root), {"HOME": str(root / "home")})

        def parsed() -> float:
            began = time.perf_counter()
            for path in texts:
                text = path.read_text()
                tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
            return time.perf_counter() - began

        def placed() -> float:
            began = time.perf_counter()
            for path in texts:
                parse_text("toml" if path.suffix == ".toml" else "json", path.read_text(), path.name)
            return time.perf_counter() - began

        def loaded() -> float:
            began = time.perf_counter()
            hooks = load_hooks(places)
            assert (len(hooks.specs), [p for p in hooks.problems if p.severity == "error"]) == (1000, [])
            return time.perf_counter() - began

        variants: dict[str, Measure] = {"limit": parsed, "hookline": loaded, "placed": placed}
        taken = interleaved(variants, rounds)
    note = "limit: json in C and tomllib, which know neither lines nor columns"
    ours, limit, places_only = taken["hookline"], taken["limit"], taken["placed"]
    peers = {"our parsers, with places": places_only}
    return _row("10 load 1000 hooks in four dialects", 2.0, ours, limit, peers, note)


def compared(name: str, goal: float, variants: dict[str, Measure], rounds: int, note: str) -> Row:
    taken = interleaved(variants, rounds)
    limit, ours = taken.pop("limit"), taken.pop("hookline")
    return _row(name, goal, ours, limit, taken, note)


def _row(
    name: str, goal: float, ours: list[float], limit: list[float], peers: dict[str, list[float]], note: str
) -> Row:
    ratio = _ratio(ours, limit)
    return {
        "name": name, "ratio": round(ratio, 2), "goal": goal, "met": ratio <= goal,
        "quick_ratio": round(quick_third(ours) / quick_third(limit), 2),
        "limit_ms": round(median(limit) * 1000, 4), "load": round(os.getloadavg()[0], 1),
        "peers": {who: round(_ratio(times, limit), 2) for who, times in peers.items()}, "note": note,
    }  # fmt: skip


def _ratio(ours: list[float], limit: list[float]) -> float:
    return median(a / b for a, b in zip(ours, limit, strict=True))


def _each(call: Callable[[], object], times: int = 2000) -> float:
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


def _hook(matcher: str, command: str, **more: str) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}


def _write(root: Path, groups: list[dict[str, Any]]) -> None:
    (root / ".gen").mkdir()
    (root / ".gen/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": groups}}))


def _engine(root: Path, groups: list[dict[str, Any]]) -> Engine:
    _write(root, groups)
    environment = {
        "HOME": str(root),
        "PATH": os.environ.get("PATH", os.defpath),
        "HOOKLINE_TRUST": "workspace",
    }
    return open_engine(str(root), environment=environment).engine
