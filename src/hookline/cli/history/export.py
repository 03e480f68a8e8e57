"""`hookline history export`: what ran, handed on to other systems, from the past and live."""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence

from hookline.cli import common, flags
from hookline.cli.history.opened import add_filters, filters_of, opened_history
from hookline.cli.render import counted
from hookline.model.errors import UsageError
from hookline.state.exports import STEP, records_after
from hookline.state.exports.formats import FORMATS, writer
from hookline.state.history import History
from hookline.state.redaction import Redactor
from hookline.system import files
from hookline.system.loops.ending import end_in_order

POLL_S = 0.5
_VARIABLE = re.compile(r"\$\{(\w+)\}")

Deliver = Callable[[Sequence[str]], object]


def export(arguments: list[str]) -> int:
    """Hands the decisions on, oldest first; with `--follow` until interrupted."""
    parser = common.parser(
        "history export",
        "Hands decisions on, oldest first, without secrets: as JSON Lines, OpenTelemetry spans, OCSF or CloudEvents.",
        "hookline history export --format otel --to http://127.0.0.1:4318 --all --follow --cursor ~/.sent",
    )
    parser.add_argument("--format", choices=FORMATS, required=True, help="how they are written")
    parser.add_argument(
        "--to", metavar="WHERE", default="-",
        help="a file, to whose end they are added, or an address (otel: an OTLP endpoint; default: standard output)",
    )  # fmt: skip
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new ones until ^C")
    add_filters(parser)
    flags.add_count(parser, "--after", "only behind record number N", 0)
    parser.add_argument("--cursor", metavar="FILE", help="keeps how far it came, and goes on from there")
    parser.add_argument("--outputs", action="store_true", help="also what hooks printed")
    flags.add_several(parser, "--header", "NAME=VALUE", "for an address, `${VARIABLE}` filled in")  # fmt: skip
    options = parser.parse_args(arguments)
    with opened_history() as history:
        count = _export(options, history, _delivery(options))
        common.say(f"{counted(count, 'record')} exported")
        return 1 if history.problem else 0


def _export(options: Namespace, history: History, deliver: Deliver) -> int:
    filters = filters_of(options, options.all)
    redactor, write = Redactor(files.environment()), writer(options.format)
    count, after = 0, max(options.after, _reached(options.cursor))
    if options.follow:
        end_in_order()
    while True:
        found = records_after(history, after, filters, redactor, options.outputs)
        if found:
            deliver(write(found))
            count, after = count + len(found), found[-1].number
            if options.cursor:
                files.write_atomic(options.cursor, f"{after}\n", mode=0o600)
        if len(found) == STEP:
            continue
        if not options.follow or history.problem:
            return count
        time.sleep(POLL_S)


def _delivery(options: Namespace) -> Deliver:
    if "://" in options.to:
        from hookline.state.exports.sending import Sender

        headers = dict(map(_header, options.header))
        send = Sender(options.to, options.format, headers, common.warn).send
        return lambda lines: send(lines) if lines else None
    if options.header:
        raise UsageError("--header goes with an address", "give one with `--to`")
    if options.to == "-":
        return _print
    return lambda lines: files.append_line(options.to, "\n".join(lines), 0o600) if lines else None


def _print(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _header(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name:
        raise UsageError(f"--header: `{name}` has no value", "as in `Authorization=Bearer ${API_TOKEN}`")
    variables = files.environment()

    def filled(match: re.Match[str]) -> str:
        if match[1] not in variables:
            raise UsageError(f"--header: the variable `{match[1]}` is not set")
        return variables[match[1]]

    return name, _VARIABLE.sub(filled, value)


def _reached(cursor: str | None) -> int:
    if not cursor:
        return 0
    found = files.read_text(cursor)
    if found.state not in ("text", "empty", "missing"):
        raise UsageError(f"--cursor: `{cursor}` is {found.state}", found.reason or None)
    if not os.path.isdir(os.path.dirname(cursor) or os.curdir):
        raise UsageError(f"--cursor: there is no folder for `{cursor}`")
    text = found.text.strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 19):
        raise UsageError(f"--cursor: `{cursor}` holds no number", "name another file, or remove it")
    return int(text or 0)
