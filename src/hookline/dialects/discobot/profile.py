"""Discobot beside its hooks: how its scripts are written, and what they can say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import join

from hookline.dialects.discobot.fields import FIELDS
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import EVERY_FAILURE, SCRIPTS, Abilities, Profile, Words
from hookline.model.hooks import Command, HookSpec
from hookline.model.typing import Any


def write(specs: Sequence[HookSpec]) -> str:
    """A shell script that makes the files of `.discobot/hooks`, one per hook; run it in the workspace."""
    lines = ["#!/bin/sh", "# Makes the hooks below; nothing that is there already is replaced.", "set -e"]
    lines.append("mkdir -p .discobot/hooks")
    for name, text in script_files(specs).items():
        mark = "END_OF_HOOK"
        while mark in text:
            mark += "_"
        path = f".discobot/hooks/{name}"
        lines += [f"test ! -e {path} || {{ echo '{path} is there already' >&2; exit 1; }}"]
        lines += [f"cat > {path} <<'{mark}'", text.rstrip("\n"), mark, f"chmod +x {path}"]
    return "\n".join(lines) + "\n"


def script_files(specs: Sequence[HookSpec]) -> dict[str, str]:
    """The scripts by their file names."""
    found: dict[str, str] = {}
    for spec in specs:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", spec.name or spec.native_event).strip("-.") or "hook"
        name, count = stem, 1
        while name in found:
            count += 1
            name = f"{stem}-{count}"
        found[name] = _script(spec)
    return found


def _script(spec: HookSpec) -> str:
    said = {"type": spec.native_event, **write_keys(spec, FIELDS, spec.native_event)}
    fields = {key.name: _text(said[key.name]) for key in FIELDS if key.name in said}
    shell = spec.action.shell if isinstance(spec.action, Command) and spec.action.shell else ("sh", "-c")
    head = "#!/bin/sh\n" if shell[0] in ("sh", "/bin/sh") else f"#!/usr/bin/env {shell[0]}\n"
    rows = "".join(f"# {key}: {_front(value)}\n" for key, value in fields.items() if value)
    return f"{head}#---\n{rows}#---\n{_body(spec)}\n"


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _front(value: str) -> str:
    """One line; quoted where a bare value would read as something else (quotes know no escapes there)."""
    line = " ".join(value.split())
    return f'"{line}"' if re.search(r"[:#\[\]{}*&!|>%@`,]", line) and '"' not in line else line


def _body(spec: HookSpec) -> str:
    action = spec.action
    if isinstance(action, Command) and action.argv:
        return join(action.argv)
    return action.line if isinstance(action, Command) else spec.command


PROFILE = Profile(
    write,
    (SCRIPTS, ""),
    Abilities(closes="always", pattern=True),
    Words(
        variables=frozenset({"DISCOBOT_"}), fails_closed=EVERY_FAILURE, exit_only=True,
        denial="how {other} treats its exit code decides",
    ),
    program="discobot",
)  # fmt: skip
