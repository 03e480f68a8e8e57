"""Decisions of the history as text: when, what was asked, what came of it and of each hook."""

from __future__ import annotations

import sys
import time

from hookline.cli.render import (
    COLOURS,
    counted,
    derivation_lines,
    laid_out,
    one_line,
    others_words,
    painted,
    unmet_words,
    visible,
    wants_colour,
)
from hookline.model.results import MARKS, fate_of
from hookline.model.typing import Any, Mapping

SILENT = ("not_matched", "no_such_event", "duplicate")
HEAD = ("run", "when", "event", "asked", "verdict", "hooks")
MOST_NAMED = 5  # hooks of one decision, before those that only ran are counted
RUN_LETTERS = 8  # the end of a run's id, which `show` takes
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SLACK_S = 5


def row(found: Mapping[str, Any], now: float | None = None) -> tuple[str, ...]:
    """The cells of one decision, below `HEAD`; with `now` recent times are told as how long ago."""
    return (
        found["run"][-RUN_LETTERS:], _when(_seconds(found["at"]), now), found["event"],
        one_line(asked_words(found), 400), found["verdict"], one_line(_fates(found), 400),
    )  # fmt: skip


def _fates(found: Mapping[str, Any]) -> str:
    """What became of the hooks that were concerned: of many first those that did more than run, the others counted;
    then the guards that are off and of which no hook is left.
    """
    fates = [(fate_of(hook), hook["name"]) for hook in found["hooks"] if hook["status"] not in SILENT]
    few = len(fates) <= MOST_NAMED
    named = [f"{name} {fate}" for fate, name in fates if few or fate != "ran"]
    ran = len(fates) - len(named)
    off = [note for note in found["degraded"] if note.startswith("guard ")]
    off = [note for note in off if not any(f"`{name}`" in note for _, name in fates)]
    return ", ".join(
        [
            *named,
            *([f"{ran} ran"] if ran else []),
            *([f"{len(off)} {'guard' if len(off) == 1 else 'guards'} off"] if off else []),
        ]
    )


def asked_words(found: Mapping[str, Any]) -> str:
    """`Bash  git push`; empty for decisions of versions that did not keep it."""
    asked = found.get("asked") or {}
    return "  ".join(word for word in (asked.get("tool"), asked.get("summary")) if word)


def run_text(found: Mapping[str, Any], every: bool = False) -> str:
    """One decision in full; unless `every`, hooks of other events are one line, and so are unmet rules of packs."""
    colour = wants_colour(sys.stdout)
    head = f"{found['event']}: {found['verdict']}" + (f" — {found['reason']}" if found["reason"] else "")
    at = _seconds(found["at"])
    lines = [painted(visible(head), "1", colour)]
    if asked := asked_words(found):
        lines.append(f"  asked: {asked}")
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    lines.append(f"  {moment} ({_ago(time.time() - at)}), run {found['run']}, session {found['session_id']}")
    lines += [f"  context: {one_line(text, 160)}" for text in found["context"]]
    lines += [f"  message: {one_line(text, 160)}" for text in found["messages"]]
    lines += [f"  let through: {one_line(text, 160)}" for text in found["degraded"]]
    lines = [lines[0], *map(visible, lines[1:])]
    unmet = [] if every else [hook for hook in found["hooks"] if _is_unmet(hook)]
    others = [] if every else [hook for hook in found["hooks"] if _is_elsewhere(hook, found["event"])]
    for hook in found["hooks"]:
        if hook not in unmet and hook not in others:
            lines += _hook_lines(hook, colour)
    if others:
        lines.append(painted(others_words(len(others), "--unmet"), "2", colour))
    if unmet:
        words = unmet_words([hook["source"] for hook in unmet], "--unmet")
        lines.append(painted(visible(words), "2", colour))
    return laid_out("\n".join(lines) + "\n")


def _is_unmet(hook: Mapping[str, Any]) -> bool:
    return hook["status"] == "not_matched" and str(hook["source"]).startswith("pack ")


def _is_elsewhere(hook: Mapping[str, Any], event: str) -> bool:
    return hook["status"] == "not_matched" and hook["event"] != event and not _is_unmet(hook)


def _hook_lines(hook: Mapping[str, Any], colour: bool) -> list[str]:
    fate = fate_of(hook)
    mark = MARKS.get(fate, "·")
    place = f"{hook['source']}:{hook['line']}" if hook["line"] else hook["source"]
    took = f" {hook['duration_ms']:.1f} ms" if "timings_ms" in hook else ""
    why = f" — {hook['why']}" if hook["why"] else ""
    name = f"  {hook['name']}" if hook["name"] != hook["id"] else ""
    head = f"{hook['id']}{name}  {place}  {fate}{_ending(hook)}{took}{why}"
    lines = []
    if hook["verdict"] != "none":
        lines.append(f"{hook['verdict']}: {hook['reason'] or ''}")
    lines += [one_line(text, 200) for text in derivation_lines(hook.get("derivation") or ())]
    for stream in ("stdout", "stderr"):
        lines += [f"{stream}: {one_line(line, 200)}" for line in hook[stream].splitlines()[:40]]
    if usage := hook.get("usage"):
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out"
        lines.append(f"asked {usage['model'] or 'a model'}: {tokens}, requests: {usage['requests']}")
    if hook.get("output_path"):
        lines.append(f"full output: {hook['output_path']}")
    lines += [one_line(note, 200) for note in hook.get("notes", ())]
    told = (f"      {visible(line)}" for line in lines)
    return [f"  {painted(mark, COLOURS.get(mark, '2'), colour)} {visible(head)}", *told]


def _ending(hook: Mapping[str, Any]) -> str:
    if hook["signal"]:
        return f" (signal {hook['signal']})"
    return f" (exit {hook['exit_code']})" if hook["exit_code"] else ""


def _seconds(at: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(at).timestamp()


def _when(at: float, now: float | None) -> str:
    """How long ago within the hour, else the local time, with the day unless it is today."""
    if now is not None and -_SLACK_S <= now - at < _HOUR:
        return _ago(now - at)
    moment, today = time.localtime(at), time.localtime()
    if moment[:3] == today[:3]:
        return time.strftime("%H:%M:%S", moment)
    short = now is not None and moment[0] == today[0]
    return time.strftime("%b %d %H:%M" if short else "%Y-%m-%dT%H:%M", moment)


def _ago(seconds: float) -> str:
    if abs(seconds) < _SLACK_S:
        return "just now"
    size, words = abs(seconds), "ago" if seconds > 0 else "ahead of the clock"
    if size < _MINUTE:
        return f"{int(size)} s {words}"
    if size < _HOUR:
        return f"{int(size // _MINUTE)} min {words}"
    if size < _DAY:
        return f"{counted(int(size // _HOUR), 'hour')} {words}"
    return f"{counted(int(size // _DAY), 'day')} {words}"
