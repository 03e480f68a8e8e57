"""The review of `hookline trust`: what is new or changed, who asked for it, and a person's answer."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TextIO

from hookline.cli import common
from hookline.cli.hooks.listing import usable
from hookline.cli.render import counted, laid_out, one_line, painted, visible, wants_colour
from hookline.cli.trust.requests import request_line
from hookline.engine.opening import Opened
from hookline.engine.when_words import when_words
from hookline.model.errors import StateError
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.state.trust.requests import TrustRequest, TrustRequests
from hookline.state.trust.review import ReviewItem

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
    found = Review(opened, opened.store.review(usable(opened.hooks.specs)), requests, requests.open())
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
    return f"{spec.kind.value}, {one_line(words, 400)}" if words else f"every {spec.kind.value}"


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
