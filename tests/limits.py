"""Time limits that end when a hook has come as far as its test needs, however slow the machine is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hookline.system.processes.running import Running

Happened = Callable[[Running], bool]


def spoken(running: Running) -> bool:
    """The hook has made the file `spoken` where it runs."""
    return Path(running.request.cwd, "spoken").exists()


def said(running: Running) -> bool:
    """Something has come from its output."""
    return running.captures[0].size > 0


@pytest.fixture
def limit_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[Happened], None]:
    """From here on the limit of a process is over once this has `happened`; one that ends before has its own."""
    whether_in_time = Running._exits_in_time

    def begin(happened: Happened) -> None:
        async def exits_in_time(self: Running) -> bool:
            if self.deadline is not None and not happened(self):
                self.pipes.watch()
                while not (self.exited or self.calls_to_end or happened(self)):
                    await self._pause(9)
                if not self.exited:
                    self.deadline = self.loop.time()
            return await whether_in_time(self)

        monkeypatch.setattr(Running, "_exits_in_time", exits_in_time)

    return begin
