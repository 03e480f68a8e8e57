"""What expressions of JavaScript and PowerShell are, as far as the arguments and the event of a hook decide that."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from hookline.checking.runs.known import SCRIPT
from hookline.checking.runs.word_values import Values, Words
from hookline.checking.steps.step import Step
from hookline.model.typing import Any
from hookline.system.patterns.late import late

_STRING = late(r"(?P<q>[\"'`])(?P<text>[^\"'`$\\]*)(?P=q)")
_FIELD = late(
    r"\$?[\w$]+(?:\(\))?(?:(?:\?\.|\.)\w+)*?(?:\?\.|\.)(?P<key>\w+)|\$?[\w$]+(?:\?\.)?\[[\"'](?P<at>\w+)[\"']\]"
)
_ARGV = late(r"(?:process|Bun)\.argv|Deno\.args")
_SLICE = late(r"(?P<of>.+?)\??\.slice\(\s*(?P<at>\d)\s*\)")
_AT = late(r"(?P<of>.+?)(?:\?\.)?\[(?P<at>\d)\]")
_CASE = late(r"(?P<of>.+?)\??\.(?P<how>toLowerCase|toUpperCase|trim|ToLower|ToUpper|Trim)\(\)")
_CASES = {"toLowerCase": str.lower, "ToLower": str.lower, "toUpperCase": str.upper, "ToUpper": str.upper}
_NAME = late(r"\$?(?:script:|global:)?[A-Za-z_$][\w$]*")
_WORDS = late(r"[\w$]+")
_NUMBER = late(r"\d{1,3}")
_CHANGES = r"(?<![\w.$])%s\.(?:shift|splice|pop|unshift|push)\("
_ARROWS = late(
    r"\(([^()\n]{0,200})\)\s*(?::[^=\n{]{1,60})?=>|(?<![\w.$])(\w+)\s*=>|\bfunction\s*\w*\s*\(([^()\n]{0,200})\)|\bcatch\s*\(([^()]{0,99})\)"
)
_PARAM = late(r"\bparam\s*\(((?:[^()]|\([^()]*\)){0,800})\)", re.IGNORECASE)
_OF_PARAM = late(r"\$(\w+)(?:\s*=\s*(\"[^\"$]*\"|'[^']*'))?\s*(?=,|\Z)")


class Expressions(Words):
    def read(self, text: str, at: int, depth: int) -> Values:
        if self.kind == "sh":
            return self.of_word(text, at, depth)
        found = self.of_expression(_bare(text), at, depth)
        return None if found and SCRIPT in found else found

    def of_expression(self, text: str, at: int, depth: int) -> Values:
        if found := _STRING.fullmatch(text):
            return frozenset({found["text"]})
        if text in ("null", "undefined", "$null"):
            return frozenset({None})
        if _NUMBER.fullmatch(text):
            return frozenset({int(text)})
        for sign in ("??", "||"):
            if len(parts := list(split(text, sign))) > 1:
                return self.first_of(parts, at, depth)
        if _ARGV.fullmatch(text) or text.lower() == "$args":
            if self.known.words is None:
                return None
            self.told += 1
            return frozenset({(*((SCRIPT, SCRIPT) if "argv" in text else ()), *self.known.words)})
        if found := _SLICE.fullmatch(text):
            of = self.value(found["of"], at, depth)
            return (
                of and frozenset(each[int(found["at"]) :] for each in of if isinstance(each, tuple))
            ) or None
        if found := _AT.fullmatch(text):
            of, number = self.value(found["of"], at, depth), int(found["at"])
            return (
                of
                and frozenset(
                    each[number] if number < len(each) else None for each in of if isinstance(each, tuple)
                )
            ) or None
        if found := _CASE.fullmatch(text):
            of = self.value(found["of"], at, depth)
            if of is None or not all(isinstance(each, str) for each in of):
                return None
            return frozenset(_CASES.get(found["how"], str.strip)(each) for each in of)
        if (found := _FIELD.fullmatch(text)) and (key := found["key"] or found["at"]) in self.known.sent:
            return self.event(key)
        return self.of_name(text.lstrip("$").rpartition(":")[2], at, depth) if _NAME.fullmatch(text) else None

    def first_of(self, parts: list[str], at: int, depth: int) -> Values:
        found: frozenset[Any] = frozenset()
        for part in parts:
            own = self.value(part, at, depth)
            if own is None:
                return None
            found |= frozenset(each for each in own if each)
            if all(own):
                return found
        return found | frozenset({""})

    def of_name(self, name: str, at: int, depth: int) -> Values:
        function = self.function_at(at)
        for number, (called, default) in enumerate(self.parameters(function) if function else ()):
            if function is not None and called == name:
                return self.of_parameter(function, name, number, default, depth)
        if self.kind == "ps1":
            if (own := self.of_param(name)) is not None:
                return own
        elif self.is_bound_elsewhere(name) or re.search(_CHANGES % re.escape(name), self.text):
            return None
        elif (taken := self.taken_apart(name, depth)) is not None:
            return taken
        found: Values = frozenset()
        for each in self.steps.given.get(name, []):
            own = self.value(each.text, at if function is None else function.start, depth)
            if own is None or found is None:
                return None
            found |= own
        return found or None

    def taken_apart(self, name: str, depth: int) -> Values:
        """`const [, , event] = process.argv`, `const { hook_event_name: event } = input`."""
        escaped = re.escape(name)
        listed = [
            *re.finditer(
                r"(?:const|let|var)\s*\[(?P<names>[^\[\]]{0,300})\]\s*=\s*(?P<of>[^;\n]+)", self.text
            )
        ]
        for found in listed:
            names = [each.strip() for each in found["names"].split(",")]
            plain = [each.partition("=")[0].strip() for each in names]
            if name in plain:
                of, number = self.value(found["of"], found.start(), depth), plain.index(name)
                if of is None or not all(isinstance(each, tuple) for each in of):
                    return None
                return frozenset(each[number] if number < len(each) else None for each in of)
            if f"...{name}" in plain:
                of, number = self.value(found["of"], found.start(), depth), plain.index(f"...{name}")
                return (of and frozenset(each[number:] for each in of if isinstance(each, tuple))) or None
        for key in self.known.sent:
            renamed = rf"\b{key}\s*:\s*{escaped}\b" if key != name else rf"\b{key}\b(?!\s*:)"
            if re.search(rf"\{{[^{{}}]{{0,300}}{renamed}[^{{}}]{{0,300}}\}}\s*=\s*(?!\{{)", self.text):
                return self.event(key)
        return None

    def is_bound_elsewhere(self, name: str) -> bool:
        """Whether a function without a name of its own, or a `catch`, calls something so."""
        return name in self.bound_elsewhere

    @cached_property
    def bound_elsewhere(self) -> frozenset[str]:
        named = sorted(each.start for each in self.steps.functions.values())
        found = set[str]()
        for each in _ARROWS.finditer(self.text):
            at = bisect_left(named, each.start() - 10)
            if not (at < len(named) and named[at] <= each.start() + 200):  # no function with a name
                found.update(_WORDS.findall(" ".join(filter(None, each.groups()))))
        return frozenset(found)

    def of_param(self, name: str) -> Values:
        """A parameter of a script of PowerShell, given by its name or its place."""
        found = _PARAM.search(self.text)
        if found is None or self.known.words is None:
            return None
        parameters = [
            (each[0].lower(), each[1])
            for each in _OF_PARAM.findall(re.sub(r"\[[^\]]*\]", "", found[1]).strip())
        ]
        named, plain, words = dict[str, str](), list[str](), list(self.known.words)
        while words:
            word = words.pop(0)
            if re.match(r"-[A-Za-z]", word):
                named[word[1:].lower()] = words.pop(0) if words and not words[0].startswith("-") else ""
            else:
                plain.append(word)
        left = iter([each for each, _ in parameters if each not in named])
        named.update(zip(left, plain, strict=False))
        default = next((value for each, value in parameters if each == name.lower()), None)
        if default is None:
            return None
        self.told += 1
        return frozenset({named.get(name.lower(), default.strip("\"'"))})

    def parameters(self, function: Step) -> list[tuple[str, str]]:
        """What a function calls its arguments, each with what it is where it is left out."""
        first = function.bodies[0][0].start if function.bodies[0] else function.end
        head = self.text[max(0, function.start - 200) : first]
        opens = [*re.finditer(rf"(?<![\w.$]){re.escape(function.what)}\b[^()\n]{{0,80}}\(([^()]*)\)", head)]
        told = (each.partition("=") for each in (opens[-1][1].split(",") if opens else ()))
        return [(re.split(r"[:?\s]", name.strip().lstrip("$"))[0], default) for name, _, default in told]

    def of_parameter(self, function: Step, name: str, number: int, default: str, depth: int) -> Values:
        key = (name, function.what)
        if key in self.met or self.kind == "ps1" or self.steps.given.get(name):
            return None
        self.met.add(key)
        try:
            found: frozenset[Any] = frozenset()
            for start, given in self.given_to(function):
                arguments = [each for each in split(up_to_close(given), ",") if each.strip()]
                told = arguments[number] if number < len(arguments) else default
                if (own := self.value(told, start, depth)) is None:
                    return None
                found |= own
            return found or None
        finally:
            self.met.discard(key)


def split(text: str, sign: str) -> Iterator[str]:
    """The parts of a text between signs that stand in no quotes and no brackets."""
    depth, quote, start, at = 0, "", 0, 0
    while at < len(text):
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "\"'`":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(sign, at):
            yield text[start:at]
            start = at = at + len(sign)
            continue
        at += 1
    yield text[start:]


def up_to_close(text: str) -> str:
    """A call's arguments: the text up to the bracket that closes it."""
    depth = 0
    for found in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[(){}\[\]]", text):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            if depth == 0:
                return text[: found.start()]
            depth -= 1
    return text


def _bare(text: str) -> str:
    """An expression without what stands around it: brackets, `await`, a type of TypeScript."""
    text = re.sub(r"^(?:await\s+|String\((?=[^()]*\)$))|\s+as\s+\w+$|[;!]+$", "", text.strip())
    while text.startswith("(") and text.endswith(")") and up_to_close(text[1:]) == text[1:-1]:
        text = text[1:-1].strip()
    return text
