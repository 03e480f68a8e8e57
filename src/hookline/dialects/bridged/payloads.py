"""Payloads with snake_case fields: to an event without losing a field, and back; answers as one JSON line."""

from __future__ import annotations

from hookline.dialects.spelling import folded
from hookline.dialects.tools import Tools, is_patch
from hookline.model.errors import PayloadError
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.record import replace
from hookline.model.results import Decision, Response
from hookline.model.short_json import as_written, json_or, write_json
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Mapping

if TYPE_CHECKING:
    from hookline.dialects.bridged.rules import AgentRule

# Kept in `Event.extra` under this key: the agent's own event, tool and input, where ours differ from them.
NATIVE = "native"
# Canonical fields as an agent may spell them that has camelCase elsewhere.
CAMEL_CASE: Mapping[str, str] = {
    name: "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    for name in (
        "hookEventName", "sessionId", "transcriptPath", "permissionMode", "agentId", "agentType", "toolName",
        "toolInput", "toolUseId", "toolResponse", "stopHookActive", "lastAssistantMessage", "notificationType",
    )
}  # fmt: skip


def read_agent_event(
    kind: EventKind, host: str, payload: Mapping[str, Any], native: Mapping[str, Any]
) -> Event:
    """The event of a payload in canonical fields; `native` is what was translated, for the way back."""
    given = dict(payload)
    tool_input = given.get("tool_input")
    if tool_input is not None and not isinstance(tool_input, dict):
        told = decoded(tool_input)
        given["tool_input"] = told if isinstance(told, dict) else {"value": tool_input}
        native = {**native, "tool_input": tool_input}
    if native:
        given[NATIVE] = dict(native)
    event = event_from_payload(kind, given, host=host)
    if event.workspace or not event.cwd:
        return event
    return replace(event, workspace=event.cwd)


def decoded(value: object) -> Any:
    """A JSON text as what it says; anything else, and a text nested too deep to be read, as it is."""
    return json_or(value, value) if isinstance(value, str) else value


def encoded(value: object) -> str:
    """A text as it is; anything else as JSON."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False)


def native_of(event: Event, agent: str) -> Mapping[str, Any]:
    """What the agent itself said, if the event comes from it; else nothing."""
    native = event.extra.get(NATIVE)
    return native if event.host == agent and isinstance(native, dict) else {}


def canonical_call(tools: Tools, given: dict[str, Any], server: str = "") -> dict[str, Any]:
    """Puts the call in a payload into canonical words, in place; returns the agent's own."""
    name, sent = given.get("tool_name") or "", given.get("tool_input")
    if not isinstance(name, str):
        return {}  # whoever reads the event says so
    known, arguments = _known_name(tools, name), decoded(sent)
    if is_patch(sent):  # of a tool that takes a text, and no object
        given["tool_name"], given["tool_input"] = tools.read(known, {"command": sent}, server)
        return {"tool_name": name, "tool_input": sent}
    if not isinstance(arguments, dict):
        given["tool_name"], _ = tools.read(known, {}, server)
        return {"tool_name": name}
    given["tool_name"], translated = tools.read(known, arguments, server)
    given["tool_input"] = translated
    return {"tool_name": name, **({"tool_input": sent} if translated != sent else {})}


def _known_name(tools: Tools, name: str) -> str:
    """The agent's tool of that name, whatever its letter case: a newer version may spell it in another."""
    names = tools.known()
    return name if name in names else next((each for each in names if folded(each) == folded(name)), name)


def native_call(tools: Tools, event: Event) -> dict[str, Any]:
    """`tool_name` and `tool_input` of an event in the agent's words."""
    native = native_of(event, tools.agent)
    name = native.get("tool_name") or tools.native(event.get("tool_name") or "")[0]
    return {"tool_name": name, "tool_input": native_input(tools, event, event.get("tool_input") or {})}


def native_input(tools: Tools, event: Event, given: Mapping[str, Any]) -> Any:
    """A canonical input in the agent's fields; spelled as the agent spelled this call."""
    sent = native_of(event, tools.agent).get("tool_input")
    if is_patch(sent):
        return tools.write(event.get("tool_name") or "", given, {"command": sent}).get("command")
    if isinstance(sent, str) and isinstance(told := decoded(sent), dict):
        return encoded(tools.write(event.get("tool_name") or "", given, told))
    if sent is not None and not isinstance(sent, dict):
        return given.get("value")
    foreign = event.host != tools.agent
    return tools.write(event.get("tool_name") or "", given, sent if sent or foreign else given)


def result_text(found: Any) -> str:
    """What a tool gave back as one text, whatever agent's form it has; JSON where it holds none."""
    if found is None or isinstance(found, str):
        return found or ""
    fields = found if isinstance(found, dict) else {}
    for key in ("llmContent", "textResultForLlm", "text_result_for_llm"):
        if isinstance(fields.get(key), str):
            return str(fields[key])
    if isinstance(fields.get("stdout"), str):
        return "\n".join(filter(None, (fields["stdout"], str(fields.get("stderr") or ""))))
    parts = fields.get("content") if fields else found
    if isinstance(parts, list) and parts and all(isinstance(part, dict) and "text" in part for part in parts):
        return "\n".join(str(part["text"]) for part in parts)
    return write_json(found, default=str)


def as_shell_result(event: Event) -> Any:
    """What a tool gave back, that of a shell in Claude Code's form, which its hooks take apart."""
    found = event.get("tool_response")
    shell = event.get("tool_name") == "Bash"
    if not shell or found is None or (isinstance(found, dict) and "stdout" in found):
        return found
    return {"stdout": result_text(found), "stderr": "", "interrupted": False, "isImage": False}


def write_fields(rule: AgentRule, event: Event) -> dict[str, Any]:
    """The row's own fields of an event, optional ones only where there is a value."""
    found: dict[str, Any] = {}
    for name in rule.fields:
        field = name.removesuffix("?")
        value = event.get(field)
        if field != name and (value is None or value == ""):
            continue
        found[field] = list(value) if isinstance(value, tuple) else value
    return found


def with_extra(payload: dict[str, Any], event: Event, omitted: Iterable[str] = ()) -> dict[str, Any]:
    """The payload with every field no row knows, so that nothing is lost on the way to the hook."""
    left_out = {NATIVE, *omitted}
    for field, value in event.extra.items():
        if field not in left_out:
            payload.setdefault(field, value)
    return payload


def specific_products(rule: AgentRule, decision: Decision) -> dict[str, Any]:
    """The event's further keys that some hook gave a value."""
    from hookline.dialects.json_output import snake_case

    found = {name: decision.products.get(snake_case(name)) for name in rule.products}
    return {name: value for name, value in found.items() if value is not None}


def json_or_silence(
    answer: dict[str, Any], native: str = "", specific: Mapping[str, Any] | None = None
) -> Response:
    """One line of JSON with exit 0, with what is `specific` to a native event; nothing when there is nothing to say."""
    if specific:
        answer["hookSpecificOutput"] = {"hookEventName": native, **specific}
    if not answer:
        return Response()
    return Response(stdout=write_json(answer))


def require_object(payload: object, agent: str) -> Mapping[str, Any]:
    """The payload if it is a JSON object. Raises PayloadError."""
    if not isinstance(payload, dict):
        raise PayloadError(f"{agent} sends a JSON object, found {as_written(payload)}")
    return payload
