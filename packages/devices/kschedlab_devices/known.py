"""Remembers the results of searches for claims that ask for the same, as the pods of one template do.

A node's answer holds as long as the node sees the same pools, and nobody takes or gives back a device of theirs. So a
decision asks only the nodes whose devices have changed since the last one: of all others, an array says what they
answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kschedlab.objects.model import (
    AllocationResult,
    DeviceClass,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)
from kschedlab_devices.held import Held
from kschedlab_devices.pools import PoolId, Visible

MOST = 64
"""So many kinds of demands are remembered: the last ones."""
UNKNOWN, FITS, REFUSES = 0, 1, 2
"""What a node answers, as far as known."""
Codes: TypeAlias = NDArray[np.int8]
ClassOf: TypeAlias = Callable[[str], DeviceClass | None]


class NodeSearch(NamedTuple):
    """The answer of a node: a result for each claim, or None if it cannot serve them.

    ``visible``, ``versions``: what the node saw, and the versions of its pools as
    :class:`~kschedlab_devices.held.Held` has them.
    """

    visible: Visible
    versions: tuple[int | None, ...]
    results: list[AllocationResult] | None

    @classmethod
    def of(cls, visible: Visible, versions: Mapping[PoolId, int], results: list[AllocationResult] | None) -> NodeSearch:
        """The answer of a search that has just been made."""
        return cls(visible, tuple(map(versions.get, visible.pools)), results)

    def holds(self, visible: Visible, versions: Mapping[PoolId, int]) -> bool:
        """Whether a search would find the same again."""
        return self.visible is visible and self.versions == tuple(map(versions.get, visible.pools))


class Layout:
    """The nodes at their positions. ``seeing``: the positions where a pool is seen, as far as anybody has asked."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.seeing: dict[PoolId, set[int]] = {}


class KnownAnswers:
    """The answers to one kind of demand. ``by_node``: what the search on each node brought, by its name."""

    def __init__(self) -> None:
        self.by_node: dict[str, NodeSearch] = {}
        self._layout, self._held = Layout(0), Held()
        self._settled: Codes = np.zeros(0, np.int8)

    def settled(self, layout: Layout, held: Held) -> Codes:
        """The answer at each position while this is held: FITS, REFUSES, or UNKNOWN where a search has to find out."""
        if layout is not self._layout:
            self._settled = np.zeros(layout.nodes, np.int8)
        else:
            for id in held.changed(self._held):
                self._settled[list(layout.seeing.get(id, ()))] = UNKNOWN
        self._layout, self._held = layout, held
        return self._settled

    def settle(self, position: int, node: str, layout: Layout, held: Held) -> None:
        """Remember what the node at this position has just answered."""
        answer = self.by_node.get(node)
        if answer is None or layout is not self._layout or held is not self._held:
            return
        self._settled[position] = REFUSES if answer.results is None else FITS
        for id in answer.visible.pools:
            layout.seeing.setdefault(id, set()).add(position)


class KnownSearches:
    """The answers by node, for each kind of demand. A slice, a rule or a class that changes ends them all."""

    def __init__(self) -> None:
        self._kinds: list[tuple[tuple[ResourceClaimSpec, ...], int, KnownAnswers]] = []
        self._classes: dict[str, DeviceClass] = {}

    def answers(self, claims: Sequence[ResourceClaim], most_steps: int, class_of: ClassOf) -> KnownAnswers:
        """The answers to claims with these specs, or with classes that are alike; new ones are put there."""
        specs = tuple(self._kind_of(claim.spec, class_of) for claim in claims)
        for known, steps, answers in self._kinds:
            if steps == most_steps and known == specs:
                return answers
        self._kinds = [(specs, most_steps, KnownAnswers()), *self._kinds[: MOST - 1]]
        return self._kinds[0][2]

    def _kind_of(self, spec: ResourceClaimSpec, class_of: ClassOf) -> ResourceClaimSpec:
        """The spec, with the first class of those that are alike in the place of each."""
        requests = tuple(
            request
            if request.exactly is None
            else replace(request, exactly=self._with_first(request.exactly, class_of))
            for request in spec.devices.requests
        )
        return replace(spec, devices=replace(spec.devices, requests=requests))

    def _with_first(self, request: ExactDeviceRequest, class_of: ClassOf) -> ExactDeviceRequest:
        name = request.deviceClassName
        if name not in self._classes:
            own = class_of(name)
            if own is None:
                return request
            self._classes[name] = next((each for each in self._classes.values() if _alike(each, own)), own)
        return replace(request, deviceClassName=self._classes[name].metadata.name)


def _alike(a: DeviceClass, b: DeviceClass) -> bool:
    """Whether both select the same devices. A class with settings is like no other: they count once for each class."""
    return a.spec.selectors == b.spec.selectors and not (a.spec.config or b.spec.config)
