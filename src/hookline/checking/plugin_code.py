"""Plugins that people wrote for agents whose hooks are programs: calls of which nothing comes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from hookline.checking.entries import ConfigFile
from hookline.checking.lines import without_comments
from hookline.model.errors import Problem
from hookline.system import files


def code_problems(file: ConfigFile) -> Iterator[Problem]:
    """What a plugin says in vain, at the line where it does."""
    ours = any(entry.spec.origin.bridge for entry in file.entries)
    known = "" if ours else file.speaker.profile.traps.dead_code
    wrong = tomllib.loads(files.read_text(known).text).get("dead", ()) if known else ()
    text = without_comments(files.read_text(file.path).text) if wrong else ""
    for row in wrong:
        if found := re.search(row["pattern"], text):
            at = found.start("at") if "at" in found.groupdict() else found.start()
            line = text.count("\n", 0, at) + 1
            words = row["words"].replace("{found}", " ".join(found[0].split())[:60])
            yield Problem(file.source, line, 1, "", row["code"], words, row["hint"], "error")
