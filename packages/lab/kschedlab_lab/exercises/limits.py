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
"""Processor time of this process after which an alarm rings."""


class EndlessError(BaseException):
    """The function did not come to an end. No Exception, so that ``except Exception`` in a loop does not catch it."""


def limited(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the function, but stop it with an :class:`EndlessError` once it has used up its time.

    A trace function looks at the time on every instruction, for ``while True: pass`` begins no new line. Nothing stops
    a call that sleeps, or one of C that never returns to Python, such as ``sum(iter(int, 1))``.
    """
    end = thread_time() + SECONDS

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if thread_time() > end:
            raise EndlessError
        frame.f_trace_opcodes = True
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        return function(*arguments)
    finally:
        sys.settrace(before)


@contextmanager
def alarm() -> Iterator[None]:
    """Interrupt what computes for too long with an :class:`EndlessError`, where signals can be caught.

    It rings repeatedly: a bare ``except`` may catch the first.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise EndlessError

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, WORKING, 0.01)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
