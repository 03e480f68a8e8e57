"""Holding a policy on this machine: taken from the bus when it is signed and newer, kept, and mended when changed."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from hookline.hosts.fleet.policy import BEFORE, HOOKS, KEPT, Policy, PolicyFile, marks_of, read_policy, verify
from hookline.hosts.iterations.tasks import checked_name
from hookline.model.errors import HooklineError, StateError, UsageError
from hookline.model.record import Record
from hookline.model.rendering import iso_time
from hookline.state.eventlog_nats import NatsEventLog
from hookline.state.trust.fingerprint import sha256
from hookline.system import files

FOLDER = "/etc/hookline"
STREAM, ROOT = "hookline_fleet", "hookline.fleet"
PER_SUBJECT = 16
LOOK_S = 30.0  # between two looks whether the files still are what they were
TELL_S = 900.0  # between two reports when nothing happens
AGAIN_S = 5.0

Answer = Callable[[], Any]


class Held(Record):
    """What a machine last said of itself. `fault` says why it does not hold a newer policy; empty when it does."""

    host: str
    version: int
    digest: str
    at: str
    fault: str = ""


def fleet_log(url: str, warn: Callable[[str], None], patience_s: float = 30.0) -> NatsEventLog:
    """The log of all fleets of that server; nothing in it goes for its age."""
    return NatsEventLog(
        url, stream=STREAM, root=ROOT, warn=warn, patience_s=patience_s, kept_s=0, per_subject=PER_SUBJECT
    )


def policy_subject(group: str) -> str:
    return f"{ROOT}.{checked_name(group, 'group')}.policy"


def held_subject(group: str, host: str = "*") -> str:
    return f"{ROOT}.{checked_name(group, 'group')}.held.{host}"


def attest_subject(group: str) -> str:
    """Outside of the stream, which would answer itself."""
    return f"hookline.attest.{checked_name(group, 'group')}"


def host_name(given: str = "") -> str:
    """This machine, by that name or its own, as one word of a subject."""
    name = given or socket.gethostname()
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name) or "host"


async def published(log: NatsEventLog, group: str) -> list[Mapping[str, Any]]:
    """What was published, unchecked, the oldest first; the log keeps the last ones."""
    return [entry.event async for entry in log.replay(policy_subject(group))]


def latest_version(events: Iterable[Mapping[str, Any]]) -> int:
    """The highest version among them, 0 where there is none; what is no policy has none."""
    versions = [0]
    for event in events:
        with suppress(StateError):
            versions.append(read_policy(str(event.get("policy")), "").version)
    return max(versions)


async def held_by(log: NatsEventLog, group: str) -> list[Held]:
    """What each machine said last, by name."""
    found: dict[str, Held] = {}
    async for entry in log.replay(held_subject(group)):
        given = entry.event
        with suppress(KeyError, TypeError, ValueError):
            held = Held(
                str(given["host"]),
                int(given["version"]),
                str(given["digest"]),
                str(given["at"]),
                str(given["fault"]),
            )
            found[held.host] = held
    return [found[name] for name in sorted(found)]


def nothing_published(group: str) -> tuple[str, str]:
    return f"nothing was published for `{group}`", "`hookline fleet publish FOLDER` does"


class Holder:
    """The policy of one group in one folder; what was there before is kept beside it."""

    def __init__(
        self, group: str, folder: str, signers: str, say: Callable[[str], None], host: str = ""
    ) -> None:
        self.group = group
        self.folder = folder
        self.host = host_name(host)
        self.policy: Policy | None = None
        self.refused = self.unwritten = ""
        self._signers = signers
        self._say = say

    @property
    def fault(self) -> str:
        """Why a newer policy is not held, or the held one does not stand on the disk; empty when all is well."""
        return self.unwritten or self.refused

    async def restore(self) -> bool:
        """Takes up what was held before, without a bus; True when files had to be mended."""
        kept = files.read_text(os.path.join(self.folder, KEPT))
        if self.policy is None and kept.state == "text":
            try:
                given = json.loads(kept.text)
                policy = read_policy(given["policy"], given["signature"])
            except (HooklineError, ValueError, RecursionError, KeyError, TypeError) as error:
                self._say(f"`{kept.real_path or KEPT}` cannot be read ({error}); waiting for the bus")
                return False
            if policy.group == self.group and not (why := await verify(policy, self._signers)):
                self.policy = policy
            elif policy.group == self.group:
                self._say(f"what was held is not taken up: {why}")
        return self.policy is not None and self._mend(self.policy, self.policy)

    async def take(self, event: Mapping[str, Any]) -> bool:
        """A policy from the bus; True when it is held now and was not before. `refused` says why one is not taken."""
        try:
            policy = read_policy(str(event.get("policy")), str(event.get("signature")))
            self.refused = await self._refusal(policy)
        except StateError as error:
            self.refused = error.message
        if self.refused:
            self._say(f"a policy is refused: {self.refused}")
            return False
        before = self.policy
        if before is not None and policy.digest == before.digest:
            return False
        self.policy = policy
        self._mend(policy, before)
        if not self.unwritten:
            self._say(f"holding version {policy.version} of `{policy.group}`, by {policy.by}")
        return True

    def report(self) -> dict[str, Any]:
        """What this machine says of itself."""
        version, digest = (self.policy.version, self.policy.digest) if self.policy else (0, "")
        return {
            "host": self.host, "version": version, "digest": digest, "at": iso_time(time.time()), "fault": self.fault
        }  # fmt: skip

    async def _refusal(self, policy: Policy) -> str:
        if policy.group != self.group:
            return f"it is one for `{policy.group}`"
        if self.policy is not None and policy.version < self.policy.version:
            return f"version {policy.version} is older than {self.policy.version}, which is held"
        return await verify(policy, self._signers)

    def _mend(self, policy: Policy, before: Policy | None) -> bool:
        """Writes what is not as it should be; False where nothing was. `before`: the policy that this one replaces.

        What is kept of the policy goes first: a machine that ends here writes the rest when it is back.
        """
        wanted, path = marks_of(policy.files), os.path.join(self.folder, KEPT)
        kept = json.dumps({"policy": policy.text, "signature": policy.signature})
        changed = [each for each in policy.files if self._mark(each) != wanted[each.path]]
        stale = files.read_text(path).text != kept
        if not changed and not stale:
            self.unwritten = ""
            return False
        try:
            files.ensure_dir(self.folder, 0o755)
            self._keep_before()
            if stale:
                files.write_atomic(path, kept, mode=0o644)
            self._write_files(tuple(changed))
            for gone in {each.path for each in before.files} - wanted.keys() if before else ():
                files.remove(os.path.join(self.folder, gone))
        except HooklineError as error:
            self.unwritten = f"version {policy.version} cannot be written: {error.message}"
            self._say(self.unwritten)
            return True
        self.unwritten = ""
        if policy is before:
            self._say(f"mended what had been changed: {', '.join(each.path for each in changed) or KEPT}")
        return True

    def _keep_before(self) -> None:
        """Keeps the hooks file that stood there before any policy."""
        hooks = os.path.join(self.folder, HOOKS)
        if files.is_file(hooks) and not files.is_file(os.path.join(self.folder, KEPT)):
            found = files.read_bytes(hooks)
            if found.state not in ("bytes", "empty"):
                raise StateError(f"`{hooks}` cannot be kept: {found.reason or found.state}")
            files.write_atomic(os.path.join(self.folder, BEFORE), found.content)

    def _mark(self, each: PolicyFile) -> str:
        found = files.read_bytes(os.path.join(self.folder, each.path))
        there = found.state in ("bytes", "empty")
        return sha256(found.content) + ("x" if found.mode & 0o100 else "") if there else ""

    def _write_files(self, found: tuple[PolicyFile, ...]) -> None:
        # The hooks file last: it names the others.
        for each in sorted(found, key=lambda each: each.path == HOOKS):
            path = os.path.join(self.folder, each.path)
            files.ensure_dir(os.path.dirname(path), 0o755)
            files.write_atomic(path, each.content, mode=0o755 if each.executable else 0o644)


async def hold(holder: Holder, url: str, answer: Answer, once: bool = False) -> None:
    """Holds what the bus says, until cancelled; with `once` until what is there now has been looked at.

    `answer` makes what is sent to whoever asks all machines to attest. Without the bus it goes on with what it has.
    """
    await holder.restore()
    log = fleet_log(url, holder._say, patience_s=AGAIN_S)
    try:
        if once:
            events = await published(log, holder.group)
            if not events and holder.policy is None:
                raise UsageError(*nothing_published(holder.group))
            await _take_newest(holder, events)
            await log.append(held_subject(holder.group, holder.host), holder.report())
            return
        async with asyncio.TaskGroup() as tasks:
            news: asyncio.Queue[None] = asyncio.Queue()
            tasks.create_task(_follow(holder, log, news))
            tasks.create_task(_watch(holder, news))
            tasks.create_task(_tell(holder, log, news))
            tasks.create_task(_answer(holder, log, answer))
    finally:
        await log.close()


async def _take_newest(holder: Holder, events: list[Mapping[str, Any]]) -> None:
    """Holds the last one that can be held; what was refused before it stays told."""
    refused = ""
    for event in reversed(events):
        await holder.take(event)
        refused = refused or holder.refused
        if holder.policy is not None:  # an older one never takes the place of what is held
            break
    holder.refused = refused


async def _follow(holder: Holder, log: NatsEventLog, news: asyncio.Queue[None]) -> None:
    news.put_nowait(None)
    async for event in _events(holder, log):
        before = holder.fault
        if await holder.take(event) or holder.fault != before:
            news.put_nowait(None)


async def _events(holder: Holder, log: NatsEventLog) -> AsyncIterator[Mapping[str, Any]]:
    """The policies, from the first on, through every absence of the bus."""
    after = 0
    while True:
        try:
            async for entry in log.subscribe(policy_subject(holder.group), after):
                after = entry.seq
                yield entry.event
        except HooklineError:
            await asyncio.sleep(AGAIN_S)


async def _watch(holder: Holder, news: asyncio.Queue[None]) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        if await holder.restore():
            news.put_nowait(None)


async def _tell(holder: Holder, log: NatsEventLog, news: asyncio.Queue[None]) -> None:
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(TELL_S):
                await news.get()
        while True:
            try:
                await log.append(held_subject(holder.group, holder.host), holder.report())
                break
            except HooklineError:
                await asyncio.sleep(AGAIN_S)


async def _answer(holder: Holder, log: NatsEventLog, answer: Answer) -> None:
    while True:
        try:
            client = await log.client()
            break
        except HooklineError:
            await asyncio.sleep(AGAIN_S)

    async def reply(message: Any) -> None:
        found = await answer()
        await message.respond(json.dumps({**holder.report(), "attested": found}).encode())

    # The client asks again by itself when the connection comes back.
    await client.subscribe(attest_subject(holder.group), cb=reply)
    await asyncio.Event().wait()
