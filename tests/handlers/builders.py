"""Small builders for handler tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookline.handlers.base import Around
from hookline.model.events import EventKind
from hookline.model.hooks import Action, HandlerInput, HookSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
NOTHING = HandlerInput()


def hook(action: Action, **changes: Any) -> HookSpec:
    common = {"id": "gencode:PreToolUse:1", "dialect": "gencode", "kind": EventKind.PreToolUse}
    return HookSpec(**{**common, "native_event": "PreToolUse", "action": action, **changes})


def around_in(folder: Path, env: Mapping[str, str] | None = None, **changes: Any) -> Around:
    """An environment of nothing but HOME and PATH (and `env`), with a private folder for value files."""
    complete = {"HOME": str(folder), "PATH": PATH, **(env or {})}
    common = {"workspace": str(folder), "run_dir": str(folder / "run"), "timeout_s": 60.0}
    return Around(**{**common, "env": complete, **changes})
