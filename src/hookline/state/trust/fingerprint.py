"""What trust is bound to: the canonical definition of a hook, its id, and the bytes of every file it runs."""

from __future__ import annotations

import os
import sys
import time
from _operator import attrgetter  # `operator` itself adds Python code only

from hookline.model.hooks import Action, Command, HookSpec, Inline, Unusable, said_of
from hookline.model.record import Record, fields_of, replace
from hookline.model.short_json import ascii_text, write_json
from hookline.model.typing import Any, Callable, Iterable, Mapping
from hookline.system.files import read_bytes
from hookline.system.workspace.freshness import Freshness

# hashlib loads OpenSSL; the interpreter's own module is there at once.
try:
    _own_sha256: Callable[[bytes], Any] = __import__(
        "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    ).sha256
except ImportError:  # another interpreter
    from hashlib import sha256 as _own_sha256
FILE_LIMIT = 64 * 1024 * 1024
_WORTH_OPENSSL = 256 * 1024  # bytes whose digest takes longer than loading it
# No config file can hold a NUL in a word of a command, so the marker never meets the real thing.
_WORKSPACE = "\0workspace\0"
SCRIPTS = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php")


class FileMark(Record):
    """One file of a closure: its path as shown, its digest (empty when `missing`), its execute bit.

    `problem` says why its bytes cannot be pinned (unreadable, or larger than 64 MiB).
    """

    path: str
    digest: str = ""
    executable: bool = False
    missing: bool = False
    problem: str = ""
    content: bytes = b""


class Closure(Record):
    """A hook and all it runs. `fingerprint` changes with any byte that changes what would happen.

    `definition_digest` covers the definition alone, so that a changed script does not hide which hook it was.
    """

    fingerprint: str
    definition_digest: str
    definition: Mapping[str, Any]
    files: tuple[FileMark, ...] = ()

    @property
    def problem(self) -> str:
        return next((f"`{mark.path}` {mark.problem}" for mark in self.files if mark.problem), "")


def fingerprint(spec: HookSpec, workspace: str) -> str:
    """`sha256:…` over the definition of `spec` and the bytes and execute bits of its files.

    The same for every clone and linked worktree: the workspace's own path is no part of it.
    """
    return closure(spec, workspace).fingerprint


def is_fingerprint(text: str) -> bool:
    """Whether a text has the form of one; upper case has not."""
    digits = text.removeprefix("sha256:")
    return len(digits) == 64 and len(text) == 71 and all(letter in "0123456789abcdef" for letter in digits)


def fingerprint_lines(text: str) -> list[str]:
    """Fingerprints, one a line; what stands behind a `#` says what they are."""
    return [line for each in text.splitlines() if (line := each.partition("#")[0].strip())]


def closure(spec: HookSpec, workspace: str, *, in_workspace: bool = True) -> Closure:
    """The content trust is bound to; without `in_workspace` files of the workspace are left out."""
    meaning = definition(spec, workspace)
    marks = tuple(
        file_mark(name, workspace)
        for name in sorted(spec.files)
        if in_workspace or not inside(name, workspace)
    )
    definition_digest = sha256(canonical(meaning))
    files = [
        [_as_text(mark.path), mark.digest, mark.executable, mark.missing, mark.problem] for mark in marks
    ]
    return Closure(
        "sha256:" + sha256(canonical([1, definition_digest, _portable(files, workspace)])),
        definition_digest,
        meaning,
        marks,
    )


def _as_text(path: str) -> str:
    """A path by the same letters in every locale."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "surrogateescape")


def definition(spec: HookSpec, workspace: str) -> dict[str, Any]:
    """Everything configured that changes what a hook does or when; its name and place are not part of it."""
    portable: dict[str, Any] = _portable(meaning_of(spec), workspace)
    return portable


def meaning_of(spec: HookSpec) -> dict[str, Any]:
    """The definition with the workspace's own path as it was written."""
    matcher = None if spec.matcher is None else [spec.matcher.kind, spec.matcher.text]
    return {
        "dialect": spec.dialect,
        "event": spec.native_event,
        "kind": str(spec.kind),
        "matcher": matcher,
        "condition": spec.condition,
        "handler": spec.handler,
        "action": _action(spec.action),
        "env": dict(spec.env),
        "timeout_s": spec.timeout_s,
        "grace_s": spec.grace_s,
        "blocking": spec.blocking,
        "background": spec.background,
        "once": spec.once,
        "enabled": spec.enabled,
        "on_failure": spec.on_failure,
        "options": said_of(spec),
    }


def given_name(spec: HookSpec) -> str:
    """Its name, unless its dialect made that up by counting."""
    number = (spec.place or spec.id).rpartition(":")[2]
    return "" if spec.name == f"{spec.native_event} {number}" else spec.name


def file_mark(name: str, workspace: str) -> FileMark:
    """The digest and execute bit of one file; symbolic links are followed."""
    path = os.path.join(workspace, name)
    found = read_bytes(path, FILE_LIMIT)
    shown = os.path.relpath(path, workspace) if inside(name, workspace) else name
    if found.state == "missing":
        return FileMark(shown, missing=True)
    if found.state == "unreadable":
        return FileMark(shown, problem=found.reason)
    executable = bool(found.mode & 0o111)
    return FileMark(shown, sha256(found.content), executable, content=found.content)


def runs_workspace_code(spec: HookSpec, workspace: str) -> bool:
    """True when a file of the workspace that looks like a program is part of what `spec` runs, or a program runs
    what the workspace says."""
    if isinstance(spec.action, Command):
        from hookline.state.trust.uncovered import uncovered

        if uncovered(spec):
            return True
    return any(
        name.endswith(SCRIPTS) or _is_program(file_mark(name, workspace))
        for name in spec.files
        if inside(name, workspace)
    )


def inside(name: str, workspace: str) -> bool:
    """True for a path, relative or absolute, that lies in the workspace."""
    return not os.path.isabs(name) or os.path.normpath(name).startswith(workspace.rstrip("/") + "/")


def canonical(value: object) -> bytes:
    """One spelling for one value: sorted keys, no blanks, ASCII."""
    return write_json(value, ascii_only=True, sort_keys=True, default=_plain).encode("ascii")


def sha256(content: bytes) -> str:
    """Hexadecimal SHA-256."""
    digest: str = sha256_of(content).hexdigest()
    return digest


def sha256_of(content: bytes) -> Any:
    """The hash object over `content`."""
    if len(content) <= _WORTH_OPENSSL and "hashlib" not in sys.modules:
        return _own_sha256(content)
    from hashlib import sha256  # twice as fast, once it is there

    return sha256(content)


def _is_program(mark: FileMark) -> bool:
    return mark.executable or mark.content.startswith(b"#!")


def _action(action: Action) -> dict[str, Any]:
    if isinstance(action, Inline):
        callback = action.callback
        place = (getattr(callback, "__module__", ""), getattr(callback, "__qualname__", repr(callback)))
        return {"callback": ".".join(place), "takes_context": action.takes_context}
    return fields_of(action)


def _portable(value: Any, workspace: str) -> Any:
    if isinstance(value, str):
        return _WORKSPACE if value == workspace else value.replace(f"{workspace}/", f"{_WORKSPACE}/")
    if isinstance(value, dict):
        return {str(name): _portable(item, workspace) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_portable(item, workspace) for item in value]
    return value


def _plain(value: object) -> object:
    if isinstance(value, Record):
        return [type(value).__name__, fields_of(value)]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if hasattr(value, "items"):
        return dict(value.items())
    return str(value)


# -- the id of a hook ------------------------------------------------------------------------------


LENGTH = 6
_LETTERS = {digit: "abcdef"[place % 6] for place, digit in enumerate("0123456789abcdef")}
_shared = attrgetter(
    "source", "dialect", "kind", "native_event", "condition", "env", "timeout_s", "grace_s", "blocking", "background",
    "once", "on_failure",
)  # fmt: skip
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


def identified(specs: Iterable[HookSpec], workspace: str) -> tuple[HookSpec, ...]:
    """The specs with ids of their own, where their dialect could only count them (`claude:PreToolUse:1`).

    Twins, the same in one file, are told apart by a number behind it; so are ids a dialect gave twice.
    """
    taken: set[str] = set()
    counts: dict[str, int] = {}  # of each id so far, as a file may have many thousand twins
    digest_of = _Digests(workspace).of
    result = []
    for spec in specs:
        stem, _, number = spec.id.rpartition(":")
        digest = digest_of(spec)
        wanted = f"{stem}:{_short(digest)}" if stem and number.isdigit() else spec.id
        unique, count = wanted, counts.get(wanted, 1)
        while unique in taken:
            count += 1
            unique = f"{wanted}-{count}"
        counts[wanted] = count
        taken.add(unique)
        result.append(replace(spec, id=unique, place=spec.id, digest=digest))
    return tuple(result)


class _Digests:
    """Of the hooks of a workspace: what those that follow one another have in common is written once."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._written = canonical([workspace])[2:-2]  # as it stands where a definition has it
        self._common: tuple[object, ...] = ()
        self._parts: tuple[str, ...] = ()
        self._options = self._options_written = "{}"

    def of(self, spec: HookSpec) -> str:
        action, condition = spec.action, spec.condition
        if isinstance(action, Command) and (condition is None or isinstance(condition, str)):
            told = self._of_command(spec, action)
        else:
            told = _told(spec, meaning_of(spec))
        if self._written in told:
            told = _told(spec, definition(spec, self._workspace))
        return sha256(told)

    def _of_command(self, spec: HookSpec, action: Command) -> bytes:
        """What `_told` says of it."""
        common = (*_shared(spec), action.shell, type(spec.timeout_s), type(spec.grace_s))
        if common != self._common:
            self._common, self._parts = common, _common_parts(spec, action.shell)
        source, shell, before, between, behind = self._parts
        matcher, options = spec.matcher, said_of(spec)
        argv = canonical(action.argv).decode() if action.argv else "[]"
        fits = f"[{ascii_text(matcher.kind)},{ascii_text(matcher.text)}]" if matcher is not None else "null"
        if (shown := repr(options)) != self._options:
            self._options, self._options_written = shown, canonical(options).decode()
        return (
            f'[{source},{ascii_text(given_name(spec))},{{"action":{{"argv":{argv},"line":{ascii_text(action.line)},'
            f'"shell":{shell}}},{before},"matcher":{fits},{between},"options":{self._options_written},{behind}}}]'
        ).encode("ascii")


def _common_parts(spec: HookSpec, shell: tuple[str, ...]) -> tuple[str, ...]:
    """The texts between what differs from hook to hook, in the order of `canonical`."""
    meaning = meaning_of(spec)
    keys = ("background", "blocking", "condition", "dialect", "env", "event", "grace_s", "handler", "kind")
    rows = [{key: meaning[key] for key in part} for part in (keys, ("on_failure", "once"), ("timeout_s",))]
    values = [canonical(value).decode() for value in ([spec.source], [shell], *rows)]
    return tuple(value[1:-1] for value in values)


def _told(spec: HookSpec, meaning: dict[str, Any]) -> bytes:
    del meaning["enabled"]  # off, it is the same hook
    if isinstance(spec.action, Unusable):
        meaning["action"] = spec.action.why.translate(
            _WITHOUT_DIGITS
        )  # which tells by numbers where the fault is
    return canonical([spec.source, given_name(spec), meaning])


def _short(digest: str) -> str:
    """Six hexadecimal digits; the first is a letter, so that no number of a place is the beginning of an id."""
    return _LETTERS[digest[0]] + digest[1:LENGTH]


# -- what hooks run, hashed again only when a file may have changed --------------------------------


ASKED_IN_ONE_CALL = 2  # for the plan, and right before the start; most processes end after that
_OF_NOTHING = sha256(b"")
KEPT_BYTES = 1 << 18  # of one hook's files; larger ones are read each time


class Kept(Record):
    """What was found out about a hook, and whether its files still are what they were then."""

    spec: HookSpec
    value: Any
    asked: int
    freshness: Freshness | None


class Closures:
    """Of the hooks of one workspace."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._kept: dict[tuple[str, str], Kept] = {}

    def is_pinned(self, spec: HookSpec) -> bool:
        """Whether the user's own settings answer for it.

        A user's hook that starts a program of the workspace is as much the workspace's as the user's.
        """
        if spec.scope != "user":
            return False
        return not self._known("runs", spec, lambda: runs_workspace_code(spec, self._workspace))

    def read(self, spec: HookSpec) -> Closure:
        """The content trust is bound to, with the bytes of its files."""
        return closure(spec, self._workspace, in_workspace=not self.is_pinned(spec))

    def checked(self, spec: HookSpec) -> Closure:
        """The same; its bytes may have been left out."""
        found: Closure = self._known("closure", spec, lambda: _worth_keeping(self.read(spec)))
        return found

    def whole(self, spec: HookSpec) -> Closure:
        """As `checked`, with the bytes."""
        found = self.checked(spec)
        return found if _is_whole(found) else self.read(spec)

    def _known(self, kind: str, spec: HookSpec, find_out: Callable[[], Any]) -> Any:
        kept, now = self._kept.get((kind, spec.id)), time.time_ns()
        if kept is not None and kept.spec is not spec:
            kept = None
        if kept is not None and (not spec.files or (kept.freshness and kept.freshness.is_fresh(now))):
            return kept.value
        value = find_out()
        asked = 1 if kept is None else kept.asked + 1
        freshness = self._freshness(spec, now) if asked > ASKED_IN_ONE_CALL else None
        self._kept[kind, spec.id] = Kept(spec, value, asked, freshness)
        return value

    def _freshness(self, spec: HookSpec, since_ns: int) -> Freshness | None:
        found = Freshness((os.path.join(self._workspace, name) for name in spec.files), (), since_ns)
        return found if found.is_settled else None


def _is_whole(found: Closure) -> bool:
    return all(mark.content or mark.digest in ("", _OF_NOTHING) for mark in found.files)


def _worth_keeping(found: Closure) -> Closure:
    if sum(len(mark.content) for mark in found.files) <= KEPT_BYTES:
        return found
    return replace(found, files=tuple(replace(mark, content=b"") for mark in found.files))
