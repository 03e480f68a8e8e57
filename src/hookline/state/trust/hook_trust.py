"""The trust of one loaded set of hooks, as the engine asks for it: pinned when first asked."""

from __future__ import annotations

from hookline.model.hooks import HookSpec, Programs
from hookline.model.typing import Iterable
from hookline.state.trust.store import CHANGED, NEW, USER_CHANGED, Trust, TrustStore


class HookTrust:
    """Says of each hook whether it may run. What was not trusted at first stays so until the next load.

    User-level files seen for the first time are pinned here. A hook whose files change later is caught by
    `reviewed_programs`; taking trust back works at once. `earlier`, the trust before a load in the middle of a
    session: what was trusted then counts as a hook that changed when it is not trusted any more. `gone` are the
    ids of hooks that were trusted and are not in their files any more.
    """

    def __init__(
        self,
        store: TrustStore,
        specs: Iterable[HookSpec],
        earlier: HookTrust | None = None,
        gone: Iterable[str] = (),
    ) -> None:
        self._store = store
        self._specs = tuple(specs)
        self._seen: dict[str, Trust] = {}
        if earlier is not None:
            self._seen = {hook_id: trust for hook_id, trust in earlier._seen.items() if trust.runs}
        self.gone = frozenset(gone)
        self.decisions = 0
        self._all: dict[str, Trust] | None = None
        self._disabled: dict[str, str] | None = None
        self._marks: dict[str, tuple[object, ...]] = {}
        store.observe(self._specs)

    def pin(self) -> None:
        """Asks for every hook now, so that what changes later is seen as a change."""
        self.decisions = self._store.decisions
        for spec in self._specs:
            self._trust(spec)

    @property
    def is_strict(self) -> bool:
        return self._store.strict

    def state(self, spec: HookSpec) -> str:
        """trusted, untrusted, modified or managed; a changed hook that runs all the same is `trusted`."""
        trust = self._trust(spec)
        return "trusted" if trust.runs and trust.state == "modified" else trust.state

    def shown_state(self, spec: HookSpec) -> str:
        """For lists, over all hooks at once: a hook that only moved is not `modified`, a changed one is."""
        trust = self._listed().get(spec.id)
        return trust.state if trust else self.state(spec)

    def why(self, spec: HookSpec) -> str:
        """What to tell of this hook's trust, in words; empty when there is nothing to tell."""
        return self._trust(spec).why

    def fault(self, spec: HookSpec) -> str:
        """What keeps it from being trusted beside a review: its time, a file of it, the store."""
        why = self._trust(spec).why
        return "" if why in (NEW, CHANGED, USER_CHANGED) else why

    def still_reviewed(self, spec: HookSpec) -> bool:
        """Hashes the hook's files again."""
        return self._is_reviewed(spec)

    def reviewed_programs(self, spec: HookSpec) -> Programs | None:
        """The bytes of the hook's programs, hashed as they are handed out; None when they are not the reviewed ones."""
        marks = self._marks[spec.id] = self._store.programs_as_they_are(spec)
        if not marks:
            return {} if self._is_reviewed(spec) else None
        if spec.id in self.gone or not self._trust(spec).runs:
            return None
        return self._store.reviewed_programs(spec)

    def changed(self, spec: HookSpec) -> bool:
        """Whether it was trusted when the session began and is not what it was."""
        return self._trust(spec).runs and not self._is_reviewed(spec)

    def ran_reviewed(self, spec: HookSpec) -> bool:
        """Whether its programs are the very files they were before they were hashed; asked when it has ended."""
        before = self._marks.pop(spec.id, ())
        return not before or before == self._store.programs_as_they_are(spec)

    def digest(self, spec: HookSpec) -> str:
        """`sha256:…` of the definition and the files it runs: as accepted, or as found where nobody had to."""
        return self._trust(spec).fingerprint or self._store.digest(spec)

    def _is_reviewed(self, spec: HookSpec) -> bool:
        if spec.id in self.gone:
            return False
        return self._trust(spec).runs and self._store.still_reviewed(spec)

    def disabled_by(self, spec: HookSpec) -> str | None:
        """Who switched it off from outside its config, in words; None if nobody did."""
        if self._disabled is None:
            self._disabled = self._store.disabled(self._specs)
        return self._disabled.get(spec.id)

    def alarms(self) -> dict[str, str]:
        """Hooks of the user's own settings that changed since they were first seen, among those asked for."""
        return {
            hook_id: trust.why
            for hook_id, trust in self._seen.items()
            if trust.runs and trust.state == "modified"
        }

    def _listed(self) -> dict[str, Trust]:
        if self._all is None:
            self._all = self._store.verdicts(self._specs)
        return self._all

    def _trust(self, spec: HookSpec) -> Trust:
        if spec.id not in self._seen:
            self._seen[spec.id] = self._store.verdict(spec)
        return self._seen[spec.id]
