"""`check FILE…` with files of other projects than the one stood in: each by its own project and name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from tests.program import Program

SETTINGS = ".claude/settings.json"
LINE = '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh'
GUARD = "#!/bin/sh\necho no >&2\nexit 2\n"


def settings(event: str, command: str = LINE) -> str:
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    return json.dumps({"hooks": {event: [entry]}})


def told(program: Program, *files: str) -> list[tuple[str, str]]:
    return [(each["source"], each["code"]) for each in json.loads(program("check", "--json", *files).stdout)]


def test_the_files_of_two_projects_are_told_apart(program: Program) -> None:
    for name, event in (("a", "PreToolUse"), ("b", "PreTolUse"), ("c", "PreTolUse")):
        program.write(f"{name}/{SETTINGS}", settings(event))
        program.write(f"{name}/.claude/guard.sh", GUARD, 0o755)
    files = [f"{name}/{SETTINGS}" for name in "abc"]
    assert told(program, *files) == told(program, *files, *files)
    assert told(program, *files) == [(f"b/{SETTINGS}", "unknown-event"), (f"c/{SETTINGS}", "unknown-event")]
    shown = program("check", *files).stdout
    assert f"error: b/{SETTINGS}:1:12" in shown and '1 | {"hooks": {"PreTolUse"' in shown


def test_a_hook_starts_in_its_own_project(program: Program) -> None:
    program.write(f"a/{SETTINGS}", settings("PreToolUse"))
    program.write(".claude/guard.sh", GUARD, 0o755)
    assert told(program, f"a/{SETTINGS}") == [(f"a/{SETTINGS}", "missing-program")]
    program.write("a/.claude/guard.sh", GUARD, 0o755)
    assert told(program, f"a/{SETTINGS}") == []


def test_a_plugin_outside_is_one(program: Program) -> None:
    plugin = program.home / "plugin"
    for path, text in (
        (".claude-plugin/plugin.json", '{"name": "p"}'),
        ("hooks/hooks.json", settings("PreToolUse", '"${CLAUDE_PLUGIN_ROOT}"/gone.sh')),
    ):
        (plugin / path).parent.mkdir(parents=True, exist_ok=True)
        (plugin / path).write_text(text)
    assert told(program, str(plugin / "hooks/hooks.json")) == [
        ("~/plugin/hooks/hooks.json", "missing-program")
    ]


def test_fix_mends_each_in_its_own_project(program: Program) -> None:
    for name in "ab":
        program.write(f"{name}/{SETTINGS}", settings("preToolUse", f"echo {name} >&2; exit 2"))
    done = program("check", "--fix", f"a/{SETTINGS}", f"b/{SETTINGS}")
    assert done.returncode == 0, done.stdout
    for name in "ab":
        written = json.loads((program.workspace / name / SETTINGS).read_text())
        assert list(written["hooks"]) == ["PreToolUse"] and f"echo {name} " in str(written)


def test_sarif_names_files_by_addresses(program: Program) -> None:
    folder = program.workspace / "a b%41é"
    (folder / ".claude").mkdir(parents=True)
    (folder / SETTINGS).write_text(settings("PreTolUse"))
    done = program("check", "--output-format", "sarif", str(folder / SETTINGS))
    (found,) = uris(json.loads(done.stdout))
    assert found.isascii() and " " not in found
    assert unquote_to_bytes(found).decode() == f"a b%41é/{SETTINGS}"


def uris(log: Any) -> set[str]:
    results = log["runs"][0]["results"]
    places = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
    assert all(not Path(place).is_absolute() for place in places)
    return set(places)
