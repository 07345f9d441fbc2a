"""Signatures: what pods have in common that no query can tell apart.

Thousands of pods are copies of a few templates, and others differ in one label. A *signature* holds the fields of a pod
that selectors, affinity terms, host ports and volumes depend on, so every query has the same answer for all pods with
the same signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from kschedlab.cluster.terms import PodTerms
from kschedlab.objects.model import Pod, Volume


def uses(pod: Pod) -> tuple[object, ...]:
    """The containers' host ports, those of init containers, and the volumes; all are empty for most pods."""
    spec = pod.spec
    ports = [c.ports for c in spec.containers if any(port.hostPort > 0 for port in c.ports)]
    of_init = [(c.restartPolicy, c.ports) for c in spec.initContainers if any(port.hostPort > 0 for port in c.ports)]
    return ports, of_init, _mounts(pod) if spec.volumes else ()


def _mounts(pod: Pod) -> tuple[object, ...]:
    """The pod's volumes that can conflict with other pods or nodes. An ephemeral volume's claim is the pod's own."""
    volumes = [volume for volume in pod.spec.volumes if volume != Volume(volume.name)]  # without emptyDir and the like
    if not any(volume.ephemeral is not None for volume in volumes):
        return tuple(volumes)
    plain = [volume for volume in volumes if volume.ephemeral is None]
    ephemeral = [volume.name for volume in volumes if volume.ephemeral is not None]
    return plain, ephemeral, pod.metadata.name, pod.metadata.uid


IntArray: TypeAlias = NDArray[np.int64]
Small: TypeAlias = np.int16
"""A plugin's number, or a negative mark in its place."""
SmallArray: TypeAlias = NDArray[Small]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]

EMPTY = Pod()


class Signature:
    """The fields that all pods of one signature share. Signatures with equal fields are equal.

    ``number``: unique among the signatures in use. ``terms``: the affinity terms of every pod with the signature, one
    object for all with the same. ``example``: the first pod with the signature, for its host ports and volumes:
    read nothing else there. An empty pod if there are no ports or volumes.
    """

    __slots__ = ("__weakref__", "example", "labels", "namespace", "number", "terminating", "terms")

    def __init__(self, pod: Pod, terms: PodTerms, number: int = -1) -> None:
        self.number, self.terms = number, terms
        self.namespace: str = pod.metadata.namespace
        self.labels: Mapping[str, str] = pod.metadata.labels
        self.terminating = pod.metadata.deletionTimestamp is not None
        self.example = pod if any(uses(pod)) else EMPTY

    def __hash__(self) -> int:
        used = b"" if self.example is EMPTY else msgspec.json.encode(uses(self.example))
        return hash((self.namespace, frozenset(self.labels.items()), self.terminating, id(self.terms), used))

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Signature):
            return self is other
        return (
            self.terms is other.terms
            and self.labels == other.labels
            and (self.namespace, self.terminating) == (other.namespace, other.terminating)
            and (self.example is other.example or uses(self.example) == uses(other.example))
        )

    def __repr__(self) -> str:
        return f"<Signature {self.number}: {self.namespace}, {dict(self.labels)}>"
