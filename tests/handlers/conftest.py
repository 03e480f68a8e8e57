"""Runs one command hook for a test, and serves HTTP to webhooks."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.handlers.builders import NOTHING, around_in, hook
from tests.handlers.servers import Server

from hookline.handlers.command import run_command
from hookline.model.hooks import Command, HandlerInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hookline.model.results import RawResult


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., RawResult]:
    """Runs a shell line (or the arguments of a program) as a hook on asyncio; says what happened."""

    def build(
        command: str | tuple[str, ...],
        given: HandlerInput = NOTHING,
        env: Mapping[str, str] | None = None,
        shell: tuple[str, ...] = ("sh", "-c"),
        around: Mapping[str, Any] | None = None,
        **spec: Any,
    ) -> RawResult:
        line = isinstance(command, str)
        action = Command(line=command, shell=shell) if line else Command(argv=command)
        surroundings = around_in(tmp_path, env, **(around or {}))
        return asyncio.run(run_command(action, hook(action, **spec), given, surroundings))

    return build


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    thread = threading.Thread(target=found.serve_forever, args=(0.01,))
    thread.start()
    yield found
    if found.silent is not None:
        found.silent.set()
    found.shutdown()
    thread.join()
    found.server_close()
