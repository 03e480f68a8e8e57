"""Permission rules of settings files that nobody reads, or that meet nothing: each may have been a denial."""

from __future__ import annotations

import re

from hookline.dialects.matching.permission_rules import (
    EDITORS,
    READERS,
    misspelt_tool,
    parse_rule,
)
from hookline.dialects.reading.nodes import Node, to_plain
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import folded, nearest
from hookline.dialects.tools import BESIDE_RULES, CANONICAL, RULE_LISTS
from hookline.model.errors import PERMISSIONS
from hookline.model.record import Record
from hookline.model.typing import Any, Iterable, Iterator, Mapping

# what people call a list of rules
_MEANT = {
    **dict.fromkeys(
        ("denied", "denies", "denylist", "denyrules", "denytools", "deniedtools", "deniedcommands", "block", "blocked",
         "blocklist", "blockedtools", "blockedcommands", "blacklist", "forbid", "forbidden", "disallow", "disallowed",
         "disallowedtools", "disallowlist", "reject", "never", "exclude", "excluded"), "deny"),
    **dict.fromkeys(("confirm", "prompt", "asklist", "askfirst", "requireapproval"), "ask"),
    **dict.fromkeys(("allowed", "allowlist", "allowedtools", "allowedcommands", "whitelist", "permit"), "allow"),
}  # fmt: skip
_BRACKETS = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:[\[{<:]|\s)\s*(.*?)[\]}>]?\s*", re.DOTALL)
# folders at the root that no project has, and what begins no command
_AT_THE_ROOT = re.compile(r"/(?:etc|usr|home|Users|root|boot|proc|sys|System|private)/.*", re.DOTALL)
_SQL = re.compile(r"(?:DROP|TRUNCATE|ALTER|DELETE FROM|INSERT INTO)\b.*", re.DOTALL)
_SPACED = re.compile(r"\s*([A-Za-z_]\w*)\s+\((.*)\)\s*", re.DOTALL)


class LostRule(Record):
    """A rule, or a list of them, at the `path` of a settings file; `at_key`: by the name of its last part.

    `words` say what is wrong, `hint` what to write; `severity` is that of a problem.
    """

    path: tuple[str | int, ...]
    code: str
    words: str
    hint: str = ""
    at_key: bool = False
    severity: str = "warning"
    heard: bool = False  # by our own tool loop, which is not so strict

    @property
    def is_list(self) -> bool:
        return len(self.path) < 3

    @property
    def may_deny(self) -> bool:
        """Whether it is a list of rules, and not one that only allows."""
        return self.is_list and self.path[1:] != ("allow",) and self.hint != "did you mean `allow`?"

    @property
    def told(self) -> str:
        return (
            f"{self.words}, so none of the rules in it counts"
            if "means nothing" in self.words
            else self.words
        )

    def node_in(self, root: Node) -> Node | None:
        """What it stands at; of one that is told `at_key` the object around."""
        node: Node | None = root
        for step in self.path[: -1 if self.at_key else None]:
            node = node and (node.get(step) if isinstance(step, str) else node.items[step])
        return node

    @property
    def place(self) -> str:
        first, *others = map(str, self.path)
        return first + "".join(f"[{each}]" if each.isdigit() else f".{each}" for each in others)


def report_lost_lists(root: Reader) -> None:
    """Tells of each list of rules in a settings file that nobody reads, and in which denials may be."""
    whole = root.whole()
    whole.lost = PERMISSIONS
    for lost in lost_rules(to_plain(root.node)):
        node = lost.node_in(root.node) if lost.may_deny else None
        if node is not None and lost.at_key:
            there = whole.reader(node)
            there.lost = PERMISSIONS
            there.report_key(str(lost.path[-1]), lost.code, lost.told, lost.hint)
        elif node is not None:
            whole.report(node, lost.code, lost.told, lost.hint)


def lost_rules(content: Mapping[str, Any], known: Iterable[str] = CANONICAL) -> Iterator[LostRule]:
    """All of a file's; `known` are the tools that rules may name."""
    for key, value in content.items():
        yield from _outside(key, value)
    given = content.get("permissions", {})
    if not isinstance(given, dict):
        words = f"expected an object, found {_shown(given)}: no rule of it counts"
        yield LostRule(("permissions",), "wrong-type", words, 'write `{"deny": ["…"]}`', severity="error")
        return
    tools = frozenset(known)
    for key, value in given.items():
        if key not in RULE_LISTS:
            meant = None if key in BESIDE_RULES else nearest(key, RULE_LISTS) or _meant(key, value)
            if meant:
                words = f"`permissions.{key}` means nothing here"
                yield LostRule(("permissions", key), "misspelt-key", words, f"did you mean `{meant}`?", True)
        elif not isinstance(value, list):
            words = f"expected a list of rules, found {_shown(value)}: none of them counts"
            hint = f'write `"{key}": ["…"]`'
            yield LostRule(("permissions", key), "wrong-type", words, hint, severity="error")
        else:
            for at, rule in enumerate(value):
                yield from _of_rule(("permissions", key, at), rule, tools)


def _outside(key: str, value: object) -> Iterator[LostRule]:
    """Of a member of the whole file, rules in it."""
    if key in ("ask", "deny") and isinstance(value, list):
        words = f"`{key}` stands outside of `permissions`, where nothing reads it"
        yield LostRule((key,), "misspelt-key", words, 'put it into `"permissions": {…}`', True, "error")
    elif isinstance(value, list) and (meant := _meant(key, value)) in ("deny", "ask"):
        words = f"`{key}` means nothing here"
        yield LostRule((key,), "misspelt-key", words, f'write `"permissions": {{"{meant}": […]}}`', True)
    elif key != "permissions" and nearest(key, ("permissions",)):
        lists = value.keys() & {*RULE_LISTS, *_MEANT} if isinstance(value, dict) else _rules(value)
        if lists:
            yield LostRule(
                (key,), "misspelt-key", f"`{key}` means nothing here", "did you mean `permissions`?", True
            )


def _meant(key: str, value: object) -> str:
    """The list that is meant by another name, if rules stand in it."""
    return _MEANT.get(folded(key), "") if _rules(value) else ""


def _rules(value: object) -> bool:
    """Whether it is a list of nothing but rules: `Tool(…)`, or the name of a tool."""
    texts = value if isinstance(value, list) else [None]
    parsed = [parse_rule(each) if isinstance(each, str) else None for each in texts]
    return bool(parsed) and all(
        rule and (rule.tool in CANONICAL or misspelt_tool(rule.tool)) for rule in parsed
    )


def _of_rule(path: tuple[str | int, ...], given: object, tools: frozenset[str]) -> Iterator[LostRule]:
    if not isinstance(given, str):
        words = f"expected a rule as text, found {_shown(given)}"
        yield LostRule(path, "wrong-type", words, severity="error")
        return
    rule = parse_rule(given)
    if rule is None:
        hint = _as_rule(given) or "write `Tool` or `Tool(pattern)`"
        yield LostRule(path, "bad-value", f"`{given}` is no rule, so it never counts", hint, severity="error")
        return
    if rule.tool not in tools:
        if meant := _tool_meant(rule.tool):
            words = f"no tool is called `{rule.tool}`, so the rule never counts"
            yield LostRule(path, "dead-name", words, f"write `{meant}`")
        return
    content = rule.content or ""
    if rule.tool == "Bash" and (":*" in content[:-2] or content.endswith(": *")):
        words = f"`{given}` meets no command: `:*` counts at the end alone, and without a blank"
        yield LostRule(path, "dead-name", words, f"write `Bash({_prefix(content)}:*)`")
    elif rule.tool == "WebFetch" and content and not content.startswith("domain:"):
        host = content.partition("://")[2] or content
        words = f"`{given}` names no domain, which is all that a rule of `WebFetch` can name"
        yield LostRule(path, "dead-name", words, f"write `WebFetch(domain:{host.partition('/')[0]})`")
    elif rule.tool in EDITORS | READERS and _AT_THE_ROOT.fullmatch(content):
        words = f"`{given}` is about `{content[1:]}` in the project: one slash begins there, two at the root"
        yield LostRule(path, "dead-name", words, f"write `{rule.tool}(/{content})`", heard=True)
    elif rule.tool == "Bash" and _SQL.fullmatch(content):
        words = f"`{given}` meets no command: none begins so"
        yield LostRule(path, "dead-name", words, f"write `Bash(*{content})`", heard=True)
    elif spaced := _SPACED.fullmatch(given):
        words = f"`{given}` has a blank before its `(`, where the name of the tool goes on to"
        yield LostRule(path, "bad-value", words, f"write `{spaced[1]}({spaced[2]})`", heard=True)


def _as_rule(text: str) -> str:
    """How a rule is written that has other brackets or none: `Bash[rm:*]`, `Read .env`; or a command alone."""
    found = _BRACKETS.fullmatch(text)
    if found and found[2] and (found[1] in CANONICAL or misspelt_tool(found[1])):
        return f"write `{misspelt_tool(found[1]) or found[1]}({found[2]})`"
    return f"write `Bash({text.removesuffix('*').strip()}:*)`" if " " in text and "(" not in text else ""


def _tool_meant(name: str) -> str:
    if meant := misspelt_tool(name):
        return meant
    if name.startswith("mcp"):
        return ""
    from hookline.dialects.all_names import ALL_TOOLS

    usual = ALL_TOOLS.canonical(name)
    return usual if usual in CANONICAL and usual != name else nearest(name, CANONICAL) or ""


def _prefix(content: str) -> str:
    return content.partition(":")[0].strip()


def _shown(value: object) -> str:
    return f"{value!r:.60}"
