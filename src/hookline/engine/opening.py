"""An engine for a workspace as it is on disk: its hooks, its trust, its history."""

from __future__ import annotations

from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import concerning, load_hooks, places_for
from hookline.model.record import Record
from hookline.state.hook_trust import HookTrust
from hookline.state.paths import Paths
from hookline.state.trust import TrustStore, trusts_workspace
from hookline.system import files
from hookline.system.leftovers import sweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Warn = Callable[[str], None] | None

    from hookline.model.hooks import HookSpec


class Opened(Record):
    """Everything a host or a command needs of one workspace."""

    engine: Engine
    hooks: HookSet
    trust: HookTrust
    store: TrustStore
    paths: Paths
    workspace: str


def open_engine(
    workspace: str,
    *,
    environment: Mapping[str, str] | None = None,
    dialects: Iterable[str] | None = None,
    history: bool = True,
    extra: Iterable[HookSpec] = (),
    warn: Warn = None,
    **engine_options: Any,
) -> Opened:
    """Reads the workspace's hooks of all dialects (or the named ones) and opens an engine over them.

    `workspace` is absolute. Nothing of the workspace runs here. `warn` hears of trouble with the history.
    `engine_options` go to `Engine`.
    """
    variables = dict(files.environment() if environment is None else environment)
    places = places_for(workspace, variables)
    if dialects is None:
        hooks = load_hooks(places)
    else:
        wanted = frozenset(dialects)
        hooks = load_hooks(places, concerning(wanted, places)).only(wanted)
    hooks = hooks.plus(extra)
    paths = Paths.from_environment(variables, places.home)
    _sweep(paths, warn)
    trusted = trusts_workspace(variables)
    store = TrustStore(paths, workspace, trust_workspace=trusted, root_commit=_root_commit)
    trust = HookTrust(store, hooks.specs)
    engine = Engine(
        hooks,
        workspace=workspace,
        environment=variables,
        trust=trust,
        output_dir=paths.outputs,
        presence_dir=paths.presence,
        **{**(_memory(paths, hooks, variables, warn) if history else {}), **engine_options},
    )
    return Opened(engine, hooks, trust, store, paths, workspace)


def reopen_hooks(opened: Opened, environment: Mapping[str, str] | None = None) -> HookSet:
    """Reads the config again and swaps it in at once; changed content goes through trust review again."""
    variables = dict(files.environment() if environment is None else environment)
    hooks = load_hooks(places_for(opened.workspace, variables))
    opened.engine.trust = HookTrust(opened.store, hooks.specs)
    opened.engine.replace_hooks(hooks)
    return opened.engine.hooks


def _sweep(paths: Paths, warn: Warn) -> None:
    """Ends what a hookline that was killed outright left behind; costs one listing when nothing is."""
    found = sweep(paths.presence)
    if found.processes and warn is not None:
        count = len(found.processes)
        warn(
            f"ended {count} {'process' if count == 1 else 'processes'} that a killed hookline had left running"
        )


def _root_commit(folder: str) -> str | None:
    from hookline.system.git import root_commit

    return root_commit(folder)


def _memory(paths: Paths, hooks: HookSet, variables: Mapping[str, str], warn: Warn) -> dict[str, Any]:
    from hookline.state.history import History
    from hookline.state.outputs import Outputs
    from hookline.state.redaction import Redactor

    history = History(
        paths.history_file, warn=warn, redactor=Redactor(variables), outputs=Outputs(paths.outputs)
    )
    options: dict[str, Any] = {"history": history}
    if any(spec.once for spec in hooks.specs):
        from hookline.state.claims import OnceClaims

        options["once"] = OnceClaims(history.database)
    return options
