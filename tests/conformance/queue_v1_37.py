"""Drives the queue of v1.37 as the program behind the vectors drives the real one.

Around the queue: a clock, the newest version of every pod (the informer's store) and the list of popped pods.
"""

from typing import Any

from kschedlab.objects.decoding import decode
from kschedlab.objects.defaults import with_defaults
from kschedlab.objects.model import Pod
from kschedlab.queue.events import event
from kschedlab.queue.hints.table import ALWAYS
from kschedlab.queue.waiting import WaitingPod
from kschedlab.queue.with_events import WithEvents

START = 1_577_836_800_000_000  # 2020-01-01T00:00:00Z
MILLISECOND = 1000


def answer(scenario: dict[str, Any]) -> dict[str, Any]:
    """The result and the state after every operation, then the order in which the rest is popped."""
    driver = Driver(scenario["ops"])
    steps = [{"result": driver.do(op), "state": driver.state()} for op in scenario["ops"]]
    return {"id": scenario["id"], "version": scenario["version"], "steps": steps, "drain": driver.drain()}


class Driver:
    def __init__(self, ops: list[dict[str, Any]]) -> None:
        self.clock = START
        self.store: dict[str, Pod] = {}
        self.flying: list[WaitingPod] = []
        self.nodes = sorted(set(_nodes(ops)) - {None})
        self.queue = WithEvents(lambda: self.clock, ALWAYS, known=self.store.get)

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        given = {}
        if "pod" in op:
            pod = self._pod(op["pod"])
            if pod is None:
                return {"skipped": "unknown pod"}
            given["pod"] = pod
        if "inflight" in op:
            if not self.flying:
                return {"skipped": "nothing in flight"}
            given["queued"] = self.flying.pop(op["inflight"] % len(self.flying))
        return getattr(self, "_" + op["op"])(op, **given)

    def _pod(self, given: str | dict[str, Any]) -> Pod | None:
        if isinstance(given, str):
            return self.store.get(given)
        pod, faults = decode(given, "Pod")
        assert isinstance(pod, Pod) and not faults
        return with_defaults(pod, {})

    # -- operations

    def _add(self, op, pod):
        self.store[pod.key] = pod
        self.queue.add(pod)
        return {"pod": pod.key}

    def _pop(self, op):
        queued = self.queue.pop()
        if queued is None:
            return {"skipped": "empty"}
        self.flying.append(queued)
        return {"pod": queued.key}

    def _addUnschedulableIfNotPresent(self, op, queued):  # noqa: N802
        newest = self.store.get(queued.key)
        if newest is None or newest.metadata.uid != queued.pod.metadata.uid:
            self.queue.done(queued.pod)
            return {"pod": queued.key, "skipped": "deleted"}
        queued.refused(newest, op.get("unschedulablePlugins", ()), op.get("pendingPlugins", ()))
        try:
            self.queue.add_unschedulable(queued, op.get("podSchedulingCycle", self.queue.scheduling_cycle))
        except ValueError as error:
            return {"pod": queued.key, "error": str(error)}
        return {"pod": queued.key}

    def _done(self, op, queued):
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

    def _activate(self, op):
        self.queue.activate([self.store[key] for key in op["pods"] if key in self.store])
        return {}

    def _moveAll(self, op):  # noqa: N802
        self.queue.move(event(op["resource"], op["action"]))
        return {}

    def _advance(self, op):
        self.clock += op["ms"] * MILLISECOND
        return {}

    def _flushBackoffQCompleted(self, op):  # noqa: N802
        self.queue.flush_backoff()
        return {}

    def _flushUnschedulablePodsLeftover(self, op):  # noqa: N802
        self.queue.flush_unschedulable()
        return {}

    def _nominate(self, op, pod):
        self.queue.nominate(pod, op["node"])
        return {"pod": pod.key}

    def _deleteNominatedPodIfExists(self, op, pod):  # noqa: N802
        self.queue.withdraw(pod)
        return {"pod": pod.key}

    def _nominatedPods(self, op):  # noqa: N802
        pods = [pod.key for pod in self.queue.nominated(op["node"])]
        return {"pods": pods} if pods else {}

    # -- state

    def state(self) -> dict[str, Any]:
        queue = self.queue
        nominated = {node: [pod.key for pod in queue.nominated(node)] for node in self.nodes}
        return {
            "clock": (self.clock - START) // MILLISECOND,
            "active": [_entry(pod) for pod in queue.active],
            "backoff": [_entry(pod) | {"backoffExpiry": _ms(pod.backoff_until)} for pod in queue.backoff],
            "unschedulable": [_entry(pod) for pod in sorted(queue.unschedulable, key=lambda pod: pod.key)],
            "nominated": {node: pods for node, pods in nominated.items() if pods},
            "schedulingCycle": queue.scheduling_cycle,
            "inFlight": sorted(pod.key for pod in queue.in_flight.pods()),
            "inFlightEvents": queue.in_flight.event_count,
        }

    def drain(self) -> list[str]:
        order = []
        while (queued := self.queue.pop()) is not None:
            order.append(queued.key)
        return order


def _ms(moment: int) -> int:
    return (moment - START) // MILLISECOND


def _entry(pod: WaitingPod) -> dict[str, Any]:
    entry = {
        "pod": pod.key,
        "timestamp": _ms(pod.timestamp),
        "attempts": pod.attempts,
        "unschedulableCount": pod.unschedulable_count,
        "errorCount": pod.error_count,
        "plugins": sorted(pod.refusers),
    }
    return entry | ({"gated": pod.gate} if pod.gate else {}) | ({"flushed": True} if pod.flushed else {})


def _nodes(ops):
    for op in ops:
        yield op.get("node")
        if isinstance(op.get("pod"), dict):
            yield op["pod"].get("status", {}).get("nominatedNodeName")
