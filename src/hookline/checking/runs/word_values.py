"""What words of a shell script are, as far as the arguments and the event of its hook decide that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.runs.known import Known, TooLongError
from hookline.checking.steps.step import Step
from hookline.checking.steps.steps import Steps
from hookline.model.typing import Any
from hookline.system.patterns.late import late

Values = frozenset[Any] | None  # all that it may be; None where that is not known
_MOST = 4_000
_DEEPEST = 12
_LONGEST = 400
_VARIABLE = late(
    r"\$(?:\{(?P<name>\w+|#)(?:(?P<how>:?-)(?P<default>[^{}]*))?(?P<case>,,|\^\^)?\}|(?P<bare>\w+|#))"
)
_BY_JQ = late(
    r"\$\(\s*(?:(?:echo|printf)(?:\s+'%s(?:\\n)?')?\s+\"?\$\{?\w+\}?\"?\s*\|\s*|cat\s*\|\s*)?jq\s+(?:-\w+\s+)*"
    r"(['\"]?)\.(?P<key>\w+)(?:\s*//\s*(?:empty|\\?\"[\w-]*\\?\"|null))?\1(?:\s*<<<\s*\"?\$\{?\w+\}?\"?)?(?:\s+2>\s*/dev/null)?"
    r"(?:\s*\|\|\s*(?:true|echo\s+(?:\"\"|'')))?\s*\)"
)
_NO_CALL = late(r"^\s*(?:#|//|\*)|\bfunction\*?\s+$")
# what stands behind the name of a command
_GIVEN = late(r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';|&<>)]++)+)*")
_SHIFTS = late(r"(?m)(?:^|[;&|{]|\b(?:do|then|else))[ \t]*(?:shift|set[ \t]+--|getopts)\b")
_READS = r"(?m)\b(?:read|mapfile|readarray|unset|printf[ \t]+-v|select|getopts)\b[^\n;|]{0,200}(?<![\w$])%s\b"
_OPTION = late(
    r"(?m)^[ \t]*\(?(-[\w-]{1,40}(?:[ \t]*\|[ \t]*-[\w-]{1,40}){0,8})[ \t]*\)"
    r"[ \t\n]*(\w+)=\"?\$\{?2(?:[:?-][^}]*)?\}?\"?(?=[\s;])"
)


class Words:
    def __init__(self, text: str, kind: str, steps: Steps, known: Known) -> None:
        self.text, self.kind, self.steps, self.known = text, kind, steps, known
        self.left = _MOST
        self.told = 0  # how often it came to what is known of the run
        self.met: set[tuple[str, str]] = set()
        self.calls: dict[str, list[tuple[int, str]]] = {}
        self.shifts = kind == "sh" and bool(_SHIFTS.search(text))
        self.options = {found[2]: found[1] for found in _OPTION.finditer(text)} if kind == "sh" else {}

    def value(self, text: str, at: int, depth: int = 0) -> Values:
        """What an expression at a place of the script is."""
        self.spend()
        text = text.strip()
        if depth > _DEEPEST or len(text) > _LONGEST or not text:
            return None
        return self.read(text, at, depth + 1)

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLongError

    def read(self, text: str, at: int, depth: int) -> Values:
        return self.of_word(text, at, depth)

    # -- a shell's words -------------------------------------------------------------------------------

    def of_word(self, text: str, at: int, depth: int) -> Values:
        if found := _BY_JQ.fullmatch(text.strip('"')):
            return self.event(found["key"])
        if re.fullmatch(r"'[^']*'", text):
            return frozenset({text[1:-1]})
        text = text[1:-1] if re.fullmatch(r"\"[^\"]*\"", text) else text
        if "$" not in text:
            return frozenset({text}) if re.fullmatch(r"[\w./:@%+,-]*", text) else None
        found = _VARIABLE.fullmatch(text)
        if found is None:
            return None
        name = found["name"] or found["bare"]
        own = (
            self.of_number(name, at, depth)
            if name == "#" or name.isdigit()
            else self.of_variable(name, at, depth)
        )
        if own is None:
            return None
        if found["default"] is not None and (not any(own) or None in own):
            default = self.value(found["default"] or '""', at, depth)
            if default is None:
                return None
            own = frozenset(each for each in own if each) | default
        own = frozenset(each or "" for each in own)
        how = {",,": str.lower, "^^": str.upper}.get(found["case"] or "")
        return frozenset(map(how, own)) if how else own

    def of_number(self, name: str, at: int, depth: int) -> Values:
        """`$1`, `$#`: of the script, or of the function that a place stands in."""
        function = self.function_at(at)
        if function is None or name == "0":
            if self.known.words is None or self.shifts or name == "0":
                return None
            self.told += 1
            words = self.known.words
            return frozenset(
                {str(len(words)) if name == "#" else words[int(name) - 1] if int(name) <= len(words) else ""}
            )
        if name == "#" or self.shifts or (key := ("$" + name, function.what)) in self.met:
            return None
        self.met.add(key)
        try:
            found: frozenset[Any] = frozenset()
            for start, given in self.given_to(function):
                told = _GIVEN.match(given)
                behind = re.findall(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+", told[0] if told else "")
                if behind[:1] in (['"$@"'], ["$@"]):
                    own = self.of_number(name, start, depth)
                elif (
                    given[told.end() if told else 0 :][:1] in ("'", '"', "\\")
                    or "$@" in given
                    or "$*" in given
                ):
                    own = None
                else:
                    own = (
                        self.value(behind[int(name) - 1], start, depth)
                        if int(name) <= len(behind)
                        else frozenset({""})
                    )
                if own is None:
                    return None
                found |= own
            return found or None
        finally:
            self.met.discard(key)

    def of_variable(self, name: str, at: int, depth: int) -> Values:
        if re.search(_READS % re.escape(name), self.text):
            return None
        if name in self.options:
            return self.of_option(name, at, depth)
        given = self.steps.given.get(name, [])
        places = [*re.finditer(rf"(?<![\w$-]){re.escape(name)}=", self.text)]
        if not given or len(places) != len(given):
            return None
        found: Values = frozenset()
        for place, each in zip(places, given, strict=True):
            own = self.value(each.text or '""', place.start(), depth)
            if own is None or found is None:
                return None
            found |= own
        return found

    def of_option(self, name: str, at: int, depth: int) -> Values:
        """A variable that a loop over the arguments fills from the one behind an option."""
        words = self.known.words
        flags = re.findall(r"-[\w-]+", self.options[name])
        if words is None:
            return None
        self.told += 1
        for number, word in enumerate(words[:-1]):
            if word in flags:
                return frozenset({words[number + 1]})
        given = [
            each.text for each in self.steps.given.get(name, []) if not re.match(r"\"?\$\{?2", each.text)
        ]
        return (
            self.value(given[0] or '""', at, depth)
            if len(given) == 1
            else frozenset({""})
            if not given
            else None
        )

    # -- functions -------------------------------------------------------------------------------------

    def function_at(self, at: int) -> Step | None:
        """The innermost function with a name that a place stands in."""
        around = [body[index] for body, index, inner in self.steps.path(at) if inner is not None]
        return next((each for each in reversed(around) if each.kind == "function"), None)

    def given_to(self, function: Step) -> list[tuple[int, str]]:
        """Where a function is called, and what stands behind its name there."""
        if function.what not in self.calls:
            self.calls[function.what] = list(self._given_to(function))
        return self.calls[function.what]

    def _given_to(self, function: Step) -> Iterator[tuple[int, str]]:
        opening = "" if self.kind == "sh" else r"\s*\("
        for found in re.finditer(rf"(?<![\w.$/-]){re.escape(function.what)}(?![\w-]){opening}", self.text):
            row = self.text[self.text.rfind("\n", 0, found.start()) + 1 : found.start()]
            told = any(row.count(quote) % 2 for quote in "\"'`") and "$(" not in row
            if not (told or _NO_CALL.search(row) or self.text.startswith("()", found.end())):
                yield found.start(), self.text[found.end() : found.end() + _LONGEST]

    def event(self, key: str) -> Values:
        if key not in self.known.sent:
            return None
        self.told += 1
        return frozenset({self.known.sent[key]})
