"""The name that was probably meant."""

from __future__ import annotations

from hookline.model.typing import Iterable

MANY = 500
_BEFORE = ("pre", "before")
_AFTER = ("post", "after")
_found: dict[tuple[str, tuple[str, ...]], str | None] = {}  # one misspelling stands in a file a hundred times


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`: letter case and separators aside, a few typos away, or begun by it."""
    asked = (word, tuple(candidates))
    if asked not in _found:
        if len(_found) >= MANY:
            _found.clear()
        _found[asked] = _nearest(*asked)
    return _found[asked]


def suggestion(word: str, candidates: Iterable[str], otherwise: str = "", before: str = "") -> str:
    """A hint at the name that was probably meant, with what stands `before` it; `otherwise` where none is near."""
    found = nearest(word, candidates)
    return f"did you mean `{before}{found}`?" if found else otherwise


def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    asked = folded(word)
    all_folded = [folded(candidate) for candidate in known]
    if asked in all_folded:
        return known[all_folded.index(asked)]
    allowed = max(1, len(word) // 3)
    scored = [
        (edits(asked, each, allowed), index)
        for index, each in enumerate(all_folded)
        if not _opposed(asked, each)
    ]
    best = min(scored, default=(allowed + 1, 0))
    if best[0] <= allowed:
        return known[best[1]]
    begun = [
        each
        for each, like in zip(known, all_folded, strict=True)
        if len(asked) >= 4 and like.startswith(asked)
    ]
    return begun[0] if len(begun) == 1 else None


def by_words(name: str, known: Iterable[str]) -> str:
    """The candidate with all words of a name of several, and the fewest beside: of `file_edited` `afterFileEdit`."""
    asked = _stems(name)
    fit = [each for each in known if len(asked) > 1 and asked < _stems(each)]
    if name.endswith("ed") and any(each.startswith(_AFTER) for each in fit):  # of what was done
        fit = [each for each in fit if each.startswith(_AFTER)]
    fewest = min((len(_stems(each)) for each in fit), default=0)
    best = [each for each in fit if len(_stems(each)) == fewest]
    return best[0] if len(best) == 1 else ""


def _stems(name: str) -> frozenset[str]:
    import re  # which most calls of a hook do without

    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return frozenset(re.sub(r"(?:ed|ing|ion|e|s)$", "", each.lower()) for each in parts)


def _opposed(left: str, right: str) -> bool:
    """Whether one is said of the time before and the other of the time after, as `PostCompact` and `PreCompact`."""
    return (left.startswith(_BEFORE) and right.startswith(_AFTER)) or (
        left.startswith(_AFTER) and right.startswith(_BEFORE)
    )


def edits(left: str, right: str, limit: int) -> int:
    """Letters to add, drop, change or swap with a neighbour; more than `limit` counts as `limit + 1`."""
    if abs(len(left) - len(right)) > limit or len(set(left).difference(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left):
        older, before, row = before, row, [i + 1]
        for j, b in enumerate(right):
            cost = min(before[j] + (a != b), before[j + 1] + 1, row[j] + 1)
            if i and j and a == right[j - 1] and left[i - 1] == b:
                cost = min(cost, older[j - 1] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def quoted(words: Iterable[str]) -> str:
    """As names are told: `` `a`, `b` ``."""
    return ", ".join(f"`{word}`" for word in words)


def folded(word: str) -> str:
    """`word` without what people write differently: letter case and separators."""
    return word.replace("_", "").replace("-", "").lower()
