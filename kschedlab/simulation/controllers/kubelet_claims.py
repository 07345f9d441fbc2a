"""Why a kubelet cannot prepare a pod's devices yet.

v1.37: pkg/kubelet/cm/dra/manager.go (prepareResources). The drivers themselves are not simulated: they prepare at once.
"""

from __future__ import annotations

from kschedlab.devices.claims import FOREIGN, ClaimError, Find, claim_names, is_reserved_for
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import Pod

FAILED = "Failed to prepare dynamic resources: prepare dynamic resources: {}"
NOT_FOUND = 'fetch ResourceClaim {name}: resourceclaims.resource.k8s.io "{name}" not found'
NOT_RESERVED = "pod {pod} ({uid}) is not allowed to use ResourceClaim {name} ({claim})"
NOT_ALLOCATED = "ResourceClaim {name}: not allocated"


def unprepared(pod: Pod, find: Find) -> str:
    """What the kubelet says of the first claim that is not ready for the pod; "" if all are."""
    try:
        names = list(claim_names(pod))
    except ClaimError as error:
        return FAILED.format(error)
    if (extended := pod.status.extendedResourceClaimStatus) is not None:
        names.append((extended.resourceClaimName, False))
    for name, own in names:
        if why := _fault(pod, name, own, find):
            return FAILED.format(why)
    return ""


def _fault(pod: Pod, name: str, own: bool, find: Find) -> str:
    metadata = pod.metadata
    claim = find((metadata.namespace, name))
    if claim is None:
        return NOT_FOUND.format(name=name)
    owner = controller_of(claim.metadata)
    if own and (owner is None or owner.uid != metadata.uid):
        return FOREIGN.format(key=f"{metadata.namespace}/{name}", pod=pod.key)
    if not is_reserved_for(claim, pod):
        return NOT_RESERVED.format(pod=metadata.name, uid=metadata.uid, name=name, claim=claim.metadata.uid)
    return "" if claim.status.allocation is not None else NOT_ALLOCATED.format(name=name)
