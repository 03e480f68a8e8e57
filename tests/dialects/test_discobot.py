"""Discobot hooks as pure values: what a script yields, which files it is about, what its exit means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given as given_each
from hypothesis import strategies as st
from tests.program import Program

from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.dialects.discobot import (
    DIALECT,
    MAX_LIST_BYTES,
    exit_number,
    failure_message,
    log_text,
    matching_files,
)
from hookline.model.errors import PayloadError
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.hooks import Command, HookSpec, PromptCheck
from hookline.model.results import Decision, Outcome, RawResult, Response, Verdict

FOLDER = "/ws/.discobot/hooks"
SOURCE = Source(FOLDER, "project", "scripts", ".discobot/hooks")
FILE = ("type: file", 'pattern: "*.go"')


def script(*fields: str, style: str = "#---", prefix: str = "# ", shebang: str = "#!/bin/bash") -> str:
    lines = [shebang, style, *(f"{prefix}{field}" for field in fields), style, "exit 0"]
    return "".join(f"{line}\n" for line in lines)


def given(
    text: str, name: str = "hook.sh", mode: int = 0o755, state: str = "text", link: str = ""
) -> SourceText:
    path = f"{FOLDER}/{name}"
    return SourceText(SOURCE, state, text, "", path, f".discobot/hooks/{name}", mode, link)


def load(text: str, **more: Any) -> Loaded:
    return DIALECT.parse(given(text, **more))


def hook(*fields: str, **more: Any) -> HookSpec:
    loaded = load(script(*fields), **more)
    assert loaded.problems == ()
    (spec,) = loaded.specs
    return spec


def faults(loaded: Loaded) -> list[tuple[str, int, str]]:
    return [(problem.code, problem.line, problem.severity) for problem in loaded.problems]


def event(kind: EventKind, **payload: Any) -> Event:
    return event_from_payload(kind, payload, workspace="/ws", cwd="/ws/sub", session_id="s1")


def changed(*files: str, **payload: Any) -> Event:
    return event(EventKind.FilesChanged, files=list(files), **payload)


# -- discovery ---------------------------------------------------------------------------------------


def test_hooks_live_in_one_folder_of_the_workspace() -> None:
    (source,) = DIALECT.sources(Places("/ws", "/home/me", "/home/me/.config"))
    assert source == SOURCE


@pytest.mark.parametrize("state", ["missing", "unreadable"])
def test_no_folder_means_no_hooks(state: str) -> None:
    """An empty folder yields no text at all."""
    assert DIALECT.parse(SourceText(SOURCE, state, path=FOLDER)) == Loaded(SOURCE, state)


def test_a_file_that_is_not_executable_is_named() -> None:
    loaded = load(script("type: session"), mode=0o644)
    assert faults(loaded) == [("not-executable", 0, "warning")]
    assert [(spec.enabled, spec.origin.disabled_why) for spec in loaded.specs] == [
        (False, "is not executable; run `chmod +x .discobot/hooks/hook.sh`")
    ]
    assert loaded.problems[0].hint == "run `chmod +x .discobot/hooks/hook.sh`"
    assert loaded.problems[0].message == "is not executable and does not run"
    assert not loaded.problems[0].guard
    assert faults(load("---\ntype: file\n---\n", mode=0o644)) == [("not-executable", 0, "warning")]


def test_a_text_that_is_no_script_at_all_is_not_worth_a_word() -> None:
    loaded = load("# How our hooks work\n", name="README.md", mode=0o644)
    assert (loaded.specs, loaded.problems) == ((), ())


@pytest.mark.parametrize("text", ["", "\x7fELF\n", "\n#!/bin/sh\n#---\n# type: session\n#---\n"])
def test_an_executable_without_an_interpreter_is_named(text: str) -> None:
    loaded = load(text, state="text" if text else "empty")
    assert loaded.specs == ()
    assert [problem.severity for problem in loaded.problems] == ["warning"]


def test_a_byte_order_mark_is_reported_because_the_kernel_will_not_run_it() -> None:
    """What it would guard is known, since it is read all the same."""
    loaded = load("\ufeff" + script("type: pre-commit"))
    assert (loaded.specs, faults(loaded)) == ((), [("byte-order-mark", 0, "error")])
    assert loaded.problems[0].guard


@pytest.mark.parametrize(
    ("style", "prefix"), [("---", ""), ("#---", "# "), ("//---", "//"), ("  #---  ", "#")]
)
def test_front_matter_has_three_styles(style: str, prefix: str) -> None:
    loaded = load(script("type: session", "name: Set up", style=style, prefix=prefix))
    assert [spec.name for spec in loaded.specs] == ["Set up"]


def test_a_blank_line_before_front_matter_means_there_is_none() -> None:
    loaded = load("#!/bin/sh\n\n#---\n# type: session\n#---\n")
    assert (loaded.specs, faults(loaded)) == ((), [("no-front-matter", 0, "warning")])


@pytest.mark.parametrize("end", ["", "//---\n", "---\n"])
def test_front_matter_that_is_not_closed_in_its_own_style_is_no_hook(end: str) -> None:
    loaded = load(f"#!/bin/sh\n#---\n# type: pre-commit\nexit 0\n{end}")
    assert (loaded.specs, faults(loaded)) == ((), [("unclosed-front-matter", 2, "error")])


@pytest.mark.parametrize(
    ("field", "code", "hint"),
    [
        ("name: x", "missing-type", "write `session`, `file` or `pre-commit`"),
        ("type: File", "unknown-type", "did you mean `file`?"),
        ("type: precommit", "unknown-type", "did you mean `pre-commit`?"),
        ("type: startup", "unknown-type", ""),
    ],
)
def test_a_type_that_is_missing_or_unknown_is_a_problem(field: str, code: str, hint: str) -> None:
    loaded = load(script(field))
    assert loaded.specs == ()
    assert [(problem.code, problem.hint) for problem in loaded.problems] == [(code, hint)]


def test_an_engine_we_do_not_have_is_named_even_in_a_text_file() -> None:
    loaded = load("---\ntype: file\nengine: lsp\npattern: *.go\n---\nReview it.\n", name="a.md", mode=0o644)
    assert (loaded.specs, faults(loaded)) == ((), [("unknown-engine", 3, "error")])


def test_a_markdown_file_that_a_model_judges_by_is_a_hook() -> None:
    """A.4: nothing to execute; its text is the instruction, and the price of 5 dollars is no placeholder."""
    text = "---\ntype: file\nengine: ai\npattern: *.go\n---\n\nIt may cost $5.\n"
    (spec,) = load(text, name="a.md", mode=0o644).specs
    assert (spec.handler, spec.action, spec.files) == (
        "agent", PromptCheck("It may cost \\$5.", agent=True), (".discobot/hooks/a.md",),
    )  # fmt: skip
    empty = load("---\ntype: file\nengine: ai\npattern: *.go\n---\n", name="a.md", mode=0o644)
    assert (empty.specs, faults(empty)) == ((), [("no-instructions", 3, "error")])


@pytest.mark.parametrize("type", ["session", "pre-commit"])
def test_hooks_of_every_type_can_be_judged_by_a_model(type: str) -> None:
    """A.4."""
    (spec,) = load(f"---\ntype: {type}\nengine: ai\n---\nLook.\n", name="a.md", mode=0o644).specs
    assert (spec.native_event, spec.action) == (type, PromptCheck("Look.", agent=True))
    (problem,) = load(f"---\ntype: {type}\nengine: ai\n---\n", name="a.md", mode=0o644).problems
    assert (problem.code, problem.guard) == ("no-instructions", type == "pre-commit")


def test_a_misspelt_guard_is_told_to_be_one() -> None:
    assert load(script("type: pre_commit")).problems[0].guard
    for text in (
        script("type: fil"),
        "#!/bin/sh\n# only helps\n",
        script("type: file"),
        script("type: session", "engine: lsp"),
    ):
        assert [problem.guard for problem in load(text).problems] == [False]
    for text in (
        script("type: pre-commit", "engine: lsp"),
        "#!/bin/sh\n#---\n# type: pre-commit\n",
        script("name: x"),
        script("type: x"),
        "#!/bin/sh\n#----\n# type: pre-commit\n#---\n",
        script("type: pre-commit").replace("#!", "##!"),
    ):
        assert [problem.guard for problem in load(text).problems] == [True]


@pytest.mark.parametrize(
    ("native", "kind", "seconds"),
    [
        ("session", EventKind.SessionStart, 300.0),
        ("file", EventKind.FilesChanged, 900.0),
        ("pre-commit", EventKind.PreCommit, 900.0),
    ],
)
def test_three_types_with_their_time_limits(native: str, kind: EventKind, seconds: float) -> None:
    spec = hook(f"type: {native}", *(["pattern: *.go"] if native == "file" else []))
    assert (spec.kind, spec.native_event, spec.timeout_s) == (kind, native, seconds)
    assert spec.action == Command(argv=(f"{FOLDER}/hook.sh",))
    assert spec.files == (".discobot/hooks/hook.sh",)


@pytest.mark.parametrize("field", ["name: x", "pattern:", 'pattern: ""'])
def test_a_file_hook_needs_a_pattern(field: str) -> None:
    loaded = load(script("type: file", field))
    assert (loaded.specs, [problem.code for problem in loaded.problems]) == ((), ["missing-pattern"])


def test_the_name_is_the_file_name_unless_given() -> None:
    assert (hook("type: session", name="a.b.sh").name, hook("type: session").description) == ("a.b.sh", "")
    spec = hook("type: session", "name: Lint: strict", "description: checks: all")
    assert (spec.name, spec.description) == ("Lint: strict", "checks: all")


@pytest.mark.parametrize(
    ("field", "user", "warned"),
    [
        ("name: x", "user", False),
        ("run_as: user", "user", False),
        ("run_as: root", "root", False),
        ("run_as: admin", "user", True),
        ("run_as: Root", "user", True),
        ("run_as: ROOT", "user", True),
        ("run_as:", "user", True),
    ],
)
def test_only_the_exact_word_root_gives_root_rights(field: str, user: str, warned: bool) -> None:
    loaded = load(script("type: session", field))
    assert loaded.specs[0].means.run_as == user
    assert [problem.code for problem in loaded.problems] == ["unknown-user"] * warned


@pytest.mark.parametrize("word", ["false", "False", "no", "NO", "0", "off", "n"])
def test_every_falsy_word_silences_the_re_prompt(word: str) -> None:
    assert hook(*FILE, f"notify_llm: {word}").conduct.notify_llm is False


@pytest.mark.parametrize("fields", [(), ("notify_llm: true",), ("notify_llm: yes",), ("notify_llm: 1",)])
def test_failures_are_sent_to_the_agent_otherwise(fields: tuple[str, ...]) -> None:
    assert hook(*FILE, *fields).conduct.notify_llm is True


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("*.go", "*.go"),
        ("**/*.{ts,tsx}", "**/*.{ts,tsx}"),
        ("{a,b}.go", "{a,b}.go"),
        ('"*.go"  # comment', "*.go"),
        ("'*.go'", "*.go"),
    ],
)
def test_patterns_need_no_quotes(written: str, pattern: str) -> None:
    spec = hook("type: file", f"pattern: {written}")
    assert spec.matcher is not None
    assert (spec.matcher.kind, spec.matcher.text) == ("glob", pattern)


def test_unknown_lines_are_ignored_and_near_misses_named() -> None:
    text = script("type: file", "pattern: *.go", "owner: me", "no colon here", "# a comment", "notify_lm: no")
    loaded = load(text)
    assert len(loaded.specs) == 1
    assert [(problem.code, problem.line, problem.hint) for problem in loaded.problems] == [
        ("unknown-key", 8, "did you mean `notify_llm`?")
    ]


def test_windows_line_ends_are_read_and_reported() -> None:
    loaded = load(script(*FILE).replace("\n", "\r\n"))
    assert [spec.matcher.text for spec in loaded.specs if spec.matcher] == ["*.go"]
    assert faults(loaded) == [("crlf", 0, "error")]


def test_an_unreadable_script_is_a_problem_of_its_own() -> None:
    loaded = load("", state="unreadable", mode=0o111)
    assert (loaded.specs, faults(loaded)) == ((), [("unreadable", 0, "error")])
    assert (loaded.problems[0].message, loaded.problems[0].guard) == ("cannot be read: unreadable", True)


def test_a_file_that_vanished_is_no_hook_any_more() -> None:
    assert load("", state="missing") == Loaded(SOURCE, "missing")


def test_a_link_that_leads_nowhere_or_out_of_the_workspace_is_no_hook() -> None:
    assert faults(load("", state="missing", link="/ws/gone.sh")) == [("dangling-link", 0, "warning")]
    loaded = load(script("type: pre-commit"), link="/elsewhere/hook.sh")
    assert (loaded.specs, faults(loaded)) == ((), [("link-outside-workspace", 0, "error")])
    assert loaded.problems[0].guard


def test_what_a_link_leads_to_is_part_of_what_is_trusted() -> None:
    spec = hook("type: session", link="/ws/scripts/real.sh")
    assert spec.files == (".discobot/hooks/hook.sh", "scripts/real.sh")


def test_ids_come_from_file_names_and_are_unique() -> None:
    names = ["MyService.sh", "lint.py", "lint.sh", "test (1).sh", "проверка.sh"]
    loaded = DIALECT.combine([load(script("type: session"), name=name) for name in names])
    ids = [spec.id for entry in loaded for spec in entry.specs]
    assert ids[:4] == ["myservice", "lint", "lint-sh", "test1"]
    assert ids[4] and ids[4].isascii()


def test_a_slug_of_the_name_is_an_alias() -> None:
    assert hook(*FILE, "name: Go format check").origin.aliases == ("go-format-check",)


def test_the_switch_is_on_unless_set_to_something_else() -> None:

    def label(**variables: str) -> str:
        return DIALECT.sources(Places("/ws", "/home", "/cfg", variables=variables))[0].label

    assert [label(), label(DISCOBOT_HOOKS_ENABLED="true")] == ["", ""]
    assert [label(DISCOBOT_HOOKS_ENABLED=word) for word in ("false", "True", "1", "")] == ["off"] * 4
    off = Source(FOLDER, "project", "scripts", ".discobot/hooks", "off")
    text = SourceText(off, "text", script("type: session"), "", f"{FOLDER}/a.sh", "a.sh", 0o755)
    (spec,) = DIALECT.parse(text).specs
    assert not spec.enabled
    assert "DISCOBOT_HOOKS_ENABLED" in spec.origin.disabled_why


@pytest.mark.parametrize(
    ("written", "seconds"), [("60", 60.0), ("0.5", 0.5), ("2s", 2.0), ("500ms", 0.5), ('"5m"', 300.0)]
)
def test_a_time_limit_is_in_seconds_or_says_its_unit(written: str, seconds: float) -> None:
    assert hook("type: session", f"timeout: {written}").timeout_s == seconds


@pytest.mark.parametrize("written", ["soon", "-1", "0", "1e9x"])
def test_a_time_limit_that_is_none_is_warned_of(written: str) -> None:
    loaded = load(script("type: session", f"timeout: {written}"))
    assert (loaded.specs[0].timeout_s, faults(loaded)) == (300.0, [("bad-value", 4, "warning")])


def test_a_session_hook_that_does_not_block_runs_in_the_background() -> None:
    assert not hook("type: session").background
    assert hook("type: session", "blocking: false").background
    loaded = load(script(*FILE, "blocking: false"))
    assert (loaded.specs[0].background, faults(loaded)) == (False, [("ignored-key", 5, "warning")])


def test_the_ignore_file_counts_for_every_file_hook() -> None:
    ignore = load("# generated\n*.pb.go\n\nvendor/**\n", name="ignore", mode=0o644)
    loaded = DIALECT.combine(
        [load(script(*FILE, 'ignore: "*_gen.go"')), ignore, load(script("type: session"))]
    )
    (spec,) = loaded[0].specs
    assert spec.options["ignore"] == ("*_gen.go", "*.pb.go", "vendor/**")
    assert spec.files == (".discobot/hooks/hook.sh", ".discobot/hooks/ignore")
    assert matching_files(spec, ["a.go", "b.pb.go", "x/c_gen.go", "vendor/d/e.go"]) == ("a.go",)


@pytest.mark.parametrize("written", ["a*.go, {b,c}.go", "[a*.go, '{b,c}.go']"])
def test_ignored_globs_are_separated_by_commas(written: str) -> None:
    assert hook(*FILE, f"exclude: {written}").options["ignore"] == ("a*.go", "{b,c}.go")


def test_ignored_folders_are_ignored_with_their_hidden_files() -> None:
    spec = hook("type: file", "pattern: **", "ignore: vendor/**")
    assert matching_files(spec, ["vendor/.x/a.go", "vendor/b.go", "c.go"]) == ("c.go",)
    dotted = hook("type: file", "pattern: .*", "ignore: *")
    assert matching_files(dotted, [".env"]) == ()


@pytest.mark.parametrize("style", ["#---", "---", "//---"])
def test_ignored_globs_may_stand_on_lines_of_their_own(style: str) -> None:
    prefix = style.removesuffix("---")
    fields = (*FILE, "ignore:", '  - "*.pb.go"', "  - vendor/**", "notify_llm: false")
    loaded = load(script(*fields, style=style, prefix=prefix))
    assert loaded.problems == ()
    (spec,) = loaded.specs
    assert (spec.options["ignore"], spec.conduct.notify_llm) == (("*.pb.go", "vendor/**"), False)


def test_the_schema_knows_every_field() -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(dict(DIALECT.schema()))
    assert list(validator.iter_errors({"type": "file", "pattern": "*.go", "timeout": "2s"})) == []
    assert len(list(validator.iter_errors({"type": "file"}))) == 1
    assert len(list(validator.iter_errors({"type": "File", "run_as": "admin"}))) == 2


# -- matching ------------------------------------------------------------------------------------------


def fits(pattern: str, path: str) -> bool:
    return bool(matching_files(hook("type: file", f"pattern: {pattern}"), [path]))


@pytest.mark.parametrize(
    ("pattern", "path", "fit"),
    [
        ("*.go", "internal/server/handler.go", True),
        ("*.go", "a.gone", False),
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/x/y/a.ts", True),
        ("src/**/*.ts", "lib/src/a.ts", False),
        ("*.{ts,tsx}", "web/app.tsx", True),
        ("{package.json,pnpm*.yaml}", "pnpm-lock.yaml", True),
        ("[ab]?.c", "b1.c", True),
        ("**/go.mod", "go.mod", True),
        ("*.sh", ".hidden.sh", False),
        (".*.sh", ".hidden.sh", True),
    ],
)
def test_patterns_fit_base_names_or_whole_paths(pattern: str, path: str, fit: bool) -> None:
    assert fits(pattern, path) is fit


@pytest.mark.parametrize("pattern", ["[", "{a"])
def test_a_malformed_pattern_fits_nothing_and_is_a_problem(pattern: str) -> None:
    loaded = load(script("type: file", f"pattern: {pattern}"))
    assert faults(loaded) == [("bad-pattern", 4, "error")]
    assert matching_files(loaded.specs[0], ["a", "a.go", "x[", "x{a"]) == ()


def test_a_comment_behind_a_bare_pattern_is_part_of_it_and_told() -> None:
    assert faults(load(script("type: file", "pattern: *.go # sources"))) == [("bad-pattern", 4, "error")]
    for fine in ("*.go", '"*.go" # sources', "a#b.go"):
        assert faults(load(script("type: file", f"pattern: {fine}"))) == []


def test_a_hook_sits_out_a_turn_that_changed_no_file_of_its() -> None:
    spec = hook(*FILE)
    assert DIALECT.skip_reason(spec, changed("a.go")) is None
    assert DIALECT.skip_reason(spec, changed(deleted_files=["a.go"])) is None
    assert DIALECT.skip_reason(spec, changed("a.py")) == "pattern `*.go` does not fit `a.py`"
    assert DIALECT.skip_reason(spec, changed()) == "no file changed"
    ignoring = hook(*FILE, "ignore: a.go")
    assert (
        DIALECT.skip_reason(ignoring, changed("a.go"))
        == "every changed file that fits pattern `*.go` is ignored"
    )


def test_a_hook_of_the_review_phase_runs_in_it_alone() -> None:
    spec = hook(*FILE, "phase: review")
    assert DIALECT.skip_reason(spec, changed("a.go", phase="review")) is None
    assert DIALECT.skip_reason(spec, changed("a.go")) == "runs only in phase `review`, and this is none"


def test_file_hooks_stop_at_the_first_failure_and_session_hooks_never() -> None:
    stops = {rule.native: (rule.order, rule.stop_at) for rule in DIALECT.rules.values()}
    assert stops == {
        "session": ("sequential", "never"),
        "file": ("sequential", "failure"),
        "pre-commit": ("sequential", "failure"),
    }


# -- what a hook is given ----------------------------------------------------------------------------


def test_a_file_hook_is_given_its_own_files() -> None:
    """All of them that match, the workspace as folder, and no input."""
    told = DIALECT.hook_input(changed("a.go", "b/c.go", "d.py", deleted_files=["x.go", "y.py"]), hook(*FILE))
    assert told.env == {
        "DISCOBOT_HOOK_TYPE": "file",
        "DISCOBOT_SESSION_ID": "s1",
        "DISCOBOT_WORKSPACE": "/ws",
        "DISCOBOT_CHANGED_FILES": "a.go b/c.go",
        "DISCOBOT_CHANGED_FILES_JSON": '["a.go", "b/c.go"]',
        "DISCOBOT_DELETED_FILES": "x.go",
        "DISCOBOT_DELETED_FILES_JSON": '["x.go"]',
    }
    assert told.lists == {
        "DISCOBOT_CHANGED_FILES_LIST": ("a.go", "b/c.go"),
        "DISCOBOT_DELETED_FILES_LIST": ("x.go",),
    }
    assert (told.cwd, told.stdin, told.merge_output, told.keep_git_env) == ("/ws", False, True, False)
    assert "DISCOBOT_CHANGED_FILES_OVERFLOW" in told.unset


@pytest.mark.parametrize("path", ["a b.go", "tab\t.go", "line\nbreak.go", "[id].go", "-w.go"])
def test_paths_a_shell_would_not_leave_alone_are_flagged(path: str) -> None:
    env = DIALECT.hook_input(changed(path, "b.go"), hook(*FILE)).env
    assert env["DISCOBOT_CHANGED_FILES"] == f"{path} b.go"
    assert env["DISCOBOT_CHANGED_FILES_AMBIGUOUS"] == "1"
    assert json.loads(env["DISCOBOT_CHANGED_FILES_JSON"]) == [path, "b.go"]


def test_a_list_that_does_not_fit_is_cut_between_paths_and_flagged() -> None:
    paths = [f"{'directory/' * 8}file-{number:05}.go" for number in range(5000)]
    told = DIALECT.hook_input(changed(*paths), hook(*FILE))
    listed = told.env["DISCOBOT_CHANGED_FILES"]
    assert len(listed) <= MAX_LIST_BYTES
    assert listed.split(" ") == paths[: len(listed.split(" "))]
    assert told.env["DISCOBOT_CHANGED_FILES_OVERFLOW"] == "1"
    assert told.lists["DISCOBOT_CHANGED_FILES_LIST"] == tuple(paths)
    assert "DISCOBOT_CHANGED_FILES_JSON" in told.unset


def test_a_pre_commit_hook_is_given_the_staged_files_and_git_s_variables() -> None:
    told = DIALECT.hook_input(event(EventKind.PreCommit, files=["a", "b"]), hook("type: pre-commit"))
    assert told.env["DISCOBOT_STAGED_FILES"] == "a b"
    assert told.lists == {"DISCOBOT_STAGED_FILES_LIST": ("a", "b")}
    assert told.keep_git_env
    without = hook("type: pre-commit", "git_env: false")
    assert not DIALECT.hook_input(event(EventKind.PreCommit), without).keep_git_env


def test_a_session_hook_is_given_session_and_workspace_and_a_user() -> None:
    """Whose rights it gets is the host's to say, but for root."""
    start = event(EventKind.SessionStart)
    told = DIALECT.hook_input(start, hook("type: session"))
    assert (dict(told.env), dict(told.lists), told.user) == (
        {"DISCOBOT_HOOK_TYPE": "session", "DISCOBOT_SESSION_ID": "s1", "DISCOBOT_WORKSPACE": "/ws"},
        {},
        "",
    )
    assert DIALECT.hook_input(start, hook("type: session", "run_as: root")).user == "root"
    hosted = event(EventKind.SessionStart, run_as_user="discobot")
    assert DIALECT.hook_input(hosted, hook("type: session")).user == "discobot"


# -- what its end means ------------------------------------------------------------------------------

FAILED = RawResult(exit_code=1, stdout="a.go: wrong\n", status_code=1)


@pytest.mark.parametrize("fields", [FILE, ("type: session",), ("type: pre-commit",)])
def test_exit_zero_is_success_whatever_was_printed(fields: tuple[str, ...]) -> None:
    spec = hook(*fields)
    assert DIALECT.read_output(event(spec.kind), spec, RawResult(exit_code=0, stdout="warn")) == Outcome()


def test_a_failed_file_hook_re_prompts_with_the_first_attempt() -> None:
    spec = hook(*FILE)
    outcome = DIALECT.read_output(changed("a.go", "b.py", deleted_files=["old.go"]), spec, FAILED)
    words = "file hook `hook.sh` failed: exit code 1"
    message = failure_message(spec, ["a.go", "old.go (deleted)"], 1, "a.go: wrong\n", "", 1, 3)
    assert outcome == Outcome(Verdict.NONE, words, messages=(words,), reprompt=message)


def test_a_host_says_which_attempt_it_is() -> None:
    outcome = DIALECT.read_output(changed("a.go", attempt=2), hook(*FILE), FAILED)
    assert outcome.reprompt.endswith("(Attempt 2/3)")


def test_a_silent_file_hook_fails_without_re_prompt() -> None:
    outcome = DIALECT.read_output(changed("a.go"), hook(*FILE, "notify_llm: false"), FAILED)
    assert (outcome.reprompt, outcome.messages) == ("", ("file hook `hook.sh` failed: exit code 1",))


def test_a_cancelled_file_hook_asks_for_nothing() -> None:
    assert DIALECT.read_output(changed("a.go"), hook(*FILE), RawResult(cancelled=True)) == Outcome()


def test_a_failed_session_hook_is_only_told() -> None:
    spec = hook("type: session", "name: Set up")
    words = "session hook `Set up` failed: timed out after 300 seconds"
    outcome = DIALECT.read_output(event(spec.kind), spec, RawResult(timed_out=True))
    assert outcome == Outcome(reason=words, messages=(words,))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RawResult(exit_code=2, stdout="\x1b[31mbad\x1b[0m\n"), "exit code 2\nbad"),
        (RawResult(timed_out=True), "timed out after 900 seconds"),
        (RawResult(launch_error="no interpreter"), "could not be started: no interpreter"),
        (RawResult(signal=15), "killed by signal 15"),
    ],
)
def test_a_failed_pre_commit_hook_blocks_the_commit_with_its_output(raw: RawResult, reason: str) -> None:
    spec = hook("type: pre-commit")
    outcome = DIALECT.read_output(event(spec.kind), spec, raw)
    assert outcome == Outcome(Verdict.DENY, f"pre-commit hook `hook.sh` failed: {reason}")


def test_the_reason_of_a_blocked_commit_is_bounded() -> None:
    spec = hook("type: pre-commit")
    reason = DIALECT.read_output(
        event(spec.kind), spec, RawResult(exit_code=1, stdout="first\n" + "x" * 900_000 + "\nlast\n")
    ).reason
    assert len(reason) < 70_000
    assert "\nfirst\n" in reason and reason.endswith("\nlast")


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (RawResult(exit_code=3), 3),
        (RawResult(timed_out=True, signal=9), 124),
        (RawResult(launch_error="x"), 127),
        (RawResult(launch_error="x", status_code=126), 126),
        (RawResult(signal=11), 139),
    ],
)
def test_every_end_has_a_shell_s_number(raw: RawResult, number: int) -> None:
    assert exit_number(raw) == number


def test_the_log_ends_with_how_the_hook_ended() -> None:
    spec = hook(*FILE, "timeout: 2")
    assert log_text(spec, RawResult(timed_out=True, stdout="half")) == "half\ntimed out after 2 seconds\n"
    assert log_text(spec, RawResult(launch_error="gone")) == "could not be started: gone\n"
    assert log_text(spec, FAILED) == "a.go: wrong\n"


def test_a_host_that_asks_by_type_gets_an_exit_code_for_git() -> None:
    asked = DIALECT.read_event("pre-commit", {"files": ["a"]})
    assert (asked.kind, asked.get("files"), asked.host) == (EventKind.PreCommit, ("a",), "discobot")
    denied = Decision(asked.kind, Verdict.DENY, "no")
    assert DIALECT.respond(asked, denied) == Response(stderr="no\n", exit_code=2)
    assert DIALECT.respond(asked, Decision(asked.kind)) == Response()
    with pytest.raises(PayloadError, match="no event `commit`"):
        DIALECT.read_event("commit", {})


# -- the failure message ----------------------------------------------------------------------------

GO = hook(*FILE, "name: Go format check")


def test_a_short_output_stands_in_the_message() -> None:
    files = ["internal/server/handler.go", "internal/server/service.go"]
    output = "".join(f"{path}: formatting differs from gofmt\n" for path in files)
    assert failure_message(GO, files, 1, output, "/log", 1, 3) == (
        '[Discobot Hook Failed] "Go format check" (pattern: *.go)\n'
        "\n"
        "Files: internal/server/handler.go, internal/server/service.go\n"
        "Exit code: 1\n"
        "\n"
        "Output:\n"
        "internal/server/handler.go: formatting differs from gofmt\n"
        "internal/server/service.go: formatting differs from gofmt\n"
        "\n"
        "Please fix the issues and ensure the hook passes. (Attempt 1/3)"
    )


def test_a_long_output_is_named_by_its_log() -> None:
    output = "".join(f"line {number}\n" for number in range(847))
    log = "/home/me/.discobot/abc123/hooks/output/go-fmt.log"
    assert failure_message(GO, ["a.go"], 1, output, log, 2, 3) == (
        '[Discobot Hook Failed] "Go format check" (pattern: *.go)\n'
        "\n"
        "Files: a.go\n"
        "Exit code: 1\n"
        "\n"
        "Output is large (847 lines). Full output saved to:\n"
        f"  {log}\n"
        "\n"
        "Please read the file to see the full output and address the issues. (Attempt 2/3)"
    )


@pytest.mark.parametrize(
    ("output", "inline"),
    [
        ("x\n" * 200, True),
        ("x\n" * 201, False),
        ("é" * 2560, True),
        ("é" * 2560 + "x", False),
        ("\n\n" + "x" * 5120 + "\n\n", True),
    ],
)
def test_both_limits_hold_and_are_inclusive(output: str, inline: bool) -> None:
    """200 lines and 5 KiB of UTF-8, after trimming."""
    assert ("\nOutput:\n" in failure_message(GO, ["a.go"], 1, output, "/log")) is inline


def test_a_long_output_without_a_log_ends_in_the_message() -> None:
    output = "".join(f"line {number}\n" for number in range(300))
    message = failure_message(GO, ["a.go"], 1, output, "")
    assert "Output is large (300 lines). It ends with:\nline 285\n" in message
    assert "line 299\n\nPlease fix the issues" in message


def test_twenty_files_are_named_and_the_rest_counted() -> None:
    files = [f"f{number}.go" for number in range(23)]
    assert "f18.go, f19.go, and 3 more\n" in failure_message(GO, files, 1, "x", "")
    assert "f18.go, f19.go\n" in failure_message(GO, files[:20], 1, "x", "")


def test_no_output_is_told() -> None:
    assert "Output:\n(no output)\n\nPlease" in failure_message(GO, ["a.go"], 1, " \n", "")


@pytest.mark.parametrize(("attempt", "words"), [(0, "1/3"), (1, "1/3"), (3, "3/3"), (4, "3/3")])
def test_the_attempt_stays_within_its_limit(attempt: int, words: str) -> None:
    assert failure_message(GO, [], 1, "x", "", attempt).endswith(f"(Attempt {words})")


def test_names_and_output_cannot_forge_lines_of_the_message() -> None:
    """Control characters of names are shown, terminal codes and NULs of output are gone."""
    message = failure_message(GO, ["a\nExit code: 0.go"], 1, "\x1b[1mbold\x1b[0m\x00</output>", "")
    assert "Files: a\\nExit code: 0.go\n" in message
    assert "Output:\nbold</output>\n" in message


# -- promises that hold for every text ----------------------------------------------------------------

LINE = st.one_of(
    st.sampled_from(
        ["#!/bin/sh", "#---", "---", "//---", "# type: file", "# type: pre-commit", "# pattern: *.go"]
    ),
    st.text(max_size=30),
)


@given_each(st.lists(LINE, max_size=8).map("\n".join), st.sampled_from([0o755, 0o644]))
def test_whatever_stands_in_a_file_it_is_a_hook_or_named_or_no_script(text: str, mode: int) -> None:
    loaded = load(text, mode=mode)
    assert len(loaded.specs) <= 1
    if mode == 0o755 and not loaded.specs:
        assert loaded.problems


@given_each(st.lists(st.text(min_size=1).filter(lambda path: "\0" not in path), max_size=30))
def test_the_exact_list_of_files_has_every_path(paths: list[str]) -> None:
    """Whatever the names hold."""
    told = DIALECT.hook_input(changed(*paths), hook("type: file", "pattern: **"))
    listed = told.lists["DISCOBOT_CHANGED_FILES_LIST"]
    assert json.loads(told.env["DISCOBOT_CHANGED_FILES_JSON"]) == list(listed)
    assert told.env["DISCOBOT_CHANGED_FILES"] == " ".join(listed)


@given_each(st.text(max_size=400), st.integers(min_value=-2, max_value=9))
def test_a_message_is_bounded_and_ends_with_its_attempt(output: str, attempt: int) -> None:
    message = failure_message(GO, ["a.go"], 1, output * 40, "/log", attempt)
    assert len(message.encode("utf-8", "replace")) < 6 * 1024
    assert message.startswith("[Discobot Hook Failed] ")
    assert message.endswith(f"(Attempt {min(max(attempt, 1), 3)}/3)")


@pytest.mark.parametrize(
    ("pattern", "told"), [('"*', True), ("'*.go", True), ("'*' x", False), ('"*.go"', False), ("*", False)]
)
def test_a_quote_in_front_matter_that_nothing_ends_is_told(
    program: Program, pattern: str, told: bool
) -> None:
    head = f"#!/bin/sh\n#---\n# name: T\n# type: file\n# pattern: {pattern}\n#---\ntrue x\n"
    program.write(".discobot/hooks/t.sh", head, 0o755)
    found = [each for each in json.loads(program("check", "--json").stdout) if each["code"] == "bad-value"]
    assert [(each["line"], each["path"]) for each in found] == ([(5, "pattern")] if told else [])
