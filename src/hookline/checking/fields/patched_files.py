"""Files that a script looks for by a name in the call, where the agent's edits come as one patch in a text."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.fields.never_sent import started_too
from hookline.checking.files.dead_matchers import names_in
from hookline.checking.inputs.payload_reads import reads_in
from hookline.checking.lines import HookLine
from hookline.dialects.matching import mismatch
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

_FILES = frozenset({"file_path", "filePath", "notebook_path"})
_ANY = _FILES | {"path", "filePaths", "file"}
_EDITS = ("Edit", "Write")
_TOOL_EVENTS = (EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PermissionRequest)
# what knows of patches, or takes the text of one apart
_OF_PATCHES = late(r"(?i:patch)|\bFile:|\*\*\*|\bgit (?:diff|status)\b|mcp__")


def of_patches(line: HookLine, text: str, shown: str) -> Iterator[tuple[str, str]]:
    """The first such name in a script for this agent alone, and where the files stand."""
    entry, matcher = line.entry, line.entry.spec.matcher
    edits = (*_EDITS, *entry.speaker.tools.native("Edit"))
    if (
        not entry.speaker.tools.patches
        or entry.spec.kind not in _TOOL_EVENTS
        or not (matcher and names_in(matcher) and mismatch(matcher, edits, "tool_name") is None)
        or _OF_PATCHES.search(text)
        or any(each.speaker.name != entry.speaker.name for each in started_too(line, shown))
    ):
        return
    for read in reads_in(line, shown, text):
        ways = [each for each in read.ways if each[:1] == ("tool_input",) and len(each) > 1]
        if len(ways) == len(read.ways) and ways[0][1] in _FILES and all(each[1] in _ANY for each in ways):
            yield f".tool_input.{ways[0][1]}", "the files of a patch stand in `.tool_input.command`"
            return
