"""What expressions of JavaScript, Perl, Ruby, PHP and Lua are worth, as far as that is known."""

from __future__ import annotations

import re

from hookline.shell.code.pieces import unescaped
from hookline.shell.code.script_texts import LONGEST_VALUE, formatted, joined, of_text
from hookline.system.patterns.late import late

MOST_STEPS, DEEPEST = 40_000, 30
_BLANK = late(r"\s*+(?:(?:values|keys|sort|reverse)\s++(?=[%@]))?")
_SYMBOL = late(r":(\w++)(?=\s*+[,)\]])")
STRING = r"'(?:[^'\\]|\\.)*+'|\"(?:#\{[^{}]*+\}|\{\$[^{}]*+\}|[^\"\\]|\\.)*+\"|`(?:[^`\\]|\\.)*+`"
_STRING = late(STRING, re.DOTALL)
_NAMED = late(r"(?:\.\.\.|[*&\\](?=[$@\w]))?(?:[$@%]{0,2}\b[A-Za-z_]\w*+|@\$\w++|\$\$\w++)")
_NUMBER = late(r"\d++(?![.\w])")
JAVASCRIPT = late(
    r"(?<!-)\b(?:require\s*\(|import\b|const\b|let\b|process\.|console\.)|\)\s*=>",
    needs=("require", "import", "const", "let", "process.", "console.", "=>"),
)
_LUA = late(
    r"\bos\.(?:execute|remove|rename)\b|\bio\.(?:open|popen|lines)\b|\blocal\b", needs=("os.", "io.", "local")
)
_JOINS = late(
    r"(?:require\(['\"](?:node:)?path['\"]\)|\bpath(?:\.posix)?|\bPath|\bFile|\bfilepath)\.(?:join|resolve|Join)\s*+\(",
    needs=("path", "Path", "File"),
)
CALLS = late(
    r"(?:\b(?P<format>s?printf|string\.format|format|util\.format)|\b(?P<join>join|implode)|\b(?P<concat>table\.concat)"
    r"|\b(?P<list>Object\.(?:values|keys|entries)|Array\.from|array_values|array_merge|array|String|scalar|strval)"
    r"|\bnew\s++(?P<map>Map|Set|String|Array))\s*+(?P<open>\(|(?=['\"]))",
    needs=("format", "printf", "join", "implode", "concat", "Object.", "rray", "String", "scalar",
        "strval", "Map", "Set"),
)  # fmt: skip
_MEMBER = late(r"(?:\?\.|\.|->|:)(?P<name>\w++[!?]?)")
_INDEX = late(r"(?:->)?(?P<open>[\[{])")
_AN_OPERATOR = late(
    r"\s*+(?P<what>\.\.(?!\.)|\?\?|\|\||//(?![/\w])|\bor\b|\?(?![.:])|\.(?!(?:forEach|map|each\w*|flatMap|filter)\b)(?![=.])|[+%](?![=+]))\s*+"
)
_ELEMENT = late(
    r"(?::(?P<symbol>\w++)|(?P<word>[A-Za-z_]\w*+)|['\"](?P<text>[^'\"\n]*+)['\"]|\[['\"](?P<of>[^'\"]*+)['\"]\])\s*+(?:=>|:(?!:)|=(?![=>~]))\s*+"
)
_COLON, _NEXT = late(r"\s*+:\s*+"), late(r"\s*+,\s*+")
_BARE = late(r"\s*+:?(\w++)\s*+[\]}]")
_ANY_MEMBER = late(
    r"(?:\.|->)(\w++)(?!\s*+\()|(?:->)?[\[{]['\"]?:?(\w++)['\"]?[\]}]", needs=(".", "->", "[", "{")
)
_COMMA = late(r"\s*+,?+\s*+")
_WITHIN = late(
    r"[$#]\{\s*+(?P<in>[^{}]{1,200}+)\}|\{(?=\$)(?P<php>[^{}]{1,200}+(?:\{[^{}]{0,80}+\})?+)\}|(?P<plain>[$@][A-Za-z_]\w*+(?:->)?(?:\[[\w$'\"]{1,40}+\]|\{[\w$'\"]{1,40}+\}|(?<=>)\w++)?)"
)
_LOOPING = ("forEach", "map", "each", "each_value", "flatMap", "filter", "each_pair")
_UNKNOWN = late(
    r"[$@%]{0,2}\b[A-Za-z_][\w.?]*+(?:\[['\"]?\w++['\"]?\]|\{\w++\}|\([^()]*+\))?(?=\s*+(?:\|\||//(?![/\w])|\?\?|or\b))",
    needs=("||", "//", "??", "or"),
)
_OPEN, _CLOSE = {"(": ")", "[": "]", "{": "}"}, (")", "]", "}")


class Expressions:
    """A reader of expressions that stand in a text. `turn` says which of several values a name has."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[str, list[object]] = {}
        self.turn = 0
        self.turns = 1
        self._steps = self._depth = 0
        self._javascript = JAVASCRIPT.search(text) is not None
        self._first = 1 if _LUA.search(text) and not self._javascript else 0

    @property
    def spent(self) -> bool:
        """Whether the text asked for more than anybody follows."""
        return self._steps > MOST_STEPS

    def bounded(self, values: list[object]) -> list[object]:
        """A list that the script makes; where it is very long, nobody follows it."""
        self._steps += MOST_STEPS * (len(values) > LONGEST_VALUE)
        return values[:LONGEST_VALUE]

    def expression(self, at: int) -> tuple[object, int]:
        """The value of the longest expression that begins there, None where it is not known, and its end."""
        value, end = self.term(at)
        chain = _UNKNOWN.match(self.text, at) if value is None else None
        end = chain.end() if chain is not None else end
        while True:
            found = _AN_OPERATOR.match(self.text, end)
            if found is None:
                return value, end
            what = found["what"]
            if what == "?" and self._depth < DEEPEST:
                other, after = self._choice(found.end())
            else:
                other, after = self.term(found.end())
            if what in ("||", "//", "??", "or", "?"):
                if value is None or what == "?":
                    value = other
                if other is None:
                    return None, end
            elif what == "%":
                value = formatted(value, other if isinstance(other, list) else [other])
            else:
                value = self.sum(value, other)
            if value is None:
                return None, end
            end = after

    def _choice(self, at: int) -> tuple[object, int]:
        """`… ? a : b`, once the one and once the other."""
        self._depth += 1
        left, end = self.expression(at)
        found = _COLON.match(self.text, end)
        right, end = self.expression(found.end()) if found is not None else (None, end)
        self._depth -= 1
        if found is None:
            return None, end
        return self._any([each for each in (left, right) if each is not None]), end

    def _any(self, values: list[object]) -> object:
        """One of them, each in a turn of its own."""
        self.turns = max(self.turns, len(values))
        return values[self.turn % len(values)] if values else None

    def term(self, at: int) -> tuple[object, int]:
        """One operand with all that is behind it: members, elements, methods."""
        at = _BLANK.match(self.text, at).end()  # type: ignore[union-attr]  # it matches nothing as well
        self._steps += 1
        if self.spent or self._depth > DEEPEST:
            return None, at
        self._depth += 1
        try:
            value, end = self._operand(at)
            return self._behind(value, end) if value is not None else (None, end)
        finally:
            self._depth -= 1

    def _operand(self, at: int) -> tuple[object, int]:
        text = self.text
        found = _JOINS.match(text, at)
        if found is not None:
            values, end = self._listed(found.end(), ")")
            known = (
                [each.rstrip("/") for each in values if isinstance(each, str)]
                if isinstance(values, list)
                else []
            )
            return (
                "/".join(known) if isinstance(values, list) and len(known) == len(values) > 0 else None
            ), end
        found = CALLS.match(text, at)
        if found is not None:
            return self._call(found)
        found = _STRING.match(text, at)
        if found is not None:
            if found[0][0] == "`" and not self._javascript:
                return None, found.end()
            return self._string(found[0]), found.end()
        found = _NUMBER.match(text, at) or _SYMBOL.match(text, at)
        if found is not None:
            return found[found.lastindex or 0], found.end()
        found = _NAMED.match(text, at)
        if found is not None:
            return self._name(found)
        if text[at : at + 1] in _OPEN:
            value, end = self._listed(at + 1, _OPEN[text[at]])
            if text[at] == "(" and isinstance(value, list) and len(value) == 1:
                return value[0], end
            return value, end
        return None, at

    def _name(self, found: re.Match[str]) -> tuple[object, int]:
        name = found[0].lstrip(".$@%*&\\")
        given = self.values.get(name)
        if given:
            return given[self.turn % len(given)], found.end()
        member = _ANY_MEMBER.match(self.text, found.end())
        if member is not None:
            of_any = self.values.get("." + (member[1] or member[2]))
            own = self.values.get(member[1] or "") if name in ("this", "self") else None
            if of_any or own:
                known = of_any or own or [None]
                return known[self.turn % len(known)], member.end()
        return None, found.end()

    def arguments(self, at: int) -> list[object]:
        """The values of arguments, or of a list, up to its end."""
        values: list[object] = []
        while len(values) < LONGEST_VALUE:
            value, end = self.expression(at)
            values.append(value)
            found = _NEXT.match(self.text, end)
            if found is None:
                break
            at = found.end()
        return values

    def _listed(self, at: int, close: str) -> tuple[object, int]:
        """What stands in brackets: a list, or a table where its elements have keys."""
        values: list[object] = []
        table: dict[str, object] = {}
        while True:
            at = _BLANK.match(self.text, at).end()  # type: ignore[union-attr]  # it matches nothing as well
            if self.text[at : at + 1] == close:
                return (table or values), at + 1
            key = _ELEMENT.match(self.text, at) if close != ")" or "=>" in self.text[at : at + 60] else None
            start = key.end() if key is not None else at
            spread = self.text[start : start + 3] == "..." or self.text[start : start + 1] in ("*", "@")
            value, at = self.expression(start + 3 * self.text.startswith("...[", start))
            if key is not None:
                table[next(each for each in key.groups() if each is not None)] = value
            elif spread and isinstance(value, list):
                values += value
            else:
                values.append(value)
            if value is None or len(values) > LONGEST_VALUE:
                at = self._past(start, close)
                if at < 0:
                    return None, start
            comma = _COMMA.match(self.text, at)
            after = comma.end() if comma is not None else at
            if after == at and self.text[at : at + 1] != close:
                return None, at
            at = after

    def _past(self, at: int, close: str) -> int:
        """The end of an element that nobody knows; -1 where there is none."""
        depth = 0
        while at < len(self.text):
            self._steps += 1
            found = _STRING.match(self.text, at)
            if found is not None:
                at = found.end()
                continue
            letter = self.text[at]
            if depth == 0 and (letter == close or letter == ","):
                return at
            depth += (letter in _OPEN) - (letter in _CLOSE)
            if depth < 0 or letter == ";" or self.spent:
                return -1
            at += 1
        return -1

    def _behind(self, value: object, end: int) -> tuple[object, int]:
        while True:
            member = _MEMBER.match(self.text, end)
            if (
                member is not None
                and (member[0][0] != ":" or self._first)
                and not (member[0][0] == "." and self._first and self.text[end + 1 : end + 2] == ".")
            ):
                if member["name"] in _LOOPING and isinstance(value, list | dict):
                    return value, end
                value, end = self._member(value, member)
            else:
                index = _INDEX.match(self.text, end)
                if index is None or not isinstance(value, list | dict):
                    return value, end
                key, after = self._listed(index.end(), _OPEN[index["open"]])
                if isinstance(key, dict) or not key:
                    bare = _BARE.match(self.text, index.end())
                    if bare is None:
                        return None, end
                    key, after = [bare[1]], bare.end()
                if isinstance(key, list) and key[0] is None:
                    bare = _BARE.match(self.text, index.end())
                    key = [bare[1]] if bare is not None else [None]
                value, end = (
                    self._element(value, key[0] if isinstance(key, list) else None, index["open"]),
                    after,
                )
            if value is None:
                return None, end

    def _element(self, value: object, key: object, opened: str = "") -> object:
        """One by its key; any of them where a variable is the key."""
        if isinstance(value, dict) and isinstance(key, str):
            return value[key] if key in value else self._any(list(value.values())) if opened == "[" else None
        if isinstance(value, list) and isinstance(key, str):
            at = int(key) - self._first if key.isdigit() else -1
            return value[at] if 0 <= at < len(value) else None if key.isdigit() else self._any(value)
        return None

    def _member(self, value: object, member: re.Match[str]) -> tuple[object, int]:
        name, end = member["name"], member.end()
        given: list[object] = []
        called = self.text[end : end + 1] == "("
        if called:
            listed, end = self._listed(end + 1, ")")
            given = listed if isinstance(listed, list) else []
        if isinstance(value, dict):
            if name in ("values", "entries", "to_a"):
                return list(value.values()), end
            key = given[0] if name in ("get", "fetch", "dig") and given else name
            return (value.get(key) if isinstance(key, str) else None), end
        if isinstance(value, list):
            return self._of_list(value, name, given), end
        if isinstance(value, str):
            return of_text(value, name, given), end
        return None, end

    def _of_list(self, value: list[object], name: str, given: list[object]) -> object:
        if name == "join":
            return joined(value, given[0] if given else "," if self._javascript else "")
        if name == "concat":
            more = [part for each in given for part in (each if isinstance(each, list) else [each])]
            return self.bounded([*value, *more])
        if name in ("first", "shift", "last", "pop") and value:
            return value[0 if name in ("first", "shift") else -1]
        if name in ("at", "fetch", "dig") and given:
            return self._element(value, given[0])
        if name in (
            "flat",
            "flatten",
            "slice",
            "to_a",
            "values",
            "reverse",
            "uniq",
            "freeze",
            "compact",
            "dup",
            "sort",
        ):
            return value[::-1] if name == "reverse" else value
        return None

    def _call(self, found: re.Match[str]) -> tuple[object, int]:
        if found["open"]:
            listed, end = self._listed(found.end(), ")")
            given = listed if isinstance(listed, list) else []
        else:
            given, end = self.arguments(found.end()), len(self.text)
            end = found.end() if None in given else self._after(found.end(), len(given))
        if not given:
            return None, end
        if found["format"]:
            return formatted(given[0], given[1:]), end
        if found["join"]:
            flat = [part for each in given[1:] for part in (each if isinstance(each, list) else [each])]
            return joined(flat, given[0]), end
        if found["concat"]:
            return (
                joined(given[0], given[1] if len(given) > 1 else "") if isinstance(given[0], list) else None
            ), end
        if found["map"] == "Map" and isinstance(given[0], list):
            pairs = [each for each in given[0] if isinstance(each, list) and len(each) == 2]
            return {str(key): value for key, value in pairs}, end
        first = given[0]
        if isinstance(first, dict):
            keyed: list[object] = [[key, value] for key, value in first.items()]
            known = {"Object.entries": keyed, "Object.keys": list(first)}
            return known.get(found["list"], list(first.values())), end
        if found["list"] == "array_merge":
            return [part for each in given for part in (each if isinstance(each, list) else [each])], end
        return (given if found["list"] == "array" else first), end

    def _after(self, at: int, number: int) -> int:
        """The end of so many arguments without brackets."""
        for _ in range(number):
            _, at = self.expression(_COMMA.match(self.text, at).end())  # type: ignore[union-attr]  # as above
        return at

    def sum(self, left: object, right: object) -> object:
        if isinstance(left, list) and right is not None:
            return self.bounded([*left, *(right if isinstance(right, list) else [right])])
        if not isinstance(left, str) or not isinstance(right, str) or len(left) + len(right) > LONGEST_VALUE:
            return None
        return left + right

    # -- strings --------------------------------------------------------------------------------------------------

    def _string(self, quoted: str) -> str:
        text = self.in_place(quoted) if quoted[0] != "'" else quoted
        return unescaped(text[1:-1])

    def in_place(self, quoted: str) -> str:
        """A string with the values that are known where it names them."""
        if "$" not in quoted and "#" not in quoted and "@" not in quoted:
            return quoted

        def value(found: re.Match[str]) -> str:
            inner = found["in"] or found["php"] or found["plain"]
            outer, self.text = self.text, inner + ("" if inner[0] in "$@" else " ")
            made, end = self.expression(0)
            whole = end >= len(inner)
            self.text = outer
            if isinstance(made, list):
                made = joined(made, " ")
            if not isinstance(made, str) or not whole or len(made) > LONGEST_VALUE or quoted[0] in made:
                return found[0]
            return made.replace("\\", "\\\\")

        return _WITHIN.sub(value, quoted)
