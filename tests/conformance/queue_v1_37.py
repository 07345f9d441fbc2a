"""Drives the queue of v1.37 as the program behind the vectors drives the real one.

Around the queue: a clock, the newest version of every pod (the informer's store) and the list of popped pods.
"""

from functools import partial
from typing import Any

from kschedlab.queue.events import event
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.queue.with_events import WithEvents
from tests.conformance.queue_driver import MILLISECOND, QueueDriver
from tests.queue.events import ALWAYS, survives_update

START = 1_577_836_800_000_000  # 2020-01-01T00:00:00Z


def answer(scenario: dict[str, Any]) -> dict[str, Any]:
    """The result and the state after every operation, then the order in which the remaining pods are popped."""
    driver = Driver(scenario["ops"])
    steps = [{"result": driver.do(op), "state": driver.state()} for op in scenario["ops"]]
    return {"id": scenario["id"], "version": scenario["version"], "steps": steps, "drain": driver.drain()}


class Driver(QueueDriver):
    def __init__(self, ops: list[dict[str, Any]]) -> None:
        super().__init__(START, partial(WithEvents, hints=ALWAYS))
        self.nodes = sorted(set(_nodes(ops)) - {None})

    # -- operations

    def _addUnschedulableIfNotPresent(self, op, flight):  # noqa: N802
        queued, _ = flight
        newest = self.store.get(queued.key)
        if newest is None or newest.metadata.uid != queued.pod.metadata.uid:
            self.queue.done(queued.pod)
            return {"pod": queued.key, "skipped": "deleted"}
        queued.record_failure(newest, op.get("unschedulablePlugins", ()), op.get("pendingPlugins", ()))
        return self.give_back(queued, op.get("podSchedulingCycle", self.queue.scheduling_cycle))

    def _activate(self, op):
        self.queue.activate([self.store[key] for key in op["pods"] if key in self.store])
        return {}

    def _moveAll(self, op):  # noqa: N802
        self.queue.move(event(op["resource"], op["action"]))
        return {}

    def _advance(self, op):
        self.clock += op["ms"] * MILLISECOND
        return {}

    def _flushUnschedulablePodsLeftover(self, op):  # noqa: N802
        self.queue.flush_unschedulable()
        return {}

    def _nominate(self, op, pod):
        self.queue.nominate(pod, op["node"])
        return {"pod": pod.key}

    # -- state

    def state(self) -> dict[str, Any]:
        queue = self.queue
        nominated = {node: [pod.key for pod in queue.nominated(node)] for node in self.nodes}
        return {
            "clock": self.ms(self.clock),
            "active": [self._entry(pod) for pod in queue.active],
            "backoff": [self._entry(pod) | {"backoffExpiry": self.ms(pod.backoff_until)} for pod in queue.backoff],
            "unschedulable": [self._entry(pod) for pod in sorted(queue.unschedulable, key=lambda pod: pod.key)],
            "nominated": {node: pods for node, pods in nominated.items() if pods},
            "schedulingCycle": queue.scheduling_cycle,
            "inFlight": sorted(pod.key for pod in queue.in_flight.pods()),
            "inFlightEvents": survives_update(queue.in_flight),
        }

    def _entry(self, pod: QueuedPodInfo) -> dict[str, Any]:
        entry = {
            "pod": pod.key,
            "timestamp": self.ms(pod.timestamp),
            "attempts": pod.attempts,
            "unschedulableCount": pod.unschedulable_count,
            "errorCount": pod.error_count,
            "plugins": sorted(pod.rejector_plugins),
        }
        return entry | ({"gated": pod.gate} if pod.gate else {}) | ({"flushed": True} if pod.flushed else {})


def _nodes(ops):
    for op in ops:
        yield op.get("node")
        if isinstance(op.get("pod"), dict):
            yield op["pod"].get("status", {}).get("nominatedNodeName")
