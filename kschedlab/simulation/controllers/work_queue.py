"""What the controllers' shells share: keys to be looked at, once each, and again after a failure.

v1.37: client-go util/workqueue (queue.go, delaying_queue.go, default_rate_limiters.go).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import simpy

from kschedlab.simulation.clock import after, now
from kschedlab.simulation.server.status import ApiError

K = TypeVar("K", bound=Hashable)

FIRST_RETRY, LAST_RETRY = 5_000, 1_000_000_000
"""Microseconds: the wait after the first failure, doubled with each further one, and the longest."""


class Work(Generic[K]):
    """Keys that ``look`` is called with: once at a moment, however often a key was added.

    Nothing is looked at before ``ready``: until the informers have synced. If ``look`` raises an ApiError, the key
    comes again, after ever longer times.
    """

    def __init__(self, env: simpy.Environment, look: Callable[[K], None]) -> None:
        self._env = env
        self._look = look
        self._early: dict[K, int] | None = {}
        self._due: dict[K, int] = {}
        self._failures: dict[K, int] = {}

    def begin(self, ready: simpy.Event) -> None:
        """Look at what was added before, and will be, from this event on."""
        ready.callbacks.append(lambda _: self._begin())

    def add(self, key: K, delay: int = 0) -> None:
        """Look at the key in that many microseconds, or when it is due anyway if that is earlier."""
        if self._early is not None:
            self._early[key] = min(delay, self._early.get(key, delay))
            return
        due = now(self._env) + delay
        if key not in self._due or due < self._due[key]:
            self._due[key] = due
            after(self._env, delay, self._run, key, due)

    def _begin(self) -> None:
        early, self._early = self._early, None
        for key, delay in (early or {}).items():
            self.add(key, delay)

    def _run(self, key: K, due: int) -> None:
        if self._due.get(key) != due:
            return
        del self._due[key]
        try:
            self._look(key)
        except ApiError:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            self.add(key, min(FIRST_RETRY << min(failures - 1, 20), LAST_RETRY))
        else:
            self._failures.pop(key, None)
