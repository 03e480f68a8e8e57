"""What `hookline check` says of the rest of a file that does not parse."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

from hookline.cli.main import main

SETTINGS = """{
  "permissions": {
    "deny": ["Read(.env)", "Wirte(.env)"]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "ruff check $CLAUDE_FILE_PATHS", "timeout": 5 },
          { "type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/nosuch.sh" }
        ]
      },
      { "matcher": "Bahs", "hooks": [{ "type": "command", "command": "true" }] }
    ],
    "PostToolUsee": [
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "true" }] }
    ]
  }
}
"""
RULES = """version = 1

[[hooks]]
event = "PreToolUse"
run = "bash ./nosuch.sh"

[[hooks]]
event = "PostToolUsee"
run = "true"

[[hooks]]
event = "PreToolUse"
tool = ["Bahs", "Edit"]
deny = "no"
"""
ROUNDS = """version: 1
hooks:
  session_start:
    - command: ./nosuch.sh
      timeout: 5
  session_endd:
    - command: echo done
  post_iteration:
    - command: ./other.sh --all
"""
Told = set[tuple[int, str]]
CASES = {
    ".claude/settings.json": (SETTINGS, '{}[]",:'),
    ".hookline/hooks.toml": (RULES, '[]"='),
    ".iteratr.hooks.yml": (ROUNDS, ":-"),
}


def told(program: Program) -> Told:
    found = json.loads(program("check", "--json").stdout)
    return {(each["line"], each["code"]) for each in found if "GenCode" not in each["message"]}


@pytest.mark.parametrize("path", CASES)
def test_with_any_sign_lost_the_other_lines_are_told_of_as_before(
    program: Program, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, signs = CASES[path]
    program.write(path, text)
    sound = told(program)
    assert len(sound) >= 3
    monkeypatch.chdir(program.workspace)
    monkeypatch.setenv("HOME", str(program.home))
    for at, sign in enumerate(text):
        program.write(path, text[:at] + text[at + 1 :])
        if sign not in signs:
            continue
        main(["check", "--json"])
        found = json.loads(capsys.readouterr().out)
        if not any(each["code"].startswith("bad-") for each in found):
            continue
        line = text.count("\n", 0, at) + 1
        here = {(each["line"], each["code"]) for each in found if "GenCode" not in each["message"]}
        elsewhere = {each for each in here if each[0] != line and not each[1].startswith("bad-")}
        assert elsewhere == {each for each in sound if each[0] != line}, (at, text[max(0, at - 20) : at + 9])


HOOK = '{"type": "command", "command": "ruff check $CLAUDE_FILE_PATHS"}'
GROUP = f'{{"matcher": "Bash", "hooks": [\n{HOOK}\n]}}'
WHOLE = f'{{"hooks": {{"PreToolUse": [{GROUP}]}}}}'


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (".claude/settings.json", f"```json\n{WHOLE}\n```\n", {(3, "unset-variable")}),
        (".claude/settings.json", f"module.exports = {WHOLE};\n", {(2, "unset-variable")}),
        (".claude/settings.json", f'{WHOLE},\n"permisions": {{"deny": ["Read(.env)"]}}\n}}',
         {(2, "unset-variable"), (4, "misspelt-key")}),
        (".claude/settings.json", f'{WHOLE}\n{{"hooks": {{"PostTooluse": [\n{GROUP}]}}}}',
         {(2, "unset-variable"), (4, "unknown-event"), (6, "unset-variable")}),
        (".claude/settings.json", WHOLE.replace('"', "'"), {(2, "unset-variable")}),
        (".claude/settings.json", WHOLE.replace('"', "”"), {(2, "unset-variable")}),
        (".claude/settings.json", WHOLE.replace(HOOK, f"...,\n{HOOK},\n..."), {(3, "unset-variable")}),
        (".claude/settings.json", WHOLE.replace("check $CLAUDE", 'check "$CLAUDE').replace('S"}', 'S""}'),
         {(2, "unset-variable")}),
        (".claude/settings.json", WHOLE.replace("check $", "check \n $"), {(2, "unset-variable")}),
        (".claude/settings.json", f'{{"hooks": {{\n<<<<<<< HEAD\n"PreToolUse": [{GROUP}]\n=======\n'
         f'"PreToolUse": [{GROUP.replace("Bash", "bash")}]\n>>>>>>> x\n}}}}',
         {(4, "unset-variable"), (7, "dead-matcher"), (8, "unset-variable")}),
        (".claude/settings.json", f'{{"hooks": {{"PreToolUse": [{{"hooks": [\n{{"type": "command", "command": '
         f'"echo \'{{"decision": "block"}}\'"}}]}}],\n"PostTooluse": [{GROUP}]}}}}',
         {(3, "unknown-event"), (4, "unset-variable")}),
        (".cursor/hooks.json", '{version: 1, hooks: {\nstop: [{command: "./nosuch.sh"}],\n'
         'afterEdit: [{command: true}]}}',
         {(2, "missing-program"), (3, "unknown-event")}),
        (".iteratr.hooks.yml", ROUNDS.replace("    - command: ./n", "\t- command: ./n"),
         {(4, "missing-program"), (6, "unknown-key"), (9, "missing-program")}),
        (".iteratr.hooks.yml", ROUNDS.replace("echo done", "echo a: b"),
         {(4, "missing-program"), (6, "unknown-key"), (9, "missing-program")}),
    ],
)  # fmt: skip
def test_the_rest_is_read_as_it_was_meant(program: Program, path: str, text: str, wanted: Told) -> None:
    program.write(path, text)
    found = {each for each in told(program) if not each[1].startswith("bad-")}
    assert wanted <= found
    assert {line for line, _ in found} == {line for line, _ in wanted}


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>{404}</body></html>\n", "hooks:\n  PreToolUse:\n    - matcher: Bash\n",
        "TODO: {see docs}, \"so on\"\n",
        "{}\n}\n", "[[[[", '"' * 500, "{" * 3000, '{"a": ' * 3000,
    ],
)  # fmt: skip
def test_of_what_is_no_config_nothing_but_that_is_told(program: Program, text: str) -> None:
    program.write(".claude/settings.json", text)
    assert {code for _, code in told(program)} == {"bad-json"}


def test_what_is_broken_runs_nothing_and_is_mended_nowhere(program: Program) -> None:
    file = program.write(".claude/settings.json", WHOLE[:-1])
    assert "0 hooks, 2 errors" in program("check").stderr
    assert program("check", "--fix").returncode == 1
    assert file.read_text() == WHOLE[:-1]


def test_a_plugin_in_a_folder_of_its_own_is_looked_at_where_it_describes_itself(program: Program) -> None:
    flat = json.dumps({"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]})
    for folder in ("described", "other"):
        program.write(f"{folder}/hooks/hooks.json", flat)
    program.write("described/.claude-plugin/plugin.json", '{"name": "described"}')
    told = json.loads(program("check", "--json").stdout)
    assert [(each["source"], each["code"]) for each in told] == [
        ("described/hooks/hooks.json", "events-at-top")
    ]


def test_an_empty_file_that_is_for_hooks_alone_is_told(program: Program) -> None:
    for name in (".github/hooks/rules.json", ".cursor/hooks.json", ".gemini/settings.json"):
        program.write(name, "\n")
    found = {
        each["source"] for each in json.loads(program("check", "--json").stdout) if each["code"] == "bad-json"
    }
    assert found == {".github/hooks/rules.json", ".cursor/hooks.json"}
