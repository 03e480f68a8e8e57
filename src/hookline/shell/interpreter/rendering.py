"""What a program prints of manifests: those of a folder, or those that it reads."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.reading import Command, Hole, Parts

if TYPE_CHECKING:
    from hookline.shell.interpreter.printing import Way
    from hookline.shell.values.running import Running


def _of_folder(reader: Running, command: Command) -> Parts | None:
    """`kustomize build overlays/dev`, `kubectl kustomize overlays/dev`."""
    words = [word.literal or "" for word in command.words]
    if words[1:2] not in (["build"], ["kustomize"]):
        return None
    folder = next((word for word in words[2:] if word and not word.startswith("-")), ".")
    return (Hole("words", f"what `{words[0]}` makes of `{folder}`", f"< {folder}"),)


def _passed_on(reader: Running, command: Command) -> Parts | None:
    read = command.stdin.parts if command.stdin is not None else ()
    only = read[0] if len(read) == 1 else ""
    return (only,) if isinstance(only, Hole) and only.why.startswith("what `ku") else None


WAYS: dict[str, Way] = {"kustomize": _of_folder, "kubectl": _of_folder, "envsubst": _passed_on}
