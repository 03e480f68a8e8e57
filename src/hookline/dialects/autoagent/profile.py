"""AutoAgent beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from hookline.dialects.autoagent.config import KEYS
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import Abilities, Profile
from hookline.dialects.profile.json_form import Entry, JsonForm, number
from hookline.model.hooks import GitCommit, GitPush, HookSpec


def entry(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    entry: Entry = {"type": "command", "command": spec.command}
    if isinstance(action, GitCommit):
        entry = {"type": "git-commit", "message": action.message, "stage": action.stage}
    elif isinstance(action, GitPush):
        entry = {"type": "git-push", "remote": action.remote, "branch": action.branch}
    if isinstance(action, GitCommit | GitPush) and action.no_verify:
        entry["noVerify"] = True
    entry["timeout"] = number(spec.timeout_s * 1000)
    return {**entry, **write_keys(spec, KEYS, entry["type"])}


PROFILE = Profile(
    JsonForm(entry, grouped=False),
    can=Abilities(frozenset({"command", "git-commit", "git-push"}), ("/bin/sh", "-c")),
)
