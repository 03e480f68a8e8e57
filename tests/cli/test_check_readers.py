"""Who reads what a hook prints or ends with, and what is said of it where that is not the model."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

PLACES = {
    "claude": (".claude/settings.json", "PostToolUse"), "gemini": (".gemini/settings.json", "BeforeAgent"),
    "droid": (".factory/settings.json", "UserPromptSubmit"), "qwen": (".qwen/settings.json", "PostToolUse"),
}  # fmt: skip
TELLS = "#!/bin/sh\njq -e '.prompt | test(\"deploy\")' >/dev/null || exit 0\necho 'Please do not deploy on a Friday'\n"
LINTS = '#!/bin/sh\nfile=$(jq -r .tool_input.file_path)\nnpx eslint "$file" >&2 || exit 2\n'
SAYS = "#!/bin/sh\nfile=$(jq -r .tool_input.file_path)\n"
SAYS += "grep -q FIXME \"$file\" && echo 'Please mend what says FIXME'\n"
UNREAD = "on standard output: nobody reads that at `PostToolUse`"
TWO = f"{SAYS}grep -q XXX \"$file\" && echo 'You must take out each XXX'\nexit 0\n"


@pytest.mark.parametrize(
    ("agent", "script", "messages"),
    [
        ("gemini", TELLS, ["`a.sh` does nothing but print, and the person alone reads plain output at `BeforeAgent`"]),
        ("droid", TELLS, []),
        ("qwen", LINTS, ["`a.sh` ends with 2, of which the model hears nothing in Qwen Code at `PostToolUse`"]),
        (
            "claude",
            f"{SAYS}exit 0\n",
            [f"`a.sh` says `Please mend what says FIXME` {UNREAD}"],
        ),
        (
            "claude",
            TWO,
            [f"`a.sh` says `Please mend what says FIXME` and more {UNREAD}"],
        ),
    ],
)  # fmt: skip
def test_who_reads_it_is_told(program: Program, agent: str, script: str, messages: list[str]) -> None:
    path, event = PLACES[agent]
    program.write("a.sh", script, 0o755)
    hook = {"type": "command", "command": 'sh "$CLAUDE_PROJECT_DIR"/a.sh'}
    program.write(path, json.dumps({"hooks": {event: [{"hooks": [hook]}]}}))
    assert [each["message"] for each in json.loads(program("check", "--json").stdout)] == messages


def test_windows_line_ends_are_told_once(program: Program) -> None:
    text = "#!/bin/sh\r\nif grep -q rm; then\r\n  echo no >&2\r\n  exit 2\r\nfi\r\n"
    for name in ("a.sh", "b"):
        (program.workspace / name).write_bytes(text.encode())
        (program.workspace / name).chmod(0o755)
    hooks = [
        {"type": "command", "command": f'{by}"$CLAUDE_PROJECT_DIR"/{name}'}
        for by, name in (("", "a.sh"), ("sh ", "b"))
    ]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    found = json.loads(program("check", "--json").stdout)
    words = "`{}` has Windows line ends, which a shell takes for text"
    assert [(each["code"], each["message"]) for each in found] == [
        ("crlf", words.format(name)) for name in ("a.sh", "b")
    ]
