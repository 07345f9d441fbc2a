"""CustomResourceDefinitions: the kinds that clients define. Their objects are kept as they are: no schema is applied.

v1.37: k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1 (defaults.go), pkg/apis/apiextensions/validation,
pkg/controller/status.
"""

from __future__ import annotations

import re
from typing import Any

from kschedlab.objects.kinds import Resource
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Namespace
from kschedlab_live.serve.kinds import DEFINITIONS, SERVED, Custom, Served
from kschedlab_live.serve.tables.cells import Data, maps, name_of, part, text
from kschedlab_live.wire.statuses import invalid

MOST_DEFINITIONS = 2_000
MOST_VERSIONS = 50
"""Versions of one definition."""

_LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
_KIND = re.compile(r"[A-Za-z][-A-Za-z0-9]{0,62}")
_VERSION = re.compile(r"v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?")
_AGE = ("Age", "date", ".metadata.creationTimestamp")


def completed(data: Data, now: int) -> Data:
    """The definition with its defaults and its status. ApiError (422)."""
    spec = part(data, "spec")
    names = part(spec, "names")
    if fault := _fault(data):
        raise invalid(DEFINITIONS.kind, DEFINITIONS.resource.group, name_of(data), *fault)
    kind = names["kind"]
    names = {"singular": kind.lower(), "listKind": f"{kind}List"} | names
    stored = [text(version, "name") for version in maps(spec, "versions") if version.get("storage") is True]
    moment = str(Time.whole_second(now))
    conditions = [
        {"type": type, "status": "True", "reason": reason, "message": message, "lastTransitionTime": moment}
        for type, reason, message in (
            ("NamesAccepted", "NoConflicts", "no conflicts found"),
            ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        )
    ]
    status = {"acceptedNames": names, "conditions": conditions, "storedVersions": stored}
    written = data.get("status")
    status |= written if isinstance(written, dict) else {}
    return {**data, "spec": {"conversion": {"strategy": "None"}} | spec | {"names": names}, "status": status}


def _fault(data: Data) -> tuple[str, str] | None:
    """The first fault of a definition: (field, what is wrong)."""
    spec = part(data, "spec")
    group, plural, kind = text(spec, "group"), text(spec, "names", "plural"), text(spec, "names", "kind")
    versions = maps(spec, "versions")
    names = [text(version, "name") for version in versions]
    for field, written, pattern in (
        ("spec.group", group, _GROUP),
        ("spec.names.plural", plural, _LABEL),
        ("spec.names.singular", text(spec, "names", "singular", otherwise="a"), _LABEL),
        ("spec.names.kind", kind, _KIND),
        *(("spec.versions.name", name, _LABEL) for name in names),
    ):
        if len(written) > 253 or not pattern.fullmatch(written):
            return field, f'"{written[:80]}" is not such a name'
    if name_of(data) != f"{plural}.{group}":
        return "metadata.name", f'must be spec.names.plural+"."+spec.group: {plural}.{group}'
    if text(spec, "scope") not in ("Namespaced", "Cluster"):
        return "spec.scope", "expected Namespaced or Cluster"
    if not 0 < len(set(names)) == len(names) <= MOST_VERSIONS:
        return "spec.versions", f"expected one to {MOST_VERSIONS} versions with names of their own"
    if sum(version.get("storage") is True for version in versions) != 1:
        return "spec.versions", "must have exactly one version marked as storage version"
    if any(f"{group}/{name}" == version for name in names for version, _ in SERVED):
        return "spec.group", "is served by this server itself"
    return None


def resource_of(data: Data) -> Resource:
    """The resource of a definition."""
    spec = data["spec"]
    namespaced = spec["scope"] == "Namespaced"
    return Resource(Namespace, "", spec["group"], "", namespaced).with_name(spec["names"]["plural"])


def defined(data: Data) -> dict[tuple[str, str], Served]:
    """The kinds of a :func:`completed` definition, by API version and resource; the preferred version is the first."""
    spec = data["spec"]
    group, names = spec["group"], spec["names"]
    resource, served = resource_of(data), {}
    for version in sorted(maps(spec, "versions"), key=_preference):
        if version.get("served") is True:
            api_version = f"{group}/{version['name']}"
            kind = names["kind"]
            custom = Custom(names["singular"], _texts(names, "categories"), _columns(version), _schema(version))
            subresources = {"status": f"{api_version} {kind}"} if part(version, "subresources", "status") == {} else {}
            if text(version, "subresources", "scale", "specReplicasPath") == ".spec.replicas":
                subresources["scale"] = "autoscaling/v1 Scale"
            short = _texts(names, "shortNames")
            served[api_version, names["plural"]] = Served(
                resource, version["name"], kind, None, short, subresources, custom=custom
            )
    return served


def _preference(version: Data) -> tuple[Any, ...]:
    """v2 before v1, v1 before v1beta1, and those before other names (apimachinery pkg/version, CompareKubeAware)."""
    name = version["name"]
    match = _VERSION.fullmatch(name)
    if match is None:
        return 1, name
    return 0, {None: 0, "beta": 1, "alpha": 2}[match[2]], -int(match[1]), -int(match[3] or 0)


def _texts(data: Data, field: str) -> tuple[str, ...]:
    value = data.get(field)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _schema(version: Data) -> Data:
    schema = part(version, "schema", "openAPIV3Schema")
    return schema if isinstance(schema, dict) else {}


def _columns(version: Data) -> tuple[tuple[str, str, str], ...]:
    columns = []
    for each in maps(version, "additionalPrinterColumns")[:50]:
        name = "_".join(text(each, "name").split()) or "-"
        columns.append((name + "*" * bool(each.get("priority")), text(each, "type"), text(each, "jsonPath")))
    return tuple(columns) or (_AGE,)
