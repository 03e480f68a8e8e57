"""The files of the demo's throw-away project: a small program and hooks in five dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PROMPT = "Write greet.py with a function greet(name), and clear the build folder first."
REPORT_PROMPT = "Look at the lint report of this round: is anything left to do?"

_FORMATTER = '''\
"""Strips trailing blanks from the files named on the command line; stands in for a real formatter."""
import pathlib
import sys

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    if path.suffix == ".py":
        before = path.read_text()
        after = "\\n".join(line.rstrip() for line in before.splitlines()) + "\\n"
        path.write_text(after)
        print(f"{path.name}: " + ("formatted" if after != before else "already tidy"))
'''

_LINT = '''\
"""A tiny linter: every function needs a docstring. Exits 1 and names the places when one has none."""
import ast
import pathlib
import sys

found = 0
for name in sys.argv[1:]:
    for node in ast.walk(ast.parse(pathlib.Path(name).read_text(), name)):
        if isinstance(node, ast.FunctionDef) and not ast.get_docstring(node):
            print(f"{name}:{node.lineno}: function {node.name} has no docstring")
            found += 1
print(f"files checked: {len(sys.argv) - 1}, findings: {found}")
sys.exit(1 if found else 0)
'''

_GUARD = '''\
"""Reads the call as JSON and rejects commands that delete by force."""
import json
import sys

command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
if "rm -rf" in command:
    print(json.dumps({"Reject": {"reason": f"refusing to run {command!r}: delete with git clean instead"}}))
else:
    print(json.dumps("Continue"))
'''

_FILE_HOOK = """\
#!/bin/sh
#---
# name: Docstrings
# type: file
# pattern: "*.py"
# description: every function is documented before the turn may end
#---
exec python3 tools/lint.py $DISCOBOT_CHANGED_FILES
"""

_SESSION_HOOK = """\
#!/bin/sh
#---
# name: Check the tools
# type: session
#---
python3 --version && git --version
"""

_VALIDATE = """\
#!/bin/sh
# An issue is done only when the program really runs.
if ! python3 -c 'import greet; assert greet.greet("Ada") == "Hello, Ada!"' 2>/dev/null; then
  echo "greet('Ada') does not answer 'Hello, Ada!'" >&2
  exit 2
fi
echo "greet works"
"""

WORKSPACE: Mapping[str, str] = {
    "README.md": "# Greeter\n\nA program that greets.\n",
    "tools/format.py": _FORMATTER,
    "tools/lint.py": _LINT,
    ".gen/settings.json": """\
{
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          {"type": "command", "command": "python3 tools/format.py $FILE_PATH", "statusMessage": "format"}
        ]
      }
    ]
  }
}
""",
    ".autoagent/config.json": """\
{
  "hooks": {
    "PreExecutionEnd": [
      {"type": "command", "command": "sh .autoagent/validate.sh", "blocking": true, "timeout": 10000}
    ]
  }
}
""",
    ".autoagent/validate.sh": _VALIDATE,
    ".iteratr.hooks.yml": """\
version: 1
hooks:
  post_iteration:
    - command: "python3 tools/lint.py greet.py tools/*.py"
      timeout: 10
      pipe_output: true
""",
    ".discobot/hooks/docstrings.sh": _FILE_HOOK,
    ".discobot/hooks/tools.sh": _SESSION_HOOK,
}

LEFT_OVER: Mapping[str, str] = {"build/old.txt": "made by an earlier run, never committed\n"}

HOME: Mapping[str, str] = {
    ".config/cocode/hooks.toml": """\
[[hooks]]
event = "PreToolUse"
tool_matcher = "Bash*"
name = "no-forced-deletes"
timeout_sec = 10

[hooks.shell]
command = "python3 ~/.config/cocode/guard.py"
pass_context = true
parse_result = true
""",
    ".config/cocode/guard.py": _GUARD,
}

_BROKEN = 'def greet(name):   \n    return f"Hi {name}"\n'

SCRIPT: Mapping[str, Any] = {
    "turns": [
        {"text": "First I clear the build folder.",
         "tool_calls": [{"name": "Bash", "input": {"command": "rm -rf build"}}]},
        {"text": "The guard is right; I ask git instead.", "expect": "refusing to run",
         "tool_calls": [{"name": "Bash", "input": {"command": "git clean -fdq build && ls"}}]},
        {"text": "Now the program.",
         "tool_calls": [{"name": "Write", "input": {"file_path": "greet.py", "content": _BROKEN}}]},
        {"text": "greet.py is written."},
        {"text": "The hook wants a docstring.", "expect": "has no docstring",
         "tool_calls": [{"name": "Edit", "input": {
             "file_path": "greet.py", "old_string": "def greet(name):\n",
             "new_string": 'def greet(name):\n    """A greeting for `name`."""\n'}}]},
        {"text": "Documented."},
        {"text": "The validation wants another wording.", "expect": "does not answer",
         "tool_calls": [{"name": "Edit", "input": {
             "file_path": "greet.py", "old_string": 'f"Hi {name}"', "new_string": 'f"Hello, {name}!"'}}]},
        {"text": "greet('Ada') now says 'Hello, Ada!'."},
        {"text": "Nothing: the lint has no findings.", "expect": "files checked: 3, findings: 0"},
    ],
    "after": "All done.",
}  # fmt: skip
