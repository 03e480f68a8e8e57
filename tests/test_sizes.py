"""No file is longer than can be read at once."""

from __future__ import annotations

from tests.warm import SOURCE

MOST_LINES = 400


def test_no_file_is_longer_than_can_be_read_at_once() -> None:
    long = [
        str(path.relative_to(SOURCE))
        for path in sorted(SOURCE.rglob("*.py"))
        if len(path.read_text().splitlines()) > MOST_LINES
    ]
    assert long == []
