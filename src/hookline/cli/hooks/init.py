"""`hookline init`: a first `.hookline/hooks.toml`, made after a look at the repository."""

from __future__ import annotations

import os.path
import sys

from hookline.cli import common
from hookline.cli.render import counted
from hookline.engine.loading import load_hooks, places_for
from hookline.installing.first_hooks import FILE, first_hooks
from hookline.model.errors import ConfigError
from hookline.system import files


def run(arguments: list[str]) -> int:
    """Writes the file once; an existing one is never touched."""
    parser = common.parser(
        "init", "Writes a first .hookline/hooks.toml for the tools found here.", "hookline init --print"
    )
    parser.add_argument("--print", action="store_true", help="print it, write nothing")
    options = parser.parse_args(arguments)
    workspace = common.place_of(options.workspace)
    text, tools = first_hooks(workspace)
    if options.print:
        sys.stdout.write(text)
        return 0
    path = os.path.join(workspace, FILE)
    if os.path.lexists(path):
        raise ConfigError(
            f"`{FILE}` is there already and was left alone", "`hookline init --print` shows a new one"
        )
    files.ensure_dir(os.path.dirname(path))
    files.write_atomic(path, text)
    names = ", ".join(tool.name for tool in tools) or "no formatter, linter or tests recognised"
    common.say(f"{FILE}: written, with the packs git, files, secrets and self, and: {names}")
    for source, count in _hooks_there(workspace).items():
        common.say(
            f"{source}: {counted(count, 'hook')} already there, left alone: `hookline probe` attacks guards"
        )
    common.say("next: read it, then `hookline trust`; `hookline install claude` puts it in front of an agent")
    return 0


def _hooks_there(workspace: str) -> dict[str, int]:
    """How many hooks each file of an agent has here."""
    found: dict[str, int] = {}
    for spec in load_hooks(places_for(workspace)).specs:
        if spec.source != FILE and spec.scope != "shipped":
            found[spec.source] = found.get(spec.source, 0) + 1
    return found
