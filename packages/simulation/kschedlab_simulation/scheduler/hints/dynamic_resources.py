"""Hints of DynamicResources.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (isSchedulableAfterClaimChange,
isSchedulableAfterTargetPodUpdate).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.dynamic_resources import claims_for
from kschedlab.objects.model import Pod, ResourceClaim


class ClaimHints:
    """``cluster`` has the claims; without one, nobody has any."""

    def __init__(self, cluster: Callable[[], Cluster] | None) -> None:
        self._cluster = cluster

    def after_claim(self, pod: Pod, old: ResourceClaim | None, new: ResourceClaim | None) -> bool:
        """Devices got free, or all claims of the pod are there and the status of one of them changed."""
        held = old is not None and old.status.allocation is not None
        if new is None:
            return held
        if (claims := self._claims(pod)) is None:
            return False
        if held and new.status.allocation is None:
            return True
        if all(claim.metadata.uid != new.metadata.uid for claim in claims):
            return False
        return old is None or old.status != new.status

    def after_itself(self, pod: Pod, old: Pod, new: Pod) -> bool:
        """All claims of the pod are there."""
        return self._claims(new) is not None

    @staticmethod
    def concerned(old: ResourceClaim | None, new: ResourceClaim | None) -> list[tuple[str, str]] | None:
        """The claim that changed; None if devices got free, which concerns every pod."""
        held = old is not None and old.status.allocation is not None
        if new is None or (held and new.status.allocation is None):
            return None if held else []
        return [(new.metadata.namespace, new.metadata.name)]

    @staticmethod
    def names(pod: Pod) -> list[tuple[str, str]]:
        """The claims that the pod names, up to the first that is not made yet."""
        names = claims_for(pod).claim_names(pod) if pod.spec.resourceClaims else ()
        return [(pod.metadata.namespace, name) for name in names]

    def _claims(self, pod: Pod) -> Iterable[ResourceClaim] | None:
        """The pod's claims; None while it has to wait for one."""
        if not pod.spec.resourceClaims:
            return ()
        return claims_for(pod).claims_of(pod, self._cluster()) if self._cluster is not None else None
