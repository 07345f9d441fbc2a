"""Checks of the claims for devices of a pod or a pod group, and of the containers that use them.

v1.37: pkg/apis/core/validation/validation.go (validatePodResourceClaims, validateResourceClaimNames),
pkg/apis/scheduling/validation/validation.go (validatePodGroupResourceClaimStatuses).
"""

from __future__ import annotations

from kschedlab.manifests.fields import check_name
from kschedlab.objects.model import ContainerClaim, Pod, PodGroup
from kschedlab.objects.names import dns_label_fault
from kschedlab.objects.problems import Faults, Path, shortened


def check_claims(pod: Pod, faults: Faults) -> None:
    """Check the claims of the pod, their use in its containers, and their status."""
    names = check_entries(pod, faults)
    for field in ("containers", "initContainers"):
        for i, container in enumerate(getattr(pod.spec, field)):
            _check_used(container.resources.claims or (), names, ("spec", field, i, "resources", "claims"), faults)
    check_made(pod, names, faults)


def check_entries(owner: Pod | PodGroup, faults: Faults) -> set[str]:
    """Check the claims in the spec. Returns their names."""
    names: set[str] = set()
    for i, claim in enumerate(owner.spec.resourceClaims):
        path: Path = ("spec", "resourceClaims", i)
        _check_new(claim.name, names, (*path, "name"), faults)
        if claim.name:
            check_name(claim.name, (*path, "name"), faults, dns_label_fault)
        sources = {
            "resourceClaimName": claim.resourceClaimName,
            "resourceClaimTemplateName": claim.resourceClaimTemplateName,
        }
        named = {field: name for field, name in sources.items() if name is not None}
        if len(named) != 1:
            faults.note(path, "must have exactly one of resourceClaimName and resourceClaimTemplateName")
        for field, name in named.items():
            check_name(name, (*path, field), faults)
    return names


def check_made(owner: Pod | PodGroup, names: set[str], faults: Faults) -> None:
    """Check the claims in the status. ``names``: those in the spec."""
    made: set[str] = set()
    for i, status in enumerate(owner.status.resourceClaimStatuses):
        path: Path = ("status", "resourceClaimStatuses", i)
        _check_new(status.name, made, (*path, "name"), faults)
        if status.name not in names:
            faults.note((*path, "name"), '"{name}" is not in spec.resourceClaims', name=shortened(status.name))
        if status.resourceClaimName is not None:
            check_name(status.resourceClaimName, (*path, "resourceClaimName"), faults)


def _check_new(name: str, names: set[str], path: Path, faults: Faults) -> None:
    if not name:
        faults.note(path, "is missing")
    elif name in names:
        faults.note(path, '"{name}" appears twice', name=shortened(name))
    names.add(name)


def _check_used(claims: tuple[ContainerClaim, ...], names: set[str], path: Path, faults: Faults) -> None:
    """Check a container's claims: each is one of the pod's, used once as a whole or once for each request."""
    seen: dict[str, set[str]] = {}
    for i, claim in enumerate(claims):
        requests = seen.setdefault(claim.name, set())
        if requests and ("" in requests or not claim.request or claim.request in requests):
            faults.note((*path, i), '"{name}" appears twice', name=shortened(claim.name))
        requests.add(claim.request)
        if claim.request:
            check_name(claim.request, (*path, i, "request"), faults, dns_label_fault)
        if claim.name not in names:
            faults.note((*path, i, "name"), '"{name}" is not in spec.resourceClaims', name=shortened(claim.name))
