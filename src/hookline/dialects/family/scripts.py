"""Hooks that are executables in a folder, each named after its event."""

from __future__ import annotations

import os.path
from re import match

from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.editing.programs import installed
from hookline.dialects.family import FamilyDialect
from hookline.dialects.spelling import nearest
from hookline.model.errors import Problem, make_executable
from hookline.model.hooks import Command, HookSpec, switched_off
from hookline.model.record import replace

_LIKE_AN_EVENT = (
    r"(?i:pre|post|on|before|after)(?:[A-Z]|[-_]?(?i:commit|push|save|tool|edit|command|task))"
    r"|(?:Task|Session|Agent|Subagent|Tool|User|Prompt)\w*(?:Start|Begin|Submit|Stop|End|Finish|Complete|Done)(?:ed)?$"
)
ENDINGS = ("", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py")


def read_script(dialect: FamilyDialect, given: SourceText) -> Loaded:
    """One executable: the hook of the event it is named after, or none of any."""
    found = Loaded(given.source, given.state)
    native, ending = os.path.splitext(os.path.basename(given.path))
    row = next((row for row in dialect.rows if row.native.lower() == native.lower()), None)
    if given.state != "text" or ending not in ENDINGS:
        strange = row is not None and given.text.startswith("#!") and ending != ".ps1"
        return replace(found, problems=_no_name(dialect, given, row)) if row and strange else found
    if row is None:
        return replace(found, problems=_no_event(dialect, given, native))
    ours = {entry.native: entry.command for entry in installed(dialect, given.text)}
    action = Command(ours[row.native]) if row.native in ours else Command(argv=(given.path,))
    spec = HookSpec(
        f"{dialect.name}:{row.native}:1", dialect.name, row.kind, row.native, action, timeout_s=row.timeout_s,
        **given.at(1),
    )  # fmt: skip
    if given.mode & 0o100:
        return replace(found, specs=(spec,))
    told = "it is not executable, so the agent passes it over"
    hint = make_executable(given.shown)
    problem = Problem(given.shown, 1, 1, "", "not-executable", told, hint, guard=row.guards)
    return replace(found, specs=(switched_off(spec, "its file is not executable"),), problems=(problem,))


def _no_name(dialect: FamilyDialect, given: SourceText, row: AgentRule) -> tuple[Problem, ...]:
    """A script that its ending keeps from being run."""
    words = f"{dialect.title} runs no `{os.path.basename(given.path)}`: an ending it does not know"
    hint = f"rename it to `{row.native}`"
    return (Problem(given.shown, 1, 1, "", "unread-file", words, hint, guard=row.guards),)


def _no_event(dialect: FamilyDialect, given: SourceText, name: str) -> tuple[Problem, ...]:
    """An executable among the hooks whose name is nearly that of an event; any other file may lie there."""
    known = [row.native for row in dialect.rows]
    meant = nearest(name, known)
    if not (meant or match(_LIKE_AN_EVENT, name)) or not given.text.startswith("#!"):
        return ()
    words = f"there is no event `{name}`, so nothing runs this file"
    hint = f"did you mean `{meant}`?" if meant else f"known events: {', '.join(known)}"
    return (Problem(given.shown, 1, 1, "", "unknown-event", words, hint, guard=False),)
