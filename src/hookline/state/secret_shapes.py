"""What secrets look like: keys by their shape, and whatever stands where a password, a token or a header belongs.

Each row has cheap words, in lower case, of which one must occur, then the shape itself. Where a shape has a group, that
stays. A name alone tells little: what stands behind it must look like no word (`token: expected`), no placeholder
(`--token TOKEN`) and no code (`token=new_token()`).
"""

from __future__ import annotations

_NAME = (
    r"(?:password|passwd|passphrase|passcode|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|"
    r"secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|db[_-]?pass)"
)
_NAMES = ("pass", "secret", "token", "key")
_UNLIKE_WORDS = r"(?=[^\s\"'&;,]{0,80}?\d)(?=[^\s\"'&;,]{0,80}?[A-Za-z])"
_QUOTE = r"\\?[\"']"

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
    ((":aa",), r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}"),
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
    (("cookie: ",), r"(?i)((?:set-)?cookie: )[^\r\n\"'\\]{0,150}?[A-Za-z0-9%+/_-]{16,}[^\r\n\"'\\]*"),
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
    (("mysql", "mariadb"), r"(\b(?:mysql|mariadb)[\w-]*\s(?:[^\n|;&]{0,150}?\s)?-p)[^\s$\"'-][^\s]{3,}"),
    (("sshpass",), r"(\bsshpass\s+-p\s*[\"']?)[^\s$\"'][^\s\"']{3,}"),
    ((" login",), r"(\blogin\s(?:[^\n|;&]{0,150}?\s)?-p\s+[\"']?)[^\s$<\"'-][^\s\"']{3,}"),
    (("redis-cli",), r"(\bredis-cli\s(?:[^\n|;&]{0,150}?\s)?-a\s+[\"']?)[^\s$<\"'-][^\s\"']{3,}"),
    (
        ("curl", "wget"),
        r"(\b(?:curl|wget)\b[^|;&\n]{0,400}?\s(?:-u\s*|--user[= ])[\"']?[^\s:\"'-]+:)[^\s$\"'][^\s\"']+",
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
IN_COMMAND = (
    rf"(?i)((?:{_NAME}|authorization)[\"']?\s*[=:]\s*(?:basic\s+|bearer\s+)?|(?<![\w-])--[\w-]{{0,40}}?{_NAME}\s+)"
    r"(?:\"[^\"$]+\"|'[^']+'|(?![\"'$=:-])[^\s\"'&;|<>]+)"
)
