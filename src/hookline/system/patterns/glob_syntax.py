"""One glob as a Python regular expression, with the meaning picomatch gives it.

Known marks of that meaning: `a/**` also fits `a`; `**` inside a segment is one `*`; a leading dot needs a
leading dot in the pattern; `[!a]` does not negate while `[^a]` does; `{01..03}` stays text; a trailing
slash in the path is forgiven after `*` and `]`.
"""

from __future__ import annotations

import re

from hookline.system.patterns.glob_pieces import (
    ANY,
    CHAR,
    NO_DOT,
    NO_DOT_SEGMENT,
    NO_DOTS_SEGMENT,
    SOMETHING,
    STAR,
    Token,
    character_range,
    globstar,
    joined,
    known_form,
    overlaps,
)

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "ascii": r"\x00-\x7F", "blank": r" \t",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9", "graph": r"\x21-\x7E", "lower": "a-z", "print": r"\x20-\x7E ",
    "punct": r"\-!\"#$%&'()\*+,./:;<=>?@[\]^_`{|}~", "space": r" \t\r\n\v\f", "upper": "A-Z",
    "word": "A-Za-z0-9_", "xdigit": "A-Fa-f0-9",
}  # fmt: skip
_EXTENDED = {"!": "negate", "?": ")?", "+": ")+", "*": ")*", "@": ")"}
_SIMPLE = re.compile(r"(?s)(?:[^*!/()\[\]{}\"]|(?<!^)[*!])*\Z")
_TEXT = re.compile(r"[^@!\[\].,$*+?^{}()|\\/\"]+")
_SINGLE_EXTENSION = re.compile(r"\.[^\\/.]+")


def glob_regex(pattern: str, dot: bool) -> str:
    """The source of a regular expression for the whole path; re.error is possible when compiled."""
    if pattern[:1] in (".", "*"):
        quick = known_form(pattern.removeprefix("./"), dot)
        if quick is not None:
            return rf"^(?:{quick}/?)\Z"
    walk = _Walk(pattern.removeprefix("./"), dot)
    source = walk.simple() if _SIMPLE.match(pattern) else walk.whole()
    fitted = rf"^(?:{source})\Z"
    return rf"^(?!{fitted}){CHAR}*\Z" if walk.negated else fitted


class _Extended:
    """An open `!(`, `?(`, `+(`, `*(` or `@(`."""

    __slots__ = ("kind", "parens", "start")

    def __init__(self, kind: str, parens: int, start: int) -> None:
        self.kind = kind
        self.parens = parens
        self.start = start


class _Walk:
    def __init__(self, text: str, dot: bool) -> None:
        self.text = text
        self.dot = dot
        self.at = 0
        self.start = 0
        self.negated = False
        self.tokens = [Token("begin", "", "")]
        self.braces: list[dict[str, int]] = []
        self.extended: list[_Extended] = []
        self.parens = 0
        self.star = STAR
        self.globstar = globstar(dot)

    # Patterns without groups and slashes

    def simple(self) -> str:
        tokens = []
        for match in re.finditer(r"(?s)\\.?|\*+|\?+|[^\\*?]+", self.text):
            text = match[0]
            kind, out = "text", re.escape(text)
            if text[0] == "\\":
                out = re.escape(text[1:] or "\\")
            elif text[0] == "*":
                kind, out = "star", STAR
            elif text[0] == "?":
                first = ANY if self.dot or match.start() else r"[^./]"
                out = first + ANY * (len(text) - 1)
            tokens.append(Token(kind, text, out))
        return joined(tokens)

    # Everything else

    def whole(self) -> str:
        while self.at < len(self.text):
            self._piece(self.text[self.at])
        if self.last.type in ("star", "bracket"):
            self._push("slash?", "", "/?")
        return joined(self.tokens)

    @property
    def last(self) -> Token:
        return self.tokens[-1]

    def _before(self, count: int) -> Token:
        return self.tokens[-1 - count] if len(self.tokens) > count else Token("none", "", "")

    def _push(self, kind: str, text: str, out: str) -> None:
        keeps = ("slash", "paren", "slash?", *(("comma", "brace") if self.braces else ()))
        if self.last.type == "globstar" and kind not in keeps:
            self.last.type, self.last.text, self.last.out = "star", "*", STAR
        self.tokens.append(Token(kind, text, out))

    def _take(self, kind: str, text: str, out: str) -> None:
        self._push(kind, text, out)
        self.at += len(text)

    def _rest(self, count: int = 0) -> str:
        return self.text[self.at + count :]

    def _opens_extended(self) -> bool:
        return self._rest(1)[:1] == "(" and self._rest(2)[:1] != "?"

    def _piece(self, char: str) -> None:
        handler = _HANDLERS.get(char)
        if char in _EXTENDED and self._opens_extended():
            self._open_extended(char)
        elif handler is not None:
            handler(self)
        else:
            match = _TEXT.match(self.text, self.at)
            text = match[0] if match else char
            self._take("text", text, re.escape(text))

    def _escaped(self) -> None:
        following = self._rest(1)[:1]
        self._take("text", "\\" + following, re.escape(following or "\\"))

    def _quoted(self) -> None:
        end = self.text.find('"', self.at + 1)
        end = len(self.text) if end < 0 else end
        self._push("text", self.text[self.at : end + 1], re.escape(self.text[self.at + 1 : end]))
        self.at = end + 1

    def _open_paren(self) -> None:
        self.parens += 1
        self._take("paren", "(", "(")

    def _close_paren(self) -> None:
        if self.extended and self.parens == self.extended[-1].parens + 1:
            self._close_extended(self.extended.pop())
        else:
            self._take("paren", ")", ")" if self.parens else r"\)")
        self.parens = max(self.parens - 1, 0)

    def _bracket(self) -> None:
        end = self._bracket_end()
        if end < 0:
            self._take("text", "[", r"\[")
            return
        text = self.text[self.at : end + 1]
        inner = text[1:-1]
        named = re.sub(r"\[:([a-z]+):\]", lambda m: _CLASSES.get(m[1], m[0]), inner)
        inside = re.sub(r"\[", r"\\[", named) if named == inner else named
        inside = "\\" + inside if inside[:1] == "]" else inside
        if inner[:1] == "^" and "/" not in inner and named == inner:
            inside = f"^/{inside[1:]}"
        source = f"[{inside}]"
        if not re.search(r"[-*+?.^${}(|)\[\]]", inner):
            source = f"(?:{re.escape(text)}|{source})"
        self._take("bracket", text, source)

    def _bracket_end(self) -> int:
        at = self.at + 1
        at += self.text[at : at + 1] == "]"
        while at < len(self.text) and self.text[at] != "]":
            named = re.compile(r"\[:[a-z]+:\]").match(self.text, at)
            at = named.end() if named else at + 1 + (self.text[at] == "\\")
        return at if at < len(self.text) else -1

    def _open_brace(self) -> None:
        self.braces.append({"comma": 0, "dots": 0, "token": len(self.tokens)})
        self._take("brace", "{", "(")

    def _close_brace(self) -> None:
        if not self.braces:
            self._take("text", "}", r"\}")
            return
        brace = self.braces.pop()
        first = brace["token"]
        if brace["dots"]:
            parts = [token.text for token in self.tokens[first + 1 :] if token.type != "dots"]
            del self.tokens[first:]
            self._take("brace", "}", character_range(parts))
        elif brace["comma"]:
            self._take("brace", "}", ")")
        else:
            self.tokens[first].out = r"\{"
            self._take("brace", "}", r"\}")

    def _comma(self) -> None:
        inside = bool(self.braces) and not self._paren_is_inner()
        if inside:
            self.braces[-1]["comma"] = 1
        self._take("comma", ",", "|" if inside else ",")

    def _paren_is_inner(self) -> bool:
        depth = 0
        for token in self.tokens[self.braces[-1]["token"] :]:
            depth += (token.type == "paren") * ((token.text[-1:] == "(") - (token.text == ")"))
        return depth > 0

    def _pipe(self) -> None:
        self._take("text", "|", "|")

    def _slash(self) -> None:
        if self.last.type == "dot" and self.at == self.start + 1:
            self.start = self.at + 1
            self.at += 1
            self.tokens = [Token("begin", "", "")]
            return
        self._take("slash", "/", "/")

    def _dot(self) -> None:
        if self.braces and self.last.type == "dot":
            self.last.type, self.last.out, self.last.text = "dots", r"\.\.", ".."
            self.braces[-1]["dots"] = 1
            self.at += 1
        elif not self.braces and not self.parens and self.last.type not in ("begin", "slash"):
            self._take("text", ".", r"\.")
        else:
            self._take("dot", ".", r"\.")

    def _question(self) -> None:
        if self.last.type == "paren":
            opened = self.last.text == "(" and self._rest(1)[:1] not in tuple("!=<:")
            self._take("text", "?", r"\?" if opened else "?")
        elif not self.dot and self.last.type in ("slash", "begin"):
            self._take("qmark", "?", r"[^./]")
        else:
            self._take("qmark", "?", ANY)

    def _plus(self) -> None:
        repeats = self.last.type in ("bracket", "paren", "brace") or self.parens
        if repeats and self.last.out[-1:] in ("*", "+", "?"):
            raise re.error("a repeat of a repeat", self.text, self.at)
        self._take("plus", "+", "+" if repeats and self.last.text[-1:] != "(" else r"\+")

    def _bang(self) -> None:
        if self.at:
            self._take("text", "!", "!")
            return
        count = 1
        while self._rest(count)[:1] == "!" and self._rest(count + 1)[:1] != "(":
            count += 1
        self.at = self.start = count
        self.negated = count % 2 == 1

    # Stars

    def _star(self) -> None:
        last = self.last
        if last.type == "globstar" or last.text == "**":
            last.type, last.text, last.out = "star", "**", STAR
            self.at += 1
        elif last.type == "star":
            self._second_star()
        else:
            self._first_star()

    def _first_star(self) -> None:
        guard = {
            "begin": NO_DOTS_SEGMENT if self.dot else NO_DOT,
            "slash": NO_DOTS_SEGMENT if self.dot else NO_DOT,
            "dot": NO_DOT_SEGMENT,
        }.get(self.last.type)
        if guard is not None:
            # the guard belongs to what stands before: it stays when this star turns into `**`
            self.last.out += guard + ("" if self._rest(1)[:1] == "*" else SOMETHING)
        self._take("star", "*", STAR)

    def _second_star(self) -> None:
        prior, before = self._before(1), self._before(2)
        grouped = prior.type == "paren" or (prior.text == "|" and bool(self.extended))
        grouped |= prior.type in ("comma", "brace") and bool(self.braces)
        if prior.type not in ("slash", "begin") and not grouped:
            self.last.text = "*"
            self._take("star", "*", "")
            return
        self.at += 1
        while self._rest()[:3] == "/**" and self._rest(3)[:1] in ("", "/"):
            self.at += 3
        rest = self._rest()
        self.last.type, self.last.text, self.last.out = "globstar", "**", self.globstar
        below = prior.type == "slash" and before.type != "begin"
        if below and before.type not in ("star", "globstar") and not rest:
            prior.out, self.last.out = f"(?:{prior.out}", rf"{self.globstar}|\Z)"
        elif below and rest[:1] == "/":
            prior.out = f"(?:{prior.out}"
            end = r"|\Z" if rest[1:] else ""
            self.last.out = f"{self.globstar}/|/{end})"
            self._take("slash", "/", "")
        elif prior.type == "begin" and rest[:1] == "/":
            prior.out = ""
            self.last.out = f"(?:^|/|{self.globstar}/)"
            self._take("slash", "/", "")

    # Extended groups

    def _open_extended(self, char: str) -> None:
        self.extended.append(_Extended(char, self.parens, self.at + 2))
        opening = "(?:(?!(?:" if char == "!" else "(?:"
        something = "" if any(token.out for token in self.tokens) else SOMETHING
        self.parens += 1
        self._push("extended", char, something)
        self._push("paren", "(", opening)
        self.at += 2

    def _close_extended(self, group: _Extended) -> None:
        inner = self.text[group.start : self.at]
        rest = self._rest(1)
        out = _EXTENDED[group.kind]
        if group.kind in "+*" and overlaps(inner):
            raise re.error("a repeated group whose parts overlap", self.text, group.start)
        if group.kind == "!":
            out = self._negation(inner, rest)
        self._push("paren", ")", out)
        self.at += 1

    def _negation(self, inner: str, rest: str) -> str:
        star = self.globstar if len(inner) > 1 and "/" in inner else STAR
        out = f")){star})"
        if star != STAR or not rest.strip(")"):
            out = rf")\Z)){star}"
        if "*" in inner and _SINGLE_EXTENSION.fullmatch(rest):
            out = f"){_Walk(rest, self.dot).whole()}){star})"
        return out


_HANDLERS = {
    "\\": _Walk._escaped, '"': _Walk._quoted, "(": _Walk._open_paren, ")": _Walk._close_paren,
    "[": _Walk._bracket, "{": _Walk._open_brace, "}": _Walk._close_brace, ",": _Walk._comma,
    "|": _Walk._pipe, "/": _Walk._slash, ".": _Walk._dot, "?": _Walk._question, "+": _Walk._plus,
    "!": _Walk._bang, "*": _Walk._star,
}  # fmt: skip
