"""An engine for a workspace as it is on disk: its hooks, its trust, its history."""

from __future__ import annotations

import os
import time

from hookline.dialects import places_to_look
from hookline.engine.failures import guards
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import concerning, load_hooks, places_for
from hookline.engine.services import Services
from hookline.model.errors import UsageError, Warn, unheard
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Mapping
from hookline.state.paths import Paths
from hookline.system import files
from hookline.system.workspace.freshness import Freshness
from hookline.system.workspace.roots import Root, around, find_root, has_hooks

if TYPE_CHECKING:
    from hookline.engine.fire import Listener
    from hookline.state.trust.hook_trust import HookTrust
    from hookline.state.trust.store import TrustStore


_MOST_KNOWN = 64
_OF_A_PROJECT = frozenset({"project", "local"})
_known: dict[str, tuple[Freshness, bool]] = {}  # projects that stand in others, for a process that stays


class Opened(Record):
    """Everything a host or a command needs of one workspace.

    `place` is the folder that is worked in: that of a project without hooks of its own, where `workspace` is around it.
    """

    engine: Engine
    hooks: HookSet
    trust: HookTrust
    store: TrustStore
    paths: Paths
    workspace: str
    place: str

    def __repr__(self) -> str:
        return (
            f"<Opened {self.workspace!r}: {len(self.hooks.specs)} hooks, {len(self.hooks.problems)} problems>"
        )


def open_engine(
    workspace: str,
    *,
    environment: Mapping[str, str] | None = None,
    dialects: Iterable[str] | None = None,
    history: bool = True,
    extra: Iterable[HookSpec] = (),
    warn: Warn = unheard,
    listener: Listener | None = None,
    place: str = "",
    **services: Any,
) -> Opened:
    """Reads the workspace's hooks of all dialects (or the named ones) and opens an engine over them.

    `workspace` is a folder; UsageError when there is none. Nothing of the workspace runs here. `warn`
    hears of trouble with the history.
    `listener` hears of hooks; `services` are those of `Services`.
    """
    # a third of all that is imported here, and what only names these functions opens nothing
    from hookline.state.trust.hook_trust import HookTrust
    from hookline.state.trust.store import TrustStore, trusts_workspace

    workspace = os.path.abspath(workspace)
    if not os.path.isdir(workspace):
        raise UsageError(f"no workspace: `{workspace}` is no folder")
    variables = dict(files.environment() if environment is None else environment)
    places = places_for(workspace, variables)
    if dialects is None:
        hooks = load_hooks(places)
    else:
        wanted = frozenset(dialects)
        hooks = load_hooks(places, concerning(wanted, places)).only(wanted)
    hooks = hooks.plus(extra)
    paths = Paths.from_environment(variables, places.home)
    _sweep(paths, variables, warn)
    trusted = trusts_workspace(variables)
    store = TrustStore(paths, workspace, trust_workspace=trusted, root_commit=_root_commit)
    trust = HookTrust(store, hooks.specs)
    memory = _memory(paths, hooks, variables, warn) if history else {}
    given = Services(
        workspace=workspace, environment=variables, trust=trust, output_dir=paths.outputs,
        presence_dir=paths.presence, **{**memory, **services},
    )  # fmt: skip
    engine = Engine(hooks, given)
    if listener is not None:
        engine.listen(listener)
    return Opened(engine, hooks, trust, store, paths, workspace, place or workspace)


def project_of(start: str) -> Root:
    """The project whose hooks hold in a folder: its own, or where it has none the nearest around it that has some.

    Whoever makes a repository, or a folder of settings, inside of a project does not leave the project's guards by it.
    """
    found = find_root(start)
    if found.kind == "none" or around(found.path) is None or _has_own_hooks(found.path):
        return found
    return project_around(found.path) or found


def project_around(folder: str) -> Root | None:
    """The nearest project with hooks of its own that the folder of another one is in."""
    found = around(folder)
    while found is not None and not _has_own_hooks(found.path):
        found = around(found.path)
    return found


def unasked(workspace: str) -> str:
    """Which hooks are around a project and not asked there, in words; empty where there are none."""
    outer = project_around(workspace)
    return f"the hooks of `{outer.path}`, which is around this project, are not asked" if outer else ""


def _has_own_hooks(folder: str) -> bool:
    """Whether the files of a project say hooks, or cannot be read; our own entries in them are none."""
    if not has_hooks(folder):
        return False
    now = time.time_ns()
    known = _known.get(folder)
    if known is not None and known[0].is_fresh(now):
        return known[1]
    places = places_for(folder)
    hooks = load_hooks(places)
    own = any(spec.scope in _OF_A_PROJECT and not spec.origin.bridge for spec in hooks.specs)
    unread = (entry.problems for entry in hooks.loaded if entry.source.scope in _OF_A_PROJECT)
    found = own or any(problem.guard for problems in unread for problem in problems)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[folder] = Freshness(hooks.looked_at, places_to_look(places), now), found
    return found


def reopen_hooks(opened: Opened, environment: Mapping[str, str] | None = None) -> HookSet:
    """Reads the config again and swaps it in at once; changed content goes through trust review again."""
    from hookline.state.trust.hook_trust import HookTrust

    variables = dict(files.environment() if environment is None else environment)
    hooks = load_hooks(places_for(opened.workspace, variables))
    opened.engine.provide(trust=HookTrust(opened.store, hooks.specs))
    opened.engine.replace_hooks(hooks)
    return opened.engine.hooks


def reread_hooks(opened: Opened) -> HookSet:
    """As `reopen_hooks`, while an agent works: a guard that it changed, or took out of its file, stays as one that
    changed, until somebody decides about trust again. `HookTrust.pin` has to come first.
    """
    from hookline.state.trust.hook_trust import HookTrust

    engine, before = opened.engine, opened.engine.trust
    if not isinstance(before, HookTrust) or opened.store.trusts_all:
        return reopen_hooks(opened, engine.environment)
    hooks = load_hooks(places_for(opened.workspace, dict(engine.environment)))
    gone = _taken_out(engine.hooks, hooks, before) if opened.store.decisions == before.decisions else ()
    trust = HookTrust(opened.store, hooks.specs, before, (spec.id for spec in gone))
    trust.pin()
    engine.provide(trust=trust)
    engine.replace_hooks(hooks.plus(gone))
    return engine.hooks


def _taken_out(before: HookSet, after: HookSet, trust: HookTrust) -> tuple[HookSpec, ...]:
    """The trusted guards that are not in their files any more."""
    there = {spec.id for spec in after.specs}
    return tuple(
        spec
        for spec in before.specs
        if spec.id not in there and spec.enabled and guards(spec) and trust.state(spec) == "trusted"
    )


def _sweep(paths: Paths, variables: Mapping[str, str], warn: Warn) -> None:
    """Ends what a hookline that was killed outright left behind; costs one listing when nothing is."""
    from hookline.system.processes.orphans import sweep

    if found := sweep(paths.presence):
        from hookline.engine.unfinished import keep_unfinished
        from hookline.state.history import History
        from hookline.state.redaction import Redactor

        keep_unfinished(found, History(paths.history_file, warn=warn, redactor=Redactor(variables)), warn)


def _root_commit(folder: str) -> str | None:
    from hookline.system.repository.git import root_commit

    return root_commit(folder)


def _memory(paths: Paths, hooks: HookSet, variables: Mapping[str, str], warn: Warn) -> dict[str, Any]:
    from hookline.state.history import History
    from hookline.state.outputs import Outputs
    from hookline.state.redaction import Redactor

    history = History(
        paths.history_file, warn=warn, redactor=Redactor(variables), outputs=Outputs(paths.outputs),
        traceparent=variables.get("TRACEPARENT", ""),
    )  # fmt: skip
    options: dict[str, Any] = {"history": history}
    if any(spec.once for spec in hooks.specs):
        from hookline.state.claims import OnceClaims

        options["once"] = OnceClaims(history.database)
    return options
