"""The kinds of objects: their resource names and groups, and whether they are namespaced."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.objects import model
from kschedlab.objects.meta import CLUSTER_SCOPED


class Resource(NamedTuple):
    """The API's resource of a kind. ``name``: ``pods``. ``qualified``: with the group, ``replicasets.apps``."""

    kind: type[model.ApiObject]
    name: str
    group: str
    qualified: str
    namespaced: bool

    def key(self, namespace: str, name: str) -> str:
        """``namespace/name``, or the name alone if cluster-scoped: the key in stores, caches and the log."""
        return f"{namespace}/{name}" if self.namespaced else name

    def key_of(self, obj: model.ApiObject) -> str:
        return self.key(obj.metadata.namespace, obj.metadata.name)

    def with_name(self, name: str) -> Resource:
        """The resource under a different name, such as ``pods/binding``."""
        return self._replace(name=name, qualified=f"{name}.{self.group}" if self.group else name)


OF_CONTROLLERS = frozenset(
    [model.CronJob, model.DaemonSet, model.Deployment, model.HorizontalPodAutoscaler, model.Job, model.LimitRange]
    + [model.PodGroup, model.ResourceClaimTemplate, model.ResourceQuota]
)
"""Kinds that a decision about a pod does not read."""


def _resource(kind: type[model.ApiObject]) -> Resource:
    """The resource, its name as UnsafeGuessKindToResource forms it (apimachinery pkg/api/meta/restmapper.go)."""
    group = kind().apiVersion.rpartition("/")[0]
    name = kind.__name__.lower()
    plural = f"{name}es" if name.endswith("s") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return Resource(kind, "", group, "", kind.__name__ not in CLUSTER_SCOPED).with_name(plural)


RESOURCES: dict[type[model.ApiObject], Resource] = {kind: _resource(kind) for kind in model.ApiObject.__subclasses__()}


def key_of(obj: model.ApiObject) -> str:
    """The key that identifies the object within its kind."""
    return RESOURCES[type(obj)].key_of(obj)
