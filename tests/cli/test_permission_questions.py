"""A permission question on a terminal: it shows all that would happen, and `always` means what it says."""

from __future__ import annotations

import pytest
from tests.cli.loop_bench import call
from tests.cli.terminal import Terminal, session
from tests.cli.test_session import script
from tests.program import Program

QUESTION = "[y]es, [a]lways in this session, [n]o?"


def asked(terminal: Terminal, *texts: str) -> str:
    """Waits for a question below all these texts."""
    return terminal.wait(QUESTION, *texts)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ls *.none 2>/dev/null; echo first", "echo SECOND > ./second"),
        ("echo a*", "echo abc"),
        ("git status", "git status -s"),
        ("touch one:*", "touch one:two"),
        ("echo '*'", "touch second"),
    ],
)
def test_always_is_about_exactly_this_command(program: Program, first: str, second: str) -> None:
    turns = [call("Bash", command=command) for command in (first, first, second)]
    with session(program, *script(program, *turns, {"text": "Done."})) as terminal:
        terminal.wait("\n>")
        terminal.type("go")
        asked(terminal, f"always allows exactly this: Bash({first})")
        terminal.type("a")
        shown = asked(terminal, f"always allows exactly this: Bash({second})")
        assert shown.count(f"always allows exactly this: Bash({first})") == 1  # the same again was not asked
        terminal.type("n")
        terminal.wait("Done.")
    assert not (program.workspace / "second").exists()


def test_the_whole_command_is_shown(program: Program) -> None:
    long = "echo " + "a" * 300 + "; echo hidden-tail > f"
    lines = "echo safe\necho SECOND LINE\ttab \u202e bidi"
    turns = [call("Bash", command=long), call("Bash", command=lines), {"text": "Done."}]
    with session(program, *script(program, *turns)) as terminal:
        terminal.wait("\n>")
        terminal.type("go")
        shown = asked(terminal, "always allows exactly this Bash command")
        assert "hidden-tail > f" in shown.replace("\n", "")
        terminal.type("n")
        shown = asked(terminal, "\n    echo safe\n    echo SECOND LINE", r"\u202e bidi")
        assert shown.count("Bash needs permission") == 2 and ": Bash" not in shown
        terminal.type("n")
        terminal.wait("Done.")


def test_an_edit_is_shown_as_the_difference_it_makes(program: Program) -> None:
    program.write("a.txt", "one\ntwo\nthree\n")
    program.write("c.txt", "same\n")
    turns = [
        call("Write", file_path="a.txt", content="one\nTWO\nthree\n"),
        call("Write", file_path="a.txt", content="one\nTWO\n3\n"),
        call("Write", file_path="b.txt", content="new\n"),
        call("Write", file_path="c.txt", content="same\r\n"),
        {"text": "Done."},
    ]
    with session(program, *script(program, *turns)) as terminal:
        terminal.wait("\n>")
        terminal.type("go")
        asked(
            terminal,
            "    a.txt",
            "\n     one\n    -two\n    +TWO\n     three",
            "always allows every Write of a.txt",
        )
        terminal.type("a")
        asked(terminal, "    b.txt", "    +new", "always allows every Write of b.txt")
        terminal.type("n")
        asked(terminal, "    c.txt", "    -same\n    +same\\r", "always allows every Write of c.txt")
        terminal.type("n")
        terminal.wait("Done.")
    assert (program.workspace / "a.txt").read_text() == "one\nTWO\n3\n"
    assert not (program.workspace / "b.txt").exists()
