"""A policy: the machine's hooks file, what it runs, and which hooks of repositories are trusted; as one signed text."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText
from hookline.model.errors import ConfigError, StateError, UsageError
from hookline.model.record import Record
from hookline.state.trust.fingerprint import fingerprint_lines, is_fingerprint, sha256
from hookline.system import files
from hookline.system.processes.process import ProcessRequest, run_process

HOOKS, TRUSTED = "hooks.toml", "trusted"
KEPT, SIGNERS = (
    "fleet.json",
    "fleet-signers",
)  # what a machine keeps of the policy itself, and who may publish
BEFORE = f"{HOOKS}.before-fleet"
_MACHINES_OWN = frozenset({KEPT, SIGNERS, BEFORE})
NAMESPACE = "hookline-fleet"
_NO_SIGNER = re.compile(
    r"[\s,\"*?!]|^[-#]|^$"
)  # what ssh-keygen's list of signers cannot have, or reads as a pattern
# NATS takes 1 MiB a message; base64 and the text around it want their share.
MOST_BYTES = 512 * 1024
SIGN_LIMIT_S = 30.0


class PolicyFile(Record):
    """One file of a policy, by its path within it."""

    path: str
    content: bytes
    executable: bool = False


class Policy(Record):
    """`text` is what was signed. A higher `version` replaces a lower one, never the other way."""

    group: str
    version: int
    by: str
    at: str
    files: tuple[PolicyFile, ...]
    text: str
    signature: str = ""

    @property
    def digest(self) -> str:
        return sha256(self.text.encode())


def policy_files(folder: str) -> tuple[PolicyFile, ...]:
    """The files of a folder as a policy, without its `.git`. Raises ConfigError for one that would not hold."""
    found = tuple(_files_below(folder, ""))
    by_path = {each.path: each for each in found}
    if own := _MACHINES_OWN & by_path.keys():
        raise ConfigError(
            f"`{min(own)}` is each machine's own, and no part of a policy", "take it out of the folder"
        )
    if HOOKS not in by_path:
        raise ConfigError(
            f"`{folder}` has no `{HOOKS}`", "a policy is a folder with the machines' hooks file in it"
        )
    size = sum(len(each.content) for each in found)
    if size > MOST_BYTES:
        raise ConfigError(f"`{folder}` has {size} bytes; a policy has at most {MOST_BYTES}")
    _check_hooks(by_path[HOOKS])
    for line in (
        fingerprint_lines(by_path[TRUSTED].content.decode("utf-8", "replace")) if TRUSTED in by_path else ()
    ):
        if not is_fingerprint(line):
            raise ConfigError(
                f"`{TRUSTED}`: `{line}` is no fingerprint", "write `sha256:` and 64 hexadecimal digits"
            )
    return found


def text_of(group: str, version: int, by: str, at: str, found: tuple[PolicyFile, ...]) -> str:
    """What is signed and sent."""
    shown = [
        {"path": each.path, "executable": each.executable, "content": base64.b64encode(each.content).decode()}
        for each in found
    ]
    return json.dumps({"schema": 1, "group": group, "version": version, "by": by, "at": at, "files": shown})


def read_policy(text: str, signature: str) -> Policy:
    """The policy in a text. Raises StateError for what is none, or has a path that leads out of it."""
    try:
        given = json.loads(text)
        if given["schema"] != 1:
            raise StateError(f"a policy of schema {given['schema']}, which this hookline does not know")
        found = tuple(
            PolicyFile(_inside(each["path"]), base64.b64decode(each["content"]), bool(each["executable"]))
            for each in given["files"]
        )
        return Policy(
            str(given["group"]),
            int(given["version"]),
            str(given["by"]),
            str(given["at"]),
            found,
            text,
            signature,
        )
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise StateError(f"no policy: {type(error).__name__}: {error}") from error


def checked_signer(name: str) -> str:
    """The name that signs. Raises UsageError for one that no list of signers can have."""
    if _NO_SIGNER.search(name):
        raise UsageError(
            f"`{name}` cannot stand in a list of signers",
            "name one with `--by NAME`: a word without quotes, commas and patterns",
        )
    return name


async def sign(text: str, key: str) -> str:
    """The signature by an SSH key, made by `ssh-keygen`, which may ask an agent. Raises StateError."""
    return await _keygen(text, ["-Y", "sign", "-f", os.path.abspath(key), "-n", NAMESPACE, "-q"])


async def verify(policy: Policy, signers: str) -> str:
    """Why it does not count; empty when one of `signers`, a file of ssh-keygen(1)'s ALLOWED SIGNERS, signed it."""
    if not files.is_file(signers):
        return f"`{signers}` is missing, so nobody may publish"
    if not policy.by or policy.by.startswith("-"):
        return "it names no signer"
    with tempfile.TemporaryDirectory(prefix="hookline-") as folder:
        path = os.path.join(folder, "signature")
        files.write_atomic(path, policy.signature, mode=0o600)
        words = ["-Y", "verify", "-f", os.path.abspath(signers), "-I", policy.by, "-n", NAMESPACE, "-s", path]
        try:
            await _keygen(policy.text, words)
        except StateError as error:
            return error.message
    return ""


async def _keygen(text: str, words: list[str]) -> str:
    request = ProcessRequest(
        ("ssh-keygen", *words), "/", dict(files.environment()), stdin=text.encode(), timeout_s=SIGN_LIMIT_S
    )
    result = await run_process(request)
    if result.launch_error or result.exit_code != 0:
        said = (result.launch_error or result.stderr.text or result.stdout.text).strip().splitlines()
        raise StateError(f"ssh-keygen: {said[-1] if said else f'exit code {result.status_code}'}")
    return result.stdout.text


def _files_below(folder: str, above: str) -> Iterator[PolicyFile]:
    listing = files.list_dir(os.path.join(folder, above))
    if listing.state != "listed":
        raise ConfigError(
            f"`{os.path.join(folder, above)}` cannot be read: {listing.reason or listing.state}"
        )
    for entry in listing.entries:
        path = os.path.join(above, entry.name)
        if entry.is_symlink:
            raise ConfigError(f"`{path}` is a symbolic link", "a policy has files only")
        if path == ".git":  # also that of a work tree, which is a file
            continue
        if entry.kind == "directory":
            yield from _files_below(folder, path)
        elif entry.kind == "file":
            found = files.read_bytes(os.path.join(folder, path), MOST_BYTES)
            if found.state not in ("empty", "bytes"):
                raise ConfigError(f"`{path}` cannot be read: {found.reason or found.state}")
            yield PolicyFile(path, found.content, bool(found.mode & 0o100))
        else:
            raise ConfigError(f"`{path}` is no file", "a policy has files only")


def _check_hooks(given: PolicyFile) -> None:
    source = Source(HOOKS, "managed", "toml", HOOKS)
    try:
        text = given.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"`{HOOKS}` is not UTF-8: {error.reason} at byte {error.start}") from None
    loaded = dialect("hookline").parse(SourceText(source, "text", text, shown=HOOKS))
    for problem in loaded.problems:
        if problem.severity == "error":
            raise ConfigError(f"{HOOKS}:{problem.line}: {problem.message}", problem.hint)


def _inside(path: Any) -> str:
    text = str(path)
    if text in _MACHINES_OWN:
        raise StateError(f"a policy with `{text}`, which is each machine's own")
    if os.path.isabs(text) or os.path.normpath(text) != text or text.split("/")[0] == ".." or "\0" in text:
        raise StateError(f"a policy with the path `{text}`, which leads out of it")
    return text


def marks_of(found: tuple[PolicyFile, ...]) -> Mapping[str, str]:
    """The digest of each file, with `x` behind it for one that can be run."""
    return {each.path: sha256(each.content) + ("x" if each.executable else "") for each in found}
