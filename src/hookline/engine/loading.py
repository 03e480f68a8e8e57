"""Finds and reads every dialect's config of a workspace into one `HookSet`; spawns nothing."""

from __future__ import annotations

import os.path

from hookline.dialects import DIALECT_NAMES, dialect, present
from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.engine.hookset import HookSet, in_order, renumbered
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec, Unusable
from hookline.model.record import replace
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from hookline.dialects.base import Dialect

_BETWEEN_WORDS = str.maketrans(dict.fromkeys("'\"`;|&<>(){}=,", " "))
# how the agents' hooks name the project root, in or out of quotes
_ROOT_NAMES = "(?:(?:CLAUDE|GEMINI|CURSOR)_PROJECT_DIR|GEMINI_CWD|PWD)"
_PROJECT = rf"""["']?\$(?:\{{{_ROOT_NAMES}\}}|{_ROOT_NAMES}\b)["']?"""
# `hookline bridge AGENT`, `python -m hookline bridge AGENT`, or the small client `hookline-bridge AGENT`
BRIDGE_COMMAND = (
    r"""\bhookline['"]?(?:-bridge['"]?)?\s+(?:bridge\s+)?(claude|gemini|codex|cursor|copilot)\s+--event\b"""
)
_MAX_HOOK_FILE = 8 * 1024 * 1024


def places_for(workspace: str, environment: dict[str, str] | None = None, cwd: str = "") -> Places:
    """Where to look, for a workspace and an environment (default: this process's)."""
    variables = dict(files.environment()) if environment is None else environment
    home = variables.get("HOME") or files.home()
    config = variables.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return Places(workspace, home, config, cwd or workspace, variables)


def load_hooks(places: Places, names: Iterable[str] | None = None, generation: int = 1) -> HookSet:
    """Reads the config of the named dialects (default: all that have any). Never raises for bad config."""
    looked_at: set[str] = set()
    files.lookers.append(looked_at)
    try:
        return replace(_loaded(places, names, generation), looked_at=frozenset(looked_at))
    finally:
        files.lookers.remove(looked_at)


def concerning(dialects: Collection[str], places: Places) -> list[str]:
    """The dialects to read so that the hooks of these come out as they do among all.

    Ids are given in order, so those before them count; Claude Code's settings are also GenCode's; and
    hookline's own file limits the hooks of all.
    """
    wanted = {*dialects, *(("claude",) if "gencode" in dialects else ())}
    last = max((DIALECT_NAMES.index(name) for name in wanted if name in DIALECT_NAMES), default=-1)
    before = DIALECT_NAMES[: last + 1]
    return [name for name in present(places) if name in before or name == "hookline"]


def _loaded(places: Places, names: Iterable[str] | None, generation: int) -> HookSet:
    chosen = present(places) if names is None else [name for name in DIALECT_NAMES if name in set(names)]
    loaded: list[Loaded] = []
    for name in chosen:
        loaded.extend(load_sources(name, dialect(name).sources(places)))
    loaded = _without_claude_copies(loaded)
    specs = in_order(spec for entry in loaded for spec in entry.specs)
    complete = (_not_ourselves(_with_files(spec, places)) for spec in renumbered(specs))
    problems = _told_once(problem for entry in loaded for problem in entry.problems)
    settings: dict[str, dict[str, Any]] = {name: {} for name in chosen}
    for entry in loaded:
        settings[entry.dialect].update(entry.settings)
    if settings.get("hookline", {}).get("managed_only"):
        complete = (_only_managed(spec) for spec in complete)
    return HookSet(tuple(complete), problems, tuple(loaded), settings, places.workspace, generation)


def _only_managed(spec: HookSpec) -> HookSpec:
    if spec.scope == "managed":
        return spec
    why = "the administrator lets only managed hooks run (`managed_only`)"
    return replace(spec, enabled=False, options={**spec.options, "disabled_why": why})


def load_sources(name: str, sources: Iterable[Source]) -> Sequence[Loaded]:
    """Reads these files as config of the named dialect, together as they act on each other."""
    speaker = dialect(name)
    loaded = []
    seen: set[str] = set()
    for source in sources:
        if source.path in seen:  # the home folder is the workspace: its settings are the user's, once
            continue
        seen.add(source.path)
        for text in _read(source):
            result = _with_reason(speaker.parse(text), text)
            loaded.append(with_stand_ins(replace(result, dialect=name), speaker, text))
    return speaker.combine(loaded)


def with_stand_ins(entry: Loaded, speaker: Dialect, text: SourceText) -> Loaded:
    """Adds an unusable hook for each entry too broken to be one, so that `explain` can say why (R1)."""
    lost = [problem for problem in entry.problems if problem.lost]
    if not lost:
        return entry
    counts: dict[str, int] = {}
    for spec in entry.specs:
        counts[spec.native_event] = counts.get(spec.native_event, 0) + 1
    specs = list(entry.specs)
    for problem in lost:
        native = problem.lost
        counts[native] = counts.get(native, 0) + 1
        specs.append(_stand_in(problem, speaker, text, counts[native]))
    return replace(entry, specs=tuple(sorted(specs, key=lambda spec: spec.line)))


def _stand_in(problem: Problem, speaker: Dialect, text: SourceText, number: int) -> HookSpec:
    native = problem.lost
    kind = speaker.kind_of(native) or EventKind.NoSuchEvent
    words = f"{problem.path}: {problem.message}" if problem.path else problem.message
    if kind is EventKind.NoSuchEvent and native != "?":
        words = no_such_event(speaker, native)
    return HookSpec(
        f"{speaker.name}:{native}:{number}",
        speaker.name,
        kind,
        native,
        Unusable(words),
        source=text.shown,
        path=text.path,
        line=problem.line,
        scope=text.source.scope,
        options={"stand_in": True},
    )


def _stands_in(spec: HookSpec) -> bool:
    return bool(spec.options.get("stand_in"))


def no_such_event(speaker: Dialect, native: str) -> str:
    """What to tell of an event name the dialect does not have: its nearest name, when there is one."""
    from hookline.dialects.spelling import nearest

    meant = nearest(native, (*(rule.native for rule in speaker.rules.values()), *speaker.aliases))
    return f"there is no event `{native}`" + (f"; did you mean `{meant}`?" if meant else "")


def _read(source: Source) -> Iterator[SourceText]:
    if source.format == "scripts":
        yield from _read_scripts(source)
        return
    found = files.read_text(source.path, _MAX_HOOK_FILE)
    yield SourceText(
        source, found.state, found.text, found.reason, source.path, source.shown, found.mode, _link(found)
    )


def _link(found: files.FileText | files.FileBytes) -> str:
    return found.real_path if found.is_symlink else ""


def _read_scripts(source: Source) -> Iterator[SourceText]:
    listing = files.list_dir(source.path)
    if listing.state != "listed":
        yield SourceText(source, listing.state, "", listing.reason, source.path, source.shown)
        return
    for entry in sorted(listing.entries, key=lambda item: os.fsencode(item.name)):
        if entry.kind == "directory" or entry.name.startswith("."):
            continue
        head = files.read_head(entry.path)
        yield SourceText(
            source,
            "text" if head.state == "bytes" else head.state,
            head.content.decode("utf-8", "surrogateescape"),
            head.reason,
            entry.path,
            f"{source.shown}/{entry.name}",
            head.mode,
            _link(head),
        )


def _without_claude_copies(loaded: list[Loaded]) -> list[Loaded]:
    """`.claude/settings.json` is read by two dialects; its hooks count once, as claude's.

    What only GenCode can read there (hooks without a group around them) stays GenCode's, and is then no fault.
    """
    if not any(entry.dialect == "claude" and entry.state == "text" for entry in loaded):
        return loaded
    lines = {
        name: {
            (_real(entry), spec.line)
            for entry in loaded
            if entry.dialect == name
            for spec in entry.specs
            if not _stands_in(spec)
        }
        for name in ("claude", "gencode")
    }
    flat = lines["gencode"] - lines["claude"]
    claimed = {
        _real(entry) for entry in loaded if entry.dialect == "claude" and (entry.specs or entry.problems)
    }
    return [_without_copies(entry, claimed, lines["claude"], flat) for entry in loaded]


def _without_copies(
    entry: Loaded, claimed: set[str], claude: set[tuple[str, int]], flat: set[tuple[str, int]]
) -> Loaded:
    path = _real(entry)
    if entry.dialect == "claude":
        kept = tuple(problem for problem in entry.problems if (path, problem.line) not in flat)
        specs = tuple(spec for spec in entry.specs if not _stands_in(spec) or (path, spec.line) not in flat)
        return entry if len(kept) == len(entry.problems) else replace(entry, specs=specs, problems=kept)
    if entry.dialect != "gencode" or path not in claimed:
        return entry
    specs = tuple(s for s in entry.specs if not _stands_in(s) and (path, s.line) not in claude)
    return replace(entry, specs=specs, problems=())


def _real(entry: Loaded) -> str:
    return os.path.realpath(entry.source.path)


def _not_ourselves(spec: HookSpec) -> HookSpec:
    """Our own entry in an agent's config stands for all hooks; as one of them it would run them again."""
    if not isinstance(spec.action, Command):
        return spec
    line = " ".join((spec.action.line, *spec.action.argv))
    if "hookline" not in line:
        return spec
    import re

    found = re.search(BRIDGE_COMMAND, line)
    if found is None:
        return spec
    options = {
        **spec.options, "bridge": found[1], "disabled_why": "hookline itself, which runs the other hooks"
    }  # fmt: skip
    return replace(spec, enabled=False, options=options)


def _with_files(spec: HookSpec, places: Places) -> HookSpec:
    """Adds the files a command line names: their bytes belong to its trust.

    Those of the workspace for every hook; of a user's own hook also those of the home folder.
    """
    if not isinstance(spec.action, Command):
        return spec
    found = dict.fromkeys(spec.files)
    for path in named_paths(spec, places.workspace, places.home):
        if files.is_file(path):
            inside = path.startswith(places.workspace + os.sep)
            found[os.path.relpath(path, places.workspace) if inside else path] = None
    return replace(spec, files=tuple(found)) if len(found) != len(spec.files) else spec


def named_paths(spec: HookSpec, workspace: str, home: str) -> Iterator[str]:
    """Every word of its command line as the path it would be: in the workspace, or in its own user's home."""
    if not isinstance(spec.action, Command):
        return
    own = spec.scope == "user"
    for word in _words(" ".join((spec.action.line, *spec.action.argv)), home if own else ""):
        path = os.path.normpath(os.path.join(workspace, word))
        if path.startswith(workspace + os.sep) or (own and path.startswith(home + os.sep)):
            yield path


def _words(line: str, home: str = "") -> list[str]:
    if "$" in line:
        import re

        line = re.sub(_PROJECT, ".", line)
        line = re.sub(r"\$(?:\{HOME\}|HOME)", lambda _: home or "$HOME", line)
    words = line.translate(_BETWEEN_WORDS).split()
    return [home + word[1:] if home and word.startswith("~/") else word for word in words]


def _with_reason(entry: Loaded, text: SourceText) -> Loaded:
    """Adds why a source that exists could not be read, where its dialect said nothing."""
    if entry.state not in ("unreadable", "undecodable") or entry.problems:
        return entry
    message = f"cannot be read: {text.reason or text.state}; no hook of this file runs"
    problem = Problem(entry.source.shown, 0, 0, "", f"file-{entry.state}", message, guard=True)
    return replace(entry, problems=(problem,))


def _told_once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Without the repetitions of a dialect that looked at the same broken file."""
    return tuple(dict.fromkeys(problems))
