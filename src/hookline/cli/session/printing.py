"""What `hookline run` prints: text for people, broken at words, or one JSON object per line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from hookline.cli import common
from hookline.cli.live import LiveLines
from hookline.cli.render import cells, visible, width_of
from hookline.model.asked import shortened, subject_of
from hookline.model.rendering import iso_time, result_as_json
from hookline.model.results import HookStarted

_NOT_STREAMED = ("delta", "tool.asked")
_PIECES = re.compile(r"\n|[^\S\n]+|\S+")
NARROWEST = 20


def printer_for(as_json: bool) -> TextPrinter | JsonPrinter:
    return JsonPrinter() if as_json else TextPrinter()


class JsonPrinter:
    """The event stream: one object per line, each with `type` and `at`."""

    async def keep_ticking(self) -> None:
        """Nothing moves in a stream of objects."""

    def event(self, fields: Mapping[str, Any]) -> None:
        if fields["type"] in _NOT_STREAMED:
            return
        line = {"type": fields["type"], "at": iso_time(), **fields}
        sys.stdout.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
        sys.stdout.flush()

    def hook(self, news: Any) -> None:
        about = {"session_id": news.event.session_id}
        if news.event.agent_id:
            about["agent_id"] = news.event.agent_id
        if isinstance(news, HookStarted):
            spec = news.spec
            named = {"id": spec.id, "name": spec.name or spec.id, "dialect": spec.dialect}
            self.event({"type": "hook.started", **about, **named, "event": spec.kind.value})
        else:
            self.event({"type": "hook.finished", **about, **result_as_json(news.result)})


class Waiting:
    """Shows on the last line what a turn waits for: the newest tool that runs, else the model."""

    def __init__(self, lines: LiveLines) -> None:
        self._lines = lines
        self._running: dict[str, str] = {}

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "tool.started":
            self._running[fields["id"]] = f"{fields['name']}: {subject_of(fields['input'])}"
        elif kind == "tool.finished":
            self._running.pop(fields["id"], None)
        elif kind == "message" and fields["role"] == "assistant" and "agent_id" not in fields:
            self._lines.rest()
            return
        elif kind != "message" or fields["role"] != "user":
            return
        self._lines.wait_for([*self._running.values(), "the model"][max(0, len(self._running) - 1)])


class TextPrinter:
    """What a person sees: answers on stdout, tools and hooks on stderr."""

    def __init__(self) -> None:
        self._lines = LiveLines(sys.stderr)
        self._waiting = Waiting(self._lines)

    def hook(self, news: Any) -> None:
        self._lines(news)

    async def keep_ticking(self) -> None:
        """Moves the running hook's time on until cancelled."""
        await self._lines.keep_ticking()

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "message" and fields["role"] == "assistant" and "agent_id" not in fields:
            self._lines.settle()
            text = fields["text"]
            if sys.stdout.isatty():
                text = wrapped(visible(text, keep="\n\t"), width_of(sys.stdout))
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
        elif kind == "message" and fields["role"] in ("hook", "notice"):
            self._lines.settle()
            common.say_words(fields["text"])
        elif kind == "tool.started":
            self._lines.settle()
            common.say(f"[{fields['name']}] {shortened(subject_of(fields['input']), 100)}")
        self._waiting.event(fields)


class Wrapping:
    """Text as it streams in. What `add` keeps back, a word that may go on, comes with the next piece or `end`."""

    def __init__(self, width: int) -> None:
        self._width = max(width, NARROWEST)
        self._column = 0
        self._line = ""
        self._held = ""
        self._fenced = False

    def add(self, text: str) -> str:
        """What can be shown by now."""
        pieces = _PIECES.findall(self._held + text)
        self._held = pieces.pop() if pieces and pieces[-1] != "\n" else ""
        return "".join(map(self._placed, pieces))

    def end(self) -> str:
        """What was kept back; the next text begins a line."""
        text = self._placed(self._held) if self._held.strip() else ""
        self._column, self._line, self._held, self._fenced = 0, "", "", False
        return text

    def _placed(self, piece: str) -> str:
        if piece == "\n":
            if self._line.lstrip().startswith("```"):
                self._fenced = not self._fenced
            self._column, self._line = 0, ""
            return piece
        self._line += piece
        size = cells(piece)
        is_over = self._column and self._column + size > self._width and not self._fenced
        if is_over and not piece.strip():
            self._column = self._width  # blanks at a line's end would begin the next one
            return ""
        self._column = size if is_over else self._column + size
        return "\n" + piece if is_over else piece


def wrapped(text: str, width: int) -> str:
    """The whole of a text, broken at words."""
    wrapping = Wrapping(width)
    return wrapping.add(text) + wrapping.end()
