"""Will hookline be called? What stands in the agents' configs, what is in its way, and when it last fired."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from hookline.dialects import agent_dialect, agent_names, readable
from hookline.dialects.editing.entries import ADOPTED, ENTRY, Entry, is_of_workspace
from hookline.dialects.editing.installing import installed, is_altered, wanted_events
from hookline.dialects.spelling import folded
from hookline.engine.adopted import adopted_path
from hookline.engine.hookset import HookSet
from hookline.engine.loading import places_for
from hookline.installing.agents import SCOPES, Place, launcher_fault, place_of, title_of
from hookline.model.errors import HooklineError, UsageError
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import Record
from hookline.state.history import History
from hookline.system import files


class Fault(Record):
    """Something that keeps an agent from calling us, or from being answered; `hint` says what to do."""

    message: str
    hint: str = ""
    severity: str = "warning"


class Standing(Record):
    """How we stand in one config file of one agent.

    `events` have an entry of ours; `missing` have hooks here but no entry. `fired_at` is when that agent
    last called us in this workspace, in seconds since the epoch; None: never, as far as known.
    """

    place: Place
    title: str
    events: tuple[str, ...]
    missing: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    fired_at: float | None = None


def standings(hooks: HookSet, home: str, variables: Mapping[str, str], history: History) -> list[Standing]:
    """One entry per config file in which entries of ours stand; starts each launcher once to see it work."""
    found = []
    faults_of: dict[str, str | None] = {}
    for agent in (speaker.name for speaker in readable(agent_names(), profiles=True)):
        for scope in SCOPES:
            try:
                place = place_of(agent, scope, hooks.workspace, home, variables)
                entries = installed(agent_dialect(agent), files.read_text(place.path).text)
            except (UsageError, HooklineError):
                continue
            if entries:
                found.append(_standing(place, entries, hooks, variables, history, faults_of, home))
    return found


def kinds_with_hooks(hooks: HookSet, agent: str) -> frozenset[EventKind]:
    """The events for which there is a hook, switched on, that the agent does not run itself."""
    specs = hooks.behind(agent).specs
    return frozenset(spec.kind for spec in specs if spec.enabled and not ENTRY.match(spec.command))


def needs(place: Place) -> tuple[str, ...]:
    """What a person has yet to do after an installation, in one sentence each."""
    profile = agent_dialect(place.agent).profile
    found = list(profile.needs)
    if place.scope == "project":
        found.append(
            f"`{place.shown}` names this machine's Python: install with `--scope user`"
            f"{' or `--scope local`' if profile.files and profile.files.local else ''} if the file is shared"
        )
    return tuple(found)


def _standing(
    place: Place,
    entries: Sequence[Entry],
    hooks: HookSet,
    variables: Mapping[str, str],
    history: History,
    faults_of: dict[str, str | None],
    home: str,
) -> Standing:
    events = tuple(entry.native for entry in entries)
    kinds = kinds_with_hooks(hooks, place.agent)
    agent = agent_dialect(place.agent)
    wanted = wanted_events(agent, kinds)
    spelt = folded if agent.profile.style.one_spelling else str
    there = set(map(spelt, events))
    missing = tuple(
        name
        for name in wanted
        if spelt(name) not in there and any(row.native == name and row.kind in kinds for row in agent.rows)
    )
    faults = (
        *file_faults(place, hooks),
        *adopted_faults(place, hooks.workspace, variables),
        *_launcher_faults(place, entries, faults_of, (hooks.workspace, home)),
        *_event_faults(place, missing),
        *_altered(place, entries),
    )
    fired_at = history.last_from(place.agent, hooks.workspace)
    return Standing(place, title_of(place.agent), events, missing, tuple(faults), fired_at)


def file_faults(place: Place, hooks: HookSet) -> Iterator[Fault]:
    """A file the agent cannot read, and its own switches."""
    title = title_of(place.agent)
    for loaded in hooks.loaded:
        if loaded.dialect != place.agent or loaded.source.path != place.path:
            continue
        for problem in loaded.problems:
            if problem.severity == "error":
                yield Fault(f"{title} may ignore {place.shown}: {problem.message}", problem.hint)
    settings = hooks.settings.get(place.agent, {})
    for switch in agent_dialect(place.agent).profile.switches:
        if settings.get(switch.key) is switch.value:
            yield Fault(f"{title} runs no hooks: {switch.words}", switch.hint)


def adopted_faults(place: Place, workspace: str, variables: Mapping[str, str]) -> Iterator[Fault]:
    """Hooks that were moved behind us and are gone: the entry says so, or what was kept to put them back."""
    config_home = places_for(workspace, dict(variables)).config_home
    moved = adopted_path(place.agent, place.scope, place.path, workspace, config_home)
    if not files.is_file(moved) and (files.is_file(f"{moved}.before") or _says_adopted(place)):
        words = f"the hooks of {place.shown} that were moved behind hookline are gone: `{moved}` is missing"
        yield Fault(
            words, f"bring it back, or `hookline uninstall {place.agent} --scope {place.scope}`", "error"
        )


def calls_of_program(place: Place) -> Iterator[HookSpec]:
    """What our program inside of an agent calls at each event, as hooks; none where there is no such program."""
    agent = agent_dialect(place.agent)
    if agent.profile.style.program is None:
        return
    for entry in installed(agent, files.read_text(place.path).text):
        row = agent.row(entry.native)
        if row is not None:
            called = Command(entry.command)
            yield HookSpec(
                entry.command, agent.name, row.kind, row.native, called, source=place.shown, line=1
            )


def _says_adopted(place: Place) -> bool:
    try:
        entries = installed(agent_dialect(place.agent), files.read_text(place.path).text)
    except HooklineError:
        return False
    return any(ADOPTED in entry.made for entry in entries)


def _launcher_faults(
    place: Place, entries: Sequence[Entry], faults_of: dict[str, str | None], around: tuple[str, str]
) -> Iterator[Fault]:
    again = f"run `hookline install {place.agent} --scope {place.scope}` again"
    for start in dict.fromkeys(entry.start for entry in entries):
        if is_of_workspace(start, *around):
            words = f"{place.shown} calls `{start}`, which may be a program of this workspace: it counts as a hook"
            yield Fault(words, f"review it, or {again}", "error")
            continue
        if start not in faults_of:
            faults_of[start] = launcher_fault(start)
        if fault := faults_of[start]:
            yield Fault(f"{place.shown} calls `{start}`, which does not start: {fault}", again, "error")


def _altered(place: Place, entries: Sequence[Entry]) -> Iterator[Fault]:
    if is_altered(agent_dialect(place.agent), files.read_text(place.path).text, entries):
        again = f"look at it, then run `hookline install {place.agent} --scope {place.scope}` again"
        words = "is not what this hookline writes there: it was changed, or is of another version"
        yield Fault(f"the program {place.shown} {words}", again)


def _event_faults(place: Place, missing: Collection[str]) -> Iterator[Fault]:
    if missing:
        again = f"run `hookline install {place.agent} --scope {place.scope}` again"
        words = ", ".join(missing)
        yield Fault(f"hooks for {words} wait in vain: {place.shown} has no entry for it", again)
