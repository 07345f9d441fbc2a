"""Ask one plugin about one pod: its answer for each node, with the terms of its formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.plugin import UNSCHEDULABLE, Filter, status_code
from kschedlab.filter.stage import EXCLUDED, FilterRun, Verdicts, not_satisfied, prepare
from kschedlab.messages import later, say
from kschedlab.objects.api import Api
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.score.plugin import Score


class Refused(NamedTuple):
    """Why a plugin refuses a node. ``code``: Unschedulable, or UnschedulableAndUnresolvable if no eviction can help."""

    reasons: tuple[str, ...]
    code: str = UNSCHEDULABLE


class NodeScore(NamedTuple):
    """A node's score by one plugin. ``weighted``: normalized times weight; ``terms``: the values in its formula."""

    raw: int
    normalized: int
    weighted: int
    terms: Mapping[str, Any]


@dataclass(frozen=True)
class NamedPlugin:
    """The filter and the score of this name in a generation. ``filters``: all its filters; ``weight``: of the score."""

    name: str
    generation: str
    api: Api
    own_filter: Filter | None
    own_score: Score | None
    weight: int
    filters: tuple[Filter, ...]

    def filter(self, pod: AnyPod, cluster: Cluster) -> dict[str, Refused | None]:
        """By node: None if this filter accepts it for the pod, otherwise why not.

        ``pod``: the key ``namespace/name`` of a pending or running pod (a running one leaves its node first), a
        manifest or a Pod. ValueError if the plugin does not filter; KeyError if there is no such pod; SchedulingError
        if the plugin fails.
        """
        if self.own_filter is None:
            raise self._lacks(later('"{name}" does not filter in {generation}, it has {parts}'))
        info, fork, _ = as_pending(pod, cluster, self.api)
        prepared = prepare(info, fork, (self.own_filter,))
        if prepared.rejected is not None:
            code = status_code(prepared.rejected.unresolvable)
            return dict.fromkeys(fork.names, Refused(prepared.rejected.reasons, code))
        verdicts = FilterRun(prepared, info, fork).verdicts()
        return {name: self._refused(verdicts, place) for place, name in enumerate(fork.names)}

    def _lacks(self, message: str) -> InputValueError:
        return InputValueError(message, name=self.name, generation=self.generation, parts=self.parts)

    def _refused(self, verdicts: Verdicts, place: int) -> Refused | None:
        if verdicts.plugin(place) is None:
            return None
        excluded = (not_satisfied([self.name]),)
        reasons = excluded if verdicts.refused_by[place] == EXCLUDED else tuple(verdicts.reasons(place))
        return Refused(reasons, status_code(verdicts.unresolvable()[place]))

    def score(self, pod: AnyPod, cluster: Cluster, nodes: Iterable[str] | None = None) -> dict[str, NodeScore]:
        """By node: this plugin's score. Empty if it skips the pod, or if there is no node to score.

        ``nodes``: names of the nodes to score (and normalize) together, instead of the feasible ones.
        ``pod`` and errors: as in :meth:`filter`.
        """
        if self.own_score is None:
            raise self._lacks(later('"{name}" does not score in {generation}, it has {parts}'))
        info, fork, _ = as_pending(pod, cluster, self.api)
        places = self._feasible(info, fork) if nodes is None else _places(nodes, fork)
        scored = self.own_score.score(info, fork, places) if len(places) else None
        if scored is None:
            return {}
        return {
            fork.names[place]: NodeScore(
                int(scored.raw[i]),
                int(scored.normalized[i]),
                int(scored.normalized[i]) * self.weight,
                {name: of_node(term, i, len(places)) for name, term in scored.terms.items()},
            )
            for i, place in enumerate(places.tolist())
        }

    def _feasible(self, info: PodInfo, cluster: Cluster) -> IntArray:
        prepared = prepare(info, cluster, self.filters)
        if prepared.rejected is not None:
            return np.zeros(0, np.int64)
        return np.flatnonzero(FilterRun(prepared, info, cluster).verdicts().passes)

    @property
    def parts(self) -> str:
        parts = ["filter(pod, cluster)"] if self.own_filter is not None else []
        if self.own_score is not None:
            parts.append(say("score(pod, cluster), weight {weight}", weight=self.weight))
        return "; ".join(parts) or say("neither filter nor score")

    def __repr__(self) -> str:
        return say("{plugin} of {generation}: {parts}", plugin=self.name, generation=self.generation, parts=self.parts)


def _places(nodes: Iterable[str], cluster: Cluster) -> IntArray:
    names = list(nodes)
    if missing := [name for name in names if name not in cluster.index]:
        raise unknown("node", missing[0], cluster.names)
    return np.array([cluster.index[name] for name in names], np.int64)


def of_node(term: Any, place: int, nodes: int) -> Any:
    """The node's entry of a per-node term; any other term unchanged."""
    if isinstance(term, Mapping):
        return {name: of_node(each, place, nodes) for name, each in term.items()}
    if isinstance(term, np.ndarray) and term.ndim and term.shape[-1] == nodes:
        own = term[..., place]
        return own.item() if own.ndim == 0 else own.tolist()
    return term
