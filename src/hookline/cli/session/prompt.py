"""A session with a person: prompts, streamed answers, hooks as they run, permission questions."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TextIO, cast

from hookline.cli.live import LiveLines
from hookline.cli.render import counted, laid_out, one_line, painted, wants_colour, width_of
from hookline.cli.session.asking import TerminalAsk
from hookline.cli.session.line_editor import LineEditor, Typed
from hookline.cli.session.printing import Waiting, Wrapping, wrapped
from hookline.dialects.spelling import suggestion
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.tool_loop.sessions import ToolSession, Wish
from hookline.model.asked import shortened, subject_of
from hookline.model.errors import UsageError
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import HookFinished, HookStarted
from hookline.system.loops.ending import ending_signals
from hookline.system.repository.git import read_git

Open = Callable[[Wish, Any, Any], ToolSession]
Commands = Mapping[str, tuple[Callable[["Interactive", str], Awaitable[None]], str]]  # and what each does

_QUIET = (EventKind.StatusLine, EventKind.FileSuggestion)
IDLE_S = 60.0


class Interactive:
    """One person's session until `/quit`. `make(wish, on_event, ask)` opens a session of the tool loop; `commands`
    are what a line that begins with `/` can be."""

    def __init__(self, opened: Opened, wish: Wish, make: Open, commands: Commands) -> None:
        self.opened = opened
        self.screen = Screen()
        opened.engine.listen(self.screen.hook)
        self._wish = wish
        self._make = make
        self._commands = commands
        self._ask = TerminalAsk(self._asked, self.say)
        self.current = self._open(wish)
        self._status = ""
        self._leaving = False
        self._pressed = False
        self._exit_code = 0
        self._task: asyncio.Task[Any] | None = None
        self._reading: asyncio.Task[Typed] | None = None
        history = os.path.join(opened.paths.state_home, "prompts")
        self._editor = LineEditor(history, commands, self._suggest, lambda: self._status)

    @property
    def loop(self) -> ToolLoop:
        return self.current.loop

    # -- the whole ----------------------------------------------------------------------------------

    async def run(self) -> int:
        """Prompts and turns until the person leaves; the exit code."""
        running = asyncio.get_running_loop()
        running.add_signal_handler(signal.SIGINT, self.interrupt)
        for number in ending_signals()[1:]:
            running.add_signal_handler(number, self._ended_by, number)
        ticking = running.create_task(self.screen.hooks.keep_ticking())
        self.say(
            f"{self.loop.model.name} in {self.opened.place} ({self.loop.shared.permissions.mode}); `/help`"
        )
        await self.current.start()
        await self._refresh_status()
        while not self._leaving:
            await self._one_prompt()
        reason = "interrupted" if self._exit_code else "prompt_input_exit"
        await self.interruptible(self.loop.end(reason))
        ticking.cancel()
        return self._exit_code

    async def _one_prompt(self) -> None:
        typed = await self._next_line()
        if self._leaving:
            return
        if typed.ended == "closed":
            self.leave()
        elif typed.ended == "interrupted":
            self._pressed_at_the_prompt()
        elif typed.ended == "woken":
            await self._turn(typed.text, origin="hook")
        elif typed.text.strip().startswith("/"):
            self._pressed = False
            await self._command(typed.text)
        elif typed.text.strip():
            self._pressed = False
            await self._turn(typed.text)

    async def _command(self, line: str) -> None:
        """Carries out one line that begins with `/`."""
        name, _, rest = line.strip().partition(" ")
        row = self._commands.get(name)
        if row is None:
            self.say(f"no command `{name}`; {suggestion(name, self._commands, 'try `/help`')}")
            return
        try:
            await row[0](self, rest.strip())
        except UsageError as error:
            self.say(f"{error.message}" + (f" ({error.hint})" if error.hint else ""))

    async def _turn(self, prompt: str, origin: str = "user") -> None:
        if origin == "user":
            self.loop.shared.requests = 0  # `--max-turns` bounds each of a person's turns
        result = await self.interruptible(self.current.rounds.submit(prompt, origin=origin))
        self.screen.hooks.rest()
        self.screen.finish_line()
        if result is None:
            self.say("interrupted")
        elif not result.ok:
            self.say(f"{result.status}: {result.reason}")
        if not self._leaving:
            await self._refresh_status()

    # -- what commands use ----------------------------------------------------------------------------

    def say(self, text: str) -> None:
        self.screen.say(laid_out(text))

    def write(self, text: str) -> None:
        self.screen.say(text.rstrip("\n"))

    def leave(self, code: int = 0) -> None:
        self._leaving = True
        self._exit_code = code

    async def change(self, session_id: str | None, reason: str) -> None:
        """Ends the conversation and opens another: a named one, or a new one (None)."""
        mode = self.loop.shared.permissions.mode
        wish = replace(self._wish, session_id="", resume=session_id, mode=mode)
        opened = self._open(wish)  # first, so that a wrong id changes nothing
        await self.loop.end(reason, for_good=False)
        opened.loop.shared.permissions = self.loop.shared.permissions
        self.current = opened
        self._ask.loop = opened.loop
        await self.current.start(reason)

    async def interruptible(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The work's result; None when ^C ended it."""
        self._task = asyncio.ensure_future(work)
        try:
            return await self._task
        except asyncio.CancelledError:
            if not self._task.cancelled():
                raise
            return None
        finally:
            self._task = None

    # -- interruptions ----------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """^C: ends what is under way; a second one in a row ends the session, also before the next prompt is there."""
        if self._task is None:
            self._pressed_at_the_prompt()
            if self._leaving and self._reading is not None:
                self._reading.cancel()
            return
        if self._pressed:
            self.leave(130)
        self._pressed = True
        self._task.cancel()

    def _pressed_at_the_prompt(self) -> None:
        if self._pressed:
            self.leave(130)
            return
        self._pressed = True
        self.say("press ^C again to quit, or type `/quit`")

    def _ended_by(self, number: int) -> None:
        self.leave(128 + number)
        for task in (self._task, self._reading):
            if task is not None:
                task.cancel()

    # -- the prompt line --------------------------------------------------------------------------------

    async def _next_line(self) -> Typed:
        """A line, with a Notification when nothing comes for a while; or what a background hook wakes us for."""
        self._reading = reading = asyncio.ensure_future(self._editor.read())
        waking = asyncio.ensure_future(self._woken(reading))
        done, _ = await asyncio.wait({reading}, timeout=IDLE_S)
        if not done:
            await self.loop.idle()
            await asyncio.wait({reading})
        self._reading = None
        if waking.done() and (text := waking.result()):
            return Typed(text, ended="woken")
        waking.cancel()
        return Typed(ended="closed") if reading.cancelled() else reading.result()

    async def _woken(self, reading: asyncio.Future[Any]) -> str:
        """Takes the prompt line away when a background hook wakes the agent."""
        text = await self.loop.inbox.woken()
        if text and not reading.done():
            reading.cancel()
        elif text:
            self.loop.inbox.add((text,))
            return ""
        return text

    async def _asked(self, question: str) -> str | None:
        self.screen.hooks.rest()
        self.screen.finish_line()
        typed = await self._editor.ask(question)
        if typed.ended == "interrupted":
            self.interrupt()
        return typed.text if not typed.ended else None

    async def _suggest(self, query: str) -> Sequence[str]:
        """What FileSuggestion hooks offer; the workspace's files that fit where none has anything."""
        offered = await self.loop.suggestions(query)
        if offered:
            return offered

        found = await read_git(
            self.opened.place, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
        )
        names = [os.fsdecode(name) for name in found.output.split(b"\0") if name]
        return [name for name in names if query.lower() in name.lower()]

    async def _refresh_status(self) -> None:
        sent, received = self.loop.shared.usage
        own = f"{self.loop.shared.permissions.mode} · {sent + received} tokens"
        self._status = one_line(await self.loop.status_line(), 200) or own

    def _open(self, wish: Wish) -> ToolSession:
        session = self._make(wish, self.screen.event, self._ask)
        self._ask.loop = session.loop
        return session


class Screen:
    """Everything below the prompt line, in the order in which it happens."""

    def __init__(self) -> None:
        self._colour = wants_colour(sys.stdout)
        self.hooks = LiveLines(cast("TextIO", CurrentStdout()))
        self.waiting = Waiting(self.hooks)
        self.last_output = ""
        self._streaming = False
        self._wrapping = Wrapping(width_of(sys.stdout))

    def hook(self, news: HookStarted | HookFinished) -> None:
        """A hook's start or end; those that only feed the prompt line are seen there."""
        if news.event.kind not in _QUIET:
            self.finish_line()
            self.hooks(news)

    def event(self, fields: Mapping[str, Any]) -> None:
        """One object of the event stream."""
        kind, sub = fields["type"], "agent_id" in fields
        if kind == "delta" and not sub:
            self.hooks.rest()
            if not self._streaming:
                self._wrapping = Wrapping(width_of(sys.stdout))
            self._streaming = True
            sys.stdout.write(self._wrapping.add(printable(fields["text"])))
            sys.stdout.flush()
        elif kind == "message" and fields["role"] == "assistant" and not sub:
            if not self._streaming:
                self.say(wrapped(fields["text"], width_of(sys.stdout)))
            self.finish_line()
        elif kind == "message" and fields["role"] in ("hook", "notice", "error"):
            self.say(laid_out(f"  {fields['text'].rstrip()}", sys.stdout))
        elif kind == "tool.asked":
            head = painted(f"[{fields['name']}]", "34", self._colour)
            self.say(f"{'  ' if sub else ''}{head} {shortened(subject_of(fields['input']), 100)}")
        elif kind == "tool.finished" and fields["content"].strip():
            self._tell_output(fields)
        self.waiting.event(fields)

    def _tell_output(self, fields: Mapping[str, Any]) -> None:
        """The first row of what a tool gave back; `/output` shows the rest."""
        self.last_output = fields["content"]
        first, *others = fields["content"].strip().splitlines()
        more = f" (and {counted(len(others), 'line')} more: `/output`)" if others else ""
        shown = f"  {one_line(first, 120)}{more}"
        self.say(painted(shown, "31" if fields["is_error"] else "2", self._colour))

    def say(self, text: str) -> None:
        self.hooks.settle()
        self.finish_line()
        sys.stdout.write(printable(text) + "\n")
        sys.stdout.flush()

    def finish_line(self) -> None:
        """Ends the line of a streamed answer."""
        if self._streaming:
            self._streaming = False
            sys.stdout.write(self._wrapping.end() + "\n")
            sys.stdout.flush()


class CurrentStdout:
    """Standard output as it is at each moment: while a line is edited, something else stands in its place."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)


def printable(text: str) -> str:
    """Text without control characters, which could move the cursor or worse; our own colours stay."""
    if text.isprintable():
        return text
    return "".join(ch if ch in "\n\t\033" or ch.isprintable() else "�" for ch in _without_escapes(text))


def _without_escapes(text: str) -> str:
    return re.sub(r"\033(?!\[[0-9;]*m)", "�", text)
