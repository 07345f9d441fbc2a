"""DynamicResources: can the devices that the pod claims be allocated on the node?

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter, Filter). Another
package searches for devices (see :mod:`kschedlab.claims`); this filter decides when. Evicting pods can't help.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kschedlab.claims import claims_for, demands_devices
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Filter, PreFilterRejection, PreparedFilter
from kschedlab.objects.meta import SECOND

NAME = "DynamicResources"


def wall_clock() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


@dataclass(frozen=True)
class DynamicResources:
    """The filter.

    ``binding_timeout``: microseconds until an allocated device must be ready. ``filter_timeout``: microseconds of the
    real scheduler's search on a node (0: unlimited). ``now``: a clock, in microseconds since 1970.
    """

    name: str = NAME
    binding_timeout: int = 600 * SECOND
    filter_timeout: int = 10 * SECOND
    now: Callable[[], int] = wall_clock

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | PreFilterRejection | None:
        """Skips a pod that demands no devices. Rejects one that has to wait for a claim or a class."""
        return claims_for(pod.pod).prepare(self, pod, cluster) if demands_devices(pod, cluster) else None


def plugin_for(pod: PodInfo, cluster: Cluster, filters: Iterable[Filter]) -> DynamicResources | None:
    """The plugin among these filters, if the pod demands devices; None also if there is none."""
    if not demands_devices(pod, cluster):
        return None
    return next((each for each in filters if isinstance(each, DynamicResources)), None)
