"""What is released: the same bytes from the same source, complete, and usable without the source."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S
from tools import claude_plugin, homebrew, release_notes, sbom

import hookline
from hookline.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
NOT_IN_DEV = {"claude-agent-sdk"}  # it brings a whole agent along; listed without a version where it is not


def copied(folder: Path) -> Path:
    """The files that git knows, with other time stamps than here."""
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def built(source: Path) -> Path:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "HOOKLINE_PURE": "1"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True, timeout=DEADLINE_S)
    (wheel,) = (source / "out").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(copied(tmp_path_factory.mktemp("first")))


def test_the_same_source_gives_the_same_wheel_to_the_byte(wheel: Path, tmp_path: Path) -> None:
    assert built(copied(tmp_path / "elsewhere")).read_bytes() == wheel.read_bytes()


def test_the_wheel_holds_what_it_needs_and_its_licence_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    missing = [
        path for path in (ROOT / "src/hookline").rglob("*.py")
        if str(path.relative_to(ROOT / "src")) not in names
    ]  # fmt: skip
    assert missing == []
    assert any(name.endswith("licenses/LICENSE") for name in names) and "hookline/py.typed" in names
    assert [name for name in names if name.startswith(("tests/", "tools/"))] == []


def test_the_wheel_works_without_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    """Unpacked beside nothing but its dependencies, in a new home."""
    site, work, home = tmp_path / "site", tmp_path / "work", tmp_path / "home"
    zipfile.ZipFile(wheel).extractall(site)
    home.mkdir()
    work.mkdir()
    subprocess.run(["git", "init", "-q", work], check=True)
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{site}:{dependencies(tmp_path)}",
    }

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", "-m", "hookline", *arguments]
        return subprocess.run(
            command,
            cwd=work,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )

    assert run("--version").stdout == f"hookline {hookline.__version__}\n"
    assert run("init").returncode == 0
    assert run("trust", "--yes").returncode == 0
    assert run("check").returncode == 0
    call = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    assert run("fire", "PreToolUse", stdin=json.dumps(call)).returncode == 2
    assert run("schema", "claude").returncode == 0
    assert "# Trust" in run("docs", "trust").stdout
    for name in COMMANDS:
        assert run(name, "--help").returncode == 0, name


def dependencies(folder: Path) -> Path:
    """What an installation brings along, and nothing else of this environment."""
    site = folder / "dependencies"
    site.mkdir()
    for name in ("yaml", "_yaml"):
        source = Path(sysconfig.get_path("platlib")) / name
        if source.exists():
            (site / name).symlink_to(source)
    return site


def test_the_bill_of_materials_names_every_dependency(capsys: pytest.CaptureFixture[str]) -> None:
    assert sbom.main() == 0
    found = json.loads(capsys.readouterr().out)
    names = {component["name"] for component in found["components"]}
    extras = [
        line
        for extra, lines in PROJECT["optional-dependencies"].items()
        if extra not in ("dev", "docs")
        for line in lines
    ]
    wanted = {
        sbom.normal(re.split(r"[\s;<>=\[]", line, maxsplit=1)[0])
        for line in [*PROJECT["dependencies"], *extras]
    }
    assert wanted - {"hookline"} - names == set()
    versions = {component["name"]: component.get("version") for component in found["components"]}
    assert [name for name in sorted(wanted - {"hookline"} - NOT_IN_DEV) if not versions[name]] == []


def test_a_release_has_notes_and_one_version() -> None:
    version = PROJECT["version"]
    assert hookline.__version__ == version
    assert release_notes.notes((ROOT / "CHANGELOG.md").read_text(), f"v{version}")
    with pytest.raises(KeyError):
        release_notes.notes((ROOT / "CHANGELOG.md").read_text(), "v99.0.0")


def test_the_formula_is_filled_with_the_release(tmp_path: Path) -> None:
    source = tmp_path / "hookline-9.8.7.tar.gz"
    source.write_bytes(b"x")
    text = homebrew.formula(source)
    assert "hookline-9.8.7.tar.gz" in text and f'sha256 "{hashlib.sha256(b"x").hexdigest()}"' in text


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_of_a_workflow_is_pinned_and_may_write_only_where_it_says(workflow: Path) -> None:
    text = workflow.read_text()
    uses = re.findall(r"uses: (\S+)(.*)", text)
    assert uses and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name, _ in uses)
    assert all(re.match(r" # v\d", note) for _, note in uses), "the version stands behind the pin"
    assert "permissions: {contents: read}" in text.split("jobs:")[0]


def test_the_plugin_for_claude_code_is_what_the_installer_would_write(
    program: Program, tmp_path: Path
) -> None:
    """And a session in which it is enabled has a guard of our own file in front of it."""
    for name, text in claude_plugin.contents().items():
        assert (ROOT / name).read_text() == text, "run python tools/claude_plugin.py"
    entries = json.loads((ROOT / claude_plugin.PLUGIN / "hooks/hooks.json").read_text())["hooks"]
    command = entries["PreToolUse"][0]["hooks"][0]["command"]
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\ndeny = "not here"\n'
    )
    call = {
        "session_id": "s",
        "cwd": str(program.workspace),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "hookline").write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
    (programs / "hookline").chmod(0o755)
    environment = {**program.environment, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(call), env=environment, cwd=program.workspace, capture_output=True,
        text=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    assert "not here" in done.stdout and '"deny"' in done.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_file_that_a_workflow_runs_is_there(workflow: Path) -> None:
    named = re.findall(r"\b(?:tools|tests|\.ci)/[\w/.]+", workflow.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []
