"""The events that each plugin registers for, with their hints.

v1.37: EventsToRegister of every plugin of the default profile; pkg/scheduler/scheduler.go (buildQueueingHintMap). Every
profile also has SchedulingGates, and DefaultPreemption, whose PreEnqueue blocks a pod while its victims are being
deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.node_affinity import NodeAffinity
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import Filter
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.objects.model import NodeSelector, Pod
from kschedlab.queue.events import ASSIGNED_POD, NODE, TARGET_POD, UNSCHEDULED_POD, Hint, Narrowing, Registration, event
from kschedlab.queue.interface import ClusterEvent
from kschedlab_simulation.scheduler.hints import inter_pod_affinity, nodes, resources, volumes
from kschedlab_simulation.scheduler.hints.dynamic_resources import ClaimHints
from kschedlab_simulation.scheduler.hints.pod_topology_spread import SpreadHints

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"
CLASS, CAPACITY = "storage.k8s.io/StorageClass", "storage.k8s.io/CSIStorageCapacity"
CSI_NODE, CSI_DRIVER = "storage.k8s.io/CSINode", "storage.k8s.io/CSIDriver"
ATTACHMENT = "storage.k8s.io/VolumeAttachment"
DEVICE_CLASS, DEVICE_SLICE = "resource.k8s.io/DeviceClass", "resource.k8s.io/ResourceSlice"
DEVICE_CLAIM = "resource.k8s.io/ResourceClaim"
DEFAULT_PLUGINS = ("SchedulingGates", "DefaultPreemption")
RESOURCES = (ASSIGNED_POD, UNSCHEDULED_POD, TARGET_POD, NODE, VOLUME, CLAIM, CSI_NODE, CSI_DRIVER, CAPACITY, CLASS)
"""A plugin without registrations receives all events of these resources."""

Events = Sequence[tuple[ClusterEvent, Hint] | tuple[ClusterEvent, Hint, Narrowing]]
Registrations = tuple[Registration, ...]


def queue(pod: Pod, old: object, new: object) -> bool:
    """The hint of a registration without one: always requeue."""
    return True


def skip(pod: Pod, old: object, new: object) -> bool:
    """DefaultPreemption: its executor activates the pod itself once the victims are gone."""
    return False


_PODS_CHANGED = event(ASSIGNED_POD, "Add", "Delete", "UpdatePodLabel")
_POD_DELETED = event(ASSIGNED_POD, "Delete")
_LABELS = event(NODE, "Add", "UpdateNodeLabel")
_FEATURES = event(NODE, "Add", "UpdateNodeDeclaredFeature")
_TAINTS = event(NODE, "Add", "UpdateNodeTaint")
_TOLERATIONS_CHANGED = event(TARGET_POD, "UpdatePodToleration")


def _node_affinity_events(added: NodeSelector | None = None) -> Events:
    return [(_LABELS, nodes.affinity_after_node(added))]


def _spreading_events(hints: SpreadHints) -> Events:
    return [
        (_PODS_CHANGED, hints.after_assigned_pod),
        (event(TARGET_POD, "UpdatePodLabel", "UpdatePodToleration"), hints.after_itself),
        (event(NODE, "Add", "Delete", "UpdateNodeLabel", "UpdateNodeTaint"), hints.after_node),
    ]


def _resources_events(cluster: Callable[[], Cluster] | None = None) -> Events:
    return [
        (_POD_DELETED, resources.resources_after_delete),
        (event(NODE, "Add", "UpdateNodeAllocatable"), resources.resources_after_node(cluster)),
        (event(DEVICE_CLASS, "Add", "Update"), resources.resources_after_class),
        (event(ASSIGNED_POD, "UpdatePodScaleDown"), resources.resources_after_scale_down),
        (event(TARGET_POD, "UpdatePodScaleDown"), queue),
    ]


def _devices_events(cluster: Callable[[], Cluster] | None = None) -> Events:
    hints = ClaimHints(cluster)
    return [
        (event(NODE, "Add", "UpdateNodeLabel", "UpdateNodeAllocatable"), queue),
        (event(DEVICE_CLAIM, "Add", "Update", "Delete"), hints.after_claim, Narrowing(hints.concerned, hints.names)),
        (event(TARGET_POD, "UpdatePodGeneratedResourceClaim"), hints.after_itself),
        (event(DEVICE_CLASS, "Add", "Update"), queue),
        (event(DEVICE_SLICE, "Add", "Update"), queue),
    ]


_BY_PLUGIN: dict[str, Events] = {
    "NodeName": [(event(NODE, "Add"), queue)],
    "NodeUnschedulable": [
        (_TAINTS, nodes.unschedulable_after_node),
        (_TOLERATIONS_CHANGED, nodes.unschedulable_after_toleration),
    ],
    "TaintToleration": [(_TAINTS, nodes.taints_after_node), (_TOLERATIONS_CHANGED, queue)],
    "NodeAffinity": _node_affinity_events(),
    "NodePorts": [(_POD_DELETED, resources.ports_after_delete), (event(NODE, "Add"), queue)],
    "NodeResourcesFit": _resources_events(),
    "VolumeRestrictions": [
        (_POD_DELETED, volumes.restrictions_after_delete),
        (event(NODE, "Add"), queue),
        (event(CLAIM, "Add"), volumes.names_claim),
    ],
    "NodeVolumeLimits": [
        (event(CSI_NODE, "Add"), queue),
        (event(CSI_NODE, "Update"), volumes.limits_after_csi_node),
        (_POD_DELETED, volumes.limits_after_delete),
        (event(CLAIM, "Add"), volumes.uses_claim),
        (event(ATTACHMENT, "Delete"), volumes.limits_after_detach),
    ],
    "VolumeBinding": [
        (event(CLASS, "Add", "Update"), volumes.binding_after_class),
        (event(CLAIM, "Add", "Update"), volumes.uses_claim),
        (event(VOLUME, "Add", "Update"), queue),
        (_LABELS, queue),
        (event(CSI_NODE, "Add", "Update"), volumes.binding_after_csi_node),
        (event(CSI_DRIVER, "Update"), volumes.binding_after_driver),
        (event(CAPACITY, "Add", "Update"), volumes.binding_after_capacity),
    ],
    "VolumeZone": [
        (event(CLASS, "Add"), volumes.zone_after_class),
        (_LABELS, queue),
        (event(CLAIM, "Add", "Update"), volumes.names_claim),
        (event(VOLUME, "Add", "Update"), volumes.zone_after_volume),
    ],
    "PodTopologySpread": _spreading_events(SpreadHints()),
    "InterPodAffinity": [
        (_PODS_CHANGED, inter_pod_affinity.affinity_after_pod),
        (event(TARGET_POD, "UpdatePodLabel"), queue),
        (_LABELS, inter_pod_affinity.affinity_after_node),
    ],
    "DynamicResources": _devices_events(),
    "NodeDeclaredFeatures": [
        (_FEATURES, nodes.features_after_node),
        (event(TARGET_POD, "Update"), nodes.features_after_itself),
    ],
    "SchedulingGates": [(event(TARGET_POD, "UpdatePodSchedulingGatesEliminated"), queue)],
    "DefaultPreemption": [(_POD_DELETED, skip)],
}
"""With default arguments, and without a cluster: nobody has claims or classes."""


ANY_EVENT: Events = [(event(resource, "All"), queue) for resource in RESOURCES]
"""The events for a plugin without registrations (UnrollWildCardResource)."""


def queueing_hints(filters: Iterable[Filter], cluster: Callable[[], Cluster] | None = None) -> Registrations:
    """The registrations of a profile with these filters. ``cluster``: see :class:`SpreadHints`."""
    plugins = {plugin.name: _events(plugin, cluster) for plugin in filters}
    return _registrations(plugins | {name: _BY_PLUGIN[name] for name in DEFAULT_PLUGINS})


def by_profile(profiles: Mapping[str, Registrations]) -> Registrations:
    """The registrations of several profiles by ``schedulerName``; each hint applies to its profile's pods only."""
    if len(profiles) == 1:
        return next(iter(profiles.values()))
    return tuple(
        registration._replace(hint=_for_scheduler(name, registration.hint))
        for name, registrations in profiles.items()
        for registration in registrations
    )


def _for_scheduler(scheduler: str, hint: Hint) -> Hint:
    return lambda pod, old, new: pod.spec.schedulerName == scheduler and hint(pod, old, new)


def _events(plugin: Filter, cluster: Callable[[], Cluster] | None) -> Events:
    if isinstance(plugin, NodeAffinity):
        return _node_affinity_events(plugin.added)
    if isinstance(plugin, PodTopologySpread):
        return _spreading_events(SpreadHints(plugin.defaults, cluster))
    if isinstance(plugin, NodeResourcesFit):
        return _resources_events(cluster)
    if plugin.name == "DynamicResources":
        return _devices_events(cluster)
    return _BY_PLUGIN.get(plugin.name, ANY_EVENT)


def _registrations(plugins: Mapping[str, Events]) -> Registrations:
    return tuple(Registration(name, *registration) for name, events in plugins.items() for registration in events)


DEFAULT = _registrations(_BY_PLUGIN)
"""The registrations of the default profile."""
