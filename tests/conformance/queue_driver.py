"""The base of the drivers of all queues: a clock, the newest version of every pod, the list of popped pods.

Each operation of the vectors is a method, its name after ``_``; the return value is the operation's result.
"""

from collections.abc import Callable
from typing import Any

from kschedlab.manifests.decoding import decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.objects.model import Pod

MILLISECOND = 1000


class QueueDriver:
    """``make``: creates the queue from the clock and a function that looks up the newest version of a pod."""

    def __init__(self, start: int, make: Callable[..., Any]) -> None:
        self.clock = self.start = start
        self.store: dict[str, Pod] = {}
        self.flying: list[tuple[Any, int]] = []
        self.queue = make(lambda: self.clock, get_pod=self.store.get)

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        if "pod" in op:
            pod = self._known(op["pod"])
            if pod is None:
                return {"skipped": "unknown pod"}
            given["pod"] = pod
        if "inflight" in op:
            if not self.flying:
                return {"skipped": "nothing in flight"}
            given["flight"] = self.flying.pop(op["inflight"] % len(self.flying))
        return getattr(self, "_" + op["op"])(op, **given)

    def _known(self, given: str | dict[str, Any]) -> Pod | None:
        if isinstance(given, str):
            return self.store.get(given)
        pod, faults = decode(given, "Pod")
        assert isinstance(pod, Pod) and not faults
        return self.stored(pod)

    def stored(self, pod: Pod) -> Pod:
        """The pod as the API server would store it."""
        return with_defaults(pod, {})

    def give_back(self, queued: Any, cycle: int) -> dict[str, Any]:
        try:
            self.queue.add_unschedulable(queued, cycle)
        except ValueError as error:
            return {"pod": queued.key, "error": str(error)}
        return {"pod": queued.key}

    def ms(self, moment: int) -> int:
        return (moment - self.start) // MILLISECOND

    def drain(self) -> list[str]:
        """The order in which the remaining pods are popped."""
        order = []
        while (queued := self.queue.pop()) is not None:
            order.append(queued.key)
        return order

    # -- operations

    def _add(self, op, pod):
        self.store[pod.key] = pod
        self.queue.add(pod)
        return {"pod": pod.key}

    def _pop(self, op):
        queued = self.queue.pop()
        if queued is None:
            return {"skipped": "empty"}
        self.flying.append((queued, self.queue.scheduling_cycle))
        return {"pod": queued.key}

    def _done(self, op, flight):
        queued, _ = flight
        self.queue.done(queued.pod)
        stored = self.store.get(queued.key)
        if stored is not None and stored.metadata.uid == queued.pod.metadata.uid:
            del self.store[queued.key]
        return {"pod": queued.key}

    def _update(self, op, pod):
        old = self.store.get(pod.key)
        if old is None:
            return {"pod": pod.key, "skipped": "unknown pod"}
        self.store[pod.key] = pod
        self.queue.update(old, pod)
        return {"pod": pod.key}

    def _delete(self, op, pod):
        self.store.pop(pod.key, None)
        self.queue.delete(pod)
        return {"pod": pod.key}

    def _flushBackoffQCompleted(self, op):  # noqa: N802
        self.queue.flush_backoff()
        return {}

    def _deleteNominatedPodIfExists(self, op, pod):  # noqa: N802
        self.queue.remove_nomination(pod)
        return {"pod": pod.key}

    def _nominatedPods(self, op):  # noqa: N802
        pods = [pod.key for pod in self.queue.nominated(op["node"])]
        return {"pods": pods} if pods else {}
