"""Preemption and extenders: the candidates are offered to programs that may drop some, or change their victims.

v1.37: pkg/scheduler/framework/preemption/preemption.go, callExtenders.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kschedlab.cluster.pods import PodColumns
from kschedlab.cluster.signatures import IntArray
from kschedlab.extenders import FreeNode
from kschedlab.filter.plugin import SchedulingError
from kschedlab.preemption.evidence import Offer
from kschedlab.preemption.ladder import Victims
from kschedlab.preemption.victims import DryRun

NO_VICTIM = 'expected at least one victim pod on node "{}"'
PANIC = "panic: runtime error: index out of range [0] with length 0"
"""The panic of v1.20 when it compares a node without victims."""


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
