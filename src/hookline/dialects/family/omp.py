"""oh-my-pi: a fork of Pi, with its extensions. Not run; an older version of it was read."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import File
from hookline.dialects.family.plugin_hosts import PI
from hookline.model.record import replace

DIALECT = FamilyDialect(
    replace(
        PI,
        name="omp",
        title="oh-my-pi",
        program="omp",
        knows="low",
        sources="an older version of it; the rest is taken to be as in Pi, of which it is a fork",
        files=(
            File("user", "{home}/.omp/agent/extensions/hookline.js", ours=True),
            File("user", "{home}/.omp/agent/extensions/*"),
            File("project", "{ws}/.omp/extensions/hookline.js", ours=True),
            File("project", "{ws}/.omp/extensions/*"),
        ),
    )
)
