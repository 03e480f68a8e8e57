"""Goose: a folder per plugin, two answers. Read from its guide (0825b570) and older sources."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.base import Loaded
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import BLOCK, COMMAND, TIMEOUT, TYPE, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import Tools
from hookline.model.errors import Problem
from hookline.model.events import EventKind as K
from hookline.model.hooks import switched_off
from hookline.model.record import replace
from hookline.model.short_json import json_or
from hookline.model.typing import Sequence
from hookline.system.files import read_text

_PLUGINS = "/.agents/plugins/"


class GooseDialect(FamilyDialect):
    """Settings of its own switch plugins by the name of their folder; the nearest that names one decides."""

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        roots = {entry.source.scope: entry.source.path.partition(_PLUGINS)[0] for entry in loaded}
        project, user = (
            [f"{roots[scope]}/.config/goose/{name}" for name in names] if scope in roots else []
            for scope, names in (
                ("project", ("settings.local.json", "settings.json")),
                ("user", ("settings.json",)),
            )
        )
        return [_switched(entry, project, user) for entry in super().combine(loaded)]


def _switched(entry: Loaded, project: Sequence[str], user: Sequence[str]) -> Loaded:
    """No project switches off a guard of the user's; that Goose lets it is told."""
    name, users = entry.source.path.partition(_PLUGINS)[2].partition("/")[0], entry.source.scope == "user"
    if not entry.specs or entry.source.adopted:
        return entry
    if there := _off(name, user if users else [*project, *user]):
        return entry.changed(
            lambda spec: switched_off(spec, f"`disabledPlugins` of `{there}` lists `{name}`")
        )
    if users and (there := _off(name, project)):
        words = f"`{there}` has Goose leave this plugin out; hookline runs its hooks"
        place = entry.source.shown, entry.specs[0].line, 0, ""
        return replace(
            entry, problems=(*entry.problems, Problem(*place, "hidden-hooks", words, "", "warning"))
        )
    return entry


def _off(name: str, files: Sequence[str]) -> str:
    """The first file that names a plugin, if it switches it off."""
    for path in files:
        said = json_or(read_text(path).text)
        if isinstance(said, dict):
            off, on = (said.get(key) for key in ("disabledPlugins", "enabledPlugins"))
            if isinstance(off, list) and name in off:
                return path
            if isinstance(on, list) and name in on:
                return ""
    return ""


TWICE = frozenset({"BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"})

DIALECT = GooseDialect(Agent(
    name="goose",
    title="Goose",
    program="goose",
    sources="its hooks guide for 1.48 to 1.50, and hooks/mod.rs of an older version",
    files=(
        File("user", "{home}/.agents/plugins/*/hooks/hooks.json"),
        File("user", "{home}/.agents/plugins/hookline/hooks/hooks.json", ours=True),
        File("project", "{ws}/.agents/plugins/*/hooks/hooks.json"),
        File("project", "{ws}/.agents/plugins/hookline/hooks/hooks.json", ours=True),
    ),
    order="sequential",
    stop_at="deny",
    rows=(
        event("SessionStart", subject=""),
        event("SessionEnd", subject=""),
        event("UserPromptSubmit", subject="prompt"),
        event("PreToolUse", "deny"),
        event("PostToolUse", feedback=False),
        event("PostToolUseFailure", feedback=False),
        event("Stop", "deny reprompt", fields="last_assistant_message?"),
        event("PreToolUseResult", "", K.PermissionDenied, fields="tool_name tool_input reason?"),
        event("BeforeReadFile", "", K.PreToolUse, subject="file"),
        event("AfterFileEdit", "", K.PostToolUse, subject="file", feedback=False),
        event("BeforeShellExecution", "", K.PreToolUse, subject="command"),
        event("AfterShellExecution", "", K.PostToolUse, subject="command", feedback=False),
    ),
    about={
        "BeforeReadFile": ("Read",), "AfterFileEdit": ("Edit", "Write"), "BeforeShellExecution": ("Bash",),
        "AfterShellExecution": ("Bash",),
    },
    never=TWICE | {"PreToolUseResult"},
    tools=Tools(
        names=(
            ("Bash", "developer__shell"), ("Write", "developer__write"), ("Edit", "developer__edit"),
            ("LS", "developer__tree"),
        ),
        fields={
            "Write": {"file_path": "path"},
            "Edit": {"file_path": "path", "old_string": "before", "new_string": "after"},
        },
        mcp="{server}__{tool}",
    ),
    keys=(
        TYPE, COMMAND, TIMEOUT,
        Key("on_failure", "allow|block", "on_failure", "what becomes of the call when the hook decides nothing"),
    ),
    timeout_s=30.0,
    closes_at=frozenset({K.PreToolUse}),
    drops=frozenset({"bad-value"}),
    matching="regex",
    star=False,
    payload={
        "hook_event_name": "event", "cwd": "working_dir", "prompt": "message", "tool_use_id": "tool_call_id",
        "transcript_path": "", "permission_mode": "", "agent_id": "", "agent_type": "",
    },
    adds={"matcher_context": "{subject}"},
    environment={"PLUGIN_ROOT": "{plugin}"},
    says=(BLOCK, Says("allow", "decision", "allow")),
    json_counts="always",
    plain_is="undecided",
    as_read=frozenset({"a_decision"}),
    needs=(
        "Goose reads plugins when it starts; it wants a `plugin.json` (name, version, description) beside `hooks`",
        "other agents may read `.agents/plugins` too: install for one of them",
    ),
))  # fmt: skip
