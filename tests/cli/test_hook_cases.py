"""Case files that could never fail, or fail without a reason, are told so: by `hookline test` and by pytest."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from typing import Any

import pytest
from tests.program import Program

RULE = '[[hooks]]\nname = "g"\nevent = "PreToolUse"\nshell = "git push --force"\ndeny = "no"\n'
PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push -f"}}
FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "no tool": ({"payload": {"command": "git push -f"}, "expect": {"verdict": "none"}}, "names no tool"),
    "no such hook": ({"payload": PUSH, "expect": {"hooks": {"gg": None}}}, "there is no hook `gg`"),
    "no such event": (
        {"event": "PreTool", "agent": "claude", "payload": PUSH, "expect": {"answer": {"decision": "deny"}}},
        "Claude Code has no event `PreTool`",
    ),
    "not trusted": ({"payload": PUSH, "expect": {"verdict": "deny"}}, "run `hookline trust`"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTY)
def test_a_case_that_says_nothing_fails_and_says_why(program: Program, case: str) -> None:
    if case == "not trusted":
        del program.environment["HOOKLINE_TRUST"]
    program.write(".hookline/hooks.toml", RULE)
    given, words = FAULTY[case]
    program.write("a.hooktest.json", json.dumps({"cases": [{"event": "PreToolUse", **given}]}))
    done = program("test")
    assert done.returncode == 1 and words in done.stdout, done


# what libraries bring along as plugins takes pytest a second to load
NOT_OURS = ("-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:langsmith_plugin")


def test_pytest_says_as_much(program: Program) -> None:
    """Of a file that cannot be read, and of a guard that waits for its review."""
    del program.environment["HOOKLINE_TRUST"]
    program.write(".hookline/hooks.toml", RULE)
    case = {"event": "PreToolUse", "payload": PUSH, "expect": {"verdict": "deny"}}
    program.write("a.hooktest.json", json.dumps({"cases": [case]}))
    known = any(entry.value == "hookline.pytest_plugin" for entry in entry_points(group="pytest11"))
    words = [*([] if known else ["-p", "hookline.pytest_plugin"]), *NOT_OURS, "-q"]
    done = program.python("-c", f"import sys, pytest; sys.exit(pytest.main({words}))")
    assert done.returncode == 1 and "run `hookline trust`" in done.stdout, done
    program.write("b.hooktest.yml", "cases:\n\t- x")
    done = program.python("-c", f"import sys, pytest; sys.exit(pytest.main({words}))")
    assert done.returncode == 2 and "line 2: " in done.stdout and "no tabs there" in done.stdout, done
