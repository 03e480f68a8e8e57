"""`[judge]`: the model that answers prompt and agent hooks where the host brings none."""

from __future__ import annotations

from hookline.dialects.reading.reader import Reader
from hookline.model.typing import Any

KEYS = ("model", "base_url", "key_env", "models")
OWN_SCOPES = ("user", "managed")


def judge_settings(root: Reader, scope: str) -> dict[str, Any]:
    """`{"judge:SCOPE": {model, base_url, key_env, models}}` of one file.

    Only the user's and the machine's own files may say where questions go, and with which key: they hold
    what the agent is doing, and a workspace could send them, and the key, to an address of its choice.
    """
    table = root.object("judge")
    if table is None:
        return {}
    if scope not in OWN_SCOPES:
        words = "only your own file and the machine's may choose the model that judges"
        hint = "move `[judge]` to ~/.config/hookline/hooks.toml"
        root.report_key("judge", "judge-not-own", words, hint, severity="error")
        return {}
    table.unknown_keys(KEYS, severity="error")
    model = table.string("model", required=True, wanted="`anthropic:NAME` or `openai:NAME`") or ""
    _checked_name(table, model)
    base_url = table.string("base_url") or ""
    if base_url and not base_url.startswith(("http://", "https://")):
        node = table.members["base_url"]
        table.report(node, "bad-value", f"expected http:// or https://, found `{base_url}`")
        return {}
    models = table.string_map("models") or {}
    if table.broken:
        return {}
    found = {"model": model, "base_url": base_url, "key_env": table.string("key_env") or "", "models": models}
    return {f"judge:{scope}": found}


def _checked_name(table: Reader, text: str) -> None:
    provider, colon, name = text.partition(":")
    if text and not (provider and colon and name):
        node = table.members["model"]
        table.report(node, "bad-value", f"expected `PROVIDER:NAME`, found `{text}`", "write `anthropic:NAME`")
