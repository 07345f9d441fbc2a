"""DynamicResources: can the devices that the pod claims be allocated on the node?

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter, Filter). Evicting pods can't
help. This filter decides when to search for devices; it leaves the search to a package, which declares in
pyproject.toml who serves pods that demand devices: a module or an object with the functions of :class:`Claims` ::

    [project.entry-points."kschedlab.claims"]
    my-devices = "my_devices.claims"

It is loaded for the first pod that demands devices. Without one, a decision about such a pod raises
:class:`~kschedlab.extras.MissingExtraError`, and all other pods are decided as usual. One package can be installed at a
time; kschedlab-devices is the one that allocates as kube-scheduler does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.extras import MissingExtraError, only
from kschedlab.filter.plugin import Filter, PreFilterRejection, PreparedFilter
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DeviceClass, Pod, ResourceClaim
from kschedlab.objects.requests import is_served_by_classes

if TYPE_CHECKING:
    from kschedlab.filter.stage import Verdicts
    from kschedlab.text.sections import Section

NAME = "DynamicResources"
GROUP = "kschedlab.claims"


def wall_clock() -> int:
    return time.time_ns() // 1000


@dataclass(frozen=True)
class DynamicResources:
    """``binding_timeout``: microseconds until an allocated device must be ready. ``filter_timeout``: those of the real
    scheduler's search on a node (0: unlimited). ``now``: a clock, in microseconds since 1970.
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


class GivenBack(NamedTuple):
    """PostFilter's action for a pod that no node can take. ``message``: "" if there is none.

    ``claim``: the claim as it is to be written, or as it was if it is to be ``deleted``. None if there is nothing to
    write: nothing is given back, or the same cycle allocated the claim to an earlier pod of the group.
    """

    message: str = ""
    claim: ResourceClaim | None = None
    deleted: bool = False


class Claims(Protocol):
    """The functions of the package. ``plugin`` has the arguments of DynamicResources, the cluster claims and slices.

    The engine asks only about pods that demand devices (:func:`demands_devices`), so slow modules may be
    imported at the top of the module.
    """

    def prepare(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster
    ) -> PreparedFilter | PreFilterRejection | None:
        """PreFilter: what checks the nodes (see :class:`~kschedlab.filter.plugin.CostlyFilter`); None skips the pod."""

    def scores(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, nodes: IntArray
    ) -> Mapping[str, IntArray]:
        """Score: for each request that lists alternatives, what the one chosen on a node scores (int64[nodes])."""

    def given_back(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, verdicts: Verdicts
    ) -> GivenBack | None:
        """PostFilter: what a pod that no node can take gives back, so that it is free for another; None if nothing."""

    def commit(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, node: str | None, given_back: GivenBack | None
    ) -> PodInfo:
        """Write into the cluster the devices that the pod gets on its node, or what it gives back.

        Returns the pod, whose status may now name a claim.
        """

    def serves(self, cluster: Cluster, resource: str) -> bool:
        """Whether a DeviceClass serves this extended resource."""

    def usage(self, cluster: Cluster, resource: str, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """(capacity, used) of a resource that a class serves, for scores: int64[nodes] each."""

    def claims_of(self, pod: Pod, cluster: Cluster) -> Iterable[ResourceClaim] | None:
        """The pod's claims; None while it has to wait for one. For the hints of the queue."""

    def claim_names(self, pod: Pod) -> Iterable[str]:
        """The names of the pod's claims that already exist."""

    def sections(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, node: str | None, verdicts: Verdicts | None
    ) -> Iterable[Section]:
        """The devices that the pod gets on its node, or why nodes cannot serve its claims."""


def demands_devices(pod: PodInfo, cluster: Cluster) -> bool:
    """Whether the pod has claims, or there are classes and it requests a resource that a class could serve."""
    served = any(map(is_served_by_classes, pod.request)) and bool(cluster.objects_of(DeviceClass))
    return served or bool(pod.pod.spec.resourceClaims)


def is_served(pod: Pod, cluster: Cluster, resource: str) -> bool:
    """Whether a DeviceClass serves the resource that the pod requests.

    v1.37: noderesources/fit.go, shouldDelegateResourceToDRA.
    """
    served = is_served_by_classes(resource) and bool(cluster.objects_of(DeviceClass))
    return served and claims_for(pod).serves(cluster, resource)


def claims_for(pod: Pod) -> Claims:
    """The package that serves the pod, which demands devices. MissingExtraError if there is none."""
    if (claims := installed()) is None:
        raise MissingExtraError(f"pod {pod.key} demands devices: run pip install 'kschedlab[devices]'")
    return claims


@cache
def installed() -> Claims | None:
    """The object that an installed package declares, or None. MissingExtraError if two packages declare one."""
    declared = only(GROUP)
    return None if declared is None else declared.load()
