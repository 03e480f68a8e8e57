"""Every hostile hook in every dialect that can hold it: the event ends, nothing is left behind, the verdict is
the dialect's own.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dialects.running import Workspace
from tests.waiting import DEADLINE_S
from tests.zoo import PYTHON, SHELL, zoo

from hookline.model.events import EventKind
from hookline.model.results import Decision, Status, Verdict

HANGING = ("sleep-forever", "ignore-term", "sigstop-self", "endless-output")
UNLAUNCHABLE = ("noexec", "crlf", "missing-interpreter")
CLEARED = (
    "env-escapee",
    "nohup-escapee",
    "clean-daemon",
)  # they print the pid by which alone they can be found
FAILING = (*UNLAUNCHABLE, "exit2-usage", "exit1-guard", "kills-parent-group", "deny-after-sleep")
# Refused by the kernel, yet run by a shell that is given their name: no failure there
SHELL_RUNS = ("noshebang", "empty", "bom")
DISCOBOT_REFUSES = (*SHELL_RUNS, "noexec")
NAMES = (*SHELL, *PYTHON, *UNLAUNCHABLE, *SHELL_RUNS)


def discobot(workspace: Workspace, script: Path, limit_s: int) -> Callable[[], Decision]:
    lines = script.read_bytes().split(b"\n", 1)
    front = f"#---\n# type: file\n# pattern: '*.py'\n# timeout: {limit_s}\n#---\n".encode()
    target = workspace.root / ".discobot/hooks" / script.name
    target.parent.mkdir(parents=True)
    target.write_bytes(lines[0] + b"\n" + front + (lines[1] if len(lines) > 1 else b""))
    target.chmod(script.stat().st_mode)
    (workspace.root / "a.py").write_text("")
    return lambda: workspace.changed("a.py")


def iteratr(workspace: Workspace, script: Path, limit_s: int) -> Callable[[], Decision]:
    workspace.write(
        ".iteratr.hooks.yml",
        f"version: 1\nhooks:\n  pre_iteration:\n    - command: {script}\n"
        f"      timeout: {limit_s}\n      pipe_output: true\n",
    )
    return lambda: workspace.fire(EventKind.PreIteration, iteration=1)


def autoagent(workspace: Workspace, script: Path, limit_s: int) -> Callable[[], Decision]:
    hook = {"type": "command", "command": str(script), "timeout": limit_s * 1000}
    workspace.write(".autoagent/config.json", json.dumps({"hooks": {"PreExecutionStart": [hook]}}))
    return lambda: workspace.fire(EventKind.PreExecutionStart, issue_number=1, issue_title="t")


def gencode(workspace: Workspace, script: Path, limit_s: int) -> Callable[[], Decision]:
    group = {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": str(script), "timeout": limit_s * 1000}],
    }
    workspace.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    return lambda: workspace.fire(
        EventKind.PreToolUse, tool_name="Bash", tool_input={"command": "x" * 200_000}
    )


def cocode(workspace: Workspace, script: Path, limit_s: int) -> Callable[[], Decision]:
    shell = f'command = "{script}"\npass_context = true\nparse_result = true\n'
    head = f'[[hooks]]\nevent = "PreToolUse"\ntimeout_sec = {limit_s}\n\n[hooks.shell]\n'
    workspace.write(".cocode/hooks.toml", head + shell)
    return lambda: workspace.fire(
        EventKind.PreToolUse, tool_name="Bash", tool_input={"command": "x" * 200_000}
    )


DIALECTS = {f.__name__: f for f in (discobot, iteratr, autoagent, gencode, cocode)}


def left_behind(mark: str) -> list[str]:
    """Command lines of processes that carry the mark in their environment, and keep it."""
    end = time.monotonic() + DEADLINE_S
    while found := marked(mark):
        if time.monotonic() > end:
            return found
        time.sleep(0.01)  # one that is just ending still shows it
    return []


def marked(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode("utf-8", "replace"))
        except OSError:
            continue
    return found


def is_gone(pid: int) -> bool:
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "ZX":
                return True
        except OSError:
            return True
        time.sleep(0.005)  # killed, but a busy machine may take a while over it
    return False


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_hook_is_survived_by_the_rules_of_its_dialect(
    tmp_path: Path, dialect: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "hookline.system.processes.running._DEATH_S", 30.0
    )  # a KILL takes its time on a busy machine
    workspace = Workspace(tmp_path, dialect)
    script = zoo(tmp_path / "zoo")[name]
    fire = DIALECTS[dialect](workspace, script, 1 if name in HANGING else 100)
    mark = uuid.uuid4().hex
    workspace.env["ZOO_MARK"] = mark
    decision = fire()
    assert left_behind(mark) == []
    if dialect == "discobot" and name in DISCOBOT_REFUSES:
        assert all(result.raw is None for result in decision.results)
        return
    (result,) = decision.results
    assert result.raw is not None
    if name in HANGING:
        assert (result.status, result.raw.status_code) == (Status.timed_out, 124)
    elif dialect == "discobot" and name in UNLAUNCHABLE:
        assert result.status == Status.launch_failed
    else:
        assert result.status in (Status.ran, Status.bad_output)
    if name in CLEARED:
        assert is_gone(int(result.raw.stdout))
    assert len(result.raw.stdout) < 3_000_000
    assert decision.verdict == expected_verdict(dialect, name)
    assert (decision.reprompt is not None) == (dialect == "discobot" and name in (*HANGING, *FAILING))


def expected_verdict(dialect: str, name: str) -> Verdict:
    if name in ("exit2-usage", "deny-after-sleep"):
        return Verdict.DENY if dialect in ("autoagent", "gencode", "cocode") else Verdict.NONE
    if dialect == "gencode" and name == "allow-always":
        return Verdict.ALLOW
    if dialect == "cocode" and name in (*UNLAUNCHABLE, "exit1-guard", "kills-parent-group"):
        return Verdict.DENY
    return Verdict.NONE
