"""Checks a plan by a simulation of the whole control plane: API server, scheduler, controllers and kubelets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster, bound_to
from kschedlab.generations import Profiles
from kschedlab.objects.meta import SECOND, LabelSelector, ObjectMeta, controller_of
from kschedlab.objects.model import (
    ApiObject,
    Node,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicationController,
    StatefulSet,
)
from kschedlab.text.words import count
from kschedlab_simulation.controllers.drain import DrainResult, DrainSettings, drain, is_left
from kschedlab_simulation.controllers.replicas import reference_to
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.simulation import Simulation

PATIENCE = 3600 * SECOND
"""Microseconds of virtual time after which the drain of a node gives up."""
STAND_IN = "plan.kschedlab/owner"
"""The label by which the stand-in of an owner selects its pods."""


class Check(NamedTuple):
    """Whether the simulation confirms the plan, and what happened in it. ``seed``: of its random choices."""

    holds: bool
    what: str
    seed: int


def check_pods(cluster: Cluster, more: Iterable[ApiObject], profiles: Profiles, seed: int, left: int) -> Check:
    """Add the objects to a simulation that has settled: ``left`` pods must stay without a node, and none be evicted."""
    simulation = Simulation(around(cluster), profiles, seed)
    simulation.run()
    for each in more:
        simulation.api.restore(each)
    simulation.run()
    pending, report = _pending(simulation), simulation.report()
    evicted = report.victims + report.evicted
    what = f"{len(pending):,} of {count(len(simulation.pods()), 'pod')} without a node, {evicted:,} evicted"
    return Check(len(pending) == left and not evicted, what, seed)


def check_drains(cluster: Cluster, nodes: Iterable[str], profiles: Profiles, seed: int, lost: int) -> Check:
    """Drain and delete the nodes one after the other: no drain may give up, and no pod may wait that did not before.

    ``lost``: the number of pods that no controller replaces.
    """
    simulation = Simulation(around(cluster), profiles, seed)
    simulation.run()
    before, pods = set(_pending(simulation)), _evictable(simulation)
    for name in nodes:
        result = _drained(simulation, name)
        if result.remaining:
            pod, why = next(iter(result.remaining.items()))
            return Check(False, f"the drain of {name} gave up: {pod}: {why}", seed)
        simulation.api.delete(Node, "", name)
        simulation.run()
    waiting = [key for key in _pending(simulation) if key not in before]
    gone = pods - _evictable(simulation)
    what = f"every drain ended, {count(len(waiting), 'pod')} without a node, {gone:,} not replaced"
    return Check(not waiting and gone == lost, what, seed)


def _drained(simulation: Simulation, name: str) -> DrainResult:
    process = simulation.env.process(drain(simulation.env, simulation.api, name, DrainSettings(PATIENCE)))
    while process.is_alive:
        simulation.env.step()
    simulation.run()
    assert isinstance(process.value, DrainResult)
    return process.value


def _pending(simulation: Simulation) -> list[str]:
    pods = simulation.pods()
    return [pod.key for pod in pods if not pod.spec.nodeName and pod.status.phase not in TERMINAL]


def _evictable(simulation: Simulation) -> int:
    """The number of pods, without those that a node takes with it."""
    return sum(not is_left(pod) for pod in simulation.pods())


def around(cluster: Cluster) -> list[ApiObject]:
    """The cluster's objects, with a stand-in for each owner of pods that is not among them, as in a dump of pods."""
    objects = cluster.objects
    owners: list[Any] = [*objects.of(ReplicaSet), *objects.of(StatefulSet), *objects.of(ReplicationController)]
    there = {(type(each).__name__, each.metadata.namespace, each.metadata.name) for each in owners}
    kept, owned = list[Pod](), dict[tuple[str, str, str], list[Pod]]()
    for pod in objects.pods:
        owner = controller_of(pod.metadata)
        key = (owner.kind, pod.metadata.namespace, owner.name) if owner is not None else None
        if key is None or key in there or is_left(pod):
            kept.append(pod)
        else:
            owned.setdefault(key, []).append(pod)
    objects.pods = kept
    return [*objects] + [each for (_, _, name), pods in owned.items() for each in _with_owner(name, pods)]


def _with_owner(name: str, pods: list[Pod]) -> list[ApiObject]:
    """A ReplicaSet that keeps as many of these pods, and the pods. A label that only they have selects them."""
    first, unique = pods[0], {STAND_IN: name}
    common = dict(set.intersection(*(set(pod.metadata.labels.items()) for pod in pods))) | unique
    template = PodTemplate(ObjectMeta(labels=common), bound_to(first, "").spec)
    made = ReplicaSet(
        metadata=ObjectMeta(name=name, namespace=first.metadata.namespace, uid=f"stand-in-{first.key}"),
        spec=ReplicaSetSpec(template, len(pods), selector=LabelSelector(unique)),
    )
    reference = (reference_to(made),)
    changed = (replace(pod.metadata, labels=pod.metadata.labels | unique, ownerReferences=reference) for pod in pods)
    return [made, *(replace(pod, metadata=metadata) for pod, metadata in zip(pods, changed, strict=True))]
