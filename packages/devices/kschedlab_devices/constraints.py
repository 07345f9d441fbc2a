"""Constraints between the devices of a claim.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/{allocator_experimental,constraint}.go. An
attribute is a set of values, mostly of one: devices match if all of them have a value in common, and are distinct if no
two of them have.
"""

from __future__ import annotations

from kschedlab.objects.model import DeviceConstraint
from kschedlab_devices.pools import Candidate, Values


class Constraint:
    """A constraint during a search. ``attribute``: its fully qualified name.

    ``distinct``: no two devices have a value of the attribute in common; otherwise all of them have. ``values``: after
    each device so far, all of their values, or those in common.
    """

    def __init__(self, constraint: DeviceConstraint, attribute: str) -> None:
        self.distinct = constraint.matchAttribute is None
        self.attribute = attribute
        self.requests = frozenset(constraint.requests)
        self.values: list[Values] = []

    def applies(self, request: str, subrequest: str) -> bool:
        """Whether it is about the devices of this request, or of this alternative of it."""
        names = self.requests
        return not names or request in names or (bool(subrequest) and f"{request}/{subrequest}" in names)

    def add(self, device: Candidate) -> bool:
        """Add the device if the constraint still holds then."""
        values = device.values(self.attribute)
        if values is None:
            return False
        if self.values:
            before = self.values[-1]
            common = before & values
            if not values or bool(common) == self.distinct:
                return False
            values = before | values if self.distinct else common
        self.values.append(values)
        return True

    def remove(self) -> None:
        """Remove the device that was added last."""
        self.values.pop()
