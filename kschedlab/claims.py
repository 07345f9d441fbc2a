"""The hook for a package that allocates devices.

The plugin DynamicResources of v1.37 leaves the pods that demand devices to a package, which declares in pyproject.toml
who serves them: a module or an object with the functions of :class:`Claims` ::

    [project.entry-points."kschedlab.claims"]
    my-devices = "my_devices.claims"

It is loaded for the first pod that demands devices. Without one, a decision about such a pod raises
:class:`~kschedlab.extras.MissingExtraError`, and all other pods are decided as usual. One package can be installed at a
time; kschedlab-devices is the one that allocates as kube-scheduler does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kschedlab.extras import MissingExtraError
from kschedlab.objects.model import DeviceClass, Pod, ResourceClaim
from kschedlab.objects.requests import is_served_by_classes

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.cluster.pods import PodInfo
    from kschedlab.cluster.signatures import IntArray
    from kschedlab.decision import Decision
    from kschedlab.filter.dynamic_resources import DynamicResources
    from kschedlab.filter.plugin import PreFilterRejection, PreparedFilter
    from kschedlab.filter.stage import Verdicts
    from kschedlab.text.sections import Section

GROUP = "kschedlab.claims"


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
        ...

    def scores(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, nodes: IntArray
    ) -> Mapping[str, IntArray]:
        """Score: for each request that lists alternatives, what the one chosen on a node scores (int64[nodes])."""
        ...

    def given_back(
        self, plugin: DynamicResources, pod: PodInfo, cluster: Cluster, verdicts: Verdicts
    ) -> GivenBack | None:
        """PostFilter: what a pod that no node can take gives back, so that it is free for another; None if nothing."""
        ...

    def commit(self, decision: Decision) -> PodInfo:
        """Write into the decision's cluster the devices that the pod gets, or what it gives back.

        Returns the pod, whose status may now name a claim.
        """
        ...

    def serves(self, cluster: Cluster, resource: str) -> bool:
        """Whether a DeviceClass serves this extended resource."""
        ...

    def usage(self, cluster: Cluster, resource: str, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """(capacity, used) of a resource that a class serves, for scores: int64[nodes] each."""
        ...

    def claims_of(self, pod: Pod, cluster: Cluster) -> Iterable[ResourceClaim] | None:
        """The pod's claims; None while it has to wait for one. For the hints of the queue."""
        ...

    def claim_names(self, pod: Pod) -> Iterable[str]:
        """The names of the pod's claims that already exist."""
        ...

    def sections(self, decision: Decision) -> Iterable[Section]:
        """The devices that the pod gets, or why nodes cannot serve its claims."""
        ...


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
    """The object that an installed package declares, or None. ImportError if two packages declare one."""
    from importlib.metadata import entry_points  # slow to load, and most clusters have no devices

    declared = {entry.value: entry for entry in entry_points(group=GROUP)}
    if len(declared) > 1:
        raise ImportError(f"two packages serve claims of devices, {' and '.join(sorted(declared))}: uninstall one")
    return next((entry.load() for entry in declared.values()), None)
