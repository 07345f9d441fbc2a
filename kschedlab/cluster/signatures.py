"""Signatures: what pods have in common that no query can tell apart.

Thousands of pods are copies of a few templates, and others differ in one label. A *signature* holds the fields of a pod
that selectors, affinity terms, host ports and volumes depend on, so every query has the same answer for all pods with
the same signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kschedlab.cluster.terms import PodTerms
from kschedlab.objects.model import Pod

IntArray: TypeAlias = NDArray[np.int64]
SmallArray: TypeAlias = NDArray[np.int8]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]


class Signature:
    """The fields that all pods of one signature share.

    ``number``: its own while somebody has it. ``example``: the first pod with the signature; read only those of its
    fields that are part of the signature. ``terms``: the affinity terms of every pod with the signature.
    """

    __slots__ = ("__weakref__", "example", "labels", "namespace", "number", "terminating", "terms")

    def __init__(self, number: int, example: Pod, terms: PodTerms) -> None:
        self.number, self.example, self.terms = number, example, terms
        self.namespace: str = example.metadata.namespace
        self.labels: Mapping[str, str] = example.metadata.labels
        self.terminating = example.metadata.deletionTimestamp is not None

    def __repr__(self) -> str:
        return f"<Signature {self.number}: {self.namespace}, {dict(self.labels)}>"
