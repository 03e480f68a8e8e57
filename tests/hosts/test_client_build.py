"""The wheel: with the small client where there is a C compiler, pure without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def built(tmp_path: Path, **environment: str) -> Path:
    pytest.importorskip("hatchling")
    source = tmp_path / "source"
    kept = ("src", "benchmarks", "docs", "client", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE")
    for name in kept:
        found = ROOT / name
        copy = shutil.copytree if found.is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(found, source / name)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")],
        cwd=source, check=True, capture_output=True, env={**os.environ, **environment},
    )  # fmt: skip
    return next((tmp_path / "dist").glob("*.whl"))


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_wheel_has_a_client_that_runs_where_it_was_built(tmp_path: Path) -> None:
    wheel = built(tmp_path)
    assert "py3-none-linux" in wheel.name
    with zipfile.ZipFile(wheel) as content:
        name = next(name for name in content.namelist() if name.endswith("scripts/hookline-bridge"))
        program = Path(content.extract(name, tmp_path))
    program.chmod(0o755)
    beside = program.parent / "hookline"
    beside.write_text('#!/bin/sh\ncat > "$HOME/given"; echo "$@"\n')
    beside.chmod(0o755)
    done = subprocess.run(
        [str(program), "claude", "--event", "Stop"], input="payload", capture_output=True, text=True,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]}, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("bridge claude --event Stop --waited ")
    assert (tmp_path / "given").read_text() == "payload"


def test_without_a_compiler_the_wheel_is_pure(tmp_path: Path) -> None:
    wheel = built(tmp_path, CC="there-is-none")
    assert wheel.name.endswith("py3-none-any.whl")
    with zipfile.ZipFile(wheel) as content:
        assert "hookline/system/bridge_client.py" in content.namelist()
