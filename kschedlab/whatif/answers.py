"""All that would change one decision."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS, LATEST, Generation
from kschedlab.whatif.case import Boundary, Case, ranked, with_spec
from kschedlab.whatif.relaxations import Relaxations, relaxations
from kschedlab.whatif.thresholds import elsewhere, limits, other_weights, preempting_priority, smaller

HIGHEST = 2**31 - 1
"""The highest priority that there is."""
EVICTIONS = 10
"""On how many nodes evictions are tried at most; nominated pods may still take the room."""


@dataclass(frozen=True, eq=False)
class Eviction:
    """Pods in the way: the fewest that were found to be enough. ``decision``: where the pod goes once they are gone."""

    node: str
    victims: tuple[PodInfo, ...]
    decision: Decision


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """A decision, and what would change it.

    ``was_on``: the node that the pod was taken off, or None.

    ====================  ==========================================================================================
    if it fits nowhere    ``requests``: the largest amounts with which it fits, by resource, where one is enough;
                          ``relaxations`` of its spec; and unless it preempts anyway:
                          ``priority``: from which one on it would; ``eviction``
    if it fits            ``limits``: from which amounts on it fits nowhere, one a resource;
                          ``requests``, ``weights``: where another node is chosen, upwards and downwards
    ====================  ==========================================================================================
    """

    decision: Decision
    was_on: str | None
    requests: tuple[Boundary, ...] = ()
    limits: tuple[Boundary, ...] = ()
    weights: tuple[Boundary, ...] = ()
    relaxations: Relaxations = Relaxations()
    priority: Boundary | None = None
    eviction: Eviction | None = None

    def __str__(self) -> str:
        from kschedlab.views.whatif import whatif_text

        return whatif_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from kschedlab.views.whatif import whatif_tables

        return str(whatif_tables(self))


def what_if(cluster: Cluster, pod: str, generation: Generation = GENERATIONS[LATEST]) -> WhatIf:
    """What would change the decision about the pod ``namespace/name``, which waits or runs. KeyError if it isn't there.

    Some hundred decisions. The cluster stays as it is.
    """
    case = Case(cluster, pod, generation)
    decision = case.decide()
    if decision.node is None:
        return WhatIf(
            decision,
            case.was_on,
            requests=tuple(smaller(case)),
            relaxations=relaxations(case),
            priority=preempting_priority(case, decision),
            eviction=eviction(case) if decision.nominated_node is None else None,
        )
    return WhatIf(
        decision,
        case.was_on,
        requests=tuple(elsewhere(case, decision)),
        limits=tuple(limits(case)),
        weights=tuple(other_weights(case, decision)),
    )


def eviction(case: Case) -> Eviction | None:
    """The fewest pods, of whatever priority, whose eviction makes room on one node.

    As preemption finds them: a node's most important pods stay if they can. Found only if the pod really fits then.
    """
    info = ranked(replace(case.info, pod=with_spec(case.info.pod, preemptionPolicy=None)), HIGHEST)
    preemption = case.decide(info).preemption
    if preemption is None or preemption.run is None:
        return None
    run = preemption.run
    number = np.bincount(run.node[run.evicted], minlength=len(case.cluster.nodes))
    places = sorted(preemption.positions.tolist(), key=lambda n: (int(number[n]), case.cluster.names[n]))
    for place in places[:EVICTIONS]:
        node = case.cluster.names[place]
        victims = tuple(case.cluster.pods.info(row) for row in run.victims_on(place).tolist())
        if node in (then := case.without(victims).decide()).names:
            return Eviction(node, victims, then)
    return None
