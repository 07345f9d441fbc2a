"""Discovery: which groups, versions and resources are served; and reviews: who am I, and what may I do?

v1.37: k8s.io/apiserver pkg/endpoints/discovery (aggregated, v2), k8s.io/api apidiscovery/v2, authorization/v1,
authentication/v1. One user may do everything.
"""

from __future__ import annotations

from typing import Any

from kschedlab import __version__
from kschedlab_live.serve.kinds import Kinds, Served

Data = dict[str, Any]

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
_SUBRESOURCE_VERBS = {"binding": ["create"], "eviction": ["create"]}
_REVIEWS = {
    "authorization.k8s.io/v1": {
        "selfsubjectaccessreviews": "SelfSubjectAccessReview",
        "selfsubjectrulesreviews": "SelfSubjectRulesReview",
    },
    "authentication.k8s.io/v1": {"selfsubjectreviews": "SelfSubjectReview"},
}


def versions(kinds: Kinds) -> list[str]:
    """All API versions."""
    return [*kinds.versions, *_REVIEWS]


def split(api_version: str) -> tuple[str, str]:
    """(group, version) of an API version."""
    group, _, version = api_version.rpartition("/")
    return group, version


def wants_aggregated(accept: str) -> bool:
    """Whether the client reads aggregated discovery."""
    return "as=APIGroupDiscoveryList" in accept and "v=v2;" in accept.replace(" ", "").replace(",", ";") + ";"


def aggregated(kinds: Kinds, core: bool) -> Data:
    """All resources at once: of the core group, or of all others."""
    groups: dict[str, list[Data]] = {}
    for api_version in versions(kinds):
        group, version = split(api_version)
        if (group == "") == core:
            resources = [_aggregated(item) for item in kinds.of(api_version)]
            resources += [_aggregated_review(api_version, *item) for item in _REVIEWS.get(api_version, {}).items()]
            groups.setdefault(group, []).append({"version": version, "resources": resources, "freshness": "Current"})
    items = [{"metadata": {"name": g} if g else {}, "versions": listed} for g, listed in groups.items()]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _aggregated(served: Served) -> Data:
    group, version = split(served.api_version)
    subresources = [
        {"subresource": name, "responseKind": _kind(written), "verbs": _verbs_of(name)}
        for name, written in served.subresources.items()
    ]
    return {
        "resource": served.resource.name,
        "responseKind": {"group": group, "version": version, "kind": served.kind},
        "scope": "Namespaced" if served.resource.namespaced else "Cluster",
        "singularResource": served.singular,
        "verbs": VERBS,
        "shortNames": list(served.short),
        "categories": served.categories,
        "subresources": subresources,
    }


def _aggregated_review(api_version: str, name: str, kind: str) -> Data:
    group, version = split(api_version)
    response = {"group": group, "version": version, "kind": kind}
    singular = kind.lower()
    return {
        "resource": name,
        "responseKind": response,
        "scope": "Cluster",
        "singularResource": singular,
        "verbs": ["create"],
    }


def _verbs_of(subresource: str) -> list[str]:
    return _SUBRESOURCE_VERBS.get(subresource, ["get", "patch", "update"])


def _kind(written: str) -> Data:
    api_version, _, kind = written.partition(" ")
    group, version = split(api_version)
    return {"group": group, "version": version, "kind": kind}


# -- the older form


def group_list(kinds: Kinds) -> Data:
    """``/apis`` for clients without aggregated discovery."""
    groups: dict[str, list[Data]] = {}
    for api_version in versions(kinds):
        group, version = split(api_version)
        if group:
            groups.setdefault(group, []).append({"groupVersion": api_version, "version": version})
    listed = [{"name": g, "versions": each, "preferredVersion": each[0]} for g, each in groups.items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}


def core_versions() -> Data:
    """``/api`` for clients without aggregated discovery."""
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def group(kinds: Kinds, name: str) -> Data | None:
    """``/apis/GROUP``."""
    listed: list[Data] = group_list(kinds)["groups"]
    return next(({"kind": "APIGroup", "apiVersion": "v1"} | item for item in listed if item["name"] == name), None)


def resource_list(kinds: Kinds, api_version: str) -> Data:
    """``/apis/GROUP/VERSION`` for clients without aggregated discovery."""
    resources: list[Data] = []
    for served in kinds.of(api_version):
        base = {"namespaced": served.resource.namespaced}
        one = {"name": served.resource.name, "singularName": served.singular, "kind": served.kind, "verbs": VERBS}
        resources.append(base | one | {"shortNames": list(served.short), "categories": served.categories})
        for name, written in served.subresources.items():
            sub = {"name": f"{served.resource.name}/{name}", "singularName": "", "verbs": _verbs_of(name)}
            resources.append(base | sub | _kind(written))
    for name, kind in _REVIEWS.get(api_version, {}).items():
        review = {"name": name, "singularName": kind.lower(), "kind": kind, "verbs": ["create"], "namespaced": False}
        resources.append(review)
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": resources}


def version_info(generation: str) -> Data:
    """``/version``: that of the scheduler's generation, and who answers."""
    major, minor = generation.removeprefix("v").split(".")[:2]
    texts = {"gitVersion": f"{generation}.0+kschedlab", "gitCommit": __version__, "gitTreeState": "clean"}
    rest = {"buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": "kschedlab/python"}
    return {"major": major, "minor": minor, **texts, **rest}


# -- reviews

REVIEWS = {f"/apis/{version}/{name}": kind for version, kinds in _REVIEWS.items() for name, kind in kinds.items()}
"""The kind of review that is created at a path."""
_USER = {"username": "kschedlab", "groups": ["system:masters", "system:authenticated"]}
_RULES = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


def reviewed(path: str) -> dict[str, Any]:
    """The review with its answer, which is the same for every question: kubectl asks some of them in protobuf."""
    kind = REVIEWS[path]
    status: dict[str, Any] = {"allowed": True, "reason": "kschedlab serve has one user, who may do everything"}
    if kind == "SelfSubjectRulesReview":
        status = _RULES
    elif kind == "SelfSubjectReview":
        status = {"userInfo": _USER}
    api_version = path.split("/")[2] + "/v1"
    return {"kind": kind, "apiVersion": api_version, "metadata": {}, "spec": {}, "status": status}
