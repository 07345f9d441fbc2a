"""The allocation of claims on a node: which devices they get.

v1.37: k8s.io/dynamic-resource-allocation structured/allocator.go picks the variant "incubating" with the features that
are on by default: admin access, prioritized lists, partitionable devices, device taints, binding conditions and
consumable capacity. With list attributes or compatibility groups, it picks "experimental", which is the same but for
what gates add.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import NAMESPACE_URL, uuid5

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    Node,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ResourceClaim,
)
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.known import KnownAnswers, NodeSearch
from kschedlab_devices.requests import RequestPlan, Want, key_of, plan_of
from kschedlab_devices.search import ChosenDevice, Search, SearchStep
from kschedlab_devices.state import State


def result_of(search: Search, claim: ResourceClaim, index: int, node: str) -> AllocationResult:
    """The result of a successful search on the node for the claim with this index."""
    chosen = search.chosen[index]
    wants = search.served(index)
    results = tuple(_result(claim, each, i) for i, each in enumerate(chosen))
    devices = DeviceAllocationResult(results, tuple(_configuration(claim, wants)))
    return AllocationResult(devices, _node_selector(claim, chosen, node))


def _result(claim: ResourceClaim, chosen: ChosenDevice, index: int) -> DeviceRequestAllocationResult:
    want, candidate, consumed = chosen
    device, id = candidate.device, candidate.id
    return DeviceRequestAllocationResult(
        request=want.full_name,
        driver=id.driver,
        pool=id.pool,
        device=id.device,
        adminAccess=True if want.is_admin else None,
        tolerations=want.request.tolerations,
        bindingConditions=device.bindingConditions,
        bindingFailureConditions=device.bindingFailureConditions,
        shareID=_share_id(claim, index) if candidate.is_shared else None,
        consumedCapacity=consumed or {},
    )


def _share_id(claim: ResourceClaim, index: int) -> str:
    """The real one draws it at random; ours is the same for the same claim and device."""
    return str(uuid5(NAMESPACE_URL, f"{claim.metadata.uid or key_of(claim)}/{index}"))


def _configuration(claim: ResourceClaim, wants: Sequence[Want]) -> Iterable[DeviceAllocationConfiguration]:
    """The settings of the classes, each class once, then those of the claim that concern what was allocated."""
    if not claim.spec.devices.config and not any(each.device_class and each.device_class.spec.config for each in wants):
        return
    every = [want.full_name for want in wants]
    by_class: dict[str, list[Want]] = {}
    for want in wants:
        by_class.setdefault(want.request.deviceClassName, []).append(want)
    for same in by_class.values():
        names = tuple(want.full_name for want in same)
        assert same[0].device_class is not None
        for config in same[0].device_class.spec.config:
            named = () if set(every) <= set(names) else names
            yield DeviceAllocationConfiguration("FromClass", named, config.opaque)
    for settings in claim.spec.devices.config:
        names = settings.requests
        met = [want.full_name in names or (want.parent or want.name) in names for want in wants]
        if not names or any(met):
            yield DeviceAllocationConfiguration("FromClaim", () if all(met) else names, settings.opaque)


def _node_selector(claim: ResourceClaim, chosen: Iterable[ChosenDevice], node: str) -> NodeSelector | None:
    fields: list[NodeSelectorRequirement] = []
    expressions: list[NodeSelectorRequirement] = []
    for _, candidate, _ in chosen:
        place = candidate.device if candidate.spec.perDeviceNodeSelection else candidate.spec
        if place.nodeName is not None or candidate.device.bindsToNode:
            named = NodeSelectorRequirement("metadata.name", "In", (node,))
            return NodeSelector((NodeSelectorTerm(matchFields=(named,)),))
        terms = place.nodeSelector.nodeSelectorTerms if place.nodeSelector is not None else ()
        if len(terms) > 1:
            message = f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            raise AllocationError(f"create NodeSelector for claim {claim.metadata.name}: {message}")
        for term in terms:
            _add_new(term.matchFields, fields)
            _add_new(term.matchExpressions, expressions)
    if not fields and not expressions:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))


def _add_new(more: Iterable[NodeSelectorRequirement], known: list[NodeSelectorRequirement]) -> None:
    seen = {(each.key, each.operator, frozenset(each.values)) for each in known}
    for each in more:
        identity = each.key, each.operator, frozenset(each.values)
        if identity not in seen:
            seen.add(identity)
            known.append(each)


MOST_STEPS, USUAL_TIMEOUT = 2_000_000, 10 * SECOND
"""After this many steps a search ends as after the real scheduler's time limit, which is 10 seconds by default."""
LONGEST = 6
"""No search takes more than so many times the steps of a usual one, whatever its time limit."""


def steps_in(timeout: int) -> int:
    """The steps that take the place of a time limit in microseconds; 0: there is none."""
    return min(MOST_STEPS * timeout // USUAL_TIMEOUT, LONGEST * MOST_STEPS) if timeout else LONGEST * MOST_STEPS


class Allocator:
    """Allocates claims, on one node after the other, all from the same state."""

    def __init__(self, state: State, most_steps: int = MOST_STEPS) -> None:
        self._state = state
        self._most_steps = most_steps
        self._asked: dict[int, tuple[Sequence[ResourceClaim], RequestPlan, KnownAnswers]] = {}

    def allocate(
        self, node: Node, claims: Sequence[ResourceClaim], log: list[SearchStep] | None = None
    ) -> list[AllocationResult] | None:
        """One result for each claim, or None if the node cannot serve them. AllocationError.

        Pass the same sequence for all nodes: what depends on the claims alone is computed once. ``log``: receives the
        steps of the search, which is then made in any case.
        """
        plan, answers = self._ask(claims)
        visible, versions = self._state.inventory.visible(node), self._state.held.versions
        name, known = node.metadata.name, answers.by_node
        answer = known.get(name)
        if answer is not None and log is None and answer.holds(visible, versions):
            return answer.results
        search = Search(self._state, node, visible, plan, self._most_steps, log)
        results = None
        if search.run():
            results = [result_of(search, claim, i, name) for i, claim in enumerate(claims)]
        elif not visible.end and any(pool.invalid for pool in visible.pools.values()):
            raise AllocationError("invalid resource pools were encountered", only_this_node=True)
        known.pop(name, None)
        if not search.has_shared:  # a share of a device has an identifier of its own
            known[name] = NodeSearch.of(visible, versions, results)
        return results

    def answers(self, claims: Sequence[ResourceClaim]) -> KnownAnswers:
        """The nodes' answers to claims of this kind."""
        return self._ask(claims)[1]

    def _ask(self, claims: Sequence[ResourceClaim]) -> tuple[RequestPlan, KnownAnswers]:
        query = self._asked.get(id(claims))
        if query is None or query[0] is not claims:
            answers = self._state.known.answers(claims, self._most_steps, self._state.class_of)
            query = self._asked[id(claims)] = claims, plan_of(claims, self._state), answers
        return query[1:]
