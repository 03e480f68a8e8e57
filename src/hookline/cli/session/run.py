"""`hookline run`: the tool loop on a workspace."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from typing import Any

from hookline.cli import common, flags
from hookline.cli.ending import until_signal
from hookline.cli.session.asking import TerminalAsk
from hookline.cli.session.line_editor import is_terminal
from hookline.cli.session.opening import model_for, open_for, session_for
from hookline.cli.session.printing import printer_for
from hookline.cli.session.prompt import Interactive
from hookline.cli.session.session_commands import COMMANDS
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.host import TurnResult
from hookline.hosts.tool_loop.permissions import MODES
from hookline.hosts.tool_loop.sessions import ToolSession, Wish
from hookline.model.errors import UsageError
from hookline.model.record import replace
from hookline.model.short_json import whole_text

EXAMPLE = 'hookline run "Tidy up main.py" --model scripted:turns.yml'
NOT_ASKED = "nothing is asked without a terminal: hooks and deny rules alone decide (bypassPermissions)"


def run(arguments: list[str]) -> int:
    """Sends one prompt and runs the tools the model calls; exits 0 when the turn completed."""
    options = _options(arguments)
    if options.prompt == "-" or (options.prompt is None and not is_terminal()):
        options.prompt = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    if options.prompt is not None:
        options.prompt = _worded(options.prompt)
    if options.prompt is not None:
        return asyncio.run(_run(options))
    return asyncio.run(_run_session(options, *open_for(options)))


def _worded(prompt: str) -> str:
    """The prompt without blanks around it. Raises UsageError where nothing is left."""
    text = prompt.strip()
    if not text:
        hint = "write it behind `run`, or on standard input; a session needs a terminal"
        raise UsageError("run: no prompt", hint)
    return whole_text(text)


def _options(arguments: list[str]) -> Namespace:
    summary = "Sends a prompt to a model, runs its tools, fires every hook. Without a prompt: a session."
    parser = common.parser("run", summary, EXAMPLE)
    parser.add_argument(
        "prompt", nargs="?", help="what to do; `-`: what stands on stdin (default: a session)"
    )
    flags.add_model(parser)
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument("-c", "--continue", dest="latest", action="store_true", help="the latest session")
    earlier.add_argument(
        "-r", "--resume", metavar="ID", help="that session (the beginning of its id will do)"
    )
    earlier.add_argument("--session", default="", metavar="ID", help="the id of the new session")
    flags.add_count(parser, "--max-turns", "requests to the model at most (50)", 50, least=1)
    parser.add_argument(
        "--permission-mode",
        choices=MODES,
        help="on a terminal `default`, which asks; without one `bypassPermissions`",
    )
    flags.add_count(
        parser, "--context-tokens", "compact the conversation beyond this size (150000)", 150_000, least=1
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    flags.add_untrusted(parser)
    return parser.parse_args(arguments)


async def _run_session(options: Namespace, opened: Opened, wish: Wish) -> int:
    model = model_for(options, opened)

    def make(wish: Wish, on_event: Any, ask: Any) -> ToolSession:
        return session_for(options, opened, model, wish, on_event, ask)

    try:
        return await Interactive(opened, wish, make, COMMANDS).run()
    except EOFError:
        common.say("the terminal is gone")
        return 1


async def _run(options: Namespace) -> int:
    opened, wish = open_for(options)
    printer = printer_for(options.json)
    opened.engine.listen(printer.hook)
    ask = TerminalAsk() if sys.stdin.isatty() and sys.stderr.isatty() else None
    if ask is None and options.permission_mode is None:
        wish = replace(wish, mode="bypassPermissions")
        common.say(NOT_ASKED)
    session = session_for(options, opened, model_for(options, opened), wish, printer.event, ask)
    if ask is not None:
        ask.loop = session.loop
    about = {"session_id": session.id, "source": session.source, "model": session.loop.model.name}
    printer.event({"type": "session.started", **about})
    ticking = asyncio.ensure_future(printer.keep_ticking())
    result, code = await _play(session, options.prompt)
    ticking.cancel()
    status = result.status if result is not None else "interrupted"
    printer.event({"type": "session.ended", "session_id": session.id, "status": status, "exit_code": code})
    if result is not None and not result.ok and result.reason:
        common.say(f"error: {result.reason}")
    if result is None:
        how = f": `hookline run --resume {session.id} …` goes on" if session.store.exact(session.id) else ""
        common.say(f"interrupted{how}")
    return code


async def _play(session: ToolSession, prompt: str) -> tuple[TurnResult | None, int]:
    """Session start, the turn, session end, and the exit code.

    The first signal ends the turn, SessionEnd still runs; the second ends that too.
    """
    heard: list[int] = []
    try:
        result: TurnResult | None = await until_signal(_start_and_submit(session, prompt), heard)
    except Exception:
        await until_signal(session.loop.end("error"), heard)
        raise
    reason = "interrupted" if result is None else "other" if result.ok else "error"
    await until_signal(session.loop.end(reason), heard)
    if result is None:
        return None, 128 + heard[0]
    return result, 0 if result.ok else 2 if result.status == "blocked" else 1


async def _start_and_submit(session: ToolSession, prompt: str) -> TurnResult:
    await session.start()
    result = await session.rounds.to_the_end(prompt)
    if status := await session.loop.status_line():
        common.say(status)
    return result
