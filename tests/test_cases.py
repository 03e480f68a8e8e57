"""Every file in `tests/cases/<dialect>/` is a workspace, events fired at it, and what must come of them.

A case goes through the real program with real hook processes:

    --- file PATH [MODE]      the text up to the next section; MODE is octal, 644 by default
    --- link PATH TARGET      a symbolic link
    --- env NAME=VALUE        for this and later commands; `$WORKSPACE`, `$HOME` and `$PATH` are filled in
    --- event NAME [ARGS]     `hookline fire NAME --json ARGS`; also `explain NAME`, `check` and `list`
    --- payload               its JSON payload
    --- exit CODE             its exit code; 0 or 2, by the verdict, when left out
    --- expect                JSON that its output must contain

What `expect` leaves out does not count. A list must have the same items; where the output has a list of
hooks, an object maps ids or places to what is expected of each. In a text `[..]` stands for anything.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.program import Program

from hookline.engine.loading import load_hooks, places_for

CASES = Path(__file__).parent / "cases"
SECTION = re.compile(r"^--- (file|link|env|event|explain|check|list|payload|exit|expect)\b *(.*)$")
COMMANDS = ("event", "explain", "check", "list")
WORDS = {"event": ["fire"], "explain": ["explain"], "check": ["check"], "list": ["list"]}


class Section(NamedTuple):
    name: str
    words: str
    text: str


class Step:
    """One command of a case with what belongs to it."""

    def __init__(self, section: Section) -> None:
        self.section = section
        self.payload = ""
        self.exit: int | None = None
        self.expected: Any = None


def case_files() -> list[Path]:
    return sorted(CASES.rglob("*.txt"))


@pytest.mark.parametrize("path", case_files(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(path: Path, tmp_path: Path) -> None:
    workspace, home = tmp_path / "ws", tmp_path / "home"
    workspace.mkdir()
    home.mkdir()
    program = Program(home, workspace)
    for item in read_case(path, workspace, home, program.environment):
        if isinstance(item, Step):
            run_step(item, program)
        else:
            arrange(item, workspace, program.environment)


def read_case(path: Path, workspace: Path, home: Path, env: dict[str, str]) -> list[Section | Step]:
    """The sections in order, each command joined with its payload, exit code and expectation."""
    found: list[Section | Step] = []
    for section in sections(path.read_text()):
        words = section.words
        for name, value in (("$WORKSPACE", str(workspace)), ("$HOME", str(home)), ("$PATH", env["PATH"])):
            words = words.replace(name, value)
        section = section._replace(words=words)
        step = found[-1] if found else None
        if section.name in COMMANDS:
            found.append(Step(section))
        elif section.name in ("payload", "exit", "expect"):
            assert isinstance(step, Step), f"{path.name}: `{section.name}` follows a command"
            text = section.text.replace("$WORKSPACE", str(workspace)).replace("$HOME", str(home))
            if section.name == "payload":
                step.payload = text
            elif section.name == "exit":
                step.exit = int(words)
            else:
                step.expected = json.loads(text)
        else:
            found.append(section)
    assert any(isinstance(item, Step) for item in found), f"{path.name} runs nothing"
    return found


def sections(text: str) -> list[Section]:
    found: list[Section] = []
    lines: list[str] = []
    for line in text.splitlines():
        header = SECTION.match(line)
        if header:
            lines = []
            found.append(Section(header[1], header[2].strip(), ""))
        elif found:
            lines.append(line)
            found[-1] = found[-1]._replace(text="".join(f"{line}\n" for line in lines))
    return found


def arrange(section: Section, workspace: Path, env: dict[str, str]) -> None:
    if section.name == "env":
        name, _, value = section.words.partition("=")
        env[name] = value
        return
    name, *rest = shlex.split(section.words)
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if section.name == "link":
        path.symlink_to(rest[0])
        return
    # a case file has no line of its own for CRLF and NUL
    path.write_text(section.text.replace("<CR>", "\r").replace("<BOM>", "\ufeff"), newline="")
    path.chmod(int(rest[0], 8) if rest else 0o644)


def run_step(step: Step, program: Program) -> None:
    args = [*WORDS[step.section.name], *shlex.split(step.section.words)]
    done = program(*args, "--json", "--workspace", str(program.workspace), stdin=step.payload)
    shown = f"$ hookline {shlex.join(args)}\n{done.stdout}\n{done.stderr}"
    assert done.stdout, shown
    output = json.loads(done.stdout)
    assert differences(step.expected, output) == [], shown
    wanted = step.exit
    if wanted is None and isinstance(output, dict):
        wanted = 2 if output["verdict"] in ("deny", "halt") else 0
    assert wanted is None or done.returncode == wanted, shown


def by_name(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The items by id or code; hooks also by their place, `gencode:PreToolUse:2`, as ids tell none."""
    named: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for item in found:
        name = item.get("id") or item.get("code")
        if "native_event" in item:
            stem = f"{item['dialect']}:{item['native_event']}"
            counts[stem] = counts.get(stem, 0) + 1
            named[f"{stem}:{counts[stem]}"] = item
        named[name] = item
    return named


def differences(expected: Any, found: Any, path: str = "") -> list[str]:
    """Where `found` does not contain `expected`, in words."""
    if isinstance(expected, dict) and isinstance(found, list):
        return differences(expected, by_name(found), path)
    if isinstance(expected, dict) and isinstance(found, dict):
        missing = [f"{path}.{key} is missing" for key in expected if key not in found]
        inner = [differences(expected[key], found[key], f"{path}.{key}") for key in expected if key in found]
        return [*missing, *(difference for part in inner for difference in part)]
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return [f"{path}: expected {len(expected)} items, found {found!r}"]
        parts = [differences(each, found[i], f"{path}[{i}]") for i, each in enumerate(expected)]
        return [difference for part in parts for difference in part]
    if isinstance(expected, str) and isinstance(found, str) and "[..]" in expected:
        pattern = ".*".join(map(re.escape, expected.split("[..]")))
        return [] if re.fullmatch(pattern, found, re.DOTALL) else [f"{path}: {found!r} is not {expected!r}"]
    return [] if expected == found else [f"{path}: expected {expected!r}, found {found!r}"]


@pytest.mark.parametrize("path", sorted(CASES.rglob("documented_*.txt")), ids=lambda path: path.parent.name)
def test_what_the_agents_document_loads_without_a_problem(path: Path, tmp_path: Path) -> None:
    workspace, env = tmp_path / "ws", {"HOME": str(tmp_path), "PATH": ""}
    for item in read_case(path, workspace, tmp_path, env):
        if isinstance(item, Section):
            arrange(item, workspace, env)
    hooks = load_hooks(places_for(str(workspace), env))
    # GenCode's flat hooks in Claude Code's file are a fault of that file for Claude Code
    assert [problem for problem in hooks.problems if problem.code not in ("flat-entry", "file-dropped")] == []
    assert all(spec.dialect == path.parent.name for spec in hooks.specs)
    assert hooks.specs and all(spec.handler != "unusable" for spec in hooks.specs)


def test_the_comparison_sees_a_difference() -> None:
    assert differences({"a": [{"b": "x[..]"}]}, {"a": [{"b": "xyz", "c": 1}], "d": 2}) == []
    assert differences({"a": {"go": {"status": "ran"}}}, {"a": [{"id": "go", "status": "ran"}]}) == []
    assert differences({"a": [1], "b": 1, "c": "x[..]"}, {"a": [1, 2], "c": "y"}) == [
        ".b is missing",
        ".a: expected 1 items, found [1, 2]",
        ".c: 'y' is not 'x[..]'",
    ]
