"""`hookline run`: the tool loop on a workspace."""

from __future__ import annotations

import asyncio
import signal
import sys

from hookline.cli import common
from hookline.hosts.permissions import MODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping
    from typing import Any

    from hookline.hosts.tool_loop import ToolLoop, TurnResult

_NOT_STREAMED = ("delta", "tool.asked")
EXAMPLE = 'hookline run "Tidy up main.py" --model scripted:turns.yml'


def run(arguments: list[str]) -> int:
    """Sends one prompt and runs the tools the model calls; exits 0 when the turn completed."""
    options = _options(arguments)
    return asyncio.run(_run(options))


def _options(arguments: list[str]) -> Namespace:
    parser = common.parser("run", "Sends a prompt to a model, runs its tools, fires every hook.", EXAMPLE)
    parser.add_argument("prompt", help="what to do")
    parser.add_argument(
        "--model", required=True, metavar="M", help="scripted:FILE, anthropic:NAME, openai:NAME"
    )
    parser.add_argument("--base-url", metavar="URL", help="another server that speaks the same protocol")
    parser.add_argument(
        "--max-turns", type=int, default=50, metavar="N", help="requests to the model at most"
    )
    parser.add_argument(
        "--permission-mode", choices=MODES, help="default: bypassPermissions without a terminal"
    )
    parser.add_argument("--record", metavar="FILE", help="append one JSON line per request to the model")
    parser.add_argument("--session", default=None, metavar="ID", help="the session id")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    return parser.parse_args(arguments)


async def _run(options: Namespace) -> int:
    from hookline.agents.models import open_model
    from hookline.engine.opening import open_engine
    from hookline.hosts.permissions import Permissions
    from hookline.hosts.tool_loop import ToolLoop

    workspace = common.workspace_of(options.workspace)
    printer = _printer(options.json)
    opened = open_engine(workspace, listener=printer.hook, warn=common.warn)
    common.name_untrusted(opened)
    model = open_model(options.model, opened.engine.environment, options.base_url, options.record)
    session = options.session or _new_session_id()
    mode = options.permission_mode or "bypassPermissions"
    loop = ToolLoop(
        opened.engine,
        model,
        workspace=workspace,
        session_id=session,
        permissions=Permissions(mode),
        on_event=printer.event,
        max_turns=options.max_turns,
    )
    printer.event({"type": "session.started", "session_id": session})
    result, reason = await _one_turn(loop, options.prompt)
    printer.event(
        {"type": "session.ended", "session_id": session, "reason": reason, "status": _status(result)}
    )
    if result is None:
        return 130
    if not result.ok and result.reason:
        common.say(f"error: {result.reason}")
    return 0 if result.ok else 2 if result.status == "blocked" else 1


async def _one_turn(loop: ToolLoop, prompt: str) -> tuple[TurnResult | None, str]:
    """Session start, the turn, session end; the first signal ends the turn, SessionEnd still runs."""
    task = asyncio.ensure_future(_start_and_submit(loop, prompt))
    running = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        running.add_signal_handler(number, task.cancel)
    try:
        result: TurnResult | None = await task
        reason = "other" if result is not None and result.ok else "error"
    except asyncio.CancelledError:
        result, reason = None, "interrupted"
    for number in (signal.SIGINT, signal.SIGTERM):
        running.remove_signal_handler(number)
    await loop.end(reason)
    return result, reason


async def _start_and_submit(loop: ToolLoop, prompt: str) -> TurnResult:
    from hookline.hosts.rounds import Rounds

    await loop.start()
    return await Rounds(loop).submit(prompt)


def _new_session_id() -> str:
    from uuid import uuid4

    return str(uuid4())


def _status(result: TurnResult | None) -> str:
    return "interrupted" if result is None else result.status


def _printer(as_json: bool) -> TextPrinter | JsonPrinter:
    return JsonPrinter() if as_json else TextPrinter()


class JsonPrinter:
    """The event stream: one object per line, each with `type` and `at`."""

    def event(self, fields: Mapping[str, Any]) -> None:
        import json

        from hookline.system.clock import iso_time

        if fields["type"] in _NOT_STREAMED:
            return

        line = {"type": fields["type"], "at": iso_time(), **fields}
        sys.stdout.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
        sys.stdout.flush()

    def hook(self, news: Any) -> None:
        from hookline.model.rendering import result_as_json
        from hookline.model.results import HookStarted

        if isinstance(news, HookStarted):
            spec = news.spec
            self.event({"type": "hook.started", "id": spec.id, "name": spec.name, "event": spec.kind.value})
        else:
            self.event({"type": "hook.finished", **result_as_json(news.result)})


class TextPrinter:
    """What a person sees: answers on stdout, tools and hooks on stderr."""

    def __init__(self) -> None:
        from hookline.cli.live import LiveLines

        self._lines = LiveLines(sys.stderr)

    def hook(self, news: Any) -> None:
        self._lines(news)

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "message" and fields["role"] == "assistant" and "agent_id" not in fields:
            sys.stdout.write(fields["text"] + "\n")
            sys.stdout.flush()
        elif kind == "message" and fields["role"] in ("hook", "notice"):
            common.say(f"  {fields['text'].rstrip()}")
        elif kind == "tool.started":
            common.say(f"[{fields['name']}] {_short(fields['input'])}")


def _short(given: Mapping[str, Any]) -> str:
    from hookline.cli.render import one_line

    value = (
        given.get("command") or given.get("file_path") or given.get("pattern") or given.get("prompt") or ""
    )
    return one_line(str(value), 100)
