"""Runs the hints on the questions in ``vectors/hints.jsonl.gz``, which hold the real hints' answers."""

from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.node_affinity import NodeAffinity
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.generations import V1_37
from kschedlab.manifests.decoding import decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import (
    ApiObject,
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    Pod,
    ReplicaSet,
    ReplicaSetSpec,
    Service,
    ServiceSpec,
    TopologySpreadConstraint,
)
from kschedlab.queue.events import event, name_of, pod_changes
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.queue.requeueing import AFTER_BACKOFF, EventHints
from kschedlab_simulation.scheduler.hints.table import DEFAULT, queueing_hints
from kschedlab_simulation.scheduler.node_changes import node_changes

FAST_DISK = NodeSelectorTerm(matchExpressions=(NodeSelectorRequirement("disk", "In", ("ssd", "nvme")),))
ADDED = NodeSelector(nodeSelectorTerms=(FAST_DISK,))
CONSTRAINTS = (
    TopologySpreadConstraint(maxSkew=1, topologyKey="zone", whenUnsatisfiable="DoNotSchedule"),
    TopologySpreadConstraint(maxSkew=1, topologyKey="disk", whenUnsatisfiable="ScheduleAnyway"),
)
WEB = Service(metadata=ObjectMeta(name="web", namespace="default"), spec=ServiceSpec(selector={"app": "web"}))
DB = ReplicaSet(
    metadata=ObjectMeta(name="db", namespace="default"),
    spec=ReplicaSetSpec(selector=LabelSelector(matchLabels={"app": "db"})),
)
CLUSTER = Cluster(Objects(others={Service: [WEB], ReplicaSet: [DB]}))
CUSTOM_FILTERS = [
    NodeAffinity(added=ADDED) if f.name == "NodeAffinity" else PodTopologySpread(defaults=CONSTRAINTS)
    for f in V1_37.filters
    if f.name in ("NodeAffinity", "PodTopologySpread")
]
"""A profile with arguments: addedAffinity, and default constraints."""

PROFILES = {False: EventHints(DEFAULT), True: EventHints(queueing_hints(CUSTOM_FILTERS, lambda: CLUSTER))}


def ask(question: dict[str, Any]) -> dict[str, Any]:
    old, new = _decoded(question.get("old")), _decoded(question.get("new"))
    if question["ask"] == "podChanges":
        return {"events": [name_of(e) for e in pod_changes(old, new, question["itself"])]}
    if question["ask"] == "nodeChanges":
        return {"events": [name_of(e) for e in node_changes(old, new)]}
    pod = _decoded(question["pod"])
    assert isinstance(pod, Pod)
    waiting = QueuedPodInfo(pod, 0, 0)
    waiting.record_failure(pod, [question["plugin"]])
    add_event = event(question["resource"], question["action"])
    strategy = PROFILES[question.get("custom", False)].strategy(waiting, add_event, old, new)
    return {"queue": strategy == AFTER_BACKOFF}


def _decoded(given: dict[str, Any] | None) -> ApiObject | None:
    if given is None:
        return None
    document, faults = decode(given, given["kind"])
    assert not faults, faults
    return with_defaults(document, {})
