"""Failures in the API's words, for requests that no store answers.

v1.37: k8s.io/apimachinery pkg/api/errors/errors.go, k8s.io/apiserver pkg/endpoints/handlers.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kschedlab.objects.kinds import Resource
from kschedlab_simulation.status import OPTIMISTIC_LOCK_ERROR, ApiError, FieldError, Status, StatusDetails


def failure(code: int, reason: str, message: str, details: StatusDetails | None = None) -> ApiError:
    """Any failure."""
    return ApiError(
        Status(
            apiVersion="v1", metadata={}, status="Failure", message=message, reason=reason, details=details, code=code
        )
    )


def not_found(resource: Resource, name: str) -> ApiError:
    """There is no object of that name."""
    return _about(resource, name, 404, "NotFound", f'{resource.qualified} "{name}" not found')


def already_exists(resource: Resource, name: str) -> ApiError:
    """The name is taken."""
    return _about(resource, name, 409, "AlreadyExists", f'{resource.qualified} "{name}" already exists')


def conflict(resource: Resource, name: str, why: str = OPTIMISTIC_LOCK_ERROR) -> ApiError:
    """The object differs from what the request expects."""
    message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
    return _about(resource, name, 409, "Conflict", message)


def invalid(kind: str, group: str, name: str, field: str, why: str) -> ApiError:
    """A field of the object is invalid."""
    return ApiError.invalid_as(kind, group, name, [FieldError("FieldValueInvalid", field, f"Invalid value: {why}")])


def unsupported(message: str) -> ApiError:
    """The body has a format that this server does not read."""
    return failure(415, "UnsupportedMediaType", message)


def method_not_allowed(message: str = "the server does not allow this method on the requested resource") -> ApiError:
    """The resource exists, but cannot be asked for this."""
    return failure(405, "MethodNotAllowed", message)


def internal() -> ApiError:
    """A fault of this server; the server's terminal says what it is, not on the wire."""
    return failure(500, "InternalError", "kschedlab could not answer this request; its terminal says why")


def success(details: dict[str, Any] | None = None, code: int = 200) -> dict[str, Any]:
    """The Status of a request that succeeded."""
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    if details is not None:
        status["details"] = details
    return status | ({"code": code} if code != 200 else {})


def status_json(error: ApiError) -> dict[str, Any]:
    """The Status of a failure, as plain data."""
    status: dict[str, Any] = msgspec.to_builtins(error.status)
    return {"kind": "Status"} | status


def _about(resource: Resource, name: str, code: int, reason: str, message: str) -> ApiError:
    return failure(code, reason, message, StatusDetails(name=name, group=resource.group, kind=resource.name))
