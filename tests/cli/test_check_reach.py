"""What `hookline check` says of words, branches, options and files of a hook that nobody and nothing ever reaches."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

BASH, PYTHON = "#!/bin/bash\n", "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
READS = 'input=$(cat)\ntool=$(jq -r .tool_name <<<"$input")\nfile=$(jq -r \'.tool_input.file_path\' <<<"$input")\n'


def of(found: list[list[str]], code: str) -> list[bool]:
    return [code in each for each in found]


def test_a_warning_beside_a_refusal_reaches_nobody(program: Program) -> None:
    refuses = 'if grep -q sudo <<<"$input"; then\n  echo "no sudo" >&2\n  exit 2\nfi\n'
    warns = 'if grep -q curl <<<"$input"; then\n  echo "Please avoid curl" >&2\nfi\n'
    late = "if 'sudo' in str(d):\n    print('no', file=sys.stderr)\n    sys.exit(2)\n"
    said = "if 'curl' in str(d):\n    print('Please avoid curl', file=sys.stderr)\n"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, "a.sh", f"{BASH}input=$(cat)\n{refuses}{warns}exit 0\n")),
        ("claude", "PreToolUse", script(program, "b.sh", f"{BASH}input=$(cat)\n{warns}{refuses}exit 0\n")),
        ("claude", "PreToolUse", script(program, "c.py", f"{PYTHON}{late}{said}")),
        ("claude", "PreToolUse", script(program, "d.py", f"{PYTHON}{said}{late}")),
        ("claude", "PreToolUse", script(program, "e.py", f"{PYTHON}{said}sys.exit(1 if 'curl' in str(d) else 0)\n")),
    ]  # fmt: skip
    assert of(codes(program, hooks), "unread-output") == [True, True, True, True, False]


def test_words_on_either_stream_are_heard_where_the_line_joins_them(program: Program) -> None:
    program.write("note.sh", f'{BASH}echo "Please review the list" >&2\n', 0o755)
    line = '"$CLAUDE_PROJECT_DIR"/note.sh'
    hooks: list[Hook] = [
        ("claude", "SessionStart", {"command": line}),
        ("claude", "SessionStart", {"command": f"{line} 2>&1"}),
    ]
    assert of(codes(program, hooks), "unread-output") == [True, False]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("jq -r .tool_input.file_path | xargs -r bundle exec rspec", True),  # 123 tells the model nothing
        ("if jq -r .tool_input.file_path | grep -q css; then echo 'please run the linter'; fi", True),
        ("uv run pytest -q || exit 2", True),  # 2 hands over standard error alone
        ("uv run pytest -q >&2 || exit 2", False),
        ("npm run build", False),
        ("jq -r .tool_input.file_path | xargs -r bundle exec rspec >&2 || exit 2", False),
        ("jq -r .tool_input.file_path | xargs grep -n TODO", False),
        (
            '[ -f a ] && F=$(jq -r .tool_input.file_path); if [ -n "$F" ]; then npx tsc 2>&1 | head -5; fi',
            True,
        ),
        ('F=$(jq -r .tool_input.file_path); if [ -n "$F" ]; then npx prettier -w "$F" | head -5; fi', False),
        ("jq -r .tool_input.file_path | xargs -r gofmt -w", False),
        ("dotnet test > result.txt", False),
    ],
)
def test_a_line_that_only_reminds_after_an_edit_is_told(program: Program, line: str, told: bool) -> None:
    hooks: list[Hook] = [("claude", "PostToolUse", {"command": line, "matcher": "Edit|Write"})]
    assert of(codes(program, hooks), "unread-output") == [told]


def test_a_branch_for_a_tool_that_the_matcher_keeps_away_is_never_reached(program: Program) -> None:
    case = 'case "$tool" in\n  Bash) exit 2;;\n  Write|Edit) [[ $file == *.lock ]] && exit 2;;\nesac\n'
    lists = "if d['tool_name'] in ('Write', 'Edit', 'MultiEdit'):\n    sys.exit(2)\n"
    apart = "if d['tool_name'] == 'Bash':\n    sys.exit(2)\nelif d['tool_name'] == 'Read':\n    sys.exit(2)\n"
    lets_be = "if d['tool_name'] == 'Read':\n    sys.exit(0)\nprint(d['tool_input']['command'])\n"
    wants = '[[ "$tool" != "Write" && "$tool" != "Edit" ]] && exit 0\nexit 2\n'
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {**script(program, "a.sh", f"{BASH}{READS}{case}"), "matcher": "Bash"}),
        ("claude", "PreToolUse", {**script(program, "b.sh", f"{BASH}{READS}{case}"), "matcher": "Bash|Edit"}),
        ("claude", "PreToolUse", {**script(program, "c.py", PYTHON + lists), "matcher": "Write"}),
        ("claude", "PreToolUse", {**script(program, "d.py", PYTHON + apart), "matcher": "Bash|Grep"}),
        ("claude", "PreToolUse", {**script(program, "e.py", PYTHON + lets_be), "matcher": "Bash"}),
        ("claude", "PreToolUse", {**script(program, "f.sh", f"{BASH}{READS}{wants}"), "matcher": "Write"}),
        ("claude", "PreToolUse", {**script(program, "g.sh", f"{BASH}{READS}{case}"), "matcher": "Bash"}),
        ("claude", "PostToolUse", {**script(program, "g.sh", f"{BASH}{READS}{case}"), "matcher": "Write"}),
    ]
    told = of(codes(program, hooks), "unsent-value")
    assert told == [True, False, False, True, False, False, False, False]


def test_a_notebook_that_a_script_never_looks_at_is_told(program: Program) -> None:
    both = "p = d['tool_input'].get('file_path') or d['tool_input'].get('notebook_path')\nprint(p)\n"
    one = "p = d['tool_input'].get('file_path', '')\nsys.exit(2 if p.endswith('.lock') else 0)\n"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {**script(program, "a.py", PYTHON + both), "matcher": "Edit|NotebookEdit"}),
        ("claude", "PreToolUse", {**script(program, "b.py", PYTHON + one), "matcher": "Edit|NotebookEdit"}),
        ("claude", "PreToolUse", {**script(program, "c.py", PYTHON + one), "matcher": "Edit|Write"}),
    ]
    assert of(codes(program, hooks), "unsent-field") == [False, True, False]


def test_an_option_that_the_script_refuses_is_an_error(program: Program) -> None:
    parser = "import argparse\np = argparse.ArgumentParser()\n{0}args = p.parse_args()\n"
    known = parser.format(
        "p.add_argument('-q', '--quiet', action='store_true')\np.add_argument('--level', type=int)\n"
    )
    lenient = known.replace("parse_args()", "parse_known_args()")
    program.write("strict.py", known)
    program.write("lenient.py", lenient)
    lines = (
        ("python3 strict.py --quiet --level=3", False),
        ("python3 strict.py --qui", False),  # argparse takes a beginning
        ("python3 strict.py --loud", True),
        ("python3 lenient.py --loud", False),
        ("python3 strict.py --quiet | tee --append log", False),
    )
    hooks: list[Hook] = [("claude", "Stop", {"command": line}) for line, _ in lines]
    assert of(codes(program, hooks), "unknown-option") == [told for _, told in lines]


def test_a_file_in_a_folder_that_is_not_there_cannot_be_written(program: Program) -> None:
    program.write("there/.keep", "")
    lines = (
        ("date >> trace/calls.log", True),
        ("cd there && date >> calls.log", False),
        ("date > there/calls.log", False),
        ("mkdir -p trace && date >> trace/calls.log", False),
        ("date 2>/dev/null >> /tmp/calls.log", False),
    )
    hooks: list[Hook] = [("gemini", "AfterTool", {"command": line}) for line, _ in lines]
    assert of(codes(program, hooks), "missing-target") == [told for _, told in lines]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("sed -E -i '' 's/a/b/' list", True),
        ("osascript -e beep\nsed -i 's/a/b/' list", True),
        ("sed -i 's/a/b/' list", False),
        ("sed -i.bak 's/a/b/' list", False),
        ("case $(uname) in Darwin) sed -i '' 's/a/b/' list;; *) sed -i 's/a/b/' list;; esac", False),
        ("t=$(date -j -f %s 0)", True),
        ("t=$(date -j -f %s 0 2>/dev/null || date -d @0)", False),
        ("t=$(date -d @0 2>/dev/null || date -j -f %s 0)", False),
        ("if ! t=$(date --date=@0); then t=$(date -j -f %s 0); fi", False),
    ],
)
def test_a_program_in_the_spelling_of_one_system(program: Program, body: str, told: bool) -> None:
    hooks: list[Hook] = [("claude", "Stop", script(program, "a.sh", f"{BASH}{body}\n"))]
    assert of(codes(program, hooks), "other-system") == [told]


def test_what_the_sed_of_gnu_makes_of_an_empty_suffix(program: Program) -> None:
    bodies = ("sed -i '' 's/a/b/' list", "sed -i '' -e 's/a/b/' list", "sed -i '' -nE -f edits.sed list")
    hooks: list[Hook] = [
        ("claude", "Stop", script(program, f"{n}.sh", f"{BASH}{each}\n")) for n, each in enumerate(bodies)
    ]
    codes(program, hooks)
    told = [each for each in json.loads(program("check", "--json").stdout) if each["code"] == "other-system"]
    assert ["takes the empty word for a file" in each["message"] for each in told] == [False, True, True]


def test_a_script_under_somebody_elses_home_is_read_where_the_workspace_has_it(program: Program) -> None:
    program.write("tools/guard.sh", f"{BASH}echo BLOCKED >&2\nexit 1\n")
    line = "bash /Users/kim/code/app/tools/guard.sh"
    assert codes(program, [("claude", "PreToolUse", {"command": line})]) == [["personal-path", "weak-exit"]]


def test_the_file_of_an_event_is_looked_for_under_its_own_name(program: Program) -> None:
    reads = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    logs = "require('fs').appendFileSync('log', d.command ?? d.{0} ?? '');\n"
    hooks: list[Hook] = []
    for name, field in (("a.js", "filename"), ("b.js", "file_path")):
        program.write(name, reads + logs.format(field))
        hooks += [(
            "cursor", event, {"command": f"node {name}"}
        ) for event in ("afterFileEdit", "beforeShellExecution")]  # fmt: skip
    for name, field in (("a.sh", "filePath"), ("b.sh", "file_path")):
        program.write(
            name, f'#!/bin/sh\nf=$(grep -o \'"{field}": *"[^"]*"\' | cut -d\'"\' -f4)\necho "$f" >> log\n'
        )
        hooks.append(("cursor", "afterFileEdit", {"command": f"sh {name}"}))
    assert of(codes(program, hooks), "unsent-field") == [True, False, False, False, True, False]


def test_what_only_one_of_two_agents_takes_is_a_note_that_names_it(program: Program) -> None:
    listed = {
        "PreToolUse": [{"type": "command", "command": "jq -r .tool_input.filePath >> log"}],
        "PostToolUse": [{"type": "command", "command": "jq -r .tool_input.nothing.cmd >> log"}],
        "Stop": [{"type": "command", "command": 'i=$(cat); echo "$i" | jq -r .sessionId >> log'}],
    }
    program.write(".github/hooks/a.json", json.dumps({"version": 1, "hooks": listed}))
    told = {
        each["path"]: (each["code"], each["message"])
        for each in json.loads(program("check", "--json").stdout)
    }
    code, words = told["hooks.PreToolUse[0].command"]
    assert (
        code == "one-agent"
        and "GitHub Copilot does not send" in words
        and words.endswith("VS Code takes it as it is")
    )
    assert "hooks.Stop[0].command" not in told  # whether VS Code sends it is not known for certain
    assert program("check").returncode == 0


def test_a_command_that_is_only_talked_about_is_no_pattern(program: Program) -> None:
    asks = 'c=$(jq -r .tool_input.command)\nif grep -q "^git commit" <<<"$c"; then\n'
    talks = f'{asks}  echo "git push --force it" >&2\n  exit 2\nfi\n'
    hook = script(program, "a.sh", BASH + talks)
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", **hook}]}]}}),
    )
    assert "push --force" not in program("check").stdout


def test_doctor_looks_at_a_plugin_that_is_written_here(program: Program) -> None:
    program.write(".claude-plugin/plugin.json", '{"name": "own"}')
    line = '"${CLAUDE_PLUGIN_ROOT}"/scripts/note.sh'
    program.write(
        "hooks/hooks.json",
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}),
    )
    program.write("scripts/note.sh", f"{BASH}exit 0\n", 0o644)
    told = json.loads(program("doctor", "--json").stdout)
    assert [each["code"] for each in told if "hooks/hooks.json" in each["subject"]] == ["not-executable"]


def test_answers_of_powershell_are_read_like_those_of_others(program: Program) -> None:
    reads = "$call = [Console]::In.ReadToEnd() | ConvertFrom-Json\nif ($call.tool_input.command -match 'sudo') {\n"
    said = 'permissionDecision = "deny"; permissionDecisionReason = "no"'
    flat = f"  @{{ {said} }} | ConvertTo-Json -Compress\n"
    inner = f'    hookSpecificOutput = @{{ hookEventName = "PreToolUse"; {said} }}\n'
    right = f"  $out = @{{\n{inner}  }}\n  $out | ConvertTo-Json -Depth 4\n"
    hooks: list[Hook] = []
    for name, answer in (
        ("a.ps1", flat),
        ("b.ps1", right),
        ("c.ps1", "  @{ block = $true } | ConvertTo-Json\n"),
    ):
        program.write(name, f"{reads}{answer}}}\n")
        hooks.append(("claude", "PreToolUse", {"command": f'pwsh -File "$CLAUDE_PROJECT_DIR"/{name}'}))
    assert of(codes(program, hooks), "wrong-answer") == [True, False, True]


def test_what_a_function_is_given_or_gives_back_is_still_the_call(program: Program) -> None:
    read = "    raw = sys.stdin.read()\n    data = json.loads(raw)\n    return data if raw else {}\n\n"
    asks = "def line_of(rules, event):\n    return event.get('{0}') or ''\n\n"
    ends = "call = read()\nif 'sudo' in line_of([], call):\n    sys.exit(2)\n"
    given = (
        "const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (f(given)) process.exit(2);\n"
    )
    field = 'field() { jq -r ".$1 // empty" <<<"$input"; }\n'
    hooks: list[Hook] = []
    for number, name in enumerate(("command", "tool_input")):
        text = "#!/usr/bin/env python3\nimport json, sys\ndef read():\n" + read + asks.format(name) + ends
        hooks.append(("claude", "PreToolUse", script(program, f"{number}.py", text)))
    for number, name in enumerate(("toolInput", "tool_input")):
        program.write(f"{number}.js", f"function f(call) {{ return call.{name} ?? ''; }}\n{given}")
        hooks.append(("claude", "PreToolUse", {"command": f'node "$CLAUDE_PROJECT_DIR"/{number}.js'}))
    for number, name in enumerate(("arguments", "tool_input.command")):
        text = f"{BASH}input=$(cat)\n{field}[[ $(field {name}) == *sudo* ]] && exit 2\nexit 0\n"
        hooks.append(("claude", "PreToolUse", script(program, f"{number}.sh", text)))
    assert of(codes(program, hooks), "unsent-field") == [True, False, True, False, True, False]


PROMPTED = {"hookEventName": "UserPromptSubmit"}


@pytest.mark.parametrize(
    ("event", "answer", "code"),
    [
        ("UserPromptSubmit", {"hookSpecificOutput": {**PROMPTED, "systemPrompt": "x"}}, "wrong-answer"),
        ("UserPromptSubmit", {"hookSpecificOutput": {**PROMPTED, "additionalContext": "x"}}, ""),
        ("PostToolUse", {"decision": "approve", "reason": "better names are wanted"}, "unread-output"),
        ("PostToolUse", {"decision": "block", "reason": "better names are wanted"}, ""),
        ("Stop", {"decision": "approve"}, ""),
    ],
)
def test_words_under_a_key_that_says_nothing_there(
    program: Program, event: str, answer: object, code: str
) -> None:
    said = f"{BASH}jq -n '{json.dumps(answer)}'\n"
    assert codes(program, [("claude", event, script(program, "a.sh", said))]) == [[code] if code else []]


def test_a_variable_with_itself_as_its_default_is_set_by_nobody(program: Program) -> None:
    guard = "[[ $FILE_PATH == *.lock ]] && exit 2\n"
    program.write("lib.sh", "guard() { cat; }\n")
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, "a.sh", f'{BASH}FILE_PATH="${{FILE_PATH:-}}"\n{guard}')),
        ("claude", "PreToolUse", script(program, "b.sh", f'{BASH}FILE_PATH="${{1:-x}}"\n{guard}')),
        ("claude", "PreToolUse", script(program, "c.sh", f'{BASH}source lib.sh\nguard "${{1:-}}"\n')),
    ]
    assert of(codes(program, hooks), "unset-variable") == [True, True, False]


def test_a_script_in_ones_own_home_is_no_part_of_a_shared_file(program: Program) -> None:
    hooks: list[Hook] = [
        ("claude", "Stop", {"command": "~/.claude/hooks/notify.sh"}),
        ("claude", "Stop", {"command": "[ -x ~/bin/notify.sh ] && ~/bin/notify.sh"}),
        ("claude", "Stop", {"command": "$HOME/.bun/bin/bun --version > v"}),
        ("claude", "Stop", {"command": "~/dotfiles/bin/notify.sh"}),  # which is the repository itself
    ]
    assert of(codes(program, hooks), "personal-path") == [True, False, False, False]


def test_other_agents_names_beside_ones_own_leave_a_tool_out(program: Program) -> None:
    for matcher, told in (("run_shell_command|Edit", True), ("run_shell_command|replace|Edit", False)):
        hooks: list[Hook] = [("gemini", "BeforeTool", {"command": "cat > /dev/null", "matcher": matcher})]
        assert of(codes(program, hooks), "dead-name") == [told]


def test_fields_and_counts_that_people_guess(program: Program) -> None:
    counts = "n=$(grep -c TODO list || echo '?')\n[ \"$n\" -gt 3 ] && exit 2\n"
    ends = "on('end',()=>console.log(JSON.parse(d).command))"
    inline = f"c=$(node -e \"let d='';process.stdin.on('data',x=>d+=x).{ends}\")\n"
    hooks: list[Hook] = [
        (
            "claude",
            "SessionStart",
            script(program, "a.sh", f'{BASH}i=$(cat)\necho "$i" | jq -r .session_type >> log\n'),
        ),
        ("claude", "Stop", script(program, "b.sh", BASH + counts)),
        ("claude", "PreToolUse", script(program, "c.sh", f"{BASH}{inline}[[ $c == *sudo* ]] && exit 2\n")),
    ]
    found = codes(program, hooks)
    assert "unsent-field" in found[0] and "dead-pattern" in found[1] and "unsent-field" in found[2]


@pytest.mark.parametrize(
    ("event", "reads", "found"),
    [
        (
            "PreToolUse",
            'i=$(cat)\nr=$(jq -r .tool_response.stdout <<<"$i")\n[[ $r == *x* ]] && exit 2\n',
            "unsent-field",
        ),
        ("Stop", "p=$(jq -r '.prompt')\n[ -n \"$p\" ] && date >> log\n", "unsent-field"),
        ("Stop", "p=$(jq -r '.prompt // .last_assistant_message')\n[ -n \"$p\" ] && date >> log\n", ""),
        ("Stop", 'i=$(cat)\ne=$(jq -r .hook_event_name <<<"$i")\njq .prompt <<<"$i" > $e\n', ""),
        ("PreToolUse", "jq -e '.tool_input | test(\"sudo\")' && { echo no >&2; exit 2; }\n", "unsent-value"),
        ("PreToolUse", "jq -e '.tool_input.command | test(\"sudo\")' && { echo no >&2; exit 2; }\n", ""),
    ],
)
def test_what_other_events_send_or_comes_in_another_form(
    program: Program, event: str, reads: str, found: str
) -> None:
    matcher = {"matcher": "Bash"} if event == "PreToolUse" else {}
    told = codes(program, [("claude", event, {**script(program, "a.sh", BASH + reads), **matcher})])[0]
    assert set(told) - {"lost-exit", "weak-exit"} == ({found} if found else set())


@pytest.mark.parametrize(
    ("event", "text", "found"),
    [
        (
            "PreToolUse",
            "c=$(jq -r .tool_input.content)\ngrep -q $'\\x00' <<<\"$c\" && exit 2\n",
            "always-denies",
        ),
        ("Stop", "grep -q '\"stop_hook_active\"' && exit 0\nnpm test >&2 || exit 2\n", "lost-exit"),
        ("Stop", "grep -q '\"stop_hook_active\": *true' && exit 0\nnpm test >&2 || exit 2\n", ""),
        ("SessionStart", 'if [[ -f "$HOME/notes/"*.md ]]; then date > when; fi\n', "dead-pattern"),
        ("SessionStart", "python3 - <<'EOF'\nimport sys\nprint(open(sys.argv[1]).read())\nEOF\n", "no-input"),
        ("SessionStart", "python3 - x <<'EOF'\nimport sys\nprint(open(sys.argv[1]).read())\nEOF\n", ""),
        ("SessionStart", 'i=$(cat)\necho "${CLAUDE_SESSION_ID:-none}" > when\n', "unset-variable"),
        (
            "SessionStart",
            's=$(jq -r .session_id)\n[ -n "$s" ] || s=$CLAUDE_SESSION_ID\ndate > $s\n',
            "",
        ),
        ("Stop", 'echo \'{"stopReason": "not yet"}\'\n', "wrong-answer"),
        ("Stop", 'echo \'{"continue": false, "stopReason": "over"}\'\n', ""),
        (
            "PreToolUse",
            "bad=('mkfs\\.' 'dd ')\nc=$(jq -r .tool_input.command)\nfor b in \"${bad[@]}\"; do\n"
            '  [[ $c == *"$b"* ]] && exit 2\ndone\nexit 0\n',
            "dead-pattern",
        ),
        (
            "PreToolUse",
            "bad=('mkfs\\.' 'dd ')\nc=$(jq -r .tool_input.command)\nfor b in \"${bad[@]}\"; do\n"
            "  [[ $c =~ $b ]] && exit 2\ndone\nexit 0\n",
            "",
        ),
        (
            "PreToolUse",
            'c=$(jq -r .tool_input.command)\nsee() { grep -qE "$2" <<<"$c" && exit 2; }\nsee key \'k\\x27\\d+\'\n',
            "dead-pattern",
        ),
        ("Stop", 'echo "{\\"feedback\\": \\"tests fail\\"}"\n', "wrong-answer"),
        (
            "PreToolUse",
            "command=$(jq -r .tool_input.command)\n"
            'echo \'{"decision": "block", "reason": "no \'"$command"\'"}\'\n',
            "glued-json",
        ),
        (
            "PostToolUse",
            "date > when\ntell() { echo \"WARNING: $1\" >&2; }\ntell 'long'\nexit 0\n",
            "unread-output",
        ),
        ("Stop", "set -e\nout=$(npm test 2>&1)\nif [ $? -ne 0 ]; then date > when; fi\n", "lost-exit"),
        ("Stop", "set -e\nif [ -n x ]; then\n  date\nelse\n  code=$?\nfi > when\n", ""),
        ("Stop", "set -e\nset +e\nnpm test > when\ncode=$?\n", ""),
        ("PostToolUse", "date > when\necho '경고: 너무 깁니다' >&2\nexit 0\n", "unread-output"),
    ],
)
def test_what_a_shell_makes_otherwise_of_a_script(
    program: Program, event: str, text: str, found: str
) -> None:
    told = codes(program, [("claude", event, script(program, "a.sh", BASH + text))])[0]
    aside = {"stop-loop", "weak-exit", "wordless-exit", "silent-exit", "unsent-field"}
    assert set(told) - aside == ({found} if found else set())


def test_a_folder_to_start_in_that_nobody_fills_in_is_an_error(program: Program) -> None:
    program.write("a.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    hook = {"type": "command", "bash": "./a.sh", "cwd": "${workspaceRoot}"}
    program.write(".github/hooks/a.json", json.dumps({"version": 1, "hooks": {"preToolUse": [hook]}}))
    assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == ["unset-variable"]


def test_a_refusal_before_a_code_at_which_no_answer_is_read(program: Program) -> None:
    answer = 'grep -q sudo && { echo \'{"permission": "deny"}\'; exit 3; }\n'
    hooks: list[Hook] = [
        ("cursor", "beforeShellExecution", {"command": "./a.sh"}),
        ("cursor", "beforeShellExecution", {"command": "./b.sh"}),
    ]
    script(program, "a.sh", BASH + answer)
    script(program, "b.sh", BASH + answer.replace("exit 3", "exit 0"))
    assert codes(program, hooks) == [["unread-output"], []]


def test_a_script_that_a_wrapper_is_given_is_read(program: Program) -> None:
    program.write("hooks/run.sh", '#!/bin/sh\nexec python3 "$1"\n', 0o755)
    program.write("hooks/a.py", "import json, sys\nd = json.load(sys.stdin)\nopen(d['transcript'])\n")
    for line in ('"$CLAUDE_PROJECT_DIR"/hooks/run.sh hooks/a.py', '"$CLAUDE_PROJECT_DIR"/hooks/run.sh a.py'):
        assert codes(program, [("claude", "Stop", {"command": line})]) == [["unsent-field"]]


def test_what_came_of_a_call_is_no_text_and_has_no_exit_code(program: Program) -> None:
    reads = "import json, sys\nd = json.load(sys.stdin)\nr = d.get('tool_response', {})\n"
    for use, found in (
        ("if r.startswith('x'):\n    open('log', 'a')\n", ["unsent-value"]),
        ("if r.get('exit_code'):\n    open('log', 'a')\n", ["unsent-field"]),
        ("if r.get('stdout'):\n    open('log', 'a')\n", []),
        ("if r.get('stdout') or r.get('output'):\n    open('log', 'a')\n", []),
    ):
        program.write("a.py", reads + use)
        line = {"command": 'python3 "$CLAUDE_PROJECT_DIR"/a.py', "matcher": "Bash"}
        assert codes(program, [("claude", "PostToolUse", line)]) == [found]


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ('[ -f "config.*" ]', True),
        ("[[ ! -e 'src/*.ts' ]]", True),
        ("[ -f config.* ]", False),
        ('[ -f "$dir/config.toml" ]', False),
    ],
)
def test_a_file_with_a_star_in_its_name_is_never_there(program: Program, test: str, told: bool) -> None:
    hooks: list[Hook] = [
        ("claude", "Stop", script(program, "a.sh", f"{BASH}if {test}; then date > when; fi\n"))
    ]
    assert of(codes(program, hooks), "dead-pattern") == [told]


def test_a_script_whose_functions_only_look_and_print_is_heard_by_nobody(program: Program) -> None:
    looks = (
        'lint() {\n  ./gradlew ktlintCheck --quiet 2>&1 | tail -5 || true\n  npx eslint "$1" || return 1\n}\n'
    )
    told, kept = f'{looks}echo "Linting"\nlint src\nexit 0\n', f'{looks}out=$(lint src)\necho "$out" > log\n'
    hooks: list[Hook] = [
        ("claude", "PostToolUse", script(program, "a.sh", BASH + told)),
        ("claude", "PostToolUse", script(program, "b.sh", BASH + kept)),
        ("claude", "PostToolUse", script(program, "c.sh", f"{BASH}{looks}lint src >&2 || exit 2\n")),
        ("claude", "PostToolUse", script(program, "d.sh", f"{BASH}{looks}lint src || exit 2\n")),
    ]
    assert of(codes(program, hooks), "unread-output") == [True, False, False, True]


@pytest.mark.parametrize(
    ("reads", "told"),
    [
        ("[e for e in lines if e.get('role') == 'assistant']", True),
        ("[e['content'] for e in lines if e['role'] == 'user']", True),
        ("[e for e in lines if e.get('message', {}).get('role') == 'assistant']", False),
        ("[(e.get('message') or e).get('role') for e in lines]", False),
        ("[e for e in lines if e.get('type') == 'assistant']", False),
        ("[{'role': 'user', 'content': 'sum it up'}]", False),  # what is sent somewhere
    ],
)
def test_the_role_of_a_transcripts_line_is_looked_for_where_it_is(
    program: Program, reads: str, told: bool
) -> None:
    text = (
        "#!/usr/bin/env python3\nimport json, sys\npath = json.load(sys.stdin)['transcript_path']\n"
        f"lines = [json.loads(line) for line in open(path)]\nfound = {reads}\n"
        "if not found:\n    print('say what you did', file=sys.stderr)\n    sys.exit(2)\n"
    )
    jq = f'path=$(jq -r .transcript_path); jq -e \'select({".role" if told else ".message.role"} == "user")\' "$path"'
    hooks: list[Hook] = [
        ("claude", "Stop", script(program, "last.py", text)),
        ("claude", "SessionEnd", script(program, "last.sh", f"{BASH}{jq} > /dev/null\n")),
        ("qwen", "Stop", script(program, "other.py", text)),  # whose transcripts are its own
    ]
    assert ["unsent-field" in each for each in codes(program, hooks)] == [told, told, False]


def test_a_script_is_followed_to_the_one_of_the_project_that_it_becomes(program: Program) -> None:
    root = '"${CLAUDE_PROJECT_DIR:-$(git rev-parse --show-toplevel 2>/dev/null || pwd)}"'
    ways = {
        "a": f'set -euo pipefail\nroot={root}\nexec "$root/tools/said.sh" "$@"\n',
        "b": 'set -u -o pipefail\n\nroot="$(git rev-parse --show-toplevel)"\nexec bash "${root}/tools/said.sh"\n',
        "c": 'exec "$CLAUDE_PROJECT_DIR/tools/said.sh" "$@"\n',
    }
    program.write(
        "tools/said.sh", '#!/bin/sh\nfile=$CLAUDE_FILE_PATH\n[ -n "$file" ] && touch "$file.seen"\n', 0o755
    )
    hooks = []
    for name, text in ways.items():
        program.write(f"{name}.sh", f"#!/usr/bin/env bash\n{text}", 0o755)
        hooks.append(
            {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{name}.sh', "statusMessage": name}
        )
    settings = {"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [hook]} for hook in hooks]}}
    program.write(".claude/settings.json", json.dumps(settings, indent=1))
    found = json.loads(program("check", "--json").stdout)
    told = [
        each["path"]
        for each in found
        if each["code"] == "unset-variable" and "`tools/said.sh`" in each["message"]
    ]
    assert told == [f"hooks.PostToolUse[{number}].hooks[0].command" for number in range(3)]


def test_words_of_a_program_that_stands_in_the_line(program: Program) -> None:
    reads = "const d = require('fs').readFileSync(0, 'utf8'); const f = JSON.parse(d).tool_input?.file_path || '';"
    python = "import json, sys; d = json.load(sys.stdin);"
    line = 'node -e "%s %s"'
    told: list[Hook] = [
        (
            "claude",
            "PreToolUse",
            {"command": line % (reads, "console.error('Please run the tests'); console.log(d)")},
        ),
        (
            "claude",
            "PostToolUse",
            {"command": line % (reads, "console.error('In ' + f + ' - remove before commit')")},
        ),
        (
            "qwen",
            "Stop",
            {"command": f"python3 -c \"{python} print('Warning: too many files', file=sys.stderr)\""},
        ),
    ]
    quiet: list[Hook] = [
        ("claude", "PostToolUse", {"command": line % (reads, "console.error('Mend ' + f); process.exit(2)")}),
        ("claude", "PostToolUse", {"command": line % (reads, "console.error('formatted ' + f)")}),
        ("claude", "PostToolUse", {"command": line % (reads, "console.error('skipped: ' + f + ', please')")}),
        ("claude", "Stop", {"command": line % ("", "console.log(JSON.stringify({ systemMessage: 'Please commit' }))")}),
    ]  # fmt: skip
    assert codes(program, [*told, *quiet]) == [["unread-output"]] * len(told) + [[]] * len(quiet)


def test_checks_one_after_the_other_that_end_with_1_where_2_is_heard_are_told(program: Program) -> None:
    told: list[Hook] = [
        ("claude", "TaskCompleted", {"command": "pnpm check && pnpm lint && pnpm build"}),
        ("claude", "Stop", {"command": "npm run lint && npm test"}),
        ("claude", "TeammateIdle", {"command": "pytest -q"}),
    ]
    quiet: list[Hook] = [
        ("claude", "TaskCompleted", {"command": "(pnpm check && pnpm lint) >&2 || exit 2"}),
        ("claude", "Stop", {"command": "pnpm build && pnpm deploy"}),
        ("claude", "Stop", {"command": "pnpm lint && git push"}),
    ]
    assert codes(program, [*told, *quiet]) == [["unread-output"]] * len(told) + [[]] * len(quiet)
