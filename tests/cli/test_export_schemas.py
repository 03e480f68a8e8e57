"""What `hookline history export` writes fits what its readers publish: the required parts, in schemas of our own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.test_export import spans_in
from tests.program import Program

TEXT = {"type": "string", "minLength": 1}
NATURAL = {"type": "integer", "minimum": 1}
CLOUD_EVENT = {
    "type": "object",
    "required": ["id", "source", "specversion", "type"],
    "properties": {
        "id": TEXT, "source": {**TEXT, "pattern": r"^[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+$"},
        "specversion": {"const": "1.0"}, "type": TEXT, "subject": TEXT,
        "datacontenttype": {"const": "application/json"},
        "time": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"}, "data": {"type": "object"},
    },
    "propertyNames": {"pattern": "^[a-z0-9]{1,20}$"},
}  # fmt: skip
NAMED = {"type": "object", "anyOf": [{"required": ["name"]}, {"required": ["uid"]}],
         "properties": {"name": TEXT, "uid": TEXT}}  # fmt: skip
OCSF = {
    "type": "object",
    "required": ["class_uid", "category_uid", "activity_id", "type_uid", "severity_id", "time", "metadata", "actor",
                 "api", "src_endpoint"],
    "properties": {
        "class_uid": {"const": 6003}, "category_uid": {"const": 6}, "activity_id": {"enum": [0, 1, 2, 3, 4, 99]},
        "severity_id": {"enum": [0, 1, 2, 3, 4, 5, 6, 99]}, "status_id": {"enum": [0, 1, 2, 99]}, "status_detail": TEXT,
        "time": {"type": "integer", "minimum": 1_500_000_000_000, "maximum": 10_000_000_000_000},
        "metadata": {
            "required": ["product", "version"],
            "properties": {
                "version": {"pattern": r"^\d+\.\d+\.\d+$"}, "uid": TEXT, "sequence": NATURAL,
                "product": {"required": ["vendor_name"], **NAMED},
            },
        },
        "actor": {"anyOf": [{"required": ["session"]}, {"required": ["app_name"]}], "properties": {"app_name": TEXT}},
        "api": {"required": ["operation"], "properties": {"operation": TEXT, "service": NAMED,
                                                          "request": {"required": ["uid"]}}},
        "src_endpoint": {"anyOf": [{"required": ["ip"]}, {"required": ["name"]}]},
        "firewall_rule": NAMED, "policy": NAMED, "resources": {"items": NAMED},
        "message": TEXT,
    },
}  # fmt: skip
ACTIONS = {  # by verdict: of the profile Security Control, action and disposition
    "none": (1, "Allowed", 1, "Allowed"), "allow": (1, "Allowed", 1, "Allowed"),
    "ask": (0, "Unknown", 23, "Challenge"), "deny": (2, "Denied", 2, "Blocked"),
}  # fmt: skip
HOOKS = """
[[hooks]]
name = "no force push"
event = "PreToolUse"
shell = "git push --force"
deny = "push to a branch of your own"
[[hooks]]
name = "pushes are asked about"
event = "PreToolUse"
shell = "git push"
ask = "really?"
[[hooks]]
name = "slow start"
event = "PreToolUse"
run = "sleep 0.05"
[[hooks]]
name = "crashes"
event = "PreToolUse"
match = "Write"
run = "kill -9 $$"
on_failure = "allow"
"""
CALLS = {
    "deny": {"tool_name": "Bash", "tool_input": {"command": "git push -f"}},
    "ask": {"tool_name": "Bash", "tool_input": {"command": "git push"}},
    "none": {"tool_name": "Write", "tool_input": {"file_path": "a b é.txt", "content": ""}},
}


@pytest.fixture
def decided(program: Program) -> Program:
    """One decision of each verdict, one of them degraded, in a folder whose name is no URI."""
    program.write(".hookline/hooks.toml", HOOKS)
    for verdict, call in CALLS.items():
        done = program("fire", "PreToolUse", "--json", stdin=json.dumps(call))
        assert json.loads(done.stdout)["verdict"] == verdict, done
    return program


def exported(program: Program, name: str) -> list[dict[str, Any]]:
    done = program("history", "export", "--format", name)
    assert done.returncode == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_cloudevents_are_cloudevents(decided: Program) -> None:
    events = exported(decided, "cloudevents")
    for event in events:
        Draft202012Validator(CLOUD_EVENT).validate(event)
    assert len({(event["source"], event["id"]) for event in events}) == len(CALLS)


def test_ocsf_events_are_of_their_class_and_say_what_became_of_the_call(decided: Program) -> None:
    events = exported(decided, "ocsf")
    assert [event["unmapped"]["verdict"] for event in events] == [*CALLS]
    for event in events:
        Draft202012Validator(OCSF).validate(event)
        assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
        became = tuple(event[key] for key in ("action_id", "action", "disposition_id", "disposition"))
        assert became == ACTIONS[event["unmapped"]["verdict"]]
    assert [event.get("firewall_rule", {}).get("name") for event in events] == [
        "no force push", "pushes are asked about", None,
    ]  # fmt: skip
    assert [event["status_id"] for event in events] == [1, 1, 2]
    assert "crashes" in events[-1]["status_detail"]


def test_spans_lie_inside_of_the_one_above_them(decided: Program) -> None:
    spans = spans_in("\n".join(map(json.dumps, exported(decided, "otel"))))
    above = {span["spanId"]: span for span in spans}
    hooks = [span for span in spans if span["name"].startswith("run_guardrail")]
    assert len(hooks) >= 2 * len(CALLS)
    for span in hooks:
        parent = above[span["parentSpanId"]]
        assert spans.index(parent) < spans.index(span)
        assert span["traceId"] == parent["traceId"]
        assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
        assert int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"]), (parent, span)
