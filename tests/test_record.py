"""Records behave like frozen dataclasses, without their import cost."""

from __future__ import annotations

import pickle

import pytest

from hookline.model.record import HOT, Record, replace


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


def test_a_record_made_often_is_the_same_record() -> None:
    """The quick constructor a class gets when it is hot, and classes derived from it before and after."""

    class Point(Record):
        x: int
        y: int = 2

    class Early(Point):
        z: int = 3

    before = Point(1)
    made = [Point(n, y=n) for n in range(HOT + 2)]

    class Late(Point):
        z: int = 3

    assert Point.__init__.__name__ == "_own"
    assert made[-1] == Point(x=HOT + 1, y=HOT + 1) and Point(1) == before and hash(Point(1)) == hash(before)
    assert Early(1) == Early(1, 2, 3) and (Late(1).z, Late(1, z=4).y) == (3, 2)
    assert replace(made[0], y=9) == Point(0, 9)
    for wrong in (lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, w=4)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(AttributeError):
        before.x = 5


def test_a_constructor_of_its_own_is_left_alone() -> None:
    class Doubled(Record):
        x: int

        def __init__(self, x: int) -> None:
            super().__init__(x * 2)

    assert {Doubled(1).x for _ in range(HOT * 2)} == {2}


def test_a_record_made_where_the_stack_ends_says_that_and_nothing_else() -> None:
    """Whoever reads what is nested too deep waits for this very error."""
    for n in range(HOT + 2):
        Point(n)

    def deeper() -> None:
        Point(1)
        deeper()

    for spare in range(40):  # it may end within any step of making one

        def down(left: int) -> None:
            down(left - 1) if left else deeper()

        with pytest.raises(RecursionError):
            down(spare)
