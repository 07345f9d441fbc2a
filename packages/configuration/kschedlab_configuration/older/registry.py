"""The predicates and priorities of v1.13 and v1.16 by name, including those that their default provider leaves out.

v1.16: pkg/scheduler/algorithmprovider/defaults (register_predicates.go, register_priorities.go) and
algorithm/predicates/predicates.go (predicatesOrdering); v1.13: algorithmprovider/defaults/defaults.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.general_predicates import GeneralPredicates
from kschedlab.filter.plugin import Filter
from kschedlab.filter.volumes.older_limits import CINDER, DiskLimits
from kschedlab.generations import V1_13, V1_16, Generation
from kschedlab.score.node_resources import RequestedToCapacityRatio, most_allocated
from kschedlab.score.plugin import MAX_NODE_SCORE, Score
from kschedlab_configuration.older.node_conditions import (
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    PID_PRESSURE,
    CheckNodeCondition,
    NodePressure,
)
from kschedlab_configuration.older.node_label import NodeLabel, NodeLabelScore
from kschedlab_configuration.older.resource_limits import EqualPriority, ResourceLimits
from kschedlab_configuration.older.service_affinity import ServiceAffinity

MAX_PRIORITY = V1_16.max_node_score
"""The highest score of v1.13 and v1.16."""
DEFAULT_PRIORITIES = {score.name: weight for score, weight in V1_16.scores}
"""What the default provider of v1.13 and v1.16 runs, and the weights."""
ORDER = (
    *("CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts"),
    *("MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints", "CheckNodeLabelPresence"),
    *("CheckServiceAffinity", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred"),
    *("MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "CheckVolumeBinding", "NoVolumeZoneConflict"),
    *("CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure", "MatchInterPodAffinity"),
)
"""The order in which predicates run."""


@dataclass(frozen=True)
class Registry:
    """Plugins by name. ``predicates``: in the order in which they run, whatever the order of names in a Policy."""

    predicates: Mapping[str, Filter]
    priorities: Mapping[str, Score]

    def filters(self, *names: str) -> tuple[Filter, ...]:
        """These predicates in the order in which they run. KeyError for an unknown name."""
        chosen = {name: self.predicates[name] for name in names}
        return tuple(chosen[name] for name in self.predicates if name in chosen)

    def scores(self, **weights: int) -> tuple[tuple[Score, int], ...]:
        """These priorities with their weights. KeyError for an unknown name."""
        return tuple((self.priorities[name], weight) for name, weight in weights.items())


def most_requested(requested: IntArray, capacity: IntArray, highest: int = MAX_NODE_SCORE) -> IntArray:
    """Like :func:`~kschedlab.score.node_resources.most_allocated`, but 0 where requests exceed the capacity.

    v1.16, v1.13: algorithm/priorities/most_requested.go.
    """
    return np.where(requested > capacity, 0, most_allocated(requested, capacity, highest))


def _registry(defaults: Generation, predicates: Iterable[Filter], ratio: RequestedToCapacityRatio) -> Registry:
    """The plugins of the default provider, the parts of GeneralPredicates, and the others."""
    parts = [part for each in defaults.filters if isinstance(each, GeneralPredicates) for part in each.filters]
    filters = {each.name: each for each in (*defaults.filters, *parts, *predicates)}
    scores: dict[str, Any] = {score.name: score for score, _ in defaults.scores}
    requested = scores["LeastRequestedPriority"]
    others = (
        replace(requested, name="MostRequestedPriority", strategy=most_requested),
        replace(requested, name="RequestedToCapacityRatioPriority", strategy=ratio),
        NodeLabelScore("NodeLabelPriority", highest=MAX_PRIORITY),
        # named after Services, but its selectors come from the shared priority metadata, which includes controllers
        replace(scores["SelectorSpreadPriority"], name="ServiceSpreadingPriority"),
        EqualPriority(),
        ResourceLimits(),
    )
    ordered = {name: filters[name] for name in ORDER if name in filters}
    return Registry(ordered, scores | {score.name: score for score in others})


_RATIO = RequestedToCapacityRatio(shape=((0, 10), (100, 0)), rounds_utilization_up=True)
_MEMORY = NodePressure("CheckNodeMemoryPressure", "MemoryPressure", MEMORY_PRESSURE, best_effort_only=True)
_OTHERS = (
    NodePressure("CheckNodePIDPressure", "PIDPressure", PID_PRESSURE),
    NodePressure("CheckNodeDiskPressure", "DiskPressure", DISK_PRESSURE),
    NodeLabel("CheckNodeLabelPresence"),
    ServiceAffinity(),
)

REGISTRY_1_16 = _registry(
    V1_16, (CheckNodeCondition(), _MEMORY, *_OTHERS, DiskLimits("MaxCinderVolumeCount", CINDER)), _RATIO
)
REGISTRY_1_13 = _registry(
    V1_13,
    (CheckNodeCondition(checks_out_of_disk=True), replace(_MEMORY, counts_init_containers=False), *_OTHERS),
    replace(_RATIO, ignores_zero_scores=False),
)
