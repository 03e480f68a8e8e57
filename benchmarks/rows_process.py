"""What running processes costs, against a C program that does the same and against other runners.

Each row is a function that returns {name, ratio, goal, peers, note, ...}: `ratio` is ours over the limit,
`peers` maps names to their ratio. Every round runs all variants in turn, and the ratio is the median of
the rounds' own ratios: milliseconds differ between machines and minutes, ratios hardly do. Answers are
checked in every call. With a `load` above 1 others were at work: trust `quick_ratio`, of the quickest
third, more, and neither much. Run `python benchmarks/rows_process.py [row ...]` for all or some rows.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from hookline.system.loops.loop import gather, run, run_asyncio
from hookline.system.processes.process import ProcessRequest, ProcessResult, run_process

Row = dict[str, Any]
Measure = Callable[[], float]  # seconds for one process
ANYIO = {"calls": 0, "failed": 0}

HOOK = ("sh", "-c", "echo ok")
PAYLOAD = b'{"tool_name": "Bash"}'.ljust(1024)
MEBIBYTE = bytes(1 << 20)
LATE_S = 0.030


@cache
def climit() -> str | None:
    """The C program, built now; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    folder = tempfile.TemporaryDirectory(prefix="climit-")
    atexit.register(folder.cleanup)
    program = Path(folder.name) / "climit"
    source = Path(__file__).with_name("climit.c")
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return str(program)


def c_limit(total: int, in_flight: int, payload: int, pipe: int, output: int, argv: tuple[str, ...]) -> float:
    """Seconds for one process in the C program, by its own clock."""
    program = climit()
    assert program is not None
    numbers = map(str, (total, in_flight, payload, pipe, output))
    told = subprocess.run([program, *numbers, *argv], capture_output=True, text=True, check=True)
    return float(told.stdout) / total


def interleaved(variants: dict[str, Measure], rounds: int) -> dict[str, list[float]]:
    """Seconds of every variant in every round; the first round warms up and is thrown away."""
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for turn in range(rounds + 1):
        for name, measure in variants.items():
            seconds = measure()
            if turn:
                taken[name].append(seconds)
    return taken


def row(name: str, goal: float, variants: dict[str, Measure], rounds: int, note: str = "") -> Row:
    """Compare `hookline` (and `hookline ...` peers) with `limit`, round by round."""
    if climit() is None:
        return {"name": name, "ratio": None, "goal": goal, "peers": {}, "note": "skipped: no C compiler here"}
    ANYIO.update(calls=0, failed=0)
    taken = interleaved(variants, rounds)
    if ANYIO["failed"]:
        note = f"{note} anyio failed in {ANYIO['failed']} of {ANYIO['calls']} calls".strip()
    limit = taken.pop("limit")
    ratios = {who: median(a / b for a, b in zip(times, limit, strict=True)) for who, times in taken.items()}
    ours = ratios.pop("hookline")
    return {
        "name": name,
        "ratio": round(ours, 2),
        "goal": goal,
        "met": ours <= goal,
        "quick_ratio": round(quick_third(taken["hookline"]) / quick_third(limit), 2),
        "limit_ms": round(median(limit) * 1000, 3),
        "load": round(os.getloadavg()[0], 1),
        "peers": {who: round(ratio, 2) for who, ratio in ratios.items()},
        "note": note,
    }


def quick_third(times: list[float]) -> float:
    """The median of the quickest third: what is left of a measurement while others use the machine."""
    return median(sorted(times)[: max(1, len(times) // 3)])


def request(argv: tuple[str, ...], payload: bytes) -> ProcessRequest:
    return ProcessRequest(argv=argv, cwd="/", env=dict(os.environ), stdin=payload, timeout_s=30.0)


async def in_turn(asked: ProcessRequest, total: int, size: int) -> float:
    await warmed(lambda: run_process(asked))
    began = time.perf_counter()
    for _ in range(total):
        check(await run_process(asked), size)
    return (time.perf_counter() - began) / total


async def at_once(asked: ProcessRequest, total: int, in_flight: int, size: int) -> float:
    await warmed(lambda: run_process(asked))
    began = time.perf_counter()
    for result in await gather([run_process(asked) for _ in range(total)], in_flight):
        check(result, size)
    return (time.perf_counter() - began) / total


async def warmed(call: Callable[[], Any]) -> None:
    """A few calls before the clock runs: what is measured is a host that stays, not a loop's first steps."""
    for _ in range(3):
        await call()


def check(result: ProcessResult, size: int) -> None:
    assert (result.exit_code, result.stdout.size, result.stderr.size) == (0, size, 0), result


def plain(argv: tuple[str, ...], payload: bytes, total: int, size: int) -> float:
    began = time.perf_counter()
    for _ in range(total):
        done = subprocess.run(argv, input=payload, capture_output=True, timeout=30, check=True)
        assert len(done.stdout) == size
    return (time.perf_counter() - began) / total


async def by_asyncio(argv: tuple[str, ...], payload: bytes, size: int) -> None:
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=pipe)
    out, _ = await asyncio.wait_for(child.communicate(payload), 30)
    assert len(out) == size and child.returncode == 0


async def by_anyio(argv: tuple[str, ...], payload: bytes, size: int) -> None:
    import anyio

    ANYIO["calls"] += 1
    try:
        with anyio.fail_after(30):
            done = await anyio.run_process(argv, input=payload)
        assert len(done.stdout) == size
    except* anyio.BrokenResourceError:
        ANYIO["failed"] += 1  # it loses the output of a hook that ends before reading its input


async def repeated(call: Callable[[], Any], total: int, in_flight: int) -> float:
    await warmed(call)
    began = time.perf_counter()
    await gather([call() for _ in range(total)], in_flight)
    return (time.perf_counter() - began) / total


def peers(argv: tuple[str, ...], payload: bytes, size: int, total: int, in_flight: int) -> dict[str, Measure]:
    """The runners of others that do the same work."""
    found: dict[str, Measure] = {
        "asyncio": lambda: run_asyncio(repeated(lambda: by_asyncio(argv, payload, size), total, in_flight)),
    }
    if in_flight == 1:
        found["subprocess.run"] = lambda: plain(argv, payload, total, size)
    try:
        import anyio  # noqa: F401
    except ImportError:
        return found
    found["anyio"] = lambda: run_asyncio(repeated(lambda: by_anyio(argv, payload, size), total, in_flight))
    return found


def row1_runner(rounds: int = 15) -> Row:
    """One shell hook at a time, the runner alone: goal 1.25 on asyncio, 1.15 without."""
    asked, total = request(HOOK, PAYLOAD), 20
    variants: dict[str, Measure] = {
        "limit": lambda: c_limit(total, 1, len(PAYLOAD), 0, 3, HOOK),
        "hookline": lambda: run_asyncio(in_turn(asked, total, 3)),
        "hookline without asyncio": lambda: run(in_turn(asked, total, 3)),
        **peers(HOOK, PAYLOAD, 3, total, 1),
    }
    return row("1 one shell hook, runner alone", 1.25, variants, rounds)


def row2(rounds: int = 10) -> list[Row]:
    """Many hooks with 10 and 100 in flight: goal 1.3."""
    return [_row2(in_flight, rounds) for in_flight in (10, 100)]


def _row2(in_flight: int, rounds: int) -> Row:
    asked, total = request(HOOK, PAYLOAD), max(40, in_flight)
    variants: dict[str, Measure] = {
        "limit": lambda: c_limit(total, in_flight, len(PAYLOAD), 0, 3, HOOK),
        "hookline": lambda: run_asyncio(at_once(asked, total, in_flight, 3)),
        "hookline without asyncio": lambda: run(at_once(asked, total, in_flight, 3)),
        **peers(HOOK, PAYLOAD, 3, total, in_flight),
    }
    return row(f"2 {in_flight} hooks in flight", 1.30, variants, rounds)


def row3(rounds: int = 15) -> Row:
    """1 MiB in and out with the output cap on; the limit has 1 MiB pipes and keeps everything."""
    argv, total, size = ("cat",), 10, len(MEBIBYTE)
    asked = request(argv, MEBIBYTE)
    variants: dict[str, Measure] = {
        "limit": lambda: c_limit(total, 1, size, size, size, argv),
        "hookline": lambda: run_asyncio(in_turn(asked, total, size)),
        "hookline without asyncio": lambda: run(in_turn(asked, total, size)),
        **peers(argv, MEBIBYTE, size, total, 1),
    }
    return row("3 1 MiB in and out", 1.15, variants, rounds)


CASES = {
    "holds the pipe": "sleep 61 & echo $! >>$PIDS; echo $$ >>$PIDS; wait",
    "ignores TERM": "trap '' TERM; echo $$ >>$PIDS; sleep 61 & echo $! >>$PIDS; wait; wait",
    "leaves by setsid": (
        "setsid sh -c 'echo $$ >>$PIDS; exec sleep 61' </dev/null >/dev/null 2>&1 &"
        " echo $$ >>$PIDS; wait; sleep 61"
    ),
}
LIMIT_S, GRACE_S = 0.3, 0.2


def row4(rounds: int = 3) -> Row:
    """Time-out kill: how late after its due time (deadline, and grace where TERM is ignored), who is left.

    `ratio` is the worst lateness over the 30 ms allowed; a survivor or a bystander hit makes it infinite.
    """
    late_ms: dict[str, float] = {}
    left = hit = 0
    with tempfile.TemporaryDirectory() as folder:
        bystander = subprocess.Popen(["sleep", "61"], env={**os.environ, "HOOKLINE_RUN_ID": "elsewhere"})
        for name in [*CASES, "20 at once"] * rounds:
            late, alive = _time_out(name, Path(folder))
            late_ms[name] = max(late_ms.get(name, -1e9), late * 1000)
            left += alive
        hit = int(bystander.poll() is not None)
        bystander.kill()
        bystander.wait()
    worst = max(late_ms.values())
    return {
        "name": "4 time-out kill",
        "ratio": float("inf") if left or hit else round(worst / (LATE_S * 1000), 2),
        "goal": 1.0,
        "met": worst <= LATE_S * 1000 and not left and not hit,
        "peers": {"subprocess.run": _peer_left()},
        "late_ms": {name: round(ms, 1) for name, ms in late_ms.items()},
        "survivors": left,
        "others_hit": hit,
        "note": "peers: processes that subprocess.run(timeout=) leaves alive in the setsid case",
    }


def _time_out(name: str, folder: Path) -> tuple[float, int]:
    pids = folder / f"pids-{time.monotonic_ns()}"
    scripts = [CASES[name]] if name in CASES else [list(CASES.values())[n % 3] for n in range(20)]
    asked = [
        ProcessRequest(
            argv=("sh", "-c", script),
            cwd="/",
            env={"PATH": os.defpath, "PIDS": str(pids)},
            timeout_s=LIMIT_S,
            grace_s=GRACE_S,
        )
        for script in scripts
    ]

    async def late(one: ProcessRequest) -> float:
        began = time.perf_counter()
        result = await run_process(one)
        assert result.timed_out
        return time.perf_counter() - began - LIMIT_S - (GRACE_S if "trap" in one.argv[2] else 0.0)

    lateness: list[float] = run_asyncio(gather([late(one) for one in asked]))
    return max(lateness), sum(map(_stays_alive, pids.read_text().split()))


def _stays_alive(pid: str) -> bool:
    """Alive and not merely on its way out, which takes a busy machine some milliseconds."""
    until = time.monotonic() + 0.5
    while _is_alive(pid):
        if time.monotonic() > until:
            return True
        time.sleep(0.002)
    return False


def _is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def _peer_left() -> int:
    with tempfile.TemporaryDirectory() as folder:
        pids = Path(folder) / "pids"
        try:
            subprocess.run(
                ["sh", "-c", CASES["leaves by setsid"]],
                timeout=LIMIT_S,
                env={"PATH": os.defpath, "PIDS": str(pids)},
                check=False,
            )
        except subprocess.TimeoutExpired:
            pass
        left = [pid for pid in pids.read_text().split() if _is_alive(pid)]
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)
        return len(left)


ROWS: dict[str, Callable[[], Row | list[Row]]] = {
    "1": row1_runner, "2": row2, "3": row3, "4": row4,
}  # fmt: skip


def main(names: list[str]) -> None:
    for name in names or ROWS:
        measured = ROWS[name]()
        for one in measured if isinstance(measured, list) else [measured]:
            print(one, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
