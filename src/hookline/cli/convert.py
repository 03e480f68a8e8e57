"""`hookline convert FROM TO [FILE]`: one dialect's config as another's, with a report of what is lost."""

from __future__ import annotations

import os.path
import sys

from hookline.cli import common
from hookline.cli.render import counted
from hookline.model.errors import ConfigError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.dialects.base import Loaded, Source
    from hookline.dialects.converting import Converted
    from hookline.model.errors import Problem
    from hookline.model.hooks import HookSpec


def run(arguments: list[str]) -> int:
    """Exits 1 when a guard would be weaker than before; the result is printed all the same."""
    parser = common.parser(
        "convert",
        "Prints one dialect's hooks as another dialect's config.",
        "hookline convert claude hookline",
    )
    parser.add_argument("source", metavar="FROM", help="the dialect to read")
    parser.add_argument("target", metavar="TO", help="the dialect to write")
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a config file (default: the workspace's own)"
    )
    parser.add_argument("--json", action="store_true", help="the report on stderr as JSON")
    options = parser.parse_args(arguments)
    source, target = common.known_dialect(options.source), common.known_dialect(options.target)
    from hookline.dialects.converting import convert

    if source == target == "iteratr":
        return _renewed(options.file, common.workspace_of(options.workspace))
    specs, problems, settings = _read(source, options.file, common.workspace_of(options.workspace))
    converted = convert(_migrated(specs, problems), source, target, settings)
    sys.stdout.write(converted.text)
    silenced = [problem for problem in problems if problem.severity == "error"]
    _report(converted, silenced, options.json, source, target)
    return 1 if converted.weakens or any(problem.guard for problem in silenced) else 0


def _read(
    source: str, file: str | None, workspace: str
) -> tuple[list[HookSpec], list[Problem], dict[str, Any]]:
    """The hooks of one file, or of the workspace's own files of that dialect; and what these say beside."""
    from hookline.dialects import dialect
    from hookline.dialects.editing.installing import ENTRY
    from hookline.engine.loading import load_sources, places_for

    places = places_for(workspace)
    speaker = dialect(source)
    sources = speaker.sources(places)
    if file is None:
        chosen = [each for each in sources if each.scope in ("project", "local")]
    else:
        chosen = [_source_of(source, os.path.abspath(file), workspace, sources)]
    loaded: Sequence[Loaded] = load_sources(source, chosen)
    found = [entry for entry in loaded if entry.state == "text"]
    if not found:
        shown = ", ".join(each.shown for each in chosen)
        raise ConfigError(f"no config of {speaker.title} to convert: looked at {shown}")
    specs = [spec for entry in found for spec in entry.specs if not ENTRY.search(spec.command)]
    settings = {key: value for entry in loaded for key, value in entry.settings.items()}
    return specs, [problem for entry in found for problem in entry.problems], settings


def _source_of(source: str, path: str, workspace: str, sources: Sequence[Source]) -> Source:
    from hookline.dialects.base import Source

    if not os.path.exists(path):
        raise UsageError(f"convert: there is no file `{path}`")
    for each in sources:
        if each.path == path:
            return each
    start = workspace.rstrip("/") + "/"
    kinds = [each for each in sources if each.scope == "project"]
    like = next((each for each in kinds if path.endswith(os.path.splitext(each.path)[1])), kinds[0])
    return Source(path, "project", like.format, path.removeprefix(start), like.label)


def _renewed(file: str | None, workspace: str) -> int:
    """iteratr's own file with its habits of version 1 written out, every other byte as it was."""
    from hookline.dialects.iteratr.migration import migrated
    from hookline.system.files import read_text

    path = file or os.path.join(workspace, ".iteratr.hooks.yml")
    found = read_text(path)
    if found.state != "text":
        raise ConfigError(f"`{path}` {found.reason}")
    migration = migrated(found.text, path)
    sys.stdout.write(migration.text)
    for line in migration.added:
        common.say(f"{path}:{line}: `pipe_output: true` added")
    for line in migration.left:
        common.say(f"{path}:{line}: shared by an anchor; add `pipe_output: true` by hand")
    return 1 if migration.left else 0


def _migrated(specs: Sequence[HookSpec], problems: Sequence[Problem]) -> list[HookSpec]:
    """iteratr's habit of before version 2, when every `pre_iteration` hook was piped, written out."""
    from hookline.model.record import replace

    old = {problem.line for problem in problems if problem.code == "v1-habit"}
    return [
        replace(spec, options={**spec.options, "pipe_output": True})
        if spec.dialect == "iteratr" and spec.line in old
        else spec
        for spec in specs
    ]


def _report(
    converted: Converted, problems: Sequence[Problem], as_json: bool, source: str, target: str
) -> None:
    if as_json:
        import json

        from hookline.model.record import fields_of

        report = {
            "schema": 1, "from": source, "to": target, "weakens": converted.weakens,
            "hooks": len(converted.specs), "losses": [fields_of(loss) for loss in converted.losses],
            "problems": [str(problem) for problem in problems],
        }  # fmt: skip
        common.say(json.dumps(report, ensure_ascii=False))
        return
    for problem in problems:
        common.say(str(problem))
    for loss in converted.losses:
        word = "weaker" if loss.weakens else "lost"
        hook = f"{loss.source}:{loss.line}: {loss.hook} ({loss.event}): " if loss.hook else ""
        common.say(f"{word}: {hook}{loss.message}")
    weaker = sum(loss.weakens for loss in converted.losses)
    common.say(
        f"{counted(len(converted.specs), 'hook')} written, {counted(len(converted.losses), 'difference')}"
        + (f", {weaker} of them {'makes' if weaker == 1 else 'make'} a guard weaker" if weaker else "")
    )
