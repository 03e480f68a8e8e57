"""Plugins that people wrote for agents whose hooks are programs: calls of which nothing comes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.comments import without_comments
from hookline.checking.entries import ConfigFile
from hookline.model.errors import Problem
from hookline.system import files
from hookline.system.modules import attribute


def code_problems(file: ConfigFile) -> Iterator[Problem]:
    """What a plugin says in vain, at the line where it does."""
    known = file.speaker.profile.traps.dead_code
    if not known or any(entry.spec.origin.bridge for entry in file.entries):
        return
    text = without_comments(files.read_text(file.path).text)
    as_data = attribute("tomllib", "loads")  # no other agent's file needs it
    for row in as_data(files.read_text(known).text).get("dead", ()):
        if found := re.search(row["pattern"], text):
            at = found.start("at") if "at" in found.groupdict() else found.start()
            line = text.count("\n", 0, at) + 1
            words = row["words"].replace("{found}", " ".join(found[0].split())[:60])
            yield Problem(file.source, line, 1, "", row["code"], words, row["hint"], "error")
