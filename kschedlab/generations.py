"""Generations as tables: which plugins, in which order, with which weights, constants and named rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.filter.inter_pod_affinity import NO_AFFINITY_OR_ANTI_AFFINITY, InterPodAffinity
from kschedlab.filter.node import WRONG_HOSTNAME, NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NO_MATCH_1_20, NodeAffinity
from kschedlab.filter.node_ports import NodePorts
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import Filter
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.filter.stage import SamplingRules
from kschedlab.filter.taint_toleration import UNTOLERATED_BY_NAME, TaintToleration
from kschedlab.filter.volumes.csi_limits import NodeVolumeLimits
from kschedlab.filter.volumes.older_limits import AZURE_DISK, EBS, GCE_PD, DiskLimits, DriverLimits
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT_BEFORE, VOLUME_MISSING_BEFORE, VolumeBinding
from kschedlab.filter.volumes.volume_restrictions import VolumeRestrictions
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.objects.api import API_1_13, API_1_16, API_1_20, API_1_37, Api
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.preemption.budgets import BudgetRules
from kschedlab.preemption.ladder import RULES
from kschedlab.preemption.stage import PreemptionRules
from kschedlab.preemption.victims import VictimRules
from kschedlab.queue.interface import SchedulingQueue
from kschedlab.queue.older.with_backoff import RULES_1_16, WithBackoff
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.with_events import WithEvents
from kschedlab.registry import REGISTRY_1_13, REGISTRY_1_16
from kschedlab.score.image_locality import ImageLocality
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.node_resources import (
    BalancedResourceAllocation,
    NodeResourcesBalancedAllocation,
    NodeResourcesFitScore,
)
from kschedlab.score.plugin import Score
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.taint_toleration import TaintTolerationScore
from kschedlab.score.volume_binding import VolumeBindingScore

if TYPE_CHECKING:
    from kschedlab.plugins.asking import NamedPlugin

POINTS_1_13 = ("filter", "score", "normalize")
"""Predicates and priorities (with map and reduce)."""
BINDING_POINTS = ("reserve", "unreserve", "permit", "pre_bind", "bind", "post_bind")
POINTS_1_16 = (*POINTS_1_13, "less", "pre_filter", "pre_score", *BINDING_POINTS)
POINTS_1_20 = (*POINTS_1_16, "post_filter")
POINTS_1_37 = (*POINTS_1_20, "pre_enqueue", "events_to_register")

PRE_SCORE_FAILED_BEFORE_1_17 = 'error while running "{plugin}" postfilter plugin for pod "{pod}"'


@dataclass(frozen=True)
class BinderRules:
    """How a generation binds volumes: named rules. The defaults are those of v1.37.

    ``checks_storage_capacity``, ``translates_migrated_volumes``: as in
    :class:`~kschedlab.filter.volumes.volume_binding.VolumeBinding`.
    ``told_only``: whether all is bound is judged by what the informers tell, if it is not older than what was written,
    and the volumes must be usable on the node; else by what was assumed (v1.13: checkBindings).
    ``provisioning_failed``: what is said if a claim has lost its chosen node.
    """

    checks_storage_capacity: bool = True
    translates_migrated_volumes: bool = True
    told_only: bool = True
    provisioning_failed: str = 'provisioning failed for PVC "{name}"'


@dataclass(frozen=True)
class CacheRules:
    """How a generation's cache behaves: named rules. The defaults are those of v1.37.

    ``expires``: microseconds after its binding has ended in which an assumed pod must be added, or it is taken out; 0:
    it never is. ``removes_assumed``: an assumed pod can be removed, not only forgotten. ``forgets_unknown``: forgetting
    a pod that is not there is no error. ``binder``: how volumes are assumed.
    """

    expires: int = 0
    removes_assumed: bool = True
    forgets_unknown: bool = True
    binder: BinderRules = BinderRules()


@dataclass(frozen=True)
class LoopRules:
    """How a generation's loop goes round: named rules. The defaults are those of v1.37 (pkg/scheduler/schedule_one.go).

    ``points``: the extension points that there are, by the names of the methods of a
    :class:`~kschedlab.plugins.framework.Plugin`.
    ``skips``: which popped pods are passed over beside those being deleted: none (""), the ones that are "assumed", or
    only those whose "update" says nothing new (v1.20: scheduler.go, skipPodSchedule).
    ``update_ignores``: what may change of an assumed pod without its being queued again (skipPodUpdate).
    ``recorded_first``: a pod that fits nowhere goes back to the queue before it preempts (v1.13, v1.16: scheduler.go,
    schedule); else after PostFilter.
    ``reserves_first``: volumes are assumed and Reserve runs before the pod is assumed; else the pod is assumed first,
    and its volumes by the Reserve of the plugin VolumeBinding.
    ``undoes_backwards``: a pod that cannot be bound is unreserved by the last plugin first, and then forgotten; else it
    is forgotten, and then unreserved by the first plugin first (v1.16: scheduler.go, framework.go).
    ``permits_before_binding``: Permit runs in the scheduling cycle and only the wait in the binding cycle.
    ``always_unschedulable``: the condition's reason is Unschedulable even if scheduling ended with an error.
    ``probe_time``: the condition says when it was looked at (LastProbeTime), by which that queue orders.
    ``reads_api``: a pod that goes back to the queue is read from the API server; else from the informer.
    ``patches``: a pod's status is patched; else replaced as a whole, which conflicts if the pod has changed meanwhile.
    ``preemption_told``: FailedScheduling says what came of preemption.
    ``preempts_beside``: victims are evicted in a task of its own, while PreEnqueue holds the preemptor.
    ``gives_up_nomination``: a pod that no eviction helps, or that fails later, loses its nominated node.
    ``expects_node``: a pod that has to wait before it is bound is nominated to its node.
    ``marks_victims``: victims get the condition DisruptionTarget before they are deleted.
    ``preempted``: the message of the event Preempted.
    ``old_words``: plugins' failures are told as before v1.17.
    ``hints``: plugins say which events may help the pods that they refuse; else every event moves all pods.
    ``cache``: see :class:`CacheRules`.
    ``terminating_seen``: the informer sees pods that are being deleted. All generations do; one that does not gives
    their room away too early.
    """

    points: tuple[str, ...] = POINTS_1_37
    skips: str = "assumed"
    update_ignores: tuple[str, ...] = ()
    recorded_first: bool = False
    reserves_first: bool = False
    undoes_backwards: bool = True
    permits_before_binding: bool = True
    always_unschedulable: bool = False
    probe_time: bool = False
    reads_api: bool = False
    patches: bool = True
    preemption_told: bool = True
    preempts_beside: bool = True
    gives_up_nomination: bool = True
    expects_node: bool = True
    marks_victims: bool = True
    preempted: str = "Preempted by pod {uid} on node {node}"
    old_words: bool = False
    hints: bool = True
    cache: CacheRules = CacheRules()
    terminating_seen: bool = True


@dataclass(frozen=True)
class Generation:
    """One generation of kube-scheduler.

    ``filters`` in the order in which they are asked; ``scores`` with their weights; ``api``: what its API server keeps
    of a pod and how requests are counted; ``percentage``: the default percentageOfNodesToScore (0: adaptive).

    Named rules: ``nominated_node_first``: a pod's own nominated node is tried before all others.
    ``rejection_told_once``: a pod that PreFilter rejects gets that reason once in the message, not once for each node.
    ``gates_hold``: a pod with scheduling gates is not looked at.
    ``host_drawn``: one of the best nodes is drawn at random; else they are taken in turn.
    ``claims_checked_first``: a claim that is missing or being deleted is an error, before any filter is asked.
    ``errors_added_up``: the errors of all nodes are told, each with its number; else the first with its plugin.
    ``loop``: see :class:`LoopRules`. ``queue``: makes its scheduling queue, given the clock.
    ``plugins``: by name, those that :meth:`plus` added; what they filter and score is among ``filters`` and ``scores``.
    """

    name: str
    filters: tuple[Filter, ...]
    scores: tuple[tuple[Score, int], ...]
    api: Api = API_1_37
    sampling: SamplingRules = field(default_factory=SamplingRules)
    preemption: PreemptionRules = field(default_factory=PreemptionRules)
    percentage: int = 0
    nominated_node_first: bool = True
    rejection_told_once: bool = True
    gates_hold: bool = True
    host_drawn: bool = True
    claims_checked_first: bool = False
    errors_added_up: bool = False
    loop: LoopRules = field(default_factory=LoopRules)
    queue: Callable[..., SchedulingQueue] = WithEvents
    plugins: tuple[tuple[str, object], ...] = ()

    @staticmethod
    def named(generation: str | Generation) -> Generation:
        """The generation of that name, such as ``"v1.20"``, or the Generation itself. KeyError if there is none."""
        if isinstance(generation, Generation):
            return generation
        if generation not in GENERATIONS:
            raise KeyError(f'there is no generation "{generation}"; there are {", ".join(GENERATIONS)}')
        return GENERATIONS[generation]

    def plus(self, *plugins: object) -> Generation:
        """With these plugins behind its own (see :mod:`kschedlab.plugins`). A score counts ``weight`` times, or once.

        ValueError if there is such a name already or a plugin can't take part; TypeError for what is no plugin.
        """
        from kschedlab.plugins.joining import Members, Place, joined
        from kschedlab.plugins.one_node import PRE_SCORE_FAILED

        loop = self.loop
        failed = PRE_SCORE_FAILED_BEFORE_1_17 if loop.old_words else PRE_SCORE_FAILED
        place = Place(self.name, loop.points, 10 if loop.old_words else 100, failed)
        members = joined(place, Members(self.filters, self.scores, self.plugins), plugins)
        return replace(self, filters=members.filters, scores=members.scores, plugins=members.plugins)

    def without(self, *names: str) -> Generation:
        """Without the filters and scores of these names. KeyError if there is none."""
        self._check(names, self.plugin_names)
        return self._keeping(lambda name: name not in names)

    def only(self, *names: str) -> Generation:
        """With no filters and scores but those of these names. KeyError if there is none."""
        self._check(names, self.plugin_names)
        return self._keeping(lambda name: name in names)

    def weighted(self, **weights: int) -> Generation:
        """With other weights of scores: ``weighted(InterPodAffinity=5)``; 0 drops one.

        KeyError if there is no such score, ValueError if a weight is not an integer from 0.
        """
        from kschedlab.plugins.joining import checked_weight

        self._check(weights, tuple(score.name for score, _ in self.scores), "score")
        given = {name: checked_weight(weight, name, 0) for name, weight in weights.items()}
        scores = ((score, given.get(score.name, weight)) for score, weight in self.scores)
        return replace(self, scores=tuple((score, weight) for score, weight in scores if weight))

    def plugin(self, name: str) -> NamedPlugin:
        """The plugin of that name, to be asked about a pod: ``.filter(pod, cluster)``, ``.score(pod, cluster)``."""
        from kschedlab.plugins.asking import NamedPlugin

        self._check((name,), self.plugin_names)
        own_filter = next((each for each in self.filters if each.name == name), None)
        own_score, weight = next(((each, w) for each, w in self.scores if each.name == name), (None, 0))
        return NamedPlugin(name, self.name, own_filter, own_score, weight, self.filters)

    @property
    def plugin_names(self) -> tuple[str, ...]:
        """The names of its filters, scores and other plugins, each once, in their order."""
        filters, scores = (each.name for each in self.filters), (each.name for each, _ in self.scores)
        return tuple(dict.fromkeys((*filters, *scores, *(name for name, _ in self.plugins))))

    def _check(self, names: Iterable[str], known: tuple[str, ...], what: str = "plugin") -> None:
        if unknown := [name for name in names if name not in known]:
            raise KeyError(f'{self.name} has no {what} "{unknown[0]}"; it has {", ".join(known)}; .plus(...) adds one')

    def _keeping(self, kept: Callable[[str], bool]) -> Generation:
        filters = tuple(each for each in self.filters if kept(each.name))
        scores = tuple(pair for pair in self.scores if kept(pair[0].name))
        plugins = tuple(pair for pair in self.plugins if kept(pair[0]))
        return replace(self, filters=filters, scores=scores, plugins=plugins)


V1_37 = Generation(
    name="v1.37",
    filters=(
        NodeName(),
        NodeUnschedulable(),
        TaintToleration(),
        NodeAffinity(),
        NodePorts(),
        NodeResourcesFit(),
        VolumeRestrictions(),
        NodeVolumeLimits(),
        VolumeBinding(),
        VolumeZone(),
        PodTopologySpread(),
        InterPodAffinity(),
    ),
    scores=(
        (TaintTolerationScore(), 3),
        (NodeAffinityScore(), 2),
        (NodeResourcesFitScore(), 1),
        (VolumeBindingScore(), 1),
        (PodTopologySpreadScore(), 2),
        (InterPodAffinityScore(), 2),
        (NodeResourcesBalancedAllocation(), 1),
        (ImageLocality(), 1),
    ),
)
"""v1.37: pkg/scheduler/apis/config/v1/default_plugins.go, getDefaultPlugins; without the plugins of gated features."""

CONSTRAINTS_1_20 = ConstraintRules(empty_selector_counts_no_pods=False, defaults_follow_owner_reference=False)

V1_20 = Generation(
    name="v1.20",
    api=API_1_20,
    filters=(
        NodeUnschedulable(),
        NodeName(returns_node_names=False, reason=WRONG_HOSTNAME),
        TaintToleration(reason=UNTOLERATED_BY_NAME),
        NodeAffinity(reason=NO_MATCH_1_20, returns_node_names=False),
        NodePorts(),
        NodeResourcesFit(checks_requested_resources_only=False, too_small_is_unresolvable=False),
        VolumeRestrictions(checks_read_write_once_pod=False),
        DiskLimits("EBSLimits", EBS),
        DiskLimits("GCEPDLimits", GCE_PD),
        DriverLimits(),
        DiskLimits("AzureDiskLimits", AZURE_DISK),
        VolumeBinding(
            translates_migrated_volumes=False,
            checks_storage_capacity=False,
            rejects_lost_claims=False,
            conflict=NODE_CONFLICT_BEFORE,
            missing=VOLUME_MISSING_BEFORE,
        ),
        VolumeZone(finds_volumes_in_pre_filter=False, accepts_newer_node_labels=False),
        PodTopologySpread(rules=CONSTRAINTS_1_20, counts_pods_on_eligible_nodes_only=False, panics_on_new_domain=True),
        InterPodAffinity(common_reason=NO_AFFINITY_OR_ANTI_AFFINITY, skips_in_pre_filter=False),
    ),
    scores=(
        (BalancedResourceAllocation(), 1),
        (ImageLocality(counts_init_containers=False), 1),
        (InterPodAffinityScore(skips_in_pre_score=False, range_includes_zero=True), 1),
        (NodeResourcesFitScore("NodeResourcesLeastAllocated", ignores_absent_resources=False), 1),
        (NodeAffinityScore(skips_in_pre_score=False), 1),
        (NodePreferAvoidPods(), 10000),
        (PodTopologySpreadScore(rules=CONSTRAINTS_1_20, skips_in_pre_score=False, rounds_sum=False), 2),
        (TaintTolerationScore(), 1),
    ),
    sampling=SamplingRules(one_node_if_no_scores=False),
    preemption=PreemptionRules(
        waits_for_preempted_pods_only=False,
        reports_ineligibility=False,
        victims=VictimRules(budgets=BudgetRules(stops_at_first_violation=False), sorted_again=False),
    ),
    nominated_node_first=False,
    rejection_told_once=False,
    loop=LoopRules(
        points=POINTS_1_20,
        skips="update",
        update_ignores=("resourceVersion", "nodeName", "annotations", "finalizers", "conditions"),
        always_unschedulable=True,
        preemption_told=False,
        preempts_beside=False,
        gives_up_nomination=False,
        expects_node=False,
        marks_victims=False,
        preempted="Preempted by {namespace}/{name} on node {node}",
        hints=False,
        cache=CacheRules(
            expires=120 * SECOND,
            forgets_unknown=False,
            binder=BinderRules(checks_storage_capacity=False, translates_migrated_volumes=False),
        ),
    ),
    queue=WithBackoff,
)
"""v1.20: pkg/scheduler/algorithmprovider/registry.go, getDefaultConfig."""

DEFAULT_PREDICATES = (
    "CheckNodeUnschedulable",
    "GeneralPredicates",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxCSIVolumeCountPred",
    "MaxAzureDiskVolumeCount",
    "CheckVolumeBinding",
    "NoVolumeZoneConflict",
    "MatchInterPodAffinity",
)
"""Of v1.13 and v1.16: what is left of the default provider's predicates once TaintNodesByCondition is on."""

DEFAULT_PRIORITIES = {
    "BalancedResourceAllocation": 1,
    "ImageLocalityPriority": 1,
    "InterPodAffinityPriority": 1,
    "LeastRequestedPriority": 1,
    "NodeAffinityPriority": 1,
    "NodePreferAvoidPodsPriority": 10000,
    "SelectorSpreadPriority": 1,
    "TaintTolerationPriority": 1,
}

V1_16 = Generation(
    name="v1.16",
    api=API_1_16,
    filters=REGISTRY_1_16.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_16.scores(**DEFAULT_PRIORITIES),
    sampling=SamplingRules(one_node_if_no_scores=False, counts_surplus_node=True),
    preemption=PreemptionRules(
        min_candidate_percentage=100,
        obeys_preemption_policy=False,
        unresolvable_node_ends_wait=False,
        waits_for_preempted_pods_only=False,
        reports_ineligibility=False,
        victims=VictimRules(BudgetRules(counted_down=False, disrupted_pods_exempt=False), sorted_again=False),
    ),
    nominated_node_first=False,
    rejection_told_once=False,
    claims_checked_first=True,
    errors_added_up=True,
    loop=replace(
        V1_20.loop,
        points=POINTS_1_16,
        skips="",
        recorded_first=True,
        reserves_first=True,
        undoes_backwards=False,
        permits_before_binding=False,
        reads_api=True,
        patches=False,
        old_words=True,
        cache=CacheRules(
            expires=30 * SECOND,
            removes_assumed=False,
            forgets_unknown=False,
            binder=BinderRules(
                checks_storage_capacity=False,
                translates_migrated_volumes=False,
                provisioning_failed='selectedNode annotation value "{selected}" not set to scheduled node "{node}"',
            ),
        ),
    ),
    queue=partial(WithBackoff, rules=RULES_1_16),
)
"""v1.16: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

V1_13 = replace(
    V1_16,
    name="v1.13",
    api=API_1_13,
    filters=REGISTRY_1_13.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_13.scores(**DEFAULT_PRIORITIES),
    sampling=replace(V1_16.sampling, min_percentage=50),
    preemption=replace(
        V1_16.preemption,
        victims=replace(V1_16.preemption.victims, older_is_more_important=False),
        ladder=RULES[:-1],
    ),
    host_drawn=False,
    queue=WithoutBackoff,
    loop=replace(
        V1_16.loop,
        points=POINTS_1_13,
        update_ignores=("resourceVersion", "nodeName", "annotations"),
        probe_time=True,
        preempted="by {namespace}/{name} on node {node}",
        cache=replace(V1_16.loop.cache, binder=replace(V1_16.loop.cache.binder, told_only=False)),
    ),
)
"""v1.13: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

GENERATIONS = {generation.name: generation for generation in (V1_13, V1_16, V1_20, V1_37)}
LATEST = V1_37.name

Deciders = Generation | Mapping[str, Generation]
"""What decides: one generation for all pods, or generations by the pods' schedulerName."""


def decider(deciders: Deciders, pod: Pod) -> Generation | None:
    """What decides for the pod; None if no scheduler looks after it."""
    return deciders if isinstance(deciders, Generation) else deciders.get(pod.spec.schedulerName)


def api_of(deciders: Deciders) -> Api:
    """What their API server keeps; generations of one file have the same."""
    return deciders.api if isinstance(deciders, Generation) else next(iter(deciders.values())).api
