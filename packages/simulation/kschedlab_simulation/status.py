"""The Status that the API server returns for a failed request, word for word as the real one.

v1.37: k8s.io/apimachinery pkg/apis/meta/v1/types.go (Status), pkg/api/errors/errors.go (the constructors),
pkg/util/validation/field/errors.go (the causes of Invalid).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec

from kschedlab.objects.kinds import RESOURCES, Resource
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, Fault, path_text

OPTIMISTIC_LOCK_ERROR = "the object has been modified; please apply your changes to the latest version and try again"
"""Why an update with a stale resourceVersion is refused (v1.37: pkg/registry/generic/registry/store.go)."""


class StatusCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One cause: its type (``reason`` in JSON, as in the API), the message, and the field."""

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The object concerned. ``kind`` is the resource (``pods``), except for Invalid, where it is the kind."""

    name: str = ""
    group: str = ""
    kind: str = ""
    causes: tuple[StatusCause, ...] = ()
    retryAfterSeconds: int = 0


class Status(msgspec.Struct, frozen=True, tag_field="kind", tag="Status", omit_defaults=True, kw_only=True):
    """The answer to a failed request. ``details`` is None where the real server sends none."""

    apiVersion: str
    metadata: dict[str, str]
    status: str
    message: str
    reason: str = ""
    details: StatusDetails | None = None
    code: int


class FieldError(msgspec.Struct, frozen=True):
    """An error in a field, in the API's words: ``Invalid value: "x": may not be changed``."""

    type: str
    field: str
    body: str


class ApiError(Exception):
    """The server rejected a request, and nothing has changed. ``status``: its answer."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)  # SimPy recreates exceptions from their arguments
        self.status = status

    def __str__(self) -> str:
        return self.status.message

    @property
    def code(self) -> int:
        return self.status.code

    @property
    def reason(self) -> str:
        """NotFound, Conflict, ...; empty where the real server sends none."""
        return self.status.reason

    @classmethod
    def not_found(cls, kind: type[ApiObject], name: str) -> ApiError:
        resource = RESOURCES[kind]
        return _error_about(resource, name, 404, "NotFound", f'{resource.qualified} "{name}" not found')

    @classmethod
    def no_such_resource(cls) -> ApiError:
        """The server does not serve this kind or subresource."""
        return _error(404, "NotFound", "the server could not find the requested resource")

    @classmethod
    def already_exists(cls, kind: type[ApiObject], name: str) -> ApiError:
        resource = RESOURCES[kind]
        return _error_about(resource, name, 409, "AlreadyExists", f'{resource.qualified} "{name}" already exists')

    @classmethod
    def name_generation_failed(cls, kind: type[ApiObject], name: str) -> ApiError:
        """Every generated name is taken."""
        resource = RESOURCES[kind]
        why = "already exists, the server was not able to generate a unique name for the object"
        return _error_about(resource, name, 409, "AlreadyExists", f'{resource.qualified} "{name}" {why}', retry_after=1)

    @classmethod
    def conflict(
        cls, kind: type[ApiObject], name: str, why: str = OPTIMISTIC_LOCK_ERROR, resource_name: str = ""
    ) -> ApiError:
        """The object differs from what the request expects. ``resource_name`` replaces the kind's, such as ``pods``."""
        resource = RESOURCES[kind].with_name(resource_name) if resource_name else RESOURCES[kind]
        message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
        return _error_about(resource, name, 409, "Conflict", message)

    @classmethod
    def forbidden(
        cls, kind: type[ApiObject], name: str, why: str, causes: tuple[StatusCause, ...] = (), resource_name: str = ""
    ) -> ApiError:
        """The request is not allowed. ``resource_name`` replaces the kind's, such as ``pods``."""
        resource = RESOURCES[kind].with_name(resource_name) if resource_name else RESOURCES[kind]
        message = f'{resource.qualified} "{name}" is forbidden: {why}'
        return _error_about(resource, name, 403, "Forbidden", message, causes)

    @classmethod
    def expired(cls, requested: int, oldest: int) -> ApiError:
        """The history does not go back to the resourceVersion at which the watch should start."""
        return _error(410, "Expired", f"too old resource version: {requested} ({oldest})")

    @classmethod
    def gone(cls, message: str) -> ApiError:
        """The requested data is no longer available."""
        return _error(410, "Gone", message)

    @classmethod
    def invalid(cls, kind: type[ApiObject], name: str, errors: Iterable[FieldError]) -> ApiError:
        """Fields of the object are invalid."""
        return cls.invalid_as(kind.__name__, RESOURCES[kind].group, name, errors)

    @classmethod
    def invalid_as(cls, kind: str, group: str, name: str, errors: Iterable[FieldError]) -> ApiError:
        """Fields are invalid; the message uses this kind and group."""
        errors = list(errors)
        texts = list(dict.fromkeys(f"{error.field}: {error.body}" for error in errors))
        why = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        message = f'{kind}.{group} "{name}" is invalid' if group else f'{kind} "{name}" is invalid'
        causes = tuple(StatusCause(error.type, error.body, error.field) for error in errors)
        details = StatusDetails(name=name, group=group, kind=kind, causes=causes)
        return _error(422, "Invalid", f"{message}: {why}" if texts else message, details)

    @classmethod
    def bad_request(cls, message: str) -> ApiError:
        return _error(400, "BadRequest", message)

    @classmethod
    def too_many_requests(cls, message: str, retry_after: int, cause: StatusCause | None = None) -> ApiError:
        """The server cannot do this now. ``retry_after``: seconds."""
        details = StatusDetails(causes=(cause,) if cause else (), retryAfterSeconds=retry_after)
        return _error(429, "TooManyRequests", message, details)

    @classmethod
    def unknown(cls, message: str) -> ApiError:
        """An error without a reason, as the real server returns for unexpected errors."""
        return _error(500, "", message)


@contextmanager
def ignore_deleted() -> Iterator[None]:
    """Ignore that the object has been deleted, or replaced by another one of the same name."""
    try:
        yield
    except ApiError as error:
        if error.reason not in ("NotFound", "Conflict"):
            raise


def _error_about(
    resource: Resource,
    name: str,
    code: int,
    reason: str,
    message: str,
    causes: tuple[StatusCause, ...] = (),
    retry_after: int = 0,
) -> ApiError:
    details = StatusDetails(name, resource.group, resource.name, causes, retry_after)
    return _error(code, reason, message, details)


def _error(code: int, reason: str, message: str, details: StatusDetails | None = None) -> ApiError:
    return ApiError(
        Status(
            apiVersion="v1",
            metadata={},
            status="Failure",
            message=message,
            reason=reason,
            details=details,
            code=code,
        )
    )


# -- field errors


def field_error(fault: Fault) -> FieldError:
    """Convert a fault: a missing value becomes Required, one that cannot be set Forbidden, any other fault Invalid."""
    if fault.message.startswith("is missing"):
        return required(path_text(fault.path), fault.message.removeprefix("is missing").removeprefix(": "))
    if fault.message.startswith("cannot be set"):
        return forbidden_value(path_text(fault.path), fault.message)
    message = fault.message.replace(WRITTEN, fault.value)
    return FieldError("FieldValueInvalid", path_text(fault.path), f"Invalid value: {message}")


def required(field: str, detail: str = "") -> FieldError:
    return FieldError("FieldValueRequired", field, f"Required value: {detail}" if detail else "Required value")


def invalid_value(field: str, value: object, detail: str) -> FieldError:
    """The field must not have this value, shown as JSON."""
    written = msgspec.json.encode(value, enc_hook=str).decode()
    return FieldError("FieldValueInvalid", field, f"Invalid value: {written}: {detail}")


def forbidden_value(field: str, detail: str) -> FieldError:
    """The field may not be set in this situation."""
    return FieldError("FieldValueForbidden", field, f"Forbidden: {detail}")
