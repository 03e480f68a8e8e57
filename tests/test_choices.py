"""Our closed sets behave as those of `enum`."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from hookline.model.events import EventKind
from hookline.model.results import Status, Verdict


def test_a_member_is_single_and_found_by_value_and_by_name() -> None:
    assert EventKind("Stop") is EventKind.Stop is EventKind["Stop"]
    assert Verdict(4) is Verdict.DENY is Verdict["DENY"]
    assert (Status.ran.name, Status.ran.value, type(Status.ran.value)) == ("ran", "ran", str)
    assert [verdict.word for verdict in Verdict] == ["none", "allow", "ask", "defer", "deny", "halt"]
    assert max(Verdict.ASK, Verdict.DENY, Verdict.NONE) is Verdict.DENY
    assert len(set(EventKind)) == len(EventKind) == len({kind.value for kind in EventKind})


def test_members_are_their_values_everywhere_else() -> None:
    assert (EventKind.Stop, {"Stop": 1}[EventKind.Stop], f"{EventKind.Stop:>6}") == ("Stop", 1, "  Stop")
    assert (str(Verdict.DENY), f"{Verdict.DENY}", Verdict.DENY + 1) == ("4", "4", 5)
    assert json.dumps({EventKind.Stop: [Verdict.DENY, Status.ran]}) == '{"Stop": [4, "ran"]}'
    assert repr([EventKind.Stop, Verdict.DENY]) == "[<EventKind.Stop: 'Stop'>, <Verdict.DENY: 4>]"


@pytest.mark.parametrize("member", [EventKind.PreCommit, Verdict.HALT, Status.timed_out])
def test_copies_are_the_member_itself(member: object) -> None:
    assert copy.copy(member) is copy.deepcopy([member])[0] is pickle.loads(pickle.dumps(member)) is member


@pytest.mark.parametrize("value", ["stop", 1, None, []])
def test_what_is_no_member_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="is not a valid EventKind"):
        EventKind(value)


def test_members_are_frozen() -> None:
    with pytest.raises(AttributeError):
        EventKind.Stop.value = "Go"  # type: ignore[misc]  # what is tested
