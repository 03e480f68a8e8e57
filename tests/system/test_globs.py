"""File patterns mean what picomatch says they mean."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.system.patterns.globs import compile_glob, glob_problem, match_workspace_glob

TABLE = json.loads((Path(__file__).parents[1] / "data" / "picomatch.json").read_text(encoding="utf-8"))
MODES = {"default": {}, "dot": {"dot": True}, "basename": {"basename": True}}


@pytest.mark.parametrize("mode", MODES)
def test_every_answer_is_picomatchs(mode: str) -> None:
    """110 patterns on 99 paths, no disagreement."""
    wrong = []
    for pattern, row in zip(TABLE["patterns"], TABLE["modes"][mode], strict=True):
        glob = compile_glob(pattern, **MODES[mode])
        wrong += [
            (pattern, p) for p, fits in zip(TABLE["paths"], row, strict=True) if glob.matches(p) != bool(fits)
        ]
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.go", "internal/server/handler.go", True),
        ("*.go", "main.go", True),
        ("*.go", "main.go.orig", False),
        ("*.go", "pkg/.hidden.go", False),
        (".*", "pkg/.env", True),
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("src/**/*.ts", "lib/src/a.ts", False),
        ("*.{ts,tsx}", "web/app.tsx", True),
        ("{package.json,pnpm*.yaml}", "ui/pnpm-lock.yaml", True),
        ("[ab]?.c", "x/a1.c", True),
        ("**/go.mod", "go.mod", True),
        ("**/go.mod", "a/b/go.mod", True),
        ("/go.mod", "go.mod", False),
    ],
)
def test_a_pattern_without_a_slash_looks_at_the_base_name(pattern: str, path: str, fits: bool) -> None:
    assert match_workspace_glob(pattern).matches(path) is fits


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "the pattern is empty"),
        ("[", "`[` is never closed by `]`"),
        ("src/{a,b", "`{` is never closed by `}`"),
        ("*(", "`(` is never closed by `)`"),
        ("[z-a].js", "the pattern is malformed"),
        ("+(a|aa)", "the pattern is malformed"),
        ("a\0b", "the pattern holds a NUL character"),
        ("a" * 5000, "the pattern is longer than 4096 characters"),
    ],
)
def test_a_malformed_pattern_fits_only_its_own_spelling_and_is_explained(pattern: str, words: str) -> None:
    assert glob_problem(pattern) == words
    glob = compile_glob(pattern)
    assert not any(glob.matches(path) for path in ("a", "aa", "b.js", "src/a", "x/y", ""))
    assert glob.matches(pattern) is bool(pattern)


def test_good_patterns_have_no_problem() -> None:
    good = [
        "*.go",
        "src/**/*.{ts,tsx}",
        "[]a]",
        "[[:alpha:]]*",
        "!(a|b).js",
        "\\{a",
        "a]b",
        "{01..03}",
        "!*.md",
        "**",
    ]
    assert [glob_problem(pattern) for pattern in good] == [None] * len(good)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 12 + "*b", "a" * 250),
        ("x/" + "*a" * 30 + "*b", "x/" + "a" * 250),
        ("+(+(a))b", "a" * 250),
        ("*(a|aa)b", "a" * 250),
        ("**/" * 10 + "*.js", "a/" * 100 + "b"),
        ("**/" + "*/**/" * 6 + "x", "a/" * 400 + "b"),
        ("a/**/b/**/c/**/d/**/e/**/f", "a/" + "b/c/d/e/" * 200 + "x"),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    """A hook file in a checkout must not be able to hang its host."""
    started = time.process_time()
    assert not compile_glob(pattern).matches(path)
    assert time.process_time() - started < 20


def test_deep_paths_answer_like_shallow_ones() -> None:
    deep = "a/" * 80
    pattern = "**/a/**/b/**/*.js"
    assert compile_glob(pattern).matches(deep + "b/x.js")
    assert compile_glob(pattern).matches(deep + "b/" + deep + "x.js")
    assert not compile_glob(pattern).matches(deep + "b/.c/x.js")
    assert compile_glob(pattern, dot=True).matches(deep + "b/.c/x.js")
    assert not compile_glob(pattern).matches(deep + "x.js")


@settings(max_examples=200, deadline=None)
@given(st.text("ab*?[]{}()!@+|.,/\\^$-\"'é\n", max_size=12), st.text("ab./*é\n", max_size=10))
def test_no_pattern_crashes(pattern: str, path: str) -> None:
    assert compile_glob(pattern).matches(path) in (True, False)
    glob_problem(pattern)


@settings(max_examples=200, deadline=None)
@given(st.text("ab*", max_size=8), st.text("ab", min_size=1, max_size=10))
def test_stars_fit_any_run_of_characters(pattern: str, path: str) -> None:
    def fits(p: str, s: str) -> bool:
        if not p or not s:
            return not s and not p.strip("*")
        if p[0] == "*":
            return fits(p[1:], s) or fits(p, s[1:])
        return p[0] == s[0] and fits(p[1:], s[1:])

    assert compile_glob(pattern).matches(path) is (bool(pattern) and fits(pattern, path))
