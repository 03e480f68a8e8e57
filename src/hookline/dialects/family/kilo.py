"""Kilo: a fork of OpenCode, with its plugin interface. Seen by running 7.7.9."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.plugin_hosts import OPENCODE, plugin_files
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        OPENCODE,
        name="kilo",
        title="Kilo",
        program="kilo",
        sources="Kilo 7.7.9, a fork of OpenCode; its server was run, the rest is as in OpenCode",
        files=plugin_files("{config}/kilo", "{ws}/.kilo", "plugin", "plugins"),
    )
)
