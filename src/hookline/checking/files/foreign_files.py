"""Files of hooks that are written as another agent has them: not one of their hooks runs where they are."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.entries import ConfigFile
from hookline.dialects import agent_names, readable
from hookline.dialects.base import Source, SourceText
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, Unusable


def foreign_file(file: ConfigFile) -> Iterator[Problem]:
    """That another agent would run every hook of a file of which its own runs none."""
    if file.root is None or file.loaded.source.scope == "plugin" or any(entry.runs for entry in file.entries):
        return
    if all(problem.severity != "error" for problem in file.loaded.problems):
        return
    source, text = file.loaded.source, file.root.lines.text
    form_wrong = any(told.code == "wrong-type" and told.path == "hooks" for told in file.loaded.problems)
    has_usual = not form_wrong and file.speaker.kind_of(EventKind.PreToolUse.name)
    for other in readable(agent_names(), profiles=True):
        form, label = other.profile.read_as
        if other is file.speaker or form.removesuffix("c") != source.format.removesuffix("c"):
            continue
        given = SourceText(
            Source(source.path, source.scope, form, source.shown, label), "text", text, path=source.path
        )
        found = other.parse(given)
        faultless = all(problem.severity != "error" for problem in found.problems)
        own = {row.native for row in (*other.rows, *other.rules.values())}
        as_written = all(_runs(spec) and spec.native_event in own for spec in found.specs)
        if has_usual and all(spec.native_event in EventKind.__members__ for spec in found.specs):
            continue  # these names tell nothing: its own agent has such as well
        if found.specs and faultless and as_written:
            if not form_wrong and all(file.speaker.kind_of(spec.native_event) for spec in found.specs):
                return  # all that is wrong is what stands around them, which was told
            title = file.speaker.title
            words = f"this is written as {other.title} has its hooks, and {title} runs none of them"
            hint = f"`hookline convert {other.name} {file.speaker.name} {source.shown}` writes it for {title}"
            yield file.problem(file.root, "foreign-file", words, hint, severity="error")
            return


def _runs(spec: HookSpec) -> bool:
    return spec.kind is not EventKind.NoSuchEvent and not isinstance(spec.action, Unusable)
