"""Hints of the plugins that check resources: NodePorts and NodeResourcesFit.

v1.37: pkg/scheduler/framework/plugins: nodeports/node_ports.go, noderesources/fit.go (isSchedulableAfter...).
"""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.dynamic_resources import is_served
from kschedlab.filter.node_ports import host_ports
from kschedlab.filter.node_resources import requested_resources
from kschedlab.objects.model import DeviceClass, Node, Pod
from kschedlab.objects.requests import DEVICE_CLASS_PREFIX, pod_requests
from kschedlab.queue.events import Hint
from kschedlab_simulation.scheduler.hints.pod_cache import PodCache


def held_resources(pod: Pod) -> bool:
    """Whether the pod is assigned to a node or nominated to one."""
    return bool(pod.spec.nodeName or pod.status.nominatedNodeName)


def ports_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodePorts: the removed pod held a host port that this pod requests."""
    if not held_resources(old):
        return False
    held = host_ports(old)
    return bool(held) and any(port.conflicts(other) for port in host_ports(pod) for other in held)


def resources_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodeResourcesFit: the removed pod held resources."""
    return held_resources(old)


def resources_after_scale_down(pod: Pod, old: Pod, new: Pod) -> bool:
    """NodeResourcesFit: an assigned pod now requests less of a resource that this pod requests."""
    if not new.spec.nodeName:
        return False
    old_requests, new_requests = pod_requests(old), pod_requests(new)
    return any(old_requests.get(name, 0) > new_requests.get(name, 0) for name in _requested(pod))


def resources_after_node(cluster: Callable[[], Cluster] | None = None) -> Hint:
    """NodeResourcesFit: an empty node of this size fits the pod, and a requested resource or ``pods`` has increased.

    ``cluster`` has the device classes: a resource that the node lacks and a class serves is left to DynamicResources.
    """

    def hint(pod: Pod, old: Node | None, new: Node) -> bool:
        requested = _requested(pod)
        short = [name for name, amount in requested.items() if amount > _allocatable(new, name)]
        absent = (name for name in requested if not _allocatable(new, name))
        served = {name for name in absent if cluster and is_served(pod, cluster(), name)}
        if _allocatable(new, "pods") < 1 or not served.issuperset(short):
            return False
        if old is None or served:
            return True
        return any(_allocatable(new, name) > _allocatable(old, name) for name in ("pods", *requested))

    return hint


def resources_after_class(pod: Pod, old: DeviceClass | None, new: DeviceClass) -> bool:
    """NodeResourcesFit: a new class serves a resource that the pod requests, or one serves it under a new name."""
    requests, explicit = pod_requests(pod), new.spec.extendedResourceName or ""
    if old is None and f"{DEVICE_CLASS_PREFIX}{new.metadata.name}" in requests:
        return True
    return explicit in requests and (old is None or explicit != (old.spec.extendedResourceName or ""))


def _compute_requested(pod: Pod) -> dict[str, int]:
    return requested_resources(pod_requests(pod))


_requested = PodCache(_compute_requested)


def _allocatable(node: Node, resource: str) -> int:
    amount = node.status.allocatable.get(resource)
    return 0 if amount is None else amount.amount(resource)
