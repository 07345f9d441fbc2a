"""NodePorts: are the host ports that the pod requests free on the node?

v1.37: pkg/scheduler/framework/plugins/nodeports/node_ports.go, pkg/scheduler/util/utils.go (GetHostPorts) and
kube-scheduler/framework/types.go (HostPortInfo). A port is in use on one address; 0.0.0.0 means all addresses.
Init containers count if they are sidecars (restartPolicy Always).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.clues import Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import PodsFilter, Refusal, Refusals
from kschedlab.objects.model import Pod

PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"
ALL_ADDRESSES = "0.0.0.0"


class HostPort(NamedTuple):
    address: str
    protocol: str
    port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}/{self.protocol}"

    def conflicts(self, other: HostPort) -> bool:
        """Whether one node can't have both: same protocol and port, and a common address."""
        return self[1:] == other[1:] and (
            self.address == other.address or ALL_ADDRESSES in (self.address, other.address)
        )


def host_ports(pod: Pod, counts_sidecars: bool = True) -> tuple[HostPort, ...]:
    sidecars = [c for c in pod.spec.initContainers if counts_sidecars and c.restartPolicy == "Always"]
    ports = (port for container in (*sidecars, *pod.spec.containers) for port in container.ports if port.hostPort > 0)
    return tuple(HostPort(port.hostIP or ALL_ADDRESSES, port.protocol or "TCP", port.hostPort) for port in ports)


def host_ports_of(signature: Signature) -> frozenset[HostPort]:
    return frozenset(host_ports(signature.example))


def without_sidecars(signature: Signature) -> frozenset[HostPort]:
    """As :func:`host_ports_of`, without those of sidecars."""
    return frozenset(host_ports(signature.example, counts_sidecars=False))


def numbers_of(signature: Signature) -> frozenset[tuple[str, int]]:
    """Their protocols and numbers, on whatever address."""
    return frozenset((port.protocol, port.port) for port in host_ports(signature.example))


def clues_to(port: HostPort) -> tuple[Clue, ...]:
    """The clue to the pods whose host ports may conflict with this one."""
    return (Clue(numbers_of, ((port.protocol, port.port),)),)


@dataclass(frozen=True, slots=True)
class UsesHostPort:
    """PodQuery: does the pod use exactly this host port?"""

    host_port: HostPort
    used: Callable[[Signature], frozenset[HostPort]] = host_ports_of

    def of(self, signature: Signature) -> int:
        return int(self.host_port in self.used(signature))

    @property
    def clues(self) -> tuple[Clue, ...]:
        return (Clue(self.used, (self.host_port,)),)


@dataclass(frozen=True)
class NodePorts:
    """The filter. Named rule ``counts_sidecars``: those of sidecars count, too (v1.33: the same file)."""

    name: str = "NodePorts"
    counts_sidecars: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PortsCheck | None:
        requested = host_ports(pod.pod, self.counts_sidecars)
        if not requested:
            return None
        used = host_ports_of if self.counts_sidecars else without_sidecars
        known_ports = cluster.signatures.concerning(pod.signature, used, clues_to)
        conflicting = (port for port in known_ports if any(port.conflicts(other) for other in requested))
        return PortsCheck(tuple(UsesHostPort(port, used) for port in conflicting))


@dataclass(frozen=True)
class PortsCheck(PodsFilter):
    """``conflicting``: every host port used by any pod in the cluster that conflicts with a requested one."""

    conflicting: tuple[UsesHostPort, ...]

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes where a conflicting port is in use. Terms: where each is. O(nodes x conflicting ports)."""
        in_use = {query: snapshot.contains(query) for query in self.conflicting}
        mask = reduce(or_, in_use.values(), np.zeros(len(snapshot.cluster.nodes), np.bool_))
        if not mask.any():
            return None
        terms = {str(query.host_port): nodes.astype(np.int64) for query, nodes in in_use.items()}
        return Refusals([Refusal(mask, PORTS_TAKEN, terms=terms)])
