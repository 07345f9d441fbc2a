"""Drives the queues of v1.13, v1.16 and v1.20 as the programs behind the vectors drive the real ones.

Around a queue: a clock, the newest version of every pod (the API server's) and the list of popped pods. A heap is told
as it lies in memory, until several pods were moved at once: the real queue does that in the order of a Go map.
"""

from typing import Any

from msgspec.structs import replace

from kschedlab.generations import GENERATIONS
from kschedlab.objects.decoding import decode
from kschedlab.objects.defaults import with_defaults
from kschedlab.objects.model import Pod
from kschedlab.queue.events import event
from kschedlab.queue.queued import QueuedPodInfo

MOMENT = 2_000_000_000 * 1_000_000
"""Of v1.13's vectors: all times lie either more than a minute before, or after."""
NOTHING = event("*", "All")


def answer(scenario: dict[str, Any]) -> dict[str, Any]:
    """The result and the state after every operation, then the order in which the rest is popped."""
    driver = Driver(scenario["version"])
    steps = [driver.step(op) for op in scenario["ops"]]
    return {"id": scenario["id"], "version": scenario["version"], "steps": steps, "drain": driver.drain()}


class Driver:
    def __init__(self, version: str) -> None:
        self.clock = MOMENT
        self.store: dict[str, Pod] = {}
        self.flying: list[tuple[QueuedPodInfo, int]] = []
        self.queue = GENERATIONS[version].queue(lambda: self.clock, known=self.store.get)
        self.open = False

    def step(self, op: dict[str, Any]) -> dict[str, Any]:
        before = len(self.queue.active_q)
        result = self.do(op)
        self.open = self.open or len(self.queue.active_q) > before + 1
        return {"result": result, "state": self.state()}

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        if "pod" in op:
            pod = self._pod(op["pod"])
            if pod is None:
                return {"skipped": "unknown pod"}
            given["pod"] = pod
        if "inflight" in op:
            if not self.flying:
                return {"skipped": "nothing in flight"}
            given["flight"] = self.flying.pop(op["inflight"] % len(self.flying))
        return getattr(self, "_" + op["op"])(op, **given)

    def _pod(self, given: str | dict[str, Any]) -> Pod | None:
        if isinstance(given, str):
            return self.store.get(given)
        pod, faults = decode(given, "Pod")
        assert isinstance(pod, Pod) and not faults
        # no admission plugin gives these pods a priority, so one that is written later is a change
        defaulted = with_defaults(pod, {})
        return replace(defaulted, spec=replace(defaulted.spec, priority=pod.spec.priority))

    # -- operations

    def _add(self, op, pod):
        self.store[pod.key] = pod
        self.queue.add(pod)
        return {"pod": pod.key}

    def _addIfNotPresent(self, op, pod):  # noqa: N802
        self.store[pod.key] = pod
        self.queue.add_if_not_present(pod)
        return {"pod": pod.key}

    def _pop(self, op):
        queued = self.queue.pop()
        if queued is None:
            return {"skipped": "empty"}
        self.flying.append((queued, self.queue.scheduling_cycle))
        return {"pod": queued.key}

    def _addUnschedulableIfNotPresent(self, op, flight):  # noqa: N802
        queued, popped = flight
        pod = self.store.get(queued.key)
        if pod is None:
            return {"pod": queued.key, "skipped": "deleted"}
        if "condition" in op:
            pod = self.store[queued.key] = _with_condition(pod, op["condition"])
        queued.refused(pod)
        cycle = op.get("cycle", "popped")
        cycle = {"popped": popped, "current": self.queue.scheduling_cycle}.get(cycle, cycle)
        try:
            self.queue.add_unschedulable(queued, cycle)
        except ValueError as error:
            return {"pod": queued.key, "error": str(error)}
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

    def _moveAllToActiveQueue(self, op):  # noqa: N802
        self.queue.move(NOTHING)
        return {}

    def _assignedPodAdded(self, op, pod):  # noqa: N802
        self.queue.assigned_pod_added(pod)
        return {"pod": pod.key}

    def _assignedPodUpdated(self, op, pod):  # noqa: N802
        self.queue.assigned_pod_updated(pod, pod, NOTHING)
        return {"pod": pod.key}

    def _flushUnschedulableQLeftover(self, op):  # noqa: N802
        self.queue.flush_unschedulable()
        return {}

    def _updateNominatedPodForNode(self, op, pod):  # noqa: N802
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
        nominated = queue.nominated_pods.nominated_pods
        return {
            "active": [queued.key for queued in sorted(queue.active_q, key=lambda queued: queued.rank)],
            "heap": None if self.open else queue.active_q.data.queue.copy(),
            "unschedulable": sorted(queue.unschedulable_q.pods),
            "nominated": {node: [pod.key for pod in pods.values()] for node, pods in nominated.items()},
            "schedulingCycle": queue.scheduling_cycle,
            "moveRequestCycle": queue.move_request_cycle,
            "inFlight": [queued.key for queued, _ in self.flying],
        }

    def drain(self) -> list[str]:
        order = []
        while (queued := self.queue.pop()) is not None:
            order.append(queued.key)
        return order


def _with_condition(pod: Pod, given: dict[str, Any]) -> Pod:
    """The pod with this condition as its last."""
    decoded, faults = decode({"apiVersion": "v1", "kind": "Pod", "status": {"conditions": [given]}}, "Pod")
    assert isinstance(decoded, Pod) and not faults, faults
    condition = decoded.status.conditions[0]
    others = tuple(other for other in pod.status.conditions if other.type != condition.type)
    return replace(pod, status=replace(pod.status, conditions=(*others, condition)))
