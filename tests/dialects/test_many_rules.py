"""Rules that are told at once to sit a call out: the same is said of each as where it is asked by itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from benchmarks.guards.corpora import written
from benchmarks.guards.measure import packs_config

from hookline import make_event, open_engine
from hookline.dialects import dialect
from hookline.dialects.hookline import calls, many
from hookline.dialects.hookline.asking import asked_of
from hookline.dialects.hookline.commands import hits_of
from hookline.engine.plan import Plan, make_plan
from hookline.engine.plans import Plans
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.shell.effects import commands
from hookline.shell.effects.acts import Effect, Where
from hookline.shell.effects.paths import fits, likely
from hookline.shell.reading import Word

RULES = """
[[hooks]]
name = "tool as well"
event = "PreToolUse"
tool = "Bash"
shell = "git push"
deny = "x"

[[hooks]]
name = "opaque"
event = "PreToolUse"
shell = "npm publish"
opaque = "ask"
deny = "x"

[[hooks]]
name = "whatever program"
event = "PreToolUse"
shell = "* --force"
ask = "x"

[[hooks]]
name = "allowing"
event = "PreToolUse"
shell = "git status"
allow = "x"

[[hooks]]
name = "let off"
event = "PreToolUse"
shell = "rm -rf"
except = { shell = "rm -rf build" }
deny = "x"

[[hooks]]
name = "off"
event = "PreToolUse"
shell = "git push"
deny = "x"
enabled = false

[[hooks]]
name = "by one word"
event = "PreToolUse"
shell = ["zap --force", "zap now build", "zap -r"]
deny = "x"
"""
ASKED_ALONE = ("tool as well", "opaque", "allowing", "off")
CALLS = [
    {"tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"}},
    {"tool_name": "mcp__x__run_command", "tool_input": {"command": "git push -f"}},
    {"tool_name": "Bash", "tool_input": {}},
    {"tool_name": "Bash", "tool_input": {"command": ["git", "push"]}},
    {"tool_name": "PowerShell", "tool_input": {"command": "Remove-Item -Recurse C:\\"}},
]


def specs_of(folder: Path) -> tuple[HookSpec, ...]:
    (folder / ".hookline").mkdir()
    (folder / ".git").mkdir()
    (folder / ".hookline/hooks.toml").write_text(packs_config() + RULES)
    opened = open_engine(str(folder), environment={"HOME": str(folder), "HOOKLINE_TRUST": "workspace"})
    return tuple(opened.engine.hooks.specs)


def told(event: Event, specs: tuple[HookSpec, ...], at_once: bool) -> Plan:
    return make_plan(event, specs, lambda _: None, speakers=(dialect("hookline"),) if at_once else ())


def _is_hit(spec: HookSpec, event: Event) -> bool:
    """Whether something of a call meets a rule, which lets it off perhaps or cannot tell."""
    call = calls.call_of(event)
    return call is not None and bool(hits_of(asked_of(spec.rule.predicates), call))


def test_the_plan_is_the_same_as_where_each_rule_is_asked(tmp_path: Path) -> None:
    specs = specs_of(tmp_path)
    lines = [line.text for name in ("stop", "harmless") for line in written(name)]
    lines = [
        *random.Random(7).sample(lines, 220),
        "$X push",
        "make && git status",
        'eval "$y"',
        "rm -rf build",
        "(",
        *(
            f"zap {words}"
            for words in ("--force", "--forc", "-vr", "$X", '"$X"', "now ./build", "now", "a ./now build")
        ),
    ]
    calls = [*({"tool_name": "Bash", "tool_input": {"command": line}} for line in lines), *CALLS]
    saved = 0
    for call in calls:
        event = make_event("PreToolUse", workspace=str(tmp_path), **call)  # type: ignore[arg-type]
        sits_out = dialect("hookline").sit_out(specs, event)
        alone = told(event, specs, False)
        assert told(event, specs, True) == alone, call
        saved += len(sits_out)
        in_vain = [specs[at] for at in alone.skipped if at not in sits_out] if sits_out else []
        assert all(spec.name in ASKED_ALONE or _is_hit(spec, event) for spec in in_vain), call
    assert saved > 70 * len(lines)


@pytest.mark.parametrize(("line", "about_pushing"), [("git log -3", False), ("git push -f", True)])
def test_a_rule_about_another_sub_command_is_not_asked(
    tmp_path: Path, line: str, about_pushing: bool
) -> None:
    specs = specs_of(tmp_path)
    pushing = {
        at for at, spec in enumerate(specs) if "git push --force" in spec.rule.predicates.get("shell", ())
    }
    event = make_event("PreToolUse", workspace=str(tmp_path), tool_name="Bash", tool_input={"command": line})
    asked = set(range(len(specs))).difference(dialect("hookline").sit_out(specs, event))
    assert pushing & asked == (pushing if about_pushing else set()) and pushing


def test_what_commands_do_is_not_looked_at_for_rules_about_other_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".hookline").mkdir()
    (tmp_path / ".hookline/hooks.toml").write_text(RULES)
    engine = open_engine(
        str(tmp_path), environment={"HOME": str(tmp_path), "HOOKLINE_TRUST": "workspace"}
    ).engine
    looked: list[object] = []
    told = commands.done_by
    monkeypatch.setattr(commands, "done_by", lambda *given: looked.append(given) or told(*given))
    for line in ("make && cp a b > c", "rm -r x; bash -c 'ls'", "npm test", "cd web && npm run build"):
        event = make_event(
            "PreToolUse", workspace=str(tmp_path), tool_name="Bash", tool_input={"command": line}
        )
        assert not engine.explain(event).blocked
    assert not looked


def test_a_fault_in_telling_many_leaves_each_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = specs_of(tmp_path)
    event = make_event(
        "PreToolUse", workspace=str(tmp_path), tool_name="Bash", tool_input={"command": "git push -f"}
    )
    wanted = told(event, specs, False)
    monkeypatch.setattr(many, "sit_out", lambda *_: 1 / 0)
    assert told(event, specs, True) == wanted and wanted.groups


PATTERNS = (
    "**/.env", "**/.env.*", "*.pem", "src/**", "/src/**", "build", "/", "~", ".", "//etc/shadow", "/etc", "a/*/b",
    "x?/y", "**/q/*.k", "[ab]c", "~/.ssh/**", "//var/spool/cron/**",
)  # fmt: skip
PATHS = (
    "/", "/etc", "/etc/shadow", ".env", "a/.env.local", "src", "src/a", "../src", "linked/x", "..", ".", "~",
    "~/.ssh/k", "a/b/c/d/e/f/g/h/i/j", "a/1/b", "x1/y", "z/q/a.k", "ac", "k.pem", "//etc/shadow", "/var/spool/cron/x",
    "*.pem",
)  # fmt: skip


@pytest.mark.parametrize("name", ["read", "write", "delete"])
def test_no_pattern_that_fits_a_path_is_left_out_beforehand(tmp_path: Path, name: str) -> None:
    (tmp_path / "linked").symlink_to("/etc")
    where = Where(str(tmp_path), str(tmp_path), "/home/dev", {})
    left = 0
    for path in PATHS:
        effect = Effect(name, Word((path,)))
        found = likely(PATTERNS, effect, where)
        fitting = {text for text in PATTERNS if fits(text, effect, where)}
        assert fitting <= set(found), path
        left += len(found)
    assert left < len(PATHS) * len(PATTERNS) / 2


def test_an_engine_asks_the_dialects_that_can_tell(tmp_path: Path) -> None:
    opened = open_engine(str(tmp_path), environment={"HOME": str(tmp_path)})
    plans = Plans(opened.engine.hooks, lambda _: None, 0, 8)  # type: ignore[arg-type]
    assert not plans._speakers
    plans = Plans(opened.engine.hooks.plus(specs_of(tmp_path)), lambda _: None, 0, 8)  # type: ignore[arg-type]
    assert [speaker.name for speaker in plans._speakers] == ["hookline"]


def test_an_engine_says_of_each_event_what_it_says_of_that_alone(tmp_path: Path) -> None:
    hooks = open_engine(str(tmp_path), environment={"HOME": str(tmp_path)}).engine.hooks.plus(
        specs_of(tmp_path)
    )
    asked_before = Plans(hooks, lambda _: None, 0, 8)  # type: ignore[arg-type]
    lines = ["ls", "git log", "git push", "npm test", "python x.py", "cat a", "ls", "rm -rf build", "ls"]
    calls = [*({"tool_name": "Bash", "tool_input": {"command": line}} for line in lines), *CALLS]
    for call in [*calls, *reversed(calls)]:
        event = make_event("PreToolUse", workspace=str(tmp_path), **call)  # type: ignore[arg-type]
        alone = Plans(hooks, lambda _: None, 0, 8).ready(event)  # type: ignore[arg-type]
        found = asked_before.ready(event)
        assert (found.silent, found.plan.groups, found.callbacks) == (
            alone.silent,
            alone.plan.groups,
            alone.callbacks,
        ), call
