#!/usr/bin/env python3
"""Sets up everything in `.venv` and runs one of the project's own commands. Needs Python 3.11+ and git only.

python3 do.py demo      a live agent turn with hooks in all dialects
python3 do.py test      lint, types and every test
python3 do.py test ARGS...       only pytest, with these arguments
python3 do.py hookline ARGS...   the program itself, from this checkout

The tests run side by side. A failed test is red; none is tried a second time.
"""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
EXTRAS = {"demo": "all", "hookline": "all", "test": "dev"}


def main(arguments):
    if sys.version_info < (3, 11):  # noqa: UP036  # this file runs before anything checked the version
        found = ".".join(map(str, sys.version_info[:3]))
        return fail(f"hookline needs Python 3.11 or newer; this is {found} ({sys.executable})")
    if not arguments or arguments[0] not in EXTRAS:
        print(__doc__.strip())
        return 0 if not arguments or arguments[0] in ("-h", "--help") else 64
    command, rest = arguments[0], arguments[1:]
    if not set_up(EXTRAS[command]):
        return 1
    if command == "test":
        return test(rest)
    name = ["demo", *rest] if command == "demo" else rest
    return subprocess.run([BIN / "hookline", *name]).returncode


def set_up(extra):
    """Makes the environment, or brings it up to date when pyproject.toml changed."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest() + str(ROOT)
    if any(stamp(e).exists() and stamp(e).read_text() == wanted for e in {extra, "dev"}):
        return True
    if not (BIN / "python").exists():
        print(f"making {VENV} ...", file=sys.stderr)
        made = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, text=True)
        if made.returncode != 0:
            hint = "on Debian and Ubuntu: apt-get install python3-venv"
            return bool(
                fail(f"cannot make a virtual environment:\n{made.stdout}{made.stderr}\n  hint: {hint}")
            )
    print(f"installing hookline[{extra}] into {VENV} ...", file=sys.stderr)
    pip = [BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, "--editable", f".[{extra}]"], cwd=ROOT).returncode != 0:
        fail("pip could not install hookline and what it needs; its words are above")
        return False
    stamp(extra).write_text(wanted)
    return True


def stamp(extra):
    return VENV / f".hookline-{extra}"


def test(arguments):
    """Stops at the first of lint, format, types and tests that fails; types are looked at while the tests run."""
    # a worker that has nothing left takes over from the others: the slow tests stand at the end
    side_by_side = ["pytest", "-n", str(workers()), "--dist", "worksteal"]
    if arguments:
        return run([*side_by_side, *arguments])
    for step in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        if code := run(step):
            return code
    types = start(["mypy"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    tests = start(side_by_side)
    said, _ = types.communicate()
    if types.returncode:
        tests.send_signal(signal.SIGINT)  # which leaves nothing behind
        tests.wait()
    print("mypy:", said.strip(), flush=True)
    return types.returncode or tests.wait()


def workers():
    """Two more than there are processors, because many tests wait for a clock, or for programs to start."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(2, usable), 8) + 2


def run(command):
    return start(command).wait()


def start(command, **streams):
    print("$", *command, flush=True)
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests start the program thousands of times
    return subprocess.Popen([BIN / command[0], *command[1:]], cwd=ROOT, env=environment, **streams)


def fail(words):
    print(f"error: {words}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
