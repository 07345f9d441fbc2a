"""NodeVolumeLimits: may the drivers attach the pod's volumes to the node besides those that it has?

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, with the gate VolumeLimitScaling, which is on by
default: a driver may ask that its pods go only to nodes that have it. Evicting pods is always said to help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter, first_of
from kschedlab.filter.volumes.attachments import (
    Attachment,
    Driver,
    HasVolumeProblem,
    VolumeProblem,
    attachments,
    driver,
    has_csi_node,
    is_limited,
)

TOO_MANY_VOLUMES = "node(s) exceed max volume count"
NOT_INSTALLED = "{driver} CSI driver is not installed on the node"


@dataclass(frozen=True)
class NodeVolumeLimits:
    """The filter."""

    name: str = "NodeVolumeLimits"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> LimitsCheck | StaticFilter | None:
        """Skips a pod that has nothing attached."""
        found = list(attachments(pod.pod, cluster.volumes)) if pod.pod.spec.volumes else []
        if not found:
            return None
        volumes = [one for one in found if isinstance(one, Attachment)]
        parts = [_problem_part(one, cluster) for one in found if isinstance(one, VolumeProblem)]
        parts += _absent_parts(cluster, volumes)
        wanted = {name: tuple({v.handle: None for v in volumes if v.driver == name}) for name, _, _ in volumes}
        limited = is_limited(cluster)
        if not wanted or not limited.any():
            refused = first_of(parts)
            return StaticFilter(refused) if refused is not None else None
        drivers = tuple((driver(cluster, name), handles) for name, handles in wanted.items())
        return LimitsCheck(tuple(parts), drivers, limited, HasVolumeProblem(cluster.volumes))


def _problem_part(problem: VolumeProblem, cluster: Cluster) -> Refusal:
    mask = has_csi_node(cluster) if problem.moved else np.ones(len(cluster.nodes), np.bool_)
    return Refusal(mask, problem.message, problem.missing, error=not problem.missing)


def _absent_parts(cluster: Cluster, volumes: list[Attachment]) -> Iterator[Refusal]:
    """Nodes without a driver that asks to be there. Of several, the first by name is told; the real order is random."""
    for name in sorted({volume.driver for volume in volumes}):
        found = cluster.volumes.drivers.get(name)
        if found is not None and found.spec.preventPodSchedulingIfMissing:
            absent = ~driver(cluster, name).installed
            if all(volume.moved for volume in volumes if volume.driver == name):
                absent &= has_csi_node(cluster)
            yield Refusal(absent, NOT_INSTALLED.format(driver=name))


@dataclass(frozen=True, eq=False)
class LimitsCheck:
    """``known``: what holds whatever pods do. ``wanted``: drivers with the volumes that the pod wants of each.

    ``limited``: bool[nodes], the nodes with limits: only there the volumes of the pods that run are looked at. A pod
    that comes can help: a volume which it brings along is no longer new, however many there are.
    """

    known: tuple[Refusal, ...]
    wanted: tuple[tuple[Driver, tuple[str, ...]], ...]
    limited: BoolArray
    problematic: HasVolumeProblem
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = False

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Nodes with more volumes than a limit. Recounted only where the kept counts say that it may be so."""
        parts = [*self.known]
        problematic = self.limited & (snapshot.count(self.problematic) > 0)
        if problematic.any():
            parts.append(Refusal(problematic, _first_problem(snapshot.cluster, self.problematic), error=True))
        for owner, handles in self.wanted:
            doubtful = owner.at_most(snapshot) > owner.limits - len(handles)
            if doubtful.any():
                attached, new = owner.counted(snapshot, doubtful, handles)
                over = doubtful & (new > 0) & (attached > owner.limits - new)
                terms = {"attached": attached, "new": new, "limit": owner.limits}
                parts.append(Refusal(over, TOO_MANY_VOLUMES, terms=terms))
        return first_of(parts)


def _first_problem(cluster: Cluster, problematic: HasVolumeProblem) -> str:
    return next(iter(cluster.signatures.extracted(problematic.messages)))
