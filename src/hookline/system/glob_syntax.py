"""One glob as a Python regular expression, with the meaning picomatch gives it.

Known marks of that meaning: `a/**` also fits `a`; `**` inside a segment is one `*`; a leading dot needs a
leading dot in the pattern; `[!a]` does not negate while `[^a]` does; `{01..03}` stays text; a trailing
slash in the path is forgiven after `*` and `]`.
"""

from __future__ import annotations

import re

_ANY = r"[^/]"
_STAR = r"[^/]*?"
_SOMETHING = r"(?=[^\n\r\u2028\u2029])"
_CHAR = r"[^\n\r\u2028\u2029]"
_NO_DOT = r"(?!\.)"
_NO_DOTS = r"(?!(?:^|/)\.{1,2}(?:/|\Z))"
_NO_DOT_SEGMENT = r"(?!\.{0,1}(?:/|\Z))"
_NO_DOTS_SEGMENT = r"(?!\.{1,2}(?:/|\Z))"
_DOTS_SEGMENT = r"\.{1,2}(?:/|\Z)"

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
        quick = _known_form(pattern.removeprefix("./"), dot)
        if quick is not None:
            return rf"^(?:{quick}/?)\Z"
    walk = _Walk(pattern.removeprefix("./"), dot)
    source = walk.simple() if _SIMPLE.match(pattern) else walk.whole()
    fitted = rf"^(?:{source})\Z"
    return rf"^(?!{fitted}){_CHAR}*\Z" if walk.negated else fitted


def without_guards(source: str, dot: bool) -> str:
    """The same for a path of ordinary characters without hidden, empty, `.` and `..` parts, but quicker."""
    for guard in (_NO_DOTS, _NO_DOTS_SEGMENT) if dot else (_NO_DOT,):
        source = source.replace(guard, "")
    return source.replace(f"(?:{_globstar(dot)}/)?", "(?:.*/)?").replace(_globstar(dot), ".*?")


def _globstar(dot: bool) -> str:
    hidden = _DOTS_SEGMENT if dot else r"\."
    return rf"(?:(?!(?:^|/){hidden}){_CHAR})*?"


def _known_form(pattern: str, dot: bool) -> str | None:
    """Whole patterns with a meaning of their own, alone or before one last extension."""
    start, inner = (_NO_DOTS, _NO_DOTS_SEGMENT) if dot else (_NO_DOT, _NO_DOT)
    folders = rf"(?:{start}{_globstar(dot)}/)?"
    forms = {
        "*": f"{start}{_SOMETHING}{_STAR}",
        ".*": rf"\.{_SOMETHING}{_STAR}",
        "*.*": rf"{start}{_STAR}\.{_SOMETHING}{_STAR}",
        "*/*": rf"{start}{_STAR}/{_SOMETHING}{inner}{_STAR}",
        "**": start + _globstar(dot),
        "**/*": f"{folders}{inner}{_SOMETHING}{_STAR}",
        "**/*.*": rf"{folders}{inner}{_STAR}\.{_SOMETHING}{_STAR}",
        "**/.*": rf"{folders}\.{_SOMETHING}{_STAR}",
    }
    if pattern in forms:
        return forms[pattern]
    ending = re.fullmatch(r"(.*?)\.([A-Za-z0-9_]+)", pattern)
    before = _known_form(ending[1], dot) if ending else None
    return rf"{before}\.{ending[2]}" if ending and before is not None else None


class _Token:
    """A piece of the pattern and of the regular expression; later pieces may still change it."""

    __slots__ = ("out", "text", "type")

    def __init__(self, kind: str, text: str, out: str) -> None:
        self.type = kind
        self.text = text
        self.out = out


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
        self.tokens = [_Token("begin", "", "")]
        self.braces: list[dict[str, int]] = []
        self.extended: list[_Extended] = []
        self.parens = 0
        self.star = _STAR
        self.globstar = _globstar(dot)

    # Patterns without groups and slashes

    def simple(self) -> str:
        tokens = []
        for match in re.finditer(r"(?s)\\.?|\*+|\?+|[^\\*?]+", self.text):
            text = match[0]
            kind, out = "text", re.escape(text)
            if text[0] == "\\":
                out = re.escape(text[1:] or "\\")
            elif text[0] == "*":
                kind, out = "star", _STAR
            elif text[0] == "?":
                first = _ANY if self.dot or match.start() else r"[^./]"
                out = first + _ANY * (len(text) - 1)
            tokens.append(_Token(kind, text, out))
        return _joined(tokens)

    # Everything else

    def whole(self) -> str:
        while self.at < len(self.text):
            self._piece(self.text[self.at])
        if self.last.type in ("star", "bracket"):
            self._push("slash?", "", "/?")
        return _joined(self.tokens)

    @property
    def last(self) -> _Token:
        return self.tokens[-1]

    def _before(self, count: int) -> _Token:
        return self.tokens[-1 - count] if len(self.tokens) > count else _Token("none", "", "")

    def _push(self, kind: str, text: str, out: str) -> None:
        keeps = ("slash", "paren", "slash?", *(("comma", "brace") if self.braces else ()))
        if self.last.type == "globstar" and kind not in keeps:
            self.last.type, self.last.text, self.last.out = "star", "*", _STAR
        self.tokens.append(_Token(kind, text, out))

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
            self._take("brace", "}", _range(parts))
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
            self.tokens = [_Token("begin", "", "")]
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
            self._take("qmark", "?", _ANY)

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
            last.type, last.text, last.out = "star", "**", _STAR
            self.at += 1
        elif last.type == "star":
            self._second_star()
        else:
            self._first_star()

    def _first_star(self) -> None:
        guard = {
            "begin": _NO_DOTS_SEGMENT if self.dot else _NO_DOT,
            "slash": _NO_DOTS_SEGMENT if self.dot else _NO_DOT,
            "dot": _NO_DOT_SEGMENT,
        }.get(self.last.type)
        if guard is not None:
            # the guard belongs to what stands before: it stays when this star turns into `**`
            self.last.out += guard + ("" if self._rest(1)[:1] == "*" else _SOMETHING)
        self._take("star", "*", _STAR)

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
        something = "" if any(token.out for token in self.tokens) else _SOMETHING
        self.parens += 1
        self._push("extended", char, something)
        self._push("paren", "(", opening)
        self.at += 2

    def _close_extended(self, group: _Extended) -> None:
        inner = self.text[group.start : self.at]
        rest = self._rest(1)
        out = _EXTENDED[group.kind]
        if group.kind in "+*" and _explodes(inner):
            raise re.error("a repeated group whose parts overlap", self.text, group.start)
        if group.kind == "!":
            out = self._negation(inner, rest)
        self._push("paren", ")", out)
        self.at += 1

    def _negation(self, inner: str, rest: str) -> str:
        star = self.globstar if len(inner) > 1 and "/" in inner else _STAR
        out = f")){star})"
        if star != _STAR or not rest.strip(")"):
            out = rf")\Z)){star}"
        if "*" in inner and _SINGLE_EXTENSION.fullmatch(rest):
            out = f"){_Walk(rest, self.dot).whole()}){star})"
        return out


def _joined(tokens: list[_Token]) -> str:
    """The regular expression, where a star never tries again what the next star could take.

    In `*a*b*c` the first `a` is as good as any later one: without that, time grows with a power of the
    number of stars.
    """
    pieces: list[str] = []
    depth = star = 0
    for index, token in enumerate(tokens):
        pieces.append(token.out)
        depth += token.out.count("(?:") + token.out.count("|") + (token.out in ("(", ")"))
        if token.type == "star" and token.out == _STAR and not depth:
            if star and star < index:
                pieces[star] = "(?>" + pieces[star]
                pieces[index - 1] += ")"
            star = index
        elif token.type not in ("text", "dot", "qmark") or not token.out:
            star = 0
    return "".join(pieces)


def _explodes(inner: str) -> bool:
    """Whether a repeated group could fit the same text in many ways."""
    parts = inner.split("|")
    overlap = any(a.startswith(b) for i, a in enumerate(parts) for j, b in enumerate(parts) if i != j)
    return overlap or re.search(r"[*+?!@(\[{\\]", inner) is not None


def _range(parts: list[str]) -> str:
    first, last = sorted(parts) if len(parts) == 2 else ("", "")
    try:
        source = f"[{first}-{last}]"
        re.compile(source)
    except re.error:
        source = re.escape("..".join(parts))
    return source if len(parts) == 2 else re.escape("..".join(parts))


_HANDLERS = {
    "\\": _Walk._escaped, '"': _Walk._quoted, "(": _Walk._open_paren, ")": _Walk._close_paren,
    "[": _Walk._bracket, "{": _Walk._open_brace, "}": _Walk._close_brace, ",": _Walk._comma,
    "|": _Walk._pipe, "/": _Walk._slash, ".": _Walk._dot, "?": _Walk._question, "+": _Walk._plus,
    "!": _Walk._bang, "*": _Walk._star,
}  # fmt: skip
