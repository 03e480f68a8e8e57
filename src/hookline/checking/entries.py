"""The hooks of a workspace beside what stands in their files, as the rules look at them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property

from hookline.checking.files.broken_files import Meant
from hookline.dialects import agent_names, dialect, readable
from hookline.dialects.base import Dialect, EventRule, Loaded
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.rules import Sharing
from hookline.dialects.profile.traps import Traps
from hookline.dialects.reading.documents import parsed
from hookline.dialects.reading.nodes import Node, UnreadableConfig
from hookline.dialects.spelling import by_words, nearest
from hookline.engine.hookset import HookSet, dialect_of
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec, Unusable
from hookline.model.record import replace
from hookline.system import files

_HANDLES = (
    "type", "command", "bash", "powershell", "exec", "prompt", "url", "run", "script", "cmd", "deny", "ask",
    "allow", "halt", "context", "post",
)  # fmt: skip
# keys of a line beside the one that is read, for another system or shell, and what runs it
_FURTHER = {
    **dict.fromkeys(("bash", "linux", "osx"), "bash"), **dict.fromkeys(("powershell", "windows"), "pwsh"),
    **dict.fromkeys(("commandWindows", "command_windows"), "cmd"),
}  # fmt: skip


_MOST_BEFORE = 50  # objects of a line that may stand before a hook's own and be none
_LINES = ("bash", "command", "powershell", "linux", "osx", "windows", "exec")


class ConfigFile:
    """One file that was read: `root` is what stands in it, None where it is no data; `beside` are all that were."""

    def __init__(self, loaded: Loaded, speaker: Dialect, entries: Sequence[HookSpec]) -> None:
        self.loaded = loaded
        self.speaker = speaker
        self.source = loaded.source.shown
        self.path = loaded.source.path
        self.text = loaded.text if isinstance(loaded, Meant) else ""  # where the file's own does not parse
        self.root = _root(loaded, self.text)
        self.entries = tuple(self._entries(entries))
        self.beside: tuple[ConfigFile, ...] = (self,)

    def problem(
        self, node: Node, code: str, message: str, hint: str = "", *, key: str = "", severity: str = "warning"
    ) -> Problem:
        """A finding at a value, or at the name `key` of one of its members."""
        line, column = node.key_place(key) if key else (node.line, node.column)
        path = ".".join(filter(None, (node.path, key))) if key else node.path
        return Problem(self.source, line, column, path, code, message, hint, severity)

    def _entries(self, specs: Sequence[HookSpec]) -> Iterator[Entry]:
        """Hooks and the objects they were read from; both are in the order of the file, line by line."""
        waiting: dict[int, list[Node]] = {}
        for node in _handlers(self.root):
            waiting.setdefault(node.line, []).append(node)
        for spec in specs:
            entry = Entry(self, spec, _taken(waiting.get(spec.line, []), spec))
            yield entry.of_other or entry


class Entry:
    """One hook. `node` is its object in the file, `group` the one around it that has the matcher."""

    def __init__(self, file: ConfigFile, spec: HookSpec, node: Node | None) -> None:
        self.file = file
        self.spec = spec
        self.node = node
        self.group = _group_of(node)
        self.speaker = file.speaker
        self.key = ""  # of the line, where it is a further one

    def read_by(self, other: Dialect) -> Entry:
        """The same hook as another agent reads it."""
        native = self.sharing.called(self.spec.native_event) if self.sharing else self.spec.native_event
        return self._twin(replace(self.spec, dialect=other.name, native_event=native), other, self.key)

    def further(self) -> Iterator[Entry]:
        """The same hook with each other line that it has, for another system or shell."""
        agent = getattr(self.speaker, "agent", None)
        for key in agent.keys if agent and self.line else ():
            node = self.node.get(key.name) if self.node and key.name in _FURTHER else None
            if node is not None and isinstance(node.value, str) and node.value.strip() not in ("", self.line):
                action = Command(node.value, shell=(_FURTHER[key.name],))
                yield self._twin(replace(self.spec, action=action), self.speaker, key.name)
        args = self.node.get("args") if self.node and self.line else None
        if (
            args is not None and agent and all(key.name != "args" for key in agent.keys)
        ):  # meant to go with the line
            words = (self.line, *(str(each.value) for each in args.items))
            yield self._twin(replace(self.spec, action=Command(" ".join(words))), self.speaker, "")

    @property
    def meant(self) -> Entry:
        """A hook of an event that is not known, with the line that is written there, at the event that was meant."""
        told = {key: self.node.get(key) for key in ("command", *_FURTHER, "shell")} if self.node else {}
        texts = {key: str(node.value) for key, node in told.items() if node and node.kind == "string"}
        shell = texts.pop("shell", "bash")  # which knows most
        key, line = next(iter(texts.items()), ("command", ""))
        action = Command(line, shell=(_FURTHER.get(key, shell),))
        natives = [row.native for row in self.speaker.rows] if isinstance(self.speaker, AgentDialect) else []
        native = nearest(self.spec.native_event, natives) or by_words(self.spec.native_event, natives)
        kind = self.speaker.kind_of(native) if native else None
        named = {"native_event": native, "kind": kind} if kind is not None else {}
        return self._twin(replace(self.spec, action=action, **named), self.speaker, "")

    def _twin(self, spec: HookSpec, speaker: Dialect, key: str) -> Entry:
        twin = Entry(self.file, spec, self.node)
        twin.speaker, twin.key = speaker, key
        return twin

    @cached_property
    def rule(self) -> EventRule | None:
        return None if self.spec.kind is EventKind.NoSuchEvent else dialect_of(self.spec).rule(self.spec)

    @cached_property
    def traps(self) -> Traps:
        return self.speaker.profile.traps

    @property
    def also_read_by(self) -> Dialect | None:
        """Another agent that reads the same file, and knows the event."""
        return self.taken_by if self.sharing and self.spec.native_event in self.sharing.events else None

    @property
    def taken_by(self) -> Dialect | None:
        """The same, where the file may call the event as its own agent does."""
        title = self.sharing.title if self.sharing and self.sharing.called(self.spec.native_event) else ""
        return (
            next((each for each in readable(agent_names()) if each.title == title), None) if title else None
        )

    @cached_property
    def sharing(self) -> Sharing | None:
        """What another agent that reads the file takes of it."""
        speaker = self.speaker
        found = speaker.sharing(self.file.loaded.source) if isinstance(speaker, AgentDialect) else None
        return found if found is not None and found.title else None

    @property
    def of_other(self) -> Entry | None:
        """The hook as another agent has it that reads the file, where its own agent runs nothing of it."""
        sharing, node, spec = self.sharing, self.node, self.spec
        if not sharing or node is None or not (native := sharing.called(spec.native_event)):
            return None
        texts = {key: each for key, each in node.members.items() if key in _LINES and each.kind == "string"}
        lines = {key: str(each.value) for key, each in texts.items()}
        mine = "url" in node.members or bool(lines.keys() - sharing.lines)
        alone = spec.kind is EventKind.NoSuchEvent or self.group is not node or not mine
        other = self.taken_by
        if not alone or not lines or other is None or (kind := other.kind_of(native)) is None:
            return None
        if "type" in node.members and node.members["type"].value != "command":
            return None
        key = next(key for key in (*sharing.lines, *_LINES) if key in lines)
        action = Command(lines[key], shell=(_FURTHER.get(key, "sh"),))
        named = {"dialect": other.name, "native_event": native, "kind": kind, "matcher": None}
        return self._twin(replace(spec, action=action, enabled=True, **named), other, key)

    @property
    def runs(self) -> bool:
        """Whether it is a hook at all; what is broken was told by its reader."""
        return not isinstance(self.spec.action, Unusable) and self.spec.kind is not EventKind.NoSuchEvent

    @property
    def guards(self) -> bool:
        """Whether it could keep something from happening."""
        return self.rule is not None and self.rule.guards

    @property
    def line(self) -> str:
        """The shell line it runs; empty when it runs none."""
        return self.spec.action.line if isinstance(self.spec.action, Command) else ""

    @property
    def argv(self) -> tuple[str, ...]:
        """The program and its arguments where no shell is."""
        return self.spec.action.argv if isinstance(self.spec.action, Command) else ()

    @property
    def shell(self) -> str:
        """The shell of the line: sh, bash, pwsh, …"""
        return self.spec.action.shell[0] if isinstance(self.spec.action, Command) else ""

    def problem(
        self, code: str, message: str, hint: str = "", *, key: str = "", severity: str = "warning"
    ) -> Problem:
        """A finding at the hook, or at the value of its `key`."""
        if self.node is None:
            return Problem(self.spec.source, self.spec.line, 0, "", code, message, hint, severity)
        return self.file.problem(self.node.get(key) or self.node, code, message, hint, severity=severity)

    def at_line(self, code: str, message: str, hint: str = "", *, severity: str = "warning") -> Problem:
        """A finding at the command line."""
        keys = (
            key
            for key in ("command", "bash", "powershell", "exec", "run", "script", "cmd")
            if self._says(key)
        )
        return self.problem(code, message, hint, key=self.key or next(keys, "command"), severity=severity)

    def _says(self, key: str) -> bool:
        node = self.node.get(key) if self.node else None
        return node is not None and node.value in (self.line, *self.argv[:1])


def config_files(hooks: HookSet) -> tuple[ConfigFile, ...]:
    """Every file that was read, with its hooks; a file that two dialects share comes once for each."""
    by_place: dict[tuple[str, str], list[HookSpec]] = {}
    for spec in hooks.specs:
        by_place.setdefault((spec.dialect, spec.path or spec.source), []).append(spec)
    found = []
    for loaded in hooks.loaded:
        if loaded.state == "text" and loaded.dialect:
            inside = loaded.source.path + os.sep  # of a folder of scripts
            specs = (
                loaded.specs
                if isinstance(loaded, Meant)
                else [
                    spec
                    for (name, path), there in by_place.items()
                    if name == loaded.dialect and (path == loaded.source.path or path.startswith(inside))
                    for spec in there
                ]
            )
            found.append(
                ConfigFile(loaded, dialect(loaded.dialect), sorted(specs, key=lambda spec: spec.line))
            )
    for file in found:
        file.beside = tuple(found)
    return tuple(found)


def _root(loaded: Loaded, text: str) -> Node | None:
    source = loaded.source
    if source.format not in ("json", "jsonc", "toml", "yaml") or source.label in ("skill", "agent"):
        return None
    found = files.read_text(source.path) if not text else None
    if found is not None and found.state != "text":
        return None
    try:
        return parsed(source.format, found.text if found else text, source.shown)
    except UnreadableConfig:
        return None


def _handlers(root: Node | None) -> Iterator[Node]:
    hooks = (root.get("hooks") or root) if root else None  # in some files the events stand at the top
    for node in hooks.walk() if hooks else ():
        if node.kind == "object" and any(key in node.members for key in _HANDLES):
            yield node


def _taken(nodes: list[Node], spec: HookSpec) -> Node | None:
    """The object of a hook among those of its line, which is taken out."""
    action = spec.action
    said = {spec.command, *(action.argv[:1] if isinstance(action, Command) else ())}
    for node in nodes[:_MOST_BEFORE]:
        if any(child.value in said for child in node.members.values() if child.kind == "string"):
            nodes.remove(node)
            return node
    return nodes.pop(0) if nodes else None


def _group_of(node: Node | None) -> Node | None:
    if node is None or node.parent is None or node.parent.parent is None:
        return node
    around = node.parent.parent
    return around if node.parent.key == "hooks" and around.parent and around.parent.kind == "array" else node
