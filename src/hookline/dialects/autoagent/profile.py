"""AutoAgent beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from hookline.dialects.profile import Abilities, Profile
from hookline.dialects.profile.json_form import Entry, JsonForm, number
from hookline.model.hooks import GitCommit, GitPush, HookSpec


def entry(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    entry: Entry
    if isinstance(action, GitCommit):
        entry = {"type": "git-commit", "message": action.message, "stage": action.stage}
        entry.update({"noVerify": True} if action.no_verify else {})
    elif isinstance(action, GitPush):
        entry = {"type": "git-push", "remote": action.remote, "branch": action.branch}
        entry.update({"noVerify": True} if action.no_verify else {})
    else:
        entry = {"type": "command", "command": spec.command}
        if spec.options.get("json_from", "output") != "output":
            entry["jsonFrom"] = spec.options["json_from"]
    entry["timeout"] = number(spec.timeout_s * form.unit)
    if spec.blocking is not None:
        entry["blocking"] = spec.blocking
    return {**entry, **({"name": spec.name} if spec.name else {})}


PROFILE = Profile(
    JsonForm(entry, grouped=False, unit=1000),
    can=Abilities(frozenset({"command", "git-commit", "git-push"}), ("/bin/sh", "-c")),
)
