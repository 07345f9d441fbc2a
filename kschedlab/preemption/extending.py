"""Preemption and extenders: the candidates are offered to programs that may drop some, or change their victims.

v1.37: pkg/scheduler/framework/preemption/preemption.go, callExtenders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kschedlab.cluster.pods import PodColumns
from kschedlab.cluster.signatures import IntArray
from kschedlab.extenders.rules import FreeNode
from kschedlab.extenders.run import NO_VICTIM, ExtenderRun, Offer
from kschedlab.filter.plugin import SchedulingError
from kschedlab.preemption.evidence import NO_CANDIDATE, Preemption
from kschedlab.preemption.ladder import Victims, climb
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.preemption.victims import DryRun

PANIC = "panic: runtime error: index out of range [0] with length 0"
"""The panic of v1.20 when it compares a node without victims."""


def extended(result: Preemption, extending: ExtenderRun, rules: PreemptionRules) -> Preemption:
    """The result after extenders dropped candidates, with the ladder applied to the rest.

    SchedulingError if the scheduler panics.

    v1.37: framework/preemption/preemption.go, callExtenders.
    """
    run, positions = result.run, result.positions
    assert run is not None
    if not len(positions):
        fails = extending.refuses_free_nodes and rules.fails_with_its_filters
        return replace(result, failure=free_nodes(run, result.cluster.names) if fails else "")
    try:
        left = extending.preempt(offers(run, positions))
    except SchedulingError as error:
        return replace(result, positions=positions[:0], failure=str(error))
    result = replace(result, positions=np.array([offer.node for offer in left], np.int64), extended=tuple(left))
    if not left:
        return replace(result, failure=NO_CANDIDATE)
    free = chosen_without_victims(left, extending.free_node)
    if free is not None:
        return replace(result, free=free)
    return replace(result, rungs=climb(victims_of(left, result.cluster.pods), rules.ladder))


def offers(run: DryRun, positions: IntArray) -> list[Offer]:
    """The candidates at these positions, as extenders receive them."""
    broken = np.bincount(run.node[run.evicted & run.violates], minlength=len(run.emptied.refused_by))
    return [Offer(n, run.victims_on(n), int(broken[n])) for n in positions.tolist()]


def free_nodes(run: DryRun, names: Sequence[str]) -> str:
    """The error about all nodes that need no victims, or "". v1.37: preemption.go, DryRunPreemption."""
    free = run.nodes[run.emptied.passes[run.nodes]]
    errors = [NO_VICTIM.format(names[n]) for n in free.tolist()]
    return f"[{', '.join(errors)}]" if len(errors) > 1 else "".join(errors)


def chosen_without_victims(offers: Sequence[Offer], free_node: FreeNode) -> IntArray | None:
    """The indices of the candidates to choose from, if one of them needs no victims; None if all need some.

    SchedulingError if the scheduler panics.
    """
    number = np.array([len(offer.rows) for offer in offers])
    violations = np.array([offer.violations for offer in offers])
    if number.all():
        return None
    if free_node is FreeNode.TAKEN:
        return np.flatnonzero(number == 0)
    fewest = np.flatnonzero(violations == violations.min())
    if len(fewest) > 1:
        raise SchedulingError(PANIC)
    return fewest


def victims_of(offers: Sequence[Offer], pods: PodColumns) -> Victims:
    """The victims of all candidates, in the order of the candidates."""
    number = np.array([len(offer.rows) for offer in offers])
    rows = np.concatenate([offer.rows for offer in offers])
    violations = np.array([offer.violations for offer in offers])
    return Victims(np.cumsum(number) - number, pods.priority[rows], pods.start[rows], violations)
