"""What `hookline check` finds in the input that hooks read: arguments and values that never come."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

SHELL = '#!/bin/bash\ninput=$(cat)\ntool=$(jq -r .tool_name <<<"$input")\nif [[ "$tool" == "{0}" ]]; then exit 2; fi\n'
PYTHON = "import json, sys\nd = json.load(sys.stdin)\nif d['tool_name'] == '{0}':\n    sys.exit(2)\n"


def claude(path: str, event: str, command: str, matcher: str = "") -> tuple[str, str]:
    group = {"matcher": matcher} if matcher else {}
    return path, json.dumps(
        {"hooks": {event: [{**group, "hooks": [{"type": "command", "command": command}]}]}}
    )


def codes(program: Program) -> list[str]:
    wanted = ("unsent-field", "unsent-value")
    return [each["code"] for each in json.loads(program("check", "--json").stdout) if each["code"] in wanted]


@pytest.mark.parametrize("script", [SHELL, PYTHON])
def test_a_tools_name_that_the_agent_never_sends_is_an_error(program: Program, script: str) -> None:
    name = "g.sh" if script is SHELL else "g.py"
    program.write(
        *claude(
            ".claude/settings.json",
            "PreToolUse",
            f'{"python3" if name == "g.py" else "bash"} "$CLAUDE_PROJECT_DIR"/{name}',
        )
    )
    for wrong, right in (("bash", "Bash"), ("run_shell_command", "Bash"), ("write", "Write")):
        program.write(name, script.format(wrong))
        assert codes(program) == ["unsent-value"]
        assert f"`{right}`" in program("check").stdout
    for fine in ("Bash", "mcp__x__y", "MyTool"):
        program.write(name, script.format(fine))
        assert codes(program) == []
    program.write(
        name,
        script.format("bash")
        .replace('= "bash"', '= "Bash" || "$tool" == "bash"')
        .replace("== 'bash'", "in ('Bash', 'bash')"),
    )
    assert codes(program) == []  # it serves another agent as well


def test_a_source_that_no_session_has_is_an_error(program: Program) -> None:
    for said, found in (("new", ["unsent-value"]), ("startup", [])):
        line = f'[ "$(jq -r .source)" = {said} ] && cat NOTES.md'
        program.write(*claude(".claude/settings.json", "SessionStart", line))
        assert codes(program) == found


@pytest.mark.parametrize(
    ("path", "event", "matcher", "wrong", "right"),
    [
        (".gemini/settings.json", "AfterTool", "write_file", ".tool_input.path", ".tool_input.file_path"),
        (".codex/hooks.json", "PostToolUse", "apply_patch|Edit|Write", ".tool_input.file_path", ".tool_input.command"),
        (".claude/settings.json", "PostToolUse", "Bash", ".tool_response.output", ".tool_response.stdout"),
        (".claude/settings.json", "PostToolUse", "Bash", ".tool_response.exit_code", ".tool_response.stderr"),
    ],
)  # fmt: skip
def test_arguments_that_no_such_call_has_are_errors(
    program: Program, path: str, event: str, matcher: str, wrong: str, right: str
) -> None:
    for read, found in ((wrong, ["unsent-field"]), (right, []), (f"{wrong} // {right}", [])):
        program.write(*claude(path, event, f"jq -r '{read}' >> log", matcher))
        assert codes(program) == found


RUNS = {"type": "command", "command": 0}
WINDSURF = ".windsurf/hooks.json"
GOOSE = ".agents/plugins/p/hooks/hooks.json"


@pytest.mark.parametrize(
    ("path", "hooks", "wrong", "right"),
    [
        (WINDSURF, {"pre_run_command": [{"command": 0}]}, ".tool_info.command", ".tool_info.command_line"),
        (".cursor/hooks.json", {"beforeShellExecution": [{"command": 0}]}, ".tool_name", ".command"),
        (".github/hooks/h.json", {"preToolUse": [{"type": "command", "bash": 0}]}, ".tool_name", ".toolName"),
        (GOOSE, {"UserPromptSubmit": [{"hooks": [RUNS]}]}, ".prompt", ".message"),
        (".autoagent/config.json", {"PostExecutionEnd": [RUNS]}, ".issue_number", ".issueNumber"),
    ],
)  # fmt: skip
def test_fields_in_another_agents_spelling_are_errors(
    program: Program, path: str, hooks: object, wrong: str, right: str
) -> None:
    for read, found in ((wrong, ["unsent-field"]), (right, [])):
        line = json.dumps(f'[ -z "$(jq -r {read})" ] || exit 0')
        head = {"version": 1} if path.startswith((".cursor", ".github")) else {}
        program.write(path, json.dumps({**head, "hooks": hooks}).replace(": 0}", f": {line}}}"))
        assert codes(program) == found


def all_codes(program: Program) -> list[str]:
    return [
        each["code"] for each in json.loads(program("check", "--json").stdout) if each["severity"] != "notice"
    ]


def test_rules_of_permission_that_nobody_reads_are_told(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps({"permission": {"deny": ["Bash(rm *)"]}}))
    assert all_codes(program) == ["misspelt-key"]
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["bash(rm *)", "mcp__x"]}}))
    assert all_codes(program) == ["dead-name"]


def test_files_and_folders_that_a_hook_needs_and_that_are_not_there_are_errors(program: Program) -> None:
    program.write("lib/a.sh", "")
    head = '#!/bin/bash\nsource "$(dirname "$0")/{0}"\n[ -f x.sh ] && . ./x.sh\necho no >&2; exit 2\n'
    program.write(*claude(".claude/settings.json", "PreToolUse", 'bash "$CLAUDE_PROJECT_DIR"/g.sh', "Bash"))
    for path, found in (("lib/b.sh", ["missing-script"]), ("lib/a.sh", [])):
        program.write("g.sh", head.format(path))
        assert all_codes(program) == found
    each = 'for one in "$TOP"/checks/*/run.sh; do\n  [ -x "$one" ] && "$one"\ndone\n'
    top = '#!/bin/bash\nTOP="${CLAUDE_PROJECT_DIR:-.}"\n'
    program.write("g.sh", top + each + 'if [ -x "$TOP/none.sh" ]; then "$TOP/none.sh"; fi\n')
    program.write("checks/a/run.sh", "#!/bin/sh\n")
    for mode, found in ((0o644, ["not-executable"]), (0o755, [])):
        program.write("checks/b/run.sh", "#!/bin/sh\n", mode)
        assert all_codes(program) == found
    hook = {"command": "npm run build", "working_directory": "web"}
    program.write(WINDSURF, json.dumps({"hooks": {"post_write_code": [hook]}}))
    assert all_codes(program) == ["missing-start"]
    program.write("web/package.json", "{}")
    assert all_codes(program) == []


def test_a_script_that_its_package_makes_a_module_knows_no_require(program: Program) -> None:
    program.write(*claude(".claude/settings.json", "PostToolUse", 'node "$CLAUDE_PROJECT_DIR"/g.js'))
    program.write("g.js", "const fs = require('fs');\nfs.readFileSync(0);\n")
    for package, found in (('{"type": "module"}', ["bad-syntax"]), ('{"type": "commonjs"}', [])):
        program.write("package.json", package)
        assert all_codes(program) == found


def test_an_argument_that_no_line_gets_and_tools_that_are_gone_are_told(program: Program) -> None:
    path = ".claude/settings.json"
    for command, found in (
        ('black "$1"', ["unset-variable"]),
        ("bash -c 'black \"$1\"' _ x", []),
        ("awk '{print $1}'", []),
        ("f() { black $1; }; f x", []),
    ):
        program.write(*claude(path, "PostToolUse", command))
        assert all_codes(program) == found, command
    for taken, found in (("source", ["unset-variable"]), ("mode", [])):
        program.write("g.sh", f'#!/bin/sh\n{taken}="${{1:-full}}"\necho "$(date) ${taken}" >> log\n', 0o755)
        program.write(*claude(path, "SessionEnd", 'bash "$CLAUDE_PROJECT_DIR"/g.sh'))
        assert all_codes(program) == found, taken
    for matcher, found in (("MultiEdit", ["dead-matcher"]), ("Edit|MultiEdit", [])):
        program.write(*claude(path, "PostToolUse", "true", matcher))
        assert all_codes(program) == found


def test_input_and_variables_that_a_dialect_leaves_empty_are_told(program: Program) -> None:
    script = "#!/bin/bash\n#---\n# type: file\n# pattern: '*.go'\n#---\njq -r .files[] | xargs gofmt -l\n"
    program.write(".discobot/hooks/a.sh", script).chmod(0o755)
    assert all_codes(program) == ["no-input"]
    program.write(".discobot/hooks/a.sh", script.replace("jq -r .files[]", "echo x")).chmod(0o755)
    for event, found in (("Stop", ["unset-variable"]), ("PostToolUse", [])):
        program.write(*claude(".gen/settings.json", event, 'prettier "$FILE_PATH"'))
        assert all_codes(program) == found


def test_a_silent_exit_2_lets_the_call_run_in_gemini(program: Program) -> None:
    for command, found in (
        ("grep -q rm && exit 2", ["silent-exit"]),
        ("grep -q rm && { echo no; exit 2; }", []),
    ):
        program.write(*claude(".gemini/settings.json", "BeforeTool", command))
        assert all_codes(program) == found


def test_a_script_that_answers_several_agents_is_right_for_each(program: Program) -> None:
    answers = ["{'permissionDecision': 'deny'}", "{'decision': 'deny', 'reason': 'no'}"]
    inner = f"{{'hookSpecificOutput': {{'hookEventName': 'PreToolUse', **{answers[0]}}}}}"
    text = f"import json, sys\nd = json.load(sys.stdin)\nprint(json.dumps({answers[1]} if sys.argv[1:] else {inner}))\n"
    program.write("g.py", text.replace("**{'permissionDecision': 'deny'}", "'permissionDecision': 'deny'"))
    program.write(*claude(".claude/settings.json", "PreToolUse", 'python3 "$CLAUDE_PROJECT_DIR"/g.py'))
    assert all_codes(program) == []
    program.write("g.py", f"import json, sys\nd = json.load(sys.stdin)\nprint(json.dumps({answers[1]}))\n")
    assert "wrong-answer" in all_codes(program)


def test_json_in_a_field_that_is_an_object_now_is_an_error_in_a_guard(program: Program) -> None:
    head = "import json, sys\nd = json.load(sys.stdin)\na = d['toolArgs']\n"
    parsed = "print(json.loads(a)['command'], file=sys.stderr)\n"
    program.write("old.py", head + parsed)
    program.write(
        "both.py",
        head + "if isinstance(a, str):\n    a = json.loads(a)\n" + parsed.replace("json.loads(a)", "a"),
    )
    for event, command, found in (
        ("preToolUse", "jq -r '.toolArgs | fromjson | .command' >> log", ["unsent-value"]),
        ("preToolUse", "jq -r '.toolArgs | if type == \"string\" then fromjson else . end' >> log", []),
        ("preToolUse", "jq -r .toolArgs | jq -r .command >> log", []),
        ("preToolUse", "python3 old.py", ["unsent-value"]),
        ("preToolUse", "python3 both.py", []),
        ("postToolUse", "python3 old.py", []),
    ):
        hooks = {event: [{"type": "command", "bash": command}]}
        program.write(".github/hooks/h.json", json.dumps({"version": 1, "hooks": hooks}))
        assert codes(program) == found, command


def test_what_only_looks_like_a_comparison_is_none(program: Program) -> None:
    program.write(*claude(".claude/settings.json", "SessionStart", 'python3 "$CLAUDE_PROJECT_DIR"/s.py'))
    program.write(
        "s.py",
        "import json, sys\nevent = json.load(sys.stdin)\nsource = event.get('source', '')\nfirst = 'new'\n"
        "if source == first:\n    source = f'{source}!'\nprint(source)\n",
    )
    assert codes(program) == []
    program.write("s.py", (program.workspace / "s.py").read_text().replace("== first", "== 'new'"))
    assert codes(program) == ["unsent-value"]


def test_a_plugin_of_an_unknown_agent_and_files_of_its_users_are_left_alone(program: Program) -> None:
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "process", "command": "node", "args": ["x.mjs"]}]}]}}
    program.write("hooks/hooks.json", json.dumps(hooks))
    assert "bad-value" in all_codes(program)
    program.write(".zcode-plugin/plugin.json", "{}")
    assert all_codes(program) == []
    program.write(".claude-plugin/plugin.json", '{"name": "p"}')
    for line, found in (
        ("bash tidy.sh", ["relative-script"]),
        ("[ -x tidy.sh ] && bash tidy.sh || true", []),
    ):
        program.write(*claude("hooks/hooks.json", "Stop", line))
        assert all_codes(program) == found


OVER = {  # scripts that are over before they have looked, and the same as they were meant
    "a.py": (
        "import json, sys\nprint(sys.stdin.read(), file=sys.stderr)\nd = json.load(sys.stdin)\n",
        "no-input",
    ),
    "b.py": ("import json, sys\nd = json.load(sys.stdin)\n", ""),
    "c.sh": ("#!/bin/bash\nf() { grep -q rm && exit 2; }\nx=$(f)\nexit 0\n", "lost-exit"),
    "d.sh": ("#!/bin/bash\nf() { grep -q rm && exit 2; }\nf\nexit 0\n", ""),
    "e.js": (
        "process.stdin.on('data', look);\nprocess.stdin.on('end', deny);\nprocess.exit(0);\n",
        "lost-exit",
    ),
    "f.js": ("process.stdin.on('end', resolve);\nawait done;\nprocess.exit(0);\n", ""),
    "g.sh": ('#!/bin/bash\nCOMMAND=$(cat)\necho "$COMAND" >> log\n', "unset-variable"),
    "h.sh": ('#!/bin/bash\nCOMMAND=$(cat)\nCOMMANDS="$COMMAND $HOSTNAME"\necho "$COMMANDS" >> log\n', ""),
    "i.sh": ("#!/bin/bash\ngrep -qE 'rm (?!-i)' >&2\n", "dead-pattern"),
    "j.sh": ("#!/bin/bash\ngrep -qP 'rm (?!-i)\\d' >&2; grep -oE '[0-9]+'\n", ""),
}


@pytest.mark.parametrize("name", OVER)
def test_a_guard_that_is_over_before_it_has_looked_is_told(program: Program, name: str) -> None:
    text, found = OVER[name]
    program.write(name, text)
    program.write("package.json", '{"type": "module"}')
    by = {"py": "python3", "js": "node", "sh": "bash"}[name[-2:]]
    program.write(*claude(".claude/settings.json", "PreToolUse", f'{by} "$CLAUDE_PROJECT_DIR"/{name}'))
    assert all_codes(program) == ([found] if found else [])


def test_words_of_our_own_and_of_others_that_nobody_knows_are_told(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": "Bash(rm *)"}}))
    assert all_codes(program) == ["wrong-type"]
    program.write(".claude/settings.json", "{}")
    for name, found in (("HOOK_CMD", ["unset-variable"]), ("HOOK_COMMAND", [])):
        rule = f'[[hooks]]\nname = "x"\nevent = "PreToolUse"\ntool = "Bash"\nrun = \'test "${name}" = ls || exit 2\'\n'
        program.write(".hookline/hooks.toml", rule)
        assert all_codes(program) == found
    program.write(".hookline/hooks.toml", "")
    for said, found in (("done", ["unsent-value"]), ("completed", [])):
        hooks = {"stop": [{"command": f'[ "$(jq -r .status)" = {said} ] && touch done.txt; exit 0'}]}
        program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
        assert all_codes(program) == found


def test_a_list_of_another_agents_tools_is_told(program: Program) -> None:
    read = "import json, sys\ncall = json.load(sys.stdin)\n"
    node = "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    case = '#!/bin/bash\nT=$(jq -r .tool_name)\ncase "$T" in\n  %s) echo no >&2; exit 2 ;;\nesac\n'
    scripts = {
        "a.py": f"{read}if call.get('tool_name') not in ('Edit', 'Write'):\n    sys.exit(0)\nsys.exit('no')\n",
        "b.js": f"{node}if (['Write', 'MultiEdit'].includes(call.tool_name)) process.exit(2);\n",
        "c.py": f"{read}KEPT = {{'Edit', 'Write'}}\nname = call['tool_name']\nif name in KEPT:\n    sys.exit(2)\n",
        "d.sh": case % "Edit|Write",
        "e.py": f"{read}if call['tool_name'] in ('Edit', 'apply_patch'):\n    sys.exit(2)\n",
        "f.sh": case % "apply_patch|Write",
        "h.py": f"{read}t = call['tool_name']\nif t == 'Bash':\n    0\nif t in ('Edit', 'Write'):\n    sys.exit(2)\n",
        "g.js": f"{node}if (['Write', 'my_own'].includes(call.tool_name)) process.exit(2);\n",
    }
    runs = {"py": "python3", "js": "node", "sh": "bash"}
    hooks = []
    for name, text in scripts.items():
        program.write(name, text)
        hooks.append(
            {"type": "command", "command": f'{runs[name[-2:]]} "$(git rev-parse --show-toplevel)"/{name}'}
        )
    program.write(".codex/hooks.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}, indent=1))
    found = json.loads(program("check", "--json").stdout)
    told = [each["message"].split("`")[1] for each in found if each["code"] == "unsent-value"]
    assert told == ["a.py", "b.js", "c.py", "d.sh"]


NODE = "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
PY = "import json, re, sys\ncall = json.load(sys.stdin)\ntool = call['tool_name']\n"
SH = '#!/bin/bash\ninput=$(cat)\ntool=$(jq -r .FIELD <<< "$input")\n'
PS = "$call = [Console]::In.ReadToEnd() | ConvertFrom-Json\n$tool = $call.tool_name\n"
CLAUDE_FILE, COPILOT, CLINE = ".claude/settings.json", ".github/hooks/h.json", ".clinerules/hooks/PreToolUse"


CASE = 'case "$tool" in\n  %s) echo no; exit 2 ;;\nesac\n'
OF_JS, OF_CLINE = NODE + "const t = call.tool_name;\n", SH.replace("FIELD", "preToolUse.toolName")


@pytest.mark.parametrize(
    ("path", "name", "text", "told", "right"),
    [
        # what only says what it does, as people guess it
        (CLAUDE_FILE, "a.js", OF_JS + "if (t !== 'executeCommand') process.exit(0);\n", "executeCommand", "Bash"),
        (CLAUDE_FILE, "a.js", OF_JS + "if (t !== 'executeOrder') process.exit(0);\n", "", ""),
        (CLAUDE_FILE, "a.py", PY + "if tool not in {'modify_file', 'saveFile'}:\n    exit()\n", "modify_file", "Edit"),
        (CLAUDE_FILE, "a.py", PY + "if tool not in {'modify_file', 'Edit'}:\n    exit()\n", "", ""),
        (CLAUDE_FILE, "a.py", PY + "if tool == 'mcp__files__edit_file':\n    sys.exit(2)\n", "", ""),
        # by a pattern, a `switch`, a `match`, and what PowerShell compares with
        (CLAUDE_FILE, "a.sh", SH + '[[ "$tool" =~ ^(edit|write)$ ]] || exit 0\n', "edit", "Edit"),
        (CLAUDE_FILE, "a.sh", SH + '[[ "$tool" =~ ^(Edit|write)$ ]] || exit 0\n', "", ""),
        (CLAUDE_FILE, "a.js", OF_JS + "if (!/^(write_file|replace)$/.test(t)) return;\n", "write_file", "Write"),
        (CLAUDE_FILE, "a.js", OF_JS + "if (!/edit|write/i.test(t)) process.exit(0);\n", "", ""),
        (CLAUDE_FILE, "a.js", OF_JS + "switch (t) {\n  case 'bash': { process.exit(2); }\n}\n", "bash", "Bash"),
        (CLAUDE_FILE, "a.js", OF_JS + "switch (t) {\n  case 'bash':\n  case 'Bash': process.exit(2);\n}\n", "", ""),
        (CLAUDE_FILE, "a.py", PY + "match tool:\n    case 'edit' | 'write':\n        sys.exit(2)\n", "edit", "Edit"),
        (CLAUDE_FILE, "a.py", PY + "match tool:\n    case 'edit' | 'Edit':\n        sys.exit(2)\n", "", ""),
        (CLAUDE_FILE, "a.ps1", PS + "if ($tool -notin @('run_in_terminal', 'x_shell')) { exit 0 }\n", "", ""),
        (CLAUDE_FILE, "a.ps1", PS + "if ($tool -notin @('run_in_terminal')) { exit 0 }\n", "run_in_terminal", "Bash"),
        (CLAUDE_FILE, "a.ps1", PS + "if ($tool -notin @('bash', 'shell')) { exit 0 }\n", "", ""),
        # under the field's own name at an agent that sends it so
        (CLINE, "", OF_CLINE + CASE % "Bash", "Bash", "execute_command"),
        (CLINE, "", OF_CLINE + CASE % "write_to_file|edit_block", "edit_block", "replace_in_file"),
        (CLINE, "", OF_CLINE + CASE % "write_to_file|replace_in_file|edit_block", "", ""),
        (COPILOT, "a.js", NODE + "if (!['Bash', 'powershell'].includes(call.toolName)) process.exit(0);\n", "", ""),
        (COPILOT, "a.js", NODE + "if (call.toolName != 'run_in_terminal') return;\n", "run_in_terminal", "bash"),
    ],
)  # fmt: skip
def test_names_of_tools_that_no_agent_has_are_told_however_they_are_compared(
    program: Program, path: str, name: str, text: str, told: str, right: str
) -> None:
    program.write(name or path, text.replace("FIELD", "tool_name"), 0o755)
    runs = {"js": "node", "sh": "bash", "py": "python3", "s1": "pwsh -File"}.get(name[-2:], "")
    if path == CLAUDE_FILE:
        program.write(*claude(path, "PreToolUse", f'{runs} "$CLAUDE_PROJECT_DIR"/{name}'))
    elif path == COPILOT:
        hooks = {"preToolUse": [{"type": "command", "bash": f"{runs} ./{name}"}]}
        program.write(path, json.dumps({"version": 1, "hooks": hooks}))
    found = [
        each
        for each in json.loads(program("check", "--json").stdout)
        if each["code"] in ("unsent-value", "idle-name")
    ]
    assert [f"`{told}`" in each["message"] and f"`{right}`" in each["hint"] for each in found] == (
        [True] if told else []
    )


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        ("'create_file', 'readFile'", "did you mean `read_file`?"),
        ("'create_file', 'read_file'", ""),
        ("'runCommand'", "GitHub Copilot: did you mean `Bash`? VS Code: did you mean `run_in_terminal`?"),
    ],
)
def test_a_script_for_two_agents_is_told_what_each_calls_the_tool(
    program: Program, names: str, hint: str
) -> None:
    program.write("a.js", f"{NODE}if (![{names}].includes(call.tool_name)) process.exit(0);\n")
    hooks = {"PreToolUse": [{"type": "command", "command": "node ./a.js"}]}
    program.write(COPILOT, json.dumps({"version": 1, "hooks": hooks}))
    assert [each["hint"] for each in json.loads(program("check", "--json").stdout)] == [hint] * bool(hint)
