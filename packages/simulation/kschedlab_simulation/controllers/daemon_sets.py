"""DaemonSets: a pod on each node that its template allows, which the scheduler binds there.

v1.37: pkg/controller/daemon/daemon_controller.go (podsShouldBeOnNode, manage, updateDaemonSetStatus), update.go
(rollingUpdate), util/daemonset_util.go. A rolling update with maxSurge is played as one that deletes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.cluster.labels import first_untolerated, required_terms
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    Affinity,
    DaemonSet,
    DaemonSetStatus,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Pod,
    PodSpec,
    PodTemplate,
    Toleration,
)
from kschedlab.objects.selectors import SelectorError
from kschedlab_simulation.controllers.ownership import by_owner, orphans_in, owned_by
from kschedlab_simulation.controllers.replicas import available_in, pod_from, reference_to
from kschedlab_simulation.controllers.template_hash import template_hash
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue
from kschedlab_simulation.controllers.writes import (
    Create,
    Delete,
    RecordEvent,
    Update,
    UpdateStatus,
    Write,
    apply_writes,
)
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.pods import is_ready
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError

NAME = "daemonset-controller"
BURST_REPLICAS = 250
"""Maximum number of pods that one sync creates, and that it deletes (syncNodes)."""
EXPECTATIONS_TIMEOUT = 300 * SECOND
HASH = "controller-revision-hash"

_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_OF_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")
Key: TypeAlias = tuple[str, str]


# -- what a DaemonSet wants


class Wanted(NamedTuple):
    """Whether a pod should start on the node, and whether one there may go on."""

    run: bool
    go_on: bool


def wanted_on(node: Node, spec: PodSpec) -> Wanted:
    """Whether the DaemonSet's pods, with this spec, belong on the node (nodeShouldRunDaemonPod)."""
    if spec.nodeName not in ("", node.metadata.name) or not _matches(node, spec):
        return Wanted(False, False)
    repelled = first_untolerated(node.spec.taints, spec.tolerations) is not None
    evicting = [taint for taint in node.spec.taints if taint.effect == "NoExecute"]
    return Wanted(not repelled, first_untolerated(evicting, spec.tolerations) is None)


def _matches(node: Node, spec: PodSpec) -> bool:
    """The node's labels, and its name, meet the spec's nodeSelector and required nodeAffinity."""
    labels = node.metadata.labels
    if any(labels.get(key) != value for key, value in spec.nodeSelector.items()):
        return False
    required = required_terms(spec)
    return required is None or required.compile().matches(node.metadata.name, labels)


def daemon_spec(spec: PodSpec) -> PodSpec:
    """The spec with the tolerations that each pod of a DaemonSet has (AddOrUpdateDaemonPodTolerations)."""
    added = [
        Toleration(key, operator="Exists", effect=effect)
        for key, effect in (*_TOLERATED, *([_OF_HOST_NETWORK] if spec.hostNetwork else ()))
    ]
    kept = [each for each in spec.tolerations if (each.key, each.effect) not in {(a.key, a.effect) for a in added}]
    return replace(spec, tolerations=(*kept, *added))


def only_on(spec: PodSpec, node: str) -> PodSpec:
    """The spec for the pod of this node: the scheduler can bind it nowhere else."""
    name = NodeSelectorRequirement("metadata.name", "In", (node,))
    affinity = spec.affinity or Affinity()
    terms = NodeSelector((NodeSelectorTerm(matchFields=(name,)),))
    of_nodes = replace(affinity.nodeAffinity or NodeAffinity(), requiredDuringSchedulingIgnoredDuringExecution=terms)
    return replace(spec, affinity=replace(affinity, nodeAffinity=of_nodes))


def node_of(pod: Pod) -> str:
    """The node of a DaemonSet's pod, also before it is bound (GetTargetNodeName)."""
    if pod.spec.nodeName:
        return pod.spec.nodeName
    required = required_terms(pod.spec)
    for term in required.nodeSelectorTerms if required is not None else ():
        for field in term.matchFields:
            if field.key == "metadata.name" and field.values:
                return field.values[0]
    return ""


def next_writes(owner: DaemonSet, pods: Sequence[Pod], nodes: Sequence[Node], revision: str, now: int) -> list[Write]:
    """The pods to create and to delete now. ``revision``: the label of pods with the current template."""
    template = owner.spec.template
    assert template is not None
    spec, by_node = daemon_spec(template.spec), _by_node(pods)
    writes: list[Write] = []
    for node in nodes:
        here = by_node.get(node.metadata.name, ())
        wanted = wanted_on(node, spec)
        if wanted.run and not here:
            writes.append(Create(_pod(owner, template, spec, node.metadata.name, revision)))
        elif wanted.go_on:
            writes += _surplus(owner, here)
        else:
            writes += (Delete(pod) for pod in here if pod.metadata.deletionTimestamp is None)
    known = {node.metadata.name for node in nodes}
    lost = (pod for name, here in by_node.items() if name not in known for pod in here if not pod.spec.nodeName)
    writes += map(Delete, lost)
    if not writes and owner.spec.updateStrategy.type == "RollingUpdate":
        writes += map(Delete, _outdated(owner, by_node, nodes, spec, revision, now))
    events = [write for write in writes if isinstance(write, RecordEvent)]
    created = [write for write in writes if isinstance(write, Create)]
    deleted = [write for write in writes if isinstance(write, Delete)]
    return [*events, *created[:BURST_REPLICAS], *deleted[:BURST_REPLICAS]]


def _pod(owner: DaemonSet, template: PodTemplate, spec: PodSpec, node: str, revision: str) -> Pod:
    made = replace(template, spec=only_on(spec, node))
    return pod_from(owner, made, {HASH: revision, "pod-template-generation": str(owner.metadata.generation)})


def _by_node(pods: Sequence[Pod]) -> dict[str, list[Pod]]:
    by_node: dict[str, list[Pod]] = {}
    for pod in pods:
        by_node.setdefault(node_of(pod), []).append(pod)
    return by_node


def _surplus(owner: DaemonSet, here: Sequence[Pod]) -> list[Write]:
    """Finished pods, and all but the oldest of those that run."""
    writes: list[Write] = []
    running = []
    for pod in (pod for pod in here if pod.metadata.deletionTimestamp is None):
        if pod.status.phase == "Failed":
            message = f"Found failed daemon pod {pod.key} on node {node_of(pod)}, will try to kill it"
            writes += [RecordEvent(owner, "Warning", "FailedDaemonPod", message, NAME), Delete(pod)]
        elif pod.status.phase == "Succeeded":
            message = f"Found succeeded daemon pod {pod.key} on node {node_of(pod)}, will try to delete it"
            writes += [RecordEvent(owner, "Normal", "SucceededDaemonPod", message, NAME), Delete(pod)]
        else:
            running.append(pod)
    running.sort(key=lambda pod: (not pod.spec.nodeName, pod.metadata.creationTimestamp or 0, pod.metadata.name))
    return [*writes, *map(Delete, running[1:])]


def _outdated(
    owner: DaemonSet, by_node: dict[str, list[Pod]], nodes: Sequence[Node], spec: PodSpec, revision: str, now: int
) -> list[Pod]:
    """The pods of an older template that may go now: all that are not available, others up to maxUnavailable."""
    unavailable = 0
    allowed: list[Pod] = []
    candidates: list[Pod] = []
    for here in by_node.values():
        current = [pod for pod in here if pod.metadata.deletionTimestamp is None]
        if len(current) != 1:
            unavailable += 1
            continue
        (pod,) = current
        available = _is_available(owner, pod, now)
        unavailable += not available
        if pod.metadata.labels.get(HASH) != revision:
            (candidates if available else allowed).append(pod)
    desired = sum(wanted_on(node, spec).run for node in nodes)
    return [*allowed, *candidates[: max(0, max_unavailable(owner, desired) - unavailable)]]


def _is_available(owner: DaemonSet, pod: Pod, now: int) -> bool:
    return available_in(pod, owner.spec.minReadySeconds, now) == 0


def max_unavailable(owner: DaemonSet, desired: int) -> int:
    """How many pods may be missing during a rolling update; at least one (UnavailableCount)."""
    rolling = owner.spec.updateStrategy.rollingUpdate
    value = 1 if rolling is None else rolling.maxUnavailable
    if isinstance(value, str):
        percent = re.fullmatch(r"(\d+)%", value)
        value = -(-desired * int(percent[1]) // 100) if percent is not None else 1
    return max(1, value)


def status_of(owner: DaemonSet, pods: Sequence[Pod], nodes: Sequence[Node], revision: str, now: int) -> DaemonSetStatus:
    """The numbers of nodes that should have a pod, that have one, and where it is ready."""
    template = owner.spec.template
    assert template is not None
    spec, by_node = daemon_spec(template.spec), _by_node(pods)
    counts = dict.fromkeys(("desired", "current", "missed", "ready", "available", "updated"), 0)
    for node in nodes:
        here = sorted(by_node.get(node.metadata.name, ()), key=lambda pod: pod.metadata.creationTimestamp or 0)
        if not wanted_on(node, spec).run:
            counts["missed"] += bool(here)
            continue
        counts["desired"] += 1
        if here:
            ready = is_ready(here[0])
            counts["current"] += 1
            counts["ready"] += ready
            counts["available"] += _is_available(owner, here[0], now)
            counts["updated"] += here[0].metadata.labels.get(HASH) == revision
    return replace(
        owner.status,
        desiredNumberScheduled=counts["desired"],
        currentNumberScheduled=counts["current"],
        numberMisscheduled=counts["missed"],
        numberReady=counts["ready"],
        numberAvailable=counts["available"],
        updatedNumberScheduled=counts["updated"],
        numberUnavailable=counts["desired"] - counts["available"],
        observedGeneration=owner.metadata.generation,
    )


# -- the controller


class DaemonSets:
    """The controller of all DaemonSets. After writing, it waits until its informers show the writes."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        record: Record,
        latency: Latency,
    ) -> None:
        self._api = api
        self._record = record
        self._shared_informers = informers
        self._sets = informers.of(DaemonSet)
        self._nodes = informers.of(Node)
        self._pods = by_owner(informers, Pod)
        self._expected: dict[Key, dict[str, int]] = {}
        self._revisions: dict[str, list[tuple[PodTemplate, str]]] = {}
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch."""
        self._sets.add_handler(self._changed, lambda _, owner: self._changed(owner), self._changed)
        self._nodes.add_handler(lambda _: self._all(), self._node_changed, lambda _: self._all())
        self._pods.add_handler(self._pod_changed, lambda _, pod: self._pod_changed(pod), self._pod_changed)
        self._queue.start(self._shared_informers.synced)

    def _changed(self, owner: DaemonSet) -> None:
        self._queue.add((owner.metadata.namespace, owner.metadata.name))

    def _all(self) -> None:
        for owner in self._sets.list():
            self._changed(owner)

    def _node_changed(self, old: Node, new: Node) -> None:
        if (old.metadata.labels, old.spec) != (new.metadata.labels, new.spec):
            self._all()

    def _pod_changed(self, pod: Pod) -> None:
        for owner in pod.metadata.ownerReferences:
            if owner.kind == "DaemonSet" and owner.controller:
                key = pod.metadata.namespace, owner.name
                expected = self._expected.get(key, {})
                expected.pop(f"+{pod.metadata.uid}", None)
                if pod.metadata.deletionTimestamp is not None:
                    expected.pop(f"-{pod.metadata.uid}", None)
                self._queue.add(key)

    def _sync(self, key: Key) -> None:
        owner, now = self._api.find(DaemonSet, *key), self._api.now
        if owner is None or owner.spec.template is None or not owner.spec.template.spec.containers:
            return
        if owner.metadata.deletionTimestamp is not None or any(
            since > now - EXPECTATIONS_TIMEOUT for since in self._expected.get(key, {}).values()
        ):
            return
        pods, nodes = [*owned_by(self._pods, owner), *self._adopted(owner)], self._nodes.list()
        revision = self._revision(owner, owner.spec.template, pods)
        error = None
        try:
            self._write(key, owner, next_writes(owner, pods, nodes, revision, now))
        except ApiError as refusal:
            error = refusal
            self._record(owner, "Warning", "FailedCreate", f"Error creating: {refusal}", NAME)
        status = status_of(owner, pods, nodes, revision, now)
        if status != owner.status:
            apply_writes(self._api, [UpdateStatus(replace(owner, status=status))], NAME)
        if owner.spec.minReadySeconds and status.numberReady != status.numberAvailable:
            self._queue.add(key, owner.spec.minReadySeconds * SECOND)
        if error is not None:
            raise error

    def _revision(self, owner: DaemonSet, template: PodTemplate, pods: Sequence[Pod]) -> str:
        """The label of pods with this template. Of a DaemonSet from elsewhere, its youngest pod has it.

        There it is the hash of all fields of the template, of which some are not known here.
        """
        known = self._revisions.get(owner.metadata.uid)
        if known is None:
            labelled = [pod for pod in pods if HASH in pod.metadata.labels]
            youngest = max(labelled, key=lambda pod: pod.metadata.creationTimestamp or 0, default=None)
            first = youngest.metadata.labels[HASH] if youngest is not None else template_hash(template)
            known = self._revisions[owner.metadata.uid] = [(template, first)]
        for each, label in known:
            if each == template:
                return label
        new = template_hash(template)
        known.append((template, new))
        return new

    def _adopted(self, owner: DaemonSet) -> list[Pod]:
        """Take over the pods that the DaemonSet selects and nobody owns."""
        taken: list[Pod] = []
        try:
            selector = owner.spec.selector.compile() if owner.spec.selector is not None else None
        except SelectorError:
            return taken
        for pod in orphans_in(self._pods, owner.metadata.namespace) if selector is not None else ():
            selected = selector is not None and selector.matches(pod.metadata.labels)
            if selected and pod.metadata.deletionTimestamp is None:
                owners = (*pod.metadata.ownerReferences, reference_to(owner))
                adopted = replace(pod, metadata=replace(pod.metadata, ownerReferences=owners))
                apply_writes(self._api, [Update(adopted)], NAME)
                taken.append(adopted)
        return taken

    def _write(self, key: Key, owner: DaemonSet, writes: list[Write]) -> None:
        def expect(write: Write, stored: object) -> None:
            if isinstance(write, Create | Delete) and isinstance(write.obj, Pod):
                created = isinstance(write, Create)
                pod = stored if created and isinstance(stored, Pod) else write.obj
                self._expected.setdefault(key, {})[f"{'+' if created else '-'}{pod.metadata.uid}"] = self._api.now
                verb = "Create" if created else "Delete"
                self._record(owner, "Normal", f"Successful{verb}", f"{verb}d pod: {pod.metadata.name}", NAME)

        apply_writes(self._api, writes, NAME, expect, self._record)
