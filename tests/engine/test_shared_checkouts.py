"""Sessions that share a checkout: none is asked about what another one was asked about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.file_hook_bench import Bench

from hookline.system.loops import loop

LINT = 'for f in $DISCOBOT_CHANGED_FILES; do grep -q bad "$f" && echo "bad: $f" && exit 1; done; exit 0'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.script("lint.sh", "name: Lint", "pattern: '*.go'", body=LINT)
    made.repository.commit()
    return made


def begins(bench: Bench, session: str) -> None:
    loop.run(bench.hooks.begin(session))


def test_what_another_session_broke_between_the_turns_is_not_asked_of_this_one(bench: Bench) -> None:
    for session in ("a", "b"):
        begins(bench, session)
        bench.evaluate(session=session)
    begins(bench, "b")
    bench.write("b.go", "bad\n")
    assert "bad: b.go" in (bench.evaluate(session="b").reprompt or "")
    begins(bench, "a")
    bench.write("a.go")
    verdict = bench.evaluate(session="a")
    assert (verdict.action, verdict.files) == ("passed", ("a.go",))
    assert verdict.messages == ("another session was asked about `b.go` (b); not this one",)
    assert bench.ran("lint.sh")[-1] == "a.go"
    # whoever takes such a file on is asked about it
    begins(bench, "a")
    bench.write("b.go", "bad again\n")
    assert "bad: b.go" in (bench.evaluate(session="a").reprompt or "")


def test_a_commit_of_what_another_session_was_asked_about_is_not_asked_of_this_one(bench: Bench) -> None:
    for session in ("a", "b"):
        begins(bench, session)
        bench.evaluate(session=session)
    begins(bench, "b")
    bench.write("b.go", "bad\n")
    bench.evaluate(session="b")
    bench.repository.commit()
    begins(bench, "a")
    assert bench.evaluate(session="a").action == "none"


def test_what_changed_while_two_were_at_work_is_said_to_be_either_ones(bench: Bench) -> None:
    for session in ("a", "b"):
        begins(bench, session)
        bench.evaluate(session=session)
    begins(bench, "a")
    begins(bench, "b")
    bench.write("x.go", "bad\n")
    for session, other in (("a", "b"), ("b", "a")):
        told = bench.evaluate(session=session).reprompt or ""
        assert "bad: x.go" in told
        assert f"may have changed `x.go` ({other})" in told, session


def test_a_new_session_is_asked_about_all_that_is_not_committed_as_ever(bench: Bench) -> None:
    begins(bench, "old")
    bench.write("x.go", "bad\n")
    bench.evaluate(session="old")
    begins(bench, "new")
    told = bench.evaluate(session="new")
    assert "bad: x.go" in (told.reprompt or "")
    begins(bench, "new")
    assert bench.evaluate(session="new").reprompt  # and stays so


def test_a_person_s_edit_between_the_turns_counts_for_whoever_works_next(bench: Bench) -> None:
    for session in ("a", "b"):
        begins(bench, session)
        bench.evaluate(session=session)
    bench.write("mine.go", "bad\n")
    begins(bench, "a")
    assert "bad: mine.go" in (bench.evaluate(session="a").reprompt or "")


@pytest.mark.parametrize("content", ["", "[]", '{"files": 3}', '{"sessions": {"a": 1}}', "\xff{", "{" * 9000])
def test_a_file_that_cannot_be_read_makes_every_change_everybody_s(bench: Bench, content: str) -> None:
    begins(bench, "a")
    bench.evaluate(session="a")
    (place,) = (bench.home / ".local/state/hookline/evaluations").glob("*.json")
    assert json.loads(place.read_text())["sessions"]
    place.write_text(content, encoding="latin-1")
    bench.write("x.go", "bad\n")
    begins(bench, "a")
    assert "bad: x.go" in (bench.evaluate(session="a").reprompt or "")


def test_what_cannot_be_kept_is_said_once_and_loses_nothing(bench: Bench) -> None:
    bench.hooks  # noqa: B018  # opened while the folder is still to be made
    place = bench.home / ".local/state/hookline/evaluations"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("a file")
    bench.write("x.go", "bad\n")
    for _ in range(2):
        begins(bench, "a")
        assert "bad: x.go" in (bench.evaluate(session="a").reprompt or "")
    assert len([words for words in bench.warnings if "which session changed which file" in words]) == 1
