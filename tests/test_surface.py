"""The outside is whole: every command explains itself by an example that works, every table names all there is."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from tests.program import Program

from hookline.cli.commands import COMMANDS
from hookline.dialects import dialect, names
from hookline.model.events import EventKind
from hookline.model.results import Outcome, Status

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hookline"
CLI_PAGE = ROOT / "docs" / "cli.md"
# Examples of these start something that stays, need an agent or a model, or measure for minutes.
NOT_TRIED = frozenset(
    ["run", "iterate", "serve", "issues", "demo", "scripted-agent", "entrypoint", "bridge", "resident", "tail",
     "bench", "install", "uninstall", "replay", "record", "show", "test", "task", "note", "config", "sessions",
     "convert", "get", "worker", "page"]
)  # fmt: skip


def commands_table() -> str:
    """The table of docs/cli.md, made from the commands themselves."""
    lines = ["| command | does |", "|---|---|"]
    lines += [f"| `hookline {name}` | {row.summary} |" for name, row in sorted(COMMANDS.items())]
    return "\n".join(lines)


def test_the_page_of_commands_is_the_table_of_commands() -> None:
    """Run `python -m tests.test_surface` to write it anew."""
    assert commands_table() in CLI_PAGE.read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(program: Program, command: str) -> None:
    done = program(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"hookline {command}" in done.stdout
    assert re.search(r"examples?:", done.stdout), done.stdout


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - NOT_TRIED))
def test_the_example_of_a_command_works(program: Program, command: str) -> None:
    """In a workspace with the hook that examples speak of; 1 and 2 are answers, not wrong usage."""
    program.write(
        ".gen/settings.json",
        '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    program("fire", "PreToolUse", stdin='{"tool_name": "Bash"}')
    text = program(command, "--help").stdout
    example = re.split(r"examples?:", text)[1].strip().splitlines()[0].strip()
    line = example.rpartition("| ")[2].split("  #")[0]
    words = shlex.split(line)
    assert words[:2] == ["hookline", command], example
    done = program(*words[1:], stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert done.returncode in (0, 1, 2), (example, done.stderr)


def test_every_event_has_a_row_in_some_dialect() -> None:
    found = {kind for name in names() for kind in dialect(name).rules}
    assert set(EventKind) - found - {EventKind.NoSuchEvent} == set()


def test_what_a_hook_can_mean_is_read_by_the_engine_or_a_host() -> None:
    unread = set(Outcome._fields)
    for folder in ("engine", "hosts", "model"):
        for path in (SOURCE / folder).rglob("*.py"):
            if path.name != "results.py":
                tree = ast.parse(path.read_text())
                unread -= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert unread == set()


def test_every_status_is_explained() -> None:
    text = CLI_PAGE.read_text()
    assert [status.value for status in Status if f"`{status.value}`" not in text] == []


def test_every_variable_we_read_is_documented() -> None:
    """Nothing is read from the environment that the table of docs/cli.md does not list."""
    ours = set()
    for path in SOURCE.rglob("*.py"):
        if path.name not in ("environment.py", "writing_text.py"):
            ours |= set(re.findall(r'"(HOOKLINE_[A-Z_]+)"', path.read_text()))
    table = CLI_PAGE.read_text().partition("## Environment")[2]
    assert sorted(name for name in ours if f"`{name}" not in table) == []


if __name__ == "__main__":
    page = CLI_PAGE.read_text()
    start, end = page.index("| command | does |"), page.index("\n\n", page.index("| command | does |"))
    CLI_PAGE.write_text(page[:start] + commands_table() + page[end:])
