"""Where Copilot's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path
import re

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged import switched_off
from hookline.dialects.copilot.rules import EVENTS_LIKE_CLAUDE, TOOLS
from hookline.dialects.keys import (
    ALLOWED_ENV,
    ARGS,
    HEADERS,
    LINE,
    MATCHER,
    PROMPT,
    PROMPTS,
    TIMEOUT,
    URL,
    Key,
    events_schema,
    handler_schema,
    read_keys,
)
from hookline.dialects.matching.matchers import CLAUDE_EXACT, Compiled, names_or_regex, regex, report_matcher
from hookline.dialects.tools import CANONICAL
from hookline.model.hooks import Command, Webhook
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.dialects.base import Places, SourceText
    from hookline.dialects.bridged import AgentDialect
    from hookline.dialects.reading import Reader
    from hookline.dialects.reading.json_hooks import Entry
    from hookline.model.hooks import Action, HookSpec

POLICY = "/etc/github-copilot/policy.d"
KEYS = (
    Key("type", "command|http|prompt", words="what kind of hook it is"),
    *(Key(name, "line", handlers=LINE, required=True) for name in ("bash", "powershell", "command", "exec")),
    replace(ARGS, words="arguments of `exec`"), MATCHER, Key("cwd", "text", "options.cwd", "where it runs"),
    Key("env", "map", "env", "further variables"), replace(TIMEOUT, name="timeoutSec"), TIMEOUT,
    URL, HEADERS, ALLOWED_ENV, replace(PROMPT, handlers=PROMPTS), Key("comment"),
    *(Key(name, words="the line there") for name in ("windows", "linux", "osx")),
)  # fmt: skip
_LOCAL = re.compile(r"http://(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)")
HTTPS_ONLY = frozenset({"preToolUse", "PreToolUse", "permissionRequest", "PermissionRequest"})


def sources(places: Places) -> list[Source]:
    """In the order their hooks run, as the hooks reference has it: policy, user, project, plugins."""
    user = places.variables.get("COPILOT_HOME") or os.path.join(places.home, ".copilot")
    shown = "~/.copilot" if user == os.path.join(places.home, ".copilot") else user
    github = os.path.join(places.workspace, ".github")
    return [
        *_folder(POLICY, POLICY, "managed"),
        *_folder(os.path.join(user, "hooks"), f"{shown}/hooks", "user"),
        Source(os.path.join(user, "settings.json"), "user", "json", f"{shown}/settings.json", "inline"),
        *_folder(os.path.join(github, "hooks"), ".github/hooks", "project"),
        *(
            Source(os.path.join(github, "copilot", name), scope, "json", f".github/copilot/{name}", "inline")
            for name, scope in (("settings.json", "project"), ("settings.local.json", "local"))
        ),
    ]


def parse(dialect: AgentDialect, given: SourceText) -> Loaded:
    """The hooks of one file of a hooks folder, or of the `hooks` of a settings file."""
    from hookline.dialects.bridged.flat_hooks import check_version, flat_specs
    from hookline.dialects.reading import read_source

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        if given.source.label != "inline":
            check_version(root)
        off = root.boolean("disableAllHooks")
        specs = flat_specs(dialect, given, root.object("hooks"), _spec)
        return specs, {"disableAllHooks": off} if off is not None else {}

    return read_source(given, read)


def combine(given: Sequence[Loaded]) -> list[Loaded]:
    """In a settings file the switch is for all hooks, in a hooks file for that file's own."""
    everywhere = any(
        entry.settings.get("disableAllHooks") for entry in given if entry.source.label == "inline"
    )

    def placed(entry: Loaded) -> Loaded:
        if entry.source.scope == "managed" or not (everywhere or entry.settings.get("disableAllHooks")):
            return entry
        return replace(
            entry, specs=tuple(switched_off(spec, "`disableAllHooks` is set") for spec in entry.specs)
        )

    return [placed(entry) for entry in given]


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of a file in `.github/hooks`."""
    found = events_schema(
        "GitHub Copilot hooks", (row.native for row in dialect.rows), handler_schema(KEYS),
        version={"const": 1}, disableAllHooks={"type": "boolean"},
    )  # fmt: skip
    return {**found, "required": ["version", "hooks"]}


def _folder(path: str, shown: str, scope: str) -> Iterator[Source]:
    from hookline.system.files import list_dir

    for name in sorted(entry.name for entry in list_dir(path).entries if entry.name.endswith(".json")):
        yield Source(os.path.join(path, name), scope, "json", f"{shown}/{name}", "file")


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    from hookline.dialects.reading.json_hooks import make_spec

    reader = entry.reader
    kind = reader.choice("type", ("command", "http", "prompt")) or (
        "http" if reader.has("url") else "command"
    )
    action = None if reader.broken else _action(reader, kind, entry.native)
    values = read_keys(reader, KEYS)
    compiled = _compiled(entry.native, entry.matcher)
    if row := dialect.row(entry.native):
        known = TOOLS.known()
        if entry.native in EVENTS_LIKE_CLAUDE:
            known = (*CANONICAL, *known)
        report_matcher(reader, row, compiled, known)
    return make_spec(
        entry, given, dialect.name, number, action, values, timeout_s=30.0, matcher=compiled.matcher
    )


def _compiled(native: str, text: str | None) -> Compiled:
    """The whole value by a pattern; where the event is Claude Code's, by its rules."""
    return names_or_regex(text, CLAUDE_EXACT) if native in EVENTS_LIKE_CLAUDE else regex(text, anchored=True)


def _action(reader: Reader, kind: str, native: str) -> Action | None:
    if kind == "http":
        return _webhook(reader, native)
    if kind == "prompt":
        reader.report(
            reader.node, "wrong-handler", "prompts are typed into Copilot's own session; not run here"
        )
        return None
    program = reader.string("exec")
    if program:
        return Command(argv=(program, *(reader.string_list("args") or ())))
    for key in ("bash", "command"):
        if line := reader.string(key, blank=False):
            return Command(line, shell=("bash", "-c"))
    if reader.has("powershell"):
        line = reader.string("powershell", blank=False)
        return Command(line, shell=("pwsh", "-NoProfile", "-Command")) if line else None
    if not reader.broken:
        reader.report(reader.node, "missing-key", "`bash` is missing", 'write `"bash": "…"`')
    return None


def _webhook(reader: Reader, native: str) -> Action | None:
    url = reader.string("url", required=True, blank=False, wanted="a URL")
    headers = reader.string_map("headers") or {}
    allowed = reader.string_list("allowedEnvVars") or ()
    if url is None:
        return None
    if not url.startswith("https://") and (native in HTTPS_ONLY or not _LOCAL.match(url)):
        wanted = "https://" if native in HTTPS_ONLY else "https://, or http:// to this machine"
        reader.report(reader.node.members["url"], "bad-value", f"expected {wanted}, found `{url}`")
        return None
    return Webhook(url, "POST", headers, allowed)
