"""Holds the reader of shell lines against real bash for longer than the tests do.

`python -m tools.shell_fuzz --lines 100000 --seed 7`

The same lines as `tests/shell/test_against_bash.py`, from another seed, or all of `tests/shell/families.txt`. Each
disagreement is made as small as it gets.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.shell.families import FAMILIES  # noqa: E402  # the paths come first
from tests.shell.lines import random_line  # noqa: E402  # the paths come first
from tests.shell.real_bash import IN_BASH, IN_SH, disagreement, recorder, started  # noqa: E402

from hookline.model.record import Record  # noqa: E402
from hookline.shell import read_commands  # noqa: E402
from hookline.shell.reading import Reading  # noqa: E402

BATCH = 200
SECONDS = 600  # of a batch: what has not run by then would count as read well
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # most of the time went into files of a moment


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--sh", action="store_true", help="by the machine's sh instead of bash")
    options.add_argument("--families", action="store_true", help="the lines of families, none by chance")
    given = options.parse_args()
    lines = _by_family() if given.families else _by_chance(Random(given.seed), given.lines)
    with tempfile.TemporaryDirectory() as folder:
        return _held(lines, Shell("sh" if given.sh else "bash", recorder(Path(folder))))


def _by_chance(random: Random, count: int) -> Iterator[str]:
    return (random_line(random) for _ in range(count))


def _by_family() -> Iterator[str]:
    return (line for lines in FAMILIES.values() for line in lines)


class Shell(Record):
    """A real one, and what it loads so that it records faster, if that can be made here."""

    name: str
    loaded: Path | None


def _held(given: Iterator[str], shell: Shell) -> int:
    count = sure = ran = 0
    wrong = []
    for read, lines, readings, recordings in _recorded(given, shell):
        count += read
        sure += len(lines)
        ran += sum(map(bool, recordings))
        for line, reading, recorded in zip(lines, readings, recordings, strict=True):
            if difference := _difference(reading, recorded):
                wrong.append(line)
                print(f"{line!r}: {difference}", flush=True)
    print(f"{count} lines, {sure} read for certain, {ran} of them ran something, {len(wrong)} disagreements")
    for line in wrong:
        print(_shown(line, shell), flush=True)
    return int(bool(wrong))


def _recorded(
    given: Iterator[str], shell: Shell
) -> Iterator[tuple[int, list[str], list[Reading], list[list[list[str]]]]]:
    """How many lines, those that are read for certain, and what they started; bash runs some while others are read.

    A line about which the reader is not sure cannot be read wrongly, and is not run.
    """
    with ThreadPoolExecutor(1) as bash:
        begun: tuple[int, list[str], list[Reading], Future[list[list[list[str]]]]] | None = None
        while every := list(islice(given, BATCH)):
            lines, readings = _read(every, shell)
            if begun:
                yield *begun[:3], begun[3].result()
            begun = len(every), lines, readings, bash.submit(_started, lines, shell)
        if begun:
            yield *begun[:3], begun[3].result()


def _read(every: list[str], shell: Shell) -> tuple[list[str], list[Reading]]:
    """Those of which the reader is sure."""
    readings = [_reading(line, shell) for line in every]
    sure = [reading for reading in readings if not (reading.unknowns or reading.opaque)]
    return [reading.line for reading in sure], sure


class Raised(Reading):
    """Of a line that could not be read at all, which counts as read wrongly."""

    error: str = ""


def _reading(line: str, shell: Shell) -> Reading:
    try:
        return read_commands(line, shell.name)
    except Exception as error:
        return Raised(line, error=repr(error))


def _difference(reading: Reading, recorded: list[list[str]]) -> str:
    return f"it raised {reading.error}" if isinstance(reading, Raised) else disagreement(reading, recorded)


def _started(lines: list[str], shell: Shell) -> list[list[list[str]]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True, dir=MEMORY) as folder:
        in_shell = IN_BASH if shell.name == "bash" else IN_SH
        return started(lines, Path(folder), SECONDS, in_shell, shell.loaded)


def _shown(line: str, shell: Shell) -> str:
    small = _smaller(line, shell)
    return f"{small!r}: {_differs([small], shell)[0]}"


def _smaller(line: str, shell: Shell) -> str:
    """The line without what does not matter."""
    for _ in range(15):
        cuts = [
            line[:at] + line[at + size :]
            for size in (40, 20, 10, 5, 3, 2, 1)
            for at in range(0, len(line) - size + 1, max(1, size // 2))
        ]
        cuts = list(dict.fromkeys(cuts))[:300]
        found = [cut for cut, why in zip(cuts, _differs(cuts, shell), strict=True) if why]
        if not found:
            break
        line = min(found, key=len)
    return line


def _differs(lines: list[str], shell: Shell) -> list[str]:
    return [
        _difference(_reading(line, shell), recorded)
        for line, recorded in zip(lines, _started(lines, shell), strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
