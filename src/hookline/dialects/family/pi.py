"""Pi: extensions in its own process. Read from the package of 0.87.1, and seen by running it."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.plugin_hosts import PI, plugin_files
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        PI,
        name="pi",
        title="Pi",
        program="pi",
        sources="`@earendil-works/pi-coding-agent` 0.87.1, its types and program; observed",
        files=plugin_files("{home}/.pi/agent", "{ws}/.pi", "extensions"),
    )
)
