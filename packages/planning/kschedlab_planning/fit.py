"""How many more replicas of a pod fit, and what stops the next one."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster, bound_to
from kschedlab.cluster.pending_pod import AnyPod, node_of, pod_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import LATEST, Profiles
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject, LimitRange, Pod, ResourceQuota
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.shown import Shown
from kschedlab.text.plain import LIMITS
from kschedlab.text.sections import BAD, GOOD, Limits, Row, Section, Table
from kschedlab.text.words import count
from kschedlab_planning.allowance import Allowance
from kschedlab_planning.check import Check, check_pods
from kschedlab_planning.kinds import kinds_of, more_nodes
from kschedlab_planning.manifests import manifest
from kschedlab_planning.place import Placed, beginning, bind, decide, without_preemption
from kschedlab_planning.text import before, checked, first_table

if TYPE_CHECKING:
    from kschedlab_planning.workloads import Workload

MOST = 10_000


class OneNodeMore(NamedTuple):
    """``replicas``: how many more fit with one more node of this kind."""

    kind: str
    replicas: int


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Shown):
    """How many more replicas fit. ``pods``: each with its node, in order; ``stop``: the decision about the next one.

    ``stop`` is None if the limit is reached, or if the API server would refuse the next one: ``refused`` says why.
    ``first``: the pending pods that get their nodes before.
    ``runner_up``: what one more node of each kind would add, the best first. ``workload``: what has the replicas.
    """

    template: Pod
    pods: dict[str, str]
    stop: Decision | None
    first: Placed
    runner_up: tuple[OneNodeMore, ...]
    workload: Workload | None = None
    check: Check | None = None
    refused: str = ""

    @property
    def replicas(self) -> int:
        """How many more fit."""
        return len(self.pods)

    @property
    def by_node(self) -> dict[str, int]:
        """The number of new replicas on each node, most first."""
        return dict(Counter(self.pods.values()).most_common())

    def commands(self) -> list[str]:
        """The kubectl command that scales the workload; nothing for a pod alone."""
        if self.workload is None or self.workload.owner is None:
            return []
        owner = self.workload.owner
        kind, metadata = RESOURCES[type(owner)].qualified, owner.metadata
        names = f"{kind}/{shlex.quote(metadata.name)} --namespace {shlex.quote(metadata.namespace)}"
        return [f"kubectl scale {names} --replicas {self.workload.replicas + self.replicas}"]

    def manifests(self) -> list[dict[str, Any]]:
        """The workload with as many replicas, or the pods that fit."""
        if self.workload is not None and self.workload.owner is not None:
            owner: Any = self.workload.owner
            replicas = self.workload.replicas + self.replicas
            return [manifest(replace(owner, spec=replace(owner.spec, replicas=replicas)))]
        return [manifest(named(self.template, key.partition("/")[2])) for key in self.pods]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "pod": self.template.key,
            "replicas": self.replicas,
            "nodes": self.by_node,
            "stop": None if self.stop is None else self.stop.event,
            "refused": self.refused,
            "runnerUp": [more._asdict() for more in self.runner_up],
            "check": None if self.check is None else self.check._asdict(),
        }

    def sections(self, limits: Limits) -> Iterator[Section]:
        """How many fit and where, what stops the next, what one more node would add."""
        number = self.replicas
        title = f"{count(number, 'replica')} of {self.template.key} fit{'s' * (number == 1)}."
        if self.stop is None and not self.refused:
            title = f"At least {count(number, 'replica')} of {self.template.key} fit: counting ended there."
        rows = [Row([node, number]) for node, number in self.by_node.items()]
        yield Section(
            title, [*before(len(self.first.nodes)), Table(["node", "replicas"], rows)], mark=GOOD if rows else BAD
        )
        stops = f"What stops the next one ({self.template.metadata.name}-{self.replicas + 1}):"
        if self.refused:
            yield Section(stops, [f"the API server: {self.refused}"])
        if self.stop is not None:
            yield Section(stops, [self.stop.event, *first_table(list(self.stop.sections(LIMITS)))])
        if self.runner_up:
            rows = [Row([more.kind, more.replicas]) for more in self.runner_up]
            yield Section("With one more node:", [Table(["of", "more replicas"], rows)])
        yield from checked(self.check)


def plan_fit(
    pod: AnyPod | Workload,
    cluster: Cluster,
    generation: str | Profiles = LATEST,
    *,
    most: int = MOST,
    label: str = "",
    seed: int | None = 0,
    bounds: Iterable[ApiObject] = (),
) -> Fit:
    """How many more replicas of the pod fit after the pending pods, without evicting any, and what stops the next.

    ``pod``: ``namespace/name`` of a pod, a manifest, a Pod or a Workload. ``most``: where counting ends. ``label``: the
    label that names pools of nodes. ``seed``: of the simulation that checks the plan; None: no check. ``bounds``: the
    LimitRanges and ResourceQuotas, which no Cluster has. KeyError if there is no such pod; ValueError if ``most`` is
    negative.
    """
    from kschedlab_planning.workloads import Workload

    if most < 0:
        raise InputValueError(f"expected a number of replicas from 0, got {most}")
    profiles = without_preemption(generation)
    workload = pod if isinstance(pod, Workload) else None
    first = beginning(cluster, profiles)
    template = as_template(workload.template if workload is not None else pod, first.cluster)  # type: ignore[arg-type]
    bounds = [each for each in bounds if isinstance(each, LimitRange | ResourceQuota)]
    filled, pods, stop, refused = _fill(template, first.cluster, profiles, most, bounds)
    runner_up: tuple[OneNodeMore, ...] = ()
    if stop is not None:
        more = ((kind, more_nodes(filled, {kind: 1})) for kind in kinds_of(cluster, label))
        fills = ((kind, _fill(template, bigger, profiles, most, bounds)) for kind, bigger in more)
        counted = [OneNodeMore(kind.name, len(fill[1])) for kind, fill in fills]
        runner_up = tuple(sorted(counted, key=lambda each: -each.replicas))
    check = None
    if seed is not None:
        last = f"{template.metadata.name}-{len(pods) + 1}"
        names = [*(key.partition("/")[2] for key in pods), *([last] if stop is not None else [])]
        new = [named(template, name) for name in names]
        check = check_pods(cluster, new, profiles, seed, len(first.left) + (stop is not None))
    return Fit(template, pods, stop, first, runner_up, workload, check, refused)


def as_template(pod: AnyPod, cluster: Cluster) -> Pod:
    """The pod without a node, a status and an owner. KeyError if there is no such pod."""
    if isinstance(pod, str):
        if pod in cluster.pending:
            found = cluster.pending[pod].pod
        elif node_of(pod, cluster) is not None:
            found = cluster.on_node(pod).pod
        else:
            raise unknown("pod", pod, cluster.pod_keys())
    else:
        found = pod_of(pod, cluster)
    metadata = replace(found.metadata, ownerReferences=(), uid="", creationTimestamp=None, deletionTimestamp=None)
    return Pod(metadata=metadata, spec=bound_to(found, "").spec)


def named(pod: Pod, name: str) -> Pod:
    return replace(pod, metadata=replace(pod.metadata, name=name))


def _fill(
    template: Pod, cluster: Cluster, profiles: Profiles, most: int, bounds: Sequence[ApiObject]
) -> tuple[Cluster, dict[str, str], Decision | None, str]:
    """The cluster with the replicas that fit, their nodes, and what stops the next: a decision, or a refusal."""
    fork, nodes = cluster.fork(), dict[str, str]()
    allowed = Allowance(bounds, template.metadata.namespace, cluster.objects.pods if bounds else ())
    taken, name = set(cluster.pod_keys()), template.metadata.name
    free = (f"{name}-{i}" for i in itertools.count(1) if f"{template.metadata.namespace}/{name}-{i}" not in taken)
    for each in free:
        if len(nodes) >= most:
            break
        info: PodInfo = fork.info(named(template, each))
        if refused := allowed.refusal(info.pod):
            return fork, nodes, None, refused
        decision = decide(info, fork, profiles)
        if decision.node is None:
            return fork, nodes, decision, ""
        bind(decision, fork)
        allowed.take(info.pod)
        nodes[info.key] = decision.node
    return fork, nodes, None, ""
