"""The statements of JavaScript, TypeScript and PowerShell, as `steps` goes through them: by their braces."""

from __future__ import annotations

import re

from hookline.checking.steps.step import NOTHING, Body, Look, Step
from hookline.checking.steps.steps import Steps
from hookline.checking.steps.templates import without_inner
from hookline.system.patterns.late import late

_QUOTED = {
    "js": late(
        r"//[^\n]*|/\*[^*]*+(?:\*++[^*/][^*]*+)*+(?:\*++/?)?"
        r"|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"?|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?|`[^`\\]*+(?:\\[\s\S][^`\\]*+)*+`?"
        r"|(?:(?:(?<=[=(,:;!&|?{}\[])|(?<=\breturn))\s*+|(?<=\n)[ \t]*+)"
        r"/(?=[^*/\\\n]|\\.)[^/\\\n\[]*+(?:(?>\\.|\[[^\]\\\n]*+(?:\\.[^\]\\\n]*+)*+\]?)[^/\\\n\[]*+)*+/?\w*"
    ),
    "ps1": late(
        r"<#[^#]*+(?:#++[^#>][^#]*+)*+(?:#++>?)?|#[^\n]*"
        r"|@\"\n[^\n]*+(?:(?>\n(?!\"@))[^\n]*+)*+(?:\n\"@)?|@'\n[^\n]*+(?:(?>\n(?!'@))[^\n]*+)*+(?:\n'@)?"
        r"|\"[^\"`]*+(?:(?>`[\s\S]|\"\")[^\"`]*+)*+\"?|'[^']*+(?:''[^']*+)*+'?"
    ),
}
_NAME = {
    "js": late(
        r"(?<![\w.$])(?!(?:await|async|new|typeof|const|let|var|true|false|null|undefined|return|in|of|instanceof|void)\b)"
        r"[A-Za-z_$][\w$]*"
    ),
    "ps1": late(r"\$(?:\w+:)?(\w+)"),
}
_FUNCTION = late(
    r"\bfunction\*?\s+([\w-]+)"
    r"|\b(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]{0,99})?\s*=\s*(?:async\s*)?"
    r"(?:function\b|\([^()\n]{0,300}\)[^=\n{]{0,99}=>|\w+\s*=>)"
    r"|(?m:^[ \t]*(?:async\s+)?(?!(?:if|for|while|switch|catch|function|return|else)\b)(\w+)\s*"
    r"\([^()\n]*\)(?:\s*:[^\n{;]*)?\s*\{[ \t]*$)",
    re.IGNORECASE,
)
_WORD = late(
    r"(?:else\s*if|elseif|if|else|for|foreach|while|switch|do|try|catch|finally|function\*?|class|return|throw|exit"
    r"|break|continue)\b",
    re.IGNORECASE,
)
_BEFORE = late(r"(?:(?:export|default|async|declare)\b\s*)+(?=function|class)|[\w$]+:(?=\s*(?:for|while)\b)")
_ARM = late(r"(?:case\b(?P<what>[^\n]*?)|default\s*):(?=\s|\{|$)", re.MULTILINE)
_EXIT = late(
    r"\b(?:process|Deno)\.exit\s*\(|\bprocess\.exitCode\s*=(?!=)|\[(?:System\.)?Environment\]::Exit\("
    r"|(?<![\w.$-])exit(?=[ \t(;\n}]|$)",
    re.IGNORECASE,
)
_SETS = {
    "js": late(
        r"(?<![\w.$])(\w+)(?:\.\w+|\[[^\[\]\n]*\])*\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--)"
        r"|(?<![\w.$])(\w+)(?:\.\w+)*\.(?:push|add|set|unshift|append)\(|(?:\+\+|--)(\w+)"
    ),
    "ps1": late(r"\$(?:script:|global:)?(\w+)(?:\.\w+)*\s*(?:[-+*/]?=|\+\+)|\$(\w+)\.(?:Add)\("),
}
_GOES_ON = late(r"(?:=>|[=(,&|?:+<>{\[]|\belse)\s*$")
_CARRIES_ON = late(r"\s*(?:[.?:&|+,)\]=]|=>)")
_GIVEN = late(r"(?<![\w.$])\$?(?:script:|global:)?(\w+)(?:\s*:[^=\n]{1,60})?\s*[-+*/|&?]{0,2}=(?![=>])")
_KEPT = late(r"(?:const|let|var)\b|[\w.$]+\s*=(?!=)")
_CHOOSES = late(r"&&|\|\||\?")
_CATCHES = late(r"\.catch\(")
_THEN = late(r"\.then\(")
_CAUGHT = late(r"\.catch\(\s*(?:async\s*)?(?:\([^()]*\)|\w*)\s*=>\s*$")
_SIGN = late(r"[(){}\[\];\n]")
_BRACKET = late(r"[()\[\]{}]")
_ENDS = late(r"[;\n}]")
_OPENS = late(r"\s*(?:await\s*)?\(")
_CHOICE = late(r"(?:else\s*if|elseif|if|else)\b", re.IGNORECASE)
_LETTERS = late(r"[\"'`/]((?:\\.|[^\"'`/\n\\]){2,}|[^\s\"'`/])[\"'`/]")


def steps_in_braces(text: str, kind: str) -> Steps:
    text = without_inner(text) if kind == "js" else text
    mask = without_texts(text, kind)
    functions = frozenset(next(filter(None, found.groups())) for found in _FUNCTION.finditer(mask))
    reader = _Reader(text, mask, kind, functions)
    return Steps(reader.block(), reader.given)


def without_texts(text: str, kind: str) -> str:
    """The code with blanks in the place of texts, patterns and comments."""
    return _QUOTED[kind].sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(mask: str) -> dict[int, int]:
    """For each bracket the one that closes it."""
    closes: dict[int, int] = {}
    opened: list[int] = []
    for found in _BRACKET.finditer(mask):
        if found[0] in "([{":
            opened.append(found.start())
        elif opened:
            closes[opened.pop()] = found.start()
    return closes


class _Reader:
    def __init__(self, text: str, mask: str, kind: str, functions: frozenset[str]) -> None:
        self.text, self.mask, self.kind, self.functions = text, mask, kind, functions
        self.given: dict[str, list[Look]] = {}
        self.at = 0
        self.closes = closing(mask)

    def block(self) -> Body:
        """The statements up to the brace that closes them, which is passed."""
        found: list[Step] = []
        while self.blank() < len(self.mask):
            if self.mask[self.at] == "}":
                self.at += 1
                break
            before = self.at
            found += self.statement()
            if self.at == before:
                self.at += 1
        return tuple(found)

    def blank(self) -> int:
        while self.at < len(self.mask) and self.mask[self.at] in " \t\r\n;,)":
            self.at += 1
        return self.at

    def statement(self) -> list[Step]:
        if before := _BEFORE.match(self.mask, self.at):
            self.at = before.end()
        start, word = self.at, _WORD.match(self.mask, self.at)
        name = re.sub(r"\s+", " ", word[0].lower().rstrip("*")) if word and self.kind_of(word) else ""
        if name in ("if", "else", "else if", "elseif"):
            return self.choice(start)
        if name in ("for", "foreach", "while"):
            self.at = word.end() if word else start
            look = self.parens()
            return (
                [Step(start, self.at, "loop", look=look, looks=(look,), bodies=(body,))]
                if (body := self.branch())
                else []
            )
        if name == "switch":
            self.at = word.end() if word else start
            return self.switch(start, self.parens())
        if name in ("try", "finally", "do"):
            self.at += len(name)
            body = self.branch()
            return [Step(start, self.at, "group", bodies=(body,))]
        if name == "catch":
            self.at += len(name)
            self.at = next((each for each in [self.mask.find("{", self.at)] if each >= 0), len(self.mask))
            body = self.branch()
            return [Step(start, self.at, "handler", bodies=(body,))]
        if name in ("function", "class"):
            opens = self.mask.find("{", self.opened_behind(self.at))
            called = re.match(r"\w+\*?\s+([\w-]+)", self.mask[self.at : self.at + 200])
            self.at = opens + 1 if opens >= 0 else len(self.mask)
            kind, body = "function" if name == "function" else "group", self.block()
            return [Step(start, self.at, kind, called[1] if called else "", bodies=(body,))]
        if self.mask[self.at] == "{":
            self.at += 1
            body = self.block()
            return [Step(start, self.at, "group", bodies=(body,))]
        return self.expression(start, name)

    def kind_of(self, word: re.Match[str]) -> bool:
        """Whether it is a word of the language, and no name of a member: `{ if: … }`, `catch(` of a promise."""
        return not re.match(r"\s*[:=](?!=)", self.mask[word.end() : word.end() + 5]) or word[0] == "default"

    def opened_behind(self, at: int) -> int:
        """Behind the brackets of a function's arguments."""
        opens, brace = self.mask.find("(", at), self.mask.find("{", at)
        if opens < 0 or (0 <= brace < opens):
            return at
        return self.closes.get(opens, len(self.mask))

    def parens(self) -> Look:
        opens = _OPENS.match(self.mask, self.at)
        if opens is None:
            return Look()
        end = self.closes.get(opens.end() - 1, len(self.mask))
        look = self.look(opens.end(), end)
        self.at = end + 1
        return look

    def branch(self) -> Body:
        """What a condition or a loop is about: a block, or one statement."""
        if self.blank() < len(self.mask) and self.mask[self.at] == "{":
            self.at += 1
            return self.block()
        return tuple(self.statement()) if self.at < len(self.mask) else ()

    def choice(self, start: int) -> list[Step]:
        looks: list[Look] = []
        bodies: list[Body] = []
        calls, whole = NOTHING, False
        while word := re.compile(r"(?:else\s*if|elseif|if|else)\b", re.IGNORECASE).match(self.mask, self.at):
            if looks and not word[0].lower().startswith("else"):
                break
            self.at = word.end()
            whole = word[0].lower() == "else"
            looks.append(
                self.parens()
                if not whole
                else Look(
                    " ", NOTHING.union(*(e.names for e in looks)), NOTHING.union(*(e.letters for e in looks))
                )
            )
            calls |= self.called(looks[-1].text)
            bodies.append(self.branch())
            end = self.at
            self.blank()
            if whole:
                break
        self.at = end
        return [Step(start, end, "if", looks=tuple(looks), bodies=tuple(bodies), whole=whole, calls=calls)]

    def switch(self, start: int, look: Look) -> list[Step]:
        self.blank()
        if self.at >= len(self.mask) or self.mask[self.at] != "{":
            return []
        end = self.closes.get(self.at, len(self.mask)) + 1
        self.at += 1
        looks: list[Look] = []
        bodies: list[list[Step]] = []
        if self.kind == "ps1":
            while self.at < end - 1:
                opens = self.mask.find("{", self.at, end - 1)
                if opens < 0:
                    break
                own = self.look(self.at, opens)
                self.at = opens + 1
                looks.append(Look(own.text, own.names | look.names, own.letters))
                bodies.append(list(self.block()))
        while self.kind == "js" and self.blank() < end - 1:
            if arm := _ARM.match(self.mask, self.at):
                told = self.look(self.at, arm.end())
                if bodies and not bodies[-1]:  # which both lead to what follows
                    above = looks.pop()
                    told = Look(f"{above.text} {told.text}", look.names, above.letters | told.letters)
                    bodies.pop()
                looks.append(Look(told.text, look.names, told.letters))
                bodies.append([])
                self.at = arm.end()
            elif bodies:
                before = self.at
                bodies[-1] += self.statement()
                self.at += self.at == before
            else:
                self.at += 1
        self.at = end
        kept = [(one, tuple(two)) for one, two in zip(looks, bodies, strict=True) if two]
        return [
            Step(
                start,
                end,
                "if",
                look=look,
                looks=tuple(one for one, _ in kept),
                bodies=tuple(two for _, two in kept),
            )
        ]

    def expression(self, start: int, name: str) -> list[Step]:
        """A statement to its end, with the blocks in it: functions that it defines, or hands on."""
        depth, inner, mask = 0, list[Step](), self.mask
        for found in iter(lambda: _SIGN.search(mask, self.at), None):
            self.at, sign = found.start(), found[0]
            if sign == "{":
                inner += self.inside(start, depth == 0 and not inner)
                continue
            goes_on = depth > 0 or _GOES_ON.search(mask, max(start, self.at - 20), self.at)
            if sign == "}" or (sign in ")]" and depth == 0) or (sign == ";" and depth == 0):
                break
            if sign == "\n" and not (goes_on or _CARRIES_ON.match(mask, self.at)):
                break
            depth += (sign in "([") - (sign in ")]")
            self.at += 1
        else:
            self.at = len(mask)
        return self.told(start, self.at, name, inner)

    def inside(self, start: int, first: bool) -> list[Step]:
        """A block within a statement."""
        opened = self.at
        self.at += 1
        body = self.block()
        named = _FUNCTION.match(self.mask, start) if first else None
        if named:
            return [Step(opened, self.at, "function", next(filter(None, named.groups())), bodies=(body,))]
        caught = _CAUGHT.search(self.mask, max(start, opened - 100), opened)
        return [Step(opened, self.at, "handler" if caught else "group", bodies=(body,))] if body else []

    def told(self, start: int, end: int, name: str, inner: list[Step]) -> list[Step]:
        """What a statement does outside of its blocks."""
        edges = [start, *(place for each in inner for place in (each.start, each.end)), end]
        pieces = [(one, two) for one, two in zip(edges[::2], edges[1::2], strict=True) if one < two]
        sets: set[str] = set()
        for one, two in pieces:
            sets.update(
                next(filter(None, each.groups())) for each in _SETS[self.kind].finditer(self.mask, one, two)
            )
            for each in _GIVEN.finditer(self.mask, one, two):
                self.given.setdefault(each[1], []).append(self.look(each.end(), two))
        calls = self.called(" ".join(self.mask[one:two] for one, two in pieces))
        calls -= {each.what for each in inner}
        for one, two in pieces:
            found = _EXIT.search(self.mask, one, two)
            if found and not _CATCHES.search(self.mask, one, found.start()):
                return [*self.exit(start, one, end, found, calls), *inner]
        if name in ("return", "throw", "break", "continue"):
            kind = {"return": "return", "throw": "exit"}.get(name, "out")
            look = Look("throw") if name == "throw" else self.look(start + len(name), end)
            return [*inner, Step(inner[-1].end if inner else start, end, kind, look=look, calls=calls)]
        bare = not _KEPT.match(self.mask, start, end)
        last = inner[0].start if inner else end
        return [Step(start, last, sets=frozenset(sets), calls=calls, bare=bare), *inner]

    def exit(
        self, start: int, piece: int, end: int, found: re.Match[str], calls: frozenset[str]
    ) -> list[Step]:
        """An end of the script, by itself or behind `&&` and the like."""
        if found[0].endswith("("):
            code = self.look(found.end(), self.closes.get(found.end() - 1, end))
        else:
            ends = _ENDS.search(self.mask, found.end())
            code = self.look(found.end(), ends.start() if ends else end)
        if code.names and _THEN.search(self.mask, piece, found.start()):
            code = self.look(piece, found.start())  # what a promise came to
        own = self.called(code.text)
        step = Step(start, end, "code" if "=" in found[0] else "exit", look=code, calls=own)
        if _CHOOSES.search(self.mask, piece, found.start()):
            look = self.look(piece, found.start())
            return [Step(start, end, "if", looks=(look,), bodies=((step,),), calls=calls - own)]
        return [*([Step(start, start, calls=calls - own)] if calls - own else []), step]

    def called(self, text: str) -> frozenset[str]:
        return frozenset(re.findall(r"[A-Za-z_][\w-]*", text)) & self.functions if self.functions else NOTHING

    def names(self, mask: str) -> frozenset[str]:
        return frozenset(_NAME[self.kind].findall(mask))

    def look(self, start: int, end: int) -> Look:
        text = self.text[start:end].strip(" ;\n")
        return Look(text, self.names(self.mask[start:end]), frozenset(_LETTERS.findall(self.text[start:end])))
