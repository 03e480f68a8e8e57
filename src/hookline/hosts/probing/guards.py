"""The guards of a workspace as something to attack: each can be asked about one command line at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hookline.dialects.hookline.packs import SHIPPED
from hookline.engine.callbacks import make_event
from hookline.engine.fire import Engine
from hookline.engine.opening import Opened
from hookline.engine.plan import fit_of
from hookline.engine.services import Services
from hookline.hosts.probing.aims import aims_of, aims_of_rule, known_aims
from hookline.hosts.tool_loop.permissions import Permissions, rules_in_files
from hookline.hosts.tool_loop.toolbox import standard_tools
from hookline.installing.packs import shipped_pack
from hookline.model.events import Event, EventKind
from hookline.model.hooks import Answer, Command, HookSpec, Inline, Rule
from hookline.model.record import Record, replace
from hookline.model.results import Status, Verdict

HARMLESS = (
    "ls -la", "git status", "echo $HOME", "cat README.md", "npm test", "for f in *.py; do echo $f; done",
    "git log --oneline -5", "grep -rn TODO src", "git commit -m \"$(date)\"", "awk '{print $1}' file", "cd src && ls",
)  # fmt: skip
_STOPPED = Verdict.ASK
SHELL = "Bash"


class Guard(Record):
    """One rule that denies or asks. `judge` fires it, alone, at a command; nothing of the command runs.

    `how`: rule, script, or permission rule. `place` is a file, `line` 0 where it has none. `answer`: deny or ask.
    """

    id: str
    name: str
    how: str
    place: str
    line: int
    aims: tuple[str, ...]
    judge: Callable[[str], Verdict]
    answer: str = "deny"
    note: str = ""


def guards_of(opened: Opened, chosen: str = "", command: str = "") -> Iterator[Guard]:
    """Every guard that stops commands before they run; `chosen` names one, `command` is what it is to stop."""
    specs = opened.hooks.named(chosen) if chosen else opened.hooks.specs
    for spec in specs:
        wanted = spec.kind is EventKind.PreToolUse and spec.enabled
        if wanted and (found := _of_spec(spec, opened, command)) is not None:
            yield found
    for place, verdict, rule in rules_in_files(opened):
        if not chosen or chosen == rule:
            judge = _rule_judge(rule, verdict, opened.workspace)
            yield _aimed(
                Guard(rule, rule, "permission rule", place, 0, aims_of_rule(rule), judge, verdict), command
            )


def _of_spec(spec: HookSpec, opened: Opened, command: str) -> Guard | None:
    action, answer = spec.action, "deny"
    if isinstance(action, Answer):
        if action.verdict not in ("deny", "ask", "halt"):
            return None
        how, aims = "rule", aims_of(_with_examples(spec))
        answer = "ask" if action.verdict == "ask" else "deny"
    elif isinstance(action, Command | Inline):
        how, aims = "script", (aims_of(spec) or tuple(known_aims()))
    else:
        return None
    judge = _Alone(spec, opened)
    guard = Guard(spec.id, spec.name or spec.id, how, spec.source, spec.line, aims, judge, answer)
    state = opened.trust.state(spec)
    if state not in ("trusted", "managed"):
        return _with_aims(guard, (), f"is {state} and does not run")
    if _is_about_other_tools(spec, opened.workspace):
        return _with_aims(guard, (), "is about other tools, not about commands")
    try:
        aimed = _aimed(guard, command)
    except TooLate as late:
        return _with_aims(guard, (), str(late))
    return _with_aims(aimed, (), f"{aimed.note}; {judge.odd}") if aimed.note and judge.odd else aimed


def _is_about_other_tools(spec: HookSpec, workspace: str) -> bool:
    """Whether no command can meet it: by its matcher alone, or by examples of which none is a command."""
    bare = replace(spec, rule=Rule(), condition=None)
    if fit_of(bare, shell_event("ls", workspace)).mismatch is not None:
        return True
    met = _with_examples(spec).rule.examples.get("met", ())
    return bool(met) and not any(isinstance(line, str) or line.get("tool") == SHELL for line in met)


def _with_examples(spec: HookSpec) -> HookSpec:
    """A rule of a pack of ours as its TOML has it; what is read at an event has no examples."""
    pack = spec.origin.pack
    rules = shipped_pack(pack).rules if pack in SHIPPED else ()
    return next((rule for rule in rules if rule.id == spec.id), spec)


def _aimed(guard: Guard, command: str) -> Guard:
    """The guard with those of its aims that it stops as they are written; all of them when none is."""
    given = (command,) if command else guard.aims
    if all(is_stopped(guard.judge(line)) for line in HARMLESS[:3]):
        return _with_aims(guard, (), "stops every command")
    stopped = tuple(line for line in given if is_stopped(guard.judge(line)))
    if not stopped and given and guard.how != "script":
        return _with_aims(guard, given)  # written against these, and does not stop them as they stand
    return _with_aims(guard, stopped, "" if stopped else "stops no known command; name one with `--command`")


def _with_aims(guard: Guard, aims: tuple[str, ...], note: str = "") -> Guard:
    return replace(guard, aims=aims, note=note)


class TooLate(Exception):
    """A hook that was still running at its time limit; there would be as many limits to wait for as spellings."""


class _Alone:
    """Fires one hook alone; `odd` tells of a status by which it stopped nothing."""

    def __init__(self, spec: HookSpec, opened: Opened) -> None:
        self.odd = ""
        self._spec, self._opened = spec, opened
        self._hooks = opened.hooks.with_specs(lambda each: each is spec)

    def __call__(self, line: str) -> Verdict:
        engine = self._opened.engine
        if engine.hooks.specs != self._hooks.specs:
            engine.replace_hooks(self._hooks)
        decision = engine.fire_now(shell_event(line, self._opened.workspace))
        for result in decision.results:
            if result.status is Status.timed_out:
                raise TooLate(f"was still running at its time limit when it was asked about `{line}`")
            if result.raw is not None and result.raw.exit_code and not is_stopped(decision.verdict):
                self.odd = f"it ended with status {result.raw.exit_code} for `{line}`, which stops nothing"
        return decision.verdict


def specs_judge(specs: Sequence[HookSpec], opened: Opened) -> Callable[[str], Verdict]:
    """What hooks that stand in no file would say to a command."""

    engine = Engine(tuple(specs), Services(workspace=opened.workspace, environment=opened.engine.environment))
    return lambda line: engine.fire_now(shell_event(line, opened.workspace)).verdict


def shell_event(line: str, workspace: str) -> Event:
    """The call of a shell tool, before it runs."""
    return make_event(
        "PreToolUse", workspace=workspace, cwd=workspace, tool_name=SHELL, tool_input={"command": line}
    )


def _rule_judge(rule: str, verdict: str, workspace: str) -> Callable[[str], Verdict]:
    permissions = Permissions.from_settings({verdict: [rule]}, "bypassPermissions")
    shell = next(tool for tool in standard_tools() if tool.name == SHELL)

    def judge(line: str) -> Verdict:
        answer = permissions.answer(shell, {"command": line}, Verdict.NONE, workspace)
        return {"deny": Verdict.DENY, "ask": Verdict.ASK}.get(answer.word, Verdict.NONE)

    return judge


def is_stopped(verdict: Verdict) -> bool:
    """Whether a person or a rule stands between the command and its effect."""
    return verdict >= _STOPPED
