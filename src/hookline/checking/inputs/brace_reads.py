"""What a script of JavaScript, TypeScript or Ruby takes out of the JSON it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.checking.inputs.brace_names import ANY, Names
from hookline.checking.inputs.reads import (
    CONSTANT,
    EACH,
    MOST,
    RAW,
    Read,
    Way,
    Ways,
    either,
    parsed,
    reads,
    stepped,
)
from hookline.system.patterns.late import late

_BLANK = late(r"(?:\s++|//[^\n]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+")
_NAME = late(r"[A-Za-z_$][\w$]*+")
_LITERAL = late(
    r"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\"|`[^`$\\]*+`|[-+]?\d[\w.]*+|(?:null|undefined|true|false|nil)\b"
    r"|\{\s*+\}|\[\s*+\]"
)
_STEP = late(
    r"\s*+(?:(?:\?\.|!?\.|&\.)\s*+(?P<name>(?!(?:to_(?:json|s|h)|strip|downcase)\b)[A-Za-z_$][\w$]*+)(?!\s*\()"
    r"|(?:\?\.)?\[\s*+[\"':](?P<key>[\w-]++)[\"']?\s*+\]|(?P<one>(?:\?\.)?\[\d++\])"
    r"|(?:\?|&)?\.dig\((?P<deep>[^()]{1,200})\)|&?\.fetch\(\s*+[\"':](?P<fetched>[\w-]++)[\"']?[^()]{0,80}\))"
)
_SAME = late(
    r"\s*+(?:\?\.|!?\.|&\.)(?:trim\w*+|toLowerCase|toUpperCase|toString|slice|substring|replace(?:All)?|normalize"
    r"|strip|downcase|to_json|to_s|to_h|read|join|text)(?:\([^()\n]{0,200}\)|\b(?!\())"
)
_STDIN = late(
    r"(?:(?:await|new)\s++){0,3}+"
    r"(?:(?:\w++\.|require\([^()\n]{0,40}\)\.)?readFileSync\(\s*+(?:0|[\"']/dev/stdin[\"']"
    r"|process\.stdin\.fd)[^()\n]{0,40}\)(?:\.toString\([^()\n]{0,20}\))?|Bun\.stdin\.(?:text|json)\(\)"
    r"|Response\(Bun\.stdin\.stream\(\)\)\.text\(\)|(?:STDIN|\$stdin|ARGF)\.read|gets\b"
    r"|Buffer\.concat\(\w++\)(?:\.toString\([^()\n]{0,20}\))?"
    r"|(?:\w++\.)?text\(process\.stdin\)|new TextDecoder\(\)\.decode\([^\n]{0,80}\))"
)
_PARSES = late(r"(?:await\s++)?JSON\.parse\(")
_CONVERTS = late(r"(?:String|Number|Boolean|Array\.from|path\.\w++|await)\b\s*+(?=\()")
_GIVES = late(r"\b(?:return\s++(?!new\s)|resolve\(\s*+)")
_OTHERWISE = late(r"\s*+(?:\?\?|\|\|)(?!=)\s*+")
_ENDS = late(r"[ \t]*+(?:[;,)\]}:\n]|\Z|(?:as|rescue|unless|if)\b|//)")
_BEFORE = late(r"(?:\?\?|\|\||\bor)\s*\(?\s*\Z")
# one of several that a function looks at in turn: `text(d.name) || text(d.tool)`
_BEFORE_CALL = late(r"(?:\?\?|\|\|)\s*[A-Za-z_$][\w$]*\(\s*\Z")
_IN_CALL, _OR_ELSE = (
    late(r"(?<![\w$.])(?!String|Number|Boolean|JSON)[A-Za-z_$][\w$]*\(\s*\Z"),
    late(r"\s*\)\s*(?:\?\?|\|\|)\s*+(?![\"'`\d{\[]|null\b|undefined\b|false\b)"),
)
_INTO = late(r"(?:(?P<name>[\w$]+)\s*(?::\s*[\w$<>\[\]| ]{1,60})?\s*|\}\s*)(?<![=!<>])=\s*\(?\s*\Z")
_ASKED = late(
    r"[\"'](?P<name>\w++)[\"']\s++in\s++(?P<of>[A-Za-z_$][\w$]*+)|(?P<owner>[A-Za-z_$][\w$]*+)\.(?:hasOwnProperty|key\?|has_key\?)\(\s*+[\"'](?P<key>\w++)"
)
# what a script looks at first: what it is, or whether it is the one to go by
_TESTED = late(
    r"(?:\bArray\.isArray\(\s*+|\btypeof\s++|(?P<first>\bif\s*+\(\s*+))(?P<what>[A-Za-z_$][\w$]*+(?>(?:\??\.[A-Za-z_$][\w$]*)+))"
    r"(?(first)\s*\)\s*\{?\s*return\b|(?=\s*(?:\)|&&|[!=]==?)))"
)
_INSTEAD = late(
    r"\bif\s*\(\s*(?:!\s*\w+|\w+\s*={2,3}\s*(?:[\"'][^\"'\n]{0,40}[\"']|null|undefined))\s*\)\s*\{?\s*(?:(?:const|let|var)\s+)?\Z"
)
_ARGUMENT = late(r"process\.argv\[(\d)\]|ARGV\[(\d)\]")
_VARIABLE = late(r"process\.env\.(\w+)|ENV\[[\"'](\w+)[\"']\]")
_TYPED = late(r"\s*+(?:!|as\s++[\w$<>\[\] |.]{1,60})(?=[\s;,)])")
_CALLED = late(r"(?:\s*+\??\.\s*+[\w$]++)?[ \t]*+\(")
_STORES = late(r"\s*+(?:\?\?|\|\||&&|[-+*/])?=(?![=>~])")
_TOLD = late(r"\s*+[\"'`](?P<name>[\w-]++)[\"'`]\s*+(?:\)|(?P<more>,))")
_DEEPEST = 12


def brace_reads(text: str, fed: Ways = RAW, given: Mapping[str, Ways] | None = None) -> tuple[Read, ...]:
    """Each value taken from the input. `fed` comes on standard input; `given` are variables of the environment and
    arguments (`argv[1]`), by what they hold."""
    if "JSON" not in text and ".json()" not in text:
        return ()
    try:
        return tuple(_Reader(text, fed, given or {}).all())
    except (RecursionError, _TooManyError):
        return ()


class _TooManyError(Exception):
    pass


class _Reader:
    def __init__(self, text: str, fed: Ways, given: Mapping[str, Ways]) -> None:
        self.text, self.fed, self.given = text, fed, given
        self.left, self.depth = MOST, 0
        self.names = Names(text)
        self.known: dict[tuple[str, int], Ways] = {}
        self.open: set[tuple[str, int]] = set()
        self.asked: set[Way] = set()

    # -- what an expression may be ---------------------------------------------------------------------------

    def value(self, at: int) -> tuple[Ways, int]:
        """What stands at a place, and where that ends."""
        self.left -= 1
        self.depth += 1
        if self.left < 0 or self.depth > _DEEPEST:
            raise _TooManyError
        whole, at = self.value_of_use(at)
        self.depth -= 1
        if whole is not None and not _ENDS.match(self.text, at):
            return self.chosen(whole, at)
        return whole, at

    def chosen(self, asked: Ways, at: int) -> tuple[Ways, int]:
        """`asked && b`, `asked ? b : c`; of any other operator nobody knows what comes."""
        text = self.text[at : at + 40].lstrip()
        start = at + len(self.text[at : at + 40]) - len(text)
        if text.startswith("&&"):
            found, end = self.value(self.skipped(start + 2))
            return found, end
        if text.startswith("?") and not text.startswith("?."):
            first, at = self.value(self.skipped(start + 1))
            colon = self.skipped(at)
            if self.text[colon : colon + 1] == ":":
                second, at = self.value(self.skipped(colon + 1))
                return either((first, second)), at
        return None, at

    def one(self, at: int) -> tuple[Ways, int]:
        at = self.skipped(at)
        if found := _STDIN.match(self.text, at):
            return self.stepped(parsed(self.fed) if "json()" in found[0] else self.fed, found.end())
        if found := _PARSES.match(self.text, at):
            inner, end = self.value(found.end())
            return self.stepped(parsed(inner), self.closed(end))
        if found := _CONVERTS.match(self.text, at):
            at = found.end()
        if self.text[at : at + 1] == "(":
            inner, end = self.value(at + 1)
            return self.stepped(inner, self.closed(end))
        if found := _LITERAL.match(self.text, at):
            return CONSTANT, found.end()
        if self.text.startswith("await ", at):
            at = self.skipped(at + 6)
        if found := _ARGUMENT.match(self.text, at):
            number = int(found[1] or 0) - 1 if found[1] else int(found[2]) + 1
            return self.given.get(f"argv[{number}]"), found.end()
        if found := _VARIABLE.match(self.text, at):
            return self.given.get(found[1] or found[2]), found.end()
        named = _NAME.match(self.text, at)
        if named is None:
            return None, at
        if self.text[named.end() : named.end() + 1] == "(":
            inner = self.picked(named[0], named.end() + 1) or self.returned(named[0])
            end = self.text.find(")", named.end())
            return self.stepped(inner, end + 1)
        return self.stepped(self.named(named[0], at), named.end())

    def stepped(self, ways: Ways, at: int) -> tuple[Ways, int]:
        while True:
            if found := _STEP.match(self.text, at):
                for name in re.findall(r"[\w-]+", found["deep"] or "") or [
                    found["name"] or found["key"] or found["fetched"] or EACH
                ]:
                    ways = stepped(ways, name)
                if found["name"] == "length":
                    return None, found.end()
            elif not (found := _SAME.match(self.text, at)):
                break
            at = found.end()
        if found := _TYPED.match(self.text, at):
            at = found.end()
        return (None if _CALLED.match(self.text, at) else ways), at

    def named(self, name: str, use: int = -1) -> Ways:
        """What a name holds, at a place; functions may each have one of their own by it."""
        span = self.names.home(name, use) if use >= 0 else ANY
        key = (name, span)
        if name in self.names.strange or key in self.open:
            return CONSTANT if key in self.open else None
        if key not in self.known:
            self.open.add(key)
            found: list[Ways] = [
                self.put(name, at, how)
                for at, how in self.names.bound.get(name, ())
                if self.names.is_at(name, at, span)
            ]
            found += [
                stepped(self.value(at)[0], part)
                for at, part in self.names.taken.get(name, ())
                if self.names.is_at(name, at, span)
            ]
            handed = (
                self.names.handed.get(name, ()) if span == ANY else [self.names.told.get(span, {}).get(name)]
            )
            found += [self.passed(*each) for each in handed if each]
            self.open.discard(key)
            self.known[key] = either(found) if found else None
        return self.known[key]

    def put(self, name: str, at: int, how: str) -> Ways:
        if how == "+=":
            piece = _NAME.match(self.text, self.skipped(at))
            return self.fed if piece and "stdin" in self.text else None
        found, end = self.value(at)
        if found is None and re.search(
            rf"(?<![\w$.]){re.escape(name)}\b", self.text[at : max(end, at + 60)].split("\n")[0]
        ):
            return CONSTANT
        return found

    def passed(self, function: str, place: int) -> Ways:
        """What the calls of a function give it as an argument."""
        if function.endswith("("):
            return self.returned(function[:-1])
        if not function or len(self.names.bodies.get(function, ())) != 1:
            return None
        found = []
        self.spend()
        for call in re.finditer(rf"(?<![\w$.])(?<!function )(?<!def ){re.escape(function)}\(", self.text):
            at = call.end()
            for _ in range(place):
                _, at = self.value(at)
                at = self.skipped(at)
                if self.text[at : at + 1] != ",":
                    break
                at += 1
            else:
                found.append(self.value(at)[0])
                continue
            found.append(None)
        return either(found) if found else None

    def returned(self, function: str) -> Ways:
        """What a function gives back, also by a promise."""
        key = (f"{function}(", ANY)
        if len(self.names.bodies.get(function, ())) != 1 or key in self.open:
            return None
        start, end = self.names.body(function)
        self.open.add(key)
        found = [self.value(each.end())[0] for each in _GIVES.finditer(self.text, start, end)]
        self.open.discard(key)
        return either(found) if found else None

    def picked(self, function: str, at: int) -> Ways:
        """What a function gives back that takes the field by the name it is told: `data[name]`."""
        names = self.names.given_to.get(function, []) if len(self.names.bodies.get(function, ())) == 1 else []
        for place, name in enumerate(filter(None, names)):
            step = rf"(?<![\w$.])([A-Za-z_$][\w$]*)(?:\?\.)?\[\s*{re.escape(name)}\s*\]"
            taken = [*re.compile(step).finditer(self.text, *self.names.body(function))]
            if len({each[1] for each in taken}) == 1:
                for _ in range(place):
                    _, at = self.value(at)
                    at = self.skipped(at) + 1
                told = _TOLD.match(self.text, at)
                found = stepped(self.named(taken[0][1], taken[0].start()), told["name"]) if told else None
                if told and told["more"]:
                    otherwise, _ = self.value(told.end())
                    found = either((found, otherwise))
                return found
        return None

    def skipped(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def closed(self, at: int) -> int:
        at = self.skipped(at)
        if self.text[at : at + 1] == ",":  # a second argument
            at = self.text.find(")", at)
            at = at if at >= 0 else len(self.text)
        return at + 1 if self.text[at : at + 1] == ")" else at

    # -- what is read ------------------------------------------------------------------------------------------

    def all(self) -> Iterator[Read]:
        found: list[Read] = []
        names = dict.fromkeys((*self.names.bound, *self.names.taken, *self.names.handed))
        for name in names:
            if self.is_instead(name):
                continue
            if len(self.names.homes(name)) > 1:
                sites = (*self.names.bound.get(name, ()), *self.names.taken.get(name, ()))
                for span in dict.fromkeys(self.names.owner(name, at) for at, _ in sites):
                    found += reads(self.named(name, span + 1))
            elif name not in self.names.handed:
                found += reads(self.named(name))
        for name in names:
            if len(self.names.homes(name)) > 1 or self.named(name):
                found += self.used(rf"(?<![\w$.\"']){re.escape(name)}(?=\s{{0,9}}(?:\?|!|&)?[.\[])")
        found += self.used(r"\bJSON\.parse\(")
        for each in _ASKED.finditer(self.text):
            owner, key = each["of"] or each["owner"], each["name"] or each["key"]
            self.asked.update(stepped(self.named(owner, each.start()), key) or ())
        for each in _TESTED.finditer(self.text):
            if self.text.count(each["what"]) > 1:
                self.asked.update(self.value_of_use(each.start("what"))[0] or ())
        yield from (each for each in dict.fromkeys(found) if self.asked.isdisjoint(each.ways))

    def is_instead(self, name: str) -> bool:
        """Whether a name is given its value where another one has none: `if (!tool) { const other = d.other`."""
        sites = [at for at, _ in self.names.bound.get(name, ())]
        before = [self.text[max(0, at - 200) : self.text.rfind(name, 0, at)] for at in sites]
        return bool(before) and all(map(_INSTEAD.search, before))

    def spend(self) -> None:
        """A look through the whole text costs as much as many at one place."""
        self.left -= 1 + len(self.text) // 2000
        if self.left < 0:
            raise _TooManyError

    def used(self, what: str) -> Iterator[Read]:
        """The steps that are taken from a name, or from what is parsed, where nothing is kept of them."""
        self.spend()
        for use in re.finditer(what, self.text):
            before = self.text[max(0, use.start() - 60) : use.start()]
            if _BEFORE.search(before) or self.is_kept(before):
                continue
            found, end = self.value_of_use(use.start())
            if _BEFORE_CALL.search(before) or (_IN_CALL.search(before) and _OR_ELSE.match(self.text, end)):
                continue
            if _STORES.match(self.text, end):
                self.asked.update(found or ())  # what a script adds to its input it may read as well
            else:
                yield from reads(found)

    def is_kept(self, before: str) -> bool:
        """Whether what follows is put into a name, of which was told, or into which something else is put as well."""
        into = _INTO.search(before)
        name = into["name"] if into else None
        return into is not None and (
            name is None or len(self.names.bound.get(name, ())) != 1 or self.named(name) is not None
        )

    def value_of_use(self, at: int) -> tuple[Ways, int]:
        ways, at = self.one(at)
        found = [ways]
        while more := _OTHERWISE.match(self.text, at):
            ways, at = self.one(more.end())
            found.append(ways)
        return either(found), at
