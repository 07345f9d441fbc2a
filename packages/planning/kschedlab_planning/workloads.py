"""What a user wants more of: pods, or workloads with a template for theirs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from kschedlab.manifests.defaults import priority_classes, with_defaults
from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    LimitRange,
    Pod,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab_simulation.controllers.replicas import replicas_of, template_of
from kschedlab_simulation.server.limit_ranges import with_defaults_of

Scalable: TypeAlias = Deployment | ReplicaSet | ReplicationController | StatefulSet
OWNERS = (Deployment, ReplicaSet, ReplicationController, StatefulSet, Job)


class Workload(NamedTuple):
    """A pod of which there may be more. ``owner``: what has the replicas, if anything; ``replicas``: as it is now."""

    template: Pod
    owner: Scalable | None = None
    replicas: int = 0


def workloads(objects: Iterable[ApiObject], cluster_has: Iterable[ApiObject] = ()) -> list[Workload]:
    """The pods, and the pods of the templates as the API server would admit them.

    A workload that the cluster has keeps its replicas; one that is new begins at 0.
    """
    objects, cluster_has = list(objects), list(cluster_has)
    there = {_key(each) for each in cluster_has if isinstance(each, OWNERS)}
    classes = priority_classes(each for each in (*cluster_has, *objects) if isinstance(each, PriorityClass))
    ranges = [each for each in (*cluster_has, *objects) if isinstance(each, LimitRange)]
    made = []
    for each in objects:
        if isinstance(each, Pod):
            made.append(Workload(each))
        elif isinstance(each, OWNERS) and (template := template_of(each)) is not None:
            owner = None if isinstance(each, Job) else each
            now = replicas_of(each) if not isinstance(each, Job) and _key(each) in there else 0
            metadata = replace(template.metadata, name=each.metadata.name, namespace=each.metadata.namespace)
            own = [each for each in ranges if each.metadata.namespace == metadata.namespace]
            pod = with_defaults(with_defaults_of(Pod(metadata=metadata, spec=template.spec), own), classes)
            made.append(Workload(pod, owner, now))
    return made


def without_pods(objects: Iterable[ApiObject]) -> list[ApiObject]:
    """The owners that want pods of which none is among the objects: their controllers have not run yet."""
    objects = list(objects)
    owned = {
        (reference.kind, each.metadata.namespace, reference.name)
        for each in objects
        if isinstance(each, Pod | ReplicaSet)
        for reference in each.metadata.ownerReferences
    }
    return [
        each
        for each in objects
        if isinstance(each, OWNERS)
        and template_of(each) is not None
        and _wants_pods(each)
        and (type(each).__name__, *_key(each)[1:]) not in owned
    ]


def _wants_pods(owner: Scalable | Job) -> bool:
    return owner.status.completionTime is None if isinstance(owner, Job) else replicas_of(owner) > 0


def _key(obj: Any) -> tuple[type, str, str]:
    return type(obj), obj.metadata.namespace, obj.metadata.name
