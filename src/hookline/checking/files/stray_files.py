"""Files with hooks that no agent reads where they are, and files that are named and not there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from hookline.checking.commands.beside import SCRIPT_ENDS, all_fitting
from hookline.checking.files.git_hooks import passed_over
from hookline.checking.files.plugins import (
    holds_events,
    json_of,
    manifests,
    out_of_place,
    plugins_of,
    with_loaded,
)
from hookline.dialects import names, places_of, places_to_look, readable
from hookline.dialects.base import Dialect, Loaded, Places, Source
from hookline.dialects.profile import SCRIPTS
from hookline.dialects.spelling import edits
from hookline.engine import loading
from hookline.engine.hookset import HookSet
from hookline.model.errors import Problem, no_memory
from hookline.model.typing import Any, Mapping, Sequence
from hookline.system import files
from hookline.system.files import Entry, Listing
from hookline.system.loops.work_limit import limited
from hookline.system.patterns.late import late

_PROJECTS = ("project", "local")
_LONGEST_TEXT = 64 * 1024
# by their names alone: no agent has such a file for anything else
_NEVER_READ = {
    "hookline.toml": ".hookline/hooks.toml",
    ".hookline.toml": ".hookline/hooks.toml",
    ".claude/settings.jsonc": ".claude/settings.json",
    ".claude/hooks.jsonc": ".claude/settings.json",
    ".codex/hooks.toml": ".codex/config.toml",
    ".github/hooks/*.y*ml": ".github/hooks/hooks.json",
    ".opencode/hooks/PreToolUse*": ".opencode/plugins/",
    ".opencode/hooks/PostToolUse*": ".opencode/plugins/",
    ".pi/extension/*.[jt]s": ".pi/extensions/",
    ".amp/plugin/*.[jt]s": ".amp/plugins/",
    ".clinerules/*ToolUse": ".clinerules/hooks/",
    ".clinerules/UserPromptSubmit": ".clinerules/hooks/",
    ".clinerules/Task[CRS]*": ".clinerules/hooks/",
    ".iteratr/hooks.y*ml": ".iteratr.hooks.yml",
    ".iteratr.hooks.yaml": ".iteratr.hooks.yml",
    "iteratr.hooks.y*ml": ".iteratr.hooks.yml",
}
# in an agent's own folder, by what stands in them: what people call a file of hooks
_LIKELY = (
    ".*/hooks.json", ".*/hook.json", ".*/hooks/*.json", ".*/settings.json", ".claude/*/settings.json",
    ".*/settings.hooks.json",
    ".github/copilot-hooks.json", ".github/copilot/hooks.json", ".github/copilot/hooks/*.json", ".junie/config.json",
)  # fmt: skip
_HOOK = frozenset({"command", "trigger", "action"})
# whose hooks are in no such file of the project, or in one of another folder
_ELSEWHERE = {
    ".claude-plugin": "hooks/hooks.json",
    ".codex": ".codex/hooks.json",
    ".github": ".github/hooks/hooks.json",
    ".goose": ".agents/plugins/NAME/hooks/hooks.json",
    ".junie": "~/.junie/config.json",
    ".opencode": ".opencode/plugins/",
    ".vscode": ".github/hooks/hooks.json",
}
# texts with front matter that says when, which are hooks of no agent
_WRITTEN_HOOK = late(r"---\s*\n(?:[^\n]*\n)*?(?:trigger|event|when|hook):[^\n]*\n(?:[^\n]*\n)*?---")
# what is taken in by another file, or written from
_TEMPLATE = late(r"template|example|sample|canonical|default|schema|fixture|snippet", re.IGNORECASE)
_ENDINGS = (".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".tml")
_SAYS_HOOKS = late(r"(?m)^[ \t]*(?:\[\[?hooks|\"?hooks\"?[ \t]*:)")
# settings of agents whose only hooks are plugins
_NO_HOOKS = {"opencode.json": "OpenCode", ".opencode/opencode.json": "OpenCode", "kilo.json": "Kilo"}
_OTHER_AGENTS = {".agents/hooks/*": "agents that share `.agents`", ".zcode/hooks.json": "ZCode"}


def strays(hooks: HookSet) -> Mapping[str, str]:
    """Files with hooks that nobody reads, each with the file where they belong."""
    read = _read_by(hooks)
    found = (*_misplaced(hooks.workspace, read), *_nearly_placed(hooks.workspace, read))
    others = _of_others(hooks.workspace, read)
    there = {
        path: os.path.relpath(path, hooks.workspace) for path, _ in found
    }  # no agent read it for a fault of ours
    return {path: home for path, home in dict(found).items() if path not in others and there[path] != home}


def with_strays(hooks: HookSet, lost: Iterable[str]) -> HookSet:
    """The set with the hooks of these files: what is wrong in them stays so where they belong."""
    added = [entry for path in lost if path.endswith(".json") for entry in _inside(path, hooks.workspace)]
    return with_loaded(hooks, added) if added else hooks


def _inside(path: str, workspace: str) -> Sequence[Loaded]:
    """Nothing where reading it fails: that nobody reads it is told anyway."""
    try:
        return limited(loading.READING_LIMIT_S, out_of_place, path, workspace)
    except Exception as error:
        if no_memory(error):
            raise
        return ()


def _read_by(hooks: HookSet) -> set[str]:
    read = {os.path.realpath(entry.source.path) for entry in hooks.loaded if entry.state != "missing"}
    read.update(os.path.realpath(path) for plugin in plugins_of(hooks.workspace) for path in plugin.files)
    return read


def _of_others(workspace: str, read: set[str]) -> Mapping[str, str]:
    """Hooks of agents that hookline does not read, each with the agent's name."""
    patterns = _OTHER_AGENTS.items()
    return {path: agent for pattern, agent in patterns for path in _found(workspace, pattern, read)}


def stray_files(hooks: HookSet, lost: Mapping[str, str]) -> Iterator[Problem]:
    """What is told of the files that nobody reads, of agents hookline cannot read, and plugins that are not there."""
    for path, home in lost.items():
        shown = os.path.relpath(path, hooks.workspace)
        words = "nothing reads this file, so none of its hooks runs"
        yield Problem(shown, 1, 1, "", "unread-file", words, f"move its hooks to `{home}`")
    empty = (each.source for each in hooks.loaded if each.state == "empty" and each.source.scope in _PROJECTS)
    for shown in dict.fromkeys(each.shown for each in empty if _is_for_hooks(each.path)):
        words = "the file is empty, which is no JSON: what was to be in it never runs"
        yield Problem(shown, 1, 1, "", "bad-json", words, "write `{}`, or take it away", "warning")
    yield from passed_over(hooks.workspace)
    yield from _of_plugin_hosts(hooks.workspace)
    yield from _of_manifests(hooks.workspace)
    for path, agent in _of_others(hooks.workspace, _read_by(hooks)).items():
        shown = os.path.relpath(path, hooks.workspace)
        if not path.endswith(SCRIPT_ENDS) and ("hook" in shown or "hooks" in (json_of(path) or {})):
            words = f"these are hooks of {agent}, which hookline does not read: they are not checked"
            yield Problem(shown, 1, 1, "", "unknown-agent", words, "", "notice")


def _is_for_hooks(path: str) -> bool:
    """Whether a file is for nothing but hooks, by its name or its folder's."""
    return os.path.basename(path) == "hooks.json" or os.path.basename(os.path.dirname(path)) == "hooks"


def _nearly_placed(workspace: str, read: set[str]) -> Iterator[tuple[str, str]]:
    """Files whose path is nearly one that is read: `.claude/setting.json`, `.github/hook/a.json`, `hooks.tml`."""
    places = loading.places_for(workspace, {"HOME": os.devnull})
    listed = cache(files.list_dir)
    at_top = listed(workspace).entries
    named = [entry.name for entry in at_top]
    meant = [name for name in names() if _may_be_meant(name, places, named)]
    sources = [each for speaker in readable(meant) for each in _sources(speaker, places)]
    shared = (each.path for each in sources if each.scope in _PROJECTS and each.format != SCRIPTS)
    files_of = {os.path.relpath(path, workspace) for path in shared}
    inside = (path for path in places_to_look(places) if path.startswith(workspace + os.sep))
    folders = {os.path.relpath(path, workspace) for path in inside if not os.path.splitext(path[1:])[1]}
    scripts = {os.path.relpath(each.path, workspace) for each in sources if each.format == SCRIPTS}
    first = {home.split(os.sep)[0] for home in (*files_of, *folders)}
    dotless = {name for name in named if f".{name}" in first}  # two of them are kept there for a home folder
    for home in sorted(files_of | {each for each in folders if os.sep in each}):
        parts = home.split(os.sep)
        likely = [each for each in at_top if _is_likely(each.name, parts[0], first, dotless)]
        for there in _near(workspace, likely, parts, listed):
            shown = os.path.relpath(there, workspace)
            if shown in folders or shown in files_of:
                continue
            for path in all_fitting(there, "*") if home in folders else (there,):
                if os.path.realpath(path) not in read and _seems_to_hold(path, home in scripts):
                    yield path, home + os.sep * (home in folders)


def _may_be_meant(name: str, places: Places, there: list[str]) -> bool:
    """Whether something at the top of the workspace is called as a place of an agent, or nearly so."""
    start = places.workspace + os.sep
    own = {path[len(start) :].split(os.sep)[0] for path in places_of(name, places) if path.startswith(start)}
    return any(edits(each, wanted, 1) < 2 for wanted in own for each in there)


def _is_likely(start: str, own: str, first: set[str], dotless: set[str]) -> bool:
    """Whether what is called `start` at the top may have been meant to be `own`."""
    return start == own or (
        start not in first
        and (start not in dotless or len(dotless) == 1)
        and min(len(start), len(own)) > 5
        and edits(start, own, 1) < 2
        and start.rstrip("s") != own.rstrip("s")  # `.agent` is no misspelt `.agents`
    )


def _near(
    folder: str, there: Iterable[Entry], parts: list[str], listed: Callable[[str], Listing], left: int = 2
) -> Iterator[str]:
    """What of the folder is called nearly so, with at most `left` letters that differ in all."""
    wanted, ending = os.path.splitext(parts[0]) if len(parts) == 1 else (parts[0], "")
    for entry in there:
        stem, other = os.path.splitext(entry.name) if ending else (entry.name, "")
        short = max(left, 1) * (stem != wanted)  # of few letters each one tells
        off = edits(stem.lower(), wanted.lower(), left) if len(stem) > 4 else short
        if off > left or (other != ending and other not in _ENDINGS):
            continue
        path = os.path.join(folder, entry.name)
        if len(parts) == 1:
            yield path
        elif entry.kind == "directory":
            yield from _near(path, listed(path).entries, parts[1:], listed, left - off)


def _seems_to_hold(path: str, script: bool = False) -> bool:
    """Whether a file has hooks in it: by what it holds, and where it is no JSON by a word in it."""
    if script or not os.path.isfile(path):
        return script and files.read_text(path, _LONGEST_TEXT).text.startswith("#!")
    content = json_of(path)
    if content is not None:
        return _holds_hooks(content)
    return _SAYS_HOOKS.search(files.read_text(path, _LONGEST_TEXT).text) is not None


def _misplaced(workspace: str, read: set[str]) -> Iterator[tuple[str, str]]:
    """Files that look as if hooks in them were read, and the file where they would be."""
    for pattern in _LIKELY:
        for path in _found(workspace, pattern, read):
            seems = _seems_to_hold(path) if path.endswith("hooks.json") else _holds_hooks(json_of(path))
            holds = seems and not _TEMPLATE.search(os.path.basename(path))
            home = _home_of(workspace, path) if holds else ""
            if home:
                yield path, home
    for path in _found(workspace, ".*/hooks/*.md", read):
        if _WRITTEN_HOOK.match(files.read_text(path, _LONGEST_TEXT).text):
            yield path, _home_of(workspace, path) or ".hookline/hooks.toml"
    for pattern, home in _NEVER_READ.items():
        yield from ((path, home) for path in _found(workspace, pattern, read))


def _home_of(workspace: str, path: str) -> str:
    """Where the agent in whose folder a file lies has its hooks; empty where that is no agent's folder."""
    folder = os.path.relpath(path, workspace).split(os.sep)[0]
    if folder in _ELSEWHERE:
        return _ELSEWHERE[folder]
    places = loading.places_for(workspace, {"HOME": os.devnull})
    for speaker in readable(names()):
        for source in _sources(speaker, places):
            own = source.scope in _PROJECTS and source.path.startswith(os.path.join(workspace, folder, ""))
            if own:
                return os.path.relpath(source.path, workspace)
    return ""


def _sources(speaker: Dialect, places: Places) -> Iterable[Source]:
    """None where they cannot be told, which is said where the hooks are read."""
    try:
        return tuple(speaker.sources(places))
    except Exception:
        return ()


def _holds_hooks(content: Any) -> bool:
    """Whether it has events with hooks in them, by themselves or in sets with names, or a list of hooks."""
    if not isinstance(content, dict):
        return False
    hooks = content.get("hooks")
    listed = isinstance(hooks, list) and any(isinstance(each, dict) and _HOOK & each.keys() for each in hooks)
    return listed or any(map(holds_events, (content, *content.values())))


def _of_plugin_hosts(workspace: str) -> Iterator[Problem]:
    """Settings of agents that have no hooks but plugins: hooks in them, and plugins by a path that is not there."""
    for name, agent in _NO_HOOKS.items():
        content = json_of(os.path.join(workspace, name))
        if not isinstance(content, dict):
            continue
        if holds_events({"hooks": content.get("hooks")}):
            words = f"{agent} has no hooks in its settings, so none of these runs"
            hint = f"move them to `.hookline/hooks.toml`, and run `hookline install {agent.lower()}`"
            yield Problem(name, 1, 1, "hooks", "unread-file", words, hint)
        plugins = content.get("plugin")
        for each in plugins if isinstance(plugins, list) else ():
            given = isinstance(each, str) and each.startswith(("./", "../"))
            if given and not os.path.exists(os.path.join(workspace, os.path.dirname(name), each)):
                yield _missing(name, "plugin", f"the plugin `{each}` does not exist, so nothing of it runs")


def _of_manifests(workspace: str) -> Iterator[Problem]:
    for manifest, path in manifests(workspace):
        if not os.path.exists(os.path.join(manifest.folder, path)):
            shown = os.path.relpath(manifest.path, workspace)
            yield _missing(
                shown, "hooks", f"`{path}` does not exist in the plugin, so none of its hooks is read"
            )


def _missing(shown: str, path: str, words: str) -> Problem:
    return Problem(shown, 1, 1, path, "missing-script", words, "mend the path or add the file")


def _found(workspace: str, pattern: str, read: set[str]) -> Iterator[str]:
    if not os.path.isdir(os.path.join(workspace, os.path.dirname(pattern.partition("*")[0]))):
        return  # before the pattern is compiled
    for path in all_fitting(workspace, pattern):
        if os.path.isfile(path) and os.path.realpath(path) not in read:
            yield path
