"""What a person looks at before trusting a hook: the change, what it can touch, and what looks risky."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.model.hooks import Answer, Command, HookSpec, Webhook
from hookline.model.record import Record
from hookline.model.short_json import read_json
from hookline.state.trust.fingerprint import Closure, FileMark
from hookline.state.trust.loaded import loaded_by
from hookline.state.trust.uncovered import rewritten, uncovered
from hookline.system.files import ensure_dir, read_bytes, write_atomic
from hookline.system.workspace.differences import unified

KEPT_BYTES = 64 * 1024

ALLOWS = "answers `allow`: nobody is asked any more"
REWRITES = "its own run ends this trust; keep that file outside of the workspace, or only write it"
RISKS: tuple[tuple[str, str], ...] = (
    (r"\b(curl|wget|fetch)\b[^|;&\n]*\|\s*(sudo\s+)?(\w*/)*(ba|z|da|k)?sh\b", "runs what it downloads"),
    (r"base64\s+(-d|-D|--decode)[^|;&\n]*\|\s*(\w*/)*(ba|z|da|k)?sh\b", "runs what it decodes"),
    (r"\beval\b", "evaluates text as code"),
    (r"\brm\s+(-\w*[rf]\w*|--recursive|--force)", "removes files by force"),
    (r"\b(sudo|doas|pkexec)\b", "asks for more rights"),
    (r"\bchmod\s+(\S*\s)*([ug]?\+s|[2467]\d{3}\b|777\b|a\+w)", "loosens file rights"),
    (r"\b(curl|wget|nc|ncat|socat|ssh|scp|rsync|telnet)\b|/dev/tcp/", "uses the network"),
    (r"\b(urllib|requests|httpx|socket|http\.client|XMLHttpRequest)\b", "uses the network"),
    (r"--no-verify\b|core\.hooksPath|HOOKLINE_TRUST|--dangerously", "switches safeguards off"),
    (r"\.(bash|zsh)rc\b|\.profile\b|crontab|systemctl|authorized_keys", "can make itself permanent"),
    (
        r"(?i)\$\{?\w*(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL)\w*",
        "reads a secret of the environment",
    ),
    (r"(~|\$HOME|\$\{HOME\})/\.(ssh|aws|gnupg|netrc|config/hookline)", "reads private files"),
    (
        r"(?:permissionDecision|behavior|decision|verdict)[\\\"'\s:=]+(?:allow|approve)\b",
        "can answer `allow`, so that nobody is asked any more",
    ),
    (r"(?i)ignore (all |the )?(previous|prior) instructions", "holds text that addresses a model"),
)


class ReviewItem(Record):
    """One hook to look at. `change`: new or changed; `fingerprint` is what accepting it would pin.

    `definition` is the definition as JSON text and `diff` the unified diff to what was accepted before, of
    the definition and of each file. `touches` are facts (rights, network, variables), `risks` patterns found.
    """

    spec: HookSpec
    change: str
    why: str
    fingerprint: str
    definition: str
    diff: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


class Reviewed:
    """What was accepted, by fingerprint, so that the next review can show a real difference."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def save(self, found: Closure) -> None:
        """Keeps the definition and the first 64 KiB of each file."""
        ensure_dir(self._folder, 0o700)
        content = {"definition": _pretty(found.definition), "files": _texts(found)}
        write_atomic(self._path(found.fingerprint), json.dumps(content), mode=0o600, fsync=False)

    def load(self, fingerprint: str) -> Mapping[str, Any]:
        """`definition` and `files` as they were accepted; empty when nothing was kept."""
        try:
            content = read_json(read_bytes(self._path(fingerprint), 64 * KEPT_BYTES).content)
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    def _path(self, fingerprint: str) -> str:
        return os.path.join(self._folder, fingerprint.removeprefix("sha256:") + ".json")


def review_item(
    spec: HookSpec, found: Closure, change: str, why: str, before: Mapping[str, Any], workspace: str
) -> ReviewItem:
    """Everything a person needs to decide about one hook."""
    return ReviewItem(
        spec,
        change,
        why,
        found.fingerprint,
        _pretty(found.definition),
        tuple(_diffs(found, before)),
        tuple(touches(spec, found, workspace)),
        tuple(risks(spec, found)),
    )


def touches(spec: HookSpec, found: Closure, workspace: str) -> Iterator[str]:
    """What the hook is given or may reach, as facts."""
    if spec.means.run_as == "root":
        yield "runs as root"
    if spec.background:
        yield "runs in the background"
    if isinstance(spec.action, Webhook):
        yield f"sends the event to {spec.action.url}"
        yield from (f"sends the header {name}" for name in spec.action.headers)
    for name, value in sorted(spec.env.items()):
        yield f"sets the variable {name} to `{value}`"
    for words in (*uncovered(spec), *loaded_by(found, workspace)):
        yield f"{words}, which this does not cover"
    for mark in found.files:
        yield f"{'runs' if mark.executable else 'reads'} {mark.path}{' (missing)' if mark.missing else ''}"


def risks(spec: HookSpec, found: Closure) -> Iterator[str]:
    """Patterns worth a second look, each with the place it was found in; a hint, never a verdict."""
    if isinstance(spec.action, Answer) and spec.action.verdict == "allow":
        yield ALLOWS
    for path in rewritten(spec, [mark.path for mark in found.files]):
        yield f"reads and writes {path}: {REWRITES}"
    command = _pretty(found.definition)
    if isinstance(spec.action, Command | Answer):
        command = spec.command if isinstance(spec.action, Command) else spec.action.text
    places = [("the command", command), *((mark.path, _text(mark)) for mark in found.files)]
    told = set()
    for place, text in places:
        for pattern, words in RISKS:
            match = re.search(pattern, text)
            if match and (place, words) not in told:
                told.add((place, words))
                line = text.count("\n", 0, match.start()) + 1
                yield f"{place}{f':{line}' if place != 'the command' else ''}: {words} (`{match[0][:80]}`)"


def _diffs(found: Closure, before: Mapping[str, Any]) -> Iterator[str]:
    old_files: Mapping[str, str] = before.get("files", {})
    if before:
        yield from _diff("definition", before.get("definition", ""), _pretty(found.definition))
    for path, text in _texts(found).items():
        yield from _diff(path, old_files.get(path, ""), text)
    for path in old_files.keys() - _texts(found).keys():
        yield from _diff(path, old_files[path], "")


def _diff(name: str, old: str, new: str) -> Iterator[str]:
    before, after = (f"{name} (accepted)" if old else "/dev/null"), (f"{name} (now)" if new else "/dev/null")
    yield from unified(old, new, before, after)


def _texts(found: Closure) -> dict[str, str]:
    return {mark.path: f"# mode: {_mode(mark)}\n{_text(mark)}" for mark in found.files if not mark.missing}


def _mode(mark: FileMark) -> str:
    return "executable" if mark.executable else "plain"


def _text(mark: FileMark) -> str:
    text = mark.content[:KEPT_BYTES].decode("utf-8", "backslashreplace")
    left = len(mark.content) - KEPT_BYTES
    return text if left <= 0 else f"{text}\n[{left} bytes more; sha256 {mark.digest}]\n"


def _pretty(definition: Mapping[str, Any]) -> str:
    return json.dumps(definition, indent=2, sort_keys=True, default=str).replace(
        "\\u0000workspace\\u0000", "."
    )
