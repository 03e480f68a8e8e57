"""AutoAgent beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from hookline.dialects.autoagent.config import KEYS, SHELL
from hookline.dialects.profile import Abilities, Profile
from hookline.dialects.profile.forms import JsonForm, entry_of

PROFILE = Profile(
    JsonForm(entry_of(KEYS), grouped=False, shell=SHELL),
    can=Abilities(frozenset({"command", "git-commit", "git-push"}), SHELL),
)
