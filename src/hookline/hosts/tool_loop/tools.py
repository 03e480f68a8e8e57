"""What a tool is, and the one check its input must pass before it is called."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from inspect import isawaitable
from typing import Any

from hookline.agents.base import ToolSchema
from hookline.handlers.base import is_async
from hookline.handlers.deadline import in_thread
from hookline.model.errors import UsageError
from hookline.model.record import Record

Run = Callable[["Mapping[str, Any]", "ToolContext"], "Awaitable[ToolOutput | str] | ToolOutput | str"]
_NAME = r"[A-Za-z0-9_-]{1,64}"  # what the providers of models take


class ToolContext(Record):
    """Where a call happens. `workspace` and `cwd` are absolute; `environment` is complete."""

    workspace: str
    cwd: str
    session_id: str = "default"
    tool_use_id: str = ""
    agent_id: str = ""
    environment: Mapping[str, str] = {}


class ToolOutput(Record):
    """What a call came to: `content` for the model, `response` the structured form for hooks."""

    content: str
    is_error: bool = False
    response: Any = None

    @property
    def shown(self) -> Any:
        return self.content if self.response is None else self.response


class Tool(Record):
    """One tool. `read_only` tools need no permission; `path_keys` name inputs that are file paths."""

    schema: ToolSchema
    run: Run
    read_only: bool = False
    edits: bool = False
    path_keys: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.schema.name


def tool(
    name: str,
    description: str,
    run: Run,
    properties: Mapping[str, Any],
    required: tuple[str, ...] = (),
    **flags: Any,
) -> Tool:
    """A tool from its input properties (JSON Schema) and a function, `run(input, context)`.

    It returns a text or a `ToolOutput`. What it raises is an error that the model reads. A plain function runs in
    a thread; an `async` one on the loop. Raises UsageError for what no model could call.
    """
    if re.fullmatch(_NAME, name) is None:
        raise UsageError(f"tool {name!r}: a name has letters, digits, `_` and `-`, at most 64")
    if not callable(run):
        raise UsageError(f"tool `{name}`: expected a function, found {run!r:.60}")
    for key in required:
        if key not in properties:
            raise UsageError(f"tool `{name}`: `{key}` is required and not among its properties")
    return Tool(schema_of(name, description, properties, required), run, **flags)


def schema_of(
    name: str, description: str, properties: Mapping[str, Any], required: tuple[str, ...]
) -> ToolSchema:
    """What a model is told of a tool that takes these properties and no others."""
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSchema(name, description, parameters)


def input_problem(schema: ToolSchema, given: object) -> str | None:
    """What is wrong with a tool's input, in words for the model; None when it fits the schema."""
    if not isinstance(given, dict):
        return f"the input of {schema.name} must be an object, found {type(given).__name__}"
    parameters = schema.parameters
    properties = parameters.get("properties", {})
    for key in parameters.get("required", ()):
        if given.get(key) is None:
            return f"{schema.name} needs `{key}`"
    for key, value in given.items():
        if key not in properties:
            if parameters.get("additionalProperties") is False:
                return f"{schema.name} has no input `{key}`; it takes {', '.join(properties)}"
            continue
        wanted = properties[key].get("type")
        if value is not None and not _fits(value, wanted):
            return f"`{key}` of {schema.name} must be {wanted}, found {type(value).__name__}"
        allowed = properties[key].get("enum")
        if allowed and value not in allowed:
            return f"`{key}` of {schema.name} must be one of {', '.join(map(str, allowed))}"
    return None


async def perform(found: Tool, given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    """Calls a tool; TypeError for an output that is none."""
    call = partial(found.run, given, context)
    output: Any = call() if is_async(found.run) else await in_thread(call)
    if isawaitable(output):
        output = await output
    if isinstance(output, str):
        return ToolOutput(output)
    if not isinstance(output, ToolOutput) or not isinstance(output.content, str):
        raise TypeError(f"expected a text or a ToolOutput, found {output!r:.60}")
    return output


def _fits(value: object, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(_fits(value, each) for each in wanted)
    if wanted == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    kinds = {"string": str, "boolean": bool, "object": dict, "array": list}
    return isinstance(value, kinds.get(wanted or "", object))
