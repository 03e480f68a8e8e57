"""What a message brings besides its text: a git user, credentials, a model."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.agents.wire_server import anthropic_answer
from tests.agents.wire_server import serving as provider
from tests.web.serving import Serving, write

SECRET = "topsecret-value-1"
CREDENTIALS = json.dumps([{"envVar": "DEPLOY_KEY", "value": SECRET, "provider": "x", "authType": "y"}])


def say(serving: Serving, text: str, **headers: str) -> Any:
    message = {"id": "m", "role": "user", "parts": [{"type": "text", "text": text}]}
    return serving.ask("POST", "/default/chat", {"messages": [message]}, **headers)


def bash(command: str) -> dict[str, Any]:
    return {"text": "", "tool_calls": [{"name": "Bash", "input": {"command": command}}]}


def test_the_turns_commits_are_the_git_users(serving: Serving) -> None:
    """A.3.1: author and committer, for tools and hooks; nobody's git configuration is touched."""
    commit = "touch b && git add b && git commit -qm x"
    serving.hook("who.sh", body='echo "$GIT_AUTHOR_NAME" > who.ran')
    serving.start(
        write("a.go", "1"), bash(commit), {"text": "one"}, bash("echo $GIT_AUTHOR_NAME-"), {"text": "t"}
    )
    email = "ana@example.com"
    assert (
        say(serving, "go", X_Discobot_Git_User_Name="Ana Ñandú", X_Discobot_Git_User_Email=email).status
        == 400
    )
    name = "Ana Ñandú".encode().decode("latin-1")
    assert say(serving, "go", X_Discobot_Git_User_Name=name, X_Discobot_Git_User_Email=email).status == 202
    serving.idle()
    done = subprocess.run(
        ["git", "log", "-1", "--format=%an <%ae> %cn <%ce>"],
        cwd=serving.root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == f"Ana Ñandú <{email}> Ana Ñandú <{email}>"
    assert (serving.root / "who.ran").read_text().strip() == "Ana Ñandú"
    assert not (serving.program.home / ".gitconfig").exists()
    say(serving, "again")
    serving.idle()
    parts = serving.get("/default/chat")["messages"][-1]["parts"]
    assert parts[0]["output"] == "-"


def test_credentials_reach_the_turn_and_its_hooks_and_are_kept_nowhere(serving: Serving) -> None:
    """Not in the history, not in a hook's log, not in what the agent is told; gone with the next message."""
    serving.hook("key.sh", body='echo "key=$DEPLOY_KEY"; echo "$DEPLOY_KEY" > key.ran; exit 1')
    serving.program.write(
        ".gen/settings.json",
        json.dumps(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo $DEPLOY_KEY >&2"}]}]}}
        ),
    )
    serving.start(
        write("a.go", "1"), {"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"},
        bash("echo [$DEPLOY_KEY]"), {"text": "five"},
    )  # fmt: skip
    assert say(serving, "go", X_Discobot_Credentials=CREDENTIALS).status == 202
    serving.until(lambda: "[Discobot Hook Failed]" in str(serving.texts("user")), "the failure")
    serving.idle()
    assert (serving.root / "key.ran").read_text().strip() == SECRET
    assert "key=[redacted:DEPLOY_KEY]" in serving.get("/hooks/key/output")["output"]
    assert any("key=[redacted:DEPLOY_KEY]" in text for text in serving.texts("user"))
    history = serving.program("history", "--json").stdout
    assert "[redacted:DEPLOY_KEY]" in history
    serving.until(lambda: len(serving.texts("assistant")) >= 4, "the third attempt")
    serving.idle()
    say(serving, "again")
    serving.idle()
    parts = serving.get("/default/chat")["messages"]
    assert any(part.get("output") == "[]" for message in parts for part in message["parts"])
    assert serving.stop() == 143
    kept = [path for path in serving.program.home.rglob("*") if path.is_file()]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []


def test_variables_of_a_sessions_start_outlast_its_messages(serving: Serving) -> None:
    """Cursor's `sessionStart` gives `env` for the whole session; what a message brings is for its turn only."""
    said = {"env": {"FROM_START": "yes", "DEPLOY_KEY": "start"}}
    serving.program.write("answer.json", json.dumps(said))
    hooks = {
        "sessionStart": [{"command": "cat answer.json"}],
        "stop": [{"command": 'echo "$FROM_START $DEPLOY_KEY" >> seen'}],
    }
    serving.program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
    serving.start({"text": "one"}, {"text": "two"}, {"text": "three"})
    for brought in (CREDENTIALS, "", CREDENTIALS):
        headers = {"X_Discobot_Credentials": brought} if brought else {}
        assert say(serving, "go", **headers).status == 202
        serving.idle()
    seen = (serving.root / "seen").read_text().splitlines()
    assert seen == [f"yes {SECRET}", "yes start", f"yes {SECRET}"]


def test_credentials_that_cannot_be_used_are_refused_without_naming_them(serving: Serving) -> None:
    serving.start({"text": "one"})
    for wrong in (
        SECRET,
        json.dumps({"envVar": "A", "value": SECRET}),
        json.dumps([{"envVar": "A B", "value": SECRET}]),
        json.dumps([{"envVar": "HOOKLINE_TRUST", "value": SECRET}]),
        json.dumps([{"envVar": "A", "value": SECRET + "\0"}]),
        json.dumps([{"envVar": "A"}]),
        json.dumps([SECRET]),
    ):
        answer = say(serving, "go", X_Discobot_Credentials=wrong)
        assert (answer.status, SECRET.encode() in answer.content) == (400, False), wrong
    assert SECRET not in serving.talk
    assert serving.get("/default/chat")["messages"] == []


def test_a_message_may_ask_for_another_model_of_the_same_provider(serving: Serving) -> None:
    """A.3.1: `model`; the next message has the server's own again."""
    steps = [{"pieces": [anthropic_answer(text)]} for text in ("one", "two", "three")]
    with provider(*steps) as wire:
        options = ("--model", "anthropic:first", "--base-url", wire.url)
        serving.start(options=options, ANTHROPIC_API_KEY="k")
        for model in ("second", "anthropic:third", ""):
            assert serving.say("go", model=model).status == 202
            serving.idle()
        assert [each["body"]["model"] for each in wire.requests] == ["second", "third", "first"]
        unknown = serving.say("go", model="openai:gpt")
        assert (unknown.status, unknown.json["error"]) == (400, "unknown model `openai:gpt`")


def test_an_unknown_model_and_what_is_not_passed_on_are_said(serving: Serving) -> None:
    serving.start({"text": "one"})
    answer = serving.say("go", model="gpt-9")
    assert (answer.status, answer.json["error"]) == (400, "unknown model `gpt-9`")
    own = serving.get("/default/models")["models"][0]["id"]
    events = serving.stream("/default/chat/stream")
    assert next(events)[1] == "history-start"
    assert serving.say("go", model=own, reasoning="enabled").status == 202
    notice = next(data for _, name, data in events if name == "notice")
    assert "reasoning" in notice["text"]
