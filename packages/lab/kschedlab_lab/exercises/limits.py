"""Calls a student's function, and stops it when it does not come to an end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from types import FrameType
from typing import Any

SECONDS = 1.0
"""Processor time that a call may take."""
WORKING = 2.0
"""Processor time of this process after which a call is interrupted."""
ASLEEP = 10.0
"""Seconds by the clock after which a call is interrupted that computes nothing; a busy machine is slow, too."""


class EndlessError(BaseException):
    """The function did not come to an end. No Exception, so that ``except Exception`` in a loop does not catch it."""


def limited(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the function, but stop it with an :class:`EndlessError` once it has used up its time.

    A trace function looks at the time on every instruction, for ``while True: pass`` begins no new line. That works on
    any system. Where there are signals, one interrupts a call that sleeps. Nothing stops a call of C that never
    returns to Python, such as ``sum(iter(int, 1))``.
    """
    end = thread_time() + SECONDS

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if thread_time() > end:
            raise EndlessError
        frame.f_trace_opcodes = True
        return look

    before = sys.gettrace()
    with alarm():
        sys.settrace(look)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)


@contextmanager
def alarm() -> Iterator[None]:
    """Interrupt what takes too long with an :class:`EndlessError`, where signals can be caught.

    It rings repeatedly: a bare ``except`` may catch the first.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not usable or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise EndlessError

    before = [signal.signal(each, ring) for each in (signal.SIGALRM, signal.SIGVTALRM)]
    signal.setitimer(signal.ITIMER_REAL, ASLEEP, 0.01)
    signal.setitimer(signal.ITIMER_VIRTUAL, WORKING, 0.01)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for each, handler in zip((signal.SIGALRM, signal.SIGVTALRM), before, strict=True):
            signal.signal(each, handler)
