"""A config that somebody replaces in place is read whole, or as what it is when nobody is done in time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from hookline.engine.loading import load_hooks, places_for
from hookline.system.workspace import freshness

FILES = {
    ".claude/settings.json": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}',
    ".hookline/hooks.toml": '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\ndeny = "no"\n',
}


class Moment:
    """Time that stands still for the file, and in whose pauses `at_pause` happens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, file: Path, after_ns: int = 1_000_000) -> None:
        self.pauses = 0
        self.file = file
        self.rest: list[str] = []
        clock = SimpleNamespace(time_ns=lambda: file.stat().st_mtime_ns + after_ns, sleep=self.pause)
        monkeypatch.setattr(freshness, "time", clock)

    def pause(self, _seconds: float) -> None:
        self.pauses += 1
        if self.rest:
            with self.file.open("a") as file:
                file.write(self.rest.pop(0))


@pytest.fixture(params=FILES)
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / str(request.param)
    file.parent.mkdir()
    file.write_text(FILES[request.param])
    return file


def read(file: Path) -> tuple[int, list[str]]:
    found = load_hooks(places_for(str(file.parents[1]), {"HOME": "/nonexistent"}))
    usable = [spec for spec in found.specs if spec.handler != "unusable"]
    return len(usable), [problem.code for problem in found.problems]


@pytest.mark.parametrize("at", [0, 10, 25])
def test_what_is_half_written_is_read_when_it_is_whole(
    monkeypatch: pytest.MonkeyPatch, config: Path, at: int
) -> None:
    whole = config.read_text()
    sound = read(config)
    moment = Moment(monkeypatch, config)
    config.write_text(whole[:at])
    moment.rest = ["", whole[at:30], whole[30:]] if at < 30 else [whole[at:]]
    assert read(config) == sound
    assert moment.pauses >= 1


def test_nobody_waits_for_a_file_that_stays_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {')
    moment = Moment(monkeypatch, file, after_ns=freshness.BEING_WRITTEN_NS)
    assert "bad-json" in read(file)[1] and moment.pauses == 0
    moment = Moment(monkeypatch, file)
    assert "bad-json" in read(file)[1] and 0 < moment.pauses < 100
