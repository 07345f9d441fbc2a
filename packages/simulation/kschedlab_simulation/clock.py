"""The virtual clock: whole microseconds since 1970, advanced by SimPy. Nothing sleeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import simpy


def now(env: simpy.Environment) -> int:
    """Microseconds since 1970."""
    return env.now  # type: ignore[return-value]  # it starts with an integer, and all delays are integers


class Idle(simpy.Timeout):
    """A moment to look again that nothing waits for."""


def after(
    env: simpy.Environment, delay: int, act: Callable[..., None], *arguments: Any, idle: bool = False
) -> simpy.Timeout:
    """Call the function after that many microseconds, always asynchronously, even if the delay is 0.

    Without its callbacks, the timer that is returned does nothing.
    """
    timer = (Idle if idle else simpy.Timeout)(env, delay)
    timer.callbacks.append(lambda _: act(*arguments))
    return timer
