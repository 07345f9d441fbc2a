"""Score plugins and their results. Their files have the anatomy of filters (:mod:`kschedlab.filter.plugin`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kschedlab.cluster.signatures import FloatArray, IntArray

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.cluster.pods import PodInfo

MAX_NODE_SCORE = 100


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """One plugin's scores. ``raw``, ``normalized``: int64[scored nodes]; ``terms``: the parts of the formula."""

    raw: IntArray
    normalized: IntArray
    terms: Mapping[str, object] = field(default_factory=dict)


class Score(Protocol):
    """A score plugin. It holds only its arguments."""

    @property
    def name(self) -> str:
        """The plugin's name, as Kubernetes spells it."""

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Score the nodes at these positions, in any order. None: the plugin skips the pod (PreScore)."""


def rounded(exact: FloatArray) -> IntArray:
    """Go's math.Round for numbers from 0 up: halves round up."""
    whole = np.floor(exact)
    return (whole + (exact - whole >= 0.5)).astype(np.int64)


def default_normalize(raw: IntArray, reverse: bool = False, highest: int = MAX_NODE_SCORE) -> IntArray:
    """Scale to 0..``highest`` by the largest raw score, in integers; ``reverse``: the largest becomes 0.

    All 0 gives all 0 (all ``highest`` if reversed). v1.37: framework/plugins/helper/normalize_score.go.
    """
    largest = int(raw.max(initial=0))
    if largest == 0:
        return np.full_like(raw, highest) if reverse else raw
    scaled = raw * highest // largest
    return highest - scaled if reverse else scaled
