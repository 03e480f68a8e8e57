"""The prompt line of a session: editing, history and completion, where `prompt_toolkit` is installed."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from hookline.cli.session.asking import plain_line
from hookline.model.record import Record

Suggest = Callable[[str], Awaitable[Sequence[str]]]

SUGGESTIONS = 50


class Typed(Record):
    """What came of a prompt: a line, or how it ended without one: `interrupted` (^C) or `closed` (^D)."""

    text: str = ""
    ended: str = ""


class LineEditor:
    """Reads lines. `commands` complete after `/`, `suggest(query)` files after `@`; `status` is shown below.

    Without `prompt_toolkit` lines are read as the terminal gives them.
    """

    def __init__(
        self, history_path: str, commands: Iterable[str], suggest: Suggest, status: Callable[[], str]
    ) -> None:
        self._commands = tuple(commands)
        self._suggest = suggest
        self._status = status
        self._editor = self._made(history_path)

    async def read(self, prompt: str = "> ") -> Typed:
        """The next line."""
        if self._editor is None:
            line = await plain_line(prompt)
            return Typed(line.rstrip("\n")) if line is not None else Typed(ended="closed")
        try:
            from prompt_toolkit.patch_stdout import patch_stdout

            with patch_stdout(raw=True):  # what background hooks say comes above the line
                return Typed(await self._editor.prompt_async(prompt, handle_sigint=False))
        except KeyboardInterrupt:
            return Typed(ended="interrupted")
        except EOFError:
            return Typed(ended="closed")

    async def ask(self, question: str) -> Typed:
        """One line outside the history, for a question in the middle of a turn."""
        if self._editor is None:
            return await self.read(question)
        from prompt_toolkit import PromptSession
        from prompt_toolkit.formatted_text import ANSI
        from prompt_toolkit.patch_stdout import patch_stdout

        session: PromptSession[str] = PromptSession()
        try:
            with patch_stdout(raw=True):  # calls that run side by side have hooks too
                return Typed(await session.prompt_async(ANSI(question), handle_sigint=False))
        except KeyboardInterrupt:
            return Typed(ended="interrupted")
        except EOFError:
            return Typed(ended="closed")

    def _made(self, history_path: str) -> Any:
        try:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.history import FileHistory, InMemoryHistory
        except ImportError:
            return None
        editor: PromptSession[str] = PromptSession(
            history=FileHistory(history_path) if history_path else InMemoryHistory(),
            completer=self._completer(),
            complete_while_typing=False,
            bottom_toolbar=self._toolbar,
            enable_suspend=True,
        )
        return editor

    def _toolbar(self) -> str | None:
        return self._status() or None

    def _completer(self) -> Any:
        from prompt_toolkit.completion import Completer, Completion

        commands, suggest = self._commands, self._suggest

        class Completing(Completer):
            def get_completions(self, document: Any, complete_event: Any) -> Iterable[Completion]:
                return ()

            async def get_completions_async(
                self, document: Any, complete_event: Any
            ) -> AsyncGenerator[Completion, None]:
                before = document.text_before_cursor
                if before.startswith("/"):
                    for name in commands:
                        if name.startswith(before):
                            yield Completion(name, start_position=-len(before))
                    return
                word = before.rpartition(" ")[2]
                if word.startswith("@"):
                    for path in (await suggest(word[1:]))[:SUGGESTIONS]:
                        yield Completion(path, start_position=-len(word))

        return Completing()


def is_terminal() -> bool:
    """True where a person can be talked with."""
    return sys.stdin.isatty() and sys.stdout.isatty()
