"""What a filter plugin is, and what it can answer.

Every file in this folder has one anatomy: what the plugin decides and the real source it follows; its reasons, letter
by letter; :meth:`Filter.prepare`, which looks at the pod and the cluster once; a :class:`PreparedFilter`, which looks
at all nodes at once; and the few lines where a generation differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.cluster.pods import PodInfo
    from kschedlab.cluster.snapshot import Snapshot


@dataclass(frozen=True, eq=False, slots=True)
class Refusal:
    """One reason and the nodes that it holds for.

    ``mask``: bool[nodes]. ``unresolvable``: bool[nodes] or one bool for all; where true, evicting pods can't help.
    ``terms``: the arrays that the rule compared, by name, for views. ``error``: not a reason, but the message of an
    error that ends the decision if the plugin is asked about such a node (while victims are sought, it just refuses).
    """

    mask: BoolArray
    reason: str
    unresolvable: BoolArray | bool = False
    terms: Mapping[str, IntArray | int] = field(default_factory=dict)
    error: bool = False


class Refusals:
    """What one plugin says about all nodes: its parts, in the order in which the real plugin lists its reasons."""

    def __init__(self, parts: Iterable[Refusal]) -> None:
        self.parts = tuple(parts)

    @cached_property
    def mask(self) -> BoolArray:
        """bool[nodes]: the nodes that the plugin refuses."""
        mask = self.parts[0].mask
        for part in self.parts[1:]:
            mask = mask | part.mask
        return mask

    @cached_property
    def unresolvable(self) -> BoolArray:
        """bool[nodes]: the refused nodes on which preemption can't help."""
        result: BoolArray = np.zeros(len(self.mask), np.bool_)
        for part in self.parts:
            result = result | (part.mask & part.unresolvable)
        return result

    def reasons(self, node: int) -> list[str]:
        """The reasons for one node (its position); empty if it passes."""
        return [part.reason for part in self.parts if part.mask[node]]


def first_of(parts: Iterable[Refusal]) -> Refusals | None:
    """Refuse every node for the first part that holds for it; None if none does. For plugins that name one reason."""
    kept: list[Refusal] = []
    for part in parts:
        mask = part.mask
        for before in kept:
            mask = mask & ~before.mask
        if mask.any():
            kept.append(replace(part, mask=mask))
    return Refusals(kept) if kept else None


@dataclass(frozen=True)
class PreFilterRejection:
    """The pod was refused before any node was looked at (PreFilter)."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool = True


class SchedulingError(Exception):
    """The real scheduler gives an error instead of a verdict here; the message is its own."""


class PreparedFilter(Protocol):
    """A filter, prepared for one pod."""

    @property
    def node_names(self) -> frozenset[str] | None:
        """Names of the only nodes that come into query (PreFilterResult), or None for all."""
        ...

    @property
    def depends_on_pods(self) -> bool:
        """Whether the answer can change when pods come or go. If not, it is asked once for a decision."""
        ...

    @property
    def monotonic(self) -> bool:
        """Whether pods that come to a node can only make it refuse more. Required pod affinity is the exception."""
        ...

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes that are refused in this snapshot, or None if none is."""
        ...


class Filter(Protocol):
    """A filter plugin. It holds its arguments; what it computes for a pod lives in the PreparedFilter."""

    @property
    def name(self) -> str:
        """The plugin's name, as Kubernetes spells it."""
        ...

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | PreFilterRejection | None:
        """Look at the pod once. None: the plugin has nothing to say about this pod (Skip)."""
        ...


@dataclass(frozen=True, eq=False)
class StaticFilter:
    """A check that depends on the nodes alone."""

    refused: Refusals | None
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = False
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The same answer in every snapshot."""
        return self.refused
