"""Every page of the documentation works: its `bash` blocks run, in order, in one shell and a new home.

A block marked `bash` runs. The commands of one marked `console` are tried without their setting, for their
usage; `sh` and `text` are only shown. What a page starts in the
background ends with its page.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\S+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def blocks(page: Path, *languages: str) -> list[str]:
    return [text for language, text in BLOCK.findall(page.read_text()) if language in languages]


def runnable() -> list[Path]:
    return [page for page in PAGES if blocks(page, "bash")]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", runnable(), ids=name_of)
def test_every_command_of_a_page_works(page: Path, tmp_path: Path) -> None:
    script = "\n".join(blocks(page, "bash"))
    done, output = run_page(script, tmp_path)
    assert done == 0, f"{name_of(page)} failed:\n{output[-4000:]}"


def test_the_python_of_the_first_page_works(tmp_path: Path) -> None:
    script = "\n".join(f"python - <<'END'\n{text}END" for text in blocks(ROOT / "README.md", "python"))
    done, output = run_page(script, tmp_path)
    assert (bool(script), done) == (True, 0), output[-4000:]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=name_of)
def test_every_command_that_is_only_shown_is_one_that_exists(page: Path, tmp_path: Path) -> None:
    """1 and 2 are answers; wrong usage (64) and a defect (70) are not."""
    shown = [line[2:] for text in blocks(page, "console") for line in text.splitlines() if line[:2] == "$ "]
    guarded = [f"{{ {line}\n}} || [ $? -le 2 ]" for line in shown]
    done, output = run_page("\n".join(guarded), tmp_path)
    assert (bool(shown), done) == (True, 0), output[-4000:]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    gone = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert gone == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_test_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`(tests/[\w/]+\.(?:py|txt))", page.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_is_closed_and_has_a_language(page: Path) -> None:
    fences = [line for line in page.read_text().splitlines() if line.startswith("```")]
    assert [fence for fence in fences[::2] if fence == "```"] == []
    assert len(fences) % 2 == 0


def run_page(script: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of a page's commands in an empty workspace; nothing of it outlives the page."""
    home, workspace, programs = folder / "home", folder / "work", folder / "bin"
    for each in (home, workspace, programs):
        each.mkdir()
    for name, start in (("hookline", f'"{sys.executable}" -m hookline'), ("python", f'"{sys.executable}"')):
        (programs / name).write_text(f'#!/bin/sh\nexec {start} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {
        "HOME": str(home),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
        "TMPDIR": str(folder),
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Reader",
        "GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "reader@example.org",
        "GIT_CONFIG_KEY_2": "init.defaultBranch", "GIT_CONFIG_VALUE_2": "main",
    }  # fmt: skip
    with (folder / "output").open("wb+") as output:
        process = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail", "-c", script], cwd=workspace, env=environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(150)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return code, output.read().decode("utf-8", "replace")
