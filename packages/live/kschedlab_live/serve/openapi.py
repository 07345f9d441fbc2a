"""OpenAPI v3, made of the model: what ``kubectl explain`` shows, and that the server validates fields itself.

v1.37: k8s.io/kube-openapi pkg/handler3; k8s.io/kubectl pkg/explain/v2, pkg/util/openapi, pkg/validation. Of a list, and
of a kind that is not served, kubectl asks OpenAPI v2, and checks nothing if it does not find the kind there either.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from kschedlab.objects.meta import Time
from kschedlab.objects.quantity import Quantity
from kschedlab_live.serve.discovery import split
from kschedlab_live.serve.kinds import Kinds, Served
from kschedlab_live.wire.rest import fields_of

Data = dict[str, Any]

_SCALARS: dict[Any, Data] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    Quantity: {"type": "string", "format": "quantity"},
    Time: {"type": "string", "format": "date-time"},
}
ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF = ASKED.replace("@", ".")
"""How kubectl asks for OpenAPI v2, and how the answer is called; an empty one is a document without any kind."""
OLDER: Data = {"swagger": "2.0", "info": {"title": "kschedlab", "version": "v1"}, "paths": {}}
_REFERENCES = "#/components/schemas/"
_VALIDATES = [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}]


def index(kinds: Kinds, prefix: str) -> Data:
    """The path of each API version's document. ``prefix``: of the server's paths."""
    paths = map(_path, kinds.versions)
    return {"paths": {path: {"serverRelativeURL": f"{prefix}/openapi/v3/{path}"} for path in paths}}


def document(kinds: Kinds, path: str) -> Data | None:
    """The document of the API version at this path, such as ``apis/apps/v1``; None if it is not served."""
    api_version = next((version for version in kinds.versions if _path(version) == path), None)
    if api_version is None:
        return None
    schemas: Data = {}
    paths: Data = {}
    for served in kinds.of(api_version):
        schemas[f"{api_version.replace('/', '.')}.{served.kind}"] = _kind_schema(served, schemas)
        paths |= _paths(served, path)
    info = {"title": "kschedlab", "version": "v1"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _path(api_version: str) -> str:
    return f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"


def _gvk(served: Served) -> Data:
    group, version = split(served.api_version)
    return {"group": group, "version": version, "kind": served.kind}


def _paths(served: Served, path: str) -> Data:
    base = f"/{path}/namespaces/{{namespace}}" if served.resource.namespaced else f"/{path}"
    collection = f"{base}/{served.resource.name}"
    operation = {
        "x-kubernetes-group-version-kind": _gvk(served),
        "parameters": _VALIDATES,
        "responses": {"200": {"description": "OK"}},
    }
    written = {name: operation for name in ("put", "patch")}
    return {collection: {"get": operation, "post": operation}, f"{collection}/{{name}}": {"get": operation, **written}}


def _kind_schema(served: Served, schemas: Data) -> Data:
    described = {"x-kubernetes-group-version-kind": [_gvk(served)], "type": "object"}
    if served.custom is not None:
        return served.custom.schema | described
    if served.model is None:
        return described | {
            "description": "kschedlab keeps such objects as they are; the simulation does not read them.",
            "x-kubernetes-preserve-unknown-fields": True,
        }
    text = f"The fields of a {served.kind} that kschedlab's simulation reads; the others are kept as they are."
    names = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    return described | {"description": text, "properties": names | _properties(served.model, schemas)}


def _properties(struct: type[msgspec.Struct], schemas: Data) -> Data:
    return {written: _schema(expected, schemas) for written, expected in fields_of(struct).items()}


def _schema(expected: Any, schemas: Data) -> Data:
    origin = get_origin(expected)
    if origin is Annotated:
        return _schema(get_args(expected)[0], schemas)
    if origin in (Union, UnionType):
        return _schema(next(member for member in get_args(expected) if member is not NoneType), schemas)
    if origin is tuple:
        return {"type": "array", "items": _schema(get_args(expected)[0], schemas)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(expected)[1], schemas)}
    if isinstance(expected, type) and issubclass(expected, msgspec.Struct):
        name = f"kschedlab.{expected.__name__}"
        if name not in schemas:
            schemas[name] = {}
            schemas[name] = {"type": "object", "properties": _properties(expected, schemas)}
        return {"allOf": [{"$ref": f"{_REFERENCES}{name}"}]}
    return dict(_SCALARS.get(expected, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}))
