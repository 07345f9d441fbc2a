"""The virtual clock: whole microseconds since 1970, moved on by SimPy. Nothing sleeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import simpy


def now(env: simpy.Environment) -> int:
    """Microseconds since 1970."""
    return env.now  # type: ignore[return-value]  # it begins with an integer, and all delays are integers


def after(env: simpy.Environment, delay: int, act: Callable[..., None], *arguments: Any) -> None:
    """Call the function in that many microseconds; never within the call that asks for it."""
    simpy.Timeout(env, delay).callbacks.append(lambda _: act(*arguments))
