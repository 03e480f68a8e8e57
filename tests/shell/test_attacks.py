"""Lines that hide what they run, each in a way of its own, and plain ones that look alike, held against all packs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.guards.corpora import Line
from benchmarks.guards.measure import judge, packs_config

from hookline.model.results import Verdict

HERE = Path(__file__).parent


def _verdicts(name: str, folder: Path) -> dict[str, Verdict]:
    rows = (HERE / f"{name}.txt").read_text().splitlines()
    lines = [Line(row.replace("⏎", "\n"), name) for row in rows if not row.startswith("# ")]
    assert len(lines) > 80
    return {judged.line.text: judged.verdict for judged in judge(lines, packs_config(), folder)}


@pytest.mark.parametrize(("name", "stopped"), [("attacks", True), ("quiet", False)])
def test_no_hidden_command_passes_and_no_plain_one_is_stopped(
    name: str, stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.environ["HOME"])  # which judging sets
    found = _verdicts(name, tmp_path)
    assert [line for line, verdict in found.items() if (verdict > Verdict.ALLOW) != stopped] == []
