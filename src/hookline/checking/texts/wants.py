"""Words that want something of who reads them."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.system.patterns.late import late

# words that want something of who reads them; what only reports ("Formatted", "done") loses nothing unread
_WANTS = late(
    r"(?i:\b(?:warn(?:ing)?|caution|violat\w*|must|should|please|remember|reminders?|don.t|do not|never|avoid|(?<!-)fix"
    r"|checklist|instead|review|consider|problems?|(?:errors?|warnings|issues?|failures?) (?:in|found|em|en)"
    r"|found (?:\w+ )?(?:issues|errors)"
    r"|ensure|blocked|halt(?:ed|ing)|abort(?:ed|ing)|too (?:long|large|big|many)|next step|make sure"
    r"|error\(s\) found|(?<!dry )(?<!dry-)run: "
    r"|(?:is|are) (?:off|disabled)(?=[.,:;!]|$| until| for)|(?:is|are)? ?(?-i:DISABLED)\b|set it in"
    r"|check that|verify (?:that|this|it|the)|address (?:them|these|this|it|the)"
    r"|atenci[oó]n|advertencia|aten[cç][aã]o|aviso|cuidado|achtung|warnung|bitte|avertissement)\b)"
    r"|(?i:\brun (?=\\?[`/'\"]|npm |make |\./)|\bwill (?:ask|prompt) for\b|\bapproval\b)"
    # an order, as a sentence of its own
    r"|(?m:^[\W\d]{0,8}(?:Add|Create|Update|Move|Remove|Rename|Replace|Split|Extract|Commit|Document|Keep"
    r"|Resolve) \w+ \w)"
    # what was found, as a heading, and what is to be done before something else
    r"|(?i:\b(?:errors|issues|failures|warnings|violations|signals|secrets)(?: (?:found|detected))?:"
    r"|\bneeds? (?:to be |(?!no|any|some)\w+ing\b)"
    r"|\bbefore (?:you )?(?:commit|push|merg|clos|finish|end|stop|consider)\w*)"
    r"|\bACTION:|\bUse(?: it)?: "
    r"|(?i:\b(?:uncommitted|not committed|unpushed|unstaged|\w+ failed (?:on|for|in)|\w+ failed \(exit)\b)"
    r"|않은|실패|未コミット|失敗|未提交|失败"
    r"|推奨|必ず|忘れずに|(?i:\b(?:recuerda|considera|sugerencia|lembre-se|n'oubliez|pensez|denken sie)\b)"
    r"|⚠|❌|💡|ℹ|请|警告|注意|必须|禁止|不要|不得|建议|接近|超过|检测到|发现|ください|修正|検出|주의|하세요|경고|감지|금지|권장|권고"
    r"|(?i:внимание|предупрежд|ошибк|нельзя)|(?m:^(?:\[[\w -]+\])?\W{0,4}[A-Z][A-Z ]{4,}:)"
)
# a script that cannot do its work says so for whoever looks at its log
OF_ITSELF = late(
    r"(?i:not found|no \w+ found|no disponible|(?<!run npm )(?<!run pnpm )(?<!run yarn )install"
    r"|(?<!-)missing(?! (?:[\w.$-]+ )?(?:in|from)\b)|skipp"
    r"|no such|usage|invalid|could not|couldn.t|unable|unknown|failed to|\bpars(?:e[ds]?|ing)\b"
    r"|not available|requires?\b|hook error|debug(?!ger| (?:statement|code|print|log|call)s?\b)"
    r"|is not an? (?:array|object)|fehlt|übersprung"
    r"|corrupt|찾을 수 없|건너|未找到|未安装|跳过|見つかりません|スキップ|not a valid|transcript)"
)
# a check that was left out, whatever it is that kept it from its work
_NOT_DONE = late(
    r"\b(?:is|are|was|were)? ?NOT (?:run|checked|enforced|validated|verified|protected|scanned|tested|blocked)\b"
    r"|\b(?:tests|checks) (?:were )?not run\b"
)
_TO_GO_ON = late(
    r"(?i:\bto (?:re-?enable|resume|run (?:them|it|checks) again)\b)"
)  # what is left out until then
# what is to be done where the script itself cannot go on
TO_MEND = late(r"(?m:^|[.!?]\s|\\n)(?i:to (?:recover|repair it|fix (?:it|this)|mend it))\b[^\n:]{0,20}:")
FILLED = late(r"\$\{?\w+\}?")


# what holds more than news of what was done, and what is asked before a text that is a warning
_HOLDS_WARNINGS = late(r"(?i:warn|issues|problems|violations|findings|reminder)")
_WHERE_IT_IS_BAD = late(r"[\"'`](?:WARN(?:ING)?|CRITICAL|DANGER|VIOLATION)[\"'`]")


def is_kept_for_it(names: Iterable[str]) -> bool:
    """Whether one of the variables is there for what somebody is to know."""
    return any(_HOLDS_WARNINGS.search(name) for name in names)


def is_asked_first(looks: Iterable[str]) -> bool:
    """Whether one of the conditions asks whether there is anything to warn of."""
    return any(_WHERE_IT_IS_BAD.search(look) for look in looks)


def wants(words: str) -> bool:
    """Whether one line of the words wants something; what begins with a word about the script itself goes on so."""
    if TO_MEND.search(words):
        return True
    told = [each for each in words.replace("\\n", "\n").splitlines() if each.strip()]
    if not told or _TO_GO_ON.search(told[0]) or OF_ITSELF.search(told[0]):
        return bool(told and (_TO_GO_ON.search(told[0]) or _NOT_DONE.search(told[0])))
    return any(
        _WANTS.search(f"{each}\n{FILLED.sub('', each)}") and not OF_ITSELF.search(each) for each in told
    )
