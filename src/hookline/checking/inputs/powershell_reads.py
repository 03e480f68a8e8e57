"""What a script of PowerShell takes out of the JSON it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.inputs.reads import (
    CONSTANT,
    EACH,
    RAW,
    WHOLE,
    Read,
    Way,
    Ways,
    either,
    parsed,
    reads,
    stepped,
)
from hookline.system.patterns.late import late

_PUT = late(r"(?m)\$(?P<name>\w++)[ \t]*+=(?!=)[ \t]*+(?P<what>[^\n]*+)")
_STDIN = late(
    r"\[Console\]::In\.ReadToEnd\(\)|^\(?\$input\b(?![.)\[])|@\(\$input\)|OpenStandardInput|\[Console\]::In\b"
    r"|Get-Content\s+-\s|ReadToEnd\(\)",
    re.IGNORECASE,
)
_USE = late(r"\$(?:script:|global:)?(?P<name>\w++)(?P<steps>(?:\??+\.\w++|\[\d++\])*+)(?P<calls>\()?")
_STEP = late(r"\w+")
_METHODS = frozenset({"Trim", "ToLower", "ToUpper", "ToString", "ToLowerInvariant"})
_OF_OBJECTS = frozenset({"PSObject", "Count", "Length"})
_PARAMETERS = late(r"(?i)\bparam[ \t]*\(([^)]{0,600})\)|\bforeach\s*\(\s*(\$\w+)")
_NAMED = late(r"\$(\w+)")
_CHOSEN = late(
    r"(?i)\$?\(?if\s*\((?:[^()\n]|\([^()\n]*+\))*+\)\s*\{(?P<one>[^{}\n]*)\}\s*else\s*\{(?P<other>[^{}\n]*)\}\)?\s*\Z"
)
_CHOICE = late(r"(?i)\b(?:else)?if\s*\(\s*(?:-not\s+|!\s*)?\Z")
_PLAIN = late(
    r"(?:'[^']*+'|\"[^\"$]*+\"|\d++|\$null|\$true|\$false|@\{\s*\}|@\(\s*\))\s*;?\s*\Z", re.IGNORECASE
)
# a file that a variable names, which stands for standard input where that is read too
_FROM_FILE = late(
    r"Get-Content\s+(?:-(?:Literal)?Path\s+)?[\"']?\$env:\w", re.IGNORECASE, needs=("$env:", "$Env:", "$ENV:")
)
# of which some are kept: it is looked at there
_LISTED = late(r"\s*\|\s*(?:Where|ForEach|Select|Sort|Group)-Object\b|\s*\|\s*[?%]\s*\{", re.IGNORECASE)
_IS_OF_A_KIND = late(r"[ \t]+-is\b", re.IGNORECASE)
_STORES = late(r"[ \t]*+[-+]?=(?!=)")
_SAME = late(
    r"\)?(?:\s+-as\s+\[\w+\]\)?)?(?:\s*+\|\s*+(?:Out-String|ConvertFrom-Json)[^|]*+)*+\s*;?\s*\Z",
    re.IGNORECASE,
)
# `function Read-Call {`, with its body up to the bracket below it; a call of one, and what it gives back
_FUNCTION = late(
    r"(?ims)^(?P<margin>[ \t]*)function[ \t]+(?P<name>[\w-]+)[^\n{]{0,200}\{[ \t]*\r?\n"
    r"(?P<body>.{1,4000}?)^(?P=margin)\}",
    needs=("function", "Function"),
)
_CALLS = late(r"\(?(?P<name>[A-Za-z]\w*-\w+)(?![\w-])[^|\n]*")
_GIVES = late(r"(?im)(?:^|[{;])[ \t]*return[ \t]+(?P<what>[^\n;}]+(?:@?\{[ \t]*\})?)")


def powershell_reads(text: str) -> tuple[Read, ...]:
    """Each value taken from the input, which comes on standard input."""
    if "convertfrom-json" not in text.lower():
        return ()
    reader = _Reader(text)
    found = tuple(dict.fromkeys(reader.all()))
    return tuple(each for each in found if reader.added.isdisjoint(each.ways))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.chooses = "elseif" in text.lower()
        self.put: dict[str, list[str]] = {}
        self.known: dict[str, Ways] = {}
        self.open: set[str] = set()
        self.added: set[Way] = set()
        for found in _PUT.finditer(text):
            self.put.setdefault(found["name"].lower(), []).append(found["what"])
        given = "".join(found[1] or found[2] or "" for found in _PARAMETERS.finditer(text))
        self.functions: dict[str, list[str]] = {}
        for each in _FUNCTION.finditer(text):
            self.functions.setdefault(each["name"].lower(), []).append(each["body"])
        self.strange = {name.lower() for name in _NAMED.findall(given)}

    def named(self, name: str) -> Ways:
        name = name.lower()
        if name in self.strange or name in self.open:
            return CONSTANT if name in self.open else None
        if name not in self.known:
            self.open.add(name)
            found = self.put.get(name)
            self.known[name] = either(map(self.value, found)) if found else None
            self.open.discard(name)
        return self.known[name]

    def value(self, what: str) -> Ways:
        if _PLAIN.match(what) or _FROM_FILE.match(what):
            return CONSTANT
        is_json = "convertfrom-json" in what.lower()
        if _STDIN.search(what):
            return WHOLE if is_json else RAW
        if chosen := _CHOSEN.match(what):
            return either((self.value(chosen["one"].strip()), self.value(chosen["other"].strip())))
        called = _CALLS.match(what)
        if called and _SAME.match(what, called.end()):
            ways = self.returned(called["name"].lower())
            return parsed(ways) if is_json else ways
        use = _USE.match(what, 1 if what.startswith("(") else 0)
        if use and use["calls"] and use["name"].lower() in self.open:
            return CONSTANT  # a piece of what it was before
        if use is None or not _SAME.match(what, use.end()):
            return None
        ways = self.one(use)
        return parsed(ways) if is_json else ways

    def returned(self, function: str) -> Ways:
        """What a function gives back: what stands behind each `return`, or in its last row."""
        bodies = self.functions.get(function, ())
        if len(bodies) != 1 or f"{function}(" in self.open:
            return None
        self.open.add(f"{function}(")
        given = [each["what"].strip() for each in _GIVES.finditer(bodies[0])]
        ways = either(map(self.value, given or [bodies[0].strip().rpartition("\n")[2].strip()]))
        self.open.discard(f"{function}(")
        return ways

    def one(self, use: re.Match[str]) -> Ways:
        ways = self.named(use["name"])
        steps = _STEP.findall(use["steps"])
        if use["calls"] and steps.pop() not in _METHODS:
            return None
        for step in steps:
            ways = stepped(ways, EACH if step.isdigit() else step) if step not in _OF_OBJECTS else None
        return ways

    def all(self) -> Iterator[Read]:
        for name in self.put:
            yield from reads(self.named(name))
        for use in _USE.finditer(self.text):
            before = self.text[max(0, use.start() - 60) : use.start()]
            if use["steps"] and _STORES.match(self.text, use.end()):
                self.added.update(self.one(use) or ())
                continue
            if self.chooses and _CHOICE.search(before):
                continue  # where a field is missing another is taken
            if _IS_OF_A_KIND.match(self.text, use.end()):
                continue  # it is looked at before it is taken
            if before.rstrip().endswith("{") and self.text[use.end() : use.end() + 20].lstrip()[:1] == "}":
                continue  # one of several values
            kept = re.search(r"\$(\w+)[ \t]*=[ \t]*\(?\Z", before) and not _LISTED.match(self.text, use.end())
            if "." in use["steps"] and not kept and not re.search(r"\?\?\s*\Z", before):
                instead = re.compile(r"\s*\?\?").match(self.text, use.end())
                yield from reads(self.one(use)) if not instead else ()
