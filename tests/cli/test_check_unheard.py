"""What `hookline check` says of words that are lost in one branch, in the shape of another agent, or by a code."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.cli.test_check_words import NODE, PYTHON, SHELL, told
from tests.program import Program

LOST = {
    "a.sh": """
if [ -f draft ]; then
  if [ -n "$c" ]; then
    echo ""
    echo "A draft lies there."
    if grep -q later draft; then echo "It says later."; fi
    EXIT
  fi
fi
if [ -f broken ]; then
  echo "It is broken." >&2
  exit 2
fi
""",
    "b.sh": 'case $c in *mkfs*) echo "no disks"; EXIT;; *dd*) echo "no dd" >&2; exit 2;; esac\n',
    "c.py": """
def main():
    c = d["tool_input"]["command"]
    if "mkfs" in c:
        print("no disks")
        return 2
    if "dd" in c:
        print("no dd", file=sys.stderr)
        return 2
    return 0


sys.exit(main())
""",
    "d.js": """
if (/mkfs/.test(d.tool_input.command)) {
  console.log('no disks');
  process.exit(2);
}
if (/dd/.test(d.tool_input.command)) {
  console.error('no dd');
  process.exit(2);
}
""",
}


@pytest.mark.parametrize("name", LOST)
def test_one_branch_says_on_the_wrong_stream_why_it_ends_with_2(program: Program, name: str) -> None:
    begins = {"sh": SHELL, "py": PYTHON, "js": NODE}[name.rpartition(".")[2]]
    text = begins + LOST[name].replace("EXIT", "exit 2")
    assert told(program, "PreToolUse", name, text, matcher="Bash") == ["unread-output"]
    right = (
        text.replace('"A draft lies there."', '"A draft lies there." >&2')
        .replace('"no disks";', '"no disks" >&2;')
        .replace('print("no disks")', 'print("no disks", file=sys.stderr)')
        .replace("console.log", "console.error")
    )
    assert told(program, "PreToolUse", name, right, matcher="Bash") == []


def test_what_a_branch_hands_on_as_a_whole_or_leaves_to_a_function_is_heard(program: Program) -> None:
    group = f'{SHELL}if [[ $c == *mkfs* ]]; then\n  {{\n    echo "no disks"\n  }} >&2\n  exit 2\nfi\n'
    helper = (
        f'{SHELL}no() {{ echo "$1" >&2; }}\nif [[ $c == *mkfs* ]]; then\n  echo "looking"\n  no "no disks"\n'
        "  exit 2\nfi\n"
    )
    logged = (
        f'{SHELL}if [[ $c == *mkfs* ]]; then\n  echo "no disks" >> log\n  echo "no disks" >&2\n  exit 2\nfi\n'
    )
    for name, text in (("a.sh", group), ("b.sh", helper), ("c.sh", logged)):
        assert told(program, "PreToolUse", name, text, matcher="Bash") == [], name


def test_words_before_an_answer_in_its_own_branch_spoil_it(program: Program) -> None:
    answer = """jq -n \\
      --arg why "$c" \\
      '{"decision": "block", "reason": $why}'
"""
    start = '#!/bin/bash\nif [ "$(jq -r .stop_hook_active)" = false ] && [[ -f todo ]]; then\n'
    spoilt = f'{start}  echo "=== once more ==="\n  if command -v jq; then\n    {answer}  fi\nEND\nfi\n'
    for end in ("", "  exit 2"):
        text = spoilt.replace("END", end)
        assert told(program, "Stop", "a.sh", text) == ["wrong-answer"], end
        assert told(program, "Stop", "a.sh", text.replace('==="', '===" >&2')) == []
        assert told(program, "Stop", "a.sh", text.replace("=== once more ===", "")) == []
    elsewhere = f"{start}    {answer}else\n  echo done\nfi\n"
    assert told(program, "Stop", "b.sh", elsewhere) == []


def test_words_for_the_model_in_the_shape_of_another_agent_are_told(program: Program) -> None:
    def at_the_start(text: str) -> Hook:
        return ("copilot", "sessionStart", script(program, "a.sh", f"#!/bin/bash\n{text}\n"))

    inner = '"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "read the plan"}'
    plain = '"additionalContext": "read the plan"'
    claude: Hook = ("claude", "SessionStart", script(program, "b.sh", f"#!/bin/bash\necho '{{{inner}}}'\n"))
    assert codes(program, [claude])[0] == []
    for answer, expected in ((inner, ["wrong-answer"]), (plain, []), (f"{inner}, {plain}", [])):
        assert codes(program, [at_the_start(f"echo '{{{answer}}}'")])[0] == expected, answer
        assert codes(program, [at_the_start(f"cat <<EOF\n{{{answer}}}\nEOF")])[0] == expected, answer


def test_words_for_the_model_are_lost_by_a_code_at_which_no_answer_is_read(program: Program) -> None:
    body = 'jq -n \'{hookSpecificOutput: {hookEventName: "PostToolUse", additionalContext: "look"}}\'\n'
    for agent, code, expected in (("claude", 1, []), ("codex", 1, ["unread-output"]), ("codex", 0, [])):
        text = f"#!/bin/bash\n{body}exit {code}\n"
        program.write("a.sh", text, 0o755)
        hook: Hook = (agent, "PostToolUse", {"command": 'bash "$(git rev-parse --show-toplevel)"/a.sh'})
        assert codes(program, [hook])[0] == expected, (agent, code)


def test_a_report_that_is_kept_or_run_by_a_function_is_as_lost_as_an_open_one(program: Program) -> None:
    kept = "#!/bin/bash\nout=$(cd web && npx tsc --noEmit 2>&1) || true\n"
    for shown in ('echo "$out" | tail -8\n', 'printf "%s" "$out"\n', 'echo "$out" | grep error | head -3\n'):
        assert told(program, "PostToolUse", "a.sh", f"{kept}{shown}exit 0\n") == ["unread-output"], shown
    for quiet in ('echo "$out" >> log\n', 'echo "$out" | grep -q error && date >> log\n', "n=${#out}\n"):
        assert told(program, "PostToolUse", "b.sh", f"{kept}{quiet}exit 0\n") == [], quiet
    run = (
        '#!/bin/bash\n[ "$(jq -r .stop_hook_active)" = true ] && exit 0\nin_time() {\n  timeout 60 "$@"\n}\n'
        'if ! in_time npm test 2>&1; then\n  echo "FAILED: look above" >&2\n  exit 2\nfi\n'
    )
    assert told(program, "Stop", "c.sh", run) == ["unread-output"]
    assert told(program, "Stop", "c.sh", run.replace("2>&1", ">&2")) == []


@pytest.mark.parametrize(
    "words",
    [
        "black failed on $f",
        "💡 use the money type here",
        "ℹ️ $f: parseInt takes hex as well",
        "⚠ MISSING title in $f",
        "types: 3 error(s) found",
    ],
)
def test_more_words_that_want_something_are_told_where_nobody_hears_them(
    program: Program, words: str
) -> None:
    text = f'#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nblack -q "$f" || echo "{words}" >&2\nexit 0\n'
    assert told(program, "PostToolUse", "a.sh", text) == ["unread-output"]


@pytest.mark.parametrize("words", ["missing config", "dry run: nothing is sent", "parsed $f", "formatted $f"])
def test_words_about_the_script_itself_are_left_alone(program: Program, words: str) -> None:
    text = f'#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nblack -q "$f" || echo "{words}" >&2\nexit 0\n'
    assert told(program, "PostToolUse", "a.sh", text) == []


def test_a_number_between_the_quotes_of_json_breaks_nothing(program: Program) -> None:
    text = (
        '#!/bin/bash\nheld() { cat "$1" 2>/dev/null || echo 0; }\nall=$(held all.n)\nbig=$(held big.n)\n'
        'if [[ "$all" -ge 9 ]]; then\n  echo "{\\"systemMessage\\": \\"$all of 10 used, $big of them big\\"}"\nfi\n'
    )
    assert told(program, "PostToolUse", "a.sh", text) == []
    assert told(program, "PostToolUse", "a.sh", text.replace('"$all" -ge 9', '-n "$all"')) == ["glued-json"]


def test_a_variable_that_is_compared_is_no_program_that_reads_the_input(program: Program) -> None:
    text = (
        '#!/bin/bash\ncase "$CLAUDE_TOOL_NAME" in Write) date >> log ;; esac\nn=$(wc -l < log)\nm=3\n'
        "if [[ $n -gt 0 && $n -eq $m ]]; then date >> log; fi\n"
    )
    assert told(program, "PostToolUse", "a.sh", text) == ["unset-variable"]


def test_an_allow_for_all_else_at_the_end_of_a_case_is_for_every_call(program: Program) -> None:
    def answers(word: str) -> str:
        inner = f'"hookEventName":"PreToolUse","permissionDecision":"{word}","permissionDecisionReason":"x"'
        return f"echo '{{\"hookSpecificOutput\":{{{inner}}}}}'"

    denies = f"  *mkfs*)\n    {answers('deny')}\n    ;;\n"
    text = f"{SHELL}case $c in\n{denies}  *)\n    {answers('allow')}\n    exit 0\n    ;;\nesac\n"
    assert told(program, "PreToolUse", "a.sh", text, matcher="Bash") == ["blanket-allow"]
    one = text.replace("  *)", "  *ls*)")
    assert told(program, "PreToolUse", "a.sh", one, matcher="Bash") == []


def test_an_allow_that_is_no_answer_allows_nothing(program: Program) -> None:
    text = (
        "#!/usr/bin/env python3\nimport json, sys\ncall = json.load(sys.stdin)\n"
        "if 'mkfs' in call['tool_input']['command']:\n"
        '    print(json.dumps({"decision": "%s", "systemMessage": "Warning: a new file system."}))\n'
    )
    assert told(program, "PreToolUse", "a.py", text % "approve", matcher="Bash") == ["blanket-allow"]
    assert told(program, "PreToolUse", "a.py", text % "allow", matcher="Bash") == ["wrong-answer"]


_LOGGING = """import logging

logging.basicConfig(HOW)
log = logging.getLogger("style")
if d["tool_input"]["file_path"].endswith(".gen"):
    log.warning("%s is made: please edit its template instead", d)
"""
_DENIES = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'
_KEPT = f"answer = {_DENIES}\nif d:\n    json.dump(answer, sys.stderr)\n"
_BY_A_FUNCTION = f"def say(it):\n    json.dump(it, sys.stderr)\n\n\nif d:\n    say({_DENIES})\n"
_BY_CODE = """if (/mkfs/.test(d.tool_input.command)) {
  console.log('Never touch the disks');
  process.exitCode = 2;
} else if (!d.tool_input.command) {
  console.error('no command');
}
"""


@pytest.mark.parametrize(
    ("event", "name", "text", "right"),
    [
        ("PostToolUse", "a.py", PYTHON + _LOGGING, ("HOW", 'filename="style.log"')),
        ("PostToolUse", "b.py", PYTHON + _LOGGING, ("log.warning", "log.debug")),
        ("PreToolUse", "c.sh", f'{SHELL}exec 1>&2\n[ "$c" ] && echo "Do not do so."\nexit 0\n', ("exit 0", "exit 2")),
        ("PreToolUse", "d.py", PYTHON + _KEPT, ("sys.stderr", "sys.stdout")),
        ("PreToolUse", "e.py", PYTHON + _BY_A_FUNCTION, ("sys.stderr", "sys.stdout")),
        ("PreToolUse", "f.js", NODE + _BY_CODE, ("console.log", "console.error")),
    ],
)  # fmt: skip
def test_what_goes_to_the_wrong_stream_by_a_detour_is_told(
    program: Program, event: str, name: str, text: str, right: tuple[str, str]
) -> None:
    lost = "wrong-answer" if name in ("d.py", "e.py") else "unread-output"
    assert told(program, event, name, text) == [lost]
    assert told(program, event, name, text.replace(*right)) == []


@pytest.mark.parametrize(
    ("agent", "event", "text", "wanted"),
    [
        # quotes that the shell takes away
        ("cursor", "beforeShellExecution", 'echo "{"permission":"deny","user_message":"no"}"', ["wrong-answer"]),
        ("cursor", "beforeShellExecution", 'echo "{\\"permission\\":\\"deny\\",\\"user_message\\":\\"no\\"}"', []),
        ("cursor", "beforeShellExecution", 'printf \'%s\' "{"permission":"deny"}"', ["wrong-answer"]),
        # words for the model behind what another program prints
        ("cursor", "stop", 'npx eslint a\n[ $? -eq 0 ] || echo \'{"followup_message": "mend it"}\'', ["wrong-answer"]),
        ("cursor", "stop", 'npx eslint src >&2\n[ $? -eq 0 ] || echo \'{"followup_message": "mend it"}\'', []),
        ("cursor", "stop", '{ date; npx eslint a; } > log 2>&1\necho \'{"followup_message": "mend it"}\'', []),
        ("cursor", "stop", 'echo \'{"followup_message": "go on"}\'\nexit 0', []),
        # what a person is to do, where no person reads
        ("claude", "SessionStart", 'if [ -z "$URL" ]; then\n  echo "No url: facts are off. Set it in /config." >&2\n'
         "  exit 0\nfi\ncat facts", ["unread-output"]),
        ("claude", "SessionStart", 'if [ -z "$URL" ]; then\n  echo "No url: facts are off. Set it in /config."\n'
         "  exit 0\nfi\ncat facts", []),
        ("claude", "PreToolUse", "printf 'no engine. Checks are DISABLED.\\n' >&2\ntouch a", ["unread-output"]),
        ("claude", "PreToolUse", "printf 'the cache is offline\\n' >&2\ntouch a", []),
    ],
)  # fmt: skip
def test_answers_that_are_broken_or_behind_other_text_and_words_for_nobody_are_told(
    program: Program, agent: str, event: str, text: str, wanted: list[str]
) -> None:
    hook: Hook = (agent, event, script(program, "a.sh", f"#!/bin/bash\ncat >/dev/null\n{text}\n"))
    if agent == "cursor":
        hook = (agent, event, {"command": "./a.sh"})
    assert [each for each in codes(program, [hook])[0] if each != "stop-loop"] == wanted


def test_an_answer_with_empty_texts_says_nothing_on_purpose(program: Program) -> None:
    path = ".clinerules/hooks/PreToolUse"
    for form, wanted in (
        ('\'{"cancel": false, "contextModification": "", "errorMessage": ""}\'', 0),
        ('"{"cancel":true,"contextModification":"","errorMessage":"no"}"', 1),
    ):
        program.write(path, f"#!/bin/bash\ncat >/dev/null\necho {form}\n", 0o755)
        assert program("check").stdout.count("[wrong-answer]") == wanted


@pytest.mark.parametrize(
    ("event", "hint"),
    [
        ("beforeShellExecution", "end with 2, the reason on standard error"),
        ("afterFileEdit", "guard an event before it happens"),
    ],
)
def test_what_is_advised_for_an_end_with_1_is_heard_at_the_event(
    program: Program, event: str, hint: str
) -> None:
    text = "#!/bin/bash\nif grep -q secret; then\n  echo 'BLOCKED: a secret' >&2\n  exit 1\nfi\n"
    program.write("a.sh", text, 0o755)
    hooks = {event: [{"command": "./a.sh"}]}
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
    found = {each["code"]: each["hint"] for each in json.loads(program("check", "--json").stdout)}
    assert found["weak-exit"] == hint


def test_a_hook_that_only_answers_in_json_is_not_told_to_end_with_2(program: Program) -> None:
    text = (
        "#!/bin/bash\nif grep -q mkfs; then\n  echo 'BLOCKED' >&2\n  exit 1\nfi\necho '{\"cancel\": false}'\n"
    )
    program.write(".clinerules/hooks/PreToolUse", text, 0o755)
    found = {each["code"]: each["hint"] for each in json.loads(program("check", "--json").stdout)}
    assert '"cancel": true' in found["weak-exit"]


def test_the_place_of_a_file_is_named_as_the_agent_calls_it(program: Program) -> None:
    path = ".clinerules/hooks/PostToolUse"
    program.write(path, '#!/bin/bash\nf=$(jq -r .path)\n[ -f "$f" ] && wc -l "$f" >> log\n', 0o755)
    (found,) = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["hint"]) == ("unsent-field", "it is `.postToolUse.parameters.path`")


@pytest.mark.parametrize(
    ("command", "more", "found"),
    [
        ("echo 'please commit'", {}, True),
        ('echo \'{"systemMessage": "please commit"}\'', {}, False),
        ("node -e \"console.error('Please review the build')\"", {}, True),
        ("npx tsc --noEmit", {}, True),
        ("npx tsc --noEmit >> types.log", {}, False),
        ("npx prettier --write .", {}, False),
    ],
)
@pytest.mark.parametrize("event", ["SessionStart", "PostToolUse", "Stop"])
def test_plain_words_of_a_hook_that_nobody_waits_for_arrive_nowhere(
    program: Program, event: str, command: str, more: dict[str, bool], found: bool
) -> None:
    (each,) = codes(program, [("claude", event, {"command": command, "async": True, **more})])
    assert ("unread-output" in each) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("const s = d.replace(/(x)/, '$1'); console.error('Please review ' + s)", True),
        ("const s = d.replace(/(x)/, '$1'); console.error(\\\"Please review\\\")", True),
        ("const s = d.replace(/(x)/, '$1'); require('fs').writeFileSync('a', 'Please review ' + s)", False),
    ],
)
def test_code_of_a_line_in_which_a_shell_fills_something_in_is_read(
    program: Program, code: str, found: bool
) -> None:
    line = f"node -e \"let d='';process.stdin.on('data',c=>d+=c).on('end',()=>{{{code}}})\""
    (each,) = codes(program, [("claude", "PreToolUse", {"command": line, "matcher": "Bash"})])
    assert ("unread-output" in each) == found


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("ruff check . || { echo bad >&2; exit 2; }", True),
        ("npx tsc --noEmit || exit 2", True),
        ("npx tsc --noEmit >&2 || exit 2", False),
        ("(npx tsc --noEmit 1>&2) || exit 2", False),
        ('out=$(npx tsc --noEmit) || { echo "$out" >&2; exit 2; }', False),
    ],
)
def test_a_report_on_standard_output_beside_2_is_told_of_a_line_too(
    program: Program, command: str, found: bool
) -> None:
    (each,) = codes(program, [("claude", "PostToolUse", {"command": command})])
    assert ("unread-output" in each) == found


def test_the_hint_names_what_that_agent_reads_and_the_sign_that_grep_takes(program: Program) -> None:
    program.write("secret.sh", "#!/bin/bash\ngrep -qE '[\\x27=]key' \"$1\" && exit 2\n", 0o755)
    hooks: list[Hook] = [
        ("cursor", "sessionStart", {"command": "echo please commit"}),
        ("claude", "Stop", {"command": '"$CLAUDE_PROJECT_DIR"/secret.sh notes.md'}),
    ]
    codes(program, hooks)
    hints = {each["code"]: each["hint"] for each in json.loads(program("check", "--json").stdout)}
    assert "systemMessage" not in hints["unread-output"]
    assert hints["dead-pattern"] == "write `grep -P`, or `'` itself"


def test_what_is_handed_on_before_an_end_with_1_is_told_once(program: Program) -> None:
    text = (
        "#!/bin/bash\nfound=$(npx vitest run 2>&1)\ncode=$?\nif [ $code -ne 0 ]; then\n"
        '  echo "vitest FAILED" >&2\n  echo "$found" >&2\n  exit 1\nfi\necho "vitest is happy" >&2\nexit 0\n'
    )
    assert told(program, "PostToolUse", "a.sh", text, matcher="Edit") == ["weak-exit"]
