"""Trust and history as a host meets them: real config, real processes, a real clone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hookline.engine.opening import Opened, open_engine
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.results import Status
from hookline.state.history import History

SECRET = "canary-secret-0123456789"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "DEPLOY_TOKEN": SECRET}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".gen").mkdir(parents=True)
    hooks = {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}
    (folder / ".gen" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    (folder / "guard.sh").write_text('echo "$DEPLOY_TOKEN"; echo "no: $DEPLOY_TOKEN" >&2; exit 2\n')
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one")
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def opened(folder: Path, environment: dict[str, str]) -> Opened:
    return open_engine(str(folder), environment=environment, dialects=("gencode",))


def status(host: Opened, folder: Path) -> Status:
    event = Event(EventKind.PreToolUse, cwd=str(folder), workspace=str(folder), body=ToolCall("Bash", {}))
    (result,) = host.engine.fire_now(event).results
    return result.status


def test_a_hook_runs_only_as_it_was_reviewed_and_in_every_clone(
    workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    host = opened(workspace, environment)
    assert status(host, workspace) is Status.untrusted
    host.store.accept(host.hooks.specs, "ann")
    host = opened(workspace, environment)
    assert status(host, workspace) is Status.ran
    (workspace / "guard.sh").write_text("exit 0\n")
    assert status(host, workspace) is Status.untrusted
    git(tmp_path, "clone", "-q", str(workspace), "clone")
    assert status(opened(tmp_path / "clone", environment), tmp_path / "clone") is Status.ran


def test_what_ran_is_in_history_without_the_secret_it_printed(
    workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    host = opened(workspace, {**environment, "HOOKLINE_TRUST": "workspace"})
    event = Event(EventKind.PreToolUse, "s1", str(workspace), ToolCall("Bash", {}), str(workspace))
    decision = host.engine.fire_now(event)
    assert SECRET in decision.reason
    with History(host.paths.history_file) as history:
        (kept,) = history.runs(session="s1", verdict="deny")
    (hook,) = kept["hooks"]
    assert (kept["run"], kept["verdict"], kept["reason"]) == (
        decision.run_id,
        "deny",
        "no: [redacted:DEPLOY_TOKEN]",
    )
    assert (hook["stdout"], hook["exit_code"]) == ("[redacted:DEPLOY_TOKEN]\n", 2)
    state = Path(host.paths.state_home)
    assert not [path for path in state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
