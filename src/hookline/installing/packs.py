"""Packs of others: fetched when somebody says so, kept in the workspace, locked by content."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from hookline.dialects import dialect
from hookline.dialects.base import Loaded, Source, SourceText
from hookline.dialects.hookline.packs import FOLDER, SHIPPED, is_pack_name, pack_name, without_examples
from hookline.engine.loading import load_sources
from hookline.model.errors import ConfigError, Problem
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.system import files
from hookline.system.removal import remove_tree
from hookline.system.repository.git_actions import Tree, fetch_tree

RULES = "pack.toml"
LOCK = ".hookline/packs.lock"
HOOKS = ".hookline/hooks.toml"
_EXAMPLES = "/home/someone/project"  # made up: what a pack says must not depend on whose home is where
_ANEW = "move it away; `hookline packs update` then writes it anew"
_NOTE = "written by `hookline packs`; it says which bytes were reviewed"


class Pack(Record):
    """One pack that is used or could be: `state` is shipped, as locked, changed, missing, unreadable, or not locked."""

    name: str
    about: str
    rules: tuple[HookSpec, ...]
    used_by: tuple[str, ...] = ()
    level: str = ""
    git: str = ""
    rev: str = ""
    commit: str = ""
    state: str = "shipped"


class Difference(Record):
    """What an update does to the rules: by name, with what each of them is met by and answers."""

    added: tuple[HookSpec, ...]
    removed: tuple[HookSpec, ...]
    changed: tuple[tuple[HookSpec, HookSpec], ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def shipped_text(name: str) -> str:
    """The TOML of one of our own packs."""
    return files.read_text(os.path.join(FOLDER, f"{name}.toml")).text


def rules_of(text: str, name: str, shown: str = RULES) -> Loaded:
    """The rules of a pack's text as they are written, examples included, at the level `balanced`."""
    path = os.path.join(_EXAMPLES, ".hookline", RULES)
    source = Source(path, "project", "toml", shown, f"{name} balanced ")
    return dialect("hookline").parse(SourceText(source, "text", text, "", path, shown))


@cache
def shipped_pack(name: str) -> Pack:
    """One of our own packs."""
    loaded = rules_of(shipped_text(name), name, f"pack {name}")
    return Pack(name, str(loaded.settings.get("about", "")), loaded.specs)


def fetch_pack(source: str, rev: str, workspace: str) -> Tree:
    """The files of a pack of others; a folder that is no repository is read as it is. Raises StateError."""
    folder = os.path.join(workspace, os.path.expanduser(source))
    if os.path.isdir(folder) and not rev and not _is_repository(folder):
        found = dict(_read_folder(folder))
        return Tree(
            "", found, frozenset(path for path in found if os.access(os.path.join(folder, path), os.X_OK))
        )
    return fetch_tree(os.path.expanduser(source), rev, workspace)


def _is_repository(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git")) or os.path.exists(os.path.join(folder, "HEAD"))


def _read_folder(folder: str) -> Iterator[tuple[str, bytes]]:
    for place, names, found in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(found):
            path = os.path.join(place, name)
            if not os.path.islink(path) and os.path.isfile(path):
                yield os.path.relpath(path, folder), files.read_bytes(path).content


def kept_files(tree: Tree) -> dict[str, bytes]:
    """The files of a pack that are kept: not what is hidden, and nothing outside of it."""
    parts = {path: path.split("/") for path in tree.files}
    return {
        path: tree.files[path]
        for path, names in parts.items()
        if not any(name.startswith(".") or not name.isprintable() for name in names)
        and not os.path.isabs(path)
    }


def checked_rules(tree: Tree, name: str, source: str) -> Loaded:
    """The rules of a fetched pack. Raises ConfigError when there are none, or one is wrong."""
    if name in SHIPPED or not is_pack_name(name):
        raise ConfigError(f"`{name}` cannot be a pack's name here", "give it one with `--name`")
    if RULES not in tree.files:
        raise ConfigError(
            f"`{source}` has no `{RULES}`", "a pack is a repository with that file: `[[hooks]]` tables"
        )
    loaded = rules_of(tree.files[RULES].decode("utf-8", "replace"), name, f"{source}: {RULES}")
    faults = [problem for problem in loaded.problems if problem.severity == "error"]
    if faults:
        raise ConfigError(str(faults[0]), "nothing was changed here")
    return loaded


def store(workspace: str, name: str, source: str, rev: str, tree: Tree) -> None:
    """Keeps the files of a pack in the workspace in place of those that were there, and locks them."""
    folder = pack_folder(workspace, name)
    fresh = f"{folder}.new"
    remove_tree(fresh)
    kept = kept_files(tree)
    for path, content in kept.items():
        target = os.path.join(fresh, path)
        files.ensure_dir(os.path.dirname(target))
        files.write_atomic(target, content, mode=0o755 if path in tree.executable else 0o644, fsync=False)
    remove_tree(folder)
    os.rename(fresh, folder)
    locked = read_lock(workspace)
    locked[name] = {"git": source, "rev": rev, "commit": tree.commit, "content": digest(kept)}
    _write_lock(workspace, locked)


def pack_folder(workspace: str, name: str) -> str:
    """Where the files of a pack of others are kept."""
    return os.path.join(workspace, ".hookline", "packs", name)


def digest(content: Mapping[str, bytes]) -> str:
    """`sha256:…` over the names and bytes of all files of a pack."""
    every = sha256()
    for path in sorted(content):
        every.update(sha256(os.fsencode(path)).digest() + sha256(content[path]).digest())
    return f"sha256:{every.hexdigest()}"


def read_lock(workspace: str) -> dict[str, dict[str, str]]:
    """What is locked, by name. Raises ConfigError for a file that cannot be read."""
    found = files.read_text(os.path.join(workspace, LOCK))
    if found.state in ("missing", "empty"):
        return {}
    if found.state != "text":
        raise ConfigError(f"`{LOCK}` {found.reason}", _ANEW)
    try:
        content = json.loads(found.text)
        packs = content["packs"]
        return {
            str(name): {str(key): str(value) for key, value in row.items()} for name, row in packs.items()
        }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"`{LOCK}` cannot be read: {error}", _ANEW) from error


def _write_lock(workspace: str, locked: Mapping[str, Mapping[str, str]]) -> None:
    content = {"note": _NOTE, "packs": dict(sorted(locked.items()))}
    files.write_atomic(os.path.join(workspace, LOCK), json.dumps(content, indent=2) + "\n")


def hooks_text(workspace: str) -> str:
    """What `.hookline/hooks.toml` holds. Raises ConfigError where nothing can be added to it."""
    found = files.read_text(os.path.join(workspace, HOOKS))
    if found.state not in ("missing", "empty", "text"):
        raise ConfigError(f"`{HOOKS}` {found.reason}", "put it right first; nothing was changed")
    return found.text


def add_to_config(workspace: str, name: str, source: str, rev: str) -> None:
    """Writes the `[[packs]]` table behind what `.hookline/hooks.toml` holds."""
    path = os.path.join(workspace, HOOKS)
    before = hooks_text(workspace)
    rows = [f"git = {json.dumps(source, ensure_ascii=False)}"]
    rows += [f"rev = {json.dumps(rev, ensure_ascii=False)}"] if rev else []
    rows += [f'name = "{name}"'] if name != pack_name(source) else []
    start = before.rstrip("\n") + "\n\n" if before.strip() else ""
    files.ensure_dir(os.path.dirname(path))
    files.write_atomic(path, start + "\n".join(["[[packs]]", *rows]) + "\n")


def used_packs(
    sources: Sequence[Source],
) -> tuple[dict[str, tuple[str, str]], list[dict[str, Any]]]:
    """Which shipped packs are used, by which file and level; and the `[[packs]]` of the workspace's own file."""
    used: dict[str, tuple[str, str]] = {}
    others: list[dict[str, Any]] = []
    for loaded in load_sources("hookline", sources):
        for pack in loaded.settings.get("packs", ()):
            if "git" not in pack:
                used[pack["name"]] = (loaded.source.shown, pack["level"])
            elif loaded.source.shown == HOOKS:
                others.append(pack)
    return used, others


def packs_here(workspace: str, sources: Sequence[Source]) -> list[Pack]:
    """All packs there are, ours first, and where each of them stands."""
    used, others = used_packs(sources)
    found = []
    for name in SHIPPED:
        pack = shipped_pack(name)
        by, level = used.get(name, ("", ""))
        found.append(Pack(name, pack.about, pack.rules, (by,) if by else (), level))
    locked = read_lock(workspace)
    for other in others:
        found.append(_other(other, locked.get(other["name"], {}), workspace))
    return found


def pack_problems(loaded: Iterable[Loaded], workspace: str) -> Iterator[Problem]:
    """A warning for each pack of others whose files are not those that were locked when it was taken in."""
    used = [pack for each in loaded if each.source.shown == HOOKS for pack in each.settings.get("packs", ())]
    try:
        locked = read_lock(workspace)
    except ConfigError as error:
        parsed = files.read_text(os.path.join(workspace, LOCK)).state == "text"
        yield Problem(LOCK, 0, 0, "", "bad-json" if parsed else "unreadable", error.message, _ANEW)
        return
    for pack in used:
        found = _other(pack, locked.get(pack["name"], {}), workspace) if "git" in pack else None
        if found is not None and found.state in ("changed", "not locked"):
            words = f"the pack `{found.name}` is {found.state}"
            words += " since it was locked" if found.state == "changed" else f": `{LOCK}` does not name it"
            hint = "`hookline packs update` fetches it anew and shows what differs"
            yield Problem(HOOKS, 1, 1, "packs", "changed-pack", words, hint, "warning")


def _other(pack: Mapping[str, Any], lock: Mapping[str, str], workspace: str) -> Pack:
    name = pack["name"]
    folder = pack_folder(workspace, name)
    text = files.read_text(os.path.join(folder, RULES))
    loaded = rules_of(text.text, name) if text.state == "text" else None
    if loaded is None:
        state = "missing" if text.state == "missing" else "unreadable"
    elif not lock:
        state = "not locked"
    else:
        state = "as locked" if digest(dict(_read_folder(folder))) == lock.get("content") else "changed"
    about = str(loaded.settings.get("about", "")) if loaded else ""
    rules = loaded.specs if loaded else ()
    return Pack(
        name,
        about,
        rules,
        (HOOKS,),
        pack["level"],
        pack["git"],
        pack.get("rev", ""),
        lock.get("commit", ""),
        state,
    )


def difference(before: Sequence[HookSpec], after: Sequence[HookSpec]) -> Difference:
    """What became of each rule."""
    old, new = ({spec.name: spec for spec in specs} for specs in (before, after))
    return Difference(
        tuple(spec for name, spec in new.items() if name not in old),
        tuple(spec for name, spec in old.items() if name not in new),
        tuple(
            (old[name], spec)
            for name, spec in new.items()
            if name in old and meaning(old[name]) != meaning(spec)
        ),
    )


def meaning(spec: HookSpec) -> tuple[Any, ...]:
    """All that a rule says, without its place in the file."""
    options = without_examples(spec)
    return (
        spec.native_event,
        spec.action,
        spec.matcher,
        repr(sorted(options.items(), key=str)),
        spec.enabled,
        spec.on_failure,
    )
