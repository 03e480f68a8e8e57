"""`hookline issues` from outside: real git repositories, real hooks, a scripted model."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.issue_project import EVENTS, Project, lines, shell, write

HOSTILE = """x'; touch PWNED; echo "$(id)\""""


def test_what_cannot_be_kept_is_told_once_for_all_issues(project: Project) -> None:
    """In a home that can be read only; the issues are worked on all the same."""
    project.create("One", "Two", "Three")
    state = project.home / ".local/state"
    state.mkdir(parents=True)
    (state / "hookline").write_text("no folder")
    script = project.script({"text": "one"}, {"text": "two"}, {"text": "three"})
    done = project("issues", "run", "--all", "--model", script)
    assert (done.returncode, "3 completed" in done.stdout) == (0, True), done.stderr
    told = [line for line in done.stderr.splitlines() if "the transcript is not kept" in line]
    assert len(told) == 1, done.stderr


def test_three_issues_one_blocked_at_its_start_one_at_its_end_one_passing(project: Project) -> None:
    """Boxes, session, git log, exit code, order."""
    project.create("Alpha", "Beta", "Gamma")
    project.configure(
        {
            "PreExecutionStart": [
                {
                    "type": "command",
                    "command": "grep -q '\"issueNumber\":1,' && echo not now >&2 && exit 2; exit 0",
                }
            ],
            "PreExecutionEnd": [
                {
                    "type": "command",
                    "command": "grep -q '\"issueNumber\":2,' && echo no tests >&2 && exit 2; exit 0",
                }
            ],
            "PostExecutionEnd": [
                {"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}
            ],
        }
    )
    project.commit()
    model = project.script(
        write("b.txt"), {"text": "Beta written"}, write("c.txt"), {"text": "Gamma written"}
    )
    done = project("issues", "run", "--all", "--model", model)
    assert done.returncode == 1, done.stderr
    every = [(event, 2) for event in EVENTS[:4]] + [(event, 3) for event in EVENTS[:4]]
    assert project.names == [("PreExecutionStart", 1), *every, ("Stop", None)]
    assert re.findall(r"\[([ x])\] \*\*\[Issue #(\d)", project.read("TODO.md")) == [
        (" ", "1"), (" ", "2"), ("x", "3"),
    ]  # fmt: skip
    (session,) = project.sessions
    assert (session["status"], session["issuesPlanned"]) == ("failed", [1, 2, 3])
    assert (session["issuesCompleted"], session["issuesFailed"]) == ([3], [1, 2])
    assert "currentIssue" not in session
    assert session["metadata"]["gitBranch"] == "main"
    assert project.git("log", "--format=%s").splitlines() == ["Complete issue #3: Gamma", "first"]
    assert project.git("status", "--porcelain") == ""
    assert "Execution blocked: not now" in done.stderr
    stop = project.events[-1]
    assert (stop["reason"], stop["issuesCompleted"], stop["issuesTotal"], stop["issuesFailed"]) == (
        "error", 1, 3, 2,
    )  # fmt: skip
    assert "1 completed, 2 failed; session failed" in done.stdout


def test_the_payloads_say_what_the_document_says(project: Project) -> None:
    """Field names and types; the files are those that really changed."""
    project.create("Write it")
    project.configure()
    model = project.script(write("src/a.py"), {"text": "I changed nothing at all."})
    assert project("issues", "run", "1", "--model", model).returncode == 0
    start, started, ending, ended, stop = project.events
    common = {"sessionId": project.sessions[0]["id"], "workspace": str(project.workspace)}
    issue = {
        "issueNumber": 1, "issueTitle": "Write it", "issueFile": "issues/1-write-it.md",
        "planFile": "plans/1-write-it.md",
    }  # fmt: skip
    for event in (start, started, ending, ended, stop):
        assert isinstance(event.pop("timestamp"), int)
    provider = model.replace("scripted:", "scripted:")
    assert start == {"eventName": "PreExecutionStart", **common, **issue}
    assert started == {"eventName": "PostExecutionStart", **common, **issue, "provider": provider}
    for event in (ending, ended):
        assert isinstance(event.pop("duration"), int)
        assert event == {
            "eventName": event["eventName"], **common, **issue, "provider": provider, "success": True,
            "filesModified": ["src/a.py"], "output": "I changed nothing at all.",
        }  # fmt: skip
    assert isinstance(stop.pop("duration"), int)
    assert stop == {
        "eventName": "Stop", **common, "reason": "completed", "issuesCompleted": 1, "issuesTotal": 1,
        "issuesFailed": 0, "completedIssues": [1], "stopHookActive": False,
    }  # fmt: skip


def test_a_config_that_changes_between_issues_is_told_and_not_read(project: Project) -> None:
    project.create("One", "Two")
    line = "[ -e done ] || echo >> .autoagent/config.json; touch done; echo fresh >> seen"
    project.configure({"PostExecutionStart": [shell(line)]})
    done = project("issues", "run", "--all", "--model", project.script())
    assert (done.returncode, project.read("seen")) == (0, "fresh\nfresh\n")
    words = "`.autoagent/config.json` changed; this run keeps the hooks that it began with"
    assert [line.strip() for line in done.stderr.splitlines() if "changed" in line] == [words]


def test_every_form_of_run_fires_stop_once(project: Project) -> None:
    """None, number, range, name, file, --all."""
    project.create("One", "Two", "Three", "Four", "Five", "Six")
    project.configure()
    model = project.script()
    forms = [[], ["2"], ["3-4"], ["five"], ["issues/6-six.md"], ["--all"]]
    expected = [[1], [2], [3, 4], [5], [6], []]
    for form, numbers in zip(forms, expected, strict=True):
        (project.home / "events.jsonl").unlink(missing_ok=True)
        done = project("issues", "run", *form, "--model", model)
        assert done.returncode == 0, done.stderr
        assert [number for name, number in project.names if name == "PostExecutionEnd"] == numbers
        assert [name for name, _ in project.names].count("Stop") == (1 if numbers else 0)
    assert project("issues", "status").stdout == "6 of 6 issues completed, 0 pending\n"


def test_a_missing_plan_fails_the_issue_before_any_hook(project: Project) -> None:
    """An error result; the only event is the session's Stop."""
    project.create("One", "Two")
    (project.workspace / "plans/1-one.md").unlink()
    project.configure()
    done = project("issues", "run", "--all", "--model", project.script())
    assert done.returncode == 1
    assert "issue 1 has no plan" in done.stderr
    assert ("PreExecutionStart", 1) not in project.names
    assert project.sessions[0]["issuesFailed"] == [1]
    assert project.sessions[0]["issuesCompleted"] == [2]


def test_an_unknown_target_is_an_error_without_a_session(project: Project) -> None:
    project.create("One", "One more")
    for target, code, words in (("7", 1, "no issue 7"), ("nope", 1, "no issue is called"), ("one", 0, "")):
        done = project("issues", "run", target, "--model", project.script())
        assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    done = project("issues", "run", "on", "--model", project.script())
    assert (done.returncode, "fits 2 issues" in done.stderr) == (64, True)
    assert len(project.sessions) == 1


def test_a_failing_provider_fails_its_issue_and_its_hooks_hear_the_error(project: Project) -> None:
    """One set of events; the next issue still runs."""
    project.create("One", "Two")
    project.configure({"PostExecutionEnd": [{"type": "git-commit"}]})
    project.commit()
    done = project("issues", "run", "--all", "--model", project.script({"error": "the server is down"}))
    assert done.returncode == 1
    assert project.names[:4] == [(event, 1) for event in EVENTS[:4]]
    ended = project.events[3]
    assert (ended["success"], ended["error"]) == (False, "the server is down")
    assert project.git("log", "--format=%s").splitlines() == ["Complete issue #2: Two", "first"]


def test_a_hostile_title_arrives_verbatim_everywhere(project: Project) -> None:
    """In the hook's payload, in commands, in the commit; and nothing of it runs."""
    project.create(HOSTILE)
    project.configure(
        {
            "PostExecutionStart": [
                shell("printf '%s\\n' \"{{issueTitle}}\" '{{issueTitle}}' {{issueTitle}} > \"$HOME/title\"")
            ],
            "PostExecutionEnd": [
                {"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}
            ],
        }
    )
    done = project("issues", "run", "--model", project.script({"text": "ok", "expect": HOSTILE}))
    assert done.returncode == 0, done.stderr
    assert (project.workspace / "issues/1-x-touch-pwned-echo-id.md").exists()
    assert [event["issueTitle"] for event in project.events[:4]] == [HOSTILE] * 4
    assert (project.home / "title").read_text() == f"{HOSTILE}\n" * 3
    assert project.git("log", "-1", "--format=%B") == f"Complete issue #1: {HOSTILE}"
    assert not list(project.workspace.rglob("PWNED"))
    assert f"#1  {HOSTILE}" not in project("issues", "status").stdout


def test_stop_that_is_blocked_gives_the_reason_to_the_provider(project: Project) -> None:
    """An extra turn, then Stop again with `stopHookActive`."""
    project.create("One")
    project.configure(
        {
            "Stop": [
                shell(
                    "if [ -e late.txt ]; then exit 0; fi; "
                    'echo \'{"decision":"block","reason":"late.txt is missing"}\''
                )
            ]
        }
    )
    model = project.script(
        {"text": "done"}, write("late.txt") | {"expect": "late.txt is missing"}, {"text": "ok"}
    )
    done = project("issues", "run", "--model", model)
    assert done.returncode == 0, done.stderr
    assert [event["stopHookActive"] for event in project.events if event["eventName"] == "Stop"] == [
        False,
        True,
    ]
    assert project.sessions[0]["status"] == "completed"


def test_stop_is_blocked_at_most_three_times(project: Project) -> None:
    """Then the session ends failed, with the reason shown."""
    project.create("One")
    project.configure({"Stop": [shell("echo never enough >&2; exit 2")]})
    done = project("issues", "run", "--model", project.script())
    assert done.returncode == 1
    assert [name for name, _ in project.names].count("Stop") == 4
    assert project.sessions[0]["status"] == "failed"
    assert "after 3 continuations: never enough" in done.stdout


def test_a_dry_run_asks_the_guards_and_changes_nothing(project: Project) -> None:
    """No provider, no reaction, no commit, no box; the payloads say `dryRun`."""
    project.create("One", "Two")
    project.configure({"PostExecutionEnd": [{"type": "git-commit"}]})
    project.commit()
    done = project("issues", "run", "--all", "--dry-run", "--model", project.script({"error": "never asked"}))
    assert done.returncode == 0, done.stderr
    assert [name for name, _ in project.names] == ["PreExecutionStart", "PreExecutionStart", "Stop"]
    assert all(event["dryRun"] is True for event in project.events)
    assert project.git("status", "--porcelain") == ""
    assert project.git("rev-list", "--count", "HEAD") == "1"
    assert "2 would run, 0 would fail; session completed" in done.stdout
    assert "2 completed" not in done.stdout
    assert project("issues", "status").stdout.startswith("0 of 2 ")


def test_todo_keeps_every_other_byte(project: Project) -> None:
    """The box is checked and its line moved; notes, odd line ends and order stay."""
    project.create("One", "Two")
    before = (
        "# Mine\r\nnote  \r\n\r\n## Pending Issues\r\n- [ ] **[Issue #1]** One - `issues/1-one.md`\r\n"
        "  a note of one\r\n- [ ] **[Issue #2]** Two - `issues/2-two.md`\r\n- [ ] something else\r\n\r\n"
        "## Completed Issues\r\n\r\n```\r\n- [ ] **[Issue #1]** not this\r\n```\r\n## Rest\r\nend without newline"
    )
    (project.workspace / "TODO.md").write_bytes(before.encode())
    project.configure()
    assert project("issues", "run", "1", "--model", project.script()).returncode == 0
    entry = "- [ ] **[Issue #1]** One - `issues/1-one.md`\r\n  a note of one\r\n"
    fence = "```\r\n- [ ] **[Issue #1]** not this\r\n```\r\n"
    expected = before.replace(entry, "").replace(fence, fence + entry.replace("[ ]", "[x]"))
    assert project.read("TODO.md") == expected


def test_the_stream_tells_the_whole_session(project: Project) -> None:
    """One object per line with `type` and `at`; issue and hooks in the documented order."""
    project.create("One")
    project.configure()
    done = project("issues", "run", "--json", "--model", project.script(write("a.txt"), {"text": "ok"}))
    stream = lines(done.stdout)
    kinds = [line["type"] for line in stream]
    assert all("at" in line for line in stream)
    assert (kinds[0], kinds[-1]) == ("session.started", "session.ended")
    assert [kinds.count(kind) for kind in ("issue.started", "issue.finished", "tool.started")] == [1, 1, 1]
    assert (kinds.count("hook.started"), kinds.count("hook.finished")) == (5, 5)
    told = [(line["type"], line.get("event")) for line in stream if line["type"][:5] in ("issue", "hook.")]
    assert [entry for entry in told if entry[0] != "hook.finished"] == [
        ("hook.started", "PreExecutionStart"), ("issue.started", None), ("hook.started", "PostExecutionStart"),
        ("hook.started", "PreExecutionEnd"), ("issue.finished", None), ("hook.started", "PostExecutionEnd"),
        ("hook.started", "RunStop"),
    ]  # fmt: skip
    finished = next(line for line in stream if line["type"] == "issue.finished")
    assert (finished["issue"], finished["success"], finished["files"]) == (1, True, ["a.txt"])
    assert stream[-1]["status"] == "completed"


def test_the_report_is_a_table_json_and_markdown(project: Project) -> None:
    """Issue, result, provider, files, hooks and time, in three forms."""
    project.create("Pipes | and *stars*")
    project.configure()
    paths = [str(project.home / name) for name in ("report.md", "report.json")]
    model = project.script(write("a.txt"), {"text": "ok"})
    done = project("issues", "run", "--model", model, "--report", paths[0], "--report", paths[1])
    assert done.stdout.splitlines()[-4].split()[:6] == [
        "issue",
        "result",
        "provider",
        "files",
        "hooks",
        "time",
    ]
    report = json.loads((project.home / "report.json").read_text())
    (result,) = report["results"]
    assert (result["success"], result["files"], result["hooks"]) == (True, ["a.txt"], 4)
    page = (project.home / "report.md").read_text()
    assert "Pipes \\| and \\*stars\\*" in page
    assert (
        f"Status: completed\nIssues: 1 completed, 0 failed, in {report['duration_ms'] / 1000:.1f} s" in page
    )


def test_removed_flags_are_refused_with_the_command_to_use(project: Project) -> None:
    for flag in ("--commit", "--push", "--no-commit", "--no-push"):
        done = project("issues", "run", flag)
        assert done.returncode == 64
        assert "hookline config set-auto-" in done.stderr


def test_a_specification_becomes_an_issue_whose_children_run_too(project: Project) -> None:
    """A target that is a specification: bootstrap, then everything it brought forth, with one Stop."""
    project.write("spec.md", "# A shop\n\nIt sells things.\n")
    project.configure()
    model = project.script(
        write("issues/2-cart.md", "# Issue 2: Cart\n\n## Description\nA cart.\n") | {"expect": "spec.md"},
        write("plans/2-cart.md", "# Plan for Issue #2: Cart\n\n## Overview\nBuild it.\n"),
        {"text": "broken down"},
        {"text": "cart built", "expect": "Issue 2: Cart"},
    )
    done = project("issues", "run", "spec.md", "--model", model)
    assert done.returncode == 0, done.stderr
    assert [event for event in project.names if event[0] in ("PreExecutionStart", "Stop")] == [
        ("PreExecutionStart", 1), ("PreExecutionStart", 2), ("Stop", None),
    ]  # fmt: skip
    assert project.sessions[0]["issuesPlanned"] == [1, 2]
    assert "Issue #2" in project.read("TODO.md")


def test_hooks_of_the_session_and_deny_rules_hold_for_every_issue(project: Project) -> None:
    """With a model the tools are ours: guards, permission rules, and the context of the session's start."""
    project.create("One", "Two")
    project.configure()
    settings = {
        "permissions": {"deny": ["Read(secret.txt)"]},
        "hooks": {
            "SessionStart": [
                {"hooks": [{"type": "command", "command": 'echo remember the milk; echo >> "$HOME/starts"'}]}
            ],
            "SessionEnd": [{"hooks": [{"type": "command", "command": 'echo >> "$HOME/ends"'}]}],
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no shell >&2; exit 2"}]}
            ],
        },
    }
    project.write(".claude/settings.json", json.dumps(settings))
    project.write("secret.txt", "x")
    calls = [
        {"name": "Bash", "input": {"command": "touch ran"}},
        {"name": "Read", "input": {"file_path": "secret.txt"}},
    ]
    model = project.script(
        {"tool_calls": calls[:1], "expect": "remember the milk"},
        {"tool_calls": calls[1:], "expect": "no shell"},
        {"text": "one", "expect": "denied by the permission rule"},
        {"text": "two", "expect": "remember the milk"},
    )
    done = project("issues", "run", "--all", "--model", model)
    assert done.returncode == 0, done.stderr
    assert not (project.workspace / "ran").exists()
    assert [len((project.home / name).read_text()) for name in ("starts", "ends")] == [1, 1]


@pytest.mark.parametrize("how", ["model", "agent"])
@pytest.mark.parametrize("change", ["rm .claude/settings.json", "ln -sf settings.json .claude/settings.json"])
def test_no_agent_takes_a_deny_rule_away_from_the_next_issue(project: Project, how: str, change: str) -> None:
    project.create("One", "Two")
    project.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    script = project.script(
        {"tool_calls": [{"name": "Bash", "input": {"command": change}}]}, {"text": "one"},
        {"tool_calls": [{"name": "Bash", "input": {"command": "touch ran"}}]}, {"text": "two"},
    )  # fmt: skip
    agent = f"{sys.executable} -m hookline scripted-agent {script.removeprefix('scripted:')}"
    done = project("issues", "run", "--all", f"--{how}", script if how == "model" else agent)
    assert (done.returncode, (project.workspace / "ran").exists()) == (0, False), done.stderr


def test_a_blocked_issue_is_finished_in_the_stream_without_having_started(project: Project) -> None:
    project.create("One")
    project.configure({"PreExecutionStart": [shell("echo later >&2; exit 2")]})
    done = project("issues", "run", "--json", "--model", project.script())
    told = [line for line in lines(done.stdout) if line["type"].startswith("issue.")]
    assert [(line["type"], line["success"], line["error"]) for line in told] == [
        ("issue.finished", False, "Execution blocked: later")
    ]


def test_what_is_left_is_shown_and_listed(project: Project) -> None:
    project.create("One", "Two")
    assert (
        project("issues", "run", "2", "--model", project.script({"error": "no"}, {"text": "ok"})).returncode
        == 1
    )
    assert project("issues", "run", "2", "--model", project.script()).returncode == 0
    status = json.loads(project("issues", "status", "--json", "--history").stdout)
    history = [(run["issue"], run["status"]) for run in status.pop("history")]
    assert history == [(2, "failed"), (2, "completed")]
    one = {"number": 1, "title": "One", "status": "pending", "file": "issues/1-one.md"}
    assert status == {"total": 2, "completed": 1, "pending": [one]}
    listed = json.loads(project("issues", "list", "--json").stdout)
    assert [(entry["number"], entry["status"]) for entry in listed] == [(1, "pending"), (2, "completed")]
    assert "#2" not in project("issues", "list", "--status", "pending").stdout
    assert json.loads(project.read(".autoagent/status.json"))["2"]["status"] == "completed"
    assert project("issues", "status", "9").returncode == 1


def test_an_issue_that_todo_does_not_know_is_pending_and_gets_its_line(project: Project) -> None:
    """Files written by hand or by an agent count; `#` before the number is accepted."""
    project.write("issues/7-by-hand.md", "# Issue #7: By hand\n\ntext\n")
    project.write("plans/7-by-hand.md", "# Plan for Issue #7: By hand\n")
    assert project("issues", "run", "--model", project.script()).returncode == 0
    assert "- [x] **[Issue #7]** By hand - `issues/7-by-hand.md`" in project.read("TODO.md")


def test_init_makes_what_is_missing_and_keeps_what_is_there(project: Project) -> None:
    project.write("AGENT.md", "Always say please.\n")
    assert "CLAUDE.md -> AGENT.md" in project("issues", "init").stdout
    assert project.read("GEMINI.md") == "Always say please.\n"
    assert project("issues", "init").stdout == "· All of it is there\n"
    project.create("One")
    done = project("issues", "run", "--model", project.script(), "--record", str(project.home / "r.jsonl"))
    assert done.returncode == 0, done.stderr
    assert "Always say please." in (project.home / "r.jsonl").read_text()


def test_a_title_is_one_line(project: Project) -> None:
    for title in ("two\nlines", "", " \t"):
        assert project("issues", "create", "-t", title).returncode == 64
    assert not (project.workspace / "issues").exists()


def test_an_issue_that_could_not_be_read_again_is_not_written(project: Project) -> None:
    """Bytes that are no UTF-8 in `TODO.md` would hold up all other issues too."""
    project.create("sound")
    for odd in (["-t", "q\udcff"], ["-t", "q", "-d", "\udcff"], ["-t", "q", "-a", "a\udc80"]):
        done = project("issues", "create", *odd)
        assert done.returncode == 64 and "not UTF-8" in done.stderr, done
    assert [each.name for each in (project.workspace / "issues").glob("*.md")] == ["1-sound.md"]
    assert project("issues", "status").returncode == 0


def test_a_title_without_letters_for_a_file_name_still_has_a_file(project: Project) -> None:
    """The file name rule drops what it does not know; the title stays."""
    project.create("日本語 🙂", "a" * 300)
    project.configure()
    assert project("issues", "run", "--all", "--model", project.script()).returncode == 0
    assert (project.workspace / "issues/1-issue.md").exists()
    assert [event["issueTitle"] for event in project.events[::4][:2]] == ["日本語 🙂", "a" * 300]


def test_what_a_hook_prints_is_shown_exactly_once(project: Project) -> None:
    """Whether it succeeds, fails, blocks or times out."""
    endings = {"good": "exit 0", "bad": "exit 3", "late": "sleep 60", "no": "exit 2"}
    for name, ending in endings.items():
        project.write(
            f"{name}.sh", f"cat >/dev/null\necho first line of {name[::-1]}x\necho second {name}\n{ending}\n"
        )
    project.create("One")
    limits = dict.fromkeys(endings, 60_000) | {"late": 3000}
    entries = [{"type": "command", "command": f"sh {name}.sh", "timeout": limits[name]} for name in endings]
    project.configure({"PreExecutionStart": entries})
    done = project("issues", "run", "--model", project.script())
    assert done.returncode == 1
    shown = done.stdout + done.stderr
    for name in endings:
        assert (shown.count(f"first line of {name[::-1]}x"), shown.count(f"second {name}")) == (1, 1), shown


def test_the_agents_words_are_cut_for_hooks_with_a_mark(project: Project) -> None:
    project.create("One")
    project.configure()
    model = project.script({"text": "e" * (1 << 20) + "and more"})
    done = project("issues", "run", "1", "--model", model)
    assert done.returncode == 0, done.stderr
    (output,) = [event["output"] for event in project.events if event["eventName"] == "PreExecutionEnd"]
    assert output == "e" * (1 << 20) + "\n… 8 more characters were left out"
