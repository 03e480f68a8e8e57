"""Calls of servers as the lines that do the same: code by its language, what is done to the machine, secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.dialects.service_names import words_of
from hookline.dialects.service_words import ACTS, CHANGES, LOOKS
from hookline.model.typing import Any

# A tool that runs code: the arguments that say its language and hold it, and what would run it on a line.
_LANGUAGES = ("language", "lang", "interpreter", "runtime")
_CODE = ("code", "script", "source", "cellsource", "cellcontent", "snippet")
_RUNS = frozenset((
    "automation", "eval", "evaluate", "exec", "execute", "executor", "interpreter", "invoke", "repl", "run", "runner",
))  # fmt: skip
ONLY_LOOKS = frozenset((
    "analyse", "analyze", "check", "explain", "format", "lint", "parse", "review", "search",
))  # fmt: skip
_INTERPRETERS = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), ()),
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter", "kernel", "colab"), ("python3", "-c")),
    **dict.fromkeys(("mongo", "mongodb", "mongosh"), ("mongosh", "--eval")),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "typescript", "ts"), ("node", "-e")),
    **dict.fromkeys(("applescript", "osascript", "macos"), ("osascript", "-e")), "powershell": ("pwsh", "-c"),
    "groovy": ("groovy", "-e"),
    "ruby": ("ruby", "-e"), "perl": ("perl", "-e"), "php": ("php", "-r"),
}  # fmt: skip


def flat(listed: object) -> Iterator[str]:
    """The words of a list, and of what it holds, from the first to the last."""
    left = [listed]
    while left:
        value = left.pop()
        if isinstance(value, (list, dict)):
            left += reversed(list(value.values() if isinstance(value, dict) else value))
        elif value is not None:
            yield str(value)


def line_of_code(words: frozenset[str], server: frozenset[str], fields: Mapping[str, Any]) -> str:
    """The line that would run the code which a tool is given; of one that names no language, nor does its server, it is
    Python.
    """
    named_so = (key for key in fields if key.endswith("code") or key.startswith(("code", "script")))
    keys = (*_CODE, *named_so, *(("content",) if any(key in fields for key in _LANGUAGES) else ()))
    code = next((text for key in keys if isinstance(text := fields.get(key), str)), "")
    runs = words & _RUNS or words - {"i", "tool"} <= _INTERPRETERS.keys()
    if not code or not runs or words & ONLY_LOOKS:
        return ""
    from shlex import join

    said = (str(fields[key]).lower() for key in _LANGUAGES if key in fields)
    named = sorted(words & _INTERPRETERS.keys()) or sorted(server & _INTERPRETERS.keys())
    language = next(said, "") or next(iter(named), "python" if words & {"cell", "code", "notebook"} else "")
    runner = _INTERPRETERS.get(language)
    return "" if runner is None else join((*runner, code)) if runner else code


_OF_ANSIBLE = (("modulename", "module"), ("moduleargs", "args"))


def line_of_machine(words: frozenset[str], server: frozenset[str], fields: Mapping[str, Any]) -> str:
    """What a server does to the machine that it runs on: a mode of a file, a signal, a job of cron, a compose file."""
    from shlex import join, quote

    if "chmod" in words and "path" in fields and "mode" in fields:
        return join(("chmod", str(fields["mode"]), str(fields["path"])))
    if "chown" in words and "path" in fields and "owner" in fields:
        return join(("chown", str(fields["owner"]), str(fields["path"])))
    if "process" in words and words & {"kill", "signal"} and "pid" in fields:
        return join(
            ("kill", "-s", str(fields.get("signal", "TERM")).upper().removeprefix("SIG"), str(fields["pid"]))
        )
    if "kill" in words and "process" in words | server and isinstance(fields.get("name"), str):
        return join(("pkill", fields["name"]))
    module, said = (next((fields[key] for key in keys if key in fields), "") for keys in _OF_ANSIBLE)
    if "ansible" in words | server and module and isinstance(said, str):
        return join(
            ("ansible", str(fields.get("pattern", fields.get("hosts", "all"))), "-m", str(module), "-a", said)
        )
    command = fields.get("command")
    if isinstance(command, dict) and "mongo" in "".join(server):  # `{"dropDatabase": 1}`
        return join(("mongosh", "--eval", f"db.runCommand({{{', '.join(map(str, command))}}})"))
    if (words | server) & {"cron", "crontab"} and isinstance(command, str) and "run" not in words:
        return f"crontab jobs\n{command}"
    composed = next(
        (text for key, text in fields.items() if key.startswith("compose") and "\n" in str(text)), None
    )
    return (
        f"echo {quote(composed)} > compose.yaml && docker compose up -d" if isinstance(composed, str) else ""
    )


def line_of_download(words: frozenset[str], fields: Mapping[str, Any]) -> str:
    """`download_and_execute` and `run_script_from_url` as the line that does the same."""
    url = fields.get("url", fields.get("scripturl", ""))
    fetched = {"and", "download"} <= words or "url" in words
    if not (isinstance(url, str) and url and fetched and words & {"execute", "run"}):
        return ""
    from shlex import join

    return join(("curl", url)) + " | sh"


_SECRETS = frozenset((
    "credential", "credentials", "keyvault", "kubeconfig", "mnemonic", "passphrase", "password", "passwords",
    "secret", "secrets",
))  # fmt: skip
_KEYS = tuple(map(frozenset, (
    ("connection", "string"), ("private", "key"), ("api", "key"), ("seed", "phrase"), ("recovery", "codes"),
    ("backup", "codes"), ("kube", "config"),
)))  # fmt: skip
_TOLD = frozenset((
    "access", "decrypt", "download", "dump", "export", "fetch", "get", "read", "resolve", "retrieve",
    "reveal", "show", "unwrap", "view",
))  # fmt: skip
_NAMES_ALONE = frozenset((
    "alert", "alerts", "count", "exists", "list", "locations", "metadata", "names", "policy", "scan",
    "scanning", "search", "status", "versions",
))  # fmt: skip


# What keeps nothing but secrets, and what it calls one.
_VAULTS = frozenset((
    "bitwarden", "dashlane", "keepass", "keychain", "keyring", "lastpass", "onepassword", "passbolt", "password",
    "passwords", "proton", "protonpass", "vault", "vaultwarden",
))  # fmt: skip
_ENTRIES = frozenset(("entry", "item", "login", "note", "otp", "totp"))


def line_of_secret(name: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """What a vault is asked for, as the line of one: `keyring get prod/db`; names alone tell no secret."""
    from shlex import join

    server, _, tool = name.rpartition("__")
    told = [
        word
        for key in ("action", "command", "method", "object", "operation")
        for word in words_of(str(fields.get(key, "")))
    ]
    words = {*words_of(tool), *told}
    server_words = words_of(server)
    about = (
        bool(words & (_SECRETS | {"reveal", "unseal"}))
        or any(pair <= words for pair in _KEYS)
        or ("vault" in words and bool(words & {"dump", "export"}))
        or (bool(words & _ENTRIES) and not _VAULTS.isdisjoint(server_words))
        or fields.get("withdecryption") is True
    )
    # `pg_credentials`: what it is called after is all that it does
    tells = words & _TOLD or (about and not words & (ACTS | CHANGES | LOOKS) and "secrets" not in words)
    if not tells or words & _NAMES_ALONE or not about:
        return ""
    return join(
        (
            "keyring",
            "get",
            server_words[-1] if server_words else "vault",
            *filter(None, (str(each) for each in flat([*given.values()]))),
        )
    )
