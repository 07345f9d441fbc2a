"""Extenders and their answers.

v1.37: staging/src/k8s.io/kube-scheduler/extender/v1/types.go and pkg/scheduler/extender.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kschedlab.objects.model import Node, Pod

MAX_EXTENDER_PRIORITY = 10
"""The highest score that an extender gives. v1.37: extender/v1/types.go, MaxExtenderPriority."""


class ExtenderError(Exception):
    """The extender failed; the message is kube-scheduler's where it has the same failure."""


class BadStatusError(ExtenderError):
    """The extender answered with another status of HTTP than 200; generations say so in different words."""

    def __init__(self, verb: str, url: str, status: int) -> None:
        super().__init__(f"failed {verb} with extender at URL {url}, code {status}")


class Filtered(NamedTuple):
    """The answer to Filter: the names of the nodes that are left, and reasons for the others.

    ``unresolvable``: reasons for nodes where evicting pods can't help. A node that is nowhere is refused silently.
    """

    nodes: Sequence[str]
    failed: Mapping[str, str] = {}
    unresolvable: Mapping[str, str] = {}


class Victims(NamedTuple):
    """The victims on one node, and how many of them violate a PodDisruptionBudget."""

    pods: Sequence[Pod]
    violations: int = 0


class Returned(NamedTuple):
    """An extender's victims on one node: the identities of the pods (:func:`identity`)."""

    pods: Sequence[str]
    violations: int


class Extender:
    """An extender. Its methods raise ExtenderError.

    ``name``: in kube-scheduler its URL. ``address``: where it sends pods and nodes, or "".
    ``weight``: of its scores. ``ignorable``: a failure does not end the decision.
    ``managed_resources``: only pods that request or limit one of them are sent to it; empty: all pods are.
    ``node_cache_capable``: it receives and returns names of nodes; else it returns whole nodes.
    ``filters``, ``prioritizes``, ``preempts``, ``binds``: what it does.
    """

    name: str
    address = ""
    weight: int
    ignorable: bool
    managed_resources: frozenset[str]
    node_cache_capable: bool
    filters: bool
    prioritizes: bool
    preempts: bool
    binds = False

    def is_interested(self, pod: Pod) -> bool:
        """Whether it manages a resource of the pod. v1.37: extender.go, IsInterested."""
        return not self.managed_resources or any(
            not self.managed_resources.isdisjoint((*container.resources.requests, *container.resources.limits))
            for container in (*pod.spec.containers, *pod.spec.initContainers)
        )

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        """The nodes that can take the pod."""
        raise NotImplementedError

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Sequence[tuple[str, int]]:
        """(name, score) of nodes, 0 to 10; a node that is left out scores 0."""
        return [(node.metadata.name, 0) for node in nodes]

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Returned]:
        """The candidates that are left, by node, with the victims that must go there."""
        raise NotImplementedError

    def bind(self, pod: Pod, node: str) -> None:
        raise NotImplementedError


def identity(pod: Pod) -> str:
    """The name of a pod in an extender's messages: its uid, or ``namespace/name`` if a manifest has none."""
    return pod.metadata.uid or pod.key
