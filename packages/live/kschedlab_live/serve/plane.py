"""The simulated control plane behind the server: a simulation that follows the clock on the wall.

Virtual time runs ``speed`` times as fast as real time, or stands still; steps move it on while it does. Everything runs
in one thread: requests and the simulation take turns in one event loop, and a request sees the cluster at its moment.
While the simulation computes for long, it lets requests through every :data:`SLICE` seconds.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.durations import parse_duration
from kschedlab_simulation.log import LogEntry
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError

FASTEST = 1000.0
"""The highest speed: an hour in 3.6 s."""
STEP_LIMIT = 30 * 24 * 3600 * SECOND
"""The longest step: 30 days."""
CLOCK_PATH = "/kschedlab/clock"
"""The path at which ``kschedlab clock`` reads and changes the clock."""
SLICE = 0.02
"""Seconds for which the simulation computes at once."""

_LONGEST_SLEEP = 60.0

Follower = Callable[[list[LogEntry]], None]
"""Receives the new entries of the log."""

_LOGGER = logging.getLogger("kschedlab.serve")


class Clock:
    """Virtual microseconds since 1970. ``wall``: seconds of real time, from any start."""

    def __init__(
        self, start: int, speed: float = 1.0, paused: bool = False, wall: Callable[[], float] = time.monotonic
    ) -> None:
        self._wall = wall
        self._from = wall()
        self._at = start
        self._speed = speed
        self._paused = paused

    @property
    def speed(self) -> float:
        """Virtual seconds in a real second."""
        return self._speed

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    def now(self) -> int:
        """The virtual time."""
        if self._paused:
            return self._at
        return self._at + int((self._wall() - self._from) * self._speed * SECOND)

    def run(self, speed: float | None = None, paused: bool | None = None) -> None:
        """Change the speed, or stop or go on, from now on."""
        self.move(self.now())
        self._speed = self._speed if speed is None else speed
        self._paused = self._paused if paused is None else paused

    def move(self, to: int) -> None:
        """Set the virtual time."""
        self._at, self._from = to, self._wall()

    def seconds_until(self, at: float) -> float | None:
        """The real seconds until a virtual time; None while time stands still."""
        return None if self._paused else max(0.0, (at - self.now()) / SECOND / self._speed)


def speed_of(text: str) -> float:
    """The speed in a text. ValueError."""
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.001 <= speed <= FASTEST:
        raise ValueError(f"{text} is not a speed: expected a number from 0.001 to {FASTEST:g}, such as 10")
    return speed


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
            if time.monotonic() > deadline and env.peek() <= target:
                self.digest()
                return False
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


def clock_json(plane: Plane) -> dict[str, Any]:
    """The clock, as JSON."""
    clock = plane.clock
    return {"time": str(Time(plane.now)), "speed": clock.speed, "paused": clock.paused}


async def change_clock(plane: Plane, body: dict[str, Any]) -> dict[str, Any]:
    """Change the clock: ``speed``, ``paused``, and ``step``: a duration such as ``5s``, or ``next``. ApiError (400)."""
    unknown = sorted(set(body) - {"speed", "paused", "step"})
    if unknown:
        raise ApiError.bad_request(f"{unknown[0]}: the clock has speed, paused and step")
    speed, paused, step = body.get("speed"), body.get("paused"), body.get("step")
    if paused is not None and not isinstance(paused, bool):
        raise ApiError.bad_request("paused: expected true or false")
    try:
        faster = None if speed is None else speed_of(str(speed))
        microseconds = None if step in (None, "next") else parse_duration(step if isinstance(step, str) else "")
    except ValueError as error:
        raise ApiError.bad_request(str(error)) from None
    if microseconds is not None and not 0 < microseconds <= STEP_LIMIT:
        raise ApiError.bad_request("step: expected more than 0s, and at most 30 days")
    if step is not None and not (plane.clock.paused if paused is None else paused):
        raise failure(409, "Conflict", "the clock runs: pause it before you step")
    plane.clock.run(faster, paused)
    if step is not None:
        await plane.step(microseconds)
    plane.wake()
    return clock_json(plane)
