"""What the variables of a script hold, put where its calls and strings name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookline.shell.code.script_expressions import CALLS, MOST_STEPS, STRING, Expressions
from hookline.shell.code.script_texts import rendered
from hookline.system.patterns.late import late

_NAME = r"\b[A-Za-z_]\w*+"
_LVALUE = rf"(?:(?:my|our|local|const|let|var|static)\s++)?[$@%]{{0,2}}(?P<name>{_NAME})"
_BOUND = late(
    rf"(?<![\w.:>$@%])(?<!->){_LVALUE}(?P<member>(?:(?:\.|->)\w++|\[[^\[\]\n]{{0,60}}\]|->?\{{\w++\}}|\{{\w++\}})?)\s*+"
    r"(?P<how>=(?![=>~])|\.=|\+=|<<(?![<'\"A-Z~-])|:=|\|\|=|\.\.=)\s*+",
    needs=("=", "<<"),
)
_DEFINED = late(
    rf"\b(?:define\s*+\(\s*+['\"](?P<name>{_NAME})['\"]\s*+,\s*+|\bconst\s++(?P<const>[A-Z]\w*+)\s*+=\s*+)",
    needs=("define", "const"),
)
# `const [a, b] = [...]`, `my ($a, $b) = (...)`, `a, b = ...`, `const {a, b: c} = {...}`
_SEVERAL = late(
    rf"(?:[\[({{]\s*+)?(?P<names>(?:,\s*+)*+(?:\.\.\.|[$*])?{_NAME}(?:\s*+:\s*+{_NAME})?+(?:(?:\s*+,)++\s*+(?:\.\.\.|[$*])?{_NAME}(?:\s*+:\s*+{_NAME})?+)*+)\s*+[\])}}]?\s*+=(?![=>~])\s*+",
    needs=("=",),
)
_ADDED = late(
    rf"(?P<name>{_NAME})\.(?:push|append|unshift|concat!?)\s*+\(\s*+"
    rf"|\b(?:push|unshift)\s*+\(?\s*+@(?P<perl>{_NAME})\s*+,\s*+"
    rf"|\b(?:table\.insert|array_push)\s*+\(\s*+[$]?(?P<call>{_NAME})\s*+,\s*+"
    rf"|[$](?P<php>{_NAME})\[\]\s*+=\s*+",
    needs=("push", "append", "unshift", "concat", "insert", "[]"),
)
_WORD = rf"[$@]?(?P<name>{_NAME})"
_LOOPS = [
    # `for (const x of E)`, `for my $x (E)`, `for x in E`, `for _, x in ipairs(E)`
    late(
        rf"\bfor(?:each)?\b\s*+\(?\s*+(?:(?:const|let|var|my)\s++)?(?:[$]?\w++\s*+,\s*+)?[$]?(?!(?:const|let|var|my|values|keys|sort|reverse)\b)(?P<name>{_NAME})"
        rf"\s*+(?:\b(?:of|in)\b)?\s*+(?:i?pairs\s*+\()?\s*+(?=[\[({{$@A-Za-z_%'\"])",
        needs=("for",),
    ),
    # `for ("a", "b") { … $_ … }`, `… $_ for ("a", "b")`
    late(r"\bfor(?:each)?\b(?P<name>)\s*+(?=[(@]|(?:values|keys|sort|reverse)\s)", needs=("for",)),
]
# `for (const [a, b] of E)`
_LOOPED_PAIRS = late(
    r"\bfor\s*+\(\s*+(?:const|let|var)\s++(?P<names>[\[{][^\]}]*+[\]}])\s++of\s++", needs=("for",)
)
_FOREACH = late(r"\bforeach\s*+\(\s*+(?=[\[$a])", needs=("foreach",))
_AS = late(rf"\s*+as\s++(?:[$]\w++\s*+=>\s*+)?[$](?P<name>{_NAME})")
_EACH = late(
    r"\.(?:forEach|map|each|each_value|flatMap|filter)\b\s*+"
    rf"(?:\(\s*+(?:async\s*+)?(?:function\s*+)?\(?|\{{\s*+\||do\s*+\|)\s*+(?P<names>[\[{{][^\]}}]*+[\]}}]|[$]?{_NAME}(?:\s*+,\s*+{_NAME})*+)",
    needs=("forEach", "map", "each", "flatMap", "filter"),
)
_PARAMETERS = r"\((?P<parameters>[^()]*+)\)"
_FUNCTIONS = [
    late(
        rf"\b(?:function|def|sub|fn|fun|func)\s++(?P<function>{_NAME}[!?]?)"
        rf"(?:\s*+{_PARAMETERS}|(?<!sub )[^\S\n]++(?P<piped>{_NAME}(?:,\s*+{_NAME})*+)(?=[^\S\n]*+[\n;]))?",
        needs=("function", "def", "sub", "fn", "fun"),
    ),
    late(
        rf"\bclass\s++(?P<function>{_NAME})[\s\S]{{0,400}}?"
        rf"\b(?:constructor|def\s++initialize|function\s++__construct)\s*+{_PARAMETERS}",
        needs=("class",),
    ),
    late(
        rf"(?P<function>{_NAME})\s*+=\s*+(?:async\s*+)?(?:(?:function|fn)\s*+\w*+\s*+)?{_PARAMETERS}\s*+(?:=>|\{{)",
        needs=("=",),
    ),
    late(rf"(?P<function>{_NAME})\s*+=\s*+(?:async\s++)?(?P<parameters>{_NAME})\s*+=>", needs=("=>",)),
    late(
        rf"(?P<function>{_NAME})\s*+=\s*+(?:->|lambda)\s*+(?:{_PARAMETERS}|\{{\s*+\|(?P<piped>[^|]*+)\|)",
        needs=("=",),
    ),
]
_OF_PERL = late(
    r"\bmy\s*+(?:\((?P<all>[^()]*+)\)\s*+=\s*+@_|[$](?P<one>\w++)\s*+=\s*+shift\b)", needs=("my",)
)
_COUNTS = late(r"\bfor\s*+\(?\s*+\Z")
_ENDS = late(
    r"[^\S\n]*+(?:[;,\n)\]}]|$|(?:if|unless|for|foreach|do|or|and|end|then|while|rescue|local|os)\b|\|\||&&)"
)
_AN_ITEM = STRING + r"|[$@%]{0,2}\b[A-Za-z_]\w*+|\[|\((?=\s*+['\"][^'\"\n]*+['\"]\s*+\)\s*+[:.])"
_ITEM, _LISTS = late(_AN_ITEM, re.DOTALL), late(_AN_ITEM + r"|\(", re.DOTALL)
_NO_VALUE = late(r"\s*+(?:=(?![=~])|:(?!:)|=>)|[!?]?\(")
MOST_VALUES = 300


def with_values(text: str) -> Iterator[str | None]:
    """The script with what its variables hold, once for each of several; None where that is too much to follow."""
    found = _collected(text)
    yield found.filled(text)
    several = {name for name, given in found.values.items() if len(given) > 1}
    turns = max([len(given) for given in found.values.values()], default=1)
    last = min(MOST_VALUES, max(turns, found.turns))
    named = _statements_naming(text, several) if found.turns == 1 < last else text
    for turn in range(1, last):
        found.turn = turn
        yield found.filled(named)
    if found.spent:
        yield None


def _statements_naming(text: str, names: Iterable[str]) -> str:
    """The statements that name one of these, and those beside them, as a call may take several lines."""
    statements = re.split(r"(?<=[;\n])", text)
    word = re.compile(rf"(?:\b(?:{'|'.join(names) or '(?!)'})\b|[$]_)")
    near = {at + by for at, each in enumerate(statements) if word.search(each) for by in (-2, -1, 0, 1, 2)}
    return "".join(each for at, each in enumerate(statements) if at in near)


def _collected(text: str) -> _Script:
    """Twice, as a function may stand before the calls that say what it is given."""
    first = _Script(text, {})
    first.collect()
    if not first.given:
        return first
    second = _Script(text, first.given)
    second.collect()
    return second


class _Script(Expressions):
    """The values of names, each of which may be one of several; `given` are those of parameters."""

    def __init__(self, text: str, given: dict[str, list[object]]) -> None:
        super().__init__(text)
        self.values = {name: [*each] for name, each in given.items()}
        self.given: dict[str, list[object]] = {}
        self._functions = self._parameters()

    def collect(self) -> None:
        steps = sorted(
            [
                *((each.start(), self._bound, each) for each in _BOUND.finditer(self.text)),
                *((each.start(), self._defined, each) for each in _DEFINED.finditer(self.text)),
                *(
                    (each.start(), self._several, each)
                    for each in _SEVERAL.finditer(self.text)
                    if each["names"]
                ),
                *((each.start(), self._added, each) for each in _ADDED.finditer(self.text)),
                *((each.start(), self._looped, each) for loop in _LOOPS for each in loop.finditer(self.text)),
                *((each.start(), self._looped, each) for each in _LOOPED_PAIRS.finditer(self.text)),
                *((each.start(), self._for_each, each) for each in _FOREACH.finditer(self.text)),
            ],
            key=lambda step: step[0],
        )
        eaches = [each.start() for each in _EACH.finditer(self.text)]
        for _, learn, found in steps:
            learn(found)
        if eaches:
            self._each_of(set(eaches))
        self._called()

    # -- what gets a value ----------------------------------------------------------------------------------------

    def _may_be(self, name: str, value: object) -> None:
        self._one_more(self.values.setdefault(name, []), value)

    def _one_more(self, known: list[object], value: object) -> None:
        if value is not None and value not in known:
            known.append(value)
        self._steps += MOST_STEPS * (len(known) > MOST_VALUES)

    def _whole(self, at: int) -> object:
        """The value of an expression that ends with its statement."""
        while (chained := _BOUND.match(self.text, at)) and chained["how"] == "=":
            at = chained.end()  # `a = b = "x"`
        value, end = self.expression(at)
        return value if value is not None and _ENDS.match(self.text, end) else None

    def _bound(self, found: re.Match[str]) -> None:
        value = self._whole(found.end())
        name, member, how = found["name"], found["member"], found["how"]
        if value is None or _COUNTS.search(self.text, max(0, found.start() - 12), found.start()):
            return
        if member:
            key = re.sub(r"^(?:\.|->)|[\[\]{}'\":]", "", member)
            if how.startswith(("=", ":")):
                self._may_be("." + key, value)
                for held in self.values.get(name, ()):
                    if isinstance(held, dict):
                        held[key] = value
                self.values[name] = [
                    {key: value} if each == [] else each for each in self.values.get(name, [])
                ]
            return
        if how in ("=", ":=", "||="):
            if found[0].lstrip("myourlct \t").startswith("@") and isinstance(value, str):
                value = [value]
            self._may_be(name, value)
        elif name in self.values:
            self.values[name] = [self.sum(each, value) for each in self.values[name]]
        else:
            self._may_be(name, value)

    def _defined(self, found: re.Match[str]) -> None:
        self._may_be(found["name"] or found["const"], self._whole(found.end()))

    def _several(self, found: re.Match[str]) -> None:
        value = self._whole(found.end())
        several = "," in found["names"]
        if isinstance(value, dict) or (isinstance(value, list) and (several or found[0][:1] in "[(")):
            self._each_named(found["names"], value)
        elif isinstance(value, str) and found[0][:1] == "(":
            self._may_be(found["names"].strip("$ "), value)
        elif several:  # `a, b = "x", "y"`
            self._each_named(found["names"], self.arguments(found.end()))

    def _each_named(self, names: str, value: object) -> None:
        """The names of `{a, b: c}` or `[a, ...b]` get the parts of a value."""
        for at, each in enumerate(names.strip("[]{}() \n").split(",")):
            key, _, name = (part.strip(" $\t\n") for part in each.partition(":"))
            if isinstance(value, dict):
                self._may_be(name or key, value.get(key))
            elif isinstance(value, list):
                rest = key.startswith((".", "*"))
                self._may_be(
                    key.lstrip(".*$"), value[at:] if rest else value[at] if at < len(value) else None
                )

    def _added(self, found: re.Match[str]) -> None:
        name = next(each for each in found.groups() if each)
        value, _ = self.expression(found.end())
        if value is None or name not in self.values:
            return
        more = value if isinstance(value, list) else [value]
        self.values[name] = [
            self.bounded([*each, *more]) if isinstance(each, list) else each for each in self.values[name]
        ]

    def _looped(self, found: re.Match[str]) -> None:
        value, end = self.expression(found.end())
        if re.compile(r"\s*+as\b").match(self.text, end) is None:
            self._elements(found.groupdict().get("names") or found["name"] or "_", value)

    def _for_each(self, found: re.Match[str]) -> None:
        value, end = self.expression(found.end())
        named = _AS.match(self.text, end)
        if named is not None:
            self._elements(named["name"], value)

    def _each_of(self, places: set[int]) -> None:
        """`[…].forEach(x => …)`, `[…].each do |x|`."""
        for found in _LISTS.finditer(self.text):
            value, end = self.expression(found.start())
            if value is not None and end in places:
                named = _EACH.match(self.text, end)
                if named is not None:
                    self._elements(named["names"], value)

    def _elements(self, names: str, value: object) -> None:
        """What a loop's variable may be, or its variables."""
        several = "," in names or names[0] in "[{"
        if isinstance(value, dict):
            for key, each in value.items():
                if several:
                    self._each_named(names, [key, each])
                else:  # which of them, goes by the loop
                    self._may_be(names, each)
                    self._may_be(names, key)
        for each in value if isinstance(value, list) else ():
            if several and isinstance(each, list | dict):
                self._each_named(names, each)
            else:
                self._may_be(names.partition(",")[0].lstrip("$"), each)

    def _parameters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in (each for pattern in _FUNCTIONS for each in pattern.finditer(self.text)):
            groups = each.groupdict()
            given = groups.get("parameters") or groups.get("piped") or ""
            names = [
                "*" * found[1].startswith((".", "*")) + found[2]
                for found in re.finditer(rf"([$@*&.]*)({_NAME})(?:\s*+=[^,]*+)?+", given)
            ]
            if not names and each[0].startswith("sub"):
                names = [
                    name
                    for my in _OF_PERL.finditer(self.text, each.end(), each.end() + 400)
                    for name in re.findall(r"\w+", my["all"] or my["one"])
                ]
            found[each["function"]] = names or ["_"]
        return found

    def _called(self) -> None:
        """What the parameters of functions are where these are called."""
        if not self._functions:
            return
        names = "|".join(map(re.escape, self._functions))
        calls = re.compile(
            rf"(?<!def )(?<!sub )(?<!function )(?<![\w@])(?P<name>{names})(?:\.new)?"
            r"(?:\s*+(?:\.call)?\(|[ .]\(?)\s*+(?!=)"
        )
        for found in calls.finditer(self.text):
            parameters = self._functions[found["name"]]
            values = self.arguments(found.end())
            if parameters[-1][0] == "*":
                values = [*values[: len(parameters) - 1], values[len(parameters) - 1 :]]
            if parameters == ["_"]:
                values = [values]
            for parameter, value in zip((each.lstrip("*") for each in parameters), values, strict=False):
                self._one_more(self.given.setdefault(parameter, []), value)

    # -- the script with values in it ------------------------------------------------------------------------------

    def filled(self, text: str) -> str:
        self.text = text
        parts: list[str] = []
        at = 0
        while True:
            found = _ITEM.search(text, at)
            if found is None:
                return "".join((*parts, text[at:]))
            parts.append(text[at : found.start()])
            made, at = self._filled_in(found)
            parts.append(made)

    def _filled_in(self, found: re.Match[str]) -> tuple[str, int]:
        """What stands there instead, and up to where."""
        start, first = found.start(), found[0][0]
        if first == "`":
            return self.in_place(found[0]), found.end()
        if self._is_no_value(found):
            return found[0], found.end()
        value, end = self.expression(start)
        if first == "$" and self.text[end : end + 1] == "(" and isinstance(value, str):
            return value, end  # `$f("x")`
        if _NO_VALUE.match(self.text, end) and self.text[end : end + 1] != "(":
            return found[0], found.end()  # a member that gets a value
        longer = end > found.end()
        if isinstance(value, str) and (longer or first not in "'\"["):
            return rendered(value), end
        if isinstance(value, list) and first not in "'\"[(" and end >= found.end():
            return rendered(value), end
        if first == '"':
            return self.in_place(found[0]), found.end()
        value, end = self.term(start) if first not in "'[(" else (None, 0)
        if isinstance(value, str | list) and self.text[end : end + 1] not in (".", "(", "[", "{", "-"):
            return rendered(value), end
        return found[0], found.end()

    def _is_no_value(self, found: re.Match[str]) -> bool:
        """Whether it is the name of a member, of a function, or of what gets a value."""
        first = found[0][0]
        if first in "'\"[(" or CALLS.match(self.text, found.start()):
            return False
        before = self.text[max(0, found.start() - 2) : found.start()]
        if first not in "$@" and before.endswith((".", "->", "::", "|")) and before != "..":
            return True
        called = first == "$" and self.text[found.end() : found.end() + 1] == "("
        return _NO_VALUE.match(self.text, found.end()) is not None and not called
