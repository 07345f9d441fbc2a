"""One pod and cluster, decided by every generation: what each changed in the decision, and when that came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.history import Entry, dated
from kschedlab.whatif.compare import Cause, compare


@dataclass(frozen=True)
class DatedCause:
    """A change that alters the decision by itself, and when it came; None if the history does not know."""

    cause: Cause
    entry: Entry | None


@dataclass(frozen=True)
class Stop:
    """A generation's decision. ``parts``: what differs from the stop before; ``causes``: the changes that alter it."""

    generation: str
    decision: Decision
    parts: tuple[str, ...] = ()
    causes: tuple[DatedCause, ...] = ()


def timeline(
    pod: AnyPod, cluster: Cluster, generations: Iterable[str | Generation] = tuple(GENERATIONS)
) -> tuple[Stop, ...]:
    """A stop for each of the generations, oldest first, as :func:`kschedlab.whatif.compare.compare` decides.

    KeyError if there is no such pod or generation.
    """
    comparison = compare(pod, cluster, generations)
    first = next(iter(comparison.decisions))
    stops = [Stop(first, comparison.decisions[first])]
    for step in comparison.steps:
        causes = (DatedCause(each, dated(each.change.rule, step.earlier, step.later)) for each in step.causes)
        stops.append(Stop(step.later, comparison.decisions[step.later], step.parts, tuple(causes)))
    return tuple(stops)
