"""Which constraint keeps a pod pending? Each is removed from its spec in turn, and the pod is scheduled again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.messages import later
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
"""The most taints, and the most pairs of changes, that are tried."""
PREEMPTS = later("with preemptionPolicy PreemptLowerPriority")

Change: TypeAlias = Callable[[Pod], Pod]
"""One change to a pod."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Changes to the pod's spec with which it fits. ``changes``: messages. ``decision``: the decision with them."""

    changes: tuple[str, ...]
    decision: Decision = field(repr=False)


@dataclass(frozen=True, eq=False)
class Relaxations:
    """``sufficient``: those with which the pod fits. ``tried``, ``untried``: how many changes and pairs of them."""

    sufficient: tuple[Relaxation, ...] = ()
    tried: int = 0
    untried: int = 0


def relaxations(case: Case) -> Relaxations:
    """The changes with which the pod fits: single ones, or else pairs; those that open the most nodes come first."""
    pod = case.info.pod
    taints = untolerated(pod, case.cluster)
    changes = [*relaxed_fields(pod), *tolerated(taints[:TAINTS])]
    tries: list[tuple[tuple[str, ...], Pod]] = [((name,), change(pod)) for name, change in changes]
    untried = max(len(taints) - TAINTS, 0)
    sufficient = _fitting(case, tries)
    tried = len(tries)
    if not sufficient:
        pairs = [((a, b), second(first(pod))) for (a, first), (b, second) in combinations(changes, 2)]
        sufficient = _fitting(case, pairs[:PAIRS])
        tried += len(pairs[:PAIRS])
        untried += max(len(pairs) - PAIRS, 0)
    sufficient.sort(key=lambda relaxation: (-len(relaxation.decision.feasible), relaxation.changes))
    return Relaxations(tuple(sufficient), tried, untried)


def _fitting(case: Case, tries: Sequence[tuple[tuple[str, ...], Pod]]) -> list[Relaxation]:
    results = (relaxed(case, changes, pod) for changes, pod in tries)
    return [relaxation for relaxation in results if relaxation is not None]


def relaxed(case: Case, changes: tuple[str, ...], pod: Pod) -> Relaxation | None:
    info = case.cluster.info(pod)
    if case.fits(info) or changes == (PREEMPTS,):
        decision = case.decide(info)
        if decision.node is not None or decision.nominated_node is not None:
            return Relaxation(changes, decision)
    return None


def relaxed_fields(pod: Pod) -> Iterator[tuple[str, Change]]:
    """Each constraint in the pod's spec: its removal in words, and the change that removes it."""
    spec = pod.spec
    if spec.schedulingGates:
        yield later("without its scheduling gates"), partial(with_spec, schedulingGates=())
    for key, value in spec.nodeSelector.items():
        yield later("without nodeSelector {what}", what=f"{key}={value}"), partial(_without_selector, key=key)
    for index, container in enumerate(spec.containers):
        for port in container.ports:
            if port.hostPort:
                words = later("without hostPort {what}", what=port.hostPort)
                yield words, partial(_without_port, container=index, port=port)
    for constraint in spec.topologySpreadConstraints:
        if constraint.whenUnsatisfiable == "DoNotSchedule":
            words = later("without spreading over {what}", what=constraint.topologyKey)
            yield words, partial(_without, field="topologySpreadConstraints", removed=constraint)
            if constraint.nodeTaintsPolicy != "Honor":
                words = later("with nodeTaintsPolicy Honor of its spreading over {what}", what=constraint.topologyKey)
                yield words, partial(_honoring_taints, constraint=constraint)
    for volume in spec.volumes:
        if volume.persistentVolumeClaim is not None or volume.ephemeral is not None:
            words = later("without its volume “{what}”", what=volume.name)
            yield words, partial(_without, field="volumes", removed=volume)
    if spec.preemptionPolicy == "Never":
        yield PREEMPTS, partial(with_spec, preemptionPolicy="PreemptLowerPriority")
    yield from _relaxed_affinity(spec.affinity or Affinity())


def _relaxed_affinity(affinity: Affinity) -> Iterator[tuple[str, Change]]:
    required = affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution if affinity.nodeAffinity else None
    if required is not None:
        words = later("without required {what}", what="nodeAffinity")
        yield words, partial(_with_required, kind="nodeAffinity", terms=None)
        for term in (term for term in required.nodeSelectorTerms if len(term.matchExpressions) > 1):
            for expression in term.matchExpressions:
                text = f"{expression.key} {expression.operator} {', '.join(expression.values)}".rstrip()
                yield later("without nodeAffinity {what}", what=text), partial(_without_expression, removed=expression)
    for kind in ("podAffinity", "podAntiAffinity"):
        pod_affinity = getattr(affinity, kind)
        for term in pod_affinity.requiredDuringSchedulingIgnoredDuringExecution if pod_affinity is not None else ():
            words = later("without required {what}", what=f"{kind} by {term.topologyKey}")
            yield words, partial(_without_term, kind=kind, removed=term)


def _without_selector(pod: Pod, key: str) -> Pod:
    return with_spec(pod, nodeSelector={k: v for k, v in pod.spec.nodeSelector.items() if k != key})


def _without_port(pod: Pod, container: int, port: ContainerPort) -> Pod:
    containers = list(pod.spec.containers)
    ports = tuple(other for other in containers[container].ports if other is not port)
    containers[container] = put(containers[container], ports=ports)
    return with_spec(pod, containers=tuple(containers))


def _without(pod: Pod, field: str, removed: object) -> Pod:
    return with_spec(pod, **{field: tuple(each for each in getattr(pod.spec, field) if each is not removed)})


def _honoring_taints(pod: Pod, constraint: TopologySpreadConstraint) -> Pod:
    """With the constraint, domains whose nodes have taints that the pod does not tolerate do not count."""
    honoring = put(constraint, nodeTaintsPolicy="Honor")
    constraints = pod.spec.topologySpreadConstraints
    return with_spec(pod, topologySpreadConstraints=tuple(honoring if c is constraint else c for c in constraints))


def _with_required(pod: Pod, kind: str, terms: Any) -> Pod:
    affinity = pod.spec.affinity or Affinity()
    changed = put(getattr(affinity, kind), requiredDuringSchedulingIgnoredDuringExecution=terms)
    return with_spec(pod, affinity=put(affinity, **{kind: changed}))


def _without_term(pod: Pod, kind: str, removed: PodAffinityTerm) -> Pod:
    terms = getattr(pod.spec.affinity, kind).requiredDuringSchedulingIgnoredDuringExecution
    return _with_required(pod, kind, tuple(term for term in terms if term is not removed))


def _without_expression(pod: Pod, removed: NodeSelectorRequirement) -> Pod:
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity is not None else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity is not None else None
    if required is None:
        return pod
    terms = []
    for term in required.nodeSelectorTerms:
        terms.append(put(term, matchExpressions=tuple(e for e in term.matchExpressions if e is not removed)))
    return _with_required(pod, "nodeAffinity", put(required, nodeSelectorTerms=tuple(terms)))


def untolerated(pod: Pod, cluster: Cluster) -> list[tuple[str, str]]:
    """(key, value) of the taints that keep the pod off nodes; the most frequent come first."""
    node_counts: Counter[tuple[str, str]] = Counter()
    for node in cluster.nodes:
        taints = [taint for taint in node.spec.taints if taint.effect != "PreferNoSchedule"]
        if node.spec.unschedulable:
            taints.append(UNSCHEDULABLE_TAINT)
        refusing = (t for t in taints if not any(toleration.tolerates(t) for toleration in pod.spec.tolerations))
        node_counts.update({(taint.key, taint.value) for taint in refusing})
    return [taint for taint, _ in sorted(node_counts.items(), key=lambda item: (-item[1], item[0]))]


def tolerated(taints: list[tuple[str, str]]) -> Iterator[tuple[str, Change]]:
    """A toleration for each of these taints with any effect; a pod should not tolerate those of unhealthy nodes."""
    for key, value in taints:
        taint = f"{key}={value}" if value else key
        if key == UNSCHEDULABLE_TAINT.key:
            words = later("if no node were cordoned")
        elif key.startswith("node.kubernetes.io/"):
            words = later("if no node had the taint {what}", what=taint)
        else:
            words = later("tolerating {what}", what=taint)
        yield words, partial(_tolerating, toleration=Toleration(key, operator="Equal", value=value))


def _tolerating(pod: Pod, toleration: Toleration) -> Pod:
    return with_spec(pod, tolerations=(*pod.spec.tolerations, toleration))
