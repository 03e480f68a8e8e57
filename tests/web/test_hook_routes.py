"""The hook routes over real HTTP: status, state, output, rerun, pause and the timeline."""

from __future__ import annotations

import json
import subprocess
import threading

import psutil
from tests.web.serving import Reply, Serving, write


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_no_hooks_are_an_empty_status(serving: Serving) -> None:
    serving.start({"text": "one"})
    assert serving.get("/hooks/status") == {"hooks": {}, "pendingHooks": [], "lastEvaluatedAt": ""}
    assert serving.ask("GET", "/hooks/go/output").status == 404


def test_switched_off_hooks_are_empty_and_have_no_output(serving: Serving) -> None:
    serving.hook("go.sh", body="touch ran.ran")
    serving.start(write("a.go", "1"), {"text": "one"}, DISCOBOT_HOOKS_ENABLED="no")
    serving.say("go")
    serving.idle()
    assert serving.get("/hooks/status") == {"hooks": {}, "pendingHooks": [], "lastEvaluatedAt": ""}
    for reply in (serving.ask("GET", "/hooks/go/output"), serving.ask("POST", "/hooks/go/rerun")):
        assert (reply.status, reply.json) == (404, {"error": "Hooks not enabled"})
    assert not (serving.root / "ran.ran").exists()


def test_the_output_is_shown_by_its_end_and_downloaded_whole(serving: Serving) -> None:
    """A.3.2: the viewer gets the last 200 KiB."""
    serving.hook("go.sh", "name: Go check", "type: file", "pattern: '*.go'", body="seq 60000; exit 0")
    serving.start(write("a.go", "1"), {"text": "one"})
    serving.say("go")
    serving.idle()
    whole = "".join(f"{number}\n" for number in range(1, 60001))
    shown = serving.get("/hooks/go/output")
    start = whole.index("\n", len(whole) - 200 * 1024) + 1  # whole lines, counted from the first of all
    assert shown == {
        "output": whole[start:], "sizeBytes": len(whole), "displayedBytes": len(whole) - start, "tooLarge": True,
        "firstLine": whole[:start].count("\n") + 1,
    }  # fmt: skip
    assert serving.get("/hooks/go-check/output") == shown
    file = serving.ask("GET", "/hooks/go/output/download")
    assert (file.content.decode(), file.headers["content-disposition"]) == (
        whole, 'attachment; filename="go.log"',
    )  # fmt: skip
    assert file.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_rerun_answers_with_the_result_and_clears_the_hook(serving: Serving) -> None:
    """A.3.1: exit code and success; unknown hooks are 404, paused ones 409."""
    serving.hook("go.sh", "type: file", "pattern: '*.go'", "notify_llm: false", body="test -e ok || exit 4")
    serving.hook("setup.sh", "type: session", body="touch setup.ran")
    serving.start(write("a.go", "1"), {"text": "one"})
    serving.say("go")
    serving.idle()
    assert serving.ask("POST", "/hooks/go/rerun").json == {"success": False, "exitCode": 4}
    (serving.root / "ok").write_text("")
    assert serving.ask("POST", "/hooks/go/rerun").json == {"success": True, "exitCode": 0}
    entry = serving.status["hooks"]["go"]
    assert (entry["runCount"], entry["failCount"], serving.status["pendingHooks"]) == (3, 2, [])
    missing = serving.ask("POST", "/hooks/none/rerun")
    assert (missing.status, missing.json) == (404, {"error": "Hook not found"})
    assert serving.ask("POST", "/hooks/setup/rerun").json == {"success": True, "exitCode": 0}
    assert (serving.root / "setup.ran").exists()
    assert serving.status["hooks"]["setup"]["type"] == "session"


def test_a_commit_hook_runs_again_on_what_is_staged(serving: Serving) -> None:
    """As git would ask it now, so that a person need not commit to see whether it passes."""
    body = 'echo "staged: $DISCOBOT_STAGED_FILES"; ! git diff --cached | grep -q TODO'
    serving.hook("todo.sh", "type: pre-commit", "name: To-dos", body=body)
    for name in ("a.txt", "loose.txt"):
        serving.program.write(name, "TODO")
    subprocess.run(["git", "add", "a.txt"], cwd=serving.root, check=True)
    serving.start({"text": "one"})
    assert serving.ask("POST", "/hooks/todo/rerun").json == {"success": False, "exitCode": 1}
    assert serving.get("/hooks/todo/output")["output"] == "staged: a.txt\n"
    assert serving.status["hooks"]["todo"]["type"] == "pre-commit"
    serving.program.write("a.txt", "done")
    subprocess.run(["git", "add", "a.txt"], cwd=serving.root, check=True)
    assert serving.ask("POST", "/hooks/todo/rerun").json == {"success": True, "exitCode": 0}
    assert serving.status["hooks"]["todo"]["lastResult"] == "success"
    assert serving.ask("POST", "/hooks/todo/stop").status == 409


def test_a_hook_that_is_asked_about_calls_cannot_be_run_by_itself(serving: Serving) -> None:
    entry = {"hooks": [{"type": "command", "command": "exit 2"}]}
    serving.program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))
    serving.start({"text": "one"})
    (guard,) = serving.get("/hooks/state")["guards"]
    reply = serving.ask("POST", f"/hooks/{guard['hookId']}/rerun")
    words = f"Hook not found: `{guard['hookId']}` is asked about each PreToolUse, and cannot be run by itself"
    assert (reply.status, reply.json) == (404, {"error": words})


def test_reruns_of_one_hook_follow_one_another(serving: Serving) -> None:
    """While the same hook runs, a rerun waits."""
    body = "mkdir busy.ran || touch twice; sleep 0.3; rmdir busy.ran"
    serving.hook("go.sh", body=body)
    serving.start({"text": "one"})
    replies: list[Reply] = []

    def rerun() -> None:
        replies.append(serving.ask("POST", "/hooks/go/rerun"))

    threads = [threading.Thread(target=rerun) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.json["success"] for reply in replies] == [True] * 3
    assert not (serving.root / "twice").exists()
    assert serving.status["hooks"]["go"]["runCount"] == 3


def test_a_run_is_stopped_with_all_it_started_and_stays_owed(serving: Serving) -> None:
    """Of an evaluation and of a rerun alike; the other hook goes on."""
    serving.hook("go.sh", body="echo half; sleep 300 & echo $! > child.ran; wait; touch end.ran")
    serving.hook("then.sh", body="touch then.ran")
    serving.start(write("a.go", "1"), {"text": "one"})
    assert serving.ask("POST", "/hooks/go/stop").json["error"] == "not_running"
    serving.say("go")
    child = serving.root / "child.ran"
    serving.until(lambda: child.exists() and child.read_text().strip(), "the start")
    assert serving.ask("POST", "/hooks/go/stop").json == {"success": True}
    serving.until(lambda: (serving.root / "then.ran").exists(), "the next hook")
    serving.idle()
    assert not is_alive(int(child.read_text()))
    assert serving.status["pendingHooks"] == ["go"]
    entry = serving.status["hooks"]["go"]
    assert (entry["lastResult"], entry["runCount"], entry["failCount"]) == ("pending", 0, 0)
    assert serving.get("/hooks/go/output")["output"] == "half\nstopped by a person\n"
    kept = json.loads(serving.program("history", "--json").stdout)
    told = [(hook["status"], hook["why"]) for row in kept for hook in row["hooks"] if hook["id"] == "go"]
    assert ("cancelled", "stopped by a person") in told

    child.unlink()
    replies: list[Reply] = []
    thread = threading.Thread(target=lambda: replies.append(serving.ask("POST", "/hooks/go/rerun")))
    thread.start()
    serving.until(child.exists, "the rerun")
    assert serving.ask("POST", "/hooks/go/stop").status == 200
    thread.join()
    assert (replies[0].status, replies[0].json) == (409, {"error": "not_run", "why": "stopped by a person"})
    assert not (serving.root / "end.ran").exists()
    assert serving.ask("POST", "/hooks/none/stop").status == 404

    serving.hook("go.sh", body="touch silent.ran; sleep 300")
    thread = threading.Thread(target=lambda: replies.append(serving.ask("POST", "/hooks/go/rerun")))
    thread.start()
    serving.until((serving.root / "silent.ran").exists, "the silent one")
    serving.ask("POST", "/hooks/go/stop")
    thread.join()
    assert serving.get("/hooks/go/output")["output"] == "stopped by a person\n"


def test_a_pause_holds_hooks_back_until_resumed_also_over_a_restart(serving: Serving) -> None:
    """A.3.2: what changed meanwhile stays owed, and resuming judges it."""
    serving.hook("go.sh", body="touch ran.ran")
    serving.start(write("a.go", "1"), {"text": "one"}, {"text": "two"})
    paused = serving.ask("PATCH", "/hooks/execution", {"paused": True})
    assert (paused.status, paused.json["executionPaused"]) == (200, True)
    serving.say("go")
    serving.idle()
    assert serving.get("/hooks/status")["pendingHooks"] == ["go"]
    assert serving.ask("POST", "/hooks/go/rerun").status == 409
    serving.stop()
    serving.start()
    assert serving.get("/hooks/state")["executionPaused"] is True
    serving.say("again")
    serving.idle()
    assert not (serving.root / "ran.ran").exists()
    assert serving.ask("PATCH", "/hooks/execution", {"paused": False}).json["executionPaused"] is False
    serving.until(lambda: (serving.root / "ran.ran").exists(), "the run")
    serving.until(lambda: not serving.status["pendingHooks"], "the pass")


def test_one_paused_hook_holds_up_nobody_and_resuming_it_ends_the_pause_of_all(serving: Serving) -> None:
    """A.3.2, A.4."""
    serving.hook("a.sh", body="touch a.ran")
    serving.hook("b.sh", body="touch b.ran")
    serving.start(write("x.go", "1"), {"text": "one"})
    one = serving.ask("PATCH", "/hooks/a/execution", {"paused": True}).json
    assert (one["executionPaused"], one["hooks"]["a"]["executionPaused"]) == (False, True)
    serving.say("go")
    serving.idle()
    assert ((serving.root / "a.ran").exists(), (serving.root / "b.ran").exists()) == (False, True)
    serving.ask("PATCH", "/hooks/execution", {"paused": True})
    resumed = serving.ask("PATCH", "/hooks/a/execution", {"paused": False}).json
    assert (resumed["executionPaused"], resumed["hooks"]["a"]["executionPaused"]) == (False, False)
    serving.until(lambda: (serving.root / "a.ran").exists(), "the run")
    for path, body in (("/hooks/a/execution", {"paused": "yes"}), ("/hooks/execution", {})):
        assert serving.ask("PATCH", path, body).status == 400
    assert serving.ask("PATCH", "/hooks/none/execution", {"paused": True}).status == 404


def test_the_state_knows_every_hook_and_its_output(serving: Serving) -> None:
    serving.hook(
        "a.sh", "name: Check A", "type: file", "pattern: '*.go'", "description: looks", body="echo hi"
    )
    serving.hook("b.sh", "type: pre-commit")
    serving.start(write("x.go", "1"), {"text": "one"})
    serving.say("go")
    serving.idle()
    state = serving.get("/hooks/state")
    assert state["status"] == serving.status
    assert [(hook["hookId"], hook["type"], hook["state"], hook["trust"]) for hook in state["hooks"]] == [
        ("a", "file", "passed", "trusted"), ("b", "pre-commit", "idle", "trusted"),
    ]  # fmt: skip
    assert (state["hooks"][0]["hookName"], state["hooks"][0]["description"]) == ("Check A", "looks")
    assert state["outputs"]["a"]["output"] == "hi\n"


def test_the_timeline_tells_what_ran_when_and_to_what_end(serving: Serving) -> None:
    serving.hook("go.sh", body="grep -q package a.go")
    serving.start(write("a.go", "1"), {"text": "one"}, write("a.go", "package a"), {"text": "two"})
    serving.say("write it")
    serving.until(lambda: len(serving.get("/hooks/timeline")["turns"]) == 2, "the second turn")
    serving.idle()
    first, second = serving.get("/hooks/timeline")["turns"]
    assert [(turn["origin"], turn["status"]) for turn in (first, second)] == [
        ("user", "completed"), ("hook", "completed"),
    ]  # fmt: skip
    assert first["prompt"] == "write it"
    assert (first["evaluation"]["action"], first["evaluation"]["attempt"]) == ("reprompt", 1)
    assert "a.go" in first["evaluation"]["files"]
    (hook,) = first["hooks"]
    assert (hook["id"], hook["event"], hook["failed"], hook["exitCode"], hook["subject"]) == (
        "go", "FilesChanged", True, 1, "a.go",
    )  # fmt: skip
    assert first["startedAt"] < hook["startedAt"] <= hook["endedAt"] and hook["durationMs"] > 0
    assert second["evaluation"]["action"] == "passed"


def test_followers_hear_of_every_change_of_the_status(serving: Serving) -> None:
    """A.3.2: a data chunk `hooks-status` whose payload is the status object."""
    serving.hook("go.sh", body="true")
    serving.start(write("a.go", "1"), {"text": "one"})
    events = serving.stream("/default/chat/stream")
    next(events)
    serving.say("go")
    seen = []
    for _, name, data in events:
        if name == "hooks-status":
            assert data["type"] == "data-hooks-status"
            seen.append(data["data"]["hooks"].get("go", {}).get("lastResult"))
        if name == "evaluation" and not data["evaluating"]:
            break
    assert seen == [None, "running", "success"]


def test_what_was_ended_before_its_end_is_not_shown_as_running(serving: Serving) -> None:
    """An aborted evaluation, and a cancelled turn, close the rows of the hooks that died with them."""
    serving.hook("slow.sh", body='test -e ok && exit 0; touch "$HOME/asleep"; sleep 60')
    wait = {"matcher": "Bash", "hooks": [{"type": "command", "command": "sleep 60"}]}
    serving.program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [wait]}}))
    call = {"name": "Bash", "input": {"command": "ls"}}
    serving.start(write("a.go", "1"), {"text": "one"}, {"text": "two", "tool_calls": [call]})

    def rows(number: int) -> list[tuple[str, bool]]:
        turns = serving.get("/hooks/timeline")["turns"]
        hooks = turns[number]["hooks"] if len(turns) > number else []
        return [(row["status"], row["endedAt"] is None) for row in hooks]

    serving.say("first")
    serving.until(lambda: rows(0) == [("running", True)], "the file hook's start")
    serving.until((serving.program.home / "asleep").exists, "the file hook's sleep")
    (serving.root / "ok").write_text("")
    serving.say("second")
    serving.until(lambda: rows(1) == [("running", True)], "the guard's start")
    serving.until(lambda: rows(0) == [("cancelled", False)], "the end of the first")
    assert serving.get("/hooks/timeline")["turns"][0]["evaluation"]["action"] == "aborted"
    assert serving.ask("POST", "/default/chat/cancel").status == 200
    serving.until(lambda: rows(1) == [("cancelled", False)], "the end of the second")
