"""DynamicResources: can the devices that the pod claims be allocated on the node?

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter, Filter). The room ``devices``
holds how; it is loaded for the first pod that demands devices. Evicting pods can't help.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import CostlyFilter, PreFilterRejection, Refusal, Refusals, SchedulingError
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DeviceClass
from kschedlab.objects.requests import is_served_by_classes

if TYPE_CHECKING:
    from kschedlab_devices.demand import Demand

NAME = "DynamicResources"


def wall_clock() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


@dataclass(frozen=True)
class DynamicResources:
    """The filter. Microseconds: ``binding_timeout``, for an allocated device to get ready; ``filter_timeout``, for the
    real scheduler's search on a node (0: unlimited); ``now``, a clock since 1970, which tells what has timed out."""

    name: str = NAME
    binding_timeout: int = 600 * SECOND
    filter_timeout: int = 10 * SECOND
    now: Callable[[], int] = wall_clock

    def prepare(self, pod: PodInfo, cluster: Cluster) -> DevicesCheck | PreFilterRejection | None:
        """Skips a pod that demands no devices. Rejects one that has to wait for a claim or a class."""
        if not demands_devices(pod, cluster):
            return None
        from kschedlab_devices.claims import ClaimError
        from kschedlab_devices.demand import DemandError, demand_of

        try:
            demand = demand_of(pod, cluster, self.now(), self.binding_timeout, self.filter_timeout)
        except ClaimError as error:
            return PreFilterRejection(self.name, (str(error),))
        except DemandError as error:
            raise SchedulingError(f'running PreFilter plugin "{self.name}": {error}') from error
        return DevicesCheck(demand) if demand is not None else None


def demands_devices(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether the pod has claims, or there are classes and it requests a resource that a class could serve."""
    served = any(map(is_served_by_classes, pod.request)) and bool(cluster.objects_of(DeviceClass))
    return served or bool(pod.pod.spec.resourceClaims)


def is_served(cluster: Cluster, resource: str) -> bool:
    """Whether a DeviceClass serves the resource. v1.37: noderesources/fit.go, shouldDelegateResourceToDRA."""
    if not (is_served_by_classes(resource) and cluster.objects_of(DeviceClass)):
        return False
    from kschedlab_devices.extended_resources import serving_class

    return serving_class(cluster, resource) is not None


@dataclass(frozen=True, eq=False)
class DevicesCheck(CostlyFilter):
    """Asks nodes what they answer to the demand: only those that no other filter has refused, for it takes long."""

    demand: Demand
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = False
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Ask all nodes."""
        return self.filter_among(np.ones(len(snapshot.cluster.nodes), np.bool_))

    def filter_among(self, nodes: BoolArray) -> Refusals | None:
        """Ask these nodes (bool[nodes])."""
        refusing = self.demand.refusing(nodes)
        if not refusing:
            return None
        return DeviceRefusals(self.demand, [self._refusal(len(nodes), *each) for each in refusing])

    def _refusal(self, nodes: int, reason: tuple[str, bool], positions: list[int]) -> Refusal:
        mask: BoolArray = np.isin(np.arange(nodes), positions)
        return Refusal(mask, reason[0], not reason[1], error=reason[1])


class DeviceRefusals(Refusals):
    """The refusals, with the demand as their evidence."""

    def __init__(self, demand: Demand, parts: list[Refusal]) -> None:
        super().__init__(parts)
        self.demand = demand
