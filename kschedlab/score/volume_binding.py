"""VolumeBinding's score: how well do existing volumes fit, or how much capacity is left for new ones?

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
from kschedlab.score.plugin import Scored, rounded

PANIC = "runtime error: invalid memory address or nil pointer dereference"
"""The real scheduler's panic if it scores a CSIStorageCapacity without ``capacity``."""


class ClassBytes(NamedTuple):
    """Bytes of one class: ``requested`` of ``capacity``, int64[nodes], where ``counts``, bool[nodes]."""

    counts: BoolArray
    requested: IntArray
    capacity: IntArray


@dataclass(frozen=True)
class VolumeBindingScore:
    """The score. ``shape``: from utilization to score; by default more free capacity is better.

    Named rule ``scores_capacity``: else all nodes get 0 (v1.29: the same file; later PreScore skips).
    """

    name: str = "VolumeBinding"
    shape: RequestedToCapacityRatio = field(default_factory=lambda: RequestedToCapacityRatio(((0, 10), (100, 0))))
    scores_capacity: bool = True

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """The mean over the classes of the volumes to be bound, or else provisioned, rounded half up."""
        asks = self.scores_capacity and pod.pod.spec.volumes
        claims = unbound(pod.pod, cluster.volumes) if asks else []
        if not claims:
            raw = np.zeros(len(nodes), np.int64)
            return Scored(raw, raw)
        usages = by_class(match(cluster, claims), nodes)
        count, total = np.zeros((2, len(nodes)), np.int64)
        for usage in usages.values():
            count += usage.counts
            score = self.shape(usage.requested, usage.capacity)  # without any capacity, the class counts as full
            total += np.where(usage.counts, score, 0)
        raw = rounded(total / np.maximum(count, 1))
        terms = {f"{name} requested": usage.requested for name, usage in usages.items()}
        return Scored(raw, raw, terms | {f"{name} capacity": usage.capacity for name, usage in usages.items()})


def by_class(match_result: Match, nodes: IntArray) -> dict[str, ClassBytes]:
    """The usage by class on each of the nodes: of existing volumes if any is to be bound, else of new ones."""
    usages: dict[str, ClassBytes] = {}
    binds = np.zeros(len(nodes), np.bool_)
    for matched in match_result.matched:
        choice = matched.choice[nodes]
        binds |= choice >= 0
        size = matched.candidates.bytes[choice]
        for class_name, is_of_class in matched.candidates.classes.items():
            counts = is_of_class[choice]
            usage = _usage(usages, class_name, len(nodes))
            requested = usage.requested + counts * _requested_bytes(matched)
            usages[class_name] = ClassBytes(usage.counts | counts, requested, usage.capacity + counts * size)
    for provisioned in match_result.provisioned:
        choice = np.where(binds, -1, provisioned.choice[nodes])
        counts = choice >= 0
        if provisioned.capacities is not None and counts.any():
            size, name = provisioned.capacities.bytes[choice], provisioned.claim.spec.storageClassName
            if name is None or (size < 0).any():
                raise SchedulingError(PANIC)
            usage = _usage(usages, name, len(nodes))
            requested = usage.requested + counts * _requested_bytes(provisioned)
            usages[name] = ClassBytes(usage.counts | counts, requested, np.where(counts, size, usage.capacity))
    return usages


def _usage(usages: dict[str, ClassBytes], name: str, nodes: int) -> ClassBytes:
    zero = np.zeros(nodes, np.int64)
    return usages.get(name) or ClassBytes(np.zeros(nodes, np.bool_), zero, zero)


def _requested_bytes(volume: MatchedVolume | ProvisionedVolume) -> int:
    requests = volume.claim.spec.resources.requests
    return requests["storage"].value() if "storage" in requests else 0
