"""Stop hooks that never let go: nothing in them sees that they kept the agent going already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.dialects import OWN
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

_BLOCKS = late(
    r"\b(?:exit|return)[ (]+2\b|[\"']decision\\?[\"']\s*:\s*\\?[\"'](?:block|deny)|"
    r"\{\s*decision\s*:\s*[\"'](?:block|deny)|followup_message[\"']?\s*[:=]|exitCode\s*=\s*2"
)
# a function that takes the input: how it ends says that there was none, and nothing of what the agent did
_OF_INPUT = late(
    r"(?ms)^(?P<margin>[ \t]*)(?:function[ \t]+)?\w*(?:read|load|get|take|parse)_\w*(?:input|stdin|payload)\w*\(\)"
    r"[ \t]*\{.*?^(?P=margin)\}",
    needs=("input", "stdin", "payload"),
)
# what people may be told in a sentence as well: "mend it and try again, at most three attempts"
_TRIES = late(r"attempt|retr(?:y|ies)|\btries\b|iteration", re.IGNORECASE)
_SENTENCE = late(r"([\"'`])(?=[A-Z\W]{0,9}[A-Z]\w* (?:[^\s\"'`]{1,40} ){3})(?:(?!\1)[^\n]){0,2000}\1")
_COUNTS = late(
    r"stop_?hook_?active|loop_?(?:count|limit)"
    r"|(?<!argo)(?<!arn)(?<!oetry)(?<!lake)(?<!uv)(?<!omposer)(?<!file)(?<!bun)(?<!deno)(?<!mix)(?<!pubspec)\.lock\b"
    r"|\bmax_?(?!_?(?:lines?|len|size|chars|age|width|depth|bytes|files?))\w*|(?:block|stop|loop|nudge|remind\w*|fire|run)_?count",
    re.IGNORECASE,
)
# who is given the input, and may count in its place
_HANDS_ON = late(
    r"(?:\||<<<[^\n]*)[ \t]*(?:exec[ \t]+)?(?:python3?|node|bun|bash|sh)[ \t]+[\"']?[$~./\w]*[./$]\w"
    r"|(?m:^|[;&|{])[ \t]*exec[ \t]+[\"']?[$~./\w]"
)
# asked for by its name alone
_ALWAYS_THERE = late(
    r"\bgrep\s+(?:-\w+\s+)*[\"']\\?[\"']?(stop_hook_active)\\?[\"']?[\"'](?=[\s;)]|$)"
    r"|\bif\s+[\"'](stop_hook_active)[\"']\s+in\s"
)
# what is kept from one stop to the next: a name that is written, or taken away, and looked at as well
_NAME = r"[\"'(]*\$?\{?([\w./~][\w./~-]*)"
_WRITTEN = late(
    rf"(?:\btouch|\brm(?:\s+-\w+)*|\bmkdir(?:\s+-p)?|(?<![\d&])>>?|\btee(?:\s+-a)?|Set-Content|New-Item|Remove-Item)\s+{_NAME}"
    rf"|\b(\w+)\.(?:write_text|touch|unlink|mkdir)\("
    rf"|\b(?:open\((?=[^)\n]*,\s*[\"'][wax])|os\.remove\(|os\.unlink\(|unlinkSync\(|writeFileSync\(|rmSync\(|appendFileSync\()\s*{_NAME}"
    rf"|\b(?:mv|cp)\s+\S+\s+{_NAME}"
)
_MOVED = late(
    rf"\bmv(?:\s+-\w+)*\s+{_NAME}|\bsed\s+-i\b[^\n;|]{{0,200}}?[ \t]{_NAME}\}}?[\"']?[ \t]*(?:$|[;|&])",
    re.MULTILINE,
)
_LOOKED_AT = late(
    rf"(?:\[\s+(?:!\s+)?-[efsdr]\b|\bcat|(?<!<)<|\bgrep\b[^\n|;]*?|\bstat\b[^\n|;]*?|\bfind|Test-Path|Get-Content)\s+{_NAME}"
    rf"|\b(\w+)\.(?:exists|is_file|read_text|stat)\(|\b(?:existsSync|readFileSync|statSync|open(?!\([^)\n]*,\s*[\"'][wax])|exists|isfile|getmtime)\(\s*{_NAME}"
)
# the file of a search, behind its pattern
_SEARCHED = late(
    rf"\bgrep\b[^\n|;]{{0,200}}[ \t](?!\d?>){_NAME}\}}?[\"']?[ \t]*(?:\d?>|[)|;&]|$)",
    re.MULTILINE,
    needs=("grep",),
)
_OTHERS_COUNT = late(
    r"(?:(\w+)=\"?\$\([^\n]*?)?\bjq\b[^\n]*?\.loop_count\b|[\w)]\??\.loop_count\b|[\"']loop_count[\"']",
    needs=("loop_count",),
)
_KEEPS = late(r"json\.dump|write_text|writeFileSync|save_\w+\(|open\([^)\n]*[\"'][wa][\"']")
_OF_BEFORE = late(r"already|once|marker|flag|sentinel|session_?id|state|\bcount|last_", re.IGNORECASE)


def endless_stop(line: HookLine, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """A stop hook that can block, and neither asks the agent nor keeps for itself that it did."""
    entry = line.entry
    stops = entry.spec.kind in (EventKind.Stop, EventKind.SubagentStop, EventKind.RunStop)
    if not stops or entry.rule is None or "reprompt" not in entry.rule.effects:
        return
    limit = entry.node.get("loop_limit") if entry.node else None
    if limit is not None and limit.kind != "null":
        return  # how often is said
    blocks = _BLOCKS.search(_OF_INPUT.sub("", text))
    own = text if entry.traps.counter.endswith("count") or entry.also_read_by else _without_others_count(text)
    if blocks and (found := _ALWAYS_THERE.search(text)):
        name = found[1] or found[2]
        words = f"{where} lets go where `{name}` is there, and it always is, as `false` too: nothing is ever blocked"
        yield "lost-exit", words, f"look whether it is true: `jq -e .{name}`"
    elif (
        blocks
        and entry.speaker.name != OWN  # whose hosts let go by themselves
        and not any(look.search(own) for look in (_COUNTS, _HANDS_ON))
        and not _TRIES.search(_SENTENCE.sub("", text))
        and not _remembers(text)
    ):
        ends = "for ever" if entry.traps.endless else "until the agent's own limit"
        words = f"{where} can keep the agent from stopping and never looks whether it did: it goes on {ends}"
        goes_on = "above 0" if entry.traps.counter.endswith("count") else "true"
        yield "stop-loop", words, f"let it pass when `{entry.traps.counter}` is {goes_on} in the input"


def _without_others_count(text: str) -> str:
    """The text without what another agent counts in its input, and the names that a shell keeps that under."""
    names = _OTHERS_COUNT.findall(text)
    counts = "|".join(("loop_count", *filter(None, names)))
    return re.sub(rf"\b(?:{counts})\b", "", text) if names else text


def _remembers(text: str) -> bool:
    """Whether it changes something that it looks at the next time."""
    written, moved, looked_at, searched = (
        {next(filter(None, each.groups())) for each in pattern.finditer(text)}
        for pattern in (_WRITTEN, _MOVED, _LOOKED_AT, _SEARCHED)
    )
    written, looked_at = written | moved, looked_at | searched
    fresh = {"/dev", *re.findall(r"(\w+)=\"?\$\(\s*mktemp\b", text)}  # each time another one
    shared = {
        each for each in written & looked_at if each.rstrip("}").partition("/")[0].strip("}") not in fresh
    }
    shared = {each for each in shared if not each.startswith("/dev/")}
    return bool(shared) or bool(_KEEPS.search(text) and _OF_BEFORE.search(text))
