"""All hooks known in a workspace, in config order, and every problem met while reading them."""

from __future__ import annotations

from hookline.dialects import dialect, lender_of, names
from hookline.dialects.base import Dialect, Loaded
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, PromptCheck
from hookline.model.record import Record, replace
from hookline.model.typing import Any, Callable, Collection, Iterable, Mapping
from hookline.state.trust.fingerprint import sha256


class HookSet(Record):
    """Immutable; a reload makes a new one with the next `generation`.

    `loaded` keeps one entry per source that was looked at, with its state (missing, empty, …), so that a
    file that is not there and one that cannot be read stay different things. `looked_at` has every path,
    also of folders and of what was missing, that the set could be another one for. `borrowed` has the dialect,
    file, line and event of what a dialect reads in another's files, where it counts as the owner's.
    """

    specs: tuple[HookSpec, ...] = ()
    problems: tuple[Problem, ...] = ()
    loaded: tuple[Loaded, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = {}
    workspace: str = ""
    generation: int = 1
    looked_at: frozenset[str] = frozenset()
    borrowed: frozenset[tuple[str, str, int, EventKind]] = frozenset()

    def of_kind(self, kind: EventKind) -> tuple[HookSpec, ...]:
        return tuple(spec for spec in self.specs if spec.kind == kind)

    def find(self, id_or_name: str) -> HookSpec | None:
        """The hook with that id, else the only one with that name."""
        for spec in self.specs:
            if spec.id == id_or_name:
                return spec
        named = [spec for spec in self.specs if id_or_name and spec.name == id_or_name]
        return named[0] if len(named) == 1 else None

    def named(self, text: str) -> tuple[HookSpec, ...]:
        """The hooks a person may mean: that id, else that name, else the ids that begin so.

        The last part of an id is enough: `3f9a` for `claude:PreToolUse:3f9a1c`.
        """
        if (only := self.find(text)) is not None:
            return (only,)
        tests: tuple[Callable[[HookSpec], bool], ...] = (
            lambda spec: spec.name == text,
            lambda spec: _end(spec.id) == text,
            lambda spec: spec.id.startswith(text) or _end(spec.id).startswith(text),
        )
        for fits in tests if text else ():
            if found := tuple(filter(fits, self.specs)):
                return found
        return ()

    def at_place(self, place: str) -> tuple[HookSpec, ...]:
        """The hooks that have this place in their file: `claude:PreToolUse:2` is the second of its event."""
        return tuple(spec for spec in self.specs if spec.place == place)

    @property
    def asks_a_model(self) -> bool:
        """Whether a hook is a question to a model."""
        return any(isinstance(spec.action, PromptCheck) for spec in self.specs)

    @property
    def digest(self) -> str:
        """`sha256:…` of the definitions of all hooks, of those switched off too."""
        lines = (f"{spec.id} {spec.digest} {spec.enabled}" for spec in self.specs)
        return "sha256:" + sha256("\n".join(lines).encode("utf-8", "backslashreplace"))

    def only(self, dialects: Iterable[str]) -> HookSet:
        """The same set without the hooks that none of these dialects reads."""
        wanted = {*dialects, ""}
        read = {tuple(place) for name, *place in self.borrowed if name in wanted}
        paths = {path for path, *_ in read}
        kept = tuple(s for s in self.specs if s.dialect in wanted or (s.path, s.line, s.kind) in read)
        loaded = tuple(e for e in self.loaded if e.dialect in wanted or e.source.path in paths)
        problems = tuple(problem for entry in loaded for problem in entry.problems)
        return replace(self, specs=kept, problems=problems, loaded=loaded)

    def behind(self, agent: str) -> HookSet:
        """The same set without the hooks that this agent runs itself: its own, unless they were adopted."""
        kept = tuple(s for s in self.specs if s.dialect != agent or s.origin.adopted)
        loaded = tuple(entry for entry in self.loaded if entry.dialect != agent or entry.source.adopted)
        problems = tuple(problem for entry in loaded for problem in entry.problems)
        return replace(self, specs=kept, problems=problems, loaded=loaded)

    def with_specs(self, wanted: Callable[[HookSpec], bool]) -> HookSet:
        """The same set with only the hooks that `wanted` picks."""
        return replace(self, specs=tuple(spec for spec in self.specs if wanted(spec)))

    def plus(self, specs: Iterable[HookSpec]) -> HookSet:
        """The same set with hooks added by code, behind the others."""
        return replace(self, specs=(*self.specs, *specs))

    @property
    def silenced_guards(self) -> tuple[Problem, ...]:
        """The problems that keep a hook from running that could have blocked something."""
        return tuple(found for found in self.problems if found.guard and found.severity == "error")


def dialect_of(spec: HookSpec) -> Dialect:
    """The dialect a hook talks; hooks added by code talk `hookline`."""
    return dialect(spec.dialect)


def heard_by(spec: HookSpec) -> Collection[EventKind]:
    """The kinds of events that a hook is for; of a dialect that cannot be asked, its own."""
    try:
        return dialect_of(spec).heard_by(spec)
    except Exception:  # the plan says what is wrong with that hook
        return (spec.kind,)


def _end(hook_id: str) -> str:
    return hook_id.rpartition(":")[2]


def in_order(specs: Iterable[HookSpec]) -> tuple[HookSpec, ...]:
    """Specs grouped by dialect in the fixed order of dialects, file order kept inside each.

    The hooks of files that another dialect reads too come before its own, which are to win over them.
    """
    rank: dict[str, float] = {name: index for index, name in enumerate(names())}
    for name in list(rank):
        if lender := lender_of(name):
            rank[lender] = min(rank[lender], rank[name] - 0.5)
    return tuple(sorted(specs, key=lambda spec: rank.get(spec.dialect, len(rank))))
