"""Checks of what drivers publish and pods claim: slices, device classes, claims and taint rules.

v1.37: pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from kschedlab.objects.model import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kschedlab.objects.problems import Fault, quoted

_GROUP = "resource.k8s.io"
_SAME_SHAPE = (f"{_GROUP}/v1", f"{_GROUP}/v1beta2", f"{_GROUP}/v1alpha3")
"""The versions in which these kinds have the fields of v1."""


def check_devices(
    document: ResourceSlice | DeviceClass | ResourceClaim | ResourceClaimTemplate | DeviceTaintRule, faults: list[Fault]
) -> None:
    """Check the object's version."""
    if document.apiVersion not in _SAME_SHAPE:
        message = f"{quoted(document.apiVersion)} has other fields: write the object as {_GROUP}/v1"
        faults.append(Fault(("apiVersion",), message))
