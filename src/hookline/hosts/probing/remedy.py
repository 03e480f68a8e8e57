"""The rule in our own format that would have held, tried on everything that got through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText
from hookline.engine.opening import Opened
from hookline.hosts.probing.aims import KNOWN
from hookline.hosts.probing.guards import HARMLESS, Guard, is_stopped, specs_judge
from hookline.hosts.probing.pieces import command_of
from hookline.model.hooks import HookSpec
from hookline.model.record import Record

# Programs whose first words say which of their commands is meant.
_WITH_COMMANDS = frozenset([
    "git", "npm", "yarn", "pnpm", "docker", "podman", "kubectl", "helm", "terraform", "tofu", "aws", "gcloud", "az",
    "gh", "glab", "cargo", "pip", "uv", "poetry", "brew", "apt", "apt-get", "systemctl", "hookline", "rails", "go",
    "bundle", "composer",
])  # fmt: skip
_DEEPER = frozenset(["aws", "gcloud", "az", "gh", "docker", "kubectl"])


class Remedy(Record):
    """A predicate, and how many of the lines tried it holds; `held` is all of them when it is a whole one."""

    text: str
    held: int
    tried: int

    @property
    def holds(self) -> bool:
        return self.held == self.tried

    def rule(self, reason: str) -> str:
        """The whole table for a `hooks.toml`."""
        return (
            f'[[hooks]]\nevent = "PreToolUse"\n{self.text}\ndeny = {json.dumps(reason, ensure_ascii=False)}'
        )


def remedy_for(guard: Guard, lines: Sequence[str], opened: Opened) -> Remedy | None:
    """The first predicate that holds all these lines, else the best; None when none is of any use.

    One that also stops harmless lines is of no use.
    """
    best: Remedy | None = None
    for text in candidates(guard.aims):
        judge = specs_judge(_specs(text), opened) if _specs(text) else None
        if judge is None or any(is_stopped(judge(line)) for line in HARMLESS):
            continue
        found = Remedy(text, sum(is_stopped(judge(line)) for line in lines), len(lines))
        if found.holds:
            return found
        if found.held and (best is None or found.held > best.held):
            best = found
    return best


def candidates(aims: Iterable[str]) -> Iterator[str]:
    """Predicates that commands could be meant by: all of them together, as lines of a `hooks.toml`."""
    known = [KNOWN[aim] for aim in aims if aim in KNOWN]
    commands = list(dict.fromkeys(found for aim in aims if (found := pattern_of(aim))))
    if len(commands) > 1:
        yield f"shell = {json.dumps(commands, ensure_ascii=False)}"
    yield from dict.fromkeys(known)
    yield from (f"shell = {json.dumps(command, ensure_ascii=False)}" for command in commands)
    yield from (f"{key} = {json.dumps(path)}" for aim in aims for key, path in _paths(aim))


def pattern_of(aim: str) -> str:
    """The command as a pattern: its program, its command words and its options, without other operands."""
    argv = command_of(aim).argv
    if not argv:
        return ""
    depth = 2 if argv[0] in _DEEPER else 1 if argv[0] in _WITH_COMMANDS else 0
    kept = [argv[0]]
    for word in argv[1:]:
        if word.startswith("-") and len(word) > 1:
            kept.append(word)
        elif depth:
            kept.append(word)
            depth -= 1
    return " ".join(kept) if all(word.isprintable() and " " not in word for word in kept) else ""


def _paths(aim: str) -> Iterator[tuple[str, str]]:
    argv = command_of(aim).argv
    key = {"rm": "delete", "rmdir": "delete", "cat": "read", "cp": "write", "tee": "write"}.get(
        argv[0] if argv else ""
    )
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if key and operands:
        yield key, operands[-1]


def _specs(predicate: str) -> tuple[HookSpec, ...]:
    """The hooks of a file with that one predicate; none when it cannot be said."""
    text = f'[[hooks]]\nevent = "PreToolUse"\n{predicate}\ndeny = "no"\n'
    source = Source("remedy.toml", "session", "toml", "remedy.toml")
    loaded = dialect("hookline").parse(SourceText(source, "text", text, "", "remedy.toml", "remedy.toml"))
    return () if loaded.problems else loaded.specs
