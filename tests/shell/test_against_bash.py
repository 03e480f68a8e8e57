"""Random lines in real bash: what it starts is among what the reader saw, wherever the reader is sure."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from tests.shell.lines import random_line
from tests.shell.programs import inner_of
from tests.shell.real_bash import disagreement, started

from hookline.shell import read_commands

PARTS, LINES = 20, 250


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("part", range(PARTS))
def test_bash_starts_what_the_reader_saw(part: int, tmp_path: Path) -> None:
    random = Random(9_000_000 + part)
    lines = [random_line(random) for _ in range(LINES)]
    ran = sure = 0
    wrong = []
    for line, recorded in zip(lines, started(lines, tmp_path, seconds=75), strict=True):
        reading = read_commands(line, inner_of=inner_of)
        ran += bool(recorded)
        sure += bool(recorded) and not (reading.unknowns or reading.opaque)
        if difference := disagreement(reading, recorded):
            wrong.append((line, difference))
    assert wrong == []
    assert ran > LINES / 2  # else the lines are too odd to say anything
    assert sure > ran * 0.8  # one who is never sure is never wrong


ONCE_READ_WRONGLY = [
    "g=git; local g=curl; $g push",
    "g=git; local g; $g push",
    "g=git; local g+=x || $g push",
    "local -x g=git && curl; no ${g-none}",
    "g=git; f() { local g=curl; $g push; }; f; $g push",
    "g=git; f() { eval 'local g=curl'; sh -c 'local g=rm'; $g push; }; f",
    "for b in --all a=~ c:d=~; do no1 ${b%?/s}; done",
    'a=git; a_2=curl; no1 $a\\\n_2 "$a\\\n\\\n_2" $a\\\n-2',
    "x=([5]=git [1]=y push); no1 ${x[1]} ${x[2]} ${x[@]}; x+=(k); no1 ${x[6]}",
    "!\\\n git push",
    "if\\\n git push; then\\\n\\\n no1; fi; {\\\n no2\\\n; }",
    "!\\\nx git",
    "x=([7]=git y); x[010]=z; no1 ${x[7]} ${x[8]}",
    'no1 """$@" \'\'"$@" "$@" "$@"\'\'; git "${@:5}"',
    'declare -A b=([p]= [q]=2); no1 "${b[*]}"; git ${b[@]} push',
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_lines_that_were_once_read_wrongly_are_read_as_bash_runs_them(tmp_path: Path) -> None:
    recordings = started(ONCE_READ_WRONGLY, tmp_path, seconds=75)
    for line, recorded in zip(ONCE_READ_WRONGLY, recordings, strict=True):
        reading = read_commands(line, inner_of=inner_of)
        assert recorded, line
        assert not reading.unknowns, line
        assert disagreement(reading, recorded) == "", line
