"""A pod's demand for devices, and the answer of each node.

A Demand is made once for a decision (PreFilter). It asks a node when somebody wants to know (Filter), and remembers
the answer, which the score, preemption's dry run and Reserve share.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter, Filter) and
extendeddynamicresources.go (filterExtendedResources). Pods that are added to a node or removed from it change nothing
here: claims alone hold devices, so evicting pods never helps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, LABELS, NAMES
from kschedlab.cluster.labels import selected
from kschedlab.cluster.object_store import DEVICES
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.objects.model import AllocationResult, DeviceClass, Node, NodeSelector, Pod, ResourceClaim
from kschedlab.objects.requests import is_served_by_classes
from kschedlab.objects.selectors import SelectorError
from kschedlab_devices.allocator import Allocator, steps_in
from kschedlab_devices.claims import ClaimError, PendingAllocation, SharedAllocation, claims_of
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.extended_resources import Mappings, claim_for, requests_for, serving_class
from kschedlab_devices.known import FITS, REFUSES, UNKNOWN, Codes
from kschedlab_devices.readiness import overdue
from kschedlab_devices.search import SearchStep
from kschedlab_devices.state import layout_of, state_of

IN_PROCESS = "resource claim {claim} is in the process of being allocated"
NO_CLASS = "request {request}: device class {name} does not exist"
UNKNOWN_TYPE = "resource claim {claim}, request {request}: unknown request type"
UNSUPPORTED_TYPE = "request {request}: unsupported request type"
STALE_CLAIM = "cannot schedule extended resource claim"
NO_RESOURCE = "cannot fit resource"
NOT_ALL = "cannot allocate all claims"
NOT_AVAILABLE = "resourceclaim not available on the node"

SOURCES = (NAMES, LABELS, ALLOCATABLE, *(kind.__name__ for kind in DEVICES))
"""The sources on which a Demand depends, besides the pod."""


class DemandError(Exception):
    """An error that ends the decision; the message is the real scheduler's."""


class NodeAnswer(NamedTuple):
    """A node's answer. ``reason``: why it refuses, or ""; ``failed``: the reason is an error that ends the decision.

    ``allocations``: of the claims that are not allocated yet, in their order, those that the pod's group shares last;
    None if the plugin has nothing to allocate here. ``claim``, ``mappings``: the claim for extended resources with this
    node's requests, and which request serves which container.
    """

    reason: str = ""
    failed: bool = False
    allocations: tuple[AllocationResult, ...] | None = None
    claim: ResourceClaim | None = None
    mappings: Mappings = ()


class Variant(NamedTuple):
    """The claims to allocate on some nodes. ``claim``, ``mappings``: see :class:`NodeAnswer`."""

    claims: tuple[ResourceClaim, ...]
    claim: ResourceClaim | None = None
    mappings: Mappings = ()


def demand_of(pod: PodInfo, cluster: Cluster, now: int, binding_timeout: int, filter_timeout: int) -> Demand | None:
    """The pod's demand; None if it has none. Made once while neither the pod nor what it depends on changes.

    ``now``: microseconds since 1970; ``binding_timeout``: microseconds that a device may take to get ready;
    ``filter_timeout``: microseconds that the search on a node may take, 0 for any time. ClaimError: the pod has to
    wait; DemandError: an error.
    """
    claims = claims_of(pod.pod, lambda key: cluster.find(ResourceClaim, key), cluster.api.group_claims)
    extended = claim_for(pod.pod, pod.request, cluster)
    if not claims and extended is None:
        return None
    everything = claims if extended is None else (*claims, extended)
    late = overdue(everything, now, binding_timeout)
    key = "DynamicResources", id(pod.pod), late, filter_timeout
    steps = steps_in(filter_timeout)
    return cluster.derived(key, lambda: Demand(pod, cluster, everything, extended, late, steps), *SOURCES)


class Demand:
    """The demand of one pod.

    ``claims``: all of them, the one for extended resources last; ``extended``: that one, or None. ``unallocated``: the
    indices of those whose status has no allocation. ``unavailable``: (index, bool[nodes]) of each claim whose devices
    some nodes cannot use.
    """

    def __init__(
        self,
        pod: PodInfo,
        cluster: Cluster,
        claims: tuple[ResourceClaim, ...],
        extended: ResourceClaim | None,
        late: frozenset[int],
        most_steps: int,
    ) -> None:
        self.pod: Pod = pod.pod  # held, because the demand is found by the pod's id
        self.extended = extended
        self.unavailable = tuple(_checked(cluster, claims, extended, late))
        new = [i for i, claim in enumerate(claims) if claim.status.allocation is None]
        statuses = (claim.status.allocation for claim in claims)
        self._shared = tuple(status for status in statuses if isinstance(status, SharedAllocation))
        self.claims = claims = tuple(map(_as_written, claims))
        self.unallocated = tuple(i for i, claim in enumerate(claims) if claim.status.allocation is None)
        self.answers: dict[int, NodeAnswer] = {}
        self._nodes: Sequence[Node] = cluster.nodes
        self._resources = [
            (name, serving_class(cluster, name))
            for name, amount in pod.request.items()
            if amount and is_served_by_classes(name)
        ]
        state = state_of(cluster)
        self._layout, self._held = layout_of(cluster), state.held
        self._allocator = Allocator(state, most_steps) if self.unallocated else None
        self._fixed = Variant(tuple(claims[i] for i in new))
        self._variants: dict[frozenset[str], Variant] = {}
        self._by_served = self._grouped(cluster) if extended is not None else {}

    @property
    def user_claims(self) -> tuple[ResourceClaim, ...]:
        return self.claims if self.extended is None else self.claims[:-1]

    def on(self, position: int) -> NodeAnswer:
        """The answer of the node at this position."""
        answer = self.answers.get(position)
        if answer is None:
            answer = self.answers[position] = self._ask(position)
        return answer

    def refusing(self, nodes: BoolArray) -> list[tuple[tuple[str, bool], list[int]]]:
        """Which of these nodes (bool[nodes]) refuse, by reason and whether it is an error."""
        known = self._known()
        refusals = {(NOT_ALL, False): np.flatnonzero(nodes & (known == REFUSES)).tolist()}
        for position in np.flatnonzero(nodes & (known == UNKNOWN)).tolist():
            answer = self.on(position)
            if answer.reason:
                refusals.setdefault((answer.reason, answer.failed), []).append(position)
        return sorted((each for each in refusals.items() if each[1]), key=lambda each: min(each[1]))

    def _known(self) -> Codes:
        """The known answers of nodes: FITS, REFUSES (NOT_ALL), or UNKNOWN where a search has to find out."""
        codes: Codes = np.zeros(len(self._nodes), np.int8)
        if self._allocator is None:
            return codes
        if self.extended is None:
            codes[:] = self._settled(self._fixed)
        elif self._is_in_memory() and self.extended.status.allocation is None:
            for served, nodes in self._by_served.items():
                if served:
                    codes[nodes] = self._settled(self._variant(served))[nodes]
        for _, mask in self.unavailable:
            codes[mask & (codes == FITS)] = UNKNOWN
        return codes

    def _settled(self, variant: Variant) -> Codes:
        assert self._allocator is not None
        return self._allocator.answers(variant.claims).settled(self._layout, self._held)

    def unavailable_on(self, position: int) -> list[int]:
        """The indices of the allocated claims that the node cannot use."""
        return [index for index, mask in self.unavailable if mask[position]]

    def search(self, position: int, steps: list[SearchStep]) -> None:
        """Search the node at this position again, and record the steps. AllocationError."""
        claims = self._fixed.claims
        if self.extended is not None and self._is_in_memory():
            claims = self._variant(self._served(self._nodes[position]) or frozenset()).claims
        if self._allocator is not None:
            self._allocator.allocate(self._nodes[position], claims, steps)

    def _is_in_memory(self) -> bool:
        return self.extended is not None and not self.extended.spec.devices.requests

    def _ask(self, position: int) -> NodeAnswer:
        variant = self._fixed
        if self.extended is not None:
            if not self._is_in_memory():
                return NodeAnswer(STALE_CLAIM)
            served = self._served(self._nodes[position])
            if served is None:
                return NodeAnswer(NO_RESOURCE)
            if not self.user_claims and (not served or self.extended.status.allocation is not None):
                return NodeAnswer()
            variant = self._variant(served)
        allocations = None
        if self._allocator is not None:
            try:
                results = self._allocator.allocate(self._nodes[position], variant.claims)
            except AllocationError as error:
                return NodeAnswer(str(error), failed=not error.only_this_node)
            answers = self._allocator.answers(variant.claims)
            answers.settle(position, self._nodes[position].metadata.name, self._layout, self._held)
            if results is None:
                return NodeAnswer(NOT_ALL)
            allocations = (*results, *self._shared)
        if any(mask[position] for _, mask in self.unavailable):
            return NodeAnswer(NOT_AVAILABLE)
        return NodeAnswer("", False, allocations, variant.claim, variant.mappings)

    def _served(self, node: Node) -> frozenset[str] | None:
        """The resources that devices must provide on the node; None if it lacks one that no class serves."""
        served = []
        for name, device_class in self._resources:
            amount = node.status.allocatable.get(name)
            if device_class is not None and (amount is None or amount.value() == 0):
                served.append(name)
            elif amount is None:
                return None
        return frozenset(served)

    def _grouped(self, cluster: Cluster) -> dict[frozenset[str] | None, IntArray]:
        """The positions of the nodes, by what devices must provide there."""

        def group() -> dict[frozenset[str] | None, IntArray]:
            groups: dict[frozenset[str] | None, list[int]] = {}
            for position, node in enumerate(cluster.nodes):
                groups.setdefault(self._served(node), []).append(position)
            return {served: np.array(positions, np.int64) for served, positions in groups.items()}

        classes = tuple((name, each is not None) for name, each in self._resources)
        return cluster.derived(("devices serve", classes), group, NAMES, ALLOCATABLE)

    def _variant(self, served: frozenset[str]) -> Variant:
        variant = self._variants.get(served)
        if variant is None:
            variant = self._variants[served] = self._new_variant(served)
        return variant

    def _new_variant(self, served: frozenset[str]) -> Variant:
        assert self.extended is not None
        if self.extended.status.allocation is not None:
            return self._fixed
        classes = {name: each.metadata.name for name, each in self._resources if each is not None and name in served}
        demanded = requests_for(self.pod, classes)
        spec = self.extended.spec
        devices = replace(spec.devices, requests=demanded.requests)
        claim = replace(self.extended, spec=replace(spec, devices=devices))
        return Variant((*self._fixed.claims[:-1], claim), claim, demanded.mappings)


def _as_written(claim: ResourceClaim) -> ResourceClaim:
    """The claim as its status is: a shared allocation is not written yet."""
    if not isinstance(claim.status.allocation, SharedAllocation):
        return claim
    return replace(claim, status=replace(claim.status, allocation=None))


def _checked(
    cluster: Cluster, claims: tuple[ResourceClaim, ...], extended: ResourceClaim | None, late: frozenset[int]
) -> Iterator[tuple[int, BoolArray]]:
    """The nodes where allocated claims cannot be used. ClaimError, DemandError for the first that ends PreFilter."""
    for index, claim in enumerate(claims):
        allocation = claim.status.allocation
        if isinstance(allocation, PendingAllocation):
            raise ClaimError(IN_PROCESS.format(claim=_full_name(claim)))
        if allocation is None:
            if claim is not extended:
                _check_classes(cluster, claim)
        elif (mask := _unusable(cluster, allocation, index in late)) is not None:
            yield index, mask


def _unusable(cluster: Cluster, allocation: AllocationResult, late: bool) -> BoolArray | None:
    """bool[nodes], or None for none: nodes that the allocation does not reach; all, if its devices don't get ready."""
    if allocation.nodeSelector is not None:
        _check_selector(allocation.nodeSelector)
    if late:
        return np.ones(len(cluster.nodes), np.bool_)
    if allocation.nodeSelector is None:
        return None
    mask: BoolArray = ~selected(cluster, allocation.nodeSelector)
    return mask


def _check_selector(selector: NodeSelector) -> None:
    """DemandError for the first invalid term. v1.37: component-helpers nodeaffinity.go, NewNodeSelector."""
    for i, term in enumerate(selector.nodeSelectorTerms):
        for k, field in enumerate(term.matchFields):
            if len(field.values) != 1:
                listed = json.dumps(field.values, separators=(",", ":"))
                where = f"nodeSelectorTerms[{i}].matchFields[{k}].values"
                raise DemandError(f"{where}: Invalid value: {listed}: must have one element")
        try:
            term.compile()
        except SelectorError as error:
            raise DemandError(str(error)) from error


def _check_classes(cluster: Cluster, claim: ResourceClaim) -> None:
    for request in claim.spec.devices.requests:
        if request.exactly is not None:
            _check_class(cluster, request.exactly.deviceClassName, request.name)
        elif request.firstAvailable:
            for each in request.firstAvailable:
                _check_class(cluster, each.deviceClassName, f"{request.name}/{each.name}")
        else:
            raise ClaimError(UNKNOWN_TYPE.format(claim=_full_name(claim), request=request.name))


def _check_class(cluster: Cluster, name: str, request: str) -> None:
    if not name:
        raise DemandError(UNSUPPORTED_TYPE.format(request=request))
    if cluster.find(DeviceClass, name) is None:
        raise ClaimError(NO_CLASS.format(request=request, name=name))


def _full_name(claim: ResourceClaim) -> str:
    return f"{claim.metadata.namespace}/{claim.metadata.name}"
