"""Where a server that we start listens, and who may use it: the token, from wherever it comes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from secrets import token_urlsafe

from hookline.cli import common
from hookline.model.errors import ConfigError, UsageError
from hookline.model.typing import TYPE_CHECKING
from hookline.system.files import read_bytes
from hookline.system.secret_variables import take_secret

if TYPE_CHECKING:
    from hookline.web.listening import Place

VARIABLE = "HOOKLINE_TOKEN"
LIMIT = 4096
OTHERS = 0o077


def add_options(parser: ArgumentParser, port: int) -> None:
    """`--host` and `--port`; `--token-file`, `--token`, `--no-token`: one of them."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=port, help=f"default: {port}; 0 picks a free one")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--token-file", metavar="F", help="the file that holds the token")
    ways.add_argument("--token", metavar="T", help="the token itself; `ps` shows it to every user")
    ways.add_argument(
        "--no-token", action="store_true", help="let every user of this machine in (loopback only)"
    )


def place_of(command: str, options: Namespace) -> Place:
    """Where to listen, and the token that lets in; before anything reads the environment, out of which it is taken.

    Raises UsageError where the packages for it are not installed.
    """
    try:
        from hookline.web.listening import Place, guarding_of
    except ModuleNotFoundError as error:
        hint = "install it with `pip install 'hookline[serve]'`"
        raise UsageError(f"{command} needs the package `{error.name}`", hint) from error

    place = Place(options.host, options.port, *_token(options))
    guarding_of(place)
    if options.no_token:
        common.say("no token is wanted: every user and program of this machine can act through this server")
    return place


def _token(options: Namespace) -> tuple[str, bool]:
    """The token asked for, empty for none, and whether it is a new one that nobody has been told yet.

    HOOKLINE_TOKEN is gone from the environment afterwards. Raises ConfigError for a file that holds none,
    UsageError for one that no header can carry.
    """
    from_environment = take_secret(VARIABLE)
    if options.no_token:
        return "", False
    if options.token_file is not None:
        return _checked(_read(options.token_file), "--token-file"), False
    if options.token is not None:
        return _checked(options.token, "--token"), False
    if from_environment:
        return _checked(from_environment, VARIABLE), False
    return token_urlsafe(32), True


def _read(path: str) -> str:
    found = read_bytes(path, LIMIT)
    if found.state in ("missing", "unreadable"):
        raise ConfigError(f"--token-file {path}: {found.reason}", "write the token into it, on one line")
    if found.mode & OTHERS:
        common.warn(f"{path} can be read by others; `chmod 600 {path}`")
    return found.content.decode("utf-8", "replace").strip()


def _checked(text: str, where: str) -> str:
    if not text:
        raise UsageError(f"{where}: the token is empty", "leave it out for a random one, or say `--no-token`")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(f"{where}: a token is letters, digits and signs, without blanks")
    return text
