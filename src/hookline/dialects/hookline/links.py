"""What a line does by way of links that it has made itself."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds, Effect
from hookline.shell.effects.remade import LINKED, scripts_of
from hookline.shell.reading import Word, below

MOST_LINKS = 8  # of which each leads to the next


def linked(deeds: tuple[Deeds, ...]) -> tuple[Deeds, ...]:
    """What a line does to a link that it has made itself, it does to what the link points to."""
    links: dict[str, Word] = {}
    made = []
    for each in deeds:
        made.append(_through(each, links) if links else each)
        if "link" in each.marks:
            links |= _links_of(each)
    return tuple(made)


def _through(deeds: Deeds, links: Mapping[str, Word]) -> Deeds:
    effects = tuple(_followed(effect, links) for effect in deeds.effects)
    runs = (Effect("read", Word((name,)), cwd=Word(())) for name in scripts_of(deeds))
    through = [led for each in runs if (led := _followed(each, links)) is not each]
    if not through and all(effect is before for effect, before in zip(effects, deeds.effects, strict=True)):
        return deeds
    effects += tuple(through)
    return replace(deeds, effects=effects, marks=deeds.marks | {LINKED})


def _links_of(deeds: Deeds) -> dict[str, Word]:
    """The links that a command makes; a symbolic one is read from where it lies."""
    given, cwd, found = deeds.given, deeds.command.cwd, {}
    folder = next(iter(given.values("-t")), None)
    sources = given.operands if folder is not None or len(given.operands) == 1 else given.operands[:-1]
    for source in sources:
        name = Word(((source.literal or "").rstrip("/").rpartition("/")[2],))
        places = [folder] if folder is not None else given.operands[len(sources) :]
        inside = [below(place, name) for place in places]
        for link in (
            inside if folder is not None else (*inside, *places) or [name]
        ):  # it may be a folder or not
            path = below(cwd, link).literal or ""
            lies = (
                Word((path.rpartition("/")[0],))
                if given.has("-s") and not given.has("-r") and "/" in path
                else cwd
            )
            if path and source.literal:
                found[path] = below(lies, source)
    return found


def _followed(effect: Effect, links: Mapping[str, Word]) -> Effect:
    """An effect at the place to which links lead, also one that leads to another."""
    for _ in range(MOST_LINKS):
        further = _led(effect, links)
        if further is effect:
            break
        effect = further
    return effect


def _led(effect: Effect, links: Mapping[str, Word]) -> Effect:
    path = below(effect.cwd, effect.target) if effect.target is not None else Word(())
    for name, word in sorted(links.items(), key=lambda link: -len(link[0])) if path.prefix else ():
        if effect.name == "delete" and path.literal == name:
            continue  # the link alone is removed
        if path.literal == name or path.prefix.startswith(name.rstrip("/") + "/"):
            rest = path.prefix[len(name) :].lstrip("/")
            more = (*((rest,) if rest else ()), *path.parts[1:])
            target = below(word, Word(more)) if more else word
            return replace(effect, target=target, cwd=Word(()))
    return effect
