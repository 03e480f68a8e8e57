"""What a name stands for: the program of its row, with the sub-command where it says one."""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.shell.programs.table import Programs
from hookline.shell.reading import Word

_INIT_SCRIPTS = ("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")  # `service NAME` starts these
_STAND_INS = {
    "hub": "git", "k": "kubectl", "kubecolor": "kubectl",
    # packages that are called otherwise than the program in them: `npx netlify-cli deploy`
    "netlify-cli": "netlify", "firebase-tools": "firebase", "aws-cdk": "cdk", "eas-cli": "eas",
    "vercel-cli": "vercel", "railway-cli": "railway", "angular-cli": "ng", "sentry-cli-binary": "sentry-cli",
    "amplify-cli": "amplify", "shopify-cli": "shopify", "changesets-cli": "changeset",
}  # fmt: skip
_VERSIONED = re.compile(r"([\w.+-]+)(?:@|==|~=|!=|[<>\[])")  # `npx wrangler@4`, `uvx twine==5`


def usual_names(name: str, word: Word, programs: Programs) -> tuple[str, ...]:
    """The program, and the sub-command, that a name stands for: `git-push`, `docker-compose`, `/etc/init.d/cron`."""
    if word.parts[0] != name and word.prefix.startswith(("@", *_INIT_SCRIPTS)):
        if word.prefix[0] != "@":
            return "service", name
        name = f"{word.prefix[1:].partition('/')[0]}-{name}"  # `npx @railway/cli`
    return _usually(name, programs)


@lru_cache(4096)
def _usually(name: str, programs: Programs) -> tuple[str, ...]:
    if name.startswith("git-") and programs.row(("git", name[4:])) and programs.row((name,)) is None:
        return "git", name[4:]
    if name in ("docker-compose", "podman-compose"):
        return name[:6], "compose"
    return (known_name(name, programs),)


def known_name(name: str, programs: Programs) -> str:
    """The name under which a program has a row: `python3.12` is `python3`'s; some pass all on to another."""
    if name in _STAND_INS:
        return _STAND_INS[name]
    if programs.row((name,)) is None:
        plain = name.rstrip("0123456789.-")
        if plain and plain != name and programs.row((plain,)) is not None:
            return plain
        if not name.istitle() and not name.islower() and programs.row((name.lower(),)) is not None:
            return name.lower()  # to the file system of most Macs `RM` is `rm`; `Find` begins a sentence
        if found := _VERSIONED.match(name):
            return known_name(found[1], programs)
    return name
