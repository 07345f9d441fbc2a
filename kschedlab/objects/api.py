"""What a generation's API keeps of a pod, and how its scheduler counts what a pod asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from kschedlab.objects.model import Container, Pod
from kschedlab.objects.requests import (
    DEFAULT_MEMORY,
    DEFAULT_MILLI_CPU,
    is_scalar,
    nonzero_requests,
    pod_requests,
    scored_requests,
)

Counted = dict[str, int]


@dataclass(frozen=True)
class Api:
    """One generation's API.

    ``unknown``: fields of a pod's spec that it does not have, and so drops. ``incoming``, ``placed``: the request of a
    pod that is to be scheduled, and of one on a node, by resource (cpu in milli). ``scored``, ``nonzero``: (milli cpu,
    memory) of the same two for scoring, where a container that names neither counts 100m and 200 MiB.
    """

    unknown: tuple[str, ...] = ()
    incoming: Callable[[Pod], Counted] = pod_requests
    placed: Callable[[Pod], Counted] = pod_requests
    scored: Callable[[Pod], tuple[int, int]] = scored_requests
    nonzero: Callable[[Pod], tuple[int, int]] = nonzero_requests

    def admit(self, pod: Pod) -> Pod:
        """The pod without the fields that this API does not have. The same object if there are none."""
        known: dict[str, Any] = {name: _DEFAULTS[name] for name in self.unknown if getattr(pod.spec, name)}
        if not known:
            return pod
        return msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, **known))


_DEFAULTS: dict[str, Any] = {
    "overhead": {},
    "preemptionPolicy": None,
    "resources": None,
    "schedulingGates": (),
    "topologySpreadConstraints": (),
}


def rounded_first(pod: Pod) -> Counted:
    """Each container rounded, then summed; the largest init container if that is more; overhead on top.

    v1.20: pkg/scheduler/framework/types.go, calculateResource, and plugins/noderesources/fit.go. The same formula in
    v1.16 (nodeinfo/node_info.go) and, for incoming pods, in v1.13 (algorithm/predicates/predicates.go).
    """
    counted = containers_only(pod)
    for container in pod.spec.initContainers:
        for name, amount in _of(container).items():
            counted[name] = max(counted.get(name, 0), amount)
    for name, quantity in pod.spec.overhead.items():
        counted[name] = counted.get(name, 0) + (quantity.milli() if name == "cpu" else quantity.value())
    return counted


def containers_only(pod: Pod) -> Counted:
    """Each container rounded, then summed; init containers are not counted.

    v1.13: pkg/scheduler/cache/node_info.go, calculateResource.
    """
    counted: Counted = {}
    for container in pod.spec.containers:
        for name, amount in _of(container).items():
            counted[name] = counted.get(name, 0) + amount
    return counted


def nonzero_with_init(pod: Pod) -> tuple[int, int]:
    """The sum over the containers, or the largest init container; overhead on top.

    v1.20: pkg/scheduler/framework/types.go, calculateResource.
    """
    cpu, memory = _with_init(pod)
    overhead = pod.spec.overhead
    cpu += overhead["cpu"].milli() if "cpu" in overhead else 0
    return cpu, memory + (overhead["memory"].value() if "memory" in overhead else 0)


def nonzero_with_init_and_whole_cpus(pod: Pod) -> tuple[int, int]:
    """As :func:`nonzero_with_init`, but the overhead's cpu is rounded up to whole cpus and then taken for milli.

    v1.20: plugins/noderesources/resource_allocation.go, calculatePodResourceRequest reads ``Value`` where it needs
    ``MilliValue``, so that an overhead of 250m adds 1.
    """
    cpu, memory = _with_init(pod)
    overhead = pod.spec.overhead
    cpu += overhead["cpu"].value() if "cpu" in overhead else 0
    return cpu, memory + (overhead["memory"].value() if "memory" in overhead else 0)


def nonzero_containers_only(pod: Pod) -> tuple[int, int]:
    """The sum over the containers. v1.13: algorithm/priorities/resource_allocation.go, getNonZeroRequests."""
    each = [_nonzero(container) for container in pod.spec.containers]
    return sum(cpu for cpu, _ in each), sum(memory for _, memory in each)


def _with_init(pod: Pod) -> tuple[int, int]:
    cpu, memory = nonzero_containers_only(pod)
    for container in pod.spec.initContainers:
        init_cpu, init_memory = _nonzero(container)
        cpu, memory = max(cpu, init_cpu), max(memory, init_memory)
    return cpu, memory


def _of(container: Container) -> Counted:
    return {
        name: quantity.milli() if name == "cpu" else quantity.value()
        for name, quantity in container.resources.requests.items()
        if name in ("cpu", "memory", "ephemeral-storage") or is_scalar(name)
    }


def _nonzero(container: Container) -> tuple[int, int]:
    """(milli cpu, memory) with the defaults for what is not named. v1.20: pkg/scheduler/util/non_zero.go."""
    requests = container.resources.requests
    cpu, memory = requests.get("cpu"), requests.get("memory")
    return DEFAULT_MILLI_CPU if cpu is None else cpu.milli(), DEFAULT_MEMORY if memory is None else memory.value()


_LATER = ("resources", "schedulingGates")

API_1_37 = Api()
API_1_20 = Api(
    unknown=_LATER,
    incoming=rounded_first,
    placed=rounded_first,
    scored=nonzero_with_init_and_whole_cpus,
    nonzero=nonzero_with_init,
)
API_1_16 = Api(
    unknown=(*_LATER, "overhead", "preemptionPolicy", "topologySpreadConstraints"),
    incoming=rounded_first,
    placed=rounded_first,
    scored=nonzero_with_init,
    nonzero=nonzero_with_init,
)
API_1_13 = Api(
    unknown=API_1_16.unknown,
    incoming=rounded_first,
    placed=containers_only,
    scored=nonzero_containers_only,
    nonzero=nonzero_containers_only,
)
