"""No secret is kept: fresh ones of many kinds, wherever they are printed or typed; harmless text stays as it is."""

from __future__ import annotations

import base64
import json
import random
import string
from pathlib import Path

import pytest
from tests.program import Program

from hookline.model.short_json import write_json
from hookline.state.redaction import Redactor

DIGITS, HEX, CAPITALS = string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits
FORMATS = ("jsonl", "otel", "ocsf", "cloudevents")
DOCS = Path(__file__).parents[2] / "docs"


def fresh(
    length: int, letters: str = string.ascii_letters + string.digits, chance: random.Random | None = None
) -> str:
    chance = chance or random.Random(f"{length}{letters}")
    return "".join(chance.choice(letters) for _ in range(length - 2)) + "a7"


PASSWORD = "Tr4" + fresh(7)
BASIC = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
# A secret, and the texts it stands in
SPOKEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "flag": (PASSWORD, ("run --password {} now", "run --password={}", "x --db-password '{}'",
        "x --passphrase {}")),
    "token flag": (fresh(20), ("x --token={}", "x --auth-token {}", "svc --api-key {} list")),
    "letters only": ("KGpOyQNcdOyZbkBFTF", ("x --token={}", "authorization: bearer {}", "APP_TOKEN={}")),
    "database client": (PASSWORD, ("mysql -uroot -p{} db", "mysqldump -h x -p{} db",
        "redis-cli -h x -a {} ping")),
    "sshpass": (PASSWORD, ("sshpass -p {} ssh h", "sshpass -p{} ssh h")),
    "login": (PASSWORD, ("docker login -u me -p {} reg", "curl -u me:{} http://x")),
    "address": (PASSWORD, ("git clone https://me:{}@host/x", "redis://:{}@cache:6379/0",
        "postgres://u:{}@db/x")),
    "address with @": ("p@" + fresh(7) + "@x", ("git clone https://me:{}@host/x", "amqp://u:{}@q:5672")),
    "netrc": (PASSWORD, ("machine h.io login me password {}", "default\n  login me\n  password {}\n")),
    "npmrc": (BASIC, ('npm config set //r.io/:_password "{}"', "//r.io/:_auth={}", "//r.io/:_authToken {}")),
    "basic": (BASIC, ("Authorization: Basic {}", '"authorization": "Basic {}"',
        "curl -H 'authorization: basic {}'")),
    "bearer": (fresh(32), ("Authorization: Bearer {}", "> authorization: bearer {}",
        "-H 'Authorization: token {}'")),
    "header": (fresh(32), ("X-Api-Key: {}", "x-auth-token: {}", "PRIVATE-TOKEN: {}")),
    "variable": (fresh(14), ("API_TOKEN={}", "export DB_PASSWORD={}", "+ SECRET_KEY={} ./run",
        "client_secret = '{}'")),
    "settings": (PASSWORD, ("password: {}", '  db_password: "{}"', '{{"token": "{}"}}',
        '{{\\"apiKey\\": \\"{}\\"}}', '{{\\\\\\"apiKey\\\\\\": \\\\\\"{}\\\\\\"}}')),
    "short cookie": (PASSWORD, ("curl -H 'Cookie: theme=x; a={}' http://x", "set-cookie: sid={}; Path=/")),
    "programs": (PASSWORD, ("ldapsearch -x -w {} cn", "openssl enc -aes256 -k {} -in f",
        "openssl rsa -in k -passin pass:{}", "vault login {}", "smbclient //h/x -U me%{}",
        "aws configure set aws_secret_access_key {}")),
    "curl's own": (PASSWORD, ("curl --proxy-user me:{} http://x", "curl -U me:{} http://x",
        "curl http://x -b 'a=1; sid={}'", "curl --cookie sid={} http://x", "curl --oauth2-bearer {} http://x",
        "curl --cert c.pem:{} http://x", "curl --pass {} http://x")),
    "archives": (PASSWORD, ("zip -r -P {} a.zip f", "unzip -P {} a.zip", "7z x -p{} a.7z")),
    "rarer programs": (PASSWORD, ("twine upload -u me -p {} d", "htpasswd -bc f me {}",
        "sqlcmd -S h -P {} -Q x", "mongosh -u me -p {}", "mosquitto_pub -u me -P '{}'",
        "ipmitool -H h -P {} power", "lftp -u me,{} h", "gh secret set NAME --body {}",
        "net use x: /user:me {}", "keytool -list -storepass {}",
        "aws secretsmanager create-secret --secret-string {}",
        "kubectl create secret generic x --from-literal=a={}")),
    "by a pipe": (PASSWORD, ("echo {} | docker login -u me --password-stdin", "echo 'me:{}' | sudo chpasswd",
        "printf '%s' {} | gh auth login --with-token", "echo {} | sudo -S ls")),
    "cookie": (fresh(30), ("Cookie: session={}", "set-cookie: sid={}; Path=/")),
    "aws": (fresh(40, string.ascii_letters + DIGITS + "+/"), ("aws_secret_access_key = {}",
        "AWS_SECRET_ACCESS_KEY={}")),
    "azure": (fresh(86) + "==", ("AccountName=x;AccountKey={};EndpointSuffix=core",
        "https://x/c?sv=2024&sig={}")),
    "private key": (fresh(60), (
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}",
        '"-----BEGIN PRIVATE KEY-----\\n{}\\n"', "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{}",
    )),
}  # fmt: skip
# Secrets that are known by their shape alone
SHAPED = [
    "AKIA" + fresh(18, CAPITALS)[:16], "AIza" + fresh(35), "ya29." + fresh(60), "GOCSPX-" + fresh(28),
    "hf_" + fresh(34), "gsk_" + fresh(52), "pypi-AgE" + fresh(80), "npm_" + fresh(36), "ghp_" + fresh(36),
    "github_pat_" + fresh(60), "glpat-" + fresh(20), "xoxb-" + fresh(40), "xapp-1-A" + fresh(40),
    "SG." + fresh(22) + "." + fresh(43), "hvs." + fresh(24), "dop_v1_" + fresh(64, HEX),
        "dapi" + fresh(32, HEX),
    "shpat_" + fresh(32, HEX), "dckr_pat_" + fresh(27), "glsa_" + fresh(32), "whsec_" + fresh(32),
        "lin_api_" + fresh(40),
    "ntn_" + fresh(46), "ATATT3xFf" + fresh(60), "AGE-SECRET-KEY-1" + fresh(60, CAPITALS).upper(),
        "sk-ant-api03-" + fresh(80),
    "eyJ" + fresh(20) + ".eyJ" + fresh(40) + "." + fresh(43), fresh(10,
        "123456789")[:8] + "12:AA" + fresh(33),
    "https://discord.com/api/webhooks/1234567890/" + fresh(68),
        "https://hooks.slack.com/services/T1/B2/" + fresh(24),
]  # fmt: skip
TEXTS = [(secret, text.format(secret)) for secret, texts in SPOKEN.values() for text in texts] + [
    (secret, f"got {secret} here") for secret in SHAPED
]


@pytest.mark.parametrize(("secret", "text"), TEXTS, ids=lambda value: value[:24])
def test_a_secret_goes_wherever_it_stands(secret: str, text: str) -> None:
    """In a text, in a value of many, and never called clean by the quicker look."""
    redactor = Redactor({})
    assert secret not in redactor.text(text) and "[redacted]" in redactor.text(text)
    assert secret not in json.dumps(redactor.value({"a": ["x", {"stdout": f"one\n{text}\ntwo"}]}))
    assert not redactor.is_clean_json(write_json({"stdout": text}))


def test_a_value_under_a_secret_name_goes_and_others_stay() -> None:
    given = {
        "password": PASSWORD,
        "nested": [{"clientSecret": PASSWORD, "token": "string", "path": "a1b2c3d4e5"}],
    }
    kept = {
        "password": "[redacted]",
        "nested": [{"clientSecret": "[redacted]", "token": "string", "path": "a1b2c3d4e5"}],
    }
    assert Redactor({}).value(given) == kept


HARMLESS = """\
    token = new_token2(name)
    def login(password: str, token: str | None = None) -> Session1:
    password=None, token=settings.token1, key=lambda row: row[2]
    max_tokens: 4096, "input_tokens": 1200, tokens=8192
    Authorization: Bearer <token>; --token TOKEN; --password "$PASSWORD"; API_TOKEN=${TOKEN1}
    the password must have 8 characters, a token is expected at line 12
    mysql -p db1; ssh -p 2222 host; mkdir -p build2/out; docker run -p 8080:80 x; login -p
    sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    http://127.0.0.1:8137/?page=2 http://h:80/x?to=a@b.c this machine needs a login and password
    git@github.com:me/x.git user@host:22
    curl -b jar.txt x; unzip -d x a.zip; 7z x -o/tmp a.7z; twine upload -u x dist/*; lftp -u me h; htpasswd -b f
    echo "$TOKEN" | docker login --password-stdin; echo done | tee log; mongosh -p; gh secret set NAME -b "$X"
    openssl base64 -a in.txt; openssl enc -k "$KEY"; ldapsearch -a always; vault login -method=oidc; smbclient -L h
    aws configure set aws_access_key_id x; aws_secret_access_key = <key>; cookie: a=none; cookie: theme=dark
    http://h:80/x?to=a@b.c this machine needs a login and password
    key: sha1, cookie: none, "tokenizer": "cl100k_base", secretary: bob12"""


@pytest.mark.parametrize("line", HARMLESS.splitlines(), ids=lambda line: line.strip()[:24])
def test_what_only_looks_a_little_like_a_secret_stays(line: str) -> None:
    assert Redactor({}).text(line) == line


def test_of_a_thousand_harmless_lines_hardly_one_is_redacted() -> None:
    lines = [
        line for page in sorted(DOCS.rglob("*.md")) for line in page.read_text().splitlines() if line.strip()
    ]
    touched = [line for line in lines if Redactor({}).text(line) != line]
    assert len(lines) > 1000 and len(touched) <= len(lines) // 1000, touched


@pytest.mark.parametrize(
    "unit",
    [
        "--token ",
        "password: ",
        "cookie: ",
        "token=a1",
        "secret",
        "mysql ",
        "curl -u ",
        "login ",
        "machine a login ",
        "://a:@",
        ":_auth ",
        "zip ",
        "curl -b ",
        "htpasswd -b a ",
        "echo a ",
        "echo a | sudo - ",
        "--from-literal=",
    ],
)
def test_a_long_text_of_beginnings_takes_no_longer_than_its_length(unit: str) -> None:
    """By the work done, not by the clock: one that grows with the square would not end within the test's limit."""
    text = unit * (250_000 // len(unit))
    assert Redactor({}).text(text)


@pytest.mark.parametrize(
    "line",
    [
        "curl -H 'Cookie: session={}; a=b' x", 'curl -H "cookie: {}" x', r"curl -H Cookie:\ sid={} x",
        r"curl -H Authorization:\ Bearer\ {} x", r"curl -H x-api-key:\ {} x",
    ],
)  # fmt: skip
def test_in_a_command_a_secret_goes_whatever_it_looks_like(program: Program, line: str) -> None:
    """Letters alone, and behind blanks that a backslash keeps; what stands beside it stays."""
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "curl"\ndeny = "no"\n')
    call = {"tool_name": "Bash", "tool_input": {"command": f"{line.format('hardlyaword')} && ls --all"}}
    assert program("fire", "PreToolUse", stdin=json.dumps(call)).returncode == 2
    kept = program("history", "--json").stdout
    assert "hardlyaword" not in kept and "[redacted]" in kept and "&& ls --all" in kept


def test_what_hooks_print_and_agents_type_is_kept_without_secrets(program: Program) -> None:
    """In the history, its outputs, what is shown of it, and every export."""
    shown = "\n".join(text for _, text in TEXTS)
    program.write("says.txt", shown)
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "says"\nevent = "PostToolUse"\nrun = "cat says.txt; cat says.txt >&2"\n',
    )
    call = {"tool_name": "Bash", "tool_input": {"command": shown}, "tool_response": {"stdout": shown}}
    assert program("fire", "PostToolUse", stdin=json.dumps(call)).returncode == 0
    assert program("fire", "UserPromptSubmit", stdin=json.dumps({"prompt": shown})).returncode == 0
    state = Path(program.environment["HOME"])
    kept = "".join(
        file.read_bytes().decode("utf-8", "replace") for file in state.rglob("*") if file.is_file()
    )
    exports = [("history", "export", "--outputs", "--format", name) for name in FORMATS]
    for words in (("show", "last"), ("history", "--json"), *exports):
        kept += program(*words).stdout
    assert "[redacted]" in kept
    assert [secret for secret, _ in TEXTS if secret in kept] == []
