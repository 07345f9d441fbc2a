"""The clock on the wall: how virtual time follows real time.

Virtual time runs ``speed`` times as fast as real time, or stands. Steps move it on while it stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from kschedlab.objects.meta import SECOND

FASTEST = 1000.0
"""The highest speed: an hour in 3.6 s."""


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
        """Whether time stands."""
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
        """The real seconds until a virtual time; None while time stands."""
        return None if self._paused else max(0.0, (at - self.now()) / SECOND / self._speed)


def speed_of(text: str) -> float:
    """The speed in a text. ValueError if it is none."""
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.001 <= speed <= FASTEST:
        raise ValueError(f"{text} is not a speed: expected a number from 0.001 to {FASTEST:g}, such as 10")
    return speed
