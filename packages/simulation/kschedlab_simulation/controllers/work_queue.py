"""The controllers' work queue: it deduplicates keys, and retries those that fail.

v1.37: client-go util/workqueue (queue.go, delaying_queue.go, default_rate_limiters.go).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

import simpy

from kschedlab_simulation.clock import after, now
from kschedlab_simulation.status import ApiError

K = TypeVar("K", bound=Hashable)

BASE_DELAY, MAX_DELAY = 5_000, 1_000_000_000
"""Microseconds: the delay after the first failure, which doubles with each further one, and the maximum."""

HOPEFUL = 8
"""After so many failures, a key waits for somebody else's change; alone, it keeps no simulation running."""

Latency = Callable[[], int]
"""The microseconds that a controller takes to react; each call may give another number."""


def at_once() -> int:
    """No latency."""
    return 0


@dataclass(frozen=True)
class ControllerSettings:
    """``least``, ``most``: how long a controller takes from a change to its reaction, in microseconds."""

    least: int = 10_000
    most: int = 20_000

    def latency(self, seed: int, name: str) -> Latency:
        """The latency of the controller with this name: random between the limits, the same for the same seed."""
        if self.least == self.most:
            return lambda: self.least
        random, spread = Random(f"{seed}/{name}").random, self.most - self.least + 1
        return lambda: self.least + int(random() * spread)


class WorkQueue(Generic[K]):
    """Calls ``sync`` once for each key that is due, however often the key was added, after the ``latency``.

    It starts when the informers have synced. Keys added before have no latency: the cluster has been running. If
    ``sync`` raises an ApiError, the key is retried with exponential backoff.
    """

    def __init__(self, env: simpy.Environment, sync: Callable[[K], None], latency: Latency = at_once) -> None:
        self._env = env
        self._latency = latency
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
        before, pending = now(self._env), self._due.get(key)
        if pending is not None and pending <= before + delay:
            return
        due = before + delay + self._latency()
        if pending is None or due < pending:
            self._schedule(key, due, idle)

    def _schedule(self, key: K, due: int, idle: bool = False) -> None:
        self._due[key] = due
        after(self._env, due - now(self._env), self._run, key, due, idle=idle)

    def _start(self) -> None:
        waiting, self._before_start = self._before_start, None
        for key, delay in (waiting or {}).items():
            self._schedule(key, now(self._env) + delay)

    def _run(self, key: K, due: int) -> None:
        if self._due.get(key) != due:
            return
        del self._due[key]
        try:
            self._sync(key)
        except ApiError:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            self.add(key, min(BASE_DELAY << min(failures - 1, 20), MAX_DELAY), idle=failures > HOPEFUL)
        else:
            self._failures.pop(key, None)
