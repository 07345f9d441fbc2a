"""Constraints between the devices of a claim.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/incubating/{allocator_incubating,constraint}.go.
"""

from __future__ import annotations

from kschedlab.devices.pools import Candidate
from kschedlab.objects.model import DeviceConstraint


class Constraint:
    """A constraint during a search. ``attribute``: its fully qualified name.

    ``distinct``: the devices differ in the attribute; otherwise all of them have the same value. ``values``: the
    attribute of the devices so far, as (type, value).
    """

    def __init__(self, constraint: DeviceConstraint, attribute: str) -> None:
        self.distinct = constraint.matchAttribute is None
        self.attribute = attribute
        self.requests = frozenset(constraint.requests)
        self.values: list[tuple[str, int | bool | str]] = []

    def applies(self, request: str, subrequest: str) -> bool:
        """Whether it is about the devices of this request, or of this alternative of it."""
        names = self.requests
        return not names or request in names or (bool(subrequest) and f"{request}/{subrequest}" in names)

    def add(self, device: Candidate) -> bool:
        """Add the device if the constraint still holds then."""
        value = device.attribute(self.attribute)
        if value is None or (value in self.values if self.distinct else self.values and value != self.values[0]):
            return False
        self.values.append(value)
        return True

    def remove(self) -> None:
        """Remove the device that was added last."""
        self.values.pop()
