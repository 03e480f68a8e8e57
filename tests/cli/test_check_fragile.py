"""What `hookline check` says of guards that compare the text of a command."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.program import Program

SETTINGS, OWN = ".claude/settings.json", ".hookline/hooks.toml"
SCRIPT = """#!/bin/bash
cmd=$(jq -r .tool_input.command)
if [[ $cmd =~ git[[:space:]]+reset[[:space:]]+--hard ]]; then exit 2; fi
"""
GUARDS = [
    "jq -r .tool_input.command | grep -q 'rm -rf' && exit 2 || exit 0",
    r"""jq -e '.tool_input.command | test("git\\s+push")' >/dev/null && { echo no >&2; exit 2; }; exit 0""",
    '"$CLAUDE_PROJECT_DIR"/guard.sh',
    "jq -r .tool_input.command >> log.txt",
    "jq -r .tool_input.command | hookline-judge || exit 2",
]
TABLE = """
[[hooks]]
event = "PreToolUse"
where."tool_input.command" = "*git clean -fd*"
deny = "no"

[[hooks]]
event = "PreToolUse"
shell = "git push --force"
deny = "no"
"""


@pytest.fixture
def guarded(program: Program) -> Program:
    program.write("guard.sh", SCRIPT, 0o755)
    hooks = [{"type": "command", "command": command} for command in GUARDS]
    rules = {"deny": ["Bash(git push:*)", "Read(.env)", "Bash"], "allow": ["Bash(git push:*)"]}
    content = {"permissions": rules, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}
    program.write(SETTINGS, json.dumps(content))
    program.write(OWN, TABLE)
    return program


def test_guards_over_texts_are_told_with_what_passes_and_the_rule_that_would_hold(guarded: Program) -> None:
    done = guarded("check", "--json")
    told = [each for each in json.loads(done.stdout) if each["code"] == "fragile-rule"]
    assert {(each["severity"], each["path"], each["hint"].split("`")[3]) for each in told} == {
        ("notice", "permissions.deny[0]", 'shell = "git push"'),
        ("notice", "hooks.PreToolUse[0].hooks[0].command", 'shell = "rm -rf"'),
        ("notice", "hooks.PreToolUse[0].hooks[1].command", 'shell = "git push"'),
        ("notice", "hooks.PreToolUse[0].hooks[2].command", 'shell = "git reset --hard"'),
        ("notice", "hooks[0]", 'shell = "git clean -f"'),
    }
    assert done.returncode == 0


def test_rules_of_a_file_that_compare_texts_are_one_notice(program: Program) -> None:
    rules = [
        "Bash(git push:*)",
        "Read(.env)",
        *(f"Bash(git push {flag}:*)" for flag in ("-f", "--force", "--mirror")),
    ]
    program.write(SETTINGS, json.dumps({"permissions": {"deny": rules * 2, "ask": ["Bash(rm -rf:*)"]}}))
    told = json.loads(program("check", "--json").stdout)
    assert [(each["code"], each["path"]) for each in told] == [
        ("fragile-rule", "permissions.deny[0]"), ("fragile-rule", "permissions.ask[0]"),
    ]  # fmt: skip
    assert "and 3 more compare the text of a command" in told[0]["message"]
    assert "`Bash(rm -rf:*)` compares" in told[1]["message"]
    strict = program("check", "--strict")
    assert (strict.returncode, strict.stderr) == (0, "0 hooks, 0 errors, 0 warnings, 2 notices\n")


def test_what_is_said_to_pass_passes_and_the_proposed_rule_stops_it(guarded: Program) -> None:
    told = [each for each in json.loads(guarded("check", "--json").stdout) if each["code"] == "fragile-rule"]
    found = next(each for each in told if each["path"] == "hooks[0]")
    other, rule = found["message"].split("`")[3], found["hint"].split("`")[3]
    assert fired(guarded, other) == "none"
    guarded.write(OWN, f'[[hooks]]\nevent = "PreToolUse"\n{rule}\ndeny = "no"\n')
    assert fired(guarded, other) == "deny"


def fired(program: Program, line: str) -> str:
    program.write(SETTINGS, "{}")
    given = json.dumps({"tool_name": "Bash", "tool_input": {"command": line}})
    environment = {"HOOKLINE_TRUST": "workspace"}
    done = program("fire", "PreToolUse", "--json", stdin=given, environment=environment)
    return str(json.loads(done.stdout)["verdict"])


@pytest.mark.parametrize(
    ("shown", "wanted"), [("text", "[fragile-rule]"), ("github", "::notice"), ("sarif", '"fragile-rule"')]
)
def test_every_format_tells_them(guarded: Program, shown: str, wanted: str) -> None:
    assert wanted in guarded("check", "--output-format", shown).stdout


def test_of_two_commands_the_same_one_is_told_each_time(program: Program) -> None:
    line = "jq -r .tool_input.command | grep -qE 'git push --force|git reset --hard' && exit 2 || exit 0"
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}
    program.write(SETTINGS, json.dumps({"hooks": hooks}))
    told = set()
    for seed in "12345":  # by which a new interpreter orders its sets
        environment = {**program.environment, "PYTHONHASHSEED": seed}
        start = [sys.executable, "-m", "hookline", "check", "--json"]
        done = subprocess.run(start, env=environment, cwd=program.workspace, capture_output=True, check=True)
        told.update(each["message"] for each in json.loads(done.stdout) if each["code"] == "fragile-rule")
    assert len(told) == 1


@pytest.mark.parametrize(
    ("permissions", "code", "path"),
    [
        ({"deny": ["Bash(git push"]}, "bad-value", "permissions.deny[0]"),
        ({"deny": ["Bsh(git *)"]}, "dead-name", "permissions.deny[0]"),
        ({"deny": ["READ(.env)"]}, "dead-name", "permissions.deny[0]"),
        ({"ask": [["Bash"]]}, "wrong-type", "permissions.ask[0]"),
        ({"deny": "WebFetch"}, "wrong-type", "permissions.deny"),
        (["WebFetch"], "wrong-type", "permissions"),
        ({"denny": ["WebFetch"]}, "misspelt-key", "permissions.denny"),
    ],
)
def test_a_permission_rule_that_never_counts_is_told(
    program: Program, permissions: object, code: str, path: str
) -> None:
    program.write(SETTINGS, json.dumps({"permissions": permissions}))
    (problem,) = json.loads(program("check", "--json").stdout)
    assert (problem["code"], problem["path"]) == (code, path)


def test_permission_rules_of_tools_that_may_be_there_are_not_told(program: Program) -> None:
    rules = ["WebFetch", "mcp__git__push", "mcp__*", "Edit(src/**)", "Skill(deploy)", "BashOutput"]
    program.write(SETTINGS, json.dumps({"permissions": {"deny": rules, "defaultMode": "plan"}}))
    assert json.loads(program("check", "--json").stdout) == []


def test_a_command_that_is_misspelt_in_a_rule_is_told_with_what_was_meant(program: Program) -> None:
    """Names of one's own, of a row in the file, with another letter, or of an `allow` of the agent are none."""
    typos = ["git psuh", "gti push", "docekr compose up", "terrafom", "npm instal x"]
    sound = ["git push", "plocate x", "pusher", "git pf", "make", "deplloy now", "gut push", "*.sh"]
    rows = '[[programs]]\nname = "deplloy"\ndoes = ["publish"]\n'
    rule = f'[[hooks]]\nevent = "PreToolUse"\nshell = {json.dumps([*typos, *sound])}\ndeny = "no"\n'
    program.write(OWN, rows + rule)
    permissions = {"deny": ["Bash(kubect delete:*)", "Bash(rm -rf:*)"], "allow": ["Bash(git psuh:*)"]}
    program.write(SETTINGS, json.dumps({"permissions": permissions}))
    found = json.loads(program("check", "--json").stdout)
    told = {
        each["message"].split("`")[1]: each["hint"] for each in found if each["code"] == "misspelt-command"
    }
    meant = ["git push", "git", "docker", "terraform", "npm install", "kubectl"]
    assert told == dict(
        zip([*typos, "Bash(kubect delete:*)"], (f"did you mean `{name}`?" for name in meant), strict=True)
    )


def test_denials_outside_of_permissions_are_told(program: Program) -> None:
    program.write(
        SETTINGS, json.dumps({"deny": ["Bash(rm:*)"], "ask": "x", "permissions": {"ask": ["Bash(x)"]}})
    )
    done = program("check", "--json")
    (found,) = [each for each in json.loads(done.stdout) if each["code"] == "misspelt-key"]
    assert (found["path"], found["severity"], done.returncode) == ("deny", "error", 1)


ASKS = "#!/bin/bash\ncmd=$(jq -r '.tool_input.command // empty')\n"
STOPS = "; then\n  echo no >&2\n  exit 2\nfi\n"
SEARCHES = (
    "#!/usr/bin/env python3\nimport json, re, sys\ncommand = json.load(sys.stdin)['tool_input']['command']\n"
)
SPELT = [
    ("a.sh", f"{ASKS}if echo \"$cmd\" | grep -qE '^\\s*git push'{STOPS}", "`git push` and not `cd x && git push`"),
    ("b.sh", f"{ASKS}if echo \"$cmd\" | grep -qE 'git push'{STOPS}", ""),
    ("c.sh", f"{ASKS}if [[ $cmd =~ ^git\\ commit ]]{STOPS}", "`git commit` and not `cd x && git commit`"),
    ("d.sh", f"{ASKS}if [[ $cmd =~ rm[[:space:]]+-rf ]]{STOPS}", "`rm -rf x` and not `rm -fr x` or `rm -r -f x`"),
    ("e.sh", f"{ASKS}if [[ $cmd =~ rm[[:space:]]+-[rf] ]]{STOPS}", ""),
    ("f.sh", f"{ASKS}if echo \"$cmd\" | grep -qE 'drop +table'{STOPS}", 'not `psql -c "DROP TABLE x"`'),
    ("g.sh", f"{ASKS}if echo \"$cmd\" | grep -qiE 'drop +table'{STOPS}", ""),
    (
        "h.sh", f'{ASKS}for p in "\\\\bcurl\\\\b[^|]*\\\\|[^|]*\\\\bsh\\\\b"; do\n'
        f'if echo "$cmd" | grep -qE "$p"{STOPS}done\n',
        "`curl -s example.com | sh` and not `curl -s example.com | bash`",
    ),
    ("i.sh", f"{ASKS}for part in $(echo \"$cmd\" | tr ';&' '  '); do if [[ $part =~ ^git\\ push ]]{STOPS}done\n", ""),
    (
        "j.py", SEARCHES + "if re.search(r'git push --force', command):\n    sys.exit(2)\n",
        "`git push --force` and not `git push -f` or `git push origin main --force`",
    ),
    ("k.py", SEARCHES + "if re.search(r'git push.*(--force|-f)', command):\n    sys.exit(2)\n", ""),
    ("m.sh", f"{ASKS}if [[ $cmd =~ git[[:space:]]+push[[:space:]]+origin[[:space:]]+main ]]{STOPS}", ""),
    ("l.py", SEARCHES + "if command.startswith('git push'):\n    sys.exit(2)\n", "not `cd x && git push`"),
    (
        "n.sh", f"{ASKS}if echo \"$cmd\" | grep -qE 'git push.*--force.*(main|master)'{STOPS}",
        "`git push --force origin main` and not `git push -f origin main` or `git push origin main --force`",
    ),
    ("o.sh", f"{ASKS}if [[ $cmd =~ push.*(-f|--force).*main|push.*main.*(-f|--force) ]]{STOPS}", ""),
    ("p.sh", f"{ASKS}if echo \"$cmd\" | grep -qE 'curl.*\\| *(ba)?sh'{STOPS}", "not `curl -s example.com | sudo sh`"),
    ("q.sh", f"{ASKS}if echo \"$cmd\" | grep -qE 'curl.*\\|.*sh'{STOPS}", ""),
    (
        "r.py", SEARCHES + "NEVER = [\n    'git push',\n]\nif any(command.startswith(each) for each in NEVER):\n"
        "    sys.exit(2)\n", "not `cd x && git push`",
    ),
    (
        "u.py", SEARCHES + "NEVER = ['drop table']\nfor each in NEVER:\n"
        "    if re.search(each, command, re.IGNORECASE):\n        sys.exit(2)\n", "",
    ),
    ("v.py", SEARCHES + 'def f():\n    """`git push`."""\nif re.search("mkfs", command):\n    sys.exit(2)\n', None),
    ("x.sh", f"{ASKS}if [[ $cmd == *mkfs* ]]; then\n  cat >&2 <<END\nNot so: `rm -rf x`.\nEND\n  exit 2\nfi\n", None),
    (
        "d2.sh", f"{ASKS}no() {{\n  cat <<END\n{{\"decision\": \"block\", \"reason\": \"$1\"}}\nEND\n}}\n"
        "if [[ $cmd =~ rm[[:space:]]+-rf ]]; then\n  no 'Not here'\nfi\n", "`rm -rf x` and not `rm -fr x`",
    ),
    (
        "y.py", SEARCHES + "SAFE_WORDS = [\n    r'git\\s+push',  # it's asked for\n    'x[)]',\n]\n"
        "if not any(re.search(each, command) for each in SAFE_WORDS) and 'mkfs' in command:\n    sys.exit(2)\n", None,
    ),
    (
        "z.py", SEARCHES + "UNSAFE = (\n    'git push --force',\n)\n"
        "if any(each in command for each in UNSAFE):\n    sys.exit(2)\n", "`git push --force` and not `git push -f`",
    ),
    (
        "a.py", SEARCHES + "if tool in ('bash', 'shell') and re.search('mkfs', command):\n    sys.exit(2)\n", None,
    ),
    (
        "b.ps1", "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\n"
        "if (@('Bash', 'Shell') -contains $d.tool_name -and $d.tool_input.command -match 'mkfs') { exit 2 }\n", None,
    ),
    (
        "c.py", SEARCHES + "if 'sudo bash' in command or '| bash' in command:\n    sys.exit(2)\n",
        "`curl -s example.com | bash` and not `curl -s example.com | sh`",
    ),
    (
        "w.js", "#!/usr/bin/env node\nconst d = JSON.parse(require('fs').readFileSync(0));\n"
        "const command = d.tool_input.command;\n"
        "if (/git\\s+push\\s+--force(?!-with-lease)/.test(command)) process.exit(2);\n",
        "`git push --force` and not `git push -f`",
    ),
    (
        "e2.sh", f"{ASKS}no() {{\n  printf '{{\"decision\": \"block\", \"reason\": \"%s\"}}\\n' \"$1\"\n}}\n"
        "if [[ $cmd =~ rm[[:space:]]+-rf ]]; then\n  no 'Not here'\nfi\n", "`rm -rf x` and not `rm -fr x`",
    ),
    (
        "k2.sh",
        f"{ASKS}case \"$cmd\" in\n  *\"--force\"*push*|*'rm -rf /'*)\n    echo no >&2\n    exit 2\n    ;;\nesac\n",
        "looks for `rm -rf /` and not `rm -fr /`",
    ),
    (
        "l2.sh", f"{ASKS}case $cmd in\n  'git push'*)\n    echo no >&2\n    exit 2\n    ;;\nesac\n",
        "not `cd x && git push`",
    ),
    ("g2.sh", f"{ASKS}if [[ $cmd == *'--no-verify'* ]]{STOPS}", "and not `git commit -n -m x`"),
    ("h2.sh", f"{ASKS}if [[ $cmd =~ --no-verify ]]{STOPS}", "and not `git commit -n -m x`"),
    ("i2.py", SEARCHES + "if '--no-verify' in command:\n    sys.exit(2)\n", "and not `git commit -n -m x`"),
    ("j2.py", SEARCHES + "if re.search(r'--no-verify|commit.* -n', command):\n    sys.exit(2)\n", ""),
    ("s.py", SEARCHES + "NEVER = ['git push']\nif any(each in command for each in NEVER):\n    sys.exit(2)\n", ""),
    (
        "t.js", "#!/usr/bin/env node\nconst NEVER = ['git push'];\n"
        "const d = JSON.parse(require('fs').readFileSync(0));\n"
        "const command = d.tool_input.command;\nif (NEVER.some((each) => command.startsWith(each))) process.exit(2);\n",
        "not `cd x && git push`",
    ),
]  # fmt: skip


def test_everyday_spellings_that_pass_are_named_and_only_those(program: Program) -> None:
    hooks = []
    for name, text, _ in SPELT:
        program.write(name, text, 0o755)
        hooks.append({"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{name}'})
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}))
    found = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    for name, _, wanted in SPELT:
        said = next((each for each in found if f"`{name}`" in each), "")
        quiet = " and not " not in said if wanted == "" else said == ""
        assert wanted in said if wanted else quiet, (name, said)


def test_a_pattern_that_fits_nothing_looks_for_nothing(program: Program) -> None:
    listed = "'git +clean +-(?=[a-z]*f)'\n  'DELETE +FROM +(?!drafts)'\n  'drop +table +(?!if exists)'\n"
    program.write("a.sh", f'{ASKS}NEVER=(\n  {listed})\nfor each in "${{NEVER[@]}}"; do\n'
                  f'if echo "$cmd" | grep -qE "$each"{STOPS}done\n', 0o755)  # fmt: skip
    program.write("b.sh", f"{ASKS}if echo \"$cmd\" | grep -qP 'drop +table +(?!if exists)'{STOPS}", 0o755)
    hooks = [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{each}.sh'} for each in "ab"]
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}))
    found = json.loads(program("check", "--json").stdout)
    named = [("a.sh" in each["message"], each["code"]) for each in found]
    assert named == [(True, "dead-pattern"), (False, "fragile-rule")]


ALLOW = """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"""
BEGINS = [
    (f'{ASKS}while read -r p; do\n  if [[ "$cmd" == "$p"* ]]; then\n    {ALLOW}\n  fi\ndone < rules\n', True),
    (f'{ASKS}while read -r p; do\n  if [[ "$cmd" == "$p" ]]; then\n    {ALLOW}\n  fi\ndone < rules\n', False),
    (f"{ASKS}if echo \"$cmd\" | grep -qE '^git status'; then\n  {ALLOW}\nfi\n", True),
    (f"{ASKS}if echo \"$cmd\" | grep -qE '^git status$'; then\n  {ALLOW}\nfi\n", False),
    (
        f"{ASKS}[[ $cmd =~ [\\;\\&\\|] ]] && exit 0\nif [[ $cmd == 'git status'* ]]; then\n  {ALLOW}\nfi\n",
        False,
    ),
    (f"{ASKS}if [[ $cmd == 'git push'* ]]; then\n  echo no >&2\n  exit 2\nfi\n", False),
    (f"{ASKS}case \"$cmd\" in\n  git\\ *|'npm run '*) {ALLOW} ;;\nesac\n", True),
    (f'{ASKS}case "$cmd" in\n  ls|pwd) {ALLOW} ;;\nesac\n', False),
    (f"{ASKS}case \"$cmd\" in\n  *';'*|*'&'*) ;;\n  git\\ *) {ALLOW} ;;\nesac\n", False),
    (f"{ASKS}yes() {{\n  {ALLOW}\n  exit 0\n}}\nif [[ $cmd =~ ^git ]]; then\n  yes\nfi\n", True),
    (f"{ASKS}yes() {{\n  {ALLOW}\n  exit 0\n}}\nif [[ $cmd =~ ^git$ ]]; then\n  yes\nfi\n", False),
]
WHOLE = [
    ("input=$(cat)\necho \"$input\" | grep -q 'git commit' || exit 0\nmake rows >&2 || exit 2\n", True),
    (
        "input=$(cat)\necho \"$input\" | jq -r .tool_input.command | grep -q 'git commit' || exit 0\nexit 2\n",
        False,
    ),
    ("input=$(cat)\necho \"$input\" | grep -q 'git commit' || exit 0\nmake rows >> log\n", False),
]


def test_patterns_of_a_script_that_never_end_do_not_keep_check(program: Program) -> None:
    """They are tried on lines, in bounded time as patterns of configs are."""
    program.write("g.sh", SCRIPT + "grep -qE '^(.+)+x$|(([a-z ])+.)+[A-Z]$' <<< \"$cmd\" && exit 2\n", 0o755)
    hook = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/g.sh'}
    content = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    program.write(SETTINGS, json.dumps(content))
    done = program("check")
    assert "git reset --hard" in done.stdout, done.stdout


def test_lines_that_are_allowed_by_how_they_begin_and_input_that_is_searched_whole(program: Program) -> None:
    hooks = []
    for number, (text, _) in enumerate(
        (*BEGINS, *((f"#!/bin/bash\n{text}", wanted) for text, wanted in WHOLE))
    ):
        program.write(f"{number}.sh", text, 0o755)
        hooks.append({"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{number}.sh'})
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}))
    found = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    begins = [f"`{number}.sh` answers `allow` by how a line begins" for number in range(len(BEGINS))]
    assert [any(each in message for message in found) for each in begins] == [wanted for _, wanted in BEGINS]
    whole = [
        f"`{len(BEGINS) + number}.sh` looks for `git commit` in the whole input"
        for number in range(len(WHOLE))
    ]
    assert [any(each in message for message in found) for each in whole] == [wanted for _, wanted in WHOLE]


def test_a_switch_in_another_file_is_named_with_its_file(program: Program) -> None:
    hook = {"type": "command", "command": "date"}
    program.write(SETTINGS, json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    program.write(".claude/settings.local.json", '{"disableAllHooks": true}')
    found = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    assert found == ["no hook of this file runs: `disableAllHooks` is set in `.claude/settings.local.json`"]


IN_ONE_ROW = {
    "an answer": 'lowered = d["tool_input"]["command"].lower()\nif "git push --force" in lowered:\n'
    '    print(json.dumps({"decision": "block", "reason": "Ask first."}))\n',
    "words and an end": 'if "git push --force" in d["tool_input"]["command"]:\n'
    '    print("Ask first.", file=sys.stderr); sys.exit(2)\n',
    "words alone": 'if "git push --force" in d["tool_input"]["command"]:\n    print("block: ask first")\n',
}


@pytest.mark.parametrize("said", IN_ONE_ROW)
def test_a_guard_that_denies_in_the_row_in_which_it_speaks_is_a_guard(program: Program, said: str) -> None:
    program.write("guard.py", f"import json, sys\nd = json.load(sys.stdin)\n{IN_ONE_ROW[said]}")
    hook = {"type": "command", "command": 'python3 "$CLAUDE_PROJECT_DIR"/guard.py'}
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    found = {each["code"] for each in json.loads(program("check", "--json").stdout)}
    assert ("fragile-rule" in found) == (said != "words alone")


def test_what_a_guard_does_or_says_itself_is_nothing_it_looks_for(program: Program) -> None:
    begins = "#!/bin/bash\ncmd=$(jq -r .tool_input.command)\nkept=$(mktemp -d)\n"
    ends = 'if [[ $cmd == *"make release"* ]]; then echo "Not here." >&2; exit 2; fi\n'
    looks = ends.replace("make release", "git reset --hard")
    cut = "import json, shlex, sys\nwords = shlex.split(json.load(sys.stdin)['tool_input']['command'])\n"
    cut += "def fault(words):\n    if words[:2] == ['git', 'push'] and '-f' in words:\n        return WHY\n"
    cut += "if why := fault(words):\n    print(why, file=sys.stderr)\n    sys.exit(2)\n"
    texts = {
        "a.sh": f"{begins}trap 'rm -rf \"$kept\"' EXIT\n{ends}",
        "b.sh": f'{begins}{ends}rm -rf "$kept"\n',
        "c.py": cut.replace("WHY", "'git push --force is for nobody but the people who release'"),
        "d.py": cut.replace("WHY", "{'kind': 'git push --force', 'why': 'short'}"),
        "e.py": cut.replace("WHY", "WORDS.get(tuple(words[:3]))")
        + "WORDS = {\n    ('gh', 'pr', 'merge'): \"Take 'just merge' and not 'gh pr merge'\",\n}\n",
        "told.sh": f"{begins}trap 'rm -rf \"$kept\"' EXIT\n{looks}",
    }
    hooks = []
    for name, text in texts.items():
        program.write(name, text, 0o755)
        by = "python3 " if name.endswith(".py") else ""
        hooks.append({"type": "command", "command": f'{by}"$CLAUDE_PROJECT_DIR"/{name}'})
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}))
    told = [each for each in json.loads(program("check", "--json").stdout) if each["code"] == "fragile-rule"]
    assert [each["message"].split("`")[1] for each in told] == ["told.sh"]


def test_a_rule_beside_a_program_that_cuts_the_words_is_still_seen(program: Program) -> None:
    text = "import json, shlex, sys\ncommand = json.load(sys.stdin)['tool_input']['command']\n"
    text += "words = shlex.split(command)\nif 'git push --force' in command:\n    sys.exit(2)\n"
    program.write("a.py", text)
    hook = {"type": "command", "command": 'python3 "$CLAUDE_PROJECT_DIR"/a.py'}
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    told = json.loads(program("check", "--json").stdout)
    assert "fragile-rule" in [each["code"] for each in told]


def test_what_a_guard_only_says_is_no_pattern_of_it(program: Program) -> None:
    """A text for a function that says it, a branch that reminds, and a command that is wanted with an option."""
    program.write(
        "says.sh",
        """#!/bin/bash
block() {
  echo "$1" >&2
  exit 2
}
cmd=$(jq -r '.tool_input.command // empty')
if echo "$cmd" | grep -qE 'gcloud sql instances delete'; then
  block "Blocked: 'git push --force' and its like"
fi
""",
        0o755,
    )
    program.write(
        "reminds.js",
        """let given = '';
process.stdin.on('data', part => { given += part; }).on('end', () => {
  const command = JSON.parse(given).tool_input.command || '';
  if (/gcloud sql instances delete/.test(command)) { console.error('no'); process.exit(2); }
  if (/npm publish/.test(command)) {
    console.error('a tag first, if you please');
  }
});
""",
        0o755,
    )
    program.write(
        "wants.sh",
        "#!/bin/bash\ncmd=$(jq -r .tool_input.command)\n"
        "[[ $cmd =~ npm[[:space:]]+publish[[:space:]]+--force ]] && exit 2\n",
        0o755,
    )
    names = ("says.sh", "reminds.js", "wants.sh")
    lines = [f'"$CLAUDE_PROJECT_DIR"/{name}' for name in names]
    groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": each}]} for each in lines]
    program.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": groups}}))
    found = json.loads(program("check", "--json").stdout)
    assert not [each["message"] for each in found if each["code"] == "fragile-rule"]
