"""Options that several commands have, and the kinds of values that options take."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError, _ActionsContainer

from hookline.model.typing import Any, Callable, Sequence

KINDS_OF_MODELS = "scripted:FILE, anthropic:NAME, openai:NAME"


def add_count(
    parser: _ActionsContainer, name: str, words: str, default: int | None = None, least: int = 0
) -> None:
    """An option that counts: a whole number that is `least` or more."""
    parser.add_argument(name, type=number_from(least), default=default, metavar="N", help=words)


def add_span(parser: _ActionsContainer, name: str, words: str, default: float | None = None) -> None:
    """An option that takes a span of time in seconds."""
    parser.add_argument(name, type=seconds, default=default, metavar="S", help=words)


def add_several(
    parser: _ActionsContainer, name: str, metavar: str, words: str, kind: Callable[[str], Any] = str
) -> None:
    """An option that may be given again and again; a list, empty without it."""
    words = f"{words} (repeatable)"
    parser.add_argument(name, type=kind, action="append", default=[], metavar=metavar, help=words)


def add_bus(
    parser: _ActionsContainer, words: str = "a NATS server with JetStream", required: bool = False
) -> None:
    """`--bus`, the address of a server."""
    parser.add_argument("--bus", type=bus_address, required=required, metavar="URL", help=words)


def add_model(parser: _ActionsContainer, or_agent: bool = False) -> None:
    """`--model`, where to reach it, and where to write down what it is asked; `or_agent`: an agent does as well."""
    words = f"{KINDS_OF_MODELS}; with --agent its model" if or_agent else KINDS_OF_MODELS
    parser.add_argument("--model", required=not or_agent, metavar="M", help=words)
    parser.add_argument("--base-url", metavar="URL", help="another server that speaks the model's protocol")
    parser.add_argument("--record", metavar="FILE", help="append one JSON line per request to the model")


def add_formats(parser: _ActionsContainer, formats: Sequence[str]) -> None:
    """`--output-format`, and `--json` as another word for one of them."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--output-format", choices=formats, default="text", help="default: text")
    words = "the same as `--output-format json`"
    group.add_argument("--json", action="store_const", dest="output_format", const="json", help=words)


def add_untrusted(parser: _ActionsContainer) -> None:
    """`--untrusted`, for commands that nobody may be watching."""
    words = "what to do when a guard is untrusted or broken: without a terminal the default is not to start"
    parser.add_argument("--untrusted", choices=("refuse", "skip"), help=words)


def number_from(least: int) -> Callable[[str], int]:
    """The type of an option that counts: a whole number that is `least` or more."""

    def number(text: str) -> int:
        is_number = text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 19
        found = int(text) if is_number else least - 1
        if found < least:
            raise ArgumentTypeError(f"expected a whole number from {least}, found {text!r}")
        return found

    return number


def folder(text: str) -> str:
    """The type of an option that names a folder: its absolute path."""
    if not os.path.isdir(text):
        raise ArgumentTypeError(f"`{text}` is no directory")
    return os.path.abspath(text)


def some_text(text: str) -> str:
    """The type of an option that takes words: not none."""
    if not text.strip():
        raise ArgumentTypeError("expected a text, found none")
    return text


def seconds(text: str) -> float:
    """The type of an option that takes a span of time: a number that is 0 or more, and has an end."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ArgumentTypeError(f"expected seconds, found {text!r}")
    return found


def bus_address(text: str) -> str:
    """The type of `--bus`: `nats://HOST:PORT`, also by TLS or a web socket; others would be tried for ever."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("nats", "tls", "ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentTypeError(f"expected an address such as nats://localhost:4222, found {text!r}")
    return text
