"""Hooks of a plugin that is written here, and files whose agent is told by how they look."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hookline.checking.commands.beside import all_fitting
from hookline.dialects import agent_names, dialect, names, readable
from hookline.dialects.base import Loaded, Source
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_sources, places_for
from hookline.model.errors import UsageError
from hookline.model.hooks import HookSpec, noted
from hookline.model.record import Record, replace
from hookline.model.typing import Any
from hookline.state.trust.fingerprint import identified
from hookline.system import files

MANIFESTS = (
    ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json", ".codex-plugin/plugin.json",
    ".github/plugin/plugin.json", ".factory-plugin/plugin.json", "gemini-extension.json", "plugin.json",
)  # fmt: skip
MARKET = "marketplace.json"  # beside a description: where the plugins are that are offered
DEFAULT, LOOSE = "hooks/hooks.json", "hooks.json"
_FOLDERS = ("", "plugins/*", "packages/*", "plugin")
_DEEPER = ("*", "*/plugins/*", "*/*/plugins/*")  # where one is told by its description alone


class Manifest(Record):
    """A plugin's own description of itself: its folder, and where it stands."""

    folder: str
    path: str


class Plugin(Record):
    """A plugin's own folder, its name, and the files its hooks are in, each with the agent it is surely for.

    `alone`: the one agent that all its descriptions are for.
    """

    folder: str
    name: str
    files: Mapping[str, str]
    alone: str = ""


def with_plugins(hooks: HookSet) -> HookSet:
    """The set with the hooks of plugins that are written in this workspace, as if they were installed."""
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded}
    added = [
        entry
        for plugin in plugins_of(hooks.workspace)
        for path in (*plugin.files, *_skills(plugin.folder))
        if os.path.realpath(path) not in read
        for entry in (_loaded if path in plugin.files else _front_matter)(plugin, path, hooks.workspace)
    ]
    return with_loaded(hooks, added) if added else hooks


def with_loaded(hooks: HookSet, added: Sequence[Loaded]) -> HookSet:
    """The set with what further files hold."""
    specs = identified([spec for entry in added for spec in entry.specs], hooks.workspace)
    problems = (problem for entry in added for problem in entry.problems)
    return replace(
        hooks,
        specs=(*hooks.specs, *specs),
        problems=(*hooks.problems, *problems),
        loaded=(*hooks.loaded, *added),
    )


def plugins_of(workspace: str) -> Iterator[Plugin]:
    """The plugins whose sources are in the workspace: itself, and those of a folder of plugins."""
    for folder in _folders(workspace):
        found = _plugin(folder)
        if found is not None:
            yield found


def with_files(hooks: HookSet, paths: Iterable[str], dialects: Sequence[str] | None) -> HookSet:
    """The set with files that nobody reads where they are, as hooks of the agent they look made for.

    Raises UsageError for a file that is not there, or whose agent cannot be told.
    """
    for path in unread(hooks, paths):
        if not files.is_file(path):
            hint = "a whole project is looked at by `hookline check --workspace DIR`"
            raise UsageError(f"check: there is no file `{path}`", hint if files.is_dir(path) else None)
        name, source = _source_for(path, dialects)
        hooks = with_loaded(hooks, load_sources(name, [source]))
    return hooks


def out_of_place(path: str, workspace: str) -> Sequence[Loaded]:
    """A file that nobody reads where it stands, as the agent of its folder would read it where it belongs.

    Outside of a plugin nothing where that agent would find fault with it: it may be a file of another kind.
    """
    content = json_of(path)
    folder, owner = os.path.dirname(path), _owner_of(os.path.relpath(path, workspace))
    if not owner or not holds_events(content):
        return []
    for above in (folder, os.path.dirname(folder)):
        if _is_of_manifest(above):
            root = os.path.dirname(above)
            plugin = Plugin(root, os.path.basename(root), {path: owner}, owner)
            return _loaded(plugin, path, workspace)
    form, label = dialect(owner).profile.read_as
    source = Source(path, "project", form, os.path.relpath(path, workspace), label)
    return _faultless(load_sources(owner, [source]))


def _faultless(found: Sequence[Loaded]) -> Sequence[Loaded]:
    told = {problem.code for each in found for problem in each.problems}
    return found if told <= {"implausible-time"} else []


def project_of(path: str, dialects: Sequence[str] | None) -> str:
    """The folder whose hooks a file holds by its place, as a project's or a plugin's; empty when none is above it."""
    found = _placed(path, dialects)
    if found is not None:
        return found[0]
    return next((folder for folder in _above(path) if _is_of_plugin(folder, path)), "")


def _is_of_plugin(folder: str, path: str) -> bool:
    plugin = _plugin(folder) if _manifests(folder) else None
    return plugin is not None and path in plugin.files


def _above(path: str) -> Iterator[str]:
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        yield folder
        folder = os.path.dirname(folder)


def unread(hooks: HookSet, paths: Iterable[str]) -> list[str]:
    """Those of the files that are not in the set, by their absolute paths."""
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded} | {
        spec.path for spec in hooks.specs
    }
    given = dict.fromkeys(map(os.path.abspath, paths))
    return [path for path in given if os.path.realpath(path) not in read and path not in read]


def _placed(path: str, dialects: Sequence[str] | None) -> tuple[str, str, Source] | None:
    """The nearest folder above in which an agent looks for its hooks at that place, the agent, and the source."""
    for folder in _above(path):
        for name in dialects or names():
            for source in dialect(name).sources(places_for(folder, {"HOME": os.devnull})):
                if source.path == path:
                    return folder, name, source
    return None


def _source_for(path: str, dialects: Sequence[str] | None) -> tuple[str, Source]:
    """By which agent's rules a file is read: as its place says for some workspace above it, else as it looks."""
    found = _placed(path, dialects)
    if found is not None:
        return found[1:]
    content = json_of(path)
    if not dialects and not holds_events(content):
        known = ", ".join(names())
        raise UsageError(f"check: which agent reads `{path}`?", f"say it with `--dialect`: {known}")
    name = dialects[0] if dialects else _speakers_of(content)[0]
    form, label = dialect(name).profile.read_as
    return name, Source(path, "project", form, os.path.relpath(path), label)


def manifests(workspace: str) -> Iterator[tuple[Manifest, str]]:
    """The manifests of plugins in the workspace, each with every path of hooks that it names."""
    for folder in _folders(workspace):
        for path in _manifests(folder):
            yield from ((Manifest(folder, path), each) for each in _named(json_of(path)))


def _folders(workspace: str) -> Iterable[str]:
    """Every folder that may be a plugin's, once."""
    return dict.fromkeys(_fitting(workspace))


def _fitting(workspace: str) -> Iterator[str]:
    for pattern in _FOLDERS:
        yield from all_fitting(workspace, pattern)
    yield from _offered(workspace)
    for pattern in _DEEPER:
        found = all_fitting(workspace, pattern)
        yield from (each for each in found if "/node_modules/" not in each and _manifests(each))
    inner = dict.fromkeys(map(os.path.dirname, all_fitting(workspace, "*/*/.*-plugin")))
    yield from (each for each in inner if "/node_modules/" not in each and _manifests(each))


def _manifests(folder: str) -> tuple[str, ...]:
    """The descriptions of a plugin: one that is made for several agents has one for each."""
    if _is_of_manifest(folder):
        return ()  # which would be in another such folder in it
    there = [path for name in MANIFESTS if files.is_file(path := os.path.join(folder, name))]
    offered = _offered(folder) if there else ()
    return tuple(path for path in there if os.path.dirname(path) not in offered)


def _is_of_manifest(folder: str) -> bool:
    """Whether it is the folder of a plugin's description."""
    name = os.path.basename(folder)
    return name.startswith(".") and name.endswith("-plugin")


def _offered(folder: str) -> list[str]:
    """The folders of the plugins that a marketplace of this folder offers, as far as they are in it."""
    found: list[str] = []
    for name in MANIFESTS:
        given = json_of(os.path.join(folder, os.path.dirname(name), MARKET)) if "/" in name else None
        listed = given.get("plugins") if isinstance(given, dict) else None
        for each in listed if isinstance(listed, list) else ():
            source = each.get("source") if isinstance(each, dict) else None
            path = os.path.normpath(os.path.join(folder, source)) if isinstance(source, str) else ""
            if path.startswith(folder + os.sep) and os.path.isdir(path):
                found.append(path)
    return found


def _named(given: Any) -> list[str]:
    """The files of hooks that a manifest names."""
    named = given.get("hooks") if isinstance(given, dict) else None
    paths = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    return [each for each in paths if isinstance(each, str)]


def _plugin(folder: str) -> Plugin | None:
    described = _manifests(folder)
    if not described and not _is_of_manifest(folder) and all_fitting(folder, ".*-plugin/plugin.json"):
        return None  # of an agent that hookline does not know, with handlers of its own
    owners = {_owner_of(os.path.relpath(path, folder)) for path in described}
    alone = owners.pop() if len(owners) == 1 else ""
    found = {os.path.join(folder, DEFAULT): "", os.path.join(folder, LOOSE): alone} if described else {}
    found = found or {os.path.join(folder, DEFAULT): ""}
    name = ""
    for path in described:
        given = json_of(path)
        owner = _owner_of(os.path.relpath(path, folder))
        named = [os.path.normpath(os.path.join(folder, each)) for each in _named(given)]
        own = given.get("hooks") if isinstance(given, dict) else None
        inline = isinstance(own, dict) and not all(isinstance(each, str) for each in own.values())
        for each in [path] if inline else named or [os.path.join(folder, DEFAULT)]:
            found[each] = found.get(each) or owner
        name = name or str(given.get("name") or "" if isinstance(given, dict) else "")
    bare = (
        os.path.join(folder, LOOSE),
        os.path.join(folder, MANIFESTS[-1]),
    )  # as others call their files too
    there = {
        path: owner
        for path, owner in found.items()
        if files.is_file(path) and (path not in bare or holds_events(json_of(path)))
    }
    used = there or any(_skills(folder))
    return Plugin(folder, name or os.path.basename(folder), there, alone) if used else None


def _owner_of(manifest: str) -> str:
    """The agent whose plugins have their description there: it has that name, or such a folder for its config."""
    kind = manifest.partition("/")[0].lstrip(".").removesuffix("-plugin")
    if kind in agent_names():
        return kind
    places = places_for("/w", {"HOME": os.devnull})
    for speaker in readable(agent_names()) if manifest.startswith(".") else ():
        if any(source.path.startswith(f"/w/.{kind}/") for source in speaker.sources(places)):
            return speaker.name
    return ""


def _loaded(plugin: Plugin, path: str, workspace: str) -> list[Loaded]:
    """A file as the agent reads it that it is for: of several, the one that finds the least fault with it."""
    content = json_of(path)
    versioned = isinstance(content, dict) and "version" in content  # as those agents' files that have one
    speakers = _speakers_of(content, plugin.files[path], sure=bool(plugin.alone) and not versioned)
    readings = (_read_as(name, plugin, path, workspace, content) for name in speakers)
    return min(readings, key=lambda found: sum(len(each.problems) for each in found))


def _skills(folder: str) -> Iterator[str]:
    """The skills of one of Claude Code's plugins, whose front matter may have hooks; that of its agents is not read."""
    if files.is_file(os.path.join(folder, MANIFESTS[0])):
        yield from all_fitting(folder, "skills/*/SKILL.md")


def _front_matter(plugin: Plugin, path: str, workspace: str) -> list[Loaded]:
    source = Source(path, "plugin", "yaml", os.path.relpath(path, workspace), "skill")
    return [
        replace(entry, specs=tuple(_as_installed(spec, plugin) for spec in entry.specs))
        for entry in load_sources(_owner_of(MANIFESTS[0]), [source])
        if entry.specs or entry.problems
    ]


def _read_as(name: str, plugin: Plugin, path: str, workspace: str, content: Any) -> list[Loaded]:
    speaker = dialect(name).profile
    label = speaker.plugin.format(name=plugin.name) or ("hooks" if _is_wrapped(content) else "")
    source = Source(path, "plugin", speaker.read_as[0], os.path.relpath(path, workspace), label)
    return [
        replace(entry, specs=tuple(_as_installed(spec, plugin) for spec in entry.specs))
        for entry in load_sources(name, [source])
    ]


def _as_installed(spec: HookSpec, plugin: Plugin) -> HookSpec:
    marks = {"disabled_why": "", "plugin": plugin.name, "plugin_root": plugin.folder}
    return replace(noted(spec, **marks), enabled=True)


def _speakers_of(content: Any, owner: str = "", *, sure: bool = False) -> tuple[str, ...]:
    """The agents whose event names most of the file's are; its owner alone, if one is an event there or it is sure."""
    hooks = content.get("hooks", content) if isinstance(content, dict) else None
    natives = set(hooks) if isinstance(hooks, dict) else set()
    counts = {
        speaker.name: len(natives.intersection(row.native for row in speaker.rows))
        for speaker in readable(agent_names(), profiles=True)
    }
    most = max(counts.values())
    if owner and (sure or counts[owner] or not most):
        return (owner,)
    return tuple(name for name, count in counts.items() if count == most)[: None if most else 1]


def _is_wrapped(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(content.get("hooks"), dict)


def holds_events(content: Any) -> bool:
    """Whether some agent's events stand in it, each with a list."""
    hooks = content.get("hooks", content) if isinstance(content, dict) else None
    if not isinstance(hooks, dict):
        return False
    speakers = tuple(readable(agent_names()))
    lists = [key for key, value in hooks.items() if isinstance(value, list)]
    return any(speaker.kind_of(key) is not None for key in lists for speaker in speakers)


def json_of(path: str) -> Any:
    """What a JSON file holds; None for one that cannot be read as JSON."""
    found = files.read_text(path, 1 << 20)
    try:
        return json.loads(found.text) if found.state == "text" else None
    except (ValueError, RecursionError):
        return None
