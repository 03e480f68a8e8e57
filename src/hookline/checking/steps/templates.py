"""Templates of JavaScript within what another one fills in: `` `${a ? `b` : ''}` ``."""

from __future__ import annotations

from hookline.system.patterns.late import late

_IN_CODE = late(
    r"//[^\n]*|/\*[^*]*+(?:\*++[^*/][^*]*+)*+\*++/|\"(?>[^\"\\\n]|\\.)*\"?|'(?>[^'\\\n]|\\.)*'?"
    r"|(?<=[=(,:;!&|?{}\[])[ \t]*+/(?=[^*/\\\n]|\\.)(?>[^/\\\n\[]|\\.|\[(?>[^\]\\\n]|\\.)*+\])*+/|[`{}]"
)
_IN_TEXT = late(r"\\[\s\S]|`|\$\{")


def without_inner(text: str) -> str:
    """The code with a blank for each quote of a template that stands within another one."""
    if text.count("`") < 4 or "${" not in text:
        return text
    inner: list[int] = []
    opened: list[str] = []  # templates, what they fill in, and brackets in that
    at = 0
    while found := (_IN_TEXT if opened[-1:] == ["`"] else _IN_CODE).search(text, at):
        at, sign = found.end(), found[0]
        if sign == "`" and opened[-1:] == ["`"]:
            opened.pop()
            inner += [found.start()] if opened else []
        elif sign == "`":
            inner += [found.start()] if opened else []
            opened.append(sign)
        elif sign == "${" or (sign == "{" and opened):
            opened.append(sign)
        elif sign == "}" and opened:
            opened.pop()
    letters = list(text)
    for place in inner if not opened else ():
        letters[place] = " "
    return "".join(letters)
