"""What a Python callable returned or raised, as a raw result."""

from __future__ import annotations

from hookline.model.results import RawResult
from hookline.model.typing import Any, Callable

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
        return RawResult(exit_code=1, stderr=f"{type(value).__name__}: {value}")
    return RawResult(exit_code=0, value=value)
