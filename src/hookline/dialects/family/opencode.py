"""OpenCode: plugins in its own process. Read from the types and the program of 1.18.33, and seen by running it."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import File
from hookline.dialects.family.plugin_hosts import OPENCODE
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        OPENCODE,
        name="opencode",
        title="OpenCode",
        program="opencode",
        sources="OpenCode 1.18.33, its types and program; observed",
        files=(
            File("user", "{config}/opencode/plugin/hookline.js", ours=True),
            File("user", "{config}/opencode/plugin/*"),
            File("user", "{config}/opencode/plugins/*"),
            File("project", "{ws}/.opencode/plugin/hookline.js", ours=True),
            File("project", "{ws}/.opencode/plugin/*"),
            File("project", "{ws}/.opencode/plugins/*"),
        ),
    )
)
