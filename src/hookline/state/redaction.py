"""Secrets stay out of what is kept: known values of the environment, keys by their shape, and whatever stands where
a password, a token or a header belongs.

Each row of `SHAPES` has cheap words, in lower case, of which one must occur, then the shape itself. Where a shape has
a group, that stays. A name alone tells little: what stands behind it must look like no word (`token: expected`), no
placeholder (`--token TOKEN`) and no code (`token=new_token()`).
"""

from __future__ import annotations

from hookline.model.short_json import write_json
from hookline.model.typing import Any, Iterable, Iterator, Mapping

_NAME = (
    r"(?:password|passwd|passphrase|passcode|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|"
    r"secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|db[_-]?pass)"
)
_NAMES = ("pass", "secret", "token", "key")
_UNLIKE_WORDS = r"(?=[^\s\"'&;,]{0,80}?\d)(?=[^\s\"'&;,]{0,80}?[A-Za-z])"
_WORDS_BEFORE = r"(?:[^\n|;&]{0,150}?\s)?"
_QUOTE = r"\\{0,7}[\"']"  # also in JSON that stands as a text in JSON

SHAPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("-----begin",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)",
    ),
    (("sk-",), r"\bsk-[A-Za-z0-9_-]{16,}"),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "k_live_", "k_test_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|[sr]k_(?:live|test)_\w{16,})",
    ),
    (("glpat-", "glrt-", "gldt-"), r"\bgl(?:pa|r|d)t-[A-Za-z0-9_-]{16,}"),
    (("xox", "xapp-"), r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    (("akia", "asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    (("aiza",), r"\bAIza[A-Za-z0-9_-]{35}"),
    (("ya29.", "gocspx-"), r"\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
    (("eyj",), r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    (("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    (("pypi-ag",), r"\bpypi-Ag[A-Za-z0-9_-]{40,}"),
    (("hooks.slack.com",), r"https://hooks\.slack\.com/services/[A-Za-z0-9/_-]+"),
    (("/api/webhooks/",), r"https://[\w.]*discord(?:app)?\.com/api/webhooks/[A-Za-z0-9/_-]+"),
    (("sg.", "hvs.", "hvb."), r"\b(?:SG\.[\w-]{16,}\.[\w-]{16,}|hv[sb]\.[\w-]{20,})"),
    (tuple(f"{digit}:aa" for digit in range(10)), r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    (("dapi", "dop_v1_", "doo_v1_"), r"\b(?:dapi[0-9a-f]{32}|do[op]_v1_[0-9a-f]{40,})"),
    (("age-secret-key-1",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    (
        ("hf_", "gsk_", "shpat_", "shpss_", "shpca_", "dckr_pat_", "glsa_", "whsec_", "lin_api_", "ntn_", "atatt3",
         "r8_", "sbp_", "sntry", "xai-", "pplx-", "nrak-", "pmak-"),
        r"\b(?:hf_|gsk_|shp(?:at|ss|ca)_|dckr_pat_|glsa_|whsec_|lin_api_|ntn_|ATATT3|r8_|sbp_|sntry[su]_|xai-|pplx-|NRAK-|"
        r"PMAK-)(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{24,}",
    ),
    (("earer ",), r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*"),
    (("://",), r"(?<=://)[^/\s:@]*:[^/\s]+(?=@)"),
    (("login",), r"(?i)(\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+)\S+"),
    (("_password", "_auth"), r"(?i)(:_(?:password|auth|authtoken)(?:=|\s+)[\"']?)[^\s\"'$]{6,}"),
    (("sig=",), r"(?<=[?&]sig=)[A-Za-z0-9%+/=_-]{20,}"),
    (
        ("authorization",),
        rf"(?i)(authorization(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?(?:basic|bearer|token|digest|apikey)\s+)"
        r"(?=\S*(?-i:[\d=+/]|[a-z][A-Z])|\S{16})[A-Za-z0-9._~+/=:-]{6,}",
    ),
    (
        ("cookie:",),
        r"(?i)((?:set-)?cookie: )[^\r\n\"'\\]{0,150}?(?:[A-Za-z0-9%+/_-]{16,}|=(?=[^\s;]{0,80}\d)[A-Za-z0-9%+/_.-]{8,})"
        r"[^\r\n\"'\\]*",
    ),
    # --password X, --token=X
    (
        _NAMES,
        rf"(?i)((?<![\w-])--(?:\w[\w-]{{0,40}}?)?{_NAME}(?:=|\s+)(?:{_QUOTE})?)"
        r"(?=[^\s\"']{0,80}?(?-i:[\d!@#^+/]|[a-z][A-Z]))(?![-$<{\[(*%])[^\s\"'\\]{4,}",
    ),
    # API_TOKEN=X, "token": "X", X-Api-Key: X
    (
        _NAMES,
        rf"(?i)({_NAME}(?:{_QUOTE})?\s*(?:=>|:=|[=:])\s*(?:{_QUOTE})?){_UNLIKE_WORDS}(?![$<{{\[(*%])"
        r"[\w+/=~!@#^*%-][^\s\"'(){}\[\]<>,;.|`\\&]{7,2000}+(?![(\[.])&?[\w!#^*-]{0,8}(?!=)",
    ),
    # API_TOKEN=word: a name in capitals is no code
    (_NAMES, r"(\b[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY)=)(?=[^\s]*[a-z])[\w+/=~!@#^*-]{8,}+(?![(\[.])"),
    # mysql -pX, sshpass -p X, docker login -p X, curl -u NAME:X
    (("mysql", "mariadb"), rf"(\b(?:mysql|mariadb)[\w-]*\s{_WORDS_BEFORE}-p)[^\s$\"'-][^\s]{{3,}}"),
    (("sshpass",), r"(\bsshpass\s+-p\s*[\"']?)[^\s$\"'][^\s\"']{3,}"),
    ((" login",), rf"(\blogin\s{_WORDS_BEFORE}-p\s+[\"']?)[^\s$<\"'-][^\s\"']{{3,}}"),
    # redis-cli -a X, ldapsearch -w X, openssl -k X, vault login X, smbclient -U NAME%X, aws configure set …_key X
    (
        ("redis-cli", "ldap", "openssl", "vault login", "smbclient", "aws_"),
        rf"(\b(?:redis-cli\s{_WORDS_BEFORE}-a\s+|ldap[a-z]+\s{_WORDS_BEFORE}-w\s+|vault login\s+|"
        rf"openssl\s{_WORDS_BEFORE}(?:-k\s+|-pass(?:in|out)?\s+pass:)|smbclient\s{_WORDS_BEFORE}-U\s*[\"']?[^\s%\"']+%|"
        r"aws_(?:secret_access_key|session_token)\s+)[\"']?)[^\s$<=\"'-][^\s\"']{3,}",
    ),
    (
        ("curl", "wget"),
        r"(\b(?:curl|wget)\b[^|;&\n]{0,400}?\s(?:-[uUE]\s*|--(?:proxy-)?(?:user|cert)[= ])[\"']?[^\s:\"'-]+:)"
        r"[^\s$\"'][^\s\"']+",
    ),
    # curl -b NAME=X (without `=` it is a file), --oauth2-bearer X, --pass X
    (
        ("curl",),
        r"(\bcurl\b[^|;&\n]{0,400}?\s(?:-b\s*|--cookie[= ]))(?=[\"']?[^\s\"'=]{1,80}=)"
        r"(?:\"[^\"\n]+\"|'[^'\n]+'|[^\s\"']+)",
    ),
    (
        ("curl",),
        r"(\bcurl\b[^|;&\n]{0,400}?\s--(?:oauth2-bearer|(?:proxy-)?pass)[= ][\"']?)[^\s$\"'-][^\s\"']{3,}",
    ),
    # zip -P X, 7z -pX, twine -p X, sqlcmd -P X, lftp -u NAME,X, gh secret set NAME --body X, keytool -storepass X, …
    (
        # `7z` alone stands in every thirtieth id, and would load patterns for an event that needs none
        ("zip", "7z ", "7za ", "7zr ", "7zz ", "twine", "sqlcmd", "mongo", "mosquitto", "ipmitool", "lftp",
         "gh secret", "storepass", "keypass", "secret-string", "net use"),
        rf"(\b(?:zip\w*\s{_WORDS_BEFORE}-P\s*|unzip\s{_WORDS_BEFORE}-P\s*|7z\w*\s{_WORDS_BEFORE}-p|"
        rf"(?:twine|mongo\w*)\s{_WORDS_BEFORE}-p\s*|(?:sqlcmd|mosquitto_\w+|ipmitool)\s{_WORDS_BEFORE}-P\s*|"
        rf"lftp\s{_WORDS_BEFORE}-u\s*[^\s,]+,|gh secret set\s{_WORDS_BEFORE}(?:-b\s+|--body[= ])|"
        rf"net use\s{_WORDS_BEFORE}/user:\S+\s+)[\"']?|-(?:store|key)pass\s+[\"']?|--secret-string[= ][\"']?)"
        r"[^\s$<{{\"'-][^\s\"']{3,}",
    ),
    (
        ("htpasswd",),
        rf"(\bhtpasswd\s{_WORDS_BEFORE}-\w*b\w*\s+(?:\S+\s+){{1,2}}[\"']?)[^\s$\"'][^\s\"']{{3,}}(?=[\"']?(?:\s|$))",
    ),
    (("from-literal",), r"(--from-literal[= ][\"']?[^\s=\"']{1,80}=)[^\s$\"'][^\s\"']*"),
    # echo X | docker login --password-stdin, echo NAME:X | chpasswd
    (
        ("-stdin", "chpasswd", "sudo -", "with-token"),
        r"(\b(?:echo|printf)\s+(?:-\w+\s+)?(?:[\"']%s[^\"'$]{0,8}[\"']\s+)?[\"']?)[^\s$|\"'][^|\"'\n]{3,200}?"
        r"(?=[\"']?\s*\|[^|;&\n]{0,100}(?:--password-stdin|--with-token|\bchpasswd\b|\bsudo\s+-\w*S\b))",
    ),
)  # fmt: skip

# Of these one must occur in lower case for a text to hold any secret by its shape
SIGNS = tuple(dict.fromkeys(word for words, _ in SHAPES for word in words))
SECRET_NAMES = _NAMES
# And where it is a name, this must occur, before the shapes that look for it in any case
NAMED = r"(?:pass\w*|secret|token|key)[\"'\\]*\s*[=:]|--[\w-]*(?:pass|secret|token|key)"
SECRET_NAME = rf"(?i)[\w-]{{0,40}}?{_NAME}"
SECRET_VALUE = rf"{_UNLIKE_WORDS}[^\s]{{8,}}"
# In a command line what stands behind a secret's name is one, whatever it looks like
COMMAND_NAMES = (*_NAMES, "authorization")
_BLANK = r"(?:\\?\s)"  # also one of `-H Authorization:\ Bearer\ X`
IN_COMMAND = (
    rf"(?i)((?:{_NAME}|authorization)[\"']?\s*[=:]{_BLANK}*(?:(?:basic|bearer){_BLANK}+)?|"
    rf"(?<![\w-])--[\w-]{{0,40}}?{_NAME}\s+)"
    r"(?:\"[^\"$]+\"|'[^']+'|(?![\"'$=:-])[^\s\"'&;|<>]+)"
)
_COOKIES = (
    r"(?i)((?:\"|')(?:set-)?cookie\s*:\s*)[^\"'\r\n]+|"
    r"(\bcookie:(?:\\?\s)?)[^\s\"'&|<>]+(?:;\s[^\s=;\"'&|<>]{1,80}=[^\s;\"'&|<>]+)*;?"
)

SHORTEST_SECRET = 8
_WORDS = frozenset([
    "TOKEN", "TOKENS", "KEY", "KEYS", "APIKEY", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD",
    "CREDENTIAL", "CREDENTIALS", "AUTH", "AUTHORIZATION", "PAT", "COOKIE", "BEARER", "WEBHOOK",
])  # fmt: skip
_ENDS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "CREDENTIALS")
_PLACES = ("SOCK", "FILE", "PATH", "DIR", "HOME", "ID", "PID")
# PWD alone is the current folder, in every environment.
_HARMLESS = frozenset({"PWD", "OLDPWD"})


class Redactor:
    """Replaces secrets by their name: `[redacted:API_TOKEN]`, or `[redacted]` for a known shape.

    Values are those of variables whose names look secret, of 8 characters and more; longer ones first, so
    that a secret within another leaves nothing behind.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        found = {value: name for name, value in sorted(environment.items()) if _is_secret(name, value)}
        self._values = tuple(sorted(found.items(), key=lambda item: -len(item[0])))
        self._patterns: dict[str, Any] = {}
        self._in_json: tuple[str, ...] | None = None

    def learn(self, secrets: Mapping[str, str]) -> None:
        """Values that are secret whatever they are called; those of fewer than 8 characters stay readable."""
        known = dict(self._values)
        known.update((value, name) for name, value in secrets.items() if len(value) >= SHORTEST_SECRET)
        self._values = tuple(sorted(known.items(), key=lambda item: -len(item[0])))
        self._in_json = None

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for value, name in self._values:
            if value in text:
                text = text.replace(value, f"[redacted:{name}]")
        return self._without_shapes(text)

    def command(self, text: str) -> str:
        """As `text`, and without what a command line names a secret: `--password X`, `TOKEN=X`, `-u NAME:X`."""
        text = self.text(text)
        folded = text.lower()
        if "cookie" in folded:
            text = self._pattern(_COOKIES).sub(_kept, text)
        return self._pattern(IN_COMMAND).sub(_kept, text) if _holds(folded, COMMAND_NAMES) else text

    def value(self, value: Any) -> Any:
        """The same JSON value with every string in it cleaned, keys too; the value itself when it has none."""
        text = "\n".join(_strings(value))
        return value if self.command(text) == text else self._cleaned(value)

    def is_clean_json(self, text: str) -> bool:
        """Whether no string in this JSON text (not ASCII only) could hold a secret; quicker than `value`."""
        if self._in_json is None:
            self._in_json = tuple(write_json([value])[2:-2] for value, _ in self._values)
        return not _holds(text, self._in_json) and not _holds(text.lower(), SIGNS)

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._cleaned_at(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._cleaned(item) for item in value]
        return value

    def _cleaned_at(self, name: str, value: Any) -> Any:
        """What stands under that name; nothing is left of a secret there that has no shape of its own."""
        if name == "command" and isinstance(value, str):
            return self.command(value)
        cleaned = self._cleaned(value)
        if not isinstance(cleaned, str) or not _holds(name.lower(), SECRET_NAMES):
            return cleaned
        named = self._pattern(SECRET_NAME).fullmatch(name) and self._pattern(SECRET_VALUE).fullmatch(cleaned)
        return "[redacted]" if named and not cleaned.startswith("[redacted") else cleaned

    def _without_shapes(self, text: str) -> str:
        if len(text) < SHORTEST_SECRET:
            return text
        folded = text.lower()
        for words, shape in SHAPES:
            if _holds(folded, words) and (words is not SECRET_NAMES or self._pattern(NAMED).search(folded)):
                text = self._pattern(shape).sub(_kept, text)
        return text

    def _pattern(self, shape: str) -> Any:
        if shape not in self._patterns:
            import re

            self._patterns[shape] = re.compile(shape)
        return self._patterns[shape]


def _kept(found: Any) -> str:
    return f"{next(filter(None, found.groups()), '')}[redacted]"


def _holds(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if item.__class__ is str:
                yield f"{name}: {item}"
            else:
                yield name
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _is_secret(name: str, value: str) -> bool:
    if len(value) < SHORTEST_SECRET or name.upper() in _HARMLESS:
        return False
    words = name.upper().split("_")
    return words[-1] not in _PLACES and (bool(_WORDS.intersection(words)) or name.upper().endswith(_ENDS))
