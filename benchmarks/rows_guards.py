"""What a rule about commands costs a call, against reading the line once, and many rules against one.

`python -m benchmarks.rows_guards` prints the rows. The lines are harmless ones of `guards/harmless.txt`, as most are.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

from hookline import Engine, make_event, open_engine, read_commands
from hookline.model.events import Event
from hookline.shell.programs.inner import inner_of

from .guards.corpora import written
from .guards.measure import packs_config
from .rows_engine import _row
from .rows_process import Measure, Row, interleaved

LINES = 300
RULE = '[[hooks]]\nname = "{}"\nevent = "PreToolUse"\nshell = {}\ndeny = "x"\n'
MANY = [f"tool{n} push" for n in range(250)]
CONFIGS = {
    "one": RULE.format("a", '"git push --force"'),
    "250 patterns": RULE.format("a", json.dumps(MANY)),
    "250 rules": "".join(RULE.format(n, json.dumps(pattern)) for n, pattern in enumerate(MANY)),
    "all packs": packs_config(),
}
LONG = 100_000  # letters
LONG_LINES = {
    "a text": ("cat > notes.md <<'E'\n{}\nE", "a line of some words (and `more`), with $all of it\n"),
    "escaped text": ('echo "{}"', 'some \\`code\\` and \\"quotes\\" '),
    "files": ("git add {}", "src/file{0}.py "),
    "words": ("git push {}", "git push "),
    "commands": ("{}", "rm -rf build/{0}\n"),
    "programs": ("{}", "tool{0} x; "),
    "variables": ("{}", "v{0}=x; echo $v{0}\n"),
    "commands in commands": ("{}", "echo $(date {0})\n"),
    "branches": ("{}", "if [ -f x{0} ]; then rm x{0}; fi\n"),
    "remote commands": ("{}", "ssh h{0} rm x\n"),
    "a script": ("bash <<'E'\n{}\nE", "echo {0} > f{0}\n"),
    "code": ("python3 - <<'E'\n{}\nE", "x = open('f{0}').read()\n"),
}


def row17(rounds: int = 7) -> list[Row]:
    """Medians over the lines, in seconds of this thread's processor time."""
    chosen = random.Random(1).sample([line.text for line in written("harmless")], LINES)
    events = [_call(line) for line in chosen]
    with tempfile.TemporaryDirectory() as folder:
        engines = {name: _engine(Path(folder) / name, config) for name, config in CONFIGS.items()}
        variants: dict[str, Measure] = {
            "read": lambda: median(_taken(lambda line: read_commands(line, inner_of=inner_of), chosen)),
            **{
                name: (lambda e=engine: median(_taken(e.fire_now, events)))
                for name, engine in engines.items()
            },  # type: ignore[misc]
        }
        taken = interleaved(variants, rounds)
        each = sorted(_taken(engines["one"].fire_now, events))
        long = max((_longest(engines["one"], *made), name) for name, made in LONG_LINES.items())
    one, limit = taken["one"], taken["read"]
    note = (
        f"p50 {median(one) * 1e6:.0f} µs, p99 {each[LINES * 99 // 100] * 1e6:.0f}, "
        f"100 kB at most {long[0] * 1e3:.1f} ms ({long[1]})"
    )
    goals = {"250 patterns": 2.0, "250 rules": 2.0, "all packs": 3.0}
    return [
        _row("17 a guard decides about a line, of reading it", 3.0, one, limit, {}, note),
        *(_row(f"17 {name}, of one rule", goal, taken[name], one, {}, "") for name, goal in goals.items()),
    ]


def _longest(engine: Engine, line: str, piece: str) -> float:
    pieces = "".join(piece.format(n) for n in range(LONG // len(piece)))
    return min(_taken(engine.fire_now, [_call(line.format(pieces + f"# {n}")) for n in range(3)]))


def _call(line: str) -> Event:
    return make_event(
        "PreToolUse", workspace="/home/dev/project", tool_name="Bash", tool_input={"command": line}
    )


def _engine(workspace: Path, config: str) -> Engine:
    (workspace / ".hookline").mkdir(parents=True)
    (workspace / ".git").mkdir()
    (workspace / ".hookline/hooks.toml").write_text(config)
    environment = {"HOME": str(workspace), "PATH": "/usr/bin:/bin", "HOOKLINE_TRUST": "workspace"}
    return open_engine(str(workspace), environment=environment, history=False).engine


def _taken(work: Callable[[Any], object], given: Iterable[Any]) -> list[float]:
    found = []
    for each in given:
        began = time.thread_time()
        work(each)
        found.append(time.thread_time() - began)
    return found


if __name__ == "__main__":
    for found in row17():
        print(json.dumps(found))
