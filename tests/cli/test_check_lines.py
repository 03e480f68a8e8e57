"""What `hookline check` finds in the command lines of hooks and in the scripts they run."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from tests.program import Program

CLAUDE, GEMINI, CODEX = ".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"
CURSOR, COPILOT = ".cursor/hooks.json", ".github/hooks/guard.json"
GUARD_EVENT = {
    CLAUDE: "PreToolUse",
    GEMINI: "BeforeTool",
    CODEX: "PreToolUse",
    CURSOR: "preToolUse",
    COPILOT: "preToolUse",
}
AFTER_EVENT = {
    CLAUDE: "PostToolUse",
    GEMINI: "AfterTool",
    CODEX: "PostToolUse",
    CURSOR: "afterFileEdit",
    COPILOT: "postToolUse",
}


def configure(program: Program, path: str, event: str, **hook: Any) -> None:
    entry = {"type": "command", **hook}
    grouped = path in (CLAUDE, GEMINI, CODEX)
    content = {"hooks": {event: [{"hooks": [entry]}] if grouped else [entry]}}
    program.write(path, json.dumps(content if grouped else {"version": 1, **content}))


def codes(program: Program) -> list[str]:
    return sorted(problem["code"] for problem in json.loads(program("check", "--json").stdout))


def told(program: Program, command: str, path: str = CLAUDE, event: str = "", **more: Any) -> list[str]:
    key = "bash" if path == COPILOT else "command"
    configure(program, path, event or AFTER_EVENT[path], **{key: command}, **more)
    return codes(program)


# -- variables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (CLAUDE, "ruff check --fix $CLAUDE_FILE_PATHS"),
        (CLAUDE, 'prettier --write "${CLAUDE_TOOL_INPUT_FILE_PATH}"'),
        (CLAUDE, "bash -c 'echo $CLAUDE_TOOL_INPUT | jq .'"),
        (CLAUDE, 'pwsh -Command "Write-Output $env:TOOL_INPUT"'),
        (CLAUDE, "prettier --write {{file_path}}"),
        (CLAUDE, "ruff format ${file}"),
        (CLAUDE, 'jq . "${CLAUDE_PLUGIN_ROOT}"/x.json'),
        (GEMINI, "prettier --write $GEMINI_FILE_PATH"),
        (CODEX, 'ls "${CODEX_PLUGIN_ROOT}"'),
        (CODEX, 'ls "$CLAUDE_PROJECT_DIR"'),
        (CURSOR, 'prettier --write "${file}"'),
        (COPILOT, 'ls "${workspaceFolder}"'),
    ],
)
def test_a_variable_that_the_agent_never_sets_is_an_error(program: Program, path: str, command: str) -> None:
    assert told(program, command, path) == ["unset-variable"]
    assert program("check").returncode == 1


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (CLAUDE, 'FILE=$(jq -r .tool_input.file_path) && ruff check "$FILE"'),
        (CLAUDE, 'jq -r .tool_input.file_path | while read -r file; do ruff check "$file"; done'),
        (CLAUDE, 'ls "${CLAUDE_PROJECT_DIR:-$PWD}" "${CLAUDE_NOTES:-notes}"'),
        (CLAUDE, "jq --arg file x '{a: $file}' /etc/hosts"),
        (CLAUDE, 'curl -d x "$SLACK_WEBHOOK" "$CLAUDE_NOTIFY_URL"'),
        (CLAUDE, 'ls "$CLAUDE_PROJECT_DIR" "$HOME" "$PATH" "$CLAUDE_CONFIG_DIR" "$CLAUDE_CODE_SESSION_ID"'),
        (CLAUDE, "for file in *.py; do ruff check $file; done"),
        (GEMINI, 'ls "$GEMINI_PROJECT_DIR" "$CLAUDE_PROJECT_DIR"'),
        (CURSOR, 'ls "$CURSOR_PROJECT_DIR"'),
        (COPILOT, 'ls "$COPILOT_PROJECT_DIR"'),
        (CLAUDE, "pwsh -Command '$file = Get-Item x; Write-Output $file'"),
    ],
)
def test_variables_that_something_sets_are_left_alone(program: Program, path: str, command: str) -> None:
    assert told(program, command, path) == []


def test_a_variable_that_is_always_its_default_is_a_warning(program: Program) -> None:
    assert told(program, 'ls "${CLAUDE_FILE_PATHS:-$PWD}"') == ["unset-default"]
    assert program("check").returncode == 0


def test_what_the_settings_set_is_set(program: Program) -> None:
    content = {
        "env": {"CLAUDE_FILE_PATHS": "src"},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ruff format $CLAUDE_FILE_PATHS"}]}]},
    }
    program.write(CLAUDE, json.dumps(content))
    assert codes(program) == []


# -- shells -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "args", "found"),
    [
        ("node", ["${X_PATH:-node_modules/x}/hook.js"], True),
        ("node", ["$CLAUDE_PROJECT_DIR/x.js"], True),
        ("jq", [".", "|", "cat"], True),
        ("prettier", ["$(cat)"], True),
        ("node", ["~/x.js"], True),
        ("node x.js", ["--fast"], True),
        ("ls", ["${CLAUDE_PROJECT_DIR}/a b"], False),
        ("bash", ["-c", "ls | cat"], False),
        ("jq", ["-r", ".a[0]"], False),
    ],
)
def test_shell_syntax_in_args_is_an_error(
    program: Program, command: str, args: list[str], found: bool
) -> None:
    assert ("shell-in-args" in told(program, command, args=args)) is found


@pytest.mark.parametrize(
    "command",
    [
        'FILE=$(jq -r .tool_input.file_path) && [[ "$FILE" =~ py$ ]] && ruff check "$FILE"',
        "[[ -f x ]] && true",
        "jq . <<< '{}'",
        "diff <(ls) <(ls -a)",
        '[ "$HOME" == x ] && true',
        "set -euo pipefail; ls | cat",
        'x=abc; ls "${x//a/b}"',
        "files=(a b); ls",
        "ls &> /dev/null && true",
    ],
)
def test_bash_syntax_in_a_line_for_sh_is_an_error(program: Program, command: str) -> None:
    assert told(program, command) == ["bashism"]
    assert told(program, command, shell="bash") == []


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (CLAUDE, "bash -c '[[ -f x ]] && true'"),
        (CLAUDE, "[ -f x ] && true"),
        (CLAUDE, "grep -E '[[:space:]]' /etc/hosts"),
        (CLAUDE, "echo '[[ not a test ]]' >> log"),
        (CLAUDE, "ls | xargs -I{} true {}"),
        (GEMINI, "[[ -f x ]] && true"),
        (CODEX, "[[ -f x ]] && true"),
    ],
)
def test_bash_where_bash_runs_is_left_alone(program: Program, path: str, command: str) -> None:
    assert told(program, command, path) == []


# -- output -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "event", "command", "found"),
    [
        (CLAUDE, "Stop", "echo 'please check'", ["unread-output"]),
        (CLAUDE, "SessionEnd", "printf 'bye\\n'; exit 0", ["unread-output"]),
        (CLAUDE, "Notification", "cat <<'E'\nhello\nE", ["unread-output"]),
        (CLAUDE, "PostToolUse", "echo done || true", ["unread-output"]),
        (CODEX, "Stop", "echo done", ["plain-output"]),
        (CODEX, "PreToolUse", "echo done", ["unread-output"]),
        (CURSOR, "stop", "echo done", ["unread-output"]),
        (CLAUDE, "SessionStart", "echo hello", []),
        (CLAUDE, "UserPromptSubmit", "echo hello", []),
        (CODEX, "SessionStart", "echo hello", []),
        (GEMINI, "AfterAgent", "echo hello", []),
        (CLAUDE, "Stop", 'echo \'{"systemMessage": "hi"}\'', []),
        (CLAUDE, "Stop", "echo done >> log", []),
        (CLAUDE, "Stop", "echo done; npm test", []),
        (CLAUDE, "PreToolUse", "echo no >&2; exit 2", []),
        (CLAUDE, "PreCompact", "echo keep the plan", []),
    ],
)
def test_output_that_nobody_reads_is_told(
    program: Program, path: str, event: str, command: str, found: list[str]
) -> None:
    assert told(program, command, path, event) == found


# -- paths --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "bash .claude/hooks/guard.sh",
        "zsh .claude/hooks/guard.sh",
        "./.claude/hooks/guard.sh",
        ".claude/hooks/guard.sh --fast",
        "env A=1 .claude/hooks/guard.sh",
        "cat | .claude/hooks/guard.sh",
        "timeout 5 bash .claude/hooks/guard.sh || true",
        "bash -c '.claude/hooks/guard.sh'",
    ],
)
def test_a_relative_script_is_told_where_the_agent_moves(program: Program, command: str) -> None:
    program.write(".claude/hooks/guard.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    assert told(program, command) == ["relative-script"]
    both = told(program, command, ".codex/hooks.json", "PreToolUse")  # of the first file, and of this one
    assert both == ["relative-script"] * 2


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("[ -f out/graph.json ] && echo '{}' || true", ["relative-script"]),
        ("if test -d notes/today; then echo '{}'; fi", ["relative-script"]),
        ("cd \"$CLAUDE_PROJECT_DIR\" && [ -f out/graph.json ] && echo '{}'", []),
        ("[ -f \"$CLAUDE_PROJECT_DIR\"/out/graph.json ] && echo '{}' || true", []),
    ],
)
def test_a_file_that_a_line_looks_for_where_it_stands_is_told(
    program: Program, command: str, found: list[str]
) -> None:
    assert told(program, command) == found


def test_a_script_outside_of_the_repository_is_told_where_it_is_not(program: Program) -> None:
    cursor = ".cursor/hooks.json"
    assert told(program, "../elsewhere.sh", cursor, "stop") == ["missing-program"]
    (program.workspace.parent / "elsewhere.sh").write_text("#!/bin/sh\ncat >/dev/null\n")
    (program.workspace.parent / "elsewhere.sh").chmod(0o755)
    assert told(program, "../elsewhere.sh", cursor, "stop") == []


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (CLAUDE, 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        (CLAUDE, 'cd "$CLAUDE_PROJECT_DIR" && .claude/hooks/guard.sh'),
        (CLAUDE, 'bash "${CLAUDE_PROJECT_DIR:-$(git rev-parse --show-toplevel)}/.claude/hooks/guard.sh"'),
        (CLAUDE, 'bash "$(git rev-parse --show-toplevel)/.claude/hooks/guard.sh"'),
        (CLAUDE, 'cd "$(git rev-parse --show-toplevel)" && bash .claude/hooks/guard.sh'),
        (CLAUDE, 'R=$(git rev-parse --show-toplevel); bash "$R/.claude/hooks/guard.sh"'),
        (CURSOR, ".claude/hooks/guard.sh"),
        (GEMINI, "bash .claude/hooks/guard.sh"),
        (GEMINI, "bash $GEMINI_PROJECT_DIR/.claude/hooks/guard.sh"),
        (COPILOT, "bash .claude/hooks/guard.sh"),
        (CLAUDE, "ruff format src/a.py"),
        (CLAUDE, "npx prettier --write ."),
    ],
)
def test_a_path_that_begins_at_a_fixed_place_is_left_alone(program: Program, path: str, command: str) -> None:
    program.write(".claude/hooks/guard.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    assert told(program, command, path) == []


@pytest.mark.parametrize(
    "command",
    [
        "$CLAUDE_PROJECT_DIR/guard.sh",
        "bash ${CLAUDE_PROJECT_DIR}/guard.sh",
        "cd $CLAUDE_PROJECT_DIR && ./guard.sh",
        "bash $(git rev-parse --show-toplevel)/guard.sh",
        "bash ${CLAUDE_PROJECT_DIR:-.}/guard.sh",
        "bash -c 'bash $CLAUDE_PROJECT_DIR/guard.sh'",
    ],
)
def test_a_folder_without_quotes_is_told(program: Program, command: str) -> None:
    program.write("guard.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    assert told(program, command) == ["unquoted-path"]
    assert program("check").returncode == 0


@pytest.mark.parametrize("folder", ["plugins/guard", "packages/guard", "tools/guard"])
def test_a_plugin_in_a_folder_of_plugins_is_read_once(program: Program, folder: str) -> None:
    hook = {"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/guard.sh", "timeout": 5}
    program.write(f"{folder}/.claude-plugin/plugin.json", '{"name": "guard"}')
    program.write(f"{folder}/hooks/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    program.write(f"{folder}/guard.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    assert codes(program) == ["unquoted-path"]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("node /Users/kim/tools/x.js", True),
        ("bash /home/kim/x.sh", True),
        ('python3 "C:/Users/Kim Lee/app/x.py"', True),
        ("powershell -File C:\\Users\\kim\\x.ps1", True),
        ("P:/tools/run.exe --now", True),
        ("D:\\tools\\run.exe --now", True),
        ('printf "%s" "Errors in $f:\\n$ERRORS"', False),
        ('printf "%s:\\nfound" "$f"', False),
        ('printf "%s" "plan B:\\n$PLAN"', False),
        ("printf 'option d:\\t'", False),
        ("bash /c/Users/kim/x.sh", True),
        ("python3 /data/checkouts/app/.codex/hooks/x.py", True),
        ("python3 /workspaces/app/.claude/hooks/x.py", False),
        ("cat ./docs/.claude/x.md", False),
        ("ls /usr/local/bin", False),
        ("curl https://example.com/home/kim/x", False),
        ("ls /home/runner/work/x", False),
    ],
)
def test_one_persons_path_in_a_shared_file_is_told(program: Program, command: str, found: bool) -> None:
    assert ("personal-path" in told(program, command)) is found
    for path, event in (
        (CLAUDE, "QuotaReached"),
        (".windsurf/hooks.json", "session_end"),
        (COPILOT, "stopped"),
    ):
        of_unknown_event = told(program, command, path, event)
        assert ("personal-path" in of_unknown_event, "unknown-event" in of_unknown_event) == (found, True)
        program.write(path, "{}")


def test_ones_own_settings_may_name_ones_own_paths(program: Program) -> None:
    configure(program, ".claude/settings.local.json", "Stop", command="x")
    content = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ls /Users/kim/x"}]}]}}
    program.write(".claude/settings.local.json", json.dumps(content))
    assert codes(program) == []


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ('bash "$CLAUDE_PROJECT_DIR"/nosuch.sh', "missing-script"),
        ('"$CLAUDE_PROJECT_DIR"/nosuch.sh', "missing-program"),
        ('bash "$(git rev-parse --show-toplevel)/nosuch.sh"', "missing-script"),
        ('cd "$CLAUDE_PROJECT_DIR" && ./nosuch.sh', "missing-program"),
        ("bash -c \"node '$CLAUDE_PROJECT_DIR/nosuch.js'\"", "missing-script"),
        ('[ -x "$CLAUDE_PROJECT_DIR/a.sh" ] && exec "$CLAUDE_PROJECT_DIR/a.sh"', "missing-program"),
        ('env A=1 "$CLAUDE_PROJECT_DIR/nosuch.sh"', "missing-program"),
        ('jq -r .cwd | { read -r f; "$CLAUDE_PROJECT_DIR/nosuch.sh" "$f"; }', "missing-program"),
        ('X=$(date) && "$CLAUDE_PROJECT_DIR/nosuch.sh" "$X"', "missing-program"),
        ('bun run "$CLAUDE_PROJECT_DIR/nosuch.ts"', "missing-script"),
        ('npx tsx "$CLAUDE_PROJECT_DIR/nosuch.ts"', "missing-script"),
        ('uv run "$CLAUDE_PROJECT_DIR/nosuch.py"', "missing-script"),
        ('pwsh -NoProfile -File "$CLAUDE_PROJECT_DIR/nosuch.ps1"', "missing-script"),
        ('"$CLAUDE_PROJECT_DIR"/plain.sh', "not-executable"),
        ('"$CLAUDE_PROJECT_DIR"/folder', "not-a-program"),
        ('"$CLAUDE_PROJECT_DIR"/pipe', "not-a-program"),
        ('bash "$CLAUDE_PROJECT_DIR"/windows.sh', "crlf"),
    ],
)
def test_a_script_that_cannot_start_is_found_however_the_line_names_it(
    program: Program, command: str, code: str
) -> None:
    program.write("plain.sh", "#!/bin/sh\n", 0o644)
    program.write("windows.sh", "#!/bin/sh\r\ntrue\r\n", 0o755)
    (program.workspace / "folder").mkdir()
    os.mkfifo(program.workspace / "pipe", 0o755)
    assert told(program, command) == [code]


def test_copilots_own_folder_of_a_hook_is_where_it_starts(program: Program) -> None:
    program.write(".github/hooks/scripts/a.sh", "#!/bin/sh\n", 0o755)
    assert told(program, "./scripts/a.sh", COPILOT, cwd=".github/hooks") == []
    assert told(program, "./scripts/b.sh", COPILOT, cwd=".github/hooks") == ["missing-program"]


# -- what guards say ----------------------------------------------------------------------------------

WEAK = "#!/bin/sh\nif grep -q rm; then\n  echo 'BLOCKED: no rm here' >&2\n  exit 1\nfi\nexit 0\n"


@pytest.mark.parametrize(
    ("path", "found"),
    [(CLAUDE, True), (GEMINI, True), (CODEX, True), (CURSOR, True), (COPILOT, False)],
)
def test_a_guard_that_blocks_with_exit_1_is_an_error_where_that_lets_through(
    program: Program, path: str, found: bool
) -> None:
    program.write("guard.sh", WEAK, 0o755)
    command = 'bash "$(git rev-parse --show-toplevel)/guard.sh"'
    assert ("weak-exit" in told(program, command, path, GUARD_EVENT[path])) is found


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (
            "import sys\nif 'rm' in sys.stdin.read():\n    print('Blocked: no rm', file=sys.stderr)\n    sys.exit(1)\n",
            "weak-exit",
        ),
        (
            "const s = require('fs').readFileSync(0);\n"
            "if (/rm/.test(s)) {\n  console.error('denied');\n  process.exit(1);\n}\n",
            "weak-exit",
        ),
        ("#!/bin/sh\ncat >/dev/null\necho 'DENIED' >&2\nexit 2\n", ""),
        ("#!/bin/sh\n[ -n \"$1\" ] || { echo 'usage: x' >&2; exit 1; }\ncat >/dev/null\n", ""),
        ("#!/bin/sh\ncat >/dev/null\n# BLOCKED means exit 1\ndate >> log\nexit 0\n", ""),
        (
            "#!/bin/sh\njq . >/dev/null || { echo 'blocked: no input' >&2; exit 1; }\necho no >&2; exit 2\n",
            "",
        ),
    ],
    ids=["python", "node", "two", "usage", "comment", "both"],
)
def test_weak_exits_are_told_in_every_language_and_strong_ones_left_alone(
    program: Program, script: str, code: str
) -> None:
    program.write("guard", script, 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/guard', event="PreToolUse") == ([code] if code else [])


def test_a_guard_that_closes_on_failure_may_end_with_1(program: Program) -> None:
    line = "echo BLOCKED >&2; exit 1"
    assert told(program, line, event="PreToolUse") == ["weak-exit"]
    assert told(program, line, event="PreToolUse", onFailure="block") == []
    assert told(program, line, CURSOR, "preToolUse", failClosed=True) == []


def test_codex_wants_the_reason_on_standard_error(program: Program) -> None:
    assert told(program, "cat >/dev/null; echo no; exit 2", CODEX, "PreToolUse") == ["silent-exit"]
    assert told(program, "cat >/dev/null; echo no >&2; exit 2", CODEX, "PreToolUse") == []


def test_a_stop_hook_that_never_lets_go_is_told(program: Program) -> None:
    assert told(program, "npm test || exit 2", event="Stop") == ["stop-loop"]
    guarded = "jq -e .stop_hook_active >/dev/null || { npm test || exit 2; }"
    assert told(program, guarded, event="Stop") == []
    assert told(program, "npm test", event="Stop") == ["unread-output"]
    assert told(program, "npm test >&2", event="Stop") == []


@pytest.mark.parametrize(
    ("script", "let_go"),
    [
        ('flag=/tmp/dirty\nif [ -f "$flag" ]; then echo no >&2; exit 2; fi\n', False),
        ("touch /tmp/seen; MAX_LINES=9\nnpm test || exit 2\n", False),
        ('s=$(jq -r .session_id)\nnpm test || { echo "$s" >&2; exit 2; }\n', False),
        ('m=/tmp/m-$PPID\n[ -e "$m" ] && exit 0\ntouch "$m"\nexit 2\n', True),
        ('m=/tmp/m\nif [ -f "$m" ]; then rm -f "$m"; echo no >&2; exit 2; fi\n', True),
        ('n=$(cat /tmp/n)\necho $((n + 1)) > /tmp/n\n[ "$n" -lt 3 ] && exit 2\n', True),
    ],
)
def test_what_a_stop_hook_keeps_lets_it_go_only_if_it_looks_at_that(
    program: Program, script: str, let_go: bool
) -> None:
    program.write("stop.sh", f"#!/bin/sh\n{script}", 0o755)
    found = told(program, '"$CLAUDE_PROJECT_DIR"/stop.sh', event="Stop")
    assert ("stop-loop" not in found) is let_go


ALLOW = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (
            f"#!/bin/sh\nif grep -q 'rm -rf'; then\n  echo no >&2\n  exit 2\nfi\necho '{ALLOW}'\n",
            ["blanket-allow"],
        ),
        (f"#!/bin/sh\necho '{ALLOW}'\nexit 0\n", ["blanket-allow"]),
        (f"#!/bin/sh\nif grep -q 'npm test'; then\n  echo '{ALLOW}'\nfi\n", []),
        (f"#!/bin/sh\ngrep -q 'npm test' && echo '{ALLOW}'\nexit 0\n", []),
    ],
)
def test_a_guard_that_allows_the_rest_is_an_error(program: Program, script: str, found: list[str]) -> None:
    program.write("guard.sh", script, 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/guard.sh', event="PreToolUse") == found


def test_an_answer_in_anothers_words_is_an_error(program: Program) -> None:
    line = 'cat >/dev/null; echo \'{"permission": "deny", "userMessage": "no"}\''
    assert told(program, line, CURSOR, "preToolUse") == ["wrong-answer"]
    assert told(program, line.replace("userMessage", "user_message"), CURSOR, "preToolUse") == []
    bare = 'cat >/dev/null; echo \'{"permissionDecision": "deny"}\''
    assert told(program, bare, CLAUDE, "PreToolUse") == ["wrong-answer"]


@pytest.mark.parametrize(
    ("place", "event", "key", "wrong", "right"),
    [
        (CLAUDE, "PreToolUse", "decision", "deny", "block"),
        (CLAUDE, "Stop", "decision", "reject", "block"),
        (CODEX, "PostToolUse", "decision", "deny", "block"),
        (CURSOR, "beforeShellExecution", "permission", "block", "deny"),
    ],
)
def test_a_word_that_means_nothing_to_its_agent_is_an_error(
    program: Program, place: str, event: str, key: str, wrong: str, right: str
) -> None:
    why = "user_message" if place == CURSOR else "reason"
    line = f'cat >/dev/null; [ -e .stop_hook_active ] || echo \'{{"%s": "%s", "{why}": "no"}}\''
    assert told(program, line % (key, wrong), place, event) == ["wrong-answer"]
    assert told(program, line % (key, right), place, event) == []
    program.write("a.py", f"import json\nprint(json.dumps({{'{key}': '{wrong}', 'reason': 'no'}}))\n")
    assert "wrong-answer" in told(program, "python3 a.py", place, event)


def test_json_glued_from_the_call_is_told(program: Program) -> None:
    glued = '#!/bin/bash\nCOMMAND=$(jq -r .tool_input.command)\necho "{\\"systemMessage\\": \\"ran $COMMAND\\"}"\n'
    program.write("a.sh", glued, 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/a.sh') == ["glued-json"]
    program.write("a.sh", glued.replace("$(jq -r .tool_input.command)", '"fixed"'), 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/a.sh') == []


def test_a_hook_that_starts_in_one_persons_folder_is_told(program: Program) -> None:
    for path, key, event in (
        (".windsurf/hooks.json", "working_directory", "stop"),
        (COPILOT, "cwd", "sessionEnd"),
    ):
        event = "post_cascade_response" if key == "working_directory" else event
        line = {"bash" if path == COPILOT else "command": "true"}
        for folder, found in (("/Users/kim/work/app", ["personal-path"]), ("/workspaces/app", []), (".", [])):
            whole = {"version": 1, "hooks": {event: [{**line, key: folder}]}}
            program.write(path, json.dumps(whole))
            told = [each["code"] for each in json.loads(program("check", "--json").stdout)]
            assert [code for code in told if code == "personal-path"] == found, (path, folder)
        (program.workspace / path).unlink()
