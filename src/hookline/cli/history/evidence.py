"""`hookline history verify`: is what ran still told as it was recorded?"""

from __future__ import annotations

from hookline.cli import common
from hookline.cli.history.opened import opened_history
from hookline.cli.render import counted, one_line
from hookline.model.errors import UsageError
from hookline.model.record import fields_of
from hookline.state.verifying import Fault, Verified
from hookline.state.verifying import verify as verified


def verify(arguments: list[str]) -> int:
    """Looks along the whole chain of records; 1 when one is not as it was written."""
    parser = common.parser(
        "history verify",
        "Is every decision as it was recorded, in whatever workspace?\n"
        "Names those that were changed, removed, inserted or moved.",
        "hookline history verify --expect 1204:9f86d081884c7d65",
    )
    parser.add_argument(
        "--expect", metavar="N:HEAD", type=_expected,
        help="the number and the head that an earlier look printed: that record must be the same now",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = verified(kept.database, options.expect)
    if options.json:
        common.print_json({**fields_of(found), "faults": [fields_of(fault) for fault in found.faults]})
    else:
        for line in _lines(found):
            common.print_line(line)
    return 1 if found.faults else 0


def _expected(text: str) -> tuple[int, str]:
    number, _, digest = text.partition(":")
    if (
        not number.isascii()
        or not number.isdigit()
        or len(number) > 18
        or not digest
        or not set(digest.lower()) <= set("0123456789abcdef")
    ):
        raise UsageError(f"--expect: `{text}` is no N:HEAD", "as in `1204:9f86d081…`, which `verify` prints")
    return int(number), digest


def _lines(found: Verified) -> list[str]:
    lines = [_fault_line(fault) for fault in found.faults]
    if found.faults:
        state = f": {counted(len(found.faults), 'fault')}"
    else:
        state = ": each is as it was written" if found.records else ", and no sign that there ever were any"
    span = f", {found.first} to {found.last}" if found.records else ""
    lines.append(f"{counted(found.records, 'record')}{span}{state}")
    if found.backward:
        records = f"record{'s' * (len(found.backward) > 1)} {', '.join(map(str, found.backward))}"
        lines.append(f"the clock was set back before {records}")
    if found.pruned:
        lines.append(f"up to {found.pruned} they were removed for their age; the chain goes on from there")
    if found.older:
        lines.append(f"{counted(found.older, 'decision')} of a version without evidence cannot be checked")
    if found.records and not found.faults:
        lines.append(f"head {found.last}:{found.head}")
    return lines


def _fault_line(fault: Fault) -> str:
    if not fault.last:
        return one_line(f"{fault.kind}: {fault.words}", 300)
    where = f"record {fault.first}" if fault.first == fault.last else f"records {fault.first} to {fault.last}"
    run = f" ({fault.run})" if fault.run else ""
    words = f": {fault.words}" if fault.words else ""
    return one_line(f"{fault.kind} {where}{run}{words}", 300)
