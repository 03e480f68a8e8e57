"""Commits and container starts that a model judges (`engine: ai`), with the user's own model over real HTTP."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Mapping
from typing import Any

from tests.agents.wire_server import WireServer, anthropic_answer, serving
from tests.hosts.test_githooks import Repository
from tests.program import Program

ME = pwd.getpwuid(os.geteuid()).pw_name
GUARD = "---\nname: No debug output\ntype: {}\nengine: ai\n---\nNothing prints for debugging.\n"
NO = {"pieces": [anthropic_answer('{"ok": false, "reason": "a.py prints"}')]}
YES = {"pieces": [anthropic_answer('{"ok": true}')]}


def guarded(program: Program, server: WireServer | None, type: str = "pre-commit") -> None:
    program.write(".discobot/hooks/debug.md", GUARD.format(type))
    if server is not None:
        program.environment.update(
            HOOKLINE_JUDGE_MODEL="anthropic:m1", HOOKLINE_JUDGE_BASE_URL=server.url, ANTHROPIC_API_KEY="k"
        )


def asked(request: Mapping[str, Any]) -> str:
    return json.dumps(request["body"]["messages"])


def test_a_model_that_says_no_forbids_the_commit(program: Program) -> None:
    """It is shown what is staged, and not what the file holds by now."""
    repository = Repository(program)
    with serving(NO, YES) as server:
        guarded(program, server)
        assert repository.install().returncode == 0
        (repository.root / "a.py").write_text("print('staged')\n")
        (repository.root / "old.py").write_text("x\n")
        repository.git("add", "a.py", "old.py")
        (repository.root / "a.py").write_text("not_staged()\n")
        done = repository.git("commit", "-m", "x", check=False)
        question = asked(server.requests[0])
        assert done.returncode != 0
        assert "a.py prints" in done.stderr and "a model judged it" in done.stderr
        entry = repository.status()["debug-md"]
        assert (entry["type"], entry["lastResult"], entry["lastExitCode"]) == ("pre-commit", "failure", 1)
        assert "Nothing prints for debugging." in question and "+print('staged')" in question
        assert "not_staged" not in question
        assert repository.git("commit", "-m", "x", check=False).returncode == 0
        assert repository.status()["debug-md"]["lastResult"] == "success"


def test_commit_all_is_judged_by_the_commits_own_index(program: Program) -> None:
    """`git commit -a` stages into another index than the repository's."""
    repository = Repository(program)
    (repository.root / "a.py").write_text("one\n")
    repository.git("add", "a.py")
    repository.git("commit", "-m", "first")
    with serving(YES) as server:
        guarded(program, server)
        assert repository.install().returncode == 0
        (repository.root / "a.py").write_text("two\n")
        assert repository.git("commit", "-a", "-m", "x", check=False).returncode == 0
        assert "-one" in asked(server.requests[0]) and "+two" in asked(server.requests[0])


def test_without_a_verdict_there_is_no_commit(program: Program) -> None:
    """Neither without a model to ask, nor with an answer that is no verdict; each says what to do."""
    repository = Repository(program)
    guarded(program, None)
    assert repository.install().returncode == 0
    done = repository.commit()
    assert done.returncode != 0 and "HOOKLINE_JUDGE_MODEL" in done.stderr
    with serving({"pieces": [anthropic_answer("Looks fine!")]}) as server:
        guarded(program, server)
        assert repository.commit().returncode != 0
    assert "no-judge" not in program("check").stdout


def test_a_model_judges_a_workspace_at_the_start_of_its_container(program: Program) -> None:
    """A no is said and counted, and the start goes on."""
    with serving(NO) as server:
        guarded(program, server, "session")
        done = program("entrypoint", "--user", ME, "--", "echo", "started")
        assert "Nothing prints" in asked(server.requests[0])
    assert (done.returncode, done.stdout) == (0, "started\n")
    assert "a.py prints" in done.stderr and "1 run, 1 failed" in done.stderr
    status = json.loads((program.home / ".discobot/default/hooks/status.json").read_text())
    assert (status["hooks"]["debug-md"]["type"], status["hooks"]["debug-md"]["failCount"]) == ("session", 1)
