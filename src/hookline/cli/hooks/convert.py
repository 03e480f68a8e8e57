"""`hookline convert FROM TO [FILE]`: one dialect's config as another's, with a report of what is lost."""

from __future__ import annotations

import json
import os.path
import sys
from collections.abc import Iterator, Sequence

from hookline.checking.conversion import losses_of
from hookline.checking.entries import ConfigFile
from hookline.checking.lines import HookLine
from hookline.cli import common
from hookline.cli.hooks.listing import NOT_PARSED
from hookline.cli.render import counted
from hookline.dialects import dialect
from hookline.dialects.base import Loaded, Source
from hookline.dialects.converting.details import Loss
from hookline.dialects.converting.whole import Converted, convert
from hookline.dialects.editing.entries import ENTRY
from hookline.dialects.profile import Renewal
from hookline.engine.loading import load_sources, places_for
from hookline.model.errors import ConfigError, Problem, UsageError
from hookline.model.hooks import HookSpec, said_of, saying
from hookline.model.record import fields_of, replace
from hookline.system.files import read_text, write_atomic


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
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to a new file")
    parser.add_argument("--json", action="store_true", help="the report on stderr as JSON")
    options = parser.parse_args(arguments)
    source, target = common.known_dialect(options.source), common.known_dialect(options.target)

    if options.output and os.path.lexists(options.output):
        raise UsageError(f"convert: `{options.output}` exists; name a new file, nothing is replaced")
    workspace = common.workspace_of(options.workspace)
    renewal = dialect(source).profile.renewal
    if renewal is not None and source == target:
        return _renewed(renewal, options.file, options.output, workspace)
    found = _read(source, options.file, workspace)
    specs = [spec for entry in found for spec in entry.specs if not ENTRY.match(spec.command)]
    problems = [problem for entry in found for problem in entry.problems]
    settings = {key: value for entry in found for key, value in entry.settings.items()}
    if not specs and any(problem.code in NOT_PARSED for problem in problems):
        for problem in problems:
            common.say_problem(problem)
        return 1  # nothing on stdout: a redirection would empty the target
    converted = convert(_migrated(renewal, specs, problems), source, target, settings)
    converted = replace(
        converted,
        losses=(*converted.losses, *_programs(found), *_in_scripts(found, converted, target, workspace)),
    )
    _put(converted.text, options.output)
    silenced = [problem for problem in problems if problem.severity == "error"]
    _report(converted, silenced, options.json, source, target)
    return 1 if converted.weakens or converted.floods or any(problem.guard for problem in silenced) else 0


def _read(source: str, file: str | None, workspace: str) -> list[Loaded]:
    """One file, or the workspace's own files of that dialect."""
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
    return found


def _programs(found: Sequence[Loaded]) -> Iterator[Loss]:
    """Programs that the agent runs itself; one that names an event before something happens may be a guard."""
    for loaded in found:
        if loaded.settings.get("runs_itself"):
            speaker, shown = dialect(loaded.dialect), loaded.source.shown
            text = read_text(loaded.source.path).text
            guards = any(row.guards and row.native in text for row in speaker.rules.values())
            words = (
                f"`{shown}` is a program that {speaker.title} runs itself: nothing of it can be written there"
            )
            yield Loss("", shown, 1, "", "program", words, guards)


def _in_scripts(found: Sequence[Loaded], converted: Converted, target: str, workspace: str) -> Iterator[Loss]:
    """What the scripts of the hooks that were written say that the target takes otherwise."""
    written = {spec.id for spec in converted.specs}
    home = places_for(workspace).home
    for loaded in found:
        file = ConfigFile(loaded, dialect(loaded.dialect), loaded.specs)
        for entry in file.entries:
            if entry.spec.id in written:
                yield from losses_of(HookLine(entry, workspace, home), loaded.dialect, target)


def _source_of(source: str, path: str, workspace: str, sources: Sequence[Source]) -> Source:
    if not os.path.exists(path):
        raise UsageError(f"convert: there is no file `{path}`")
    for each in sources:
        if each.path == path and each.scope != "plugin":  # a plugin's own switch is no matter of its file
            return each
    start = workspace.rstrip("/") + "/"
    kinds = [each for each in sources if each.scope == "project"]
    form, label = dialect(source).profile.read_as
    usual = [each for each in kinds if each.label == label] or kinds
    alike = [each for each in usual if path.endswith(os.path.splitext(each.path)[1])] or usual
    if alike:  # a workspace may have none of its own yet
        form, label = alike[0].format, alike[0].label
    return Source(path, "project", form, path.removeprefix(start), label)


def _put(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomic(output, text)


def _renewed(renewal: Renewal, file: str | None, output: str | None, workspace: str) -> int:
    """The agent's own file with the habits of its older version written out, every other byte as it was."""
    path = file or os.path.join(workspace, renewal.file)
    found = read_text(path)
    if found.state != "text":
        raise ConfigError(f"`{path}` {found.reason}")
    migration = renewal.renewed(found.text, path)
    _put(migration.text, output)
    for line in migration.added:
        common.say(f"{path}:{line}: {renewal.added}")
    for line in migration.left:
        common.say(f"{path}:{line}: {renewal.left}")
    return 1 if migration.left else 0


def _migrated(
    renewal: Renewal | None, specs: Sequence[HookSpec], problems: Sequence[Problem]
) -> list[HookSpec]:
    """The hooks as they were meant by the older version of their format."""
    if renewal is None:
        return list(specs)
    old = {problem.line for problem in problems if problem.code == renewal.code}
    return [
        saying(spec, {**said_of(spec), **renewal.options}) if spec.line in old else spec for spec in specs
    ]


def _report(
    converted: Converted, problems: Sequence[Problem], as_json: bool, source: str, target: str
) -> None:
    if as_json:
        report = {
            "schema": 1, "from": source, "to": target, "weakens": converted.weakens,
            "hooks": len(converted.specs), "losses": [fields_of(loss) for loss in converted.losses],
            "problems": [str(problem) for problem in problems],
        }  # fmt: skip
        common.say(json.dumps(report))
        return
    for problem in problems:
        common.say_problem(problem)
    for line in _told(converted.losses):
        common.say(line)
    weaker = sum(loss.weakens for loss in converted.losses)
    flooding = sum(loss.floods for loss in converted.losses)
    common.say(
        f"{counted(len(converted.specs), 'hook')} written, {counted(len(converted.losses), 'difference')}"
        + (f", {weaker} of them {'makes' if weaker == 1 else 'make'} a guard weaker" if weaker else "")
        + (f", {flooding} of them {'denies' if flooding == 1 else 'deny'} every call" if flooding else "")
    )


def _told(losses: Sequence[Loss]) -> Iterator[str]:
    """Each difference once, with the hooks it concerns below it where they are several."""
    concerned: dict[str, list[str]] = {}
    for loss in losses:
        place = f"{loss.source}:{loss.line}: {loss.hook} ({loss.event})" if loss.hook else ""
        word = "weaker" if loss.weakens else "denies all" if loss.floods else "lost"
        concerned.setdefault(f"{word}: {loss.message}", []).append(place)
    for words, places in concerned.items():
        word, _, message = words.partition(": ")
        if len(places) == 1:
            yield f"{word}: {places[0]}: {message}" if places[0] else words
        else:
            yield f"{words}:"
            yield from (f"  {place}" for place in places)
