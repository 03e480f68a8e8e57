"""What `hookline check` makes of habits that are common in people's own files, and of those that only look wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

BASH, PYTHON = "#!/bin/bash\n", "#!/usr/bin/env python3\nimport json, sys\n"


def found(program: Program, *arguments: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(program("check", "--json", *arguments).stdout)
    return listed


def test_json_that_is_kept_or_made_of_numbers_is_not_glued(program: Program) -> None:
    asked = 'INPUT=$(cat)\nREASON=$(jq -r .reason <<<"$INPUT")\n'
    counted = 'DONE=$(grep -c x plan)\nALL=$((3 + 4))\nMSG="did $DONE of ${ALL}"\n'
    added = 'REASON=""\n[ -e a ] && REASON="$REASON key;"\nREASON="found:$REASON" ;\n'
    glued = 'echo "{\\"systemMessage\\": \\"%s\\"}"'
    hooks: list[Hook] = [
        ("claude", "Stop", script(program, "a.sh", f"{BASH}{asked}{glued % '$REASON'} >> log\n")),
        ("claude", "Stop", script(program, "b.sh", f"{BASH}{counted}{glued % '$MSG'}\n")),
        ("claude", "Stop", script(program, "c.sh", f"{BASH}{added}{glued % '$REASON'}\n")),
        ("claude", "Stop", script(program, "d.sh", f"{BASH}{asked}{glued % '$REASON'}\n")),
        ("claude", "Stop", script(program, "e.sh", f'{BASH}{asked}MSG="no: $REASON"\n{glued % "$MSG"}\n')),
        ("claude", "Stop", {"command": f"REASON=$(jq -r .x); {glued % '$REASON'} | tee -a log >&2"}),
    ]
    told = [[code for code in each if code == "glued-json"] for each in codes(program, hooks)]
    assert told == [[], [], [], ["glued-json"], ["glued-json"], []]


def test_code_in_a_here_document_has_no_call_to_read(program: Program) -> None:
    guard = "c=$(cat)\ncase $c in *sudo*) echo no >&2; exit 2;; esac\n"
    reads = "import json, sys\nd = json.load(sys.stdin)\nif 'sudo' in str(d):\n    sys.exit(2)\n"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": f"bash -s <<'END'\n{guard}END"}),
        (
            "claude",
            "PreToolUse",
            script(program, "a.sh", f"{BASH}INPUT=$(cat)\necho \"$INPUT\" | python3 - <<'PY'\n{reads}PY\n"),
        ),
        ("gemini", "BeforeTool", script(program, "b.sh", f"{BASH}python3 <<EOF\n{reads}EOF\n")),
        (
            "claude",
            "PreToolUse",
            script(program, "c.sh", f"{BASH}python3 check.py <<'EOF'\nsys.stdin is read there\nEOF\n"),
        ),
        (
            "claude",
            "PreToolUse",
            script(
                program,
                "d.sh",
                f"{BASH}export IN=$(cat)\npython3 - <<'PY'\nimport os\nprint(os.environ['IN'])\nPY\n",
            ),
        ),
        ("claude", "PreToolUse", script(program, "e.sh", f"{BASH}cat > x.py <<'PY'\n{reads}PY\n")),
    ]
    told = [[code for code in each if code == "no-input"] for each in codes(program, hooks)]
    assert told == [["no-input"]] * 3 + [[]] * 3


def test_checks_of_code_whose_result_nobody_sees_are_told(program: Program) -> None:
    hooks: list[Hook] = [
        ("claude", "PostToolUse", {"command": "npx tsc --noEmit 2>&1 | head -20", "matcher": "Edit"}),
        ("claude", "Stop", {"command": "grep -rn 'print(' src | head -3 && echo 'left over' || true"}),
        ("claude", "TaskCompleted", {"command": 'cd "$CLAUDE_PROJECT_DIR" && python -m pytest -q | tail -5'}),
        ("claude", "Stop", {"command": "cmake --build out --target all 2>&1 | tail -20"}),
        ("copilot", "agentStop", {"bash": "npx tsc --noEmit 2>&1 | head -20"}),
        ("claude", "Stop", {"command": "cargo build --release"}),
        ("claude", "PostToolUse", {"command": "npx eslint --fix . 2>&1 | tail -5", "matcher": "Edit"}),
        ("claude", "PostToolUse", {"command": "ruff check . > report.txt || true", "matcher": "Edit"}),
        ("claude", "SessionStart", {"command": "git status --short | head -20"}),
        ("claude", "Stop", {"command": "cargo test -q >&2 || exit 2"}),
    ]
    told = [[code for code in each if code == "unread-output"] for each in codes(program, hooks)]
    assert told == [["unread-output"]] * 5 + [[]] * 5


def test_allow_for_all_that_is_left_over_is_told(program: Program) -> None:
    says = "{hookSpecificOutput: {hookEventName: 'PreToolUse', permissionDecision: 'allow'}}"
    node = (
        "let d = ''; process.stdin.on('data', c => d += c);\nprocess.stdin.on('end', () => {\n  try {\n"
        "    if (/sudo/.test(JSON.parse(d).tool_input.command)) process.exit(2);\n%s  } catch { %s }\n});\n"
        f"function letGo() {{\n  console.log(JSON.stringify({says}));\n}}\n"
    )
    told = (
        f"{PYTHON}def say(what):\n    print(json.dumps({{'hookSpecificOutput': {{'permissionDecision': what}}}}))\n"
        "def main():\n    call = json.load(sys.stdin)['tool_input']\n    try:\n        if 'sudo' in call['command']:\n"
        "            answer('deny')\n    except KeyError as error:\n        answer('allow')\nanswer = say\nmain()\n"
    )
    answer = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'
    shell = f"{BASH}pass_allow() {{\n  echo '{answer}'; exit 0\n}}\nT=$(jq -r .tool_name)\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PreToolUse",
            {"command": f"{_node(program, 'a.js', node % ('', 'allow();'))}", "matcher": "Bash"},
        ),
        ("claude", "PreToolUse", script(program, "b.py", told)),
        ("claude", "PreToolUse", script(program, "c.sh", f"{shell}[[ $T == Bash ]] || pass_allow\nexit 0\n")),
        ("claude", "PreToolUse", script(program, "d.sh", f"{shell}[[ $T == Read ]] && pass_allow\nexit 0\n")),
        (
            "claude",
            "PreToolUse",
            {"command": f"{_node(program, 'e.js', node % ('', ''))}", "matcher": "Bash"},
        ),
    ]
    assert [["blanket-allow"] if "blanket-allow" in each else [] for each in codes(program, hooks)] == [
        ["blanket-allow"], ["blanket-allow"], ["blanket-allow"], [], [],
    ]  # fmt: skip


def _node(program: Program, name: str, text: str) -> str:
    program.write(name, text.replace("letGo", "allow"))
    return f'node "$CLAUDE_PROJECT_DIR"/{name}'


def test_the_beginning_of_a_relative_path_fits_no_whole_one(program: Program) -> None:
    reads = f"{BASH}F=$(jq -r '.tool_input.file_path // empty')\n"
    stop = "then echo no >&2; exit 2; fi\n"
    listed = (
        'KEPT=(".env*" "*.pem")\nfor k in "${KEPT[@]}"; do\n  if echo "$F" | grep -qE "^${k//\\*/.*}$"; '
        + stop
        + "done\n"
    )
    python = PYTHON + "path = json.load(sys.stdin)['tool_input']['file_path']\n"
    starts = "tool_input = json.load(sys.stdin)['tool_input']\npath = tool_input.get('file_path', '')\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PostToolUse",
            script(program, "used.sh", f'{reads}[[ ! "$F" =~ ^src/(a|b)/ ]] && exit\necho used\n'),
        ),
        ("claude", "PreToolUse", script(program, "a.sh", f'{reads}if [[ "$F" =~ ^src/generated ]]; {stop}')),
        ("claude", "PreToolUse", script(program, "b.sh", f'{reads}if [[ "$F" == migrations/* ]]; {stop}')),
        ("claude", "PreToolUse", script(program, "c.sh", f"{reads}{listed}")),
        (
            "claude",
            "PreToolUse",
            script(program, "d.py", f"{PYTHON}{starts}if path.startswith('vendor/'):\n    sys.exit(2)\n"),
        ),
        ("claude", "PreToolUse", script(program, "e.sh", f'{reads}if [[ "$F" == */migrations/* ]]; {stop}')),
        (
            "claude",
            "PreToolUse",
            script(program, "f.sh", f'{reads}R="${{F#$PWD/}}"\nif [[ "$R" == migrations/* ]]; {stop}'),
        ),
        (
            "claude",
            "PreToolUse",
            script(program, "g.sh", f'{reads}if [[ "$F" == src/* || "$F" == */src/* ]]; {stop}'),
        ),
        ("gemini", "BeforeTool", script(program, "h.sh", f'{reads}if [[ "$F" == migrations/* ]]; {stop}')),
        (
            "claude",
            "PreToolUse",
            script(program, "i.py", f"{python}if path.endswith('.env'):\n    sys.exit(2)\n"),
        ),
    ]
    told = [[code for code in each if code == "dead-pattern"] for each in codes(program, hooks)]
    assert told == [["dead-pattern"]] * 5 + [[]] * 5


def test_a_test_without_its_operator_does_not_parse(program: Program) -> None:
    reads = f"{BASH}F=$(jq -r .tool_input.file_path)\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PreToolUse",
            script(program, "a.sh", f'{reads}if [[ "$F" `==` *.lock ]]; then exit 2; fi\necho >&2\n'),
        ),
        (
            "claude",
            "PreToolUse",
            script(program, "b.sh", f'{reads}[[ -n "$F" && "$F" "x" ]] && exit 2\necho >&2\n'),
        ),
        (
            "claude",
            "PreToolUse",
            script(
                program,
                "c.sh",
                f'{reads}[[ ! -f "$F" && ( $F == *"a b"* || $F =~ (x|y) ) ]] && exit 2\necho >&2\n',
            ),
        ),
        (
            "claude",
            "PreToolUse",
            script(
                program,
                "d.sh",
                f'{reads}[[ "$F" == @(a|b) && ${{#F}} -gt 3 && "$F" < "$0" ]] && exit 2\necho >&2\n',
            ),
        ),
    ]
    told = [[code for code in each if code == "bad-syntax"] for each in codes(program, hooks)]
    assert told == [["bad-syntax"]] * 2 + [[]] * 2


def test_what_came_of_a_call_and_its_parts_have_one_name(program: Program) -> None:
    knows = "case $(jq -r .tool_name) in Bash) ;; Write) jq -r .tool_input.file_path;; esac >> log\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PostToolUse",
            {"command": 'node -e "const i = JSON.parse(fs.readFileSync(0)); show(i.tool_output)"'},
        ),
        (
            "claude",
            "PostToolUse",
            script(program, "a.sh", f"{BASH}OUT=$(jq -r '.tool_result // empty')\necho $OUT >> log\n"),
        ),
        (
            "claude",
            "PostToolUse",
            script(program, "b.sh", f"{BASH}jq -r '.tool_response // .tool_output' >> log\n"),
        ),
        ("cursor", "postToolUse", {"command": "jq -r .tool_output >> log"}),
        ("claude", "PostToolUse", {**script(program, "c.sh", f"{BASH}{knows}"), "matcher": "Bash"}),
        ("claude", "PreToolUse", script(program, "d.sh", f"{BASH}jq -r '.. | .command? // empty' >> log\n")),
    ]
    told = [[code for code in each if code == "unsent-field"] for each in codes(program, hooks)]
    assert told == [["unsent-field"]] * 2 + [[]] * 4
    program.write(
        ".clinerules/hooks/PreToolUse",
        f"{BASH}t=$(jq -r '.preToolUse.tool // empty')\n[ $t = x ] && exit 0\n",
        0o755,
    )
    program.write(".clinerules/hooks/PostToolUse", f"{BASH}jq -r '.postToolUse.toolName' >> log\n", 0o755)
    cline = [
        each["source"]
        for each in found(program)
        if each["code"] == "unsent-field" and "cline" in each["source"]
    ]
    assert cline == [".clinerules/hooks/PreToolUse"]


def test_a_script_that_only_starts_another_is_read_through(program: Program) -> None:
    program.write(
        "hooks/guard.py", f"{PYTHON}d = json.load(sys.stdin)\nif d['toolName'] == 'Bash':\n    sys.exit(2)\n"
    )
    program.write(
        "hooks/a.sh", f'{BASH}set -e\n# the guard\nexec python3 "$(dirname "$0")/guard.py" "$@"\n', 0o755
    )
    program.write(
        "hooks/b.sh",
        f'{BASH}DIR="$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)"\nexec python3 "$DIR/guard.py"\n',
        0o755,
    )
    program.write(
        "hooks/c.sh", f'{BASH}echo \'{{"toolName": "x"}}\' | python3 "$(dirname "$0")/guard.py"\n', 0o755
    )
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": f'"$CLAUDE_PROJECT_DIR"/hooks/{name}.sh'}) for name in "abc"
    ]
    assert codes(program, hooks) == [["unsent-field"], ["unsent-field"], []]


def test_matchers_that_fit_all_or_name_an_event_are_told(program: Program) -> None:
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": "true", "matcher": 'tool == "Edit" || tool == "Write"'}),
        ("gemini", "BeforeTool", {"command": "true", "matcher": "write_file|"}),
        ("claude", "SubagentStop", {"command": "true", "matcher": "SubagentStop"}),
        ("claude", "PreToolUse", {"command": "true", "matcher": "Edit|Write"}),
        ("claude", "PreToolUse", {"command": "true", "matcher": ".*"}),
        ("claude", "SubagentStop", {"command": "true", "matcher": "reviewer"}),
        ("qwen", "PreToolUse", {"command": "true", "matcher": "edit|glob"}),
    ]
    assert codes(program, hooks) == [
        ["matcher-ignored"],
        ["matcher-ignored"],
        ["dead-matcher"],
        [],
        [],
        [],
        [],
    ]
    rules = {"permissions": {"allow": ["edit", "glob", "task", "Bash(ls *)"], "deny": ["bash(rm *)"]}}
    program.write(".qwen/settings.json", json.dumps(rules))
    assert [
        each["message"] for each in found(program, ".qwen/settings.json") if each["code"] == "dead-name"
    ] == ["no tool is called `bash`, so the rule never counts"]


def test_an_answer_for_another_agent_that_the_line_or_a_variable_tells_is_none(program: Program) -> None:
    emit = (
        "const say = t => process.argv.includes('--for-gemini') ? console.log(JSON.stringify({decision: 'allow'}))\n"
        "  : console.log(JSON.stringify({output: t}));\nprocess.stdin.on('end', () => say('x'));\n"
    )
    program.write("a.js", emit)
    deny = 'if [ -n "$CURSOR_TRACE_ID" ]; then echo \'{"permissionDecision": "deny"}\'; exit 0; fi\n'
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": 'node "$CLAUDE_PROJECT_DIR"/a.js'}),
        ("gemini", "BeforeTool", {"command": "node a.js --for-gemini"}),
        ("claude", "PreToolUse", script(program, "b.sh", f"{BASH}cat >/dev/null\n{deny}")),
        (
            "claude",
            "PreToolUse",
            script(program, "c.sh", f"{BASH}cat >/dev/null\n{deny.replace('CURSOR', 'MY')}"),
        ),
    ]
    told = [[code for code in each if code == "wrong-answer"] for each in codes(program, hooks)]
    assert told == [["wrong-answer"], [], [], ["wrong-answer"]]


def test_a_plugin_is_read_as_the_agents_do_that_its_descriptions_are_for(program: Program) -> None:
    hook = {"type": "command", "command": 'node "${DROID_PLUGIN_ROOT}/a.mjs"', "timeout": 5}
    context = {"type": "command", "command": "true", "additionalContextLimit": 900}
    flat = {"type": "command", "bash": "./scripts/a.sh", "powershell": "./scripts/a.ps1", "timeoutSec": 9}
    wrap = {"plugins/droid": ("UserPromptSubmit", hook), "plugins/codex": ("SessionStart", context)}
    for folder, (event, entry) in wrap.items():
        program.write(f"{folder}/hooks/hooks.json", json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))
    program.write("plugins/droid/.factory-plugin/plugin.json", '{"name": "a"}')
    program.write("plugins/droid/a.mjs", "process.exit(0);\n")
    program.write("plugins/codex/.codex-plugin/plugin.json", '{"name": "b"}')
    program.write("plugins/codex/.claude-plugin/plugin.json", '{"name": "b", "hooks": "./claude.json"}')
    program.write("plugins/codex/claude.json", json.dumps({"hooks": {"Stop": [{"hooks": [context]}]}}))
    program.write("plugins/other/plugin.json", '{"name": "c"}')
    program.write(
        "plugins/other/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"sessionStart": [flat]}})
    )
    program.write("plugins/other/scripts/a.sh", f"{BASH}true\n", 0o755)
    # of a program with plugins of its own
    program.write(
        "plugins/limits/plugin.json", '{"name": "d", "hooks": {"on_request": true, "on_response": true}}'
    )
    assert [(each["source"], each["code"]) for each in found(program)] == [
        ("plugins/codex/claude.json", "unknown-key")
    ]


@pytest.mark.parametrize(
    ("descriptions", "codes"),
    [
        ((".claude-plugin",), ["unknown-event", "flat-entry", "file-dropped"]),
        ((".cursor-plugin",), []),
        ((".claude-plugin", ".cursor-plugin"), []),  # the events tell whose of the two it is
    ],
)
@pytest.mark.parametrize("name", ["hooks/hooks.json", "hooks.json"])
def test_a_plugin_described_for_one_agent_has_its_hooks_read_by_that_agents_rules(
    program: Program, name: str, descriptions: tuple[str, ...], codes: list[str]
) -> None:
    for folder in descriptions:
        program.write(f"{folder}/plugin.json", '{"name": "p"}')
    program.write(name, json.dumps({"hooks": {"stop": [{"command": "true"}]}}))
    told = [each["code"] for each in found(program) if each["code"] not in ("unread-file", "missing-key")]
    assert told == codes


def test_times_of_an_entry_that_is_broken_otherwise_are_not_judged(program: Program) -> None:
    entry = {"type": "command", "command": "true", "matcher": "write_file", "timeout": 5000}
    program.write(".gemini/settings.json", json.dumps({"hooks": {"BeforeTool": [entry]}}))
    assert [each["code"] for each in found(program)] == ["flat-entry"]


def test_doctor_knows_other_places_of_a_script_and_the_words_of_powershell(program: Program) -> None:
    home = '"$HOME/.codex/hooks/a.py"'
    lines = [
        f"python3 .codex/hooks/a.py 2>/dev/null || python3 {home} || true",
        f"if [ -f {home} ]; then exec python3 {home}; fi; exit 0",
        f"python3 {home} || true",
        "pwsh -NoProfile -Command '& { Join-Path (git rev-parse --show-toplevel) x }'",
    ]
    program.write(".codex/hooks/a.py", "import sys\nsys.stdin.read()\n")
    groups = [{"hooks": [{"type": "command", "command": line}]} for line in lines]
    program.write(".codex/hooks.json", json.dumps({"hooks": {"SessionStart": groups}}))
    told = [
        each for each in json.loads(program("doctor", "--json").stdout) if each["code"].startswith("missing-")
    ]
    assert [each["message"].split(": ")[-1].split("`")[1].rpartition("/")[2] for each in told] in (
        ["a.py", "pwsh"],
        ["a.py"],
    )


def test_allow_as_the_last_statement_is_told(program: Program) -> None:
    guard = (
        "const emit = what => console.log(JSON.stringify({hookSpecificOutput: {permissionDecision: what}}));\n"
        "run(call => {\n  if (call.tool_input.command.includes('sudo')) {\n    return emit('deny');\n  }\n%s});\n"
    )
    program.write("a.mjs", guard % "  return emit('allow');\n")
    program.write(
        "b.mjs", guard % "  if (/^ls/.test(call.tool_input.command)) return emit('allow');\n  log();\n"
    )
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": f'cat | node "$CLAUDE_PROJECT_DIR"/{name}.mjs'}) for name in "ab"
    ]
    told = [[code for code in each if code == "blanket-allow"] for each in codes(program, hooks)]
    assert told == [["blanket-allow"], []]


def test_a_call_is_no_argument(program: Program) -> None:
    node = "const call = process.argv[2] ? JSON.parse(process.argv[2]) : {};\nif (call.a === 'x') process.exit(2);\n"
    shell = f'{BASH}CALL="${{1:-}}"\n%sF=$(echo "$CALL" | jq -r .file_path)\necho "$F" >> log\n'
    program.write("a.js", node)
    program.write("b.js", f"{node}process.stdin.on('data', d => {{}});\n")
    hooks: list[Hook] = [
        ("gemini", "BeforeTool", {"command": "node a.js"}),
        ("claude", "Stop", script(program, "a.sh", shell % "")),
        ("gemini", "BeforeTool", {"command": "node b.js"}),
        ("claude", "Stop", script(program, "b.sh", shell % "CALL=${CALL:-$(cat)}\n")),
        ("claude", "PreToolUse", {"command": 'node "$CLAUDE_PROJECT_DIR"/a.js "$(cat)"'}),
    ]
    told = [[code for code in each if code == "no-input"] for each in codes(program, hooks)]
    assert told == [["no-input"]] * 2 + [[]] * 3


def test_a_file_that_a_manifest_names_is_read_and_a_word_behind_an_unknown_script_is_none(
    program: Program,
) -> None:
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": 'bash "$RUNNER" check.py'}]}]}}
    program.write(".claude/settings.json", json.dumps(hooks))
    assert found(program) == []
    program.write(".claude/hooks/hooks.json", json.dumps(hooks))
    assert "unread-file" in program("doctor").stdout
    program.write(".claude-plugin/plugin.json", '{"name": "mine", "hooks": "./.claude/hooks/hooks.json"}')
    assert "unread-file" not in program("doctor").stdout
