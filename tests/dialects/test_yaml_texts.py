"""A text of a hook stays a text in the YAML that `convert` writes, for whoever reads it."""

from __future__ import annotations

import json

import yaml
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText
from hookline.model.hooks import Command

ODD = [
    "64e12", "0x1F", "0o17", "017", "0b11", "1_000", "1.5", ".5", "5.", "1e3", "+1", "-.5e-3", "1_0.5", ".inf", "-.Inf",
    ".NaN", "190:20:30", "2026-11-27", "2026-11-27T10:00:00Z", "2026-11-27 10:00:00", "yes", "No", "on", "OFF", "y",
    "N", "true", "FALSE", "null", "Null", "~", "=", "<<", "-", "?", "!x", "&a", "*a", "%x", "@x", "`x`", "# x",
    "a: b", "a #b", "[a]", "{a}", "'a'", '"a"', "a\nb\n", "a\n\n", "\u2028a", "é ✓", "...", "---", "| x", "> x",
]  # fmt: skip
SOURCE = Source("/w/x.yml", "project", "yaml", "x.yml")
PLAIN = ["echo done", "./check.sh --all", "npm run lint", "git diff 1.5", "a1e3", "yes sir"]


def test_every_odd_text_comes_back_as_it_was(program: Program) -> None:
    texts = [*ODD, *PLAIN]
    hooks = [f"[[hooks]]\nevent = 'SessionStart'\nrun = {json.dumps(each)}\n" for each in texts]
    program.write(".hookline/hooks.toml", "".join(hooks))
    made = program("convert", "hookline", "iteratr").stdout
    read = dialect("iteratr").parse(SourceText(SOURCE, "text", made, path=SOURCE.path, shown="x.yml"))
    assert [spec.action.line for spec in read.specs if isinstance(spec.action, Command)] == texts
    assert [each["command"] for each in yaml.safe_load(made)["hooks"]["session_start"]] == texts
    for text in ("64e12", "0o17", "y", "1_000", "2026-11-27"):  # each of them a value to some library
        assert f"command: '{text}'\n" in made
    assert "command: npm run lint\n" in made


def test_so_do_the_matchers_of_another_agent(program: Program) -> None:
    names = ["64e12", "0o17", "1_000", "yes", "y", "null", "lint"]
    groups = [{"matcher": each, "hooks": [{"type": "command", "command": "true"}]} for each in names]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": groups}}))
    made = program("convert", "claude", "hermes").stdout
    assert [each["matcher"] for each in yaml.safe_load(made)["hooks"]["pre_tool_call"]] == names
    quoted = [line.partition("matcher: ")[2] for line in made.splitlines() if "matcher: " in line]
    assert quoted == [*(f"'{each}'" for each in names[:-1]), "lint"]
