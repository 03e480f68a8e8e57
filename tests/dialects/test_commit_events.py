"""AutoAgent's PreGitCommit and PostGitCommit run around its built-in commit, with real git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.workbench import Workbench

from hookline.model.results import Status, Verdict


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench(tmp_path, "autoagent")
    bench.variables |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    for words in ("init -q", "config user.email a@b", "config user.name n"):
        subprocess.run(["git", *words.split()], cwd=bench.workspace, check=True, env=bench.variables)
    bench.write("a.txt", "a")
    return bench


def configure(bench: Workbench, **events: Any) -> None:
    commit = [{"type": "git-commit", "message": "#{{issueNumber}}"}]
    hooks = {name: [{"type": "command", "command": line}] for name, line in events.items()}
    bench.write(".autoagent/config.json", {"hooks": {**hooks, "PostExecutionEnd": commit}})


def commits(bench: Workbench) -> list[str]:
    log = ["git", "log", "--format=%h %s", "--all"]
    done = subprocess.run(log, cwd=bench.workspace, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1]


ISSUE = {"issue_number": 4, "issue_title": "t", "success": True}


def test_a_commit_hook_sees_the_files_and_the_message_and_then_the_hash(bench: Workbench) -> None:
    configure(bench, PreGitCommit="cat > .git/before", PostGitCommit="cat > .git/after")
    assert bench.fire("PostExecutionEnd", ISSUE).messages[0].startswith("committed ")
    before, after = (json.loads(bench.read(f".git/{name}")) for name in ("before", "after"))
    assert (before["eventName"], before["message"], before["issueNumber"]) == ("PreGitCommit", "#4", 4)
    assert before["stagedFiles"] == [".autoagent/config.json", "a.txt"] and "commitHash" not in before
    assert commits(bench) == [f"{after['commitHash']} #4"]


def test_a_hook_before_the_commit_can_block_it(bench: Workbench) -> None:
    configure(bench, PreGitCommit="echo lint fails >&2; exit 2", PostGitCommit="touch .git/after")
    decision = bench.fire("PostExecutionEnd", ISSUE)
    assert decision.verdict is Verdict.NONE and "the commit was blocked: lint fails" in decision.messages[0]
    assert commits(bench) == [] and not bench.path(".git/after").exists()


def test_nothing_to_commit_asks_nobody(bench: Workbench) -> None:
    configure(bench, PreGitCommit="echo asked >> .git/asked")
    bench.fire("PostExecutionEnd", ISSUE)
    decision = bench.fire("PostExecutionEnd", ISSUE)
    assert [r.status for r in decision.ran] == [Status.ran] and "nothing to commit" in decision.messages[0]
    assert bench.read(".git/asked") == "asked\n"
