"""The evidence of preemption: candidates, the attempts to reprieve their victims, and the ladder as climbed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.stage import EXTENDER, PASSES, unavailable
from kschedlab.preemption.ladder import Rung
from kschedlab.preemption.victims import DryRun

NO_VICTIMS = "No preemption victims found for incoming pod"
NO_CANDIDATE = "no candidate node for preemption"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


@dataclass(frozen=True)
class Attempt:
    """An attempt to reprieve a pod. ``refused_by``: the plugin that then refuses the preemptor, or None."""

    pod: PodInfo
    violates: bool
    refused_by: str | None

    @property
    def reprieved(self) -> bool:
        return self.refused_by is None


@dataclass(frozen=True)
class Candidate:
    """A node that the preemptor fits on without ``victims``. ``attempts``: all attempts to reprieve, in order."""

    node: str
    victims: tuple[PodInfo, ...]
    violations: int
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Offer:
    """A candidate, as extenders get and leave it. ``rows``: int64[], the victims' rows in the columns of pods."""

    node: int
    rows: IntArray
    violations: int


@dataclass(frozen=True, eq=False)
class Preemption:
    """The evidence of a preemption decision.

    ``reason``: why the pod may not preempt, or "". ``potential``: int64[], positions of the nodes where evicting might
    help. ``run``: the dry run; ``positions``: int64[candidates], in the order of the search.
    ``rungs``: the ladder as climbed. ``chosen``: the chosen node's index among the candidates.
    ``failure``: what ended it early, or "". ``extended``: the candidates as extenders left them, in the same order;
    ``free``: int64[], the indices of those that need no victims, if they were chosen from before any rule.
    """

    cluster: Cluster
    reason: str
    potential: IntArray
    run: DryRun | None = None
    positions: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    rungs: tuple[Rung, ...] = ()
    chosen: int | None = None
    failure: str = ""
    extended: tuple[Offer, ...] | None = None
    free: IntArray | None = None

    @property
    def eligible(self) -> bool:
        return not self.reason

    @property
    def failed(self) -> bool:
        """Whether it ended in an error; that extenders leave no candidate is none."""
        return self.failure not in ("", NO_CANDIDATE)

    @property
    def nominated_node(self) -> str | None:
        return None if self.chosen is None else self.cluster.names[self.positions[self.chosen]]

    @property
    def tied(self) -> list[str]:
        """The nodes that are left after all rules, sorted by name; the real scheduler takes any of them."""
        kept = self.positions[self.rungs[-1].kept] if self.rungs else self.positions
        if self.free is not None:
            kept = self.positions[self.free]
        return sorted(self.cluster.names[n] for n in kept)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        return {self.cluster.names[n]: self._candidate(int(n)) for n in self.positions}

    @property
    def victims(self) -> tuple[PodInfo, ...]:
        return self._victims(int(self.positions[self.chosen])) if self.chosen is not None else ()

    @property
    def message(self) -> str:
        if self.reason:
            return f"preemption: {self.reason}."
        if self.failure:
            return f"preemption: {self.failure}"
        if self.nominated_node is not None:
            victims, name = len(self.victims), self.nominated_node
            return f"preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
        cluster, run = self.cluster, self.run
        reasons: Counter[str] = Counter()
        potential = set(self.potential.tolist())
        populated = set(run.node.tolist()) if run is not None else set()
        for node in range(len(cluster.nodes)):
            if node not in potential:
                reasons[NOT_HELPFUL] += 1
            elif run is None or node not in populated:
                reasons[NO_VICTIMS] += 1
            else:
                reasons.update(run.emptied.reasons(node))
        return f"preemption: {unavailable(len(cluster.nodes), reasons)}"

    def _victims(self, node: int) -> tuple[PodInfo, ...]:
        assert self.run is not None
        rows = self.run.victims_on(node) if self.extended is None else self._offer(node).rows
        return tuple(self.cluster.pods.info(row) for row in rows.tolist())

    def _offer(self, node: int) -> Offer:
        assert self.extended is not None
        return next(offer for offer in self.extended if offer.node == node)

    def _candidate(self, node: int) -> Candidate:
        run = self.run
        assert run is not None
        indices = np.flatnonzero(run.node == node)
        indices = indices[np.argsort(run.reprieve_order[indices])]
        plugins = run.emptied.plugins
        columns = (column[indices].tolist() for column in (run.rows, run.violates, run.refused_by))
        attempts = tuple(
            Attempt(self.cluster.pods.info(row), violates, None if refused_by == PASSES else plugins[refused_by])
            for row, violates, refused_by in zip(*columns, strict=True)
        )
        violations, victims = sum(a.violates and not a.reprieved for a in attempts), self._victims(node)
        if self.extended is not None:
            violations, tried = self._offer(node).violations, {attempt.pod.key for attempt in attempts}
            attempts += tuple(Attempt(pod, False, EXTENDER) for pod in victims if pod.key not in tried)
        return Candidate(self.cluster.names[node], victims, violations, attempts)
