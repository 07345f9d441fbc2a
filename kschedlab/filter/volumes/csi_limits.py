"""NodeVolumeLimits: can the CSI drivers attach the pod's volumes to the node without exceeding their limits?

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, with the gate VolumeLimitScaling, which is on by
default. v1.16 and v1.13: pkg/scheduler/algorithm/predicates/csi_volume_predicate.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.filter.plugin import Refusal, StaticFilter, first_of
from kschedlab.filter.volumes.attachments import (
    Attachment,
    AttachmentRules,
    Driver,
    OfDriver,
    attachments,
    driver,
    installed,
    is_limited,
)
from kschedlab.filter.volumes.csi_migration import NOT_MIGRATED, PLUGIN_OF
from kschedlab.filter.volumes.volume_limits import (
    NO_LIMIT,
    Count,
    HasVolumeProblem,
    LimitsCheck,
    VolumeProblem,
    problem_part,
)
from kschedlab.filter.volumes.volume_topology import has_csi_node

NOT_INSTALLED = "{driver} CSI driver is not installed on the node"


@dataclass(frozen=True)
class NodeVolumeLimits(AttachmentRules):
    """The filter, with more named rules:

    ``requires_driver``: a driver may require that its pods run only where it is installed (v1.37, the gate
    VolumeLimitScaling).
    ``missing_claim_is_error``: a claim that does not exist is an error, not a refusal (until v1.29).
    """

    name: str = "NodeVolumeLimits"
    requires_driver: bool = True
    missing_claim_is_error: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> LimitsCheck | StaticFilter | None:
        attached = list(attachments(pod.pod, cluster.volumes, self)) if pod.pod.spec.volumes else []
        if not attached:
            return None
        volumes = [each for each in attached if isinstance(each, Attachment)]
        problems = [each for each in attached if isinstance(each, VolumeProblem)]
        everywhere = np.ones(len(cluster.nodes), np.bool_)
        affected = [(each, has_csi_node(cluster) if each.migrated else everywhere) for each in problems]
        parts = [problem_part(each, nodes, self.missing_claim_is_error) for each, nodes in affected]
        if self.requires_driver:
            parts += _missing_driver_parts(cluster, volumes)
        wanted = list(self._wanted(volumes, cluster))
        counts = tuple(Count(each, handles, each.limits) for each, handles in wanted if (each.limits != NO_LIMIT).any())
        limited = is_limited(cluster, self)
        counted = np.logical_or.reduce([np.zeros(len(limited), np.bool_), *(each.nodes for each, _ in wanted)])
        checked = tuple(self._problems(cluster, limited & counted))
        if not checked:  # then no driver has a limit that counts
            refused = first_of(parts)
            return StaticFilter(refused) if refused is not None else None
        return LimitsCheck(tuple(parts), checked, counts)

    def _wanted(self, volumes: list[Attachment], cluster: Cluster) -> Iterator[tuple[Driver, tuple[str, ...]]]:
        """The drivers with the pod's volumes: where those of in-tree plugins count, and where they don't."""
        for name in dict.fromkeys(volume.driver for volume in volumes):
            for migrated in (True, False) if name in PLUGIN_OF else (False,):
                own = [each for each in volumes if each.driver == name and (migrated or not each.migrated)]
                if own:
                    handles = tuple(dict.fromkeys(each.handle for each in own))
                    yield driver(cluster, name, self, migrated), handles

    def _problems(self, cluster: Cluster, nodes: BoolArray) -> Iterator[tuple[HasVolumeProblem, BoolArray]]:
        """What to ask the pods of these nodes: those of in-tree volumes matter on nodes with a CSINode."""
        for migrated in (True, False):
            there = nodes & (has_csi_node(cluster) == migrated)
            if there.any():
                yield HasVolumeProblem(OfDriver("", self, migrated), cluster.volumes), there


CSI_LIMITS_1_20 = NodeVolumeLimits(
    requires_driver=False,
    counts_attachments=False,
    reads_allocatable=True,
    missing_claim_is_error=True,
    checks_claims=False,
    counts_inline=False,
    migration=NOT_MIGRATED,
)
"""As v1.20 has it, and v1.16 as a predicate."""


def _missing_driver_parts(cluster: Cluster, volumes: list[Attachment]) -> Iterator[Refusal]:
    """Nodes without a driver that must be installed. Drivers are checked by name; the real order is random."""
    for name in sorted({volume.driver for volume in volumes}):
        csi_driver = cluster.volumes.drivers.get(name)
        if csi_driver is not None and csi_driver.spec.preventPodSchedulingIfMissing:
            missing = ~installed(cluster, name)
            if all(volume.migrated for volume in volumes if volume.driver == name):
                missing &= has_csi_node(cluster)
            yield Refusal(missing, NOT_INSTALLED.format(driver=name))
