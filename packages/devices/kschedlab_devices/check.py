"""The check of all nodes for a pod that demands devices.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter, Filter).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.plugin import CostlyFilter, PreFilterRejection, Refusal, Refusals, SchedulingError
from kschedlab_devices.claims import ClaimError
from kschedlab_devices.demand import Demand, DemandError, demand_of


def prepare(plugin: DynamicResources, pod: PodInfo, cluster: Cluster) -> DevicesCheck | PreFilterRejection | None:
    """Rejects a pod that has to wait for a claim or a class. SchedulingError for a claim that cannot be read."""
    try:
        demand = demand_of(pod, cluster, plugin.now(), plugin.binding_timeout, plugin.filter_timeout)
    except ClaimError as error:
        return PreFilterRejection(plugin.name, (str(error),))
    except DemandError as error:
        raise SchedulingError(f'running PreFilter plugin "{plugin.name}": {error}') from error
    return DevicesCheck(demand) if demand is not None else None


@dataclass(frozen=True, eq=False)
class DevicesCheck(CostlyFilter):
    """Asks nodes what they answer to the demand: only those that no other filter has refused, for it takes long."""

    demand: Demand
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = False
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
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
