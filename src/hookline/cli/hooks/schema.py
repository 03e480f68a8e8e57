"""`hookline schema`: the JSON Schema of a dialect's config."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.cli import common
from hookline.dialects import dialect
from hookline.model.typing import Any

SCHEMAS_VERSION = 1  # another one when a file that was valid would become invalid
_SITE = "https://hookline.github.io/hookline/schemas"


def run(arguments: list[str]) -> int:
    parser = common.parser(
        "schema", "The JSON Schema of a dialect's config, for editors.", "hookline schema gencode"
    )
    parser.add_argument("dialect", metavar="DIALECT")
    options = parser.parse_args(arguments)
    common.print_json(schema_of(common.known_dialect(options.dialect)))
    return 0


def schema_of(name: str) -> Mapping[str, Any]:
    """The schema under its lasting address, which carries the version of all schemas."""
    return {"$id": f"{_SITE}/{SCHEMAS_VERSION}/{name}.json", **dialect(name).schema()}
