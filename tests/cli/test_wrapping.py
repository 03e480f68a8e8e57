"""Model text on a terminal: broken at words, however it streams in, and code left alone."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.program import Program

from hookline.cli.render import cells
from hookline.cli.session.printing import Wrapping, wrapped


@given(
    st.text(alphabet="ab é漢 \n`", max_size=300), st.lists(st.integers(1, 7), min_size=1), st.integers(20, 60)
)
def test_streamed_text_is_broken_as_the_whole_would_be(text: str, sizes: list[int], width: int) -> None:
    wrapping, shown, at = Wrapping(width), "", 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        shown += wrapping.add(text[at : at + size])
        at += size
    assert (shown + wrapping.end()).rstrip() == wrapped(text, width).rstrip()


@given(st.lists(st.text(alphabet="abc漢", min_size=1, max_size=8), max_size=60))
def test_no_row_is_too_long_and_no_word_is_lost(words: list[str]) -> None:
    shown = wrapped(" ".join(words), 20)
    assert shown.split() == words
    assert all(cells(row) <= 20 for row in shown.splitlines())


def test_code_is_not_broken() -> None:
    code = f"see:\n```\n{'x = 1; ' * 10}\n```\n"
    assert wrapped(code, 20) == code


def on_terminal(program: Program, columns: int, *arguments: str) -> list[str]:
    """The lines that a command writes to a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    shown = bytearray()
    quiet = {"NO_COLOR": "1"}
    with program.start(
        *arguments, environment=quiet, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    ):
        os.close(theirs)
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return shown.decode().replace("\r", "").splitlines()


@pytest.mark.parametrize("columns", [40, 80])
def test_what_is_wrong_is_told_in_the_width_of_the_terminal(program: Program, columns: int) -> None:
    """The words broken, the piece of the file cut around its place, the mark below that place."""
    hooks = [{"type": "command", "command": "./guard.sh --strict --verbose && ./other.sh", "timeuot": 5}]
    config = {"PreToolUse": [{"matcher": "Bash(git push:*)", "hooks": hooks}], "PreTooluse": []}
    program.write(".claude/settings.json", json.dumps({"hooks": config}))
    program("install", "gemini")
    for command in ("check", "doctor", "attest"):
        lines = on_terminal(program, columns, command)
        assert lines and [line for line in lines if cells(line) > columns and " " in line.strip()] == [], (
            command
        )
    shown = on_terminal(program, columns, "check")
    places = [(shown[n - 1], line.index("^")) for n, line in enumerate(shown) if line.strip() == "^"]
    assert {line[place] for line, place in places} == {'"'}


@pytest.mark.parametrize("columns", [40, 80])
def test_what_a_command_says_is_broken_at_words_to_fit_the_terminal(program: Program, columns: int) -> None:
    reason = "pushing by force rewrites what others have, so push to a branch of your own and ask for a merge"
    program.write(
        ".hookline/hooks.toml",
        f'[[hooks]]\nname = "calm"\nevent = "PreToolUse"\nshell = "git push --force"\ndeny = "{reason}"\n',
    )
    call = ("Bash", "git push --force origin main")
    for command in (("rule",), ("rule", "dead-matcher"), ("explain", *call), ("fire", *call), ("show", "last"),
                    ("why", "calm", *call), ("packs", "show", "cloud"), ("trust", "--revoke"), ("trust",)):  # fmt: skip
        lines = on_terminal(program, columns, *command)
        assert [line for line in lines if cells(line) > columns and " " in line.strip()] == [], command
        text = program(*command).stdout
        if command[0] not in ("rule", "fire", "packs", "trust"):
            assert reason in text, "a program that reads gets each line whole"
            assert reason in " ".join(" ".join(lines).split())
