"""What failed before a session began is not asked of its agent, where a hook says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.file_hook_bench import Bench

from hookline.engine.evaluation import FileHookVerdict
from hookline.system.loops import loop

LINT = 'bad=$(grep -Hn bad $DISCOBOT_CHANGED_FILES); [ -z "$bad" ] && exit 0; echo "$bad"; exit 1'
SAME = "`Lint` fails as it did before this session began; the agent is not asked"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.script("lint.sh", "name: Lint", "pattern: '*.go'", "baseline: true", body=LINT)
    made.write("old.go", "fine\nbad\n")
    made.repository.commit()
    return made


def turn(bench: Bench, session: str = "s") -> FileHookVerdict:
    return bench.evaluate(session=session)


def begins(bench: Bench, session: str = "s") -> None:
    loop.run(bench.hooks.begin(session))


def test_what_failed_before_is_reported_and_asked_of_nobody(bench: Bench) -> None:
    bench.script("next.sh", "name: Next", "pattern: '*.go'")
    begins(bench)
    bench.write("old.go", "one more\nfine\nbad\n")  # on another line now
    verdict = turn(bench)
    assert (verdict.action, verdict.reprompt, verdict.pending) == ("failed", None, ())
    assert SAME in verdict.messages
    assert bench.status["hooks"]["lint"]["lastResult"] == "failure"
    assert bench.ran("next.sh") == ["old.go"]  # those behind it have their turn
    begins(bench)
    assert turn(bench).runs == ()  # owed nothing until a file is another one


@pytest.mark.parametrize(
    ("name", "text"), [("old.go", "fine\nbad\nbad\n"), ("new.go", "bad\n"), ("old.go", "fine\nbad, too\n")]
)
def test_one_new_line_and_the_agent_is_asked(bench: Bench, name: str, text: str) -> None:
    begins(bench)
    bench.write(name, text)
    verdict = turn(bench)
    assert verdict.action == "reprompt" and "bad" in (verdict.reprompt or "")


def test_what_was_mended_and_broken_again_is_as_before(bench: Bench) -> None:
    begins(bench)
    bench.write("old.go", "fine\n")
    assert turn(bench).action == "passed"
    begins(bench)
    bench.write("old.go", "fine\nbad\n# more\n")
    assert turn(bench).reprompt is None


def test_a_session_of_its_own_and_a_hook_without_the_field_are_asked(bench: Bench) -> None:
    begins(bench)
    bench.write("new.go", "bad\n")
    assert turn(bench).reprompt
    begins(bench, "later")  # begins with both
    bench.write("new.go", "bad\n#\n")
    assert turn(bench, "later").reprompt is None
    bench.script("lint.sh", "name: Lint", "pattern: '*.go'", body=LINT)
    begins(bench, "third")
    bench.write("new.go", "bad\n##\n")
    assert turn(bench, "third").reprompt


@pytest.mark.parametrize("body", ["exit 1", "head -c 600000 /dev/zero | tr '\\0' x; exit 1", "kill -9 $$"])
def test_a_failure_that_says_nothing_or_too_much_is_always_new(bench: Bench, body: str) -> None:
    bench.script("lint.sh", "name: Lint", "pattern: '*.go'", "baseline: true", body=body)
    begins(bench)
    bench.write("new.go")
    assert turn(bench).reprompt


def test_times_colours_and_numbers_that_move_are_not_compared(bench: Bench) -> None:
    body = 'printf "\\033[31mold.go:$$: wrong at 0x%x\\033[0m\\n$$ problems in 0.$$ s, %ds\\n" $$ $$; exit 1'
    bench.script("lint.sh", "name: Lint", "pattern: '*.go'", "baseline: true", body=body)
    begins(bench)
    bench.write("new.go")
    assert turn(bench).reprompt is None


def test_a_hook_of_another_name_or_text_is_another_one(bench: Bench) -> None:
    begins(bench)
    bench.script("other.sh", "name: Lint", "pattern: '*.go'", "baseline: true", body=LINT)
    bench.write("old.go", "fine\nbad\n#\n")
    told = turn(bench)
    assert told.reprompt and "Lint" in told.reprompt
