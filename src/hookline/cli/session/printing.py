"""What `hookline run` prints: text for people, or one JSON object per line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from hookline.cli import common
from hookline.cli.live import LiveLines
from hookline.cli.render import visible, width_of
from hookline.cli.session.wrapping import wrapped
from hookline.model.asked import shortened, subject_of
from hookline.model.rendering import iso_time, result_as_json
from hookline.model.results import HookStarted

_NOT_STREAMED = ("delta", "tool.asked")


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
