"""Plugins that answer with one array over all nodes, as the engine's own do, and the checks of their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import PreFilterRejection, PreparedFilter, Refusal, Refusals, SchedulingError
from kschedlab.messages import later, say
from kschedlab.plugins.framework import Adapter, PluginError, call
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored


class ArrayFilter:
    """A filter that looks at all nodes at once: a class with :meth:`refuse`.

    ``name``: defaults to the class name. ``depends_on_pods``: whether the answer can change when pods are added or
    removed. ``monotonic``: whether additional pods on a node can only make the filter refuse more.
    """

    name: str = ""
    depends_on_pods: bool = True
    monotonic: bool = False

    def refuse(self, pod: PodInfo, snapshot: Snapshot) -> Refusal | Refusals | None:
        """Refuse nodes of ``snapshot.cluster``: ``Refusal(mask, reason)`` with a bool[nodes] mask. None: all pass."""
        raise NotImplementedError(say("{name} needs a method refuse(pod, snapshot)", name=type(self).__name__))

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | PreFilterRejection | None:
        """Look at the pod once. None: the filter does not apply to it."""
        return _Refusing(self, pod)


class _Refusing:
    node_names: frozenset[str] | None = None

    def __init__(self, plugin: ArrayFilter, pod: PodInfo) -> None:
        self.depends_on_pods, self.monotonic = plugin.depends_on_pods, plugin.monotonic
        self._plugin, self._pod = plugin, pod

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        answer = self._plugin.refuse(self._pod, snapshot)
        return Refusals([answer]) if isinstance(answer, Refusal) else answer


@dataclass(frozen=True)
class CheckedFilter(Adapter):
    """A third-party filter: exceptions and wrong answers become errors that name it."""

    def prepare(self, pod: PodInfo, cluster: Cluster) -> CheckedAnswers | PreFilterRejection | None:
        try:
            prepared = _call(self.plugin.prepare, pod, cluster)
            if prepared is None or isinstance(prepared, PreFilterRejection):
                return prepared
            return CheckedAnswers(self.name, prepared)
        except PluginError as fault:
            raise SchedulingError(f'running PreFilter plugin "{self.name}": {fault}') from fault


class CheckedAnswers:
    """A prepared filter with checked answers. PluginError if the object is not a prepared filter."""

    def __init__(self, name: str, prepared: Any) -> None:
        if missing := [part for part in ("depends_on_pods", "monotonic", "filter") if not hasattr(prepared, part)]:
            message = later(
                "prepare returned {given!r}, which has no {missing}: return a StaticFilter or a PreparedFilter"
            )
            raise PluginError(message, given=prepared, missing=missing[0])
        self.node_names: frozenset[str] | None = getattr(prepared, "node_names", None)
        if self.node_names is not None and not all(isinstance(name, str) for name in self.node_names):
            raise PluginError("node_names must be a set of names of nodes, or None for all")
        self.depends_on_pods, self.monotonic = bool(prepared.depends_on_pods), bool(prepared.monotonic)
        self._name, self._prepared = name, prepared

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        try:
            refused = _call(self._prepared.filter, snapshot)
            if refused is not None:
                _check_refusals(refused, len(snapshot.cluster.nodes))
        except PluginError as fault:
            raise SchedulingError(f'running "{self._name}" filter plugin: {fault}') from fault
        return refused


@dataclass(frozen=True)
class CheckedScore(Adapter):
    """A third-party score, 0..100; ``highest``: the generation's value for 100 (10 before v1.17)."""

    highest: int = field(default=MAX_NODE_SCORE, compare=False)

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        try:
            scored = _call(self.plugin.score, pod, cluster, nodes)
            if scored is not None:
                _check_scored(scored, [cluster.names[n] for n in nodes.tolist()])
        except PluginError as fault:
            raise SchedulingError(f'running Score plugins: plugin "{self.name}" failed with: {fault}') from fault
        if scored is None or self.highest == MAX_NODE_SCORE:
            return scored
        return Scored(scored.raw, scored.normalized * self.highest // MAX_NODE_SCORE, scored.terms)


def _call(ask: Any, *arguments: Any) -> Any:
    """The plugin's answer. SchedulingErrors pass through; any other exception becomes a PluginError."""
    try:
        return call(ask, *arguments)
    except PluginError as fault:
        if isinstance(fault.__cause__, SchedulingError):
            raise fault.__cause__ from None
        raise


def _check_refusals(refused: Any, nodes: int) -> None:
    """PluginError with the remedy, unless these are Refusals over this many nodes."""
    if not isinstance(refused, Refusals):
        message = later("filter returned {given!r}, where Refusals or None is expected: Refusals([Refusal(...)])")
        raise PluginError(message, given=refused)
    if not refused.parts:
        raise PluginError("filter returned Refusals without a part: return None where no node is refused")
    for part in refused.parts:
        _check_mask(part.mask, say("the mask"), nodes)
        if not isinstance(part.unresolvable, bool | np.bool_):
            _check_mask(part.unresolvable, "unresolvable", nodes)
        if not isinstance(part.reason, str) or not part.reason:
            raise PluginError("the reason is {reason!r}, where a text is expected", reason=part.reason)


def _check_mask(mask: Any, what: str, nodes: int) -> None:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (nodes,):
        message = later(
            "{what} is {given}, where bool[{nodes}] is expected, an entry for each node: compare, as in "
            "values > 0, or use .astype(np.bool_)"
        )
        raise PluginError(message, what=what, given=described(mask), nodes=nodes)


def _check_scored(scored: Any, names: list[str]) -> None:
    if not isinstance(scored, Scored):
        raise PluginError("score returned {given!r}, where Scored(raw, normalized) or None is expected", given=scored)
    for what, column in (("raw", scored.raw), ("normalized", scored.normalized)):
        if not isinstance(column, np.ndarray) or column.dtype != np.int64 or column.shape != (len(names),):
            message = later(
                "{what} is {given}, where int64[{number}] is expected, an entry for each node that is scored: "
                "divide with //, or use .astype(np.int64)"
            )
            raise PluginError(message, what=what, given=described(column), number=len(names))
    outside: BoolArray = (scored.normalized < 0) | (scored.normalized > MAX_NODE_SCORE)
    if outside.any():
        place = int(outside.argmax())
        message = later(
            "its normalized score of node {node} is {score}, where 0 to {most} is expected: scale it, e.g. with "
            "default_normalize"
        )
        raise PluginError(message, node=names[place], score=scored.normalized[place], most=MAX_NODE_SCORE)


def described(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"{value.dtype}[{', '.join(str(size) for size in value.shape)}]"
