"""A copy of a workspace with its hooks, and a play that fits whatever is in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hookline.engine.opening import Opened
from hookline.model.hooks import HookSpec, Programs
from hookline.system import files
from hookline.system.repository.git import read_git

if TYPE_CHECKING:
    from hookline.engine.admission import Trust

PROMPT = "Look around, and add a file of the kind this project has most of."
REPORT_PROMPT = "This is what the hooks report of the round. Take your file back."
FILE_LIMIT = 4 << 20
COUNT_LIMIT = 20_000
_LEFT_OUT = frozenset({".git", "node_modules", ".venv", "__pycache__"})


class CopiedTrust:
    """The trust of the copied hooks: what the user decided of the originals, nothing more."""

    def __init__(self, opened: Opened) -> None:
        self._trust: Trust = opened.trust
        self._originals = {spec.id: spec for spec in opened.hooks.specs}
        self.is_strict = opened.trust.is_strict

    def state(self, spec: HookSpec) -> str:
        original = self._originals.get(spec.id)
        return "untrusted" if original is None else self._trust.state(original)

    def fault(self, spec: HookSpec) -> str:
        original = self._originals.get(spec.id)
        return "" if original is None else self._trust.fault(original)

    def still_reviewed(self, spec: HookSpec) -> bool:
        original = self._originals.get(spec.id)
        return original is not None and self._trust.reviewed_programs(original) is not None

    def reviewed_programs(self, spec: HookSpec) -> Programs | None:
        """The copies run from where they are, once their originals are seen to be the reviewed ones."""
        return {} if self.still_reviewed(spec) else None

    def ran_reviewed(self, spec: HookSpec) -> bool:
        original = self._originals.get(spec.id)
        return original is not None and self._trust.ran_reviewed(original)

    def digest(self, spec: HookSpec) -> str:
        original = self._originals.get(spec.id)
        return "" if original is None else self._trust.digest(original)

    def disabled_by(self, spec: HookSpec) -> str | None:
        original = self._originals.get(spec.id)
        return None if original is None else self._trust.disabled_by(original)


async def copy_workspace(opened: Opened, target: str) -> tuple[str, ...]:
    """Copies the files git knows or would add, and every file that belongs to a hook, ignored or not; their names."""
    workspace = opened.workspace
    names = {*await _listed(workspace), *_files_of(opened.hooks.specs, workspace)}
    return tuple(name for name in sorted(names)[:COUNT_LIMIT] if _is_copied(name, workspace, target))


def script_for(names: Sequence[str], workspace: str) -> Mapping[str, Any]:
    """A play that reads, runs a command, tries a dangerous one, and writes a file of the commonest kind."""
    model = _model_file(names, workspace)
    folder, base = os.path.split(model)
    own = os.path.join(folder, f"hookline_demo_{base}" if model else "hookline_demo.txt")
    content = files.read_text(os.path.join(workspace, model)).text if model else "A file of the demo.\n"
    reads = [{"name": "Read", "input": {"file_path": model, "limit": 20}}] if model else []
    return {
        "turns": [
            {
                "text": "I look around first.",
                "tool_calls": [{"name": "Bash", "input": {"command": "git status --short"}}, *reads],
            },
            {
                "text": "Something a guard may not like.",
                "tool_calls": [{"name": "Bash", "input": {"command": "rm -rf ./hookline-demo-scratch"}}],
            },
            {
                "text": f"Now a file like {model or 'no other'}.",
                "tool_calls": [{"name": "Write", "input": {"file_path": own, "content": content}}],
            },
            {"text": f"{own} is written."},
            {
                "text": "I take my file back.",
                "tool_calls": [{"name": "Bash", "input": {"command": f"rm -f -- '{own}'"}}],
            },
        ],
        "after": "That is all this script can do.",
    }


async def _listed(workspace: str) -> Iterable[str]:
    found = await read_git(workspace, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if found.ok:
        return [os.fsdecode(name) for name in found.output.split(b"\0") if name]
    return list(_walked(workspace))


def _walked(workspace: str) -> Iterator[str]:
    for folder, names, entries in os.walk(workspace):
        names[:] = sorted(name for name in names if name not in _LEFT_OUT)
        yield from (os.path.relpath(os.path.join(folder, entry), workspace) for entry in sorted(entries))


def _files_of(specs: Iterable[HookSpec], workspace: str) -> Iterator[str]:
    for spec in specs:
        for path in (spec.path, *(os.path.join(workspace, name) for name in spec.files)):
            if path.startswith(os.path.join(workspace, "")):
                yield os.path.relpath(path, workspace)


def _is_copied(name: str, workspace: str, target: str) -> bool:
    """Copies one file, unless it is too large, cannot be read, or leads out of the workspace."""
    found = files.read_bytes(os.path.join(workspace, name), FILE_LIMIT)
    inside = os.path.join(os.path.realpath(workspace), "")
    if found.state not in ("bytes", "empty") or not os.path.join(found.real_path, "").startswith(inside):
        return False
    path = os.path.join(target, name)
    files.ensure_dir(os.path.dirname(path))
    files.write_atomic(path, found.content, mode=found.mode, fsync=False)
    return True


def _model_file(names: Sequence[str], workspace: str) -> str:
    """The smallest text file of the commonest extension; empty when there is none."""
    kinds = Counter(os.path.splitext(name)[1] for name in names if not name.startswith("."))
    kinds.pop("", None)
    for kind, _ in kinds.most_common():
        own = [name for name in names if name.endswith(kind) and not name.startswith(".")]
        texts = [name for name in own if files.read_text(os.path.join(workspace, name)).state == "text"]
        plain = [name for name in texts if "'" not in name]
        if plain:
            return min(plain, key=lambda name: (os.path.getsize(os.path.join(workspace, name)), name))
    return ""
