"""NodeVolumeLimits: can the CSI drivers attach the pod's volumes to the node without exceeding their limits?

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, with the gate VolumeLimitScaling, which is on by
default: a driver may require that its pods run only on nodes where it is installed. The plugin always reports that
evicting pods can help.
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
    Counting,
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
    """The filter. Named rules:

    ``requires_driver``: a driver may require that its pods run only where it is installed (v1.37, the gate
    VolumeLimitScaling).
    ``counts_attachments``: a volume that is attached to the node counts, even if no pod there uses it (v1.32).
    ``reads_allocatable``: a node's allocatable ``attachable-volumes-csi-...`` is the limit where the CSINode names none
    (until v1.31). ``missing_claim_is_error``: a claim that does not exist is an error, not a refusal (v1.27).
    """

    name: str = "NodeVolumeLimits"
    requires_driver: bool = True
    counts_attachments: bool = True
    reads_allocatable: bool = False
    missing_claim_is_error: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> LimitsCheck | StaticFilter | None:
        """Skips a pod that attaches no volumes."""
        attached = list(attachments(pod.pod, cluster.volumes)) if pod.pod.spec.volumes else []
        if not attached:
            return None
        volumes = [each for each in attached if isinstance(each, Attachment)]
        problems = [each for each in attached if isinstance(each, VolumeProblem)]
        parts = [_problem_part(each, cluster, self.missing_claim_is_error) for each in problems]
        if self.requires_driver:
            parts += _missing_driver_parts(cluster, volumes)
        counting = Counting(self.counts_attachments, self.reads_allocatable)
        wanted = {name: tuple({v.handle: None for v in volumes if v.driver == name}) for name, _, _ in volumes}
        limited = is_limited(cluster, counting)
        if not wanted or not limited.any():
            refused = first_of(parts)
            return StaticFilter(refused) if refused is not None else None
        drivers = tuple((driver(cluster, name, counting), handles) for name, handles in wanted.items())
        return LimitsCheck(tuple(parts), drivers, limited, HasVolumeProblem(cluster.volumes))


def _problem_part(problem: VolumeProblem, cluster: Cluster, missing_is_error: bool) -> Refusal:
    mask = has_csi_node(cluster) if problem.migrated else np.ones(len(cluster.nodes), np.bool_)
    is_error = missing_is_error or not problem.missing
    return Refusal(mask, problem.message, not is_error, error=is_error)


def _missing_driver_parts(cluster: Cluster, volumes: list[Attachment]) -> Iterator[Refusal]:
    """Nodes without a driver that must be installed. Drivers are checked by name; the real order is random."""
    for name in sorted({volume.driver for volume in volumes}):
        csi_driver = cluster.volumes.drivers.get(name)
        if csi_driver is not None and csi_driver.spec.preventPodSchedulingIfMissing:
            missing = ~driver(cluster, name).installed
            if all(volume.migrated for volume in volumes if volume.driver == name):
                missing &= has_csi_node(cluster)
            yield Refusal(missing, NOT_INSTALLED.format(driver=name))


@dataclass(frozen=True, eq=False)
class LimitsCheck:
    """``static_parts``: refusals that don't depend on pods. ``wanted``: drivers, each with the pod's volumes.

    ``limited``: bool[nodes], the nodes with limits; only their running pods' volumes are counted. Not monotonic: if an
    added pod uses one of the wanted volumes, that volume is no longer new.
    """

    static_parts: tuple[Refusal, ...]
    wanted: tuple[tuple[Driver, tuple[str, ...]], ...]
    limited: BoolArray
    has_problem: HasVolumeProblem
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = False

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Nodes with more volumes than a limit. Recounted only where the upper bound exceeds it."""
        parts = [*self.static_parts]
        has_problem = self.limited & (snapshot.count(self.has_problem) > 0)
        if has_problem.any():
            parts.append(Refusal(has_problem, _first_problem(snapshot.cluster, self.has_problem), error=True))
        for driver_counts, handles in self.wanted:
            possibly_full = driver_counts.upper_bound(snapshot) > driver_counts.limits - len(handles)
            if possibly_full.any():
                attached, new = driver_counts.counts(snapshot, possibly_full, handles)
                over = possibly_full & (new > 0) & (attached > driver_counts.limits - new)
                terms = {"attached": attached, "new": new, "limit": driver_counts.limits}
                parts.append(Refusal(over, TOO_MANY_VOLUMES, terms=terms))
        return first_of(parts)


def _first_problem(cluster: Cluster, has_problem: HasVolumeProblem) -> str:
    return next(iter(cluster.signatures.extracted(has_problem.messages)))
