"""Builds the documentation as a site: the pages of `docs/`, and reference pages made from the program itself.

python tools/site.py FOLDER      needs zensical; a warning is an error

Beside the pages stand the JSON Schemas, at the addresses that are their `$id`.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import yaml

from hookline.checking.codes import known_codes
from hookline.cli.commands import COMMANDS
from hookline.cli.hooks.schema import SCHEMAS_VERSION, schema_of
from hookline.cli.main import main as hookline
from hookline.dialects import dialect, names
from hookline.model.events import EventKind

ROOT = Path(__file__).parents[1]
SUBCOMMANDS = {
    "issues": ("create", "run", "status", "list"),
    "packs": ("list", "show", "add", "update", "verify"),
}


def main(target: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "docs", folder / "docs")
        reference = folder / "docs/reference"
        reference.mkdir()
        (reference / "commands.md").write_text(commands_page())
        (reference / "codes.md").write_text(codes_page())
        (reference / "events.md").write_text(events_page())
        (reference / "keys.md").write_text(keys_page())
        (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings(folder / "docs"), sort_keys=False))
        command = [Path(sys.executable).parent / "zensical", "build", "--strict"]
        code = subprocess.run(command, cwd=folder).returncode
        if code == 0:
            shutil.copytree(folder / "site", target)
    if code == 0:
        write_schemas(Path(target) / "schemas" / str(SCHEMAS_VERSION))
    return code


def settings(docs: Path) -> dict[str, object]:
    """`mkdocs.yml` with the pages that are found: an agent's page needs no second place to be named."""
    found: dict[str, list[object]] = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    agents = sorted(str(page.relative_to(docs)) for page in (docs / "dialects").rglob("*.md"))
    made = [f"reference/{name}.md" for name in ("commands", "codes", "events", "keys")]
    found["nav"] += [{"Agents": agents}, {"Reference": made}]
    return dict(found)


def commands_page() -> str:
    """Every command with its options, as `--help` says them."""
    lines = ["# Every command", ""]
    for name, row in sorted(COMMANDS.items()):
        lines += [
            f"## {name}",
            "",
            f"`hookline {name}`: {row.summary}.",
            "",
            "```text",
            help_of(name),
            "```",
            "",
        ]
        for other in SUBCOMMANDS.get(name, ()):
            if name in COMMANDS:
                lines += ["```text", help_of(name, other), "```", ""]
    return "\n".join(lines)


def help_of(*words: str) -> str:
    os.environ["COLUMNS"] = "100"
    with redirect_stdout(io.StringIO()) as said:
        assert hookline([*words, "--help"]) == 0
    return said.getvalue().strip()


def codes_page() -> str:
    """Every code of `check` and `doctor`."""
    lines = ["# Every code", "", "`hookline rule CODE` prints one of these in the terminal.", ""]
    for code in sorted(known_codes().values(), key=lambda each: each.name):
        lines += [f"## {code.name}", "", f"**{code.title}**", "", code.text.strip(), ""]
        if code.example:
            lines += ["```text", code.example.strip(), "```", ""]
        lines += [f"*What to do:* {code.fix.strip()}", ""]
    return "\n".join(lines)


def events_page() -> str:
    """Every event, and what each agent calls it."""
    lines = ["# Every event", "", "| event | what agents call it |", "|---|---|"]
    for kind in EventKind:
        natives = [(name, dialect(name).native_of(kind)) for name in names()]
        said = ", ".join(f"{name} `{native}`" for name, native in natives if native)
        if said:
            lines.append(f"| `{kind.value}` | {said} |")
    return "\n".join([*lines, ""])


def keys_page() -> str:
    """Every key of every config, by the path at which it stands."""
    lines = [
        "# Every key",
        "",
        "Made from the schemas (`hookline schema NAME`); the agents' own pages say what each does.",
        "",
    ]
    for name in names():
        lines += [f"## {dialect(name).title or name}", "", "| key | is |", "|---|---|"]
        seen = sorted({(path, words) for path, words in keys(schema_of(name), "") if path})
        lines += [f"| `{path}` | {words} |" for path, words in seen] + [""]
    return "\n".join(lines)


def keys(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    """Paths of all properties with their types, through lists, patterns and alternatives."""
    if not isinstance(schema, dict):
        return
    kind = schema.get("type", "")
    yield path, ", ".join(kind) if isinstance(kind, list) else str(kind)
    for name, each in (schema.get("properties") or {}).items():
        yield from keys(each, f"{path}.{name}" if path else name)
    for part in ("items", "additionalProperties"):
        yield from keys(schema.get(part), f"{path}[]" if part == "items" else f"{path}.NAME")
    for part in ("oneOf", "anyOf", "allOf"):
        for each in schema.get(part) or ():
            yield from keys(each, path)
    for name, each in (schema.get("$defs") or {}).items():
        yield from keys(each, name)


def write_schemas(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in names():
        (folder / f"{name}.json").write_text(json.dumps(schema_of(name), indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
