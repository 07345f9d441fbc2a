"""Pods as ``kubectl get pods -o wide`` prints them, at any virtual time.

v1.37: pkg/printers/internalversion/printers.go (printPod), k8s.io/cli-runtime pkg/printers (tableprinter.go,
tabwriter.go). Control characters are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedlab.objects.meta import Time
from kschedlab.objects.model import ContainerStateTerminated, ContainerStatus, Pod, PodCondition
from kschedlab.text.html import visible
from kschedlab.text.words import human_duration

HEAD = ("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")
NONE = "<none>"

_PADDING, _NARROWEST = 3, 6


class PodTable:
    """Prints the header once and any number of lines: ``kubectl get pods -o wide --watch``.

    Columns never shrink, so later lines align with earlier ones.
    """

    def __init__(self, all_namespaces: bool = False) -> None:
        self._namespaces = all_namespaces
        self._widths: list[int] = []

    def lines(self, pods: Iterable[Pod], now: int) -> list[str]:
        """A line for each pod, in the given order; the header precedes the first lines."""
        rows = [self._row(pod, now) for pod in pods]
        if not self._widths and rows:
            head = ("NAMESPACE", *HEAD) if self._namespaces else HEAD
            rows.insert(0, head)
            self._widths = [_NARROWEST] * (len(head) - 1)
        self._widths = [
            max(width, *(len(row[i]) + _PADDING for row in rows)) if rows else width
            for i, width in enumerate(self._widths)
        ]
        return ["".join(map(str.ljust, row, self._widths)) + row[-1] for row in rows]

    def _row(self, pod: Pod, now: int) -> Sequence[str]:
        cells = tuple(map(visible, wide_cells(pod, now)))
        return (visible(pod.metadata.namespace), *cells) if self._namespaces else cells


def wide_cells(pod: Pod, now: int) -> tuple[str, ...]:
    """The cells for the columns of :data:`HEAD`."""
    ready, containers, status, restarts, last_restart = _containers(pod)
    again = f"{restarts} ({age(last_restart, now)} ago)" if restarts and last_restart is not None else str(restarts)
    address = pod.status.podIPs[0].ip if pod.status.podIPs else pod.status.podIP
    return (
        pod.metadata.name,
        f"{ready}/{containers}",
        status,
        again,
        age(pod.metadata.creationTimestamp, now),
        address or NONE,
        pod.spec.nodeName or NONE,
        pod.status.nominatedNodeName or NONE,
        _readiness_gates(pod),
    )


def age(since: int | None, now: int) -> str:
    """Time since ``since`` (microseconds), in two or three figures: ``45s``, ``2m30s``, ``3h``, ``5d2h``."""
    return human_duration(now - since) if since is not None else "<unknown>"


def _containers(pod: Pod) -> tuple[int, int, str, int, Time | None]:
    """(ready containers, all containers, the pod's status, restarts, time of the last restart)."""
    sidecars = {c.name for c in pod.spec.initContainers if c.restartPolicy == "Always"}
    total = len(pod.spec.containers) + len(sidecars)
    ready, why, seen = _initializing(pod, sidecars)
    status = why or _reason(pod)
    counted = list(seen)
    if not why or _condition(pod, "Initialized", "True"):
        counted = [container for container in seen if container.name in sidecars]
        counted += pod.status.containerStatuses
        running, status = _running(pod, status)
        ready += running
    restarts = sum(container.restartCount for container in counted)
    ended = [c.lastState.terminated.finishedAt for c in counted if c.lastState.terminated is not None]
    return ready, total, _gone(pod, status), restarts, max((t for t in ended if t is not None), default=None)


def _reason(pod: Pod) -> str:
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.reason == "SchedulingGated":
            return "SchedulingGated"
    return pod.status.reason or pod.status.phase


def _initializing(pod: Pod, sidecars: set[str]) -> tuple[int, str, Sequence[ContainerStatus]]:
    """(ready sidecars, the init status that blocks the pod or "", the statuses up to that one)."""
    statuses, ready = pod.status.initContainerStatuses, 0
    for i, container in enumerate(statuses):
        ended, waiting = container.state.terminated, container.state.waiting
        if ended is not None and ended.exitCode == 0:
            continue
        if container.name in sidecars and container.started:
            ready += container.ready
        elif ended is not None:
            return ready, f"Init:{_ended(ended)}", statuses[: i + 1]
        elif waiting is not None and waiting.reason not in ("", "PodInitializing"):
            return ready, f"Init:{waiting.reason}", statuses[: i + 1]
        else:
            return ready, f"Init:{i}/{len(pod.spec.initContainers)}", statuses[: i + 1]
    return ready, "", statuses


def _running(pod: Pod, status: str) -> tuple[int, str]:
    """(containers that run and are ready, the status of the first container with a reason)."""
    ready, error = 0, ""
    for container in reversed(pod.status.containerStatuses):
        ended, waiting = container.state.terminated, container.state.waiting
        if waiting is not None and waiting.reason:
            status = waiting.reason
        elif ended is not None:
            status = _ended(ended)
            error = status if ended.exitCode else error
        elif container.ready and container.state.running is not None:
            ready += 1
    if status != "Completed":
        return ready, status
    if ready and _condition(pod, "Ready", "True"):
        return ready, "Running"
    return ready, error or ("NotReady" if ready else status)


def _ended(state: ContainerStateTerminated) -> str:
    return state.reason or (f"Signal:{state.signal}" if state.signal else f"ExitCode:{state.exitCode}")


def _gone(pod: Pod, status: str) -> str:
    if pod.metadata.deletionTimestamp is None:
        return status
    if pod.status.reason == "NodeLost":
        return "Unknown"
    return status if pod.status.phase in ("Succeeded", "Failed") else "Terminating"


def _condition(pod: Pod, type: str, status: str) -> bool:
    return any(condition.type == type and condition.status == status for condition in pod.status.conditions)


def _readiness_gates(pod: Pod) -> str:
    gates = pod.spec.readinessGates
    if not gates:
        return NONE
    first: dict[str, PodCondition] = {}
    for condition in pod.status.conditions:
        first.setdefault(condition.type, condition)
    fulfilled = [gate for gate in gates if (found := first.get(gate.conditionType)) and found.status == "True"]
    return f"{len(fulfilled)}/{len(gates)}"
