"""Admin access to devices: only for claims in a namespace with the label for it.

v1.37: pkg/registry/resource (AuthorizedForAdmin), called by the strategies of claims and of their templates. A
namespace need not exist here; one that does not has no label.
"""

from __future__ import annotations

from kschedlab.objects.model import ApiObject, Namespace, ResourceClaim, ResourceClaimTemplate
from kschedlab_simulation.status import ApiError, forbidden_value

LABEL = "resource.kubernetes.io/admin-access"
CLAIMS = ResourceClaim, ResourceClaimTemplate
REFUSED = f"admin access to devices requires the `{LABEL}: true` label on the containing namespace"


def check_admin_access(obj: ApiObject, namespace: Namespace | None) -> None:
    """ApiError if a request asks for admin access and the namespace does not allow it."""
    if isinstance(obj, ResourceClaim):
        devices = obj.spec.devices
    elif isinstance(obj, ResourceClaimTemplate):
        devices = obj.spec.spec.devices
    else:
        return
    for i, request in enumerate(devices.requests):
        if request.exactly is not None and request.exactly.adminAccess:
            if namespace is None or namespace.metadata.labels.get(LABEL) != "true":
                path = f"spec.devices.requests[{i}].adminAccess"
                raise ApiError.invalid(type(obj), obj.metadata.name, [forbidden_value(path, REFUSED)])
            return
