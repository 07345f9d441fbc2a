"""Changes claims after a decision: a pod with a node gets its devices, another may give some back.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Reserve, PreBind, PostFilter).
"""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.dynamic_resources import DynamicResources, GivenBack, plugin_for
from kschedlab.filter.stage import Verdicts
from kschedlab.generations import Generation
from kschedlab_devices.binding import give_back, reserve, written
from kschedlab_devices.check import DevicesCheck
from kschedlab_devices.demand import Demand


def demand_for(pod: PodInfo, cluster: Cluster, generation: Generation) -> Demand | None:
    """The pod's demand for devices; None without one, or if it has to wait for a claim."""
    plugin = plugin_for(pod, cluster, generation.filters)
    return demand_by(plugin, pod, cluster) if plugin is not None else None


def demand_by(plugin: DynamicResources, pod: PodInfo, cluster: Cluster) -> Demand | None:
    """The pod's demand, with the plugin's arguments."""
    check = plugin.prepare(pod, cluster)
    return check.demand if isinstance(check, DevicesCheck) else None


def given_back(plugin: DynamicResources, pod: PodInfo, cluster: Cluster, verdicts: Verdicts) -> GivenBack | None:
    """The claim that DynamicResources' PostFilter gives back for a pod that no node can take, or None."""
    demand = demand_by(plugin, pod, cluster)
    if demand is None:
        return None
    mine = [number for number, name in enumerate(verdicts.plugins) if name == plugin.name]
    result = give_back(demand, np.flatnonzero(np.isin(verdicts.refused_by, mine)).tolist())
    return result if result.message else None


def commit(
    plugin: DynamicResources, pod: PodInfo, cluster: Cluster, node: str | None, given_back: GivenBack | None
) -> PodInfo:
    """Write the chosen node's devices into the cluster's claims, or what PostFilter gives back."""
    if given_back is not None and (claim := given_back.claim) is not None:
        cluster.change_objects(removed=[claim]) if given_back.deleted else cluster.change_objects([claim])
    if node is None or (demand := demand_by(plugin, pod, cluster)) is None:
        return pod
    reservation = reserve(demand, cluster.index[node])
    claims, changed = written(reservation, pod.pod, plugin.now())
    cluster.change_objects(claims)
    return pod if changed is pod.pod else cluster.updated_info(pod, pod.pod, changed)
