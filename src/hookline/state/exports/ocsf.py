"""Decisions as events of the Open Cybersecurity Schema Framework 1.3: API Activity, with its security control."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hookline.state.exports import Kept, dumped

VERSION = "1.3.0"
CLASS, CATEGORY, OTHER = 6003, 6, 99
# By verdict: severity, action, disposition; of each its number and its caption
_ALLOWED = ((1, "Informational"), (1, "Allowed"), (1, "Allowed"))
_STOPPED = ((3, "Medium"), (2, "Denied"), (2, "Blocked"))
_ASKED = ((1, "Informational"), (0, "Unknown"), (23, "Challenge"))  # what the person said is not known
_BECAME = {"deny": _STOPPED, "halt": _STOPPED, "ask": _ASKED}


def lines(records: Sequence[Kept]) -> list[str]:
    """One event a line."""
    return [dumped(_event(record)) for record in records]


def _event(record: Kept) -> dict[str, Any]:
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
            "version": VERSION, "uid": shown["run"], "sequence": record.number, "profiles": ["security_control"],
            "product": {"name": "hookline", "vendor_name": "hookline"}, "log_name": "history",
            "correlation_uid": facts.get("call") or shown["session_id"],
        },
        "unmapped": {
            "verdict": verdict, "asked": asked.get("summary", ""), "digest": record.digest, "facts": facts,
            "hooks": [{name: hook[name] for name in ("id", "status", "verdict", "why")} for hook in shown["hooks"]],
        },
    }  # fmt: skip
