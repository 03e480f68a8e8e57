"""What a guard is meant to stop: its examples, its patterns as commands, or well-known ones that it stops."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.hosts.probing.spellings import commands
from hookline.model.hooks import HookSpec

_SAMPLES = {"delete": "rm -rf {}", "write": "cp x {}", "read": "cat {}", "connect": "curl https://{}/"}


def known_aims() -> Mapping[str, str]:
    """Commands that guards of all kinds are written against, and the predicate that means the same."""
    found: Mapping[str, str] = commands()["known"]
    return found


def aims_of(spec: HookSpec) -> tuple[str, ...]:
    """The commands a rule of our own names as what it is met by; none for a guard that runs something."""
    predicates: Mapping[str, Any] = spec.rule.predicates
    examples = spec.rule.examples.get("met", ())
    lines = [line for line in examples if isinstance(line, str)]
    return tuple(dict.fromkeys(line for line in lines or _of_predicates(predicates) if line))


def _of_predicates(predicates: Mapping[str, Any]) -> Iterator[str]:
    for key in ("shell", "shell_exact"):
        yield from map(plain_command, texts_of(predicates.get(key)))
    for key, form in _SAMPLES.items():
        yield from (form.format(plain_path(text)) for text in texts_of(predicates.get(key)))
    for text in texts_of(predicates.get("rule")):
        yield from aims_of_rule(text)
    for deed in texts_of(predicates.get("does") or predicates.get("touches")):
        yield from commands()["deeds"].get("tamper" if deed == "guards" else deed, ())


def aims_of_rule(rule: str) -> tuple[str, ...]:
    """The commands that a permission rule is written against; a rule about files means the shell's ways too."""
    found = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", rule, re.DOTALL)
    if found is None:
        return ("ls",) if rule.strip() == "Bash" else ()
    tool, text = found[1], found[2].strip()
    if tool == "Bash":
        return (plain_command(text.removesuffix(":*")),)
    path = plain_path(text.replace("//", "/", 1) if text.startswith("//") else text.removeprefix("./"))
    forms = {"Read": "cat {}", "Edit": "cp x {}", "Write": "cp x {}"}
    return (forms[tool].format(path),) if tool in forms and path else ()


def predicate_of_rule(rule: str) -> str:
    """What a permission rule means, as a line of a `hooks.toml`; empty where no one key says it."""
    if (command := re.fullmatch(r"\s*Bash\s*\(([^*?]+):\*\)\s*", rule)) is not None:
        return f"shell = {json.dumps(command[1].strip(), ensure_ascii=False)}"
    found = re.fullmatch(r"\s*(Read|Edit|Write)\s*\((.+)\)\s*", rule, re.DOTALL)
    if found is None or re.match(
        r"/(?!/)", path := found[2].strip()
    ):  # one slash: from where its file stands
        return ""
    path = path.removeprefix("./") if "/" in path else f"**/{path}"  # a name alone means any folder
    return f"{'read' if found[1] == 'Read' else 'write'} = {json.dumps(path, ensure_ascii=False)}"


def plain_command(pattern: str) -> str:
    """A command that a pattern fits: without an open end, and with a word for each other `*`."""
    text = pattern.strip().rstrip("*").strip() if pattern.rstrip().endswith("*") else pattern.strip()
    return re.sub(r"\*+", "x", text).replace("?", "x")


def plain_path(pattern: str) -> str:
    """A path that a glob fits."""
    text = pattern.replace("**/", "").replace("/**", "/x").replace("**", "x")
    return re.sub(r"\[.[^]]{0,200}+\]", "x", text.replace("*", "x").replace("?", "x"))


def texts_of(value: Any) -> Sequence[str]:
    """The texts of a predicate: one, several, or none."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(map(str, value))
