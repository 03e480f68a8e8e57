"""The `/` commands of a session."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.cli.render import counted, one_line, table
from hookline.cli.session.prompt import Commands, Interactive
from hookline.engine.opening import reopen_hooks
from hookline.hosts.tool_loop.permissions import MODES
from hookline.model.errors import UsageError
from hookline.model.events import EventKind, Plain
from hookline.model.hooks import HookSpec


def hooks_table(specs: Sequence[HookSpec]) -> str:
    """The hooks that are switched on, a row each: the event, and what it does for which matcher."""
    shown = [spec for spec in specs if spec.enabled and spec.kind != EventKind.NoSuchEvent]
    if not shown:
        return "No hooks are configured here.\n"
    rows = [(spec.native_event, _action(spec)) for spec in shown]
    return "Active hooks:\n" + table(("Event", "Action"), rows)


def _action(spec: HookSpec) -> str:
    matcher = f" ({spec.matcher.text})" if spec.matcher and spec.matcher.text else ""
    return f"{one_line(spec.command, 90)}{matcher}"


async def _hooks(session: Interactive, rest: str) -> None:
    if rest == "reload":
        await _reload(session)
    elif rest:
        raise UsageError(f"`/hooks` takes nothing or `reload`, found `{rest}`")
    else:
        session.write(hooks_table(session.opened.engine.hooks.specs))


async def _reload(session: Interactive) -> None:
    """Swaps all hooks at once; what changed since it was reviewed does not run until it is again."""
    decision = await session.loop.fire(EventKind.ConfigChange, Plain(), extra={"source": "hooks"})
    if decision.blocked:
        session.say(f"not reloaded: {decision.reason or 'a hook objects'}")
        return
    engine = session.opened.engine
    hooks = reopen_hooks(session.opened, engine.environment)
    session.say(f"hooks reloaded: generation {engine.hooks.generation}, {counted(len(hooks.specs), 'hook')}")
    for problem in hooks.problems:
        session.say(str(problem))
    waiting = [spec.id for spec in hooks.specs if engine.trust.state(spec) in ("untrusted", "modified")]
    if waiting:
        session.say(f"will not run until you `hookline trust` them: {', '.join(waiting)}")


async def _sessions(session: Interactive, rest: str) -> None:
    kept = session.current.store.list(session.opened.place)[:20]
    rows = [
        ("▶" if each.id == session.current.id else "", each.id[:8], each.started_at[:16], each.title)
        for each in kept
    ]
    session.write(table(("", "id", "began", "first prompt"), rows))


async def _resume(session: Interactive, rest: str) -> None:
    others = [
        kept.id for kept in session.current.store.list(session.opened.place) if kept.id != session.current.id
    ]
    if not rest and not others:
        raise UsageError("there is no other session in this workspace")
    await session.change(rest or others[0], "resume")
    session.say(f"session {session.current.id[:8]}: {counted(len(session.loop.messages), 'message')}")


async def _compact(session: Interactive, rest: str) -> None:
    summary = await session.interruptible(session.loop.compact("manual", rest or None))
    if summary:
        session.say("the conversation is now its summary:")
        session.say(summary)


async def _clear(session: Interactive, rest: str) -> None:
    await session.change(None, "clear")
    session.say("a new conversation")


async def _mode(session: Interactive, rest: str) -> None:
    if rest and rest not in MODES:
        raise UsageError(f"no mode `{rest}`", f"modes: {', '.join(MODES)}")
    if rest:
        session.loop.use_mode(rest)
    session.say(f"permission mode: {session.loop.shared.permissions.mode}")


async def _output(session: Interactive, rest: str) -> None:
    session.write(session.screen.last_output or "no tool has given anything back yet")


async def _help(session: Interactive, rest: str) -> None:
    rows = [(name, words) for name, (_, words) in COMMANDS.items()]
    session.write(table(("command", "does"), rows))
    session.say(
        "Enter sends; Alt+Enter, or `\\` before Enter begin another line. `@` and Tab complete file names."
    )
    session.say("^C interrupts, twice quits; ^D quits.")


async def _quit(session: Interactive, rest: str) -> None:
    session.leave()


COMMANDS: Commands = {
    "/hooks": (_hooks, "the hooks; `/hooks reload` reads their files again"),
    "/sessions": (_sessions, "the sessions of this workspace"),
    "/resume": (_resume, "go on with another session: `/resume ID`, or the latest"),
    "/compact": (_compact, "replace the conversation by a summary; words after it say what to keep"),
    "/clear": (_clear, "a new conversation"),
    "/mode": (_mode, "show or change the permission mode"),
    "/output": (_output, "all that the last tool gave back"),
    "/help": (_help, "this list"),
    "/quit": (_quit, "the end"),
}
