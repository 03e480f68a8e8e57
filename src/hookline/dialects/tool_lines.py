"""Calls of servers as the lines that do the same: code by its language, git's verbs, programs by their sub-commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects.service_names import words_of
from hookline.dialects.service_words import ACTS, CHANGES, LOOKS
from hookline.dialects.spelling import folded
from hookline.dialects.tools import ARGUMENTS
from hookline.model.typing import Any

# A tool that runs code: the arguments that say its language and hold it, and what would run it on a line.
_LANGUAGES = ("language", "lang", "interpreter", "runtime")
_CODE = ("code", "script", "source", "cellsource", "cellcontent", "snippet")
_RUNS = frozenset((
    "automation", "eval", "evaluate", "exec", "execute", "executor", "interpreter", "repl", "run", "runner",
))  # fmt: skip
ONLY_LOOKS = frozenset((
    "analyse", "analyze", "check", "explain", "format", "lint", "parse", "review", "search",
))  # fmt: skip
_INTERPRETERS = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), ()),
    **dict.fromkeys(("python", "python3", "py"), ("python3", "-c")),
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
    code = next((text for key in (*_CODE, *named_so) if isinstance(text := fields.get(key), str)), "")
    runs = words & _RUNS or words - {"i", "tool"} <= _INTERPRETERS.keys()
    if not code or not runs or words & ONLY_LOOKS:
        return ""
    from shlex import join

    said = (str(fields[key]).lower() for key in _LANGUAGES if key in fields)
    named = sorted(words & _INTERPRETERS.keys()) or sorted(server & _INTERPRETERS.keys())
    language = next(said, "") or next(iter(named), "python" if words & {"cell", "code", "notebook"} else "")
    runner = _INTERPRETERS.get(language)
    return "" if runner is None else join((*runner, code)) if runner else code


_OF_GIT = frozenset((
    "add", "branch", "checkout", "clean", "commit", "config", "fetch", "merge", "mv", "pull", "push", "rebase",
    "reflog", "remote", "reset", "restore", "revert", "rm", "stash", "submodule", "switch", "tag", "worktree",
))  # fmt: skip
_OF_SEVERAL = frozenset(
    ("reflog", "remote", "stash", "submodule", "worktree")
)  # the next word says what is done
_HOW = frozenset((
    "all", "delete", "force", "hard", "keep", "mirror", "mixed", "root", "soft",
))  # fmt: skip
_NO_WORDS = frozenset((
    "body", "cwd", "message", "path", "repo", "repopath", "repository", "workingdirectory",
))  # fmt: skip
_TOLD_TO = ("action", "mode", "operation", "scope", "subcommand")


def line_of_git(name: str, given: Mapping[str, Any]) -> str:
    """The line that says the same as a call of a git server: `git_push` with `force` is `git push --force`."""
    server, _, tool = name.rpartition("__")
    said = words_of(tool)
    verb = next((word for word in said if word in _OF_GIT or word in LOOKS), "")
    if verb not in _OF_GIT or not ("git" in words_of(server) or said[0] == "git"):
        return ""
    from shlex import join

    how, words, files = list[str](), list[str](), list[str]()
    how += [word for word in said if word in _HOW or (verb in _OF_SEVERAL and word not in (verb, "git"))]
    for key, value in given.items():
        if value is True:
            words.append(option_of(key))
        elif isinstance(value, str) and value and folded(key) in _TOLD_TO:
            how.append(value)
        elif isinstance(value, str) and value and folded(key) not in _NO_WORDS:
            words.append(value)
        elif isinstance(value, list) and folded(key) in (*ARGUMENTS, "options", "flags"):
            words += flat(value)
        elif isinstance(value, list) and folded(key) in ("files", "paths", "filepaths"):
            files += flat(value)
    if verb not in _OF_SEVERAL:
        how = [f"--{'delete' if word == 'remove' else word}" for word in how]
    return join(("git", verb, *how, *words, *(["--", *files] if files else ())))


def option_of(key: str) -> str:
    """An argument as an option: `forceWithLease` is `--force-with-lease`."""
    return f"-{key}" if len(key) == 1 else "--" + "-".join(words_of(key))


# What a server does that is called after a program, by that one's sub-commands
_OF_PROGRAMS = {
    "docker": ("builder_prune", "container_prune", "image_prune", "network_prune", "system_prune", "volume_prune",
               "volume_rm", "compose_down"),
    "helm": ("delete", "rollback", "uninstall"),
    "pulumi": ("destroy", "up"),
    "terraform": ("apply", "apply_run", "destroy", "state_rm"), "tofu": ("apply", "destroy"),
}  # fmt: skip
_ASKS_NOBODY = {("pulumi", "up"): ("--yes",), ("terraform", "apply"): ("-auto-approve",)}
_CLIENTS = {"psql": "-c", "mysql": "-e", "sqlcmd": "-Q", "sqlplus": "-S", "mongosh": "--eval", "cqlsh": "-e"}
_PROGRAM_TOOLS = frozenset((
    "aws", "az", "docker", "gcloud", "gh", "glab", "helm", "kubectl", "oc", "pulumi", "terraform", "tofu",
))  # fmt: skip


def line_of_program(name: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`kubectl` with `args`, and `terraform__destroy`, as the line that does the same."""
    server, _, tool = name.rpartition("__")
    arguments = next((fields[key] for key in ARGUMENTS if key in fields), None)
    if tool in _PROGRAM_TOOLS and arguments:
        from shlex import join

        return f"{tool} {arguments if isinstance(arguments, str) else join(map(str, flat(arguments)))}"
    if tool.startswith("kubectl_"):
        return _of_kubectl(tool, given, fields)
    if "aws" in (tool.split("_")) and (service := fields.get("servicename", fields.get("service"))):
        deed = next((fields[key] for key in ("operationname", "operation", "action") if key in fields), "")
        return f"aws {service} {re.sub('(?<=[a-z])(?=[A-Z])', '-', str(deed)).replace('_', '-').lower()}"
    words = words_of(tool)
    client = next((each for each in words if each in _CLIENTS), "")
    if client and isinstance(command := fields.get("command"), str):
        from shlex import join

        return join((client, _CLIENTS[client], command))
    program = next((each for each in _OF_PROGRAMS if each in server or each in words), "")
    deed = next(
        (fields[key] for key in ("action", "command", "operation", "subcommand") if key in fields), ""
    )
    if program == "docker" and "container" in words and words[-1] in ("container", "run", "create"):
        return _of_container(given, fields)
    if program == "docker" and words[-1] == "prune":
        return f"docker {fields.get('type', 'system')} prune".replace("s prune", " prune")
    told = words_of(deed) if isinstance(deed, str) and " " not in deed else []
    words += told if "_".join(words[-len(told) :]) != "_".join(told) else []
    verb = "_".join(word for word in words if word not in (program, "cli"))
    if verb not in _OF_PROGRAMS.get(program, ()):
        return _line_of_server(server, tool, given, fields)
    flags = [option_of(key) for key, value in given.items() if value is True]
    flags += _ASKS_NOBODY.get((program, verb), ())
    return " ".join((program, *verb.split("_"), *flags))


_OF_KUBECTL = (
    "subcommand",
    "command",
    "operation",
    "action",
    "resourcetype",
    "kind",
    "resource",
    "name",
    "nodename",
)


def _of_kubectl(tool: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`kubectl_rollout` with `subCommand`, `resourceType` and `name`, as the line of kubectl."""
    from shlex import join

    said = [word for word in words_of(tool)[1:] if word != "generic"]
    said += [text for key in _OF_KUBECTL if isinstance(text := fields.get(key), str)]
    flags = given.get("flags")
    for key, value in {**given, **(flags if isinstance(flags, dict) else {})}.items():
        if value is True:
            said.append(option_of(key))
        elif folded(key) not in _OF_KUBECTL and isinstance(value, (str, int)) and "\n" not in str(value):
            said.append(f"{option_of(key)}={value}")
    return join(("kubectl", *said, *_arguments(fields)))


def line_of_machine(words: frozenset[str], server: frozenset[str], fields: Mapping[str, Any]) -> str:
    """What a server does to the machine that it runs on: a mode of a file, a signal, a job of cron, a compose file."""
    from shlex import join, quote

    if "chmod" in words and "path" in fields and "mode" in fields:
        return join(("chmod", str(fields["mode"]), str(fields["path"])))
    if "process" in words and words & {"kill", "signal"} and "pid" in fields:
        return join(
            ("kill", "-s", str(fields.get("signal", "TERM")).upper().removeprefix("SIG"), str(fields["pid"]))
        )
    command = fields.get("command")
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
        for key in ("action", "command", "method", "operation")
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


# Servers that are called after a program, and what they do by its own sub-commands.
_SERVERS = {
    **{name: name for name in (
        "git", "npm", "pnpm", "yarn", "bun", "pip", "uv", "cargo", "gem", "brew", "poetry", "composer", "docker",
        "podman", "helm", "terraform", "tofu", "pulumi", "kubectl", "apt", "conda", "gradle", "hg", "svn",
    )},
    "redis": "redis-cli", "valkey": "redis-cli", "homebrew": "brew",
    "django": "manage.py", "drush": "drush", "artisan": "php artisan",
    "systemd": "systemctl", "kubernetes": "kubectl",
}  # fmt: skip
_SUB_COMMANDS = {
    "docker": ("push",), "podman": ("push",), "helm": ("push", "install", "upgrade"), "git": (), "kubectl": (),
    "redis-cli": (), "manage.py": (), "drush": (), "php artisan": (),
    "systemctl": ("disable", "restart", "start", "stop"),
}  # fmt: skip
_OF_PACKAGES = (
    "add", "deprecate", "install", "publish", "push", "remove", "uninstall", "unpublish", "update", "upgrade", "yank",
)  # fmt: skip
_SAYS = frozenset(("call", "cli", "command", "exec", "execute", "generic", "management", "raw", "run"))
_NAMED = frozenset((
    "package", "packages", "packagename", "formula", "formulae", "name", "names", "service", "unit", "crate", "image",
    "repository", "options", "flags", "url", *ARGUMENTS,
))  # fmt: skip


def _line_of_server(server: str, tool: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`mcp__redis__execute` with `FLUSHALL`, `mcp__npm__install` with `packages`, as the line that does the same."""
    from shlex import join

    of_tool = words_of(tool)
    named = next((each for each in (*words_of(server), *of_tool) if each in _SERVERS), "")
    words = [each for each in of_tool if each != named]
    if not named or not words:
        return ""
    program = _SERVERS[named]
    if set(words) <= _SAYS:
        command = fields.get("command", fields.get("cmd", ""))
        line = " ".join(
            (command if isinstance(command, str) else join(flat(command)), *_arguments(fields))
        ).strip()
        return f"{program} {line}\n{line}" if line else ""
    if words[0] not in _SUB_COMMANDS.get(program, _OF_PACKAGES):
        return ""
    values = [text for key, value in fields.items() if key in _NAMED for text in flat([value])]
    return join((program, words[0], *map(option_of, (key for key in given if given[key] is True)), *values))


def _arguments(fields: Mapping[str, Any]) -> Iterator[str]:
    for value in (fields[key] for key in ARGUMENTS if key in fields):
        yield from value.split() if isinstance(value, str) else flat(value)


def _of_container(given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`docker run` with what a call gives a container of the machine."""
    from shlex import join

    command = fields.get("command", ())
    started = command if isinstance(command, str) else join(flat(command))
    options = ["--privileged"] if fields.get("privileged") is True else []
    for option, keys in _GIVEN.items():
        values = next((given_to for key in keys if (given_to := fields.get(key))), ())
        if isinstance(values, dict):  # `{"/": {"bind": "/host"}}`
            values = [f"{key}:{next(iter(flat(value)), '')}" for key, value in values.items()]
        for value in flat(values):
            options += [option, value]
    return f"{join(('docker', 'run', *options, str(fields.get('image', 'image'))))} {started}"


_GIVEN = {
    "-v": ("volumes", "volume", "mounts", "binds"), "--network": ("network", "networkmode"),
    "--pid": ("pid", "pidmode"), "--cap-add": ("capadd", "capabilities"),
}  # fmt: skip
