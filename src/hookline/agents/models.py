"""From `--model` to a model: `scripted:FILE`, `anthropic:NAME`, `openai:NAME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hookline.agents import anthropic, openai
from hookline.agents.base import Model
from hookline.agents.llm import open_llm
from hookline.agents.scripted import RecordingModel, ScriptedModel, load_script
from hookline.model.errors import UsageError


def open_model(
    text: str, environment: Mapping[str, str], base_url: str | None = None, record: str | None = None
) -> Model:
    """The model `PROVIDER:NAME` names. Raises UsageError for an unknown provider or a missing key."""
    provider, colon, name = text.partition(":")
    if not colon or not name or provider not in PROVIDERS:
        known = ", ".join(f"`{entry}:…`" for entry in PROVIDERS)
        raise UsageError(f"a model is one of {known}, not `{text}`")
    model = PROVIDERS[provider](name, environment, base_url)
    if record is None:
        return model
    return RecordingModel(model, record)


def _scripted(name: str, environment: Mapping[str, str], base_url: str | None) -> Model:
    if base_url:
        raise UsageError(
            "`scripted:` asks no server, so there is no use for a base URL", "leave `--base-url` out"
        )
    return ScriptedModel(load_script(name))


PROVIDERS: Mapping[str, Callable[[str, Mapping[str, str], str | None], Model]] = {
    "scripted": _scripted,
    "anthropic": lambda name, env, url: open_llm(anthropic.Anthropic(), name, env, url, anthropic.BASE_URL),
    "openai": lambda name, env, url: open_llm(openai.OpenAi(), name, env, url, openai.BASE_URL),
}
