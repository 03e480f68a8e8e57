"""The same work by two versions in turn, on one interpreter: what each takes, and the ratio.

    git worktree add /tmp/old 0d85635
    chrt -r 10 python tools/beside.py /tmp/old [--rows WORD] [--rounds 25] [--instructions]

Prints two lines for each row: the median of all rounds from start to end, and what the quickest third took of user and
system time, in milliseconds, and now to before. `--instructions` counts instead what the interpreter executes, under
valgrind, which no other work on the machine changes; it sees nothing of the kernel's part.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ENTRY = "import sys; from hookline.cli.main import entry; sys.argv[0] = 'hookline'; sys.exit(entry())"
READ = """
import os, sys, time
from hookline import load_hooks, places_for
places, taken = places_for(os.getcwd(), {"HOME": "/nowhere"}), []
for _ in range(7):
    began = time.process_time()
    hooks = load_hooks(places)
    taken.append(time.process_time() - began)
    assert len(hooks.specs) >= 1000, len(hooks.specs)
print(min(taken))
"""
BASH = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"}
CALL = json.dumps({**BASH, "hook_event_name": "PreToolUse"})

Files = dict[str, str]


def grouped(event: str, count: int, matcher: str = "mcp__server__tool{}") -> str:
    """Of `count` hooks the last one fits Bash."""
    groups = [
        {"matcher": matcher.format(n) if n < count - 1 else "Bash", "hooks": [_command(n)]}
        for n in range(count)
    ]
    return json.dumps({"hooks": {event: groups}}, indent=1)


def _command(number: int) -> dict[str, str]:
    return {"type": "command", "command": f"true {number}"}


def toml(count: int) -> str:
    names = [*(f"mcp__server__tool{n}" for n in range(count - 1)), "Bash"]
    rows = (f'event = "PreToolUse"\ntool = "{name}"\nrun = "true {n}"\n' for n, name in enumerate(names))
    return "".join(f"[[hooks]]\n{row}" for row in rows)


def claude(count: int) -> Files:
    return {".claude/settings.json": grouped("PreToolUse", count)}


def gencode(count: int) -> Files:
    return {".gen/settings.json": grouped("PreToolUse", count)}


def flat(count: int, event: str, **more: Any) -> str:
    hooks = {event: [{"command": f"true {n}", "matcher": "Bash", **more} for n in range(count)]}
    return json.dumps({"version": 1, "hooks": hooks}, indent=1)


class Row(NamedTuple):
    """Arguments of the program, or code for the interpreter where they begin with `-c`."""

    name: str
    arguments: tuple[str, ...]
    files: Files | None = None
    stdin: str = CALL


FIRE, BRIDGE = ("fire", "PreToolUse"), ("bridge", "claude", "--event", "PreToolUse")
GEMINI = {
    ".gemini/settings.json": grouped("BeforeTool", 20, "mcp_server{}_.*").replace(
        '"Bash"', '"run_shell_command"'
    )
}
AGENTS: dict[str, tuple[str, Files]] = {
    "codex": ("PreToolUse", {".codex/hooks.json": grouped("PreToolUse", 20)}),
    "cursor": ("preToolUse", {".cursor/hooks.json": flat(20, "preToolUse")}),
    "copilot": ("preToolUse", {".github/hooks/guard.json": flat(20, "preToolUse", type="command")}),
    "gemini": ("BeforeTool", GEMINI),
}
COLD = [
    Row("python -c pass", ("-c", "pass")),
    Row("--version", ("--version",)),
    Row("import hookline", ("-c", "import hookline")),
    Row("import Engine, load_hooks, open_engine", ("-c", "from hookline import Engine, load_hooks, open_engine")),
    Row("fire, no hook", FIRE),
    *(Row(f"fire, {n} of Claude Code's", FIRE, claude(n)) for n in (1, 20)),
    *(Row(f"fire, {n} of GenCode's", FIRE, gencode(n)) for n in (1, 20)),
    *(Row(f"fire, {n} of hooks.toml", FIRE, {".hookline/hooks.toml": toml(n)}) for n in (1, 20)),
    Row("bridge claude, 1 of Claude Code's", BRIDGE, claude(1)),
    Row("bridge claude, 1 of hooks.toml", BRIDGE, {".hookline/hooks.toml": toml(1)}),
    Row("bridge claude, 20 of GenCode's", BRIDGE, gencode(20)),
    Row("bridge claude, 20 of Gemini's", BRIDGE, GEMINI),
    *(
        Row(f"bridge {name}, 20 of its own", ("bridge", name, "--event", event), files)
        for name, (event, files) in AGENTS.items()
    ),
    Row(
        "a commit, 1 hook", ("bridge", "discobot", "--event", "pre-commit", "--workspace", "."),
        {".discobot/hooks/a.sh": "#!/bin/sh\n#---\n# name: a\n# type: pre-commit\n#---\ntrue\n"},
    ),
    Row("list, 20 of GenCode's", ("list",), gencode(20)),
    Row("list, 20 of Claude Code's", ("list",), claude(20)),
    Row("explain, 20 of Claude Code's", ("explain", "PreToolUse"), claude(20)),
    Row("history", ("history",)),
    Row("check, 20 of Claude Code's", ("check",), claude(20)),
    Row("check, 20 of hooks.toml", ("check",), {".hookline/hooks.toml": toml(20)}),
]  # fmt: skip
WARM = [
    Row(f"read 1000 of {name}", ("-c", READ), files)
    for name, files in {
        "Claude Code's": claude(1000),
        "GenCode's": gencode(1000),
        "Gemini's": {".gemini/settings.json": grouped("BeforeTool", 1000)},
        "Codex's": {".codex/hooks.json": grouped("PreToolUse", 1000)},
        "Cursor's": {".cursor/hooks.json": flat(1000, "preToolUse")},
        "Copilot's": {".github/hooks/guard.json": flat(1000, "preToolUse", type="command")},
        "AutoAgent's": {
            ".autoagent/config.json": json.dumps(
                {"hooks": {"PreExecutionEnd": [*map(_command, range(1000))]}}
            )
        },
        "cocode's": {
            ".cocode/hooks.toml": "\n".join(
                f'[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "true {n}"' for n in range(1000)
            )
        },
        "iteratr's": {
            ".iteratr.hooks.yml": "hooks:\n  pre_iteration:\n"
            + "".join(f'    - command: "true {n}"\n' for n in range(1000))
        },
        "hooks.toml": {".hookline/hooks.toml": toml(1000)},
    }.items()
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", help="a checkout of the other version")
    parser.add_argument("--rows", default="", help="only rows whose name has this")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    trees = [Path(options.before).resolve(), ROOT]
    for tree in trees:
        subprocess.run([sys.executable, "-m", "compileall", "-q", tree / "src"], check=True)
    print(f"{'':<42} before     now  ratio")
    for row in COLD + WARM:
        if options.rows in row.name:
            _show(row, trees, options)


def _show(row: Row, trees: list[Path], options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        places = [_place(Path(folder) / str(n), row) for n in range(2)]
        if options.instructions:
            _say(row.name, "million instructions", *map(_instructions, [row] * 2, trees, places))
            return
        wall: list[list[float]] = [[], []]
        processor: list[list[float]] = [[], []]
        warm = row in WARM
        for turn in range(-1, options.rounds if not warm else 3):
            for which in (0, 1) if turn % 2 else (1, 0):
                took, spent, said = _run(row, trees[which], places[which])
                if turn >= 0:  # the first round finds nothing in the caches
                    wall[which].append(took)
                    processor[which].append(float(said) * 1000 if warm else spent)
    if not warm:
        _say(row.name, "ms, start to end", *map(statistics.median, wall))
    _say(row.name, "ms of processor time", *map(_quick, processor))


def _say(name: str, unit: str, before: float, now: float) -> None:
    print(f"{name:<42} {before:>7.1f} {now:>7.1f}  {now / before:>5.2f}  {unit}", flush=True)


def _quick(taken: list[float]) -> float:
    return statistics.median(sorted(taken)[: max(1, len(taken) // 3)])


def _place(folder: Path, row: Row) -> Path:
    work = folder / "work"
    (folder / "home").mkdir(parents=True)
    (work / ".git").mkdir(parents=True)
    for name, text in (row.files or {}).items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
        (work / name).chmod(0o755)
    return folder


def _command_of(row: Row) -> list[str]:
    return [sys.executable, *(row.arguments if row.arguments[0] == "-c" else ("-c", ENTRY, *row.arguments))]


def _environment(tree: Path, folder: Path) -> dict[str, str]:
    return {
        "HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOOKLINE_TRUST": "workspace",
        "PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0",
    }  # fmt: skip


def _run(row: Row, tree: Path, folder: Path) -> tuple[float, float, bytes]:
    """Milliseconds from start to end, and of user and system time of the process and those it waited for."""
    began = time.perf_counter()
    process = subprocess.Popen(
        _command_of(row), cwd=folder / "work", env=_environment(tree, folder),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    try:
        process.stdin.write(row.stdin.encode())
        process.stdin.close()
    except BrokenPipeError:
        pass  # a row that reads nothing
    said, errors = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), errors.decode()
    return (time.perf_counter() - began) * 1000, (used.ru_utime + used.ru_stime) * 1000, said


def _instructions(row: Row, tree: Path, folder: Path) -> float:
    """What the process itself executes, in millions, without what it starts."""
    _run(row, tree, folder)
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *_command_of(row)],
        cwd=folder / "work", env=_environment(tree, folder), input=row.stdin, capture_output=True, text=True,
    )  # fmt: skip
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1]) / 1e6


if __name__ == "__main__":
    main()
