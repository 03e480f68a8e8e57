"""`GET /records/stream`: every decision once, also for readers who come back with a number that is none of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.web.serving import Serving


def begin(serving: Serving) -> None:
    entry = {"hooks": [{"type": "command", "command": "exit 0"}]}
    serving.program.write(".gen/settings.json", json.dumps({"hooks": {"Stop": [entry]}}))
    for session in ("a", "b", "c"):
        fire(serving, session)
    serving.launch("page", "--port", "0")


def fire(serving: Serving, session: str) -> None:
    assert serving.program("fire", "Stop", "--session", session).returncode == 0


def heard(events: Iterator[tuple[str, str, Any]]) -> tuple[str, str]:
    """The number and the session of the next decision."""
    return next((number, data["session"]) for number, name, data in events if name == "decision")


def test_a_reader_goes_on_behind_its_number_or_from_now_on(serving: Serving) -> None:
    begin(serving)
    back = serving.stream("/records/stream", Last_Event_ID="1")
    assert [heard(back), heard(back)] == [("2", "b"), ("3", "c")]
    readers = [
        serving.stream("/records/stream"),
        serving.stream("/records/stream", Last_Event_ID="999"),  # of another history
        serving.stream("/records/stream?after=3"),
    ]
    assert [next(each)[1] for each in readers] == ["ping"] * 3
    fire(serving, "d")
    assert [heard(each) for each in readers] == [("4", "d")] * 3
    for number in ("-1", "x", "1:2"):
        assert serving.ask("GET", "/records/stream", Last_Event_ID=number).status == 400


def test_a_history_that_was_taken_away_goes_on_with_the_new_one(serving: Serving) -> None:
    begin(serving)
    reader = serving.stream("/records/stream")
    assert next(reader)[1] == "ping"
    for file in (serving.program.home / ".local/state/hookline").glob("history.db*"):
        file.unlink()
    fire(serving, "d")
    assert heard(reader) == ("1", "d")
    found = serving.get("/records/decisions")
    assert ([each["session"] for each in found["decisions"]], found["last"]) == (["d"], 1)
