"""Filter plugins and their results.

Every file of a plugin has the same anatomy: what the plugin decides and the source it follows; its reasons, letter
by letter; :meth:`Filter.prepare`, which reads the pod and the cluster once; a :class:`PreparedFilter`, which checks all
nodes at once; and the few lines where a generation differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.objects.problems import BriefError

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.cluster.pods import PodInfo
    from kschedlab.cluster.snapshot import Snapshot

UNSCHEDULABLE, UNRESOLVABLE = "Unschedulable", "UnschedulableAndUnresolvable"


@dataclass(frozen=True, eq=False, slots=True)
class Refusal:
    """One reason and the nodes that it applies to.

    ``mask``: bool[nodes]. ``unresolvable``: bool[nodes], or one bool for all; where true, evicting pods can't help.
    ``terms``: the arrays that the rule compared, by name, for views. ``resource``: the one that is insufficient.
    ``error``: ``reason`` is the message of an error, which ends the decision if the plugin checks such a node (the
    preemption dry run treats it as a refusal).
    """

    mask: BoolArray
    reason: str
    unresolvable: BoolArray | bool = False
    terms: Mapping[str, IntArray | int] = field(default_factory=dict)
    error: bool = False
    resource: str = ""


class Refusals:
    """One plugin's refusals of all nodes: its parts, in the order in which the real plugin lists its reasons.

    ``elsewhere``: reasons for nodes that the cluster does not have; only extenders give them.
    """

    elsewhere: tuple[str, ...] = ()

    def __init__(self, parts: Iterable[Refusal]) -> None:
        self.parts = tuple(parts)

    @cached_property
    def mask(self) -> BoolArray:
        """bool[nodes]: the nodes that the plugin refuses."""
        return reduce(or_, (part.mask for part in self.parts))

    @cached_property
    def refused(self) -> BoolArray:
        """bool[nodes]: the nodes that the plugin refuses with a reason; it fails on the others of its mask."""
        return reduce(or_, (part.mask for part in self.parts if not part.error), np.zeros_like(self.mask))

    @cached_property
    def unresolvable(self) -> BoolArray:
        """bool[nodes]: the refused nodes on which preemption can't help."""
        return reduce(or_, (part.mask & part.unresolvable for part in self.parts))

    def reasons(self, node: int) -> list[str]:
        return [part.reason for part in self.parts if part.mask[node]]


def first_of(parts: Iterable[Refusal]) -> Refusals | None:
    """Refuse every node for the first part that applies to it; None if none does. For plugins that give one reason."""
    parts_applied: list[Refusal] = []
    for part in parts:
        mask = part.mask
        for earlier in parts_applied:
            mask = mask & ~earlier.mask
        if mask.any():
            parts_applied.append(replace(part, mask=mask))
    return Refusals(parts_applied) if parts_applied else None


@dataclass(frozen=True)
class PreFilterRejection:
    """The plugin rejects the pod before any node is checked (PreFilter)."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool = True


def status_code(unresolvable: bool) -> str:
    return UNRESOLVABLE if unresolvable else UNSCHEDULABLE


class SchedulingError(BriefError):
    """The real scheduler returns an error here instead of a verdict; the message is its own.

    ``node``: the node that a plugin was asked about, "" if that is not known.
    """

    def __init__(self, message: str = "", node: str = "") -> None:
        super().__init__(message)
        self.node = node


class PreparedFilter(Protocol):
    """A filter prepared for one pod."""

    @property
    def node_names(self) -> frozenset[str] | None:
        """The names of the only nodes to be considered (PreFilterResult), or None for all."""

    @property
    def depends_on_pods(self) -> bool:
        """Whether adding or removing pods can change the result. If not, it is computed once for a decision."""

    @property
    def monotonic(self) -> bool:
        """Whether adding pods to a node can only make it refuse more. Required pod affinity is the exception."""

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes refused in this snapshot, or None if there are none."""


class PodsFilter:
    """The usual prepared filter that reads the pods: it is about all nodes, and more pods only make it refuse more."""

    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = True


class CostlyFilter(ABC):
    """A prepared filter that is slow and remembers its answers: it runs only on nodes that earlier filters let pass."""

    @abstractmethod
    def filter_among(self, nodes: BoolArray) -> Refusals | None:
        """Those refused of these nodes (bool[nodes]), or None if there are none."""


class Filter(Protocol):
    """A filter plugin. It holds only its arguments; what it computes for a pod is in the PreparedFilter."""

    @property
    def name(self) -> str:
        """The plugin's name, as Kubernetes spells it."""

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | PreFilterRejection | None:
        """Read the pod once (PreFilter). None: the plugin does not apply to this pod (Skip)."""


@dataclass(frozen=True, eq=False)
class StaticFilter:
    """A prepared filter whose result depends on the nodes alone."""

    refused: Refusals | None
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = False
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        return self.refused
