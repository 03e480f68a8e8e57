"""What every handler has in common: its surroundings, its shape, and what a Python callable comes to."""

from __future__ import annotations

from hookline.model.errors import own_words
from hookline.model.hooks import Action, HandlerInput, HookSpec, Program
from hookline.model.record import Record
from hookline.model.results import RawResult
from hookline.model.typing import TYPE_CHECKING, Any, Awaitable, Callable, Mapping

if TYPE_CHECKING:
    from typing import Any, Protocol

    Complete = Callable[[str, str, "Mapping[str, Any]"], Awaitable["str | ModelAnswer"]]

    class Handler(Protocol):
        """Carries out one action and says what happened; never raises for what the hook did.

        Cancellation of the awaiting task must stop the work and leave no process behind.
        """

        async def __call__(
            self, action: Action, spec: HookSpec, given: HandlerInput, around: Around
        ) -> RawResult: ...


class ModelAnswer(Record):
    """What a model said to a hook's question, which model, and what it cost over all `requests`."""

    text: str
    model: str = ""
    requests: int = 1
    input_tokens: int = 0
    output_tokens: int = 0


class Expanded(Record):
    """A shell line that is the same for every value, and the variables that carry the values.

    `env` must be added to the environment of `command`. `shown` is for people (and is itself a valid,
    quoted shell line). `problems` name the placeholders that were left as written, and cut values.
    """

    command: str
    env: Mapping[str, str]
    shown: str
    problems: tuple[str, ...] = ()


class Around(Record):
    """What surrounds a hook run; the same for every hook of an event.

    `env` is the environment hooks start from (complete). `timeout_s` is the time this hook has left,
    `run_dir` a private directory for value files (created on demand), `output_path` where the full output
    goes. `complete(prompt, model, options)` asks a model; None when the host has none. `call_tool` calls
    an MCP tool. `on_output(stream, bytes)` hears output live. `on_commit(facts)` is asked before a built-in
    commit (`files`, `message`; its answer, unless empty, forbids it) and told after it (also `commit_hash`).
    `programs` are the reviewed bytes of the files it runs, by absolute path; none where none were reviewed.
    """

    env: Mapping[str, str] = {}
    workspace: str = ""
    timeout_s: float | None = 60.0
    run_dir: str = ""
    programs: Mapping[str, Program] = {}
    output_path: str = ""
    complete: Complete | None = None
    call_tool: Callable[[str, str, Mapping[str, Any]], Awaitable[Any]] | None = None
    on_output: Callable[[str, bytes], None] | None = None
    on_commit: Callable[[Mapping[str, Any]], Awaitable[str]] | None = None


_IS_COROUTINE = 0x180  # CO_COROUTINE | CO_ITERABLE_COROUTINE, without importing inspect


def is_async(callback: Callable[..., Any]) -> bool:
    """True for `async def` functions, bound ones and objects with an async `__call__` included."""
    for found in (callback, getattr(callback, "__func__", None), getattr(callback, "func", None)):
        code = getattr(found, "__code__", None)
        if code is not None:
            return bool(code.co_flags & _IS_COROUTINE)
    code = getattr(vars(type(callback)).get("__call__"), "__code__", None)
    return bool(code and code.co_flags & _IS_COROUTINE)


def returned(value: Any) -> RawResult:
    """The raw result of a call that returned `value`, or raised it when it is an exception."""
    if isinstance(value, TimeoutError):
        return RawResult(timed_out=True, status_code=124, notes=(str(value),))
    if isinstance(value, BaseException):
        return RawResult(exit_code=1, stderr=own_words(value))
    return RawResult(exit_code=0, value=value)
