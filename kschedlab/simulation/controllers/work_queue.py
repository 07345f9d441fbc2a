"""The controllers' work queue: it deduplicates keys, and retries those that fail.

v1.37: client-go util/workqueue (queue.go, delaying_queue.go, default_rate_limiters.go).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import simpy

from kschedlab.simulation.clock import after, now
from kschedlab.simulation.status import ApiError

K = TypeVar("K", bound=Hashable)

BASE_DELAY, MAX_DELAY = 5_000, 1_000_000_000
"""Microseconds: the delay after the first failure, which doubles with each further one, and the maximum."""


class WorkQueue(Generic[K]):
    """Calls ``sync`` once for each key that is due, however often the key was added.

    It starts when the informers have synced. If ``sync`` raises an ApiError, the key is retried with exponential
    backoff.
    """

    def __init__(self, env: simpy.Environment, sync: Callable[[K], None]) -> None:
        self._env = env
        self._sync = sync
        self._before_start: dict[K, int] | None = {}
        self._due: dict[K, int] = {}
        self._failures: dict[K, int] = {}

    def start(self, ready: simpy.Event) -> None:
        """Process keys from this event on, including those added before."""
        ready.callbacks.append(lambda _: self._start())

    def add(self, key: K, delay: int = 0, idle: bool = False) -> None:
        """Process the key in that many microseconds, or earlier if it is already due earlier.

        ``idle``: nothing waits for it; a simulation in which nothing else is due has settled.
        """
        if self._before_start is not None:
            self._before_start[key] = min(delay, self._before_start.get(key, delay))
            return
        due = now(self._env) + delay
        if key not in self._due or due < self._due[key]:
            self._due[key] = due
            after(self._env, delay, self._run, key, due, idle=idle)

    def _start(self) -> None:
        waiting, self._before_start = self._before_start, None
        for key, delay in (waiting or {}).items():
            self.add(key, delay)

    def _run(self, key: K, due: int) -> None:
        if self._due.get(key) != due:
            return
        del self._due[key]
        try:
            self._sync(key)
        except ApiError:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            self.add(key, min(BASE_DELAY << min(failures - 1, 20), MAX_DELAY))
        else:
            self._failures.pop(key, None)
