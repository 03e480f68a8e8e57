"""`hookline probe`: attacks your own guards before an agent does."""

from __future__ import annotations

import sys

from hookline.cli import common, flags
from hookline.cli.hooks.listing import hook_named
from hookline.cli.hooks.problems import github_line
from hookline.cli.render import counted, one_line, table, visible
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.probing.attack import Attack, Remedy, attack, remedy_for
from hookline.hosts.probing.guards import Guard, guards_of
from hookline.hosts.probing.spellings import KINDS
from hookline.model.errors import ConfigError
from hookline.model.typing import Any

FORMATS = ("text", "json", "github")
_EXAMPLES = """hookline probe
  hookline probe 'no force push' --class quotes --class wrappers
  hookline probe --command 'git push origin main'"""
SCRIPT_SHOTS = 150  # of a guard that starts a program for each


def run(arguments: list[str]) -> int:
    """Spells what each guard is to stop in many ways and fires it; 1 when something got through."""
    parser = common.parser(
        "probe",
        "Attacks your own guards: what each is to stop, spelled in all the ways a shell knows. No command runs.",
        _EXAMPLES,
    )
    parser.add_argument(
        "rule", nargs="?", default="", help="the id or name of one hook, or a permission rule"
    )
    parser.add_argument(
        "--command", default="", metavar="LINE", help="what it is to stop (default: its own examples)"
    )
    parser.add_argument(
        "--class",
        dest="kinds",
        action="append",
        choices=KINDS,
        metavar="NAME",
        help=f"only these spellings (repeatable): {', '.join(KINDS)}",
    )
    flags.add_count(parser, "--max", "spellings of each guard (0: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws other combinations")
    flags.add_formats(parser, FORMATS)
    options = parser.parse_args(arguments)
    opened = open_engine(common.workspace_of(options.workspace), history=False, warn=common.warn)
    found = list(guards_of(opened, options.rule, options.command))
    if not found and options.rule:
        spec = hook_named(options.rule, opened.hooks)
        raise ConfigError(f"`{spec.name or spec.id}` stops no commands", "`hookline list` shows all hooks")
    done = [_probed(guard, options, opened) for guard in found]
    form = options.output_format
    _PRINTERS[form](done)
    return _told(found, [made for made, _ in done])


def _probed(guard: Guard, options: Any, opened: Opened) -> tuple[Attack, Remedy | None]:
    most = options.max if options.max is not None else SCRIPT_SHOTS if guard.how == "script" else 0
    made = attack(guard, options.kinds or KINDS, most, options.seed)
    lines = [each.line for each in made.passed]
    return made, remedy_for(guard, lines, opened) if lines else None


def _told(found: list[Guard], attacks: list[Attack]) -> int:
    through = sum(len(made.passed) for made in attacks)
    shots = sum(len(made.shots) for made in attacks)
    if not found:
        common.say("no rule here denies or asks before a command; `hookline init` writes some")
    else:
        common.say(f"{counted(len(found), 'guard')}, {counted(shots, 'spelling')}, {through} got through")
    return 1 if through else 0


def _print_text(done: list[tuple[Attack, Remedy | None]]) -> None:
    for made, remedy in done:
        guard = made.guard
        place = f"{guard.place}:{guard.line}" if guard.line else guard.place
        common.print_line(f"{guard.name} ({guard.how}, {place})")
        if not made.shots:
            common.print_line(f"  {guard.note}")
            sys.stdout.write("\n")
            continue
        sys.stdout.write(f"  is to stop: {one_line('; '.join(guard.aims), 200)}\n")
        head = ("class", "denied", "asked", "through", "shortest that got through")
        rows = [(kind, *map(str, made.count(kind)), _on_one_line(made.shortest(kind))) for kind in made.kinds]
        rows.append(("all", *map(str, made.count()), ""))
        sys.stdout.write("".join(f"  {line}\n" for line in table(head, rows).splitlines()))
        sys.stdout.write(_remedy_text(made, remedy) + "\n")


def _on_one_line(line: str) -> str:
    """The line as it is, blanks included; what ends a line is a sign."""
    text = visible(line.replace("\n", "⏎").replace("\t", "⇥"))
    return text if len(text) <= 100 else f"{text[:99]}…"


def _remedy_text(made: Attack, remedy: Remedy | None) -> str:
    if not made.passed:
        return ""
    if remedy is None:
        return "  no one rule of `.hookline/hooks.toml` was found that holds what got through\n"
    held = "all of it" if remedy.holds else f"{remedy.held} of {remedy.tried}"
    rule = visible(remedy.rule(f"as `{made.guard.name}`"), keep="\n").replace("\n", "\n    ")
    return f"  this rule in `.hookline/hooks.toml` holds {held}:\n    {rule}\n"


def _print_github(done: list[tuple[Attack, Remedy | None]]) -> None:
    for made, remedy in done:
        if made.passed:
            guard = made.guard
            place = {"file": guard.place, **({"line": str(guard.line)} if guard.line else {})}
            rule = f"; this holds {remedy.held} of {remedy.tried}: {remedy.text}" if remedy else ""
            count = f"{len(made.passed)} of {len(made.shots)} spellings got through"
            text = f"{guard.name}: {count}, `{made.passed[0].line}` for one{rule}"
            sys.stdout.write(github_line("error", {**place, "title": "hookline probe"}, text))


def _print_json(done: list[tuple[Attack, Remedy | None]]) -> None:
    common.print_json([_as_json(made, remedy) for made, remedy in done])


def _as_json(made: Attack, remedy: Remedy | None) -> dict[str, Any]:
    guard = made.guard
    names = ("denied", "asked", "through")
    classes = {
        kind: {**dict(zip(names, made.count(kind), strict=True)), "shortest": made.shortest(kind)}
        for kind in made.kinds
    }
    would = None if remedy is None else {"rule": remedy.text, "held": remedy.held, "tried": remedy.tried}
    return {
        "id": guard.id, "name": guard.name, "how": guard.how, "source": guard.place, "line": guard.line,
        "aims": list(guard.aims), "note": guard.note, **dict(zip(names, made.count(), strict=True)),
        "classes": classes, "passed": [each.line for each in made.passed], "would_hold": would,
    }  # fmt: skip


_PRINTERS = {"text": _print_text, "json": _print_json, "github": _print_github}
