"""Gives back claims of a group that finds no place: DynamicResources is asked before preemption.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PodGroupPostFilter,
deallocatePodGroupClaims).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.dynamic_resources import GivenBack
from kschedlab.generations import Generation
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import Pod, PodGroup, ResourceClaim
from kschedlab_devices.check import DeviceRefusals
from kschedlab_groups.group import ERROR, UNRESOLVABLE, UNSCHEDULABLE, Status
from kschedlab_groups.place import PodResult

NO_STATE = "not found"
DONE = "deallocation and deletion of ResourceClaims completed"
DEALLOCATED = "deallocation of PodGroup ResourceClaim completed"
UNRESERVED = "ResourceClaim unreserved for PodGroup"


class Released(NamedTuple):
    """The claims that a group gives back, each once, and the plugin's answer. UNRESOLVABLE: no preemption."""

    status: Status
    given_back: tuple[GivenBack, ...] = ()


def release(
    generation: Generation, cluster: Cluster, group: PodGroup, results: Sequence[PodResult], scheduled: Sequence[Pod]
) -> Released:
    """Give back claims of all pods, with a node or without; if a pod gives nothing back, the group does.

    Claims of the group are left alone while any pod of it has a node (``scheduled``).
    """
    if not _asks_claims(generation, group):
        return Released(Status(UNSCHEDULABLE))
    demanding = [result for result in results if _has_state(result)]
    if not demanding:
        return Released(Status(ERROR, (NO_STATE,)))
    back = [each.given_back for each in demanding]
    changes, status = [each for each in back if each is not None], Status(UNSCHEDULABLE, (DONE,))
    if cluster.api.group_claims and None in back and not scheduled:
        more, status = _release_group(cluster, group, results[0].pod.pod, demanding)
        changes += more
    written = {change.claim.metadata.name: change for change in changes if change.claim is not None}
    return Released(status, tuple(written.values()))


def _asks_claims(generation: Generation, group: PodGroup) -> bool:
    """Whether the plugin looks at claims; it leaves groups with constraints alone."""
    topology_aware = generation.turned_on("TopologyAwareWorkloadScheduling")
    constrained = topology_aware and group.spec.schedulingConstraints is not None
    return "DynamicResources" in generation.plugin_names and not constrained


def _has_state(result: PodResult) -> bool:
    """Whether DynamicResources' PreFilter ran for the pod: else there is nothing to read."""
    decision = result.decision
    return decision is not None and decision.verdicts is not None and not decision.post_filter_error


def _release_group(
    cluster: Cluster, group: PodGroup, pod: Pod, demanding: Sequence[PodResult]
) -> tuple[list[GivenBack], Status]:
    """Give back one claim that some nodes lack and nobody but the group uses; else one that is reserved for the group.

    The real scheduler takes any of the former. ``pod``: the first of the group.
    """
    from kschedlab_devices.binding import deallocated, unreserved
    from kschedlab_devices.claims import NOT_FOUND, ClaimError, claim_names, is_reserved_for

    for claim in lacking(demanding):
        if {consumer.uid for consumer in claim.status.reservedFor} <= {group.metadata.uid}:
            changes = [GivenBack(DEALLOCATED, deallocated(claim))] if claim.status.allocation is not None else []
            return changes, Status(UNSCHEDULABLE, (DEALLOCATED,))
    try:
        for name, own in claim_names(group):
            key = group.metadata.namespace, name
            found = cluster.find(ResourceClaim, key)
            if found is None:
                return [], Status(ERROR, (NOT_FOUND.format(key="/".join(key)),))
            owner = controller_of(found.metadata)
            foreign = own and (owner is None or owner.uid != group.metadata.uid)
            if not foreign and found.status.allocation is not None and is_reserved_for(found, pod, for_group=True):
                return [GivenBack(UNRESERVED, unreserved(found, group))], Status(UNRESOLVABLE, (UNRESERVED,))
    except ClaimError as error:
        return [], Status(ERROR, (str(error),))
    return [], Status(UNSCHEDULABLE, (DONE,))


def lacking(results: Sequence[PodResult]) -> Iterator[ResourceClaim]:
    """The claims of each pod whose devices some nodes lack."""
    from kschedlab_devices import binding

    for result in results:
        verdicts = result.decision.verdicts if result.decision is not None else None
        for number, refusals in enumerate(verdicts.refusals if verdicts is not None else ()):
            if verdicts is not None and isinstance(refusals, DeviceRefusals):
                nodes = np.flatnonzero(verdicts.refused_by == number).tolist()
                yield from binding.lacking(refusals.demand, nodes)
