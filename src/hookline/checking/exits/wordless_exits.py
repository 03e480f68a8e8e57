"""Guards that find something in a call and end with 1, whatever language they are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.steps.languages import is_python
from hookline.checking.steps.step import Body, all_steps
from hookline.checking.steps.steps import Steps
from hookline.checking.steps.steps_of import steps_of
from hookline.system.patterns.late import late

_ENDS_WITH_2 = late(r"(?<![$-])\bexit[ (]+2\b", needs=("exit",))
_NEAR = 120
_HANDED_ON = late(  # `if code == 2: exit(2)`
    r"(?:(?:={2,3}|-eq)[ \t]*[\"']?2[\"']?|[ \t]=[ \t]*[\"']?2[\"']?[ \t]*\])[^\n\w]{0,12}"
    r"(?:then\b[ \t]*)?(?:\n[ \t]*)?(?:process\.|sys\.|Deno\.)?\Z"
)
_TWO = late(r"\b(?:exit|return)\w*[ (]+2\b|exit_?code\s*=\s*2\b", re.IGNORECASE)
# where something was found in a text, or a field has a value: texts stand as `'x'`
_FINDS = {
    "shell": late(
        r"=~|(?:^|(?<!!=)\s)\*+['\w]|(?:^|[|&;(]\s*)(?:[ef]?grep\b|rg\b|jq\s(?:[^|]*\s)?(?:-e|--exit-status)\b)[^|]*$"
    ),
    "python": late(
        r"\b(?:search|match|fullmatch|findall|startswith|endswith|any|intersection)\(|(?<!\bnot) in |== '"
    ),
    "braces": late(
        r"\.(?:includes|test|match|startsWith|endsWith|some|has)\(|={2,3} ?'|\s-c?(?:match|like)\b"
    ),
}
_TEXTS = late(r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|`[^`]*`")
_OTHERWISE = late(r"\A(?:\s*(?:!|not\b)|[\s\S]*\|\|\s*\Z)")
_OF_ITS_OWN = late(r"\bargv\b|\bargc\b|__name__|\benv(?:iron)?\b|isTTY|isatty")
_CHOSEN = late(
    r"\A(?:1 if (.+) else .+|(?:int|bool)\((.+)\)|([^?]+)\? ?1 ?: ?0|(.+ (?:in|==) .+))\Z", re.DOTALL
)
_HANDS_ON = late(
    r"\bexec\b", needs=("exec",)
)  # what stands behind it is for when there is nobody to hand on to
# an end with 1 right behind words that say so, or one that the script's own head calls a refusal
_BLOCKS_BY_1 = late(
    r"(?:echo|printf|print|console\.\w+|Write-\w+)\b[^\n]*(?<!ermission )(?<!ccess )(?<!onnection )"
    r"\b(?i:block(?:ed|ing)|refus(?:ed|ing)|den(?:ied|ying)|abort(?:ed|ing))\b"
    r"[^\n]*\n[^\S\n]*(?:sys\.|process\.)?exit[ (]+1\b"
)
_CALLED_A_NO = late(
    r"\bexit(?: code)?[ \t]+1\b[ \t]{0,8}(?:[-=]?>|[=:→—–-])(?:(?!\b(?:not?|nothing|never|non)\b)[^\n,.]){0,60}?"
    r"\b(?:blocks?|blocked|den(?:y|ies|ied)|aborts?|aborted|prevents?|refus(?:es?|ed))\b",
    re.IGNORECASE, needs=("xit", "XIT"),
)  # fmt: skip
_ONE = late(r"(?m)^[^#\n]*(?<![$-])\bexit[ (]+1\b", needs=("exit",))


def ends_with_2(text: str, at: int = 0) -> bool:
    """Whether a text ends with 2 from a place on; what hands on a program's own 2 ends with what it is given."""
    return any(
        not _HANDED_ON.search(text[max(0, each.start() - _NEAR) : each.start()])
        for each in _ENDS_WITH_2.finditer(text, at)
    )


def blocks_by_one(text: str, script: str) -> bool:
    """Whether an end with 1 is meant as a refusal, by what is said before it or by the head of the script."""
    return bool(_BLOCKS_BY_1.search(text)) or called_a_no(text, script)


def called_a_no(text: str, script: str) -> bool:
    """Whether a script calls its code 1 a refusal, in a comment, and ends with it."""
    return bool(_CALLED_A_NO.search(script) and _ONE.search(text))


def ends_with_one(shown: str, text: str) -> bool:
    """Whether a test of what came leads to exit code 1, or a shell's script ends so whatever came; never where code 2
    is used as well.

    What handles an error is no answer to the call, nor is an end where something is missing.
    """
    steps = steps_of(shown, text) if not _TWO.search(text) else None
    if steps is None:
        return False
    if steps.by_last and steps.body and _is_one(steps.body[-1:], ("exit",)) and not _HANDS_ON.search(text):
        return True
    finds = "shell" if steps.by_last else "python" if is_python(shown, text) else "braces"
    handed_on = {name for each in all_steps(steps.body) if each.kind == "exit" for name in each.calls}
    return any(_found(finds, each) for each in _tests(steps, steps.body, handed_on, ("exit",)))


def _tests(steps: Steps, body: Body, handed_on: set[str], ends: tuple[str, ...]) -> Iterator[str]:
    """The conditions of which alone an end with 1 comes; `ends` are the statements that are one there."""
    for step in body:
        if step.kind == "exit" and not steps.by_last and (chosen := _CHOSEN.match(step.look.text)):
            yield next(filter(None, chosen.groups()))
        branches = step.bodies[:-1] if step.whole and not steps.by_last else step.bodies
        for look, each in zip(step.looks, branches, strict=False) if step.kind == "if" else ():
            if _is_one(each[-1:] if steps.by_last else each, ends):
                yield look.text
        inside = ("exit", "return") if step.kind == "function" and step.what in handed_on else ends
        for each in step.bodies if step.kind != "handler" else ():
            yield from _tests(steps, each, handed_on, inside if step.kind == "function" else ends)


def _is_one(body: Body, ends: tuple[str, ...]) -> bool:
    while len(body) == 1 and body[0].kind == "group":
        body = body[0].bodies[0][-1:]
    return len(body) == 1 and body[0].kind in ends and body[0].look.text == "1"


def _found(language: str, test: str) -> bool:
    bare = _TEXTS.sub(lambda found: "'x'" if found[0][2:] else "''", test)
    own = language != "shell" and _OF_ITS_OWN.search(bare)
    return bool(_FINDS[language].search(bare)) and not (_OTHERWISE.match(bare) or own)
