"""What hookline takes from inside CPython has a public stand-in: both give the same."""

from __future__ import annotations

import hashlib
import os

import pytest

from hookline.model import short_json
from hookline.state.trust import fingerprint
from hookline.system.loops.loop import run
from hookline.system.patterns import expressions
from hookline.system.patterns.expressions import PatternError, compile_pattern
from hookline.system.processes import spawn
from hookline.system.processes.process import ProcessRequest, run_process

PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture(autouse=True)
def forgotten_patterns() -> None:
    compile_pattern.cache_clear()


def test_processes_start_the_same_without_the_private_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ProcessRequest(
        ("sh", "-c", "cat; echo $0 $A $$; exit 3", "x"), "/", {**PATH, "A": "b"}, stdin=b"in\n"
    )
    usual = run(run_process(request))
    monkeypatch.setattr(spawn, "_ours", False)
    other = run(run_process(request))
    assert (other.exit_code, other.stdout.text.split()[:3]) == (3, ["in", "x", "b"])
    assert other.stdout.text.split()[:3] == usual.stdout.text.split()[:3]


@pytest.mark.parametrize(
    ("argv", "cwd"),
    [(("/no/such/program",), "/"), (("/etc/passwd",), "/"), (("sh", "-c", "true"), "/no/folder")],
)
def test_a_start_that_fails_says_the_same(
    argv: tuple[str, ...], cwd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = run(run_process(ProcessRequest(argv, cwd, PATH)))
    monkeypatch.setattr(spawn, "_ours", False)
    other = run(run_process(ProcessRequest(argv, cwd, PATH)))
    assert (other.launch_error, other.exit_code) == (usual.launch_error, usual.exit_code)


def test_expressions_stay_bounded_without_the_private_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(source: str, flags: int) -> None:
        return None

    monkeypatch.setattr(expressions, "parse", missing)
    try:
        found = compile_pattern("(a+)+b")
    except PatternError:  # without google-re2 there is nothing that answers in bounded time
        return
    assert found.search("a" * 5000 + "b") and not found.search("a" * 5000)


def test_json_and_digests_are_the_same_without_the_private_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"ü": [1, 2.5, None, True, "\u2028"], "b": {}}
    usual = short_json.write_json(value), fingerprint.sha256(b"abc")
    monkeypatch.setattr(short_json, "own", None)
    monkeypatch.setattr(fingerprint, "_own_sha256", hashlib.sha256)
    assert (short_json.write_json(value), fingerprint.sha256(b"abc")) == usual
    assert short_json.read_json(usual[0]) == value
