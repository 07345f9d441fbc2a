"""Hints about devices: DynamicResources, and what a DeviceClass means to NodeResourcesFit.

v1.37: pkg/scheduler/framework/plugins: dynamicresources/dynamicresources.go (isSchedulableAfterClaimChange,
isSchedulableAfterTargetPodUpdate), noderesources/fit.go (isSchedulableAfterDeviceClassEvent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.model import DeviceClass, Pod, ResourceClaim
from kschedlab.objects.requests import DEVICE_CLASS_PREFIX, pod_requests
from kschedlab_devices.claims import ClaimError, claim_names, claims_fault, claims_of


class ClaimHints:
    """DynamicResources' hints. ``cluster`` has the claims."""

    def __init__(self, cluster: Callable[[], Cluster] | None) -> None:
        self._cluster = cluster

    def after_claim(self, pod: Pod, old: ResourceClaim | None, new: ResourceClaim | None) -> bool:
        """Devices got free, or all claims of the pod are there and the status of one of them changed."""
        held = old is not None and old.status.allocation is not None
        if new is None:
            return held
        try:
            claims = claims_of(pod, self._find, self._for_group)
        except ClaimError:
            return False
        if held and new.status.allocation is None:
            return True
        if all(claim.metadata.uid != new.metadata.uid for claim in claims):
            return False
        return old is None or old.status != new.status

    def after_itself(self, pod: Pod, old: Pod, new: Pod) -> bool:
        """All claims of the pod are there."""
        return not claims_fault(new, self._find, self._for_group)

    @staticmethod
    def concerned(old: ResourceClaim | None, new: ResourceClaim | None) -> list[tuple[str, str]] | None:
        """The claim that changed; None if devices got free, which concerns every pod."""
        held = old is not None and old.status.allocation is not None
        if new is None or (held and new.status.allocation is None):
            return None if held else []
        return [(new.metadata.namespace, new.metadata.name)]

    @staticmethod
    def names(pod: Pod) -> Iterator[tuple[str, str]]:
        """The claims that the pod names, up to the first that is not made yet."""
        try:
            for name, _ in claim_names(pod):
                yield pod.metadata.namespace, name
        except ClaimError:
            return

    @property
    def _for_group(self) -> bool:
        return self._cluster is not None and self._cluster().api.group_claims

    def _find(self, key: tuple[str, str]) -> ResourceClaim | None:
        return self._cluster().find(ResourceClaim, key) if self._cluster is not None else None


def resources_after_class(pod: Pod, old: DeviceClass | None, new: DeviceClass) -> bool:
    """NodeResourcesFit: a new class serves a resource that the pod requests, or one serves it under a new name."""
    requests, explicit = pod_requests(pod), new.spec.extendedResourceName or ""
    if old is None and f"{DEVICE_CLASS_PREFIX}{new.metadata.name}" in requests:
        return True
    return explicit in requests and (old is None or explicit != (old.spec.extendedResourceName or ""))
