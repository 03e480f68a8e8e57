"""What annotations are written with on the hot path, where importing `typing` costs more than the rest of a call.

Type checkers see the real names. In a running program only those of `collections.abc` are real; of the others
nobody asks anything there.
"""

from _collections_abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Final, Literal, NoReturn, Protocol, TextIO, TypeGuard, TypeVar
else:

    class _Unread:
        """`Literal["a"]`, `TypeVar("T")`, `Any | None`: itself again."""

        def _itself(self, *_, **__):
            return self

        __call__ = __getitem__ = __or__ = __ror__ = _itself

    Any = ClassVar = Final = Literal = NoReturn = TextIO = TypeGuard = TypeVar = _Unread()
    Protocol = object

__all__ = [
    "TYPE_CHECKING", "Any", "Awaitable", "Callable", "ClassVar", "Collection", "Coroutine", "Final", "Generator",
    "Iterable", "Iterator", "Literal", "Mapping", "MutableMapping", "NoReturn", "Protocol", "Sequence", "TextIO",
    "TypeGuard", "TypeVar",
]  # fmt: skip
