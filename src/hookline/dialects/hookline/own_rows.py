"""`[[programs]]` and `[[tools]]`: what programs and tools do that hookline does not know."""

from __future__ import annotations

from hookline.dialects.reading.reader import Reader
from hookline.shell.programs.rows import RowError, parse_row

PROGRAM_KEYS = ("name", "options", "flags", "subs", "does")
TOOL_EFFECTS = ("read", "write", "delete", "connect", "shell")


def program_rows(root: Reader) -> str:
    """The rows as text, as `shell.table` reads them. A row with a mistake is reported and left out."""
    return "\n".join(
        row for entry in root.objects("programs", wanted="`[[programs]]` tables") if (row := _row(entry))
    )


def _row(entry: Reader) -> str:
    names = entry.string_list("name", required=True, single=True, wanted="a program's name")
    entry.unknown_keys(PROGRAM_KEYS, severity="error")
    lines = []
    for key in ("options", "flags", "subs"):
        if words := entry.string_list(key, single=True):
            lines.append(f"{key} {' '.join(words)}")
    lines += [line.strip() for line in entry.string_list("does", single=True) or ()]
    if not names or entry.broken:
        return ""
    wrong = [name for name in names if not name.strip() or set(name) & set("[]|,\n")]
    if wrong:
        entry.report(entry.members["name"], "bad-value", f"expected a program's name, found `{wrong[0]}`")
        return ""
    for line in lines:
        try:
            parse_row(tuple(names[0].split()), line)
        except RowError as error:
            key = line.split()[0]
            node = entry.members.get(key if key in PROGRAM_KEYS else "does", entry.node)
            entry.report(node, "bad-value", str(error), "see docs/guards.md for what a row may say")
            return ""
    return "\n".join("\n".join((f"[{name}]", *lines, "")) for name in names)


def tool_rows(root: Reader) -> dict[str, dict[str, tuple[str, ...]]]:
    """By name or pattern of a tool, the arguments that it reads, writes, deletes, connects to or runs."""
    found = {}
    for entry in root.objects("tools", wanted="`[[tools]]` tables"):
        names = entry.string_list("name", required=True, single=True, wanted="a tool's name") or ()
        entry.unknown_keys(("name", *TOOL_EFFECTS), severity="error")
        effects = {key: fields for key in TOOL_EFFECTS if (fields := entry.string_list(key, single=True))}
        if not effects and not entry.broken:
            words = "expected what the tool does, found none of " + ", ".join(
                f"`{key}`" for key in TOOL_EFFECTS
            )
            entry.report(entry.node, "bad-value", words, 'write for example `write = "path"`')
        found.update(dict.fromkeys(names, effects))
    return found
