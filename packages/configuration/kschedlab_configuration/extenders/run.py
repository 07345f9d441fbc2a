"""The extenders of one decision: filter, prioritize and preempt, in the order and with the rules of the generation.

v1.37: pkg/scheduler/schedule_one.go (findNodesThatPassExtenders, prioritizeNodes, extendersBinding) and
framework/preemption/preemption.go (callExtenders). v1.20, v1.16, v1.13: core/generic_scheduler.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, Small
from kschedlab.extenders import Binder, ExtenderCall, ExtenderRules, FreeNode
from kschedlab.filter.plugin import Refusal, Refusals, SchedulingError
from kschedlab.filter.stage import EXCLUDED, EXTENDER, PASSES, Verdicts
from kschedlab.messages import later
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.problems import InputTypeError
from kschedlab.preemption.evidence import NO_CANDIDATE, Offer, Preemption
from kschedlab.preemption.ladder import climb
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.score.plugin import Score, Scored
from kschedlab.score.stage import Scores, prioritize
from kschedlab_configuration.extenders.bare import scores_of_bare_nodes
from kschedlab_configuration.extenders.extender import (
    MAX_EXTENDER_PRIORITY,
    BadStatusError,
    Extender,
    ExtenderError,
    Victims,
    identity,
)
from kschedlab_configuration.extenders.preempting import (
    NO_VICTIM,
    chosen_without_victims,
    free_nodes,
    offers,
    victims_of,
)

NOT_OFFERED = 'extender "{}" claims a filtered node "{}" which is not found in the input node list'


def checked(extenders: Iterable[object]) -> tuple[Extender, ...]:
    """These extenders. InputTypeError for another object."""
    found = []
    for each in extenders:
        if not isinstance(each, Extender):
            no = later("{given!r} is not an Extender; {remedy} makes one of an object with methods such as filter")
            raise InputTypeError(no, given=each, remedy="as_extender(...) of kschedlab-configuration")
        found.append(each)
    return tuple(found)


class ExtenderRun:
    """The extenders that concern one pod: :class:`~kschedlab.extenders.Extending`.

    ``max_node_score``: the highest score of a plugin, to which the extenders' 0 to 10 are scaled.
    """

    def __init__(
        self, pod: PodInfo, cluster: Cluster, extenders: Sequence[Extender], rules: ExtenderRules, max_node_score: int
    ) -> None:
        self.pod = pod
        self.cluster = cluster
        self.extenders = [each for each in in_order(extenders, rules) if each.is_interested(pod.pod)]
        self.rules = rules
        self.calls: list[ExtenderCall] = []
        self._factor = max_node_score // MAX_EXTENDER_PRIORITY
        self._hidden = False

    # -- filter

    def filter(
        self, feasible: IntArray, verdicts: Verdicts, seen: BoolArray | None = None
    ) -> tuple[IntArray, Verdicts]:
        """Ask every extender which of the feasible nodes are left: (their positions, the verdicts with its reasons).

        ``seen``: bool[nodes], the nodes that the search has examined, None for all. SchedulingError if one fails.
        """
        statuses, offered = Statuses(verdicts, self.rules), feasible
        for extender in self.extenders:
            if not len(feasible):
                break
            if extender.filters:
                feasible = self._filter(extender, feasible, statuses)
        return feasible, statuses.verdicts(offered, feasible, seen)

    def _filter(self, extender: Extender, feasible: IntArray, statuses: Statuses) -> IntArray:
        nodes = [self.cluster.nodes[n] for n in feasible.tolist()]
        offered = _names(nodes)
        try:
            answer = extender.filter(self.pod.pod, nodes)
            kept = self._positions(extender, answer.nodes, offered)
        except ExtenderError as error:
            text = self._failed(extender, "filter", offered, error)
            if extender.ignorable:
                return feasible
            raise SchedulingError(text) from error
        unresolvable = answer.unresolvable if self.rules.heeds_unresolvable else {}
        reasons = {**answer.failed, **unresolvable}
        self.calls.append(ExtenderCall(extender.name, "filter", offered, tuple(answer.nodes), reasons))
        for name, reason in reasons.items():
            if name in self.cluster.index:
                statuses.put(self.cluster.index[name], reason, name in unresolvable)
            else:
                statuses.elsewhere.append(reason)
        self._hidden |= self.rules.hides_pods and not extender.node_cache_capable
        return kept

    def _positions(self, extender: Extender, names: Sequence[str], offered: tuple[str, ...]) -> IntArray:
        """The nodes that the extender returned. ExtenderError for one that it may not return."""
        checks = extender.node_cache_capable and self.rules.refuses_other_nodes
        known = set(offered) if checks else self.cluster.index
        for name in names:
            if name not in known:
                raise ExtenderError(NOT_OFFERED.format(extender.name, name))
        return np.array([self.cluster.index[name] for name in names], np.int64)

    # -- prioritize

    def prioritize(self, nodes: IntArray, plugins: Sequence[tuple[Score, int]]) -> Scores:
        """The scores of the plugins, with a row for each extender that scores. An extender that fails has no row."""
        given = scores_of_bare_nodes if self._hidden else prioritize
        scores = given(self.pod, self.cluster, nodes, plugins)
        if not plugins:
            scores = replace(scores, total=np.zeros(len(nodes), np.int64))
        objects = [self.cluster.nodes[n] for n in nodes.tolist()]
        place = {name: i for i, name in enumerate(_names(objects))}
        drawn: BoolArray = np.zeros(len(nodes), np.bool_)
        for extender in self.extenders:
            try:
                listed = extender.prioritize(self.pod.pod, objects)
            except ExtenderError as error:
                self._failed(extender, "prioritize", (*place,), error)
                continue
            raw = np.zeros(len(nodes), np.int64)
            for name, score in listed:
                if name in place:
                    raw[place[name]] += score
                    drawn[place[name]] = True
            if extender.prioritizes:
                scores = self._with_row(scores, extender, raw)
                self.calls.append(ExtenderCall(extender.name, "prioritize", (*place,), (*place,)))
        return replace(scores, drawn=drawn)

    def _with_row(self, scores: Scores, extender: Extender, raw: IntArray) -> Scores:
        scaled = raw * self._factor
        result = scaled * extender.weight
        return replace(
            scores,
            plugins=(*scores.plugins, extender.name),
            weights=(*scores.weights, extender.weight),
            rows=(*scores.rows, Scored(raw, scaled)),
            results=np.vstack([scores.results, result]),
            total=scores.total + result,
        )

    # -- preempt

    def preempted(self, preemption: Preemption, rules: PreemptionRules) -> Preemption:
        """The preemption after extenders dropped candidates, with the ladder applied to the rest.

        SchedulingError if the scheduler panics. v1.37: framework/preemption/preemption.go, callExtenders.
        """
        run, positions, cluster = preemption.run, preemption.positions, preemption.cluster
        assert run is not None
        if not len(positions):
            fails = self._refuses_free_nodes and rules.fails_with_its_filters
            return replace(preemption, failure=free_nodes(run, cluster.names) if fails else "")
        try:
            left = self.preempt(offers(run, positions))
        except SchedulingError as error:
            return replace(preemption, positions=positions[:0], failure=str(error))
        nodes = np.array([offer.node for offer in left], np.int64)
        preemption = replace(preemption, positions=nodes, extended=tuple(left))
        if not left:
            return replace(preemption, failure=NO_CANDIDATE)
        free = chosen_without_victims(left, self.rules.free_node)
        if free is not None:
            return replace(preemption, free=free)
        return replace(preemption, rungs=climb(victims_of(left, cluster.pods), rules.ladder))

    @property
    def _refuses_free_nodes(self) -> bool:
        """Whether a node that needs no victims is an error."""
        return self.rules.free_node is FreeNode.ERROR

    def preempt(self, candidates: Sequence[Offer]) -> list[Offer]:
        """The candidates that the extenders leave, with their victims. SchedulingError if one fails."""
        for extender in self.extenders:
            if candidates and extender.preempts:
                candidates = self._preempt(extender, candidates)
        return list(candidates)

    def _preempt(self, extender: Extender, candidates: Sequence[Offer]) -> Sequence[Offer]:
        cluster = self.cluster
        offered = {cluster.names[each.node]: self._victims(each) for each in candidates}
        try:
            returned = extender.preempt(self.pod.pod, offered)
            left = [
                Offer(cluster.index[name], self._rows(extender, name, victims.pods), victims.violations)
                for name, victims in returned.items()
                if self._is_node(name)
            ]
        except ExtenderError as error:
            text = self._failed(extender, "preempt", (*offered,), error)
            if extender.ignorable:
                return candidates
            raise SchedulingError(text) from error
        if self._refuses_free_nodes:
            if not extender.ignorable and (free := [each for each in left if not len(each.rows)]):
                raise SchedulingError(NO_VICTIM.format(cluster.names[free[0].node]))
            left = [each for each in left if len(each.rows)]
        if not self.rules.keeps_violations:
            left = [replace(each, violations=0) for each in left]
        self.calls.append(
            ExtenderCall(extender.name, "preempt", (*offered,), tuple(cluster.names[each.node] for each in left))
        )
        return left

    def _failed(self, extender: Extender, verb: str, offered: tuple[str, ...], error: ExtenderError) -> str:
        """Note the failure. Returns its text."""
        text = error_text(error, self.rules)
        self.calls.append(ExtenderCall(extender.name, verb, offered, offered, error=text))
        return text

    def _victims(self, candidate: Offer) -> Victims:
        pods = [self.cluster.pods.info(row).pod for row in candidate.rows.tolist()]
        return Victims(pods, candidate.violations)

    def _is_node(self, name: str) -> bool:
        if name not in self.cluster.index:
            raise ExtenderError(f'nodeinfo not found for node name "{name}"')
        return True

    def _rows(self, extender: Extender, node: str, pods: Iterable[str]) -> IntArray:
        """The rows of these pods on the node. v1.37: extender.go, convertPodUIDToPod."""
        rows = self.cluster.pods_of(self.cluster.index[node]).tolist()
        row_of = {identity(self.cluster.pods.info(row).pod): row for row in rows}
        rows = []
        for pod in pods:
            if pod not in row_of:
                raise ExtenderError(
                    f"extender: {extender.name} claims to preempt pod (UID: &{{{pod}}}) on node: {node}, "
                    "but the pod is not found on that node"
                )
            rows.append(row_of[pod])
        return np.array(rows, np.int64)


run = ExtenderRun
"""What the engine calls (:class:`~kschedlab.extenders.Package`)."""


def error_text(error: ExtenderError, rules: ExtenderRules) -> str:
    """The error in the words of the generation."""
    text = str(error)
    return text[:1].upper() + text[1:] if rules.starts_upper_case and isinstance(error, BadStatusError) else text


def in_order(extenders: Sequence[Extender], rules: ExtenderRules) -> list[Extender]:
    """The extenders in the order in which the scheduler asks them. v1.37: scheduler.go, buildExtenders."""
    return sorted(extenders, key=lambda each: each.ignorable) if rules.ignorable_last else list(extenders)


def binders(pod: Pod, extenders: Sequence[Extender], rules: ExtenderRules) -> Iterator[tuple[Extender, bool]]:
    """The extenders that try to bind the pod one after another, and whether the next is tried if that one fails."""
    able = [each for each in in_order(extenders, rules) if each.binds]
    if rules.binder is Binder.FIRST:
        able = able[:1]
    for each in able:
        if each.is_interested(pod):
            falls_back = rules.binder is Binder.UNTIL_ONE_BINDS and each.ignorable
            yield each, falls_back
            if not falls_back:
                return


def _names(nodes: Iterable[Node]) -> tuple[str, ...]:
    return tuple(node.metadata.name for node in nodes)


# -- the verdicts of filters, changed by what extenders say about nodes


class Statuses:
    """The status of each node that an extender named: its reasons, and whether evicting can't help.

    ``elsewhere``: reasons for names that the cluster does not have; messages count them.
    """

    def __init__(self, verdicts: Verdicts, rules: ExtenderRules) -> None:
        self._before = verdicts
        self._unresolvable = verdicts.unresolvable()
        self._rules = rules
        self._of: dict[int, tuple[list[str], bool]] = {}
        self.elsewhere: list[str] = []

    def put(self, node: int, reason: str, unresolvable: bool) -> None:
        """An extender refuses the node at this position, for this reason."""
        if self._rules.sets_status:
            self._of[node] = [reason], unresolvable
            return
        if node not in self._of:
            has_status = self._before.refused_by[node] != EXCLUDED
            self._of[node] = self._before.reasons(node), bool(has_status and self._unresolvable[node])
        reasons, never = self._of[node]
        self._of[node] = [*reasons, reason], never or unresolvable

    def verdicts(self, offered: IntArray, left: IntArray, seen: BoolArray | None) -> Verdicts:
        """The verdicts with the plugin Extender. ``offered``, ``left``: positions before and after all extenders.

        ``seen``: bool[nodes], the nodes that the search examined, None for all. If no node is left, the others have no
        status either, as those that extenders drop in silence.
        """
        before, number = self._before, len(self._before.plugins)
        nodes = np.arange(len(before.refused_by))
        is_left, named = np.isin(nodes, left), np.isin(nodes, list(self._of))
        named &= ~is_left
        dropped = np.isin(nodes, offered) & ~is_left & ~named
        if seen is not None and not len(left):
            dropped |= ~seen & ~named
        refused_by = np.where(is_left, Small(PASSES), before.refused_by)
        refused_by[dropped] = EXCLUDED if before.excluded_by and self._rules.sets_status else number
        refused_by[named] = number
        refusals = ExtenderRefusals(
            self._parts(named), named | dropped, dropped & self._rules.dropped_is_unresolvable, tuple(self.elsewhere)
        )
        return Verdicts(
            refused_by, (*before.plugins, EXTENDER), (*before.refusals, refusals), before.rejected, before.excluded_by
        )

    def _parts(self, named: BoolArray) -> Iterator[Refusal]:
        """A part for each reason; two extenders may give a node the same, which counts twice."""
        masks: dict[tuple[str, bool, int], BoolArray] = {}
        for node, (reasons, unresolvable) in self._of.items():
            if named[node]:
                for i, reason in enumerate(reasons):
                    key = reason, unresolvable, reasons[:i].count(reason)
                    masks.setdefault(key, np.zeros(len(named), np.bool_))[node] = True
        return (Refusal(mask, reason, unresolvable) for (reason, unresolvable, _), mask in masks.items())


class ExtenderRefusals(Refusals):
    """The refusals of all extenders. ``refused``: bool[nodes], with those that they drop in silence.

    ``lost``: bool[nodes], the ones among these where evicting can't help.
    """

    def __init__(
        self, parts: Iterable[Refusal], refused: BoolArray, lost: BoolArray, elsewhere: tuple[str, ...]
    ) -> None:
        super().__init__(parts)
        self.elsewhere = elsewhere
        self._refused = refused
        self._lost = lost

    @cached_property
    def mask(self) -> BoolArray:
        """bool[nodes]: the nodes that the extenders refuse."""
        return self._refused

    @cached_property
    def unresolvable(self) -> BoolArray:
        """bool[nodes]: the refused nodes on which preemption can't help."""
        result = self._lost
        for part in self.parts:
            result = result | (part.mask & part.unresolvable)
        return result
