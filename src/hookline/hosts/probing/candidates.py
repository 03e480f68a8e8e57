"""Predicates of our own format that a guard's commands could be meant by."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator

from hookline.hosts.probing.aims import known_aims
from hookline.hosts.probing.pieces import command_of

# Programs whose first words say which of their commands is meant.
_WITH_COMMANDS = frozenset([
    "git", "npm", "yarn", "pnpm", "docker", "podman", "kubectl", "helm", "terraform", "tofu", "aws", "gcloud", "az",
    "gh", "glab", "cargo", "pip", "uv", "poetry", "brew", "apt", "apt-get", "systemctl", "hookline", "rails", "go",
    "bundle", "composer",
])  # fmt: skip
_DEEPER = frozenset(["aws", "gcloud", "az", "gh", "docker", "kubectl"])


def candidates(aims: Iterable[str]) -> Iterator[str]:
    """Predicates that commands could be meant by: all of them together, as lines of a `hooks.toml`."""
    known = [known_aims()[aim] for aim in aims if aim in known_aims()]
    commands = list(dict.fromkeys(found for aim in aims if (found := pattern_of(aim))))
    if len(commands) > 1:
        meant = list(dict.fromkeys(found for aim in aims for found in _meant(aim)))
        yield f"shell = {json.dumps(meant, ensure_ascii=False)}"
        yield f"shell = {json.dumps(commands, ensure_ascii=False)}"
    yield from dict.fromkeys(known)
    yield from (f"shell = {json.dumps(command, ensure_ascii=False)}" for command in commands)
    yield from (f"{key} = {json.dumps(path)}" for aim in aims for key, path in _paths(aim))


def _meant(aim: str) -> Iterator[str]:
    """What a well-known command is met by (`chmod 777`, not every `chmod`), else its own pattern."""
    found = tomllib.loads(known_aims().get(aim, "")).get("shell", pattern_of(aim))
    yield from filter(None, (found,) if isinstance(found, str) else found)


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
