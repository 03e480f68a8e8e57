"""Frozen, slotted value types that cost nothing to import.

`dataclasses` pulls in `inspect` and compiles several methods per class: about 10 ms at start, paid at
every tool call by the bridge and by `hookline fire`. Type checkers see a frozen dataclass all the same.
"""

from __future__ import annotations

from _operator import attrgetter  # `operator` itself adds Python code only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda cls: cls


_MISSING = object()
_set = object.__setattr__
HOT = 64  # a class made so often pays for a constructor of its own, which a one-shot command never does


def _general(self: Any, *values: object, **named: object) -> None:
    """Fills the fields of any record, by position or name."""
    cls = type(self)
    cls._made.append(None)
    if len(cls._made) == HOT:
        _speed_up(cls)
    fields, defaults = cls._fields, cls._defaults
    for field, value in zip(fields, values, strict=False):
        _set(self, field, value)
    missing = []
    for field in fields[len(values) :]:
        if field in named:
            _set(self, field, named.pop(field))
        elif field in defaults:
            _set(self, field, defaults[field])
        else:
            missing.append(field)
    if named or missing or len(values) > len(fields):
        raise TypeError(_wrong_call(cls.__name__, len(fields), len(values), [*named], missing))


def _wrong_call(name: str, fields: int, values: int, unknown: list[str], missing: list[str]) -> str:
    if values > fields:
        return f"{name} takes {fields} values, got {values}"
    if unknown:
        return f"{name} has no {', '.join(map(repr, unknown))}"
    return f"{name} needs {missing[0]!r}"


def _speed_up(cls: Any) -> None:
    """Gives a class that is made often a constructor without loops."""
    fields, defaults = cls._fields, cls._defaults
    first = next((place for place, field in enumerate(fields) if field in defaults), len(fields))
    if cls.__dict__.get("__init__") is not _general or any(field not in defaults for field in fields[first:]):
        return
    space: dict[str, Any] = {}
    taken, filled = [], []
    for place, field in enumerate(fields):
        space[f"_set{place}"] = getattr(cls, field).__set__
        space[f"_default{place}"] = defaults.get(field)
        taken.append(f"{field}=_default{place}" if field in defaults else field)
        filled.append(f"    _set{place}(self, {field})")
    exec(f"def _own(self, {', '.join(taken)}):\n" + "\n".join(filled or ["    pass"]), space)
    space["_own"].__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = space["_own"]
    if len(fields) > 1:
        cls._values_of = attrgetter(*fields)


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordType(type):
    """Turns annotated names into slots and class-level values into defaults."""

    _fields: tuple[str, ...]
    _defaults: dict[str, object]
    _made: int
    _values_of: attrgetter[tuple[Any, ...]] | None  # all fields at once, of a class that is made often

    def __new__(mcls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> RecordType:
        fields: dict[str, object] = {}
        for base in bases:
            if isinstance(base, RecordType):
                fields.update({field: base._defaults.get(field, _MISSING) for field in base._fields})
        own = [n for n, kind in space.get("__annotations__", {}).items() if "ClassVar" not in str(kind)]
        for field in own:
            fields[field] = space.pop(field, _MISSING)
        inherited = next((base.__init__ for base in bases), None)  # type: ignore[misc]  # only looked at
        if getattr(inherited, "__name__", "") in ("_general", "_own"):
            space.setdefault("__init__", _general)  # a base's own constructor knows fewer fields
        space["__slots__"] = (*own, *space.get("__slots__", ()))
        space["_fields"] = space["__match_args__"] = tuple(fields)
        space["_defaults"] = {field: value for field, value in fields.items() if value is not _MISSING}
        space["_made"], space["_values_of"] = [], None
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
        _made: ClassVar[int]

        def __init__(self, *values: object, **named: object) -> None: ...

    else:
        __init__ = _general

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use replace()")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field) for field in self._fields)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={getattr(self, field)!r}" for field in self._fields)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), {field: getattr(self, field) for field in self._fields}))


def _rebuild(cls: type[Record], values: dict[str, object]) -> Record:
    return cls(**values)


def fields_of(record: Record) -> dict[str, Any]:
    """Field names and values, in declaration order."""
    return {field: getattr(record, field) for field in record._fields}


if TYPE_CHECKING:
    from typing import TypeVar

    R = TypeVar("R", bound=Record)


def replace(record: R, **changes: object) -> R:
    """A copy of `record` with some fields changed."""
    cls = type(record)
    if cls._values_of is None:
        return cls(**{**fields_of(record), **changes})
    values = list(cls._values_of(record))
    try:
        for field, value in changes.items():
            values[cls._fields.index(field)] = value
    except ValueError:
        return cls(**{**fields_of(record), **changes})  # which says what name is no field
    return cls(*values)
