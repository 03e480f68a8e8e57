"""Rules about commands that no command meets, because a name in them is misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hookline.checking.entries import ConfigFile
from hookline.checking.lines import HookLine
from hookline.dialects.matching.permission_rules import parse_rule
from hookline.dialects.spelling import edits
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_NAME = late(r"[a-z][a-z0-9-]*")
# Letters of a name of which one may be wrong; of a program's more, and none at its ends, where no sub-command tells it
_SHORTEST = 4
_SHELLS = ("shell", "shell_exact")


def misspelt_commands(line: HookLine) -> Iterator[Problem]:
    """Those of a rule of `hooks.toml`."""
    rule = line.entry.spec.rule
    for key in _SHELLS:
        for text, name, meant in _misspelt(rule.predicates.get(key, ()), rule.programs or ""):
            words = f"`{text}` meets no command: nothing known is called `{name}`"
            yield line.entry.problem("misspelt-command", words, f"did you mean `{meant}`?")


def misspelt_permissions(file: ConfigFile) -> Iterator[Problem]:
    """Those of permission rules in an agent's own settings."""
    permissions = file.root.get("permissions") if file.root else None
    for key in ("deny", "ask"):
        listed = permissions.get(key) if permissions else None
        for node in listed.items if listed is not None else ():
            rule = parse_rule(node.value) if isinstance(node.value, str) else None
            if rule is None or rule.tool != "Bash":
                continue
            for _, name, meant in _misspelt([(rule.content or "").removesuffix(":*")], ""):
                words = f"`{node.value}` meets no command: nothing known is called `{name}`"
                yield file.problem(node, "misspelt-command", words, f"did you mean `{meant}`?")


def _misspelt(texts: Iterable[str], own: str) -> Iterator[tuple[str, str, str]]:
    """Of each pattern with a misspelt name: the pattern, the name, and what was meant; `own`: the file's own rows."""
    for text in texts:
        program, _, rest = text.strip().partition(" ")
        sub = rest.lstrip().partition(" ")[0]
        if _NAME.fullmatch(program) and (found := _meant(program, sub, own)):
            yield text, *found


def _meant(program: str, sub: str, own: str) -> tuple[str, str] | None:
    from hookline.shell.programs.table import programs

    table = programs(own)
    row = table.row((table.usual(program),))
    if row is not None:
        meant = _like(sub, row.subs) if _NAME.fullmatch(sub) and sub not in row.subs else ""
        return (f"{program} {sub}", f"{program} {meant}") if meant else None
    if table.added(program):
        return None
    for name in table.names():
        known = table.row((table.usual(name),)) if _near(program, name) else None
        framed = len(program) > _SHORTEST and (program[0], program[-1]) == (name[0], name[-1])
        if known is not None and (sub in known.subs or framed):
            from shutil import which

            return None if which(program) else (program, name)
    return None


def _like(word: str, names: Iterable[str]) -> str:
    found = (name for name in names if len(name) >= _SHORTEST <= len(word) + 1 and _near(word, name))
    return next(found, "")


def _near(word: str, name: str) -> bool:
    """Whether a letter is too many, missing, or stands before its neighbour; another letter makes another name."""
    return (len(word) != len(name) or sorted(word) == sorted(name)) and edits(word, name, 1) == 1
