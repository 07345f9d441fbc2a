"""What the API server answers when it refuses: a Status, word for word as the real one gives it.

v1.37: k8s.io/apimachinery pkg/apis/meta/v1/types.go (Status), pkg/api/errors/errors.go (the constructors),
pkg/util/validation/field/errors.go (the causes of Invalid).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec

from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, Fault, shown
from kschedlab.simulation.server.resources import RESOURCES, Resource

OPTIMISTIC_LOCK = "the object has been modified; please apply your changes to the latest version and try again"
"""Why an update with a stale resourceVersion is refused (v1.37: pkg/registry/generic/registry/store.go)."""


class StatusCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason: its type (``reason`` in JSON, as in the API), the message, and the field that it is about."""

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the answer is about. ``kind`` is the resource (``pods``), except for Invalid, where it is the kind."""

    name: str = ""
    group: str = ""
    kind: str = ""
    causes: tuple[StatusCause, ...] = ()
    retryAfterSeconds: int = 0


class Status(msgspec.Struct, frozen=True, tag_field="kind", tag="Status", omit_defaults=True, kw_only=True):
    """The answer to a request that failed. ``details`` is None if the real server gives none."""

    apiVersion: str
    metadata: dict[str, str]
    status: str
    message: str
    reason: str = ""
    details: StatusDetails | None = None
    code: int


class FieldError(msgspec.Struct, frozen=True):
    """Something wrong with a field, in the API's words: ``Invalid value: "x": may not be changed``."""

    type: str
    field: str
    body: str


class ApiError(Exception):
    """The server refused, and nothing has changed. ``status``: what it answers."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)  # SimPy makes errors anew from their arguments
        self.status = status

    def __str__(self) -> str:
        return self.status.message

    @property
    def code(self) -> int:
        """The HTTP status code."""
        return self.status.code

    @property
    def reason(self) -> str:
        """NotFound, Conflict, ...; empty if the real server gives none."""
        return self.status.reason

    @classmethod
    def not_found(cls, kind: type[ApiObject], name: str) -> ApiError:
        """There is no such object."""
        resource = RESOURCES[kind]
        return _about(resource, name, 404, "NotFound", f'{resource.qualified} "{name}" not found')

    @classmethod
    def no_such_resource(cls) -> ApiError:
        """There is no such kind, or it has no such subresource."""
        return _answer(404, "NotFound", "the server could not find the requested resource")

    @classmethod
    def already_exists(cls, kind: type[ApiObject], name: str) -> ApiError:
        """The name is taken."""
        resource = RESOURCES[kind]
        return _about(resource, name, 409, "AlreadyExists", f'{resource.qualified} "{name}" already exists')

    @classmethod
    def no_name_left(cls, kind: type[ApiObject], name: str) -> ApiError:
        """Every name that was generated is taken."""
        resource = RESOURCES[kind]
        why = "already exists, the server was not able to generate a unique name for the object"
        return _about(resource, name, 409, "AlreadyExists", f'{resource.qualified} "{name}" {why}', retry_after=1)

    @classmethod
    def conflict(cls, kind: type[ApiObject], name: str, why: str = OPTIMISTIC_LOCK, called: str = "") -> ApiError:
        """The object is not (any more) as the request takes it to be. ``called``: instead of ``pods``."""
        resource = RESOURCES[kind].called(called) if called else RESOURCES[kind]
        message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
        return _about(resource, name, 409, "Conflict", message)

    @classmethod
    def forbidden(
        cls, kind: type[ApiObject], name: str, why: str, causes: tuple[StatusCause, ...] = (), called: str = ""
    ) -> ApiError:
        """Admission says no. ``called``: instead of ``pods``."""
        resource = RESOURCES[kind].called(called) if called else RESOURCES[kind]
        message = f'{resource.qualified} "{name}" is forbidden: {why}'
        return _about(resource, name, 403, "Forbidden", message, causes)

    @classmethod
    def expired(cls, asked: int, oldest: int) -> ApiError:
        """The history does not reach back to the resourceVersion that a watch would start from."""
        return _answer(410, "Expired", f"too old resource version: {asked} ({oldest})")

    @classmethod
    def gone(cls, message: str) -> ApiError:
        """What was there is not there any more."""
        return _answer(410, "Gone", message)

    @classmethod
    def invalid(cls, kind: type[ApiObject], name: str, errors: Iterable[FieldError]) -> ApiError:
        """Fields of the object are wrong."""
        return cls.invalid_as(kind.__name__, RESOURCES[kind].group, name, errors)

    @classmethod
    def invalid_as(cls, kind: str, group: str, name: str, errors: Iterable[FieldError]) -> ApiError:
        """Fields are wrong, of something that goes by this kind and group in the message."""
        errors = list(errors)
        texts = list(dict.fromkeys(f"{error.field}: {error.body}" for error in errors))
        why = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        message = f'{kind}.{group} "{name}" is invalid' if group else f'{kind} "{name}" is invalid'
        causes = tuple(StatusCause(error.type, error.body, error.field) for error in errors)
        details = StatusDetails(name=name, group=group, kind=kind, causes=causes)
        return _answer(422, "Invalid", f"{message}: {why}" if texts else message, details)

    @classmethod
    def bad_request(cls, message: str) -> ApiError:
        """The request makes no sense."""
        return _answer(400, "BadRequest", message)

    @classmethod
    def too_many_requests(cls, message: str, retry_after: int = 0, cause: StatusCause | None = None) -> ApiError:
        """Not now. ``retry_after``: seconds."""
        details = StatusDetails(causes=(cause,) if cause else (), retryAfterSeconds=retry_after)
        return _answer(429, "TooManyRequests", message, details)

    @classmethod
    def unknown(cls, message: str) -> ApiError:
        """What the real server does not tell apart: an error without a reason."""
        return _answer(500, "", message)


@contextmanager
def unless_gone() -> Iterator[None]:
    """Pass over that the object is gone, or is another one of its name by now."""
    try:
        yield
    except ApiError as error:
        if error.reason not in ("NotFound", "Conflict"):
            raise


def _about(
    resource: Resource,
    name: str,
    code: int,
    reason: str,
    message: str,
    causes: tuple[StatusCause, ...] = (),
    retry_after: int = 0,
) -> ApiError:
    details = StatusDetails(name, resource.group, resource.name, causes, retry_after)
    return _answer(code, reason, message, details)


def _answer(code: int, reason: str, message: str, details: StatusDetails | None = None) -> ApiError:
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


# -- errors of fields


def of_fault(fault: Fault) -> FieldError:
    """A fault as the API puts it: what is missing is a required value, all else an invalid one."""
    if fault.message == "is missing":
        return required(shown(fault.path))
    message = fault.message.replace(WRITTEN, fault.value)
    return FieldError("FieldValueInvalid", shown(fault.path), f"Invalid value: {message}")


def required(field: str, detail: str = "") -> FieldError:
    """The field must have a value."""
    return FieldError("FieldValueRequired", field, f"Required value: {detail}" if detail else "Required value")


def invalid_value(field: str, value: object, detail: str) -> FieldError:
    """The field must not have this value, which is written as JSON."""
    written = msgspec.json.encode(value, enc_hook=str).decode()
    return FieldError("FieldValueInvalid", field, f"Invalid value: {written}: {detail}")


def forbidden_value(field: str, detail: str) -> FieldError:
    """The field could have this value, but not now."""
    return FieldError("FieldValueForbidden", field, f"Forbidden: {detail}")
