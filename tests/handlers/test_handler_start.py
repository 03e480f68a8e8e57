"""A command hook pays for nothing it does not use: handlers are loaded at the first use of each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import hookline
from hookline.handlers import HANDLERS, handler_for
from hookline.model import hooks
from hookline.model.hooks import Inline, McpTool, PromptCheck, Unusable, Webhook

SOURCE = Path(hookline.__file__).parent.parent
DEAR = ("asyncio", "http", "ssl", "socket", "email", "urllib", "typing", "dataclasses", "inspect", "logging",
        "subprocess", "threading", "ipaddress", "yaml", "pwd")  # fmt: skip


def test_running_a_command_hook_imports_nothing_dear(tmp_path: Path) -> None:
    program = f"""
import json, sys
sys.path.insert(0, {str(SOURCE)!r})
from hookline.handlers import handler_for
from hookline.handlers.base import Around
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HandlerInput, HookSpec
from hookline.system.loops import loop
action = Command(line="cat > seen; echo {{{{x}}}}")
spec = HookSpec("i", "d", EventKind.PreToolUse, "PreToolUse", action)
words = {{"placeholders": "braces", "variables": {{"x": "ok"}}}}
given = HandlerInput(payload={{"a": 1}}, stdin=True, cwd={str(tmp_path)!r}, **words)
raw = loop.run(handler_for(action)(action, spec, given, Around(env={{"PATH": "/usr/bin:/bin"}})))
print(json.dumps([raw.stdout, sorted(set(sys.modules) & set({DEAR!r}))]))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == ["ok\n", []]
    assert (tmp_path / "seen").read_text() == '{"a":1}\n'


def test_every_action_has_a_handler() -> None:
    kinds = get_args(hooks.Action)
    assert set(HANDLERS) == set(kinds)
    assert all(kind.handler and isinstance(kind.shown, property) for kind in kinds)
    for action in (Webhook("x"), Inline(print), PromptCheck("x"), McpTool("s", "t"), Unusable("x")):
        assert callable(handler_for(action))
