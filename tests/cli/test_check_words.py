"""What `hookline check` finds in the words of a script: on the wrong stream, glued together, or never reached."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

PYTHON = "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
NODE = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
SHELL = "#!/bin/bash\nc=$(jq -r .tool_input.command)\n"


def told(program: Program, event: str, name: str, text: str, **entry: str) -> list[str]:
    """The codes for one script, at one event of Claude Code."""
    hook: Hook = ("claude", event, {**script(program, name, text), **entry})
    if name.endswith((".js", ".ps1")):
        runs = {"js": "node", "ps1": "pwsh -File"}[name.rpartition(".")[2]]
        hook = ("claude", event, {"command": f'{runs} "$CLAUDE_PROJECT_DIR"/{name}', **entry})
    return codes(program, [hook])[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", f'{SHELL}case $c in *mkfs*) echo "Blocked: mkfs"; exit 2;; esac\n'),
        (
            "b.py",
            f'{PYTHON}if "mkfs" in d["tool_input"]["command"]:\n    print("No disks")\n    sys.exit(2)\n',
        ),
        ("c.js", f"{NODE}if (/mkfs/.test(d.tool_input.command)) {{ console.log('no'); process.exit(2); }}\n"),
        ("d.ps1", '$d = $input | ConvertFrom-Json\nif ($d.tool_name) {\n  Write-Host "no"\n  exit 2\n}\n'),
    ],
)
def test_the_reason_of_a_denial_on_the_stream_that_is_not_read_is_told(
    program: Program, name: str, text: str
) -> None:
    assert told(program, "PreToolUse", name, text, matcher="Bash") == ["unread-output"]
    to_errors = (
        text.replace('mkfs";', 'mkfs" >&2;')
        .replace('disks")', 'disks", file=sys.stderr)')
        .replace("console.log", "console.error")
        .replace('Write-Host "no"', '[Console]::Error.WriteLine("no")')
    )
    assert to_errors != text
    assert told(program, "PreToolUse", name, to_errors, matcher="Bash") == []


def test_words_that_want_something_and_are_heard_by_nobody_are_told(program: Program) -> None:
    formats = '#!/bin/sh\nf=$(jq -r .tool_input.file_path)\nbiome format --write "$f" >/dev/null\n'
    lost = [
        ("PostToolUse", "a.sh", f'{formats}echo "please rerun the tests"\n'),
        ("PostToolUse", "b.sh", f'{formats}echo "WARNING: long" >&2\nexit 0\n'),
        ("Stop", "c.py", f'{PYTHON}open("log", "a").write("x")\nprint("Remember the docs")\n'),
        ("PostToolUse", "d.py", f'{PYTHON}print(f"must split {{d}}", file=sys.stderr)\n'),
    ]
    notes = f'{PYTHON}open("log", "a").write("x")\nnotes = []\nif d:\n    notes.append("do not mock")\n'
    tell = 'function tell(m) { console.error(`[x] ${m}`); }\nrequire("fs").appendFileSync("log", "x");\n'
    lost += [
        ("PostToolUse", "o.sh", f'tell() {{\n  echo "[x] $1" >&2\n}}\n{formats}tell "please split it"\n'),
        ("PostToolUse", "p.sh", f'{formats}m=""\n[ -s "$f" ] || m+="never empty"\nprintf "%s\\n" "$m"\n'),
        (
            "Stop",
            "q.py",
            f'{PYTHON}def tell(w):\n    print("x", w)\nopen("l", "a").write("x")\ntell("must")\n',
        ),
        ("Stop", "r.py", f'{notes}for each in notes:\n    print(f"- {{each}}")\n'),
        ("PostToolUse", "s.js", f"{NODE}{tell}if (d) tell('avoid any');\n"),
        ("PostToolUse", "t.js", f"{NODE}const w = [];\nw.push('avoid any');\nconsole.log(w.join('\\n'));\n"),
    ]
    lost = [
        (event, name, text if text.startswith(("#", "const")) else f"#!/bin/sh\n{text}")
        for event, name, text in lost
    ]
    heard = [
        ("PostToolUse", "u.sh", f'stop() {{\n  echo "$1" >&2\n  exit 2\n}}\n{formats}stop "you must not"\n'),
        ("PostToolUse", "v.sh", f'{formats}m="never so"\necho "$m" >> log\n'),
        (
            "Stop",
            "w.py",
            f'{notes}if notes:\n    print("; ".join(notes), file=sys.stderr)\n    sys.exit(2)\n',
        ),
        ("PostToolUse", "e.sh", f'{formats}echo "formatted"\n'),
        ("SessionStart", "f.sh", '#!/bin/sh\ntouch seen\necho "please read NOTES.md"\n'),
        ("PostToolUse", "g.sh", f'{formats}echo "must not" >&2\nexit 2\n'),
        ("PostToolUse", "h.sh", f'{formats}which jq || echo "install jq" >&2\n'),
        ("PostToolUse", "i.sh", '#!/bin/sh\nx=$(echo "please")\ntouch "$x"\n'),
        ("Stop", "j.py", f'{PYTHON}try:\n    d["x"]\nexcept KeyError:\n    print("must be")\n'),
        ("PostToolUse", "k.sh", '#!/bin/sh\n{\necho "you must"\n} >> log\n'),
        ("PostToolUse", "l.sh", f'{formats}[ -s kept ] || echo "WARNING: kept is not an object" >&2\n'),
    ]
    assert [told(program, *each) for each in lost] == [["unread-output"]] * 10
    assert [told(program, *each) for each in heard] == [[], [], ["stop-loop"]] + [[]] * 8


def test_answers_put_together_by_hand_are_told(program: Program) -> None:
    key = '"permissionDecision": "deny", "permissionDecisionReason"'
    says = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", ' + key + ': "not '
    braced = says.replace("{", "{{")
    glued = [
        ("a.py", f"{PYTHON}w = d['tool_input']['command']\nprint(f'{braced}{{w}}\"}}}}}}}}')\n"),
        ("b.py", f"{PYTHON}w = d['tool_input']['command']\nprint('{says}%s\"}}}}' % w)\n"),
        ("c.py", f"{PYTHON}w = d['tool_input']['command']\nprint('{braced}{{}}\"}}}}}}}}'.format(w))\n"),
        ("d.js", f'{NODE}const w = d.tool_input.command;\nconsole.log(`{says}${{w}}"}}}}`);\n'),
        ("e.sh", f'{SHELL}cat <<EOF\n{says}$c"}}}}\nEOF\n'),
    ]
    for name, text in glued:
        assert told(program, "PreToolUse", name, text, matcher="Bash") == ["glued-json"], name
    made = "print(json.dumps({'decision': 'block', 'reason': f'not {w}'}))"
    whole = [
        ("f.py", f"{PYTHON}w = d['tool_input']['command']\n{made}\n"),
        ("g.sh", f"{SHELL}cat <<'EOF'\n{says}now\"}}}}\nEOF\n"),
        ("h.sh", f'{SHELL}r=$(jq -Rs . <<< "$c")\ncat <<EOF\n{says[:-6]}$r}}}}\nEOF\n'),
    ]
    for name, text in whole:
        assert told(program, "PreToolUse", name, text, matcher="Bash") == [], name


def test_what_a_shell_does_otherwise_than_it_reads_is_told(program: Program) -> None:
    stop = '#!/bin/bash\n[ "$(jq -r .stop_hook_active)" = true ] && exit 0\n'
    payload = 'c=$(echo "$PAYLOAD" | jq -r .tool_input.command)\n'
    ends = 'then\n  echo "red" >&2\n  exit 2\nfi\n'
    wrong = [
        (f"{stop}o=$(make test 2>&1 | tail -5)\nif [ ${{PIPESTATUS[0]}} -ne 0 ]; {ends}", "lost-exit"),
        (f"{stop}o=$(make test 2>&1 | tail -5)\nif [ $? -ne 0 ]; {ends}", "lost-exit"),
        (f"{stop}if ! make test 2>&1 | tail -5; {ends}", "lost-exit"),
        (f"{stop}make lint | tee log || {{ echo red >&2; exit 2; }}\n", "lost-exit"),
        (f'{stop}n=$(grep -c FIXME notes || echo 0)\nif [ "$n" -ne 0 ]; {ends}', "dead-pattern"),
        (f'{SHELL}if [ "$c" = *mkfs* ]; {ends}', "dead-pattern"),
        (f'{SHELL}if [[ "$c" =~ "mkfs|wipefs" ]]; {ends}', "dead-pattern"),
        (f"#!/bin/bash\n{payload}if [[ $c == *mkfs* ]]; {ends}", "unset-variable"),
        (f'#!/bin/bash\nc=$(printf %s "$CALL" | jq -r .command)\nif [[ $c == *mkfs* ]]; {ends}', "unset-variable"),
        (f"{SHELL}set -e\ng=$(echo $c | grep -o main)\nif [[ $c == *mkfs* ]]; {ends}", "lost-exit"),
    ]  # fmt: skip
    right = [
        f"{stop}set -o pipefail\no=$(make test 2>&1 | tail -5)\nif [ $? -ne 0 ]; {ends}",
        f"{stop}set -o pipefail\nif ! make test 2>&1 | tail -5; {ends}",
        f"{stop}if make test 2>&1 | tail -50 | grep -q FAILED; {ends}",
        f"{stop}make lint | tail -3 >> log || true\n",
        f'{stop}n=$(grep -c FIXME notes || true)\nif [ "$n" -ne 0 ]; {ends}',
        f'{SHELL}if [[ "$c" == *mkfs* ]]; {ends}',
        f"{SHELL}set -e\ng=$(echo $c | grep -o main || true)\nif [[ $c == *mkfs* ]]; {ends}",
        f"#!/bin/bash\nPAYLOAD=$(cat)\n{payload}if [[ $c == *mkfs* ]]; {ends}",
    ]
    for number, (text, code) in enumerate(wrong):
        at = "Stop" if text.startswith(stop) else "PreToolUse"
        assert told(program, at, f"w{number}.sh", text) == [code], text
    for number, text in enumerate(right):
        at = "Stop" if text.startswith(stop) else "PreToolUse"
        assert told(program, at, f"r{number}.sh", text) == [], text


def test_json_that_is_not_the_input_may_have_any_fields(program: Program) -> None:
    reads = "python3 -c \"import json,sys; print(json.load(sys.stdin).get('file_path', ''))\""
    text = f'#!/bin/bash\ngiven="${{CLAUDE_TOOL_INPUT:-}}"\nf=$(echo "$given" | {reads})\ngofmt -w "$f"\n'
    assert told(program, "PostToolUse", "a.sh", text) == ["unset-variable"]
    assert told(program, "PostToolUse", "b.sh", text.replace("${CLAUDE_TOOL_INPUT:-}", "$(cat)")) == [
        "unsent-field"
    ]


def test_fields_are_followed_through_functions_and_other_names(program: Program) -> None:
    read = (
        "#!/usr/bin/python3\nimport json, sys\ndef call():\n    try:\n        return json.loads(sys.stdin.read())\n"
        "    except ValueError:\n        return {}\n\nit = call()\n"
    )
    notebook = "#!/bin/sh\njq -r .tool_input.file_path | grep -q lab && exit 2\n"
    guess = f"{PYTHON}it = d or {{}}\nif 'x' in it.get('command'):\n    sys.exit(2)\n"
    assert told(program, "PreToolUse", "a.py", guess) == ["unsent-field"]
    assert told(program, "SubagentStop", "b.py", f"{read}open(it['subagent_id'])\n") == ["unsent-field"]
    assert told(program, "PreToolUse", "c.sh", notebook, matcher="NotebookEdit") == ["unsent-field"]
    assert told(program, "UserPromptSubmit", "d.py", f"{read}print(it['prompt'])\n") == []
    type_of = "if (typeof d.reason === 'string') require('fs').appendFileSync('l', d.reason);\n"
    assert told(program, "SessionEnd", "e.js", NODE + type_of) == []
    prompt = f"{read}prompt = it.get('user_prompt')\n"
    assert told(program, "UserPromptSubmit", "f.py", prompt) == ["unsent-field"]
    assert "`f.py` reads `.user_prompt` of its input" in program("check").stdout


def test_arguments_of_a_call_are_no_text_and_its_tool_is_one_of_the_matcher(program: Program) -> None:
    ends = "    print('no', file=sys.stderr)\n    sys.exit(2)\n"
    whole = [
        f"{PYTHON}it = d['tool_input']\nif it.startswith('mkfs'):\n{ends}",
        f"{PYTHON}it = d.get('tool_input', {{}})\nif 'mkfs /dev' in it:\n{ends}",
        f"{PYTHON}if d['tool_name'] == 'Write':\n{ends}",
    ]
    part = [
        f"{PYTHON}it = d['tool_input']\nif it['command'].startswith('mkfs'):\n{ends}",
        f"{PYTHON}it = d.get('tool_input', {{}})\nif 'command' in it and 'mkfs' in str(it):\n{ends}",
        f"{PYTHON}if d['tool_name'] in ('Write', 'Bash'):\n{ends}",
    ]
    for number, text in enumerate(whole):
        assert told(program, "PreToolUse", f"w{number}.py", text, matcher="Bash") == ["unsent-value"], text
    for number, text in enumerate(part):
        assert told(program, "PreToolUse", f"p{number}.py", text, matcher="Bash") == [], text
    both: list[Hook] = [
        ("claude", "PreToolUse", {**script(program, "w2.py", whole[2]), "matcher": name})
        for name in ("Bash", "Write")
    ]
    assert codes(program, both) == [[], []]


def test_a_prompt_that_asks_for_another_answer_is_told(program: Program) -> None:
    asks = {
        'Answer {"decision": "block"} if the tests are red.': ["wrong-answer"],
        "Look for secrets. If all is well, respond with PROCEED.": ["wrong-answer"],
        'Answer {"ok": false, "reason": "…"} if the tests are red.': [],
        "Are the tests green?": [],
    }
    hooks: list[Hook] = [("claude", "Stop", {"type": "prompt", "prompt": each}) for each in asks]
    assert codes(program, hooks) == list(asks.values())


def test_plugins_further_down_are_found_and_get_no_more_time_at_the_end_of_a_session(
    program: Program,
) -> None:
    folder = "tools/claude/plugins/a"
    entry = {"type": "command", "command": 'sh "${CLAUDE_PLUGIN_ROOT}/a.sh"', "timeout": 20}
    program.write(f"{folder}/a.sh", "true\n")
    program.write(f"{folder}/hooks/hooks.json", json.dumps({"hooks": {"SessionEnd": [{"hooks": [entry]}]}}))
    assert json.loads(program("check", "--json").stdout) == []
    program.write(f"{folder}/.claude-plugin/plugin.json", '{"name": "a"}')
    told_of = json.loads(program("check", "--json").stdout)
    assert [(each["code"], each["source"]) for each in told_of] == [
        ("implausible-time", f"{folder}/hooks/hooks.json")
    ]
    assert "1.5 seconds" in told_of[0]["message"]


def test_a_script_is_looked_for_where_the_line_goes_first(program: Program) -> None:
    program.write("hooks/a.py", PYTHON)
    there: Hook = ("claude", "Stop", {"command": 'uv run --directory "$CLAUDE_PROJECT_DIR/hooks" a.py'})
    gone: Hook = ("claude", "Stop", {"command": 'uv run --directory "$CLAUDE_PROJECT_DIR/hooks" b.py'})
    assert codes(program, [there, gone]) == [[], ["missing-script"]]


def test_paths_and_patterns_that_meet_nothing_or_everything_are_told(program: Program) -> None:
    ends = "    print('no', file=sys.stderr)\n    sys.exit(2)\n"
    begins = f"{PYTHON}if d['tool_input']['file_path'].startswith('migrations/'):\n{ends}"
    assert told(program, "PreToolUse", "a.py", begins, matcher="Edit") == ["dead-pattern"]
    listed = (
        f'{SHELL}for p in "wget.*|.*zsh"; do\n  grep -qE "$p" <<< "$c" && {{ echo no >&2; exit 2; }}\ndone\n'
    )
    assert told(program, "PreToolUse", "b.sh", listed, matcher="Bash") == ["dead-pattern"]
    assert told(program, "PreToolUse", "c.sh", listed.replace("*|.", "*\\|."), matcher="Bash") == []
    looks = f'{SHELL}grep -qE "X" <<< "$c" && {{ echo "no \\$x" >&2; exit 2; }}\n'
    of_many = f'{SHELL}P=(\n  "X"\n)\nfor p in "${{P[@]}}"; do grep -qE "$p" <<< "$c" && exit 2; done\n'
    for pattern, wanted in {
        "wget.*| bash": {"always-denies"}, "wget.*\\| bash": set(), "dd|mkfs": set(),
        "eval.*\\$(": {"dead-pattern"}, "cat \\$SECRET": {"dead-pattern"}, "mkfs \\$": set(),
    }.items():  # fmt: skip
        for body in (looks, of_many):
            extended, plain = body.replace("X", pattern), body.replace("X", pattern).replace("-qE", "-q")
            found = told(program, "PreToolUse", "d.sh", extended, matcher="Bash")
            assert {"always-denies", "dead-pattern"} & {*found} == wanted, extended
            # to it a bar is a bar, and a `$` within a letter
            plain += 'grep -qE "^sudo " <<< "$c" && exit 2\nsed "s/X/y/" <<< "$c" | grep -E x | grep -q "X"\n'
            plain = plain.replace("X", pattern)
            assert "dead-pattern" not in told(program, "PreToolUse", "d.sh", plain, matcher="Bash")
    line: Hook = ("claude", "PostToolUse", {"command": 'black "$TOOL_FILE_PATH"'})
    disk: Hook = ("claude", "PostToolUse", {"command": "sh /run/media/ann/stick/a.sh"})
    assert codes(program, [line, disk]) == [["unset-variable"], ["personal-path"]]


def test_one_mistake_at_many_places_is_one_line(program: Program) -> None:
    for name in "abc":
        program.write(f"{name}.sh", "true\n")
    entries = [[{"hooks": [{"type": "command", "command": f"sh {name}.sh"}]}] for name in "abc"]
    events = dict(zip(("Stop", "SessionStart", "SessionEnd"), entries, strict=True))
    program.write(".claude/settings.json", json.dumps({"hooks": events}, indent=1))
    found = program("check")
    assert found.stdout.count("[relative-script]") == 1
    assert "; also in line 18, 28" in found.stdout
    assert "3 warnings" in found.stderr
    assert len(json.loads(program("check", "--json").stdout)) == 3


def test_one_mistake_of_a_script_for_several_events_is_one_line(program: Program) -> None:
    text = PYTHON + "with open('log', 'a') as log:\n    log.write(d['toolName'])\n"
    hooks = [{"hooks": [{"type": "command", **script(program, "a.py", text)}]}]
    events = dict.fromkeys(("PreToolUse", "PostToolUse"), hooks)
    program.write(".claude/settings.json", json.dumps({"hooks": events}, indent=1))
    found = program("check").stdout
    assert found.count("[unsent-field]") == 1 and " at `PreToolUse`; also in line " in found
    assert len(json.loads(program("check", "--json").stdout)) == 2


def test_an_answer_in_json_is_lost_where_the_script_ends_with_2(program: Program) -> None:
    start, end = f"{SHELL}if [[ $c == *mkfs* ]]; then\n", "  exit 2\nfi\n"
    answer = '{"decision": "block", "reason": "no disks"}'
    lost = [
        ("a.sh", f"{start}  echo '{answer}'\n{end}"),
        ("b.sh", f"{start}  cat <<EOF\n{answer}\nEOF\n{end}"),
        (
            "c.py",
            f"{PYTHON}if 'mkfs' in d['tool_input']['command']:\n    print('{answer}')\n    sys.exit(2)\n",
        ),
        ("d.sh", f"{SHELL}echo 'looking' >&2\n{start.partition(SHELL)[2]}  echo '{answer}'\n{end}"),
    ]
    for name, text in lost:
        entry = {**script(program, name, text), "matcher": "Bash"}
        reads: list[Hook] = [
            ("qwen", "PreToolUse", entry),
            ("claude", "PreToolUse", entry),
        ]  # JSON at any code
        lost_there = [bool({"unread-output", "silent-exit"} & {*each}) for each in codes(program, reads)]
        assert lost_there == [True, False], name
        with_0 = text.replace("exit 2", "exit 0").replace("exit(2)", "exit(0)")
        assert "unread-output" not in told(program, "PreToolUse", name, with_0, matcher="Bash"), name
    variable = (
        f"{PYTHON}def main():\n    reason = 'no' if 'mkfs' in d['tool_input']['command'] else ''\n"
        "    if reason:\n        print(reason)\n        return 2\n\nsys.exit(main())\n"
    )
    assert told(program, "PreToolUse", "e.py", variable, matcher="Bash") == ["unread-output"]


def test_what_a_script_puts_in_place_of_a_value_is_no_value_that_never_comes(program: Program) -> None:
    reads = "#!/bin/sh\nr=$(jq -r '.reason // \"unknown\"')\n"
    given = f'{reads}[ -z "$r" ] && r="unknown"\n[ "$r" = "unknown" ] && date >> log\n'
    assert told(program, "SessionEnd", "a.sh", given) == []
    never = f'{reads}[ "$r" = "logged-out" ] && date >> log\n'
    assert told(program, "SessionEnd", "b.sh", never) == ["unsent-value"]


def test_mistakes_behind_a_pipe_and_in_a_try_are_seen(program: Program) -> None:
    counts = '#!/bin/sh\nn=$(cat TODO | grep -c open || echo "0")\n[ "$n" -gt 3 ] && echo many\nexit 0\n'
    assert told(program, "SessionStart", "a.sh", counts) == ["dead-pattern"]
    keeps = (
        "#!/usr/bin/env python3\nimport json, sys\ntry:\n    d = json.load(sys.stdin)\n"
        "except ValueError:\n    sys.exit(0)\nopen('log', 'a').write(d.get('tool_output', ''))\n"
    )
    assert told(program, "PostToolUse", "b.py", keeps) == ["unsent-field"]
    commits = (
        f'{SHELL}if ! npm test >/dev/null; then\n  echo "Types are wrong. Fix before commit."\n  exit 1\nfi\n'
    )
    assert told(program, "PreToolUse", "c.sh", commits, matcher="Bash") == ["weak-exit"]


def test_one_cause_is_told_in_one_line(program: Program) -> None:
    reads = '#!/bin/bash\necho "$CLAUDE_TOOL_NAME $CLAUDE_FILE_PATH" >> log\n'
    assert told(program, "PostToolUse", "a.sh", reads) == ["unset-variable"]
    found = json.loads(program("check", "--json").stdout)
    assert "reads `CLAUDE_TOOL_NAME`, `CLAUDE_FILE_PATH`, which" in found[0]["message"]
    line: Hook = ("claude", "PostToolUse", {"command": 'black "$TOOL_FILE_PATH" "$CLAUDE_TOOL_NAME"'})
    assert codes(program, [line]) == [["unset-variable"]]
    found = json.loads(program("check", "--json").stdout)
    assert "`jq -r .tool_input.file_path`, `jq -r .tool_name`" in found[0]["hint"]
    downloads = f'{SHELL}grep -qE "curl.*| (ba)?sh|curl.*| zsh" <<< "$c" && {{ echo no >&2; exit 2; }}\n'
    assert told(program, "PreToolUse", "b.sh", downloads, matcher="Bash") == ["dead-pattern"]
    blocks = f'{SHELL}if grep -q key .env; then\n  echo "BLOCKED: a key"\n  exit 1\nfi\n'
    assert told(program, "PostToolUse", "c.sh", blocks) == ["weak-exit"]
    # what else it says is another mistake
    asks = f'{blocks}if grep -q TODO notes; then\n  echo "please finish the notes"\nfi\n'
    assert told(program, "PostToolUse", "d.sh", asks) == ["weak-exit", "unread-output"]


def test_a_prompt_that_is_looked_for_among_the_arguments_is_never_there(program: Program) -> None:
    asks = "const prompt = process.argv.slice(2).join(' ');\nif (/^[/]/.test(prompt)) process.exit(0);\n"
    assert told(program, "UserPromptSubmit", "a.js", f"{asks}console.log('name a skill');\n") == [
        "unset-variable"
    ]
    flags = "const flags = process.argv.slice(2);\nif (flags.includes('-q')) process.exit(0);\n"
    assert told(program, "UserPromptSubmit", "b.js", f"{flags}console.log('name a skill');\n") == []
