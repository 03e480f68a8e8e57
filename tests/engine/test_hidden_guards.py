"""A guard that a mistake of its file hides, in place of breaking it, is a guard that is off: every way in says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

CALL = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
OURS, GEMINI = ".hookline/hooks.toml", ".gemini/settings.json"
CLAUDE, CODEX = ".claude/settings.json", ".codex/hooks.json"
CURSOR, COPILOT, GENCODE = ".cursor/hooks.json", ".github/hooks/guard.json", ".gen/settings.json"
VIBE, KIRO = ".vibe/hooks.toml", ".kiro/hooks/guard.json"
GROUP = '[{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]'
CALM = GROUP.replace("exit 2", "true")
HOOK = '\nevent = "PreToolUse"\ntool = "Bash"\ndeny = "no"\n'
NOTED = '[[hooks]]\nevent = "Notification"\nrun = "true"\n'
LOST = 'run = "exit 2"\n' + NOTED


def members(*pairs: str) -> str:
    """An object of names and JSON texts in turn, of which two may have one name."""
    named = zip(pairs[::2], pairs[1::2], strict=True)
    return "{" + ", ".join(f'"{name}": {text}' for name, text in named) + "}"


def hooks(*pairs: str) -> str:
    return members("version", "1", "hooks", members(*pairs))


def permissions(*pairs: str) -> str:
    return members("permissions", members(*pairs))


RULES = '["Bash(rm:*)"]'
TWICE = "more than once"
AGENT = ".claude/agents/a.md"
MATTER = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: exit 2}\n"
SHELL, ONE = "beforeShellExecution", '{"command": "exit 2"}'
HIDDEN = {
    "a pack there is not": (OURS, 'use = ["filse"]\n', "no pack `filse`"),
    "a rule for a pack": (OURS, f'use = ["git/force-push"]\n{NOTED}', "no pack `git/force-push`"),
    "packs below a table": (OURS, f'[hookline]\nuse = ["git"]\n{NOTED}', "`hookline` means nothing here"),
    "packs that are no list": (OURS, "use = true\n", "expected a list of strings"),
    "a key meant for `use`": (OURS, f'uses = ["git"]\n{NOTED}', "`uses` means nothing here"),
    "a level there is not": (OURS, 'use = ["git"]\nlevel = "strickt"\n', "strickt"),
    "a pack from nowhere": (OURS, f'[[packs]]\nrev = "v1"\n{NOTED}', "`git` is missing"),
    "tables under a singular": (OURS, f"[[hook]]{HOOK}{NOTED}", "`hook` means nothing here"),
    "tables under another name": (OURS, f"[[guards]]{HOOK}", "`guards` means nothing here"),
    "one table for a list": (OURS, f"[hooks]{HOOK}", "expected `[[hooks]]` tables"),
    "hooks that are texts": (OURS, 'hooks = ["exit 2"]\n', "expected an object"),
    "hooks that are a number": (CLAUDE, members("hooks", "3"), "expected an object, found 3"),
    "events in a list": (GEMINI, members("hooks", f"[{GROUP}]"), "expected an object, found a list"),
    "events outside": (CODEX, members("PreToolUse", GROUP), "outside of `hooks`"),
    "hooks in another object": (
        GEMINI, members("tools", members("hooks", members("BeforeTool", GROUP))), "`hooks` stands inside of `tools`"
    ),
    "events beside hooks": (CLAUDE, members("hooks", "{}", "PreToolUse", GROUP), "outside of `hooks`"),
    "a key meant for `hooks`": (
        GENCODE, members("hook", members("PreToolUse", GROUP)), "`hook` means nothing here"
    ),
    "a copy of `hooks`": (CLAUDE, members("hooks", members("PreToolUse", GROUP), "hooks", "{}"), TWICE),
    "a copy of an event": (CODEX, hooks("PreToolUse", GROUP, "PreToolUse", CALM), TWICE),
    "a copy of a flat event": (CURSOR, hooks(SHELL, f"[{ONE}]", SHELL, "[]"), TWICE),
    "a copy in a group": (CLAUDE, hooks("PreToolUse", f"[{members('hooks', GROUP, 'hooks', '[]')}]"), TWICE),
    "an event that is one hook": (CURSOR, hooks("stop", "[]", SHELL, ONE), "expected a list of hooks"),
    "an entry that is a text": (COPILOT, hooks("agentStop", "[]", "preToolUse", '["x"]'), "expected an object"),
    "a list under a singular": (VIBE, '[[hook]]\ntype = "pre_tool"\ncommand = "exit 2"\n', "`hook` means nothing here"),
    "a matcher that cannot be met": (
        CLAUDE, hooks("PreToolUse", GROUP.replace('"Bash"', '"*ash"')), "nothing can fit its matcher `*ash`"
    ),
    "a condition that is no rule": (
        CLAUDE, hooks("PreToolUse", GROUP.replace("}]}]", ', "if": "cat *"}]}]')), "no permission rule"
    ),
    "a condition that is no rule in GenCode": (
        GENCODE, hooks("PreToolUse", GROUP.replace("}]}]", ', "if": "Bash(rm *"}]}]')), "no permission rule"
    ),
    "a condition that is no rule in Qoder": (
        ".qoder/settings.json",
        hooks("PreToolUse", GROUP.replace("}]}]", ', "if": "Bash|Edit"}]}]')),
        "no permission rule",
    ),
    "an entry without an event": (OURS, f'[[hooks]]\nevetn = "PreToolUse"\n{LOST}', "`event` is missing"),
    "an event of another type": (OURS, f"[[hooks]]\nevent = true\n{LOST}", "an event's name, found true"),
    "an event there is not": (OURS, f'[[hooks]]\nevent = "x"\n{LOST}', "no event `x`"),
    "an event of nobody's": (GENCODE, hooks("PreToolUse", CALM, "x", GROUP), "no event `x`"),
    "an event that is empty": (
        KIRO,
        members("version", '"v1"', "hooks", '[{"trigger": " ", "name": "a", "action": {"command": "exit 2"}}]'),
        "expected a string, found an empty one",
    ),
    "an entry without its head": (OURS, f'event = "PreToolUse"\n{LOST}', "`event` means nothing here"),
    "an entry outside of a list": (VIBE, 'type = "pre_tool"\ncommand = "exit 2"\n', "`type` stands outside of `hooks`"),
    "events in a further list": (
        CODEX, hooks("hooks", "[" + members("PreToolUse", GROUP) + "]"), "nothing reads the hooks in it (PreToolUse)"
    ),
    "denials under a name misspelt": (CLAUDE, permissions("denny", RULES), "`permissions.denny` means"),
    "denials in another letter case": (GENCODE, permissions("Deny", RULES), "`permissions.Deny` means"),
    "a denial that is a text": (CLAUDE, permissions("deny", '"Bash(rm:*)"'), "expected a list of rules"),
    "denials that are no object": (GENCODE, members("permissions", RULES), "expected an object"),
    "denials outside": (CLAUDE, members("deny", RULES), "outside of `permissions`"),
    "a copy of permissions": (GENCODE, members("permissions", members("deny", RULES), "permissions", "{}"), TWICE),
    "a byte order mark in Grok": (".grok/hooks/a.json", "\ufeff" + hooks("PreToolUse", GROUP), "byte order mark"),
    "front matter that never ends": (AGENT, f"{MATTER}Do it.\n", "opened with `---` is never closed"),
    "front matter below a blank line": (AGENT, f"\n{MATTER}---\nDo it.\n", "on the first line alone"),
    "hooks below a name": (AGENT, f"{MATTER}---\nDo it.\n".replace("hooks:", " hooks:", 1), "mapping values"),
    "a quote that never ends": (
        ".claude/skills/a/SKILL.md", f'{MATTER}    - matcher: "Bash\n      hooks: []\n---\n',
        "scalar, which began in line 7",
    ),
    "two names misspelt": (GENCODE, members("HOOKS", members("PreToollUse", GROUP)), "`HOOKS` means nothing here"),
    "an event misspelt": (CLAUDE, hooks("PreToolUse", CALM, "PretoolUse", GROUP), "no event `PretoolUse`"),
    "a NUL in a command": (
        COPILOT, hooks("preToolUse", r'[{"type": "command", "bash": "exit 2 # \u0000"}]'), "a character NUL"
    ),
    "a NUL in a word": (OURS, '[[hooks]]\nevent = "PreToolUse"\nrun = ["sh", "\\u0000"]\n', "a character NUL"),
    "half a letter": (CLAUDE, hooks("PreToolUse", GROUP.replace("2", r"2 # \ud83d")), r"half a character (`\ud83d`)"),
}  # fmt: skip
SOUND = {
    "a byte order mark elsewhere": (CODEX, "\ufeff" + hooks("PreToolUse", CALM)),
    "front matter without hooks": (AGENT, "---\nname: a\n  hooks man\ndescription: hooks\n"),
    "a line below a title": (AGENT, "# Title\n---\nhooks: are nice\n"),
    "a list of what is allowed": (CLAUDE, permissions("alow", RULES, "allow", '"Read"', "deny", RULES)),
    "a list for another purpose": (CLAUDE, members("enabledMcpjsonServers", '["Bash"]')),
    "a plugin's own key": (CLAUDE, members("hookify", '{"x": 1}', "hooks", members("PreToolUse", CALM))),
    "a copy of what is no guard": (CLAUDE, hooks("Notification", CALM, "Notification", CALM)),
    "an unknown setting": (OURS, f"budgit = 3\n{NOTED}"),
    "an event of a newer version": (CLAUDE, hooks("PreToolUse", CALM, "ModelWasSwapped", CALM)),
}


def fired(program: Program) -> tuple[int, dict[str, Any]]:
    done = program("fire", "PreToolUse", "--json", stdin=CALL)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("case", HIDDEN)
def test_a_guard_that_its_file_hides_is_named_and_blocks_where_that_is_strict(
    program: Program, case: str
) -> None:
    path, text, words = HIDDEN[case]
    program.write(path, text)
    code, decision = fired(program)
    assert code == 1 and any(words in note for note in decision["degraded"]), decision
    assert program("trust", "--strict").returncode == 0
    code, decision = fired(program)
    assert (code, decision["verdict"]) == (2, "deny") and words in str(decision["reason"])


SHOWN = (
    "a pack there is not",
    "tables under a singular",
    "events outside",
    "a copy of `hooks`",
    "an event misspelt",
    "denials under a name misspelt",
    "a denial that is a text",
    "a NUL in a word",
)


@pytest.mark.parametrize("case", [*SHOWN, "a matcher that cannot be met"])
def test_what_a_file_hides_is_listed_and_in_the_history(program: Program, case: str) -> None:
    path, text, words = HIDDEN[case]
    program.write(path, text)
    fired(program)
    listed = program("list")
    assert words in listed.stdout + listed.stderr or path in listed.stderr
    assert "off" in program("history").stdout or "invalid" in program("history").stdout
    assert words in program("show", "last").stdout.replace("\n", " ") or case == "an event misspelt"


@pytest.mark.parametrize("case", ["a NUL in a command", "a NUL in a word", "half a letter"])
def test_check_says_of_a_command_that_no_program_can_be_given_it(program: Program, case: str) -> None:
    path, text, words = HIDDEN[case]
    program.write(path, text)
    done = program("check", "--json")
    (problem,) = json.loads(done.stdout)
    assert done.returncode == 1 and problem["code"] == "bad-value" and words in problem["message"]


@pytest.mark.parametrize("case", SHOWN)
def test_nothing_starts_unseen_where_a_file_hides_a_guard(program: Program, case: str) -> None:
    path, text, _ = HIDDEN[case]
    program.write(path, text)
    program.write("m.json", '{"turns": [{"text": "x"}]}')
    done = program("run", "go", "--model", "scripted:m.json")
    assert (done.returncode, done.stdout) == (1, "") and path in done.stderr and "not started" in done.stderr


def test_the_agent_in_front_tells_its_user_of_a_pack_there_is_not(program: Program) -> None:
    program.write(OURS, 'use = ["filse"]\n')
    call = {
        **json.loads(CALL),
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "cwd": str(program.workspace),
    }
    said = program("bridge", "claude", "--event", "PreToolUse", stdin=json.dumps(call)).stdout
    assert "no pack `filse`" in json.loads(said)["systemMessage"]


@pytest.mark.parametrize("case", SOUND)
def test_what_hides_no_guard_is_told_by_check_alone(program: Program, case: str) -> None:
    path, text = SOUND[case]
    program.write(path, text)
    code, decision = fired(program)
    assert (code, decision["degraded"]) == (0, [])


@pytest.mark.parametrize("answer", ["deny", "allow"])
@pytest.mark.parametrize(
    "empty",
    [
        "shell = []",
        'tool = ""',
        "tool = []",
        'write = [" "]',
        "does = []",
        "where = {}",
        "event = []",
        'event = ""',
    ],
)
def test_an_empty_condition_is_an_error_and_no_rule_about_all_calls(
    program: Program, answer: str, empty: str
) -> None:
    event = "" if empty.startswith("event") else 'event = "PreToolUse"\n'
    program.write(OURS, f'[[hooks]]\n{event}{answer} = "no"\n{empty}\n')
    code, decision = fired(program)
    assert (code, decision["verdict"]) == (1, "none")
    (problem,) = json.loads(program("check", "--json").stdout)
    key = empty.partition(" ")[0]
    assert problem["code"] == "empty-value" and problem["path"].startswith(f"hooks[0].{key}")


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("#!/bin/sh\n#---\n# name: keep\n# typ: pre-commit\n#---\n", "`type` is missing"),
        ("#!/bin/sh\n#----\n# type: pre-commit\n#---\n", "no front matter"),
        ("##!/bin/sh\n#---\n# type: pre-commit\n#---\n", "does not start with `#!`"),
    ],
    ids=["type", "front matter", "shebang"],
)
def test_a_script_that_may_have_been_a_guard_of_commits_is_named(
    program: Program, head: str, words: str
) -> None:
    program.write(".discobot/hooks/keep.sh", f"{head}exit 1\n", 0o755)
    program.write(".discobot/hooks/helper.sh", "#!/bin/sh\n# only helps\n", 0o755)
    done = program("fire", "PreCommit", "--json", stdin="{}")
    (note,) = json.loads(done.stdout)["degraded"]
    assert done.returncode == 1 and "`keep`" in note and words in note


def test_permission_rules_are_missed_at_calls_alone(program: Program) -> None:
    program.write(CLAUDE, permissions("denny", RULES))
    found = json.loads(program("fire", "Stop", "--json", stdin="{}").stdout)
    assert found["degraded"] == [] and "denny" in program("doctor").stdout
