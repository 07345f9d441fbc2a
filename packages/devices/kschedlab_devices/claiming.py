"""What a decision does to claims: a pod that found a node gets its devices, another may give some back.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Reserve, PreBind, PostFilter). It is loaded
for pods that demand devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab_devices.binding import GivenBack, give_back, reserve, written
from kschedlab_devices.demand import Demand
from kschedlab_devices.plugin import NAME, DevicesCheck, DynamicResources

if TYPE_CHECKING:
    from kschedlab.decision import Decision
    from kschedlab.filter.stage import Verdicts
    from kschedlab.generations import Generation


def demand_for(pod: PodInfo, cluster: Cluster, generation: Generation) -> Demand | None:
    """What the pod demands of devices; None if nothing, or if it has to wait for a claim."""
    plugin = _plugin_of(generation)
    check = plugin.prepare(pod, cluster) if plugin is not None else None
    return check.demand if isinstance(check, DevicesCheck) else None


def _plugin_of(generation: Generation) -> DynamicResources | None:
    return next((each for each in generation.filters if isinstance(each, DynamicResources)), None)


def given_back(pod: PodInfo, cluster: Cluster, generation: Generation, verdicts: Verdicts) -> GivenBack | None:
    """What DynamicResources' PostFilter gives back for a pod that no node can take; None if nothing."""
    demand = demand_for(pod, cluster, generation)
    if demand is None:
        return None
    mine = [number for number, name in enumerate(verdicts.plugins) if name == NAME]
    found = give_back(demand, np.flatnonzero(np.isin(verdicts.refused_by, mine)).tolist())
    return found if found.message else None


def allocate(decision: Decision) -> PodInfo:
    """Write the chosen node's devices into the cluster's claims. Returns the pod, whose status may name a claim."""
    cluster, info = decision.cluster, decision.pod
    plugin, demand = _plugin_of(decision.generation), demand_for(info, cluster, decision.generation)
    if plugin is None or demand is None or decision.node is None:
        return info
    reservation = reserve(demand, cluster.index[decision.node])
    claims, pod = written(reservation, info.pod, plugin.now())
    cluster.change_objects(claims)
    return info if pod is info.pod else cluster.updated_info(info, info.pod, pod)


def apply(cluster: Cluster, result: GivenBack) -> None:
    """Write what PostFilter gives back into the cluster."""
    if result.claim is not None:
        changed = [result.claim]
        cluster.change_objects(removed=changed) if result.deleted else cluster.change_objects(changed)
