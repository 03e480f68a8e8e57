"""OpenCode: plugins in its own process. Read from the types and the program of 1.18.33, and seen by running it."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.plugin_hosts import OPENCODE, plugin_files
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        OPENCODE,
        name="opencode",
        title="OpenCode",
        program="opencode",
        sources="OpenCode 1.18.33, its types and program; observed",
        files=plugin_files("{config}/opencode", "{ws}/.opencode", "plugin", "plugins"),
    )
)
