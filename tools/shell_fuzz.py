"""Holds the reader of shell lines against real bash for longer than the tests do.

`python -m tools.shell_fuzz --lines 100000 --seed 7`

The same lines as `tests/shell/test_against_bash.py`, from another seed. Each disagreement is made as small as it gets.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.shell.lines import random_line  # noqa: E402  # the paths come first
from tests.shell.programs import inner_of  # noqa: E402
from tests.shell.real_bash import disagreement, started  # noqa: E402

from hookline.shell import read_commands  # noqa: E402

BATCH, AHEAD = 100, 3
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # most of the time went into files of a moment


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    ran = sure = wrong = 0
    for lines, recordings in _recorded(Random(given.seed), given.lines // BATCH):
        for line, recorded in zip(lines, recordings, strict=True):
            reading = read_commands(line, inner_of=inner_of)
            ran += bool(recorded)
            sure += bool(recorded) and not (reading.unknowns or reading.opaque)
            if disagreement(reading, recorded):
                wrong += 1
                print(_shown(line), flush=True)
    print(f"{given.lines} lines, {ran} ran something, {sure} read for certain, {wrong} disagreements")
    return int(wrong > 0)


def _recorded(random: Random, batches: int) -> Iterator[tuple[list[str], list[list[list[str]]]]]:
    """Batches of lines and what they started; meanwhile bash is at the next ones: endless loops take it long."""
    with ThreadPoolExecutor(AHEAD) as bashes:
        begun: deque[tuple[list[str], Future[list[list[list[str]]]]]] = deque()
        for _ in range(batches):
            lines = [random_line(random) for _ in range(BATCH)]
            begun.append((lines, bashes.submit(_started, lines)))
            if len(begun) > AHEAD:
                lines, found = begun.popleft()
                yield lines, found.result()
        for lines, found in begun:
            yield lines, found.result()


def _started(lines: list[str]) -> list[list[list[str]]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True, dir=MEMORY) as folder:
        return started(lines, Path(folder))


def _shown(line: str) -> str:
    small = _smaller(line)
    return f"{small!r}: {_differs([small])[0]}"


def _smaller(line: str) -> str:
    """The line without what does not matter."""
    for _ in range(15):
        cuts = [
            line[:at] + line[at + size :]
            for size in (40, 20, 10, 5, 3, 2, 1)
            for at in range(0, len(line) - size + 1, max(1, size // 2))
        ]
        cuts = list(dict.fromkeys(cuts))[:300]
        found = [cut for cut, why in zip(cuts, _differs(cuts), strict=True) if why]
        if not found:
            break
        line = min(found, key=len)
    return line


def _differs(lines: list[str]) -> list[str]:
    return [
        disagreement(read_commands(line, inner_of=inner_of), recorded)
        for line, recorded in zip(lines, _started(lines), strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
