"""Hints of the plugins that look for room: host ports and resources.

v1.37: pkg/scheduler/framework/plugins: nodeports/node_ports.go, noderesources/fit.go (isSchedulableAfter...).
"""

from __future__ import annotations

from kschedlab.filter.node_ports import host_ports
from kschedlab.filter.node_resources import asked_for
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.queue.hints.prepared_pod import Prepared


def held_room(pod: Pod) -> bool:
    """Whether the pod, which is gone, was on a node or waited for room on one."""
    return bool(pod.spec.nodeName or pod.status.nominatedNodeName)


def ports_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodePorts: the pod that is gone held a host port which this one wants."""
    if not held_room(old):
        return False
    held = host_ports(old)
    return bool(held) and any(want.conflicts(port) for want in host_ports(pod) for port in held)


def resources_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodeResourcesFit: a pod that held room is gone."""
    return held_room(old)


def resources_after_scale_down(pod: Pod, old: Pod, new: Pod) -> bool:
    """NodeResourcesFit: a pod on a node asks for less of something that this one wants."""
    if not new.spec.nodeName:
        return False
    before, after = pod_requests(old), pod_requests(new)
    return any(before.get(name, 0) > after.get(name, 0) for name in _wanted(pod))


def resources_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """NodeResourcesFit: the empty node has room for the pod, and has more of what it wants, or of places for pods."""
    wanted = _wanted(pod)
    if _allocatable(new, "pods") < 1 or any(amount > _allocatable(new, name) for name, amount in wanted.items()):
        return False
    return old is None or any(_allocatable(new, name) > _allocatable(old, name) for name in ("pods", *wanted))


def _wants(pod: Pod) -> dict[str, int]:
    return asked_for(pod_requests(pod))


_wanted = Prepared(_wants)


def _allocatable(node: Node, resource: str) -> int:
    amount = node.status.allocatable.get(resource)
    return 0 if amount is None else amount.milli() if resource == "cpu" else amount.value()
