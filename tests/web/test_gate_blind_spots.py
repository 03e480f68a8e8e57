"""What a gate could overlook: work that was committed meanwhile, hooks that never ran."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from tests.cli.loop_bench import call
from tests.program import Program
from tests.repositories import Repository
from tests.web.serving import Serving, write

COMMIT = "git rm -q old.go && git add a.go && git -c user.name=T -c user.email=t@localhost commit -qm x"


def turns() -> list[dict[str, Any]]:
    return [write("a.go", "1"), call("Bash", command=COMMIT), {"text": "done"}]


def committed(program: Program) -> None:
    (program.workspace / "old.go").write_text("0")
    (program.workspace / "kept.go").write_text("0")
    repository = Repository(program.workspace, commit=False)
    repository.git("add", "-A")
    repository.git("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-qm", "first")


HOOK = "#!/bin/sh\n#---\n# type: file\n# pattern: '*.go'\n#---\n"
NOTE = 'echo "$DISCOBOT_CHANGED_FILES-$DISCOBOT_DELETED_FILES" >> "$HOME/ran"\n'


def test_what_the_first_turn_commits_is_judged_too(serving: Serving) -> None:
    program = serving.program
    committed(program)
    program.write(".discobot/hooks/go.sh", HOOK + NOTE, 0o755)
    serving.start(*turns())
    serving.say("go")
    serving.until(lambda: (program.home / "ran").exists(), "the run")
    serving.idle()
    assert (program.home / "ran").read_text() == "a.go-old.go\n"
    serving.say("and again")
    serving.idle()
    assert (program.home / "ran").read_text() == "a.go-old.go\n"


@pytest.mark.parametrize("before", [True, False])
def test_a_single_run_is_judged_on_what_it_committed(program: Program, before: bool) -> None:
    """Its session is always a new one; so is, without `before`, its repository."""
    repository = Repository(program.workspace, commit=False)
    if before:
        committed(program)
    program.write(".discobot/hooks/go.sh", HOOK + NOTE, 0o755)
    script = program.home / "turns.yml"
    steps = turns() if before else [*turns()[:1], call("Bash", command=COMMIT[COMMIT.index("git add") :])]
    script.write_text(yaml.safe_dump({"turns": steps, "after": "done"}))
    done = program("run", "go", "--model", f"scripted:{script}")
    assert done.returncode == 0, done.stderr
    assert repository.git("log", "--format=%s").split()[0] == "x"
    assert (program.home / "ran").read_text() == ("a.go-old.go\n" if before else "a.go-\n")


def test_an_evaluation_whose_hook_could_not_run_is_no_pass(serving: Serving) -> None:
    program = serving.program
    program.write(".discobot/hooks/a.sh", f"{HOOK}exit 0\n", 0o755)
    program.write(".discobot/hooks/b.sh", f"{HOOK}exit 0\n", 0o755)
    trusting = {"HOOKLINE_TRUST": ""}
    assert program("trust", "--yes", environment=trusting).returncode == 0
    program.write(".discobot/hooks/b.sh", f"{HOOK}exit 1\n", 0o755)
    serving.start(write("a.go", "1"), {"text": "one"}, **trusting)
    events = serving.stream("/default/chat/stream")
    assert next(events)[1] == "history-start"
    serving.say("go")
    seen = [(name, data) for _, name, data in _until_evaluated(events)]
    assert seen[-1] == ("evaluation", {"evaluating": False, "action": "inconclusive"})
    status = serving.get("/hooks/status")
    assert status["pendingHooks"] == ["b"] and status["hooks"]["a"]["lastResult"] == "success"
    (turn,) = serving.get("/hooks/timeline")["turns"]
    assert turn["evaluation"]["action"] == "inconclusive"


def _until_evaluated(events: Any) -> Any:
    for event in events:
        yield event
        if event[1] == "evaluation" and not event[2]["evaluating"]:
            return
