"""Decides for one pod (:func:`schedule`), or for one after another (:class:`Scheduler`)."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending, checked_cluster, not_pending
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, Small
from kschedlab.decision import Decision, scores_of
from kschedlab.extenders import package
from kschedlab.filter.dynamic_resources import NAME as DYNAMIC_RESOURCES, claims_for, plugin_for
from kschedlab.filter.plugin import SchedulingError
from kschedlab.filter.stage import REJECTED, FilterRun, Prepared, Verdicts, nodes_to_find, prepare, search
from kschedlab.generations import LATEST, Generation
from kschedlab.objects.problems import InputValueError
from kschedlab.queue.pre_enqueue import gate_names
from kschedlab.score.stage import Scores, Ties, head_of_heap, select_host

if TYPE_CHECKING:
    from kschedlab.extenders import Extending
    from kschedlab.preemption.evidence import Preemption

NOTHING: IntArray = np.zeros(0, np.int64)


class Scheduler:
    """Decides for one pod after another on a cluster, with the state that the real scheduler keeps between decisions.

    ``percentage``: percentageOfNodesToScore, from 0 (adaptive) to 100; None for the generation's own. ``rng`` draws one
    of the best nodes and where preemption starts its search; without it, ties go to the node whose name sorts first.
    ``exhaustive``: check every node and every candidate, where the real scheduler samples them or tries the nominated
    node first: the evidence is complete. InputValueError for a wrong percentage, and for one of an exhaustive search.
    """

    def __init__(
        self,
        cluster: Cluster,
        generation: str | Generation = LATEST,
        percentage: int | None = None,
        rng: random.Random | None = None,
        exhaustive: bool = False,
    ) -> None:
        self.cluster = checked_cluster(cluster)
        self.generation = Generation.named(generation)
        self.percentage = self.generation.percentage if percentage is None else percentage
        if not 0 <= self.percentage <= 100:
            raise InputValueError("percentage is {given}: expected 0 to 100", given=self.percentage)
        if exhaustive and percentage is not None:
            raise InputValueError("percentage has no effect on a search of all nodes: add exhaustive=False")
        self.rng = rng
        self.exhaustive = exhaustive
        self.next_start_node_index = 0
        self.last_node_index = 0

    def __repr__(self) -> str:
        return f"<Scheduler {self.generation.name} of {self.cluster}>"

    def decide(self, pod: PodInfo) -> Decision:
        """Decide where the pod goes, without changing the cluster. The decision refers to the cluster as it is now."""
        if self.generation.obeys_scheduling_gates and (gates := gate_names(pod.pod)):
            return Decision(pod, self.cluster, self.generation, None, NOTHING, 0, gates=gates)
        return self.cycle(pod)

    def cycle(self, pod: PodInfo) -> Decision:
        """Like :meth:`decide`, for a pod whose scheduling gates the queue has already checked."""
        try:
            return self.attempt(pod)
        except SchedulingError as error:
            return Decision(pod, self.cluster, self.generation, None, NOTHING, 0, error=str(error))

    def attempt(self, pod: PodInfo) -> Decision:
        """Filter, then score or preempt. SchedulingError if a plugin fails."""
        cluster, generation = self.cluster, self.generation
        if generation.checks_claims_first:
            from kschedlab.filter.volumes.volume_binding import check_claims

            check_claims(pod.pod, cluster.volumes)
        if not cluster.nodes:
            return Decision(pod, cluster, generation, None, NOTHING, 0)
        extending = self._extending(pod)
        prepared = self._prepare(pod)
        run = FilterRun(prepared, pod, cluster, generation.messages.all_errors)
        if prepared.rejected is not None:
            refused_by = np.full(len(cluster.nodes), REJECTED, Small)
            verdicts = Verdicts(refused_by, rejected=prepared.rejected, excluded_by=prepared.excluded_by)
            feasible, evaluated = NOTHING, 0
        else:
            verdicts = run.answers()
            feasible, evaluated, verdicts = self._find_feasible(pod, run, verdicts, extending)
        made = partial(Decision, pod, cluster, generation, verdicts, feasible, evaluated, extending=extending)
        if not len(feasible):
            decision = self._before_preemption(made(), prepared)
            if not generation.preemption.enabled or (decision.post_filter_error and not self.exhaustive):
                return decision
            return replace(decision, preemption=self._preempt(pod, run, verdicts, extending))
        if len(feasible) == 1:
            return made(node=cluster.names[feasible[0]])
        try:
            scores = scores_of(pod, cluster, feasible, generation, extending)
        except SchedulingError as error:
            return made(error=str(error))
        if verdicts.excluded_by and not len(scores.drawn_best):
            scores = replace(scores, drawn=np.ones(len(feasible), bool))
        return made(scores=scores, node=cluster.names[self._select(scores)])

    def _before_preemption(self, decision: Decision, prepared: Prepared) -> Decision:
        """The decision with what DynamicResources' PostFilter gives back, or with its error.

        It reads what its PreFilter wrote. If another plugin's PreFilter rejected the pod before, there is nothing to
        read. v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PostFilter, getStateData).
        """
        pod, cluster, generation = decision.pod, decision.cluster, self.generation
        if not generation.preemption.after_dynamic_resources:
            return decision
        if DYNAMIC_RESOURCES not in (plugin.name for plugin in generation.filters[: prepared.ran]):
            return replace(decision, post_filter_error="not found")
        plugin = plugin_for(pod, cluster, generation.filters)
        if plugin is None or decision.verdicts is None:
            return decision
        given_back = claims_for(pod.pod).given_back(plugin, pod, cluster, decision.verdicts)
        return replace(decision, given_back=given_back)

    def _preempt(self, pod: PodInfo, run: FilterRun, verdicts: Verdicts, extending: Extending | None) -> Preemption:
        from kschedlab.preemption.stage import Evaluator  # most pods fit somewhere: loaded for the first that does not

        evaluator = Evaluator(pod, self.cluster, run, self.generation.preemption, extending)
        return evaluator.preempt(verdicts, self.rng, self.exhaustive)

    def _prepare(self, pod: PodInfo) -> Prepared:
        return prepare(pod, self.cluster, self.generation.filters, self.generation.naming)

    def _extending(self, pod: PodInfo) -> Extending | None:
        if not (generation := self.generation).extenders:
            return None
        highest = generation.max_node_score
        return package().run(pod, self.cluster, generation.extenders, generation.extending, highest)

    def _find_feasible(
        self, pod: PodInfo, run: FilterRun, verdicts: Verdicts, extending: Extending | None
    ) -> tuple[IntArray, int, Verdicts]:
        """The nodes that filters and extenders leave, how many were examined, and the verdicts with extenders' reasons.

        The pod's own nominated node is tried first; if it is refused or fails, the search goes on, and a status that
        it got outside of the search counts as a node examined (v1.37: schedule_one.go, findNodesThatFitPod).
        SchedulingError if a plugin fails on a node that the search examined, or an extender.
        """
        nominated, has_status = self._nominated(pod), False
        if nominated is not None:
            if self.generation.sampling.counts_among_searched_nodes:
                self.next_start_node_index = 0
            left, changed, has_status = _tried(nominated, verdicts, extending)
            if len(left):
                return left, 1, changed
        start = self.next_start_node_index
        feasible, examined = self._search(verdicts)
        seen = self._seen(start, examined, verdicts)
        if has_status and not (verdicts.refused_by[nominated] >= 0 and (seen is None or seen[nominated])):
            self.next_start_node_index = (self.next_start_node_index + 1) % self._node_count
        run.check(verdicts, seen)
        if extending is None:
            return feasible, examined, verdicts
        left, changed = extending.filter(feasible, verdicts, seen)
        return left, examined, changed

    @property
    def _node_count(self) -> int:
        return len(self.cluster.nodes)

    def _seen(self, start: int, examined: int, verdicts: Verdicts) -> BoolArray | None:
        """bool[nodes]: those that a search from ``start`` examined; None if all that PreFilter leaves."""
        if examined >= verdicts.candidates:
            return None
        number = len(verdicts.refused_by)
        return (np.arange(number) - start) % number < examined

    def _nominated(self, pod: PodInfo) -> int | None:
        """The position of the pod's nominated node, if it is tried before all others."""
        first = self.generation.nominated_node_first and not self.exhaustive
        return self.cluster.index.get(pod.pod.status.nominatedNodeName or "") if first else None

    def _search(self, verdicts: Verdicts) -> tuple[IntArray, int]:
        """The feasible nodes found round robin, and how many nodes were examined."""
        passes, generation = verdicts.passes, self.generation
        if self.exhaustive:
            return np.flatnonzero(passes), len(passes)
        candidates, rules = verdicts.candidates, generation.sampling
        compares = generation.scores or any(each.filters or each.prioritizes for each in generation.extenders)
        unscored = rules.one_node_if_no_scores and not compares
        nodes_wanted = 1 if unscored else nodes_to_find(candidates, self.percentage, rules)
        feasible, evaluated = search(passes, self.next_start_node_index, nodes_wanted)
        evaluated = min(evaluated, candidates)
        extra = int(rules.counts_surplus_node and evaluated < candidates)
        number = candidates if rules.counts_among_searched_nodes else len(passes)
        self.next_start_node_index = (self.next_start_node_index + evaluated + extra) % number
        return feasible, evaluated

    def _select(self, scores: Scores) -> int:
        if self.rng is not None and self.generation.ties is Ties.HEAP:
            return head_of_heap(scores, self.rng)
        best = scores.best
        if self.rng is None:
            return int(best[self.cluster.ranks.take(best).argmin()])
        if self.generation.ties is Ties.DRAWN:
            return select_host(best, self.rng)
        self.last_node_index += 1
        return int(best[(self.last_node_index - 1) % len(best)])

    def commit(self, decision: Decision) -> None:
        """Apply the decision: bind the pod, or evict the victims at once and nominate the pod."""
        cluster, pod = self.cluster, decision.pod
        writes = decision.node is not None or decision.given_back is not None
        if writes and (plugin := plugin_for(pod, cluster, self.generation.filters)) is not None:
            pod = claims_for(pod.pod).commit(plugin, pod, cluster, decision.node, decision.given_back)
        if decision.node is not None:
            cluster.bind(pod, decision.node)
        elif (node := decision.nominated_node) is not None:
            from kschedlab.preemption.stage import lower_nominations

            for other in lower_nominations(cluster, pod, node):
                cluster.withdraw(other.key)
            for victim in decision.preemption.victims if decision.preemption is not None else ():
                cluster.evict(victim.key)
            cluster.nominate(pod, node)


def _tried(node: int, verdicts: Verdicts, extending: Extending | None) -> tuple[IntArray, Verdicts, bool]:
    """The node, if filters and extenders leave it; the verdicts with their reasons; whether it got a status.

    v1.37: schedule_one.go, evaluateNominatedNode.
    """
    alone = np.array([node])
    if not verdicts.passes[node]:
        only = np.isin(np.arange(len(verdicts.refused_by)), alone)
        return NOTHING, verdicts, not any(verdicts.errors(only))
    if extending is None:
        return alone, verdicts, False
    with suppress(SchedulingError):
        left, changed = extending.filter(alone, verdicts)
        return left, changed, bool(changed.reasons(node))
    return NOTHING, verdicts, False


def schedule(
    pod: AnyPod,
    cluster: Cluster,
    generation: str | Generation = LATEST,
    percentage: int | None = None,
    rng: random.Random | None = None,
    exhaustive: bool = True,
) -> Decision:
    """Decide for one pending pod: its key ``namespace/name``, or a manifest. The cluster stays as it is.

    ``generation``: its name or a Generation; the other arguments are those of :class:`Scheduler`, but every node is
    checked by default. KeyError if no such pod is pending, or there is no such generation; for a running pod, see
    :func:`~kschedlab.explanation.explain`.
    """
    generation = Generation.named(generation)
    if isinstance(pod, str) and pod not in checked_cluster(cluster).pending:
        raise not_pending(pod, cluster)
    info, fork, _ = as_pending(pod, cluster, generation.api)
    return Scheduler(fork, generation, percentage, rng, exhaustive).decide(info)
