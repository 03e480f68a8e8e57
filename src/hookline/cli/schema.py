"""`hookline schema`: the JSON Schema of a dialect's config."""

from __future__ import annotations

from hookline.cli import common
from hookline.dialects import dialect


def run(arguments: list[str]) -> int:
    parser = common.parser(
        "schema", "The JSON Schema of a dialect's config, for editors.", "hookline schema gencode"
    )
    parser.add_argument("dialect", metavar="DIALECT")
    options = parser.parse_args(arguments)
    common.print_json(dialect(common.known_dialect(options.dialect)).schema())
    return 0
