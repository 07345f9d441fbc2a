"""Informer indices: the pods of a node, the objects of an owner, and the orphans of a namespace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import ApiObject, Pod
from kschedlab_simulation.controllers.writes import meta
from kschedlab_simulation.informers import Informer, Informers

D = TypeVar("D", bound=ApiObject)

NODE, OWNER = "node", "owner"
"""Names of the indices."""


def pods_by_node(informers: Informers) -> Informer[Pod]:
    """The pod informer, with the index ``NODE`` by node name."""
    pods = informers.of(Pod)
    pods.index_by(NODE, lambda pod: [pod.spec.nodeName] if pod.spec.nodeName else [])
    return pods


def by_owner(informers: Informers, kind: type[D]) -> Informer[D]:
    """The kind's informer, with the index that :func:`owned_by` and :func:`orphans_in` read."""
    informer = informers.of(kind)
    informer.index_by(OWNER, _owner)
    return informer


def owned_by(informer: Informer[D], owner: ApiObject) -> list[D]:
    """The objects that the owner controls."""
    return informer.by_index(OWNER, meta(owner).uid)


def orphans_in(informer: Informer[D], namespace: str) -> list[D]:
    """The objects in the namespace without a controlling owner."""
    return informer.by_index(OWNER, f"{namespace}/")


def _owner(obj: Any) -> Iterable[str]:
    reference = controller_of(obj.metadata)
    return [f"{obj.metadata.namespace}/" if reference is None else reference.uid]
