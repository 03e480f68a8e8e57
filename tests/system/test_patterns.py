"""Matchers answer in bounded time and mean what their author's language means."""

from __future__ import annotations

import re
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.system.patterns import expressions as patterns
from hookline.system.patterns import fits, pattern_fault
from hookline.system.patterns.automaton import Automaton, TooLarge
from hookline.system.patterns.expressions import PatternError, compile_pattern
from hookline.system.patterns.regex_cost import cost_of, parse


@pytest.fixture(params=["re2", "own"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every answer must be the same whether google-re2 is installed or not."""
    if request.param == "own":
        monkeypatch.setitem(sys.modules, "re2", None)
    else:
        pytest.importorskip("re2")
    compile_pattern.cache_clear()
    return str(request.param)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(a+)+$", "a" * 10_000 + "b"),
        ("(a|a)*!$", "a" * 10_000 + "b"),
        ("(a|aa)+c", "a" * 10_000),
        ("(.*)*x", "y" * 10_000),
        ("(a?){40}a{40}b", "a" * 10_000),
        ("(x+x+)+y", "x" * 10_000),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 10_000),
        (".*.*.*.*=.*x", "y" * 10_000),
        ("(\\w+\\s?)*!", "word " * 2_000),
        ("a+b", "a" * 10_000),
    ],
)
def test_no_pattern_takes_long(text: str, value: str) -> None:
    """A backtracking engine needs minutes or millennia for these."""
    started = time.process_time()
    pattern = compile_pattern(text)
    assert pattern.search(value) is False
    assert pattern.fullmatch(value) is False
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("text", "value", "found", "whole"),
    [
        ("Write|Edit", "Edit", True, True),
        ("Write|Edit", "MultiEdit", True, False),
        ("Bash.*", "BashOutput", True, True),
        ("mcp__github__.*", "mcp__github__issue", True, True),
        ("", "", True, True),
        ("^a$", "a\n", False, False),
        ("(?m)^a$", "b\na\n", True, False),
        ("(?<tool>Bash)", "Bash", True, True),
        ("\\d", "٣", False, False),
        ("\\w", "é", False, False),
        ("a[^]b", "a\nb", True, True),
        ("a[]|b", "b", True, True),
        ("[[]", "[", True, True),
        ("\\u{1F389}\\u0041", "🎉A", True, True),
        ("a\\/b", "a/b", True, True),
        ("(?!TodoWrite).*Write", "TodoWrite", True, False),
        ("^(?!TodoWrite).*Write", "TodoWrite", False, False),
        ("(a|b)\\1", "abb", True, False),
        ("(?<x>a)\\k<x>", "aa", True, True),
        ("\\brm\\b", "sudo rm -rf", True, False),
        ("(\\brm\\b ?)+$", "x rm rm", True, False),
        ("(a+)+\\z", "a", True, True),
        ("(?i)bash", "BASH", True, True),
        ("(?i:(b+)+)", "BB", True, True),
    ],
)
def test_the_notation_of_the_agents_is_understood(text: str, value: str, found: bool, whole: bool) -> None:
    pattern = compile_pattern(text)
    assert (pattern.search(value), pattern.fullmatch(value)) == (found, whole)


def test_letter_case_counts_unless_asked_otherwise() -> None:
    for text in ("bash", "(b|ba)+sh+", "[a-c]+sh"):
        assert not compile_pattern(text).fullmatch("BASH")
        assert compile_pattern(text, True).fullmatch("BASH")


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("[invalid", 0, "unterminated character set"),
        ("(?<n>a)(", 7, "missing ), unterminated subpattern"),
        ("a**", 2, "multiple repeat"),
        ("a*+", 1, "possessive repeats are not supported"),
        ("x(?>a)", 1, "atomic groups are not supported"),
        ("x\\p{L}", 1, "Unicode properties"),
        ("(?=x)(a+)+", 0, "look-around or back-references with repeats inside repeats"),
        ("(a*)*\\1", 0, "look-around or back-references with repeats inside repeats"),
        ("(aa|b){3000}c", 0, "counted repeats too large"),
        ("(" * 5000 + ")" * 5000, 0, "nested or repeated too far"),
        ("a{99999999999999999999}", 0, "nested or repeated too far"),
        ("a" * 30_000, 20_000, "longer than 20000 characters"),
    ],
)
def test_a_pattern_that_cannot_be_used_says_where_and_why(text: str, position: int, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(text)
    assert caught.value.position == position
    assert reason in caught.value.reason
    assert isinstance(caught.value, ValueError)


def test_look_around_with_a_value_far_too_long_is_refused_not_hung() -> None:
    pattern = compile_pattern("(?=.*a).*b")
    assert pattern.search("xxab")
    with pytest.raises(PatternError, match="too slow"):
        pattern.search("y" * 100_000)


def test_lone_surrogates_and_nuls_are_ordinary_characters() -> None:
    assert compile_pattern("(.+)+x").fullmatch("\ud800\0x")


def test_a_pattern_is_compiled_once() -> None:
    assert compile_pattern("Write|Edit") is compile_pattern("Write|Edit")


ATOMS = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "\\d", "\\W", "A", "\\B", "[^\\d_]", "$"]
)
REGEXES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "{0,}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(text=REGEXES, value=st.text("abA_1 \n", min_size=1, max_size=7), ignore_case=st.booleans())
def test_both_engines_agree_with_the_standard_library(text: str, value: str, ignore_case: bool) -> None:
    source = text.replace("$", "\\Z")
    flags = re.ASCII | (re.IGNORECASE if ignore_case else 0)
    engine = re.compile(source, flags)
    tree = parse(source, flags)
    expected = (engine.search(value) is not None, engine.fullmatch(value) is not None)
    try:
        automaton = Automaton(tree)
    except TooLarge:
        return
    assert (automaton.matches(value, False), automaton.matches(value, True)) == expected
    other = patterns._linear(engine, tree, cost_of(tree))
    assert other is not None
    assert (other(value, False), other(value, True)) == expected


@given(
    st.lists(st.sampled_from(["Bash", "mcp__a-b__x", "", ".*", "B", "h.*", ".", "a.*b", "1"]), max_size=4),
    st.text("Bashmcp_-x1b\n", max_size=12) | st.sampled_from(["Bash", "mcp__a-b__x", "h\nB", "B.*"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pattern_of_words_says_the_same_as_the_library(pieces: list[str], value: str) -> None:
    for text in ("|".join(pieces), "".join(pieces)):
        assert pattern_fault(text) == ""
        assert fits(text, value) == (re.search(text, value) is not None)
        assert fits(text, value, whole=True) == (re.fullmatch(text, value) is not None)


@pytest.mark.parametrize("text", ["(", "[a", "*", "a|*", "(?<=a", "x" * 20_001])
def test_what_is_no_pattern_has_its_fault_told(text: str) -> None:
    assert pattern_fault(text) != ""
    with pytest.raises(PatternError):
        fits(text, "a")
