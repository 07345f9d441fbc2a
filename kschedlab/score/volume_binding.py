"""VolumeBinding's score: how well do the volumes fit, and how much room is left where new ones would be made?

v1.37: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (Score) and scorer.go, with the gate
StorageCapacityScoring, which is on by default. It never skips: a pod without unbound claims scores 0 on every node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.kinds import BoolArray, IntArray
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import SchedulingError
from kschedlab.filter.volume_matching import Match, Matched, Provisioned, match, unbound
from kschedlab.score.plugin import Scored
from kschedlab.score.resources import RequestedToCapacityRatio

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
        for of, counts, bytes_there in _bound(matched, choice):
            before = _usage(usages, of, len(nodes))
            requested = before.requested + np.where(counts, _asked(matched), 0)
            usages[of] = Usage(before.counts | counts, requested, before.capacity + bytes_there)
    for provisioned in found.provisioned:
        choice = np.where(binds, -1, provisioned.choice[nodes])
        counts = choice >= 0
        if counts.any():
            if (name := provisioned.claim.spec.storageClassName) is None:
                raise SchedulingError(PANIC)
            before = _usage(usages, name, len(nodes))
            requested = before.requested + np.where(counts, _asked(provisioned), 0)
            capacity = np.where(counts, _reported(provisioned, choice), before.capacity)
            usages[name] = Usage(before.counts | counts, requested, capacity)
    return usages


def _usage(usages: dict[str, Usage], name: str, nodes: int) -> Usage:
    zero = np.zeros(nodes, np.int64)
    return usages.get(name) or Usage(np.zeros(nodes, np.bool_), zero, zero)


def _asked(of: Matched | Provisioned) -> int:
    requests = of.claim.spec.resources.requests
    return requests["storage"].value() if "storage" in requests else 0


def _bound(matched: Matched, choice: IntArray) -> Iterator[tuple[str, BoolArray, IntArray]]:
    """For each class: (its name, bool[nodes]: where its volume is chosen, int64[nodes]: that volume's bytes)."""
    chosen = np.unique(choice[choice >= 0]).tolist()
    specs = {number: matched.volumes[number][0].spec for number in chosen}
    capacity = np.zeros(len(matched.volumes) + 1, np.int64)
    for number, spec in specs.items():
        capacity[number] = spec.capacity["storage"].value() if "storage" in spec.capacity else 0
    for name in sorted({spec.storageClassName for spec in specs.values()}):
        mine = [number for number, spec in specs.items() if spec.storageClassName == name]
        counts = np.isin(choice, mine)
        yield name, counts, np.where(counts, capacity[choice], 0)


def _reported(provisioned: Provisioned, choice: IntArray) -> IntArray:
    """int64[nodes]: the free room that was reported for each node, 0 where nothing was chosen."""
    amounts = np.zeros(len(provisioned.capacities) + 1, np.int64)
    for number in np.unique(choice[choice >= 0]).tolist():
        capacity = provisioned.capacities[number][0].capacity
        if capacity is None:
            raise SchedulingError(PANIC)
        amounts[number] = capacity.value()
    return amounts[choice]
