"""What is said of a file of hooks that two agents read, each by rules of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

PATH = ".github/hooks/a.json"
GROUP = "GitHub Copilot runs no hook that stands in a group; VS Code does"
LINE = "`bash` is missing, so GitHub Copilot runs nothing of it; VS Code runs its `linux`"


def told(program: Program, **events: Any) -> list[tuple[str, str, str]]:
    """Severity, code and message of all that is said of one file of hooks, its version aside."""
    version = {"version": events.pop("version")} if "version" in events else {}
    program.write(PATH, json.dumps({**version, "hooks": events}, indent=1))
    found = json.loads(program("check", "--json").stdout)
    return [
        (each["severity"], each["code"], each["message"])
        for each in found
        if "version" not in each["message"]
    ]


def in_group(command: str, **more: Any) -> dict[str, Any]:
    return {**more, "hooks": [{"type": "command", "command": command}]}


def test_hooks_that_one_agent_alone_runs_are_looked_at_as_it_runs_them(program: Program) -> None:
    reads = "#!/bin/sh\njq -e '{0}' >/dev/null || {{ echo 'not this one' >&2; exit 1; }}\n"
    program.write("a.sh", reads.format(".tool_input.filePath"), 0o755)
    program.write("b.sh", reads.format(".toolArgs"), 0o755)
    weak = "`./{}.sh` says that it blocks and ends with 1, which lets the action through"
    unsent = "`./b.sh` reads `.toolArgs` of its input, which VS Code does not send at `PreToolUse`"
    entry = {"type": "command", "linux": "./b.sh", "windows": "pwsh -File gone.ps1"}
    assert told(program, PreToolUse=[in_group("./a.sh"), in_group("./a.sh"), entry], Stop=[in_group("./gone.sh")]) == [
        ("notice", "agent-alone", GROUP),
        ("error", "weak-exit", weak.format("a")),
        ("error", "weak-exit", weak.format("a")),
        ("notice", "agent-alone", LINE),
        ("error", "weak-exit", weak.format("b")),
        ("warning", "unsent-field", unsent),
        ("error", "missing-script", "`gone.ps1` does not exist"),
        ("error", "missing-program", "`./gone.sh` does not exist"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("event", "entry", "message"),
    [
        ("preToolUse", in_group("true"), GROUP),
        ("PreToolUse", in_group("true", matcher="bash"), f"{GROUP}, without a look at the `matcher`"),
        ("agentStop", {"type": "command", "linux": "true"}, LINE),
    ],
)
def test_in_a_file_for_the_first_of_them_it_is_a_warning(
    program: Program, event: str, entry: dict[str, Any], message: str
) -> None:
    assert told(program, version=1, **{event: [entry]}) == [("warning", "agent-alone", message)]
    assert f"cannot run: {message}" in program("list").stderr


def test_an_event_that_the_other_agent_has_not_makes_a_group_one_that_nobody_runs(program: Program) -> None:
    words = "a group with `hooks`, where each hook stands by itself: none of them runs"
    assert told(program, version=1, sessionEnd=[in_group("true")]) == [("error", "missing-key", words)]
    settings = {"hooks": {"preToolUse": [in_group("true")]}}
    program.write(".github/copilot/settings.json", json.dumps(settings))
    found = json.loads(program("check", "--json").stdout)
    assert [each["message"] for each in found if "copilot/settings" in each["source"]] == [words]


def test_a_hook_of_the_other_agent_is_listed_and_not_run(program: Program) -> None:
    program.write("log.sh", "#!/bin/sh\ncat >>ran\n", 0o755)
    found = told(program, PreToolUse=[in_group("./log.sh"), {"type": "command", "linux": "./log.sh"}])
    assert [each[1:] for each in found] == [("agent-alone", GROUP), ("agent-alone", LINE)]
    listed = program("list").stderr
    assert f"note: {PATH}: {GROUP}\n" in listed and "itself" not in listed
    program("trust", "--yes")
    call = '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
    program("fire", "copilot:PreToolUse", "--json", stdin=call)
    assert not (program.workspace / "ran").exists()


def test_a_field_that_the_other_agent_sends_is_told_with_who_sends_it(program: Program) -> None:
    entry = {"type": "command", "bash": "jq -r .tool_input.command >>log"}
    words = "the line reads `.tool_input` of its input, which GitHub Copilot does not send at `preToolUse`"
    found = told(program, version=1, preToolUse=[entry])
    assert found == [("warning", "unsent-field", f"{words}; VS Code takes it as it is")]


def test_two_names_of_one_event_are_told_where_the_other_agent_runs_but_the_last(program: Program) -> None:
    first, last = ({"type": "command", "bash": f"echo {word} >>log"} for word in "ab")
    words = "`agentStop` and `Stop` are one event to VS Code, which runs the hooks of `Stop` alone"
    assert told(program, version=1, agentStop=[first], Stop=[last]) == [("notice", "one-agent", words)]
    assert told(program, version=1, agentStop=[first], Stop=[first]) == []
    assert told(program, version=1, sessionEnd=[first], SessionEnd=[last]) == []


def test_a_field_that_the_other_agent_lacks_is_taken_by_nobody(program: Program) -> None:
    text = "command=$(jq -r '.toolArgs | fromjson | .command')\n"
    program.write("look.sh", f'#!/bin/sh\n{text}[ "$command" = reboot ] && exit 2\nexit 0\n', 0o755)
    told(program, version=1, preToolUse=[{"type": "command", "bash": "./look.sh"}])
    found = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    assert len(found) == 1 and found[0].endswith("in newer versions of GitHub Copilot: that fails")


def test_the_shell_of_windows_is_told_for_the_line_that_runs_there(program: Program) -> None:
    reads = "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\n"
    denies = '@{ permissionDecision = "deny"; permissionDecisionReason = "no" } | ConvertTo-Json\n'
    program.write("a.ps1", f"{reads}if ($d.toolName -eq 'bash') {{ {denies} }}\n")
    program.write("b.ps1", f"{reads}if ($d.toolName -in @('bash', 'powershell')) {{ {denies} }}\n")
    program.write("c.ps1", f"{reads}if ($d.toolName -notmatch '^(bash|zsh)$') {{ exit 0 }}\n{denies}")
    entries = [{"type": "command", "bash": "true", "powershell": f"./{name}.ps1"} for name in "abc"]
    found = [each for each in told(program, version=1, preToolUse=entries) if "on" not in each[1][:2]]
    words = "compares `toolName` with `bash`, and where this line runs GitHub Copilot calls its shell `powershell`"
    assert [each[2] for each in found] == [f"`./a.ps1` {words}", f"`./c.ps1` {words}"]
