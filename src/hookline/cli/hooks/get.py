"""`hookline get`: one field of a hook's payload, so that a shell script needs neither jq nor echo."""

from __future__ import annotations

import json
import sys

from hookline.cli.commands import read_words
from hookline.cli.common import parser, payload_from
from hookline.model.errors import UsageError
from hookline.model.short_json import value_at

_SUMMARY = (
    "Prints one field of the JSON object on stdin: texts as they are, everything else as JSON.\n"
    "Exits 1, printing nothing, when there is no such field, or null in it, and no default."
)
_EXAMPLE = """echo '{"tool_input": {"command": "ls"}}' | hookline get .tool_input.command"""


def run(arguments: list[str]) -> int:
    """PATH is names and places with dots between: `.tool_input.edits.0.old_string`."""
    words, said = read_words("get", arguments, ("-h", "--help"), ("--default", "--workspace"))
    if "-h" in said or "--help" in said:
        made = parser("get", _SUMMARY, _EXAMPLE, "taken as by every command; nothing is read there")
        made.add_argument("path", metavar="PATH", help="names and places with dots between")
        made.add_argument(
            "--default", metavar="TEXT", help="what to print when there is no such field, or null in it"
        )
        made.print_help()
        return 0
    if len(words) != 1:
        raise UsageError("get: expected one path", "for example `hookline get .tool_input.command`")
    [path], default = words, said.get("--default", [None])[-1]
    value = value_at(payload_from("-"), path) if path.strip(".") else payload_from("-")
    if value is None and default is None:
        return 1
    sys.stdout.buffer.write(
        (_shown(default if value is None else value) + "\n").encode("utf-8", "backslashreplace")
    )
    return 0


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value

    return json.dumps(value, ensure_ascii=False)
