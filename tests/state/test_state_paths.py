"""State lives where XDG and the agents say."""

from __future__ import annotations

import pytest

from hookline.model.errors import UsageError
from hookline.state.paths import Paths


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
