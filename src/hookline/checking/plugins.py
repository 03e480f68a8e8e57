"""Hook files beside the agents' own: of a plugin that is written here, and those that no agent reads."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hookline.dialects import agent_names, dialect, names, readable
from hookline.dialects.base import Loaded, Source
from hookline.dialects.spelling import edits
from hookline.engine.hook_ids import identified
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_sources, places_for
from hookline.model.errors import Problem, UsageError
from hookline.model.hooks import HookSpec, noted
from hookline.model.record import Record, replace
from hookline.system import files

MANIFESTS = (
    ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json", ".codex-plugin/plugin.json",
    ".github/plugin/plugin.json", "gemini-extension.json", "plugin.json",
)  # fmt: skip
_PROJECTS = ("project", "local")
_FOLDERS = ("", "plugins/*", "packages/*", "plugin")
# by their names alone: no agent has such a file for anything else
_NEVER_READ = {
    ".hookline/hooks.y*ml": ".hookline/hooks.toml",
    ".hookline/hooks.json": ".hookline/hooks.toml",
    ".hookline/hook.toml": ".hookline/hooks.toml",
    ".hookline.toml": ".hookline/hooks.toml",
    ".claude/settings.jsonc": ".claude/settings.json",
    ".claude/hooks.jsonc": ".claude/settings.json",
    ".codex/hooks.toml": ".codex/config.toml",
    ".cursor/hooks.jsonc": ".cursor/hooks.json",
    ".opencode/hooks/PreToolUse*": ".opencode/plugins/",
    ".opencode/hooks/PostToolUse*": ".opencode/plugins/",
    ".iteratr/hooks.y*ml": ".iteratr.hooks.yml",
    ".iteratr.hooks.yaml": ".iteratr.hooks.yml",
    "iteratr.hooks.y*ml": ".iteratr.hooks.yml",
}
_UNREAD = {
    ".claude/hooks.json": ".claude/settings.json",
    ".claude/hooks/hooks.json": ".claude/settings.json",
    ".claude/settings.hooks.json": ".claude/settings.json",
    ".gemini/hooks.json": ".gemini/settings.json",
    ".gemini/hooks/hooks.json": ".gemini/settings.json",
    ".codex/settings.json": ".codex/hooks.json",
    ".codex/hooks/hooks.json": ".codex/hooks.json",
    ".cursor/hooks/hooks.json": ".cursor/hooks.json",
    ".cursor/settings.json": ".cursor/hooks.json",
    ".github/hooks.json": ".github/hooks/hooks.json",
    ".github/copilot-hooks.json": ".github/hooks/hooks.json",
    ".github/copilot/hooks.json": ".github/hooks/hooks.json",
    ".github/copilot/hooks/*.json": ".github/hooks/hooks.json",
    ".opencode/hooks.json": ".opencode/plugins/",
    ".opencode/hooks/*.json": ".opencode/plugins/",
    ".qwen/hooks.json": ".qwen/settings.json",
    ".windsurf/settings.json": ".windsurf/hooks.json",
    ".devin/hooks.json": ".devin/hooks.v1.json",
    ".junie/config.json": "~/.junie/config.json",
    ".autoagent/hooks.json": ".autoagent/config.json",
    ".gen/hooks.json": ".gen/settings.json",
}
# settings of agents whose only hooks are plugins
_NO_HOOKS = {"opencode.json": "OpenCode", ".opencode/opencode.json": "OpenCode", "kilo.json": "Kilo"}
_OTHER_AGENTS = {".agents/hooks/*": "agents that share `.agents`", ".zcode/hooks.json": "ZCode"}


class Plugin(Record):
    """A plugin's own folder, its name, and the files its hooks are in."""

    folder: str
    name: str
    files: tuple[str, ...]


def with_plugins(hooks: HookSet) -> HookSet:
    """The set with the hooks of plugins that are written in this workspace, as if they were installed."""
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded}
    added = [
        entry
        for plugin in plugins_of(hooks.workspace)
        for path in plugin.files
        if os.path.realpath(path) not in read
        for entry in _loaded(plugin, path, hooks.workspace)
    ]
    if not added:
        return hooks
    specs = identified([spec for entry in added for spec in entry.specs], hooks.workspace)
    problems = tuple(problem for entry in added for problem in entry.problems)
    return replace(
        hooks,
        specs=(*hooks.specs, *specs),
        problems=(*hooks.problems, *problems),
        loaded=(*hooks.loaded, *added),
    )


def plugins_of(workspace: str) -> Iterator[Plugin]:
    """The plugins whose sources are in the workspace: itself, and those of a folder of plugins."""
    for pattern in _FOLDERS:
        for folder in sorted(glob.glob(os.path.join(glob.escape(workspace), pattern))):
            found = _plugin(folder)
            if found is not None:
                yield found


def with_files(hooks: HookSet, paths: Iterable[str], dialects: Sequence[str] | None) -> HookSet:
    """The set with files that nobody reads where they are, as hooks of the agent they look made for.

    Raises UsageError for a file that is not there, or whose agent cannot be told.
    """
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded}
    for path in map(os.path.abspath, paths):
        if os.path.realpath(path) in read or any(spec.path == path for spec in hooks.specs):
            continue
        if not files.is_file(path):
            raise UsageError(f"check: there is no file `{path}`")
        source = _source_for(path, dialects)
        added = [entry for name, each in [source] for entry in load_sources(name, [each])]
        specs = identified([spec for entry in added for spec in entry.specs], hooks.workspace)
        problems = tuple(problem for entry in added for problem in entry.problems)
        loaded = (*hooks.loaded, *added)
        hooks = replace(
            hooks, specs=(*hooks.specs, *specs), problems=(*hooks.problems, *problems), loaded=loaded
        )
    return hooks


def _source_for(path: str, dialects: Sequence[str] | None) -> tuple[str, Source]:
    """By which agent's rules a file is read: as its place says for some workspace above it, else as it looks."""
    wanted = tuple(dialects or names())
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        for name in wanted:
            for source in dialect(name).sources(places_for(folder, {"HOME": os.devnull})):
                if source.path == path:
                    return name, source
        folder = os.path.dirname(folder)
    content = _json(path)
    if not dialects and not _holds_events(content):
        known = ", ".join(names())
        raise UsageError(f"check: which agent reads `{path}`?", f"say it with `--dialect`: {known}")
    name = dialects[0] if dialects else _speaker_of(content)
    form, label = dialect(name).profile.read_as
    return name, Source(path, "project", form, os.path.relpath(path), label)


def _nearly_named(read: set[str], loaded: Iterable[Loaded]) -> Iterator[tuple[str, str]]:
    """Files beside one that is read, with nearly its name: `.claude/setting.json`."""
    for source in {
        each.source.path: each.source for each in loaded if each.source.scope in _PROJECTS
    }.values():
        folder, name = os.path.split(source.path)
        stem, ending = os.path.splitext(name)
        beside = glob.glob(os.path.join(glob.escape(folder), "*.json")) if ending == ".json" else ()
        for path in sorted(beside):
            found = os.path.basename(path).removesuffix(".json")
            if (
                edits(found, stem, 2) <= 2
                and os.path.realpath(path) not in read
                and _holds_events(_json(path))
            ):
                yield path, source.shown


def _misplaced(workspace: str, read: set[str]) -> Iterator[tuple[str, str]]:
    """Files that look as if hooks in them were read, and the file where they would be."""
    for pattern, home in _UNREAD.items():
        yield from ((path, home) for path in _found(workspace, pattern, read) if _holds_events(_json(path)))
    for pattern, home in _NEVER_READ.items():
        yield from ((path, home) for path in _found(workspace, pattern, read))


def stray_files(hooks: HookSet) -> Iterator[Problem]:
    """Files with hooks that nobody reads, or that belong to an agent hookline cannot read."""
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded if entry.state != "missing"}
    for path, home in dict((*_nearly_named(read, hooks.loaded), *_misplaced(hooks.workspace, read))).items():
        shown = os.path.relpath(path, hooks.workspace)
        words = "nothing reads this file, so none of its hooks runs"
        yield Problem(shown, 1, 1, "", "unread-file", words, f"move its hooks to `{home}`")
    for name, agent in _NO_HOOKS.items():
        content = _json(os.path.join(hooks.workspace, name))
        if isinstance(content, dict) and _holds_events({"hooks": content.get("hooks")}):
            words = f"{agent} has no hooks in its settings, so none of these runs"
            hint = f"move them to `.hookline/hooks.toml`, and run `hookline install {agent.lower()}`"
            yield Problem(name, 1, 1, "hooks", "unread-file", words, hint)
    for pattern, agent in _OTHER_AGENTS.items():
        for path in _found(hooks.workspace, pattern, read):
            if "hook" in os.path.relpath(path, hooks.workspace) or "hooks" in (_json(path) or {}):
                shown = os.path.relpath(path, hooks.workspace)
                words = f"these are hooks of {agent}, which hookline does not read: they are not checked"
                yield Problem(shown, 1, 1, "", "unknown-agent", words, "", "notice")


def _found(workspace: str, pattern: str, read: set[str]) -> Iterator[str]:
    for path in sorted(glob.glob(os.path.join(glob.escape(workspace), pattern))):
        if os.path.isfile(path) and os.path.realpath(path) not in read:
            yield path


def _plugin(folder: str) -> Plugin | None:
    manifest = next((path for name in MANIFESTS if files.is_file(path := os.path.join(folder, name))), None)
    given = _json(manifest) if manifest else None
    named = given.get("hooks") if isinstance(given, dict) else None
    given_paths = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    paths = [each for each in given_paths if isinstance(each, str)]
    found = [os.path.normpath(os.path.join(folder, path)) for path in ("hooks/hooks.json", *paths)]
    if manifest and isinstance(named, dict):
        found.append(manifest)
    loose = os.path.join(folder, "hooks.json")
    if manifest:
        found.append(loose)
    there = tuple(
        path
        for path in dict.fromkeys(found)
        if files.is_file(path) and (path != loose or _holds_events(_json(path)))
    )
    name = str(given.get("name") or "") if isinstance(given, dict) else ""
    return Plugin(folder, name or os.path.basename(folder), there) if there else None


def _loaded(plugin: Plugin, path: str, workspace: str) -> Iterator[Loaded]:
    name = _speaker_of(_json(path))
    speaker = dialect(name).profile
    label = speaker.plugin.format(name=plugin.name)
    source = Source(path, "plugin", speaker.read_as[0], os.path.relpath(path, workspace), label)
    for entry in load_sources(name, [source]):
        yield replace(entry, specs=tuple(_as_installed(spec, plugin) for spec in entry.specs))


def _as_installed(spec: HookSpec, plugin: Plugin) -> HookSpec:
    marks = {"disabled_why": "", "plugin": plugin.name, "plugin_root": plugin.folder}
    return replace(noted(spec, **marks), enabled=True)


def _speaker_of(content: Any) -> str:
    """The agent whose event names most of the file's are; the first of the registry where that is not clear."""
    hooks = content.get("hooks") if isinstance(content, dict) else None
    natives = set(hooks) if isinstance(hooks, dict) else set()
    counts = {
        speaker.name: len(natives.intersection(row.native for row in speaker.rows))
        for speaker in readable(agent_names(), profiles=True)
    }
    return max(counts, key=lambda name: counts[name])


def _holds_events(content: Any) -> bool:
    hooks = content.get("hooks", content) if isinstance(content, dict) else None
    if not isinstance(hooks, dict):
        return False
    speakers = tuple(readable(agent_names()))
    lists = [key for key, value in hooks.items() if isinstance(value, list)]
    return any(speaker.kind_of(key) is not None for key in lists for speaker in speakers)


def _json(path: str) -> Any:
    found = files.read_text(path, 1 << 20)
    try:
        return json.loads(found.text) if found.state == "text" else None
    except (ValueError, RecursionError):
        return None
