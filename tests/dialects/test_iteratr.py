"""iteratr hooks as pure values: what a file yields, what a hook gets, what its output means."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given as given_each
from hypothesis import strategies as st

from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.dialects.iteratr import DIALECT, MAX_VALUE_BYTES, join_outputs, output_text
from hookline.model.errors import PayloadError
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Response, Verdict

SOURCE = Source("/ws/.iteratr.hooks.yml", "project", "yaml", ".iteratr.hooks.yml")
ALL_VALUES = {
    "session_id": "demo",
    "iteration": 4,
    "task_id": "TAS-3",
    "task_content": "Fix the bug",
    "error": "it broke",
}


def load(text: str, state: str = "text", reason: str = "") -> Loaded:
    return DIALECT.parse(SourceText(SOURCE, state, text, reason, SOURCE.path, SOURCE.shown))


def hook(text: str) -> HookSpec:
    loaded = load(text)
    assert loaded.problems == ()
    (spec,) = loaded.specs
    return spec


def one(native: str, *lines: str) -> HookSpec:
    body = "\n".join(f"      {line}" for line in lines)
    return hook(f"hooks:\n  {native}:\n    - command: check\n{body}\n")


def event(kind: EventKind, **payload: Any) -> Event:
    return event_from_payload(kind, payload, workspace="/ws", cwd="/ws/sub")


def codes(loaded: Loaded) -> list[tuple[str, int, str]]:
    return [(problem.code, problem.line, problem.severity) for problem in loaded.problems]


# -- configuration ---------------------------------------------------------------------------------


def test_only_the_workspace_is_asked_for_a_config() -> None:
    """No parent directory, no home."""
    sources = DIALECT.sources(Places("/ws/deep", "/home/me", "/home/me/.config"))
    assert [source.path for source in sources] == ["/ws/deep/.iteratr.hooks.yml"]


@pytest.mark.parametrize("state", ["missing", "empty"])
def test_no_file_and_an_empty_file_mean_no_hooks_and_no_warning(state: str) -> None:
    assert load("", state) == Loaded(SOURCE, state)


@pytest.mark.parametrize(
    "text", ["# nothing yet\n", "hooks:\n", "hooks:\n  session_start:\n", "version: 1\n"]
)
def test_comments_and_null_lists_are_a_config_without_hooks(text: str) -> None:
    loaded = load(text)
    assert (loaded.specs, loaded.problems) == ((), ())


def test_text_that_is_no_yaml_yields_one_problem_and_no_hook() -> None:
    """Nothing of a file that cannot be read is guessed."""
    loaded = load("hooks:\n  session_start:\n    - command: a\n  - broken\n")
    assert loaded.specs == ()
    assert codes(loaded) == [("bad-yaml", 4, "error")]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ('timeout: "30s"', "hooks.session_start[0].timeout"),
        ("timeout: 1.5", "hooks.session_start[0].timeout"),
        ("command: [a]", "hooks.session_start[0].command"),
        ("pipe_output: 3", "hooks.session_start[0].pipe_output"),
    ],
)
def test_a_wrong_type_names_key_and_line_and_silences_that_entry_alone(line: str, path: str) -> None:
    """Iteratr switches every hook off for this; here the siblings still run."""
    command = "" if line.startswith("command") else "\n      command: broken"
    loaded = load(f"hooks:\n  session_start:\n    - {line}{command}\n    - command: fine\n")
    assert [spec.command for spec in loaded.specs] == ["fine"]
    assert [(problem.code, problem.line, problem.path) for problem in loaded.problems] == [
        ("wrong-type", 3, path)
    ]


def test_a_list_written_as_an_object_is_named_and_other_types_still_load() -> None:
    loaded = load("hooks:\n  session_start:\n    command: a\n  on_error:\n    - command: b\n")
    assert [spec.native_event for spec in loaded.specs] == ["on_error"]
    assert codes(loaded) == [("wrong-type", 3, "error")]


@pytest.mark.parametrize("state", ["unreadable", "undecodable"])
def test_an_unreadable_file_is_one_problem(state: str) -> None:
    loaded = load("", state, "permission denied")
    assert loaded.specs == ()
    assert [problem.message for problem in loaded.problems] == [
        "cannot be read: permission denied; no hook of this file runs"
    ]


def test_unknown_keys_are_named_with_the_name_that_was_meant() -> None:
    loaded = load(
        "hooks:\n  pre_iterations:\n    - command: a\n  on_error:\n"
        "    - command: b\n      pipe_ouput: true\n      cwd: src\n"
    )
    assert [spec.command for spec in loaded.specs] == ["b"]
    assert [
        (problem.line, problem.message, problem.hint, problem.severity) for problem in loaded.problems
    ] == [
        (2, "`pre_iterations` means nothing here", "did you mean `pre_iteration`?", "error"),
        (6, "`pipe_ouput` means nothing here", "did you mean `pipe_output`?", "warning"),
        (7, "`cwd` means nothing here", "", "warning"),
    ]


@pytest.mark.parametrize("version", ["version: 1\n", "version: 2\n", ""])
def test_the_version_changes_nothing(version: str) -> None:
    """It is no switch between behaviours."""
    spec = hook(f"{version}hooks:\n  pre_iteration:\n    - {{command: a, pipe_output: false}}\n")
    assert spec.options == {"pipe_output": False}


def test_another_version_is_warned_of_and_read_all_the_same() -> None:
    loaded = load("version: 3\nhooks:\n  on_error:\n    - command: a\n")
    assert codes(loaded) == [("unknown-version", 1, "warning")]
    assert len(loaded.specs) == 1


@pytest.mark.parametrize(
    ("line", "seconds"), [("", 30.0), ("timeout: 0", 30.0), ("timeout: -5", 30.0), ("timeout: 120", 120.0)]
)
def test_the_timeout_is_seconds_and_thirty_by_default(line: str, seconds: float) -> None:
    assert one("session_start", line).timeout_s == seconds


@pytest.mark.parametrize("native", [rule.native for rule in DIALECT.rules.values()])
def test_output_is_piped_only_when_asked_for(native: str) -> None:
    """For every type, pre_iteration too."""
    loaded = load(f"hooks:\n  {native}:\n    - command: a\n")
    assert [spec.options for spec in loaded.specs] == [{"pipe_output": False}]


@pytest.mark.parametrize("entry", ["- ", "- command:", '- command: ""', "- timeout: 3"])
def test_an_entry_without_a_command_is_left_out_with_a_warning(entry: str) -> None:
    loaded = load(f"hooks:\n  on_error:\n    {entry}\n    - command: next\n")
    assert [(spec.id, spec.command) for spec in loaded.specs] == [("iteratr:on_error:1", "next")]
    assert codes(loaded) == [("missing-command", 3, "warning")]


def test_six_types_load_in_list_order() -> None:
    natives = (
        "session_start", "pre_iteration", "post_iteration", "session_end", "on_task_complete", "on_error",
    )  # fmt: skip
    lists = "".join(
        f"  {native}:\n    - {{command: one, pipe_output: true}}\n    - {{command: two, pipe_output: true}}\n"
        for native in natives
    )
    loaded = load(f"hooks:\n{lists}")
    assert loaded.problems == ()
    assert [(spec.id, spec.command, spec.kind) for spec in loaded.specs] == [
        (f"iteratr:{native}:{place}", command, DIALECT.kind_of(native))
        for native in natives
        for place, command in ((1, "one"), (2, "two"))
    ]


@pytest.mark.parametrize(("written", "line"), [("true", "true"), ("5", "5"), ("'a b'", "a b")])
def test_a_lone_word_is_a_command_whatever_yaml_makes_of_it(written: str, line: str) -> None:
    assert hook(f"hooks:\n  on_error:\n    - command: {written}\n").action == Command(line=line)


@pytest.mark.parametrize(
    ("word", "piped"), [("yes", True), ("on", True), ("no", False), ("off", False), ("true", True)]
)
def test_the_older_words_for_true_and_false_are_read(word: str, piped: bool) -> None:
    assert one("on_error", f"pipe_output: {word}").options == {"pipe_output": piped}


def test_a_pre_iteration_hook_without_pipe_output_is_warned_of_as_an_old_habit() -> None:
    """Before version 2 its output always reached the agent."""
    loaded = load("hooks:\n  pre_iteration:\n    - command: lint\n  post_iteration:\n    - command: test\n")
    assert codes(loaded) == [("v1-habit", 3, "warning")]
    assert len(loaded.specs) == 2


def test_session_options_are_settings() -> None:
    loaded = load("version: 1\non_error: stop\npost_iteration_delivery: now\n")
    assert loaded.settings == {"version": 1, "on_error": "stop", "post_iteration_delivery": "now"}
    assert load("hooks:\n").settings == {}


def test_a_wrong_session_option_is_a_problem() -> None:
    loaded = load("post_iteration_delivery: later\n")
    assert (codes(loaded), loaded.settings) == ([("bad-value", 1, "error")], {})


# -- the text of one hook ----------------------------------------------------------------------------

PIPED = one("post_iteration", "pipe_output: true", "timeout: 7")
SILENT_HOOK = one("post_iteration")


def contexts(raw: RawResult, spec: HookSpec = PIPED) -> tuple[str, ...]:
    outcome = DIALECT.read_output(event(spec.kind), spec, raw)
    assert replace(outcome, contexts=()) == Outcome()
    return outcome.contexts


def test_output_of_success_is_raw() -> None:
    """The trailing newline stays."""
    assert contexts(RawResult(exit_code=0, stdout="a\nb\n")) == ("a\nb\n",)


def test_stderr_of_success_follows_under_its_mark() -> None:
    assert contexts(RawResult(exit_code=0, stdout="out\n", stderr="warn\n")) == ("out\n\n[stderr]\nwarn\n",)


def test_a_hook_that_prints_nothing_contributes_nothing() -> None:
    assert contexts(RawResult(exit_code=0)) == ()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (RawResult(exit_code=3), "[Hook command failed: exit status 3]\n"),
        (RawResult(exit_code=3, stdout="out\n"), "[Hook command failed: exit status 3]\nout\n"),
        (
            RawResult(exit_code=127, stderr="sh: nope: not found\n"),
            "[Hook command failed: exit status 127]\n\n[stderr]\nsh: nope: not found\n",
        ),
        (RawResult(signal=9, stdout="x"), "[Hook command failed: signal 9]\nx"),
        (RawResult(launch_error="no shell"), "[Hook command failed: no shell]\n"),
    ],
)
def test_a_failure_is_told_in_the_first_line(raw: RawResult, text: str) -> None:
    assert contexts(raw) == (text,)


def test_a_time_out_keeps_what_was_printed() -> None:
    """Stderr too, which iteratr drops."""
    raw = RawResult(timed_out=True, stdout="half", stderr="why")
    assert contexts(raw) == ("[Hook timed out after 7s]\nPartial output:\nhalf\n[stderr]\nwhy",)


def test_a_cancelled_hook_pipes_nothing() -> None:
    assert contexts(RawResult(cancelled=True, stdout="half")) == ()


def test_terminal_codes_and_nuls_are_taken_out() -> None:
    assert contexts(RawResult(exit_code=0, stdout="\x1b[31mred\x1b[0m\x00 \x1b]0;title\x07ok\n")) == (
        "red ok\n",
    )


def test_outputs_are_joined_with_one_newline() -> None:
    """Each ends with its own, so a blank line stands between."""
    assert join_outputs(["first\n", "", "second\n"]) == "first\n\nsecond\n"


def test_one_prompt_gets_a_bounded_amount_of_all_outputs() -> None:
    """Head and tail, cut between characters, and the size of what is missing."""
    joined = join_outputs(["begin", *["é" * 30_000] * 10, "end"])
    assert len(joined.encode()) < 260 * 1024
    assert joined.startswith("begin\né") and joined.endswith("é\nend")
    assert " bytes omitted ...]" in joined and "\ufffd" not in joined


@pytest.mark.parametrize("first", [0, 1, 9, 40_000, 131_060, 131_072, 131_090, 200_000])
def test_what_was_left_out_of_one_output_is_counted_where_all_are_cut(first: int) -> None:
    """Also where the second cut goes through what stands for it."""
    mark = "\n[... 5000000 bytes omitted ...]\n"
    joined = join_outputs(["x" * first + mark + "z" * (400_000 - first)])
    told = [int(number) for number in re.findall(r"\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n", joined)]
    assert joined.count("x") + joined.count("z") + sum(told) == 5_400_000


@pytest.mark.parametrize("raw", [RawResult(exit_code=0, stdout="x"), RawResult(exit_code=1, stderr="x")])
def test_output_that_is_not_piped_stays_away_from_the_agent(raw: RawResult) -> None:
    """Even on failure."""
    assert contexts(raw, SILENT_HOOK) == ()


def test_the_end_of_the_session_pipes_nothing() -> None:
    spec = one("session_end", "pipe_output: true")
    assert contexts(RawResult(exit_code=0, stdout="x"), spec) == ()


def test_success_is_told_by_the_exit_status_never_by_the_text() -> None:
    printed = "[Hook command failed: exit status 1]\n"
    assert output_text(PIPED, RawResult(exit_code=0, stdout=printed)) == printed


def test_no_failure_blocks_anything() -> None:
    """At session_start neither."""
    for kind in DIALECT.rules:
        spec = one(DIALECT.rules[kind].native, "pipe_output: true")
        for raw in (RawResult(exit_code=2), RawResult(timed_out=True), RawResult(launch_error="gone")):
            assert DIALECT.read_output(event(kind), spec, raw).verdict == Verdict.NONE


# -- what a hook is given ---------------------------------------------------------------------------

ROUND = {"session": "demo", "iteration": "4", "task_id": "", "task_content": "", "error": ""}
VALUES = {
    "session_start": {**ROUND, "iteration": ""},
    "session_end": {**ROUND, "iteration": ""},
    "pre_iteration": ROUND,
    "post_iteration": ROUND,
    "on_task_complete": {**ROUND, "iteration": "", "task_id": "TAS-3", "task_content": "Fix the bug"},
    "on_error": {**ROUND, "error": "it broke"},
}


@pytest.mark.parametrize(("native", "values"), VALUES.items())
def test_each_type_has_its_variables_and_the_others_are_empty(native: str, values: dict[str, str]) -> None:
    """Even when the payload has more, and an iteration that does not apply is no `0`."""
    spec = one(native, "pipe_output: true")
    given = DIALECT.hook_input(event(spec.kind, **ALL_VALUES), spec)
    assert given.variables == values
    assert given.known == frozenset(values)
    assert given.placeholders == "braces"
    assert given.env == {
        **{f"ITERATR_{name.upper()}": value for name, value in values.items()},
        "ITERATR_HOOK_TYPE": native,
    }


def test_a_hook_runs_in_the_workspace_without_input() -> None:
    spec = one("session_start")
    given = DIALECT.hook_input(event(spec.kind), spec)
    assert (given.cwd, given.stdin, spec.action) == ("/ws", False, Command(line="check", shell=("sh", "-c")))


def test_a_value_is_passed_as_it_is_but_for_nuls() -> None:
    """Nothing is expanded or escaped here, and newlines stay."""
    spec = one("on_task_complete")
    task = "use {{session}}; $(touch x) `y`\n'\"\0end"
    given = DIALECT.hook_input(event(spec.kind, task_content=task), spec)
    assert given.variables["task_content"] == task.replace("\0", "")


def test_an_oversized_value_is_cut_in_the_command_and_whole_in_a_file() -> None:
    spec = one("on_error", "pipe_output: true")
    error = "é" * 100_000
    given = DIALECT.hook_input(event(spec.kind, error=error), spec)
    assert given.variables["error"] == given.env["ITERATR_ERROR"] == "é" * (MAX_VALUE_BYTES // 2)
    assert given.texts == {"ITERATR_ERROR_FILE": error}
    assert given.unset == ("ITERATR_TASK_CONTENT_FILE",)


def test_a_host_that_asks_by_type_gets_the_text_on_stdout() -> None:
    asked = DIALECT.read_event("on_task_complete", {"task_id": "TAS-3"})
    assert (asked.kind, asked.get("task_id"), asked.host) == (EventKind.TaskCompleted, "TAS-3", "iteratr")
    answer = DIALECT.respond(asked, Decision(asked.kind, contexts=("one\n", "two\n")))
    assert answer == Response(stdout="one\n\ntwo\n")
    with pytest.raises(PayloadError, match="no event `on_finish`"):
        DIALECT.read_event("on_finish", {})


def test_the_schema_knows_every_type_and_option() -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(dict(DIALECT.schema()))
    good = {"version": 1, "hooks": {rule.native: [{"command": "a"}] for rule in DIALECT.rules.values()}}
    assert list(validator.iter_errors(good)) == []
    for wrong in (
        {"hooks": {"on_error": [{"comand": "a"}]}},
        {"hooks": {"on_eror": []}},
        {"on_error": "x"},
        {"post_iteration": "next"},
    ):
        assert len(list(validator.iter_errors(wrong))) == 1


@given_each(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["hooks:", "  on_error:", "    - command: a", "      timeout: 5", "    -", "version: 1"]
            ),
            st.text(max_size=20),
        ),
        max_size=8,
    ).map("\n".join)
)
def test_whatever_stands_in_the_file_it_is_read_or_reported(text: str) -> None:
    loaded = load(text)
    assert all(spec.command for spec in loaded.specs)
    assert all(problem.message and problem.source == ".iteratr.hooks.yml" for problem in loaded.problems)
