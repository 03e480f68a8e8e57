"""Standard error that cannot fail, as what is said to nobody ends no work."""

from __future__ import annotations

import io
import sys

from hookline.model.typing import Any


class _Talk(io.FileIO):
    """Standard error that takes everything: its disk may be full, its reader may have gone."""

    def write(self, text: Any, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return memoryview(text).nbytes


def keep_talking() -> None:
    """From now on nothing that is written to `sys.stderr` fails."""
    was = sys.stderr
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_Talk(2, "wb", closefd=False)), was.encoding, was.errors, line_buffering=True
    )
