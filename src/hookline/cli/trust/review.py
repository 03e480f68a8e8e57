"""The review of hooks that wait for a person; `trust request`, `requests` and `refuse`: an installer asks for one."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from hookline.checking.commands.program_rules import program_problems
from hookline.checking.workspace import lines_of
from hookline.cli import common
from hookline.cli.actions import Action
from hookline.cli.hooks.check import home_of
from hookline.cli.hooks.listing import opened_for, usable
from hookline.cli.render import counted, laid_out, one_line, painted, visible, wants_colour
from hookline.engine.opening import Opened
from hookline.engine.when_words import when_words
from hookline.model.errors import StateError, UsageError
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.state.trust.requests import TrustRequest, TrustRequests
from hookline.state.trust.review import ReviewItem
from hookline.system.processes.tags import callers

DIFF_LINES = 200
SHOWN_LINES = 40  # of what a question is about, before somebody asks for details
_MEANINGS = """  y: accept it as it is shown here
  n: leave it; it does not run
  d: show all of it
  a: accept it and all that follow, unseen
  q: leave it and all that follow
"""


class Review(Record):
    """What waits in a workspace, and who asked for it."""

    opened: Opened
    items: tuple[ReviewItem, ...]
    requests: TrustRequests
    asked: tuple[TrustRequest, ...]

    def asked_for(self, item: ReviewItem) -> tuple[TrustRequest, ...]:
        """The requests that name this hook, be it as it is now or as it was."""
        spec = item.spec
        return tuple(each for each in self.asked if each.source == spec.source and spec.id in each.hooks)

    def contents(self, item: ReviewItem) -> set[str]:
        """The fingerprints a decision about this hook answers: what it is now, and what was asked for."""
        return {item.fingerprint, *(each.hooks[item.spec.id] for each in self.asked_for(item))}


def review(opened: Opened, options: Namespace) -> int:
    """Shows what waits and asks; 1 while something does."""
    requests = TrustRequests(opened.paths, opened.workspace)
    found = Review(opened, _with_faults(opened), requests, requests.open())
    if options.json:
        common.print_json([_as_json(found, item) for item in found.items])
    if not found.items:
        common.say("every hook here is trusted")
        common.warn_of_store(opened)
        return 0
    if options.yes:
        return _accept(found, found.items, quiet=options.json)
    if options.json or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        if not options.json:
            for item in found.items:
                _show(sys.stdout, found, item, full=True)
        common.say(f"{len(found.items)} waiting; `hookline trust --yes` accepts them as they are shown here")
        return 1
    return _ask(found)


def _with_faults(opened: Opened) -> tuple[ReviewItem, ...]:
    """What waits; what keeps its scripts from starting is told as a risk, for a guard that is not there is off."""
    items = opened.store.review(usable(opened.hooks.specs))
    told = {
        line.entry.spec.id: [problem.message for problem in program_problems(line)]
        for line in (lines_of(opened.hooks, home_of(opened)) if items else ())
    }
    return tuple(replace(each, risks=(*each.risks, *told.get(each.spec.id, ()))) for each in items)


def _accept(found: Review, items: Sequence[ReviewItem], *, quiet: bool = False) -> int:
    accepted, refused = list[ReviewItem](), list[str]()
    for item in items:
        try:
            _check_unchanged(found.opened, item)
            found.opened.store.accept([item.spec], common.user_name())
        except StateError as error:
            refused.append(error.message)
        else:
            accepted.append(item)
    for message in dict.fromkeys(refused):
        common.warn(message)
    for item in accepted if not quiet else ():
        _show(sys.stdout, found, item, full=False)
    found.requests.settle(each for item in accepted for each in found.contents(item))
    common.say(f"accepted {len(accepted)} of {len(items)}")
    return 1 if refused else 0


def _check_unchanged(opened: Opened, item: ReviewItem) -> None:
    """What is accepted is what was shown: a file that changed meanwhile waits for another look."""
    if opened.store.verdict(item.spec).fingerprint not in ("", item.fingerprint):
        raise StateError(f"`{item.spec.id}` changed while it was being reviewed; run `hookline trust` again")


def _ask(found: Review) -> int:
    left = 0
    for number, item in enumerate(found.items, 1):
        _show(sys.stderr, found, item, full=True, most=SHOWN_LINES)
        answer = _answer(found, item, f"[{number}/{len(found.items)}] trust it? {_choices(found, item)}: ")
        if answer == "a":
            left += _accept(found, found.items[number - 1 :], quiet=True)
            return 1 if left else 0
        if answer == "q":
            return 1
        if answer == "y":
            left += _accept(found, [item], quiet=True)
        else:
            left += 1
        if answer == "r":
            found.requests.refuse(found.contents(item))
    return 1 if left else 0


def _choices(found: Review, item: ReviewItem) -> str:
    refuse = ", [r]efuse the request" if found.asked_for(item) else ""
    return f"[y]es, [n]o{refuse}, [d]etails, [a]ll, [q]uit, ?"


def _answer(found: Review, item: ReviewItem, question: str) -> str:
    letters = "ynaqr" if found.asked_for(item) else "ynaq"
    while True:
        sys.stderr.write(question)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return "q"
        letter = line.strip().lower()[:1] or "n"
        if letter in letters:
            return letter
        if letter == "?":
            sys.stderr.write(_MEANINGS)
            continue
        _show(sys.stderr, found, item, full=True)


def _show(to: TextIO, found: Review, item: ReviewItem, *, full: bool, most: int = DIFF_LINES) -> None:
    colour = wants_colour(to)
    spec = item.spec
    lines = [
        painted(f"{item.change}: {one_line(spec.id, 200)}", "1", colour)
        + f"  ({one_line(spec.source, 200)}:{spec.line}, {spec.kind.value})",
        *([f"  name: {one_line(spec.name, 200)}"] if spec.name not in ("", spec.id, spec.command) else []),
        f"  when: {_when(spec)}",
        *_command_lines(spec.command if full else one_line(spec.command, 200)),
        f"  {item.fingerprint}",
    ]
    for request in found.asked_for(item):
        lines.append(f"  {request_line(request)}")
        if request.hooks[spec.id] != item.fingerprint:
            lines.append(painted("  ! it has changed since it was asked for", "33", colour))
    lines += [f"  {visible(fact)}" for fact in item.touches]
    lines += [painted(f"  ! {one_line(risk, 200)}", "33", colour) for risk in item.risks]
    lines = [laid_out("\n".join(lines), to)]
    if full:
        lines += [f"  {_diff_line(line, colour)}" for line in item.diff[:most]]
        if len(item.diff) > most:
            lines.append(f"  [{counted(len(item.diff) - most, 'line')} more]")
    to.write("\n".join(lines) + "\n")


def _command_lines(command: str) -> Iterable[str]:
    first, *more = command.rstrip("\n").split("\n")
    yield f"  runs: {visible(first)}"
    yield from (f"      | {visible(line)}" for line in more)  # no line of a hook's text is one of ours


def _when(spec: HookSpec) -> str:
    words = when_words(spec)
    return f"{spec.kind.value}, {visible(words)}" if words else f"every {spec.kind.value}"


def _diff_line(line: str, colour: bool) -> str:
    plain = visible(line, "\t")  # a hook's text must not steer the terminal it is reviewed on
    code = {"+": "32", "-": "31", "@": "36"}.get(plain[:1], "")
    return painted(plain, code, colour) if code else plain


def _as_json(found: Review, item: ReviewItem) -> dict[str, object]:
    return {
        "id": item.spec.id,
        "dialect": item.spec.dialect,
        "event": item.spec.kind.value,
        "source": item.spec.source,
        "line": item.spec.line,
        "name": item.spec.name or item.spec.id,
        "when": when_words(item.spec),
        "command": item.spec.command,
        "change": item.change,
        "why": item.why,
        "fingerprint": item.fingerprint,
        "touches": list(item.touches),
        "risks": list(item.risks),
        "diff": list(item.diff),
        "requests": [
            {"id": each.id, "by": each.by, "why": each.why, "fingerprint": each.hooks[item.spec.id]}
            for each in found.asked_for(item)
        ],
    }


def request(parser: ArgumentParser, arguments: list[str]) -> int:
    """Asks for the hooks of a file. 0: asked, or all trusted already; 1: a person refused them."""
    parser.add_argument("file", metavar="FILE", help="the config file that holds the hooks")
    parser.add_argument("--by", metavar="NAME", help="who asks (default: the program that calls)")
    parser.add_argument("--why", metavar="TEXT", default="", help="what the hooks are for, in a sentence")
    parser.add_argument("--json", action="store_true", help="what became of each hook, as JSON")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    requests = TrustRequests(opened.paths, opened.workspace)
    source, states, waiting = _hooks_of(opened, options.file, requests.refused())
    asked = None
    if waiting:
        started_by = callers()
        by = options.by or next(iter(started_by), "an unnamed program")
        asked = requests.ask(source, by, options.why, started_by, waiting)
    if options.json:
        common.print_json(_told_json(source, states, asked))
    _say_what_became(source, states, asked)
    return 1 if asked is None and "refused" in states.values() else 0


def list_requests(parser: ArgumentParser, arguments: list[str]) -> int:
    """What is asked for and not yet answered."""
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    found = _requests_of(options).open()
    told = [_told_json(each.source, dict.fromkeys(each.hooks, "asked"), each) for each in found]
    rows = [
        (each.id, one_line(each.source, 80), str(len(each.hooks)), one_line(each.by, 80), each.why)
        for each in found
    ]
    common.print_rows(options.json, told, ("id", "file", "hooks", "asked by", "why"), rows)
    return 0


def refuse(parser: ArgumentParser, arguments: list[str]) -> int:
    """Takes a request off the list; its content cannot be asked for again for a while."""
    parser.add_argument("request", metavar="ID", help="as `hookline trust requests` shows it")
    options = parser.parse_args(arguments)
    requests = _requests_of(options)
    for each in requests.open():
        if each.id == options.request:
            requests.refuse(each.hooks.values())
            common.say(f"refused: {one_line(each.source, 200)}, asked for by {each.by}")
            return 0
    raise UsageError(f"no request `{options.request}`", "`hookline trust requests` lists them")


ACTIONS = {
    "request": Action(
        "ask for the hooks of a config file to be trusted",
        "hookline trust request .claude/settings.json --by 'acme 1.2' --why 'formats what you edit'",
        request,
        more="Nothing is trusted by asking.",
    ),
    "requests": Action(
        "what programs ask to be trusted; nothing of it is", "hookline trust requests", list_requests
    ),
    "refuse": Action("say no to a request; nothing else changes", "hookline trust refuse 1f3a9c20", refuse),
}


def request_line(request: TrustRequest) -> str:
    """Who asked, in words that claim no more than is known."""
    day = time.strftime("%Y-%m-%d", time.gmtime(request.at))
    through = f", through {' < '.join(request.programs)}" if request.programs else ""
    why = f": “{one_line(request.why, 300)}”" if request.why else ""
    return one_line(f"asked for on {day} by one that calls itself “{request.by}”{through}{why}", 600)


def _requests_of(options: Namespace) -> TrustRequests:
    opened = opened_for(options)
    return TrustRequests(opened.paths, opened.workspace)


def _hooks_of(
    opened: Opened, file: str, refused: frozenset[str]
) -> tuple[str, dict[str, str], dict[str, str]]:
    """The file as people know it, the state of each hook in it, and the fingerprints worth asking for."""
    path = os.path.realpath(file)
    hooks = usable(opened.hooks.specs)
    mine = [spec for spec in hooks if spec.path and os.path.realpath(spec.path) == path]
    if not mine:
        raise StateError(
            f"no hook comes from `{file}`", "`hookline list --files` shows the files that are read"
        )
    items = {item.spec.id: item.fingerprint for item in opened.store.review(hooks)}
    states = {spec.id: _state(items.get(spec.id), refused) for spec in mine}
    return mine[0].source, states, {name: items[name] for name, state in states.items() if state == "asked"}


def _state(fingerprint: str | None, refused: frozenset[str]) -> str:
    if fingerprint is None:
        return "trusted"
    return "refused" if fingerprint in refused else "asked"


def _say_what_became(source: str, states: Mapping[str, str], asked: TrustRequest | None) -> None:
    refused = sum(state == "refused" for state in states.values())
    if asked is not None:
        common.say(
            f"asked for {counted(len(asked.hooks), 'hook')} of {one_line(source, 200)}; nothing of it runs yet"
        )
        common.say("a person answers with `hookline trust`")
    elif not refused:
        common.say(f"the hooks of {one_line(source, 200)} are trusted already")
    if refused:
        common.warn(
            f"refused before, so not asked for: {counted(refused, 'hook')} of {one_line(source, 200)}"
        )


def _told_json(source: str, states: Mapping[str, str], asked: TrustRequest | None) -> dict[str, object]:
    """`state` of a hook: asked, trusted or refused. `id` and `until` (seconds since 1970) are null for none."""
    pinned = asked.hooks if asked else {}
    return {
        "schema": 1,
        "id": asked.id if asked else None,
        "source": source,
        "by": asked.by if asked else None,
        "why": asked.why if asked else None,
        "programs": list(asked.programs) if asked else [],
        "at": asked.at if asked else None,
        "until": asked.until if asked else None,
        "hooks": [
            {"id": name, "state": state, "fingerprint": pinned.get(name)} for name, state in states.items()
        ],
    }
