"""Kilo: a fork of OpenCode, with its plugin interface. Seen by running 7.7.9."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import File
from hookline.dialects.family.plugin_hosts import OPENCODE
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        OPENCODE,
        name="kilo",
        title="Kilo",
        program="kilo",
        sources="Kilo 7.7.9, a fork of OpenCode; its server was run, the rest is as in OpenCode",
        files=(
            File("user", "{config}/kilo/plugin/hookline.js", ours=True),
            File("user", "{config}/kilo/plugin/*"),
            File("user", "{config}/kilo/plugins/*"),
            File("project", "{ws}/.kilo/plugin/hookline.js", ours=True),
            File("project", "{ws}/.kilo/plugin/*"),
            File("project", "{ws}/.kilo/plugins/*"),
        ),
    )
)
