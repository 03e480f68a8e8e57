"""JSON that is broken, as it was probably meant: for hints about the rest of a file, never for running it.

Quotes, words and comments are mended piece by piece; brackets that are lost or too many in the way that
changes least. Every value keeps its line, and its column where nothing was put in before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from hookline.model.record import Record, replace
from hookline.system.patterns.late import late

_BLANKS = late(r"(?:[\s\u00a0]|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)*", re.DOTALL)
_NUMBER = late(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_BARE = late(r"[^\s\"'“”‘’`{}\[\],:;=]+|[=:]>|.", re.DOTALL)
_UNQUOTED = late(
    r"[^\n,{}\[\]\"]*[^\n,{}\[\]\"\s;]"
)  # a text without quotes goes on to the end of its member
_CLOSED = late(r"\s*(?:[,:}\]]|$|\n)|\s*=>?\s*[\"'{\[]|\s*;\s*[\"'}]")
_IN_SHELL = late(
    r"'\s*[{\[][^']*\Z"
)  # JSON that a shell is given in its quotes: `echo '{"decision": "block"}'`
_AFTER_SHELL = late(r"'[^'\n]*\"\s*(?:[,}\]]|$)")
_NEXT_KEY = late(r"\s*[\"'][\w$.-]{1,40}[\"']\s*:")
_GOES_ON = late(r"\s*(?:[\"'][\w$.-]+[\"']\s*:|[\]}]|\Z)")
_OPEN_KEY = late(r"([\w$.-]+)(?=\s*:\s*(?:[\"'\[{\d]|true\b|false\b|null\b))")  # whose closing quote is lost
_HALF_KEY = late(r"([\w$.-]+)[\"'](?=\s*:)")  # whose opening one is
_HALF_TEXT = late(r"([^\n,{}\[\]\"':]+)\"(?=\s*[,}\]\n])")
_NEXT_BEFORE = late(r",[ \t]*\Z")
_REST_OF_KEY = late(r"[\w$.-]{1,40}\"\s*:")
_NAME = late(r"[\w$.@/-]+")
_WORDS = {
    "true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null",
    "undefined": "null", "nil": "null", "NaN": "null", "yes": "true", "no": "false",
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’"}
_CLOSES = {"{": "}", "[": "]"}
_MOST_QUOTES, _MOST_LOOKED, _MOST_TOKENS = 40, 1000, 8000  # within one text; letters ahead of a quote; in all
_OBJECT, _LIST = ("{", 0, frozenset[str]()), ("[", 0, frozenset[str]())
_MOST_COST, _MOST_WAYS, _DEEPEST, _LONGEST = 8.0, 24, 40, 1 << 16
_DEAR = 1.0  # what a lost `[` after a key may be the reason of, which is tried last
_ODD = 0.2  # a key that does not stand below the others of its object
_JUNK = 0.4  # a word too many; a bracket too many or too few costs 1


class Token(Record):
    """`kind`: one of `{}[],:`, `text`, or `word` where nothing says what it is; `said` is how JSON writes it."""

    kind: str
    start: int
    said: str
    quoted: bool = False
    before: str = ""  # the blanks
    column: int = 0  # of the first one in its line, else 0


class Way(Record):
    """One reading of what came so far: open brackets, each with the column of its keys and these; what comes next."""

    open: tuple[tuple[str, int, frozenset[str]], ...] = ()
    wants: str = "value"  # key, colon, value, comma
    cost: float = 0.0
    out: tuple | None = None  # type: ignore[type-arg]  # the last piece, and those before it
    lines: tuple[int, ...] = ()  # where a bracket or a word was put in or left out
    ended: tuple[int, ...] = ()  # how many pieces there were when a document was whole
    pieces: int = 0

    def with_piece(self, text: str, wants: str, cost: float = 0.0, line: int = 0) -> Way:
        lines = (*self.lines, line) if line else self.lines
        return replace(
            self,
            wants=wants,
            cost=self.cost + cost,
            out=(text, self.out),
            lines=lines,
            pieces=self.pieces + 1,
        )

    def texts(self) -> list[str]:
        found, at = [], self.out
        while at is not None:
            text, at = at
            found.append(text)
        return found[::-1]


def meant_json(text: str) -> tuple[tuple[str, ...], frozenset[int]]:
    """The documents of the text, each as it was probably meant, and the lines with a bracket or a word too many or few.

    None where that would be a guess.
    """
    if len(text) > _LONGEST:
        return (), frozenset()
    tokens = tuple(_tokens(text))
    way = _cheapest(tokens)
    if way is None or way.cost >= _DEAR:
        way = min(
            filter(None, (way, _cheapest(tokens, lists=True))), key=lambda each: each.cost, default=None
        )
    if way is None:
        return (), frozenset()
    pieces, documents, start = way.texts(), [], 0
    for end in way.ended:
        inside = "".join(pieces[start:end])
        around = (re.sub(r"[^\n]", " ", "".join(part)) for part in (pieces[:start], pieces[end:]))
        documents.append(inside.join(around))
        start = end
    return tuple(documents), frozenset(text.count("\n", 0, at) + 1 for at in way.lines)


# -- words and texts ----------------------------------------------------------------------------------


def _tokens(text: str) -> list[Token]:
    """The pieces of a text; none of one that has too many."""
    found: list[Token] = []
    at = 0
    while len(found) < _MOST_TOKENS:
        end = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # matches nothing too
        before = re.sub(r"[^\s]|\u00a0", " ", text[at:end])
        if end >= len(text):
            return found
        start = text.rfind("\n", 0, end) + 1
        column = end - start + 1 if not text[start:end].strip() else 0
        last = found[-1] if found else None
        token, at = _token(text, end, last, found[-2] if len(found) > 1 else None)
        found.append(replace(token, before=before, column=column))
    return []


def _token(text: str, at: int, last: Token | None, second: Token | None) -> tuple[Token, int]:
    first = text[at]
    if first in "{}[],":
        return Token(first, at, first), at + 1
    after_colon = last is not None and last.kind == ":"
    if first in _QUOTES:
        is_key = not after_colon and last is not None and last.kind in ("{", ",") and second is not None
        starts = not text[text.rfind("\n", 0, at) + 1 : at].strip()
        said, end = _text(text, at, after_colon and not starts, is_key or last is None or last.kind == "{")
        return Token("text", at, said + "\n" * text.count("\n", at, end), quoted=True), end
    if first in ":=;":
        end = at + (2 if text[at : at + 2] in ("=>", ":=") else 1)
        return (Token(",", at, ","), end) if first == ";" else (Token(":", at, ":"), end)
    half = (
        _HALF_TEXT.match(text, at) if after_colon else _HALF_KEY.match(text, at) or _HALF_TEXT.match(text, at)
    )
    if half:
        return Token("text", at, json.dumps(half[1], ensure_ascii=False), quoted=True), half.end()
    word = _BARE.match(text, at)[0]  # type: ignore[index]  # matches anything
    follows = text[_BLANKS.match(text, at + len(word)).end() :][:1]  # type: ignore[union-attr]
    if after_colon:
        whole = _UNQUOTED.match(text, at)
        given = whole[0] if whole else word
        if given in _WORDS or _NUMBER.fullmatch(given):
            return Token("text", at, _WORDS.get(given, given)), at + len(given)
        return Token("text", at, json.dumps(given, ensure_ascii=False)), at + len(given)
    if follows in (":", "=") and follows and _NAME.fullmatch(word):
        return Token("text", at, json.dumps(word)), at + len(word)
    plain = _WORDS.get(word, word) if word in _WORDS or _NUMBER.fullmatch(word) else ""
    return Token("text" if plain else "word", at, plain), at + len(word)


def _text(text: str, at: int, is_value: bool, is_key: bool) -> tuple[str, int]:
    """A text from its quote on, as JSON writes it, and where it ends: quotes in it and lost ones are mended."""
    quote, place, pieces, quotes = _QUOTES[text[at]], at + 1, [], 0
    if is_key and (open_key := _OPEN_KEY.match(text, at + 1)):
        return json.dumps(open_key[1]), open_key.end(1)
    while place < len(text):
        char = text[place]
        if char == "\\" and place + 1 < len(text):
            pair = text[place : place + 2]
            sound = pair[1] in '"\\/bfnrt' or re.match(r"\\u[0-9a-fA-F]{4}", text[place : place + 6])
            pieces.append(
                pair if sound else pair[1] if pair[1] in "'`" else "\\\\" + json.dumps(pair[1])[1:-1]
            )
            place += 2
        elif (
            char == quote
            and is_value
            and (cut := _NEXT_BEFORE.search(text, at + 1, place))
            and _REST_OF_KEY.match(text, place + 1)
        ):
            body = "".join(pieces)  # the quote opens the next key: this one's own is lost
            return f'"{body[: len(body) - len(cut[0])]}"', cut.start()
        elif char == quote and (
            is_key or quotes > _MOST_QUOTES or _ends_here(text, at, place, is_value, quote)
        ):
            return f'"{"".join(pieces)}"', place + 1
        elif char == "\n" and (end := _lost_quote(text, at, place)):
            kept = "".join(pieces)
            return f'"{kept[: len(kept) - (place - end)]}"', end
        else:
            quotes += char == quote
            pieces.append(json.dumps(char, ensure_ascii=False)[1:-1])
            place += 1
    body = "".join(pieces)
    return f'"{body}"', len(text)


def _ends_here(text: str, start: int, at: int, is_value: bool, quote: str) -> bool:
    """Whether a quote ends its text: what follows goes on with the file, or no later quote of the line does better."""
    line = text[at + 1 : at + _MOST_LOOKED].partition("\n")[0]
    if is_value and quote != "'" and _IN_SHELL.search(text, start, at) and _AFTER_SHELL.search(line):
        return False
    closed = _CLOSED.match(text, at + 1)
    if (closed and not (is_value and closed[0].strip()[:1] in (":", "="))) or _NEXT_KEY.match(text, at + 1):
        return True
    return not re.search(rf"{re.escape(quote)}\s*(?:[,}}\]]|$)", line)


def _lost_quote(text: str, start: int, at: int) -> int:
    """Where a text ends that is not closed in its line; 0 where it goes on in the next one."""
    line = text[start:at]
    tail = re.search(r"[\s,}\]]*$", line)
    end = start + (tail.start() if tail else len(line))
    ends = (tail and tail[0].strip()) or _GOES_ON.match(text, at)
    return max(end, start + 1) if ends else 0


# -- brackets -----------------------------------------------------------------------------------------


def _cheapest(tokens: tuple[Token, ...], *, lists: bool = False) -> Way | None:
    ways = [Way()]
    for place, token in enumerate(tokens):
        if lists and (token.kind == "{" or _begins_list(tokens[place : place + 4])):
            ways += [_in_list(way, token) for way in ways if way.wants == "value" and way.open]
        after = [
            each
            for way in ways
            for each in _taken(way, token)
            if each.cost <= _MOST_COST and len(each.open) <= _DEEPEST
        ]
        best: dict[tuple[object, ...], Way] = {}
        for each in sorted(after, key=lambda way: way.cost):
            best.setdefault((each.open, each.wants, len(each.ended)), each)
        ways = list(best.values())[:_MOST_WAYS]
        if not ways:
            return None
    done = [way for each in ways for way in _closed(each, len(each.open), tokens[-1].start if tokens else 0)]
    done = [way for way in done if way.ended and way.cost <= _MOST_COST]
    return min(done, key=lambda way: way.cost, default=None)


def _begins_list(tokens: Sequence[Token]) -> bool:
    """Whether these are texts, as only a list has them."""
    kinds = "".join(each.kind[0] for each in tokens)
    return kinds in ("t,t,", "t,t]")


def _in_list(way: Way, token: Token) -> Way:
    """Where an object begins a list whose bracket is lost."""
    return replace(way.with_piece(" [", "item", 0.9, token.start), open=(*way.open, _LIST))


def _taken(way: Way, token: Token) -> list[Way]:
    """The ways in which a token may go on."""
    kind, said, at = token.kind, token.before + token.said, token.start
    blank = token.before + " " * len(token.said)
    inside = way.open[-1][0] if way.open else ""
    if kind == "word" or (not way.open and kind not in "{["):
        if not token.quoted or way.ended:
            return [way.with_piece(blank, way.wants, _JUNK, at)]
        started = replace(
            way.with_piece("{", "key"), open=(("{", token.column, frozenset()),)
        )  # a key whose bracket is lost
        return [started.with_piece(said, "colon", 0.6, at), way.with_piece(blank, way.wants, 1.3, at)]
    if kind in "}]":
        return _closing(way, token, blank)
    if kind == ",":
        if way.wants != "comma" or not way.open:
            return [way.with_piece(blank, way.wants, 0.5, at)]
        return [way.with_piece(said, "key" if inside == "{" else "item")]
    if kind == ":":
        if way.wants == "colon":
            return [way.with_piece(said, "value")]
        ways = [way.with_piece(blank, way.wants, 1.0, at)]
        if (
            way.open and way.wants == "comma" and way.out and '"' in way.out[0]
        ):  # the `{` before a key is lost
            text, rest = way.out
            pushed = replace(way, out=(re.sub('"', '{"', text, count=1), rest), open=(*way.open, _OBJECT))
            ways.append(pushed.with_piece(said, "value", 1.2, at))
        return ways
    return [each for start in _indented(way, token) for each in _valued(start, token)]


def _indented(way: Way, token: Token) -> list[Way]:
    """The way; where a key stands below the keys of an object around, or an object where only a list has one, also the
    one that closes up to there."""
    if not way.open or way.wants not in ("comma", "key", "item"):
        return [way]
    for up in range(1, len(way.open)):
        kind, column, _ = way.open[-1 - up]
        below = token.kind == "text" and kind == "{" and 0 < column == token.column != way.open[-1][1]
        if below or (token.kind == "{" and kind == "[" and way.open[-1][0] == "{"):
            comma = 0.5 if way.wants != "comma" else 0.0  # which stood before what closes here
            return [way, *(replace(each, cost=each.cost - comma) for each in _closed(way, up, token.start))]
    return [way]


def _valued(way: Way, token: Token) -> list[Way]:
    """A text, a word or an opening bracket where the way stands."""
    inside, at = way.open[-1][0] if way.open else "", token.start
    extra, cost = "", 0.0
    wants = way.wants
    if wants == "comma":
        extra, cost, wants = ",", 0.5, "key" if inside == "{" else "item"
    elif wants == "colon":
        extra, cost, wants = ":", 0.5, "value"
    if wants == "key":
        if token.kind != "text":
            extra, cost = f'{extra}"":', cost + 3.0
        else:
            name = token.said if token.said.startswith('"') else f'"{token.said}"'
            _, column, keys = way.open[-1]
            odd = _ODD if token.column and column and token.column != column else 0.0
            twice = 1.0 if name in keys else 0.0
            inner = ("{", column or token.column, keys | {name})
            way = replace(way, cost=way.cost + odd + twice, open=(*way.open[:-1], inner))
            piece = f"{token.before}{extra}{name}"
            return [way.with_piece(piece, "colon", cost, at if cost else 0)]
    piece = f"{token.before}{extra}{token.said}"
    if token.kind == "text":
        return [way.with_piece(piece, "comma", cost, at if cost else 0)]
    started = way.with_piece(piece, "key" if token.kind == "{" else "item", cost, at if cost else 0)
    if not way.open and way.ended:
        started = replace(started, cost=started.cost + 1.0)  # a second document
    return [replace(started, open=(*way.open, (token.kind, 0, frozenset())))]


def _closing(way: Way, token: Token, blank: str) -> list[Way]:
    """A closing bracket: of what is open last, of something around it, or of nothing."""
    at = token.start
    ways = [way.with_piece(blank, way.wants, 1.0, at)]
    depth = next(
        (up for up, (kind, *_) in enumerate(reversed(way.open)) if _CLOSES[kind] == token.kind), None
    )
    if depth is None:
        return ways
    for whole in _closed(way, depth, at):
        ended = _without_comma(whole)
        shut = replace(ended.with_piece(token.before + token.said, "comma"), open=ended.open[:-1])
        if not shut.open:
            shut = replace(shut, ended=(*shut.ended, shut.pieces), wants="value")
        ways.append(shut)
    return ways


def _closed(way: Way, levels: int, at: int) -> list[Way]:
    """The way with so many brackets closed that nobody closed."""
    for _ in range(levels):
        way = _without_comma(way)
        piece = _CLOSES[way.open[-1][0]]
        way = replace(way.with_piece(piece, "comma", 1.0, at), open=way.open[:-1])
        if not way.open:
            way = replace(way, ended=(*way.ended, way.pieces), wants="value")
    return [way]


def _without_comma(way: Way) -> Way:
    """Ready for a closing bracket: no comma before it, and a value to each key."""
    if way.wants in ("key", "item"):
        blanks, at = [], way.out
        while at is not None and not at[0].strip():
            blanks.append(at[0])
            at = at[1]
        if at is not None and at[0].rstrip().endswith(","):
            at = (at[0].rstrip()[:-1] + " ", at[1])
            for each in reversed(blanks):
                at = (each, at)
            return replace(way, out=at)
        return way
    if way.wants == "colon":
        return way.with_piece(": null", "comma", 1.0)
    if way.wants == "value" and way.open:
        return way.with_piece(" null", "comma", 1.0)
    return way
