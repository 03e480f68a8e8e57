"""Times in a config that fit the other unit better, or the event not at all."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.entries import ConfigFile, Entry
from hookline.dialects import is_agent
from hookline.dialects.reading.nodes import Node
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

LONG_S, SHORT_MS = 1000.0, 1000.0
_ROUND = 500  # what people write in milliseconds; limits meant in seconds are minutes
_FAST_MS = frozenset({200, 250, 500, 750, 800})
_SHORT_S = 3.0
_SLOW = late(
    r"(?:^|[;&|(]\s*)"
    r"((?:npm|pnpm|yarn|bun) (?:run |test|ci|install)|npx|uvx|uv run|pytest|cargo|go test|mvn|gradle|make|docker|"
    r"claude|git push)\b",
    needs=(
        "npm", "yarn", "bun", "npx", "uv", "pytest", "cargo", "go test", "mvn", "gradle", "make", "docker", "laude",
        "git push",
    ),
)  # fmt: skip


def time_problems(file: ConfigFile) -> Iterator[Problem]:
    """Times that fit the other unit better, by themselves or by what stands beside them."""
    found = [(entry, node) for entry in file.entries if entry.runs and (node := time_node(entry)) is not None]
    told = {id(node) for entry, node in found if _is_wrong(entry, float(node.value))}
    beside = any(_is_plainly_wrong(entry, float(node.value)) for entry, node in found)
    for entry, node in found:
        if id(node) in told or (beside and _could_be_wrong(entry, float(node.value))):
            yield _time_problem(file, entry, node)


def time_node(entry: Entry) -> Node | None:
    for key in ("timeoutSec", "timeout", "timeout_ms"):
        node = entry.node.get(key) if entry.node else None
        if node is not None and node.kind in ("integer", "number") and node.value > 0:
            return node
    return None


def _in_ms(entry: Entry) -> bool:
    """Whether the file counts milliseconds."""
    node = time_node(entry)
    return node is not None and float(node.value) >= entry.spec.timeout_s * 500


def _is_wrong(entry: Entry, value: float) -> bool:
    if _in_ms(entry):
        return value < SHORT_MS and value not in _FAST_MS
    return _is_plainly_wrong(entry, value) or (LONG_S <= value < 3600 and value % _ROUND == 0)


def _is_plainly_wrong(entry: Entry, value: float) -> bool:
    return value < 100 if _in_ms(entry) else value > 3600 and bool(value % 3600)  # whole hours are meant


def _could_be_wrong(entry: Entry, value: float) -> bool:
    return value < SHORT_MS if _in_ms(entry) else value >= LONG_S


def _time_problem(file: ConfigFile, entry: Entry, node: Node) -> Problem:
    value = float(node.value)
    if not _in_ms(entry):
        words = f"{value:g} seconds is {value / 60:.0f} minutes"
        hint = f"if milliseconds were meant, write `{value / 1000:g}`"
        return file.problem(node, "implausible-time", words, hint)
    words = f"{value:g} milliseconds is {'too short for any hook' if value < 100 else 'very short'}"
    code = "impossible-time" if value < 100 else "implausible-time"
    return file.problem(node, code, words, f"if seconds were meant, write `{value * 1000:.0f}`")


def time_problems_of(entry: Entry) -> Iterator[Problem]:
    """What is wrong with one hook's time at its event."""
    yield from _cut_times(entry)
    yield from _short_times(entry)


def _cut_times(entry: Entry) -> Iterator[Problem]:
    """A time that is longer than what the agent gives hooks of this event."""
    node = time_node(entry)
    if node is None or _is_wrong(entry, float(node.value)):
        return  # that it is in the wrong unit is told
    of_plugins = entry.traps.of_plugins.get(entry.spec.kind, 0.0) if entry.spec.origin.plugin_root else 0.0
    if of_plugins and float(node.value) > of_plugins:
        words = f"{entry.speaker.title} gives hooks of plugins {of_plugins:g} seconds, whatever their `timeout` says"
        hint = "keep what it does short, or let it go on in the background"
        yield entry.file.problem(node, "implausible-time", words, hint)
        return
    most = entry.speaker.profile.style.limits.get(entry.spec.kind, 0.0)
    if not most or _in_ms(entry) or entry.spec.timeout_s != most or float(node.value) <= most:
        return
    words = f"{entry.speaker.title} gives a hook of `{entry.spec.native_event}` at most {most:g} seconds"
    yield entry.file.problem(
        node, "implausible-time", words, f"write `{most:g}`, and keep what it does short"
    )


def _short_times(entry: Entry) -> Iterator[Problem]:
    """Slow programs at an event whose hooks get a second or two where the entry says nothing else."""
    found = _SLOW.search(entry.line) if entry.node is not None and time_node(entry) is None else None
    if found and entry.spec.timeout_s <= _SHORT_S and is_agent(entry.speaker.name):
        given = f"{entry.spec.timeout_s:g} seconds"
        words = f"hooks of `{entry.spec.native_event}` get {given}, and `{found[1].strip()}` may take longer"
        most = entry.speaker.profile.style.limits.get(entry.spec.kind, 0.0)
        hint = f"{entry.speaker.title} gives at most {most:g}" if most else 'write `"timeout": 60`'
        yield entry.problem("implausible-time", words, hint, key="command")
