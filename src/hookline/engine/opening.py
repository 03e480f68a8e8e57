"""An engine for a workspace as it is on disk: its hooks, its trust, its history."""

from __future__ import annotations

from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks, places_for
from hookline.model.record import Record
from hookline.state.paths import Paths
from hookline.state.trust import TrustStore, trusts_workspace
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Warn = Callable[[str], None] | None

    from hookline.model.hooks import HookSpec
    from hookline.state.trust import Trust


class PinnedTrust:
    """The trusted set as it was when the engine was opened; changes wait for a person.

    Only `still_reviewed` looks at the disk again, right before a hook starts.
    """

    def __init__(self, store: TrustStore, specs: Iterable[HookSpec]) -> None:
        every = tuple(specs)
        self._store = store
        self._verdicts: Mapping[str, Trust] = store.verdicts(every)
        self._disabled = store.disabled(every)
        self.is_strict = store.strict

    def state(self, spec: HookSpec) -> str:
        verdict = self._verdicts.get(spec.id)
        if verdict is None:
            return "trusted" if spec.scope == "session" else "untrusted"
        return "trusted" if verdict.runs and verdict.state != "managed" else verdict.state

    def shown_state(self, spec: HookSpec) -> str:
        """For lists: also says `modified` of a changed user hook that still runs."""
        verdict = self._verdicts.get(spec.id)
        return verdict.state if verdict else self.state(spec)

    def why(self, spec: HookSpec) -> str:
        verdict = self._verdicts.get(spec.id)
        return verdict.why if verdict else ""

    def still_reviewed(self, spec: HookSpec) -> bool:
        return spec.scope == "session" or self._store.still_reviewed(spec)

    def disabled_by(self, spec: HookSpec) -> str | None:
        return self._disabled.get(spec.id)


class Opened(Record):
    """Everything a host or a command needs of one workspace."""

    engine: Engine
    hooks: HookSet
    trust: PinnedTrust
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
    hooks = load_hooks(places)
    if dialects is not None:
        hooks = hooks.only(dialects)
    hooks = hooks.plus(extra)
    paths = Paths.from_environment(variables, places.home)
    store = TrustStore(paths, workspace, trust_workspace=trusts_workspace(variables))
    trust = PinnedTrust(store, hooks.specs)
    engine = Engine(
        hooks,
        workspace=workspace,
        environment=variables,
        trust=trust,
        output_dir=paths.outputs,
        **{**(_memory(paths, hooks, variables, warn) if history else {}), **engine_options},
    )
    return Opened(engine, hooks, trust, store, paths, workspace)


def reopen_hooks(opened: Opened, environment: Mapping[str, str] | None = None) -> HookSet:
    """Reads the config again and swaps it in at once; changed content goes through trust review again."""
    variables = dict(files.environment() if environment is None else environment)
    hooks = load_hooks(places_for(opened.workspace, variables))
    opened.engine.trust = PinnedTrust(opened.store, hooks.specs)
    opened.engine.replace_hooks(hooks)
    return opened.engine.hooks


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
