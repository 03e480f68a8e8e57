"""Typed reading of config nodes: a fault becomes a Problem with its place, and its siblings still load."""

from __future__ import annotations

from hookline.dialects.durations import (
    UNIT_WORDS,
    Unit,
    implausible,
    in_unit,
    seconds_from,
    seconds_from_text,
)
from hookline.dialects.reading.nodes import KIND_WORDS, Node, path_part, shown
from hookline.dialects.spelling import nearest
from hookline.model.errors import WHOLE_FILE, Problem
from hookline.model.record import replace
from hookline.model.typing import Collection, Iterable

COMMENT_KEYS = frozenset({"comment", "comments", "description", "note", "notes"})
COMMENT_MARKS = ("_", "$", "//", "#")


def is_comment(key: str) -> bool:
    """Whether people write a comment so where there are none: `_comment`, `$note`, `// why`, `description`."""
    return key in COMMENT_KEYS or key.startswith(COMMENT_MARKS)


class Reader:
    """Reads the members of one object; what is wrong is reported once, with what was found and wanted.

    Every read returns None (or what was right of a list) after a fault; `broken` tells that one was found
    here, so that the caller can leave out this entry alone. `null` counts as absent. `guard` marks the
    problems of an entry that could have blocked something.
    """

    def __init__(
        self,
        node: Node,
        source: str,
        problems: list[Problem],
        *,
        guard: bool = False,
        told: set[Problem] | None = None,
    ) -> None:
        self.node = node
        self.source = source
        self.problems = problems
        self.guard = guard
        self.lost = ""
        self.broken = False
        self._told = set() if told is None else told  # the same as `problems`, which may be many
        self.members = node.members
        self.valid = node.kind == "object"
        if not self.valid:
            self.wrong(node, "an object" if node.parent else "an object at the top of the file")
        if node.duplicates:
            self._report_duplicates(node)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.members)

    @property
    def fault(self) -> str:
        """What is wrong here, by the last error that was reported in it."""
        path = self.node.path
        told = (p for p in reversed(self.problems) if p.severity == "error" and p.path.startswith(path))
        last = next(told, None)
        return f"{last.path}: {last.message}" if last else f"{path} cannot be used"

    def has(self, key: str) -> bool:
        """Whether `key` is given with a value other than null."""
        node = self.members.get(key)
        return node is not None and node.kind != "null"

    def get(self, key: str, *, required: bool = False) -> Node | None:
        """The node at `key`, whatever it is; None when absent or null."""
        node = self.members.get(key)
        if node is not None and node.kind != "null":
            return node
        if required:
            self._report_missing(key)
        return None

    def string(
        self, key: str, *, required: bool = False, wanted: str = "a string", blank: bool = True
    ) -> str | None:
        """The text at `key`; with `blank=False` it must hold more than blanks."""
        node = self._of_kind(key, ("string",), wanted, required)
        if node is None:
            return None
        if not blank and not node.value.strip():
            self.report(node, "empty-value", f"expected {wanted}, found an empty one")
            return None
        return str(node.value)

    def boolean(self, key: str) -> bool | None:
        node = self._of_kind(key, ("boolean",), "true or false", False)
        return None if node is None else bool(node.value)

    def integer(self, key: str, *, wanted: str = "a whole number", minimum: int | None = None) -> int | None:
        """The whole number at `key` (`5.0` is one too), not below the minimum."""
        node = self._of_kind(key, ("integer", "number"), wanted, False)
        if node is None:
            return None
        if not abs(node.value) < float("inf"):
            self.wrong(node, wanted)
            return None
        if minimum is not None and node.value < minimum:
            words = f"expected {wanted} of at least {minimum}, found {shown(node)}"
            self.report(node, "bad-value", words)
            return None
        if node.value != int(node.value):
            self.wrong(node, wanted)
            return None
        return int(node.value)

    def duration(self, key: str, unit: Unit, *, zero: bool = False) -> float | None:
        """The time at `key` in seconds, which stands there in `unit`.

        `zero` tells whether 0 has a meaning. An implausible time is kept, with a warning.
        """
        node = self.get(key)
        if node is None:
            return None
        seconds = seconds_from(node.value, unit)
        if seconds is None or (seconds == 0 and not zero):
            self._report_duration(node, unit, zero)
            return None
        if doubt := implausible(seconds, unit):
            self.report(node, "implausible-time", doubt[0], doubt[1], severity="warning")
        return seconds

    def choice(self, key: str, allowed: Iterable[str], *, required: bool = False) -> str | None:
        """The text at `key`, which must be one of `allowed`."""
        node = self._of_kind(key, ("string",), "a string", required)
        if node is None:
            return None
        names = tuple(allowed)
        if node.value in names:
            return str(node.value)
        words = " or ".join(f"`{name}`" for name in names)
        self.report(node, "bad-value", f"expected {words}, found {shown(node)}", _meant(node.value, names))
        return None

    def string_list(
        self, key: str, *, required: bool = False, single: bool = False, wanted: str = "a list of strings",
        blank: bool = True,
    ) -> tuple[str, ...] | None:  # fmt: skip
        """The texts at `key`, without the wrong ones; `single` allows one text in place of the list.

        With `blank=False` there must be one, and each must hold more than blanks.
        """
        node = self._of_kind(key, ("array", "string") if single else ("array",), wanted, required)
        if node is None:
            return None
        items = node.items if node.kind == "array" else [node]
        for empty in _empty(items or [node]) if not blank else ():
            self.report(
                empty, "empty-value", f"expected {wanted}, found an empty {'one' if items else 'list'}"
            )
        return tuple(str(item.value) for item in items if self._is(item, "string"))

    def string_map(self, key: str) -> dict[str, str] | None:
        """Names and texts at `key`, without the wrong ones; numbers and booleans are refused."""
        node = self._of_kind(key, ("object",), "an object of strings", False)
        if node is None:
            return None
        self._report_duplicates(node)
        return {name: str(item.value) for name, item in node.members.items() if self._is(item, "string")}

    def object(self, key: str, *, required: bool = False) -> Reader | None:
        """A Reader on the object at `key`."""
        node = self._of_kind(key, ("object",), "an object", required)
        return None if node is None else self.reader(node)

    def objects(
        self, key: str, *, single: bool = False, wanted: str = "a list of objects"
    ) -> tuple[Reader, ...]:
        """Readers on the objects of the list at `key`, without the wrong ones; `single` allows one object."""
        node = self._of_kind(key, ("array", "object") if single else ("array",), wanted, False)
        if node is None:
            return ()
        items = node.items if node.kind == "array" else [node]
        return tuple(self.reader(item) for item in items if self._is(item, "object"))

    def reader(self, node: Node) -> Reader:
        """A Reader on another node of the same document."""
        return Reader(node, self.source, self.problems, guard=self.guard, told=self._told)

    def whole(self) -> Reader:
        """A Reader on the same node whose errors are about all that the file holds: guards may be gone with it."""
        reader = self.reader(self.node)
        reader.guard, reader.lost = True, WHOLE_FILE
        return reader

    def unknown_keys(
        self, known: Collection[str], *, severity: str = "warning", holders: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Report the keys that mean nothing here, with the nearest that does; returns them.

        What people write as a comment (`_comment`, `$note`, `description`) is none. `holders`: the keys that guards
        stand in; one that is meant to be such a key, is a list of tables, or names an event, has taken guards away.
        """
        unknown = tuple(key for key in self.members if key not in known and not is_comment(key))
        for key in unknown:
            meant = nearest(key, known)
            hint = (
                _meant(key, known) if meant not in self.members else f"`{meant}` is there already: join them"
            )
            if holders and key in _EVENT_KEYS:
                hint = f"put `[[{next(iter(holders))}]]` above it"
            words = f"`{key}` means nothing here"
            node = self.members[key]
            hides = meant in holders or not node.members.keys().isdisjoint(holders) or key in _EVENT_KEYS
            if holders and (hides or any(item.kind == "object" for item in node.items)):
                self.whole().report_key(key, "unknown-key", f"{words}, so nothing of it runs", hint)
            else:
                self.report_key(key, "unknown-key", words, hint, severity=severity)
        return unknown

    def wrong(self, node: Node, wanted: str, hint: str = "") -> None:
        """Report a value of the wrong type: what was wanted, what was found."""
        self.report(node, "wrong-type", f"expected {wanted}, found {shown(node)}", hint)

    def report(self, node: Node, code: str, message: str, hint: str = "", *, severity: str = "error") -> None:
        """Report a fault at a value."""
        self._add(node.lines.place(node.offset), node.path, code, message, hint, severity)

    def report_key(
        self, key: str, code: str, message: str, hint: str = "", *, severity: str = "error"
    ) -> None:
        """Report a fault at the name of a member."""
        self._add(self.node.key_place(key), self._path_of(key), code, message, hint, severity)

    def lose(self, native: str, key: str = "", **more: str) -> None:
        """Marks the newest problem (or the one at `key`) as all there is of an entry of event `native`.

        `more`: what else is to be told in another way.
        """
        path = self._path_of(key) if key else None
        for index in range(len(self.problems) - 1, -1, -1):
            problem = self.problems[index]
            if path is None or problem.path == path:
                self.problems[index] = replace(problem, lost=native, guard=self.guard, **more)
                return

    def lose_copies(self, key: str, native: str = "") -> None:
        """Marks what stands at `key` before the copy that counts as lost hooks of event `native` (default: `key`)."""
        if any(name == key for name, _ in self.node.duplicates):
            self.lose(native or key, key, severity="error", hint="join them: nothing of the first counts")

    def _add(
        self, place: tuple[int, int], path: str, code: str, message: str, hint: str, severity: str
    ) -> None:
        problem = Problem(self.source, *place, path, code, message, hint, severity, self.guard, self.lost)
        if problem not in self._told:
            self._told.add(problem)
            self.problems.append(problem)
        if severity == "error":
            self.broken = True

    def _of_kind(self, key: str, kinds: tuple[str, ...], wanted: str, required: bool) -> Node | None:
        node = self.members.get(key)
        if node is None or node.kind == "null":
            return self.get(key, required=required) if required else None
        if node.kind in kinds:
            return node
        tables = node.kind == "object" and "[[" in wanted  # of TOML, where `[x]` was written for `[[x]]`
        self.wrong(node, wanted, f"write {wanted.split()[0]}" if tables else _rewritten(node, kinds))
        return None

    def _is(self, node: Node, kind: str) -> bool:
        if node.kind == kind:
            return True
        self.wrong(node, KIND_WORDS[kind], _rewritten(node, (kind,)))
        return False

    def _report_missing(self, key: str) -> None:
        given = self.node.get(key)
        hint = ""
        if given is None and (meant := nearest(key, self.members)):
            hint = f"is `{meant}` meant to be `{key}`?"
        message = f"`{key}` is missing" if given is None else f"`{key}` is null"
        place = given or self.node
        line, column = place.lines.place(place.offset)
        self._add((line, column), self._path_of(key), "missing-key", message, hint, "error")

    def _report_duplicates(self, node: Node) -> None:
        for key, offset in node.duplicates:
            path = f"{node.path}{path_part(key)}".removeprefix(".")
            message = f"`{key}` is given more than once; the last one counts"
            self._add(node.lines.place(offset), path, "duplicate-key", message, "remove one", "warning")

    def _report_duration(self, node: Node, unit: Unit, zero: bool) -> None:
        if node.kind in ("integer", "number"):
            least = "0 or more" if zero else "more than 0"
            self.report(node, "bad-value", f"expected {UNIT_WORDS[unit]}, {least}, found {shown(node)}")
            return
        seconds = seconds_from_text(node.value) if node.kind == "string" else None
        if node.kind == "string" and seconds is None and node.value.strip().isdecimal():
            self.wrong(node, UNIT_WORDS[unit], f"write `{node.value.strip()}` without quotes")
            return
        self.wrong(node, UNIT_WORDS[unit], "" if seconds is None else f"write `{in_unit(seconds, unit)}`")

    def _path_of(self, key: str) -> str:
        return f"{self.node.path}{path_part(key)}".removeprefix(".")


def _rewritten(node: Node, kinds: tuple[str, ...]) -> str:
    """What to write instead, where that is plain to see."""
    if node.kind == "string":
        word = node.value.strip().lower()
        if "boolean" in kinds and word in ("true", "false", "yes", "no", "on", "off"):
            return f"write `{'true' if word in ('true', 'yes', 'on') else 'false'}`"
        if "integer" in kinds and word.removeprefix("-").isdecimal():
            return f"write `{word}` without quotes"
        if "array" in kinds:
            return f"write `[{shown(node)}]`"
    if kinds == ("string",) and node.kind in ("integer", "number", "boolean"):
        return f'write `"{shown(node)}"`'
    return "put it in a list: `[…]`" if "array" in kinds and node.kind == "object" else ""


# Words of one meaning in different agents' files: who writes one here has read another's documentation.
_EVENT_KEYS = ("event", "on", "trigger", "events")
LINE_KEYS = ("run", "command", "cmd", "script", "exec", "bash", "shell")
_SAME = (
    LINE_KEYS, ("post", "url", "webhook", "endpoint", "http"),
    ("match", "matcher", "tool_matcher", "pattern", "filter", "tool", "tools", "tool_name", "toolName"),
    _EVENT_KEYS, ("deny", "block", "forbid", "reject"), ("needs", "depends_on"),
    ("env", "environment"), ("order", "priority"), ("background", "async"),
    ("timeout", "timeout_sec", "timeoutSec", "timeout_ms", "timeoutMs", "timeout_s"),
)  # fmt: skip


def _meant(word: str, names: Collection[str]) -> str:
    alike = next((row for row in _SAME if word in row), ())
    found = next((each for each in alike if each in names), None) or nearest(word, names)
    return f"did you mean `{found}`?" if found else ""


def _empty(nodes: Iterable[Node]) -> list[Node]:
    return [
        node for node in nodes if node.kind == "array" or (node.kind == "string" and not node.value.strip())
    ]
