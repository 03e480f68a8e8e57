"""Which hooks may run: a person's decisions, bound to content and kept outside the repository."""

from __future__ import annotations

import os
import time

from hookline.model.errors import StateError
from hookline.model.hooks import HookSpec, Program, Programs
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Iterable, Literal, Mapping
from hookline.state.paths import Paths
from hookline.state.trust.fingerprint import (
    SCRIPTS,
    Closure,
    Closures,
    canonical,
    definition,
    file_mark,
    fingerprint_lines,
    given_name,
    is_fingerprint,
    sha256,
)
from hookline.state.trust.repository import KeptNames, RootCommit
from hookline.state.trust.trust_file import (
    TrustEntry,
    TrustFile,
    is_meant,
    note_alarm,
    part,
    remember,
    repository_part,
    section,
    time_now,
)
from hookline.system.files import file_stamp, read_text

if TYPE_CHECKING:
    from hookline.state.trust.review import ReviewItem

    Names = tuple[str, ...]
    TrustState = Literal["trusted", "untrusted", "modified", "managed"]

MACHINE_TRUST = "/etc/hookline/trusted"
REVIEW = "review it with `hookline trust`"
NEW = f"not trusted yet; {REVIEW}"
CHANGED = f"changed since it was accepted, so it is not trusted; {REVIEW}"
EXPIRED = f"its trust has run out; {REVIEW}"
USER_CHANGED = f"changed since it was first seen in your own settings; {REVIEW}"


class Trust(Record):
    """What the store says of one hook. `why` is empty when there is nothing to tell the user.

    A `modified` hook of the user's own settings still `runs` (the change is an alarm), except in a strict
    workspace; any other modified hook does not.
    """

    state: TrustState
    runs: bool
    why: str = ""
    fingerprint: str = ""


def trusts_workspace(environment: Mapping[str, str]) -> bool:
    """True when `HOOKLINE_TRUST=workspace` trusts the workspace for this process."""
    return environment.get("HOOKLINE_TRUST") == "workspace"


class TrustStore:
    """Decisions about the hooks of one workspace, shared by all worktrees and clones of its repository.

    `trust_workspace` (see `trusts_workspace`) trusts every hook for this process and writes nothing.
    `root_commit(workspace)` names the first commit of the checked-out history, None without one; it must
    run git in a way that executes nothing of the repository. Reading never raises: what cannot be read
    trusts nothing (`problem` says why). Changing raises StateError.
    """

    def __init__(
        self,
        paths: Paths,
        workspace: str,
        *,
        trust_workspace: bool = False,
        root_commit: RootCommit | None = None,
    ) -> None:
        self.workspace = os.path.abspath(workspace)
        self._paths = paths
        self._trust_workspace = trust_workspace
        self._root_commit = root_commit
        self._file = TrustFile(paths.trust_file, paths.trust_log)
        self._names = KeptNames(self._file, self.workspace, root_commit)
        self._closures = Closures(self.workspace)

    # -- asking -----------------------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """Why nothing of the store could be used, in words; empty when all is well."""
        self._file.read()
        return self._file.problem

    @property
    def strict(self) -> bool:
        """In a strict workspace an untrusted or broken guard blocks; the journal knows where the store is lost."""
        if any(kept.get("strict") for kept in self._names.kept()):
            return True
        return bool(self.problem or not self._file.is_there) and self._names.was_strict()

    def verdict(self, spec: HookSpec) -> Trust:
        """What holds for `spec` right now; its files are hashed again whenever they may have changed."""
        return self._file.holding(lambda: self._verdict(spec, frozenset()))

    def verdicts(self, specs: Iterable[HookSpec]) -> dict[str, Trust]:
        """The verdict on each hook by its id; a hook that only moved within its file is not `modified`."""
        every = tuple(specs)
        held = frozenset(self._closures.checked(spec).fingerprint for spec in every if not _is_free(spec))
        return {spec.id: self._verdict(spec, held) for spec in every}

    def still_reviewed(self, spec: HookSpec) -> bool:
        """Asked right before a hook starts: True while its bytes are those that were accepted."""
        return self._trust_workspace or self.verdict(spec).runs

    def reviewed_programs(self, spec: HookSpec) -> Programs | None:
        """The hook's programs by absolute path, from one reading whose digest is trusted; None if it is not."""
        trust = self.verdict(spec)
        found = self._closures.whole(spec)
        if not trust.runs or found.fingerprint != trust.fingerprint:
            return None
        return {
            os.path.normpath(os.path.join(self.workspace, mark.path)): Program(mark.content, mark.executable)
            for mark in found.files
            if mark.content
        }

    def programs_as_they_are(self, spec: HookSpec) -> tuple[object, ...]:
        """A mark of each file that the hook runs, another one after every change; none where all is trusted."""
        if self._trust_workspace or not spec.files or _is_free(spec):
            return ()
        paths = (os.path.join(self.workspace, name) for name in spec.files)
        return tuple(file_stamp(path) for path in paths if path.endswith(SCRIPTS) or os.access(path, os.X_OK))

    def digest(self, spec: HookSpec) -> str:
        """Of a hook that runs without having been hashed: the digest of its definition and its files."""
        marks = [file_mark(name, self.workspace) for name in sorted(spec.files)]
        parts = [spec.digest, *(f"{mark.digest}{mark.problem}" for mark in marks)]
        return "sha256:" + sha256("\n".join(parts).encode())

    def disabled(self, specs: Iterable[HookSpec]) -> dict[str, str]:
        """Why a hook is off, by id. A decision follows its hook when others are put before it in the file."""
        every = tuple(specs)
        off = [
            (hook_id, off) for kept in self._names.kept() for hook_id, off in part(kept, "disabled").items()
        ]
        if not off:
            return {}
        digests = {spec.id: self._definition_digest(spec) for spec in every}
        return {
            spec.id: f"disabled by {choice.get('by', 'you')}; `hookline enable {spec.id}` brings it back"
            for spec in every
            for hook_id, choice in off
            if spec.scope != "managed" and is_meant(spec, hook_id, choice, digests)
        }

    @property
    def trusts_all(self) -> bool:
        """Whether everything of the workspace is trusted, for this process alone."""
        return self._trust_workspace

    @property
    def decisions(self) -> int:
        """How often somebody has decided about a workspace; what is only noted does not count."""
        return sum(entry.action not in ("pin", "user-change") for entry in self.log())

    def review(self, specs: Iterable[HookSpec]) -> tuple[ReviewItem, ...]:
        """What a person has to look at: each hook that is new or changed since it was last accepted."""
        from hookline.state.trust.review import Reviewed, review_item

        every = tuple(specs)
        verdicts = TrustStore(self._paths, self.workspace, root_commit=self._root_commit).verdicts(every)
        reviewed = Reviewed(self._paths.reviewed)

        def item(spec: HookSpec) -> ReviewItem:
            found, trust = self._closures.read(spec), verdicts[spec.id]
            change = "changed" if trust.state == "modified" else "new"
            before = reviewed.load(self._predecessor(spec, found)) if change == "changed" else {}
            return review_item(spec, found, change, trust.why, before, self.workspace)

        return tuple(item(spec) for spec in every if verdicts[spec.id].state in ("untrusted", "modified"))

    def log(self) -> tuple[TrustEntry, ...]:
        """All trust decisions of all workspaces, oldest first."""
        return self._file.log.entries()

    def verify_log(self) -> str:
        """What is wrong with the journal; empty when every line is as it was written."""
        return self._file.log.fault(part(self._file.read(), "log"))

    # -- deciding ---------------------------------------------------------------------------------

    def observe(self, specs: Iterable[HookSpec]) -> None:
        """Pins the hooks of every user-level file seen for the first time. Cheap when there is none."""
        known = part(self._file.read(), "user")
        fresh = [spec for spec in specs if self._closures.is_pinned(spec) and spec.source not in known]
        if fresh and not self._trust_workspace:
            self._notice("pin", fresh, lambda content: self._pin(content, fresh))
            self._keep_reviewed(fresh)

    def accept(self, specs: Iterable[HookSpec], by: str, valid_s: float | None = None) -> None:
        """Trusts these hooks as they are now, for `valid_s` seconds or for good."""
        chosen = [spec for spec in specs if not _is_free(spec)]
        for spec in chosen:
            if problem := self._closures.read(spec).problem:
                raise StateError(f"`{spec.id}` cannot be trusted: {problem}")
        self._keep_reviewed(chosen)
        own = [spec for spec in chosen if self._closures.is_pinned(spec)]
        rest = [spec for spec in chosen if not self._closures.is_pinned(spec)]

        terms = {"by": by} if valid_s is None else {"by": by, "until": time.time() + valid_s}

        def change(content: dict[str, Any], names: Names) -> None:
            self._pin(content, own)
            sources = section(repository_part(content, names[0]), "sources")
            for spec in rest:
                remember(section(sources, spec.source), spec, self._closures.read(spec), terms)

        self._decide("accept", by, self._fingerprints(chosen), change)

    def accept_hashes(self, fingerprints: Iterable[str], by: str) -> None:
        """Trusts whatever has one of these fingerprints in this repository: for machines without a person."""
        given = sorted(set(fingerprints))
        for each in given:
            if not is_fingerprint(each):
                raise StateError(f"`{each}` is no fingerprint", "write `sha256:` and 64 hexadecimal digits")
        accepted = {each: {"at": time_now(), "by": by} for each in given}

        def change(content: dict[str, Any], names: Names) -> None:
            section(repository_part(content, names[0]), "hashes").update(accepted)

        self._decide("accept-hash", by, {each: each for each in given}, change)

    def revoke(self, by: str) -> None:
        """Takes back every acceptance in this repository; running sessions see it at their next event."""

        def change(content: dict[str, Any], names: Names) -> None:
            for name in names:
                repository_part(content, name).pop("sources", None)
                repository_part(content, name).pop("hashes", None)

        self._decide("revoke", by, {}, change)

    def set_strict(self, strict: bool, by: str) -> None:
        """Marks the workspace strict, or no longer."""

        def change(content: dict[str, Any], names: Names) -> None:
            for name in names:
                repository_part(content, name)["strict"] = strict

        self._decide("strict" if strict else "relax", by, {}, change)

    def disable(self, spec: HookSpec, by: str) -> None:
        """Switches one hook off in this repository. StateError for a managed one."""
        if spec.scope == "managed":
            raise StateError(f"`{spec.id}` is managed and cannot be disabled")
        choice = {
            "source": spec.source, "name": given_name(spec), "definition": self._definition_digest(spec),
            "at": time_now(), "by": by,
        }  # fmt: skip

        def change(content: dict[str, Any], names: Names) -> None:
            section(repository_part(content, names[0]), "disabled")[spec.id] = choice

        self._decide("disable", by, self._fingerprints([spec]), change)

    def enable(self, spec: HookSpec, by: str) -> None:
        """Takes a `disable` back; nothing happens when there was none."""
        digests = {spec.id: self._definition_digest(spec)}

        def change(content: dict[str, Any], names: Names) -> None:
            for name in names:
                off = section(repository_part(content, name), "disabled")
                meant = [key for key, choice in off.items() if is_meant(spec, key, choice, digests)]
                for hook_id in [spec.id] if spec.id in off else meant:
                    del off[hook_id]

        self._decide("enable", by, self._fingerprints([spec]), change)

    # -- below ------------------------------------------------------------------------------------

    def _verdict(self, spec: HookSpec, held: frozenset[str]) -> Trust:
        if spec.scope == "managed":
            return Trust("managed", True)
        if _is_free(spec) or self._trust_workspace:
            return Trust("trusted", True)
        if self._closures.is_pinned(spec):
            return self._own_verdict(spec)
        found = self._closures.checked(spec)
        if found.problem:
            return Trust("untrusted", False, f"not trusted: {found.problem}", found.fingerprint)
        return self._reviewed_verdict(spec, found, held)

    def _reviewed_verdict(self, spec: HookSpec, found: Closure, held: frozenset[str]) -> Trust:
        kept = self._names.kept()
        if any(found.fingerprint in part(each, "hashes") for each in kept):
            return Trust("trusted", True, "", found.fingerprint)
        decisions = self._decisions(spec)
        if found.fingerprint not in decisions and found.fingerprint in _of_machine():
            return Trust("trusted", True, "", found.fingerprint)
        if found.fingerprint in decisions:
            if part(decisions, found.fingerprint).get("until", time.time() + 1) > time.time():
                return Trust("trusted", True, "", found.fingerprint)
            return Trust("untrusted", False, EXPIRED, found.fingerprint)
        if self._predecessor(spec, found, held):
            return Trust("modified", False, CHANGED, found.fingerprint)
        lost = f"not trusted: {self._file.problem}" if self._file.problem else NEW
        return Trust("untrusted", False, lost, found.fingerprint)

    def _own_verdict(self, spec: HookSpec) -> Trust:
        content = self._file.read()
        pins = part(content, "user").get(spec.source)
        found = self._closures.checked(spec)
        if not isinstance(pins, dict) or found.fingerprint in pins:
            return Trust("trusted", True, "", found.fingerprint)
        if found.fingerprint not in part(part(content, "alarms"), spec.source):
            self._notice("user-change", [spec], lambda content: note_alarm(content, spec, found))
        return Trust("modified", not self.strict, USER_CHANGED, found.fingerprint)

    def _predecessor(self, spec: HookSpec, found: Closure, held: frozenset[str] = frozenset()) -> str:
        """The fingerprint under which this hook was accepted last, before it changed; empty if never."""
        for accepted, decision in reversed(self._decisions(spec).items()):
            # a decision of an older hookline has the place alone, as its id
            place = decision.get("place") or decision.get("id")
            same = place in (spec.place, spec.id) or decision.get("definition") == found.definition_digest
            if same and accepted not in held:
                return accepted
        return ""

    def _decisions(self, spec: HookSpec) -> dict[str, dict[str, Any]]:
        if self._closures.is_pinned(spec):
            found = [part(part(self._file.read(), "user"), spec.source)]
        else:
            found = [part(part(kept, "sources"), spec.source) for kept in self._names.kept()]
        return {accepted: part(each, accepted) for each in reversed(found) for accepted in each}

    def _definition_digest(self, spec: HookSpec) -> str:
        return sha256(canonical(definition(spec, self.workspace)))

    def _keep_reviewed(self, specs: Iterable[HookSpec]) -> None:
        from hookline.state.trust.review import Reviewed

        reviewed = Reviewed(self._paths.reviewed)
        for spec in specs:
            try:
                reviewed.save(self._closures.read(spec))
            except StateError:
                return  # only the next review's diff suffers

    def _fingerprints(self, specs: Iterable[HookSpec]) -> dict[str, str]:
        return {spec.id: self._closures.read(spec).fingerprint for spec in specs}

    def _pin(self, content: dict[str, Any], specs: Iterable[HookSpec]) -> None:
        for spec in specs:
            remember(section(section(content, "user"), spec.source), spec, self._closures.read(spec), {})

    def _decide(
        self, action: str, by: str, hooks: Mapping[str, str], change: Callable[[dict[str, Any], Names], None]
    ) -> None:
        names = self._names.resolved()

        def decided(content: dict[str, Any]) -> None:
            self._names.remember(content, names)
            change(content, names)

        self._file.change(decided, self._entry(action, by, hooks, names[0]))

    def _notice(
        self, action: str, specs: Iterable[HookSpec], change: Callable[[dict[str, Any]], None]
    ) -> None:
        entry = self._entry(action, "hookline", self._fingerprints(specs), self._names.repository.by_place)
        self._file.change_quietly(change, entry)

    def _entry(self, action: str, by: str, hooks: Mapping[str, str], name: str) -> TrustEntry:
        return TrustEntry(time_now(), action, by, self.workspace, name, hooks)


def _of_machine() -> frozenset[str]:
    """What the machine's administrator trusts in any repository."""
    return frozenset(fingerprint_lines(read_text(MACHINE_TRUST).text))


def _is_free(spec: HookSpec) -> bool:
    return spec.scope in ("managed", "session", "shipped") or bool(spec.origin.bridge)
