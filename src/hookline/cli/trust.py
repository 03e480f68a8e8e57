"""`hookline trust`, `enable` and `disable`: a person decides which hooks may run."""

from __future__ import annotations

import sys

from hookline.cli import common
from hookline.cli.listing import opened_for, usable
from hookline.cli.render import one_line, painted, table, wants_colour
from hookline.model.errors import StateError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from hookline.engine.opening import Opened
    from hookline.model.hooks import HookSpec
    from hookline.state.review import ReviewItem

DIFF_LINES = 200


def trust(arguments: list[str]) -> int:
    """Reviews what is new or changed; 1 while something waits for a decision."""
    options = _parser().parse_args(arguments)
    opened = opened_for(options)
    if options.log:
        return _log(opened, options.json)
    if options.revoke:
        opened.store.revoke(common.user_name())
        common.say("nothing of this workspace is trusted any more")
        return 0
    if options.strict or options.relax:
        return _set_strict(opened, options.strict)
    if options.trust_hash:
        return _accept_hashes(opened, options.trust_hash)
    return _review(opened, options)


def enable(arguments: list[str]) -> int:
    """Takes a `disable` back."""
    opened, spec = _hook_named("enable", arguments)
    opened.store.enable(spec, common.user_name())
    if not spec.enabled:
        why = spec.options.get("disabled_why") or f"switched off in {spec.source}"
        common.warn(f"`{spec.id}` stays off: {why}")
        return 1
    common.say(f"`{spec.id}` is on")
    return 0


def disable(arguments: list[str]) -> int:
    """Switches one hook off in this repository, whatever its config says."""
    opened, spec = _hook_named("disable", arguments)
    opened.store.disable(spec, common.user_name())
    common.say(f"`{spec.id}` is off; `hookline enable {spec.id}` brings it back")
    return 0


def _parser() -> ArgumentParser:
    parser = common.parser(
        "trust",
        "Shows the hooks that are new or changed, and asks whether they may run.",
        "hookline trust --yes",
    )
    parser.add_argument("--yes", action="store_true", help="accept all of them without asking")
    parser.add_argument("--revoke", action="store_true", help="take back every acceptance in this workspace")
    parser.add_argument("--log", action="store_true", help="the journal of decisions")
    parser.add_argument("--strict", action="store_true", help="from now on a guard that cannot speak blocks")
    parser.add_argument("--relax", action="store_true", help="take `--strict` back")
    parser.add_argument(
        "--trust-hash", action="append", metavar="SHA256", help="accept exactly this content (repeatable)"
    )
    parser.add_argument("--json", action="store_true", help="what waits (or the journal) as a JSON list")
    return parser


# -- the review ------------------------------------------------------------------------------------


def _review(opened: Opened, options: Namespace) -> int:
    items = opened.store.review(usable(opened.hooks.specs))
    if options.json:
        common.print_json([_as_json(item) for item in items])
    if not items:
        common.say("every hook here is trusted")
        common.warn_of_store(opened)
        return 0
    if options.yes:
        return _accept(opened, items, quiet=options.json)
    if options.json or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        if not options.json:
            for item in items:
                sys.stdout.write(_shown(item, full=True))
        common.say(f"{len(items)} waiting; `hookline trust --yes` accepts them as they are shown here")
        return 1
    return _ask(opened, items)


def _accept(opened: Opened, items: Sequence[ReviewItem], *, quiet: bool = False) -> int:
    accepted = []
    refused = 0
    for item in items:
        try:
            _check_unchanged(opened, item)
            opened.store.accept([item.spec], common.user_name())
        except StateError as error:
            refused += 1
            common.warn(error.message)
        else:
            accepted.append(item)
    for item in accepted if not quiet else ():
        sys.stdout.write(_shown(item, full=False))
    common.say(f"accepted {len(accepted)} of {len(items)}")
    return 1 if refused else 0


def _check_unchanged(opened: Opened, item: ReviewItem) -> None:
    """What is accepted is what was shown: a file that changed meanwhile waits for another look."""
    if opened.store.verdict(item.spec).fingerprint not in ("", item.fingerprint):
        raise StateError(f"`{item.spec.id}` changed while it was being reviewed; run `hookline trust` again")


def _ask(opened: Opened, items: Sequence[ReviewItem]) -> int:
    left = 0
    for number, item in enumerate(items, 1):
        sys.stderr.write(_shown(item, full=False))
        answer = _answer(item, f"[{number}/{len(items)}] trust it? [y]es, [n]o, [d]etails, [a]ll, [q]uit: ")
        if answer == "a":
            left += _accept(opened, items[number - 1 :], quiet=True)
            return 1 if left else 0
        if answer == "q":
            return 1
        if answer == "y":
            left += _accept(opened, [item], quiet=True)
        else:
            left += 1
    return 1 if left else 0


def _answer(item: ReviewItem, question: str) -> str:
    while True:
        sys.stderr.write(question)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return "q"
        letter = line.strip().lower()[:1] or "n"
        if letter in "ynaq":
            return letter
        sys.stderr.write(_shown(item, full=True))


def _shown(item: ReviewItem, *, full: bool) -> str:
    colour = wants_colour(sys.stdout)
    spec = item.spec
    lines = [
        painted(f"{item.change}: {spec.id}", "1", colour)
        + f"  ({spec.source}:{spec.line}, {spec.kind.value})",
        f"  runs: {one_line(spec.command, 200)}",
        f"  {item.fingerprint}",
    ]
    lines += [f"  {one_line(fact, 200)}" for fact in item.touches]
    lines += [painted(f"  ! {one_line(risk, 200)}", "33", colour) for risk in item.risks]
    if full:
        lines += [f"  {_diff_line(line, colour)}" for line in item.diff[:DIFF_LINES]]
        if len(item.diff) > DIFF_LINES:
            lines.append(f"  [{len(item.diff) - DIFF_LINES} lines more]")
    return "\n".join(lines) + "\n"


def _diff_line(line: str, colour: bool) -> str:
    # a hook's text must not steer the terminal it is reviewed on
    plain = "".join(letter if letter.isprintable() or letter == "\t" else "\ufffd" for letter in line)
    code = {"+": "32", "-": "31", "@": "36"}.get(plain[:1], "")
    return painted(plain, code, colour) if code else plain


def _as_json(item: ReviewItem) -> dict[str, object]:
    return {
        "id": item.spec.id,
        "dialect": item.spec.dialect,
        "event": item.spec.kind.value,
        "source": item.spec.source,
        "line": item.spec.line,
        "command": item.spec.command,
        "change": item.change,
        "why": item.why,
        "fingerprint": item.fingerprint,
        "touches": list(item.touches),
        "risks": list(item.risks),
        "diff": list(item.diff),
    }


# -- the other decisions ---------------------------------------------------------------------------


def _set_strict(opened: Opened, strict: bool) -> int:
    opened.store.set_strict(strict, common.user_name())
    word = "blocks" if strict else "does not block"
    common.say(f"here an untrusted or broken guard {word} from now on")
    return 0


def _accept_hashes(opened: Opened, hashes: Sequence[str]) -> int:
    try:
        opened.store.accept_hashes(hashes, common.user_name())
    except StateError as error:
        raise UsageError(f"--trust-hash: {error.message}", error.hint) from error
    known = {opened.store.verdict(spec).fingerprint for spec in usable(opened.hooks.specs)}
    for each in hashes:
        if each not in known:
            common.warn(f"no hook here has the content `{each}` now")
    common.say(f"accepted {len(hashes)}")
    return 0


def _log(opened: Opened, as_json: bool) -> int:
    from hookline.model.record import fields_of

    entries = opened.store.log()
    if as_json:
        common.print_json([{**fields_of(entry), "hooks": dict(entry.hooks)} for entry in entries])
    else:
        rows = [(e.at, e.action, e.by, e.workspace, " ".join(e.hooks)) for e in entries]
        sys.stdout.write(table(("at", "action", "by", "workspace", "hooks"), rows))
    fault = opened.store.verify_log()
    if fault:
        common.warn(f"the journal was tampered with: {fault}")
    return 1 if fault else 0


def _hook_named(command: str, arguments: list[str]) -> tuple[Opened, HookSpec]:
    verb = {"enable": "Switches a hook on again", "disable": "Switches one hook off"}[command]
    parser = common.parser(command, f"{verb} in this repository.", f"hookline {command} gencode:PreToolUse:1")
    parser.add_argument("hook", metavar="ID", help="the hook's id or name, as `hookline list` shows it")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    spec = opened.hooks.find(options.hook)
    if spec is None:
        raise UsageError(f"no hook `{options.hook}`", _known(options.hook, opened))
    return opened, spec


def _known(name: str, opened: Opened) -> str:
    from hookline.dialects.spelling import nearest

    ids = [spec.id for spec in usable(opened.hooks.specs)]
    guess = nearest(name, ids)
    return f"did you mean `{guess}`?" if guess else "`hookline list` shows the ids"
