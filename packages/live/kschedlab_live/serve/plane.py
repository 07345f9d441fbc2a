"""The simulated control plane behind the server: a simulation that follows the clock on the wall.

Everything runs in one thread: requests and the simulation take turns in one event loop, and a request sees the cluster
at its moment. While the simulation computes for long, it lets requests through every :data:`SLICE` seconds.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from kschedlab.objects.meta import SECOND
from kschedlab_live.serve.clock import Clock
from kschedlab_simulation.log import Entry
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.simulation import Simulation

_LOGGER = logging.getLogger("kschedlab.serve")

SLICE = 0.02
"""Seconds for which the simulation computes at once."""

_LONGEST_SLEEP = 0.5

Follower = Callable[[list[Entry]], None]
"""Receives the new entries of the log."""


class Plane:
    """A simulation whose time is the clock's. ``followers`` receive what it logs; the log itself is kept empty."""

    def __init__(self, simulation: Simulation, clock: Clock) -> None:
        self.simulation = simulation
        self.clock = clock
        self.followers: list[Follower] = []
        self._env = simulation.env
        self._wake = asyncio.Event()

    @property
    def api(self) -> ApiServer:
        """The API server."""
        return self.simulation.api

    @property
    def now(self) -> int:
        """The virtual time, in microseconds since 1970."""
        return self.simulation.now

    def advance(self) -> bool:
        """Catch up with the clock, for at most :data:`SLICE` seconds; returns whether it has caught up."""
        return self._advance_to(self.clock.now(), time.monotonic() + SLICE)

    def _advance_to(self, target: int, deadline: float) -> bool:
        env = self._env
        while env.peek() <= target:
            self._take_step()
            if time.monotonic() > deadline:
                self.digest()
                return env.peek() > target
        if target > self.now:
            env.timeout(target - self.now)  # env.run(until=target) would leave an event behind: the plane never slept
            env.step()
        self.digest()
        return True

    def _take_step(self) -> None:
        """Process the next event. What fails in it has ended; the cluster goes on without it."""
        try:
            self._env.step()
        except Exception:  # a plugin's or our own fault: its traceback is for the terminal
            _LOGGER.exception("a part of the simulation has failed and ended; the others go on")

    async def step(self, microseconds: int | None) -> None:
        """Move time on by that much; None: to the next moment at which something happens."""
        start = self.now
        if microseconds is None:
            next_moment = self._env.peek()
            target = int(next_moment) if next_moment != float("inf") else start
        else:
            target = start + microseconds
        while not self._advance_to(target, time.monotonic() + SLICE):
            await asyncio.sleep(0)
        self.clock.move(self.now)
        self.wake()

    def digest(self) -> None:
        """Give the new entries of the log to the followers."""
        log = self.simulation.log
        while log.entries:
            entries, log.entries = log.entries, []
            for follower in self.followers:
                follower(entries)

    def wake(self) -> None:
        """Look for work now: a request may have made some."""
        self._wake.set()

    async def run(self) -> None:
        """Follow the clock until cancelled."""
        while True:
            if not self.advance():
                await asyncio.sleep(0)
                continue
            wait = self.clock.seconds_until(self._env.peek())
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), min(_LONGEST_SLEEP, _LONGEST_SLEEP if wait is None else wait))


STEP_LIMIT = 30 * 24 * 3600 * SECOND
"""The longest step: 30 days."""
