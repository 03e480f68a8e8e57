"""From any dialect to any: written hooks read back the same, and nothing is lost in silence."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dialects.agent_cases import grouped
from tests.program import Program

from hookline.dialects import dialect, names
from hookline.dialects.base import Loaded, Source, SourceText
from hookline.dialects.converting.rules import closed_causes
from hookline.dialects.converting.whole import Converted, convert
from hookline.dialects.discobot.profile import script_files
from hookline.model.events import event_from_payload
from hookline.model.hooks import (
    Answer,
    Command,
    Conduct,
    GitCommit,
    HookSpec,
    Matcher,
    McpTool,
    Means,
    Origin,
    PromptCheck,
    Rule,
    Unusable,
    Webhook,
    parted,
    said_of,
)
from hookline.model.record import replace
from hookline.model.results import RawResult, Verdict

NAMES = sorted(
    name for name in names() if dialect(name).profile.can.handlers
)  # hooks can be written for them
PATHS = {
    "gencode": ".gen/settings.json", "autoagent": ".autoagent/config.json", "cocode": ".cocode/hooks.toml",
    "hookline": ".hookline/hooks.toml",
    "iteratr": ".iteratr.hooks.yml", "discobot": ".discobot/hooks",
}  # fmt: skip
BASH = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
READ = {"tool_name": "Read", "tool_input": {"file_path": "a"}}


def path_of(name: str) -> str:
    files = dialect(name).profile.files
    return PATHS[name] if files is None else files.project


def source_of(name: str) -> Source:
    form, label = dialect(name).profile.read_as
    return Source(f"/w/{path_of(name)}", "project", form, path_of(name), label)


def parse(name: str, text: str) -> Loaded:
    source = source_of(name)
    return dialect(name).parse(SourceText(source, "text", text, path=source.path, shown=source.shown))


def hook(name: str, native: str, action: Any = None, /, **more: Any) -> HookSpec:
    kind = dialect(name).kind_of(native)
    assert kind is not None
    given_action = action or Command("echo no >&2; exit 2", shell=dialect(name).profile.can.shell)
    return HookSpec("x:1", name, kind, native, given_action, source=path_of(name), line=1, **more)


@cache
def schema_of(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(dict(dialect(name).schema()))


def meaning(spec: HookSpec) -> dict[str, Any]:
    """Everything but where it stands."""
    fields = ("native_event", "kind", "action", "matcher", "condition", "timeout_s", "background", "once",
              "on_failure", "blocking", "status_message", "env", "enabled")  # fmt: skip
    return {field: getattr(spec, field) for field in fields}


# -- written and read back ------------------------------------------------------------------------------

letters = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")
lines = st.text(letters, min_size=1, max_size=20).filter(lambda text: text.strip() == text and text)
whole_seconds = st.integers(1, 600).map(float)
# A matcher of each form, as kind and text.
WRITTEN = {
    "names": ("names", "Bash|Edit"), "any": ("names", "Bash|Edit"), "prefix": ("exact", "Bash"),
    "regex": ("regex", "^run"), "fullregex": ("fullregex", "bash|view"), "": ("", ""),
}  # fmt: skip


def matching_of(name: str) -> tuple[str, str]:
    matching = dialect(name).profile.matching
    return ("names", "Bash|Edit") if matching.listed else WRITTEN[matching.form]


@st.composite
def hooks_of(draw: st.DrawFn, name: str) -> HookSpec:
    speaker = dialect(name)
    natives = {rule.native for rule in (speaker.rows or speaker.rules.values())}
    native = draw(st.sampled_from(sorted({each for each in natives if speaker.written(each) == each})))
    can = dialect(name).profile.can
    kind = speaker.kind_of(native)
    rule = next(rule for rule in (speaker.rows or speaker.rules.values()) if rule.native == native)
    about_tools = (
        rule.subject == "tool_name"
        and matching_of(name)[1]
        and not (name == "copilot" and native[0].isupper())
    )
    more: dict[str, Any] = {}
    if about_tools and draw(st.booleans()):
        more["matcher"] = Matcher(*matching_of(name))
    if can.status:
        more["status_message"] = draw(st.sampled_from(["", "x"]))
    if can.env:
        more["env"] = draw(st.sampled_from([{}, {"A_B": "c 'd"}]))
    if can.once and name != "claude":
        more["once"] = draw(st.booleans())
    if can.closes == "on_failure" and rule.guards:
        more["on_failure"] = draw(st.sampled_from(["", "block"]))
    if name == "claude" and about_tools:
        more["condition"] = draw(st.sampled_from([None, "Bash(git *)"]))
    timeout = 1.0 if str(kind) in ("SessionEnd", "Interrupt") else draw(whole_seconds)
    timeout = min(timeout, can.longest_s)
    if not speaker.profile.style.timeout_key:
        timeout = rule.timeout_s
    return hook(name, native, Command(draw(lines), shell=can.shell), timeout_s=timeout, **more)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"discobot"}))
@settings(max_examples=25)
@given(st.data())
def test_what_is_written_reads_back_as_the_same_hooks(name: str, data: st.DataObject) -> None:
    specs = sorted(data.draw(st.lists(hooks_of(name), max_size=5)), key=lambda spec: spec.native_event)
    text = dialect(name).profile.write(specs)
    loaded = parse(name, text)
    assert [problem for problem in loaded.problems if problem.severity == "error"] == []
    assert [meaning(spec) for spec in loaded.specs] == [meaning(spec) for spec in specs]
    assert dialect(name).profile.write([replace(spec, source="", line=0) for spec in loaded.specs]) == text


def test_every_kind_of_handler_reads_back_the_same() -> None:
    actions: list[Any] = [
        Command(argv=("check", "a b", "")), Command("x", shell=("bash", "-c")),
        Webhook("https://x.y/z", "POST", {"A": "$B"}, ("B",)), McpTool("s", "t", {"a": [1, {"b": True}]}),
        PromptCheck("ok? $ARGUMENTS", "m", continue_on_block=True),
        PromptCheck("look", agent=True, continue_on_block=True),
    ]  # fmt: skip
    for name in ("claude", "hookline"):
        specs = [hook(name, "PreToolUse", action, timeout_s=9.0) for action in actions]
        assert [spec.action for spec in parse(name, dialect(name).profile.write(specs)).specs] == actions
    git = [hook("autoagent", "PostExecutionEnd", GitCommit("m", True, "staged"), timeout_s=9.0)]
    assert [spec.action for spec in parse("autoagent", dialect("autoagent").profile.write(git)).specs] == [
        git[0].action
    ]


def test_a_discobot_script_reads_back_the_same() -> None:
    spec = replace(
        hook("claude", "Stop", Command("make test")), name="make: test", native_event="file", timeout_s=2.5,
        matcher=Matcher("glob", "*.{ts,tsx}"), **parted({"notify_llm": False, "ignore": ("a/**", "b")}),
    )  # fmt: skip
    ((name, text),) = script_files([spec]).items()
    path = f"/w/.discobot/hooks/{name}"
    loaded = dialect("discobot").parse(
        SourceText(
            source_of("discobot"), "text", text, path=path, shown=f".discobot/hooks/{name}", mode=0o755
        )
    )
    (found,) = loaded.specs
    assert loaded.problems == ()
    assert (found.name, found.matcher, found.timeout_s) == ("make: test", spec.matcher, 2.5)
    assert (found.conduct.notify_llm, found.options["ignore"]) == (False, ("a/**", "b"))
    assert text.endswith("make test\n")


@settings(max_examples=40)
@given(st.sampled_from(sorted(set(NAMES) - {"discobot"})), st.sampled_from(NAMES), st.data())
def test_any_to_any_yields_a_sound_config_and_accounts_for_every_hook(
    source: str, target: str, data: st.DataObject
) -> None:
    spec = data.draw(hooks_of(source))
    converted = convert([spec], source, target)
    assert converted.specs or converted.losses
    if target == "discobot":
        assert converted.text.startswith("#!/bin/sh\n")
        return
    loaded = parse(target, converted.text)
    assert [problem for problem in loaded.problems if problem.severity == "error"] == []
    assert [meaning(found) for found in loaded.specs] == [meaning(found) for found in converted.specs]
    if dialect(target).profile.read_as[0] == "json":
        schema_of(target).validate(json.loads(converted.text))


@settings(max_examples=40)
@given(st.sampled_from(sorted(set(NAMES) - {"discobot", "hookline"})), st.data())
def test_there_and_back_through_our_own_format_nothing_is_lost(source: str, data: st.DataObject) -> None:
    spec = data.draw(hooks_of(source))
    there = convert([spec], source, "hookline")
    read = parse("hookline", there.text)
    back = convert(read.specs, "hookline", source)
    assert (there.losses, back.losses, read.problems) == ((), (), ())
    assert [meaning(found) for found in back.specs] == [meaning(spec)]


# -- what a conversion keeps, through the real path ------------------------------------------------------

TOOL_EVENTS = {"gemini": "BeforeTool", "cursor": "preToolUse", "copilot": "preToolUse"}
MATCHERS = {
    "claude": Matcher("names", "Bash"), "gencode": Matcher("exact", "Bash"), "codex": Matcher("names", "Bash"),
    "gemini": Matcher("regex", "^run_shell_command$"), "cursor": Matcher("regex", "^Shell$"),
    "copilot": Matcher("fullregex", "bash"), "cocode": Matcher("exact", "Bash"), "hookline": Matcher("names", "Bash"),
}  # fmt: skip


@pytest.mark.parametrize("source", sorted(MATCHERS))
def test_a_converted_guard_still_stops_what_it_stopped_and_nothing_else(
    program: Program, source: str
) -> None:
    native = TOOL_EVENTS.get(source, "PreToolUse")
    spec = hook(source, native, matcher=MATCHERS[source], timeout_s=20.0)
    ring = sorted(MATCHERS) * 2
    place = ring.index(source)
    for target in ring[place + 1 : place + 8 : 4]:  # two of the others; test_converted_guards.py has all
        program.write(path_of(target), convert([spec], source, target).text)
        for payload, code in ((BASH, 2), (READ, 0)):
            done = program("fire", "PreToolUse", "--dialect", target, stdin=json.dumps(payload))
            assert done.returncode == code, (source, target, payload, done.stderr)
        (program.workspace / path_of(target)).unlink()


def losses_of(converted: Converted) -> list[tuple[str, bool]]:
    return [(loss.what, loss.weakens) for loss in converted.losses]


@pytest.mark.parametrize(
    ("spec", "target", "what"),
    [
        (hook("claude", "PreToolUse", PromptCheck("ok?")), "codex", "handler"),
        (hook("claude", "ConfigChange"), "gemini", "event"),
        (hook("claude", "PreCompact"), "gemini", "event"),
        (hook("cocode", "PreToolUse"), "codex", "failure"),
        (hook("claude", "PreToolUse", on_failure="block"), "codex", "failure"),
        (hook("claude", "PreToolUse", on_failure="block"), "copilot", "failure"),
        (hook("gemini", "BeforeTool"), "claude", "protocol"),
        (hook("claude", "PreToolUse", matcher=Matcher("regex", "Ba.*")), "gemini", "matcher"),
        (hook("iteratr", "pre_iteration", Command("echo {{iteration}}")), "hookline", ""),
    ],
)
def test_what_weakens_a_guard_is_told(spec: HookSpec, target: str, what: str) -> None:
    converted = convert([spec], spec.dialect, target)
    assert ((what, True) in losses_of(converted)) == bool(what)
    assert converted.weakens == bool(what)


@pytest.mark.parametrize(
    ("source", "target", "key", "value"),
    [
        ("claude", "gencode", "timeout", 7000),
        ("gencode", "claude", "timeout", 7),
        ("claude", "gemini", "timeout", 7000),
        ("gemini", "codex", "timeout", 7),
        ("claude", "copilot", "timeoutSec", 7),
        ("claude", "cocode", "timeout_sec", 7),
        ("claude", "hookline", "timeout", '"7s"'),
    ],
)
def test_units_are_converted(source: str, target: str, key: str, value: object) -> None:
    native = (
        TOOL_EVENTS.get(source, "PostToolUse").replace("Before", "After").replace("PreToolUse", "PostToolUse")
    )
    text = convert([hook(source, native, timeout_s=7.0)], source, target).text
    wanted = f'"{key}": {value}' if text.startswith("{") else f"{key} = {value}"
    assert wanted in text


def test_a_guards_own_failure_still_blocks_where_that_can_be_said() -> None:
    closed = hook("cocode", "PreToolUse")
    for target, field, value in (
        ("claude", "on_failure", "block"),
        ("cursor", "on_failure", "block"),
        ("gencode", "blocking", True),
    ):
        converted = convert([closed], "cocode", target)
        assert getattr(converted.specs[0], field) == value
        assert ("failure", True) not in losses_of(converted)


@pytest.mark.parametrize("target", ["claude", "gencode", "gemini", "codex", "cursor", "copilot", "cocode"])
def test_fixed_answers_and_predicates_go_along_where_they_can(program: Program, target: str) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\nshell = ["git push*", "git pull*"]\ndeny = "not \'now\'"\n',
    )
    done = program("convert", "hookline", target)
    # the rule sees what a command does; there it is only its words, or says no to every call
    assert done.returncode == 1
    weaker = target in ("claude", "gencode")
    assert ("denies all: " in done.stderr, "1 of them denies every call" in done.stderr) == (
        not weaker,
        not weaker,
    )
    (program.workspace / ".hookline/hooks.toml").unlink()
    program.write(path_of(target), done.stdout)
    decision = json.loads(
        program("fire", "PreToolUse", "--json", "--dialect", target, stdin=json.dumps(BASH)).stdout
    )
    assert decision["verdict"] == "deny"
    assert "not 'now'" in decision["reason"]
    harmless = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    narrow = program("fire", "PreToolUse", "--dialect", target, stdin=json.dumps(harmless)).returncode == 0
    assert narrow == (target in ("claude", "gencode"))
    told = "`shell` cannot be said there; it says `deny` at every PreToolUse that its matcher fits\n"
    assert narrow or told in done.stderr


@pytest.mark.parametrize("native", ["PreToolUse", "UserPromptSubmit", "Stop", "PermissionRequest"])
def test_a_fixed_denial_is_one_there_or_is_told_as_weaker(native: str) -> None:
    """The line that was written is run, and read by the target's own rules; some read nothing from exit 2."""
    heard = []
    for target in sorted(set(NAMES) - {"hookline", "iteratr", "discobot", "autoagent"}):
        converted = convert([hook("hookline", native, Answer("deny", "it's not now"))], "hookline", target)
        if any(loss.weakens for loss in converted.losses):
            continue
        for spec in converted.specs:
            assert isinstance(spec.action, Command)
            done = subprocess.run(["sh", "-c", spec.action.line], capture_output=True, text=True, check=False)
            raw = RawResult(
                exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr, answer=done.stdout
            )
            event = event_from_payload(spec.kind, BASH, session_id="s", cwd="/w", workspace="/w", at=0.0)
            outcome = dialect(target).read_output(event, spec, raw)
            assert outcome.verdict == Verdict.DENY or outcome.reprompt, target
            assert "it's not now" in (outcome.reprompt or outcome.reason)
            heard.append(target)
    assert {"claude", "copilot", "codex"} <= set(heard)


@pytest.mark.parametrize("target", ["claude", "cursor", "gemini", "copilot", "codex", "kiro"])
def test_a_fixed_permission_is_left_out_where_it_would_permit_more(program: Program, target: str) -> None:
    """Without its condition it would take the agent's own question from every call; left out, more is asked."""
    entry = '[[hooks]]\nevent = "PreToolUse"\n{}\nallow = "fine"\n'
    program.write(".hookline/hooks.toml", entry.format('connect = "*.example.com"'))
    done = program("convert", "hookline", target)
    assert (done.returncode, "allow" in done.stdout) == (0, False)
    assert "it was left out" in done.stderr and "weaker" not in done.stderr
    program.write(".hookline/hooks.toml", entry.format('tool = "Bash"'))
    done = program("convert", "hookline", target)
    assert done.returncode == 0
    assert ("allow" in done.stdout) == (target in ("claude", "cursor", "gemini", "copilot"))


def test_an_answer_a_target_has_no_words_for_becomes_a_denial_or_is_told() -> None:
    ask = hook("hookline", "PreToolUse", Answer("ask", "sure?"))
    assert '"permissionDecision": "ask"' in convert([ask], "hookline", "claude").text.replace('\\"', '"')
    codex = convert([ask], "hookline", "codex")
    assert "exit 2" in codex.text
    assert losses_of(codex) == [("handler", False)]
    allow = convert([hook("hookline", "PreToolUse", Answer("allow", "fine"))], "hookline", "codex")
    assert (allow.specs, [loss.what for loss in allow.losses]) == ((), ["handler"])


# -- no detail is lost in silence ------------------------------------------------------------------------

BASH_LINE = Command("true", shell=("bash", "-c"))
POST = Webhook("https://x.y/z", "PUT", {"A": "${B}"}, ("B",))
DETAILS: dict[str, list[HookSpec]] = {
    "claude": [
        hook("claude", "PreToolUse", condition="Bash(git *)", status_message="s", once=True, timeout_s=7.5),
        hook("claude", "PreToolUse", on_failure="block"),
        hook("claude", "PostToolUse", background=True, conduct=Conduct(rewake=True)),
        hook("claude", "PostToolUse", background=True, origin=Origin(agent="reviewer")),
        hook("claude", "PreToolUse", Webhook("https://x.y/z", "POST", {"A": "$B"}, ("B",))),
        hook("claude", "PreToolUse", McpTool("s", "t", {"a": [1]})),
        hook("claude", "Stop", PromptCheck("ok?", "m", continue_on_block=True)),
        hook("claude", "Stop", PromptCheck("look", "m", agent=True, continue_on_block=True)),
    ],
    "gencode": [
        hook("gencode", "PreToolUse", name="n", blocking=True, status_message="s", once=True),
        hook("gencode", "PostToolUse", blocking=False, background=True, conduct=Conduct(rewake=True)),
    ],
    "codex": [hook("codex", "PostToolUse", background=True, options={"contextLimit": 9})],
    "gemini": [
        hook("gemini", "BeforeTool", name="n", description="d", env={"A": "b"}, options={"asks_sequence": True})
    ],
    "cursor": [
        hook("cursor", "stop", options={"loop_limit": 2}),
        hook("cursor", "stop", options={}),
        hook("cursor", "preToolUse", on_failure="block", options={"loop_limit": 5}),
        hook("cursor", "preToolUse", PromptCheck("ok?", "m"), options={"loop_limit": 5}),
    ],
    "copilot": [
        hook("copilot", "preToolUse", env={"A": "b"}, means=Means(cwd="sub")),
        hook("copilot", "postToolUse", Webhook("https://x.y/z", "POST", {"A": "$B"}, ("B",))),
    ],
    "autoagent": [hook("autoagent", "PostExecutionEnd", name="n", blocking=False, options={"json_from": "last-line"})],
    "cocode": [
        hook("cocode", "PreToolUse", name="n", once=True, options={"on_timeout": "reject", "parse_result": True}),
        hook("cocode", "PreToolUse", POST, name="n", options={"on_timeout": "continue"}),
    ],
    "iteratr": [hook("iteratr", "post_iteration", options={"pipe_output": True})],
    "discobot": [
        hook("discobot", "file", name="n", description="d", matcher=Matcher("glob", "*.py"),
             **parted({"notify_llm": False, "ignore": ("a/**",), "phase": "check", "continue_on_failure": True})),
        hook("discobot", "pre-commit", name="n", **parted({"notify_llm": True, "git_env": False})),
        hook("discobot", "session", name="n", blocking=True, means=Means(run_as="root")),
    ],
    "hookline": [
        hook("hookline", "PreToolUse", name="n", description="d", grace_s=9.0, timeout_s=0.5, status_message="s",
             on_failure="ask", env={"A": "b"}, once=True,
             **parted({"order": 3, "group": "g", "output": "ignore", "env": "clean", "pass_env": ("P",)})),
        hook("hookline", "PreToolUse", name="n", on_failure="allow", conduct=Conduct(needs=("first",))),
        hook("hookline", "PostToolUse", background=True, conduct=Conduct(rewake=True)),
        hook("hookline", "PreToolUse", POST), hook("hookline", "PreToolUse", McpTool("s", "t", {"a": 1})),
        hook("hookline", "PreToolUse", PromptCheck("ok?", "m", continue_on_block=True)),
        hook("hookline", "PostToolUse", rule=Rule({"write": ("src/**",), "where": {"a": "b"}})),
        hook("hookline", "PreCommit", GitCommit("m", True, "staged"), options={"order": 1}),
        replace(hook("hookline", "PreToolUse", **parted({"speaks": "claude:PreToolUse", "order": 2, "group": "g"})),
                native_event="claude:PreToolUse"),
    ],
}  # fmt: skip
# Under which names of a loss a detail may be told; by itself under its own.
TOLD_AS = {
    "timeout_s": "timeout", "grace_s": "grace", "predicates": "condition", "on_failure": "failure",
    "blocking": "failure", "on_timeout": "failure", "parse_result": "protocol", "json_from": "protocol",
    "background": "background", "env:": "env",
}  # fmt: skip
LEFT_OUT = {"event", "handler", "broken"}


def said(spec: HookSpec) -> dict[str, Any]:
    """Everything a hook says, by name; parts of its handler under theirs."""
    fields = ("name", "description", "condition", "timeout_s", "grace_s", "blocking", "background", "once",
              "on_failure", "status_message", "env")  # fmt: skip
    found = {field: getattr(spec, field) for field in fields}
    if spec.dialect != "hookline" or spec.grace_s == 2.0:
        found.pop("grace_s")
    if not isinstance(spec.action, Command):
        found |= {name: getattr(spec.action, name) for name in spec.action._fields}
    plain = {"rewake": False, "notify_llm": True, "loop_limit": 5, "git_env": True, "on_timeout": "continue"}
    options = {key: value for key, value in said_of(spec).items() if value != plain.get(key, ())}
    options.pop("speaks", None)  # which dialect it talks is what a conversion is about
    return {key: value for key, value in {**found, **options}.items() if value not in (None, "", {}, False, ())
            or (key in plain and key in options)}  # fmt: skip


def arrived_otherwise(name: str, value: Any, spec: HookSpec, found: HookSpec) -> bool:
    """What holds there without being said: by the order of the file, or by what a failure does there anyway."""
    rule = dialect(found.dialect).rule(found)
    text = found.action.line if isinstance(found.action, Command) else ""
    speaks = found.origin.speaks
    return {
        "order": rule.order != "parallel", "group": rule.order == "parallel",
        "env": "export " in text or not isinstance(spec.action, Command),
        "condition": speaks and found.options.get("condition") == value,
        "blocking": speaks and found.options.get("blocking") == value,
        "on_failure": (value == "allow" and not closed_causes(found, found.dialect))
        or (value == "block" and closed_causes(spec, spec.dialect) <= closed_causes(found, found.dialect)),
        "on_timeout": closed_causes(spec, spec.dialect) <= closed_causes(found, found.dialect),
        "needs": found.dialect == "hookline",
    }.get(name, False) or (
        name == "blocking" and closed_causes(spec, spec.dialect) <= closed_causes(found, found.dialect) and bool(value)
    )  # fmt: skip


def read_alone(target: str, made: HookSpec) -> HookSpec:
    alone = replace(made, conduct=replace(made.conduct, needs=()))
    if target != "discobot":
        (found,) = parse(target, dialect(target).profile.write([alone])).specs
        return found
    ((name, text),) = script_files([alone]).items()
    path = f"/w/.discobot/hooks/{name}"
    given = SourceText(source_of("discobot"), "text", text, path=path, shown=path, mode=0o755)
    (found,) = dialect("discobot").parse(given).specs
    return found


@pytest.mark.parametrize("target", names())
@pytest.mark.parametrize("source", sorted(DETAILS))
def test_every_detail_arrives_or_is_told(source: str, target: str) -> None:
    for spec in DETAILS[source]:
        converted = convert([spec], source, target)
        told = {loss.what for loss in converted.losses}
        if not converted.specs:
            assert told & LEFT_OUT, (spec, told)
            continue
        found = read_alone(target, converted.specs[0])
        if isinstance(found.action, Unusable):
            assert "handler" in told
            continue
        there = said(found)
        for name, value in said(spec).items():
            fits = there.get(name) == value or (isinstance(value, tuple) and there.get(name) == list(value))
            known = {name, TOLD_AS.get(name, name)} & told
            assert fits or known or arrived_otherwise(name, value, spec, found), (name, value, told, found)


def test_what_orders_our_hooks_is_told_and_needs_weakens(program: Program) -> None:
    """A push that needed the tests is pushed without them elsewhere."""
    program.write(
        ".hookline/hooks.toml",
        '[budget]\nPreToolUse = "5s"\n\n'
        '[[hooks]]\nname = "first"\nevent = "PreToolUse"\norder = -1\nrun = "true"\n\n'
        '[[hooks]]\nname = "second"\nevent = "PreToolUse"\nneeds = "first"\ngroup = "g"\nrun = "true"\n',
    )
    done = program("convert", "hookline", "claude", "--json")
    losses = [(loss["hook"], loss["what"], loss["weakens"]) for loss in json.loads(done.stderr)["losses"]]
    assert done.returncode == 1
    assert {
        ("first", "order", False),
        ("second", "needs", True),
        ("second", "order", True),
        ("", "budget", False),
    } <= {*losses}
    assert ("second", "group", False) not in losses  # side by side is how they run there anyway
    cocode = program("convert", "hookline", "cocode", "--json").stderr
    assert {"group", "needs"} <= {loss["what"] for loss in json.loads(cocode)["losses"]}
    assert "order" not in {loss["what"] for loss in json.loads(cocode)["losses"]}


def test_a_hyphen_in_a_name_does_not_widen_a_matcher_of_codex() -> None:
    """What is an exact name to Claude Code is a pattern that fits anywhere to Codex."""
    spec = hook("claude", "PreToolUse", matcher=Matcher("names", "mcp__my-srv__echo"))
    (made,) = parse("codex", convert([spec], "claude", "codex").text).specs
    assert made.matcher is not None and made.matcher.kind == "regex"
    assert made.matcher.text.startswith("^") and made.matcher.text.endswith("$")
    (kept,) = parse("gencode", convert([spec], "claude", "gencode").text).specs
    assert kept.matcher is not None and "my-srv" in kept.matcher.text


def ours(lines: str) -> str:
    return f'[[hooks]]\nname = "g"\nevent = "PreToolUse"\n{lines}\n'


NO = "echo no >&2; exit 2"
KIRO_STOP = {"version": "v1", "hooks": [
    {"trigger": "Stop", "name": "a", "action": {"type": "command", "command": NO}}
]}  # fmt: skip
# What a hook does otherwise there, and whether that is weaker, or a denial of everything.
OTHERWISE = {
    "a pattern that fits nothing there": (
        "claude", grouped("PreToolUse", NO, "^(?!Bash).*$"), "gencode", "it does not run at `", "weakens"
    ),
    "a denial by exit code that is none there": (
        "codex", grouped("PermissionRequest", NO), "claude", "lets things through when it ends by: exit 2", "weakens",
    ),
    "an end that keeps nothing back here": (
        "kiro", json.dumps(KIRO_STOP), "claude", "also stops things when it ends by: exit 2", ""
    ),
    "one tool there for several": (
        "hookline", ours('tool = "Edit"\ndeny = "no"'), "openhands", "runs at `Read`, `Write` too", ""
    ),
    "a matcher in other letters": (
        "claude", grouped("PreToolUse", NO, "bash"), "crush", "it runs at `Bash` too", ""
    ),
    "a denial whose matcher is lost": (
        "hookline", ours('tool = "Bash"\ndeny = "no"'), "vscode", "it runs always", "floods"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERWISE)
def test_what_a_hook_does_otherwise_there_is_told(case: str) -> None:
    source, text, target, words, kind = OTHERWISE[case]
    losses = convert(parse(source, text).specs, source, target).losses
    told = [loss for loss in losses if words in loss.message]
    assert [(loss.weakens, loss.floods) for loss in told] == [(kind == "weakens", kind == "floods")], losses


@pytest.mark.parametrize("target", NAMES)
def test_an_old_name_of_a_tool_is_translated_as_the_tool(target: str) -> None:
    one, other = (
        convert(parse("claude", grouped("PreToolUse", NO, name)).specs, "claude", target)
        for name in ("Task", "Agent")
    )
    if target not in ("claude", "hookline"):
        assert [spec.matcher for spec in one.specs] == [spec.matcher for spec in other.specs]
