"""Why a kubelet cannot prepare a pod's devices yet.

v1.37: pkg/kubelet/cm/dra/manager.go (prepareResources). The drivers themselves are not simulated: they prepare at once.
"""

from __future__ import annotations

from kschedlab.objects.model import Pod
from kschedlab_devices.claims import ClaimError, Find, claim_names, is_reserved_for, owner_fault

FAILED = "Failed to prepare dynamic resources: prepare dynamic resources: {}"
NOT_FOUND = 'fetch ResourceClaim {name}: resourceclaims.resource.k8s.io "{name}" not found'
NOT_RESERVED = "pod {pod} ({uid}) is not allowed to use ResourceClaim {name} ({claim})"
NOT_ALLOCATED = "ResourceClaim {name}: not allocated"


def unprepared(pod: Pod, find: Find, for_group: bool = False) -> str:
    """What the kubelet says of the first claim that is not ready for the pod; "" if all are.

    ``for_group``: see :mod:`kschedlab_devices.claims`.
    """
    try:
        names = list(claim_names(pod))
    except ClaimError as error:
        return FAILED.format(error)
    if (extended := pod.status.extendedResourceClaimStatus) is not None:
        names.append((extended.resourceClaimName, False))
    for name, own in names:
        if why := _fault(pod, name, own, find, for_group):
            return FAILED.format(why)
    return ""


def _fault(pod: Pod, name: str, own: bool, find: Find, for_group: bool) -> str:
    metadata = pod.metadata
    claim = find((metadata.namespace, name))
    if claim is None:
        return NOT_FOUND.format(name=name)
    if own and (why := owner_fault(claim, pod, for_group)):
        return why
    if not is_reserved_for(claim, pod, for_group):
        return NOT_RESERVED.format(pod=metadata.name, uid=metadata.uid, name=name, claim=claim.metadata.uid)
    return "" if claim.status.allocation is not None else NOT_ALLOCATED.format(name=name)
