"""`hookline packs`: ready rules, our own and those of others."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from hookline.cli import common
from hookline.cli.actions import Action, run_action
from hookline.cli.render import counted, laid_out, one_line, table, visible
from hookline.dialects import dialect
from hookline.dialects.hookline.packs import SHIPPED, pack_name
from hookline.dialects.spelling import nearest
from hookline.engine.loading import places_for
from hookline.installing.packs import (
    HOOKS,
    Difference,
    Pack,
    add_to_config,
    checked_rules,
    difference,
    fetch_pack,
    hooks_text,
    pack_folder,
    packs_here,
    store,
)
from hookline.model.errors import ConfigError
from hookline.model.hooks import HookSpec
from hookline.model.typing import Any


def run(arguments: list[str]) -> int:
    """Lists, shows, fetches, updates and verifies packs; 1 when one is not as it was locked."""
    is_bare = not arguments or arguments[0].startswith("--workspace")
    return run_action("packs", ACTIONS, ["list", *arguments] if is_bare else arguments)


def _known(workspace: str) -> Sequence[Pack]:
    return packs_here(workspace, dialect("hookline").sources(places_for(workspace)))


def _named(known: Sequence[Pack], name: str) -> Pack:
    for pack in known:
        if pack.name == name:
            return pack
    raise ConfigError(f"no pack `{name}`", f"there are {', '.join(pack.name for pack in known)}")


def _list(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("--json", action="store_true", help="a JSON list of packs")
    options = parser.parse_args(arguments)
    known = _known(common.workspace_of(options.workspace))
    if options.json:
        common.print_json([_as_json(pack) for pack in known])
        return 0
    rows = [
        (p.name, str(len(p.rules)), p.level or "–", ", ".join(p.used_by) or "–", p.about or p.git)
        for p in known
    ]
    sys.stdout.write(table(("pack", "rules", "level", "used by", "about"), rows))
    if not any(pack.used_by for pack in known):
        common.say(f'none is used: write `use = ["git", "files", "secrets", "self"]` at the top of {HOOKS}')
    return 0


_LONGEST = 2000  # characters of one value that are shown


def _show(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("name", metavar="NAME", help="as `hookline packs list` has it")
    parser.add_argument("--json", action="store_true", help="one object, with the rules")
    options = parser.parse_args(arguments)
    pack = _named(_known(common.workspace_of(options.workspace)), options.name)
    if options.json:
        common.print_json({**_as_json(pack), "rules": [_rule_json(spec) for spec in pack.rules]})
        return 0
    where = f", from {pack.git}" if pack.git else ""
    _print(f"{pack.name}: {pack.about} ({counted(len(pack.rules), 'rule')}{where})")
    for spec in pack.rules:
        sys.stdout.write("\n")
        _print(spec.name)
        _print(f"  {spec.command}")
        for key, value in _asked(spec).items():
            _print(f"  {key}: {one_line(_shown(value), _LONGEST)}")
        for key, lines in spec.rule.examples.items():
            _print(f"  {key}: {one_line(' ¦ '.join(map(str, lines)), _LONGEST)}")
    return 0


def _print(text: str) -> None:
    for line in laid_out(visible(text)).split("\n"):
        common.print_line(line)


def _add(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("source", metavar="SOURCE", help="a repository git can reach, or a folder")
    parser.add_argument("--rev", default="", metavar="REV", help="a branch, tag or commit")
    words = "what to call it here (default: from SOURCE)"
    parser.add_argument("--name", default="", metavar="NAME", help=words)
    options = parser.parse_args(arguments)
    workspace, source, rev = common.workspace_of(options.workspace), options.source, options.rev
    shipped = nearest(source, SHIPPED) if source.isalpha() else None
    if shipped and not os.path.exists(os.path.join(workspace, source)):
        raise ConfigError(
            f"there is nothing to fetch: the pack `{shipped}` comes with hookline",
            f'write `use = ["{shipped}"]` at the top of `.hookline/hooks.toml`, or put it into the `use` that is there',
        )
    name = options.name or pack_name(source)
    if any(pack.name == name for pack in _known(workspace)):
        raise ConfigError(
            f"there is a pack `{name}` already", "`hookline packs update`, or give it another `--name`"
        )
    hooks_text(workspace)  # before anything is fetched
    tree = fetch_pack(source, rev, workspace)
    loaded = checked_rules(tree, name, source)
    store(workspace, name, source, rev, tree)
    add_to_config(workspace, name, source, rev)
    _print_difference(difference((), loaded.specs))
    folder = os.path.relpath(pack_folder(workspace, name), workspace)
    common.say(f"{name}: {counted(len(loaded.specs), 'rule')}, kept in {folder}")
    common.say("next: read it, then `hookline trust`: nothing of it runs before")
    return 0


def _update(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("names", metavar="NAME", nargs="*", help="these (default: all of others)")
    words = "show what would become of them, change nothing"
    parser.add_argument("--dry-run", dest="dry", action="store_true", help=words)
    options = parser.parse_args(arguments)
    workspace, dry = common.workspace_of(options.workspace), options.dry
    known = _known(workspace)
    chosen = [_named(known, name) for name in options.names] or [pack for pack in known if pack.git]
    if ours := [pack.name for pack in chosen if not pack.git]:
        raise ConfigError(f"`{ours[0]}` comes with hookline", "it is updated with hookline itself")
    for pack in chosen:
        tree = fetch_pack(pack.git, pack.rev, workspace)
        loaded = checked_rules(tree, pack.name, pack.git)
        found = difference(pack.rules, loaded.specs)
        if not dry:
            store(workspace, pack.name, pack.git, pack.rev, tree)
        _print_difference(found)
        state = (
            "differs"
            if dry and found
            else "updated; `hookline trust` reviews it"
            if found
            else "the same rules"
        )
        common.say(f"{pack.name}: {state}")
    if not chosen:
        common.say("no packs of others are used here")
    return 0


def _verify(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("--json", action="store_true", help="a JSON list of the packs of others")
    options = parser.parse_args(arguments)
    others = [pack for pack in _known(common.workspace_of(options.workspace)) if pack.git]
    if options.json:
        common.print_json([_as_json(pack) for pack in others])
    else:
        for pack in others:
            common.print_line(f"{pack.name}: {pack.state}")
    wrong = [pack for pack in others if pack.state != "as locked"]
    if not options.json:
        common.say(f"{counted(len(others), 'pack')} of others, {len(wrong)} not as locked")
    return 1 if wrong else 0


def _print_difference(found: Difference) -> None:
    for mark, specs in (("+", found.added), ("-", found.removed)):
        for spec in specs:
            common.print_line(f"{mark} {spec.name}: {spec.command} ({_when(spec)})")
    for before, after in found.changed:
        common.print_line(f"~ {after.name}")
        common.print_line(f"  - {before.command} ({_when(before)})")
        common.print_line(f"  + {after.command} ({_when(after)})")


def _when(spec: HookSpec) -> str:
    words = [f"{key} = {_shown(value)}" for key, value in _asked(spec).items()]
    if spec.matcher is not None:
        words.append(f"matcher {spec.matcher.text}")
    return one_line("; ".join([spec.native_event, *words]), 400)


def _asked(spec: HookSpec) -> dict[str, Any]:
    """What a rule is met by, and what it makes of doubt."""
    further = {key: way for key in ("unsure", "unknown", "opaque") if (way := getattr(spec.rule, key))}
    return {**spec.rule.predicates, **further}


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(each) for each in value)
    return str(value)


def _as_json(pack: Pack) -> dict[str, Any]:
    return {
        "name": pack.name, "about": pack.about, "rules": len(pack.rules), "used_by": list(pack.used_by),
        "level": pack.level, "git": pack.git, "rev": pack.rev, "commit": pack.commit, "state": pack.state,
    }  # fmt: skip


def _rule_json(spec: HookSpec) -> dict[str, Any]:
    examples = spec.rule.examples
    return {
        "name": spec.name, "event": spec.native_event, "answer": spec.command, "line": spec.line,
        "predicates": _asked(spec), "examples": dict(examples),
    }  # fmt: skip


ACTIONS = {
    "list": Action("all packs, and which are used", "hookline packs list --json", _list),
    "verify": Action(
        "whether the packs of others are as locked", "hookline packs verify", _verify, more="Exits 1 when one is not."
    ),
    "show": Action("the rules of a pack", "hookline packs show git", _show),
    "add": Action(
        "fetch a pack of others and take it in", "hookline packs add https://example.com/team/guards.git --rev v1",
        _add, more="Its rules hold after `hookline trust`.",
    ),
    "update": Action(
        "fetch packs of others again, and show what became of their rules", "hookline packs update --dry-run", _update
    ),
}  # fmt: skip
