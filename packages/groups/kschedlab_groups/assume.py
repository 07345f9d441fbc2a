"""A pod of a group takes its node, devices and volumes, so that the group's next pods see them taken.

v1.37: pkg/scheduler/schedule_one_podgroup.go (assumeAndReserveWithRevert), and Reserve in dynamicresources.go and
volume_binding.go of pkg/scheduler/framework/plugins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.filter.dynamic_resources import demands_devices, plugin_for
from kschedlab.objects.model import PodGroup, ResourceClaim

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack
    from kschedlab_devices.binding import Reservation
    from kschedlab_simulation.scheduler.assumed_volumes import AssumedVolumes


@dataclass(frozen=True, eq=False)
class Taken:
    """The devices and volumes that a pod takes with its node; None without any.

    ``given_back``: what it would give back if the group found no place (PodGroupPostFilter); None if nothing.
    """

    devices: Reservation | None = None
    volumes: AssumedVolumes | None = None
    given_back: GivenBack | None = None


NOTHING = Taken()


def assume(cluster: Cluster, decision: Decision, group: PodGroup) -> Taken:
    """Put the pod of this group on its node in the cluster, with its devices and volumes."""
    pod, node = decision.pod, decision.node
    assert node is not None
    taken = Taken(volumes=_assume_volumes(cluster, decision, node)) if pod.pod.spec.volumes else NOTHING
    if demands_devices(pod, cluster):
        taken = _reserve(cluster, decision, group, taken.volumes)
    cluster.bind(pod, node)
    return taken


def _assume_volumes(cluster: Cluster, decision: Decision, node: str) -> AssumedVolumes | None:
    from kschedlab_simulation.scheduler.assumed_volumes import assumed_versions, pod_volumes
    from kschedlab_simulation.scheduler.changes import loop_rules

    generation, pod = decision.generation, decision.pod
    if "VolumeBinding" not in generation.plugin_names:
        return None
    volumes = pod_volumes(cluster, pod, node, loop_rules(generation).cache.binder.checks_storage_capacity)
    assumed = assumed_versions(cluster, pod, volumes, node)
    cluster.change_objects(assumed.changed)
    return None if assumed.all_bound else assumed


def _reserve(cluster: Cluster, decision: Decision, group: PodGroup, volumes: AssumedVolumes | None) -> Taken:
    from kschedlab_devices.binding import reserve
    from kschedlab_devices.claiming import demand_by, given_back
    from kschedlab_devices.claims import consumer_of

    plugin = plugin_for(decision.pod, cluster, decision.generation.filters)
    demand = demand_by(plugin, decision.pod, cluster) if plugin is not None else None
    if plugin is None or demand is None or decision.node is None or decision.verdicts is None:
        return Taken(volumes=volumes)
    pod, sharing = decision.pod.pod, group if cluster.api.group_claims else None
    consumers = tuple(consumer_of(pod, sharing, entry) for entry in pod.spec.resourceClaims)
    reservation = reserve(demand, cluster.index[decision.node], consumers)
    back = given_back(plugin, decision.pod, cluster, decision.verdicts)
    cluster.change_objects([_shared(each) for each in reservation.in_flight if not _is_held(cluster, each)])
    return Taken(reservation, volumes, back)


def _is_held(cluster: Cluster, claim: ResourceClaim) -> bool:
    """Whether an earlier pod of the group holds the claim's devices already."""
    known = cluster.find(ResourceClaim, (claim.metadata.namespace, claim.metadata.name))
    return known is not None and known.status.allocation is not None


def _shared(claim: ResourceClaim) -> ResourceClaim:
    from kschedlab_devices.claims import SharedAllocation

    assert claim.status.allocation is not None
    shared = SharedAllocation(**asdict(claim.status.allocation))
    return replace(claim, status=replace(claim.status, allocation=shared))
