"""What a program itself accepts for the same: options before the sub-command, other names, other orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookline.hosts.probing.rows import commands


def same_command(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Other arguments by which the same program does the same; the given ones are not among them."""
    seen = {tuple(argv)}
    for found in (*_before(argv), *_renamed(argv), *_moved(argv)):
        if found not in seen:
            seen.add(found)
            yield found


def _before(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for options in commands()["before"].get(argv[0], ()):
        yield (argv[0], *options, *argv[1:])


def _names(argv: Sequence[str]) -> tuple[int, list[list[str]]]:
    """Where the options begin, and the names they have."""
    for size in (2, 1):
        found = commands()["same"].get(" ".join(argv[:size]))
        if found is not None:
            return size, found
    return 1, []


def _renamed(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each option by its other names, clusters taken apart and in another order."""
    start, names = _names(argv)
    for index, word in enumerate(argv[start:], start):
        before, after = tuple(argv[:index]), tuple(argv[index + 1 :])
        for group in names:
            if word in group:
                yield from ((*before, other, *after) for other in group)
        if len(word) > 2 and word[0] == "-" and word[1] != "-" and names:
            letters = [f"-{letter}" for letter in word[1:]]
            if not all(any(letter in group for group in names) for letter in letters):
                continue  # one that takes a value may be among them
            yield (*before, *letters, *after)
            yield (*before, "-" + word[:0:-1], *after)
            longer = [next((g[-1] for g in names if letter in g), letter) for letter in letters]
            yield (*before, *longer, *after)
            yield (*before, longer[0], *letters[1:], *after)


def _moved(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Options behind the other words, and `--` in front of these."""
    start, names = _names(argv)
    options = [word for word in argv[start:] if word.startswith("-")]
    others = [word for word in argv[start:] if not word.startswith("-")]
    known = {name for group in names for name in group}
    if names and options and others and all(w in known or w[1] != "-" for w in options if len(w) > 1):
        yield (*argv[:start], *others, *options)
        yield (*argv[:start], *others[:1], *options, *others[1:])
        if argv[0] != "git":
            yield (*argv[:start], *options, "--", *others)
