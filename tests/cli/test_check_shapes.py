"""Files of hooks in the shape of every other agent: `check` says of each that it is wrong, and never nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.program import Program

from hookline.dialects import dialect, names
from hookline.dialects.base import Source, SourceText
from hookline.dialects.converting.whole import convert
from hookline.engine.loading import places_for
from hookline.model.hooks import HookSpec, Unusable

LANGUAGES = {"json": "json", "jsonc": "json", "toml": "toml", "yaml": "yaml"}
HOOKS = """{"hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]
}}"""


def given(source: Source, text: str) -> SourceText:
    return SourceText(source, "text", text, path=source.path, shown=source.shown)


def written() -> dict[str, tuple[str, str]]:
    """How agents write two hooks: the language and the text, one agent for each that are alike."""
    ours = dialect("claude").parse(given(Source("/w", "project", "json", "w", "settings"), HOOKS)).specs
    found: dict[tuple[str, str], str] = {}
    for name in names():
        made = convert(ours, "claude", name)
        language = LANGUAGES.get(dialect(name).profile.read_as[0])
        if language and len(made.specs) == 2:
            found.setdefault((language, made.text), name)
    return {name: text for text, name in found.items()}


WRITTEN = written()


def config_files(name: str, workspace: Path, home: Path) -> list[Source]:
    """The agent's files in a project, or the user's where there is none; of folders one file called `mine`."""
    for file in getattr(getattr(dialect(name), "agent", None), "files", ()):
        mine = Path(file.path.format(ws=workspace, home=home, config=home / ".config").replace("*", "mine"))
        if mine.suffix == ".json" and "*" in file.path and file.path.startswith("{"):
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.write_text("{}")
    found = [
        source
        for source in dialect(name).sources(places_for(str(workspace), {"HOME": str(home)}))
        if source.format in LANGUAGES and source.path.endswith((".json", ".toml", ".yaml", ".yml"))
    ]
    shared = [source for source in found if source.scope in ("project", "local")]
    return shared or [source for source in found if source.scope == "user"]


def runs(name: str, source: Source, text: str) -> bool:
    """Whether this agent takes both hooks as they are."""
    specs: tuple[HookSpec, ...] = dialect(name).parse(given(source, text)).specs
    usable = {spec.kind.value for spec in specs if not isinstance(spec.action, Unusable)}
    return {"PreToolUse", "Stop"} <= usable


@pytest.mark.parametrize("author", WRITTEN)
def test_every_file_in_another_agents_shape_is_told(program: Program, author: str) -> None:
    language, text = WRITTEN[author]
    unlike: dict[str, bool] = {}
    for name in names():
        for source in config_files(name, program.workspace, program.home):
            path = Path(source.path)
            if LANGUAGES[source.format] == language:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                unlike[source.shown] = unlike.get(source.shown, True) and not runs(name, source, text)
    errors = {
        each["source"]
        for each in json.loads(program("check", "--json").stdout)
        if each["severity"] == "error"
    }
    assert [shown for shown, wrong in unlike.items() if wrong and shown not in errors] == []


def test_a_whole_file_of_another_agent_is_called_so(program: Program) -> None:
    program.write(".cursor/hooks.json", HOOKS)
    program.write(".kiro/hooks/guards.json", HOOKS)
    program.write(".codex/hooks.json", HOOKS)  # it has the same events, and the same groups
    found = json.loads(program("check", "--json").stdout)
    told = {
        each["source"]: (each["message"], each["hint"]) for each in found if each["code"] == "foreign-file"
    }
    assert told == {
        ".cursor/hooks.json": (
            "this is written as Claude Code has its hooks, and Cursor runs none of them",
            "`hookline convert claude cursor .cursor/hooks.json` writes it for Cursor",
        ),
        ".kiro/hooks/guards.json": (
            "this is written as Claude Code has its hooks, and Kiro runs none of them",
            "`hookline convert claude kiro .kiro/hooks/guards.json` writes it for Kiro",
        ),
    }
    for path, (_, hint) in told.items():
        words = hint.split("`")[1].split()[1:]
        made = program(*words).stdout
        program.write(path, made)
    assert not [each for each in json.loads(program("check", "--json").stdout) if each["severity"] == "error"]


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [
        (r'"C:\Users\kim\bin\guard.exe"', r'"C:\\Users\\kim\\bin\\guard.exe"'),
        (r'"grep -q \.env .list"', r'"grep -q \\.env .list"'),
        ('"true",', '"true"'),
    ],
)
def test_a_fault_of_json_hides_nothing_behind_it(program: Program, wrong: str, mended: str) -> None:
    def text(command: str) -> str:
        entry = f'{{"type": "command",\n "command": {command}}}'
        return f'{{"version": 1, "hooks": {{\n"beforeShellExecution": [{entry}],\n"PreToolUse": [{entry}]\n}}}}\n'

    program.write(".cursor/hooks.json", text(wrong))
    told = [(each["code"], each["line"]) for each in json.loads(program("check", "--json").stdout)]
    assert [place for place in told if place[0] in ("bad-json", "unknown-event")] == [
        *([("bad-json", 3), ("unknown-event", 4), ("bad-json", 5)]),
    ]
    program("check", "--fix")
    after = (program.workspace / ".cursor/hooks.json").read_text()
    assert after == text(mended).replace("PreToolUse", "preToolUse")


def test_comments_in_plain_json_hide_nothing_and_stay(program: Program) -> None:
    text = """{"version": 1, // ours
"hooks": { /* all
of them */ "PreToolUse": [{"command": "true"}]}}"""
    program.write(".cursor/hooks.json", text)
    told = [(each["code"], each["line"]) for each in json.loads(program("check", "--json").stdout)]
    assert told == [("bad-json", 1), ("foreign-file", 1), ("bad-json", 2), ("unknown-event", 3)]
    program("check", "--fix")
    assert (program.workspace / ".cursor/hooks.json").read_text() == text
