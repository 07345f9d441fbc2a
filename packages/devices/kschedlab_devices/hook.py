"""The entry point for the engine, as :mod:`kschedlab.filter.dynamic_resources` describes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.model import Pod, ResourceClaim
from kschedlab_devices import claims
from kschedlab_devices.check import prepare as prepare
from kschedlab_devices.claiming import commit as commit, given_back as given_back
from kschedlab_devices.extended_resources import serving_class
from kschedlab_devices.scoring import scores as scores
from kschedlab_devices.text import sections as sections
from kschedlab_devices.usage import device_usage as usage

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import Claims
    from kschedlab_devices import hook

    _: Claims = hook

__all__ = ["claim_names", "claims_of", "commit", "given_back", "prepare", "scores", "sections", "serves", "usage"]


def serves(cluster: Cluster, resource: str) -> bool:
    """Whether a DeviceClass serves this extended resource."""
    return serving_class(cluster, resource) is not None


def claims_of(pod: Pod, cluster: Cluster) -> tuple[ResourceClaim, ...] | None:
    """The pod's claims; None while it has to wait for one."""
    try:
        return claims.claims_of(pod, lambda key: cluster.find(ResourceClaim, key), cluster.api.group_claims)
    except claims.ClaimError:
        return None


def claim_names(pod: Pod) -> Iterator[str]:
    """The names of the pod's claims, up to the first that is not made yet."""
    try:
        for name, _ in claims.claim_names(pod):
            yield name
    except claims.ClaimError:
        return
