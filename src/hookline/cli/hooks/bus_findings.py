"""Does a bus keep what it has acknowledged, also when the power goes?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from hookline.cli.hooks.diagnosis import NOTE, WARNING, Finding

MONITOR_PORT = 8222
TIMEOUT_S = 5.0
MOST_BYTES = 4 << 20
USUAL_S = 120.0  # nats-server's own, which older ones do not tell
_LOST = "after a power failure or a crash of the machine acknowledged writes of that time may be lost"
_HINT = "set `jetstream { sync_interval: always }` in its configuration, or replicate streams over several servers"


def bus_findings(url: str, monitor: str | None) -> Iterator[Finding]:
    """What nats-server's monitoring says of JetStream's `sync_interval`: how long a write may be in memory only."""
    parts = urlsplit(url if "://" in url else f"nats://{url}")
    subject = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    address = (monitor or f"http://{_host(parts.hostname)}:{MONITOR_PORT}").rstrip("/")
    try:
        config = _config(f"{address}/jsz?config=true")
    except (OSError, HTTPException, ValueError) as error:
        words = f"`{address}` does not tell its `sync_interval` ({error}); unless it is `always`, {_LOST}"
        hint = f"name its monitoring address with `--bus-monitor`, and {_HINT}"
        yield Finding(WARNING, "bus-sync-unknown", subject, words, hint)
        return
    if not config:
        yield Finding(WARNING, "bus-no-jetstream", subject, "JetStream is off there", "start it with `-js`")
    elif config.get("sync_always"):
        yield Finding(
            NOTE, "bus-sync", subject, "`sync_interval` is `always`: what it acknowledged is on the disk"
        )
    else:
        seconds = config.get("sync_interval", USUAL_S * 1e9) / 1e9
        words = f"`sync_interval` is {seconds:g} s: {_LOST}"
        yield Finding(WARNING, "bus-sync", subject, words, _HINT)


def _config(address: str) -> dict[str, Any]:
    if urlsplit(address).scheme not in ("http", "https"):
        raise ValueError("no http address")
    with urlopen(address, timeout=TIMEOUT_S) as answer:
        found = json.loads(answer.read(MOST_BYTES))
    config = found.get("config") if isinstance(found, dict) else None
    return config if isinstance(config, dict) and not found.get("disabled") else {}


def _host(name: str | None) -> str:
    return f"[{name}]" if name and ":" in name else name or "127.0.0.1"
