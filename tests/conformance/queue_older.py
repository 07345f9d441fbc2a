"""Drives the queues of v1.13, v1.16 and v1.20 as the programs behind the vectors drive the real ones.

Around a queue: a clock, the newest version of every pod (the API server's) and the list of popped pods. A heap is
reported as its array, until several pods were moved at once: the real queue moves them in a Go map's iteration order.
"""

from typing import Any

from msgspec.structs import replace

from kschedlab.generations import GENERATIONS
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import Pod
from kschedlab.queue.events import event
from kschedlab.queue.queued_pod import QueuedPodInfo
from tests.conformance.queue_driver import MILLISECOND, QueueDriver

START = {"v1.13": 2_000_000_000 * 1_000_000, "v1.16": 1_577_836_800_000_000, "v1.20": 1_577_836_800_000_000}
"""v1.13's clock does not move; all times in its vectors are more than a minute before or after it."""
NOTHING = event("*", "All")


def answer(scenario: dict[str, Any]) -> dict[str, Any]:
    """The result and the state after every operation, then the order in which the remaining pods are popped."""
    driver = Driver(scenario["version"])
    steps = [driver.step(op) for op in scenario["ops"]]
    return {"id": scenario["id"], "version": scenario["version"], "steps": steps, "drain": driver.drain()}


class Driver(QueueDriver):
    def __init__(self, version: str) -> None:
        super().__init__(START[version], GENERATIONS[version].queue)
        self.version = version
        self.first: dict[QueuedPodInfo, int] = {}
        self.open = self.backoff_open = False

    def step(self, op: dict[str, Any]) -> dict[str, Any]:
        before = self._lengths()
        result = self.do(op)
        after = self._lengths()
        if self.version == "v1.13":
            self.open = self.open or after[0] > before[0] + 1
            return {"result": result, "state": self.state()}
        in_order = op["op"] == "flushBackoffQCompleted" and not self.backoff_open
        self.open = (self.open or (after[0] > before[0] + 1 and not in_order)) and after[0] > 1
        self.backoff_open = (self.backoff_open or after[1] > before[1] + 1) and after[1] > 1
        return {"result": result, "state": self.state() | self.timed_state()}

    def _lengths(self) -> tuple[int, int]:
        """The lengths of activeQ and backoffQ. A heap of at most one pod has only one possible array."""
        return len(self.queue.active_q), len(self.queue.pod_backoff_q) if self.version != "v1.13" else 0

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        self.clock += op.get("ms", 0) * MILLISECOND
        return super().do(op)

    def stored(self, pod: Pod) -> Pod:
        """No admission plugin sets these pods' priority, so setting it later is a change."""
        defaulted = super().stored(pod)
        return replace(defaulted, spec=replace(defaulted.spec, priority=pod.spec.priority))

    # -- operations

    def _addIfNotPresent(self, op, pod):  # noqa: N802
        self.store[pod.key] = pod
        if pod.key not in self.queue.places():
            self.queue.add(pod)
        return {"pod": pod.key}

    def _addUnschedulableIfNotPresent(self, op, flight):  # noqa: N802
        queued, popped = flight
        pod = self.store.get(queued.key)
        if pod is None:
            return {"pod": queued.key, "skipped": "deleted"}
        if "condition" in op:
            pod = self.store[queued.key] = _with_condition(pod, op["condition"])
        queued.record_failure(pod)
        cycle = op.get("cycle", "popped")
        cycle = {"popped": popped, "current": self.queue.scheduling_cycle}.get(cycle, cycle)
        return self.give_back(queued, cycle)

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

    def timed_state(self) -> dict[str, Any]:
        """The state of v1.16 and v1.20: more parts, and the pods of each part with their times."""
        queue = self.queue
        backoff = sorted(queue.pod_backoff_q, key=lambda queued: (queue.backoff_end(queued), queued.key))
        state = {
            "clock": self.ms(self.clock),
            "active": [self._entry(queued) for queued in sorted(queue.active_q, key=lambda queued: queued.rank)],
            "backoff": [self._entry(queued) for queued in backoff],
            "backoffHeap": None if self.backoff_open else queue.pod_backoff_q.data.queue.copy(),
            "unschedulable": [self._entry(q) for q in sorted(queue.unschedulable_q, key=lambda queued: queued.key)],
        }
        if self.version == "v1.16" and queue.pod_attempts:
            state["podBackoff"] = {
                key: [attempts, self.ms(queue.end_of(key))] for key, attempts in queue.pod_attempts.items()
            }
        return state

    def _entry(self, queued: QueuedPodInfo) -> dict[str, Any]:
        entry = {"pod": queued.key, "timestamp": self.ms(queued.timestamp)}
        if self.version == "v1.16":
            return entry
        return entry | {
            "attempts": queued.attempts,
            "initialAttemptTimestamp": self.ms(self.first.setdefault(queued, self.clock)),
            "backoffExpiry": self.ms(self.queue.backoff_end(queued)),
        }


def _with_condition(pod: Pod, given: dict[str, Any]) -> Pod:
    """The pod with this condition as its last."""
    decoded, faults = decode({"apiVersion": "v1", "kind": "Pod", "status": {"conditions": [given]}}, "Pod")
    assert isinstance(decoded, Pod) and not faults, faults
    condition = decoded.status.conditions[0]
    others = tuple(other for other in pod.status.conditions if other.type != condition.type)
    return replace(pod, status=replace(pod.status, conditions=(*others, condition)))
