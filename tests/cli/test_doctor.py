"""`hookline doctor`: every reason a hook cannot run is told before it does not, with what to do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program


def configure(program: Program, command: str, matcher: str = "Bash") -> None:
    hooks = {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))


def findings(program: Program, code: int | None = None, **environment: str) -> dict[str, Any]:
    done = program("doctor", "--json", environment=environment)
    assert code in (None, done.returncode), done.stdout + done.stderr
    return {each["code"]: each for each in json.loads(done.stdout)}


def test_where_all_is_well_it_says_so(program: Program) -> None:
    configure(program, "echo fine")
    done = program("doctor")
    assert done.returncode == 0
    assert done.stdout.endswith(": 1 hook, 0 errors, 0 warnings\n")


@pytest.mark.parametrize(
    ("command", "script", "mode", "code"),
    [
        ("./guard.sh", None, 0o755, "missing-program"),
        ("./guard.sh --fast", "#!/bin/sh\n", 0o644, "not-executable"),
        ("./guard.sh", "#!/bin/sh\r\ntrue\r\n", 0o755, "crlf"),
        ("./guard.sh", "\ufeff#!/bin/sh\n", 0o755, "byte-order-mark"),
        ("./guard.sh", "#!/no/such/interpreter\n", 0o755, "missing-interpreter"),
        ("./guard.sh", "#!/usr/bin/env no-such-interpreter\n", 0o755, "missing-interpreter"),
        ("FOO=1 no-such-program x", None, 0o755, "missing-program"),
        ("sh guard.sh", None, 0o755, "missing-script"),
        ("bash guard.sh", "echo hi\r\nexit 0\r\n", 0o644, "crlf"),
        ('"$CLAUDE_PROJECT_DIR"/guard.sh', "#!/bin/sh\n", 0o644, "not-executable"),
    ],
)
def test_a_hook_that_cannot_start_is_an_error(
    program: Program, command: str, script: str | None, mode: int, code: str
) -> None:
    configure(program, command)
    if script is not None:
        path = program.write("guard.sh", "", mode)
        path.write_bytes(script.encode())
    found = findings(program, 1)
    assert found[code]["severity"] == "error"
    assert "gencode:PreToolUse:1" in found[code]["subject"]


@pytest.mark.parametrize(
    "command",
    ["cd x && ./y", "test -f a", "$TOOL run", "sh -c 'echo hi'", "[ -f x ] || exit 2", "echo a | cat"],
)
def test_a_line_that_may_well_work_is_left_alone(program: Program, command: str) -> None:
    configure(program, command)
    assert {"missing-program", "missing-script"} & set(findings(program, 0)) == set()


def test_problems_of_the_config_are_told_too(program: Program) -> None:
    program.write(".gen/settings.json", '{"hooks": {"PreToolUs": []}}')
    assert findings(program, 1)["unknown-event"]["hint"] == "did you mean `PreToolUse`?"


def test_untrusted_hooks_and_useless_variables_are_told(program: Program) -> None:
    configure(program, "true")
    found = findings(program, 0, HOOKLINE_TRUST="yes", PATH=f"{os.environ['PATH']}:.")
    assert found["untrusted"]["hint"] == "review it with `hookline trust`"
    assert found["bad-variable"]["subject"] == "HOOKLINE_TRUST"
    assert found["relative-path"]["severity"] == "warning"


def test_a_precommit_hook_that_git_does_not_call_is_told(program: Program, tmp_path: Path) -> None:
    program.write(".discobot/hooks/lint.sh", "#!/bin/sh\n#---\n# type: pre-commit\n#---\n", 0o755)
    assert findings(program, 0)["not-installed"]["hint"] == "run `hookline install git`"
    git = ["git", "-C", str(program.workspace), "config", "core.hooksPath", str(tmp_path / "nowhere")]
    subprocess.run(git, check=True)
    assert str(tmp_path / "nowhere") in findings(program, 0)["no-hooks-folder"]["message"]


def test_what_was_set_aside_is_told(program: Program) -> None:
    folder = program.home / ".local/state/hookline"
    folder.mkdir(parents=True)
    (folder / "history.db.corrupt-17").write_text("x")
    assert findings(program, 0)["set-aside"]["subject"] == str(folder / "history.db.corrupt-17")


def test_agents_on_the_path_are_found(program: Program, tmp_path: Path) -> None:
    agent = tmp_path / "bin/claude"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    found = findings(program, 0, PATH=f"{agent.parent}:{os.environ['PATH']}")
    assert found["agent"]["message"] == f"found at `{agent}`"


def test_what_killed_ones_left_is_one_line_with_a_count(program: Program, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    for number in range(3):
        (temporary / f"hookline-999999999:{number}-run").mkdir(parents=True)
    told = program("doctor", environment={"TMPDIR": str(temporary)}).stdout
    line = f"note: {temporary}: removed 3 folders that a killed hookline had left\n"
    assert (told.count("removed"), line in told, list(temporary.iterdir())) == (1, True, [])
