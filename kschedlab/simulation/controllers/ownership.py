"""What belongs where: pods on a node, objects of an owner, those of nobody. Informers keep it as indices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from kschedlab.objects.model import ApiObject, Pod
from kschedlab.simulation.controllers.writes import meta
from kschedlab.simulation.informers import Informer, Informers
from kschedlab.simulation.pods import controller_of

D = TypeVar("D", bound=ApiObject)

NODE, OWNER = "node", "owner"
"""The indices."""


def pods_by_node(informers: Informers) -> Informer[Pod]:
    """The informer of pods, whose index ``NODE`` finds them by the name of their node."""
    pods = informers.of(Pod)
    pods.index_by(NODE, lambda pod: [pod.spec.nodeName] if pod.spec.nodeName else [])
    return pods


def by_owner(informers: Informers, kind: type[D]) -> Informer[D]:
    """The informer of the kind, for :func:`of_owner` and :func:`of_nobody`."""
    informer = informers.of(kind)
    informer.index_by(OWNER, _owner)
    return informer


def of_owner(informer: Informer[D], owner: ApiObject) -> list[D]:
    """What the owner manages."""
    return informer.by_index(OWNER, meta(owner).uid)


def of_nobody(informer: Informer[D], namespace: str) -> list[D]:
    """What nobody manages in the namespace."""
    return informer.by_index(OWNER, f"{namespace}/")


def _owner(document: Any) -> Iterable[str]:
    reference = controller_of(document.metadata)
    return [f"{document.metadata.namespace}/" if reference is None else reference.uid]
