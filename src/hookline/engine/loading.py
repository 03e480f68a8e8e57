"""Finds and reads every dialect's config of a workspace into one `HookSet`; spawns nothing."""

from __future__ import annotations

import os.path

from hookline.dialects import dialect, is_agent, lender_of, names, present
from hookline.dialects.base import Dialect, Loaded, Places, Source, SourceText
from hookline.dialects.spelling import nearest
from hookline.engine.adopted import marked, with_adopted
from hookline.engine.hookset import HookSet, in_order
from hookline.engine.named_files import Known, named_files
from hookline.model.errors import PERMISSIONS, WHOLE_FILE, Problem, defect_words, no_memory
from hookline.model.events import EventKind
from hookline.model.hooks import Action, Command, HookSpec, Origin, Unusable, noted, switched_off
from hookline.model.record import replace
from hookline.model.typing import Any, Collection, Iterable, Iterator, Sequence
from hookline.state.trust.fingerprint import identified
from hookline.system import files
from hookline.system.loops.work_limit import TookTooLong, limited
from hookline.system.workspace.freshness import written_on

FLAT_ENTRY = "flat-entry"
FILE_DROPPED = "file-dropped"
OURSELVES = "hookline itself, which runs the other hooks"
MOST_HOOKS = 10_000  # of one file
_MAX_HOOK_FILE = 8 * 1024 * 1024
READING_LIMIT_S = 10.0  # for all files of one dialect


def places_for(workspace: str, environment: dict[str, str] | None = None) -> Places:
    """Where to look, for a workspace and an environment (default: this process's)."""
    variables = dict(files.environment()) if environment is None else environment
    home = files.home(variables)
    config = variables.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):  # as XDG asks: a relative one would lie in the repository one stands in
        config = os.path.join(home, ".config")
    return Places(workspace, home, config, variables)


def load_hooks(places: Places, wanted: Iterable[str] | None = None) -> HookSet:
    """Reads the config of the named dialects (default: all that have any). Never raises for bad config."""
    looked_at: set[str] = set()
    files.lookers[id(looked_at)] = looked_at
    try:
        return replace(_loaded(places, wanted), looked_at=frozenset(looked_at))
    finally:
        del files.lookers[id(looked_at)]  # by identity: another thread's set may hold the same


def concerning(dialects: Collection[str], places: Places) -> list[str]:
    """The dialects to read so that the hooks of these come out as they do among all.

    Some read another agent's files as well, and hookline's own file limits the hooks of all.
    """
    wanted = {*dialects, *map(lender_of, dialects), "hookline"}
    return [name for name in present(places) if name in wanted]


def _loaded(places: Places, wanted: Iterable[str] | None) -> HookSet:
    chosen = present(places) if wanted is None else [name for name in names() if name in set(wanted)]
    read = [entry for name in chosen for entry in _of_dialect(name, places)]
    loaded = _without_copies(read)
    specs = in_order(spec for entry in loaded for spec in entry.specs)
    named: Known = {}
    defects: list[Problem] = []
    complete = [_completed(spec, places, named, defects) for spec in identified(specs, places.workspace)]
    # without the repetitions of a dialect that looked at the same broken file
    problems = tuple(dict.fromkeys([*(each for entry in loaded for each in entry.problems), *defects]))
    settings: dict[str, dict[str, Any]] = {name: {} for name in chosen}
    for entry in loaded:
        settings[entry.dialect].update(entry.settings)
    if settings.get("hookline", {}).get("managed_only"):
        complete = list(map(_only_managed, complete))
    return HookSet(
        tuple(complete), problems, tuple(loaded), settings, places.workspace, borrowed=_borrowed(read)
    )


def _of_dialect(name: str, places: Places) -> Sequence[Loaded]:
    """What one dialect has here; a fault of ours in it is told as its problem and leaves the others alone."""
    try:
        return limited(READING_LIMIT_S, lambda: load_sources(name, _sources(name, places)))
    except Exception as error:
        return (_unread(Source("", "project", "", name), name, error),)


def _sources(name: str, places: Places) -> Iterable[Source]:
    found = dialect(name).sources(places)
    return with_adopted(name, found, places) if is_agent(name) else found


def _unread(source: Source, name: str, error: Exception) -> Loaded:
    """A source that we failed to read, as a problem that keeps its guards from running.

    Raises the error where there is no memory: that is not the file's, and whoever asked has to know.
    """
    if no_memory(error):
        raise error
    words = "no hook of it runs; please report this"
    problem = Problem(source.shown, 0, 0, "", "defect", f"{defect_words(error)}; {words}", guard=True)
    return Loaded(source, "unreadable", name, problems=(problem,))


def _completed(spec: HookSpec, places: Places, named: Known, defects: list[Problem]) -> HookSpec:
    try:
        return _not_ourselves(_with_files(spec, places, named), places)
    except Exception as error:
        if no_memory(error):
            raise
        from hookline.engine.failures import guards

        unsaid = _unspeakable(spec.action)
        code, why = ("bad-value", unsaid) if unsaid else ("defect", defect_words(error))
        words = why if unsaid else f"{why}; it does not run; please report this"
        defects.append(Problem(spec.source, spec.line, 0, "", code, words, guard=guards(spec)))
        return replace(spec, action=Unusable(why))


def _unspeakable(action: Action) -> str:
    """What a command holds that no program can be given, in words."""
    text = "".join((action.line, *action.argv)) if isinstance(action, Command) else ""
    half = next((letter for letter in text if "\ud800" <= letter <= "\udfff"), "")
    held = "a character NUL" if "\0" in text else f"half a character (`\\u{ord(half):x}`)" if half else ""
    return f"its command holds {held}, and no program can be given that" if held else ""


def _only_managed(spec: HookSpec) -> HookSpec:
    if spec.scope == "managed":
        return spec
    why = "the administrator lets only managed hooks run (`managed_only`)"
    return switched_off(spec, why)


def load_sources(name: str, sources: Iterable[Source]) -> Sequence[Loaded]:
    """Reads these files as config of the named dialect, together as they act on each other."""
    speaker = dialect(name)
    loaded = []
    seen: set[str] = set()
    for source in sources:
        if source.path in seen:  # the home folder is the workspace: its settings are the user's, once
            continue
        seen.add(source.path)
        for found in _parsed(source, speaker):
            further = [each for more in speaker.further_sources(found) for each in _parsed(more, speaker)]
            loaded += [found, *further]
    return [marked(_with_fate(entry, speaker)) for entry in speaker.combine(loaded)]


def _parsed(source: Source, speaker: Dialect) -> Iterator[Loaded]:
    for given in _read(source):
        text = given
        try:
            text, result = _whole(given, speaker)
            result = _with_reason(result, text)
            yield _bounded(with_stand_ins(replace(result, dialect=speaker.name), speaker, text))
        except TookTooLong:
            raise
        except Exception as error:
            yield _unread(replace(source, shown=text.shown), speaker.name, error)


def _whole(text: SourceText, speaker: Dialect) -> tuple[SourceText, Loaded]:
    """What a file holds; one with a fault, or empty, that was written this very moment may be half written: again."""
    result = speaker.parse(text)
    if text.source.format != "scripts" and _is_no_whole(text, result):
        for _ in written_on(text.source.path):
            text = next(_read(text.source))
            result = speaker.parse(text)
            if not _is_no_whole(text, result):
                break
    return text, result


def _is_no_whole(text: SourceText, result: Loaded) -> bool:
    return text.state == "empty" or any(problem.severity == "error" for problem in result.problems)


def _bounded(entry: Loaded) -> Loaded:
    """A file that would take minutes at every event is a file that cannot be read."""
    count = len(entry.specs)
    if count <= MOST_HOOKS:
        return entry
    words = f"it has {count} hooks; no hook runs of a file that has more than {MOST_HOOKS}"
    problem = Problem(
        entry.source.shown, 0, 0, "", "unreadable", words, "leave out what is not needed", guard=True
    )
    return Loaded(entry.source, "unreadable", entry.dialect, problems=(problem,))


def _with_fate(entry: Loaded, speaker: Dialect) -> Loaded:
    """Adds what the agent itself does with a file that has a fault, where that is worse than what we do."""
    fatal = next((problem for problem in entry.problems if speaker.drops_for(problem)), None)
    if fatal is None:
        return entry
    count = len(entry.specs)
    rules = bool(entry.settings.get("permissionRules"))
    if not count and not rules:
        return entry
    words = f"{speaker.title} drops this whole file: its {count} {'hook' if count == 1 else 'hooks'}"
    if rules:
        words += " and its permission rules"
    words += "; hookline leaves out the wrong entry alone"
    hint = f"mend what is wrong in line {fatal.line}"
    fate = Problem(fatal.source, fatal.line, fatal.column, "", FILE_DROPPED, words, hint)
    return replace(entry, problems=(*entry.problems, fate))


def with_stand_ins(entry: Loaded, speaker: Dialect, text: SourceText) -> Loaded:
    """Adds an unusable hook for each entry too broken to be one, so that `explain` can say why."""
    lost = [problem for problem in entry.problems if problem.lost not in ("", WHOLE_FILE, PERMISSIONS)]
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
    words = problem.said
    if kind is EventKind.NoSuchEvent and native != "?":
        words = no_such_event(speaker, native)
    name, origin = speaker.name, Origin(stand_in=problem.code)
    where = text.at(problem.line)
    return HookSpec(f"{name}:{native}:{number}", name, kind, native, Unusable(words), origin=origin, **where)


def no_such_event(speaker: Dialect, native: str) -> str:
    """What to tell of an event name the dialect does not have, or not in that kind of file: its nearest, if any."""
    meant = nearest(native, (*(rule.native for rule in speaker.rules.values()), *speaker.aliases))
    return f"there is no event `{native}`" + (
        f"; did you mean `{meant}`?" if meant not in (None, native) else ""
    )


def _read(source: Source) -> Iterator[SourceText]:
    if source.format == "scripts":
        yield from _read_scripts(source)
        return
    found = files.read_text(source.path, _MAX_HOOK_FILE)
    lost = _lost_link(source) if found.state == "missing" else ""
    state, reason = ("unreadable", lost) if lost else (found.state, found.reason)
    yield SourceText(source, state, found.text, reason, source.path, source.shown, found.mode, _link(found))


def _lost_link(source: Source) -> str:
    """In words, that a config which was put here by a link, or its folder, is not behind it: lost, not absent."""
    path = source.path
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    if not os.path.islink(path) or os.path.exists(path):
        return ""
    what = "is" if path == source.path else f"`{path}` is"
    return f"{what} a symbolic link to `{os.path.realpath(path)}`, which does not exist"


def _link(found: files.FileText | files.FileBytes) -> str:
    return found.real_path if found.is_symlink else ""


def _read_scripts(source: Source) -> Iterator[SourceText]:
    listing = files.list_dir(source.path)
    if listing.state != "listed":
        lost = _lost_link(source) if listing.state == "missing" else ""
        state, reason = ("unreadable", lost) if lost else (listing.state, listing.reason)
        yield SourceText(source, state, "", reason, source.path, source.shown)
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


def _without_copies(loaded: list[Loaded]) -> list[Loaded]:
    """A file that two dialects read is its owner's: of a borrower only what it alone can read there counts.

    Those are hooks without a group around them in Claude Code's settings: GenCode's, and Claude Code's fault.
    """
    for borrower in dict.fromkeys(entry.dialect for entry in loaded if lender_of(entry.dialect)):
        loaded = _between(loaded, lender_of(borrower), borrower)
    return loaded


def _borrowed(read: Iterable[Loaded]) -> frozenset[tuple[str, str, int, EventKind]]:
    return frozenset(
        (entry.dialect, spec.path, spec.line, spec.kind)
        for entry in read
        if lender_of(entry.dialect)
        for spec in entry.specs
        if spec.enabled and spec.kind != EventKind.NoSuchEvent
    )


def _between(loaded: list[Loaded], lender: str, borrower: str) -> list[Loaded]:
    own = [entry for entry in loaded if entry.dialect == lender]
    if not any(entry.state == "text" for entry in own):
        return loaded
    claimed = {_real(entry) for entry in own if entry.specs or entry.problems}
    lines = {
        (path, s.line)
        for entry in own
        for path in [_real(entry)]
        for s in entry.specs
        if not s.origin.stand_in
    }
    flat = {
        _real(entry)
        for entry in loaded
        if entry.dialect == borrower and any(spec.origin.flat for spec in entry.specs)
    }

    def left(entry: Loaded) -> Loaded:
        path = _real(entry)
        if entry.dialect == lender and path in flat:
            specs = tuple(spec for spec in entry.specs if spec.origin.stand_in != FLAT_ENTRY)
            problems = tuple(_read_by(borrower, problem) for problem in entry.problems)
            return replace(entry, specs=specs, problems=problems)
        if entry.dialect != borrower or path not in claimed:
            return entry
        specs = tuple(
            s for s in entry.specs if s.origin.flat or not (s.origin.stand_in or (path, s.line) in lines)
        )
        return replace(entry, specs=specs, problems=())

    return [left(entry) for entry in loaded]


def _read_by(borrower: str, problem: Problem) -> Problem:
    if problem.code != FLAT_ENTRY:
        return problem
    return replace(problem, message=f"{problem.message}, which only {dialect(borrower).title} reads")


def _real(entry: Loaded) -> str:
    return os.path.realpath(entry.source.path)


def _not_ourselves(spec: HookSpec, places: Places) -> HookSpec:
    """Our own entry in an agent's config stands for all hooks; as one of them it would run them again."""
    if not isinstance(spec.action, Command) or spec.env or spec.means.cwd:
        return spec  # what is changed around a program makes another of it
    line = " ".join((spec.action.line, *spec.action.argv)) if spec.action.argv else spec.action.line
    if "hookline" not in line:
        return spec
    from hookline.dialects.editing.entries import ENTRY, is_of_workspace

    found = ENTRY.match(line)
    if found is None or not is_agent(found["agent"]):
        return spec
    if is_of_workspace(found["start"], places.workspace, places.home):
        return spec
    # what its agent has switched off keeps that reason: there it calls nobody
    why = spec.origin.disabled_why if not spec.enabled else ""
    return switched_off(noted(spec, bridge=found["agent"]), why or OURSELVES)


def _with_files(spec: HookSpec, places: Places, named: Known) -> HookSpec:
    """Adds the files a command line names: their bytes belong to its trust.

    Those of the workspace for every hook; of a user's own hook also those of the home folder.
    """
    if not isinstance(spec.action, Command):
        return spec
    found = dict.fromkeys(spec.files)
    for path in named_files(spec, places.workspace, places.home, named):
        inside = path.startswith(places.workspace + os.sep)
        found[os.path.relpath(path, places.workspace) if inside else path] = None
    return replace(spec, files=tuple(found)) if len(found) != len(spec.files) else spec


def _with_reason(entry: Loaded, text: SourceText) -> Loaded:
    """Adds why a source that exists could not be read, where its dialect said nothing."""
    if entry.state not in ("unreadable", "undecodable") or entry.problems:
        return entry
    message = f"cannot be read: {text.reason or text.state}; no hook of this file runs"
    problem = Problem(entry.source.shown, 0, 0, "", f"file-{entry.state}", message, guard=True)
    return replace(entry, problems=(problem,))
