"""Which constraint in the pod's spec keeps it pending? Each is taken away, and the pod decided for again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.objects.model import (
    UNSCHEDULABLE_TAINT,
    Affinity,
    ContainerPort,
    NodeSelectorRequirement,
    Pod,
    PodAffinityTerm,
    Toleration,
    TopologySpreadConstraint,
)
from kschedlab.whatif.case import Case, with_spec

TAINTS, PAIRS = 20, 300
"""How many kinds of taints, and how many pairs of changes, are tried at most."""
"""The taint that NodeUnschedulable takes a cordoned node to have."""
PREEMPTS = "with preemptionPolicy PreemptLowerPriority"

Change: TypeAlias = Callable[[Pod], Pod]
"""One change to a pod."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Changes to the pod's spec with which it fits. ``changes``: in words; ``decision``: what is decided then."""

    changes: tuple[str, ...]
    decision: Decision


@dataclass(frozen=True, eq=False)
class Relaxations:
    """What was found. ``tried``: how many changes, or pairs of them; ``left_out``: how many were too many to try."""

    found: tuple[Relaxation, ...] = ()
    tried: int = 0
    left_out: int = 0


def relaxations(case: Case) -> Relaxations:
    """The changes with which the pod fits: single ones, else pairs; those that open most nodes first."""
    pod = case.info.pod
    taints = untolerated(pod, case.cluster)
    changes = [*relaxed_fields(pod), *tolerated(taints[:TAINTS])]
    tries: list[tuple[tuple[str, ...], Pod]] = [((name,), change(pod)) for name, change in changes]
    left_out = max(len(taints) - TAINTS, 0)
    found = [*filter(None, (relaxed(case, *each) for each in tries))]
    if not found:
        pairs = [((one, other), second(first(pod))) for (one, first), (other, second) in combinations(changes, 2)]
        tries, left_out = [*tries, *pairs[:PAIRS]], left_out + max(len(pairs) - PAIRS, 0)
        found = [*filter(None, (relaxed(case, *each) for each in pairs[:PAIRS]))]
    found.sort(key=lambda each: (-len(each.decision.feasible), each.changes))
    return Relaxations(tuple(found), len(tries), left_out)


def relaxed(case: Case, changes: tuple[str, ...], pod: Pod) -> Relaxation | None:
    """What becomes of the changed pod, if it fits somewhere or preempts."""
    info = case.cluster.info(pod)
    if case.fits(info) or changes == (PREEMPTS,):
        decision = case.decide(info)
        if decision.node is not None or decision.nominated_node is not None:
            return Relaxation(changes, decision)
    return None


def relaxed_fields(pod: Pod) -> Iterator[tuple[str, Change]]:
    """Each constraint in the pod's spec, in words, and the pod without it."""
    spec = pod.spec
    if spec.schedulingGates:
        yield "without its scheduling gates", partial(with_spec, schedulingGates=())
    for key, value in spec.nodeSelector.items():
        yield f"without nodeSelector {key}={value}", partial(_without_selector, key=key)
    for index, port in ((i, p) for i, c in enumerate(spec.containers) for p in c.ports if p.hostPort):
        yield f"without hostPort {port.hostPort}", partial(_without_port, container=index, port=port)
    for constraint in spec.topologySpreadConstraints:
        if constraint.whenUnsatisfiable == "DoNotSchedule":
            yield f"without spreading over {constraint.topologyKey}", partial(_without_constraint, gone=constraint)
    for volume in spec.volumes:
        if volume.persistentVolumeClaim is not None or volume.ephemeral is not None:
            yield f"without volume {volume.name}", partial(_without_volume, name=volume.name)
    if spec.preemptionPolicy == "Never":
        yield PREEMPTS, partial(with_spec, preemptionPolicy="PreemptLowerPriority")
    yield from _relaxed_affinity(spec.affinity or Affinity())


def _relaxed_affinity(affinity: Affinity) -> Iterator[tuple[str, Change]]:
    required = affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution if affinity.nodeAffinity else None
    if required is not None:
        yield "without required nodeAffinity", partial(_affinity, kind="nodeAffinity", terms=None)
        for term in (term for term in required.nodeSelectorTerms if len(term.matchExpressions) > 1):
            for wanted in term.matchExpressions:
                told = f"{wanted.key} {wanted.operator} {', '.join(wanted.values)}".rstrip()
                yield f"without nodeAffinity {told}", partial(_without_expression, gone=wanted)
    for kind in ("podAffinity", "podAntiAffinity"):
        given = getattr(affinity, kind)
        for term in given.requiredDuringSchedulingIgnoredDuringExecution if given is not None else ():
            yield f"without required {kind} by {term.topologyKey}", partial(_without_term, kind=kind, gone=term)


def _without_selector(pod: Pod, key: str) -> Pod:
    return with_spec(pod, nodeSelector={k: v for k, v in pod.spec.nodeSelector.items() if k != key})


def _without_port(pod: Pod, container: int, port: ContainerPort) -> Pod:
    found = pod.spec.containers[container]
    ports = tuple(each for each in found.ports if each is not port)
    containers = (*pod.spec.containers[:container], put(found, ports=ports), *pod.spec.containers[container + 1 :])
    return with_spec(pod, containers=containers)


def _without_constraint(pod: Pod, gone: TopologySpreadConstraint) -> Pod:
    kept = tuple(each for each in pod.spec.topologySpreadConstraints if each is not gone)
    return with_spec(pod, topologySpreadConstraints=kept)


def _without_volume(pod: Pod, name: str) -> Pod:
    return with_spec(pod, volumes=tuple(each for each in pod.spec.volumes if each.name != name))


def _affinity(pod: Pod, kind: str, terms: Any) -> Pod:
    """The pod with these required terms of one kind of affinity."""
    affinity = pod.spec.affinity or Affinity()
    changed = put(getattr(affinity, kind), requiredDuringSchedulingIgnoredDuringExecution=terms)
    return with_spec(pod, affinity=put(affinity, **{kind: changed}))


def _without_term(pod: Pod, kind: str, gone: PodAffinityTerm) -> Pod:
    terms = getattr(pod.spec.affinity, kind).requiredDuringSchedulingIgnoredDuringExecution
    return _affinity(pod, kind, tuple(term for term in terms if term is not gone))


def _without_expression(pod: Pod, gone: NodeSelectorRequirement) -> Pod:
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity is not None else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity is not None else None
    if required is None:
        return pod
    terms = (
        put(term, matchExpressions=tuple(each for each in term.matchExpressions if each is not gone))
        for term in required.nodeSelectorTerms
    )
    return _affinity(pod, "nodeAffinity", put(required, nodeSelectorTerms=tuple(terms)))


def untolerated(pod: Pod, cluster: Cluster) -> list[tuple[str, str]]:
    """(key, value) of the taints that keep the pod off nodes, those of most nodes first."""
    nodes: Counter[tuple[str, str]] = Counter()
    for node in cluster.nodes:
        taints = [taint for taint in node.spec.taints if taint.effect != "PreferNoSchedule"]
        if node.spec.unschedulable:
            taints.append(UNSCHEDULABLE_TAINT)
        refused = (t for t in taints if not any(each.tolerates(t) for each in pod.spec.tolerations))
        nodes.update({(taint.key, taint.value) for taint in refused})
    return [taint for taint, _ in sorted(nodes.items(), key=lambda item: (-item[1], item[0]))]


def tolerated(taints: list[tuple[str, str]]) -> Iterator[tuple[str, Change]]:
    """A toleration for each of these taints, whatever its effect; those of ill nodes are not the pod's to tolerate."""
    for key, value in taints:
        own = Toleration(key, operator="Equal", value=value)
        taint = f"{key}={value}" if value else key
        ill = key.startswith("node.kubernetes.io/")
        yield f"if no node had the taint {taint}" if ill else f"tolerating {taint}", partial(_tolerating, more=own)


def _tolerating(pod: Pod, more: Toleration) -> Pod:
    return with_spec(pod, tolerations=(*pod.spec.tolerations, more))
