"""Placements: the sets of nodes on which a pod group is tried, one for each domain of its topology key.

v1.37: pkg/scheduler/framework/plugins/topologyaware/topology_placement.go, and what schedule_one.go asks of
ListNodesInPlacement and its kin in pkg/scheduler/backend/cache/snapshot.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED, Prepared, Verdicts, unavailable
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.scheduler import NOTHING, Scheduler
from kschedlab_groups.group import ERROR, UNSCHEDULABLE, Status, topology_key

NO_PLACEMENTS = "no feasible placements found"


@dataclass(frozen=True, eq=False)
class Placement:
    """``name``: the domain, "" for all nodes; ``nodes``: int64[], their positions."""

    name: str
    nodes: IntArray


def placements_of(cluster: Cluster, group: PodGroup, scheduled: Sequence[Pod]) -> list[Placement] | Status:
    """The placements, sorted by name: without a topology key all nodes, else each domain (GeneratePlacements).

    ``scheduled``: the pods of the group that have a node. The others have to join them in their domain. The Status is
    an error if those pods have no domain in common; it rejects the group if there is no placement.
    """
    key = topology_key(group)
    if not key:
        return [Placement("", np.arange(len(cluster.nodes)))]
    topology = cluster.topology(key)
    numbers = {value: number for number, value in enumerate(topology.values)}
    if scheduled:
        domain = _domain_of(cluster, key, scheduled)
        if isinstance(domain, Status):
            return domain
        numbers = {domain: numbers[domain]}
    if not numbers:
        return Status(UNSCHEDULABLE, (NO_PLACEMENTS,))
    return [Placement(name, np.flatnonzero(topology.domain == numbers[name])) for name in sorted(numbers)]


def _domain_of(cluster: Cluster, key: str, scheduled: Sequence[Pod]) -> str | Status:
    """The domain of these pods. As in the real one, a domain with an empty name agrees with one that comes later."""
    found = ""
    for pod in scheduled:
        place = cluster.index.get(pod.spec.nodeName)
        if place is None:
            return _undetermined(
                f'getting node for pod {pod.key}: nodeinfo not found for node name "{pod.spec.nodeName}"'
            )
        domain = cluster.nodes[place].metadata.labels.get(key)
        if domain is None:
            return _undetermined(f"no topology domain found for pod {pod.key}")
        if found not in ("", domain):
            return _undetermined(f"more than 1 domain found for pod group: {found}, {domain}")
        found = domain
    return found


def _undetermined(why: str) -> Status:
    return Status(ERROR, (f"cannot determine domain for already scheduled pods: {why}",))


@dataclass(frozen=True, eq=False, repr=False)
class PlacedDecision(Decision):
    """A decision among the nodes of a placement. ``placement``: int64[], their positions; others count as excluded."""

    placement: IntArray = field(default_factory=lambda: NOTHING)

    def failure(self, excluded_reason: str) -> str:
        """The message, which counts the nodes of the placement."""
        everywhere, here = (unavailable(number, {}) for number in (len(self.cluster.nodes), len(self.placement)))
        return super().failure(excluded_reason).replace(everywhere, here, 1)

    def reasons(self, excluded_reason: str) -> dict[str, int]:
        """The reasons of the nodes in the placement."""
        reasons, verdicts = super().reasons(excluded_reason), self.verdicts
        reasons.pop(excluded_reason, None)
        if verdicts is not None and (count := int((verdicts.refused_by[self.placement] == EXCLUDED).sum())):
            reasons[excluded_reason] = count
        return reasons


class InPlacement(Scheduler):
    """Decides among the nodes of a placement. The plugins see the whole cluster, but are asked about these nodes only.

    It starts with the state of the scheduler ``whole``.
    """

    def __init__(self, whole: Scheduler, placement: Placement) -> None:
        super().__init__(whole.cluster, whole.generation, whole.percentage, whole.rng, whole.exhaustive)
        self.next_start_node_index, self.last_node_index = whole.next_start_node_index, whole.last_node_index
        self._nodes = placement.nodes
        self._inside = np.zeros(len(whole.cluster.nodes), np.bool_)
        self._inside[placement.nodes] = True

    def cycle(self, pod: PodInfo) -> Decision:
        """Decide for a pod."""
        found = super().cycle(pod)
        return PlacedDecision(**{each.name: getattr(found, each.name) for each in fields(found)}, placement=self._nodes)

    def _prepare(self, pod: PodInfo) -> Prepared:
        found = super()._prepare(pod)
        return replace(found, included=self._inside if found.included is None else self._inside & found.included)

    def _search(self, verdicts: Verdicts) -> tuple[IntArray, int]:
        feasible, examined = super()._search(Verdicts(verdicts.refused_by[self._nodes]))
        return self._nodes[feasible], examined

    def _seen(self, start: int, examined: int, number: int) -> BoolArray | None:
        seen, inside = self._inside.copy(), super()._seen(start, examined, len(self._nodes))
        if inside is not None:
            seen[self._nodes] = inside
        return seen
