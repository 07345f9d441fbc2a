"""A request of a client, taken apart: which resource, which object, what for.

v1.37: k8s.io/apiserver pkg/endpoints/request/requestinfo.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from kschedlab_live.serve.bounds import LARGEST
from kschedlab_live.serve.kinds import Kinds, Served
from kschedlab_live.wire import protobuf
from kschedlab_live.wire.objects import parsed
from kschedlab_live.wire.statuses import failure, unsupported
from kschedlab_simulation.status import ApiError

_PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
    r"(?:/namespaces/(?P<namespace>[^/]+)(?=/(?!status$|finalize$)))?"
    r"/(?P<resource>[a-z][a-z0-9-]*)(?:/(?P<name>[^/]+)(?:/(?P<subresource>[a-z]+))?)?"
)

TRUE = ("1", "true")


@dataclass(frozen=True)
class Call:
    """A request. ``verb``: the HTTP method; ``by``: the client's name, for the log."""

    verb: str
    api_version: str
    served: Served
    namespace: str | None
    name: str
    subresource: str
    query: Mapping[str, str]
    accept: str
    content_type: str
    raw: bytes = b""
    by: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def as_table(self) -> bool:
        """Whether the client wants a table."""
        return "as=Table" in self.accept

    @property
    def only_metadata(self) -> bool:
        """Whether the client wants the objects' metadata only."""
        return "as=PartialObjectMetadata" in self.accept

    @property
    def watches(self) -> bool:
        """Whether the answer never ends."""
        return self.query.get("watch") in TRUE

    @property
    def dry(self) -> bool:
        """Whether the request is a rehearsal. ApiError (400)."""
        dry = self.query.get("dryRun", "")
        if dry not in ("", "All"):
            raise failure(422, "Invalid", f'dryRun: Unsupported value: "{dry}": supported values: "All"')
        return bool(dry) or self.options.get("dryRun") == ["All"]

    @property
    def key(self) -> tuple[str, str]:
        """The (namespace, name) of the object."""
        return self.namespace or "", self.name

    @cached_property
    def body(self) -> dict[str, Any]:
        """The object in the body. ApiError (400, 415)."""
        return body_of(self.raw, self.content_type) if self.raw else {}

    @property
    def options(self) -> dict[str, Any]:
        """The DeleteOptions of a deletion; empty for other requests."""
        return self.body if self.verb == "DELETE" else {}


def body_of(raw: bytes, content_type: str) -> dict[str, Any]:
    """The object in a body. ApiError (400, 413, 415)."""
    if content_type == protobuf.MEDIA_TYPE or raw.startswith(protobuf.MAGIC):
        if len(raw) > LARGEST:
            raise failure(413, "RequestEntityTooLarge", f"an object in protobuf has at most {LARGEST:,} bytes")
        return protobuf.read_object(raw)
    if content_type not in ("", "application/json"):
        raise unsupported(f"kschedlab serve reads application/json and {protobuf.MEDIA_TYPE}, not {content_type}")
    body = parsed(raw)
    if not isinstance(body, dict):
        raise ApiError.bad_request("the body of the request is not an object: expected apiVersion, kind and metadata")
    return body


Target: TypeAlias = tuple[str, Served, str | None, str, str]


def target(path: str, kinds: Kinds) -> Target | None:
    """(API version, kind, namespace, name, subresource) of a path, or None if nothing is served there."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    api_version = match["core"] or f"{match['group']}/{match['version']}"
    served = kinds.served.get((api_version, match["resource"]))
    if served is None:
        return None
    namespace = match["namespace"]
    if namespace is not None and not served.resource.namespaced:
        return None
    if served.resource.namespaced and match["name"] and namespace is None:
        return None
    return api_version, served, namespace, match["name"] or "", match["subresource"] or ""
