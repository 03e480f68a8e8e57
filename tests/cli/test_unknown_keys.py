"""A key or a value that a file's reader would drop is told, with its place and what was meant."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

from hookline.cli.main import main

SETTINGS = ".autoagent/config.json"
GET = ("config", "get", "retryAttempts")
RUN = ("run", "hello", "--untrusted", "skip", "--model", "scripted:script.yml")
TEST = ("test",)


@pytest.mark.parametrize(
    ("command", "path", "text", "code", "words"),
    [
        (GET, SETTINGS, '{"providerTimeOut": 5, "_provider": 1}', 0,
         ("`providerTimeOut` (local) is no setting and has no effect: did you mean `providerTimeout`?",)),
        (GET, SETTINGS, '{"colour": 5, "hooksmerge": "append"}', 0,
         ("`hookline config get` lists the settings", "did you mean `hooksMerge`?")),
        (GET, SETTINGS, '{"programs": {"a": {"command": ["x"], "fromat": "text"}, "b": {"command": ["x"], '
         '"format": "xml"}, "c": {"command": ["x"], "models": "m"}, "d": []}}', 0,
         ("`programs.a.fromat` means nothing here: did you mean `format`?",
          "`programs.b.format`: expected `text` or `stream-json`, found 'xml'",
          "`programs.c.models`: expected a list of words, found 'm'", "`programs.d`: expected an object")),
        (RUN, ".claude/settings.json", '{"permissions": {"Deny": ["Bash"], "ask": "Bash(rm:*)", "allow": [5]}}', 0,
         ("`permissions.Deny` means nothing here: did you mean `deny`?",
          "`permissions.ask`: expected a list of rules, found 'Bash(rm:*)'", "`permissions.allow[0]`")),
        (RUN, "script.yml", "turn: [{text: hi}]", 1, ("script.yml: unknown key `turn`", "known: after, turns")),
        (RUN, "script.yml", "turns: [null]", 1, ("turns[0]: expected an object, found null",)),
        (RUN, "script.yml", "turns: [{tool_calls: {a: true}}]", 1, ('found {"a":true}',)),
        (RUN, "script.yml", "turns: [{delay: soon}]", 1, ("turns[0].delay: expected seconds, found 'soon'",)),
        (RUN, "script.yml", "turns: [{text: a}, {tool_calls: [{name: Bash, inputs: {}}]}]", 1,
         ("turns[1].tool_calls: unknown key `inputs`",)),
        (RUN, "script.yml", "turns: [{tool_calls: Bash, 3: x}]", 1, ("turns[0]: unknown key `3`",)),
        (RUN, "script.yml", "turns: [{text: 2026-13-45}]", 1, ("script.yml: not a script: month must be",)),
        (TEST, "x.hooktest.yml", "cases: [{event: Stop, expect: {verdict: deny}}]\ncase: []", 1,
         ("unknown key `case`",)),
        (TEST, "x.hooktest.yml", "cases: [2026-99-01]", 1, ("case 1: expected an object with `event`",)),
        (TEST, "x.hooktest.yml", "cases:\n\t- x", 1, ("`: not YAML: line 2: ", "YAML allows no tabs there")),
        (TEST, "x.hooktest.json", '{"cases": [1],\n "cases": []}', 1, ("line 2: `cases` was given before",)),
        (TEST, "x.hooktest.yml", "cases: [{event: Stop, expect: {verdict: denied}}]", 1, ("no verdict `denied`",)),
        (TEST, "x.hooktest.yml", "cases: [{event: Stop, agent: claud, expect: {answer: x}}]", 1,
         ("no agent `claud`", "did you mean `claude`?")),
    ],
)  # fmt: skip
def test_nothing_that_is_written_is_dropped_unsaid(
    program: Program, command: tuple[str, ...], path: str, text: str, code: int, words: tuple[str, ...]
) -> None:
    program.write("script.yml", json.dumps({"turns": [{"text": "ok"}]}))
    program.write(path, text)
    done = program(*command, environment={"HOOKLINE_TRUST": "workspace"})
    assert done.returncode == code, done.stderr
    assert [each for each in words if each not in done.stderr] == [], done.stderr
    assert "Traceback" not in done.stderr and "_provider" not in done.stderr


def test_check_tells_the_settings_that_are_none_with_their_place(
    program: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a workspace and in the user's own file, which alone may name programs; comments are no settings."""
    program.write(
        SETTINGS,
        '{"maxTokns": 5, "_why": 1,\n "retryAttempts": 0, "logLevel": "warn", "a.b": 1,\n'
        ' "programs": {"x": {}}, "hooks": {}}',
    )
    own = program.home / SETTINGS
    own.parent.mkdir()
    own.write_text('{"programs": {"a.b": {"command": ["x"],\n "modles": []}, "c": 5}, "providers": "claude"}')
    monkeypatch.setenv("HOME", str(program.home))
    monkeypatch.delenv("HOOKLINE_TRUST", raising=False)
    words = ["check", "--workspace", str(program.workspace)]
    code = main([*words, "--json"])
    found = [(p["source"], p["line"], p["column"], p["path"], p["code"], p["severity"])
             for p in json.loads(capsys.readouterr().out)]  # fmt: skip
    assert code == 0 and sorted(found) == [
        (SETTINGS, 1, 2, "maxTokns", "unknown-key", "warning"),
        (SETTINGS, 2, 2, "retryAttempts", "wrong-type", "warning"),
        (SETTINGS, 2, 42, "a.b", "unknown-key", "warning"),
        (SETTINGS, 3, 2, "programs", "ineffective-key", "warning"),
        (f"~/{SETTINGS}", 2, 2, "programs.a.b.modles", "unknown-key", "warning"),
        (f"~/{SETTINGS}", 2, 17, "programs.c", "wrong-type", "warning"),
        (f"~/{SETTINGS}", 2, 26, "providers", "wrong-type", "warning"),
    ]
    assert main([*words, "--strict", str(program.workspace / SETTINGS)]) == 1
    assert "maxTokns: is no setting and has no effect" in capsys.readouterr().out
