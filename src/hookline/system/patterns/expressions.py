"""Regular expressions from configuration files, answered in bounded time whatever the user wrote."""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.model.typing import Callable
from hookline.system.patterns.regex_cost import Cost, cost_of, parse

_Linear = Callable[[str, bool], bool]

MAX_PATTERN = 20_000
_QUICK = 5_000_000  # steps of the backtracking engine that take well under 0.1 s
_BEARABLE = 100_000_000

_UNSUPPORTED = {
    "(?>": "atomic groups are not supported",
    "\\p": "Unicode properties such as `\\p{L}` are not supported",
    "\\P": "Unicode properties such as `\\P{L}` are not supported",
}
_TOKEN = re.compile(
    r"\\u\{[0-9A-Fa-f]{1,6}\}|\\k<[^>]*>|\\.|\(\?<(?![=!])|\(\?>|\[\^?\]?|[*+?}]\+|.", re.DOTALL
)
_IN_CLASS = re.compile(r"\\u\{[0-9A-Fa-f]{1,6}\}|\\.|.", re.DOTALL)


class PatternError(ValueError):
    """A regular expression that cannot be used. `position` counts characters of the pattern from 0."""

    def __init__(self, text: str, position: int, reason: str) -> None:
        super().__init__(
            f"{reason} at position {position} of `{text if len(text) <= 80 else text[:79] + '…'}`"
        )
        self.position = position
        self.reason = reason


class Pattern:
    """A compiled regular expression that only answers yes or no.

    Time is linear in the value for every pattern without look-around and back-references. With those, a
    value too long for the pattern raises PatternError instead of hanging.
    """

    __slots__ = ("_cost", "_engine", "_linear", "_tree", "ignore_case", "text")

    def __init__(self, text: str, engine: re.Pattern[str], tree: object, cost: Cost) -> None:
        self.text = text
        self.ignore_case = bool(engine.flags & re.IGNORECASE)
        self._engine = engine
        self._tree = tree
        self._cost = cost
        self._linear: _Linear | None = None

    def search(self, value: str) -> bool:
        """Whether it fits anywhere in `value`."""
        if self._quick(value, self._cost.search_degree):
            return self._engine.search(value) is not None
        return self._slow(value, self._cost.search_degree, whole=False)

    def fullmatch(self, value: str) -> bool:
        """Whether it fits `value` from the first character to the last."""
        if self._quick(value, self._cost.degree):
            return self._engine.fullmatch(value) is not None
        return self._slow(value, self._cost.degree, whole=True)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r}{', ignore_case=True' if self.ignore_case else ''})"

    def _quick(self, value: str, degree: int) -> bool:
        return not self._cost.exponential and self._cost.steps(len(value), degree) <= _QUICK

    def _slow(self, value: str, degree: int, whole: bool) -> bool:
        if self._linear is None and self._cost.regular:
            self._linear = _linear(self._engine, self._tree, self._cost)
        if self._linear is not None:
            return self._linear(value, whole)
        if self._cost.steps(len(value), degree) > _BEARABLE:
            raise PatternError(self.text, 0, f"too slow for a value of {len(value)} characters")
        return (self._engine.fullmatch if whole else self._engine.search)(value) is not None


@lru_cache(512)
def compile_pattern(text: str, ignore_case: bool = False) -> Pattern:
    """`text` as a regular expression in the notation JavaScript, Go, Rust and Python share.

    `\\d`, `\\w` and `\\b` mean ASCII, `$` only the very end, `(?<name>...)` a named group. Raises
    PatternError (a ValueError) with position and reason: for bad syntax, and for look-around or
    back-references combined with repeats that could take exponential time.
    """
    if len(text) > MAX_PATTERN:
        raise PatternError(text, MAX_PATTERN, f"longer than {MAX_PATTERN} characters")
    source, origin = _python_source(text)
    flags = re.ASCII | (re.IGNORECASE if ignore_case else 0)
    try:
        engine = re.compile(source, flags)
        tree = parse(source, flags)
    except re.error as error:
        position = origin[min(error.pos or 0, len(origin) - 1)]
        raise PatternError(text, position, error.msg) from error
    except (RecursionError, OverflowError) as error:
        raise PatternError(text, 0, "nested or repeated too far") from error
    return _checked(Pattern(text, engine, tree, cost_of(tree)))


def _checked(pattern: Pattern) -> Pattern:
    """Refuse now what could only be answered slowly later."""
    cost = pattern._cost
    if not cost.exponential and (cost.regular or cost.search_degree <= 2):
        return pattern
    if not cost.regular:
        raise PatternError(pattern.text, 0, "look-around or back-references with repeats inside repeats")
    pattern._linear = _linear(pattern._engine, pattern._tree, cost)
    if pattern._linear is None:
        raise PatternError(pattern.text, 0, "counted repeats too large")
    return pattern


def _linear(engine: re.Pattern[str], tree: object, cost: Cost) -> _Linear | None:
    """An engine without backtracking: google-re2 where it is installed, else our own."""
    from hookline.system.patterns.automaton import Automaton, TooLarge  # few patterns need it

    try:
        automaton = Automaton(tree)
    except TooLarge:
        automaton = None
    fast = _re2(engine) if cost.portable else None
    if fast is None:
        return automaton.matches if automaton else None

    def matches(value: str, whole: bool) -> bool:
        try:
            return (fast.fullmatch if whole else fast.search)(value) is not None
        except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form
            if automaton is None:
                raise PatternError(engine.pattern, 0, "too slow for a value with lone surrogates") from None
            return automaton.matches(value, whole)

    return matches


def _re2(engine: re.Pattern[str]) -> re.Pattern[str] | None:
    source = engine.pattern.replace("\\Z", "\\z")
    if re.search(r"\\[suUN0-9]|\\S", source) or not source.isascii():
        return None  # these mean something else there
    try:
        import re2

        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not engine.flags & re.IGNORECASE
        compiled: re.Pattern[str] = re2.compile(source, options)
        return compiled
    except Exception:  # not installed, or its dialect lacks something: our own engine does it all
        return None


def _python_source(text: str) -> tuple[str, list[int]]:
    """`text` in Python's notation, and for each of its characters the position it came from."""
    pieces: list[str] = []
    origin: list[int] = []
    multiline = re.match(r"\(\?[a-z]*m[a-z]*\)", text) is not None
    at, in_class = 0, False
    while at < len(text):
        match = (_IN_CLASS if in_class else _TOKEN).match(text, at)
        assert match is not None  # the last alternative takes any character
        token = match[0]
        if in_class:
            piece = "\\[" if token == "[" else _escape(token)
            in_class = token != "]"
        else:
            piece = _translated(text, at, token, multiline)
            in_class = token[0] == "[" and piece[-1] != "]"
        pieces.append(piece)
        origin += [at] * len(piece)
        at = match.end()
    return "".join(pieces), [*origin, len(text)]


def _translated(text: str, at: int, token: str, multiline: bool) -> str:
    if token in _UNSUPPORTED:
        raise PatternError(text, at, _UNSUPPORTED[token])
    if len(token) == 2 and token[1] == "+" and token[0] in "*+?}":
        raise PatternError(text, at, "possessive repeats are not supported")
    if token == "$" and not multiline:
        return "\\Z"
    if token == "(?<":
        return "(?P<"
    if token[:2] == "\\k":
        return f"(?P={token[3:-1]})"
    if token[0] == "[":
        # JavaScript reads `[]` as nothing and `[^]` as anything
        return {"[]": "(?!)", "[^]": "[\\s\\S]"}.get(token, token)
    return _escape(token)


def _escape(token: str) -> str:
    if token[:3] == "\\u{":
        point = int(token[3:-1], 16)
        return re.escape(chr(point)) if point <= 0x10FFFF else token
    return "\\Z" if token == "\\z" else token
