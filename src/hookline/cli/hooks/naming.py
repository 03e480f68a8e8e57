"""The hook a person names on a command line: by id, by enough of its id, or by name."""

from __future__ import annotations

from hookline.cli.hooks.listing import usable
from hookline.cli.render import one_line
from hookline.dialects.spelling import suggestion
from hookline.engine.hookset import HookSet
from hookline.model.errors import UsageError
from hookline.model.hooks import HookSpec

SHOWN = 8


def hook_named(text: str, hooks: HookSet) -> HookSpec:
    """The one hook meant by `text`. Raises UsageError for none, and for several, which are listed."""
    found = hooks.named(text)
    if len(found) == 1:
        return found[0]
    if found:
        shown = [f"`{spec.id}`" + (f" ({one_line(spec.name, 40)})" if spec.name else "") for spec in found]
        more = ", …" if len(shown) > SHOWN else ""
        raise UsageError(
            f"`{text}` fits {len(found)} hooks", f"write one of {', '.join(shown[:SHOWN])}{more}"
        )
    known = [word for spec in usable(hooks.specs) for word in (spec.id, spec.name) if word]
    raise UsageError(f"no hook `{text}`", suggestion(text, known, "`hookline list` shows the ids"))
