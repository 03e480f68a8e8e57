"""What a starting service does in the workspace, and what holds in every turn."""

from __future__ import annotations

import json
import subprocess

from tests.repositories import Repository
from tests.web.serving import Serving, write


def commit(serving: Serving) -> subprocess.CompletedProcess[str]:
    (serving.root / "x").write_text("x")
    subprocess.run(["git", "add", "-A"], cwd=serving.root, env=serving.program.environment, check=True)
    return subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-m", "x"],
        cwd=serving.root,
        env=serving.program.environment,
        capture_output=True,
        text=True,
    )


def test_git_calls_pre_commit_hooks_once_the_service_has_started(serving: Serving) -> None:
    """Also without any turn; status.json hears of it."""
    serving.hook("check.sh", "type: pre-commit", body="echo not this; exit 2")
    serving.start({"text": "one"}, options=("--no-token",))
    assert "# discobot:managed" in (serving.root / ".git/hooks/pre-commit").read_text()
    done = commit(serving)
    assert done.returncode != 0 and "not this" in done.stderr
    entry = serving.get("/hooks/status")["hooks"]["check"]
    assert (entry["type"], entry["lastExitCode"]) == ("pre-commit", 2)


def test_without_trusted_pre_commit_hooks_git_is_left_alone(serving: Serving) -> None:
    serving.hook("check.sh", "type: pre-commit", body="exit 2")
    serving.start({"text": "one"}, options=("--untrusted", "skip"), HOOKLINE_TRUST="")
    assert not (serving.root / ".git/hooks/pre-commit").exists()
    assert "trust" in serving.talk


def test_a_projects_own_hook_files_are_left_alone(serving: Serving) -> None:
    serving.hook("check.sh", "type: pre-commit", body="exit 2")
    serving.program.write("hooks/readme", "ours")
    Repository(serving.root, commit=False).git("config", "core.hooksPath", "hooks")
    serving.start({"text": "one"}, options=("--no-token",))
    assert "`hookline install git`" in serving.talk
    assert [path.name for path in (serving.root / "hooks").iterdir()] == ["readme"]


def test_deny_rules_hold_though_nothing_is_asked(serving: Serving) -> None:
    rules = {"permissions": {"deny": ["Write(secret.txt)"]}}
    serving.program.write(".claude/settings.json", json.dumps(rules))
    serving.start(write("secret.txt", "x"), {"text": "one", "expect": "denied"})
    serving.say("go")
    serving.idle()
    assert not (serving.root / "secret.txt").exists()
    part = serving.get("/default/chat")["messages"][1]["parts"][0]
    assert (part["state"], "denied" in part["errorText"]) == ("output-error", True)
    assert "nothing is asked here" in serving.talk


def test_a_plan_turn_changes_nothing_and_the_next_one_may(serving: Serving) -> None:
    """A.3.1: `mode: plan`."""
    serving.start(write("a.txt", "x"), {"text": "planned"}, write("a.txt", "x"), {"text": "done"})
    serving.say("plan it", mode="plan")
    serving.idle()
    assert not (serving.root / "a.txt").exists()
    serving.say("do it")
    serving.idle()
    assert (serving.root / "a.txt").exists()
    assert serving.say("x", mode="fly").status == 400


def test_hooks_added_while_the_service_runs_are_there_at_the_next_turn(serving: Serving) -> None:
    serving.start(write("a.go", "1"), {"text": "one"}, write("b.go", "1"), {"text": "two"})
    serving.say("go")
    serving.idle()
    serving.hook("go.sh", body="touch ran.ran")
    serving.say("go on")
    serving.until(lambda: (serving.root / "ran.ran").exists(), "the run")


def test_hooks_of_other_agents_see_the_session_and_discobots_session_hooks_do_not(serving: Serving) -> None:
    """Those ran when the container started."""
    hook = {"hooks": [{"type": "command", "command": "touch session.ran"}]}
    serving.program.write(".gen/settings.json", json.dumps({"hooks": {"SessionStart": [hook]}}))
    serving.hook("setup.sh", "type: session", body="touch setup.ran")
    serving.start({"text": "one"}, options=("--no-token",))
    serving.say("go")
    serving.idle()
    assert (serving.root / "session.ran").exists()
    assert not (serving.root / "setup.ran").exists()


def test_a_review_hook_waits_for_a_turn_of_that_phase(serving: Serving) -> None:
    """A.4: `phase: review`; what other turns changed stays owed until then."""
    serving.hook("go.sh", "type: file", "pattern: '*.go'", "phase: review", body="touch ran.ran")
    serving.start(write("a.go", "1"), {"text": "one"}, {"text": "two"})
    serving.say("write")
    serving.idle()
    assert (serving.status["pendingHooks"], (serving.root / "ran.ran").exists()) == (["go"], False)
    serving.say("review", phase="review")
    serving.until(lambda: (serving.root / "ran.ran").exists(), "the review")
    assert serving.say("x", phase="lunch").status == 400
