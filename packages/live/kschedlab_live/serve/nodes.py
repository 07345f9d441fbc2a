"""Reports of the kubelets about their nodes: conditions when they register, and fields that the model leaves out.

v1.37: pkg/kubelet/nodestatus/setters.go (reasons and messages), apis/config/v1beta1/defaults.go
(nodeStatusReportFrequency), k8s.io/component-helpers node/util (leases are not modelled).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kschedlab import __version__
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import Node
from kschedlab.objects.nodes import NodeCondition
from kschedlab_simulation.controllers.kubelet import NAME
from kschedlab_simulation.log import Changed, LogEntry
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

Data = dict[str, Any]

REPORTED = 300 * SECOND
"""Microseconds between two reports of a status that does not change."""

_WORDS = {
    ("MemoryPressure", "False"): ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False"): ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False"): ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True"): ("KubeletReady", "kubelet is posting ready status"),
    ("MemoryPressure", "True"): ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
    ("DiskPressure", "True"): ("KubeletHasDiskPressure", "kubelet has disk pressure"),
    ("PIDPressure", "True"): ("KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
    ("Ready", "False"): ("KubeletNotReady", "container runtime is down"),
}
"""Reason and message of a condition that does not say its own."""

_HEALTHY = tuple(NodeCondition(type, status) for type, status in list(_WORDS)[:4])
_SILENT = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
"""The conditions that the node lifecycle controller writes once a kubelet is silent."""

_NODE_INFO = {
    "machineID": "",
    "systemUUID": "",
    "bootID": "",
    "kubeletVersion": "v1.37.0",
    "kubeProxyVersion": "",
    "osImage": "kschedlab",
    "kernelVersion": "none",
    "containerRuntimeVersion": f"kschedlab://{__version__}",
    "architecture": "amd64",
    "operatingSystem": "linux",
}
"""The report of a kubelet; a node's own nodeInfo counts. All fields are always written (k8s.io/api core/v1)."""


class Registration:
    """The kubelets' first report: a node without the condition Ready gets the four conditions of a healthy node."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def follow(self, entries: list[LogEntry]) -> None:
        """Report for the nodes that these entries add."""
        for entry in entries:
            if isinstance(entry, Changed) and entry.kind == Node.__name__ and entry.old is None:
                self._register(entry.new)

    def _register(self, node: Node) -> None:
        current = self._api.find(Node, "", node.metadata.name)
        if current is None or any(condition.type == "Ready" for condition in current.status.conditions):
            return
        known = {condition.type for condition in current.status.conditions}
        conditions = (*current.status.conditions, *(condition for condition in _HEALTHY if condition.type not in known))
        with ignore_deleted():
            self._api.update_status(replace(current, status=replace(current.status, conditions=conditions)), by=NAME)


def reported(data: Data, created: int | None, now: int) -> Data:
    """The node's status with what a kubelet reports beside the model. Times are in microseconds since 1970."""
    status: Data = {"nodeInfo": _NODE_INFO, "addresses": [{"type": "Hostname", "address": data["metadata"]["name"]}]}
    status |= data["status"]
    status["nodeInfo"] = _NODE_INFO | status["nodeInfo"]
    if "conditions" in status:
        since = now if created is None else created
        status["conditions"] = [_condition(condition, since, now) for condition in status["conditions"]]
    return status


def _condition(condition: Data, created: int, now: int) -> Data:
    """The condition with times, reason and message; a kubelet that is silent has stopped to report."""
    unknown = condition.get("status") == "Unknown"
    since = Time.whole_second(created)
    words = _WORDS.get((condition.get("type", ""), condition.get("status", "")), ("", ""))
    reason, message = _SILENT if unknown else words
    latest = since if unknown else Time.whole_second(now - (now - created) % REPORTED)
    reported_fields: Data = {"lastHeartbeatTime": str(latest), "lastTransitionTime": str(since)}
    if "reason" not in condition and reason:
        reported_fields |= {"reason": reason, "message": message}
    return reported_fields | condition
