"""Many hooks at once: each keeps its own output, and the quickest never decides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline import Decision, Engine, Limits, make_event, open_engine
from hookline.dialects.base import Places
from hookline.engine import loading
from hookline.engine.hookset import HookSet
from hookline.system import files


def says(**output: str) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **output}})


ANSWERS = (
    says(additionalContext="one"),
    says(permissionDecision="deny", permissionDecisionReason="first"),
    says(permissionDecision="deny", permissionDecisionReason="second"),
    says(additionalContext="four"),
)


def engine_of(folder: Path, commands: list[str], **options: object) -> Engine:
    (folder / ".claude").mkdir(parents=True, exist_ok=True)
    hooks = [{"type": "command", "command": command} for command in commands]
    (folder / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "HOOKLINE_TRUST": "workspace"}
    return open_engine(str(folder / "."), environment=environment, history=False, **options).engine


def call(folder: Path) -> object:
    return make_event("PreToolUse", workspace=str(folder), tool_name="Bash", tool_input={"command": "ls"})


def test_a_hundred_hooks_in_flight_each_keep_their_own_output(tmp_path: Path) -> None:
    """N judges take as long as the slowest, not as all of them: each waits here until the last one has come."""
    meet = "echo >> met; test $(wc -l < met) -lt 100 || touch all; until test -e all; do sleep 0.2; done"
    engine = engine_of(
        tmp_path / "w",
        [f"cat > /dev/null; {meet}; echo {n}" for n in range(100)],
        limits=Limits(parallel=100),
    )
    decision = engine.fire_now(call(tmp_path / "w"))  # type: ignore[arg-type]  # an event
    assert [result.raw and result.raw.stdout for result in decision.results] == [f"{n}\n" for n in range(100)]
    assert {result.status for result in decision.results} == {"ran"}


def test_of_many_hooks_of_an_event_eight_run_and_the_others_queue(tmp_path: Path) -> None:
    """R30."""
    line = "touch run.{0}; ls -d run.* | wc -l >> counts; sleep 0.1; rm run.{0}"
    engine = engine_of(tmp_path / "w", [line.format(n) for n in range(16)])
    decision = engine.fire_now(call(tmp_path / "w"))  # type: ignore[arg-type]  # an event
    counts = [int(count) for count in (tmp_path / "w/counts").read_text().split()]
    assert (len(counts), max(counts) <= 8, len(decision.results)) == (16, True, 16)


@pytest.mark.parametrize("agent", ["claude", "hookline"])
def test_a_hook_that_sets_its_own_event_off_goes_round_once(program: Program, agent: str) -> None:
    """R30: the agent in a hook is a process of its own, in whatever dialect the hook is written."""
    line = f"echo ran >> ran; exec {sys.executable} -m hookline fire PreToolUse --json"
    if agent == "claude":
        settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}}
        program.write(".claude/settings.json", json.dumps(settings))
    else:
        program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\nrun = "{line}"\n')
    program("fire", "PreToolUse", stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert (program.workspace / "ran").read_text().split() == ["ran"] * 2


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations([0.0, 0.05, 0.1, 0.15]))
def test_the_order_of_completion_never_changes_the_decision(tmp_path: Path, delays: list[float]) -> None:
    """Real processes, random sleeps, one answer."""
    commands = [
        f"cat >/dev/null; sleep {delay}; echo '{answer}'"
        for delay, answer in zip(delays, ANSWERS, strict=True)
    ]
    decision: Decision = engine_of(tmp_path / "w", commands).fire_now(call(tmp_path / "w"))  # type: ignore[arg-type]
    assert (decision.verdict.word, decision.reason) == ("deny", "first")
    assert decision.contexts == ("one", "four")
    assert [result.spec.place[-1] for result in decision.results] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("count", [8])
def test_processes_that_fire_at_once_are_all_in_the_history(program: Program, count: int) -> None:
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo $HOOKLINE_TEST"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    streams = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.PIPE,
        "text": True,
    }
    started = [program.start("fire", "Stop", "--session", f"s{n}", **streams) for n in range(count)]
    assert [process.communicate(timeout=DEADLINE_S)[1].count("warning") for process in started] == [0] * count
    runs = json.loads(program("history", "--json").stdout)
    assert sorted(run["session_id"] for run in runs) == [f"s{n}" for n in range(count)]


def test_each_thread_that_reads_the_hooks_knows_all_that_it_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ends while another has looked at the same so far; then the other looks further."""
    read, later = loading._loaded, str(tmp_path / "later")

    def with_another(places: Places, wanted: Iterable[str] | None) -> HookSet:
        found = read(places, wanted)
        monkeypatch.setattr(loading, "_loaded", read)
        other = Thread(target=loading.load_hooks, args=(places, wanted))
        other.start()
        other.join()
        files.note(later)
        return found

    places = loading.places_for(str(tmp_path), {"HOME": str(tmp_path)})
    monkeypatch.setattr(loading, "_loaded", with_another)
    found = loading.load_hooks(places)
    assert later in found.looked_at
    assert files.lookers == {}
