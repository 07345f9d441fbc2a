"""A claim's allocation as its status has it: the devices, their settings, and the nodes where they are available.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/allocator_experimental.go (Allocate,
createNodeSelector).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import NAMESPACE_URL, uuid5

from kschedlab.objects.model import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ResourceClaim,
)
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.requests import Want, key_of
from kschedlab_devices.search import Chosen, Search


def result_of(search: Search, claim: ResourceClaim, index: int, node: str) -> AllocationResult:
    """The result of a successful search on the node for the claim with this index."""
    chosen = search.chosen[index]
    wants = search.served(index)
    results = tuple(_result(claim, each, i) for i, each in enumerate(chosen))
    devices = DeviceAllocationResult(results, tuple(_configuration(claim, wants)))
    return AllocationResult(devices, _node_selector(claim, chosen, node))


def _result(claim: ResourceClaim, chosen: Chosen, index: int) -> DeviceRequestAllocationResult:
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
    for given in claim.spec.devices.config:
        names = given.requests
        met = [want.full_name in names or (want.parent or want.name) in names for want in wants]
        if not names or any(met):
            yield DeviceAllocationConfiguration("FromClaim", () if all(met) else names, given.opaque)


def _node_selector(claim: ResourceClaim, chosen: Iterable[Chosen], node: str) -> NodeSelector | None:
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
