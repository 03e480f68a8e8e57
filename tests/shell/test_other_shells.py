"""Shells that are not bash: what they share with it is read, and where they part company that is told."""

from __future__ import annotations

import base64
from pathlib import Path
from random import Random

import pytest
from tests.shell.lines import random_line
from tests.shell.real_bash import IN_SH, disagreement, started

from hookline.shell import read_commands


@pytest.mark.parametrize(
    "line",
    [
        "git push", "& git push", "& 'git' \"push\"", "git `\n push", "Get-Item x | git push", "a; git push # c",
        "if ($x) { git push }", "$out = git push", "$(git push)", "Write-Host \"$(git push)\"", "a && git push",
        "(git push)", "foreach ($i in 1..3) { git push }", "<# c #> git pu`sh", "a || git push > o.txt",
        "Invoke-Expression 'git push'",
    ],
)  # fmt: skip
def test_a_push_is_found_in_powershell(line: str) -> None:
    reading = read_commands(line, "powershell")
    assert ("git", "push") in [command.argv for command in reading.commands], reading


def test_variables_of_powershell_are_holes_and_quotes_are_taken_off() -> None:
    (command,) = read_commands("rm 'it''s' \"a $x\" $y", "powershell").commands
    assert [word.literal for word in command.words] == ["rm", "it's", None, None]
    assert [hole.text for word in command.words for hole in word.holes] == ["$x", "$y"]


@pytest.mark.parametrize("line", ["iex $x", "Invoke-Expression (a b)", "a '", 'a "', "if ($x) {", "{" * 200])
def test_what_powershell_hides_is_told(line: str) -> None:
    assert read_commands(line, "powershell").unknowns


OF_BASH = [
    "x=$'git push'", 'a $"b"', "x+=p", "x[1]=p", "function f { a; }", "a {v}> b", "a ${x^}", "a ${x:1}", "a ${!x}",
    "a ${x/p}", "source x", "declare x=1", "printf -v x p", "read -n 2 x", ". x p; a", "export x=$y", "x=p eval a",
    "a $[1+2]", "eval -- a", "time set -f", "time x=p a", "time { a; }", "a; time ! b",
    "f() { a; }; time f", "time eval a",
]  # fmt: skip


@pytest.mark.parametrize("line", ["git {push,}", "[[ a ]]", "((1))", "a <<< b", "a &> b", "a <(b)", *OF_BASH])
def test_where_dash_is_not_bash_nothing_is_certain(line: str) -> None:
    assert not read_commands(line).unknowns
    assert read_commands(line, "sh").unknowns


def test_a_machines_sh_starts_what_the_reader_saw(tmp_path: Path) -> None:
    """Whichever shell that is: lines that are read for certain mean the same to all of them."""
    random = Random(9_100_000)
    lines = [line for line in (random_line(random) for _ in range(1500)) if _is_sure(line)]
    recordings = started(lines, tmp_path, seconds=75, in_shell=IN_SH)
    readings = [read_commands(line, "sh") for line in lines]
    found = [disagreement(reading, recorded) for reading, recorded in zip(readings, recordings, strict=True)]
    assert [difference for difference in found if difference] == []
    assert sum(map(bool, recordings)) > 80


def _is_sure(line: str) -> bool:
    reading = read_commands(line, "sh")
    return "time" not in line and not (reading.unknowns or reading.opaque)  # which may be no program here


def test_variables_of_sh_are_told_as_dash_has_them() -> None:
    lines = (
        "x=git; f() { local x; $x push; }; f",
        "x=$(echo -e git); $x push",
        "x=$(printf '\\x67it'); $x push",
    )
    assert [read_commands(line, "sh").commands[-1].words[0].literal for line in lines] == [None] * 3


def test_zsh_does_not_split_variables() -> None:
    words = read_commands("x='git push'; $x", "zsh").commands[-1].words
    assert [word.literal for word in words] == [None]
    assert read_commands("x=git; $x push", "zsh").commands[-1].argv == ("git", "push")


ENCODED = base64.b64encode("git push".encode("utf-16-le")).decode()


@pytest.mark.parametrize(
    "line",
    [
        "cmd /c git push", "cmd.exe /C 'git push'", "pwsh -c 'git push'", "powershell.exe -NoProfile -Command git push",
        f"pwsh -EncodedCommand {ENCODED}", f"powershell -enc {ENCODED}", "Start-Process git push",
        "Start-Process -FilePath git -ArgumentList push", "& { git push }", "& 'git' push", "iex 'git push'",
        "Invoke-Expression -Command 'git push'", "bash -c 'git push'", "bash -lc 'x=git; $x push'", "wsl git push",
        "pwsh -c \"cmd /c 'git push'\"",
    ],
)  # fmt: skip
def test_commands_that_powershell_starts_through_others_are_seen(line: str) -> None:
    assert ("git", "push") in [command.argv for command in read_commands(line, "powershell").commands]


@pytest.mark.parametrize("line", ["pwsh -enc %%%", "cmd /c $x", "pwsh -c $x", "bash -c $x"])
def test_code_that_powershell_hands_on_unread_is_told(line: str) -> None:
    assert read_commands(line, "powershell").unknowns
