"""Closed sets of named values: what `enum` makes of them, without its import, which costs 4 ms at every start.

Members are single, compared by identity or as their values; a class is iterated in the order of its lines and
called with a value. Type checkers see `enum` itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import IntEnum as IntEnum
    from enum import StrEnum as StrEnum
    from typing import Any
else:

    class ChoiceType(type):
        """Turns class-level values into members."""

        def __new__(mcls, name: str, bases: tuple[type, ...], space: dict[str, Any]):
            own = {n: v for n, v in space.items() if n[0] != "_" and isinstance(v, (str, int))}
            cls = super().__new__(mcls, name, bases, {n: v for n, v in space.items() if n not in own})
            members = {}
            for label, value in own.items():
                member = members[label] = bases[0].__new__(cls, value)
                member.__dict__.update(name=label, value=value)
                type.__setattr__(cls, label, member)
            cls.__members__ = members
            cls._value2member_map_ = {member.value: member for member in members.values()}
            return cls

        def __call__(cls, value: object):
            """The member of that value. Raises ValueError."""
            try:
                return cls._value2member_map_[value]
            except (KeyError, TypeError):
                raise ValueError(f"{value!r} is not a valid {cls.__qualname__}") from None

        def __getitem__(cls, label: str):
            return cls.__members__[label]

        def __iter__(cls):
            return iter(cls.__members__.values())

        def __len__(cls) -> int:
            return len(cls.__members__)

        def __contains__(cls, value: object) -> bool:
            return value in cls._value2member_map_

    class _Choice:
        __slots__ = ()

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"{type(self).__name__} is frozen")

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __reduce_ex__(self, protocol: int):
            return type(self), (self.value,)

        def __copy__(self):
            return self

        def __deepcopy__(self, _memo: object):
            return self

    class StrEnum(_Choice, str, metaclass=ChoiceType):
        """Members are texts."""

        __str__ = str.__str__
        __format__ = str.__format__

    class IntEnum(_Choice, int, metaclass=ChoiceType):
        """Members are numbers."""

        __str__ = int.__repr__
        __format__ = int.__format__
