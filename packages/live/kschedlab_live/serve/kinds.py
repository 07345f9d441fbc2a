"""The kinds that are served: those of the simulation, and some that are only kept for who reads them.

v1.37: pkg/registry/*/storage (short names, categories), k8s.io/api (groups and versions).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from kschedlab.objects.kinds import RESOURCES, Resource
from kschedlab.objects.meta import ObjectMeta
from kschedlab.objects.model import ApiObject, Namespace


class Kept(msgspec.Struct, frozen=True):
    """An object that the simulation does not read: ``data`` is its JSON without the metadata that the server sets."""

    metadata: ObjectMeta
    data: dict[str, object]


class Custom(NamedTuple):
    """What a CustomResourceDefinition says of its kind. ``columns``: (name, type, path in the object) of its table."""

    singular: str
    categories: tuple[str, ...]
    columns: tuple[tuple[str, str, str], ...]
    schema: dict[str, Any]


class Served(NamedTuple):
    """A kind that is served.

    ``resource``: its name and group; ``kind``: ``Pod``; ``model``: None if the simulation does not read it. ``acts``:
    whether a real cluster acts on such objects and the simulation does not. ``subresources``: by name, the kind in
    requests, as ``policy/v1 Eviction``. ``custom``: of a kind that a client has defined.
    """

    resource: Resource
    version: str
    kind: str
    model: type[ApiObject] | None
    short: tuple[str, ...] = ()
    subresources: dict[str, str] = {}
    acts: bool = False
    custom: Custom | None = None

    @property
    def api_version(self) -> str:
        """``apps/v1``."""
        return f"{self.resource.group}/{self.version}" if self.resource.group else self.version

    @property
    def categories(self) -> list[str]:
        """``all`` if ``kubectl get all`` lists it."""
        if self.custom is not None:
            return list(self.custom.categories)
        return ["all"] if self.kind in _ALL else []

    @property
    def singular(self) -> str:
        """The name of one: ``pod``."""
        return self.custom.singular if self.custom is not None else self.kind.lower()

    @property
    def is_event(self) -> bool:
        """Whether it is an event, in one of its two API groups."""
        return self.kind == "Event" and self.resource.group in ("", "events.k8s.io")


_ALL = frozenset(
    """
    Pod ReplicationController Service DaemonSet Deployment
    ReplicaSet StatefulSet Job CronJob
    """.split()  # noqa: SIM905  # a table
)
_SHORT = {
    "pods": "po",
    "nodes": "no",
    "namespaces": "ns",
    "services": "svc",
    "replicationcontrollers": "rc",
    "replicasets": "rs",
    "statefulsets": "sts",
    "deployments": "deploy",
    "daemonsets": "ds",
    "cronjobs": "cj",
    "poddisruptionbudgets": "pdb",
    "priorityclasses": "pc",
    "persistentvolumes": "pv",
    "persistentvolumeclaims": "pvc",
    "storageclasses": "sc",
    "configmaps": "cm",
    "serviceaccounts": "sa",
    "events": "ev",
    "endpoints": "ep",
    "limitranges": "limits",
    "resourcequotas": "quota",
    "ingresses": "ing",
    "networkpolicies": "netpol",
    "horizontalpodautoscalers": "hpa",
    "customresourcedefinitions": "crd",
}
_SCALED = frozenset(["replicationcontrollers", "replicasets", "statefulsets", "deployments"])
_WITH_STATUS = frozenset(
    """
    pods nodes namespaces services replicationcontrollers replicasets
    statefulsets deployments daemonsets jobs cronjobs poddisruptionbudgets
    persistentvolumes persistentvolumeclaims volumeattachments resourceclaims devicetaintrules podgroups
    resourcequotas horizontalpodautoscalers customresourcedefinitions
    ingresses apiservices validatingadmissionpolicies
    """.split()  # noqa: SIM905  # a table
)
_OF_PODS = {"binding": "v1 Binding", "eviction": "policy/v1 Eviction", "resize": "v1 Pod"}

_KEPT = """
    v1                           ConfigMap configmaps, Secret secrets, ServiceAccount serviceaccounts
    v1                           Endpoints endpoints
    apps/v1                      ControllerRevision controllerrevisions
    coordination.k8s.io/v1       Lease leases
    discovery.k8s.io/v1          EndpointSlice endpointslices
    networking.k8s.io/v1         Ingress ingresses, IngressClass ingressclasses -, NetworkPolicy networkpolicies !
    rbac.authorization.k8s.io/v1 Role roles !, RoleBinding rolebindings !
    rbac.authorization.k8s.io/v1 ClusterRole clusterroles -!, ClusterRoleBinding clusterrolebindings -!
    apiextensions.k8s.io/v1      CustomResourceDefinition customresourcedefinitions -
    apiregistration.k8s.io/v1    APIService apiservices -!
    node.k8s.io/v1               RuntimeClass runtimeclasses -!
    admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations -!
    admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations -!
    admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies -!
    admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings -!
    admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies -!
    admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings -!
    v1                           Event events
    events.k8s.io/v1             Event events
"""
"""Kinds that are only kept: ``!`` if a real cluster acts on them, ``-`` if they have no namespace."""


def _modelled() -> list[Served]:
    kinds_served = []
    for kind, resource in RESOURCES.items():
        version = kind().apiVersion.rpartition("/")[2]
        kinds_served.append(_served(resource, version, kind.__name__, kind))
    return kinds_served


def _kept() -> list[Served]:
    known = {(served.resource.group, served.resource.name) for served in _modelled()}
    kinds_served = []
    for line in _KEPT.strip().splitlines():
        api_version, _, kinds = line.strip().partition(" ")
        group, _, version = api_version.rpartition("/")
        for text in kinds.split(","):
            kind, name, *marks = text.split()
            flags = "".join(marks)
            resource = Resource(Namespace, "", group, "", "-" not in flags).with_name(name)
            if (group, name) not in known:
                kinds_served.append(_served(resource, version, kind, None)._replace(acts="!" in flags))
    return kinds_served


def _served(resource: Resource, version: str, kind: str, model: type[ApiObject] | None) -> Served:
    name = resource.name
    api_version = f"{resource.group}/{version}" if resource.group else version
    subresources = {"status": f"{api_version} {kind}"} if name in _WITH_STATUS else {}
    if name in _SCALED:
        subresources["scale"] = "autoscaling/v1 Scale"
    if name == "pods":
        subresources |= _OF_PODS
    short = (_SHORT[name],) if name in _SHORT else ()
    return Served(resource, version, kind, model, short, subresources)


def _older(modelled: list[Served]) -> list[Served]:
    """Versions beside the one that the model has (:mod:`kschedlab_live.serve.versions`)."""
    return [served._replace(version="v1") for served in modelled if served.kind == "HorizontalPodAutoscaler"]


SERVED: dict[tuple[str, str], Served] = {
    (served.api_version, served.resource.name): served for served in [*_modelled(), *_older(_modelled()), *_kept()]
}
"""Every kind that each server serves, by API version and resource."""

OF_MODEL = {served.model: served for served in _modelled() if served.model is not None}
EVENTS = SERVED["v1", "events"]
DEFINITIONS = SERVED["apiextensions.k8s.io/v1", "customresourcedefinitions"]


class Kinds:
    """The kinds of one server: ``served``, by API version and resource. Definitions of clients add to them."""

    def __init__(self) -> None:
        self.served = dict(SERVED)

    @property
    def versions(self) -> list[str]:
        """The API versions: ``v1``, ``apps/v1``, ..."""
        return list(dict.fromkeys(version for version, _ in self.served))

    def of(self, api_version: str) -> list[Served]:
        """The kinds of an API version."""
        return [served for (version, _), served in self.served.items() if version == api_version]
