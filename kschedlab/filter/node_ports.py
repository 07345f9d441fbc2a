"""NodePorts: are the host ports that the pod wants free on the node?

v1.37: pkg/scheduler/framework/plugins/nodeports/node_ports.go, pkg/scheduler/util/utils.go (GetHostPorts) and
kube-scheduler/framework/types.go (HostPortInfo). A port is taken on an address; the address 0.0.0.0 means all of them.
Init containers count if they run beside the others (restartPolicy Always).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Refusal, Refusals
from kschedlab.objects.model import Pod

PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"
ALL_ADDRESSES = "0.0.0.0"


class HostPort(NamedTuple):
    """A port of the node that a container takes."""

    address: str
    protocol: str
    port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}/{self.protocol}"

    def conflicts(self, other: HostPort) -> bool:
        """Whether both can't be taken on one node: same protocol and port, and an address in common."""
        return self[1:] == other[1:] and (
            self.address == other.address or ALL_ADDRESSES in (self.address, other.address)
        )


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """The ports of the node that the pod takes."""
    beside = [c for c in pod.spec.initContainers if c.restartPolicy == "Always"]
    return tuple(
        HostPort(p.hostIP or ALL_ADDRESSES, p.protocol or "TCP", p.hostPort)
        for container in (*beside, *pod.spec.containers)
        for p in container.ports
        if p.hostPort > 0
    )


def host_ports_of(signature: Signature) -> tuple[HostPort, ...]:
    """The ports of the node that every pod of the signature takes."""
    return host_ports(signature.example)


@dataclass(frozen=True, slots=True)
class UsesHostPort:
    """PodQuery: does the pod take this very host port?"""

    host_port: HostPort

    def of(self, signature: Signature) -> int:
        """1 if pods of this signature take it."""
        return int(self.host_port in host_ports_of(signature))


@dataclass(frozen=True)
class NodePorts:
    """The filter."""

    name: str = "NodePorts"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PortsCheck | None:
        """Skips a pod that wants no host port."""
        wanted = host_ports(pod.pod)
        if not wanted:
            return None
        taken = cluster.signatures.extracted(host_ports_of)
        return PortsCheck(tuple(UsesHostPort(t) for t in taken if any(t.conflicts(w) for w in wanted)))


@dataclass(frozen=True)
class PortsCheck:
    """``rivals``: every host port that any pod takes or wants, if it is in the way of one that this pod wants."""

    rivals: tuple[UsesHostPort, ...]
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes on which a rival is taken. Terms: where each is. O(nodes x rivals)."""
        held = {rival: snapshot.contains(rival) for rival in self.rivals}
        mask = np.zeros(len(snapshot.cluster.nodes), np.bool_)
        for taken in held.values():
            mask |= taken
        if not mask.any():
            return None
        terms = {str(rival.host_port): taken.astype(np.int64) for rival, taken in held.items()}
        return Refusals([Refusal(mask, PORTS_TAKEN, terms=terms)])
