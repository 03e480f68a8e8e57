"""State lives where XDG and the agents say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookline.model.errors import UsageError
from hookline.state.paths import Paths
from hookline.state.session_folder import hooks_folder


def test_the_xdg_variables_are_honoured_and_relative_ones_ignored() -> None:
    given = Paths.from_environment({"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}, "/home/me")
    assert given == Paths("/home/me", "/c/hookline", "/s/hookline")
    assert (given.trust_file, given.history_file) == ("/c/hookline/trust.json", "/s/hookline/history.db")
    plain = Paths.from_environment({"XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": ""}, "/home/me")
    assert plain == Paths("/home/me", "/home/me/.config/hookline", "/home/me/.local/state/hookline")


def test_sessions_and_discobot_state_follow_home() -> None:
    paths = Paths.from_environment({}, "/elsewhere")
    assert paths.autoagent_sessions == "/elsewhere/.autoagent/sessions"
    assert paths.discobot_hooks("default") == "/elsewhere/.discobot/default/hooks"


@pytest.mark.parametrize("name", ["", "..", "a..b", ".", "a/b", "a b", "é", "x" * 129, "a\n"])
def test_a_session_id_that_is_no_safe_folder_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no usable session id"):
        Paths.from_environment({}, "/h").discobot_hooks(name)


def test_a_folder_of_a_session_keeps_its_owner_whatever_that_is_called(tmp_path: Path) -> None:
    paths = Paths.from_environment({}, str(tmp_path / "home"))
    places = [str(tmp_path / os.fsdecode(name)) for name in (b"caf\xe9", b"other")]
    for place in places:
        Path(place).mkdir()
    first, second = (hooks_folder(paths, "s", place, claim=True) for place in places)
    assert first == paths.discobot_hooks("s") != second
    assert [hooks_folder(paths, "s", place) for place in places] == [first, second]


def test_a_folder_whose_owner_was_never_written_down_is_claimed_by_the_next(tmp_path: Path) -> None:
    paths = Paths.from_environment({}, str(tmp_path / "home"))
    folder = Path(paths.discobot_hooks("s"))
    folder.mkdir(parents=True)
    (folder / ".workspace").write_text("")
    (tmp_path / "later").mkdir()
    assert hooks_folder(paths, "s", str(tmp_path), claim=True) == str(folder)
    assert hooks_folder(paths, "s", str(tmp_path / "later"), claim=True) != str(folder)
