"""Frozen value types that cost nothing to import, and little to make.

`dataclasses` pulls in `inspect` and compiles several methods per class: about 10 ms at start, paid at
every tool call by the bridge and by `hookline fire`. Type checkers see a frozen dataclass all the same.
The fields are in the instance's own dictionary, which is filled at once; slots would be filled one by one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda cls: cls


_MISSING = object()
HOT = 500  # a class made so often pays for a constructor of its own, which a one-shot command never does


def _general(self: Any, *values: object, **named: object) -> None:
    """Fills the fields of any record, by position or name."""
    cls = type(self)
    blank, fields, least, made = cls._plan
    made.append(None)
    if len(made) == HOT:
        _speed_up(cls)
    held = {**blank, **named}
    count = len(values)
    right = count <= len(fields) == len(held)
    if right:
        for place, value in enumerate(values):
            held[fields[place]] = value
        if named or count < least:
            given = {*fields[:count]}
            right = given.isdisjoint(named) and given.union(named) >= cls._required
    if not right:
        raise TypeError(_wrong_call(cls, count, named))
    _hold(self, held)


def _wrong_call(cls: Any, values: int, named: dict[str, object]) -> str:
    if values > len(cls._fields):
        return f"{cls.__name__} takes {len(cls._fields)} values, got {values}"
    left = cls._fields[values:]
    if unknown := [field for field in named if field not in left]:
        return f"{cls.__name__} has no {', '.join(map(repr, unknown))}"
    return f"{cls.__name__} needs {next(f for f in left if f in cls._required and f not in named)!r}"


def _speed_up(cls: Any) -> None:
    """Gives a class that is made often a constructor of its own."""
    fields, defaults = cls._fields, cls._defaults
    first = next((place for place, field in enumerate(fields) if field in defaults), len(fields))
    if cls.__dict__.get("__init__") is not _general or any(field not in defaults for field in fields[first:]):
        return
    space: dict[str, Any] = {"_hold": _hold}
    taken, filled = [], []
    for place, field in enumerate(fields):
        space[f"_default{place}"] = defaults.get(field)
        taken.append(f"{field}=_default{place}" if field in defaults else field)
        filled.append(f"{field!r}: {field}")
    exec(f"def _own(self, {', '.join(taken)}):\n    _hold(self, {{{', '.join(filled)}}})", space)
    space["_own"].__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = space["_own"]


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordType(type):
    """Takes annotated names as fields and class-level values as their defaults."""

    _fields: tuple[str, ...]
    _defaults: dict[str, object]
    _required: frozenset[str]
    _blank: dict[str, object]  # every field in its order, with its default
    # that, the fields, how many it is up to and with the last one required, and a mark for each that was made
    _plan: tuple[dict[str, object], tuple[str, ...], int, list[None]]

    def __new__(mcls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> RecordType:
        blank: dict[str, object] = {}
        for base in bases:
            blank.update(getattr(base, "_blank", blank))
        for field, kind in space.get("__annotations__", blank).items():
            if "ClassVar" not in str(kind):
                blank[field] = space.pop(field, _MISSING)
        inherited = next((base.__init__ for base in bases), None)  # type: ignore[misc]  # only looked at
        if getattr(inherited, "__name__", "") in ("_general", "_own"):
            space.setdefault("__init__", _general)  # a base's own constructor knows fewer fields
        fields = tuple(blank)
        defaults = {field: value for field, value in blank.items() if value is not _MISSING}
        required = [field for field in fields if field not in defaults]
        space["_blank"], space["_defaults"] = blank, defaults
        space["_fields"] = space["__match_args__"] = fields
        space["_required"] = frozenset(required)
        space["_plan"] = (blank, fields, fields.index(required[-1]) + 1 if required else 0, [])
        return super().__new__(mcls, name, bases, space)

    @property
    def __signature__(cls) -> Any:
        """For `help()` and editors: the fields by name, with their defaults."""
        from inspect import Parameter, Signature

        kinds: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            kinds.update(vars(base).get("__annotations__", {}))
        empty = Parameter.empty
        found = [
            Parameter(
                field, Parameter.POSITIONAL_OR_KEYWORD,
                default=cls._defaults.get(field, empty), annotation=kinds.get(field, empty),
            )
            for field in sorted(cls._fields, key=lambda field: field in cls._defaults)
        ]  # fmt: skip
        return Signature(found)


class Record(metaclass=RecordType):
    """Base of every value that travels through the engine: compared by value, never changed."""

    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]
        _defaults: ClassVar[dict[str, object]]

        def __init__(self, *values: object, **named: object) -> None: ...

    else:
        __init__ = _general

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use replace()")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={value!r}" for field, value in self.__dict__.items())
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), fields_of(self)))


_hold = Record.__dict__["__dict__"].__set__


def _rebuild(cls: type[Record], values: dict[str, object]) -> Record:
    return cls(**values)


def fields_of(record: Record) -> dict[str, Any]:
    """Field names and values, in declaration order."""
    return {**record.__dict__}


if TYPE_CHECKING:
    from typing import TypeVar

    R = TypeVar("R", bound=Record)


def of_fields(cls: type[R], fields: dict[str, Any]) -> R:
    """A record of fields that are in a dictionary already: passing them by name takes most of making one."""
    held = {**cls._blank, **fields}
    if len(held) > len(cls._fields) or not fields.keys() >= cls._required:
        raise TypeError(_wrong_call(cls, 0, fields))
    made = object.__new__(cls)
    _hold(made, held)
    return made


def replace(record: R, **changes: object) -> R:
    """A copy of `record` with some fields changed."""
    cls, held = type(record), {**record.__dict__, **changes}
    if len(held) > len(cls._fields):
        raise TypeError(_wrong_call(cls, 0, changes))
    made = object.__new__(cls)
    _hold(made, held)
    return made
