"""VolumeBinding's score: how well do the volumes fit, and how much room is left where new ones would be made?

v1.37: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (Score) and scorer.go, with the gate
StorageCapacityScoring, which is on by default. It never skips: a pod without unbound claims scores 0 on every node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.filter.plugin import SchedulingError
from kschedlab.filter.volumes.matching import Match, MatchedVolume, ProvisionedVolume, match, unbound
from kschedlab.score.node_resources import RequestedToCapacityRatio
from kschedlab.score.plugin import Scored

PANIC = "runtime error: invalid memory address or nil pointer dereference"
"""What the real scheduler says as it ends, if it has to score room that was reported without ``capacity``."""


class Usage(NamedTuple):
    """Bytes of one class: ``requested`` of ``capacity``, int64[nodes], where ``counts``, bool[nodes]."""

    counts: BoolArray
    requested: IntArray
    capacity: IntArray


@dataclass(frozen=True)
class VolumeBindingScore:
    """The score. ``shape``: from utilisation to score; by default the more is left, the better."""

    name: str = "VolumeBinding"
    shape: RequestedToCapacityRatio = field(default_factory=lambda: RequestedToCapacityRatio(((0, 10), (100, 0))))

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """The mean over the classes of the volumes that would be bound, or else made, rounded half up."""
        claims = unbound(pod.pod, cluster.volumes) if pod.pod.spec.volumes else []
        if not claims:
            raw = np.zeros(len(nodes), np.int64)
            return Scored(raw, raw)
        usages = by_class(match(cluster, claims), nodes)
        count, total = np.zeros((2, len(nodes)), np.int64)
        for usage in usages.values():
            count += usage.counts
            total += np.where(usage.counts, self._class_score(usage), 0)
        raw = np.floor(total / np.maximum(count, 1) + 0.5).astype(np.int64)
        terms = {f"{name} requested": usage.requested for name, usage in usages.items()}
        return Scored(raw, raw, terms | {f"{name} capacity": usage.capacity for name, usage in usages.items()})

    def _class_score(self, usage: Usage) -> IntArray:
        """No capacity at all counts as full."""
        none = usage.capacity == 0
        return self.shape(np.where(none, 2, usage.requested), np.where(none, 1, usage.capacity))


def by_class(found: Match, nodes: IntArray) -> dict[str, Usage]:
    """What counts on each of the nodes: the volumes that are there, if any is to be bound; else the new ones."""
    usages: dict[str, Usage] = {}
    binds = np.zeros(len(nodes), np.bool_)
    for matched in found.matched:
        choice = matched.choice[nodes]
        binds |= choice >= 0
        size = matched.candidates.bytes[choice]
        for of, mine in matched.candidates.classes.items():
            counts = mine[choice]
            before = _usage(usages, of, len(nodes))
            requested = before.requested + counts * _asked(matched)
            usages[of] = Usage(before.counts | counts, requested, before.capacity + counts * size)
    for provisioned in found.provisioned:
        choice = np.where(binds, -1, provisioned.choice[nodes])
        counts = choice >= 0
        if provisioned.capacities is not None and counts.any():
            size, name = provisioned.capacities.bytes[choice], provisioned.claim.spec.storageClassName
            if name is None or (size < 0).any():
                raise SchedulingError(PANIC)
            before = _usage(usages, name, len(nodes))
            requested = before.requested + counts * _asked(provisioned)
            usages[name] = Usage(before.counts | counts, requested, np.where(counts, size, before.capacity))
    return usages


def _usage(usages: dict[str, Usage], name: str, nodes: int) -> Usage:
    zero = np.zeros(nodes, np.int64)
    return usages.get(name) or Usage(np.zeros(nodes, np.bool_), zero, zero)


def _asked(of: MatchedVolume | ProvisionedVolume) -> int:
    requests = of.claim.spec.resources.requests
    return requests["storage"].value() if "storage" in requests else 0
