"""Everything that would change one decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.generations import LATEST, Profiles, api_of, profile_for, profiles_of
from kschedlab.shown import Shown
from kschedlab.whatif.another_node import AnotherNode, another_node
from kschedlab.whatif.case import Boundary, Case
from kschedlab.whatif.evictions import SmallestEviction, eviction
from kschedlab.whatif.relaxations import Relaxations, relaxations
from kschedlab.whatif.thresholds import elsewhere, limits, other_weights, preempting_priority, smaller

if TYPE_CHECKING:
    from kschedlab.text.sections import Limits, Section


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(Shown):
    """A decision, and what would change it.

    ``was_on``: the node that a running pod was removed from, or None.

    ====================  ==========================================================================================
    if it fits nowhere    ``requests``: for each resource that is enough to change alone, the largest request that fits;
                          ``relaxations`` of its spec; and unless it preempts already:
                          ``priority``: the lowest with which it would preempt; ``eviction``;
                          ``nodes``: a node more of each pool with which it fits
    if it fits            ``limits``: for each resource, the request at which it no longer fits;
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
    eviction: SmallestEviction | None = None
    nodes: tuple[AnotherNode, ...] = ()

    def sections(self, limits: Limits) -> Iterator[Section]:
        from kschedlab.text.whatif import whatif_sections

        return whatif_sections(self)


def what_if(pod: AnyPod, cluster: Cluster, generation: str | Profiles = LATEST, pool_label: str = "") -> WhatIf:
    """The smallest changes that change the decision about a waiting or running pod. Takes some hundred decisions.

    ``pool_label``: the label that names pools, by default a usual one. The other arguments and errors are those of
    :func:`~kschedlab.explanation.explain`. The cluster stays as it is.
    """
    profiles = profiles_of(generation)
    info = as_pending(pod, cluster, api_of(profiles)).info
    if (own := profile_for(info.pod, profiles)) is None:
        raise NoProfileError(info)
    case = Case(pod, cluster, own)
    decision = case.decide()
    if decision.node is None:
        return WhatIf(
            decision,
            case.was_on,
            requests=tuple(smaller(case)),
            relaxations=relaxations(case),
            priority=preempting_priority(case, decision),
            eviction=eviction(case) if decision.nominated_node is None else None,
            nodes=tuple(another_node(case, pool_label)),
        )
    return WhatIf(
        decision,
        case.was_on,
        requests=tuple(elsewhere(case, decision)),
        limits=tuple(limits(case)),
        weights=tuple(other_weights(case, decision)),
    )
