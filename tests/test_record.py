"""Records behave like frozen dataclasses, without their import cost."""

from __future__ import annotations

import pickle

import pytest

from hookline.model.record import Record, replace


class Point(Record):
    x: int
    y: int = 2


class Named(Point):
    name: str = "p"


def test_fields_defaults_and_inheritance() -> None:
    assert Named(1) == Named(x=1, y=2, name="p")
    assert repr(Named(1, name="q")) == "Named(x=1, y=2, name='q')"
    assert hash(Named(1)) == hash(Named(1, 2))
    assert Named(1) != Point(1)


def test_a_record_never_changes() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    assert replace(point, x=5) == Point(5)
    assert point == Point(1)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="needs 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no 'z'"):
        Point(1, z=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes 2 values"):
        Point(1, 2, 3)  # type: ignore[call-arg]


def test_records_match_and_pickle() -> None:
    match Named(1):
        case Named(x, name=name):
            assert (x, name) == (1, "p")
    assert pickle.loads(pickle.dumps(Named(4))) == Named(4)
