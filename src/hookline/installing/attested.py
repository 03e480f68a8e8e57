"""What canary calls showed: which guards fired, and what would keep the others from it."""

from __future__ import annotations

from hookline.model.record import Record


class Lapse(Record):
    """One reason why a guard would not fire. `code` is for programs, `hint` says what to do."""

    agent: str
    code: str
    subject: str
    message: str
    hint: str = ""
    source: str = ""
    line: int = 0


class Proof(Record):
    """What was seen of one guard, and its `verdict` on the canary `call`.

    `state`: fired (it ran), ready (an earlier guard stopped the call, or its event is not asked about), failed, or
    unproven (no call is known that it is meant by).
    """

    agent: str
    id: str
    name: str
    event: str
    state: str
    verdict: str = ""
    call: str = ""
    run: str = ""


class Attested(Record):
    """Of one workspace: its agents, each guard, and what is wrong."""

    workspace: str
    agents: tuple[str, ...]
    proofs: tuple[Proof, ...]
    lapses: tuple[Lapse, ...]
