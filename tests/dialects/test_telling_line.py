"""Which line of a failed hook's output stands for all of it."""

from __future__ import annotations

import pytest

from hookline.dialects.plain_text import telling_line


@pytest.mark.parametrize(
    ("stdout", "stderr", "told"),
    [
        ("ok 1\nok 2\n\x1b[31mFAILED\x1b[0m test_2: 1 != 2\n1 of 3\n", "", "FAILED test_2: 1 != 2"),
        ("a.py:1: no docstring\nfiles checked: 1\n", "", "a.py:1: no docstring"),
        ("compiling\n", "\nld: undefined reference\nmake: *** [all] Error 1\n", "ld: undefined reference"),
        ("", "Traceback (most recent call last):\n  File x\nKeyError: 'a'\n", "KeyError: 'a'"),
        ("only this", " \n", "only this"),
        ("", "", ""),
    ],
)
def test_the_line_that_looks_like_the_error_is_told(stdout: str, stderr: str, told: str) -> None:
    assert telling_line(stdout, stderr) == told
