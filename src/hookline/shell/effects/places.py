"""Places that matter whoever owns the rule: secrets, and what a machine runs by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookline.shell.reading import CONTAINED, OF_COMPOUND, Command, Step, Word
from hookline.system.patterns.late import late

# Files with keys and passwords.
_SECRETS = (
    r"\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$|test$|schema$)[\w.-]+)?~?$", r"\.envrc$",
    r"\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc\.key)$", r"(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)(?:$|[^/.]*$)",
    r"\.ssh(?:$|/(?!config$|known_hosts|authorized_keys|.*\.pub$))",
    r"\.aws(?:$|/(?:credentials|config|sso|cli/cache))",
    r"\.(?:netrc|pgpass|npmrc|pypirc|my\.cnf|git-credentials|dockercfg|htpasswd|vault-token)$",
    r"\.docker/config\.json$", r"\.kube(?:$|/config)", r"etc/(?:kubernetes/.*\.conf|rancher/\w+/\w+\.yaml)$",
    r"\.git/config$", r"\.gnupg(?:$|/)",
    r"\.config/(?:gcloud(?:$|/)|gh(?:$|/hosts\.yml)|op(?:$|/))", r"\.azure(?:$|/)", r"\.terraform\.d/credentials",
    r"etc/(?:shadow|gshadow|sudoers)", r"application_default_credentials\.json$", r"service[-_]account.*\.json$",
    r"(?:^|/)(?:secrets?|credentials?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$", r"\.secret/keychain$",
    r"\.(?:mozilla|config/google-chrome|thunderbird|electrum|bitcoin|ethereum/keystore)(?:/|$)",
    r"/proc/(?:self|\d+|\*)/(?:environ|mem)$|/proc/kcore$", r"\.bash_history$", r"\.zsh_history$", r"(?:^|/)certs/?$",
    r"(?:^|/)(?:certs?|keys|secrets|private|ssl|tls)/[\w-]+\.$",
    r"\.(?:claude/\.credentials|codex/auth|gemini/oauth_creds|kaggle/kaggle)\.json$", r"etc/passwd$", r"run/secrets/",
    r"huggingface/token$",
    r"(?:^(?:~|\$\{?HOME\}?|/|/root|/(?:home|Users)(?:/[^/]+)?))$",  # with all that is in them
    r"rclone/rclone\.conf$", r"\.(?:s3cfg|boto|databrickscfg)$", r"\.cargo/credentials(?:\.toml)?$",
)  # fmt: skip
SECRET_NAMES = (
    ".env",
    "id_rsa",
    "id_ed25519",
    "credentials.json",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "server.pem",
)
# What starts by itself: shells, logins, timers, services, git.
_STARTED = (
    r"\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|shrc|lessfilter)$",
    r"\.(?:xinitrc|xprofile|xsession|xsessionrc|pam_environment|inputrc|vimrc|emacs|pythonrc)$",
    r"\.config/(?:fish|nushell|elvish|xonsh|tmux|sway|i3|hypr|openbox)/",
    r"etc/(?:profile|bash\.bashrc|bashrc|zsh|zshrc|zshenv|environment|rc\.local|rc\d?\.d|init\.d|inittab|crontab|anacrontab)",
    r"etc/(?:cron\.\w+|ld\.so\.preload|ld\.so\.conf|systemd|pam\.d|sudoers|profile\.d|modules|udev|xdg/autostart)",
    r"var/spool/(?:cron|at)", r"\.ssh/(?:authorized_keys2?|rc|config|environment)$", r"(?:\.?config|share)/systemd/",
    r"(?:lib|run)/systemd/", r"Library/Launch(?:Agents|Daemons)(?:/|$)",
    r"Library/Preferences/(?:ByHost/)?com\.apple\.loginwindow\b[^/]*\.plist$", r"\.config/autostart(?:/|$)",
    r"\.git/(?:hooks(?:/|$)|config$)", r"\.gitconfig$", r"\.config/git/", r"\.local/share/applications/",
    r"PowerShell/[\w.]*profile\.ps1$", r"sitecustomize\.py$", r"usercustomize\.py$", r"site-packages/[^/]+\.pth$",
    r"Start Menu[\\/]Programs[\\/]Startup(?:[\\/]|$)",
)  # fmt: skip
_HISTORY = (
    r"\.git(?:$|/(?:refs|objects|logs|HEAD|packed-refs|index)(?:/|$))",
    r"[\w.-]+\.git/(?:refs|objects|logs|HEAD|packed-refs)(?:/|$)",
)
_PATTERNS: dict[str, re.Pattern[str]] = {}


def starts_by_itself(path: str) -> bool:
    """Whether something runs what stands in a file without being asked each time."""
    return bool(_pattern("started", _STARTED).search(path))


def is_history(path: str) -> bool:
    """Whether a path is git's own: what was committed, and what it was called."""
    return bool(_pattern("history", _HISTORY).search(path))


def holds_secrets(path: str) -> bool:
    """Whether a path looks like a file, or a folder, with keys and passwords."""
    return bool(_pattern("secrets", _SECRETS).search(path))


def is_secret(word: Word) -> bool:
    """The same of a word of a line: by what of it is known."""
    text = word.literal
    if text is None:
        text = "".join(part if isinstance(part, str) else part.text or "*" for part in word.parts).rstrip(
            "*?"
        )
    return holds_secrets(text.rstrip("/") or "/")


def _pattern(name: str, parts: tuple[str, ...]) -> re.Pattern[str]:
    found = _PATTERNS.get(name)
    if found is None:
        # a place begins a name, an ending (`.pem`) follows one
        body = "|".join(
            part if part.startswith(("(?:^", r"\.(?:pem", "/")) else rf"(?:^|/){part}" for part in parts
        )
        found = _PATTERNS[name] = re.compile(body, re.IGNORECASE)
    return found


# What runs a command in a container that is there already, and what an application has of its own in one.
_INTO_CONTAINERS = late(r"(?:docker|podman|nerdctl)(?: compose| container)? exec$")
_STORES = (
    "postgres|pgsql|mysql|maria|mongo|redis|elastic|cassandra|click|influx|neo4j|rabbit|kafka|zoo|etcd|vault"
)
_OF_CONTAINERS = late(
    r"/(?:app|workspaces?|work|code|src|root|usr/src|var/(?:www|log|cache|tmp))/[^/]+|/(?:srv|opt|home)/[^/]+/[^/]+"
    rf"|/var/lib/(?!{_STORES})[^/]+"
)


def is_of_container(via: Sequence[Step], path: str, name: str) -> bool:
    """Whether it is done to a container's own files: anything in one that is thrown away; in one that runs already,
    anything is written there, or what is an application's removed.
    """
    if any(step.how.endswith(CONTAINED) for step in via):
        return True
    within = any(_INTO_CONTAINERS.match(step.how) for step in via)
    return within and (name != "delete" or _OF_CONTAINERS.match(path) is not None)


def only_looks(command: Command) -> bool:
    """`</dev/tcp/db/5432`, `echo > /dev/tcp/db/5432`: whether somebody listens there, for nothing is sent or read."""
    compound = [step.how for step in command.via[-1:]] == [OF_COMPOUND]
    kept = any((each.fd or 0) > 9 for each in command.redirections)  # `: {a}>x` stays open
    return command.argv in ((), ("echo",), (":",), ("true",)) and not compound and not kept
