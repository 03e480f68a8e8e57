"""What `hookline check` says of slips: another agent's calls, errors in place of denials, quotes around a `*`."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

BASH, PYTHON = "#!/bin/bash\n", "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
NODE = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
FILE, CALL = "file=$(jq -r .tool_input.file_path)\n", "cmd=$(jq -r .tool_input.command)\n"
NO = 'echo "no" >&2; exit 2'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{PYTHON}if 'mkfs' in d['tool_input']['command']:\n", True),
        (f"{PYTHON}given = d.get('tool_input', {{}})\nif 'mkfs' in given.get('command', ''):\n", True),
        (
            f"{PYTHON}if 'mkfs' in (d.get('command') or d.get('tool_input', {{}}).get('command', '')):\n",
            False,
        ),
        (f"{PYTHON}command = d['command']\nif 'mkfs' in command:\n", False),
    ],
)
def test_a_script_for_another_agents_calls_is_told(program: Program, text: str, told: bool) -> None:
    program.write("a.py", f"{text}    print(json.dumps({{'permission': 'deny', 'user_message': 'no'}}))\n")
    hooks: list[Hook] = [("cursor", "beforeShellExecution", {"command": "python3 ./a.py"})]
    assert ("unsent-field" in codes(program, hooks)[0]) is told


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.py", f"{PYTHON}if 'mkfs' in str(d):\n    raise Exception('mkfs is blocked')\n", "weak-exit"),
        (
            "a.py",
            f"{PYTHON}if 'mkfs' in str(d):\n    raise PermissionError(f'{{d}} is not allowed')\n",
            "weak-exit",
        ),
        ("a.py", f"{PYTHON}try:\n    raise Exception('blocked')\nexcept Exception:\n    sys.exit(2)\n", ""),
        ("a.py", f"{PYTHON}if not d:\n    raise ValueError('empty input')\n", ""),
        (
            "a.js",
            f"{NODE}if (/mkfs/.test(d.tool_input.command)) throw new Error('mkfs is forbidden');\n",
            "weak-exit",
        ),
        ("a.js", f"{NODE}const f = () => {{\n  console.error('no');\n  return 2;\n}};\nf();\n", "lost-exit"),
        (
            "a.js",
            f"{NODE}const f = () => {{\n  console.error('no');\n  return 2;\n}};\nprocess.exit(f());\n",
            "",
        ),
        ("a.js", f"{NODE}const f = (x) => {{\n  return 2;\n}};\nconsole.error(f(d));\n", ""),
    ],
)
def test_a_denial_by_an_error_or_a_value_is_none(program: Program, name: str, text: str, code: str) -> None:
    hook = {**script(program, name, text), "matcher": "Bash"}
    hook["command"] = f"{'node' if name == 'a.js' else 'python3'} {hook['command']}"
    assert codes(program, [("claude", "PreToolUse", hook)])[0] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{FILE}if [[ "$file" == "*.env" ]]; then {NO}; fi\n', True),
        (f"{FILE}if [[ $file != '*.md' && -n $file ]]; then {NO}; fi\n", True),
        (f'{FILE}case "$file" in\n  "*.env") {NO};;\nesac\n', True),
        (f"{FILE}case $file in */a|'*.env') {NO};; esac\n", True),
        (f'{FILE}if [[ "$file" == *".env" || "$file" == *"*"* ]]; then {NO}; fi\n', False),
        (f'{FILE}case "$file" in\n  *".key"|*\'.pem\') {NO};;\n  *) ls $(find . -name "*.x");;\nesac\n', False),
        (f'{FILE}case a in b) ;; esac\nn=(\n  "*.env"\n  "*.key")\n[[ "${{n[*]}}" == *"$file"* ]] && exit 2\n', False),
        (f'{CALL}if [[ "$cmd" == "*" ]]; then {NO}; fi\n', False),
    ],
)  # fmt: skip
def test_a_star_in_quotes_is_a_letter(program: Program, text: str, told: bool) -> None:
    hook = {**script(program, "a.sh", BASH + text), "matcher": "Edit|Write"}
    assert ("dead-pattern" in codes(program, [("claude", "PreToolUse", hook)])[0]) is told


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("^(package-lock.json|.env)$", True), ("^src/", True), ("^(src|lib)/", True), ("^.*/src/", False),
        ("(^|/)src/", False), (r"\.env$", False), ("^/etc/", False), ("^(.*/)?.env$", False),
    ],
)  # fmt: skip
def test_a_line_that_looks_for_a_relative_path_is_told(program: Program, pattern: str, told: bool) -> None:
    line = f"jq -r .tool_input.file_path | grep -qE '{pattern}' && {{ {NO}; }} || exit 0"
    hooks: list[Hook] = [("claude", "PreToolUse", {"command": line, "matcher": "Edit|Write"})]
    assert ("dead-pattern" in codes(program, hooks)[0]) is told


WARNS = 'if [[ "$file" == *"schema.sql" ]]; then\n  echo "WARNING: tell the others of it" >&2\nfi\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{WARNS}if [[ "$file" == *".key" ]]; then\n  {NO}\nfi\nexit 0\n', True),
        (f'{WARNS}# keys\nif echo "$file" | grep -q "[.]key$"; then\n  {NO}\nfi\n', True),
        (f'{WARNS}if [[ "$file" == *.sql ]]; then\n  {NO}\nfi\n', False),  # it ends with 2 at each such file
        (f"{WARNS}exit 2\n", False),
        (f'{WARNS}if [[ -n "$(other)" ]]; then\n  {NO}\nfi\n', True),
        (f'{WARNS}file=$(other "$file")\nif [[ "$file" == *".key" ]]; then\n  {NO}\nfi\n', False),
        (f'{WARNS.replace("fi", "  bad=1; fi")}if [[ "$file" == *".key" || "$bad" ]]; then\n  {NO}\nfi\n', False),
    ],
)  # fmt: skip
def test_a_warning_on_the_way_to_another_refusal_is_lost(program: Program, text: str, told: bool) -> None:
    hook = {**script(program, "a.sh", BASH + FILE + text), "matcher": "Edit|Write"}
    assert ("unread-output" in codes(program, [("claude", "PreToolUse", hook)])[0]) is told


@pytest.mark.parametrize(
    ("agent", "text", "told"),
    [
        ("claude", 'printf \'{"systemMessage": "work on %s"}\\n\' "$branch" >&2\n', True),
        ("claude", 'printf \'{"systemMessage": "work on %s"}\\n\' "$branch"\n', False),
        ("claude", 'cat >&2 <<EOF\n{"systemMessage": "work on a branch"}\nEOF\n', True),
        ("gemini", 'echo \'{"systemMessage": "work on a branch"}\' >&2\n', False),  # it is read there as well
        ("claude", 'echo \'{"level": "info", "message": "began"}\' >&2\n', False),
    ],
)
def test_words_for_the_person_are_no_answer_on_standard_error(
    program: Program, agent: str, text: str, told: bool
) -> None:
    hook = script(program, "a.sh", f"{BASH}branch=main\n{text}exit 0\n")
    assert ("wrong-answer" in codes(program, [(agent, "SessionStart", hook)])[0]) is told


@pytest.mark.parametrize(
    ("event", "text", "told"),
    [
        ("Stop", f"{PYTHON}if d.get('turn_count', 0) > 9:\n    open('log', 'a').write('long')\n", True),
        (
            "SubagentStop",
            f"{PYTHON}def many(given: dict) -> bool:\n    return given.get('num_turns', 0) > 9\n\n"
            "if many(d):\n    open('log', 'a').write('long')\n",
            True,
        ),
        ("Stop", f"{PYTHON}own = json.load(open('state.json'))\nopen('log', 'a').write(own['num_turns'])\n", False),
        ("Stop", f"{PYTHON}open('log', 'a').write(str(d.get('last_assistant_message')))\n", False),
    ],
)  # fmt: skip
def test_how_much_was_done_is_not_sent(program: Program, event: str, text: str, told: bool) -> None:
    hook = script(program, "a.py", text)
    assert ("unsent-field" in codes(program, [("claude", event, hook)])[0]) is told


def test_an_unread_message_stands_there_as_the_script_has_it(program: Program) -> None:
    text = f'{BASH}who="$USER"\necho "WARNING: please review what $who did"\n'
    group = {"matcher": "Edit", "hooks": [{"type": "command", **script(program, "a.sh", text)}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [group]}}))
    (found,) = json.loads(program("check", "--json").stdout)
    assert "`WARNING: please review what $who did`" in found["message"]


@pytest.mark.parametrize("event", ["Notification", "PostCompact"])
def test_a_usual_event_in_the_right_form_is_no_other_agents_file(program: Program, event: str) -> None:
    entry = {"type": "command", "command": "python3 ./a.py"}
    program.write("a.py", "import json\nprint(json.dumps({'additionalContext': 'x'}))\n")
    program.write(".github/hooks/a.json", json.dumps({"version": 1, "hooks": {event: [entry]}}))
    found = json.loads(program("check", "--json").stdout)
    assert [each["code"] for each in found] == ["unknown-event"]
    assert "mean `preCompact`" not in found[0]["hint"]  # which is before what was asked for


def test_settings_that_are_kept_for_a_home_folder_are_not_told(program: Program) -> None:
    kept = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    program.write("claude/settings.json", kept)
    assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == ["unread-file"]
    program.write("gemini/settings.json", kept)
    assert json.loads(program("check", "--json").stdout) == []


def test_a_hook_beside_an_unknown_event_is_told_of_once(program: Program) -> None:
    hooks = {"hooks": [{"type": "command", "command": 'prettier "$CLAUDE_TOOL_INPUT_FILE_PATH"'}]}
    other = {"hooks": [{"type": "command", "command": "true"}]}
    program.write(
        ".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [hooks], "PreCommit": [other]}})
    )
    found = [each["code"] for each in json.loads(program("check", "--json").stdout)]
    assert sorted(set(found) - {"missing-program"}) == ["unknown-event", "unset-variable"]
    assert found.count("unset-variable") == 1


def test_a_hook_that_its_agent_drops_is_told_of_beside_one_that_reads_it(program: Program) -> None:
    entry = {"matcher": "Edit", "type": "command", "command": 'prettier "$CLAUDE_TOOL_INPUT_FILE_PATH"'}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [entry]}}))
    found = json.loads(program("check", "--json").stdout)
    assert any("Claude Code never sets" in each["message"] for each in found)
