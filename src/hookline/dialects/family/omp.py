"""oh-my-pi: a fork of Pi, with its extensions. Not run; an older version of it was read."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.plugin_hosts import PI, plugin_files
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        PI,
        name="omp",
        title="oh-my-pi",
        program="omp",
        knows="low",
        sources="an older version of it; the rest is taken to be as in Pi, of which it is a fork",
        files=plugin_files("{home}/.omp/agent", "{ws}/.omp", "extensions"),
    )
)
