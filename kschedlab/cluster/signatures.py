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
from kschedlab.cluster.uses import uses
from kschedlab.objects.model import Pod

IntArray: TypeAlias = NDArray[np.int64]
SmallArray: TypeAlias = NDArray[np.int8]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]

EMPTY = Pod()


class Signature:
    """The fields that all pods of one signature share. Signatures with the same are equal.

    ``number``: its own while somebody has it. ``terms``: the affinity terms of every pod with the signature, one object
    for all with the same. ``example``: the first pod with the signature, for its host ports and volumes: read nothing
    else there. It is empty if it has none.
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
