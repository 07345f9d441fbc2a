"""SimPy's events by the clock on the wall, in turns with asyncio: the same scheduler, in real time."""

from __future__ import annotations

import asyncio
import time

import simpy
from simpy.core import SimTime
from simpy.events import EventPriority

SLICE = 0.002
"""Seconds after which the scheduler lets the network have a turn."""
LONGEST_SLEEP = 1.0


class WallClock(simpy.Environment):
    """An environment whose time is microseconds since 1970, and passes by itself.

    It counts from the start by a clock that nobody can set back: timers hold when the clock on the wall is corrected.
    ``turned``: when :meth:`drive` last looked for due events, by ``time.monotonic()``.
    """

    def __init__(self) -> None:
        self._began = time.time_ns() // 1000 - time.monotonic_ns() // 1000
        self._woken: asyncio.Event | None = None
        self.turned = time.monotonic()
        super().__init__(initial_time=self._began + time.monotonic_ns() // 1000)

    @property
    def now(self) -> SimTime:
        """Microseconds since 1970."""
        return self._began + time.monotonic_ns() // 1000

    def schedule(self, event: simpy.Event, priority: EventPriority = simpy.events.NORMAL, delay: SimTime = 0) -> None:
        """Schedule the event, from now on; an idle :meth:`drive` wakes up."""
        self._now = self.now
        super().schedule(event, priority, delay)
        if self._woken is not None:
            self._woken.set()

    async def drive(self) -> None:
        """Process each event when it is due, until cancelled."""
        self._woken = woken = asyncio.Event()
        loop = asyncio.get_running_loop()
        while True:
            self.turned = began = time.monotonic()
            while (due := self.peek()) <= self.now:
                self.step()
                if time.monotonic() - began > SLICE:
                    break
            else:
                woken.clear()
                timer = loop.call_later(min((due - self.now) / 1e6, LONGEST_SLEEP), woken.set)
                await woken.wait()
                timer.cancel()
                continue
            await asyncio.sleep(0)
