"""What makes PowerShell refuse a whole script: a string or a bracket that stays open, a comma without a value."""

from __future__ import annotations

from functools import lru_cache

from hookline.system.patterns.late import late

_DOUBLE, _SINGLE = '"“”„', "'‘’‚‛"
_CLOSES = {"(": ")", "{": "}"}
_TOKEN_ENDS = frozenset(" \t\r\n;(){}[],|&=\"'")
_HERE = late(r"@([\"'])[ \t]*\r?\n")
_NAMED = late(r"\$\{[^}\n]*\}")
_QUOTE_AT_END = late(r"`[\"“”„](?=[)\s]*(?:\r?\n|$))")


class _Unclear(Exception):
    """What is read in other ways as well, by what stands around it."""


class _Fault(Exception):
    """What PowerShell refuses, with its place."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


@lru_cache(maxsize=8)
def powershell_fault(text: str) -> str:
    """The first thing that surely does not parse, with its line; empty where there is none, or it is not clear."""
    if "--%" in text or "\0" in text:
        return ""
    try:
        _Reader(text).code(0, "", 0)
    except (_Unclear, RecursionError):
        return ""
    except _Fault as fault:
        return f"line {text.count(chr(10), 0, fault.at) + 1}: {fault.why}"
    return ""


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.escaped = -1  # the first quote that a backtick keeps from closing, at the end of its line

    def code(self, at: int, closes: str, opened: int) -> int:
        """Goes to the bracket that closes this one, and behind it."""
        text, comma = self.text, False
        while at < len(text):
            sign = text[at]
            if sign in " \t\r\n":
                at += 1
                continue
            if sign == "#" or text.startswith("<#", at):
                at = self.comment(at)
                continue
            if sign in ")}":
                if comma:
                    raise _Fault(at, f"a comma stands before `{sign}`, without a value")
                if sign != closes:
                    raise _Fault(at, f"`{sign}` closes nothing")
                return at + 1
            comma = sign == ","
            at = self.token(at)
        if closes:
            raise self.open(opened, f"`{text[opened]}` stays open")
        return at

    def token(self, at: int) -> int:
        text, sign = self.text, self.text[at]
        if here := _HERE.match(text, at):
            end = text.find(f"\n{here[1]}@", here.end() - 1)
            if end < 0:
                raise self.open(at, f"the text behind `@{here[1]}` stays open")
            return end + 3
        if sign == "`":
            return at + 2
        if sign == "$" and (named := _NAMED.match(text, at)):
            return named.end()
        if sign in _SINGLE:
            return self.single(at)
        if sign in _DOUBLE:
            return self.double(at)
        if sign in _CLOSES:
            return self.code(at + 1, _CLOSES[sign], at)
        return at + 1

    def comment(self, at: int) -> int:
        text = self.text
        if text[at] == "<":
            end = text.find("#>", at + 2)
            if end < 0:
                raise _Fault(at, "the comment behind `<#` stays open")
            return end + 2
        if at and text[at - 1] not in _TOKEN_ENDS:
            raise _Unclear  # of a word, as in `C#`, or behind a value
        end = text.find("\n", at)
        return len(text) if end < 0 else end

    def single(self, opened: int) -> int:
        text, at = self.text, opened + 1
        while at < len(text):
            if text[at] in _SINGLE:
                if text[at + 1 : at + 2] not in tuple(_SINGLE):
                    return at + 1
                at += 1
            at += 1
        raise self.open(opened, "a text stays open")

    def double(self, opened: int) -> int:
        text, at = self.text, opened + 1
        while at < len(text):
            sign = text[at]
            if sign == "`":
                if self.escaped < 0 and _QUOTE_AT_END.match(text, at) and "\n" not in text[opened:at]:
                    self.escaped = at
                at += 2
            elif text.startswith("$(", at):
                at = self.code(at + 2, ")", at + 1)
            elif sign in _DOUBLE:
                if text[at + 1 : at + 2] not in tuple(_DOUBLE):
                    return at + 1
                at += 2
            else:
                at += 1
        raise self.open(opened, "a text stays open")

    def open(self, at: int, why: str) -> _Fault:
        """What is open at the end, told where a backtick began it if one did."""
        if self.escaped >= 0:
            return _Fault(
                self.escaped, "a text stays open: a backtick stands before the quote that should close it"
            )
        return _Fault(at, why)
