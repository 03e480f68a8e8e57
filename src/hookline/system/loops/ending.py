"""The signals that end a program which goes on for a while: ^C, TERM, and HUP when its terminal is closed."""

from __future__ import annotations

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those to be heard. HUP is left out where it is ignored: who says `nohup` wants the work to go on."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_in_order() -> None:
    """TERM and HUP raise SystemExit from now on, as ^C raises KeyboardInterrupt, so that what is open is closed."""
    for number in ending_signals():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, ended)


def ended(number: int, frame: object) -> None:
    """The handler of a signal that ends the program."""
    raise SystemExit(128 + number)
