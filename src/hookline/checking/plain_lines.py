"""Lines of nothing but plain words, which say, read, compare and end nothing: most rules have nothing to look at."""

from __future__ import annotations

LOOKING = frozenset({
    "tsc", "unittest", "vue-tsc", "svelte-check", "grep", "rg", "pytest", "mypy", "pyright", "eslint", "vitest", "jest",
    "shellcheck", "flake8", "pylint", "bandit", "rspec", "cucumber", "phpunit", "phpstan", "playwright", "cypress",
    "mocha", "semgrep", "gitleaks", "clang-tidy", "trivy", "detekt",
    "statix", "deadnix", "oxlint", "luacheck", "selene", "hlint", "credo", "tflint", "checkov", "cspell", "codespell",
    "vale", "ktlint", "checkstyle", "knip", "depcheck", "commitlint", "markdownlint", "yamllint",
    "jscpd", "brakeman", "pip-audit", "pydocstyle", "pycodestyle", "vulture", "ansible-lint", "madge", "reek",
    "actionlint", "hadolint", "golangci-lint", "tsd", "ctest",
})  # fmt: skip
# what prints, tests, ends or reads, what the shell itself reads, what is given code, and what may look at code
_TELLING = frozenset({
    "if", "then", "else", "elif", "fi", "for", "in", "while", "until", "do", "done", "case", "esac", "select",
    "function", "time", "coproc", "exit", "return", "trap", "echo", "printf", "cat", "test", "jq", "c", "e", "eq",
    "ne", "npm", "bun", "pnpm", "yarn", "cargo", "go", "git", "biome", "dotnet", "just", "make", "task", "mix",
    "swift", "flutter", "mvn", "prettier", "ruff", "stylelint",
})  # fmt: skip
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./@- ")
_APART = str.maketrans("/@-", "   ")


def is_plain(text: str) -> bool:
    """Whether a line has no sign and no word that a rule about texts looks for, nor a name with a dot inside."""
    words = [word.strip(".") for word in text.lower().translate(_APART).split()]
    return (
        _LETTERS.issuperset(text)
        and _TELLING.isdisjoint(words)
        and not any("." in word for word in words)
        and LOOKING.isdisjoint(text.replace("/", " ").split())
        and "gradlew" not in text
    )
