"""What the live view shows, line by line, for any size."""

from __future__ import annotations

import pytest

from hookline.cli.iterations.view import Board, HookItem, cut, screen
from hookline.cli.render import cells
from hookline.hosts.iterations.state import Note, SessionState, Task


def board() -> Board:
    state = SessionState()
    state.iterations = {1: "complete", 2: "start"}
    state.tasks = {f"TAS-{n}": Task(f"TAS-{n}", f"task number {n} 日本語") for n in range(1, 9)}
    state.tasks["TAS-1"] = Task("TAS-1", "first", "completed", 0)
    state.notes = {"NOT-1": Note("NOT-1", "hot", "tip")}
    made = Board("shop", state, 0.0)
    made.status = "running"
    made.say("I begin.\x1b[31m\x1b[2J\nThen I go on " + "and on " * 40 + "日本語" * 40)
    item = HookItem("pre_iteration", "go test ./... " * 10 + "日本語" * 30, 1.0)
    made.entries.append(item)
    done = HookItem("on_task_complete", "echo", 1.0)
    done.state, done.seconds = "ok", 0.25
    done.output = "\n".join(f"line {n}\r\x07" for n in range(15))
    made.entries.append(done)
    return made


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60), (100, 25), (99, 25), (20, 5), (7, 3)])
def test_every_line_has_the_width_of_the_terminal(width: int, height: int) -> None:
    """Also with wide characters, control characters and lines without blanks."""
    for unfolded in (False, True):
        made = board()
        made.unfolded = unfolded
        lines = screen(made, width, height, 3.5)
        assert [cells(line) for line in lines] == [width] * height
        assert all(line.isprintable() for line in lines)


def test_a_small_terminal_has_no_sidebar() -> None:
    assert not any("│ Tasks" in line for line in screen(board(), 80, 24, 0))
    assert any("│ Tasks" in line for line in screen(board(), 200, 60, 0))
    made = board()
    made.sidebar = False
    assert not any("│ Tasks" in line for line in screen(made, 200, 60, 0))


def test_hook_items_show_state_time_and_folded_output() -> None:
    text = "\n".join(line.rstrip() for line in screen(board(), 80, 40, 3.5))
    assert "● Pre Iteration  go test ./... go test" in text
    assert "…  2.5 s" in text
    assert "✓ Task Complete  echo  250 ms\n  │ line 0" in text
    assert "  │ line 9\n  └ 5 more lines (⏎)" in text
    made = board()
    made.unfolded = True
    assert "  │ line 14" in "\n".join(line.rstrip() for line in screen(made, 80, 40, 3.5))


def test_the_title_counts_and_the_foot_helps() -> None:
    lines = screen(board(), 200, 60, 64.0)
    assert lines[0].rstrip() == "hookline · shop · iteration 2 · running · tasks 1/8 · 1m 4s"
    assert lines[-1].startswith("^X: l logs")
    made = board()
    made.asking, made.typed = "note", "remember"
    assert screen(made, 80, 24, 0)[-1].startswith("note> remember█")


def test_scrolling_goes_back_to_the_first_line_and_no_further() -> None:
    made = board()
    made.scroll = 10_000
    assert screen(made, 80, 24, 0)[1].rstrip() == "I begin."


def test_text_is_cut_between_characters() -> None:
    assert [cut("日本語", width) for width in (6, 5, 4, 3)] == ["日本語", "日本…", "日…", "日…"]
