"""Codex's patch format: which files a patch touches, and a single edit as a patch and back.

A path may only be trusted as far as the headers go; a guard that must see every file reads all of them.
"""

from __future__ import annotations

from hookline.model.typing import Any, Iterator, Mapping

BEGIN = "*** Begin Patch"
END = "*** End Patch"
VERBS = ("Add", "Update", "Delete")


def is_patch(text: object) -> bool:
    """Whether a tool's `command` is a patch."""
    return isinstance(text, str) and text.lstrip().startswith(BEGIN)


def patch_field(given: Mapping[str, Any]) -> str:
    """The argument that holds a patch: `command`, `input`, `patch` or what else an agent calls it; empty for none."""
    return next((field for field, text in given.items() if is_patch(text)), "")


def is_patch_tool(name: str) -> bool:
    """Whether a tool is the one for patches, however an agent spells it."""
    return name.replace("_", "").lower() == "applypatch"


def patch_targets(text: str) -> tuple[tuple[str, str], ...]:
    """`(verb, path)` of every file header: Add, Update, Delete, and Move for an update's new name."""
    return tuple(_headers(text))


def patch_of_call(name: str, given: Mapping[str, Any]) -> str:
    """A Write or Edit as a patch, for hooks written for Codex."""
    path = str(given.get("file_path", ""))
    if name == "Write":
        lines = [f"+{line}" for line in str(given.get("content", "")).splitlines()]
        return "\n".join((BEGIN, f"*** Add File: {path}", *lines, END, ""))
    removed = [f"-{line}" for line in str(given.get("old_string", "")).splitlines()]
    added = [f"+{line}" for line in str(given.get("new_string", "")).splitlines()]
    return "\n".join((BEGIN, f"*** Update File: {path}", "@@", *removed, *added, END, ""))


def call_of_patch(name: str, text: str) -> Mapping[str, Any] | None:
    """The Write or Edit a patch of one file stands for; None when it is something else."""
    targets = patch_targets(text)
    wanted = "Add" if name == "Write" else "Update"
    if len(targets) != 1 or targets[0][0] != wanted:
        return None
    body = [line for line in text.splitlines() if not line.startswith(("***", "@@"))]
    added = "\n".join(line[1:] for line in body if line[:1] in ("+", " "))
    if name == "Write":
        return {"file_path": targets[0][1], "content": added + "\n"}
    if text.count("\n@@") > 1:
        return None
    removed = "\n".join(line[1:] for line in body if line[:1] in ("-", " "))
    return {"file_path": targets[0][1], "old_string": removed, "new_string": added}


def _headers(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        for verb in VERBS:
            if line.startswith(f"*** {verb} File: "):
                yield verb, line.partition(": ")[2].strip()
        if line.startswith("*** Move to: "):
            yield "Move", line.partition(": ")[2].strip()
