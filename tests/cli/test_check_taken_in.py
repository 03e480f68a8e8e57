"""What `hookline check` says of a script whose words and ends stand in files beside it."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_words import NODE, PYTHON, SHELL, told
from tests.program import Program

# how a script takes in `FILE`, and calls `no` of it; the folder of the script is `guards`
WAYS = {
    "by its folder": ("a.sh", 'source "$(dirname "$0")/lib/end.sh"\n', "no", "lib/end.sh"),
    "by a variable": (
        "a.sh",
        'HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n. "$HERE/end.sh" || exit 0\n',
        "no",
        "end.sh",
    ),
    "by the project": ("a.sh", '. "$CLAUDE_PROJECT_DIR/guards/end.sh"\n', "no", "end.sh"),
    "from": ("a.py", "from ends import no\n", "no", "ends.py"),
    "from a package": ("a.py", "from lib.ends import (\n    no,\n)\n", "no", "lib/ends.py"),
    "under another name": ("a.py", "from ends import no as stop\n", "stop", "ends.py"),
    "as a whole": ("a.py", "import ends as e\n", "e.no", "ends.py"),
    "by a path that is added": (
        "a.py",
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\nimport ends\n",
        "ends.no",
        "lib/ends.py",
    ),
    "where it is there": (
        "a.py",
        "try:\n    from ends import no\nexcept ImportError:\n    raise SystemExit(0)\n",
        "no",
        "ends.py",
    ),
    "required": ("a.js", "const { no } = require('./ends');\n", "no", "ends.js"),
    "required as a whole": ("a.js", "const ends = require('./lib/ends.js');\n", "ends.no", "lib/ends.js"),
    "imported": ("a.js", "import { no as stop } from './ends.mjs';\n", "stop", "ends.mjs"),
}
CALLS = {
    "sh": '{begin}{take}case $c in *mkfs*) {call} "no disks";; esac\n',
    "py": '{begin}import os\n{take}if "mkfs" in d["tool_input"]["command"]:\n    {call}("no disks")\n',
    "js": "{take}{begin}if (/mkfs/.test(d.tool_input.command)) {call}('no disks');\n",
}
# functions that end a script: by a way there is, and with others that the script does not call
ENDS = {
    "sh": {
        "1": 'no() {\n  echo "$1" >&2\n  exit 1\n}\n',
        "stdout": 'function no {\n  echo "$1"\n  exit 2\n}\n',
        "right": 'say() { echo "$1" >&2; }\nno() {\n  say "$1"\n  exit 2\n}\nother() {\n  echo x\n  exit 1\n}\n',
    },
    "py": {
        "1": "import sys\n\n\ndef no(why):\n    print(why, file=sys.stderr)\n    sys.exit(1)\n",
        "stdout": '"""Ends."""\nfrom __future__ import annotations\nimport sys\n'
        "def no(why):\n    print(why)\n    sys.exit(2)\n",
        "right": "import sys\ndef say(why):\n    print(why, file=sys.stderr)\n"
        "def no(why):\n    say(why)\n    sys.exit(2)\n"
        "def other():\n    print(1)\n    sys.exit(1)\nif __name__ == '__main__':\n    other()\n",
    },
    "js": {
        "1": "function no(why) {\n  console.error(why);\n  process.exit(1);\n}\nmodule.exports = { no };\n",
        "stdout": "exports.no = (why) => {\n  console.log(why);\n  process.exit(2);\n};\n",
        "right": "export function no(why) {\n  console.error(why);\n  process.exit(2);\n}\n"
        "export const other = () => {\n  console.log(1);\n  process.exit(1);\n};\n",
    },
}  # fmt: skip
BEGINS = {"sh": SHELL, "py": PYTHON, "js": NODE}


def found(program: Program, way: str, ends: str) -> list[str]:
    name, take, call, file = WAYS[way]
    kind = name.rpartition(".")[2]
    program.write(f"guards/{file}", ENDS[kind][ends])
    text = CALLS[kind].format(begin=BEGINS[kind], take=take, call=call)
    return told(program, "PreToolUse", f"guards/{name}", text, matcher="Bash")


@pytest.mark.parametrize("way", WAYS)
def test_a_script_that_ends_by_a_function_of_another_file(program: Program, way: str) -> None:
    assert found(program, way, "1") == ["weak-exit"]
    assert found(program, way, "stdout") == ["unread-output"]
    assert found(program, way, "right") == []


def test_a_function_of_a_file_that_a_file_takes_in(program: Program) -> None:
    program.write("guards/ends.py", "from how.words import end\ndef no(why):\n    end(why)\n")
    program.write("guards/how/words.py", ENDS["py"]["1"].replace("def no", "def end"))
    text = CALLS["py"].format(begin=PYTHON, take="from ends import no\n", call="no")
    assert told(program, "PreToolUse", "guards/a.py", text, matcher="Bash") == ["weak-exit"]


NAMED_ALONE = {
    "in what documents": 'import ends\ndef main():\n    """Never a no."""\n    ends.say(d["cwd"])\nmain()\n',
    "in a text": 'from ends import say\nsay({"what": "no"})\n',
    "as a variable": "import ends\nno = d['cwd']\nends.say(no)\n",
}  # fmt: skip


@pytest.mark.parametrize("how", NAMED_ALONE)
def test_a_function_of_another_file_that_is_named_and_not_called(program: Program, how: str) -> None:
    ends = "import sys\ndef say(what):\n    with open('log', 'a') as log:\n        log.write(str(what))\n"
    program.write("guards/ends.py", ends + ENDS["py"]["stdout"].partition("import sys\n")[2])
    assert told(program, "PreToolUse", "guards/a.py", PYTHON + NAMED_ALONE[how], matcher="Bash") == []


def test_a_function_of_another_file_evens_out_what_agents_send(program: Program) -> None:
    evens = (
        "def evened(data):\n    if 'tool_info' not in data:\n        data['tool_info'] = data['tool_input']\n"
    )
    program.write("guards/payloads.py", evens + "    return data\n")
    text = (
        PYTHON + "from payloads import evened\nd = evened(d)\n"
        "if 'mkfs' in d['tool_info']['command']:\n    print('no disks', file=sys.stderr)\n    sys.exit(2)\n"
    )
    assert told(program, "PreToolUse", "guards/a.py", text, matcher="Bash") == []
    text = text.replace("from payloads import evened", "from elsewhere import evened")
    assert told(program, "PreToolUse", "guards/a.py", text, matcher="Bash") == []


HANDED_ON = {
    "a.py": ("from lib import no\n", {"lib/__init__.py": "from .ends import no\n", "lib/ends.py": ENDS["py"]["1"]}),
    "a.js": (
        "import { no } from './lib';\n",
        {"lib/index.ts": "export * from './ends';\n", "lib/ends.ts": ENDS["js"]["1"]},
    ),
    "b.js": (
        "import { no } from './lib/index.js';\n",
        {"lib/index.js": "export { no } from './ends.js';\n", "lib/ends.js": ENDS["js"]["1"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDED_ON)
def test_a_function_that_a_folder_hands_on(program: Program, name: str) -> None:
    take, others = HANDED_ON[name]
    for file, text in others.items():
        program.write(f"guards/{file}", text)
    kind = name.rpartition(".")[2]
    script = CALLS[kind].format(begin=BEGINS[kind], take=take, call="no")
    assert told(program, "PreToolUse", f"guards/{name}", script, matcher="Bash") == ["weak-exit"]


def test_words_that_a_function_of_a_required_file_prints(program: Program) -> None:
    says = "function log(words) {\n  %s\n}\nmodule.exports = { log };\n"
    script = NODE + "const { log } = require('./lib');\nif (d.cwd) log('Warning: please run the tests.');\n"
    for way in ("console.error(words);", "process.stderr.write(words + '\\n');"):
        program.write("guards/lib.js", says % way)
        assert told(program, "Stop", "guards/a.js", script) == ["unread-output"]
    program.write("guards/lib.js", says % "console.log(JSON.stringify({ systemMessage: words }));")
    assert told(program, "Stop", "guards/a.js", script) == []


QUIET = {
    "files that take in one another": ("from b import no\n", {"b.py": "from a import x\ndef no(why):\n    x()\n"}),
    "a file that is none": ("from b import no\n", {"b.py": "def no(why:\n"}),
    "records that are kept": (
        "from b import no, keep\nkeep('decision')\n",
        {"b.py": "import sys\ndef keep(x):\n    open('log', 'a').write('{\"decision\": \"block\"}')\n    sys.exit(1)\n"
                 "def no(why):\n    print(why, file=sys.stderr)\n    sys.exit(2)\n"},
    ),
    "what imports for itself, taken in by a function": (
        "def run():\n    kept = json.dumps(d)\n    from b import no\n    return kept\nrun()\nno = print\n",
        {"b.py": "import json, sys\ndef no(why):\n    print(json.dumps(why), file=sys.stderr)\n    sys.exit(2)\n"},
    ),
    "files that each keep something by the same name, taken in by a function": (
        "def run():\n    from b import keep\n    from c import no\n    keep('x')\n    return no\nno = run()\n",
        {"b.py": "log = open('b.log', 'a')\nlog.write('b')\ndef keep(x):\n    log.write(x)\n",
         "c.py": "log = None\nlog = open('c.log', 'a')\nlog.write('c')\ndef no(why):\n    log.write(why)\n"},
    ),
    "nothing but a record": ("from b import keep as no\n", {"b.py": "def keep(x):\n    open('log', 'a').write(x)\n"}),
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_what_is_taken_in_and_says_nothing_is_not_told(program: Program, name: str) -> None:
    take, others = QUIET[name]
    for file, text in others.items():
        program.write(f"guards/{file}", text)
    script = CALLS["py"].format(begin=PYTHON, take=take, call="no")
    assert told(program, "PreToolUse", "guards/a.py", script, matcher="Bash") == []


def test_words_of_a_function_that_is_taken_in_are_heard_where_its_own_would_be(program: Program) -> None:
    program.write("guards/lib/say.sh", 'complain() {\n  echo "[look] WARNING: $*" >&2\n}\n')
    take = 'source "$(dirname "$0")/lib/say.sh"\n'
    reads = "#!/bin/bash\n" + take + "f=$(jq -r .tool_input.file_path)\n"
    script = f'{reads}grep -q TODO "$f" && complain "Remove the TODO before you commit."\nexit %s\n'
    for code, codes in (("0", ["unread-output"]), ("2", [])):
        assert told(program, "PostToolUse", "guards/a.sh", script % code, matcher="Write") == codes


JUDGES = {
    "a.js": (
        "import { judge } from './rules.js';\njudge(d);\n",
        "rules.js",
        "export function judge(call) {\n  const why = fits(call.tool_input.command);\n  if (why) {\n"
        "    console.error(why);\n    process.exit(2);\n  }\n}\nfunction told() {\n  return 1;\n}\n"
        "const RULES = [\n  [/git reset --hard/, 'no resets'],\n];\n"
        "function fits(text) {\n  for (const [rule, why] of RULES) if (rule.test(text)) return why;\n}\n",
    ),
    "a.py": (
        "from rules import judge\njudge(d)\n",
        "rules.py",
        "import re, sys\ndef judge(call):\n    if fits(call['tool_input']['command']):\n"
        "        print('no resets', file=sys.stderr)\n        sys.exit(2)\n"
        "OTHER = '''x\ny'''\nRULES = [\n    r'git reset --hard',\n]\n"
        "def fits(text):\n    return any(re.search(rule, text) for rule in RULES)\n",
    ),
    "b.py": (
        "from rules import judge\ncode, why = judge(d['tool_input']['command'])\n"
        "if code:\n    print(why, file=sys.stderr)\nsys.exit(code)\n",
        "rules.py",
        "def judge(command):\n    if resets(command):\n        return (2, 'no resets')\n    return (0, '')\n"
        "def resets(command):\n    return 'git reset --hard' in command\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JUDGES)
def test_rules_between_the_functions_of_a_file_that_is_taken_in(program: Program, name: str) -> None:
    script, file, text = JUDGES[name]
    program.write(f"guards/{file}", text)
    told(program, "PreToolUse", f"guards/{name}", BEGINS[name.rpartition(".")[2]] + script, matcher="Bash")
    found = json.loads(program("check", "--json").stdout)
    assert [each["code"] for each in found] == ["fragile-rule"]


DOTTED = ('. "$PSScriptRoot\\say.ps1"', ". (Join-Path $PSScriptRoot 'say.ps1')", '. "$here/say.ps1"')


@pytest.mark.parametrize("take", DOTTED)
def test_words_of_a_function_of_powershell_that_is_taken_in(program: Program, take: str) -> None:
    program.write(
        "guards/say.ps1",
        "$script:Head = 'WARNING'\nfunction Write-Note {\n    param([string]$Text)\n"
        '    Write-Host "WARNING: look at this file again"\n}\nfunction Other {\n    exit 1\n}\n',
    )
    script = (
        f"$here = $PSScriptRoot\n{take}\n$d = $input | ConvertFrom-Json\nWrite-Note $d.tool_name\nexit 0\n"
    )
    assert told(program, "PostToolUse", "guards/a.ps1", script, matcher="Edit") == ["unread-output"]
    quiet = script.replace("Write-Note", "Write-Nothing")
    assert told(program, "PostToolUse", "guards/a.ps1", quiet, matcher="Edit") == []


def test_a_script_of_powershell_that_is_called_and_sent_nothing(program: Program) -> None:
    """`$input` is what a pipe brings; the console's input is there for every script."""
    reads = {
        "by the pipe": "$all = ($input | Out-String)\n$all | Out-File calls.log\n",
        "by the console": "$all = [Console]::In.ReadToEnd()\n$all | Out-File calls.log\n",
    }
    found = {}
    for name, text in reads.items():
        program.write("tools/note.ps1", text)
        for way in ('& (Join-Path $root "tools\\note.ps1") @args', "$input | & '.\\tools\\note.ps1'"):
            program.write("hooks/note.ps1", f"$root = Split-Path $PSScriptRoot\n{way}\nexit $LASTEXITCODE\n")
            hook = {"type": "command", "command": "pwsh -File hooks/note.ps1"}
            program.write(".claude/settings.json", json.dumps({"hooks": {"SessionEnd": [{"hooks": [hook]}]}}))
            codes = {each["code"] for each in json.loads(program("check", "--json").stdout)}
            found[name, way[:6]] = "no-input" in codes
    assert [each for each, told in found.items() if told] == [("by the pipe", "& (Joi")]


# what makes a value of the input stands in `lib/read.KIND`: how a script takes it in and reads `path`, and the file
PARSED = {
    "js": (
        "const { all, made } = require('./lib/read');\nall().then((raw) => {\n  const call = made(raw);\n"
        "  if (/pem$/.test(call.path || '')) process.exit(2);\n});\n",
        "const all = () => new Promise((resolve) => {\n  let text = '';\n"
        "  process.stdin.on('data', (piece) => { text += piece; });\n"
        "  process.stdin.on('end', () => resolve(text));\n});\n"
        "function made(raw) {\n  try {\n    return JSON.parse(raw || '{}');\n  } catch {\n    return {};\n  }\n}\n"
        "module.exports = { all, made };\n",
    ),
    "py": (
        "import sys\nfrom lib.read import made\ncall = made(sys.stdin.read())\n"
        "if call.get('path', '').endswith('pem'):\n    sys.exit(2)\n",
        "import json\ndef made(raw):\n    try:\n        return json.loads(raw)\n"
        "    except ValueError:\n        return {}\n",
    ),
    "ps1": (
        "$shared = Join-Path $PSScriptRoot 'lib\\read.ps1'\n. $shared\n$call = Read-Call\n"
        "if ($call.path -match 'pem$') { exit 2 }\n",
        "function Read-Call {\n    $raw = [Console]::In.ReadToEnd()\n    return $raw | ConvertFrom-Json\n}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PARSED)
def test_what_another_file_makes_of_the_input_is_the_input(program: Program, kind: str) -> None:
    script, read = PARSED[kind]
    program.write(f"guards/lib/read.{kind}", read)
    found = {}
    for name in ("path", "file_path"):
        text = script.replace("call.path", f"call.{name}").replace("get('path'", f"get('{name}'")
        program.write(f"guards/a.{kind}", text)
        by = {"js": "node", "py": "python3", "ps1": "pwsh -File"}[kind]
        hook = {"command": f"{by} guards/a.{kind}"}
        program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"beforeReadFile": [hook]}}))
        found[name] = [each["code"] for each in json.loads(program("check", "--json").stdout)]
    assert "unsent-field" in found["path"]
    assert "unsent-field" not in found["file_path"]


def test_a_file_that_is_taken_in_and_begins_with_a_mark_of_its_order(program: Program) -> None:
    program.write(
        "guards/say.ps1",
        "\ufefffunction Out-No([string]$Why) {\n    $no = @{ decision = 'block'; message = $Why }\n"
        "    $no | ConvertTo-Json -Compress | Write-Output\n    exit 2\n}\n"
        "function Write-Row($Text) {\n    Add-Content calls.log $Text\n}\n",
    )
    script = ". (Join-Path $PSScriptRoot 'say.ps1')\n$d = $input | ConvertFrom-Json\nWrite-Row $d.tool_name\nexit 0\n"
    assert told(program, "PostToolUse", "guards/a.ps1", script, matcher="Edit") == []


def test_values_of_files_that_are_taken_in_are_set_where_they_stand(program: Program) -> None:
    program.write("guards/one.py", "def one(command):\n    print('one')\n    return command\n")
    program.write(
        "guards/lists.py", "DISKS = ['mkfs']\n\n\ndef known(command):\n    return command in DISKS\n"
    )
    takes = "from one import one\nfrom lists import DISKS\n\nALL = DISKS + ['dd']\n\n\n"
    program.write("guards/rules.py", f"{takes}def all_of(command):\n    print(one(command) in ALL)\n")
    text = f"{PYTHON}from rules import all_of\nfrom lists import DISKS\nall_of('x')\nprint(DISKS)\n"
    assert told(program, "SessionStart", "guards/a.py", text) == []


def test_a_script_parses_by_its_own_text_and_not_by_what_it_takes_in(program: Program) -> None:
    lib = "first() {\n  python3 - <<'PY'\nimport json, sys\nd=json.load(sys.stdin)\nPY\n}\n"
    lib += "hook_deny() {\n  python3 - \"$1\" <<'PY'\nimport json, sys\nd={'permissionDecision': 'deny'}\n"
    lib += "print(json.dumps({'hookSpecificOutput': d}))\nPY\n}\n"
    begins = '#!/bin/bash\n. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"\nhook_deny "$(cat)"\n'
    program.write("lib.sh", lib)
    program.write("a.sh", begins, 0o755)
    program.write("b.sh", begins + "if true; then\n", 0o755)
    hooks = [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{name}'} for name in ("a.sh", "b.sh")]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    told = [each for each in json.loads(program("check", "--json").stdout) if each["code"] == "bad-syntax"]
    assert [each["message"].split(": ")[0:2] for each in told] == [
        ["`b.sh` does not parse, so it never does its work", "line 5"]
    ]


def test_a_function_of_another_file_that_a_comment_names_is_not_called(program: Program) -> None:
    lib = 'root() { pwd; }\nresolved() {\n  [ -e "$1" ] || { echo "WARNING: $1 is missing in it" >&2; return 1; }\n}\n'
    program.write("guards/lib.sh", f"# as in {'resolved'}\n{lib}")
    begins = '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\ncat >> "$(root)/log"\n'
    for called, text in ((False, "# unlike resolved\n"), (True, 'resolved "$(root)/x"\n')):
        found = told(program, "SessionEnd", "guards/a.sh", f"{begins}{text}exit 0\n")
        assert ("unread-output" in found) == called
