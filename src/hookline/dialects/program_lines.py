"""Calls of servers that are called after a program as its lines: git's verbs, sub-commands of others, containers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects.service_names import words_of
from hookline.dialects.service_words import LOOKS
from hookline.dialects.spelling import folded
from hookline.dialects.tool_lines import flat
from hookline.dialects.tools import ARGUMENTS
from hookline.model.typing import Any

_OF_GIT = frozenset((
    "add", "branch", "checkout", "clean", "commit", "config", "fetch", "gc", "merge", "mv", "pull", "push", "rebase",
    "reflog", "remote", "reset", "restore", "revert", "rm", "stash", "submodule", "switch", "tag", "worktree",
    "cherry-pick", "filter-branch", "filter-repo", "update-ref",
))  # fmt: skip
_OF_SEVERAL = frozenset(
    ("reflog", "remote", "stash", "submodule", "worktree")
)  # the next word says what is done
_HOW = frozenset((
    "all", "amend", "delete", "force", "hard", "keep", "mirror", "mixed", "root", "soft",
))  # fmt: skip
_NO_WORDS = frozenset((
    "body", "cwd", "message", "path", "repo", "repopath", "repository", "workingdirectory",
))  # fmt: skip
_OF_FILES = ("file", "filename", "filepath", "filepaths", "files", "paths", "pathspec")
_TOLD_TO = ("action", "mode", "operation", "scope", "subcommand")


def line_of_git(name: str, given: Mapping[str, Any]) -> str:
    """The line that says the same as a call of a git server: `git_push` with `force` is `git push --force`."""
    server, _, tool = name.rpartition("__")
    said = words_of(tool)
    several = [
        each
        for value in given.values()
        if isinstance(value, list)
        for each in value
        if isinstance(each, dict)
    ]
    if several and "git" in (*words_of(server), *said):  # `{"actions": [{"type": "push", "force": true}]}`
        return "\n".join(
            filter(
                None, (line_of_git(f"git__{each.get('type', each.get('action'))}", each) for each in several)
            )
        )
    told = next((str(given[key]) for key in ("operation", "subcommand", "action") if key in given), "")
    said = _joined(said if _OF_GIT.intersection(said) else [*said, told])
    verb = next((word for word in said if word in _OF_GIT or word in LOOKS), "")
    if verb not in _OF_GIT or not ("git" in words_of(server) or said[0] == "git"):
        return ""
    from shlex import join

    how, words, files = list[str](), list[str](), list[str]()
    how += [word for word in said if word in _HOW or (verb in _OF_SEVERAL and word not in (verb, "git"))]
    inner = (value for value in given.values() if isinstance(value, dict))
    for key, value in [pair for part in (given, *inner) for pair in part.items()]:
        if value is True:
            words.append(option_of(key))
        elif isinstance(value, str) and value and folded(key) in _OF_FILES:
            files.append(value)
        elif isinstance(value, str) and verb in ("gc", "reflog") and folded(key) in ("expire", "prune"):
            words.append(f"--{folded(key)}={value}")
        elif isinstance(value, str) and value and folded(key) in _TOLD_TO:
            how += [value] * (value != verb)
        elif isinstance(value, str) and value and folded(key) not in _NO_WORDS:
            words.append(value)
        elif isinstance(value, list) and folded(key) in (*ARGUMENTS, "options", "flags", "refs", "refspecs"):
            words += flat(value)
        elif isinstance(value, list) and folded(key) in _OF_FILES:
            files += flat(value)
    if verb not in _OF_SEVERAL:
        how = [f"--{'delete' if word == 'remove' else word.lstrip('-')}" for word in how]
    return join(("git", verb, *how, *words, *(["--", *files] if files else ())))


def _joined(said: list[str]) -> list[str]:
    """Words of a verb of two: `git_filter_repo`, and what an amended commit is."""
    for pair in (("filter", "repo"), ("filter", "branch"), ("update", "ref"), ("cherry", "pick")):
        if pair[0] in said and pair[1] in said:
            return ["git", "-".join(pair)]
    if {"revert", "undo", "discard"}.intersection(said) and {"file", "files"}.intersection(said):
        return ["git", "checkout"]
    return ["git", "commit", "amend"] if "amend" in said else said


_SAME = {
    **dict.fromkeys(("bypasshooks", "nohooks", "skiphooks", "skipverify"), "--no-verify"),
    **dict.fromkeys(("deletevolumes", "removevolumes", "withvolumes"), "--volumes"),
}  # fmt: skip


def option_of(key: str) -> str:
    """An argument as an option: `forceWithLease` is `--force-with-lease`."""
    if (same := _SAME.get(folded(key))) is not None:
        return same
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


def line_of_program(name: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`kubectl` with `args`, and `terraform__destroy`, as the line that does the same."""
    server, _, tool = name.rpartition("__")
    if tool in _SERVERS and ("command" in fields or not ARGUMENTS.isdisjoint(fields)):
        return _line_of_server(server, tool, given, fields)
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
    if (
        program == "docker"
        and ("container" in words or "image" in fields)
        and words[-1] in ("container", "run", "create")
    ):
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


# Servers that are called after a program, and what they do by its own sub-commands.
_SERVERS = {
    **{name: name for name in (
        "git", "npm", "pnpm", "yarn", "bun", "pip", "uv", "cargo", "gem", "brew", "poetry", "composer", "docker",
        "podman", "helm", "terraform", "tofu", "pulumi", "kubectl", "apt", "conda", "gradle", "hg", "svn", "aws", "az",
        "gcloud", "gh", "glab", "oc", "istioctl", "argocd", "flux", "curl", "vault", "consul", "nomad", "doctl",
    )},
    "redis": "redis-cli", "valkey": "redis-cli", "homebrew": "brew",
    "django": "manage.py", "drush": "drush", "artisan": "php artisan",
    "systemd": "systemctl", "kubernetes": "kubectl",
}  # fmt: skip
_SUB_COMMANDS = {
    **dict.fromkeys(("docker", "podman"), ("kill", "push", "rm", "rmi")),
    "helm": ("push", "install", "upgrade"), "git": (), "kubectl": (),
    "redis-cli": (), "manage.py": (), "drush": (), "php artisan": (),
    "systemctl": ("disable", "restart", "start", "stop"),
}  # fmt: skip
_OF_PACKAGES = (
    "add", "deprecate", "install", "publish", "push", "remove", "uninstall", "unpublish", "update", "upgrade", "yank",
)  # fmt: skip
_SAYS = frozenset(("call", "cli", "command", "exec", "execute", "generic", "management", "raw", "run"))
_NAMED = frozenset((
    "container", "containerid", "id", "package", "packages", "packagename", "formula", "formulae", "name",
    "names", "service", "unit", "crate", "image", "repository", "options", "flags", "url", *ARGUMENTS,
))  # fmt: skip


def _line_of_server(server: str, tool: str, given: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """`mcp__redis__execute` with `FLUSHALL`, `mcp__npm__install` with `packages`, as the line that does the same."""
    from shlex import join

    of_tool = words_of(tool)
    named = next((each for each in (*reversed(of_tool), *words_of(server)) if each in _SERVERS), "")
    words = [each for each in of_tool if each != named]
    if not named:
        return ""
    program = _SERVERS[named]
    if set(words) <= _SAYS:
        command = fields.get("command", fields.get("cmd", ""))
        said = command if isinstance(command, str) else join(flat(command))
        before = [text for key in ("service", "url") if isinstance(text := fields.get(key), str)]
        line = " ".join((*before, said, *_arguments(fields))).strip()
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
    options += _arguments(fields)
    return f"{join(('docker', 'run', *options, str(fields.get('image', 'image'))))} {started}"


_GIVEN = {
    "-v": ("volumes", "volume", "mounts", "binds"), "--network": ("network", "networkmode"),
    "--pid": ("pid", "pidmode"), "--cap-add": ("capadd", "capabilities"),
}  # fmt: skip
