"""The formats: each is one function from records to lines, one for each record but in OpenTelemetry's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from hookline.state.exports import Kept, dumped
from hookline.state.exports.otel import Spans

MEDIA = {
    "jsonl": "application/x-ndjson", "otel": "application/json", "ocsf": "application/x-ndjson",
    "cloudevents": "application/cloudevents-batch+json",
}  # fmt: skip
FORMATS = tuple(MEDIA)
OCSF_VERSION = "1.3.0"
CLASS, CATEGORY, OTHER = 6003, 6, 99
# By verdict: severity, action, disposition; of each its number and its caption
_ALLOWED = ((1, "Informational"), (1, "Allowed"), (1, "Allowed"))
_STOPPED = ((3, "Medium"), (2, "Denied"), (2, "Blocked"))
_ASKED = ((1, "Informational"), (0, "Unknown"), (23, "Challenge"))  # what the person said is not known
_BECAME = {"deny": _STOPPED, "halt": _STOPPED, "ask": _ASKED}


def writer(name: str) -> Callable[[Sequence[Kept]], list[str]]:
    """What turns records into lines of that format; for otel all of them are in one line."""
    if name == "otel":
        return Spans().lines
    shown = {"ocsf": _as_ocsf, "cloudevents": _as_cloud_event}.get(name, _as_history)
    return lambda records: [dumped(shown(record)) for record in records]


def _as_history(record: Kept) -> dict[str, Any]:
    """The object of `history --json`, with its evidence."""
    evidence = {
        "n": record.number, "previous": record.previous, "digest": record.digest, "facts": record.facts
    } if record.digest else None  # fmt: skip
    return {**record.shown, "workspace": record.workspace, "evidence": evidence}


def _as_ocsf(record: Kept) -> dict[str, Any]:
    """An event of the Open Cybersecurity Schema Framework 1.3: API Activity, with its security control."""
    shown, facts = record.shown, record.facts
    verdict = shown["verdict"]
    asked = shown.get("asked") or {}
    agent = shown.get("host", "hookline")
    severity, action, disposition = _BECAME.get(verdict, _ALLOWED)
    judges = [hook["name"] for hook in shown["hooks"] if hook["verdict"] == verdict != "none"]
    fault = "; ".join(shown["degraded"])
    return {
        "class_uid": CLASS, "class_name": "API Activity", "category_uid": CATEGORY,
        "category_name": "Application Activity", "activity_id": OTHER, "activity_name": shown["event"],
        "type_uid": CLASS * 100 + OTHER, "type_name": "API Activity: Other",
        "time": int(datetime.fromisoformat(shown["at"]).timestamp() * 1000),
        "duration": round(shown["duration_ms"]),
        "severity_id": severity[0], "severity": severity[1], "action_id": action[0], "action": action[1],
        "disposition_id": disposition[0], "disposition": disposition[1],
        "status_id": 2 if fault else 1, "status": "Failure" if fault else "Success",
        **({"status_detail": fault} if fault else {}),
        "message": shown["reason"] or f"{shown['event']}: {verdict}",
        "actor": {"app_name": agent, "session": {"uid": shown["session_id"]}},
        "api": {
            "operation": asked.get("tool") or shown["event"], "service": {"name": agent},
            "request": {"uid": facts.get("call") or shown["run"]},
        },
        "src_endpoint": {"name": "localhost", "ip": "127.0.0.1"},
        "resources": [{"type": "workspace", "name": record.workspace}],
        "policy": {"name": "hookline", **({"uid": facts["policy"]} if facts.get("policy") else {})},
        **({"firewall_rule": {"name": ", ".join(judges)}} if judges else {}),
        "metadata": {
            "version": OCSF_VERSION, "uid": shown["run"], "sequence": record.number, "profiles": ["security_control"],
            "product": {"name": "hookline", "vendor_name": "hookline"}, "log_name": "history",
            "correlation_uid": facts.get("call") or shown["session_id"],
        },
        "unmapped": {
            "verdict": verdict, "asked": asked.get("summary", ""), "digest": record.digest, "facts": facts,
            "hooks": [{name: hook[name] for name in ("id", "status", "verdict", "why")} for hook in shown["hooks"]],
        },
    }  # fmt: skip


def _as_cloud_event(record: Kept) -> dict[str, Any]:
    """A CloudEvent 1.0. `source` and `id` together are unique, so that who gets one twice can tell."""
    shown = record.shown
    event = {
        "specversion": "1.0",
        "id": shown["run"],
        "source": f"/hookline{quote(record.workspace)}",
        "type": "dev.hookline.decision.v1",
        "subject": f"{shown['event']}/{shown['session_id']}",
        "time": shown["at"],
        "datacontenttype": "application/json",
        "data": {**shown, "evidence": {"n": record.number, "digest": record.digest, "facts": record.facts}},
    }
    # The extension for distributed tracing
    return {**event, "traceparent": shown["traceparent"]} if shown.get("traceparent") else event
