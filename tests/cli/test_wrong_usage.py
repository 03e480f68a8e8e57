"""What strangers do: wrong numbers, files that are nested without end, a locale without the letters."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.program import Program, steps

COUNTS = [
    ("tail", "--count", "0"), ("tail", "-n", "-1"), ("history", "--limit", "-1"), ("history", "--limit", "9" * 30),
    ("sessions", "list", "--limit", "-2"), ("sessions", "prune", "--keep", "-1"), ("replay", "--last", "0"),
    ("replay", "--last", "-3"), ("history", "export", "--format", "jsonl", "--after", "-1"), ("probe", "--max", "-1"),
    ("run", "x", "--max-turns", "0"), ("run", "x", "--context-tokens", "-9"), ("issues", "run", "--max-turns", "x"),
    ("iterate", "--iterations", "-1"), ("iterate", "--max-failures", "0"), ("tail", "--count", "１"),
]  # fmt: skip
DEEP = "[" * 100_000


def test_a_count_that_is_none_is_refused_with_what_was_wanted(program: Program) -> None:
    for words, done in zip(COUNTS, steps(program, *COUNTS), strict=True):
        told = f"expected a whole number from {0 if '-n' in words else ''}"
        assert (done.returncode, told in done.stderr or "unrecognized" in done.stderr) == (64, True), (
            words,
            done,
        )
        assert f"hint: see `hookline {words[0]}" in done.stderr


def test_a_span_of_time_that_is_none_is_refused_with_what_was_wanted(program: Program) -> None:
    spans = ("-1", "nan", "inf", "soon")
    options = (
        ("resident", "start", "--idle"), ("iterate", "--backoff"), ("iterate", "--turn-timeout"), ("attest", "--wait"),
    )  # fmt: skip
    tried = [(*option, span) for option, span in zip(options, spans, strict=True)]
    for words, done in zip(tried, steps(program, *tried), strict=True):
        assert (done.returncode, f"expected seconds, found '{words[-1]}'" in done.stderr) == (64, True), (
            words,
            done,
        )


def test_a_word_that_names_nothing_is_refused_and_never_an_empty_answer(program: Program) -> None:
    program.write("cursor", "9" * 30)
    program.write("folder/x", "")
    export = ("history", "export", "--format", "jsonl")
    tried = {
        ("history", "--verdict", "denied"): "invalid choice: 'denied'",
        (*export, "--verdict", "no"): "invalid choice: 'no'",
        (*export, "--cursor", "folder"): "`folder` is",
        (*export, "--cursor", "cursor"): "`cursor` holds no number",
        (*export, "--cursor", "nowhere/cursor"): "there is no folder for",
        ("history", "verify", "--expect", "9" * 30 + ":aa"): "is no N:HEAD",
        ("history", "verify", "--expect", "²:aa"): "is no N:HEAD",
        ("fire", "Stop", "--dialect", "Claude"): "did you mean `claude`?",
        ("explain", "cluade:Stop"): "did you mean `claude`?",
        ("list", "--dialect", ""): "no dialect ``",
        ("task",): "task: an action is missing",
        ("note",): "there are add, list",
        ("history", "--since", ""): "`` is no time",
        ("stats", "--since", ""): "`` is no time",
        ("page", "--port", "99999"): "--port 99999: expected a number from 0 to 65535",
        ("iterate", "--spec", "none.md", "--model", "scripted:x"): "`none.md` does not exist",
    }
    for (words, told), done in zip(tried.items(), steps(program, *tried), strict=True):
        assert (done.returncode, told in done.stderr, done.stdout) == (64, True, ""), (words, done)


def test_a_name_that_stands_for_nothing_there_never_ends_in_0_or_an_answer(program: Program) -> None:
    """Hooks, runs, rules and files to look at are wrong usage; an issue, task, session or pack that is not there, or a
    file that a command should have gone by, is a failure."""
    tried = {
        64: (
            ("show", "last"), ("show", "9f"), ("why", "nope"), ("disable", "nope"), ("rule", "nope"), ("docs", "nope"),
            ("schema", "nope"), ("enable", "nope"),
            ("check", "nope"), ("test", "nope"), ("replay", "nope"), ("config", "get", "nope"),
            ("convert", "claude", "gemini", "nope"), ("fire", "Stop", "--input", "nope"),
            ("history", "--event", "nope"), ("attest", "--agent", "nope"),
            ("trust", "refuse", "nope"),
        ),
        1: (
            ("issues", "run", "9"), ("issues", "run", "nope"), ("issues", "run", "3-5"), ("issues", "status", "9"),
            ("issues", "run", "--resume", "nope"), ("sessions", "show", "nope"), ("packs", "show", "nope"),
            ("packs", "update", "nope"),
            ("task", "priority", "--name", "n", "--id", "TAS-9", "--priority", "1"),
            ("task", "depends", "--name", "n", "--id", "TAS-1", "--depends-on", "TAS-9"), ("trust", "request", "nope"),
            ("run", "hi", "--model", "scripted:nope"), ("scripted-agent", "nope"), ("page", "--token-file", "nope"),
        ),
    }  # fmt: skip
    program("task", "add", "--name", "n", "--content", "parse")
    for code, lines in tried.items():
        for words, done in zip(lines, steps(program, *lines), strict=True):
            assert (done.returncode, done.stdout, bool(done.stderr)) == (code, "", True), (words, done)
    assert "check --workspace" in program("check", ".").stderr


@pytest.mark.parametrize("given", ["home", "~", ".", ""])
def test_a_relative_home_is_no_home(program: Program, given: str) -> None:
    """It lay in whatever repository one stood in, and so did what a person had decided."""
    program.environment |= {
        "HOME": given,
        "HOOKLINE_TRUST": "",
        "XDG_CONFIG_HOME": "config",
        "XDG_STATE_HOME": "s",
    }
    ours = '[[hooks]]\nname = "planted"\nevent = "Stop"\nrun = "true"\n'
    for folder in ("home/.config", "~/.config", ".config", "config"):
        program.write(f"{folder}/hookline/hooks.toml", ours)
    before = sorted(path for path in program.workspace.rglob("*") if ".git/" not in str(path))
    assert "planted" not in program("list", "--json").stdout
    assert [each["subject"] for each in json.loads(program("doctor", "--json").stdout)].count("HOME") == 1
    assert sorted(path for path in program.workspace.rglob("*") if ".git/" not in str(path)) == before


def test_options_of_which_one_would_be_dropped_are_refused_together(program: Program) -> None:
    tried = [
        ("trust", "--revoke", "--yes"), ("trust", "--strict", "--relax"), ("trust", "--log", "--trust-hash", "a"),
        ("check", "--json", "--output-format", "sarif"), ("probe", "--output-format", "github", "--json"),
        ("attest", "--json", "--output-format", "text"),
    ]  # fmt: skip
    for words, done in zip(tried, steps(program, *tried), strict=True):
        assert (done.returncode, "not allowed with argument" in done.stderr) == (64, True), (words, done)


@pytest.mark.parametrize("words", [("install", "git", "--scope", "user"), ("install", "git", "--adopt")])
def test_what_means_nothing_to_git_is_not_dropped_without_a_word(
    program: Program, words: tuple[str, ...]
) -> None:
    done = program(*words)
    assert (done.returncode, done.stdout, "means nothing to git's hooks" in done.stderr) == (64, "", True)
    assert not (program.workspace / ".git/hooks/pre-commit").exists()


def test_the_workspace_may_be_named_behind_an_action_too(program: Program) -> None:
    program.write("other/.hookline/hooks.toml", 'use = ["git"]\n')
    other = str(program.workspace / "other")
    before, behind = steps(
        program,
        ("packs", "--workspace", other, "list", "--json"),
        ("packs", "list", "--json", "--workspace", other),
    )
    assert behind.stdout == before.stdout and '"used_by": [\n      "' in behind.stdout


ACTIONS = [
    ("issues", "list"), ("config", "get"), ("sessions", "list"), ("packs", "list"), ("task", "list"),
    ("trust", "requests"), ("history", "verify"),
]  # fmt: skip


def test_the_workspace_may_be_named_before_an_action(program: Program) -> None:
    place = str(program.workspace)
    for command, action in ACTIONS:
        expected = program(command, action)
        for words in (
            ("--workspace", place, command, action),
            (f"--workspace={place}", command, action),
            (command, "--workspace", place, action),
            (command, action, "--workspace", place),
        ):
            done = program(*words, cwd=program.home)
            assert (done.returncode, done.stdout) == (0, expected.stdout), (words, done.stderr)
    done = program("sessions", "--workspace", place, "--help")
    assert done.returncode == 0 and "--workspace DIR" in program("sessions", "--help").stdout


def test_a_home_that_cannot_be_made_is_told_once_and_never_called_empty(program: Program) -> None:
    program.environment["HOME"] = str(program.write("file", "") / "home")
    program.environment.pop("HOOKLINE_TRUST")
    for name in "ab":
        program.write(
            f".discobot/hooks/{name}.sh", f"#!/bin/sh\n#---\n# name: {name}\n# type: session\n#---\n", 0o755
        )
    trusted, exported = program("trust", "--yes"), program("history", "export", "--format", "jsonl")
    assert (trusted.returncode, trusted.stderr.count("cannot make the folder")) == (1, 1), trusted.stderr
    assert "accepted 0 of 2" in trusted.stderr
    assert exported.returncode == 1 and "cannot be used" in exported.stderr


def test_a_pack_that_is_not_there_is_told_in_gits_own_words(program: Program) -> None:
    done = program("packs", "add", "./no-such-pack")
    assert done.returncode == 1 and "no-such-pack' does not appear to be a git repository" in done.stderr


def test_an_address_that_is_none_is_refused_and_not_tried_for_ever(program: Program) -> None:
    given = ("/tmp/x", "4222", "http://localhost:4222", "nats://", "nats://[::1")
    commands = (
        ("iterate", "--agent", "true"), ("task", "list"), ("worker",), ("doctor",), ("attest",),
        ("fleet", "status"),
    )  # fmt: skip
    tried = [(*command, "--bus", given[n % len(given)]) for n, command in enumerate(commands)]
    for words, done in zip(tried, steps(program, *tried), strict=True):
        wanted = f"expected an address such as nats://localhost:4222, found '{words[-1]}'"
        assert (done.returncode, wanted in done.stderr) == (64, True), (words, done)


def test_a_file_nested_without_end_is_a_fault_of_the_file(program: Program) -> None:
    """Of a project, and of the user's own."""
    for path in (
        "deep.json",
        "package.json",
        ".hookline/packs.lock",
        ".autoagent/executions.json",
        "deep.yml",
    ):
        program.write(path, DEEP)
    program.write(".hookline/hooks.toml", '[[packs]]\ngit = "https://x.example/team.git"\n')
    commands = (
        ("replay", "deep.json"), ("packs", "verify"), ("packs", "list"), ("init", "--yes"),
        ("issues", "list", "executions"),
        ("explain", "Bash", '{"a": ' + DEEP), ("run", "x", "--model", "scripted:deep.json"), ("check", "deep.json"),
        ("run", "x", "--model", "scripted:deep.yml"), ("fire", "Stop", "--input", "deep.json"),
    )  # fmt: skip
    for words, done in zip(commands, steps(program, *commands), strict=True):
        assert "Traceback" not in done.stderr and done.returncode in (0, 1, 64), (
            words[:2],
            done.stderr[-900:],
        )


def test_a_file_of_our_own_that_is_nested_without_end_is_told_as_broken_and_costs_no_command(
    program: Program,
) -> None:
    program.write("../home/.config/hookline/trust.json", DEEP)
    program.write(
        ".claude/settings.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    )
    commands = (("fire", "Stop"), ("check",), ("list",), ("doctor",), ("trust", "--log"), ("trust", "--yes"))
    for words, done in zip(commands, steps(program, *commands), strict=True):
        assert "Traceback" not in done.stderr and done.returncode in (0, 1), (words, done.stderr[-900:])
        if words[0] == "fire":
            assert "trust.json` is not JSON (nested too deep), so no hook is trusted" in done.stderr


def test_files_of_a_session_that_are_nested_without_end_cost_no_turn(program: Program) -> None:
    """What file hooks know, and their status."""
    hook = '#!/bin/sh\n#---\n# name: T\n# type: file\n# pattern: "*"\n#---\nexit 1\n'
    program.write(".discobot/hooks/t.sh", hook, 0o755)
    call = "{name: Write, input: {file_path: a.txt, content: a}}"
    program.write("script.yml", f"turns: [{{text: a, tool_calls: [{call}]}}]\nafter: done\n")
    program("run", "x", "--model", "scripted:script.yml")
    kept = [path for path in program.home.rglob("*.json") if path.is_file()]
    assert {"status.json", ".hooks-seen.json"} <= {path.name for path in kept}
    for path in kept:
        path.write_text(DEEP)
    done = program("run", "x", "--model", "scripted:script.yml", "--continue")
    assert (done.returncode in (0, 1), "Traceback" in done.stderr) == (True, False), done.stderr[-900:]


def test_a_folder_that_is_gone_is_told_of_once(program: Program) -> None:
    gone = program.workspace / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD"; "$@" -m hookline list; exec "$@" -m hookline iterate --name a --model scripted:nope'
    environment = {**program.environment, "PWD": str(gone)}
    done = subprocess.run(
        ["sh", "-c", line, "sh", sys.executable], cwd=gone, env=environment, capture_output=True, text=True
    )
    assert done.stderr.count("is not there any more; going by") == 2, done.stderr  # once for each command


@pytest.mark.parametrize("command", ["list", "stats", "packs"])
def test_a_locale_without_the_letters_costs_no_table(program: Program, command: str) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "Grüße"\nevent = "Stop"\nrun = "true"\n')
    ascii_alone = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = program(command, environment=ascii_alone)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr


def test_a_script_has_no_server_to_name(program: Program) -> None:
    program.write("script.yml", "turns: [{text: hi}]\n")
    done = program("run", "hi", "--model", "scripted:script.yml", "--base-url", "http://127.0.0.1:1")
    assert (done.returncode, "asks no server" in done.stderr) == (64, True)
