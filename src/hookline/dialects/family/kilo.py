"""Kilo: a fork of OpenCode, with its plugin interface. Not run; from its package and others' notes."""

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
        knows="medium",
        sources="Kilo 7.8.1, a fork of OpenCode, from others' notes",
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
