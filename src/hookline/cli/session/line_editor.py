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
        return await (_plain(prompt) if self._editor is None else _typed(self._editor, prompt))

    async def ask(self, question: str) -> Typed:
        """One line outside the history, for a question in the middle of a turn."""
        if self._editor is None:
            return await _plain(question)
        from prompt_toolkit import PromptSession
        from prompt_toolkit.formatted_text import ANSI

        return await _typed(PromptSession(), ANSI(question))

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
            multiline=True,
            prompt_continuation=lambda width, number, wrapped: " " * width,
            key_bindings=_keys(),
            bottom_toolbar=lambda: self._status() or None,
            enable_suspend=True,
        )
        return editor

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


async def _typed(session: Any, prompt: Any) -> Typed:
    from prompt_toolkit.patch_stdout import patch_stdout

    try:
        with patch_stdout(raw=True):  # what hooks say meanwhile comes above the line
            return Typed(await session.prompt_async(prompt, handle_sigint=False))
    except KeyboardInterrupt:
        return Typed(ended="interrupted")
    except EOFError:
        return Typed(ended="closed")


async def _plain(prompt: str) -> Typed:
    """Lines of a terminal in its ordinary mode; one that ends in a backslash goes on."""
    lines: list[str] = []
    while True:
        line = await plain_line(" " * len(prompt) if lines else prompt)
        if line is None:
            return Typed("\n".join(lines)) if lines else Typed(ended="closed")
        lines.append(line.rstrip("\n"))
        if not lines[-1].endswith("\\"):
            return Typed("\n".join(lines))
        lines[-1] = lines[-1][:-1]


def _keys() -> Any:
    """Enter sends what was typed; Alt+Enter, and Enter behind a backslash, begin another line.

    Not ^J: what is typed before the prompt is there comes with it in place of Enter.
    """
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.document.char_before_cursor == "\\":
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    return keys
