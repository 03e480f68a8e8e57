"""What commands read that nobody else should see, and whether they talk to others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds, Effect
from hookline.shell.effects.places import is_secret
from hookline.shell.programs.one_word import is_variables
from hookline.shell.reading import below
from hookline.system.patterns.late import late

LOADERS = frozenset((("export",), ("declare",), ("env",)))


def loaded(found: Sequence[Deeds]) -> list[Deeds]:
    """With a file read for its variables alone where `export $(grep -v '^#' .env | xargs)` sets these."""
    words = [word for each in found if each.given.path in LOADERS for word in each.command.words[1:]]
    spans = [(word.start, word.end) for word in words if is_variables(word)]
    return [_as_loads(each) if any(a < each.command.start < b for a, b in spans) else each for each in found]


def _as_loads(deeds: Deeds) -> Deeds:
    effects = tuple(replace(each, name="loads") if each.name == "read" else each for each in deeds.effects)
    return replace(deeds, effects=effects, marks=deeds.marks | {"loads"})


def names_alone(effects: Iterable[Effect]) -> list[Effect]:
    """With files of variables as loaded, of which nothing is shown but names: a key has no `=` that ends one."""
    return [replace(each, name="loads") if _is_of_variables(each) else each for each in effects]


def _is_of_variables(effect: Effect) -> bool:
    last = effect.target.parts[-1] if effect.name == "read" and effect.target and effect.target.parts else ""
    return isinstance(last, str) and bool(re.search(r"\.env(?:\.[\w-]+)*$", last))


def reads_secret(deeds: Deeds) -> bool:
    """Whether a command reads what nobody else should see: a file with secrets, or all variables."""
    if "shows" in deeds.marks or ("dumps" in deeds.marks and not deeds.given.operands):
        return True
    return any(
        effect.name == "read" and effect.target is not None and is_secret(below(effect.cwd, effect.target))
        for effect in deeds.effects
    )


def connects(deeds: Deeds) -> bool:
    """Whether a command talks to another host."""
    return any(effect.name == "connect" for effect in deeds.effects)


# Keys that no service is told, and those that one is: hosts which are called after it, or stand before it.
_NEVER_SENT = late(r"^\$\{?(?:AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|(?:\w+_)?PRIVATE_KEY|DATABASE_URL)\b")
_OF_SERVICE = late(
    r"^\$\{?(GITHUB|GH|GITLAB|NPM|PYPI|STRIPE|SLACK|DISCORD|SENDGRID|TWILIO|CLOUDFLARE|DIGITALOCEAN|HEROKU|VERCEL|NETLIFY"
    r"|DATADOG|SENTRY|LINEAR|NOTION|OPENAI|ANTHROPIC|HF|AWS)_(?:\w+_)?(?:TOKEN|KEY|SECRET|PASSWORD|PAT)\b"
)
# Who asks for the address of a name tells it to whoever answers for the names below that one.
_LOOK_UP = frozenset(
    (name,) for name in ("dig", "nslookup", "host", "ping", "ping6", "drill", "kdig", "getent")
)
_CALLED_SECRET = late(
    r"^\$\{?(?:\w+_)?(?i:TOKEN|SECRET|PASSWORD|PASSWD|PASS|API_?KEY|SECRET_KEY|CREDENTIALS?)\}?$"
)
_NAMES = {
    "GH": "git",
    "GITHUB": "git",
    "GITLAB": "git",
    "HF": "hugging",
    "PYPI": "py",
    "DATADOG": "datad",
    "AWS": "a",
}
_OWN = late(
    r"^(?:127|10|192\.168|172|localhost)\.|^(?:api|llm|proxy|gateway|git|ghe|registry)[.-]|\.(?:local|internal|lan|corp|test)$"
)


def sends_key(deeds: Deeds) -> bool:
    """Whether it sends a variable with a key to somebody whose key it is not."""
    given = deeds.given
    values = (each.value for each in given.options if each.value is not None and "-u" not in each.names)
    words = [*given.operands, *values, *([deeds.command.stdin] if deeds.command.stdin is not None else ())]
    texts = [hole.text for word in words for hole in word.holes]
    if any(map(_NEVER_SENT.search, texts)) or (
        given.path[:1] in _LOOK_UP and any(map(_CALLED_SECRET.search, texts))
    ):
        return True
    services = {found[1] for text in texts if (found := _OF_SERVICE.search(text)) is not None}
    if not services:
        return False
    targets = [each.target for each in deeds.effects if each.name == "connect" and each.target is not None]
    hosts = ["".join(part for part in each.parts if isinstance(part, str)).lower() for each in targets]
    return any(
        _NAMES.get(service, service.lower()) not in host
        for service in services
        for host in hosts
        if re.search(r"\w\.\w", host) and not _OWN.search(host)
    )
