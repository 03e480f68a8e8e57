"""What is remembered between the calls of an agent: answers under way, counts, texts that wait."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.warm import SOURCE

from hookline.model.errors import StateError
from hookline.state.claims import Answers, StopCounts, TurnCounts
from hookline.state.database import Database
from hookline.state.undelivered import Waiting

KEY = ("s", "PreToolUse", "call")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "history.db")


def test_the_first_to_begin_a_call_answers_it(path: str) -> None:
    with Database(path) as database, Database(path) as other:
        assert (Answers(database).begin(*KEY), Answers(other).begin(*KEY)) == (True, False)
        assert Answers(other).recall(*KEY) is None
        Answers(database).remember(*KEY, {"verdict": "deny"})
        assert Answers(other).recall(*KEY) == {"verdict": "deny"}
        assert not Answers(other).begin(*KEY)


def test_an_answer_stands_for_a_repeat_and_not_for_a_later_call(path: str) -> None:
    with Database(path) as database:
        answers = Answers(database)
        assert answers.begin(*KEY)
        answers.remember(*KEY, {"verdict": "none"})
        assert not answers.begin(*KEY)
        database.run(lambda connection: connection.execute("UPDATE answers SET at = at - 3600"), None)
        assert answers.begin(*KEY)
        assert answers.recall(*KEY) is None


def test_what_was_begun_in_vain_is_begun_anew(path: str) -> None:
    with Database(path) as database:
        answers = Answers(database)
        assert answers.begin(*KEY)
        answers.release(*KEY)
        assert answers.begin(*KEY)
        answers.remember(*KEY, {"verdict": "none"})
        answers.release(*KEY)  # an answer that was given is never taken back
        assert answers.recall(*KEY) == {"verdict": "none"}


def test_a_call_whose_process_died_over_it_is_begun_anew(path: str) -> None:
    code = (
        "import sys; from hookline.state.claims import Answers; from hookline.state.database import Database\n"
        f"assert Answers(Database(sys.argv[1])).begin(*{KEY!r})"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, path]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(SOURCE)})
    with Database(path) as database:
        assert Answers(database).begin(*KEY)


def test_prompts_are_counted_apart_from_stops(path: str) -> None:
    with Database(path) as database:
        prompts, stops = TurnCounts(database), StopCounts(database)
        assert (prompts.increment("s"), stops.increment("s"), prompts.increment("s")) == (1, 1, 2)
        stops.reset("s")
        assert (prompts.count("s"), stops.count("s"), prompts.count("other")) == (2, 0, 0)


def test_waiting_texts_are_handed_out_once_and_in_order(tmp_path: Path) -> None:
    waiting = Waiting(str(tmp_path / "waiting"))
    assert waiting.take("s") == ()
    waiting.put("s", ("one\ntwo", "drei ü"))
    waiting.put("other/../x", ("far",))
    waiting.put("s", ("last",))
    assert waiting.take("s") == ("one\ntwo", "drei ü", "last")
    assert (waiting.take("s"), waiting.take("other/../x")) == ((), ("far",))
    assert list(tmp_path.rglob("*.jsonl*")) == []


def test_waiting_texts_go_to_one_taker_only(tmp_path: Path) -> None:
    waiting = Waiting(str(tmp_path))
    waiting.put("s", tuple(map(str, range(50))))
    with ThreadPoolExecutor(4) as pool:
        taken = [text for texts in pool.map(lambda _: waiting.take("s"), range(4)) for text in texts]
    assert taken == list(map(str, range(50)))


def test_a_text_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError):
        Waiting(str(tmp_path / "file" / "waiting")).put("s", ("text",))
