"""Turns over real HTTP: completions, file hooks behind them, re-prompts, aborts and restarts."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest
from tests.waiting import wait_until_gone
from tests.web.serving import Serving, write

FORMAT_CHECK = 'grep -L "package" $DISCOBOT_CHANGED_FILES | grep . && exit 1; exit 0'


def test_a_failed_file_hook_becomes_a_completion_that_mends_it(serving: Serving) -> None:
    """The re-prompt appears as a normal completion, and passes on attempt 2."""
    serving.hook("go.sh", "name: Go check", "type: file", "pattern: '*.go'", body=FORMAT_CHECK)
    serving.start(
        write("a.go", "broken"),
        {"text": "Written."},
        write("a.go", "package a", expect='[Discobot Hook Failed] "Go check" (pattern: *.go)'),
        {"text": "Mended."},
    )
    events = serving.stream("/default/chat/stream")
    assert [next(events)[1] for _ in range(2)] == ["history-start", "history-end"]
    began = serving.say("write a.go")
    assert (began.status, began.json["status"], len(began.json["completionId"])) == (202, "started", 8)
    chunks, completions = [], []
    for _, name, data in events:
        if name == "chunk":
            chunks.append(data["type"])
        if name == "completion-end":
            completions.append(data["completionId"])
        if name == "evaluation" and data.get("action") == "passed":
            break
    assert completions[0] == began.json["completionId"] and len(completions) == 2
    turn = [
        "start", "tool-input-start", "tool-input-available", "tool-output-available", "text-start",
        "text-delta", "text-end", "finish",
    ]  # fmt: skip
    assert chunks == turn * 2
    assert serving.texts("assistant") == ["Written.", "Mended."]
    told = serving.get("/default/chat")["messages"][2]
    assert told["parts"][0]["text"].endswith("(Attempt 1/3)")
    card = told["metadata"]
    assert (card["kind"], card["hookName"], card["files"], card["exitCode"]) == (
        "hook-failure", "Go check", ["a.go"], 1,
    )  # fmt: skip
    kept = serving.get("/hooks/status")
    assert kept == serving.status
    entry = kept["hooks"]["go"]
    assert (entry["lastResult"], entry["runCount"], entry["failCount"], kept["pendingHooks"]) == (
        "success", 2, 1, [],
    )  # fmt: skip


def test_three_completions_by_hooks_and_then_a_warning(serving: Serving) -> None:
    serving.hook("go.sh", body="echo no; exit 1")
    serving.start(*[turn for n in range(4) for turn in (write("a.go", str(n)), {"text": f"try {n}"})])
    serving.say("go")
    serving.until(lambda: "still failed after 3 attempts" in serving.talk, "the warning")
    serving.idle()
    attempts = [text[-13:] for text in serving.texts("user")[1:]]
    assert attempts == ["(Attempt 1/3)", "(Attempt 2/3)", "(Attempt 3/3)"]
    assert serving.status["pendingHooks"] == ["go"]
    assert serving.status["hooks"]["go"]["consecutiveFailures"] == 4


def test_a_failure_that_is_told_again_is_a_card_again(serving: Serving) -> None:
    """The agent changed nothing, so the hook is not run, and what it said stands as before."""
    serving.hook("go.sh", body="echo no; exit 1")
    serving.start(write("a.go", "1"), *[{"text": f"I know nothing better: {n}"} for n in range(4)])
    serving.say("go")
    serving.until(lambda: "still failed after 3 attempts" in serving.talk, "the warning")
    serving.idle()
    cards = [told["metadata"] for told in serving.get("/default/chat")["messages"][2::2]]
    assert [(card["kind"], card["files"], card["attempt"]) for card in cards] == [
        ("hook-failure", ["a.go"], number) for number in (1, 2, 3)
    ]
    assert serving.status["hooks"]["go"]["runCount"] == 1


def test_a_users_message_ends_the_evaluation_and_its_hook(serving: Serving) -> None:
    """The group is killed, nothing is asked, the hook runs after the user's turn."""
    serving.hook("go.sh", body="test -e ok; ok=$?; echo $$ >> pid.ran; test $ok = 0 || sleep 60 & wait")
    serving.start(write("a.go", "1"), {"text": "one"}, {"text": "two", "delay": 0.1})
    serving.say("first")
    pid = serving.root / "pid.ran"
    serving.until(lambda: pid.exists() and pid.read_text().strip(), "the hook's start")
    assert serving.get("/default/chat/status") == {
        "isRunning": False, "completionId": None, "evaluating": True,
    }  # fmt: skip
    (serving.root / "ok").write_text("")
    assert serving.say("second").status == 202
    first = int(pid.read_text().split()[0])
    wait_until_gone(first)
    serving.until(lambda: len(pid.read_text().split()) == 2, "the second run")
    serving.idle()
    entry = serving.status["hooks"]["go"]
    assert (entry["runCount"], entry["lastResult"]) == (1, "success")
    assert serving.texts("assistant") == ["one", "two"]


def test_a_second_message_is_refused_and_changes_nothing(serving: Serving) -> None:
    """Also while a completion runs that a hook asked for."""
    serving.hook("go.sh", body="exit 1")
    serving.start(write("a.go", "1"), {"text": "one"}, {"text": "slow", "delay": 60})
    serving.say("first")
    asked = serving.until(
        lambda: len(serving.record) == 3 and serving.get("/default/chat/status")["completionId"],
        "the re-prompt",
    )
    refused = serving.say("no")
    assert (refused.status, refused.json) == (409, {"error": "completion_in_progress", "completionId": asked})
    assert serving.status["attempts"] == 1
    cancelled = serving.ask("POST", "/default/chat/cancel")
    assert cancelled.json == {"success": True, "completionId": asked, "status": "cancelled"}
    serving.idle()
    assert len(serving.record) == 3


def test_cancelling_ends_a_completion_and_its_evaluation_never_begins(serving: Serving) -> None:
    """The stream ends with `stop`."""
    serving.hook("go.sh", body="touch ran.ran")
    serving.start(write("a.go", "1"), {"text": "never", "delay": 60})
    assert serving.ask("POST", "/default/chat/cancel").json == {"error": "no_active_completion"}
    serving.say("go")
    serving.until(lambda: len(serving.record) == 2, "the second request")
    stream = serving.stream("/default/chat")
    assert next(stream)[2]["type"] == "start"
    assert serving.ask("POST", "/default/chat/cancel").status == 200
    rest = [data for _, _, data in stream]
    assert rest[-2:] == [{"type": "finish", "finishReason": "stop"}, "[DONE]"]
    serving.idle()
    assert serving.ask("POST", "/default/chat/cancel").status == 409
    assert not (serving.root / "ran.ran").exists()


def test_cancelling_ends_an_evaluation_that_runs_alone(serving: Serving) -> None:
    serving.hook("go.sh", body="echo $$ > pid.ran; sleep 60")
    serving.start(write("a.go", "1"), {"text": "one"})
    serving.say("go")
    pid = serving.root / "pid.ran"
    serving.until(lambda: pid.exists() and pid.read_text().strip(), "the hook's start")
    assert serving.ask("POST", "/default/chat/cancel").json["status"] == "cancelled"
    wait_until_gone(int(pid.read_text()))
    assert serving.status["pendingHooks"] == ["go"]


def test_a_failed_completion_is_told_and_still_judged(serving: Serving) -> None:
    """Error, then finish with `error`; the hooks are judged all the same."""
    serving.hook("go.sh", body="touch judged.ran")
    waits = {"name": "Bash", "input": {"command": "until test -e go.ran; do sleep 0.05; done"}}
    serving.start(write("a.go", "1"), {"tool_calls": [waits]}, {"error": "overloaded"})
    serving.say("go")
    stream = serving.stream("/default/chat")
    assert next(stream)[2]["type"] == "start"
    (serving.root / "go.ran").touch()
    data = [data for _, _, data in stream]
    assert data[-3:] == [
        {"type": "error", "errorText": "overloaded"}, {"type": "finish", "finishReason": "error"}, "[DONE]",
    ]  # fmt: skip
    serving.until(lambda: (serving.root / "judged.ran").exists(), "the evaluation")


def test_a_server_killed_during_a_hook_owes_it_once_after_the_next_turn(serving: Serving) -> None:
    """Also the counters are as they were, and the hook the dead server left is ended."""
    serving.hook("go.sh", body="test -e ok; ok=$?; echo $$ >> pid.ran; test $ok = 0 || sleep 60")
    serving.start(write("a.go", "1"), {"text": "one"})
    serving.say("go")
    pid = serving.root / "pid.ran"
    serving.until(lambda: pid.exists() and pid.read_text().strip(), "the hook's start")
    assert serving.status["hooks"]["go"]["lastResult"] == "running"
    serving.stop(signal.SIGKILL)
    json.loads((serving.folder / "status.json").read_text())
    (serving.root / "ok").write_text("")
    serving.start({"text": "two"}, {"text": "three"})
    left = int(pid.read_text().split()[0])
    wait_until_gone(left)
    kept = serving.get("/hooks/status")
    assert (kept["pendingHooks"], kept["hooks"]["go"]["lastResult"], kept["hooks"]["go"]["runCount"]) == (
        ["go"], "pending", 0,
    )  # fmt: skip
    for text in ("again", "and again"):
        serving.say(text)
        serving.until(lambda: not serving.status["pendingHooks"], "the run")
        serving.idle()
    assert (len(pid.read_text().split()), serving.status["hooks"]["go"]["runCount"]) == (2, 1)


def test_sessions_have_their_own_conversation_and_status(serving: Serving) -> None:
    """A.3.1: `/:agent/sessions/:id/chat`; ids that are no folder names are refused."""
    serving.hook("go.sh", body="true")
    serving.start(write("a.go", "1"), {"text": "one"})
    assert serving.say("go", "/any/sessions/s-1/chat").status == 202
    serving.idle("/any/sessions/s-1/chat")
    assert serving.texts("assistant", "/any/sessions/s-1/chat") == ["one"]
    assert serving.get("/default/chat") == {"messages": []}
    assert serving.get("/hooks/status?session=s-1")["hooks"]["go"]["lastResult"] == "success"
    assert (serving.program.home / ".discobot/s-1/hooks/status.json").exists()
    assert serving.say("go", "/any/sessions/a%20b/chat").status == 400
    assert serving.say("go", "/any/sessions/..%2f..%2fx/chat").status in (400, 404)


def test_reading_again_goes_on_where_the_reader_left(serving: Serving) -> None:
    """A.3.1: past events first, deltas merged; `Last-Event-ID` resumes; 204 when idle."""
    wait = {"type": "command", "command": "until test -e go.ran; do sleep 0.05; done"}
    entry = {"hooks": {"UserPromptSubmit": [{"hooks": [wait]}]}}
    serving.program.write(".gen/settings.json", json.dumps(entry))
    go = serving.root / "go.ran"
    go.touch()
    serving.start({"text": "one"}, {"text": "two"})
    assert serving.ask("GET", "/default/chat", Accept="text/event-stream").status == 204
    serving.say("go")
    serving.idle()
    go.unlink()
    completion = serving.say("go on").json["completionId"]
    stream = serving.stream("/default/chat")
    events = [next(stream)]  # there is a reader before the answer comes
    go.touch()
    events += stream
    assert [event[0] for event in events[:-1]] == [f"{completion}:{n}" for n in range(1, 6)]
    again = list(serving.stream("/default/chat", Last_Event_ID=f"{completion}:3"))
    assert again == events[3:]
    assert serving.ask("GET", "/default/chat", Accept="text/event-stream").status == 204
    late = serving.ask("GET", "/default/chat", Accept="text/event-stream", Last_Event_ID=f"{completion}:5")
    assert late.status == 204


def test_a_term_signal_ends_the_server_and_its_sessions(serving: Serving) -> None:
    serving.program.write(
        ".gen/settings.json",
        json.dumps(
            {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "touch ended.ran"}]}]}}
        ),
    )
    serving.start({"text": "one"})
    serving.say("go")
    serving.idle()
    follower = serving.stream("/default/chat/stream")
    next(follower)
    assert serving.stop() == 143
    assert (serving.root / "ended.ran").exists()


def test_a_restarted_server_goes_on_with_the_conversation(serving: Serving) -> None:
    """Also after a kill; another workspace's session of the same name is another conversation.

    What hooks told the model is not the user's word, a failed hook has its card, a failed turn its reason.
    """
    rule = '[[hooks]]\nevent = "UserPromptSubmit"\ncontext = "Use tabs."\n'
    serving.program.write(".hookline/hooks.toml", rule)
    serving.hook("a.sh", "type: file", "pattern: '*.txt'", body="grep -q 2 a.txt")
    serving.start(write("a.txt", "1"), {"text": "one"}, write("a.txt", "2"), {"error": "overloaded"})
    serving.say("first")
    serving.idle()

    def shown() -> list[dict[str, Any]]:
        return [{**each, "id": ""} for each in serving.get("/default/chat")["messages"]]

    before = shown()
    assert [each.get("metadata", {}).get("kind") for each in before] == [
        None, None, "hook-failure", "turn-failed",
    ]  # fmt: skip
    serving.stop(signal.SIGKILL)
    serving.start({"text": "two"})
    assert shown() == before and before[0]["parts"] == [{"type": "text", "text": "first"}]
    serving.say("second")
    serving.idle()
    asked = serving.record[-1]["messages"]
    assert [message["role"] for message in asked[:6]] == ["user", "assistant"] * 3
    assert all(message.keys() == {"role", "content"} for message in asked)
    assert [block["text"] for block in asked[0]["content"]] == ["first", "Use tabs."]
    assert serving.ask("DELETE", "/default/chat").status == 200
    assert json.loads(serving.program("sessions", "list", "--json").stdout) == []
    serving.stop()
    serving.root = serving.program.workspace / "other"
    serving.root.mkdir()
    serving.start(options=("--workspace", str(serving.root)))
    assert serving.get("/default/chat") == {"messages": []}
    serving.stop()
    serving.root = serving.program.workspace
    serving.start()
    assert serving.get("/default/chat") == {"messages": []}


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "UserMessage"])
def test_a_message_that_was_accepted_outlives_a_kill(serving: Serving, event: str) -> None:
    """Killed with the 202, while a hook that comes before the model runs: people find it, once, and no model reads
    what its hooks have not judged."""
    rule = f'[[hooks]]\nevent = {event!r}\nrun = "test -e go || {{ touch began; exec sleep 60; }}"\n'
    serving.program.write(".hookline/hooks.toml", rule)
    serving.start({"text": "never"})
    assert serving.say("first").status == 202
    serving.stop(signal.SIGKILL)
    serving.program.write("go", "")
    serving.start({"text": "two"})
    assert serving.texts("user") == ["first"]
    serving.say("second")
    serving.idle()
    (asked,) = [each["messages"] for each in serving.record]
    assert [block["text"] for message in asked for block in message["content"]] == ["second"]
    said = (["first", "second"], ["two"])
    assert (serving.texts("user"), serving.texts("assistant")) == said
    serving.stop(signal.SIGKILL)
    serving.start()
    assert (serving.texts("user"), serving.texts("assistant")) == said
    assert serving.ask("DELETE", "/default/chat").status == 200
    assert json.loads(serving.program("sessions", "list", "--json").stdout) == []


def test_a_conversation_that_another_process_has_in_use_is_refused_and_then_taken(serving: Serving) -> None:
    slow = serving.program.write("slow.json", json.dumps({"turns": [{"text": "late", "delay": 1000}]}))
    kept = serving.program.home / ".local/state/hookline/transcripts/default.jsonl"
    with serving.program.start(
        "run", "first", "--model", f"scripted:{slow}", "--session", "default"
    ) as other:
        serving.until(lambda: kept.exists() and "first" in kept.read_text())
        asked = kept.read_text()
        serving.start({"text": "fine"})
        refused = serving.say("second")
        assert refused.status == 400 and f"in use by process {other.pid}" in refused.json["error"]
        assert kept.read_text() == asked and "second" not in serving.texts("user")
        other.kill()
    assert serving.say("third").status == 202
    serving.idle()
    assert serving.texts("user")[-1] == "third" and serving.texts("assistant") == ["fine"]


def test_a_message_that_a_hook_refused_is_shown_again_and_told_to_no_model(serving: Serving) -> None:
    rule = "[[hooks]]\nevent = 'UserPromptSubmit'\nrun = \"grep -q secret && exit 2; exit 0\"\n"
    serving.program.write(".hookline/hooks.toml", rule)
    serving.start({"text": "fine"})
    serving.say("a secret")
    serving.idle()
    before = [each["parts"] for each in serving.get("/default/chat")["messages"]]
    serving.stop(signal.SIGKILL)
    serving.start({"text": "fine"})
    assert [each["parts"] for each in serving.get("/default/chat")["messages"]] == before
    serving.say("no more")
    serving.idle()
    assert "secret" not in json.dumps(serving.record)


def test_what_one_workspace_owes_is_not_another_ones_of_the_same_session(serving: Serving) -> None:
    """Two projects of one user, each served with the default session: one must not settle the other's debts."""
    serving.hook("a.sh", "type: file", "pattern: '*.txt'", body="exit 1")
    serving.start(write("a.txt", "1"), {"text": "one"})
    serving.say("first")
    serving.idle()
    serving.stop()
    other = serving.program.workspace / "other"
    other.mkdir()
    serving.start({"text": "hello"}, options=("--workspace", str(other)))
    assert serving.get("/hooks/status")["pendingHooks"] == []
    serving.say("hello")
    serving.idle()
    assert serving.get("/hooks/state")["status"]["hooks"] == {}
    serving.stop()
    serving.start()
    status = serving.get("/hooks/status")
    assert (status["pendingHooks"], status["hooks"]["a"]["lastResult"]) == (["a"], "failure")


def test_a_compaction_takes_nothing_from_the_chat_of_a_restarted_server(serving: Serving) -> None:
    """The model goes on from its summary, people from what was said."""
    serving.start({"text": "one " * 180_000}, {"text": "in short: one"}, {"text": "two"})
    for words in ("first", "second"):
        serving.say(words)
        serving.idle()
    serving.stop()
    serving.start({"text": "three"})
    texts = [message["parts"][0]["text"][:6] for message in serving.get("/default/chat")["messages"]]
    assert texts == ["first", "one on", "second", "two"]
    serving.say("third")
    serving.idle()
    told = [message["content"][0]["text"] for message in serving.record[-1]["messages"]]
    assert told[0].startswith("Summary of the conversation so far:") and told[-1] == "third"


def test_a_model_that_fails_at_a_re_prompt_is_not_asked_in_a_loop(serving: Serving) -> None:
    """The error is told, the hook stays owed, and the user's next turn tries it again."""
    serving.hook("go.sh", body="test -e ok")
    serving.start(write("a.go", "1"), {"text": "one"}, {"error": "overloaded"}, {"text": "two"})
    serving.say("go")
    serving.until(lambda: len(serving.record) == 3, "the re-prompt")
    serving.idle()
    assert (len(serving.record), serving.status["pendingHooks"]) == (3, ["go"])
    assert serving.get("/hooks/timeline")["turns"][1]["status"] == "failed"
    (serving.root / "ok").write_text("")
    serving.say("again")
    serving.until(lambda: not serving.status["pendingHooks"], "the pass")


def test_what_is_committed_within_a_turn_is_checked(serving: Serving) -> None:
    """A commit hides nothing from the hooks of the turn."""
    serving.hook("go.sh", body='echo "$DISCOBOT_CHANGED_FILES" > list.ran')
    commit = "git add -A && git -c user.name=T -c user.email=t@localhost commit -qm x"
    call = {"text": "", "tool_calls": [{"name": "Bash", "input": {"command": commit}}]}
    serving.start({"text": "first"}, write("a.go", "1"), call, {"text": "done"})
    serving.say("begin")
    serving.idle()
    serving.say("write and commit")
    serving.until(lambda: (serving.root / "list.ran").exists(), "the run")
    serving.idle()
    assert (serving.root / "list.ran").read_text() == "a.go\n"


def test_followers_who_come_back_or_come_late_miss_nothing(serving: Serving) -> None:
    """A.3.2: `Last-Event-ID` on the session's stream; who joins in mid-turn gets that turn from its start."""
    serving.start({"text": "one"}, {"text": "slow", "delay": 60})
    first = serving.stream("/default/chat/stream")
    next(first)
    serving.say("go")
    deltas = (number for number, name, data in first if name == "chunk" and data["type"] == "text-delta")
    back = serving.stream("/default/chat/stream", Last_Event_ID=next(deltas))
    assert next(back)[2]["type"] == "text-end"
    serving.idle()
    serving.say("on")
    serving.until(lambda: len(serving.record) == 2, "the second request")
    late = serving.stream("/default/chat/stream")
    seen = [next(late) for _ in range(6)]
    assert [name for _, name, _ in seen] == [
        "history-start",
        *["history-message"] * 3,
        "history-end",
        "chunk",
    ]
    assert [each[2]["message"]["role"] for each in seen[1:4]] == ["user", "assistant", "user"]
    assert seen[5][2]["type"] == "start"


def test_a_background_hook_begins_a_completion_when_it_wakes_the_agent(serving: Serving) -> None:
    """The turn is over; the hook's words become the next completion."""
    wait = "while ! test -e go; do sleep 0.02; done; echo the build broke >&2; exit 2"
    entry = {"type": "command", "command": wait, "asyncRewake": True}
    settings = serving.root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PostToolUse": [{"hooks": [entry]}]}}))
    serving.start(write("a", "1"), {"text": "Done."}, {"text": "I mend it.", "expect": "the build broke"})
    serving.say("go")
    serving.until(lambda: "Done." in serving.texts("assistant"), "the end of the turn")
    (serving.root / "go").touch()
    serving.until(lambda: "I mend it." in serving.texts("assistant"), "the turn it was woken for")


def test_a_session_is_not_asked_to_mend_what_another_one_of_the_server_broke(serving: Serving) -> None:
    check = 'for f in $DISCOBOT_CHANGED_FILES; do ! grep -q bad "$f" || exit 1; done'
    serving.hook("go.sh", "name: Go check", "type: file", "pattern: '*.go'", body=check)
    mine, other = "/any/sessions/mine/chat", "/any/sessions/other/chat"
    serving.start(
        *({"text": f"hello {number}"} for number in range(2)),
        write("other.go", "bad"),
        {"text": "Written."},
        *({"text": "I cannot.", "expect": "[Discobot Hook Failed]"} for _ in range(3)),
        write("mine.go", "good"),
        {"text": "Mine is written."},
    )
    for path in (mine, other, other):
        assert serving.say("go", path).status == 202
        serving.idle(path)
    serving.until(lambda: "still failed after 3 attempts" in serving.talk, "the last attempt")
    serving.idle(other)
    assert serving.say("go", mine).status == 202
    serving.until(lambda: serving.texts("assistant", mine)[-1] == "Mine is written.", "the turn")
    serving.idle(mine)
    assert len(serving.texts("user", mine)) == 2  # no hook spoke to it
