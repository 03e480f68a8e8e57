"""A resident that is killed between its answer and what it does after it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.resident_process import Resident, guard
from tests.waiting import until

from hookline.system.processes.tags import is_alive


def database(resident: Resident) -> Path:
    (found,) = resident.program.home.rglob("history.db")
    return found


SCRIPT = "#!/bin/sh\necho x >> ran; until test -e go; do sleep 0.05; done; echo no >&2; exit 2\n"


def test_what_a_killed_resident_answered_stands_and_the_next_one_goes_on(
    resident: Resident, tmp_path: Path
) -> None:
    """The history is locked from within the hook on, so that the resident dies before it can write there.

    Its agent has the denial. What is lost is the record of it (`docs/history.md` says so): the same call reported again
    is judged anew, every later one once, and the chain of records is whole.
    """
    places = tmp_path / "temporary"
    places.mkdir()
    resident.program.environment["TMPDIR"] = str(places)
    resident.program.environment.pop("HOOKLINE_TRUST")
    resident.program.write(".gen/check.sh", SCRIPT, 0o755)
    guard(resident.program, "sh .gen/check.sh")
    assert resident.program("trust", "--yes").returncode == 0
    pid = resident.start()["pid"]
    ran = resident.program.workspace / "ran"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(resident.call, "t1")
        until(ran.exists)
        with closing(sqlite3.connect(database(resident), isolation_level=None)) as locked:
            locked.execute("BEGIN EXCLUSIVE")
            resident.program.write("go", "")
            assert "deny" in call.result().stdout
            os.kill(pid, signal.SIGKILL)
            until(lambda: not is_alive(str(pid)))
            locked.execute("ROLLBACK")
    assert ran.read_text() == "x\n"
    for name in ("t1", "t2", "t2"):
        assert "deny" in resident.call(name).stdout
    assert ran.read_text() == "x\n" * 3
    runs = json.loads(resident.program("history", "--json").stdout)
    assert [run["verdict"] for run in runs] == ["deny"] * 2
    assert resident.program("history", "verify").returncode == 0
    assert until(lambda: not list(places.iterdir()))
