"""What commands within a word print, and what becomes of it: for the reader, and for plain lines without it."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.tree import Sequence, Simple
from hookline.shell.reading import Step, Word
from hookline.shell.values.streams import Output

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Substitution
    from hookline.shell.values.fields import Fields
    from hookline.shell.values.running import Running


def substituted(reader: Running, fields: Fields, piece: Substitution) -> None:
    """Puts in what they print, without the newlines at its end."""
    how = "`…`" if piece.text[:1] == "`" else "$(…)"
    output = captured(reader, piece.body, Step(how, piece.start, piece.end), piece.text)
    fields.value(output.stripped(), piece.quoted)


def captured(reader: Running, body: Sequence, step: Step, text: str) -> Output:
    """What commands in a shell of their own print."""
    reader.substitutions += 1
    out, via, redirected, stdin = reader.out, reader.via, reader.redirected, reader.stdin
    reader.out, reader.via = Output(reader.doubt + reader.left, text), (*via, step)
    reader.redirected = False
    reader.state.branch()
    reader.own_shell(lambda: reader.run(_of_file(body)))
    reader.state.rewind()
    found = reader.out
    reader.out, reader.via, reader.redirected, reader.stdin = out, via, redirected, stdin
    return found


def _of_file(body: Sequence) -> Sequence:
    """`< file` alone in a substitution gives what is in the file, as `cat < file` does."""
    only = body.items[0][0] if len(body.items) == 1 else None
    if not isinstance(only, Simple) or only.words or only.assignments or len(only.redirects) != 1:
        return body
    if only.redirects[0].operator != "<" or only.redirects[0].fd:
        return body
    place = only.redirects[0].target.start
    cat = replace(only, words=(Word(("cat",), place, place),))
    return Sequence(((cat, False),))
