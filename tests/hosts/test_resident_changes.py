"""What changes between two calls counts at the second, however little it shows."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tests.program import Program
from tests.resident_process import Resident, guard
from tests.waiting import until
from tests.warm import SOURCE

SCRIPT = "#!/bin/sh\necho no >&2\nexit 2\n"


def denies(resident: Resident, call_id: str) -> bool:
    done = resident.call(call_id)
    assert done.returncode == 0, done
    return "deny" in done.stdout


def test_an_edit_of_the_same_length_and_time_counts(resident: Resident) -> None:
    """The same file, as long as before, written in place, its time set back: still another guard."""
    guard(resident.program, "exit 2")
    config = resident.program.workspace / ".gen/settings.json"
    resident.start()
    text, found = config.read_text(), []
    for number in range(8):
        with config.open("r+") as file:
            file.write(text if number % 2 else text.replace("exit 2", "exit 0"))
        os.utime(config, (1_600_000_000, 1_600_000_000))
        found.append(denies(resident, f"t{number}"))
    assert found == [False, True] * 4
    assert (resident.status() or {})["calls"] == 8


def test_a_config_that_appears_counts(resident: Resident) -> None:
    """In a folder of the workspace, in one of the user's, and deep within one that was there before."""
    home = resident.program.home
    (home / ".gemini/extensions/ext").mkdir(parents=True)
    guard(resident.program, "true")
    resident.start()
    assert not denies(resident, "t1") and not denies(resident, "t2")
    hook = {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    text = json.dumps({"hooks": {"BeforeTool": [hook]}})
    places = (resident.program.workspace / ".gemini", home / ".gemini", home / ".gemini/extensions/ext/hooks")
    for number, folder in enumerate(places):
        folder.mkdir(exist_ok=True)
        file = folder / ("hooks.json" if folder.name == "hooks" else "settings.json")
        file.write_text(text)
        assert denies(resident, f"a{number}"), file
        file.unlink()
        assert not denies(resident, f"b{number}"), file
    assert (resident.status() or {})["calls"] == 8


def test_a_config_behind_a_link_to_nothing_counts_when_it_comes_to_life(
    resident: Resident, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    guard(resident.program, "true")
    (resident.program.workspace / ".gemini").mkdir()
    (resident.program.workspace / ".gemini/settings.json").symlink_to(elsewhere)
    resident.start()
    assert not denies(resident, "t1") and not denies(resident, "t2")
    hook = {"matcher": ".*", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    elsewhere.write_text(json.dumps({"hooks": {"BeforeTool": [hook]}}))
    assert denies(resident, "t3")


def test_trust_given_and_taken_back_counts_at_the_next_call(resident: Resident) -> None:
    resident.program.environment["HOOKLINE_TRUST"] = ""
    guard(resident.program)
    resident.start()
    found = [denies(resident, "t1")]
    for number, change in enumerate(("--yes", "--revoke", "--yes")):
        resident.program("trust", change)
        found.append(denies(resident, f"a{number}"))
    assert found == [False, True, False, True]
    assert (resident.status() or {})["calls"] == 4


def test_a_strict_workspace_denies_from_the_next_call_on(resident: Resident) -> None:
    resident.program.environment["HOOKLINE_TRUST"] = ""
    guard(resident.program)
    resident.start()
    found = [denies(resident, "t1")]
    for number, change in enumerate(("--strict", "--relax")):
        resident.program("trust", change)
        found.append(denies(resident, f"a{number}"))
    assert found == [False, True, False]


def test_a_script_that_was_edited_is_not_trusted_any_more(resident: Resident) -> None:
    """Its bytes belong to what was accepted; the first call after the edit knows."""
    resident.program.environment["HOOKLINE_TRUST"] = ""
    script = resident.program.write("guards/no.sh", SCRIPT, 0o755)
    guard(resident.program, "guards/no.sh")
    resident.program("trust", "--yes")
    resident.start()
    assert denies(resident, "t1") and denies(resident, "t2")
    with script.open("r+") as file:
        file.write(SCRIPT.replace("exit 2", "exit 0"))
    done = resident.call("t3")
    assert "changed since it was reviewed" in done.stdout, done
    assert "permissionDecision" not in done.stdout
    with script.open("r+") as file:
        file.write(SCRIPT)
    assert denies(resident, "t4")


def test_after_an_upgrade_another_one_serves(program: Program, tmp_path: Path) -> None:
    """No call meets the old code, and none goes without an answer."""
    package = tmp_path / "installed" / "hookline"
    shutil.copytree(SOURCE / "hookline", package, ignore=shutil.ignore_patterns("__pycache__"))
    program.environment["PYTHONPATH"] = str(package.parent)
    resident = Resident(program)
    resident.client[-1] = str(package / "system" / "bridge_client.py")
    guard(program)
    before = resident.start()["pid"]
    try:
        assert denies(resident, "t1")
        again = package / "again.py"
        shutil.copy(package / "__init__.py", again)
        again.replace(package / "__init__.py")  # as an installer does it
        assert denies(resident, "t2")
        until(lambda: (resident.status() or {"pid": before})["pid"] != before)
        assert denies(resident, "t3")
    finally:
        program("resident", "stop")
