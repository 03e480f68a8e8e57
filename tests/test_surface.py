"""The outside is whole: every command explains itself by an example that works, every table names all there is."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from typing import get_args

from tests.program import Program, steps

from hookline.cli.commands import COMMANDS
from hookline.dialects import dialect, names
from hookline.model.event_names import EventName
from hookline.model.events import EventKind
from hookline.model.results import Outcome, Status

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hookline"
CLI_PAGE = ROOT / "docs" / "cli.md"
# Their examples stay, need a bus, another program, a file that a person has, or measure for minutes.
NOT_TRIED = (
    "iterate ", "worker ", "serve ", "page ", "tail ", "entrypoint ", "fleet ", "bench ", "demo", "packs add ",
    "probe\n", "history export ", "get ",
)  # fmt: skip
SUBCOMMANDS = (
    "history verify", "history export", "issues create", "issues run", "issues status", "issues list",
    "issues providers", "issues init", "config get", "config set", "config set-auto-push", "config set-git-no-verify",
    "config set-push-remote", "sessions list", "sessions show", "sessions current", "sessions prune", "packs show",
    "packs add", "packs list", "packs verify", "packs update", "fleet publish", "fleet hold", "fleet status",
    "trust request", "trust requests", "trust refuse",
)  # fmt: skip
# What an example comes to where it is not 0: that workspace has no such session, record, guard or request.
CODES = {
    "hookline resident status": 1,
    "hookline test --json": 1,
    "hookline attest --agent claude --output-format sarif": 1,
    "hookline probe 'no force push' --class quotes --class wrappers": 64,
    "hookline history verify --expect 1204:9f86d081884c7d65": 1,
    "hookline sessions show session-1704067200000-abc123": 1,
    "hookline trust refuse 1f3a9c20": 64,
}


def commands_table() -> str:
    """The table of docs/cli.md, made from the commands themselves."""
    lines = ["| command | does |", "|---|---|"]
    lines += [f"| `hookline {name}` | {row.summary} |" for name, row in sorted(COMMANDS.items())]
    return "\n".join(lines)


def test_the_page_of_commands_is_the_table_of_commands() -> None:
    """Run `python -m tests.test_surface` to write it anew."""
    assert commands_table() in CLI_PAGE.read_text()


def helps(program: Program) -> dict[str, str]:
    """What `--help` of every command and of every command below it says."""
    names = (*COMMANDS, *SUBCOMMANDS)
    done = steps(program, *((*name.split(), "--help") for name in names))
    assert [
        (name, each) for name, each in zip(names, done, strict=True) if each.returncode or each.stderr
    ] == []
    return {name: each.stdout for name, each in zip(names, done, strict=True)}


def examples(text: str) -> list[str]:
    return [line.strip() for line in re.split(r"\nexamples?:\n", text)[-1].splitlines() if line.strip()]


def test_every_command_has_help_with_examples_that_work(program: Program) -> None:
    """In a workspace with what they speak of."""
    program.write(
        ".gen/settings.json",
        '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    program.write(".claude/settings.json", (program.workspace / ".gen/settings.json").read_text())
    program.write("turns.yml", "turns: [{text: done}]")
    found = helps(program)
    assert [name for name, text in found.items() if f"hookline {name}" not in text] == []
    assert [name for name, text in found.items() if "\nexample" not in text] == []
    assert [name for name, text in found.items() if "--workspace DIR" not in text] == []
    wide = [line for text in found.values() for line in text.splitlines() if len(line) > 80]
    assert [line for line in wide if "[--" not in line and not line.startswith("  hookline ")] == []
    about = {name: text.partition("\n\n")[2].partition("\n\n")[0] for name, text in found.items()}
    assert len(set(about.values())) == len(about), "each says what it does, in words of its own"
    lines = dict.fromkeys(line for text in found.values() if "\nexample" in text for line in examples(text))
    tried = [line for line in lines if line.startswith("hookline ")]
    tried = [line for line in tried if not f"{line[9:]}\n".startswith(NOT_TRIED)]
    done = steps(program, *(shlex.split(line.partition(" < ")[0])[1:] for line in tried), stdin="{}")
    wrong = [
        (line, each.returncode, each.stderr[-300:])
        for line, each in zip(tried, done, strict=True)
        if each.returncode != CODES.get(line, 0)
    ]
    assert wrong == [], "\n".join(map(str, wrong))


def test_the_list_of_commands_names_each_group_once(program: Program) -> None:
    (done,) = steps(program, ("--help",))
    heads = [line for line in done.stdout.splitlines() if line.endswith(":") and line[0] != " "]
    assert heads == list(dict.fromkeys(f"{row.group}:" for row in COMMANDS.values()))


def test_every_event_has_a_row_in_some_dialect() -> None:
    found = {kind for name in names() for kind in dialect(name).rules}
    assert set(EventKind) - found - {EventKind.NoSuchEvent} == set()


def test_type_checkers_know_every_event() -> None:
    assert set(get_args(EventName)) == {kind.value for kind in EventKind if kind is not EventKind.NoSuchEvent}


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
