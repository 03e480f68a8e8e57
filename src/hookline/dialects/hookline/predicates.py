"""The predicates of a rule as its file says them, and the examples it is held to."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping

from hookline.dialects.base import SourceText
from hookline.dialects.hookline.rules import COMMAND_PREDICATES, PREDICATES, TOOL_PREDICATES
from hookline.dialects.reading.nodes import Node, shown, to_plain
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest, suggestion
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.events import BODIES, COMMON, EventKind, Plain
from hookline.model.typing import Any

UNSURE = ("ask", "deny", "allow", "run")
EFFECT_NAMES = (
    "read", "write", "delete", "run", "connect", "publish", "discard", "rewrite-history", "elevate", "install",
    "download-and-run", "persist", "kill", "expose", "tamper", "loads",
)  # fmt: skip
# what a call does before what it is called: so an exception that says both lets off no more than it does
EXCEPTED = ("write", "read", "delete", "connect", "does", "outside", "shell", "shell_exact")
KINDS_OF_EXAMPLES = ("met", "unmet", "unsure")


def read_predicates(
    entry: Reader, kind: EventKind | None, rows: Mapping[str, Any], given: SourceText
) -> dict[str, Any]:
    """What a rule asks of an event, by key; a rule that fails one of its examples is reported."""
    found: dict[str, Any] = {}
    for key in PREDICATES:
        if not entry.has(key):
            continue
        if key in TOOL_PREDICATES and kind is not None and kind not in TOOL_EVENTS:
            entry.report_key(key, "dead-matcher", f"`{key}` only means something for tool calls")
        value = _where(entry, kind) if key == "where" else _value(entry, key)
        if value:
            found[key] = value
    _report_needless(entry, found)
    if "examples" in found and not entry.broken and kind is not None:
        _hold_to_examples(entry, found, rows, given)
    return found


def _value(entry: Reader, key: str) -> Any:
    if key in ("unsure", "unknown", "opaque"):
        return entry.choice(key, UNSURE)
    if key == "touches":
        chosen = entry.choice(key, ("guards",))
        return (chosen,) if chosen else None
    if key == "except":
        return tuple(_exceptions(entry))
    if key == "examples":
        return _examples(entry)
    return _texts(entry, key)


_ARGUMENTS = frozenset((
    "command", "content", "description", "file_path", "new_string", "notebook_path", "old_string", "path", "pattern",
    "prompt", "query", "url",
))  # fmt: skip


def _where(entry: Reader, kind: EventKind | None) -> Mapping[str, str]:
    """Values by their place in the payload; a place that no such event has is one that nothing meets."""
    found = entry.string_map("where") or {}
    node = entry.members["where"]
    if node.kind == "object" and not found:
        entry.report(node, "empty-value", "expected a place and its value, found none")
    sent = ("event", *COMMON, *BODIES.get(kind, Plain)._fields) if kind is not None else ()
    for path in found if sent else ():
        first = path.partition(".")[0]
        inner = kind in TOOL_EVENTS and first in _ARGUMENTS
        meant = f"tool_input.{path}" if inner else nearest(first, sent)
        if first not in sent and meant:
            words = f'`where."{path}"`: {kind.value if kind else ""} has no field `{first}`'
            entry.report_key("where", "unsent-field", words, f"did you mean `{meant}`?", severity="warning")
    return found


def _texts(entry: Reader, key: str) -> tuple[str, ...] | None:
    texts = entry.string_list(key, single=True, wanted="a text or a list of texts", blank=False)
    node = entry.members[key]
    for text in filter(str.strip, texts or ()):
        if key == "does" and text not in EFFECT_NAMES:
            hint = suggestion(text, EFFECT_NAMES, "effects: " + ", ".join(EFFECT_NAMES))
            entry.report(node, "bad-value", f"expected an effect, found `{text}`", hint)
        elif text.endswith(":*") and key.startswith("shell"):
            _report_ending(entry, node, text)
        elif text[0] == "*" and key.startswith("shell"):
            _report_program(entry, node, text)
    if key in _PLAIN and texts and any(_is_odd(key, text) for text in texts):
        _report_dead(entry, key, texts)
    return texts


_PLAIN = frozenset(("shell", "shell_exact", "write", "read", "delete", "connect"))
_ODD = frozenset("|;&()<>^\\{!$")


def _is_odd(key: str, text: str) -> bool:
    """Whether a text is worth a closer look, which most are not."""
    odd = (
        "/" in text or ":" in text
        if key == "connect"
        else ".*" in text or ".+" in text or text.startswith("../")
    )
    return odd or not _ODD.isdisjoint(text)


def _report_dead(entry: Reader, key: str, texts: tuple[str, ...]) -> None:
    """A text that nothing can be, which looks like a guard that is on; an error where the rule has no other."""
    from hookline.dialects.hookline.dead_texts import why_dead

    found = [dead for text in texts if (dead := why_dead(key, text)) is not None]
    whole = len(found) == len(texts)
    for words, hint in found:
        code, severity = ("dead-matcher", "error") if whole else ("dead-name", "warning")
        entry.report(entry.members[key], code, words, hint, severity=severity)


def _report_ending(entry: Reader, node: Node, text: str) -> None:
    """`:*` behind a sub-command, of which none is called so: whoever wrote it has permission rules in mind."""
    if not text.endswith(":*"):
        return
    from hookline.shell.effects.spelled import ends_name
    from hookline.shell.effects.wanted import wanted_of
    from hookline.shell.programs.table import programs

    if not ends_name(text):
        return
    if text[:-2].rpartition(" ")[2] in wanted_of(text, programs("")).given.path:
        words = f"`{text}` means `{text[:-2]}`, whatever words follow"
        entry.report(node, "needless-ending", words, f"write `{text[:-2]}`", severity="warning")


def _report_program(entry: Reader, node: Node, text: str) -> None:
    """`*DROP*` is a program called so, which looks like a word that is to stand anywhere."""
    if not any(word.lstrip("'\"")[:1] == "*" for word in text.split()):
        return
    from hookline.shell.effects.wanted import wanted_of
    from hookline.shell.programs.table import programs

    name = wanted_of(text, programs("")).program
    within = len(name) > 1 and name[0] == "*" and (name[-1] == "*" or " " in text)
    if within and "/" not in name and not programs("").has_like(name):
        words = f"`{text}` is about a program that is called `{name}`"
        word = f"'{text}'" if " " in text else text
        hint = f'for a word anywhere write `"* {word}"`'
        entry.report(node, "dead-name", words, hint, severity="warning")


def _exceptions(entry: Reader) -> Iterator[dict[str, Any]]:
    for exception in entry.objects("except", single=True, wanted="tables of predicates"):
        if not exception.valid:
            continue
        exception.unknown_keys(EXCEPTED, severity="error")
        found = {key: value for key in EXCEPTED if exception.has(key) and (value := _texts(exception, key))}
        entry.broken |= exception.broken
        if found:
            yield found


def _report_needless(entry: Reader, found: Mapping[str, Any]) -> None:
    """Keys that only say something beside a predicate about commands."""
    if found.keys() & COMMAND_PREDICATES:
        return
    for key in ("except", "unsure", "unknown", "opaque", "examples"):
        if key in found:
            words = f"`{key}` says nothing without `shell`, `write`, `does` or another of their kind"
            entry.report_key(key, "matcher-ignored", words, severity="error")


def _examples(entry: Reader) -> dict[str, list[Any]]:
    """Lines of a shell, or tool calls: `{ tool = "Write", input = { file_path = "x" } }`."""
    table = entry.object("examples")
    if table is None:
        return {}
    table.unknown_keys(KINDS_OF_EXAMPLES, severity="error")
    entry.broken |= table.broken
    found: dict[str, list[Any]] = {}
    for kind in KINDS_OF_EXAMPLES:
        node = table.get(kind)
        if node is None:
            continue
        if node.kind != "array":
            table.wrong(node, "a list of examples")
            continue
        found[kind] = [each for item in node.items if (each := _example(table, item)) is not None]
    entry.broken |= table.broken
    return found


def _example(table: Reader, node: Node) -> Any:
    if node.kind == "string":
        return str(node.value)
    plain = to_plain(node)
    if (
        isinstance(plain, dict)
        and isinstance(plain.get("tool"), str)
        and isinstance(plain.get("input"), dict)
    ):
        return plain
    table.report(node, "bad-value", f"expected a command or a tool call, found {shown(node)}",
                 'write `"git push"` or `{ tool = "Write", input = { file_path = "a" } }`')  # fmt: skip
    return None


def _hold_to_examples(
    entry: Reader, predicates: Mapping[str, Any], rows: Mapping[str, Any], given: SourceText
) -> None:
    from hookline.dialects.hookline.dead_texts import came_to

    path = given.path or given.source.path
    workspace = path.partition("/.hookline/")[0] if "/.hookline/" in path else os.path.dirname(path)
    node = entry.members["examples"]
    for wanted, examples in predicates["examples"].items():
        for example in examples:
            found, why = came_to(example, predicates, rows, workspace, entry.has("allow"))
            if found != wanted:
                text = example if isinstance(example, str) else f"{example['tool']} {example['input']}"
                words = f"`{text}` should be {wanted}, and is {found}: {why}"
                entry.report(node, "failed-example", words, "change the rule or the example")
